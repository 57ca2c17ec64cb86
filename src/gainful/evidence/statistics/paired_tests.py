"""Paired tests of differences, a column for each pair of runs, and the table of all of them.

A test takes a row for each query, or `UnitSums` where queries belong to clusters: whole clusters
are flipped and drawn then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.bootstrap import bootstrap_test
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.outcome import (
    Alternative,
    Outcome,
    Resampling,
    UnitSums,
    critical_value,
    drop_rounding_noise,
    invert_test,
    join_outcomes,
    p_for_alternative,
    p_value,
    round_to_grid,
)
from gainful.progress import report_work
from gainful.types import Array, Ranks, slices

T_INTERVAL = "t"
MAX_EXACT_DIFFERENCES = 16  # differences of which all 2**n flips are looked at
MAX_EXACT_RANKS = 50  # differences whose 2**n ways a floating-point number still counts exactly
_BATCH_NUMBERS = 1 << 19  # that are worked on together, so that they stay near the processor
_BATCH_DEALS = 1 << 22
_BATCH_CANDIDATES = 1 << 25  # that are held together
Differences = Array | UnitSums


# ── Student's t ──────────────────────────────────────────────────────────────────────────────────


def t_test(differences: Differences, resampling: Resampling) -> Outcome:
    """The paired t test; of clusters by the cluster-robust error, clusters - 1 degrees.

    Examples:
        >>> outcome = t_test(np.array([[1.0], [2.0], [4.0]]), Resampling())
        >>> round(float(outcome.p[0]), 4)  # t = (7/3) / (1.5275 / √3) = 2.6458, two degrees
        0.1181
        >>> sums = UnitSums(np.array([[2.0], [4.0], [8.0]]), np.array([2.0, 2.0, 2.0]))
        >>> round(float(t_test(sums, Resampling()).p[0]), 4)  # clusters of one size: their means
        0.1181
    """
    from scipy.special import stdtr  # noqa: PLC0415  (slow to load)

    units = UnitSums.from_values(differences)
    mean, error = units.means(), units.standard_errors()
    p, varies = np.ones(len(mean)), error > 0  # identical runs differ by nothing at all
    t, degrees = mean[varies] / error[varies], units.number - 1
    p[varies] = p_for_alternative(stdtr(degrees, -t), stdtr(degrees, t), resampling.alternative)
    name = "t, cluster-robust" if units.is_clustered else T_INTERVAL
    return Outcome(p, *t_interval(units, resampling.alpha), name)


def t_interval(differences: Differences, alpha: float) -> tuple[Array, Array]:
    """The interval of each column's mean by Student's t; undefined for constant columns.

    Examples:
        >>> low, high = t_interval(np.array([[1.0], [2.0], [4.0]]), 0.05)
        >>> round(float(low[0]), 4), round(float(high[0]), 4)  # 7/3 ± 4.3027 × 1.5275 / √3
        (-1.4612, 6.1279)
    """
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to load)

    units = UnitSums.from_values(differences)
    reach = -stdtrit(units.number - 1, alpha / 2) * units.standard_errors()
    constant = constant_columns(units.unit_means)
    reach[constant] = np.where(units.sums[0, constant] == 0, 0.0, np.inf)
    return units.means() - reach, units.means() + reach


# ── signs and ranks; the interval is of the mean, by t ───────────────────────────────────────────


def sign_test(differences: Array, resampling: Resampling) -> Outcome:
    """The sign test: how many queries are better, of those that differ at all?"""
    from scipy.special import bdtr  # noqa: PLC0415  (slow to load)

    better, worse = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    greater, less = (bdtr(up, better + worse, 0.5) for up in (worse, better))
    p = p_for_alternative(greater, less, resampling.alternative)
    return Outcome(p, *t_interval(differences, resampling.alpha), T_INTERVAL)


def wilcoxon_test(differences: Array, resampling: Resampling) -> Outcome:
    """Wilcoxon's signed-rank test, of the middle of the differences and not of their mean."""
    p = wilcoxon_p(differences, resampling.alternative)
    return Outcome(p, *t_interval(differences, resampling.alpha), T_INTERVAL)


