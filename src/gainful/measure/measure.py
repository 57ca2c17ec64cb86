"""`Measure`: a name, its parameters and a cutoff, as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from math import e
from numbers import Integral, Real
from typing import Any

from attrs import evolve, field, frozen

from gainful.convention import SETTINGS, Setting
from gainful.convention.session import SESSION_SETTINGS
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import NamedFormula, format_exact
from gainful.measure.catalogue import MEASURES, SESSION_MEASURES
from gainful.measure.discount import DISCOUNTS, as_discount
from gainful.measure.entry import Entry
from gainful.measure.further import find_in_plugins
from gainful.measure.gain import GAINS, as_gain
from gainful.measure.parameters import CHOICES, PARAMETERS, as_points, translate_params

SettingValue = str | float | int  # what can stand in the brackets of a measure
_FORMULAS: Mapping[str, tuple[Callable[[object], NamedFormula], Mapping[str, NamedFormula]]] = {
    "gain": (as_gain, GAINS),
    "discount": (as_discount, DISCOUNTS),
    "query_discount": (as_discount, DISCOUNTS),
}


def _find_formula(name: str, value: object) -> NamedFormula:
    """A formula that can be named in a measure; one's own goes into the call beside it."""
    find, formulas = _FORMULAS[name]
    formula = find(value)
    own = formulas.get(formula.name)
    if not formula.name.startswith("{") and (own is None or own.expr != formula.expr):
        allowed = f"{', '.join(formulas)}; a formula of your own is an option of the call"
        raise BadValue(name, formula.name, allowed)
    return formula


def cutoff(k: object, entry: Entry) -> int | float | None:
    """What stands behind @: a whole number from 1 on, a level of recall, or nothing."""
    if entry.cutoff_kind in ("needed", "recall") and k is None:
        example = f"{entry.name}@{10 if entry.cutoff_kind == 'needed' else 0.1}"
        raise BadValue("k", None, f"a cutoff, such as {example}")
    if k is None:
        return None
    if entry.cutoff_kind == "none":
        raise BadValue("k", k, f"nothing: {entry.name} takes no cutoff")
    if entry.cutoff_kind == "recall":
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


def check_parameter(
    name: str, value: Any, settings: Mapping[str, Setting] = SETTINGS
) -> SettingValue:
    """A parameter's value in its canonical form, or an error that says what is allowed."""
    if name in PARAMETERS:
        return PARAMETERS[name].check(value)
    if name == "points":
        return ",".join(format_exact(point) for point in as_points(value))
    if name in _FORMULAS:
        return _find_formula(name, value).name
    if name == "of":
        return _ranking_measure_name(value)
    (CHOICES[name] if name in CHOICES else settings[name]).check(value)
    return value  # type: ignore[no-any-return]  # the table of answers has just vouched for it


def _ranking_measure_name(value: Any) -> str:
    """The spelling of a measure of single rankings, from one of its spellings."""
    from gainful.measure.language import parse  # noqa: PLC0415  (which needs this file)

    measure = parse(value)
    if measure.entry.session:
        raise BadValue("of", str(measure), "a measure of single rankings, such as 'nDCG@10'")
    return str(measure)


def _as_pairs(params: Any) -> tuple[tuple[str, Any], ...]:
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
    params: tuple[tuple[str, SettingValue], ...] = field(default=(), converter=_as_pairs)
    k: int | float | None = None

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise WrongType("measure", self.name, ", ".join(MEASURES))
        exists = self.name in MEASURES or self.name in SESSION_MEASURES
        if not exists and not find_in_plugins(self.name, MEASURES):
            raise UnknownName(
                "measure",
                self.name,
                (*MEASURES, *SESSION_MEASURES),
                "gainful measures lists them all",
            )
        if self.k is not None or not self.needs_cutoff:
            object.__setattr__(self, "k", cutoff(self.k, self.entry))
        for name, _ in self.params:
            if name not in self.entry.params:
                raise UnknownName(f"parameter of {self.name}", name, self.entry.params)
        table = SESSION_SETTINGS if self.entry.session else SETTINGS
        checked_params = {name: check_parameter(name, value, table) for name, value in self.params}
        for name in (
            _FORMULAS.keys() & checked_params.keys()
        ):  # values a formula came with, unless set
            values = _find_formula(name, dict(self.params)[name]).values
            checked_params = {
                **{key: value for key, value in values if key in PARAMETERS},
                **checked_params,
            }
        ordered = tuple(
            (name, checked_params[name]) for name in self.entry.params if name in checked_params
        )
        object.__setattr__(self, "params", ordered)
        if "discount" in checked_params and "b" in checked_params:
            as_discount(checked_params["discount"]).with_values({"b": checked_params["b"]})
        if "gain" in checked_params and "rel" in checked_params:
            as_gain(checked_params["gain"]).with_values({"rel": checked_params["rel"]})

    @property
    def needs_cutoff(self) -> bool:
        """Is a cutoff still to come, as in `P @ 10`?"""
        return self.k is None and self.entry.cutoff_kind in ("needed", "recall")

    @property
    def entry(self) -> Entry:
        """Its entry in the catalogue."""
        session_entry = SESSION_MEASURES.get(self.name)
        return MEASURES[self.name] if session_entry is None else session_entry

    def __call__(self, **params: Any) -> Measure:
        """The same measure with these parameters set, as they are called here or in ir_measures."""
        params = translate_params(params)
        cut = params.pop("cutoff", self.k)
        return evolve(self, params=tuple((dict(self.params) | params).items()), k=cut)

    def __matmul__(self, k: float | None) -> Measure:
        """The same measure over the first k documents."""
        return evolve(self, k=k)

    def _repr_latex_(self) -> str:
        from gainful.measure.latex import measure_latex  # noqa: PLC0415  (which needs this file)

        return measure_latex(self)

    def _repr_html_(self) -> str:
        lines = (self.entry.question, self.entry.definition)
        return f"<b>{escape(str(self))}</b><br>" + "<br>".join(map(escape, lines))

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={_format_value(name, value)}" for name, value in self.params)
        suffix = "" if self.k is None else f"@{format_exact(self.k)}"
        return self.name + (f"({inner})" if inner else "") + suffix


def _format_value(name: str, value: SettingValue) -> str:
    if value == e:
        return "e"
    if name == "of":  # a measure within a measure; its own quotes are the other ones
        return f'"{value}"' if "'" in str(value) else f"'{value}'"
    if isinstance(value, str) and "," in value and not value.startswith("{"):
        return f"'{value}'"
    return format_exact(value) if isinstance(value, float) else str(value)


nDCG, DCG, IDCG, nCG, CG = (Measure(name) for name in ("nDCG", "DCG", "IDCG", "nCG", "CG"))
AP, P, R, RR = (Measure(name) for name in ("AP", "P", "R", "RR"))
