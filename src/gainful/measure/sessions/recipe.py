"""Session measure + options + whose habits → `SessionRecipe`: nothing left to choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.convention.session import SESSION_HABITS, SessionConvention, like_sessions
from gainful.errors import BadValue, UnknownName
from gainful.formula import NamedFormula
from gainful.measure.discount import as_discount, of_queries
from gainful.measure.gain import as_gain
from gainful.measure.measure import Measure, cutoff
from gainful.measure.sessions.how import SessionRecipe

_FORMULAS = {"gain": "rel", "discount": "b", "query_discount": "bq"}  # and what each takes


def session_recipe(
    measure: Measure,
    *,
    options: Mapping[str, Any] | None = None,
    like: str | SessionConvention | None = None,
) -> SessionRecipe:
    """Settle how a session measure is computed.

    What the measure says wins, then the option, then `like`. A base that came with a formula goes
    when another formula takes its place.
    """
    base = like_sessions(like)
    entry = measure.entry
    if not entry.session:
        raise BadValue("measure", str(measure), "a session measure, such as nsDCG(b=2, bq=4)@10")
    given = {name: value for name, value in (options or {}).items() if value is not None}
    for name in given:
        if name not in SESSION_HABITS:
            raise UnknownName("session option", name, SESSION_HABITS)
    asked = {name: value for name, value in given.items() if name in entry.params}
    asked |= dict(measure.params)
    formulas = {kind: _formula(kind, asked, base) for kind in _FORMULAS}
    habits = {n: v for n, v in asked.items() if n in SESSION_HABITS and n not in _OF_FORMULAS}
    told = {kind: formula.name for kind, formula in formulas.items()}
    bound = {p: formulas[kind].bound.get(p) for kind, p in _FORMULAS.items()}
    settled = base.changed(**habits, **told, **bound)
    cutoff(measure.k, entry)
    k = measure.k if isinstance(measure.k, int) else None
    return SessionRecipe(
        entry=entry,
        label=str(measure),
        k=k,
        gain=formulas["gain"],
        discount=formulas["discount"],
        query_discount=formulas["query_discount"],
        convention=settled,
        asked=asked,
    )


_OF_FORMULAS = (*_FORMULAS, *_FORMULAS.values())


def _formula(kind: str, asked: Mapping[str, Any], base: SessionConvention) -> NamedFormula:
    """The formula that was asked for, or the convention's, with its parameter."""
    param = _FORMULAS[kind]
    chosen = asked.get(kind, getattr(base, kind))
    found = as_gain(chosen) if kind == "gain" else as_discount(chosen)
    if kind == "query_discount":
        found = of_queries(found)
    values = dict(found.values)
    own = getattr(base, param)
    if kind not in asked and own is not None and param in found.bound:
        values[param] = own
    if param in asked:
        values[param] = asked[param]
    return found.given(values)
