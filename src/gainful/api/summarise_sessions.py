"""How good are millions of sessions, by group? Means that are computed where the sessions are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any, Unpack

from attrs import evolve

from gainful.api.session_options import (
    EvaluationOptions,
    GainOptions,
    SessionReading,
    answer_session_options,
    choose_by,
    gain_from_actions,
    list_others_in_parts,
    read_session_qrels,
)
from gainful.errors import BadValue, WrongType, check_name
from gainful.match.behaviour_gains import (
    USUAL_RULE,
    GainEvent,
    GainRule,
    describe_gain_rule,
    name_events,
    parse_gain_rule,
)
from gainful.match.session_groups import By, check_group_names
from gainful.match.sessions import no_gains
from gainful.measure.build_recipes import Measures
from gainful.measure.build_session_recipes import Cost
from gainful.measure.entry import SessionRecipe
from gainful.measure.sessions.in_parts import PartMatcher, PreparedParts, collect_searcher_qrels
from gainful.measure.sessions.session_summary import SessionSummary, SummarySums
from gainful.measure.sessions.session_values import note_recipes
from gainful.read.binary_tables import scan_parquet
from gainful.read.engine_sessions import EngineSessions, open_sessions
from gainful.read.engines import POLARS, Engine, find_engine
from gainful.read.inputs import AnyQrels
from gainful.read.qrels_and_run import Qrels
from gainful.read.read_options import ReadOptions
from gainful.read.sessions import LENGTH_COLUMNS, UNGROUPABLE_COLUMNS, SessionChoice


@answer_session_options(EvaluationOptions)
def summarise(
    sessions: Any,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: By = (),
    curves: bool = False,
    cost: Cost | None = None,
    **options: Unpack[EvaluationOptions],
) -> SessionSummary:
    """How good are sessions by group, if there are too many for memory?

    The engine counts results and finds those that are judged, once; some whole sessions at a time
    are then evaluated, as `sessions.evaluate` does it, and only sums are kept. Intermediate rows
    are written to a temporary folder. In Spark, workers do that, and send their sums to the driver.

    Args:
        sessions: a frame of lazy polars, DuckDB or Spark with session, query (its position from
            1), rank and doc, or a log of events; or a Parquet file.
        qrels: whatever `gainful.evaluate` takes; the topic of a session selects its judgments.
            Without them, searchers' own grades (the column grade) or clicks count.
        measures: names such as "nsDCG(b=2, bq=4)@10"; by default sDCG@10 and nsDCG@10, or sDCG@10
            alone if gain comes from actions.
        by: a column, or several, whose groups are compared, such as system.
        curves: mean vectors of sDCG and nsDCG, too? They take longer.
        cost: what searching costs, such as {"query": 50, "result": 200}: the measure Cost.
        **options: how sessions are read and what counts as gain (`sessions.GainOptions`), and
            single settings, such as `b=10`; what needs all sessions in memory is refused.

    Returns:
        `SessionSummary`: means of all and by group, standard errors, curves.

    Examples:
        >>> import polars as pl
        >>> rows = {"session": ["s", "s"], "query": [1, 2], "rank": [1, 1], "doc": ["x", "a"]}
        >>> summarise(pl.LazyFrame(rows), {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10").mean
        {'sDCG(b=2, bq=4)@10': 2.0}
    """
    reading = SessionReading.from_options(options, cost)
    _, recipes = reading.build_recipes(measures)
    for name, recipe in recipes.items():
        if recipe.convention.hold == "growing":
            allowed = f"held: {name} needs the longest session, and only some are read at a time"
            raise BadValue("hold", "growing", allowed)
    parts = prepare_parts(sessions, qrels, recipes, by, reading.options)
    gain_event = parts.matcher.gain_event
    convention, recipes = reading.build_recipes(measures, gain_event)
    new_sums = partial(SummarySums, recipes, parts.by, parts.sessions.name, curves)
    sums, notes = parts.visit(new_sums)
    return SessionSummary(
        name=parts.sessions.name,
        by=parts.by,
        sums=sums.sums,
        recipes=recipes,
        convention=convention,
        gain_event=gain_event,
        notes=[*notes, *note_recipes(recipes, gain_event)],
    )


_PARQUET = (".parquet", ".pq")
_SUMMARY_COLUMNS = ("measure", "standard_error", "per_cost", "results", "judged")
_ALLOWED = "a Parquet file, or a frame of lazy polars, DuckDB or Spark; others have no summary"


def prepare_parts(
    sessions: Any,
    qrels: AnyQrels | None,
    recipes: Mapping[str, SessionRecipe],
    by: By | None,
    options: GainOptions,
) -> PreparedParts:
    """Sessions found in their engine (or a Parquet file), with gains if nobody judged.

    Of the columns by which they can be grouped, only those of `by` are read, or all if it is None.
    """
    for option in list_others_in_parts(options):
        allowed = "no value: it needs all sessions at once, not in parts"
        raise BadValue(option, options[option], allowed)  # type: ignore[literal-required]
    judgments, options["columns"] = read_session_qrels(
        qrels, options.get("qrels_format"), options.get("columns")
    )
    rule = options.get("gain_from")
    choice = choose_by(options)
    prices = [
        str(recipe.setting(price))
        for recipe in recipes.values()
        if recipe.entry.is_cost
        for price in ("per_query", "per_result")
    ]
    names = [by] if isinstance(by, str) else by
    named = [
        *(names if isinstance(names, Sequence) else ()),
        *choice.where,
        *prices,
        *LENGTH_COLUMNS,
    ]
    needed = {*named, *(event.name for event in parse_gain_rule(rule or USUAL_RULE))}
    native, engine, name = _find_frame(sessions)
    first_row = 0 if native is sessions else 1
    reading = ReadOptions.pick(options)
    wanted = None if by is None else needed
    opened = open_sessions(native, engine, name, reading, wanted, first_row=first_row)
    columns = opened.reader.columns
    unfit = (*UNGROUPABLE_COLUMNS, *opened.reader.actions)
    groupable = [name for name in columns if name not in unfit]
    for column in choice.where:
        check_name("column", column, ("session", *groupable))
    if by is not None:
        groupable = check_group_names(by, groupable, (*recipes, *_SUMMARY_COLUMNS))
    matcher, notes = match_by(opened, judgments, rule, list(recipes.values()), choice)
    computed = f"computed in {opened.engine.name}, some sessions at a time"
    return PreparedParts(
        sessions=opened, matcher=matcher, by=tuple(groupable), notes=[computed, *notes]
    )


def match_by(
    sessions: EngineSessions,
    qrels: Qrels | None,
    rule: GainRule | None,
    recipes: Sequence[SessionRecipe],
    choice: SessionChoice | None = None,
) -> tuple[PartMatcher, list[str]]:
    """How parts are matched: by judgments; without any, by what searchers said or did."""
    columns, notes = sessions.reader.columns, []
    gains: list[GainEvent] = []
    if gain_from_actions(columns, judged=qrels is not None, gain_from=rule):
        gains = parse_gain_rule(USUAL_RULE if rule is None else rule)
        notes = [describe_gain_rule(gains, asked=rule is not None)]
    elif qrels is None and "grade" not in columns:
        raise no_gains(sessions.name)
    by_topic = qrels is None and "topic" in columns
    matcher = PartMatcher(
        qrels=qrels,
        recipes=[] if by_topic else recipes,
        choice=choice or SessionChoice(),
        gains=gains,
        gain_event=name_events(gains),
    )
    if by_topic:
        matcher = evolve(matcher, qrels=collect_searcher_qrels(sessions, matcher), recipes=recipes)
    return matcher, notes


def _find_frame(sessions: Any) -> tuple[Any, Engine, str]:
    engine = find_engine(sessions)
    if engine is not None:
        return sessions, engine, "sessions"
    if isinstance(sessions, (str, PathLike)) and str(sessions).lower().endswith(_PARQUET):
        return scan_parquet(sessions), POLARS, str(sessions)
    raise WrongType("sessions", sessions, _ALLOWED)
