"""Session measure + options + whose habits → `SessionRecipe`: nothing left to choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.convention.session import (
    JK2008,
    SESSION_HABITS,
    SessionConvention,
    like_sessions,
    results_of_query,
)
from gainful.errors import BadValue, UnknownName
from gainful.formula import NamedFormula
from gainful.measure.discount import as_discount, of_queries
from gainful.measure.entry import Entry
from gainful.measure.gain import as_gain
from gainful.measure.measure import Measure, cutoff
from gainful.measure.sessions.recipe_value import SessionRecipe

_DEEPEST = 10_000_000  # results of a query that a measure can look at
_FORMULAS = {"gain": "rel", "discount": "b", "query_discount": "bq"}  # and what each takes
_OF_SOME = ("duplicates", "depth")  # of `like`, for measures that leave a choice in them
_OF_MATCHING = ("unjudged",)  # settled before any measure is, and so no parameter of one


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
    for name, value in given.items():
        if name not in SESSION_HABITS:
            raise UnknownName("session option", name, SESSION_HABITS)
        if name not in _FORMULAS:  # those have checks of their own, and may be values
            SESSION_HABITS[name].check(value)
    asked = {name: value for name, value in given.items() if name in entry.params}
    asked |= dict(measure.params)
    formulas = {kind: _formula(kind, asked, base, entry) for kind in _FORMULAS}
    habits = {n: v for n, v in asked.items() if n in SESSION_HABITS and n not in _OF_FORMULAS}
    habits |= {name: getattr(JK2008, name) for name in _OF_SOME if name not in entry.params}
    habits |= {name: given[name] for name in _OF_MATCHING if name in given}
    told = {kind: formula.name for kind, formula in formulas.items()}
    bound = {p: formulas[kind].bound.get(p) for kind, p in _FORMULAS.items()}
    settled = base.changed(**habits, **told, **bound)
    cutoff(measure.k, entry)
    _refuse_odd(settled, measure)
    k, queries = _cut(measure, settled)
    return SessionRecipe(
        entry=entry,
        label=str(measure),
        k=k,
        queries=queries,
        gain=formulas["gain"],
        discount=formulas["discount"],
        query_discount=formulas["query_discount"],
        convention=settled,
        asked=asked,
    )


_OF_FORMULAS = (*_FORMULAS, *_FORMULAS.values())


def _refuse_odd(convention: SessionConvention, measure: Measure) -> None:
    """Habits that do not go together."""
    if not measure.entry.normalised or "normalise" not in measure.entry.params:
        return
    plain = convention.statistic == "final" and convention.normalise == "session"
    if convention.average == "vectors" and not plain:
        raise BadValue("average", "vectors", "ratios, but for the final share of whole sessions")
    if convention.normalise == "query" and convention.rank_discount == "concatenated":
        raise BadValue("normalise", "query", "session, where ranks are counted on over the lists")


def _cut(measure: Measure, convention: SessionConvention) -> tuple[int | None, int | None]:
    """How many results of a query count, and how many queries of a session."""
    number = measure.k if isinstance(measure.k, int) else None
    if number is not None and number > _DEEPEST:
        raise BadValue("k", number, f"at most {_DEEPEST}")
    if measure.entry.counts == "queries":
        return None, number
    results = results_of_query(convention.at) if "at" in measure.entry.params else None
    return (number, None) if results is None else (results, number)


def _formula(
    kind: str, asked: Mapping[str, Any], base: SessionConvention, entry: Entry
) -> NamedFormula:
    """The formula that was asked for, or the measure's own, or the convention's; its parameter."""
    param = _FORMULAS[kind]
    own_of_measure = entry.usual.get(kind)
    chosen = asked.get(kind, getattr(base, kind) if own_of_measure is None else own_of_measure)
    found = as_gain(chosen) if kind == "gain" else as_discount(chosen)
    if kind == "query_discount":
        found = of_queries(found)
    values = dict(found.values)
    own = getattr(base, param)
    of_base = kind not in asked and own_of_measure is None
    if of_base and own is not None and param in found.bound:
        values[param] = own
    if param in asked and kind in entry.params:  # IR has a rel, and no gain
        values[param] = asked[param]
    return found.given(values)
