"""Values per query or session that stay in Spark, for more than a driver wants to hold.

`gainful.evaluate` and `gainful.sessions.evaluate` take Spark frames too, and give results on the
driver; this gives frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Unpack

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.api.summarise_sessions import match_by
from gainful.convention import Convention
from gainful.convention.session import SessionConvention
from gainful.errors import BadValue, NothingInCommon, WrongType
from gainful.match.behaviour_gains import GainRule
from gainful.match.match import match
from gainful.match.matched import MOST_NAMED, Matched
from gainful.match.parts import (
    collect_pickled,
    concat_parts,
    count_duplicates,
    pack_qrels,
    pickle_result,
    refuse_bad_run,
    unpack_qrels,
    work_in_spark,
)
from gainful.match.ties import TIE_POLICIES
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.build_session_recipes import build_session_recipes
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Entry, Recipe, SessionRecipe
from gainful.measure.evaluate import choose_queries, compute_measures, find_counting, with_max_grade
from gainful.measure.notes import SAME_ID_TYPE, compare_id_types
from gainful.measure.ranked_run import rank_run
from gainful.measure.sessions.in_parts import PartMatcher, evaluate_part, find_varying
from gainful.measure.values import flatten_names
from gainful.read.column_names import (
    OPTIONAL_COLUMNS,
    ColumnNames,
    is_wide,
    protect_name,
    restore_name,
)
from gainful.read.engine_sessions import EngineSessions, PartReader, compute_part, open_sessions
from gainful.read.engines import SPARK, find_engine, report_engine_errors
from gainful.read.inputs import AnyQrels, as_qrels, as_qrels_columns
from gainful.read.lazy import as_lazy_run, read_schema, select_qrels
from gainful.read.named_columns import build_part
from gainful.read.qrels_and_run import QRELS, IdKinds, LazyRun, Qrels, Run
from gainful.read.read_options import ReadOptions
from gainful.read.session_events import EventWords
from gainful.read.sessions import UNGROUPABLE_COLUMNS, Sessions
from gainful.types import Array

__all__ = ["per_query", "per_session"]


def per_query(
    qrels: AnyQrels,
    run: Any,
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    flat: bool = False,
    **settings: Unpack[EvaluationSettings],
) -> Any:
    """How good is each query of a run, as a Spark frame?

    Some whole queries at a time go to the same functions as everywhere, on the workers
    (`applyInArrow`). This happens twice: at once, to check the input, and when Spark computes the
    frame; cache a run that is expensive to compute. Only counts come to the driver.

    Args:
        qrels: a Spark frame with query, doc, grade, or anything that `evaluate` takes.
        run: a Spark frame with query, doc, score.
        measures: names such as "nDCG@10", as in `evaluate`.
        like: the tool whose settings to follow.
        flat: name the columns as `to_flat()` does, such as ndcg_at_10.
        **settings: single settings.

    Returns:
        A Spark frame: query, and a column for each measure, null where a query is left out.
    """
    convention, recipes = build_recipes(measures, like, settings)
    if find_engine(run) is not SPARK:
        raise WrongType("run", run, "a Spark frame; gainful.evaluate takes all others")
    for name, recipe in recipes.items():
        if recipe.entry.needs_subtopics:
            raise BadValue("measure", name, "measures without subtopics; evaluate has those too")
        if recipe.entry.needs_scores:
            raise BadValue("measure", name, "measures that ask for ranks; evaluate has this too")
        if TIE_POLICIES[recipe.convention.ties].needs == "order":
            allowed = "a policy that needs no order of rows, which Spark lacks"
            raise BadValue(f"ties of {name}", recipe.convention.ties, allowed)
    lazy_run = as_lazy_run(run, SPARK, "run")
    names = [*flatten_names(dict.fromkeys(recipes, 0.0))] if flat else [*recipes]
    schema = ", ".join(["query string", *(f"{_quote_column(name)} double" for name in names)])
    with report_engine_errors(SPARK, lazy_run.name):
        judged, judged_query, read_qrels = _open_qrels(qrels, lazy_run)
        entries = [recipe.entry for recipe in recipes.values()]
        own = _OwnMeasures([entry for entry in entries if entry.registered])
        counting = count_duplicates(convention, lazy_run)
        evaluation = _QueryEvaluation(own, recipes, counting, read_qrels, lazy_run.reader)
        check = partial(_check_part, evaluation)
        checked = work_in_spark(judged, lazy_run, check, "report binary", judged_query)
        reports = collect_pickled(checked)
        _refuse_bad_parts(reports, lazy_run, convention)
        highest = max(report.highest_grade for report in reports)
        recipes = {name: with_max_grade(recipe, highest) for name, recipe in recipes.items()}
        for name in {name for report in reports for name in report.measures_with_hits}:
            own_convention = recipes[name].convention.with_settings(no_hits="as_is")
            recipes[name] = evolve(recipes[name], convention=own_convention)
        work = partial(_evaluate_part, evolve(evaluation, recipes=recipes), names)
        return work_in_spark(judged, lazy_run, work, schema, judged_query)


def _open_qrels(qrels: AnyQrels, run: LazyRun) -> tuple[Any, str, Callable[[pl.DataFrame], Qrels]]:
    """Judgments as a Spark frame, its column of queries, and what reads some of its rows."""
    if find_engine(qrels) is SPARK and not is_wide(read_schema(qrels, SPARK, "judgments")):
        frame, query = select_qrels(qrels, SPARK, "judgments")
        return frame.to_native(), query, partial(build_part, kind=QRELS, name="judgments")
    local_qrels = as_qrels_columns(as_qrels(qrels))
    sent = SPARK.send(pack_qrels(local_qrels), run.frame.to_native())
    return sent, "query", partial(unpack_qrels, ids=local_qrels.ids)


@frozen(eq=False)
class _OwnMeasures:
    entries: Sequence[Entry]

    def __attrs_post_init__(self) -> None:
        MEASURES.update({entry.name: entry for entry in self.entries})

    def __reduce__(self) -> tuple[type[_OwnMeasures], tuple[Sequence[Entry]]]:
        return _OwnMeasures, (self.entries,)


@frozen(eq=False)
class _QueryEvaluation:
    own: _OwnMeasures  # before the recipes, which are not known on a worker without them
    recipes: Mapping[str, Recipe]
    convention: Convention
    read_qrels: Callable[[pl.DataFrame], Qrels]
    read_run: Callable[[pl.DataFrame], Run]

    def match(self, judged: pl.DataFrame, rows: pl.DataFrame) -> tuple[Qrels, Matched]:
        qrels = self.read_qrels(judged)
        return qrels, match(qrels, self.read_run(rows), self.convention)

    def measure(self, matched: Matched) -> tuple[list[str], dict[str, Array]]:
        kept = find_counting(matched, self.convention)
        if not kept.any():
            return [], {name: np.empty(0) for name in self.recipes}
        values = compute_measures(matched.select_queries(kept), self.recipes)
        return matched.query_names(kept), values


@frozen(eq=False)
class _PartReport:
    matched: Matched  # a few of them, and all that may be refused
    has_hits: bool
    measures_with_hits: Sequence[str]  # of those that ask whether the whole run has one
    highest_grade: float
    ids: IdKinds


def _check_part(
    evaluation: _QueryEvaluation, judged: pl.DataFrame, rows: pl.DataFrame
) -> pl.DataFrame:
    def check() -> _PartReport:
        qrels, matched = evaluation.match(judged, rows)
        evaluation.measure(matched)
        missing, extra = matched.judged & ~matched.in_run, ~matched.judged
        convention = evaluation.convention
        few = [
            flags & ((np.cumsum(flags) <= MOST_NAMED) | (policy == "error"))
            for flags, policy in (
                (matched.judged & matched.in_run, ""),
                (missing, convention.missing),
                (extra, convention.extra),
            )
        ]
        return _PartReport(
            matched.select_queries(np.logical_or.reduce(few)),
            bool(matched.query.size),
            [
                name
                for name, recipe in evaluation.recipes.items()
                if recipe.convention.no_hits == "zero"
                and rank_run(matched, recipe.convention).top(recipe.depth).any()
            ],
            matched.highest_grade,
            qrels.ids,
        )

    return pickle_result("report", check)


def _refuse_bad_parts(reports: Sequence[_PartReport], run: LazyRun, convention: Convention) -> None:
    matched = concat_parts([report.matched for report in reports], [])
    refuse_bad_run(matched, run, convention)
    ids = next((report.ids for report in reports if report.ids), {})
    mixed = compare_id_types(ids, run.ids)
    if mixed and not any(report.has_hits for report in reports):
        raise NothingInCommon(run.name, f"none of it is judged: {mixed[0]}", SAME_ID_TYPE)
    matched.refuse_nothing_in_common(run.name)
    choose_queries(matched, convention, run.name)


def _evaluate_part(
    evaluation: _QueryEvaluation, names: Sequence[str], judged: pl.DataFrame, rows: pl.DataFrame
) -> pl.DataFrame:
    queries, values = evaluation.measure(evaluation.match(judged, rows)[1])
    columns = {"query": pl.Series(queries, dtype=pl.String)}
    for name, column in zip(names, values.values(), strict=True):
        left_out = np.flatnonzero(np.ma.getmaskarray(column))
        columns[name] = pl.Series(np.ma.getdata(column)).scatter(left_out, None)
    return pl.DataFrame(columns)


def per_session(
    sessions: Any,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    like: str | SessionConvention | None = None,
    columns: ColumnNames | None = None,
    gap: str | float | timedelta | None = None,
    events: EventWords | None = None,
    gain_from: GainRule | None = None,
    flat: bool = False,
    **settings: Any,
) -> Any:
    """How good is each session, as a Spark frame?

    Some whole sessions at a time go to the functions that read and judge sessions in memory, on the
    workers (`mapInArrow`). This happens twice: at once, to check the input, and when Spark computes
    the frame; cache sessions that are expensive to compute. Means of groups are then Spark's:
    `per_session(…).groupBy("system").mean()`.

    Args:
        sessions: a Spark frame with session, query (its position from 1), rank, doc; or a log of
            events, which becomes sessions in Spark.
        qrels: whatever `gainful.evaluate` takes; the topic of a session selects its judgments.
            Without them, searchers' own grades (the column grade) or clicks count.
        measures: names such as "nsDCG(b=2, bq=4)@10", as in `gainful.sessions.evaluate`.
        like: whose settings to follow.
        columns: how columns are called, if not as usual.
        gap: for a log: the pause that ends a session, such as "30m".
        events: for a log: the names of its events, such as {"shown": "view"}.
        gain_from: without judgments, what counts as gain: "clicked" (default), "purchased",
            "dwell>=30s", or weights such as {"clicked": 1, "purchased": 5} (the highest counts).
        flat: name the columns of measures as `to_flat()` does, such as nsdcg_at_10.
        **settings: single settings, such as `duplicates="first"`.

    Returns:
        A Spark frame: session, what sessions can be grouped by, queries, and a column for each
        measure, null where a session is left out.
    """
    _, usual = build_session_recipes(measures, like, settings)
    if find_engine(sessions) is not SPARK:
        raise WrongType("sessions", sessions, "a Spark frame; gainful.sessions takes all others")
    reading = ReadOptions(columns=columns, gap=gap, events=events)
    opened = open_sessions(sessions, SPARK, "sessions", reading)
    local_qrels = None if qrels is None else as_qrels_columns(as_qrels(qrels))
    matcher, _ = match_by(opened, local_qrels, gain_from, list(usual.values()))
    _, recipes = build_session_recipes(measures, like, settings, observed=matcher.observed)
    matcher = evolve(matcher, recipes=list(recipes.values()))
    names = flatten_names(dict.fromkeys(recipes, 0.0)) if flat else recipes
    return _keep_values(opened, matcher, dict(zip(names, recipes.values(), strict=True)))


def _keep_values(
    sessions: EngineSessions, matcher: PartMatcher, recipes: Mapping[str, SessionRecipe]
) -> Any:
    reader = sessions.reader
    unfit = (*UNGROUPABLE_COLUMNS, *reader.actions)
    columns = [name for name in reader.columns if name not in unfit]
    parts = sessions.map_parts(partial(find_varying, columns=columns))
    varying = {name for names in parts for name in names}
    groups = [name for name in columns if name not in varying]
    with report_engine_errors(SPARK, sessions.name):
        native: Any = sessions.frame.to_native()
        there = {field.name: field.dataType.simpleString() for field in native.schema.fields}
        here = SPARK.collect(native.limit(0)).rename(restore_name).schema
        kinds: dict[str, tuple[str, Any]] = {"session": ("string", pl.String)}
        for name in groups:
            column = reader.columns[name]
            own = (there[protect_name(column)], here[column])
            kinds[name] = ("string", pl.String) if name in OPTIONAL_COLUMNS else own
        kinds["queries"] = ("bigint", pl.Int64)
        kinds |= dict.fromkeys(recipes, ("double", pl.Float64))
        empty = pl.DataFrame(schema={name: kind for name, (_, kind) in kinds.items()})
        compute = partial(evaluate_part, matcher=matcher, recipes=recipes, columns=groups)
        work = partial(_evaluate_sessions, reader=reader, compute=compute, empty=empty)
        schema = ", ".join(f"{_quote_column(name)} {kind}" for name, (kind, _) in kinds.items())
        return sessions.work_in_spark(work, schema)


def _evaluate_sessions(
    rows: pl.DataFrame,
    reader: PartReader,
    compute: Callable[[Sessions], pl.DataFrame | None],
    empty: pl.DataFrame,
) -> pl.DataFrame:
    values, _, mistake = compute_part(rows, reader, compute)
    if mistake is not None:
        raise mistake
    return empty if values is None else values


def _quote_column(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
