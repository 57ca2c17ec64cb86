"""Tables with named columns: CSV, TSV, JSON lines, Parquet, and frames in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, NoColumn, Swapped, shown
from gainful.read import delimited, jsonl, subtopics
from gainful.read.source import Source
from gainful.read.values import Judgments, Run

QUERY = (
    *("query", "query_id", "qid", "q_id", "queryid", "topic", "topic_id"),
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


@frozen(eq=False)
class Table:
    """A frame with what messages about it need."""

    frame: pl.DataFrame
    name: str
    where: Callable[[int], str]

    def column(self, known: Iterable[str]) -> str | None:
        """The first column, in the order of the known names, that is called so."""
        own = {_plain(name): name for name in reversed(self.frame.columns)}
        return next((own[name] for name in known if name in own), None)

    def needed(self, known: tuple[str, ...], what: str) -> str:
        """The same, or an error that says what there is and what is understood."""
        found = self.column(known)
        if found is None:
            raise NoColumn(
                self.name,
                f"there is no column for the {what}; there are {', '.join(self.frame.columns)}",
                f"one of {', '.join(known)}",
            )
        return found


@frozen(eq=False)
class Columns:
    """Query, document and number of each row, with what was given and whether it is wrong."""

    table: Table
    frame: pl.DataFrame  # query, doc, number, given, rank (null where there is none), subtopic
    called: str  # grade or score
    ids: tuple[str, ...] = ("query", "doc")  # the columns that must not be empty

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
        return Table(frame, source.name, lambda row: f"{source.name}, row {row + 1}")
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
    return Table(frame, name, lambda row: f"{name}, row {row}")


def known_columns(names: Iterable[str]) -> bool:
    """Are these the names of columns, and not already data?"""
    plain = {_plain(name) for name in names}
    return bool(plain & {*QUERY} and plain & {*DOC})


def judgments_of(table: Table) -> Judgments:
    """Judgments from a table."""
    grade = table.needed(GRADE, "grade")
    if _plain(grade) == "score" and table.column(RANK) is not None:
        raise Swapped(
            table.name,
            "this looks like a run, not like judgments: it has scores and ranks "
            "(are the arguments swapped?)",
            "columns query, doc, grade",
        )
    found = columns(table, grade, "grade")
    sound = _sound(found)
    if "subtopic" not in found.ids:
        return Judgments(sound, table.name, table.where)
    with_subtopics = sound.with_columns(found.frame["subtopic"])
    return subtopics.judgments(with_subtopics, table.name, table.where)


def run_of(table: Table) -> Run:
    """A run from a table."""
    score = table.column(SCORE)
    if score is not None:
        return Run(_sound(columns(table, score, "score")), table.name, table.where)
    rank = table.column(RANK)
    if rank is None:
        if table.column(GRADE[:-1]) is not None:
            raise Swapped(
                table.name,
                "these look like judgments, not like a run: there are grades, but no scores "
                "(are the arguments swapped?)",
                "columns query, doc, score",
            )
        table.needed((*SCORE, *RANK), "score")
    ranked = _sound(columns(table, str(rank), "rank"), "score").with_columns(-pl.col("score"))
    return Run(ranked, table.name, table.where)


def columns(table: Table, number: str, called: str) -> Columns:
    """Query and document as text, and one column of numbers."""
    query, doc = table.needed(QUERY, "query"), table.needed(DOC, "document")
    rank = table.column(RANK)
    subtopic = table.column(SUBTOPIC) if called == "grade" else None
    beside = {} if subtopic is None else {"subtopic": _text(table, subtopic)}
    frame = pl.DataFrame(
        {
            "query": _text(table, query),
            "doc": _text(table, doc),
            "number": _number(table, number),
            "given": table.frame[number],
            "rank": pl.Series([None] * len(table.frame), dtype=pl.Float64)
            if rank is None
            else _number(table, rank),
            **beside,
        }
    )
    return Columns(table, frame, called, ("query", "doc", *beside))


def _sound(found: Columns, name: str | None = None) -> pl.DataFrame:
    """The three columns, or an error for the first row that is not what it should be."""
    bad = found.malformed()
    if bad:
        problem = found.problem(bad[0]) or "not what it should be"
        raise BadInput(found.table.where(bad[0]), problem)
    number = pl.col("number").alias(name or found.called)
    return found.frame.select("query", "doc", number)


def _text(table: Table, column: str) -> pl.Series:
    """Ids as text: texts and whole numbers are; what else a column can hold is refused."""
    values = table.frame[column]
    kind = values.dtype
    if kind == pl.String:
        return values.str.strip_chars()
    if kind.is_float() and bool((values.drop_nulls() == values.drop_nulls().floor()).all()):
        values = values.cast(pl.Int64, strict=False)
        kind = values.dtype
    if kind.is_integer() or kind in (pl.Categorical, pl.Enum, pl.Null):
        return values.cast(pl.String)
    raise BadInput(table.name, f"column {shown(column)} holds {kind}", "texts or whole numbers")


def _number(table: Table, column: str) -> pl.Series:
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
