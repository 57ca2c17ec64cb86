"""What has to be known of a whole log before any row of it can be read: found part by part.

Facts of parts add up to those of the whole, so that a log in an engine is read as one in memory is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl
from attrs import define, field

from gainful.read.column_names import LOG_COLUMNS, POSITION
from gainful.read.event_times import count_epochs
from gainful.read.event_words import MAX_KINDS
from gainful.read.named_columns import Header
from gainful.read.sessions import is_blank

_WHOLE = r"^\s*[0-9]+(?:\.[0-9]*)?\s*$"
_MAX_SPELLINGS = 10 * MAX_KINDS  # more words are no events, and are not all remembered


@define(eq=False)
class LogFacts:
    """Counts and words of the columns of a log."""

    rows: int = 0
    given: Counter[str] = field(factory=Counter)  # by column: values that are there
    whole: Counter[str] = field(factory=Counter)  # by column of texts: whole numbers
    epochs: Counter[int] = field(factory=Counter)  # of times: numbers of each size
    words: dict[str, dict[str, None]] = field(factory=dict)  # by column that may say what happened
    ranked_words: dict[str, dict[str, None]] = field(factory=dict)  # those of rows with a rank
    lowest_rank: float = 1.0

    def add(self, other: LogFacts) -> None:
        """Take the facts of another part."""
        self.rows += other.rows
        self.given.update(other.given)
        self.whole.update(other.whole)
        self.epochs.update(other.epochs)
        for mine, theirs in ((self.words, other.words), (self.ranked_words, other.ranked_words)):
            for column, words in theirs.items():
                mine.setdefault(column, {}).update(words)
        self.lowest_rank = min(self.lowest_rank, other.lowest_rank)

    def holds_texts(self, column: str) -> bool:
        """Are most values of a column texts that are no whole numbers?"""
        return column in self.whole and self.whole[column] * 2 < self.given[column]


def find_facts(frame: pl.DataFrame, header: Header) -> LogFacts:
    """The facts of a log, or of a part of one."""
    facts = LogFacts(len(frame))
    facts.given.update({values.name: _count_given(values) for values in frame})
    texts = {name for name, kind in frame.schema.items() if kind == pl.String}
    for column in _list_columns(header, POSITION):
        if column in texts:
            facts.whole[column] = int(frame[column].str.contains(_WHOLE).sum())
    time = header.find_column(LOG_COLUMNS["time"].names)
    if time is not None:
        facts.epochs.update(count_epochs(frame[time]))
    rank = header.find_column(LOG_COLUMNS["rank"].names)
    is_ranked = None if rank is None else ~is_blank(frame[rank])
    if rank is not None:
        numbers = frame[rank].cast(pl.Float64, strict=False).drop_nulls().to_numpy()
        facts.lowest_rank = float(numbers.min(initial=1.0))
    for column in _list_columns(header, LOG_COLUMNS["event"].names):
        if column in texts:
            facts.words[column] = _list_words(frame[column])
            if is_ranked is not None:
                facts.ranked_words[column] = _list_words(frame[column].filter(is_ranked))
    return facts


def _count_given(values: pl.Series) -> int:
    empty = int((values == "").sum()) if values.dtype == pl.String else 0
    return values.count() - empty


def plain_words(values: pl.Series) -> pl.Series:
    """Words of a column as they are looked for; null where there is none."""
    plain = values.cast(pl.String).str.strip_chars().str.to_lowercase().str.replace_all("[- ]", "_")
    return plain.set(plain == "", None)


def _list_words(values: pl.Series) -> dict[str, None]:
    written = values.unique(maintain_order=True).head(_MAX_SPELLINGS)
    return dict.fromkeys(plain_words(written).drop_nulls())


def _list_columns(header: Header, aliases: Sequence[str]) -> list[str]:
    columns = (header.find_column((alias,)) for alias in aliases)
    return [*dict.fromkeys(column for column in columns if column is not None)]


def find_known(facts: LogFacts, taken: Mapping[str, str], shown_words: set[str]) -> dict[str, bool]:
    """Which roles tell anything; a rank does in rows that show results."""
    known = {role: facts.given[column] > 0 for role, column in taken.items()}
    event = taken.get("event")
    if event is not None and event in facts.ranked_words:
        known["rank"] = not shown_words.isdisjoint(facts.ranked_words[event])
    return known
