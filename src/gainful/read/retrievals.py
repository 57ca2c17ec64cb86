"""Searches of agents and LLM applications: each a query, when it was asked, and what it returned.

Readers of traces and transcripts add one retrieval after the other; together they become
`SessionEvents`, as every log does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from attrs import define, field

from gainful.errors import BadInput
from gainful.read.column_names import ColumnMapping
from gainful.read.event_times import TIME, parse_times
from gainful.read.json_records import RecordFile
from gainful.read.json_text import Unreadable
from gainful.read.session_events import (
    ASKED,
    FIRST,
    LENGTH,
    SessionEvents,
    make_events,
    tells,
)
from gainful.read.session_layout import SHOWN_TWICE, Problem, flag_problem
from gainful.text import count_noun, quote

_BATCH_VALUES = 1 << 17


class RowBuffer:
    """Rows of some columns, to be added some at a time, and taken as a frame.

    Examples:
        >>> rows = RowBuffer({"doc": pl.String, "rank": pl.Int64})
        >>> rows.extend(("a", 1))
        >>> rows.extend(("b", 2, "c", 3))
        >>> rows.to_frame().rows()
        [('a', 1), ('b', 2), ('c', 3)]
    """

    def __init__(self, schema: Mapping[str, type[pl.DataType]]) -> None:
        self.schema = dict(schema)
        self._values: list[Any] = []  # row by row, as a tuple for each costs more
        self._frames = [pl.DataFrame(schema=self.schema)]

    def extend(self, values: Iterable[Any]) -> None:
        """One more row, or some, one after the other."""
        self._values.extend(values)
        if len(self._values) >= _BATCH_VALUES:
            self._pack()

    def to_frame(self) -> pl.DataFrame:
        """All rows, in the order in which they came."""
        self._pack()
        self._frames = [pl.concat(self._frames)]
        return self._frames[0]

    def _pack(self) -> None:
        width, values = len(self.schema), self._values
        columns = {name: values[at::width] for at, name in enumerate(self.schema)}
        self._frames.append(pl.DataFrame(columns, schema=self.schema))
        self._values = []


FAILED = (  # singular|plural
    "search failed, and counts as a query without results"
    "|searches failed, and count as queries without results"
)
_COUNTS: Mapping[str, type[pl.DataType]] = {
    "record": pl.Int64,
    "flaw": pl.Int64,  # the number of what is wrong with it
    FIRST: pl.Int64,
    LENGTH: pl.Int64,
    "repeats": pl.Int64,  # results that show a document again, and are left out
}
_TEXTS = ("session", "user", "time", "query_id", "text")  # a time as it is told, parsed at the end
_LABELS = {"topic": "topic", "system": "system", "scenario": "scenario", "searcher": "user"}


@define(eq=False)
class Retrievals:
    """The searches of a file as they are found, and what is to be said of them."""

    file: RecordFile
    columns: ColumnMapping
    more: tuple[str, ...] = ()  # columns of the reader's own
    notes: Counter[str] = field(factory=Counter)  # singular|plural of what was counted
    remarks: list[str] = field(factory=list)  # in whole sentences
    _texts: tuple[str, ...] = field(init=False)
    _rows: RowBuffer = field(init=False)
    _docs: RowBuffer = field(init=False)  # of all lists, one after the other
    _flaws: list[Unreadable] = field(factory=list)
    _doc_count: int = 0
    _grades: dict[int, float] = field(factory=dict)  # by the number of the document

    def __attrs_post_init__(self) -> None:
        self._texts = tuple(dict.fromkeys((*_TEXTS, *self.label_paths, *self.more)))
        self._rows = RowBuffer({**_COUNTS, **dict.fromkeys(self._texts, pl.String)})
        self._docs = RowBuffer({"doc": pl.String})

    @property
    def label_paths(self) -> dict[str, tuple[str, ...]]:
        """By column beside the text, such as topic: where the user says that it stands."""
        names = self.columns.names
        return {column: names[role] for role, column in _LABELS.items() if role in names}

    @property
    def docs(self) -> pl.Series:
        """The documents of all lists, one list after the other."""
        return self._docs.to_frame()["doc"]

    def read_records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records of the file; those that cannot be read are flaws."""
        for number, record in self.file.records:
            if isinstance(record, Unreadable):
                self.add(number, record, {})
            else:
                yield number, record

    def add(
        self,
        record: int,
        docs: Sequence[str] | Unreadable,
        values: Mapping[str, str | None],
        grades: Mapping[int, float] | None = None,
    ) -> None:
        """One search: its documents, or what is wrong with it, and its attributes by column.

        Of a document that is twice in the list, the first counts. Grades are by the place of the
        document in the list, from 0.
        """
        flaw = None
        if isinstance(docs, Unreadable):
            flaw, docs = self._name_flaw(docs), ()
        unique, first = dict.fromkeys(docs), self._doc_count
        counts = (first, len(unique), len(docs) - len(unique))
        self._rows.extend((record, flaw, *counts, *map(values.get, self._texts)))
        self._docs.extend(unique)
        if grades:
            places = {doc: first + place for place, doc in enumerate(unique)}
            listed = (at for at in sorted(grades, reverse=True) if at < len(docs))
            self._grades.update((places[docs[at]], grades[at]) for at in listed)
        self._doc_count += len(unique)

    def _name_flaw(self, flaw: Unreadable) -> int:
        self._flaws.append(flaw)
        return len(self._flaws) - 1

    def mark_flaws(self, frame: pl.DataFrame, wrong: Mapping[int, Unreadable]) -> pl.DataFrame:
        """The searches with further flaws, by the number of the row."""
        flaws = frame["flaw"].to_list()
        for row, flaw in wrong.items():
            flaws[row] = self._name_flaw(flaw)
        return frame.with_columns(pl.Series("flaw", flaws, dtype=pl.Int64))

    def to_frame(self) -> pl.DataFrame:
        """A row for each search, with a point in time; an invalid time is a flaw."""
        frame = self._rows.to_frame()
        texts = frame["time"]
        parsed = parse_times(texts, self.file.name)
        wrong = texts.is_not_null() & parsed.times.is_null() & frame["flaw"].is_null()
        words = "it begins at {}, which is not a time"
        flaws = {
            row: Unreadable(words.format(quote(texts[row])), parsed.expected)
            for row in wrong.arg_true()
        }
        frame = self.mark_flaws(frame, flaws) if flaws else frame
        return frame.with_columns(parsed.times.alias("time"))

    def to_events(self, expected: str, frame: pl.DataFrame) -> SessionEvents:
        """All of them as events, a row for each list."""
        if not len(frame):
            raise BadInput(self.file.name, "it has no searches", expected)
        sound = frame.filter(pl.col("flaw").is_null())
        if len(sound):
            own = {role: _LABELS.get(role, role) for role in self.columns.names}
            presence = {role: tells(sound, own[role]) for role in own if own[role] in sound.columns}
            self.columns.refuse_absent(presence, self.file.name)
        flawed = pl.col("flaw").is_not_null()  # what is wrong is told once
        is_timed = (frame["time"].is_not_null() & frame["flaw"].is_null()).any()
        time = pl.when(~flawed).then("time").when(is_timed).then(pl.lit(0).cast(TIME))
        unnamed = pl.format("\0{}", pl.int_range(pl.len()))
        frame = frame.with_columns(
            time.alias("time"),
            pl.when(~flawed).then("query_id").fill_null(unnamed).alias("query_id"),
            pl.when(~flawed).then("text").otherwise(pl.lit("")).alias("text"),
            pl.when(flawed).then(pl.col("session").fill_null("")).otherwise("session"),
            pl.when(~flawed).then("user").alias("user"),
            pl.lit(ASKED).alias("event"),
        )
        self.notes[SHOWN_TWICE] += int(frame["repeats"].sum())
        records = frame["record"].to_numpy()
        grades = [*map(self._grades.get, range(self._doc_count))] if self._grades else None
        return make_events(
            frame.drop("record", "repeats", "flaw"),
            self.file.name,
            lambda row: self.file.locate(int(records[row])),
            notes=[
                *self.remarks,
                *(count_noun(n, *words.split("|")) for words, n in self.notes.items() if n),
            ],
            problems=self._list_problems(frame),
            docs=self.docs,
            grades=None if grades is None else pl.Series(grades, dtype=pl.Float64),
        )

    def _list_problems(self, frame: pl.DataFrame) -> list[Problem]:
        """The rows of each kind of mistake, with their messages."""
        numbers = frame["flaw"]
        by_number = {number: flaw.expected for number, flaw in enumerate(self._flaws)}
        expected = numbers.replace_strict(by_number, default=None, return_dtype=pl.String)
        return [
            flag_problem(
                frame, expected == each, lambda row: self._flaws[numbers[row]].problem, each
            )
            for each in dict.fromkeys(by_number.values())
            if (expected == each).any()
        ]
