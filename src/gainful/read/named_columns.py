"""Tables with named columns: CSV, TSV, JSON lines, Parquet, and frames in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput, NoColumn, Swapped
from gainful.read import binary_tables, delimited, jsonl, subtopic_qrels
from gainful.read.column_names import (
    DOC,
    GRADE,
    QUERY,
    RANK,
    SCORE,
    SUBTOPIC,
    ColumnMapping,
    list_columns,
    may_be_grades,
    normalise_name,
    strip_name,
)
from gainful.read.qrels_and_run import IdKinds, Qrels, Run
from gainful.read.source import Source
from gainful.text import join_words, quote


@frozen
class Header:
    """The names of the columns of a table, wherever the table is."""

    columns: Sequence[str]
    name: str
    own_names: Mapping[str, str] = {}  # what the user calls those that are renamed

    def own_name(self, column: str) -> str:
        """What the user calls a column."""
        return self.own_names.get(column, column)

    def find_column(self, aliases: Iterable[str]) -> str | None:
        """The first column, in the order of the known names, that is called so, or nearly."""
        known = list(aliases)
        own = {normalise_name(name): name for name in reversed(self.columns)}
        stripped = {strip_name(name): name for name in reversed(self.columns)}
        exact = (own[name] for name in known if name in own)
        near = (stripped[strip_name(name)] for name in known if strip_name(name) in stripped)
        return next(exact, None) or next(near, None)

    def require_column(self, aliases: tuple[str, ...], role: str) -> str:
        """The column that has one of these names, or an error that says what there is."""
        column = self.find_column(aliases)
        if column is None:
            raise NoColumn(
                self.name,
                f"there is no column for the {role}; there are {self._list_columns()}",
                f"one of {', '.join(aliases)}; or columns= (--columns) that names it",
            )
        return column

    def require_ids(self) -> tuple[str, str]:
        """The columns of queries and documents, or an error that says what there is."""
        return self.require_column(QUERY, "query"), self.require_column(DOC, "document")

    def grade_column(self) -> str | None:
        """The column of the grades of judgments; None where all that is judged is relevant."""
        grade = self.find_column(GRADE)
        self._refuse_two_grades()
        ranked = self.find_column(RANK) is not None
        if ranked and (grade is None or normalise_name(grade) == "score"):
            contents = "ranks" if grade is None else "scores and ranks"
            raise Swapped(
                self.name,
                f"this looks like a run, not like judgments: it has {contents} "
                "(are the arguments swapped?)",
                "columns query, doc, grade",
            )
        return grade

    def _refuse_two_grades(self) -> None:
        """Of two columns that can be the grades, neither is chosen in silence."""
        names = {normalise_name(column): column for column in self.columns}
        grades = [names[alias] for alias in GRADE[:-1] if alias in names]
        if len(grades) > 1 and normalise_name(grades[0]) != GRADE[0]:
            problem = f"{join_words(list(map(quote, grades)), 'or')} can be the grades"
            raise BadInput(self.name, problem, f'columns={{"grade": "{grades[0]}"}} or the other')

    def refuse_unknown_grades(self, columns: Iterable[str]) -> None:
        """Of these columns of numbers, none that may be the grades is left out in silence."""
        names = [self.own_name(column) for column in columns if may_be_grades(column)]
        if not names:
            return
        several = "columns {} hold numbers; which one is the grade?"
        words = several if len(names) > 1 else "column {} holds numbers; is it the grade?"
        raise BadInput(
            self.name,
            words.format(list_columns(list(map(quote, names)))),
            f'the name grade, or columns={{"grade": "{names[0]}"}} (--columns grade={names[0]}); '
            'columns={"grade": None} (--columns grade=) if each judged document counts as 1',
        )

    def note_no_grades(self) -> str:
        """What is to be said of judgments without grades."""
        return (
            f"{self.name}: no column of grades ({', '.join(GRADE[:3])}, …) among "
            f"{self._list_columns()}; "
            "each judged document counts as grade 1"
        )

    def _list_columns(self) -> str:
        return list_columns([self.own_name(column) for column in self.columns])

    def score_column(self) -> tuple[str, Literal["score", "rank"]]:
        """The column by which a run is ordered, and what it is."""
        score = self.find_column(SCORE)
        if score is not None:
            return score, "score"
        if self.find_column(RANK) is None and self.find_column(GRADE[:-1]) is not None:
            raise Swapped(
                self.name,
                "these look like judgments, not like a run: there are grades, but no scores "
                "(are the arguments swapped?)",
                "columns query, doc, score",
            )
        return self.require_column((*SCORE, *RANK), "score"), "rank"


@frozen(eq=False)
class InputTable:
    """A frame with what messages about it need."""

    frame: pl.DataFrame
    name: str
    locate: Callable[[int], str]
    padded: bool = True  # may texts have blanks around them, as typed ones do?
    own_names: Mapping[str, str] = {}  # what the user calls columns that are renamed
    notes: tuple[str, ...] = ()  # what one should know of how it was read

    @property
    def header(self) -> Header:
        """The names of its columns."""
        return Header(self.frame.columns, self.name, self.own_names)

    def rename(self, columns: ColumnMapping, roles: Mapping[str, str]) -> InputTable:
        """The table with its columns called as they are looked for."""
        renames = columns.find_renames(self.frame.columns, roles, self.name)
        frame = columns.rename(self.frame, roles, self.name)
        own_names = {**self.own_names, **invert_renames(renames)}
        return evolve(self, frame=frame, own_names=own_names)

    def with_grades(self) -> tuple[InputTable, str]:
        """The table and its column of grades; where there is none all are 1, which is noted."""
        header = self.header
        grade = header.grade_column()
        if grade is not None:
            return self, grade
        header.require_ids()
        header.refuse_unknown_grades(filter(self._holds_numbers, self.frame.columns))
        notes = (*self.notes, header.note_no_grades())
        return evolve(self, frame=self.frame.with_columns(grade=pl.lit(1.0)), notes=notes), "grade"

    def _holds_numbers(self, column: str) -> bool:
        """Are there numbers in a column, and nothing else?"""
        values = self.frame[column]
        if values.dtype == pl.String:
            values = values.str.strip_chars().replace("", None)
        elif not values.dtype.is_numeric():
            return False
        numbers = values.cast(pl.Float64, strict=False)
        has_any = len(numbers.drop_nulls().drop_nans()) > 0
        return has_any and numbers.null_count() == values.null_count()


@frozen(eq=False)
class ParsedColumns:
    """Query, document and number of each row, with what was given and whether it is wrong."""

    table: InputTable
    frame: pl.DataFrame  # query, doc, number, given, rank (null where there is none), subtopic
    role: str  # grade or score
    required: tuple[str, ...] = ("query", "doc")  # the columns that must not be empty
    id_kinds: IdKinds = field(factory=dict)

    def describe_problem(self, row: int) -> str | None:
        """What is wrong with a row, in words; None if nothing is."""
        values = self.frame.row(row, named=True)
        number, raw = values["number"], values["given"]
        for name in self.required:
            if values[name] is None or values[name] == "":
                return f"there is no {name}"
        if raw is None:
            return f"there is no {self.role}"
        finite = number is not None and abs(number) != float("inf") and number == number  # noqa: PLR0124
        return None if finite else f"{self.role} {quote(raw)} is not a finite number"

    def bad_rows(self) -> list[int]:
        """The rows that are not what they should be."""
        number = pl.col("number")
        missing = [pl.col(name).is_null() | (pl.col(name) == "") for name in self.required]
        bad = pl.any_horizontal(*missing, number.is_null(), ~number.is_finite())
        return self.frame.select(bad.fill_null(value=True)).to_series().arg_true().to_list()


def invert_renames(renames: Mapping[str, str]) -> dict[str, str]:
    """What a user calls each column that is renamed."""
    return {new: own for own, new in renames.items()}


_BINARY_READERS = {"parquet": binary_tables.read_parquet, "arrow": binary_tables.read_arrow}


def read_table(source: Source, format_name: str, *, literal_quotes: bool = False) -> InputTable:
    """A file as a table, in the format that was found or named; quotes in TSV may be literal."""
    if format_name in _BINARY_READERS:
        frame = _BINARY_READERS[format_name](source)
        return InputTable(
            frame, source.name, lambda row: f"{source.name}, row {row + 1}", padded=False
        )
    notes: tuple[str, ...] = ()
    if format_name == "jsonl":
        frame, locate = jsonl.read(source, format_name)
    else:
        frame, locate = delimited.read(source, format_name, literal_quotes=literal_quotes)
        if delimited.lacks_header(source, format_name):
            notes = (
                f"{source.name}: three fields a line, no header; read as query, document, grade",
            )
    return InputTable(frame, source.name, locate, notes=notes)


def as_table(frame: pl.DataFrame, name: str) -> InputTable:
    """A frame in memory as a table."""
    return InputTable(frame, name, lambda row: f"{name}, row {row}", padded=False)


def extract_qrels(table: InputTable) -> Qrels:
    """Judgments from a table; without a column of grades, all of grade 1."""
    table, grade = table.with_grades()
    parsed = parse_columns(table, grade, "grade")
    sound = _check_columns(parsed)
    if "subtopic" not in parsed.required:
        return Qrels(sound, table.name, table.locate, ids=parsed.id_kinds, notes=table.notes)
    subtopic_rows = sound.with_columns(parsed.frame["subtopic"])
    return subtopic_qrels.build_subtopic_qrels(
        subtopic_rows, table.name, table.locate, parsed.id_kinds, table.notes
    )


def extract_run(table: InputTable) -> Run:
    """A run from a table."""
    table.header.require_ids()
    column, kind = table.header.score_column()
    parsed = parse_columns(table, column, kind)
    frame = _check_columns(parsed, "score")
    if kind == "rank":
        frame = frame.with_columns(-pl.col("score"))
    return Run(frame, table.name, table.locate, ids=parsed.id_kinds)


def parse_columns(table: InputTable, number: str, role: str) -> ParsedColumns:
    """Query and document as text, and one column of numbers."""
    query, doc = table.header.require_ids()
    rank = table.header.find_column(RANK)
    subtopic = _subtopic_column(table) if role == "grade" else None
    extra = {} if subtopic is None else {"subtopic": text_column(table, subtopic)}
    frame = pl.DataFrame(
        {
            "query": text_column(table, query),
            "doc": text_column(table, doc),
            "number": number_column(table, number),
            "given": table.frame[number],
            "rank": pl.Series([None] * len(table.frame), dtype=pl.Float64)
            if rank is None
            else number_column(table, rank),
            **extra,
        }
    )
    id_types = {"query": table.frame.schema[query], "doc": table.frame.schema[doc]}
    kinds = {} if table.padded else {name: _id_kind(kind) for name, kind in id_types.items()}
    return ParsedColumns(table, frame, role, ("query", "doc", *extra), kinds)


def _check_columns(parsed: ParsedColumns, name: str | None = None) -> pl.DataFrame:
    """The three columns, or an error for the first row that is not what it should be."""
    bad = parsed.bad_rows()
    if bad:
        problem = parsed.describe_problem(bad[0]) or "not what it should be"
        raise BadInput(parsed.table.locate(bad[0]), problem)
    number = pl.col("number").alias(name or parsed.role)
    return parsed.frame.select("query", "doc", number)


def text_column(table: InputTable, column: str) -> pl.Series:
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
    raise BadInput(
        table.name, f"column {_quote_own(table, column)} holds {kind}", "texts or whole numbers"
    )


def _subtopic_column(table: InputTable) -> str | None:
    """The column of subtopics; an iteration that is not told everywhere is none."""
    column = table.header.find_column(SUBTOPIC)
    if column is None or normalise_name(column) != "iteration":
        return column
    values = table.frame[column]
    return None if values.null_count() or values.dtype.is_float() else column


def _id_kind(dtype: pl.DataType) -> str:
    return "whole numbers" if dtype.is_numeric() else "texts"


def number_column(table: InputTable, column: str) -> pl.Series:
    """Numbers; what is none is null."""
    values = table.frame[column]
    if values.dtype == pl.String:
        return values.str.strip_chars().cast(pl.Float64, strict=False)
    if values.dtype.is_numeric() or values.dtype == pl.Null:
        return values.cast(pl.Float64, strict=False)
    raise BadInput(
        table.name, f"column {_quote_own(table, column)} holds {values.dtype}", "numbers"
    )


def _quote_own(table: InputTable, column: str) -> str:
    return quote(table.header.own_name(column))
