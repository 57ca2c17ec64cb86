"""Is one run really better than another? Runs compared query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from gainful.convention import Convention
from gainful.errors import BadValue, CannotCompare, WrongType, counted
from gainful.evidence.comparison import Comparison, Pair, Weighed, known
from gainful.evidence.effect_size import effect
from gainful.evidence.pairing import (
    Paired,
    Which,
    baseline_of,
    chosen_pairs,
    refuse_extremes,
    side_by_side,
    told_left_out,
)
from gainful.evidence.significance_tests import NAMES, tested
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    TUKEY,
    corrected_by,
    correction_for,
    family_of,
    power_level,
)
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, How
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.measure.evaluate import Habits, Measures, evaluate
from gainful.measure.results import Results
from gainful.read.inputs import AnyJudgments, AnyRun


def compare_runs(
    qrels: AnyJudgments,
    runs: Mapping[str, AnyRun],
    measures: Measures | None = None,
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    pairs: Which = "all",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Comparison:
    """Is one run really better than another, and by how much?

    Args:
        judgments: whatever `evaluate` takes.
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
        habits: single habits, as `evaluate` takes them.

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
    how = How(alpha=alpha, resamples=resamples, seed=seed)
    correction_for(test, correct, NAMES)
    found = evaluate(qrels, measures=measures, runs=runs, like=like, **habits)
    return compare_results(
        found, baseline=baseline, test=test, correct=correct, pairs=pairs, resampling=how
    )


def compare_results(
    results: Mapping[str, Results] | Sequence[Results],
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    pairs: Which = "all",
    resampling: How | None = None,
) -> Comparison:
    """The same of runs that are evaluated already."""
    resampling = How() if resampling is None else resampling
    correct = correction_for(test, correct, NAMES)
    if not isinstance(results, (Mapping, Sequence)) or isinstance(results, str):
        raise WrongType("results", results, "results by name, or a list of them")
    given = list(results.values()) if isinstance(results, Mapping) else list(results)
    if not all(isinstance(one, Results) for one in given):
        raise WrongType("results", given, "what gainful.evaluate returned")
    names = list(results) if isinstance(results, Mapping) else [one.name for one in given]
    _refuse_unlike(given, names)
    base = baseline_of(baseline, names, "run")
    chosen = np.array(chosen_pairs(pairs, len(names), names.index(base)), dtype=np.intp)
    held = [checked(side_by_side(given, measure), names) for measure in given[0].values]
    outcomes = [tested(one, chosen, test, resampling, names) for one in held]
    p = np.stack([outcome.p for outcome in outcomes])
    corrected = corrected_by(correct, p, test)
    level = power_level(correct, test, p, resampling.alpha)
    found = tuple(
        pair
        for one, outcome, row in zip(held, outcomes, corrected, strict=True)
        for pair in _pairs(one, outcome, row, chosen, names, level=level)
    )
    return Comparison(
        systems=tuple(names),
        baseline=base,
        measures=tuple(one.measure for one in held),
        means={one.measure: one.values.mean(axis=0) for one in held},
        units={one.measure: len(one.queries) for one in held},
        pairs=found,
        weighed=_weighed(
            test, correct, outcomes, family=family_of(p, test), level=level, resampling=resampling
        ),
        convention=given[0].to_dict()["convention"],
        source=given,
        notes=tuple(_notes(held, found, names)),
    )


def _refuse_unlike(given: Sequence[Results], names: Sequence[str]) -> None:
    """Only what was measured alike can be compared."""
    if len(given) < 2:
        raise BadValue("runs", len(given), "at least two")
    if len(set(names)) < len(names):
        raise BadValue("runs", list(names), "names that differ")
    for name, one in zip(names, given, strict=True):
        if {key: str(m) for key, m in one.measures.items()} != {
            key: str(m) for key, m in given[0].measures.items()
        }:
            raise CannotCompare(f"{name} and {names[0]} have not been given the same measures")
        differ = one.convention.differences(given[0].convention)
        if differ:
            raise CannotCompare(
                f"{name} and {names[0]} follow different conventions: {', '.join(differ)}"
            )


def checked(held: Paired, names: Sequence[str]) -> Paired:
    """Enough queries, and something to compare."""
    if len(held.queries) < 2:
        have = f"{counted(len(held.queries), 'query')} in common"
        raise CannotCompare(
            f"{held.measure}: {', '.join(names)} have {have}; a comparison needs at least 2"
        )
    refuse_extremes(held.values, held.measure)
    if not held.values.any():
        raise CannotCompare(
            f"{held.measure} is 0 for every query of every run: there is nothing to compare"
        )
    return held


def _pairs(
    held: Paired,
    outcome: Outcome,
    corrected: Array,
    chosen: Ranks,
    names: Sequence[str],
    *,
    level: float,
) -> list[Pair]:
    return [
        Pair(
            measure=held.measure,
            system=names[one],
            other=names[other],
            difference=float((held.values[:, one] - held.values[:, other]).mean()),
            low=known(outcome.low[at]),
            high=known(outcome.high[at]),
            p=float(outcome.p[at]),
            corrected=float(corrected[at]),
            effect=effect(held.values[:, one] - held.values[:, other], level),
        )
        for at, (one, other) in enumerate(chosen.tolist())
    ]


def _weighed(
    test: str,
    correct: str,
    outcomes: Sequence[Outcome],
    *,
    family: int,
    level: float,
    resampling: How,
) -> Weighed:
    words = "randomised Tukey HSD test" if test == TUKEY else TESTS[test].words
    return Weighed(
        test=test,
        words=words,
        correction=correct,
        correction_words=CORRECTIONS[correct].words,
        family=family,
        interval=outcomes[0].interval,
        exact=all(outcome.exact for outcome in outcomes),
        resampled=test == TUKEY or TESTS[test].resampled,
        unit="query",
        paired_by="query",
        level=level,
        how=resampling,
    )


def _notes(held: Sequence[Paired], pairs: Sequence[Pair], names: Sequence[str]) -> list[str]:
    notes = [note for one in held for note in told_left_out(one, names)]
    for pair in pairs:
        whom = f"{pair.measure}: {pair.system} and {pair.other}"
        if pair.identical:
            notes.append(f"{whom} have the same value in every query: p is 1")
        elif pair.unvaried:
            notes.append(f"{whom} differ by the same in every query: no effect size is defined")
        if pair.low is None:
            notes.append(f"{whom}: so few queries give no interval at this level")
    return notes


__all__ = ("compare_results", "compare_runs")
