"""The interval of a mean: where would it be with other queries, or sessions, of the same kind?

They are drawn again with replacement (bootstrap, BCa), or, where there are too few of them to draw
from, Student's t tells it. Those that belong together, such as sessions of a searcher, are drawn
as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.bootstrap import INTERVALS, bootstrap_test
from gainful.evidence.statistics.paired_tests import T_INTERVAL
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.measure.entry import Aggregation, Entry
from gainful.measure.run_values import aggregate
from gainful.page.plain_data import to_plain_data
from gainful.rounding import ROUNDING
from gainful.types import Array, Ranks

FEWEST_DRAWN = 25  # queries; intervals that draw from fewer hold too little (docs/error-rates.md)
MANY_INTERVAL = f"{T_INTERVAL} of many"  # where drawing takes long and tells nothing else


_Ends = tuple[float, float, str]  # and by which method they were found


@frozen
class Interval:
    """One mean (or sum, or geometric mean): its interval, and what it is with one query left out.

    `query_low` is the query without which the mean is smallest, `query_high` that without which
    it is largest. What cannot be told is None, and `MeanIntervals.notes` say why.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    loo_low: float | None = None
    loo_high: float | None = None
    query_low: str | None = None
    query_high: str | None = None
    kind: Aggregation = "mean"
    method: str | None = None  # how the interval was found; None where there is none to find

    @property
    def influential_query(self) -> str | None:
        """The query that moves the mean most when it is left out; None where none moves it."""
        if self.mean is None or self.loo_low is None or self.loo_high is None:
            return None
        down, up = self.mean - self.loo_low, self.loo_high - self.mean
        if max(down, up) <= ROUNDING * abs(self.mean):
            return None
        return self.query_low if down >= up else self.query_high

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data = to_plain_data(self)
        return {"kind": data.pop("kind"), **data, "moved_by": self.influential_query}


@frozen(eq=False)
class Averaged:
    """What a mean is of: values of queries, or of whatever the unit is, and their names."""

    values: Array
    names: Sequence[str]
    entry: Entry
    cluster: Ranks | None = None  # the number of what each belongs to and is drawn with

    @property
    def scale(self) -> float:
        """A power of two near the largest: of numbers near 1 no power is too large or too small."""
        return float(np.exp2(np.ceil(np.log2(np.abs(self.values).max()))))

    def sum_units(self) -> UnitSums | None:
        """What is drawn; None where that tells nothing, as values are too few or all alike."""
        is_known = len(self.values) > 1 and np.isfinite(self.values).all()
        if not is_known or np.ptp(self.values) <= ROUNDING * np.abs(self.values).max():
            return None
        return UnitSums.from_values(self.values[:, None] / self.scale, self.cluster)


def find_intervals(
    averaged: Sequence[Averaged],
    resampling: Resampling,
    *,
    unit: str = "query",
    most_drawn: int | None = None,
) -> list[tuple[Interval, str]]:
    """The interval of each mean, and why it is not all there; units are drawn once for all.

    Args:
        averaged: what the means are of.
        resampling: the level, the resamples and the seed.
        unit: what has a value.
        most_drawn: of more than so many, nothing is drawn: Student's t is as good.
    """
    units = {at: sums for at, item in enumerate(averaged) if (sums := item.sum_units()) is not None}
    drawn = {
        at: sums
        for at, sums in units.items()
        if FEWEST_DRAWN <= sums.number <= (most_drawn or sums.number)
    }
    ends = _bootstrap_ends(averaged, drawn, resampling)
    ends |= {at: _t_ends(averaged[at], units[at], resampling) for at in {*units} - {*drawn}}
    return [_describe_interval(item, ends.get(at), unit) for at, item in enumerate(averaged)]


def _describe_interval(averaged: Averaged, ends: _Ends | None, unit: str) -> tuple[Interval, str]:
    """One interval, and why it is not all there."""
    values, kind = averaged.values, averaged.entry.aggregation
    if not values.size:
        return Interval(None, kind=kind), f"no {unit} counts, so there is no mean"
    mean, reason = aggregate(values, kind), ""
    if values.size == 1:
        reason = f"one {unit} tells nothing of how others would do: no interval"
        return Interval(mean, kind=kind), reason
    if not np.isfinite(values).all():
        reason = f"not every {unit} has a finite value: no mean, no interval"
        return Interval(None, kind=kind), reason
    method = None
    if ends is None:
        low = high = mean
        reason = f"every {unit} has the same value, so the interval is a point"
    else:
        *both, method = ends
        low, high = _aggregate_ends(both, kind, len(values))
    if kind == "sum":
        reason = reason or f"a sum is less without a {unit} anyway: no range"
        return Interval(mean, low, high, kind=kind, method=method), reason
    without_one = _leave_one_out(values, kind, averaged.names)
    return Interval(mean, low, high, *without_one, kind=kind, method=method), reason


def _t_ends(averaged: Averaged, units: UnitSums, resampling: Resampling) -> _Ends:
    """The t interval of the mean, but not beyond what values can be."""
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to load)

    values, entry = averaged.values, averaged.entry
    mean, error = (float(part[0]) for part in (units.means(), units.standard_errors()))
    reach = -stdtrit(units.number - 1, resampling.alpha / 2) * error
    low, high = ((mean + side * reach) * averaged.scale for side in (-1, 1))
    is_positive = not (entry.signed or entry.registered or entry.aggregation == "geometric")
    if is_positive and values.min() >= 0:
        low = max(low, 0.0)
    most = 0.0 if entry.aggregation == "geometric" else 1.0  # the logarithm of 1 is 0
    if entry.bounded and values.max() <= most:
        high = min(high, most)
    return float(low), float(high), T_INTERVAL if units.number < FEWEST_DRAWN else MANY_INTERVAL


def _bootstrap_ends(
    averaged: Sequence[Averaged], drawn: Mapping[int, UnitSums], resampling: Resampling
) -> dict[int, _Ends]:
    """The ends by place; what has units of the same sizes is drawn together."""
    alike: dict[bytes, list[int]] = {}
    for at, units in drawn.items():
        alike.setdefault(units.sizes.tobytes(), []).append(at)
    ends = {}
    for chosen in alike.values():
        sums = np.hstack([drawn[at].sums for at in chosen])
        outcome = bootstrap_test(UnitSums(sums, drawn[chosen[0]].sizes), resampling)
        for at, *both in zip(chosen, outcome.low.tolist(), outcome.high.tolist(), strict=True):
            values, scale = averaged[at].values, averaged[at].scale
            # No mean of drawn queries is beyond them all, but for rounding.
            low, high = sorted(np.clip(np.array(both) * scale, values.min(), values.max()).tolist())
            ends[at] = (low, high, INTERVALS["BCa"])
    return ends


def _aggregate_ends(ends: Sequence[float], kind: Aggregation, number: int) -> tuple[float, float]:
    """The interval of a sum or of a geometric mean, from that of the mean that it is made of."""
    if kind == "sum":
        return ends[0] * number, ends[1] * number
    if kind == "geometric":
        return float(np.exp(ends[0])), float(np.exp(ends[1]))
    return ends[0], ends[1]


def _leave_one_out(
    values: Array, kind: Aggregation, names: Sequence[str]
) -> tuple[float, float, str, str]:
    """The smallest and largest mean without one query, and which query that is.

    The mean is smallest without the largest value, so two means are all that is to be computed.
    """
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    low, high = (aggregate(np.delete(values, at), kind) for at in (best, worst))
    return low, high, names[best], names[worst]
