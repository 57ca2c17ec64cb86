"""Measure + options + a tool's habits → `Recipe`: everything settled, nothing left to choose.

What the measure says wins, then the option, then `like`, then the default. A parameter that
came with a formula goes when another formula takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from attrs import frozen

from gainful.convention import (
    HABITS,
    Convention,
    Empty,
    Fractional,
    Ideal,
    IdealDepth,
    Negative,
    Short,
    Ties,
    like,
)
from gainful.errors import BadValue, NotExact, UnknownName
from gainful.formula import NamedFormula
from gainful.measure.discount import as_discount
from gainful.measure.gain import as_gain
from gainful.measure.measure import Measure, checked


class Options(TypedDict, total=False):
    """What may be set in a call: two formulas with their parameters, and habits."""

    gain: str | Mapping[float, float] | NamedFormula
    rel: float
    discount: str | NamedFormula
    b: float
    ideal: Ideal
    ideal_depth: IdealDepth
    ties: Ties
    short: Short
    negative: Negative
    fractional: Fractional
    empty: Empty


FORMULAS = ("gain", "rel", "discount", "b")  # the two formulas of a measure, and what they take
_BESIDE = ("k", "judged", "scores", "like")  # what calls take besides


@frozen(eq=False)
class Recipe:
    """A measure with every choice made."""

    measure: Measure
    gain: NamedFormula
    discount: NamedFormula
    k: int | None
    convention: Convention
    asked: tuple[str, ...] = ()  # what was set explicitly, in the measure or as an option


def recipe(
    measure: Measure,
    *,
    options: Mapping[str, Any] | None = None,
    like_whom: str | Convention | None = None,
    judged: bool | None = None,
) -> Recipe:
    """Settle how a measure is computed.

    Args:
        measure: what is asked for.
        options: what the caller set beside it.
        like_whom: the tool or source whose habits fill the rest.
        judged: are judged documents given? If so the ideal comes from them unless told
            otherwise, if not it can only come from the list; None leaves it to the convention.
    """
    base = like(like_whom)
    options = dict(options or {})
    for name in options:
        if name not in measure.entry.params:
            known = (*measure.entry.params, *_BESIDE)
            raise UnknownName(f"option of {measure.name}", name, known)
    given = {name: value for name, value in options.items() if value is not None}
    asked = given | dict(measure.params)
    worth = _formula("gain", "rel", as_gain, asked, base)
    left = _formula("discount", "b", as_discount, asked, base)
    if not measure.entry.discounted:
        left = as_discount("none")
    habits = {n: checked(n, asked[n]) for n in asked if n in HABITS and n not in FORMULAS}
    settled = base.changed(
        **habits
        | {"gain": worth.name, "discount": left.name}
        | {"rel": worth.bound.get("rel"), "b": left.bound.get("b")}
        | {"ideal": _ideal(habits.get("ideal"), base, judged=judged)}
    )
    if settled.ties == "average" and not measure.entry.linear:
        raise NotExact(f"ties=average is not exact for {measure.name}; choose another ties policy")
    depth = measure.k if measure.k is not None else base.cutoff
    if settled.short == "minimum" and depth is None:
        raise BadValue("k", None, "a cutoff, because short=minimum fills every list up to k")
    return Recipe(measure, worth, left, depth, settled, tuple(asked))


def _ideal(asked: object, base: Convention, *, judged: bool | None) -> object:
    if judged is False:
        return "list"
    return asked or ("judged" if judged else base.ideal)


def _formula(
    kind: str,
    param: str,
    find: Callable[[object], NamedFormula],
    asked: Mapping[str, Any],
    base: Convention,
) -> NamedFormula:
    """The gain or discount that was asked for, else the convention's, with its parameter."""
    own: NamedFormula = find(getattr(base, kind))
    chosen = find(asked[kind]) if kind in asked else own
    values = dict(chosen.values)
    if chosen.name == own.name and param not in values and getattr(base, param) is not None:
        values[param] = getattr(base, param)
    if param in asked:
        values[param] = asked[param]
    return chosen.given(values)
