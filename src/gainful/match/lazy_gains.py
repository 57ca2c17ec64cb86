"""Gains and judgments of sessions in an engine, from what searchers did or said there."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals.stable.v2 as nw
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, UnknownName
from gainful.match.behaviour_gains import (
    USUAL_RULE,
    GainEvent,
    GainRule,
    describe_gain_rule,
    name_events,
    parse_gain_rule,
)
from gainful.read.column_names import protect_name, restore_name
from gainful.read.engines import report_engine_errors
from gainful.read.event_words import find_behaviour
from gainful.read.lazy_behaviour import was_done
from gainful.read.lazy_sessions import LazySessions
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_parts import ALL_SESSIONS, SessionChoice, choose_rows
from gainful.text import quote


@frozen(eq=False)
class JudgedInEngine:
    """Sessions in an engine and what their results are worth."""

    sessions: LazySessions
    qrels: Qrels | None  # None where each session is judged by its own searcher alone
    observed: str = ""  # where grades are what was done to a result: what, such as clicked
    notes: Sequence[str] = ()


def judge_in_engine(
    sessions: LazySessions,
    qrels: Qrels | None,
    rule: GainRule | None,
    choice: SessionChoice = ALL_SESSIONS,
) -> JudgedInEngine:
    """Sessions with their judgments; without any, by what searchers said or did.

    Args:
        sessions: in their engine.
        qrels: the judgments, if there are any.
        rule: what gains, and how much; only without judgments.
        choice: whose searchers are asked.
    """
    if qrels is not None:
        if rule is not None:
            raise BadValue("gain_from", rule, "nothing beside judgments: they say what a gain is")
        return JudgedInEngine(sessions, qrels)
    columns = sessions.result_columns
    if rule is None and ("grade" in columns or "clicked" not in columns):
        chosen = choose_rows(sessions, choice)
        return JudgedInEngine(sessions, collect_searcher_qrels(chosen))
    graded, observed, note = gain_in_engine(sessions, rule)
    chosen = choose_rows(graded, choice)
    return JudgedInEngine(graded, collect_searcher_qrels(chosen), observed, [note])


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
    name = protect_name(event.name)
    column = "seconds" if event.seconds is not None else find_behaviour(name, schema.names())
    if column is None or column not in schema:
        flags = [name for name, kind in schema.items() if kind == nw.Boolean or name == "seconds"]
        raise UnknownName("event or column", event.name, [*map(restore_name, flags)])
    kind = schema[column]
    if kind != nw.Boolean and not kind.is_numeric():
        allowed = f"a column of yes and no, or numbers: {quote(restore_name(column))} is {kind}"
        raise BadValue("gain_from", event.name, allowed)
    return was_done(column, kind, event.seconds).fill_null(value=False)


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
    graded = sessions.rows.drop_nulls(["topic", "doc", "grade"])
    best = graded.group_by("topic", "doc").agg(nw.col("grade").max())
    with report_engine_errors(sessions.engine, sessions.name):
        frame = sessions.engine.collect(best.to_native())
    ordered = frame.select("topic", "doc", "grade").sort("topic", "doc")
    return Qrels(ordered.rename({"topic": "query"}), sessions.name)
