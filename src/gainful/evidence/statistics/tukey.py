"""The randomised Tukey HSD test: all pairs of runs at once, paired by query, family-wise.

If nothing distinguishes the runs, the values of a query could as well be dealt to them in any
other order. The p of a pair is the share of such deals in which the best and the worst run are
as far apart as this pair is (Carterette 2012). So the chance that any pair at all is called
different by mistake is at most alpha if all runs are alike, in their spread too. Where runs vary
unequally it is larger; and beside a run that is very different, no other pair is found.
"""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.exact_sums import round_to_grid
from gainful.evidence.statistics.outcome import Outcome, p_value
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.progress import report_work
from gainful.types import Array, Ranks, slices

_BATCH_NUMBERS = 1 << 22
INTERVAL = "randomised Tukey HSD, simultaneous"


def tukey_test(values: Array, pairs: Ranks, resampling: Resampling) -> Outcome:
    """The p of each pair of columns of `values` (queries × runs), and its simultaneous interval."""
    return tukey_of_clusters(UnitSums.from_values(values), pairs, resampling)


def tukey_of_clusters(values: UnitSums, pairs: Ranks, resampling: Resampling) -> Outcome:
    """The p of each pair of runs where whole clusters are dealt, and its simultaneous interval.

    Args:
        values: a row for each cluster of queries, a column for each run.
        pairs: a row for each pair: the columns of the first and the second run.
        resampling: resamples, seed and level.
    """
    number, queries = values.number, values.sizes.sum()
    flat, steps = round_to_grid(values.sums.reshape(-1, 1), number)  # one grid for all runs
    grid_values, step = flat.reshape(values.sums.shape), steps[0]
    sums = grid_values.sum(axis=0)
    difference = sums[pairs[:, 0]] - sums[pairs[:, 1]]
    ranges = np.sort(_ranges(grid_values, resampling))
    narrower = np.searchsorted(ranges, np.abs(difference) - number, side="left")
    p = p_value((len(ranges) - narrower).astype(np.float64), len(ranges), exact=False)
    place = int(np.floor(resampling.alpha * (len(ranges) + 1)))
    margin = ranges[-place] if place else np.inf
    low, high = ((difference + side) / step / queries for side in (-margin, margin))
    return Outcome(p, low, high, INTERVAL)


def _ranges(grid_values: Array, resampling: Resampling) -> Array:
    """How far the best and the worst are apart, for each deal."""
    random = resampling.random_generator()
    ranges = []
    for part in slices(resampling.resamples, _BATCH_NUMBERS // grid_values.size):
        deals = np.broadcast_to(grid_values, (part.stop - part.start, *grid_values.shape))
        sums = random.permuted(deals, axis=2).sum(axis=1)
        ranges.append(np.ptp(sums, axis=1))
        report_work("resampling", part.stop / resampling.resamples)
    return np.concatenate(ranges)


NOTE = (
    "tukey holds its level only where runs vary alike, and finds little beside a run that is very "
    "different; randomisation with max-t, the default, has neither fault"
)
