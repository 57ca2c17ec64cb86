"""Is one run really better than another? Runs compared query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from gainful.convention import Convention
from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.comparison import Comparison, Evidence, Pair, finite_or_none
from gainful.evidence.pairing import (
    TEST_NAMES,
    PairChoice,
    PairedValues,
    apply_test,
    choose_baseline,
    choose_pairs,
    describe_left_out,
    pair_results,
    refuse_extremes,
)
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    TUKEY,
    correct_p_values,
    correction_for,
    family_size,
    power_level,
)
from gainful.evidence.statistics.effect_size import effect_size
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.measure.evaluate import EvaluationSettings, Measures, evaluate
from gainful.measure.results import Results
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.text import count_noun
from gainful.types import Array, Ranks


def compare_runs(
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
    like: str | Convention | None = None,
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
        like: the tool whose habits to follow.
        settings: single habits, as `evaluate` takes them.

    Returns:
        `Comparison`: means, differences with intervals and p, groups that cannot be told apart.

    Examples:
        >>> judged = {str(q): {"a": 1} for q in range(8)}
        >>> better = {str(q): ["a", "b"] for q in range(8)}
        >>> worse = {str(q): ["b", "a"] if q else ["a", "b"] for q in range(8)}
        >>> compare_runs(judged, {"worse": worse, "better": better}, "RR")
        Comparison of 2 systems, baseline worse, sign-flip randomisation test
        RR: better +0.4375, p = 0.0156 *
    """
    if not isinstance(runs, Mapping) or len(runs) < 2:
        raise BadValue("runs", runs, "{name: run}, with at least two")
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    correction_for(test, correct, TEST_NAMES)
    results = evaluate(qrels, measures=measures, runs=runs, like=like, **settings)
    return compare_results(
        results, baseline=baseline, test=test, correct=correct, pairs=pairs, resampling=resampling
    )


def compare_results(
    results: Mapping[str, Results] | Sequence[Results],
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    pairs: PairChoice = "all",
    resampling: Resampling | None = None,
) -> Comparison:
    """The same of runs that are evaluated already."""
    resampling = Resampling() if resampling is None else resampling
    correct = correction_for(test, correct, TEST_NAMES)
    if not isinstance(results, (Mapping, Sequence)) or isinstance(results, str):
        raise WrongType("results", results, "results by name, or a list of them")
    run_results = list(results.values()) if isinstance(results, Mapping) else list(results)
    if not all(isinstance(result, Results) for result in run_results):
        raise WrongType("results", run_results, "what gainful.evaluate returned")
    names = (
        list(results) if isinstance(results, Mapping) else [result.name for result in run_results]
    )
    _refuse_unlike(run_results, names)
    baseline_name = choose_baseline(baseline, names, "run")
    index_pairs = np.array(
        choose_pairs(pairs, len(names), names.index(baseline_name)), dtype=np.intp
    )
    all_paired = [
        check_comparable(pair_results(run_results, measure), names)
        for measure in run_results[0].values
    ]
    outcomes = [apply_test(paired, index_pairs, test, resampling, names) for paired in all_paired]
    p = np.stack([outcome.p for outcome in outcomes])
    corrected_p = correct_p_values(correct, p, test)
    significance_level = power_level(correct, test, p, resampling.alpha)
    all_pairs = tuple(
        pair
        for paired, outcome, row in zip(all_paired, outcomes, corrected_p, strict=True)
        for pair in _build_pairs(paired, outcome, row, index_pairs, names, level=significance_level)
    )
    return Comparison(
        systems=tuple(names),
        baseline=baseline_name,
        measures=tuple(paired.measure for paired in all_paired),
        means={paired.measure: paired.values.mean(axis=0) for paired in all_paired},
        units={paired.measure: len(paired.queries) for paired in all_paired},
        pairs=all_pairs,
        evidence=_build_evidence(
            test,
            correct,
            outcomes,
            family=family_size(p, test),
            level=significance_level,
            resampling=resampling,
        ),
        convention=run_results[0].to_dict()["convention"],
        results=run_results,
        notes=tuple(_notes(all_paired, all_pairs, names)),
    )


def _refuse_unlike(results: Sequence[Results], names: Sequence[str]) -> None:
    """Only what was measured alike can be compared."""
    if len(results) < 2:
        raise BadValue("runs", len(results), "at least two")
    if len(set(names)) < len(names):
        raise BadValue("runs", list(names), "names that differ")
    for name, result in zip(names, results, strict=True):
        if {key: str(m) for key, m in result.measures.items()} != {
            key: str(m) for key, m in results[0].measures.items()
        }:
            raise CannotCompare(f"{name} and {names[0]} have not been given the same measures")
        differences = result.convention.differences(results[0].convention)
        if differences:
            raise CannotCompare(
                f"{name} and {names[0]} follow different conventions: {', '.join(differences)}"
            )


def check_comparable(paired: PairedValues, names: Sequence[str]) -> PairedValues:
    """Enough queries, and something to compare."""
    if len(paired.queries) < 2:
        common = f"{count_noun(len(paired.queries), 'query')} in common"
        raise CannotCompare(
            f"{paired.measure}: {', '.join(names)} have {common}; a comparison needs at least 2"
        )
    refuse_extremes(paired.values, paired.measure)
    if not paired.values.any():
        raise CannotCompare(
            f"{paired.measure} is 0 for every query of every run: there is nothing to compare"
        )
    return paired


def _build_pairs(
    paired: PairedValues,
    outcome: Outcome,
    corrected_p: Array,
    index_pairs: Ranks,
    names: Sequence[str],
    *,
    level: float,
) -> list[Pair]:
    return [
        Pair(
            measure=paired.measure,
            system=names[first],
            other=names[second],
            difference=float((paired.values[:, first] - paired.values[:, second]).mean()),
            low=finite_or_none(outcome.low[at]),
            high=finite_or_none(outcome.high[at]),
            p=float(outcome.p[at]),
            corrected=float(corrected_p[at]),
            effect=effect_size(paired.values[:, first] - paired.values[:, second], level),
        )
        for at, (first, second) in enumerate(index_pairs.tolist())
    ]


def _build_evidence(
    test: str,
    correct: str,
    outcomes: Sequence[Outcome],
    *,
    family: int,
    level: float,
    resampling: Resampling,
) -> Evidence:
    test_words = "randomised Tukey HSD test" if test == TUKEY else TESTS[test].words
    return Evidence(
        test=test,
        test_words=test_words,
        correction=correct,
        correction_words=CORRECTIONS[correct].words,
        family=family,
        interval=outcomes[0].interval_method,
        exact=all(outcome.exact for outcome in outcomes),
        resampled=test == TUKEY or TESTS[test].resampled,
        unit="query",
        paired_by="query",
        power_level=level,
        resampling=resampling,
    )


def _notes(
    all_paired: Sequence[PairedValues], pairs: Sequence[Pair], names: Sequence[str]
) -> list[str]:
    notes = [note for paired in all_paired for note in describe_left_out(paired, names)]
    for pair in pairs:
        subject = f"{pair.measure}: {pair.system} and {pair.other}"
        if pair.identical:
            notes.append(f"{subject} have the same value in every query: p is 1")
        elif pair.constant:
            notes.append(f"{subject} differ by the same in every query: no effect size is defined")
        if pair.low is None:
            notes.append(f"{subject}: so few queries give no interval at this level")
    return notes


__all__ = ("compare_results", "compare_runs")
