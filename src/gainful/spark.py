"""Values per query or session that stay in Spark, for more than a driver wants to hold.

`gainful.evaluate` and `gainful.sessions.evaluate` take Spark frames too, and give results on the
driver; this gives frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

import numpy as np
import polars as pl
from attrs import define, evolve, field, frozen

from gainful.api.session_options import EvaluationOptions, SessionReading, answer_session_options
from gainful.api.summarise_sessions import prepare_parts
from gainful.convention import Convention
from gainful.errors import BadValue, NothingInCommon, WrongType
from gainful.match.match import match
from gainful.match.matched import MOST_NAMED, Matched
from gainful.match.parts import (
    concat_parts,
    count_duplicates,
    pack_qrels,
    refuse_bad_run,
    unpack_qrels,
    work_in_spark,
)
from gainful.match.session_groups import find_other_values, session_columns
from gainful.match.sessions import MatchedSessions
from gainful.match.ties import TIE_POLICIES
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Entry, Recipe, SessionRecipe
from gainful.measure.evaluate import choose_queries, compute_measures, find_counting, with_max_grade
from gainful.measure.notes import SAME_ID_TYPE, compare_id_types
from gainful.measure.ranked_run import rank_run
from gainful.measure.sessions.in_parts import PartMatcher, PreparedParts
from gainful.measure.sessions.session_values import compute_session_values
from gainful.measure.values import flatten_names
from gainful.read.column_names import (
    OPTIONAL_COLUMNS,
    is_wide,
    protect_name,
)
from gainful.read.engine_sessions import PartReader, compute_part
from gainful.read.engines import (
    PICKLED,
    SPARK,
    collect_pickled,
    find_engine,
    pickle_result,
    report_engine_errors,
)
from gainful.read.inputs import AnyQrels, as_qrels, as_qrels_columns
from gainful.read.lazy import as_lazy_run, read_schema, select_qrels
from gainful.read.named_columns import build_part
from gainful.read.qrels_and_run import QRELS, IdKinds, LazyRun, Qrels, Run
from gainful.read.sessions import Sessions
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
        checked = work_in_spark(judged, lazy_run, check, PICKLED, judged_query)
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

    return pickle_result(check)


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
    columns |= {name: _as_column(own) for name, own in zip(names, values.values(), strict=True)}
    return pl.DataFrame(columns)


def _as_column(values: Array) -> pl.Series:
    """Numbers; null where one is left out."""
    left_out = np.flatnonzero(np.ma.getmaskarray(values))
    return pl.Series(np.ma.getdata(values)).cast(pl.Float64).scatter(left_out, None)


@answer_session_options(EvaluationOptions)
def per_session(
    sessions: Any,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    flat: bool = False,
    **options: Unpack[EvaluationOptions],
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
        flat: name the columns of measures as `to_flat()` does, such as nsdcg_at_10.
        **options: how sessions are read and what counts as gain (`sessions.GainOptions`), and
            single settings, such as `b=10`; what needs all sessions in memory is refused.

    Returns:
        A Spark frame: session, what sessions can be grouped by, queries, and a column for each
        measure, null where a session is left out.
    """
    reading = SessionReading.from_options(options)
    _, usual = reading.build_recipes(measures)
    if find_engine(sessions) is not SPARK:
        raise WrongType("sessions", sessions, "a Spark frame; gainful.sessions takes all others")
    parts = prepare_parts(sessions, qrels, usual, None, reading.options)
    _, recipes = reading.build_recipes(measures, parts.matcher.gain_event)
    names = flatten_names(dict.fromkeys(recipes, 0.0)) if flat else recipes
    return _keep_values(parts, dict(zip(names, recipes.values(), strict=True)))


@define(eq=False)
class _SessionCheck:
    """What is to be known of all sessions before Spark computes a frame of their values."""

    recipes: Mapping[str, SessionRecipe]
    columns: Sequence[str]
    varying: set[str] = field(factory=set)  # those that are not the same for a whole session

    def visit(self, sessions: MatchedSessions) -> None:
        for recipe in self.recipes.values():
            compute_session_values(sessions, recipe)  # which may refuse
        known = (name for name in self.columns if name in sessions.rows.columns)
        self.varying |= {name for name in known if find_other_values(sessions, name)}

    def merge(self, other: _SessionCheck) -> None:
        self.varying |= other.varying


def _keep_values(parts: PreparedParts, recipes: Mapping[str, SessionRecipe]) -> Any:
    sessions, reader = parts.sessions, parts.sessions.reader
    check, _ = parts.visit(partial(_SessionCheck, recipes, parts.by))
    groups = [name for name in parts.by if name not in check.varying]
    with report_engine_errors(SPARK, sessions.name):
        native: Any = sessions.frame.to_native()
        there = {field.name: field.dataType.simpleString() for field in native.schema.fields}
        kinds = {"session": "string"}
        for name in groups:
            own = there[protect_name(reader.columns[name])]
            kinds[name] = "string" if name in OPTIONAL_COLUMNS else own
        kinds |= {"queries": "bigint", **dict.fromkeys(recipes, "double")}
        schema = ", ".join(f"{_quote_column(name)} {kind}" for name, kind in kinds.items())
        work = partial(_evaluate_sessions, reader, parts.matcher, recipes, [*kinds])
        return sessions.work_in_spark(work, schema)


def _evaluate_sessions(
    reader: PartReader,
    matcher: PartMatcher,
    recipes: Mapping[str, SessionRecipe],
    columns: Sequence[str],
    rows: pl.DataFrame,
) -> pl.DataFrame | None:
    def tabulate(sessions: Sessions) -> pl.DataFrame | None:
        matched, _ = matcher.match(sessions)
        if matched is None:
            return None
        values = {
            name: _as_column(compute_session_values(matched, recipe))
            for name, recipe in recipes.items()
        }
        return session_columns(matched).with_columns(**values)[columns]

    table, _, mistake = compute_part(rows, reader, tabulate)
    if mistake is not None:
        raise mistake
    return table


def _quote_column(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
