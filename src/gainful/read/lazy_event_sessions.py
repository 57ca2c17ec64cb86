"""Events of a log in lazy polars, DuckDB or Spark → `LazySessions`, by window functions there.

As of events in memory (`build_sessions`): sessions are those of the log, or a user's events without
a pause longer than the gap; queries are told apart by their ids, or begin where the text changes or
a list begins anew; what was done belongs to the last list before it that showed the document. Where
rows have no order, times are all that is known of it, and what they do not tell is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import narwhals.stable.v2 as nw

from gainful.errors import BadInput, BadValue
from gainful.progress import report_work
from gainful.read.build_sessions import GAP, SHOWING, choose_owner
from gainful.read.column_names import ColumnMapping, protect_name
from gainful.read.engines import Engine, report_engine_errors
from gainful.read.event_words import EventWords
from gainful.read.lazy_event_actions import attach_actions
from gainful.read.lazy_event_problems import describe_lazy_overlaps, leave_out_mistakes
from gainful.read.lazy_event_rows import EventRows
from gainful.read.lazy_events import (
    OPENS,
    LazyEvents,
    LazyTable,
    extract_lazy_events,
    find_lazy_position,
    is_lazy_event_log,
    open_table,
)
from gainful.read.lazy_sessions import LazySessions, as_lazy_sessions
from gainful.read.sessions import BadPolicy


def find_lazy_sessions(
    native: Any,
    engine: Engine,
    name: str,
    columns: ColumnMapping,
    *,
    bad: BadPolicy = "error",
    gap: timedelta | None = None,
    events: EventWords | None = None,
) -> LazySessions | None:
    """Sessions from a frame of an engine, whether it has numbered queries or is a log of events.

    Args:
        native: the frame.
        engine: whose it is.
        name: what it is called in messages.
        columns: how columns are called, if not as usual.
        bad: refuse events that are not as they should be, or leave them out, count them and say so.
        gap: of a log: the pause after which a session of the user ends.
        events: of a log: what its words for events mean.
    """
    if bad not in ("error", "skip"):
        raise BadValue("bad", bad, "error or skip")
    with report_engine_errors(engine, name):
        table = open_table(native, engine, name, columns)
        position = find_lazy_position(table)
        if gap is None and events is None and not is_lazy_event_log(table, position):
            return as_lazy_sessions(native, engine, name, columns)
        report_work("events", 0.0)
        log = extract_lazy_events(table, position, events)
        return build_lazy_sessions(log, bad=bad, gap=gap)


def build_lazy_sessions(
    events: LazyEvents, *, bad: BadPolicy = "error", gap: timedelta | None = None
) -> LazySessions:
    """Sessions from events, which stay in their engine.

    Args:
        events: what happened.
        bad: refuse events that are not as they should be, or leave them out, count them and say so.
        gap: a new session begins after a pause of more than this; without one, where events name
            no session, after 30 minutes.
    """
    table = events.table
    if not events.row_count:
        raise BadInput(table.name, "there is not one session in it")
    has = {role: events.has(role) for role in ("session", "user", "time")}
    owner, notes = choose_owner(has, table.name, gap)
    report_work("events", 0.2)  # each share is about a pass over the log
    sound = leave_out_mistakes(events, owner, bad)
    if not sound.count:
        raise BadInput(table.name, f"not one event is left; {sound.notes[0]}", SHOWING)
    _refuse_without_order(events)
    notes = [*events.notes, *notes, *sound.notes]
    report_work("events", 0.4)
    log, repeat_notes = EventRows(events, sound.rows, sound.count, owner).drop_repeats()
    if gap is not None or owner == "user":
        log = log.split_at_gaps(gap or GAP)
    elif has["user"] and has["time"]:
        notes += describe_lazy_overlaps(log.rows, table)
    report_work("events", 0.6)
    log, tie_notes = log.look_at_lists(bad)
    notes = [*notes, *repeat_notes, *tie_notes]
    if sound.count < events.row_count:
        _refuse_nothing_shown(log)
    rows = log.number_queries()
    if events.actions:
        report_work("events", 0.8)
        actions, action_notes = attach_actions(log).leave_out_lost(bad)
        rows, notes = actions.join_to(rows), [*notes, *action_notes]
    report_work("events", 1.0)
    return _name_columns(rows, events, notes)


def _refuse_nothing_shown(log: EventRows) -> None:
    table = log.events.table
    if not len(table.collect(log.rows.filter(nw.col(OPENS)).select("doc").head(1))):
        raise BadInput(table.name, "not one event is left that shows a result", SHOWING)


def _refuse_without_order(events: LazyEvents) -> None:
    """Refuse what only the order of rows could tell, where they have none."""
    table = events.table
    if table.engine.ordered:
        return
    unordered = f"rows in {table.engine.name} have no order"
    if not events.has("rank"):
        raise BadInput(table.name, "there is no column for the rank", f"a column rank: {unordered}")
    if not events.has("time") and (events.actions or not events.has("position")):
        raise BadInput(table.name, "there is no time", f"a column of times: {unordered}")


def _name_columns(
    rows: nw.LazyFrame[Any], events: LazyEvents, notes: Sequence[str]
) -> LazySessions:
    """Rows with the columns of sessions."""
    schema = rows.collect_schema()
    flags = [name for name in ("clicked", "purchased") if name in schema]
    named = (*events.result_columns, *map(protect_name, events.actions))
    results = [*dict.fromkeys(name for name in named if name in schema)]
    queries = {
        "searcher" if name == "user" else name: name
        for name in events.query_columns
        if name in schema and name not in results
    }
    chosen = rows.with_columns(nw.col(name).fill_null(value=False) for name in flags).select(
        *("session", "query", "rank", "doc", *results),
        *(nw.col(own).alias(name) for name, own in queries.items()),
    )
    table: LazyTable = events.table
    return LazySessions(chosen, table.engine, table.name, [*queries], results, notes)
