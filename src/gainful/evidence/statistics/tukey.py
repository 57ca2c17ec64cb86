"""The randomised Tukey HSD test: all pairs of runs at once, paired by query, family-wise.

If nothing distinguishes the runs, the values of a query could as well be dealt to them in any
other order. The p of a pair is the share of such deals in which the best and the worst run are
as far apart as this pair is (Carterette 2012). So the chance that any pair at all is called
different by mistake is at most alpha.
"""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.exact_sums import on_grid
from gainful.evidence.statistics.outcome import Outcome, at_least
from gainful.evidence.statistics.resampling import How
from gainful.formula import Array
from gainful.match.matched import Ranks

_AT_ONCE = 1 << 22
INTERVAL = "randomised Tukey HSD, simultaneous"


def tukey(values: Array, pairs: Ranks, resampling: How) -> Outcome:
    """The p of each pair of columns of `values`, and its simultaneous interval.

    Args:
        values: a row for each query, a column for each run.
        pairs: a row for each pair: the columns of the first and the second run.
        how: resamples, seed and level.
    """
    number = len(values)
    flat, steps = on_grid(values.reshape(-1, 1), number)  # one grid for all runs
    whole, step = flat.reshape(values.shape), steps[0]
    sums = whole.sum(axis=0)
    difference = sums[pairs[:, 0]] - sums[pairs[:, 1]]
    ranges = np.sort(_ranges(whole, resampling))
    wide = np.searchsorted(ranges, np.abs(difference) - number, side="left")
    p = at_least((len(ranges) - wide).astype(np.float64), len(ranges), exact=False)
    place = int(np.floor(resampling.alpha * (len(ranges) + 1)))
    apart = ranges[-place] if place else np.inf
    low, high = (difference - apart) / step / number, (difference + apart) / step / number
    return Outcome(p, low, high, INTERVAL)


def _ranges(whole: Array, resampling: How) -> Array:
    """How far the best and the worst are apart, for each deal."""
    random = resampling.random()
    rows = max(1, _AT_ONCE // whole.size)
    found = []
    for start in range(0, resampling.resamples, rows):
        deals = np.broadcast_to(whole, (min(rows, resampling.resamples - start), *whole.shape))
        sums = random.permuted(deals, axis=2).sum(axis=1)
        found.append(np.ptp(sums, axis=1))
    return np.concatenate(found)
