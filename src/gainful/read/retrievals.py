"""Searches of agents and LLM applications: each a query, when it was asked, and what it returned.

Readers of traces and transcripts add one retrieval after the other; together they become
`SessionEvents`, as every log does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import sub
from typing import Any

import polars as pl
from attrs import define, field, frozen

from gainful.errors import BadInput
from gainful.read.column_names import ColumnMapping
from gainful.read.event_times import TIME, parse_times
from gainful.read.session_events import (
    ASKED,
    FIRST,
    LENGTH,
    SHOWN_TWICE,
    SessionEvents,
    make_events,
    tells,
)
from gainful.read.session_layout import Problem, flag_problem
from gainful.text import count_noun, quote

_BATCH_ROWS = 1 << 14


class RowBuffer:
    """Rows of some columns, to be added some at a time, and taken as a frame.

    Examples:
        >>> rows = RowBuffer({"doc": pl.String, "rank": pl.Int64})
        >>> rows.extend([["a"], [1]])
        >>> rows.extend([["b", "c"], [2, 3]])
        >>> rows.to_frame().rows()
        [('a', 1), ('b', 2), ('c', 3)]
    """

    def __init__(self, schema: Mapping[str, type[pl.DataType]]) -> None:
        self.schema = dict(schema)
        self._columns: list[list[Any]] = [[] for _ in self.schema]
        self._frames: list[pl.DataFrame] = []

    def extend(self, columns: Iterable[Iterable[Any]]) -> None:
        """Some more rows, as columns of the same length."""
        for column, values in zip(self._columns, columns, strict=True):
            column.extend(values)
        if len(self._columns[0]) >= _BATCH_ROWS:
            self._pack()

    def to_frame(self) -> pl.DataFrame:
        """All rows, in the order in which they came; there are none in the buffer afterwards."""
        self._pack()
        frames, self._frames = self._frames, []
        return pl.concat(frames) if frames else pl.DataFrame(schema=self.schema)

    def _pack(self) -> None:
        if self._columns[0]:
            pairs = zip(self.schema.items(), self._columns, strict=True)
            series = [pl.Series(name, values, dtype) for (name, dtype), values in pairs]
            self._frames.append(pl.DataFrame(series))
            self._columns = [[] for _ in self.schema]


FAILED = (  # singular|plural
    "search failed, and counts as a query without results"
    "|searches failed, and count as queries without results"
)
UNREADABLE = "one JSON object a line"


_COLUMNS: Mapping[str, type[pl.DataType]] = {
    "record": pl.Int64,
    "session": pl.String,
    "user": pl.String,
    "time": pl.String,  # as it is told; parsed when all are there
    "query_id": pl.String,
    "text": pl.String,
    LENGTH: pl.Int64,
    "repeats": pl.Int64,  # results that show a document again, and are left out
    "flaw": pl.Int64,  # the number of what is wrong with it
}


@frozen(eq=False)
class RetrievedLists:
    """Searches, a row for each, and the documents of all their lists together."""

    frame: pl.DataFrame
    docs: pl.Series
    grades: pl.Series | None = None  # of these, if any has one


@define(eq=False)
class Retrievals:
    """The searches of a file as they are found, and what is to be said of them."""

    name: str
    locate: Callable[[int], str]  # the place of a record
    notes: Counter[str] = field(factory=Counter)  # singular|plural of what was counted
    remarks: list[str] = field(factory=list)  # in whole sentences
    labels: tuple[str, ...] = ()  # columns beside: topic, system, …
    _rows: RowBuffer = field(init=False)
    _docs: RowBuffer = field(init=False)
    _flaws: list[tuple[str, str]] = field(factory=list)  # what would be right, and what is wrong
    _doc_count: int = 0
    _grades: dict[int, float] = field(factory=dict)  # by the number of the document

    def __attrs_post_init__(self) -> None:
        self._rows = RowBuffer({**_COLUMNS, **dict.fromkeys(self.labels, pl.String)})
        self._docs = RowBuffer({"doc": pl.String})

    def add(self, record: int, *, docs: Sequence[str] = (), **values: str | int | None) -> None:
        """One search: its documents, and its attributes by column."""
        self.extend([record], [docs], None, **{name: [value] for name, value in values.items()})

    def extend(
        self,
        records: Sequence[int],
        docs: Sequence[Sequence[str]],
        grades: Mapping[int, Mapping[int, float]] | None = None,
        **columns: Sequence[str | int | None],
    ) -> None:
        """Some searches, as columns; a document twice in a list counts where it comes first.

        Grades of documents are by search and by the place of the document in its list, from 0.
        """
        unique = [dict.fromkeys(part) for part in docs]
        lengths = list(map(len, unique))
        repeats = map(sub, map(len, docs), lengths)
        counted = {"record": records, LENGTH: lengths, "repeats": repeats, **columns}
        untold = [None] * len(records)
        self._rows.extend(counted.get(name, untold) for name in self._rows.schema)
        self._docs.extend([chain.from_iterable(unique)])
        for search, by_place in (grades or {}).items():
            first = self._doc_count + sum(lengths[:search])
            places = {doc: first + place for place, doc in enumerate(unique[search])}
            listed = dict(enumerate(docs[search]))
            for at in sorted(by_place, reverse=True):  # of a document that comes twice, the first
                if at in listed:
                    self._grades[places[listed[at]]] = by_place[at]
        self._doc_count += sum(lengths)

    def add_flaw(self, record: int, expected: str, words: str, session: str | None = None) -> None:
        """A record that is no search that can be read, though it should be."""
        self.add(record, session=session, flaw=self.name_flaw(expected, words))

    def name_flaw(self, expected: str, words: str) -> int:
        """The number by which a flaw of one search is known."""
        self._flaws.append((expected, words))
        return len(self._flaws) - 1

    def mark_flaws(
        self, frame: pl.DataFrame, expected: str, words: Mapping[int, str]
    ) -> pl.DataFrame:
        """The searches with further flaws, by the number of the row."""
        flaws = frame["flaw"].to_list()
        for row, of_row in words.items():
            flaws[row] = self.name_flaw(expected, of_row)
        return frame.with_columns(pl.Series("flaw", flaws, dtype=pl.Int64))

    def to_lists(self) -> RetrievedLists:
        """All of them, a row for each; none are left here."""
        lists = self._parse_times(self._rows.to_frame())
        first = (pl.col(LENGTH).cum_sum() - pl.col(LENGTH)).alias(FIRST)
        grades = None
        if self._grades:
            of_docs = [self._grades.get(at) for at in range(self._doc_count)]
            grades = pl.Series(of_docs, dtype=pl.Float64)
        return RetrievedLists(lists.with_columns(first), self._docs.to_frame()["doc"], grades)

    def _parse_times(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Searches with points in time; an invalid time is a flaw."""
        texts = frame["time"]
        parsed = parse_times(texts, self.name)
        wrong = texts.is_not_null() & parsed.times.is_null() & frame["flaw"].is_null()
        words = "it begins at {}, which is not a time"
        flaws = {row: words.format(quote(texts[row])) for row in wrong.arg_true()}
        frame = self.mark_flaws(frame, parsed.expected, flaws) if flaws else frame
        return frame.with_columns(parsed.times.alias("time"))

    def to_events(
        self, expected: str, columns: ColumnMapping, lists: RetrievedLists | None = None
    ) -> SessionEvents:
        """All of them as events, a row for each list."""
        lists = self.to_lists() if lists is None else lists
        frame = lists.frame
        if not len(frame):
            raise BadInput(self.name, "it has no searches", expected)
        sound = frame.filter(pl.col("flaw").is_null())
        if len(sound):
            own = {"searcher": "user", "text": "text", **{name: name for name in self.labels}}
            presence = {role: tells(sound, own[role]) for role in own if own[role] in sound.columns}
            columns.refuse_absent(presence, self.name)
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
        repeats = int(frame["repeats"].sum())
        if repeats:
            self.notes[SHOWN_TWICE] += repeats
        records = frame["record"].to_numpy()
        labels = [name for name in self.labels if name in frame.columns]
        empty = [name for name in labels if frame[name].null_count() == len(frame)]
        return make_events(
            frame.drop("record", "repeats", "flaw", *empty),
            self.name,
            lambda row: self.locate(int(records[row])),
            notes=[
                *self.remarks,
                *(count_noun(number, *words.split("|")) for words, number in self.notes.items()),
            ],
            problems=self._list_problems(frame),
            docs=lists.docs,
            grades=lists.grades,
        )

    def _list_problems(self, frame: pl.DataFrame) -> list[Problem]:
        """The rows of each kind of mistake, with their messages."""
        numbers = frame["flaw"]
        by_number = dict(enumerate(expected for expected, _ in self._flaws))
        expected = numbers.replace_strict(by_number, default=None, return_dtype=pl.String)
        return [
            flag_problem(frame, expected == each, lambda row: self._flaws[numbers[row]][1], each)
            for each in dict.fromkeys(by_number.values())
            if (expected == each).any()
        ]
