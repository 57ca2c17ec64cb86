"""Which settings a sweep goes through: bases, depths and weights, as they are spelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
from attrs import evolve, frozen

from gainful.convention.session import SessionConvention, like_sessions
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import NamedFormula
from gainful.measure.build_recipe import build_session_recipe
from gainful.measure.build_recipes import WHY_NOT_NSDCG, usual_session_measures
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.discount import USUAL_RANGE, b as rank_base, bq as query_base
from gainful.measure.formulas import as_gain
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.recipe import SessionRecipe
from gainful.types import MAX_COUNT, is_whole_number

Bases = str | float | Iterable[float]
Weights = str | Mapping[Any, Any] | NamedFormula
REASONABLE_RANGE = (1.5, 10.0)  # of b and of bq, says the paper of 2008 (§3.1)
_MAX_SETTINGS = 1_000_000  # settings
_MAX_POINTS = 10_000  # of a range
_USUAL_DEPTH = 10
_BASE_PARAMETERS = {"b": rank_base, "bq": query_base}
# A mean over sessions must be one of sums that the discounts alone change.
_LINEAR_SETTINGS = {
    "statistic": "final",
    "normalise": "session",
    "average": "ratios",
    "hold": "held",
    "at": "results",
}


def parse_bases(name: str, value: Bases, points: int) -> tuple[float, ...]:
    """The bases that are meant: a range such as 1.5:10, a list such as 1.5,2,4, or numbers.

    The points of a range are spread evenly in the logarithm, which is what discounts are made of.

    Examples:
        >>> parse_bases("b", "2:8", 3)
        (2.0, 4.0, 8.0)
        >>> parse_bases("bq", "4", 20)
        (4.0,)
    """
    if not is_whole_number(points) or not 2 <= points <= _MAX_POINTS:
        raise BadValue("points", points, f"a whole number from 2 to {_MAX_POINTS}")
    if isinstance(value, str) and ":" in value:
        low, high = _parse_numbers(name, value, value.split(":"), 2)
        if low >= high:
            raise BadValue(
                name, value, f"a range from the smaller to the larger, such as {USUAL_RANGE}"
            )
        points_of_range = np.geomspace(low, high, points).tolist()
        return tuple(
            float(f"{point:.12g}") for point in points_of_range
        )  # the same on every machine
    if isinstance(value, str):
        return _parse_numbers(name, value, value.split(","))
    return _parse_numbers(name, value, [value] if isinstance(value, Real) else value)


def _parse_numbers(
    name: str, value: object, parts: object, count: int | None = None
) -> tuple[float, ...]:
    allowed = f"a range such as {USUAL_RANGE}, or numbers such as 1.5,2,4"
    if not isinstance(parts, Iterable):
        raise WrongType(name, value, allowed)
    items = list(parts)
    try:
        numbers = [float(part) for part in items]
    except (TypeError, ValueError):
        raise BadValue(name, value, allowed) from None
    if not numbers or (count is not None and len(numbers) != count):
        raise BadValue(name, value, allowed)
    return tuple(_BASE_PARAMETERS[name].check(number) for number in numbers)


def parse_depths(value: object) -> tuple[int, ...]:
    """How many results of a query count: one number or several."""
    parts: object = value.split(",") if isinstance(value, str) else value
    items = list(parts) if isinstance(parts, Iterable) else [parts]
    depths = []
    for item in items:
        text = str(item).strip()
        is_count = text.isascii() and text.isdigit() and len(text) < len(str(MAX_COUNT))
        if isinstance(item, bool) or not is_count or int(text) < 1:
            raise BadValue("depth", item, "a whole number from 1 on")
        depths.append(int(text))
    return tuple(dict.fromkeys(depths)) or (_USUAL_DEPTH,)


def _parse_measure_and_depths(
    measure: str | Measure, depth: object
) -> tuple[Measure, tuple[int, ...]]:
    """The measure, and how deep; either of them may say that."""
    if isinstance(measure, str) and "@" not in measure:
        return parse(f"{measure}@{_USUAL_DEPTH}"), parse_depths(
            _USUAL_DEPTH if depth is None else depth
        )
    if isinstance(measure, Measure) and measure.k is None:
        return evolve(measure, k=_USUAL_DEPTH), parse_depths(
            _USUAL_DEPTH if depth is None else depth
        )
    parsed_measure = parse(measure)
    if depth is not None:
        raise BadValue("depth", depth, f"nothing: {parsed_measure} says how deep")
    return parsed_measure, parse_depths(parsed_measure.k)


@frozen(eq=False, kw_only=True)
class SweepGrid:
    """All that a sweep goes through, and the setting that the others are held against."""

    measure: str
    convention: SessionConvention
    b: tuple[float, ...]
    bq: tuple[float, ...]
    recipes: Sequence[SessionRecipe]  # one for each choice of weights and depth
    reference: tuple[float, float]
    notes: Sequence[str]


def build_sweep_grid(
    measure: str | Measure | None,
    *,
    b: Bases,
    bq: Bases,
    points: int,
    depth: object,
    weights: Weights | Sequence[Weights] | None,
    reference: Mapping[str, float] | None,
    like: str | SessionConvention | None,
    settings: Mapping[str, Any],
    observed: str = "",
) -> SweepGrid:
    """Everything that is asked of a sweep, checked."""
    notes = [WHY_NOT_NSDCG] if measure is None and observed else []
    if measure is None:
        measure = usual_session_measures(observed)[-1].partition("@")[0]
    convention, (parsed_measure, depths) = (
        like_sessions(like),
        _parse_measure_and_depths(measure, depth),
    )
    if not (parsed_measure.entry.session and parsed_measure.entry.has_vectors):
        raise BadValue("measure", str(parsed_measure), " or ".join(WITH_VECTORS))
    for name in ("b", "bq"):
        if name in dict(parsed_measure.params):
            raise BadValue("measure", str(parsed_measure), f"no {name} in it: that is swept")
    if weights is not None and "gain" in dict(parsed_measure.params):
        raise BadValue("weights", weights, f"nothing: {parsed_measure} has a gain")
    weights_list = [weights] if isinstance(weights, (str, Mapping, NamedFormula)) else weights
    gains = [None] if weights_list is None else [as_gain(weight) for weight in weights_list]
    bases = parse_bases("b", b, points), parse_bases("bq", bq, points)
    recipes = []
    for gain, x in product(gains, depths):
        options = {**settings} | ({} if gain is None else {"gain": gain})
        recipe = build_session_recipe(evolve(parsed_measure, k=x), options=options, like=convention)
        for name, usual in _LINEAR_SETTINGS.items():
            value = getattr(recipe.convention, name)
            if value != usual:
                raise BadValue(name, value, f"{usual}, in a sweep")
        recipe.discount.with_values({"b": bases[0][0]})  # a discount without a base cannot be swept
        recipe.query_discount.with_values({"bq": bases[1][0]})
        recipes.append(recipe)
    setting_count = len(recipes) * len(bases[0]) * len(bases[1])
    if setting_count > _MAX_SETTINGS:
        raise BadValue(
            "points",
            points,
            f"fewer: these are {setting_count} settings of at most {_MAX_SETTINGS}",
        )
    return SweepGrid(
        measure=str(evolve(parsed_measure, k=None)),
        convention=convention,
        b=bases[0],
        bq=bases[1],
        recipes=recipes,
        reference=_parse_reference(reference, convention),
        notes=notes,
    )


def _parse_reference(
    reference: Mapping[str, float] | None, convention: SessionConvention
) -> tuple[float, float]:
    """The setting that the others are held against: the convention's own, if none is named."""
    usual = {"b": convention.b or 2, "bq": convention.bq or 4}
    for name in reference or {}:
        if name not in usual:
            raise UnknownName("part of the reference", name, usual)
    both = {**usual, **(reference or {})}
    return rank_base.check(both["b"]), query_base.check(both["bq"])
