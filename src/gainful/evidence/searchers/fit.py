"""The searcher who makes a log most likely, and how sure that is.

Estimates are those of maximum likelihood. Intervals are those of the likelihood ratio, with clicks
of its profile, and allow for searchers who differ: what one searcher does several times counts as
one piece of evidence, not as several (Chandler & Bate 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
from attrs import Factory, evolve, frozen

from gainful.formula import NamedFormula
from gainful.measure.discount import DISCOUNTS, i
from gainful.measure.parameters import PARAMETERS
from gainful.types import Array, Flags, Ranks

_p, _T = PARAMETERS["p"], PARAMETERS["T"]

GEOMETRIC = NamedFormula(
    "discount", "geometric", _p ** (i - 1), "the same share goes on at every rank", "moffat2008"
)
INSQ = NamedFormula(
    "discount",
    "insq",
    (2 * _T / (i + (2 * _T - 1))) ** 2,
    "goes on for T, whatever the gain",
    "moffat2012",
)


@frozen
class Scale:
    """The scale on which a parameter is estimated: any number goes, and errors are even."""

    to_value: Callable[[float], float]
    low: float  # beyond these, nothing changes that a log could show
    high: float
    lowest: float  # what the parameter is at its ends
    highest: float


_SCALES: Mapping[str, Scale] = {
    # 1/(1 + log_b i) is L/(L + ln i) with L = ln b: the logarithm of L.
    "b": Scale(lambda t: float(np.exp(np.exp(t))), -12.0, 3.5, 1.0, np.inf),
    "p": Scale(lambda t: float(1 / (1 + np.exp(-t))), -14.0, 14.0, 0.0, 1.0),
    "T": Scale(lambda t: float(np.exp(t)), -9.0, 9.0, 0.0, np.inf),
}


@frozen
class StoppingModel:
    """One way in which searchers stop, with one parameter or none."""

    formula: NamedFormula
    symbol: str | None = None
    # On which its parameter is estimated
    scale: Scale | None = Factory(lambda self: _SCALES.get(self.symbol), takes_self=True)

    def survival(self, point: float, last: int) -> Array:
        """The share of searchers who get to 1, 2, … and one past `last`, its parameter being so."""
        formula = self.formula
        if self.symbol is not None and self.scale is not None:
            formula = replace(formula, values=((self.symbol, self.scale.to_value(point)),))
        return formula.evaluate_at(np.arange(1, last + 2))


STOPPING_MODELS: Mapping[str, StoppingModel] = {
    **{name: StoppingModel(DISCOUNTS[name], "b") for name in ("jk2008", "jk2002", "shifted")},
    **{name: StoppingModel(DISCOUNTS[name]) for name in ("log2", "zipf")},
    "geometric": StoppingModel(GEOMETRIC, "p"),
    "insq": StoppingModel(INSQ, "T"),
}


STOPPED, AT_LEAST, CLICKED = 0, 1, 2  # how it is known


@frozen(eq=False)
class Stops:
    """How far each searcher got, down a list or through the queries of a session.

    What is alike is stored once: a row of `kinds` is how it is known and three numbers.

    - STOPPED: stopped at the first number, and could have gone on.
    - AT_LEAST: got to the first number, where the list ends or the log does.
    - CLICKED: clicked last at the first number (0 never), so many clicks, in a list of so many.
    """

    kinds: Ranks
    kind: Ranks  # of each observation: its row
    cluster: Ranks  # of each observation: who made it, as a number

    @property
    def size(self) -> int:
        """How many observations there are."""
        return len(self.kind)

    @cached_property
    def counts(self) -> Array:
        """How many observations there are of each kind."""
        return np.bincount(self.kind, minlength=len(self.kinds)).astype(np.float64)

    @cached_property
    def has_clicks(self) -> bool:
        """Is anything known by clicks alone?"""
        return bool((self.kinds[:, 0] == CLICKED).any())

    @property
    def furthest(self) -> int:
        """The furthest rank or query that a likelihood needs to know of."""
        known_by_clicks = self.kinds[:, 0] == CLICKED
        ends = np.where(known_by_clicks, self.kinds[:, 3], self.kinds[:, 1])
        return int(ends.max(initial=1))

    def select(self, flags: Flags) -> Stops:
        """Some of the observations."""
        return evolve(self, kind=self.kind[flags], cluster=self.cluster[flags])

    def log_likelihoods(self, survival: Array, click: float = 0.5) -> Array:
        """The logarithm of how likely each kind is, by the shares who get to 1, 2, … and beyond."""
        stopping = survival[:-1] - survival[1:]
        stopped, here, clicked = self._places
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.log(np.maximum(np.where(stopped, stopping[here], survival[here]), 0.0))
            if self.has_clicks:
                result[clicked] = self._click_likelihoods(survival, stopping, click)
        return np.asarray(result)

    @cached_property
    def _places(self) -> tuple[Flags, Ranks, Flags]:
        known_by = self.kinds[:, 0]
        return known_by == STOPPED, np.maximum(self.kinds[:, 1], 1) - 1, known_by == CLICKED

    @cached_property
    def _clicks(self) -> tuple[Ranks, Ranks, Ranks, Ranks]:
        last, clicks, length = self.kinds[self._places[2], 1:].T
        lengths, column = np.unique(length, return_inverse=True)
        return last, clicks, column.astype(np.intp), lengths

    def _click_likelihoods(self, survival: Array, stopping: Array, click: float) -> Array:
        """Of a last click: the searcher got at least so far, and clicked nothing on the way on.

        From rank r on, in a list of n, nothing more is clicked with Q(r) = P(depth = r) +
        (1 − click) · Q(r + 1), and Q(n) = P(depth ≥ n); all of it given nothing.
        """
        last, clicks, column, lengths = self._clicks
        rank = np.arange(1, int(lengths.max()) + 1)[:, None]
        here = np.where(rank < lengths, stopping[rank - 1], survival[rank - 1])
        quiet = np.where(rank <= lengths, here, 0.0)
        step = 1
        while step < len(quiet):  # sums of 1, 2, 4, 8 … terms
            quiet[:-step] = quiet[:-step] + (1 - click) ** step * quiet[step:]
            step *= 2
        quiet = np.vstack([(1 - click) * quiet[:1], quiet])
        skipped = last - clicks
        return np.asarray(
            clicks * np.log(click) + skipped * np.log1p(-click) + np.log(quiet[last, column])
        )


def collect_stops(rows: Ranks, cluster: Ranks) -> Stops:
    """Observations, what is alike stored once."""
    base = int(rows.max(initial=0)) + 1
    key = rows @ (base ** np.arange(rows.shape[1], dtype=np.int64)[::-1])
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    return Stops(rows[first], kind.astype(np.intp), cluster)


def count_stops(reached: Ranks, cut: Flags, cluster: Ranks) -> Stops:
    """Observations of how far searchers got; where one was cut off, it is a lower bound."""
    known_by = np.where(cut, AT_LEAST, STOPPED)
    zeros = np.zeros_like(reached)
    return collect_stops(
        np.column_stack([known_by, reached, zeros, zeros]).astype(np.intp), cluster
    )


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

    def estimate(self, symbol: str) -> Estimate | None:
        """Its parameter, with its interval, by the name that a measure has for it."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return Estimate(symbol, self.value, self.low, self.high)


