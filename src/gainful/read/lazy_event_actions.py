"""What searchers did, as rows of a log in an engine: to which result, and joined to it.

It belongs to the last list before it in its session that showed the document, of the same query
where the event says which.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
from attrs import evolve, frozen

from gainful.read.column_names import protect_name
from gainful.read.lazy_event_problems import refuse_or_describe
from gainful.read.lazy_event_rows import NEW_SESSION, EventRows
from gainful.read.lazy_events import OPENS, ROW, LazyMistake
from gainful.read.session_events import DWELL
from gainful.read.sessions import BadPolicy
from gainful.text import count_noun, quote

_SHOWN, _DONE = "gainful_shown_", "gainful_done_"  # before the name of a column
_LIST, _HAS_KEY, _BEST = "gainful_list", "gainful_has_key", "gainful_best"
_TIMED = "gainful_timed"


@frozen(eq=False)
class Actions:
    """What searchers did, each with when the result was shown to which it was done."""

    log: EventRows
    rows: nw.LazyFrame[Any]  # of events, _HAS_KEY, and _SHOWN… columns: null if it never was

    @property
    def _place(self) -> list[str]:
        """The columns that say which row of its document in its session showed a result."""
        return _list_places(self.log)

    def leave_out_lost(self, bad: BadPolicy) -> tuple[Actions, list[str]]:
        """Without what was done to results that were never shown; and what is to be said."""
        table = self.log.events.table
        lost = nw.col(_SHOWN + self._place[0]).is_null()
        counts = evolve(table, frame=self.rows).count(
            lost=lost.cast(nw.Int64).sum(), untold=(~lost & ~nw.col(_HAS_KEY)).cast(nw.Int64).sum()
        )
        notes = []
        if counts["lost"]:
            never = LazyMistake(
                lost,
                lambda row: (
                    f"the event {quote(row['event'])} is of document {quote(row['doc'])}, "
                    "which was not shown before it"
                ),
                "an earlier row that shows it in the list of the query",
            )
            wrong = self.rows.filter(lost)
            notes.append(refuse_or_describe(wrong, table, never, bad, counts["lost"]))
        if counts["untold"]:
            untold = count_noun(counts["untold"], "event")
            notes.append(
                f"{untold} without a query counted in the last list before it that showed its "
                "document"
            )
        return evolve(self, rows=self.rows.filter(~lost)), notes

    def join_to(self, opening: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """The rows that show results, with what was done to them."""
        kinds = [kind for kind in self.log.events.actions if kind != DWELL]
        seconds = nw.col("seconds") if self.log.events.has("seconds") else nw.lit(None)
        seconds = seconds.cast(nw.Float64)
        by = ["session", "doc", *(_SHOWN + name for name in self._place)]
        done = (
            self.rows.with_columns(
                *(
                    (nw.col("event") == kind).cast(nw.Int64).alias(_DONE + protect_name(kind))
                    for kind in kinds
                ),
                seconds.alias(_DONE),
            )
            .group_by(*by)
            .agg(
                *(nw.col(_DONE + protect_name(kind)).max() for kind in kinds),
                nw.col(_DONE).sum(),
                nw.col(_DONE).count().alias(_TIMED),
            )
        )
        results = _mark_lists(opening, self.log)
        joined = results.join(
            done, left_on=["session", "doc", *self._place], right_on=by, how="left"
        )
        columns = joined.collect_schema()
        outcomes = []
        for kind in kinds:
            was_done = (nw.col(_DONE + protect_name(kind)) > 0).fill_null(value=False)
            own = protect_name(kind)
            if columns.get(own) == nw.Boolean:
                was_done = was_done | nw.col(own).fill_null(value=False)
            outcomes.append(was_done.alias(own))
        if self.log.events.has("seconds"):
            stayed = nw.col("seconds").fill_null(0.0) + nw.col(_DONE).fill_null(0.0)
            is_timed = ~nw.col("seconds").is_null() | (nw.col(_TIMED) > 0).fill_null(value=False)
            outcomes.append(nw.when(is_timed).then(stayed).alias("seconds"))
        return joined.with_columns(*outcomes)


def attach_actions(log: EventRows) -> Actions:
    """What searchers did, each beside the last row before it that shows its document."""
    events, place = log.events, _list_places(log)
    key = next((name for name in ("query_id", "text") if events.has(name)), None)
    acts = log.add_sessions(log.rows.filter(~nw.col(OPENS)))
    has_key = nw.lit(value=False) if key is None else ~nw.col(key).is_null()
    acts = acts.with_columns(has_key.alias(_HAS_KEY))
    opening = _mark_lists(log.rows.filter(nw.col(OPENS), ~nw.col("doc").is_null()), log)
    by_key = [] if key is None else [key]
    shown = opening.select(
        nw.col(name).alias(_SHOWN + name)
        for name in dict.fromkeys((log.owner, "doc", *by_key, *place))
    )
    parts = [
        _find_last(
            acts.filter(nw.col(_HAS_KEY) if is_known else ~nw.col(_HAS_KEY)),
            shown,
            [log.owner, *(by_key if is_known else []), "doc"],
            log,
        )
        for is_known in ((True, False) if by_key else (False,))
    ]
    return Actions(log, nw.concat(parts) if len(parts) > 1 else parts[0])


def _list_places(log: EventRows) -> list[str]:
    """The columns by which a row of a document in a session is found again, the last one last."""
    if not log.events.table.engine.ordered:
        return ["time", _LIST]
    return ["time", ROW] if log.events.has("time") else [ROW]


def _mark_lists(opening: nw.LazyFrame[Any], log: EventRows) -> nw.LazyFrame[Any]:
    """Rows with a text that tells lists of one time apart; it is never null."""
    names = [name for name in ("position", "query_id", "text") if log.events.has(name)]
    return opening.with_columns(nw.col(names[0]).cast(nw.String).fill_null("").alias(_LIST))


def _find_last(
    acts: nw.LazyFrame[Any], shown: nw.LazyFrame[Any], by: list[str], log: EventRows
) -> nw.LazyFrame[Any]:
    """Each event once, with the last row before it that is the same in these columns."""
    place = _list_places(log)
    identity = [ROW] if ROW in place else log.identity
    columns = acts.collect_schema().names()
    joined = acts.join(shown, left_on=by, right_on=[_SHOWN + name for name in by], how="left")
    moment = place[0]
    is_before = nw.col(_SHOWN + moment) <= nw.col(moment)  # at one time, what was shown comes first
    if log.pauses is not None:
        sessions = log.pauses.rename({"time": _SHOWN + "time"})
        joined = joined.join(sessions, on=[log.owner, _SHOWN + "time"], how="left")
        is_before = is_before & (nw.col(NEW_SESSION) == nw.col("session"))
    joined = joined.with_columns(
        nw.when(is_before).then(nw.col(_SHOWN + name)).alias(_SHOWN + name) for name in place
    )
    for name in place:
        value = nw.col(_SHOWN + name)
        joined = joined.with_columns(value.max().over(*identity).alias(_BEST)).filter(
            (value == nw.col(_BEST)) | nw.col(_BEST).is_null()
        )
    places = [_SHOWN + name for name in place]
    chosen = joined.select(*columns, *places)
    return chosen.unique(identity, keep="any")
