"""Measure + options + a tool's habits → `Recipe`: everything settled, nothing left to choose.

What the measure says wins, then the option, then `like`, then the default. A parameter that
came with a formula goes when another formula takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from attrs import frozen

from gainful.convention import (
    SETTINGS,
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
from gainful.match.ties import TIE_POLICIES
from gainful.measure.formulas import as_discount, as_gain
from gainful.measure.measure import Measure, cutoff
from gainful.measure.parameter_kinds import find_kind
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
_CALL_ARGUMENTS = ("k", "judged", "scores", "like")  # what calls take besides


@frozen(eq=False)
class Recipe:
    """A measure with every choice made."""

    measure: Measure
    gain: NamedFormula
    discount: NamedFormula
    k: int | None
    convention: Convention
    explicit: Mapping[str, Any]  # what was set explicitly, in the measure or as an option

    @property
    def depth(self) -> int | None:
        """How many documents the measure looks at; None for all of them."""
        return self.k if self.measure.entry.cutoff_kind in ("optional", "needed") else None

    def function_arguments(self) -> dict[str, Any]:
        """What the function of the measure is called with, besides what it sees."""
        entry = self.measure.entry
        arguments = {name: self._argument(name) for name in entry.arguments}
        return arguments if entry.cutoff_kind == "none" else arguments | {"k": self._cutoff()}

    def _cutoff(self) -> float | None:
        return self.measure.k if self.measure.entry.cutoff_kind == "recall" else self.k

    def _argument(self, name: str) -> Any:
        if name == "gain":
            return self.gain
        if name == "discount":
            return self.discount
        if name == "points":
            return as_points(self.explicit[name]) if name in self.explicit else ELEVEN_POINTS
        if name in SETTINGS and name not in FORMULAS:
            return getattr(self.convention, name)
        own = self.convention.rel if name == "rel" else None
        usual = self.measure.entry.defaults.get(name, PARAMETERS[name].default)
        default = usual if own is None else own
        return self.explicit.get(name, default)


def build_recipe(
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
    base_convention = like(like_whom)
    options = dict(options or {})
    for name in options:
        if name not in measure.entry.params:
            allowed = (*measure.entry.params, *_CALL_ARGUMENTS)
            raise UnknownName(f"option of {measure.name}", name, allowed)
    chosen_options = {name: value for name, value in options.items() if value is not None}
    explicit = chosen_options | dict(measure.params)
    strict_rel = measure.entry.cumulated or "rel" not in measure.entry.arguments
    gain = _choose_formula("gain", "rel", as_gain, explicit, base_convention, strict=strict_rel)
    discount = _choose_formula("discount", "b", as_discount, explicit, base_convention)
    if measure.entry.cumulated and not measure.entry.discounted:
        discount = as_discount("none")
    settings = {
        n: find_kind(n).check(explicit[n]) for n in explicit if n in SETTINGS and n not in FORMULAS
    }
    rel = explicit.get("rel", base_convention.rel)
    convention = base_convention.with_settings(
        **settings
        | {"gain": gain.name, "discount": discount.name}
        | {"rel": gain.param_values.get("rel", rel), "b": discount.param_values.get("b")}
        | {"ideal": _choose_ideal(settings.get("ideal"), base_convention, judged=judged)}
        | {"ties": _choose_ties(measure, explicit, base_convention)}
    )
    policy = TIE_POLICIES[convention.ties]
    by_grade = policy.needs == "grades" and measure.entry.needs_subtopics
    if by_grade or (policy.averages and not measure.entry.linear):
        raise NotExact(
            f"ties={convention.ties} is not exact for {measure.name}; choose another ties policy"
        )
    cutoff(measure.k, measure.entry)  # one that is needed must be there by now
    depth = measure.k if isinstance(measure.k, int) else base_convention.cutoff
    if convention.short == "minimum" and depth is None and "short" in measure.entry.params:
        raise BadValue("k", None, "a cutoff, because short=minimum fills every list up to k")
    return Recipe(measure, gain, discount, depth, convention, explicit)


def _choose_ties(
    measure: Measure, explicit: Mapping[str, Any], base_convention: Convention
) -> Ties:
    """How ties are broken: as was asked for, as the tool does for this measure, or for all."""
    if "ties" in explicit:
        return explicit["ties"]  # type: ignore[no-any-return]  # checked above
    return dict(base_convention.ties_by_measure).get(
        measure.name + "@" * (measure.k is not None), base_convention.ties
    )


def _choose_ideal(explicit: object, base_convention: Convention, *, judged: bool | None) -> object:
    if judged is False:
        return "list"
    return explicit or ("judged" if judged else base_convention.ideal)


def _choose_formula(
    kind: str,
    param: str,
    find: Callable[[object], NamedFormula],
    explicit: Mapping[str, Any],
    base_convention: Convention,
    *,
    strict: bool = True,
) -> NamedFormula:
    """The gain or discount that was asked for, else the convention's, with its parameter.

    A parameter that was asked for and that the formula lacks is an error, unless it means
    something else to the measure (not `strict`): what AP calls relevant is no matter of gain.
    """
    own: NamedFormula = find(getattr(base_convention, kind))
    chosen = find(explicit[kind]) if kind in explicit else own
    values = dict(chosen.values)
    takes_param = param in chosen.param_values
    inherited = getattr(base_convention, param) if chosen.name == own.name and takes_param else None
    if inherited is not None:
        values.setdefault(param, inherited)
    if param in explicit and (takes_param or strict):
        values[param] = explicit[param]
    return chosen.with_values(values)
