"""What searchers did against what a model says they do: shares by rank or query, for a figure."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.evidence.searchers.fit import Fit
from gainful.evidence.searchers.stops import AT_LEAST, CLICKED, STOPPED, Stops
from gainful.types import Array, Ranks

_FEWEST = 10  # who must still be there for a share to be shown
_MOST = 30  # ranks or queries that are shown


@frozen(eq=False)
class Shares:
    """The share of searchers who got to 1, 2, …, with intervals."""

    reached: Ranks
    share: Array
    low: Array
    high: Array


def observe_shares(stops: Stops, level: float) -> Shares:
    """What was seen: who got so far, or, where only clicks are known, who clicked there or below.

    Those who were cut off are taken out where they were (Kaplan & Meier 1958); intervals are
    Greenwood's on the scale of log(−log), or Wilson's of clicks.
    """
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    z = float(ndtri((1 + level) / 2))
    return _click_shares(stops, z) if _is_by_clicks(stops) else _survival_shares(stops, z)


def expect_shares(fit: Fit, stops: Stops, last: int) -> Array:
    """What a fitted model says of the shares that `observe_shares` sees, to `last`."""
    survival = fit.survival(max(last, stops.furthest))
    if not _is_by_clicks(stops):
        return survival[:last]
    lengths, counts = _list_lengths(stops)
    quiet = 1 - (0.5 if fit.click is None else fit.click)
    stopping = survival[:-1] - survival[1:]
    shares = np.empty(last)
    for at in range(1, last + 1):
        longer = lengths >= at
        clicked_on = [
            survival[at - 1] - quiet * _stay_quiet(at, int(length), quiet, survival, stopping)
            for length in lengths[longer]
        ]
        shares[at - 1] = np.average(clicked_on, weights=counts[longer])
    return shares


def _stay_quiet(at: int, length: int, quiet: float, survival: Array, stopping: Array) -> float:
    """Given nothing, looks at rank `at` and clicks on nothing below it."""
    steps = np.arange(length - at)
    ends = stopping[at - 1 : length - 1] @ quiet**steps
    return float(ends + survival[length - 1] * quiet ** (length - at))


def _is_by_clicks(stops: Stops) -> bool:
    return bool((stops.kinds[stops.kind, 0] == CLICKED).all())


def _list_lengths(stops: Stops) -> tuple[Ranks, Array]:
    lengths, counts = np.unique(stops.kinds[stops.kind, 3], return_counts=True)
    return lengths, counts.astype(np.float64)


def _survival_shares(stops: Stops, z: float) -> Shares:
    known = stops.kinds[stops.kind]
    stopped = np.bincount(known[known[:, 0] == STOPPED, 1], minlength=_MOST + 2)[1 : _MOST + 1]
    cut = np.bincount(known[known[:, 0] == AT_LEAST, 1], minlength=_MOST + 2)[1 : _MOST + 1]
    total = int((known[:, 0] != CLICKED).sum())
    before = np.cumsum(stopped + cut) - stopped - cut
    at_risk = total - before - cut  # who is there and can go on
    with np.errstate(divide="ignore", invalid="ignore"):
        going_on = np.where(at_risk > 0, 1 - stopped / at_risk, np.nan)
        share = np.append(1.0, np.cumprod(going_on))[:_MOST]
        spread = np.append(0.0, np.cumsum(stopped / (at_risk * (at_risk - stopped))))[:_MOST]
        reach = z * np.sqrt(spread) / np.abs(np.log(share))
        low, high = share ** np.exp(reach), share ** np.exp(-reach)
    there = np.append(total, at_risk)[:_MOST]
    shown = (there >= min(_FEWEST, total)) & np.isfinite(share)
    shown &= np.cumprod(shown).astype(bool)
    ends = [np.where(np.isfinite(end), end, share)[shown] for end in (low, high)]
    return Shares(np.arange(1, _MOST + 1)[shown], share[shown], *ends)


def _click_shares(stops: Stops, z: float) -> Shares:
    last, length = stops.kinds[stops.kind, 1], stops.kinds[stops.kind, 3]
    most = min(int(length.max()), _MOST)
    reached = np.arange(1, most + 1)
    lists = np.array([(length >= rank).sum() for rank in reached], dtype=np.float64)
    clicked = np.array([(last >= rank).sum() for rank in reached], dtype=np.float64)
    shown = lists >= min(_FEWEST, stops.size)
    share, size = clicked[shown] / lists[shown], lists[shown]
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    reach = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return Shares(reached[shown], share, middle - reach, middle + reach)