def fit_model(model: StoppingModel, stops: Stops, level: float | None = LEVEL) -> Fit:
    """The parameter that makes these observations most likely; with its interval, if a level."""
    profile = _Profile(model, stops)
    point = profile.maximise()
    click = profile.best_click(point)
    share = _to_share(click) if stops.has_clicks else None
    fit = Fit(model, point, share, profile.total(point, click))
    if model.scale is None or level is None:
        return fit
    inflation, variance = profile.inflate_variance(point, click)
    low, high = profile.find_interval(model.scale, fit, inflation, level)
    return evolve(fit, low=low, high=high, inflation=inflation, variance=variance)


class _Profile:
    """The log-likelihood of a parameter, the chance of a click being the best for it."""

    def __init__(self, model: StoppingModel, stops: Stops) -> None:
        self._scale, self._stops = model.scale, stops
        self._counts, last = stops.counts, stops.furthest
        self._seen = self._counts > 0
        self._usual_click = 0.0
        if stops.has_clicks:  # the log odds of those above the last one
            known = stops.kinds[:, 0] == CLICKED
            seen, clicks = (self._counts[known] @ stops.kinds[known, column] for column in (1, 2))
            self._usual_click = float(np.log((clicks + 0.5) / (seen - clicks + 0.5)))
        self._survival = lru_cache(1)(lambda point: model.survival(point, last))
        self.best_click = lru_cache(1)(self._find_click)

    def log_likelihoods(self, point: float, click: float) -> Array:
        return self._stops.log_likelihoods(self._survival(point), _to_share(click))

    def total(self, point: float, click: float) -> float:
        return float(self._counts[self._seen] @ self.log_likelihoods(point, click)[self._seen])

    def _find_click(self, point: float) -> float:
        if not self._stops.has_clicks:
            return 0.0
        middle = self._usual_click
        low, high = max(middle - _CLICK_REACH, -_CLICK_END), min(middle + _CLICK_REACH, _CLICK_END)
        return _maximise(lambda click: self.total(point, click), low, high)

    def value(self, point: float) -> float:
        return self.total(point, self.best_click(point))

    def maximise(self) -> float:
        """The best point of the scale: the best of a grid, then between its neighbours."""
        scale = self._scale
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
        self, scale: Scale, fit: Fit, inflation: float, level: float
    ) -> tuple[float, float]:
        """Where the likelihood ratio is no longer within what chance allows."""
        from scipy.optimize import brentq  # noqa: PLC0415  (slow to load)
        from scipy.special import stdtrit  # noqa: PLC0415

        clusters = len(np.unique(self._stops.cluster))
        reach = float(stdtrit(max(clusters - 1, 1), (1 + level) / 2)) ** 2 * inflation / 2

        def excess(at: float) -> float:
            value = self.value(at)
            return max(fit.log_likelihood - value, 0.0) - reach if np.isfinite(value) else 1e9

        ends = []
        for end, limit in ((scale.low, scale.lowest), (scale.high, scale.highest)):
            if abs(fit.point - end) < _CRITERION or excess(end) <= 0:
                ends.append(limit)
            else:
                ends.append(scale.to_value(float(brentq(excess, fit.point, end, xtol=1e-9))))
        return ends[0], ends[1]

    def _slope(self, at: Array, axis: int) -> Array:
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
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  (slow to load)

    def loss(at: float) -> float:
        value = function(at)
        return -value if np.isfinite(value) else 1e300

    result = minimize_scalar(
        loss, bounds=(low, high), method="bounded", options={"xatol": _CRITERION}
    )
    return float(result.x)


