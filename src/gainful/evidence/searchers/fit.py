"""The searcher who makes a log most likely, and how sure that is.

Estimates are those of maximum likelihood. Intervals are those of the likelihood ratio, with clicks
of its profile, and allow for searchers who differ: what one searcher does several times counts as
one piece of evidence, not as several (Chandler & Bate 2007).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from gainful.evidence.searchers.stopping_models import StoppingModel
from gainful.evidence.searchers.stops import CLICKED, Stops
from gainful.types import Array

LEVEL = 0.95
_GRID = 41  # points of the scale that are tried before the best is sought between them
_STEP = 1e-3  # of derivatives, on the scale of a parameter
_CLICK_END = 9.0  # of the log odds of a click, below and above
_CLICK_REACH = 4.0  # how far they may be from those of clicks above the last one
_NEAR_END = 0.05  # so near the end of its scale, an estimate is at that end
_CRITERION = 1e-6  # to which estimates are sought


@frozen
class Fit:
    """One model of how searchers stop, fitted to what they did."""

    model: StoppingModel
    point: float  # on the scale of its parameter
    click: float | None  # how likely a result that is looked at is clicked, if that was estimated
    log_likelihood: float
    observations: int
    low: float | None = None  # the interval of its parameter
    high: float | None = None
    inflation: float = 1.0  # how much larger the variance is, as searchers differ
    variance: float = 0.0  # of the point, as searchers differ

    @property
    def value(self) -> float | None:
        """The estimate itself; infinite where nobody would ever stop."""
        scale = self.model.scale
        if scale is None:
            return None
        if self.point < scale.low + _NEAR_END:
            return scale.lowest
        if self.point > scale.high - _NEAR_END:
            return scale.highest
        return scale.to_value(self.point)

    def survival(self, last: int) -> Array:
        """The share of searchers who get to 1, 2, … and one past `last`."""
        return self.model.survival(self.point, last)


def fit_model(model: StoppingModel, stops: Stops, level: float | None = LEVEL) -> Fit:
    """The parameter that makes these observations most likely; with its interval, if a level."""
    profile = _Profile(model, stops)
    point = profile.maximise()
    click = profile.best_click(point)
    fit = Fit(
        model,
        point,
        _to_share(click) if stops.has_clicks else None,
        profile.total(point, click),
        stops.size,
    )
    if model.scale is None or level is None:
        return fit
    inflation, variance = profile.inflate_variance(point, click)
    low, high = profile.find_interval(point, fit.log_likelihood, inflation, level)
    return Fit(
        model, point, fit.click, fit.log_likelihood, stops.size, low, high, inflation, variance
    )


def log_likelihoods(fit: Fit, stops: Stops) -> Array:
    """The log-likelihood of each observation, by a searcher who was fitted to others."""
    survival = fit.survival(stops.furthest)
    by_kind = stops.log_likelihoods(survival, 0.5 if fit.click is None else fit.click)
    return by_kind[stops.kind]


class _Profile:
    """The log-likelihood of a parameter, the chance of a click being the best for it."""

    def __init__(self, model: StoppingModel, stops: Stops) -> None:
        self._model, self._stops = model, stops
        self._counts, self._last = stops.counts, stops.furthest
        self._seen = self._counts > 0
        self._usual_click = _clicks_on_the_way(stops)
        self._best_click: tuple[float, float] | None = None
        self._survival: tuple[float, Array] | None = None  # the last that was asked for

    def log_likelihoods(self, point: float, click: float) -> Array:
        """The log-likelihood of each kind of observation."""
        if self._survival is None or self._survival[0] != point:
            self._survival = point, self._model.survival(point, self._last)
        survival = self._survival[1]
        return self._stops.log_likelihoods(survival, _to_share(click))

    def total(self, point: float, click: float) -> float:
        """The log-likelihood of all observations."""
        return float(self._counts[self._seen] @ self.log_likelihoods(point, click)[self._seen])

    def best_click(self, point: float) -> float:
        """The log odds of a click that fit best beside this parameter."""
        if not self._stops.has_clicks:
            return 0.0
        if self._best_click is not None and self._best_click[0] == point:
            return self._best_click[1]
        middle = self._usual_click
        low, high = max(middle - _CLICK_REACH, -_CLICK_END), min(middle + _CLICK_REACH, _CLICK_END)
        best = _maximise(lambda click: self.total(point, click), low, high)
        self._best_click = point, best
        return best

    def value(self, point: float) -> float:
        """The log-likelihood at the best chance of a click."""
        return self.total(point, self.best_click(point))

    def maximise(self) -> float:
        """The best point of the scale: the best of a grid, then between its neighbours."""
        scale = self._model.scale
        if scale is None:
            return 0.0
        points = np.linspace(scale.low, scale.high, _GRID)
        values = [self.total(float(point), self._usual_click) for point in points]
        best = int(np.argmax(values))
        reach = 8 if self._stops.has_clicks else 1  # the grid is of one chance of a click
        low, high = points[max(best - reach, 0)], points[min(best + reach, _GRID - 1)]
        inside = _maximise(self.value, float(low), float(high))
        return inside if self.value(inside) >= self.value(points[best]) else float(points[best])

    def inflate_variance(self, point: float, click: float) -> tuple[float, float]:
        """How much larger the variance is than for observations that are all independent."""
        at = np.array([point, click]) if self._stops.has_clicks else np.array([point])
        scores = np.column_stack([self._slope(at, axis) for axis in range(len(at))])
        information = self._information(at)
        clusters = np.unique(self._stops.cluster, return_inverse=True)[1]
        size = int(clusters.max(initial=-1)) + 1
        if size < 2 or not np.isfinite(information).all() or np.linalg.det(information) <= 0:
            return 1.0, 0.0
        per_cluster = np.column_stack(
            [np.bincount(clusters, column[self._stops.kind], minlength=size) for column in scores.T]
        )
        inverse = np.linalg.inv(information)
        spread = size / (size - 1) * per_cluster.T @ per_cluster
        variance = float((inverse @ spread @ inverse)[0, 0])
        return variance / float(inverse[0, 0]), variance

    def find_interval(
        self, point: float, highest: float, inflation: float, level: float
    ) -> tuple[float, float]:
        """Where the likelihood ratio is no longer within what chance allows."""
        from scipy.optimize import brentq  # noqa: PLC0415  (slow to load)
        from scipy.special import stdtrit  # noqa: PLC0415

        scale = self._model.scale
        if scale is None:
            raise TypeError("a model without a parameter has no interval")
        clusters = len(np.unique(self._stops.cluster))
        reach = float(stdtrit(max(clusters - 1, 1), (1 + level) / 2)) ** 2 * inflation / 2

        def excess(at: float) -> float:
            value = self.value(at)
            return max(highest - value, 0.0) - reach if np.isfinite(value) else 1e9

        ends = []
        for end, limit in ((scale.low, scale.lowest), (scale.high, scale.highest)):
            if abs(point - end) < _CRITERION or excess(end) <= 0:
                ends.append(limit)
            else:
                ends.append(scale.to_value(float(brentq(excess, point, end, xtol=1e-9))))
        return ends[0], ends[1]

    def _slope(self, at: Array, axis: int) -> Array:
        """The derivative of each kind's log-likelihood."""
        step = np.zeros(2)
        step[axis] = _STEP
        pair = np.append(at, 0.0)[:2]
        ahead, behind = (self.log_likelihoods(*(pair + sign * step)) for sign in (1, -1))
        with np.errstate(invalid="ignore"):
            slope = (ahead - behind) / (2 * _STEP)
        return np.where(self._seen & np.isfinite(slope), slope, 0.0)

    def _information(self, at: Array) -> Array:
        """Minus the second derivatives of the log-likelihood of all observations."""
        size = len(at)
        pair = np.append(at, 0.0)[:2]

        def total(*steps: float) -> float:
            return self.total(*(pair + _STEP * np.array(steps)))

        result = np.empty((size, size))
        for row in range(size):
            for column in range(size):
                along, across = np.eye(2)[row], np.eye(2)[column]
                steps = ((along + across, 1), (along - across, -1))
                corners = sum(sign * (total(*step) + total(*-step)) for step, sign in steps)
                result[row, column] = -corners / (4 * _STEP**2)
        return result


def _maximise(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of one number is largest, between two ends."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  (slow to load)

    def loss(at: float) -> float:
        value = function(at)
        return -value if np.isfinite(value) else 1e300

    result = minimize_scalar(
        loss, bounds=(low, high), method="bounded", options={"xatol": _CRITERION}
    )
    return float(result.x)


def _clicks_on_the_way(stops: Stops) -> float:
    """The log odds of a click on results that were looked at for certain: down to the last one."""
    if not stops.has_clicks:
        return 0.0
    known = stops.kinds[:, 0] == CLICKED
    last, clicks = (stops.counts[known] @ stops.kinds[known, column] for column in (1, 2))
    return float(np.log((clicks + 0.5) / (last - clicks + 0.5)))


def _to_share(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))