def wilcoxon_p(differences: Array, alternative: Alternative = "two-sided") -> Array:
    """The p of each column; differences of zero are left out of it.

    Up to 50 differences that are not zero p is exact, ties or not; beyond, the sum of ranks is
    taken for normal, its variance corrected for ties.

    Examples:
        >>> wilcoxon_p(np.array([[1.0], [2.0], [3.0], [3.0]])).tolist()  # 2 of 16 ways
        [0.125]
    """
    from scipy.stats import norm, rankdata  # noqa: PLC0415  (slow to load, only tests need it)

    sizes = drop_rounding_noise(np.abs(differences).T).T
    nonzero = sizes > 0
    ranks = np.where(nonzero, rankdata(sizes, axis=0) - (~nonzero).sum(axis=0), 0.0)
    positive = np.where(differences > 0, ranks, 0.0).sum(axis=0)
    deviation = np.sqrt((ranks**2).sum(axis=0)) / 2
    z = (positive - ranks.sum(axis=0) / 2) / np.where(deviation > 0, deviation, 1.0)
    greater, less = norm.sf(z), norm.cdf(z)
    counts: dict[bytes, Array] = {}
    for at in np.flatnonzero(nonzero.sum(axis=0) <= MAX_EXACT_RANKS):
        doubled = np.sort(np.rint(2 * ranks[nonzero[:, at], at]).astype(np.intp))
        if doubled.tobytes() not in counts:  # without ties all columns have the same
            counts[doubled.tobytes()] = count_rank_sums(doubled)
        ways = counts[doubled.tobytes()]
        place = int(np.rint(2 * positive[at]))
        greater[at], less[at] = ways[place:].sum(), ways[: place + 1].sum()
    return p_for_alternative(greater, less, alternative)


def count_rank_sums(doubled_ranks: Array) -> Array:
    """The share of all ways to give signs in which the positive ranks, doubled, sum to 0, 1, ….

    Twice a rank is a whole number even where ties share ranks, so the sums of all 2**n ways are
    counted one rank after the other.

    Examples:
        >>> count_rank_sums(np.array([2, 4])).tolist()  # nothing, the first, the second, both
        [0.25, 0.0, 0.25, 0.0, 0.25, 0.0, 0.25]
    """
    ways = np.zeros(int(np.sum(doubled_ranks)) + 1)
    ways[0] = 1.0
    for rank in doubled_ranks.tolist():
        ways[rank:] += ways[: ways.size - rank].copy()
    return np.asarray(ways / 2.0 ** len(doubled_ranks))


# ── randomisation: were the two runs exchangeable, query by query? ───────────────────────────────


