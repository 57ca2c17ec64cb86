"""`Measure`: a name, its parameters and a cutoff, as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from math import e
from numbers import Integral, Real
from typing import Any

from attrs import evolve, field, frozen

from gainful.convention import HABITS, Habit
from gainful.convention.session import SESSION_HABITS
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import NamedFormula, exact
from gainful.measure.catalogue import MEASURES, SESSION_MEASURES
from gainful.measure.discount import DISCOUNTS, as_discount
from gainful.measure.entry import Entry
from gainful.measure.further import look_further
from gainful.measure.gain import GAINS, as_gain
from gainful.measure.parameters import CHOICES, PARAMETERS, as_points, translated

Setting = str | float | int  # what can stand in the brackets of a measure
_FORMULAS: Mapping[str, tuple[Callable[[object], NamedFormula], Mapping[str, NamedFormula]]] = {
    "gain": (as_gain, GAINS),
    "discount": (as_discount, DISCOUNTS),
    "query_discount": (as_discount, DISCOUNTS),
}


def _named(name: str, value: object) -> NamedFormula:
    """A formula that can be named in a measure; one's own goes into the call beside it."""
    find, known = _FORMULAS[name]
    formula = find(value)
    own = known.get(formula.name)
    if not formula.name.startswith("{") and (own is None or own.expr != formula.expr):
        allowed = f"{', '.join(known)}; a formula of your own is an option of the call"
        raise BadValue(name, formula.name, allowed)
    return formula


def cutoff(k: object, entry: Entry) -> int | float | None:
    """What stands behind @: a whole number from 1 on, a level of recall, or nothing."""
    if entry.cut in ("needed", "recall") and k is None:
        such = f"{entry.name}@{10 if entry.cut == 'needed' else 0.1}"
        raise BadValue("k", None, f"a cutoff, such as {such}")
    if k is None:
        return None
    if entry.cut == "none":
        raise BadValue("k", k, f"nothing: {entry.name} takes no cutoff")
    if entry.cut == "recall":
        if isinstance(k, bool) or not isinstance(k, Real):
            raise WrongType("k", k, "a level of recall, from 0 to 1")
        if not 0 <= float(k) <= 1:
            raise BadValue("k", k, "a level of recall, from 0 to 1")
        return float(k)
    if isinstance(k, bool) or not isinstance(k, Integral):
        raise WrongType("k", k, "a whole number from 1 on")
    if k < 1:
        raise BadValue("k", k, "a whole number from 1 on")
    return int(k)


def checked(name: str, value: Any, habits: Mapping[str, Habit] = HABITS) -> Setting:
    """A parameter's value in its canonical form, or an error that says what is allowed."""
    if name in PARAMETERS:
        return PARAMETERS[name].check(value)
    if name == "points":
        return ",".join(exact(point) for point in as_points(value))
    if name in _FORMULAS:
        return _named(name, value).name
    if name == "of":
        return _of_rankings(value)
    (CHOICES[name] if name in CHOICES else habits[name]).check(value)
    return value  # type: ignore[no-any-return]  # the table of answers has just vouched for it


def _of_rankings(value: Any) -> str:
    """The spelling of a measure of single rankings, from one of its spellings."""
    from gainful.measure.language import parse  # noqa: PLC0415  (which needs this file)

    measure = parse(value)
    if measure.entry.session:
        raise BadValue("of", str(measure), "a measure of single rankings, such as 'nDCG@10'")
    return str(measure)


def _pairs(params: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(params.items()) if isinstance(params, Mapping) else tuple(params)


@frozen
class Measure:
    """What is computed: `nDCG(gain="exp") @ 10`. Equal by its fields, usable as a key.

    Examples:
        >>> nDCG = Measure("nDCG")
        >>> str(nDCG(gain="exp", discount="jk2008", b=2) @ 10)
        'nDCG(gain=exp, discount=jk2008, b=2)@10'
    """

    name: str
    params: tuple[tuple[str, Setting], ...] = field(default=(), converter=_pairs)
    k: int | float | None = None

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise WrongType("measure", self.name, ", ".join(MEASURES))
        own = self.name in MEASURES or self.name in SESSION_MEASURES
        if not own and not look_further(self.name, MEASURES):
            raise UnknownName(
                "measure",
                self.name,
                (*MEASURES, *SESSION_MEASURES),
                "gainful measures lists them all",
            )
        if self.k is not None or not self.unfinished:
            object.__setattr__(self, "k", cutoff(self.k, self.entry))
        for name, _ in self.params:
            if name not in self.entry.params:
                raise UnknownName(f"parameter of {self.name}", name, self.entry.params)
        table = SESSION_HABITS if self.entry.session else HABITS
        given = {name: checked(name, value, table) for name, value in self.params}
        for name in _FORMULAS.keys() & given.keys():  # values a formula came with, unless set
            values = _named(name, dict(self.params)[name]).values
            given = {**{key: value for key, value in values if key in PARAMETERS}, **given}
        ordered = tuple((name, given[name]) for name in self.entry.params if name in given)
        object.__setattr__(self, "params", ordered)
        if "discount" in given and "b" in given:
            as_discount(given["discount"]).given({"b": given["b"]})
        if "gain" in given and "rel" in given:
            as_gain(given["gain"]).given({"rel": given["rel"]})

    @property
    def unfinished(self) -> bool:
        """Is a cutoff still to come, as in `P @ 10`?"""
        return self.k is None and self.entry.cut in ("needed", "recall")

    @property
    def entry(self) -> Entry:
        """Its entry in the catalogue."""
        found = SESSION_MEASURES.get(self.name)
        return MEASURES[self.name] if found is None else found

    def __call__(self, **params: Any) -> Measure:
        """The same measure with these parameters set, as they are called here or in ir_measures."""
        params = translated(params)
        cut = params.pop("cutoff", self.k)
        return evolve(self, params=tuple((dict(self.params) | params).items()), k=cut)

    def __matmul__(self, k: float | None) -> Measure:
        """The same measure over the first k documents."""
        return evolve(self, k=k)

    def _repr_latex_(self) -> str:
        from gainful.measure.latex import measure_latex  # noqa: PLC0415  (which needs this file)

        return measure_latex(self)

    def _repr_html_(self) -> str:
        told = (self.entry.question, self.entry.value)
        return f"<b>{escape(str(self))}</b><br>" + "<br>".join(map(escape, told))

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={_written(name, value)}" for name, value in self.params)
        at = "" if self.k is None else f"@{exact(self.k)}"
        return self.name + (f"({inner})" if inner else "") + at


def _written(name: str, value: Setting) -> str:
    if value == e:
        return "e"
    if name == "of":  # a measure within a measure; its own quotes are the other ones
        return f'"{value}"' if "'" in str(value) else f"'{value}'"
    if isinstance(value, str) and "," in value and not value.startswith("{"):
        return f"'{value}'"
    return exact(value) if isinstance(value, float) else str(value)


nDCG, DCG, IDCG, nCG, CG = (Measure(name) for name in ("nDCG", "DCG", "IDCG", "nCG", "CG"))
AP, P, R, RR = (Measure(name) for name in ("AP", "P", "R", "RR"))
