"""Measure + options + a tool's habits → `Recipe`: everything settled, nothing left to choose.

What the measure says wins, then the option, then `like`, then the default. A parameter that
came with a formula goes when another formula takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from attrs import evolve, frozen

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
    Unjudged,
    like,
)
from gainful.errors import BadValue, NotExact, UnknownName
from gainful.formula import NamedFormula
from gainful.measure.discount import as_discount
from gainful.measure.gain import as_gain
from gainful.measure.measure import Measure, checked, cutoff
from gainful.measure.parameters import ELEVEN_POINTS, PARAMETERS, as_points


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
    unjudged: Unjudged


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
    asked: Mapping[str, Any]  # what was set explicitly, in the measure or as an option

    def settings(self) -> dict[str, Any]:
        """What the function of the measure is called with, besides what it sees."""
        entry = self.measure.entry
        known = {name: self._setting(name) for name in entry.takes}
        return known if entry.cut == "none" else known | {"k": self._cut()}

    def _cut(self) -> float | None:
        return self.measure.k if self.measure.entry.cut == "recall" else self.k

    def _setting(self, name: str) -> Any:
        if name == "gain":
            return self.gain
        if name == "discount":
            return self.discount
        if name == "points":
            return as_points(self.asked[name]) if name in self.asked else ELEVEN_POINTS
        if name in HABITS and name not in FORMULAS:
            return getattr(self.convention, name)
        own = self.convention.rel if name == "rel" else None
        usual = self.measure.entry.usual.get(name, PARAMETERS[name].default)
        default = usual if own is None else own
        return self.asked.get(name, default)


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
    of_gain = measure.entry.cumulated or "rel" not in measure.entry.takes
    worth = _formula("gain", "rel", as_gain, asked, base, strict=of_gain)
    left = _formula("discount", "b", as_discount, asked, base)
    if measure.entry.cumulated and not measure.entry.discounted:
        left = as_discount("none")
    habits = {n: checked(n, asked[n]) for n in asked if n in HABITS and n not in FORMULAS}
    relevant = asked.get("rel", base.rel)
    settled = base.changed(
        **habits
        | {"gain": worth.name, "discount": left.name}
        | {"rel": worth.bound.get("rel", relevant), "b": left.bound.get("b")}
        | {"ideal": _ideal(habits.get("ideal"), base, judged=judged)}
    )
    settled = evolve(settled, ties=_ties(measure, asked, base), ties_of=())
    by_grade = settled.ties in ("best", "worst") and measure.entry.subtopics
    if by_grade or (settled.ties in ("average", "mean_rank") and not measure.entry.linear):
        raise NotExact(
            f"ties={settled.ties} is not exact for {measure.name}; choose another ties policy"
        )
    cutoff(measure.k, measure.entry)  # one that is needed must be there by now
    depth = measure.k if isinstance(measure.k, int) else base.cutoff
    if settled.short == "minimum" and depth is None and "short" in measure.entry.params:
        raise BadValue("k", None, "a cutoff, because short=minimum fills every list up to k")
    return Recipe(measure, worth, left, depth, settled, asked)


def _ties(measure: Measure, asked: Mapping[str, Any], base: Convention) -> Ties:
    """How ties are broken: as was asked for, as the tool does for this measure, or for all."""
    if "ties" in asked:
        return asked["ties"]  # type: ignore[no-any-return]  # checked above
    return dict(base.ties_of).get(measure.name + "@" * (measure.k is not None), base.ties)


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
    *,
    strict: bool = True,
) -> NamedFormula:
    """The gain or discount that was asked for, else the convention's, with its parameter.

    A parameter that was asked for and that the formula lacks is an error, unless it means
    something else to the measure (not `strict`): what AP calls relevant is no matter of gain.
    """
    own: NamedFormula = find(getattr(base, kind))
    chosen = find(asked[kind]) if kind in asked else own
    values = dict(chosen.values)
    has = param in chosen.bound
    inherited = getattr(base, param) if chosen.name == own.name and has else None
    if inherited is not None:
        values.setdefault(param, inherited)
    if param in asked and (has or strict):
        values[param] = asked[param]
    return chosen.given(values)