def randomisation_test(differences: Differences, resampling: Resampling) -> Outcome:
    """The sign-flip test (Fisher 1935): the share of all ways to flip signs as far from zero.

    All pairs of runs are flipped together: one product of matrices.

    Examples:
        >>> outcome = randomisation_test(
        ...     np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]]), Resampling()
        ... )
        >>> float(outcome.p[0]), outcome.exact  # 2 of the 64 ways to flip are as extreme
        (0.03125, True)
    """
    units = UnitSums.from_values(differences)
    pairs = units.sums.shape[1]
    exact = units.number <= MAX_EXACT_DIFFERENCES
    ways = 2**units.number if exact else 2 * (resampling.resamples + 1)
    blocks = []
    for part in slices(pairs, _BATCH_CANDIDATES // ways):
        blocks.append(_flip_block(units.select(part), resampling, ways, exact=exact))
        report_work("resampling", part.stop / pairs)
    return join_outcomes(blocks, np.concatenate)


def _flip_block(units: UnitSums, resampling: Resampling, ways: int, *, exact: bool) -> Outcome:
    """Flipping some differences takes twice their sum from the whole.

    So a way to flip is as far above as what was seen where that sum is not positive; and the shift
    at which it becomes so is the mean of those that are flipped.
    """
    number, pairs = units.sums.shape
    grid_values, steps = round_to_grid(units.sums, number)
    above, below = np.zeros(pairs), np.zeros(pairs)
    means = np.empty((pairs, ways))
    filled = 0
    for sums, flip_counts in _sum_flipped(grid_values, units.sizes, resampling):
        sums[np.abs(sums) <= number / 2] = 0.0  # as much as rounding can be
        above += (sums <= 0).sum(axis=1)
        below += (sums >= 0).sum(axis=1)
        flipping = flip_counts > 0  # what flips nothing is what was seen
        kept = sums if flipping.all() else sums[:, flipping]
        width = kept.shape[1]
        np.divide(kept, flip_counts[flipping], out=means[:, filled : filled + width])
        filled += width
    low, high = invert_test(means[:, :filled], ways - filled, resampling.alpha)
    p = p_for_alternative(above / ways, below / ways, resampling.alternative)
    return Outcome(p, low / steps, high / steps, "inverted randomisation test", exact)


def _sum_flipped(
    grid_values: Array, sizes: Array, resampling: Resampling
) -> Iterator[tuple[Array, Array]]:
    """Of many ways to flip: the sums of what is flipped (pairs × ways), and how many that are.

    A sample has with each way its mirror image, which flips all the others: what was seen, with
    its own, first. So the sample is symmetric about zero, as all ways together are, and p counts
    the means that are as far from zero on either side: there are twice as many of them as beyond
    one side, so that it depends less on chance.
    """
    total = grid_values.sum(axis=0)[:, None]
    exact = len(grid_values) <= MAX_EXACT_DIFFERENCES
    if not exact:
        yield np.zeros_like(total), np.zeros(1)
        yield total.copy(), np.full(1, sizes.sum())
    for flips in sign_flips(len(grid_values), resampling):
        sums, flip_counts = grid_values.T @ flips.T, flips @ sizes
        mirrored = None if exact else total - sums
        yield sums, flip_counts
        if mirrored is not None:
            yield mirrored, sizes.sum() - flip_counts


def sign_flips(number: int, resampling: Resampling) -> Iterator[Array]:
    """Rows of ones and zeros: all there are, or a sample that depends on the seed alone."""
    if number <= MAX_EXACT_DIFFERENCES:
        all_flips = np.arange(2**number)[:, None] >> np.arange(number) & 1
        yield all_flips.astype(np.float64)
        return
    random = resampling.random_generator()
    for part in slices(resampling.resamples, _BATCH_NUMBERS // number):
        shape = (part.stop - part.start, number)
        bits = np.unpackbits(np.frombuffer(random.bytes(-(-shape[0] * number // 8)), np.uint8))
        yield bits[: shape[0] * number].reshape(shape).astype(np.float64)


# ── practically the same, within a margin? ───────────────────────────────────────────────────────
# "Not significant" is no answer to that: few queries show no difference at all. Here the question
# is whether the mean difference lies within a margin that the user names. Schuirmann's two
# one-sided t tests (TOST, 1987) put the burden of proof on equivalence. The Bayesian comparison
# (Benavoli, Corani, Demšar & Zaffalon 2017) shares out one probability among better, practically
# the same and worse: the mean has Student's t about the one that was seen.


def tost_p(mean: Array, error: Array, degrees: int, margin: float) -> Array:
    """The p of the hypothesis that means differ by the margin or more, either way.

    Where differences do not vary at all, it is 0 within the margin and 1 else. The errors are the
    standard errors of the mean differences, the degrees those of their freedom.
    """
    below, above = _shift_t(mean, error, -margin), _shift_t(mean, error, margin)
    return np.asarray(np.maximum(_t_tail(below, degrees), _t_tail(-above, degrees)))


def posterior_t(
    mean: Array, error: Array, degrees: int, margin: float
) -> tuple[Array, Array, Array]:
    """The probability of better, practically the same, worse: in closed form; they add up to 1.

    Differences are taken to be about normal.
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


# ── Tukey's HSD by randomisation: all pairs of runs at once ──────────────────────────────────────

TUKEY_WORDS = "randomised Tukey HSD test"
TUKEY_NOTE = (
    "tukey keeps its level only where runs vary equally, and has little power next to a very "
    "different run; randomisation with max-t, the default, has neither problem"
)


def tukey_test(values: Differences, pairs: Ranks, resampling: Resampling) -> Outcome:
    """The p of each pair of columns (queries × runs), family-wise, and its simultaneous interval.

    If nothing distinguishes the runs, the values of a query could as well be dealt to them in any
    other order. The p of a pair is the share of such deals in which the best and the worst run are
    as far apart as this pair is (Carterette 2012). So the chance that any pair at all is called
    different by mistake is at most alpha if all runs are alike, in their spread too.
    """
    units = UnitSums.from_values(values)
    flat, (step,) = round_to_grid(units.sums.reshape(-1, 1), units.number)  # one for all runs
    grid_values = flat.reshape(units.sums.shape)
    sums = grid_values.sum(axis=0)
    difference = sums[pairs[:, 0]] - sums[pairs[:, 1]]
    random, dealt = resampling.random_generator(), []
    for part in slices(resampling.resamples, _BATCH_DEALS // grid_values.size):
        deals = np.broadcast_to(grid_values, (part.stop - part.start, *grid_values.shape))
        dealt.append(np.ptp(random.permuted(deals, axis=2).sum(axis=1), axis=1))
        report_work("resampling", part.stop / resampling.resamples)
    ranges = np.sort(np.concatenate(dealt))
    narrower = np.searchsorted(ranges, np.abs(difference) - units.number, side="left")
    p = p_value((len(ranges) - narrower).astype(np.float64), len(ranges), exact=False)
    margin = critical_value(ranges, resampling.alpha, exact=False)
    low, high = ((difference + side) / step / units.sizes.sum() for side in (-margin, margin))
    return Outcome(p, low, high, "randomised Tukey HSD, simultaneous")


# ── the table ────────────────────────────────────────────────────────────────────────────────────


@frozen
class PairedTest:
    """One test of differences by query, a column for each pair of runs."""

    name: str
    words: str
    question: str
    function: Callable[..., Outcome]
    resampled: bool = False  # does chance have a hand in p?
    needs_variance: bool = False  # does it need differences that are not all alike?
    note: str = ""  # what p says otherwise than the mean difference beside it
    takes_clusters: bool = True
    flips_signs: bool = False  # is no p below 2 of the 2ⁿ ways to flip n signs?


_NOT_OF_THE_MEAN = "it does not test the mean difference, nor its interval (by t)"
_ALL_TESTS = (
    PairedTest(
        *("randomisation", "sign-flip randomisation test"),
        *("could the two runs be exchanged, query by query?", randomisation_test),
        resampled=True,
        flips_signs=True,
    ),
    PairedTest(
        *("t", "paired t test"),
        *("is the mean difference zero, if differences are about normal?", t_test),
        needs_variance=True,
    ),
    PairedTest(
        *("wilcoxon", "Wilcoxon signed-rank test"),
        *("are differences symmetric about zero, by their ranks?", wilcoxon_test),
        note="p asks whether differences are symmetric about zero, by their ranks; "
        + _NOT_OF_THE_MEAN,
        takes_clusters=False,
        flips_signs=True,
    ),
    PairedTest(
        *("sign", "sign test", "are as many queries better as worse?", sign_test),
        note=f"p asks whether as many queries are better as worse; {_NOT_OF_THE_MEAN}",
        takes_clusters=False,
        flips_signs=True,
    ),
    PairedTest(
        *("bootstrap", "bootstrap test (percentile)"),
        "does the bootstrap interval of the mean contain zero?",
        partial(bootstrap_test, method="percentile"),
        resampled=True,
        needs_variance=True,
    ),
    PairedTest(
        *("bca", "bootstrap test (BCa)", "the same, corrected for bias and skewness"),
        partial(bootstrap_test, method="BCa"),
        resampled=True,
        needs_variance=True,
    ),
)
TESTS: Mapping[str, PairedTest] = {test.name: test for test in _ALL_TESTS}
TEST_NAMES = (*TESTS, TUKEY)
