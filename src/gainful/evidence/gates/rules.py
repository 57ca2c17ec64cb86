"""`Rules`: what a run must hold to pass a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from numbers import Real
from typing import Any

from attrs import field, frozen

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import RESAMPLES, SEED, How
from gainful.measure.language import expand, parse
from gainful.measure.measure import Measure

ALLOWANCES = {
    "convention": "a baseline under another convention",
    "judgments": "a baseline by other judgments",
    "queries": "queries that are left out because the run lacks them",
}
Bounds = Mapping[str | Measure, float] | Iterable[tuple[str | Measure, float]]


def _allowances(given: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(given, Iterable):
        raise WrongType("allow", given, ", ".join(ALLOWANCES))
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if name not in ALLOWANCES:
            raise UnknownName("allowance", str(name), ALLOWANCES)
    return names


def bounds(given: Bounds | None, argument: str, *, least: float | None = None) -> dict[str, float]:
    """A number for each measure, by the name it was given; two for one measure are an error."""
    found: dict[str, float] = {}
    names: dict[Measure, str] = {}
    pairs = given.items() if isinstance(given, Mapping) else given or ()
    if isinstance(pairs, str) or not all(isinstance(one, tuple) and len(one) == 2 for one in pairs):
        raise WrongType(argument, given, "{measure: number}")
    for name, value in pairs:
        measure = parse(name)
        bound = _bound(value, f"{argument} of {measure}", least)
        known = names.setdefault(measure, str(name).strip())
        if found.setdefault(known, bound) != bound:
            both = f"{found[known]:g} and {bound:g}"
            raise BadValue(f"{argument} of {measure}", both, "one value for each measure")
    return found


def _bound(value: Any, argument: str, least: float | None) -> float:
    allowed = "a finite number" if least is None else f"a finite number from {least:g} on"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise WrongType(argument, value, allowed)
    try:
        number = float(value)
    except OverflowError:  # a whole number can be too large
        number = inf
    if not isfinite(number) or (least is not None and number < least):
        raise BadValue(argument, number, allowed)
    return number


def _floors(given: Bounds | None) -> dict[str, float]:
    return bounds(given, "floor")


def _drops(given: Bounds | None) -> dict[str, float]:
    return bounds(given, "max_drop", least=0)


@frozen(kw_only=True)
class Rules:
    """Floors of means, bounds of drops, and whether a significant drop is let through.

    Examples:
        >>> Rules(floors={"nDCG@10": 0.45}, max_drop={"AP": 0.01}).asked("RR")
        ['RR', 'nDCG@10', 'AP']
        >>> Rules(max_drop={"AP": -0.01})
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: max_drop of AP is -0.01; allowed: a finite number from 0 on
    """

    floors: Mapping[str, float] = field(default=None, converter=_floors)
    max_drop: Mapping[str, float] = field(default=None, converter=_drops)
    significant: float | None = None
    test: str = "randomisation"
    seed: int = SEED
    resamples: int = RESAMPLES
    allow: tuple[str, ...] = field(default=(), converter=_allowances)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.test, str) or self.test not in TESTS:
            raise UnknownName("test", str(self.test), TESTS)
        try:
            self.how()
        except BadValue as refused:
            name = "significant" if refused.argument == "alpha" else refused.argument
            raise type(refused)(name, refused.value, refused.allowed) from None

    def how(self) -> How:
        """How a drop is tested: one-sided, as only a worse run is of interest."""
        given = {} if self.significant is None else {"alpha": self.significant}
        return How(resamples=self.resamples, seed=self.seed, alternative="less", **given)

    @property
    def any(self) -> bool:
        """Is there a rule at all?"""
        return bool(self.floors or self.max_drop) or self.significant is not None

    @property
    def backwards(self) -> bool:
        """Does one of them need a baseline?"""
        return bool(self.max_drop) or self.significant is not None

    def asked(self, measures: Any = None) -> list[str | Measure] | None:
        """All measures to evaluate: those that were asked for, and those that have a rule."""
        found: dict[str, Measure] = {} if measures is None else expand(measures)
        for name in (*self.floors, *self.max_drop):
            if parse(name) not in found.values():
                found |= expand(name)
        return list(found) or None