def _to_share(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))


FOLDS = 5
_CLEARLY = 2.0  # standard errors by which a model must be behind to be told from the best


@frozen
class HeldOut:
    """How likely a model makes what it has not seen."""

    mean: float  # the log-likelihood of an observation; minus infinity if one is impossible
    behind: float  # the best model
    error: float  # the standard error of how far it is behind

    @property
    def is_close(self) -> bool:
        """Is it as good as the best model?"""
        return self.behind <= _CLEARLY * self.error


def hold_out(stops: Stops, seed: int) -> Mapping[str, HeldOut]:
    """Every model, fitted to four fifths of the searchers and tried on the rest, five times."""
    clusters, cluster = np.unique(stops.cluster, return_inverse=True)
    random = np.random.default_rng(seed)
    fold = random.permutation(np.arange(len(clusters), dtype=np.intp) % FOLDS)[cluster]
    by_cluster: dict[str, Array] = {}
    for name, model in STOPPING_MODELS.items():
        values = np.zeros(stops.size)
        for tried in (fold == number for number in range(FOLDS)):
            if tried.any() and not tried.all():
                fit, others = fit_model(model, stops.select(~tried), None), stops.select(tried)
                click = 0.5 if fit.click is None else fit.click
                likely = others.log_likelihoods(fit.survival(others.furthest), click)
                values[tried] = likely[others.kind]
        by_cluster[name] = np.bincount(cluster, values, len(clusters)).astype(np.float64)
    best = max(by_cluster.values(), key=lambda values: float(values.sum()))
    return {
        name: _compare_with_best(values, best, stops.size) for name, values in by_cluster.items()
    }


def _compare_with_best(values: Array, best: Array, observations: int) -> HeldOut:
    if not np.isfinite(values).all():
        return HeldOut(-np.inf, np.inf, 0.0)
    differences = best - values
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    error = spread * np.sqrt(len(differences)) / observations
    mean, behind = (float(part.sum()) / observations for part in (values, differences))
    return HeldOut(mean, behind, float(error))


@frozen
class Estimate:
    """A parameter of a searcher, with its interval."""

    symbol: str
    value: float
    low: float
    high: float


def estimate_srbp(reading: Fit, asking: Fit, level: float) -> tuple[Estimate, Estimate] | None:
    """Estimates of p and balance; None where nobody or everybody goes on.

    The interval is that of the delta method, on the scale of log odds.
    """
    stays, asks = reading.value, asking.value
    if stays is None or asks is None or not (0 < stays < 1 and 0 < asks < 1):
        return None
    p = stays + asks * (1 - stays)
    balance = stays / p
    # What a step of the log odds of s and of r changes.
    stays_step, asks_step = stays * (1 - stays), asks * (1 - asks)
    p_slopes = np.array([(1 - asks) * stays_step, (1 - stays) * asks_step])
    by_stays = asks / p**2  # the derivative of s/p by s, and by r
    balance_slopes = np.array([by_stays * stays_step, -stays * (1 - stays) / p**2 * asks_step])
    variances = np.array([reading.variance, asking.variance])
    return (
        _with_interval("p", p, float(p_slopes**2 @ variances), level),
        _with_interval("balance", balance, float(balance_slopes**2 @ variances), level),
    )


def _with_interval(symbol: str, share: float, variance: float, level: float) -> Estimate:
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    middle = np.log(share / (1 - share))
    reach = float(ndtri((1 + level) / 2)) * np.sqrt(variance) / (share * (1 - share))
    low, high = (float(1 + np.tanh((middle + sign * reach) / 2)) / 2 for sign in (-1, 1))
    return Estimate(symbol, float(share), low, high)
