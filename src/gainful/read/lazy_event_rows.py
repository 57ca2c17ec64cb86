"""Rows of events on their way to sessions, step by step, as expressions of the engine they are in.

Engines sort a long log slowly, and group it quickly. So what is the same for all rows of a time, or
of a query, is found of these, and joined to the rows.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import narwhals.stable.v2 as nw
from attrs import evolve, field, frozen

from gainful.errors import BadInput
from gainful.read.lazy_event_problems import leave_out
from gainful.read.lazy_events import OPENS, ROW, LazyEvents, LazyMistake
from gainful.read.session_events import SHOWN
from gainful.read.sessions import BadPolicy
from gainful.text import count_noun

_SAME = ("time", "event", "query_id", "position", "text", "rank", "doc")
NEW_SESSION, _BLOCK, _AGAIN = "gainful_session", "gainful_block", "gainful_again"
_COUNT, _TIED, _UNUSUAL = "gainful_count", "gainful_tied", "gainful_unusual"
_RESULTS, _ASKED, _RANK = "gainful_results", "gainful_asked", "gainful_rank"
_PLACE, _LAST = "gainful_place", "gainful_last_text"


@frozen(eq=False)
class EventRows:
    """The rows of events on their way to sessions."""

    events: LazyEvents
    rows: nw.LazyFrame[Any]
    count: int
    owner: str  # the column that says whose they are, session or user
    pauses: nw.LazyFrame[Any] | None = None  # owner, time, session; None if rows have sessions
    lists_at_one_time: bool = field(default=False)  # is every list of one time, from rank 1 on?

    @property
    def order(self) -> list[str]:
        """The columns that order rows of a session that show results."""
        time = ["time"] if self.events.has("time") else []
        return [*time, ROW] if self.events.table.engine.ordered else [*time, "rank"]

    @property
    def identity(self) -> list[str]:
        """The columns in which events are the same that were logged twice."""
        known = [name for name in _SAME if name in ("event", "doc") or self.events.has(name)]
        return [self.owner, *known]

    def drop_repeats(self) -> tuple[EventRows, list[str]]:
        """Without events that were logged twice, to the same time; and how many these are."""
        if not self.events.has("time"):
            return self, []
        same = self.identity
        counted = self.rows.group_by(*same).agg(nw.len().alias(_COUNT))
        table = evolve(self.events.table, frame=counted)
        repeats = table.count(repeats=(nw.col(_COUNT) - 1).sum())["repeats"]
        if not repeats:
            return self, []
        columns = self.rows.collect_schema().names()
        others = [name for name in ("seconds", "clicked", "doc") if name in columns]
        order = [ROW] if ROW in columns else others
        rows = self.rows.unique(same, keep="first", order_by=order)
        note = f"{count_noun(repeats, 'event')} logged twice to the same time counted once"
        return evolve(self, rows=rows, count=self.count - repeats), [note]

    def split_at_gaps(self, gap: timedelta) -> EventRows:
        """A session for each stretch of a user's events without a long pause: ann#1, ann#2."""
        owner = self.owner
        longest = gap // timedelta(microseconds=1)
        times = self.rows.group_by(owner, "time").agg(nw.len().alias(_COUNT))
        pause = nw.col("time") - nw.col("time").shift(1).over(owner, order_by="time")
        begins = (pause > longest).fill_null(value=False).cast(nw.Int64)
        number = nw.col(_COUNT).cum_sum().over(owner, order_by="time").cast(nw.Int64) + 1
        texts = (nw.col(owner), nw.lit("#"), nw.col(_COUNT).cast(nw.String))
        named = (
            times.with_columns(begins.alias(_COUNT))
            .with_columns(number.alias(_COUNT))
            .select(owner, "time", nw.concat_str(*texts).alias(NEW_SESSION))
        )
        split = evolve(self, pauses=named)
        return split if owner == "user" else split.settle_sessions()

    def add_sessions(self, rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Rows of a time with the sessions that pauses make, if they do."""
        if self.pauses is None:
            return rows
        joined = rows.join(self.pauses, on=[self.owner, "time"], how="inner")
        return joined.with_columns(nw.col(NEW_SESSION).alias("session")).drop(NEW_SESSION)

    def settle_sessions(self) -> EventRows:
        """All rows with their sessions, for those who ask for them everywhere."""
        return evolve(self, rows=self.add_sessions(self.rows), pauses=None, owner="session")

    def look_at_lists(self, bad: BadPolicy) -> tuple[EventRows, list[str]]:
        """Without sessions of which queries begin at one time, where rows have no order.

        Where queries have no ids, it is found how lists stand in the log.
        """
        events = self.events
        ordered = events.table.engine.ordered
        if events.has("position") or not (events.has("time") and events.has("rank")):
            return self.settle_sessions(), []
        if events.has("query_id"):
            in_sessions = self.settle_sessions()
            return (in_sessions, []) if ordered else in_sessions.leave_out_ties(bad)
        unusual = nw.col(_UNUSUAL).cast(nw.Int64).sum()
        counts = evolve(events.table, frame=self._describe_times()).count(unusual=unusual)
        if not counts["unusual"]:
            return evolve(self, lists_at_one_time=True), []
        in_sessions = self.settle_sessions()
        return (in_sessions, []) if ordered else in_sessions.leave_out_ties(bad)

    def _describe_times(self) -> nw.LazyFrame[Any]:
        """A row for each time of a session at which lists were shown, or queries asked.

        Usually that is one list, of ranks 1, 2, 3 …, whose rows stand together.
        """
        rank = nw.when(nw.col("event") == SHOWN).then(nw.col("rank"))
        place = nw.col(ROW) - rank if self.events.table.engine.ordered else nw.lit(0)
        times = (
            self.rows.filter(nw.col(OPENS))
            .with_columns(rank.alias(_RANK), place.alias(_PLACE))
            .group_by(self.owner, "time")
            .agg(
                nw.col("text").min(),
                nw.col("text").max().alias(_LAST),
                nw.len().alias(_COUNT),
                (nw.col("event") != SHOWN).cast(nw.Int64).sum().alias(_ASKED),
                nw.col(_RANK).count().alias(_RESULTS),
                nw.col(_RANK).max().alias("highest"),
                nw.col(_RANK).sum().alias("total"),
                (nw.col(_RANK) * nw.col(_RANK)).sum().alias("squares"),
                (nw.col(_PLACE).max() - nw.col(_PLACE).min()).alias(_PLACE),
            )
        )
        length = nw.col(_RESULTS)
        one_list = (
            (nw.col("highest") == length)
            & (nw.col("total") * 2 == length * (length + 1))
            & (nw.col("squares") * 6 == length * (length + 1) * (length * 2 + 1))
            & (nw.col(_PLACE) == 0)
        )
        usual = (
            (nw.col("text") == nw.col(_LAST))
            & (nw.col(_COUNT) == length + nw.col(_ASKED))
            & ((length == 0) | one_list)
        )
        return times.with_columns((~usual.fill_null(value=False)).alias(_UNUSUAL))

    def _find_ties(self) -> nw.LazyFrame[Any]:
        """The times at which two queries of a session began, or showed one rank twice."""
        opening = self.rows.filter(nw.col(OPENS))
        if self.events.has("query_id"):
            firsts = opening.group_by("session", "query_id").agg(nw.col("time").min())
            counted = firsts.group_by("session", "time").agg(nw.len().alias(_COUNT))
            return counted.filter(nw.col(_COUNT) > 1).select("session")
        ranks = opening.filter(nw.col("event") == SHOWN, ~nw.col("rank").is_null())
        counted = ranks.group_by("session", "time", "rank").agg(nw.len().alias(_COUNT))
        texts = self._describe_times().filter(nw.col("text") != nw.col(_LAST))
        return nw.concat(
            [counted.filter(nw.col(_COUNT) > 1).select("session"), texts.select("session")]
        )

    def leave_out_ties(self, bad: BadPolicy) -> tuple[EventRows, list[str]]:
        """Without sessions of which nothing tells the order of lists; and how many events."""
        table = self.events.table
        tied = self._find_ties().group_by("session").agg(nw.len().alias(_TIED))
        if not len(table.collect(tied.head(1))):
            return self, []
        mistake = LazyMistake(
            ~nw.col(_TIED).is_null(),
            lambda _: (
                f"lists of it were shown at one time, and rows in {table.engine.name} have no order"
            ),
            "times that differ, or a column of the query's position (query)",
        )
        rows = self.rows.join(tied, on="session", how="left")
        sound = leave_out(rows, table, [mistake], bad, self.count)
        if not sound.count:
            problem = f"not one event is left; {sound.notes[0]}"
            raise BadInput(table.name, problem, mistake.expected)
        return evolve(self, rows=sound.rows, count=sound.count), list(sound.notes)

    def number_queries(self) -> nw.LazyFrame[Any]:
        """The rows that show results or ask a query, with the number of it in the session.

        A position that is given counts. Else queries are in the order in which they began: those of
        one id, or those of one text until another comes or the list begins anew.
        """
        opening = self.rows.filter(nw.col(OPENS))
        if self.events.has("position"):
            numbered = opening.with_columns(nw.col("position").alias("query"))
        elif self.events.has("query_id"):
            numbered = opening.join(
                self._number_ids(opening), on=["session", "query_id"], how="inner"
            )
        elif self.lists_at_one_time:
            if self.pauses is not None:
                opening = opening.drop("session", strict=False)
            numbered = opening.join(self._number_times(), on=[self.owner, "time"], how="inner")
        else:
            numbered = self._number_rows(opening)
        if self.events.has("rank"):
            return numbered
        place = nw.col("doc").cum_count().over("session", "query", order_by=self.order)
        again = nw.col("doc").cum_count().over("session", "query", "doc", order_by=self.order)
        is_new = ~nw.col("doc").is_null() & (again == 1)  # one that stands twice has no rank
        return numbered.with_columns(nw.when(is_new).then(place).cast(nw.Int64).alias("rank"))

    def _number_ids(self, opening: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """The number of each query of a session, by its id."""
        query, last = ["session", "query_id"], self.order[-1]
        if not self.events.has("time"):
            firsts = opening.group_by(*query).agg(nw.col(last).min())
        else:
            times = opening.group_by(*query, "time").agg(nw.col(last).min())
            earliest = nw.col("time").min().over(*query)
            firsts = times.with_columns(earliest.alias(_AGAIN)).filter(
                nw.col("time") == nw.col(_AGAIN)
            )
        number = nw.col("query_id").cum_count().over("session", order_by=self.order)
        return firsts.with_columns(number.cast(nw.Int64).alias("query")).select(*query, "query")

    def _number_times(self) -> nw.LazyFrame[Any]:
        """The number of the query that was shown or asked at each time of a session."""
        times = self.add_sessions(self._describe_times())
        for name in (_RESULTS, _ASKED):
            times = times.with_columns((nw.col(name) > 0).cast(nw.Int64).alias(name))
        times = _number_blocks(times, ["time"])
        block = ("session", _BLOCK)
        counts = [
            nw.when(nw.col(name) > 0).then(nw.col(name).cum_sum().over(*block, order_by="time"))
            for name in (_RESULTS, _ASKED)
        ]
        again = nw.max_horizontal(*(count.cast(nw.Int64) for count in counts))
        numbered = _number_lists(times.with_columns(again.alias(_AGAIN)), ["time"])
        return numbered.select(*dict.fromkeys((self.owner, "time", "session", "query")))

    def _number_rows(self, opening: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Rows with the number of their query, where lists are shown bit by bit."""
        place = "rank" if self.events.has("rank") else "doc"
        key = ("session", _BLOCK, "event", place)
        again = nw.col("event").cum_count().over(*key, order_by=self.order).cast(nw.Int64)
        rows = _number_blocks(opening, self.order).with_columns(again.alias(_AGAIN))
        return _number_lists(rows, self.order)


def _number_blocks(rows: nw.LazyFrame[Any], order: list[str]) -> nw.LazyFrame[Any]:
    """Rows with the number of texts that came before theirs in the session."""
    before = nw.col("text").shift(1).over("session", order_by=order)
    begins = (nw.col("text") != before).fill_null(value=False).cast(nw.Int64)
    number = nw.col(_BLOCK).cum_sum().over("session", order_by=order).cast(nw.Int64)
    return rows.with_columns(begins.alias(_BLOCK)).with_columns(number.alias(_BLOCK))


def _number_lists(rows: nw.LazyFrame[Any], order: list[str]) -> nw.LazyFrame[Any]:
    """Rows with the number of their list, which is another where what was shown comes again."""
    latest = nw.col(_AGAIN).cum_max().over("session", _BLOCK, order_by=order)
    lists = nw.col(_BLOCK) * (1 << 32) + nw.col(_AGAIN)
    number = nw.col(_BLOCK).rank("dense").over("session").cast(nw.Int64)
    return (
        rows.with_columns(latest.alias(_AGAIN))
        .with_columns(lists.alias(_BLOCK))
        .with_columns(number.alias("query"))
    )
