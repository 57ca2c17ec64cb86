"""Would other queries have ordered the runs alike? The swap and the stability method.

Both take halves of the queries at random, many times.

- The swap method (Voorhees & Buckley 2002): two disjoint halves order each pair of runs. The
  differences of the first half are put into bins; the swap rate of a bin is the share of its
  comparisons that the second half orders the other way. The difference that is needed is the first
  bin with a swap rate of at most 5 %; how many comparisons reach it says how well the measure tells
  runs apart (Sakai 2006). With few runs rates need not fall from bin to bin: then all comparisons
  from that bin on must be swapped in at most 5 % too.
- The stability method (Buckley & Voorhees 2000, as in Sakai 2006): a half calls two runs equal
  where they differ by less than 5 % of the better one. The minority rate is the share of
  comparisons on the smaller side of their pair, the proportion of ties that of those called equal.

Beside them stands Kendall's tau-b between the orders of the two halves, its mean over the trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil, log10
from typing import Any

import numpy as np
from attrs import frozen

from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.pairing import PairedValues
from gainful.measure.direction import HIGHER, Direction
from gainful.page.columns import Column, per_cent
from gainful.page.plain_data import to_plain_data
from gainful.text import count_noun
from gainful.types import Array, Flags, Ranks, is_whole_number

TRIALS = 1000
_MIN_TRIALS, _MAX_TRIALS = 100, 1_000_000
_FEWEST = 10  # queries, so that halves have five, the smallest sets of Voorhees & Buckley
_BINS = 21  # of 0.01, the last one open: those of Voorhees & Buckley
_BIN_WIDTH = 0.01
_MOST_SWAPS = 0.05  # of the comparisons of a bin, so that its difference is enough
_FUZZINESS = 0.05
_BATCH_NUMBERS = 1 << 22
_RANGE = (2.5, 97.5)  # percentiles of tau


@frozen
class SwapBin:
    """Comparisons whose difference in the first half is from `low` on and below the next bin."""

    low: float
    comparisons: int
    swaps: int

    @property
    def rate(self) -> float | None:
        """The share of them that the second half orders the other way."""
        return self.swaps / self.comparisons if self.comparisons else None


@frozen
class SplitHalf:
    """How far the halves of the queries order runs alike by a measure."""

    measure: str
    queries: int  # of a half
    trials: int
    bins: tuple[SwapBin, ...]
    needed: float | None  # the difference whose swap rate is at most 5 %
    minority_rate: float
    proportion_of_ties: float
    tau: float | None  # between the orders of both halves, the mean over trials
    tau_low: float | None
    tau_high: float | None

    @property
    def sensitivity(self) -> float:
        """The share of comparisons whose difference is at least the one that is needed."""
        if self.needed is None:
            return 0.0
        total = sum(swap_bin.comparisons for swap_bin in self.bins)
        enough = sum(b.comparisons for b in self.bins if b.low >= self.needed)
        return enough / total

    @property
    def tau_range(self) -> str | None:
        """Between which values tau is in 95 % of the trials."""
        return None if self.tau is None else f"{self.tau_low:.2f} to {self.tau_high:.2f}"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        bins = [to_plain_data(swap_bin) | {"rate": swap_bin.rate} for swap_bin in self.bins]
        return to_plain_data(self) | {"bins": bins, "sensitivity": self.sensitivity}


def check_trials(trials: object) -> None:
    """Refuse a number of trials that is none."""
    allowed = f"{_MIN_TRIALS} to {_MAX_TRIALS}"
    if not is_whole_number(trials):
        raise WrongType("trials", trials, allowed)
    if not _MIN_TRIALS <= trials <= _MAX_TRIALS:
        raise BadValue("trials", trials, allowed)


def split_queries(
    paired: PairedValues, trials: int, seed: int, direction: Direction = HIGHER
) -> SplitHalf:
    """The swap and the stability method for one measure; the same seed gives the same halves."""
    queries = len(paired.queries)
    if queries < _FEWEST:
        raise CannotCompare(
            f"{paired.measure}: {count_noun(queries, 'query')} cannot be split into halves "
            f"(at least {_FEWEST} are needed)"
        )
    half = queries // 2
    pairs = np.array(list(combinations(range(paired.values.shape[1]), 2)))
    width = _choose_width(paired.values)
    bins, swaps = np.zeros(_BINS, dtype=np.int64), np.zeros(_BINS, dtype=np.int64)
    wins, losses = (np.zeros(len(pairs), dtype=np.int64) for _ in range(2))
    taus = []
    generator = np.random.Generator(np.random.PCG64(seed))
    batch = max(1, _BATCH_NUMBERS // (queries * max(1, len(pairs))))
    for start in range(0, trials, batch):
        size = min(batch, trials - start)
        first, second = _draw_halves(paired.values, half, size, generator)
        differences = [means[:, pairs[:, 0]] - means[:, pairs[:, 1]] for means in (first, second)]
        differences = [
            _drop_noise(gap, means) for gap, means in zip(differences, (first, second), strict=True)
        ]
        place = np.minimum((np.abs(differences[0]) / width + 1e-9).astype(np.intp), _BINS - 1)
        swapped = differences[0] * differences[1] < 0
        bins += np.bincount(place.ravel(), minlength=_BINS)
        swaps += np.bincount(place[swapped], minlength=_BINS)
        equal = _are_equal(first, pairs, differences[0], direction)
        wins += ((differences[0] > 0) & ~equal).sum(axis=0)
        losses += ((differences[0] < 0) & ~equal).sum(axis=0)
        taus.append(_tau_of_pairs(*differences))
    total = trials * len(pairs)
    tau = np.concatenate(taus)
    tau = tau[np.isfinite(tau)]
    low, high = np.percentile(tau, _RANGE) if tau.size else (None, None)
    swap_bins = tuple(
        SwapBin(round(at * width, 12), int(count), int(number))
        for at, (count, number) in enumerate(zip(bins, swaps, strict=True))
    )
    return SplitHalf(
        measure=paired.measure,
        queries=half,
        trials=trials,
        bins=swap_bins,
        needed=_find_needed(swap_bins),
        minority_rate=float(np.minimum(wins, losses).sum()) / total,
        proportion_of_ties=1 - float((wins + losses).sum()) / total,
        tau=float(tau.mean()) if tau.size else None,
        tau_low=None if low is None else float(low),
        tau_high=None if high is None else float(high),
    )


def _choose_width(values: Array) -> float:
    """A hundredth for values up to 1; of larger ones a hundredth of the power of ten above."""
    largest = float(np.abs(values).max(initial=0.0))
    return _BIN_WIDTH if largest <= 1 else _BIN_WIDTH * 10.0 ** ceil(log10(largest))


def _draw_halves(
    values: Array, half: int, trials: int, generator: np.random.Generator
) -> tuple[Array, Array]:
    """The means of all runs over two disjoint sets of queries, a row for each trial."""
    order = generator.random((trials, len(values))).argsort(axis=1)
    first, second = (
        values[order[:, part]].mean(axis=1) for part in (slice(0, half), slice(half, 2 * half))
    )
    return first, second


def _drop_noise(differences: Array, means: Array) -> Array:
    """Differences of means that are rounding alone are none."""
    slack = 1e-12 * np.abs(means).max(axis=1, keepdims=True)
    return np.where(np.abs(differences) <= slack, 0.0, differences)


def _are_equal(means: Array, pairs: Ranks, differences: Array, direction: Direction) -> Flags:
    """Is the difference less than 5 % of the better run of the pair?"""
    better_of = np.minimum if direction.is_lower else np.maximum
    better = better_of(means[:, pairs[:, 0]], means[:, pairs[:, 1]])
    margin = _FUZZINESS * better
    return np.asarray((np.abs(differences) < margin) | (differences == 0))


def _tau_of_pairs(first: Array, second: Array) -> Array:
    """Kendall's tau-b of each trial, from the signs of all pairs; not a number where all tie."""
    left, right = np.sign(first), np.sign(second)
    weight = np.sqrt((left != 0).sum(axis=1) * (right != 0).sum(axis=1))
    taus = np.full(len(left), np.nan)
    np.divide((left * right).sum(axis=1), weight, out=taus, where=weight > 0)
    return taus


