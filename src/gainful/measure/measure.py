"""`Measure`: a name, its parameters and a cutoff, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from attrs import evolve, field, frozen

from gainful.errors import BadValue, Missing, UnknownName, WrongType, check_name
from gainful.measure.catalogue import MEASURES, find_entry, measure_names
from gainful.measure.entry import FORMULA_PARAMS, Entry
from gainful.measure.formulas import find_formula, find_in_plugins
from gainful.measure.names import pop_cutoff, translate_measure
from gainful.measure.parameter_kinds import ParameterValue, find_kind, write_value
from gainful.page.shown import Answering
from gainful.text import format_exact, quote
from gainful.types import MAX_COUNT, is_number, is_whole_number


def cutoff(k: object, entry: Entry) -> int | float | None:
    """What stands behind @: a whole number of at least 1, a level of recall, or nothing."""
    if entry.cutoff_kind in ("needed", "recall") and k is None:
        example = f"{entry.name}@{10 if entry.cutoff_kind == 'needed' else 0.1}"
        raise Missing("k", None, f"{entry.name} needs a cutoff: write {example}")
    if k is None:
        return None
    if entry.cutoff_kind == "none":
        raise BadValue("k", k, f"nothing: {entry.name} takes no cutoff")
    if entry.cutoff_kind == "recall":
        if not is_number(k):
            raise WrongType("k", k, "a level of recall, from 0 to 1")
        if not 0 <= k <= 1:
            raise BadValue("k", k, "a level of recall, from 0 to 1")
        return float(k)
    if not is_whole_number(k):
        raise WrongType("k", k, "a whole number of at least 1")
    if k < 1:
        raise BadValue("k", k, "a whole number of at least 1")
    if k > MAX_COUNT:
        raise BadValue("k", k, f"at most {MAX_COUNT}")
    return int(k)


def _as_pairs(params: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(params.items() if isinstance(params, Mapping) else params)


@frozen
class Measure(Answering):
    """What is computed: `nDCG(gain="exp") @ 10`. Equal by its fields, usable as a key.

    Examples:
        >>> nDCG = Measure("nDCG")
        >>> str(nDCG(gain="exp", discount="jk2008", b=2) @ 10)
        'nDCG(gain=exp, discount=jk2008, b=2)@10'
    """

    name: str
    params: tuple[tuple[str, ParameterValue], ...] = field(default=(), converter=_as_pairs)
    k: int | float | None = None
    entry: Entry = field(init=False, eq=False, repr=False)  # in the catalogue

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise WrongType("measure", self.name, ", ".join(MEASURES))
        entry = find_entry(self.name)
        if entry is None and not find_in_plugins(self.name, MEASURES):
            raise _unknown_measure(self.name)
        entry = entry or MEASURES[self.name]
        object.__setattr__(self, "entry", entry)
        if self.k is not None or not self.needs_cutoff:
            object.__setattr__(self, "k", cutoff(self.k, entry))
        for name, _ in self.params:
            check_name(f"parameter of {self.name}", name, entry.params)
        checked = {
            name: find_kind(name, of_session=entry.session).check(value)
            for name, value in self.params
        }
        for name, value in self.params:
            if name in FORMULA_PARAMS:
                formula, param = find_formula(name, value), FORMULA_PARAMS[name]
                if param in checked:
                    formula.with_values({param: checked[param]})
                elif param in dict(formula.values):  # with which the formula came
                    checked[param] = dict(formula.values)[param]
        ordered = tuple((name, checked[name]) for name in entry.params if name in checked)
        object.__setattr__(self, "params", ordered)

    def __reduce__(self) -> tuple[Any, ...]:
        return Measure, (self.name, self.params, self.k)

    @property
    def needs_cutoff(self) -> bool:
        """Is a cutoff still to come, as in `P @ 10`?"""
        return self.k is None and self.entry.cutoff_kind in ("needed", "recall")

    def __call__(self, *unnamed: Any, **params: Any) -> Measure:
        """This measure with these parameters set, as they are called here or in ir_measures."""
        if unnamed:
            allowed = f"parameters by name; a cutoff is written {self.name} @ 10"
            raise WrongType(self.name, unnamed[0], allowed)
        name, params = translate_measure(self.name, params)
        cut = pop_cutoff(params)
        merged = tuple((dict(self.params) | params).items())
        return evolve(self, name=name, params=merged, k=self.k if cut is None else cut)

    def __matmul__(self, k: float | None) -> Measure:
        return evolve(self, k=k)

    def _repr_latex_(self) -> str:
        page = import_module(
            "gainful.measure.catalogue_page"
        )  # which knows formulas; it stands above
        return str(page.measure_latex(self))

    def _repr_html_(self) -> str:
        lines = (self.entry.question, self.entry.full_definition)
        from html import escape  # noqa: PLC0415  (only in notebooks)

        return f"<b>{escape(str(self))}</b><br>" + "<br>".join(map(escape, lines))

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={write_value(name, value)}" for name, value in self.params)
        suffix = "" if self.k is None else f"@{format_exact(self.k)}"
        return self.name + (f"({inner})" if inner else "") + suffix


def _unknown_measure(name: str) -> BadValue | UnknownName:
    if "@" in name or "(" in name:
        way = f"a name alone, such as nDCG; gainful.parse({quote(name)}) reads the whole"
        return BadValue("measure", name, way)
    return UnknownName("measure", name, measure_names(), "gainful measures lists them all")


nDCG, DCG, IDCG = Measure("nDCG"), Measure("DCG"), Measure("IDCG")
nCG, CG = Measure("nCG"), Measure("CG")
AP, P, R, RR = Measure("AP"), Measure("P"), Measure("R"), Measure("RR")
