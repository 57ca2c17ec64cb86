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
from gainful.measure.discount import b as rank_base, bq as query_base
from gainful.measure.gain import as_gain
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.sessions.recipe import session_recipe
from gainful.measure.sessions.recipe_value import SessionRecipe

Bases = str | float | Iterable[float]
Weights = str | Mapping[Any, Any] | NamedFormula
REASONABLE = (1.5, 10.0)  # of b and of bq, says the paper of 2008 (§3.1)
USUAL = "1.5:10"
_MOST = 1_000_000  # settings
_DEPTH = 10
_PARAMS = {"b": rank_base, "bq": query_base}
_SWEPT = ("sDCG", "nsDCG")
# A mean over sessions must be one of sums that the discounts alone change.
_LINEAR = {
    "statistic": "final",
    "normalise": "session",
    "average": "ratios",
    "hold": "held",
    "at": "results",
}


def bases(name: str, value: Bases, points: int) -> tuple[float, ...]:
    """The bases that are meant: a range such as 1.5:10, a list such as 1.5,2,4, or numbers.

    The points of a range are spread evenly in the logarithm, which is what discounts are made of.

    Examples:
        >>> bases("b", "2:8", 3)
        (2.0, 4.0, 8.0)
        >>> bases("bq", "4", 20)
        (4.0,)
    """
    if isinstance(points, bool) or not isinstance(points, int) or points < 2:
        raise BadValue("points", points, "a whole number from 2 on")
    if isinstance(value, str) and ":" in value:
        low, high = _numbers(name, value, value.split(":"), 2)
        if low >= high:
            raise BadValue(name, value, f"a range from the smaller to the larger, such as {USUAL}")
        spread = np.geomspace(low, high, points).tolist()
        return tuple(float(f"{one:.12g}") for one in spread)  # the same on every machine
    if isinstance(value, str):
        return _numbers(name, value, value.split(","))
    return _numbers(name, value, [value] if isinstance(value, Real) else value)


def _numbers(
    name: str, whole: object, parts: object, exactly: int | None = None
) -> tuple[float, ...]:
    allowed = f"a range such as {USUAL}, or numbers such as 1.5,2,4"
    if not isinstance(parts, Iterable):
        raise WrongType(name, whole, allowed)
    given = list(parts)
    try:
        found = [float(part) for part in given]
    except (TypeError, ValueError):
        raise BadValue(name, whole, allowed) from None
    if not found or (exactly is not None and len(found) != exactly):
        raise BadValue(name, whole, allowed)
    return tuple(_PARAMS[name].check(number) for number in found)


def depths(value: object) -> tuple[int, ...]:
    """How many results of a query count: one number or several."""
    parts: object = value.split(",") if isinstance(value, str) else value
    given = list(parts) if isinstance(parts, Iterable) else [parts]
    found = []
    for one in given:
        text = str(one).strip()
        if isinstance(one, bool) or not (text.isascii() and text.isdigit()) or int(text) < 1:
            raise BadValue("depth", one, "a whole number from 1 on")
        found.append(int(text))
    return tuple(dict.fromkeys(found)) or (_DEPTH,)


def _asked(measure: str | Measure, depth: object) -> tuple[Measure, tuple[int, ...]]:
    """The measure, and how deep; either of them may say that."""
    if isinstance(measure, str) and "@" not in measure:
        return parse(f"{measure}@{_DEPTH}"), depths(_DEPTH if depth is None else depth)
    if isinstance(measure, Measure) and measure.k is None:
        return evolve(measure, k=_DEPTH), depths(_DEPTH if depth is None else depth)
    found = parse(measure)
    if depth is not None:
        raise BadValue("depth", depth, f"nothing: {found} says how deep")
    return found, depths(found.k)


@frozen(eq=False, kw_only=True)
class Settings:
    """All that a sweep goes through, and the setting that the others are held against."""

    measure: str
    convention: SessionConvention
    b: tuple[float, ...]
    bq: tuple[float, ...]
    recipes: Sequence[SessionRecipe]  # one for each choice of weights and depth
    reference: tuple[float, float]


def settled(
    measure: str | Measure,
    *,
    b: Bases,
    bq: Bases,
    points: int,
    depth: object,
    weights: Weights | Sequence[Weights] | None,
    reference: Mapping[str, float] | None,
    like: str | SessionConvention | None,
    habits: Mapping[str, Any],
) -> Settings:
    """Everything that is asked of a sweep, checked."""
    base, (asked, deep) = like_sessions(like), _asked(measure, depth)
    if asked.name not in _SWEPT:
        raise BadValue("measure", str(asked), " or ".join(_SWEPT))
    for name in ("b", "bq"):
        if name in dict(asked.params):
            raise BadValue("measure", str(asked), f"no {name} in it: that is swept")
    if weights is not None and "gain" in dict(asked.params):
        raise BadValue("weights", weights, f"nothing: {asked} has a gain")
    given = [weights] if isinstance(weights, (str, Mapping, NamedFormula)) else weights
    gains = [None] if given is None else [as_gain(one) for one in given]
    found = bases("b", b, points), bases("bq", bq, points)
    recipes = []
    for gain, x in product(gains, deep):
        options = {**habits} | ({} if gain is None else {"gain": gain})
        how = session_recipe(evolve(asked, k=x), options=options, like=base)
        for name, usual in _LINEAR.items():
            answer = getattr(how.convention, name)
            if answer != usual:
                raise BadValue(name, answer, f"{usual}, in a sweep")
        how.discount.given({"b": found[0][0]})  # a discount without a base cannot be swept
        how.query_discount.given({"bq": found[1][0]})
        recipes.append(how)
    number = len(recipes) * len(found[0]) * len(found[1])
    if number > _MOST:
        raise BadValue("points", points, f"fewer: these are {number} settings of at most {_MOST}")
    return Settings(
        measure=str(evolve(asked, k=None)),
        convention=base,
        b=found[0],
        bq=found[1],
        recipes=recipes,
        reference=_reference(reference, base),
    )


def _reference(given: Mapping[str, float] | None, base: SessionConvention) -> tuple[float, float]:
    """The setting that the others are held against: the convention's own, if none is named."""
    usual = {"b": base.b or 2, "bq": base.bq or 4}
    for name in given or {}:
        if name not in usual:
            raise UnknownName("part of the reference", name, usual)
    both = {**usual, **(given or {})}
    return rank_base.check(both["b"]), query_base.check(both["bq"])
