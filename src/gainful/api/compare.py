"""Is one run really better than another?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from attrs import evolve

from gainful.api.evaluate import EvaluatedRun, evaluate_runs
from gainful.api.keywords import answer_keywords
from gainful.convention import Convention
from gainful.errors import BadValue, WrongType
from gainful.evidence.comparisons.assemble_comparison import build_method
from gainful.evidence.comparisons.compare_runs import compare_run_results
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.moves.moved_docs import find_largest_changes
from gainful.evidence.pairing import TEST_NAMES, PairChoice, choose_baseline
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.results import Results
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels


@answer_keywords
def compare(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun],
    measures: Measures | None = None,
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    pairs: PairChoice = "all",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    per_query: bool = False,
    like: str | Convention | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Comparison:
    """Is one run really better than another, and by how much?

    Args:
        qrels: whatever `evaluate` takes.
        runs: two runs or more, by name.
        measures: whatever `evaluate` takes; the runs are compared in each.
        baseline: the run that the others are set against; the first if none is named.
        test: randomisation (default), t, wilcoxon, sign, bootstrap, bca, or tukey for all pairs.
        correct: how p is corrected across measures and pairs: holm (default), bh, bonferroni, none.
            tukey takes care of the pairs itself; it takes bonferroni (default) across measures.
        pairs: compare all pairs of runs, or each run with the baseline.
        alpha: from which p on a difference counts as significant; intervals are of 1 - alpha.
        resamples: how many, where chance is asked.
        seed: which chance; the same seed gives the same numbers.
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
    """
    if not isinstance(runs, Mapping) or len(runs) < 2:
        raise BadValue("runs", runs, "{name: run}, with at least two")
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    convention, recipes = build_recipes(measures, like, settings)
    names = [str(name) for name in runs]
    choose_baseline(baseline, names, "run")  # before anything is read
    method = build_method(TEST_NAMES, test, correct, baseline, pairs=pairs, resampling=resampling)
    loaded_qrels = as_qrels(qrels, qrels_format, columns)
    evaluated = list(
        evaluate_runs(loaded_qrels, runs, recipes, convention, run_format, columns=columns)
    )
    comparison = compare_run_results([results for results, _ in evaluated], names, method)
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


def compare_results(
    results: Mapping[str, Results] | Sequence[Results],
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    pairs: PairChoice = "all",
    resampling: Resampling | None = None,
) -> Comparison:
    """Is one run really better than another, of runs that are evaluated already?

    Args:
        results: what `evaluate` returned for runs by name, or a list of such results.
        baseline: the run that the others are set against; the first if none is named.
        test: as `compare` has it.
        correct: as `compare` has it.
        pairs: compare all pairs of runs, or each run with the baseline.
        resampling: the level, the resamples and the seed.
    """
    method = build_method(TEST_NAMES, test, correct, baseline, pairs=pairs, resampling=resampling)
    if not isinstance(results, (Mapping, Sequence)) or isinstance(results, str):
        raise WrongType("results", results, "results by name, or a list of them")
    run_results = list(results.values()) if isinstance(results, Mapping) else list(results)
    if not all(isinstance(item, Results) for item in run_results):
        raise WrongType("results", run_results, "what gainful.evaluate returned")
    names = list(results) if isinstance(results, Mapping) else [item.name for item in run_results]
    return compare_run_results(run_results, names, method)
