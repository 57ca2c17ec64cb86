"""Figures of single rankings: judgments and runs are read and evaluated, then drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import (
    AllResults,
    RunOptions,
    RunReading,
    Runs,
    holds_results,
    name_runs,
    take_results,
)
from gainful.convention import Convention
from gainful.errors import BadInput, BadValue, UnknownName
from gainful.evidence.intervals import mean_intervals
from gainful.evidence.pairing import pair_results
from gainful.evidence.statistics.resampling import DEFAULT_LEVEL, RESAMPLES, SEED
from gainful.match.ties import TIE_POLICIES
from gainful.measure.build_recipes import Measures
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Entry, Recipe
from gainful.measure.language import expand, parse
from gainful.measure.measure import Measure
from gainful.measure.notes import require_qrels_overlap
from gainful.measure.results import Results, name_results
from gainful.read.inputs import AnyQrels
from gainful.show.figures import differences, dots, precision_recall, rank_curves
from gainful.show.figures.figure import FigureData
from gainful.types import Array

_MAX_CUTOFF = 1000


def curves_data(
    qrels: AnyQrels,
    runs: Runs | None = None,
    measure: str | Measure = "DCG@10",
    *,
    query: str | None = None,
    **options: Unpack[RunOptions],
) -> FigureData:
    """How does gain grow from rank to rank, and how far is it from the best that was possible?

    Args:
        qrels: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        measure: CG, DCG, nCG or nDCG with a cutoff; DCG@10 if none is named.
        query: of this query alone; the mean over queries if none is named.
        **options: how inputs are read, and whose settings count (`RunOptions`).

    Returns:
        Columns run, rank, value, ideal: what the run has gained down to that rank, and what the
        ideal ranking would have (1 for a share).
    """
    curve_measure = parse(measure)
    ranks = range(1, _check_curve_measure(curve_measure) + 1)
    measures = [curve_measure @ rank for rank in ranks]
    ideals = []
    if not curve_measure.entry.normalised:
        ideals = [_ideal_measure(curve_measure) @ rank for rank in ranks]
    results = _evaluate(qrels, runs, [*measures, *ideals], options)
    curves = {
        run: (
            _select_means(result, measures, query),
            _select_means(result, ideals, query) if ideals else np.ones(len(ranks)),
        )
        for run, result in results.items()
    }
    return rank_curves.build_data(curve_measure, curves, list(results.values()), query)


def differences_data(
    qrels: AnyQrels | AllResults,
    runs: Runs | None = None,
    measure: str | Measure | None = None,
    **options: Unpack[RunOptions],
) -> FigureData:
    """On which queries is one run better than another, and by how much?

    Args:
        qrels: whatever `gainful.evaluate` takes; or what it returned for two runs.
        runs: two of them, {name: run}; the first is what the other is set against.
        measure: nDCG@10 if none is named; of results, their first.
        **options: how inputs are read, and whose settings count (`RunOptions`).

    Returns:
        A row for each query, the greatest difference first: query, first, second, difference
        (second less first).
    """
    if measure is not None and len(expand(measure)) != 1:
        raise BadValue("measure", str(measure), "one measure")
    if holds_results(qrels):
        results = take_results((qrels, runs), measure, options)
    else:
        _refuse_more_than_two(name_runs(runs or ()))  # before anything is read
        results = _evaluate(qrels, runs, measure or "nDCG@10", options)
    _refuse_more_than_two(results)
    both, name = list(results.values()), next(iter(next(iter(results.values()))))
    pairs = pair_results(both, name) if len(both) == 2 else None
    return differences.build_data(name, both, pairs)


def _refuse_more_than_two(runs: Mapping[str, Any]) -> None:
    if len(runs) > 2:
        raise BadValue("runs", ", ".join(map(str, runs)), "two of them")


def precision_recall_data(
    qrels: AnyQrels, runs: Runs | None = None, **options: Unpack[RunOptions]
) -> FigureData:
    """How precise is a run where so much of what is relevant has been found?

    Args:
        qrels: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        **options: how inputs are read, and whose settings count (`RunOptions`).

    Returns:
        Columns run, recall (0, 0.1, … 1), precision: the mean over queries of IPrec.
    """
    measures = list(precision_recall.MEASURES)
    return precision_recall.build_data(_evaluate(qrels, runs, measures, options))


def dots_data(
    qrels: AnyQrels | AllResults,
    runs: Runs | None = None,
    measures: Measures | None = None,
    *,
    interval: float = DEFAULT_LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    **options: Unpack[RunOptions],
) -> FigureData:
    """How good are runs by several measures, and how sure is that?

    Args:
        qrels: whatever `gainful.evaluate` takes; or what it returned, of one run or more.
        runs: {name: run}.
        measures: one or several; nDCG@10, AP and RR if none is named.
        interval: its level in per cent; by t below 25 queries, else by bootstrap (BCa).
        resamples: how often.
        seed: where chance begins.
        **options: how inputs are read, and whose settings count (`RunOptions`).

    Returns:
        Columns run, measure, mean, low, high.
    """
    if holds_results(qrels):
        results = take_results((qrels, runs), measures, options)
    else:
        results = _evaluate(qrels, runs, measures, options)
    all_intervals = [
        mean_intervals(result, interval, resamples=resamples, seed=seed)
        for result in results.values()
    ]
    return dots.build_data(results, all_intervals)


def _evaluate(
    qrels: AnyQrels, runs: Runs | None, measures: Measures | None, options: RunOptions
) -> dict[str, Results]:
    """The results of each run by its name; refused where nothing at the depth is judged."""
    if holds_results(qrels):
        allowed = "judgments and runs: results have not these values"
        raise BadValue("results", ", ".join(name_results(qrels)), allowed)
    named_runs = name_runs(() if runs is None else runs)
    reading = RunReading.from_options(options)
    convention, recipes = reading.build_recipes(measures)
    names, depth = list(recipes), _common_depth(recipes, convention)
    wanted = names if depth is None else [*names, f"Judged@{depth}"]
    results = list(evaluate_runs(qrels, named_runs, wanted, reading))
    if depth is None:
        require_qrels_overlap(results)
    elif not any(result.mean[f"Judged@{depth}"] > 0 for result in results):
        problem = f"none of the top {depth} documents of any query is judged"
        allowed = "judgments of what was retrieved, or more depth"
        raise BadInput(", ".join(result.name for result in results), problem, allowed)
    return {result.name: result.select_measures(names) for result in results}


def _common_depth(recipes: Mapping[str, Recipe], convention: Convention) -> int | None:
    """How deep all measures together look; None where one looks at all, or ties are averaged."""
    depths = [recipe.depth for recipe in recipes.values() if recipe.depth is not None]
    averages = TIE_POLICIES[convention.ties].averages
    return None if averages or len(depths) < len(recipes) else max(depths)


def _check_curve_measure(measure: Measure) -> int:
    """The depth of a measure that can be drawn by rank; others are refused."""
    if not _grows_by_rank(measure.entry):
        alternatives = [name for name, entry in MEASURES.items() if _grows_by_rank(entry)]
        allowed = f"one that grows by rank: {', '.join(alternatives)}"
        raise BadValue("measure", str(measure), allowed)
    if measure.k is None or measure.k > _MAX_CUTOFF:
        allowed = f"a cutoff up to {_MAX_CUTOFF}, such as {measure @ 10}"
        raise BadValue("measure", str(measure), allowed)
    return int(measure.k)


def _grows_by_rank(entry: Entry) -> bool:
    return entry.cumulated and entry.gain_of != "ideal"


def _ideal_measure(measure: Measure) -> Measure:
    """The best that was possible, by the same gains and discount."""
    allowed_params = MEASURES["IDCG"].params
    params = {param: value for param, value in measure.params if param in allowed_params}
    if not measure.entry.discounted:
        params["discount"] = "none"
    return Measure("IDCG", tuple(params.items()))


def _select_means(results: Results, measures: Sequence[Measure], query: str | None) -> Array:
    """The mean of each measure, or its value of one query."""
    if query is None:
        return np.array([results.mean[str(measure)] for measure in measures])
    if query not in results.queries:
        raise UnknownName("query", query, results.queries)
    row = list(results.queries).index(query)
    values = [np.ma.asarray(results.values[str(measure)])[row] for measure in measures]
    return np.array([np.nan if np.ma.is_masked(value) else float(value) for value in values])
