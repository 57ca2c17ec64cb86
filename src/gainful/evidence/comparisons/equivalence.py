"""Are systems practically the same, within a margin? Two one-sided tests, posteriors.

"Not significant" is no answer to that: few queries show no difference at all. Here the question is
whether the mean difference lies within a margin that the user names, as what is smaller does not
matter. Schuirmann's two one-sided t tests (TOST, 1987) put the burden of proof on equivalence. The
Bayesian comparison (Benavoli, Corani, Demšar & Zaffalon 2017) shares out one probability among
better, practically the same and worse: the mean has Student's t about the one that was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
from attrs import evolve

from gainful.evidence.comparisons.comparison_values import (
    ComparisonValues,
    Equivalence,
    Pair,
    name_pairs,
)
from gainful.evidence.method import Margins
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.effect_size import SKEWED, skewness_of_changes
from gainful.evidence.statistics.outcome import UnitSums
from gainful.measure.values import Results
from gainful.types import Array


def tost_p(mean: Array, error: Array, degrees: int, margin: float) -> Array:
    """The p of the hypothesis that means differ by the margin or more, either way.

    Where differences do not vary at all, it is 0 within the margin and 1 else. The errors are the
    standard errors of the mean differences, the degrees those of their freedom.

    Examples:
        >>> mean, error = np.array([0.1]), np.array([0.05])
        >>> round(float(tost_p(mean, error, 10, 0.2)[0]), 4)  # t = (0.2 - 0.1) / 0.05 = 2
        0.0367
    """
    below, above = _shift_t(mean, error, -margin), _shift_t(mean, error, margin)
    return np.asarray(np.maximum(_t_tail(below, degrees), _t_tail(-above, degrees)))


def posterior_t(
    mean: Array, error: Array, degrees: int, margin: float
) -> tuple[Array, Array, Array]:
    """The probability of better, practically the same, worse: in closed form; they add up to 1.

    Differences are taken to be about normal.

    Examples:
        >>> better, _, worse = posterior_t(np.array([0.1]), np.array([0.05]), 10, 0.2)
        >>> round(float(better[0]), 4), round(float(worse[0]), 4)
        (0.0367, 0.0001)
    """
    better = _t_tail(-_shift_t(mean, error, margin), degrees)
    worse = _t_tail(_shift_t(mean, error, -margin), degrees)
    return better, np.clip(1 - better - worse, 0, 1), worse


def _shift_t(mean: Array, error: Array, centre: float) -> Array:
    gap = mean - centre
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(gap == 0, 0.0, gap / error))


def _t_tail(t: Array, degrees: int) -> Array:
    from scipy.special import stdtr  # noqa: PLC0415  (slow to load)

    return np.asarray(stdtr(degrees, -t))


ComparisonT = TypeVar("ComparisonT", bound=ComparisonValues)


def add_equivalence(
    comparison: ComparisonT,
    results: Results,
    equivalent: Margins | None,
    differences: Callable[[Pair], UnitSums | None],
) -> ComparisonT:
    """A comparison whose pairs know whether they are practically the same, where that was asked.

    p is corrected by Holm over the pairs of a measure, unless nothing is to be corrected.

    Args:
        comparison: of all pairs.
        results: of a run or of sessions, which know how their measures are spelt.
        equivalent: one margin for all measures, or one for each of some.
        differences: of a pair, added up over what is independent: queries, clusters, searchers;
            None where there are fewer than two.
    """
    evidence, added, skewed = comparison.evidence, {}, []
    margins: Mapping[str, float] = {}
    if isinstance(equivalent, Mapping):
        margins = {results.find_name(name): float(value) for name, value in equivalent.items()}
    elif equivalent is not None:
        margins = dict.fromkeys(results.values, float(equivalent))
    for measure, margin in margins.items():
        chosen = [at for at, pair in enumerate(comparison.pairs) if pair.measure == measure]
        sums = {at: differences(comparison.pairs[at]) for at in chosen}
        known = {at: units for at, units in sums.items() if units is not None}
        if not known:
            continue
        p = np.concatenate([tost_p(*_describe_units(units), margin) for units in known.values()])
        corrected = p if evidence.correction == "none" else holm(p)
        for (at, units), *both in zip(known.items(), p.tolist(), corrected.tolist(), strict=True):
            shares = [*posterior_t(*_describe_units(units), margin)]
            if comparison.direction(measure).is_lower:
                shares.reverse()
            added[at] = Equivalence(margin, *both, *(float(share[0]) for share in shares))
            is_same = added[at].p_corrected <= evidence.method.resampling.alpha
            if is_same and abs(skewness_of_changes(units.unit_means[:, 0])) > SKEWED:
                skewed.append(comparison.pairs[at])
    pairs = (evolve(pair, equivalence=added.get(at)) for at, pair in enumerate(comparison.pairs))
    notes: tuple[str, ...] = ()
    if skewed:
        rates = "systems equivalent that differ by the margin (measured: in 9 to 12 %"
        which = name_pairs(skewed, "differences of ")
        notes = (f"{which} are skewed: TOST then too often calls {rates} instead of 5 %)",)
    return evolve(comparison, pairs=tuple(pairs), notes=notes)


def _describe_units(units: UnitSums) -> tuple[Array, Array, int]:
    return units.means(), units.standard_errors(), units.number - 1
