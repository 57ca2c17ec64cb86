"""`Rules`: what a run must hold to pass a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from typing import Any

from attrs import field, frozen

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import RESAMPLES, SEED, Resampling
from gainful.measure.language import expand, parse
from gainful.measure.measure import Measure
from gainful.types import is_number

ALLOWANCES = {
    "convention": "a baseline under another convention",
    "judgments": "a baseline by other judgments",
    "queries": "queries that are left out because the run lacks them",
}
MeasureBounds = Mapping[str | Measure, float] | Iterable[tuple[str | Measure, float]]


def _convert_allowances(allow: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(allow, Iterable):
        raise WrongType("allow", allow, ", ".join(ALLOWANCES))
    names = (allow,) if isinstance(allow, str) else tuple(allow)
    for name in names:
        if name not in ALLOWANCES:
            raise UnknownName("allowance", str(name), ALLOWANCES)
    return names


def parse_bounds(
    values: MeasureBounds | None, argument: str, *, least: float | None = None
) -> dict[str, float]:
    """A number for each measure, by the name it was given; two for one measure are an error."""
    limits: dict[str, float] = {}
    names: dict[Measure, str] = {}
    pairs = values.items() if isinstance(values, Mapping) else values or ()
    if isinstance(pairs, str) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        raise WrongType(argument, values, "{measure: number}")
    for name, value in pairs:
        measure = parse(name)
        bound = _check_bound(value, f"{argument} of {measure}", least)
        first_name = names.setdefault(measure, str(name).strip())
        if limits.setdefault(first_name, bound) != bound:
            both = f"{limits[first_name]:g} and {bound:g}"
            raise BadValue(f"{argument} of {measure}", both, "one value for each measure")
    return limits


def _check_bound(value: Any, argument: str, least: float | None) -> float:
    allowed = "a finite number" if least is None else f"a finite number from {least:g} on"
    if not is_number(value):
        raise WrongType(argument, value, allowed)
    try:
        number = float(value)
    except OverflowError:  # a whole number can be too large
        number = inf
    if not isfinite(number) or (least is not None and number < least):
        raise BadValue(argument, number, allowed)
    return number


def _convert_floors(floors: MeasureBounds | None) -> dict[str, float]:
    return parse_bounds(floors, "floor")


def _convert_drops(drops: MeasureBounds | None) -> dict[str, float]:
    return parse_bounds(drops, "max_drop", least=0)


@frozen(kw_only=True)
class Rules:
    """Floors of means, bounds of drops, and whether a significant drop is let through.

    Examples:
        >>> Rules(floors={"nDCG@10": 0.45}, max_drop={"AP": 0.01}).measures_to_evaluate("RR")
        ['RR', 'nDCG@10', 'AP']
        >>> Rules(max_drop={"AP": -0.01})
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: max_drop of AP is -0.01; allowed: a finite number from 0 on
    """

    floors: Mapping[str, float] = field(default=None, converter=_convert_floors)
    max_drop: Mapping[str, float] = field(default=None, converter=_convert_drops)
    significant: float | None = None
    test: str = "randomisation"
    seed: int = SEED
    resamples: int = RESAMPLES
    allow: tuple[str, ...] = field(default=(), converter=_convert_allowances)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.test, str) or self.test not in TESTS:
            raise UnknownName("test", str(self.test), TESTS)
        try:
            self.resampling()
        except BadValue as error:
            name = "significant" if error.argument == "alpha" else error.argument
            raise type(error)(name, error.value, error.allowed) from None

    def resampling(self) -> Resampling:
        """How a drop is tested: one-sided, as only a worse run is of interest."""
        options = {} if self.significant is None else {"alpha": self.significant}
        return Resampling(resamples=self.resamples, seed=self.seed, alternative="less", **options)

    @property
    def has_rules(self) -> bool:
        """Is there a rule at all?"""
        return bool(self.floors or self.max_drop) or self.significant is not None

    @property
    def needs_baseline(self) -> bool:
        """Does one of them need a baseline?"""
        return bool(self.max_drop) or self.significant is not None

    def measures_to_evaluate(self, measures: Any = None) -> list[str | Measure] | None:
        """All measures to evaluate: those that were asked for, and those that have a rule."""
        expanded: dict[str, Measure] = {} if measures is None else expand(measures)
        for name in (*self.floors, *self.max_drop):
            if parse(name) not in expanded.values():
                expanded |= expand(name)
        return list(expanded) or None
