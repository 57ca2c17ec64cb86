"""How good are millions of sessions, by group? Means that are computed where the sessions are."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

from gainful.api.session_options import EvaluationOptions, SessionReading, answer_session_options
from gainful.errors import BadValue
from gainful.match.session_groups import By
from gainful.measure.build_recipes import Measures
from gainful.measure.build_session_recipes import Cost
from gainful.measure.sessions.session_summary import SessionSummary, SummarySums
from gainful.measure.sessions.session_values import note_recipes
from gainful.read.inputs import AnyQrels


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
    from gainful.api.session_parts import prepare_parts  # noqa: PLC0415  (narwhals, slow to load)

    reading = SessionReading.from_options({**options, "cost": cost})
    _, recipes = reading.build_recipes(measures)
    for name, recipe in recipes.items():
        if recipe.convention.hold == "growing":
            allowed = f"held: {name} needs the longest session, and only some are read at a time"
            raise BadValue("hold", "growing", allowed)
    parts = prepare_parts(sessions, qrels, recipes, by, reading.options)
    observed = parts.matcher.observed
    convention, recipes = reading.build_recipes(measures, observed)
    ranks = max(
        (recipe.k or 0 for recipe in recipes.values() if curves and recipe.entry.has_vectors),
        default=0,
    )
    new_sums = partial(SummarySums, recipes, parts.by, parts.name, curves)
    sums, notes = parts.visit(new_sums, vector_ranks=ranks)
    return SessionSummary(
        name=parts.name,
        by=parts.by,
        sums=sums.sums,
        recipes=recipes,
        convention=convention,
        observed=observed,
        notes=[*notes, *note_recipes(recipes, observed)],
    )
