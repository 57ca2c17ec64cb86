"""Values per query or session that stay in Spark, for more than a driver wants to hold.

`gainful.evaluate` and `gainful.sessions.evaluate` take Spark frames too, and give results on the
driver; this gives frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, Unpack

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from attrs import evolve

from gainful.api.session_parts import match_by
from gainful.convention import Convention
from gainful.convention.session import SessionConvention
from gainful.errors import BadValue, Duplicated, NothingInCommon, WrongType
from gainful.match.behaviour_gains import GainRule
from gainful.match.lazy import as_int
from gainful.match.spark import check_rows, match_from_rows, rank_rows
from gainful.match.ties import TIE_POLICIES
from gainful.measure.build_recipes import (
    EvaluationSettings,
    Measures,
    build_recipes,
    build_session_recipes,
)
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Entry, Recipe, SessionRecipe
from gainful.measure.evaluate import choose_queries, compute_measures, with_max_grade
from gainful.measure.notes import SAME_ID_TYPE, compare_id_types
from gainful.measure.sessions.in_parts import PartMatcher, evaluate_part, find_varying
from gainful.measure.values import flatten_names
from gainful.read.column_names import (
    SUBTOPIC,
    ColumnNames,
    protect_name,
    read_column_names,
    restore_name,
)
from gainful.read.durations import parse_duration
from gainful.read.engine_sessions import EngineSessions, PartReader, open_sessions
from gainful.read.engines import SPARK, find_engine, report_engine_errors
from gainful.read.event_words import EventWords
from gainful.read.inputs import AnyQrels, as_qrels, as_qrels_columns
from gainful.read.lazy import as_lazy_run
from gainful.read.lazy_run import LazyRun, as_narwhals
from gainful.read.named_columns import Header
from gainful.read.qrels_and_run import IdKinds
from gainful.read.sessions import OPTIONAL_COLUMNS, UNGROUPABLE_COLUMNS, Sessions

__all__ = ["per_query", "per_session"]


def per_query(
    qrels: AnyQrels,
    run: Any,
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Any:
    """How good is each query of a run, as a Spark frame?

    Judged documents are ranked by joins and counts, then some whole queries at a time go to the
    same NumPy functions as everywhere, on the workers (`applyInArrow`). Nothing is collected but
    a few counts, by which rows that lack something, duplicates and what the convention refuses
    are told at once. A measure of one's own that fails is told by Spark, when it computes.

    Args:
        qrels: a Spark frame with query, doc, grade, or anything that `evaluate` takes.
        run: a Spark frame with query, doc, score.
        measures: names such as "nDCG@10", as in `evaluate`.
        like: the tool whose settings to follow.
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
    lazy_run = as_lazy_run(run, SPARK, "run")
    judged, ids = _send_qrels(qrels, lazy_run)
    highest = _refuse_early(judged, lazy_run, recipes, convention)
    _refuse_nothing_in_common(judged, lazy_run, ids)
    recipes = {name: with_max_grade(recipe, highest) for name, recipe in recipes.items()}
    with report_engine_errors(SPARK, "run"):
        from pyspark.sql.functions import lit, pmod, xxhash64  # noqa: PLC0415

        table = rank_rows(judged, lazy_run, convention).to_native()
        parts = int(table.sparkSession.conf.get("spark.sql.shuffle.partitions"))
        part = pmod(xxhash64("query"), lit(parts))  # a query is never cut in two
        columns = ", ".join(f"{_quote_column(name)} double" for name in recipes)
        own_entries = {
            name: entry
            for recipe in recipes.values()
            if (entry := recipe.entry).registered and (name := entry.name)
        }
        worker = _make_worker(convention, recipes, own_entries)
        return table.groupBy(part).applyInArrow(worker, f"query string, {columns}")


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

    Some whole sessions at a time go to the functions that read and judge sessions in memory, on
    the workers (`applyInArrow`). All rows are read once now, so that what is wrong with them is
    told, and once when values are asked for. Means of groups are then Spark's:
    `per_session(…).groupBy("system").mean()`.

    Args:
        sessions: a Spark frame with session, query (its position from 1), rank, doc; or a log of
            events, which becomes sessions in Spark.
        qrels: whatever `gainful.evaluate` takes; a session's topic is whose judgments count.
            Without them, what the searchers said themselves (the column grade) or did (clicks).
        measures: names such as "nsDCG(b=2, bq=4)@10", as in `gainful.sessions.evaluate`.
        like: whose settings to follow.
        columns: how columns are called, if not as usual.
        gap: of a log: the pause after which a session of the user ends, such as "30m".
        events: of a log: what its words for events mean, such as {"shown": "view"}.
        gain_from: without judgments, what gains: "clicked" (default), "purchased", "dwell>=30s", or
            weights such as {"clicked": 1, "purchased": 5}, of which the highest counts.
        flat: name the columns of measures as `to_flat()` does, such as nsdcg_at_10.
        **settings: single settings, such as `duplicates="first"`.

    Returns:
        A Spark frame: session, what sessions can be grouped by, queries, and a column for each
        measure, null where a session is left out.
    """
    _, usual = build_session_recipes(measures, like, settings)
    if find_engine(sessions) is not SPARK:
        raise WrongType("sessions", sessions, "a Spark frame; gainful.sessions takes all others")
    opened = open_sessions(
        sessions,
        SPARK,
        "sessions",
        read_column_names(columns),
        gap=None if gap is None else parse_duration(gap, "gap"),
        events=events,
    )
    local_qrels = None if qrels is None else as_qrels_columns(as_qrels(qrels))
    matcher, _ = match_by(opened, local_qrels, gain_from, list(usual.values()))
    _, recipes = build_session_recipes(measures, like, settings, observed=matcher.observed)
    matcher = evolve(matcher, recipes=list(recipes.values()))
    names = flatten_names(dict.fromkeys(recipes, 0.0)) if flat else recipes
    return _keep_values(opened, matcher, dict(zip(names, recipes.values(), strict=True)))


def _keep_values(
    sessions: EngineSessions, matcher: PartMatcher, recipes: Mapping[str, SessionRecipe]
) -> Any:
    """A frame of values, computed when they are asked for; what is wrong with rows is told now."""
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
        worker = _make_session_worker(reader, compute, empty)
        schema = ", ".join(f"{_quote_column(name)} {kind}" for name, (kind, _) in kinds.items())
        return sessions.group_in_spark().applyInArrow(worker, schema)


def _make_session_worker(
    reader: PartReader, compute: Callable[[Sessions], pl.DataFrame | None], empty: pl.DataFrame
) -> Callable[[Any], Any]:
    """What a worker does with the rows of some whole sessions."""

    def evaluate_sessions(table: Any) -> Any:
        from gainful.read.engine_sessions import compute_part, read_arrow  # noqa: PLC0415
        from gainful.read.engines import as_spark_arrow  # noqa: PLC0415

        values, _, mistake = compute_part(read_arrow(table), reader, compute)
        if mistake is not None:
            raise mistake
        return as_spark_arrow(empty if values is None else values)

    return evaluate_sessions


def _quote_column(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _send_qrels(qrels: AnyQrels, run: LazyRun) -> tuple[nw.LazyFrame[Any], IdKinds]:
    """The judgments in Spark, and what their ids were."""
    if find_engine(qrels) is not SPARK:
        local_qrels = as_qrels_columns(as_qrels(qrels))
        empty_queries = pl.DataFrame(
            {"query": local_qrels.silent, "doc": None, "grade": None},
            schema=local_qrels.frame.schema,
        )
        return run.send(pl.concat([local_qrels.frame, empty_queries])), local_qrels.ids
    lazy_qrels = as_lazy_run(qrels, SPARK, "judgments", "grade")
    count = check_rows(lazy_qrels)
    with report_engine_errors(SPARK, "judgments"):
        repeated = count - SPARK.count_distinct(lazy_qrels.frame.to_native(), count)
        head = Header(as_narwhals(qrels).collect_schema().names(), "judgments")
    if repeated and head.find_column(SUBTOPIC) is None:
        raise Duplicated(
            "judgments",
            f"{repeated} of {count} rows judge a document a second time",
            "one grade for each query and document",
        )
    if repeated:  # for several subtopics: the highest grade counts, as in evaluate
        best = lazy_qrels.frame.group_by("query", "doc").agg(nw.col("grade").max())
        return best.select("query", "doc", "grade"), lazy_qrels.ids
    return lazy_qrels.frame, lazy_qrels.ids


def _refuse_early(
    judged: nw.LazyFrame[Any], run: LazyRun, recipes: Mapping[str, Recipe], convention: Convention
) -> float:
    """Refuse what can be known before Spark computes anything; gives the highest grade."""
    for name, recipe in recipes.items():
        if TIE_POLICIES[recipe.convention.ties].needs == "order":
            allowed = "a policy that needs no order of rows, which Spark has not"
            raise BadValue(f"ties of {name}", recipe.convention.ties, allowed)
    grade = nw.col("grade")
    grades = run.collect(
        judged.select(
            grade.max().alias("highest"),
            grade.min().alias("lowest"),
            as_int(grade != grade.floor()).sum().alias("fractions"),
        )
    ).row(0, named=True)
    conventions = [recipe.convention for recipe in recipes.values()]
    if any(each.negative == "error" for each in conventions) and (grades["lowest"] or 0.0) < 0:
        raise BadValue("a grade", grades["lowest"], "grades from 0 on (negative=error)")
    if any(each.fractional == "error" for each in conventions) and grades["fractions"]:
        raise BadValue("a grade", "a fraction", "whole numbers (fractional=error)")
    names = judged.select("query").unique(), run.frame.select("query").unique()
    for setting, value, (queries, others), problem in (
        ("missing", convention.missing, names, "is judged, but the run lacks it"),
        ("extra", convention.extra, names[::-1], "is in the run, but has no judgments"),
    ):
        if value == "error":
            lacking = run.collect(queries.join(others, on="query", how="anti").head(1))
            if len(lacking):
                message = f"query {lacking['query'][0]!r} {problem}"
                raise run.bad_input(message, f"the setting {setting} set to another than error")
    return max(0.0, float(grades["highest"] or 0.0))


def _refuse_nothing_in_common(judged: nw.LazyFrame[Any], run: LazyRun, ids: IdKinds) -> None:
    """Judgments and a run that have nothing in common are a mistake."""
    mixed = compare_id_types(ids, run.ids)
    common = run.frame.join(judged.select("query", "doc"), on=["query", "doc"], how="inner")
    if mixed and not len(run.collect(common.head(1))):
        raise NothingInCommon(run.name, f"nothing of it is judged: {mixed[0]}", SAME_ID_TYPE)
    judged_queries = judged.select("query").unique()
    if not len(run.collect(run.frame.join(judged_queries, on="query", how="inner").head(1))):
        raise NothingInCommon(run.name, "no query in common with the judgments")


def _make_worker(
    convention: Convention, recipes: Mapping[str, Recipe], own_entries: Mapping[str, Entry]
) -> Callable[[Any], Any]:
    """What a worker does; as little as can be, for it is sent there with all it refers to."""

    def evaluate_part(table: Any) -> Any:
        from gainful.spark import evaluate_arrow  # noqa: PLC0415  (that of the worker)

        return evaluate_arrow(table, convention, recipes, own_entries)

    return evaluate_part


def evaluate_arrow(
    table: Any,
    convention: Convention,
    recipes: Mapping[str, Recipe],
    own_entries: Mapping[str, Entry],
) -> Any:
    """The values of some whole queries: a table of Arrow in, a table of Arrow out."""
    import pyarrow as pa  # noqa: PLC0415  (Spark's)

    MEASURES.update(own_entries)  # registered on the driver: the worker has not heard of them
    frame = pl.from_arrow(table)
    matched = match_from_rows(frame if isinstance(frame, pl.DataFrame) else frame.to_frame())
    kept = choose_queries(matched, convention, "run")
    values = compute_measures(matched.select_queries(kept), recipes)
    columns = {"query": pa.array(matched.query_names(kept), pa.string())}
    for name, column in values.items():
        mask = np.ma.getmaskarray(column)
        columns[name] = pa.array(np.ma.filled(column, 0.0), pa.float64(), mask=mask)
    return pa.table(columns)
