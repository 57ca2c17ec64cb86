"""Searches of agents and LLM applications: each a query, when it was asked, and what it returned.

Readers of traces and transcripts add one retrieval after the other; together they become
`SessionEvents`, as every log does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from attrs import define, field, frozen

from gainful.errors import BadInput
from gainful.read.session_events import ASKED, SHOWN, TIME, SessionEvents, make_events
from gainful.read.session_problems import Problem, flag_problem
from gainful.text import count_noun
from gainful.types import Ranks

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
# A number as a time: nanoseconds, microseconds, milliseconds or seconds since 1970, by its size.
_UNITS = ((10**17, 1e-3), (10**14, 1.0), (10**11, 1e3), (0, 1e6))


@frozen
class Flaw:
    """A kind of mistake in retrievals: what would be right there."""

    name: str
    expected: str


UNREADABLE = Flaw("unreadable", "one JSON object a line")
NO_TIME = Flaw("time", "ISO 8601, or a number of seconds or nanoseconds since 1970")


@define(eq=False)
class Retrievals:
    """The searches of a file as they are found, and what is to be said of them."""

    name: str
    locate: Callable[[int], str]  # the place of a record
    notes: Counter[str] = field(factory=Counter)  # singular|plural of what was counted
    remarks: list[str] = field(factory=list)  # in whole sentences
    labels: tuple[str, ...] = ()  # columns beside: topic, system, …
    _rows: list[tuple[Any, ...]] = field(factory=list)
    _docs: list[Sequence[str]] = field(factory=list)
    _flaws: dict[int, tuple[Flaw, str]] = field(factory=dict)

    def add(
        self,
        record: int,
        *,
        session: str | None = None,
        user: str | None = None,
        time: int | None = None,
        query_id: str = "",
        text: str | None = None,
        docs: Sequence[str] = (),
        labels: Mapping[str, str | None] | None = None,
    ) -> None:
        """One search; a document that its list shows twice counts where it comes first."""
        unique = dict.fromkeys(docs)
        if len(unique) < len(docs):
            self.notes[_REPEATS] += len(docs) - len(unique)
            docs = list(unique)
        values = (labels or {}).get
        query_id = query_id or f"\0{len(self._rows)}"
        row = (record, session, user, time, query_id, text, *map(values, self.labels))
        self._rows.append(row)
        self._docs.append(docs)

    def add_flaw(self, record: int, flaw: Flaw, words: str, session: str | None = None) -> None:
        """A record that is no search that can be read, though it should be."""
        self._flaws[len(self._rows)] = (flaw, words)
        self.add(record, session=session or "", text="")

    @property
    def is_empty(self) -> bool:
        """Is there not one search that can be read?"""
        return len(self._flaws) == len(self._rows)

    def to_events(self, expected: str) -> SessionEvents:
        """All of them as events: a row for each result, one for a search that returned nothing.

        Args:
            expected: what should have been there, if there is nothing at all.
        """
        if not self._rows:
            raise BadInput(self.name, "there is not one search in it", expected)
        schema = {
            "record": pl.Int64,
            "session": pl.String,
            "user": pl.String,
            "time": pl.Int64,
            "query_id": pl.String,
            "text": pl.String,
            **dict.fromkeys(self.labels, pl.String),
        }
        lists = pl.DataFrame(self._rows, schema=schema, orient="row")
        if lists["time"].null_count() < len(lists):  # what is wrong is told once
            flawed = pl.Series(np.isin(np.arange(len(lists)), list(self._flaws)))
            lists = lists.with_columns(time=pl.when(flawed).then(0).otherwise(pl.col("time")))
        lists = lists.with_columns(
            pl.col("time").cast(pl.Datetime("us")).dt.replace_time_zone("UTC").cast(TIME)
        )
        lengths = np.array([len(docs) or 1 for docs in self._docs])
        numbers = np.repeat(np.arange(len(lengths)), lengths)
        flat = chain.from_iterable(docs or (None,) for docs in self._docs)
        doc = pl.Series("doc", list(flat), dtype=pl.String)
        rank = np.arange(len(numbers)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        rows = lists[numbers].with_columns(
            doc,
            rank=pl.when(doc.is_not_null()).then(pl.Series(rank)),
            event=pl.when(doc.is_null()).then(pl.lit(ASKED)).otherwise(pl.lit(SHOWN)),
        )
        records = rows["record"].to_numpy()
        empty = [name for name in self.labels if rows[name].null_count() == len(rows)]
        frame = rows.drop("record", *empty)
        return make_events(
            frame,
            self.name,
            lambda row: self.locate(int(records[row])),
            notes=[*self.remarks, *_count_notes(self.notes)],
            problems=self._list_problems(frame, numbers),
        )

    def _list_problems(self, frame: pl.DataFrame, list_of_row: Ranks) -> list[Problem]:
        """The rows of each kind of mistake, as they are told."""
        words = {number: text for number, (_, text) in self._flaws.items()}
        problems = []
        for flaw in dict.fromkeys(flaw for flaw, _ in self._flaws.values()):
            numbers = [number for number, entry in self._flaws.items() if entry[0] == flaw]
            flags = pl.Series(np.isin(list_of_row, numbers))
            problem = flag_problem(
                frame, flags, lambda row: words[int(list_of_row[row])], flaw.expected
            )
            problems.append(problem)
        return problems


def _count_notes(notes: Counter[str]) -> list[str]:
    return [count_noun(number, *words.split("|")) for words, number in notes.items()]


_REPEATS = (
    "result shows a document that its list has further up, and is left out"
    "|results show a document that their list has further up, and are left out"
)


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
        if text.lstrip("-").replace(".", "", 1).isdecimal() and len(text) < 40:
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
