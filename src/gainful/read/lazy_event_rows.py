"""Rows of events on their way to sessions, step by step, as expressions of the engine they are in.

Each step takes rows and gives rows: sessions by pauses, events logged twice, the number of each
query, what was done beside the result it was done to, and one row for each result.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import narwhals.stable.v2 as nw
from attrs import evolve, frozen

from gainful.errors import BadInput
from gainful.read.build_sessions import SHOWING
from gainful.read.lazy_event_problems import leave_out, refuse_or_describe
from gainful.read.lazy_events import OPENS, ROW, LazyEvents, LazyMistake
from gainful.read.session_events import DWELL, SHOWN
from gainful.read.sessions import BadPolicy
from gainful.text import count_noun, quote

_SAME = ("session", "time", "event", "query_id", "position", "text", "rank", "doc")
ACTS = "gainful_acts"  # rows of what was done come after those of what was shown at that time
_PAUSES, _BLOCK, _AGAIN, _FIRST = (
    *("gainful_pauses", "gainful_block", "gainful_again"),
    "gainful_first",
)
_AT = "gainful_at"  # when a result was shown
_TOLD = "gainful_told"  # does what was done say of which query?
_TIED = "gainful_tied"
_BY_KEY, _BY_DOC = "gainful_by_key_", "gainful_by_doc_"


@frozen(eq=False)
class EventRows:
    """The rows of events on their way to sessions."""

    events: LazyEvents
    rows: nw.LazyFrame[Any]
    count: int  # of these rows, and of those that repeat them

    @property
    def _order(self) -> list[str]:
        """The columns that order rows: their numbers if they have any, else all that tell."""
        time = ["time"] if self.events.has("time") else []
        if self.events.table.engine.ordered:
            return [*time, ACTS, ROW]
        return [*time, ACTS, *(name for name in _SAME[2:] if self._is_known(name))]

    def _is_known(self, name: str) -> bool:
        return name in ("event", "doc", "session") or self.events.has(name)

    @property
    def _lists(self) -> list[str]:
        """What is counted within a session without what was done."""
        return ["session", OPENS] if self.events.actions else ["session"]

    def with_columns(self, *columns: nw.Expr) -> EventRows:
        """These events, with more columns."""
        return evolve(self, rows=self.rows.with_columns(*columns))

    def split_at_gaps(self, owner: str, gap: timedelta) -> EventRows:
        """A session for each stretch of a user's events without a long pause: ann#1, ann#2."""
        longest = gap // timedelta(microseconds=1)
        pause = nw.col("time") - nw.col("time").shift(1).over(owner, order_by="time")
        begins = (pause > longest).fill_null(value=False).cast(nw.Int64)
        counted = nw.col(_PAUSES).cum_sum().over(owner, order_by="time")
        number = nw.col(_PAUSES).max().over(owner, "time") + 1  # whichever row of a time begins it
        texts = (nw.col(owner), nw.lit("#"), number.cast(nw.Int64).cast(nw.String))
        return (
            self.with_columns(begins.alias(_PAUSES))
            .with_columns(counted.alias(_PAUSES))
            .with_columns(nw.concat_str(*texts).alias("session"))
        )

    def drop_repeats(self) -> EventRows:
        """Events that were logged twice, to the same time, count once."""
        if not self.events.has("time"):
            return self
        same = [name for name in _SAME if self._is_known(name)]
        others = [name for name in ("seconds", "clicked", "doc") if name in self.rows.columns]
        order = [ROW] if ROW in self.rows.columns else others
        return evolve(self, rows=self.rows.unique(same, keep="first", order_by=order))

    def leave_out_ties(self, bad: BadPolicy) -> tuple[EventRows, list[str]]:
        """Without sessions of which queries begin at one time, so that their order is not known."""
        events = self.events
        if events.table.engine.ordered or events.has("position"):
            return self, []
        tied = self._find_ties().select("session").unique().with_columns(nw.lit(1).alias(_TIED))
        if not len(events.table.collect(tied.head(1))):
            return self, []
        mistake = LazyMistake(
            ~nw.col(_TIED).is_null(),
            lambda _: (
                "lists of it were shown at one time, and rows in "
                f"{events.table.engine.name} have no order"
            ),
            "times that differ, or a column of the query's position (query)",
        )
        rows = self.rows.join(tied, on="session", how="left")
        sound = leave_out(rows, events.table, [mistake], bad, self.count)
        if not sound.count:
            raise BadInput(
                events.table.name, f"not one event is left; {sound.notes[0]}", mistake.expected
            )
        return evolve(self, rows=sound.rows, count=sound.count), list(sound.notes)

    def _find_ties(self) -> nw.LazyFrame[Any]:
        """Times of sessions at which two queries began, or one rank was shown twice."""
        opening = self.rows.filter(nw.col(OPENS))
        if self.events.has("query_id"):
            firsts = opening.group_by("session", "query_id").agg(nw.col("time").min())
            counted = firsts.group_by("session", "time").agg(nw.len().alias(_TIED))
            return counted.filter(nw.col(_TIED) > 1)
        rank = nw.when(nw.col("event") == SHOWN).then(nw.col("rank"))
        counted = opening.group_by("session", "time").agg(
            nw.col("text").n_unique().alias(_TIED),
            rank.count().alias("results"),
            rank.n_unique().alias("ranks"),
            (nw.len() - rank.count()).alias("others"),
        )
        ranks = nw.col("ranks") - (nw.col("others") > 0).cast(nw.Int64)  # no rank is none
        return counted.filter((nw.col(_TIED) > 1) | (nw.col("results") > ranks))

    def number_queries(self) -> EventRows:
        """Rows with the number of their query in the session; of what was done it means nothing.

        A position that is given counts. Else queries are in the order in which they began: those of
        one id, or those of one text until another comes or the list begins anew.
        """
        if self.events.has("position"):
            numbered = self.with_columns(nw.col("position").alias("query"))
        elif self.events.has("query_id"):
            numbered = self._number_ids()
        else:
            numbered = self._number_texts()
        if self.events.has("rank"):
            return numbered
        place = nw.col("doc").cum_count().over(*self._lists, "query", order_by=self._order)
        has_doc = ~nw.col("doc").is_null()
        return numbered.with_columns(nw.when(has_doc).then(place).cast(nw.Int64).alias("rank"))

    def _number_ids(self) -> EventRows:
        order = self._order
        place = (
            nw.col(ROW).cum_count().over(*self._lists, order_by=order).cast(nw.Int64)
            if self.events.table.engine.ordered
            else nw.col("time")
        )
        first = nw.col(_FIRST).min().over(*self._lists, "query_id")
        number = nw.col(_FIRST).rank("dense").over(*self._lists).cast(nw.Int64)
        return (
            self.with_columns(place.alias(_FIRST))
            .with_columns(first.alias(_FIRST))
            .with_columns(number.alias("query"))
        )

    def _number_texts(self) -> EventRows:
        order, lists = self._order, self._lists
        before = nw.col("text").shift(1).over(*lists, order_by=order)
        begins = (nw.col("text") != before).fill_null(value=False).cast(nw.Int64)
        place = "rank" if self.events.has("rank") else "doc"
        key = (*lists, _BLOCK, "event", place)
        again = nw.col("event").cum_count().over(*key, order_by=order).cast(nw.Int64)
        latest = nw.col(_AGAIN).cum_max().over(*lists, _BLOCK, order_by=order)
        list_number = nw.col(_BLOCK) * (1 << 32) + nw.col(_AGAIN)
        return (
            self.with_columns(begins.alias(_BLOCK))
            .with_columns(
                nw.col(_BLOCK).cum_sum().over(*lists, order_by=order).cast(nw.Int64).alias(_BLOCK)
            )
            .with_columns(again.alias(_AGAIN))
            .with_columns(latest.alias(_AGAIN))
            .with_columns(list_number.alias(_BLOCK))
            .with_columns(nw.col(_BLOCK).rank("dense").over(*lists).cast(nw.Int64).alias("query"))
        )

    def attach_actions(self) -> EventRows:
        """What was done beside the query, the rank and the time of the result it was done to.

        It is the last before it in its session with the same document, of the same query where the
        event says which.
        """
        if not self.events.actions:
            return self
        at = ROW if self.events.table.engine.ordered else "time"
        key = "query_id" if self.events.has("query_id") else "text"
        has_key = ~nw.col(key).is_null() if self.events.has(key) else nw.lit(value=False)
        opens = nw.col(OPENS)
        shown = {"query": nw.col("query"), "rank": nw.col("rank"), _AT: nw.col(at)}
        seen = opens & ~nw.col("doc").is_null()
        marked = self.with_columns(
            has_key.alias(_TOLD),
            *(nw.when(seen).then(value).alias(_BY_DOC + name) for name, value in shown.items()),
        )
        by_key = ("session", *([key] if self.events.has(key) else []), "doc")

        def find_last(name: str, *by: str) -> nw.Expr:
            last = nw.col(_BY_DOC + name).fill_null(strategy="forward")
            return last.over(*by, order_by=self._order)

        attached = marked.with_columns(
            *(find_last(name, *by_key).alias(_BY_KEY + name) for name in shown),
            *(find_last(name, "session", "doc").alias(_BY_DOC + name) for name in shown),
        )
        return attached.with_columns(
            *(
                nw.when(opens)
                .then(value)
                .otherwise(
                    nw.when(nw.col(_TOLD))
                    .then(nw.col(_BY_KEY + name))
                    .otherwise(nw.col(_BY_DOC + name))
                )
                .alias(name)
                for name, value in shown.items()
            )
        )

    def leave_out_lost_actions(self, bad: BadPolicy) -> tuple[EventRows, list[str]]:
        """Without what was done to results that were never shown; and what is to be said."""
        table = self.events.table
        if not (self.events.actions or self.events.has("time")):
            return self, []
        acts, lost = nw.col(ACTS), nw.col("query").is_null()
        asked = {"rows": nw.len(), "opening": nw.col(OPENS).cast(nw.Int64).sum()}
        if self.events.actions:
            asked["lost"] = (acts & lost).cast(nw.Int64).sum()
            asked["untold"] = (acts & ~lost & ~nw.col(_TOLD)).cast(nw.Int64).sum()
        counts = evolve(table, frame=self.rows).count(**asked)
        if not counts["opening"]:
            raise BadInput(table.name, "not one event is left that shows a result", SHOWING)
        notes = []
        if self.count > counts["rows"]:
            repeats = count_noun(self.count - counts["rows"], "event")
            notes.append(f"{repeats} logged twice to the same time counted once")
        rows = self.rows
        if counts.get("lost"):
            never = LazyMistake(
                acts & lost,
                lambda row: (
                    f"the event {quote(row['event'])} is of document {quote(row['doc'])}, "
                    "which was not shown before it"
                ),
                "an earlier row that shows it in the list of the query",
            )
            wrong = rows.filter(never.flags)
            notes.append(refuse_or_describe(wrong, table, never, bad, counts["lost"]))
            rows = rows.filter(~never.flags)
        if counts.get("untold"):
            untold = count_noun(counts["untold"], "event")
            notes.append(
                f"{untold} without a query counted in the last list before it that showed its "
                "document"
            )
        return evolve(self, rows=rows), notes

    def merge_actions(self) -> nw.LazyFrame[Any]:
        """A row for each result shown, with what was done to it."""
        if not self.events.actions:
            return self.rows
        columns = self.rows.collect_schema()
        outcomes = {}
        for kind in self.events.actions:
            if kind != DWELL:
                done = nw.col("event") == kind
                if columns.get(kind) == nw.Boolean:
                    done = done | (nw.col(kind) & nw.col(OPENS)).fill_null(value=False)
                outcomes[kind] = done
        if "clicked" not in outcomes and "clicked" in columns:
            outcomes["clicked"] = nw.col("clicked") & nw.col(OPENS)
        if "purchased" not in outcomes and "purchased" in columns:
            outcomes["purchased"] = nw.col("purchased") & nw.col(OPENS)
        kept = [
            name
            for name in (*self.events.query_columns, "grade")
            if name in columns and name not in outcomes
        ]
        flagged = self.rows.with_columns(
            *(flags.cast(nw.Int64).alias(name) for name, flags in outcomes.items()),
            *(nw.when(nw.col(OPENS)).then(nw.col(name)).alias(name) for name in kept),
        )
        seconds = []
        if "seconds" in columns:
            total, timed = nw.col("seconds").sum(), nw.col("seconds").count()
            seconds = [total.alias("seconds"), timed.alias(_TOLD)]
        merged = flagged.group_by("session", "query", "rank", "doc", _AT).agg(
            *(nw.col(name).max() for name in (*outcomes, *kept)), *seconds
        )
        return merged.with_columns(
            *((nw.col(name) > 0).alias(name) for name in outcomes),
            *([nw.when(nw.col(_TOLD) > 0).then(nw.col("seconds"))] if seconds else []),
        )
