"""Gains and judgments of sessions in an engine, from what searchers did or said there."""

from __future__ import annotations

import narwhals.stable.v2 as nw
from attrs import evolve

from gainful.errors import BadInput, BadValue
from gainful.match.behaviour_gains import (
    USUAL_RULE,
    GainEvent,
    GainRule,
    describe_gain_rule,
    name_events,
    parse_gain_rule,
)
from gainful.read.column_names import normalise_name
from gainful.read.engines import report_engine_errors
from gainful.read.event_words import EVENT_OF_WORD
from gainful.read.lazy_sessions import LazySessions
from gainful.read.qrels_and_run import Qrels
from gainful.text import quote


def gain_in_engine(sessions: LazySessions, rule: GainRule | None) -> tuple[LazySessions, str, str]:
    """Sessions whose grades are what the searchers did, what that is, and the note that says how.

    Args:
        sessions: with columns clicked, seconds, purchased or others of what was done.
        rule: what counts, and how much; clicks, if it is not said.
    """
    events = parse_gain_rule(USUAL_RULE if rule is None else rule)
    gains = [
        nw.when(_find_done(sessions, event)).then(nw.lit(float(event.weight))) for event in events
    ]
    gain = gains[0] if len(gains) == 1 else nw.max_horizontal(*gains)
    rows = sessions.rows.with_columns(gain.alias("grade"))
    columns = [*dict.fromkeys((*sessions.result_columns, "grade"))]
    others = [name for name in sessions.query_columns if name != "grade"]
    graded = evolve(sessions, rows=rows, result_columns=columns, query_columns=others)
    return graded, name_events(events), describe_gain_rule(events, asked=rule is not None)


def _find_done(sessions: LazySessions, event: GainEvent) -> nw.Expr:
    """To which results it was done."""
    schema = sessions.rows.collect_schema()
    name = EVENT_OF_WORD.get(normalise_name(event.name), event.name)
    column = (
        "seconds"
        if event.seconds is not None
        else next((each for each in (name, event.name) if each in schema), name)
    )
    if column not in schema:
        known = ", ".join(each for each in sessions.result_columns if each != "grade")
        allowed = f"what is told of results: {known}" if known else "a log with clicks"
        raise BadInput(sessions.name, f"there is no column {column}", allowed)
    if event.seconds is not None:
        return (nw.col(column) >= event.seconds).fill_null(value=False)
    kind = schema[column]
    if kind == nw.Boolean:
        return nw.col(column).fill_null(value=False)
    if not kind.is_numeric():
        allowed = f"a column of yes and no: {quote(column)} is {kind}"
        raise BadValue("gain_from", event.name, allowed)
    return (nw.col(column) > 0).fill_null(value=False)


def collect_searcher_qrels(sessions: LazySessions) -> Qrels | None:
    """The highest grade that any searcher gave a document of a topic; None if there are no topics.

    Then each session is judged by its own searcher, and needs no others.
    """
    if "grade" not in sessions.result_columns:
        raise BadInput(
            sessions.name,
            "there are no judgments, no column grade and no clicks",
            "judgments (--qrels), or what searchers did (--gain-from)",
        )
    if "topic" not in sessions.query_columns:
        return None
    graded = sessions.rows.filter(~nw.col("grade").is_null(), ~nw.col("doc").is_null())
    best = graded.group_by("topic", "doc").agg(nw.col("grade").max())
    with report_engine_errors(sessions.engine, sessions.name):
        frame = sessions.engine.collect(best.to_native())
    ordered = frame.select("topic", "doc", "grade").sort("topic", "doc")
    return Qrels(ordered.rename({"topic": "query"}), sessions.name)
