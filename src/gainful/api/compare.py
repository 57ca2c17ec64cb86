"""Is one run really better than another?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from attrs import evolve

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import EvaluatedRun, evaluate_runs
from gainful.api.keywords import answer_keywords
from gainful.api.named_runs import (
    Runs,
    holds_results,
    refuse_reading,
    select_measures,
    separate_results,
    separate_runs,
)
from gainful.api.results import Results
from gainful.convention import Convention
from gainful.errors import WrongType
from gainful.evidence.clusters import ClusterChoice
from gainful.evidence.comparisons.compare import compare_results, compare_run_results
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.method import ComparisonOptions, build_method
from gainful.evidence.moves.moved_docs import find_largest_changes
from gainful.evidence.pairing import PairChoice, choose_baseline
from gainful.evidence.statistics.correction import Family
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.evidence.statistics.resampling import ALPHA, SEED
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.sessions.session_values import SessionValues
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels


@answer_keywords
def compare(
    qrels: AnyQrels | Results | Mapping[str, Results] | Sequence[Results],
    runs: Runs | AnyRun | Results | None = None,
    *more: AnyRun | Results | Measures,
    measures: Measures | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    family: Family = "measure",
    cluster: ClusterChoice | None = None,
    pairs: PairChoice = "all",
    equivalent: float | Mapping[str, float] | None = None,
    alpha: float = ALPHA,
    resamples: int | None = None,
    seed: int = SEED,
    standardise: str | None = None,
    per_query: bool = False,
    like: str | Convention | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Comparison:
    """Is one run really better than another, and by how much?

    Args:
        qrels: whatever `evaluate` takes; or what `evaluate` returned for two runs or more,
            together or one after the other.
        runs: two runs or more: by name, in a list, or one after the other.
        *more: further runs, and after the runs the measures.
        measures: whatever `evaluate` takes; the runs are compared in each.
        baseline: the run that the others are set against; the first if none is named.
        test: randomisation (default), t, wilcoxon, sign, bootstrap, bca, or tukey for all pairs.
        correct: how p is corrected over a family: max-t (step-down; default of randomisation),
            holm (default of other tests), bh, bonferroni, none. tukey takes care of the pairs
            itself.
        family: "measure", the pairs of one measure are corrected together; or "all", those of all
            measures.
        cluster: what queries belong to that are not independent, such as turns of a conversation:
            a pattern with a group, "^(.+)_[0-9]+$"; a column of the judgments or a run; or
            {query: cluster}. Whole clusters are flipped and drawn.
        pairs: compare all pairs of runs, or each run with the baseline.
        equivalent: also ask whether runs are practically the same, within this margin of the mean
            difference: of all measures, or {"nDCG@10": 0.01} of some. Two one-sided t tests
            (TOST), and the probabilities that a run is better, the same, worse.
        alpha: from which p on a difference counts as significant; intervals are of 1 - alpha.
        resamples: how many, where chance is asked: 10000, or as many as holm needs for so many
            comparisons.
        seed: which chance; the same seed gives the same numbers.
        standardise: score each run beside the others on the same query first: normal;
            three runs or more.
        per_query: find the queries that changed most by the first measure, and what moved there.
        like: the tool whose settings to follow.
        qrels_format: how a file of judgments is written; found out if it is not named.
        run_format: how files of runs are written.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, as `evaluate` takes them.

    Returns:
        `Comparison`: means, differences with intervals and p, groups that cannot be told apart.

    Examples:
        >>> qrels = {str(q): {"a": 1} for q in range(8)}
        >>> better = {str(q): ["a", "b"] for q in range(8)}
        >>> worse = {str(q): ["b", "a"] if q else ["a", "b"] for q in range(8)}
        >>> compare(qrels, {"worse": worse, "better": better}, "RR")
        better is better than worse in RR, by 0.438 (95 % interval 0.250 to 0.500, p = 0.016).
        ...
        >>> compare(qrels, worse, better, "RR").systems
        ('run 1', 'run 2')
    """
    options: ComparisonOptions = {
        "baseline": baseline,
        "correct": correct,
        "family": family,
        "pairs": pairs,
        "equivalent": equivalent,
        "alpha": alpha,
        "resamples": resamples,
        "seed": seed,
        "standardise": standardise,
    }
    method = build_method(TEST_NAMES, test, **options)
    if isinstance(qrels, SessionValues):
        raise WrongType("results", "of sessions", "results of runs; gainful.sessions.compare")
    if holds_results(qrels):
        reading = {"like": like, "qrels_format": qrels_format, "run_format": run_format}
        refuse_reading({**reading, **settings, "columns": columns, "per_query": per_query or None})
        results, measures = separate_results((qrels, runs, *more), measures)
        return compare_results(select_measures(results, measures), test, cluster, **options)
    named_runs, measures = separate_runs((runs, *more), measures)
    convention, recipes = build_recipes(measures, like, settings)
    names = list(named_runs)
    choose_baseline(baseline, names, "run")  # before anything is read
    clusters = find_clusters(
        cluster,
        ((qrels, qrels_format), *((run, run_format) for run in named_runs.values())),
        columns,
    )
    loaded_qrels = as_qrels(qrels, qrels_format, columns)
    evaluated = list(
        evaluate_runs(loaded_qrels, named_runs, recipes, convention, run_format, columns=columns)
    )
    comparison = compare_run_results([results for results, _ in evaluated], names, method, clusters)
    return _add_largest_changes(comparison, evaluated) if per_query else comparison


def _add_largest_changes(comparison: Comparison, evaluated: Sequence[EvaluatedRun]) -> Comparison:
    """The queries in which each run differs most from the baseline, by the first measure."""
    base_results, base_run = evaluated[comparison.systems.index(comparison.baseline)]
    recipe = next(iter(base_results.recipes.values()))
    changes = tuple(
        find_largest_changes((base_run, run), recipe, (base_results, results))
        for results, run in evaluated
        if results is not base_results
    )
    return evolve(comparison, largest_changes=changes)
