"""Tables with named columns: CSV, TSV, JSON lines, Parquet, and frames in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Literal

import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput, NoColumn, Swapped, shown
from gainful.read import delimited, jsonl, subtopic_qrels
from gainful.read.qrels_and_run import Ids, Judgments, Run
from gainful.read.source import Source

QUERY = (  # an id comes before what may be the text of the query
    *("query_id", "qid", "q_id", "queryid", "query", "topic_id", "topic"),
    *("user", "user_id", "userid"),
)
DOC = (
    *("doc", "doc_id", "docno", "docid", "did", "document", "document_id", "corpus_id"),
    *("item", "item_id", "itemid", "passage_id", "pid"),
)
GRADE = ("grade", "relevance", "rel", "label", "judgment", "judgement", "rating", "score")
SCORE = ("score", "sim", "similarity", "prediction", "predicted_score")
RANK = ("rank", "position", "pos")
SUBTOPIC = ("subtopic", "subtopic_id", "intent", "aspect", "iteration")
UNDERSTOOD = dict.fromkeys((*QUERY, *DOC, *GRADE, *SCORE, *RANK, *SUBTOPIC))  # in this order


@frozen
class Head:
    """The names of the columns of a table, wherever the table is."""

    columns: Sequence[str]
    name: str

    def column(self, known: Iterable[str]) -> str | None:
        """The first column, in the order of the known names, that is called so."""
        own = {_plain(name): name for name in reversed(self.columns)}
        return next((own[name] for name in known if name in own), None)

    def needed(self, known: tuple[str, ...], what: str) -> str:
        """The same, or an error that says what there is and what is understood."""
        found = self.column(known)
        if found is None:
            raise NoColumn(
                self.name,
                f"there is no column for the {what}; there are {', '.join(self.columns)}",
                f"one of {', '.join(known)}",
            )
        return found

    def grade(self) -> str:
        """The column of the grades of judgments."""
        grade = self.needed(GRADE, "grade")
        if _plain(grade) == "score" and self.column(RANK) is not None:
            raise Swapped(
                self.name,
                "this looks like a run, not like judgments: it has scores and ranks "
                "(are the arguments swapped?)",
                "columns query, doc, grade",
            )
        return grade

    def score(self) -> tuple[str, Literal["score", "rank"]]:
        """The column by which a run is ordered, and what it is."""
        score = self.column(SCORE)
        if score is not None:
            return score, "score"
        if self.column(RANK) is None and self.column(GRADE[:-1]) is not None:
            raise Swapped(
                self.name,
                "these look like judgments, not like a run: there are grades, but no scores "
                "(are the arguments swapped?)",
                "columns query, doc, score",
            )
        return self.needed((*SCORE, *RANK), "score"), "rank"


@frozen(eq=False)
class Table:
    """A frame with what messages about it need."""

    frame: pl.DataFrame
    name: str
    where: Callable[[int], str]
    padded: bool = True  # may texts have blanks around them, as typed ones do?

    @property
    def head(self) -> Head:
        """The names of its columns."""
        return Head(self.frame.columns, self.name)


@frozen(eq=False)
class Columns:
    """Query, document and number of each row, with what was given and whether it is wrong."""

    table: Table
    frame: pl.DataFrame  # query, doc, number, given, rank (null where there is none), subtopic
    called: str  # grade or score
    ids: tuple[str, ...] = ("query", "doc")  # the columns that must not be empty
    kinds: Ids = field(factory=dict)

    def problem(self, row: int) -> str | None:
        """What is wrong with a row, in words; None if nothing is."""
        found = self.frame.row(row, named=True)
        number, given = found["number"], found["given"]
        for name in self.ids:
            if found[name] is None or found[name] == "":
                return f"there is no {name}"
        if given is None:
            return f"there is no {self.called}"
        fine = number is not None and abs(number) != float("inf") and number == number  # noqa: PLR0124
        return None if fine else f"{self.called} {shown(given)} is not a finite number"

    def malformed(self) -> list[int]:
        """The rows that are not what they should be."""
        number = pl.col("number")
        lacking = [pl.col(name).is_null() | (pl.col(name) == "") for name in self.ids]
        bad = pl.any_horizontal(*lacking, number.is_null(), ~number.is_finite())
        return self.frame.select(bad.fill_null(value=True)).to_series().arg_true().to_list()


def read(source: Source, form: str) -> Table:
    """A file as a table, in the format that was found or named."""
    if form == "parquet":
        frame = _parquet(source)
        return Table(frame, source.name, lambda row: f"{source.name}, row {row + 1}", padded=False)
    reader = jsonl if form == "jsonl" else delimited
    frame, where = reader.read(source, form)
    return Table(frame, source.name, where)


def judgments(source: Source, form: str) -> Judgments:
    """Judgments from a file with columns such as query, doc, grade."""
    return judgments_of(read(source, form))


def run(source: Source, form: str) -> Run:
    """A run from a file with columns such as query, doc, score (or rank)."""
    return run_of(read(source, form))


def of_frame(frame: pl.DataFrame, name: str) -> Table:
    """A frame in memory as a table."""
    return Table(frame, name, lambda row: f"{name}, row {row}", padded=False)


def known_columns(names: Iterable[str]) -> bool:
    """Are these the names of columns, and not already data?"""
    plain = {_plain(name) for name in names}
    return bool(plain & {*QUERY} and plain & {*DOC})


def judgments_of(table: Table) -> Judgments:
    """Judgments from a table."""
    found = columns(table, table.head.grade(), "grade")
    sound = _sound(found)
    if "subtopic" not in found.ids:
        return Judgments(sound, table.name, table.where, ids=found.kinds)
    with_subtopics = sound.with_columns(found.frame["subtopic"])
    return subtopic_qrels.judgments(with_subtopics, table.name, table.where, found.kinds)


def run_of(table: Table) -> Run:
    """A run from a table."""
    column, kind = table.head.score()
    found = columns(table, column, kind)
    frame = _sound(found, "score")
    if kind == "rank":
        frame = frame.with_columns(-pl.col("score"))
    return Run(frame, table.name, table.where, ids=found.kinds)


def columns(table: Table, number: str, called: str) -> Columns:
    """Query and document as text, and one column of numbers."""
    query, doc = table.head.needed(QUERY, "query"), table.head.needed(DOC, "document")
    rank = table.head.column(RANK)
    subtopic = _subtopic(table) if called == "grade" else None
    beside = {} if subtopic is None else {"subtopic": as_text(table, subtopic)}
    frame = pl.DataFrame(
        {
            "query": as_text(table, query),
            "doc": as_text(table, doc),
            "number": as_number(table, number),
            "given": table.frame[number],
            "rank": pl.Series([None] * len(table.frame), dtype=pl.Float64)
            if rank is None
            else as_number(table, rank),
            **beside,
        }
    )
    own = {"query": table.frame.schema[query], "doc": table.frame.schema[doc]}
    kinds = {} if table.padded else {name: _kind(kind) for name, kind in own.items()}
    return Columns(table, frame, called, ("query", "doc", *beside), kinds)


def _sound(found: Columns, name: str | None = None) -> pl.DataFrame:
    """The three columns, or an error for the first row that is not what it should be."""
    bad = found.malformed()
    if bad:
        problem = found.problem(bad[0]) or "not what it should be"
        raise BadInput(found.table.where(bad[0]), problem)
    number = pl.col("number").alias(name or found.called)
    return found.frame.select("query", "doc", number)


def as_text(table: Table, column: str) -> pl.Series:
    """Ids as text: texts and whole numbers are; what else a column can hold is refused."""
    values = table.frame[column]
    kind = values.dtype
    if kind == pl.String:
        return values.str.strip_chars() if table.padded else values
    if kind.is_float() and bool((values.drop_nulls() == values.drop_nulls().floor()).all()):
        values = values.cast(pl.Int64, strict=False)
        kind = values.dtype
    if kind.is_integer() or kind in (pl.Categorical, pl.Enum, pl.Null):
        return values.cast(pl.String)
    raise BadInput(table.name, f"column {shown(column)} holds {kind}", "texts or whole numbers")


def _subtopic(table: Table) -> str | None:
    """The column of subtopics; an iteration that is not told everywhere is none."""
    column = table.head.column(SUBTOPIC)
    if column is None or _plain(column) != "iteration":
        return column
    values = table.frame[column]
    return None if values.null_count() or values.dtype.is_float() else column


def _kind(kind: pl.DataType) -> str:
    return "whole numbers" if kind.is_numeric() else "texts"


def as_number(table: Table, column: str) -> pl.Series:
    """Numbers; what is none is null."""
    values = table.frame[column]
    if values.dtype == pl.String:
        return values.str.strip_chars().cast(pl.Float64, strict=False)
    if values.dtype.is_numeric() or values.dtype == pl.Null:
        return values.cast(pl.Float64, strict=False)
    raise BadInput(table.name, f"column {shown(column)} holds {values.dtype}", "numbers")


def _parquet(source: Source) -> pl.DataFrame:
    try:
        return pl.read_parquet(source.path or BytesIO(source.content()), glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as failure:
        problem = str(failure).split("\n", maxsplit=1)[0]
        raise BadInput(source.name, f"cannot be read as Parquet: {problem}") from None


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
