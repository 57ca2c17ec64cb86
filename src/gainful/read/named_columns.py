"""Tables with named columns: CSV, TSV, JSON lines, Parquet, and frames in memory."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, reduce
from typing import Any, Literal

import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, NoColumn, Swapped
from gainful.read import delimited, json_records, rag, trec_files
from gainful.read.column_names import (
    DOC,
    DOC_LISTS,
    GRADE,
    LIKELY_WORDS,
    LOG_COLUMNS,
    POSITION,
    QRELS_ROLES,
    RANK,
    RELEVANT,
    RETRIEVED,
    RUN_COLUMNS,
    SCORE,
    SESSION_ROLES,
    SUBTOPIC,
    TABLES,
    USUAL_NAMES,
    Column,
    ColumnMapping,
    find_list_kinds,
    holds_lists,
    is_wide,
    list_columns,
    may_be_grades,
    normalise_name,
    restore_name,
    strip_name,
)
from gainful.read.qrels_and_run import QRELS, RUN, Kind, Rows, Value
from gainful.read.source import Source
from gainful.text import join_words, quote, shorten

# What a table must tell, and by which roles it can.
_QUERY_AND_DOC = {"query": ("query",), "document": ("doc",)}
NEEDS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "judgments": _QUERY_AND_DOC,
    "run": {**_QUERY_AND_DOC, "score or rank": ("score", "rank")},
    "sessions": {"session": ("session",), **_QUERY_AND_DOC},
    "log": {
        "session or user": ("session", "user"),
        "query": ("query_id", "text"),
        "document": ("doc",),
    },
}
LISTS = (*DOC_LISTS, *RETRIEVED, *RELEVANT)


def _is_like(name: str, role: str) -> bool:
    """Has the name of a column a word that says what it may be? A list is no document."""
    if role == "doc" and (normalise_name(name) in LISTS or strip_name(name).endswith("ids")):
        return False
    words = re.findall(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*", name)
    return any(word.lower().startswith(LIKELY_WORDS.get(role, ())) for word in words)


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
        own, stripped = self._names
        exact = (own[name] for name in known if name in own)
        near = (stripped[strip_name(name)] for name in known if strip_name(name) in stripped)
        return next(exact, None) or next(near, None)

    @cached_property
    def _names(self) -> tuple[dict[str, str], dict[str, str]]:
        names = [*reversed(self.columns)]
        return {normalise_name(name): name for name in names}, {
            strip_name(name): name for name in names
        }

    def require_column(self, aliases: tuple[str, ...], role: str, table: str = "") -> str:
        """The column that has one of these names, or an error that says what there is.

        It names the columns that may have the roles of the table, such as "log".
        """
        column = self.find_column(aliases)
        if column is None:
            problem = f"there is no column for the {role}; known: {self.list_columns()}"
            usual = f"one of {', '.join(aliases)}"
            names = self.suggest_names(table)
            expected = f"--columns {names} if these are the columns (columns=); or {usual}"
            way = "or set it with columns= (--columns); without a header, by number"
            raise NoColumn(self.name, problem, expected if names else f"{usual}; {way}")
        return column

    def require(self, column: Column, table: str = "") -> str:
        """The column of the table that is one, or an error that says what there is."""
        name = column.noun or column.role
        return self.require_column(column.names, name, table or column.tables[0])

    def list_missing(self, table: str) -> list[str]:
        """What no column tells of that which judgments, a run, sessions or a log must tell."""
        return [
            name
            for name, roles in NEEDS[table].items()
            if not any(self.find_column(TABLES[table][role].names) for role in roles)
        ]

    def find_likely(self, table: str) -> dict[str, str]:
        """The columns of a table by role, of other names those that are like it; all, or none."""
        if table not in NEEDS:  # its columns cannot be named
            return {}
        own = {role: self.find_column(column.names) for role, column in TABLES[table].items()}
        free = [name for name in self.columns if name not in own.values()]
        found: dict[str, str] = {}
        for role, usual in own.items():
            name = usual or next((each for each in free if _is_like(each, role)), None)
            if name is not None:
                found[role] = name
                free = [each for each in free if each != name]
        is_whole = not any(map(found.keys().isdisjoint, NEEDS[table].values()))
        return found if is_whole else {}

    def suggest_names(self, table: str) -> str:
        """What to type where columns with other names are like those of a table; or nothing."""
        pairs = [
            f"{role}={self.own_name(name)}"
            for role, name in self.find_likely(table).items()
            if name in self.own_names or self.find_column(TABLES[table][role].names) != name
        ]
        return shlex.quote(",".join(pairs)) if pairs else ""

    def require_ids(self, kind: Kind[Any] = QRELS) -> tuple[str, str]:
        """The columns of queries and documents, or an error that says what there is."""
        query, doc = (self.require(RUN_COLUMNS[role], kind.name) for role in ("query", "doc"))
        return query, doc

    def grade_column(self) -> str | None:
        """The column of the grades of judgments; None where all that is judged is relevant."""
        grade = self.find_column(GRADE)
        names = {normalise_name(column): column for column in self.columns}
        grades = [names[alias] for alias in GRADE[:-1] if alias in names]
        if len(grades) > 1 and normalise_name(grades[0]) != GRADE[0]:
            problem = f"{join_words(list(map(quote, grades)), 'or')} can be the grades"
            raise BadInput(self.name, problem, f'columns={{"grade": "{grades[0]}"}} or the other')
        ranked = self.find_column(RANK) is not None
        if ranked and (grade is None or normalise_name(grade) == "score"):
            contents = "ranks" if grade is None else "scores and ranks"
            raise QRELS.describe_swap(self.name, f"it has {contents}", "columns query, doc, grade")
        return grade

    def refuse_unknown_grades(self, columns: Iterable[str]) -> None:
        """Of these columns of numbers, none that may be the grades is left out in silence."""
        names = [self.own_name(column) for column in columns if may_be_grades(column)]
        if not names:
            return
        several = "columns {} hold numbers; which one is the grade?"
        words = several if len(names) > 1 else "column {} holds numbers; is it the grade?"
        option = shlex.quote(f"grade={names[0]}")
        raise BadInput(
            self.name,
            words.format(list_columns(list(map(quote, names)))),
            f'the name grade, or columns={{"grade": "{names[0]}"}} (--columns {option}); '
            'columns={"grade": None} (--columns grade=) if each judged document counts as 1',
        )

    def list_columns(self) -> str:
        """What the user calls the columns."""
        return list_columns([self.own_name(column) for column in self.columns])

    def score_column(self) -> tuple[str, Literal["score", "rank"]]:
        """The column by which a run is ordered, and what it is."""
        score = self.find_column(SCORE)
        if score is not None:
            return score, "score"
        if self.find_column(RANK) is None and self.find_column(GRADE[:-1]) is not None:
            reason = "there are grades, but no scores"
            raise RUN.describe_swap(self.name, reason, "columns query, doc, score")
        return self.require_column((*SCORE, *RANK), "score", "run"), "rank"


@frozen(eq=False)
class InputTable:
    """A frame with what messages about it need."""

    frame: pl.DataFrame
    name: str
    locate: Callable[[int], str]
    padded: bool = True  # may texts have blanks around them, as typed ones do?
    own_names: Mapping[str, str] = {}  # what the user calls columns that are renamed
    notes: tuple[str, ...] = ()  # notes on how it was read
    problems: Mapping[int, BadInput] = {}  # why some rows are empty that could not be read
    nested: Mapping[str, int] = {}  # by column, the first row of a list or object among texts
    has_header: bool = True  # else its columns are called 1, 2, 3, …

    @property
    def header(self) -> Header:
        """The names of its columns."""
        return Header(self.frame.columns, self.name, self.own_names)

    def rename(self, columns: ColumnMapping, roles: Mapping[str, str]) -> InputTable:
        """The table with its columns called as they are looked for."""
        if not self.has_header:
            return self._name_fields(columns, roles)
        frame = _add_fields(self.frame, columns)
        renames = columns.find_renames(frame.columns, roles, self.name)
        if columns.names:
            selected = columns.select(frame.columns, roles, self.name)
            grade = [pl.lit(1.0).alias("grade")] if columns.lacks_grades(roles) else []
            frame = frame.select(*(frame[own].alias(new) for own, new in selected.items()), *grade)
        return evolve(self, frame=frame, own_names={**self.own_names, **renames})

    def _name_fields(self, columns: ColumnMapping, roles: Mapping[str, str]) -> InputTable:
        """A table without a header with its columns named: query, document, number, if not told."""
        named = {role: own for role, own in columns.names.items() if not own or own[0].isdecimal()}
        table, names = evolve(self, has_header=True), named
        if roles is not SESSION_ROLES:
            names = {"query": ("1",), "doc": ("2",), **named}
            rest = sorted({*self.frame.columns} - {own[0] for own in names.values() if own})
            if self.frame.width == 3 and len(rest) == 1 and named.keys() <= {"query", "doc"}:
                role = "grade"
                if roles is not QRELS_ROLES:
                    query, number = self.frame[names["query"][0]], number_column(self, rest[0])
                    frame = pl.DataFrame({"query": query, "number": number})
                    role = trec_files.decide_role(frame, self.name)
                names[role] = (rest[0],)
                words = f"three fields per line, no header; read as query, document, {role}"
                table = evolve(table, notes=(*self.notes, f"{self.name}: {words}"))
        columns.note_positions(roles, self.name)
        return table.rename(ColumnMapping(names, needed=[*named]), roles)

    def find_number(self, kind: Kind[Any]) -> tuple[InputTable, str, str]:
        """The table, the column of grades or scores, and what it is: grade, score or rank.

        Where there are no grades all are 1, which is noted.
        """
        header = self.header
        if kind is RUN or header.find_column(GRADE) is None:
            header.require_ids(kind)
        if kind is RUN:
            return self, *header.score_column()
        grade = header.grade_column()
        if grade is not None:
            return self, grade, "grade"
        header.refuse_unknown_grades(filter(self._holds_numbers, self.frame.columns))
        frame = self.frame.with_columns(grade=pl.lit(1.0))
        known = f"({', '.join(GRADE[:3])}, …) among {header.list_columns()}"
        note = f"{self.name}: no column of grades {known}; each judged document counts as grade 1"
        return evolve(self, frame=frame, notes=(*self.notes, note)), "grade", "grade"

    def _holds_numbers(self, column: str) -> bool:
        values = self.frame[column]
        if values.dtype == pl.String:
            values = values.str.strip_chars().replace("", None)
        elif not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
            return False
        numbers = as_grades(values) if values.dtype == pl.String else values.cast(pl.Float64)
        has_any = len(numbers.drop_nulls().drop_nans()) > 0
        return has_any and numbers.null_count() == values.null_count()


TEXT = ("text",)  # as a topic: the text of the query, whatever the reader found it in
_TEXTS = tuple(name for name in LOG_COLUMNS["text"].names if name not in POSITION[:1])
_IDS = (*POSITION, *LOG_COLUMNS["query_id"].names)


def split_topic(columns: ColumnMapping, names: Sequence[str]) -> tuple[ColumnMapping, str | None]:
    """The other roles, and the column of these that is the topic beside what else it is.

    That of queries or their texts is copied; `topic=text` is the text, whatever it is called.
    """
    header, roles = Header([*map(normalise_name, names)], ""), dict(columns.names)
    topic = roles.pop("topic", ())
    texts = (*roles.get("text", ()), *roles.get("query", ()), *_TEXTS)
    column = header.find_column(map(normalise_name, (*topic, *(texts if topic == TEXT else ()))))
    others = [normalise_name(name) for name in (*texts, *roles.get("query_id", ()), *_IDS)]
    if column is None or column not in (header.find_column([name]) for name in others):
        return columns, None
    return evolve(columns, names=roles), names[header.columns.index(column)]


_TRUTHS = {"true": 1.0, "false": 0.0}


def _add_fields(frame: pl.DataFrame, columns: ColumnMapping) -> pl.DataFrame:
    """A table with the fields of objects that a path names, as in properties.query, as columns."""
    for path in (name for names in columns.names.values() for name in names):
        first, *steps = path.split(".")
        if steps and path not in frame.columns:
            field = reduce(lambda value, step: value.struct.field(step), steps, pl.col(first))
            with suppress(pl.exceptions.PolarsError):  # there is none: who looks for it says so
                frame = frame.with_columns(field.alias(path))
    return frame


def read_table(
    source: Source,
    format_name: str,
    columns: ColumnMapping = USUAL_NAMES,
    *,
    literal_quotes: bool = False,
    every: bool = False,
) -> InputTable:
    """A file as a table, in the format that was found or named; quotes in TSV may be literal.

    The first row that cannot be read is an error, unless every other row is wanted.
    """
    if format_name in ("parquet", "arrow"):
        frame = json_records.read_binary(source, format_name)
        return InputTable(
            frame, source.name, lambda row: f"{source.name}, row {row + 1}", padded=False
        )
    if format_name == "jsonl":
        frame, nested, locate, problems = json_records.read_frame(source)
        for problem in () if every else problems.values():
            raise problem
        return InputTable(frame, source.name, locate, problems=problems, nested=nested)
    header = not delimited.lacks_header(source, format_name, columns)
    frame, locate = delimited.read(
        source, format_name, header=header, literal_quotes=literal_quotes
    )
    return InputTable(frame, source.name, locate, has_header=header)


def as_table(frame: pl.DataFrame, name: str, nested: Mapping[str, int] = {}) -> InputTable:
    """A frame in memory as a table."""
    return InputTable(frame, name, lambda row: f"{name}, row {row}", padded=False, nested=nested)


def read_rows(
    source: Source, kind: Kind[Value], columns: ColumnMapping, format_name: str
) -> Rows[Value]:
    """The rows of a file with columns such as query, doc, and grade or score (or rank)."""
    table = read_table(source, format_name, columns, every=True)
    try:
        return extract(table, kind, columns)
    except BadInput as failure:
        mistakes = [*table.problems.values()]
        if not mistakes:
            raise
        mistakes += [failure] * (table.frame.height > len(mistakes))
        return Rows(kind, table.name, pl.DataFrame(), table.locate, mistakes)


def extract(
    table: InputTable, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES
) -> Rows[Value]:
    """The rows of a table whose columns may have other names than the usual ones, and lists."""
    roles, paths = kind.roles, ColumnMapping(fit=columns.fit)
    own = columns.names.get("doc", ())
    nested = any(map(holds_lists, table.frame.dtypes))
    if nested and all(dtype == pl.Struct for dtype in table.frame.dtypes if holds_lists(dtype)):
        table = evolve(table, frame=_add_fields(table.frame, columns))  # else paths are in lists
    if nested and any("." in path for path in own) and {*own}.isdisjoint(table.frame.columns):
        roles = {role: name for role, name in roles.items() if role != "doc"}
        paths = evolve(paths, names={"doc": own})
    table = table.rename(columns, roles)
    if is_wide(table.frame.schema):
        refuse_event_lists(table.header, kind)
        are_lists = {name: holds_lists(dtype) for name, dtype in table.frame.schema.items()}
        rivals = rag.choose_named(columns, kind, are_lists, table.name)
        unnamed = [name for name in are_lists if normalise_name(name) in rivals]
        table = evolve(table, frame=table.frame.drop(unnamed))
        is_usual = not paths.names and not table.problems
        rows = rag.explode_lists(table.frame, table.name, kind) if is_usual else None
        if rows is not None:
            return rows
        names = [*map(normalise_name, table.frame.columns)]
        records = (
            (table.locate(at), table.problems.get(at) or dict(zip(names, row, strict=True)))
            for at, row in enumerate(table.frame.iter_rows())
        )
        return rag.read_records(table.name, records, kind, paths)
    if table.header.find_column(DOC) is None:
        _refuse_flat_lists(table, kind)
        lists: dict[str, Any] = {
            name: next(iter(table.frame[name].drop_nulls().head(1)), [])
            for name, dtype in table.frame.schema.items()
            if dtype.base_type() == pl.List
        }
        rag.refuse_unknown_lists(table.name, lists, columns, kind)
    return extract_rows(table, kind)


def refuse_event_lists(header: Header, kind: Kind[Any]) -> None:
    """Refuse a log of which each event has a list of documents."""
    event = header.find_column(LOG_COLUMNS["event"].names[:-1])
    if event is not None and not find_list_kinds(header.columns, USUAL_NAMES):
        problem = f"these are events with lists (column {quote(event)}), not {kind.name}"
        raise Swapped(header.name, problem, "gainful sessions, with a row for each result")


def _refuse_flat_lists(table: InputTable, kind: Kind[Any]) -> None:
    """Say what a column holds whose name is one of lists, unless another may have the documents."""
    columns = {} if table.header.find_likely("judgments") else table.frame.schema
    for name, dtype in columns.items():
        if normalise_name(name) in (*kind.lists, *DOC_LISTS) and dtype != pl.Null:
            own, what = quote(table.header.own_name(name)), "texts" if dtype == pl.String else dtype
            shown = next(iter(table.frame[name].drop_nulls().head(1)), None)
            problem = f"column {own} holds {what} such as {quote(shown)}, and no lists of documents"
            raise NoColumn(table.name, problem, 'lists, ["a", "b"]; or a row for each document')


def extract_rows(table: InputTable, kind: Kind[Value]) -> Rows[Value]:
    """The rows of a table with a document each, as judgments or as a run.

    Judgments without a column of grades are all of grade 1.
    """
    table, number, role = table.find_number(kind)
    query, doc = table.header.require_ids(kind)
    rank = table.header.find_column(RANK) if kind is RUN else None
    subtopic = table.header.find_column(SUBTOPIC) if kind is QRELS else None
    if subtopic is not None and normalise_name(subtopic) == "iteration":
        iteration = table.frame[subtopic]
        is_odd = iteration.null_count() > len(table.problems) or iteration.dtype.is_float()
        subtopic = None if is_odd else subtopic
    columns = {
        "query": text_column(table, query),
        "doc": text_column(table, doc),
        **({} if subtopic is None else {"subtopic": text_column(table, subtopic)}),
    }
    needed = [*columns]
    columns[kind.number] = number_column(table, number, kind)
    if rank is not None:
        columns["rank"] = number_column(table, rank)
    frame, given = pl.DataFrame(columns), table.frame[number]
    missing = [pl.col(name).is_null() | (pl.col(name) == "") for name in needed]
    value = pl.col(kind.number)
    flags = pl.any_horizontal(*missing, value.is_null(), ~value.is_finite())
    bad = frame.select(flags.fill_null(value=True).alias("")).to_series()

    def describe(row: int) -> BadInput:
        if row in table.problems:
            return table.problems[row]
        empty = [name for name in needed if not frame[name][row]]
        if given[row] is None:
            empty.append(role)
        words = f"there is no {empty[0]}" if empty else ""
        words = words or f"{role} {quote(given[row])} is not a finite number"
        has_comma = re.fullmatch(r"\s*[+-]?\d+,\d+\s*", str(given[row])) is not None
        if has_comma:
            words += f" (a decimal comma? write {str(given[row]).strip().replace(',', '.')})"
        expected = f"query, doc, {kind.number}, a number such as 2 or 0.5"
        return BadInput(table.locate(row), words, expected)

    mistakes = bad.arg_true().to_list()
    sound, kept = (frame.filter(~bad), (~bad).arg_true()) if mistakes else (frame, None)
    ids = {
        role: "whole numbers" if table.frame.schema[column].is_numeric() else "texts"
        for role, column in (("query", query), ("doc", doc))
    }
    fields: dict[str, Any] = {} if table.padded else {"ids": ids}
    if kind is QRELS and normalise_name(table.header.own_name(query)) in LOG_COLUMNS["user"].names:
        fields["unit"] = "user"
    return Rows(
        kind,
        table.name,
        sound.with_columns(-value) if role == "rank" else sound,
        lambda row: table.locate(row if kept is None else int(kept[row])),
        mistakes,
        describe,
        notes=table.notes,
        fields=fields,
    )


def text_column(table: InputTable, column: str) -> pl.Series:
    """Ids as text: texts and whole numbers are; what else a column can hold is refused."""
    values = table.frame[column]
    kind = values.dtype
    row = table.nested.get(table.header.own_name(column))
    if row is not None:
        shown = f"{table.header.own_name(column)} {shorten(values[row])}"
        problem = f"{shown} is neither a text nor a number"
        raise BadInput(table.locate(row), problem, "texts or whole numbers")
    if kind == pl.String:
        return values.str.strip_chars() if table.padded else values
    if kind.is_float() and bool((values.drop_nulls() == values.drop_nulls().floor()).all()):
        values = values.cast(pl.Int64, strict=False)
        kind = values.dtype
    if kind.is_integer() or kind in (pl.Categorical, pl.Enum, pl.Null):
        return values.cast(pl.String)
    raise _describe_kind(table, column, "texts or whole numbers")


def number_column(table: InputTable, column: str, kind: Kind[Any] = RUN) -> pl.Series:
    """Numbers; what is none is null. A grade may be true or false."""
    values = table.frame[column]
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        values = values.cast(pl.String).str.strip_chars()
        return as_grades(values) if kind is QRELS else values.cast(pl.Float64, strict=False)
    is_truth = kind is QRELS and values.dtype == pl.Boolean
    if is_truth or values.dtype.is_numeric() or values.dtype == pl.Null:
        return values.cast(pl.Float64, strict=False)
    raise _describe_kind(table, column, "numbers")


def as_grades(texts: pl.Series) -> pl.Series:
    """Numbers, of which true is 1 and false 0; what is none is null."""
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() == texts.null_count():
        return numbers
    truths = texts.str.to_lowercase().replace_strict(_TRUTHS, default=None)
    return numbers.fill_null(truths.cast(pl.Float64))


def _describe_kind(table: InputTable, column: str, expected: str) -> BadInput:
    dtype = table.frame[column].dtype
    is_object = dtype in (pl.Struct, pl.Object)
    kind = "objects" if is_object else "lists" if dtype.is_nested() else str(dtype)
    name = table.header.own_name(column)
    if isinstance(dtype, pl.Struct) and dtype.fields:
        expected += f"; or a field of it, such as {name}.{dtype.fields[0].name} (--columns)"
    return BadInput(table.name, f"column {quote(name)} holds {kind}", expected)


def build_part(
    rows: pl.DataFrame,
    kind: Kind[Value],
    name: str,
    own_names: Mapping[str, str] = {},
    first_row: int | None = None,
) -> Value:
    """A run or judgments of some rows of an engine, as they are read in memory.

    Messages number rows from the first, or where they have no order name query and document.
    """

    def locate(row: int) -> str:
        if first_row is not None:
            return f"{name}, row {first_row + row}"
        ids = (frame[column][row] for column in Header(frame.columns, name).require_ids())
        query, doc = ("null" if value is None else quote(value) for value in ids)
        return f"{name}, query {query}, document {doc}"

    if rows.is_empty():
        schema = {"query": pl.String, "doc": pl.String, kind.number: pl.Float64}
        return kind.build(pl.DataFrame(schema=schema), name, part=True)
    frame = rows.rename(restore_name)
    table = InputTable(frame, name, locate, padded=False, own_names=own_names)
    return extract_rows(table, kind).build()  # without a cycle, which would keep all rows a while