def _find_needed(bins: Sequence[SwapBin]) -> float | None:
    """The first bin that is swapped in at most 5 %, if what is at least as large is too."""
    for at, swap_bin in enumerate(bins):
        if swap_bin.rate is None or swap_bin.rate > _MOST_SWAPS:
            continue
        swaps = sum(later.swaps for later in bins[at:])
        if swaps <= _MOST_SWAPS * sum(later.comparisons for later in bins[at:]):
            return swap_bin.low
    return None


COLUMNS = (
    Column("measure"),
    Column("difference\nneeded", "needed", "g"),
    Column("sensitivity", show=per_cent()),
    Column("minority\nrate", "minority_rate", per_cent()),
    Column("ties", "proportion_of_ties", per_cent(), drop=2),
    Column("tau of\nhalves", "tau", ".4f"),
    Column("95 % of\ntrials", "tau_range", drop=1),
)


def describe_method(halves: Sequence[SplitHalf], *, verbose: bool) -> str:
    """How the table was computed, in a line."""
    first = halves[0]
    trials = f"{first.trials} random pairs of disjoint sets of {count_noun(first.queries, 'query')}"
    needed = "needed: for a swap rate of at most 5 %"
    text = f"{needed}; sensitivity: the share of comparisons that reach it · {trials}"
    if verbose:
        text += (
            " · swap rate after Voorhees & Buckley 2002, minority rate and ties (fuzziness 5 %) "
            "after Buckley & Voorhees 2000, both as in Sakai 2006"
        )
    return text
