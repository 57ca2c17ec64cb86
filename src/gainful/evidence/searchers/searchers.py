"""The searchers of a log: what they do, as the parameters of measures have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from gainful.errors import BadInput, BadValue
from gainful.evidence.searchers.fit import Fit, fit_model
from gainful.evidence.searchers.held_out import HeldOut, hold_out
from gainful.evidence.searchers.observe import Observed
from gainful.evidence.searchers.spell_measures import Spelled, spell_measures
from gainful.evidence.searchers.srbp import Estimate, estimate_srbp
from gainful.evidence.searchers.stopping_models import STOPPING_MODELS
from gainful.evidence.searchers.stops import AT_LEAST, Stops
from gainful.text import count_noun
from gainful.types import is_number

_FEW = 10  # searchers, of fewer than which the spread is not known
_MEASURED = ("jk2008", "geometric")  # the discounts whose parameters measures take: b and p


@frozen(eq=False, kw_only=True)
class Behaviour:
    """One thing that searchers do: read on down a list, or ask again."""

    stops: Stops = field(repr=False)
    fits: Mapping[str, Fit]  # by discount
    held_out: Mapping[str, HeldOut]  # likewise; empty where there are too few searchers
    best: str  # the discount that fits best

    @property
    def cut(self) -> int:
        """How many went as far as there was anything."""
        return int((self.stops.kinds[self.stops.kind, 0] == AT_LEAST).sum())

    def estimate(self, discount: str, symbol: str) -> Estimate | None:
        """The parameter of a discount, with its interval, by the name that a measure has for it."""
        fit = self.fits[discount]
        if fit.value is None or fit.low is None or fit.high is None:
            return None
        return Estimate(symbol, fit.value, fit.low, fit.high)


@frozen(eq=False, kw_only=True)
class Searchers:
    """The searchers of a log, or of a group of its sessions."""

    keys: Mapping[str, Any]  # of the group, by column
    sessions: int
    query_count: int
    reading: Behaviour | None  # None where a log does not tell how far
    asking: Behaviour
    success_bq: Estimate | None  # bq, if sessions whose last query was clicked ended by success
    srbp: tuple[Estimate, Estimate] | None
    measures: Spelled

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All that was estimated: b, bq, RBP's p, sRBP's p and balance."""
        reading = self.reading
        estimates = [
            None if reading is None else reading.estimate("jk2008", "b"),
            self.asking.estimate("jk2008", "bq"),
            None if reading is None else reading.estimate("geometric", "p"),
        ]
        return tuple(entry for entry in estimates if entry is not None)

    def find(self, symbol: str) -> Estimate | None:
        """The estimate of b, of bq or of p."""
        return next((entry for entry in self.estimates if entry.symbol == symbol), None)


def fit_searchers(
    observed: Observed, keys: Mapping[str, Any], *, level: float, seed: int, compare: bool
) -> Searchers:
    """The searchers of these sessions; with `compare`, by which discount they are told best."""
    reading = (
        None
        if observed.depths is None or not observed.depths.size
        else _fit_behaviour(observed.depths, level, seed, compare=compare)
    )
    asking = _fit_behaviour(observed.queries, level, seed, compare=compare)
    successes = observed.successes_cut()
    success_bq = None
    if successes is not None:
        fit = fit_model(STOPPING_MODELS["jk2008"], successes, level)
        if fit.value is not None and fit.low is not None and fit.high is not None:
            success_bq = Estimate("bq", fit.value, fit.low, fit.high)
    geometric = (None if reading is None else reading.fits["geometric"], asking.fits["geometric"])
    has_several = observed.size > 1  # of one session nothing is known of how they vary
    srbp = None
    if geometric[0] is not None and has_several:
        srbp = estimate_srbp(geometric[0], geometric[1], level)
    return Searchers(
        keys=keys,
        sessions=observed.size,
        query_count=int(observed.query_counts.sum()),
        reading=reading,
        asking=asking,
        success_bq=success_bq,
        srbp=srbp,
        measures=spell_measures(
            None if reading is None else (reading.best, reading.fits),
            (asking.best, asking.fits),
            srbp,
            observed.list_length,
        ),
    )


def _fit_behaviour(stops: Stops, level: float, seed: int, *, compare: bool) -> Behaviour:
    held_out = hold_out(stops, seed) if compare and len(np.unique(stops.cluster)) > 1 else {}
    names = STOPPING_MODELS if compare else _MEASURED
    fits = {name: fit_model(STOPPING_MODELS[name], stops, level) for name in names}
    return Behaviour(stops=stops, fits=fits, held_out=held_out, best=_choose_best(fits, held_out))


def _choose_best(fits: Mapping[str, Fit], held_out: Mapping[str, HeldOut]) -> str:
    """The discount that fits best; where several cannot be told apart, the first of the table."""
    if not held_out:
        return max(fits, key=lambda name: fits[name].log_likelihood)
    return next(name for name, result in held_out.items() if result.is_close)


def check_level(level: object) -> float:
    """The level of intervals, as a share; per cent is understood as --interval has it."""
    if not is_number(level) or not 0 < level < 100:
        raise BadValue("level", level, "per cent between 0 and 100, such as 95")
    return float(level) / 100


def refuse_nothing(observed: Observed, name: str) -> None:
    """A log in which nobody could do anything says nothing of searchers."""
    only_one = bool((observed.query_counts == 1).all())
    if observed.depths is None and only_one:
        problem = "no session has a second query, and there is no column scanned or clicked"
        raise BadInput(name, problem, "sessions of several queries, clicks, or how deep was looked")


def describe_few(observed: Observed) -> list[str]:
    """That intervals of a handful of sessions or searchers say little."""
    number = len(np.unique(observed.queries.cluster))
    if number >= _FEW:
        return []
    noun = count_noun(number, observed.cluster_name)
    return [f"{noun}: too few to tell how searchers differ; intervals are too narrow, if any"]
