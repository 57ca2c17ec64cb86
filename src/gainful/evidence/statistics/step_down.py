"""Step-down max-T: what is a p worth among many that are tested together?

Each comparison has a statistic, large where it speaks against chance. Resamples give all of them
anew, together, so that what comparisons have in common (queries, runs) is kept. The largest is held
against the largest of each resample; the next against the largest of those not yet passed; and so
on (Westfall & Young 1993; Romano & Wolf 2005). Where the comparisons that are alike in truth have
the distribution that resamples give them, the chance of any mistake among them is at most alpha.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gainful.evidence.statistics.outcome import p_value
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array


class StepDown:
    """Counts of resamples as extreme as what was seen, chunk by chunk of them.

    Args:
        observed: of each comparison how much it speaks against chance; at least 0, and so
            standardised that comparisons can be held against each other.
        slack: how far below a resample may be and still count as equal, by comparison: what
            rounding can be.
    """

    def __init__(self, observed: Array, slack: Array | float = 0.0) -> None:
        self._order = np.argsort(observed, kind="stable")  # the least extreme first
        with np.errstate(invalid="ignore"):  # what is infinite stays so
            self._least = observed * (1 - COARSE_ROUNDING) - slack
        self._own = np.zeros(len(observed))
        self._largest = np.zeros(len(observed))
        self._resamples = 0

    def add(self, resampled: Array) -> None:
        """Some more resamples: a row for each, a column for each comparison."""
        statistics, least = resampled.T[self._order], self._least[self._order, None]
        self._own[self._order] += np.count_nonzero(statistics >= least, axis=1)
        np.maximum.accumulate(statistics, axis=0, out=statistics)
        self._largest[self._order] += np.count_nonzero(statistics >= least, axis=1)
        self._resamples += len(resampled)

    def p(self, *, exact: bool) -> tuple[Array, Array]:
        """The p of each comparison by itself, and among all; `exact` where all ways were seen."""
        own = p_value(self._own, self._resamples, exact=exact)
        among = p_value(self._largest, self._resamples, exact=exact)
        descending = self._order[::-1]  # no p is smaller than one of a more extreme comparison
        among[descending] = np.maximum.accumulate(among[descending])
        return own, among


def step_down_max_t(
    observed: Array,
    resampled: Iterable[Array],
    *,
    exact: bool = False,
    slack: Array | float = 0.0,
) -> tuple[Array, Array]:
    """The p of each comparison by itself, and its p among all, by step-down max-T.

    Args:
        observed: a statistic for each comparison, at least 0: the size of a t, or what grows
            with it.
        resampled: chunks of resamples, a row for each and a column for each comparison. All
            comparisons of a row must come from the same draw.
        exact: are these all resamples there are, with the one that was seen among them? Of a
            sample (1 + count) / (1 + resamples) is taken.
        slack: what rounding can be, by comparison.

    Examples:
        >>> draws = np.array([[1.0, 2.5], [0.5, 0.5], [3.5, 0.1]])
        >>> own, among = step_down_max_t(np.array([3.0, 2.0]), [draws])
        >>> own.tolist(), among.tolist()  # 3 is reached once by any of both, 2 once by the second
        ([0.5, 0.5], [0.5, 0.5])
    """
    counts = StepDown(observed, slack)
    for chunk in resampled:
        counts.add(chunk)
    return counts.p(exact=exact)
