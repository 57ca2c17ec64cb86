"""Session measure + options + whose habits → `SessionRecipe`: nothing left to choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.convention.session import (
    JK2008,
    SESSION_SETTINGS,
    SessionConvention,
    like_sessions,
    results_per_query,
)
from gainful.errors import BadValue, UnknownName
from gainful.formula import NamedFormula
from gainful.measure.discount import as_query_discount
from gainful.measure.entry import Entry
from gainful.measure.formulas import as_discount, as_gain
from gainful.measure.measure import Measure, cutoff
from gainful.measure.sessions.recipe_value import SessionRecipe

_MAX_DEPTH = 10_000_000  # results of a query that a measure can look at
_FORMULAS = {"gain": "rel", "discount": "b", "query_discount": "bq"}  # and what each takes
_SETTINGS_OF_SOME_MEASURES = (
    "duplicates",
    "depth",
)  # of `like`, for measures that leave a choice in them
_MATCHING_SETTINGS = ("unjudged",)  # settled before any measure is, and so no parameter of one


def build_session_recipe(
    measure: Measure,
    *,
    options: Mapping[str, Any] | None = None,
    like: str | SessionConvention | None = None,
) -> SessionRecipe:
    """Settle how a session measure is computed.

    What the measure says wins, then the option, then `like`. A base that came with a formula goes
    when another formula takes its place.
    """
    base_convention = like_sessions(like)
    entry = measure.entry
    if not entry.session:
        raise BadValue("measure", str(measure), "a session measure, such as nsDCG(b=2, bq=4)@10")
    chosen_options = {name: value for name, value in (options or {}).items() if value is not None}
    for name, value in chosen_options.items():
        if name not in SESSION_SETTINGS:
            raise UnknownName("session option", name, SESSION_SETTINGS)
        if name not in _FORMULAS:  # those have checks of their own, and may be values
            SESSION_SETTINGS[name].check(value)
    explicit = {name: value for name, value in chosen_options.items() if name in entry.params}
    explicit |= dict(measure.params)
    formulas = {kind: _choose_formula(kind, explicit, base_convention, entry) for kind in _FORMULAS}
    settings = {
        n: v for n, v in explicit.items() if n in SESSION_SETTINGS and n not in _FORMULA_SETTINGS
    }
    settings |= {
        name: getattr(JK2008, name)
        for name in _SETTINGS_OF_SOME_MEASURES
        if name not in entry.params
    }
    settings |= {
        name: chosen_options[name] for name in _MATCHING_SETTINGS if name in chosen_options
    }
    formula_names = {kind: formula.name for kind, formula in formulas.items()}
    formula_params = {p: formulas[kind].param_values.get(p) for kind, p in _FORMULAS.items()}
    convention = base_convention.with_settings(**settings, **formula_names, **formula_params)
    cutoff(measure.k, entry)
    _refuse_contradictions(convention, measure)
    k, queries = _cutoffs(measure, convention)
    return SessionRecipe(
        entry=entry,
        label=str(measure),
        k=k,
        queries=queries,
        gain=formulas["gain"],
        discount=formulas["discount"],
        query_discount=formulas["query_discount"],
        convention=convention,
        explicit=explicit,
    )


_FORMULA_SETTINGS = (*_FORMULAS, *_FORMULAS.values())


def _refuse_contradictions(convention: SessionConvention, measure: Measure) -> None:
    """Habits that do not go together."""
    if not measure.entry.normalised or "normalise" not in measure.entry.params:
        return
    plain = convention.statistic == "final" and convention.normalise == "session"
    if convention.average == "vectors" and not plain:
        raise BadValue("average", "vectors", "ratios, but for the final share of whole sessions")
    if convention.normalise == "query" and convention.rank_discount == "concatenated":
        raise BadValue("normalise", "query", "session, where ranks are counted on over the lists")


def _cutoffs(measure: Measure, convention: SessionConvention) -> tuple[int | None, int | None]:
    """How many results of a query count, and how many queries of a session."""
    number = measure.k if isinstance(measure.k, int) else None
    if number is not None and number > _MAX_DEPTH:
        raise BadValue("k", number, f"at most {_MAX_DEPTH}")
    if measure.entry.cutoff_unit == "queries":
        return None, number
    results = results_per_query(convention.at) if "at" in measure.entry.params else None
    return (number, None) if results is None else (results, number)


def _choose_formula(
    kind: str, explicit: Mapping[str, Any], base_convention: SessionConvention, entry: Entry
) -> NamedFormula:
    """The formula that was asked for, or the measure's own, or the convention's; its parameter."""
    param = _FORMULAS[kind]
    measure_formula = entry.defaults.get(kind)
    chosen = explicit.get(
        kind, getattr(base_convention, kind) if measure_formula is None else measure_formula
    )
    formula = as_gain(chosen) if kind == "gain" else as_discount(chosen)
    if kind == "query_discount":
        formula = as_query_discount(formula)
    values = dict(formula.values)
    base_value = getattr(base_convention, param)
    from_base = kind not in explicit and measure_formula is None
    if from_base and base_value is not None and param in formula.param_values:
        values[param] = base_value
    if param in explicit and kind in entry.params:  # IR has a rel, and no gain
        values[param] = explicit[param]
    return formula.with_values(values)
