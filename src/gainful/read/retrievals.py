"""Searches of agents and LLM applications: each a query, when it was asked, and what it returned.

Readers of traces and transcripts add one retrieval after the other; together they become
`SessionEvents`, as every log does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from operator import sub
from typing import Any

import polars as pl
from attrs import define, field, frozen

from gainful.errors import BadInput
from gainful.read.session_events import (
    ASKED,
    FIRST,
    LENGTH,
    SHOWN_TWICE,
    TIME,
    SessionEvents,
    make_events,
)
from gainful.read.session_problems import Problem, flag_problem
from gainful.text import count_noun

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
        """No rows yet, of columns with these names and types."""
        self._schema = dict(schema)
        self._columns: list[list[Any]] = [[] for _ in self._schema]
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
        return pl.concat(frames) if frames else pl.DataFrame(schema=self._schema)

    def _pack(self) -> None:
        if self._columns[0]:
            pairs = zip(self._schema.items(), self._columns, strict=True)
            series = [pl.Series(name, values, dtype) for (name, dtype), values in pairs]
            self._frames.append(pl.DataFrame(series))
            self._columns = [[] for _ in self._schema]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"-?(?:[0-9]{1,38}\.?|[0-9]*\.[0-9]{1,38})", re.ASCII)
_MICROSECOND = timedelta(microseconds=1)
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
# A number as a time: nanoseconds, microseconds, milliseconds or seconds since 1970, by its size.
_UNITS = ((10**17, 1e-3), (10**14, 1.0), (10**11, 1e3), (0, 1e6))


@frozen
class Flaw:
    """A kind of mistake in retrievals: what would be right there."""

    name: str
    expected: str


FAILED = (  # singular|plural
    "search failed, and counts as a query without results"
    "|searches failed, and count as queries without results"
)
UNREADABLE = Flaw("unreadable", "one JSON object a line")
NO_TIME = Flaw("time", "ISO 8601, or a number of seconds or nanoseconds since 1970")


_COLUMNS: Mapping[str, type[pl.DataType]] = {
    "record": pl.Int64,
    "session": pl.String,
    "user": pl.String,
    "time": pl.Int64,  # microseconds since 1970
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
    _flaws: list[tuple[Flaw, str]] = field(factory=list)
    _doc_count: int = 0
    _grades: dict[int, float] = field(factory=dict)  # by the number of the document

    def __attrs_post_init__(self) -> None:
        """No searches yet, each of which will be a row, and its documents rows of their own."""
        self._rows = RowBuffer({**_COLUMNS, **dict.fromkeys(self.labels, pl.String)})
        self._docs = RowBuffer({"doc": pl.String})

    def add(
        self,
        record: int,
        *,
        session: str | None = None,
        user: str | None = None,
        time: int | None = None,
        query_id: str | None = None,
        text: str | None = None,
        docs: Sequence[str] = (),
        labels: Sequence[str | None] = (),
        flaw: int | None = None,
    ) -> None:
        """One search."""
        self.extend(
            [record],
            session=[session],
            user=[user],
            time=[time],
            query_id=[query_id],
            text=[text],
            docs=[docs],
            labels=[[label] for label in labels or [None] * len(self.labels)],
            flaw=[flaw],
        )

    def extend(
        self,
        records: Sequence[int],
        *,
        session: Sequence[str | None],
        user: Sequence[str | None],
        time: Sequence[int | None],
        query_id: Sequence[str | None],
        text: Sequence[str | None],
        docs: Sequence[Sequence[str]],
        flaw: Sequence[int | None],
        labels: Sequence[Sequence[str | None]] = (),
        grades: Mapping[int, Mapping[int, float]] | None = None,
    ) -> None:
        """Some searches, as columns; a document twice in a list counts where it comes first.

        Grades of documents are by search and by the place of the document in its list, from 0.
        """
        unique = [dict.fromkeys(part) for part in docs]
        lengths = list(map(len, unique))
        repeats = map(sub, map(len, docs), lengths)
        columns = (records, session, user, time, query_id, text, lengths, repeats, flaw, *labels)
        self._rows.extend(columns)
        self._docs.extend([chain.from_iterable(unique)])
        for search, by_place in (grades or {}).items():
            first = self._doc_count + sum(lengths[:search])
            places = {doc: first + place for place, doc in enumerate(unique[search])}
            listed = dict(enumerate(docs[search]))
            for at in sorted(by_place, reverse=True):  # of a document that comes twice, the first
                if at in listed:
                    self._grades[places[listed[at]]] = by_place[at]
        self._doc_count += sum(lengths)

    def add_flaw(self, record: int, flaw: Flaw, words: str, session: str | None = None) -> None:
        """A record that is no search that can be read, though it should be."""
        self.add(record, session=session, flaw=self.name_flaw(flaw, words))

    def name_flaw(self, flaw: Flaw, words: str) -> int:
        """The number by which a flaw of one search is known."""
        self._flaws.append((flaw, words))
        return len(self._flaws) - 1

    def to_lists(self) -> RetrievedLists:
        """All of them, a row for each; none are left here."""
        lists = self._rows.to_frame()
        first = (pl.col(LENGTH).cum_sum() - pl.col(LENGTH)).alias(FIRST)
        grades = None
        if self._grades:
            of_docs = [self._grades.get(at) for at in range(self._doc_count)]
            grades = pl.Series(of_docs, dtype=pl.Float64)
        return RetrievedLists(lists.with_columns(first), self._docs.to_frame()["doc"], grades)

    def to_events(self, expected: str, lists: RetrievedLists | None = None) -> SessionEvents:
        """All of them as events, a row for each list.

        Args:
            expected: what should have been there, if there is nothing at all.
            lists: what is left of them, if not all count.
        """
        lists = self.to_lists() if lists is None else lists
        frame = lists.frame
        if not len(frame):
            raise BadInput(self.name, "there is not one search in it", expected)
        flawed = pl.col("flaw").is_not_null()  # what is wrong is told once
        is_timed = (frame["time"].is_not_null() & frame["flaw"].is_null()).any()
        time = pl.when(~flawed).then("time").when(is_timed).then(0)
        unnamed = pl.format("\0{}", pl.int_range(pl.len()))
        frame = frame.with_columns(
            time.cast(pl.Datetime("us")).dt.replace_time_zone("UTC").cast(TIME).alias("time"),
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
        """The rows of each kind of mistake, as they are told."""
        numbers = frame["flaw"]
        flaws = list(dict.fromkeys(flaw for flaw, _ in self._flaws))
        kind = pl.Series([flaws.index(flaw) for flaw, _ in self._flaws], dtype=pl.Int64)
        kinds = kind.gather(numbers) if len(kind) else numbers
        return [
            flag_problem(
                frame, kinds == place, lambda row: self._flaws[numbers[row]][1], flaw.expected
            )
            for place, flaw in enumerate(flaws)
            if (kinds == place).any()
        ]


def parse_time(value: Any) -> int | None:
    """Microseconds since 1970, from ISO 8601, a number since 1970 in any unit, or a datetime.

    Examples:
        >>> parse_time("1970-01-01T00:00:01Z"), parse_time("1700000000000000000")
        (1000000, 1700000000000000)
        >>> parse_time("yesterday") is None
        True
    """
    if isinstance(value, str):
        text = value.strip()
        if text[4:5] != "-" and _NUMBER.fullmatch(text) is not None:
            return _parse_number(float(text))
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            return None
    if isinstance(value, datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return (moment - _EPOCH) // _MICROSECOND
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _parse_number(float(value))
    return None


def _parse_number(number: float) -> int | None:
    if not 0 <= number < 1e20:  # before 1970, beyond all clocks, or no number
        return None
    scale = next(scale for limit, scale in _UNITS if number >= limit)
    microseconds = int(number * scale)
    return microseconds if microseconds < (_LATEST - _EPOCH) // _MICROSECOND else None
