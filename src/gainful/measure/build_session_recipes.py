"""Measures of sessions + options + whose settings → the convention and a recipe for each.

What is set explicitly in the measure wins, then the option, then `like`, then the default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve

from gainful.convention.session import (
    JK2008,
    PENALTY,
    SESSION_SETTINGS,
    SessionConvention,
    like_sessions,
    results_per_query,
)
from gainful.errors import BadValue, UnknownName, WrongType, check_name
from gainful.measure.build_recipes import Measures, build_each, build_recipe, drop_unset, settle
from gainful.measure.catalogue import session_measures
from gainful.measure.entry import FORMULA_PARAMS, Recipe, SessionRecipe
from gainful.measure.language import parse_inner_measure
from gainful.measure.measure import Measure, cutoff

_USUAL_SESSION_MEASURES = ("sDCG@10", "nsDCG@10")
_MAX_DEPTH = 10_000_000  # results of a query that a measure can look at
# Of `like`, for measures that leave a choice in them
_SETTINGS_OF_SOME_MEASURES = ("duplicates", "depth")
# Settled before any measure is, and so no parameter of one
_MATCHING_SETTINGS = ("unjudged", "subtopic_grades")
_OF_ALL_SESSION_MEASURES = ("unjudged", "subtopic_grades", "average")  # of sessions and their means
# What is asked of results and not of their making.
_OF_RESULTS = {"by": 'results.groups("system") has the means of groups, to_text(by=…) shows them'}

Cost = str | Mapping[str, float | str]
_PRICES = {"query": "per_query", "result": "per_result"}
_SHAPE = "prices such as query=50,result=200, or the column of a price: result=tokens"


def cost_measure(cost: Cost) -> Measure:
    """The measure of these prices.

    Examples:
        >>> str(cost_measure("query=50,result=tokens"))
        'Cost(per_query=50, per_result=tokens)'
    """
    prices = _parse_text(cost) if isinstance(cost, str) else cost
    if not isinstance(prices, Mapping):
        raise WrongType("cost", cost, _SHAPE)
    if not prices:
        raise BadValue("cost", cost, _SHAPE)
    for name in prices:
        check_name("price", name, _PRICES)
    return Measure("Cost", {_PRICES[name]: prices.get(name, 0) for name in _PRICES})


def _parse_text(text: str) -> dict[str, float | str]:
    prices: dict[str, float | str] = {}
    for part in text.split(","):
        name, equals, price = (piece.strip() for piece in part.partition("="))
        if not equals or not price or name in prices:
            raise BadValue("cost", text, _SHAPE)
        try:
            prices[name] = float(price)
        except ValueError:
            prices[name] = price
    return prices


def explain_default(gain_event: str) -> str:
    """Why nsDCG is no default where gain comes from actions: clicked, bought, …."""
    return (
        f"with gain from {gain_event} results, the default is sDCG alone: nsDCG divides by the "
        f"best order of the {gain_event} results, and so rewards having few"
    )


def usual_session_measures(gain_event: str) -> tuple[str, ...]:
    """The measures if none is named; where gain is what searchers did, without nsDCG."""
    return _USUAL_SESSION_MEASURES[:1] if gain_event else _USUAL_SESSION_MEASURES


def build_session_recipes(
    measures: Measures | None,
    like: str | SessionConvention | None,
    settings: Mapping[str, Any],
    cost: Cost | None = None,
    gain_event: str = "",
) -> tuple[SessionConvention, dict[str, SessionRecipe]]:
    """The convention, and a recipe for each measure of sessions, and for the cost."""
    for name in settings:
        if name not in SESSION_SETTINGS:
            answer = _OF_RESULTS.get(name, "")
            raise UnknownName("session option", name, SESSION_SETTINGS, answer=answer)
    options = drop_unset(settings)
    of_all = {name: options[name] for name in _OF_ALL_SESSION_MEASURES if name in options}
    convention = like_sessions(like).with_settings(**of_all)
    named = usual_session_measures(gain_event) if measures is None else measures
    listed = [named] if isinstance(named, (str, Measure)) else named
    if not isinstance(listed, Iterable):
        raise WrongType("measures", measures, "names such as nsDCG(b=2, bq=4)@10")
    recipes = build_each(
        listed if cost is None else [*listed, cost_measure(cost)],
        lambda measure: build_session_recipe(measure, options=options, like=convention),
        {name: value for name, value in options.items() if name not in of_all},
        lambda recipe, name: name in recipe.entry.params,
    )
    return convention, recipes


def build_session_recipe(
    measure: Measure,
    *,
    options: Mapping[str, Any] | None = None,
    like: str | SessionConvention | None = None,
) -> SessionRecipe:
    """Settle how a session measure is computed; options that it does not have are no matter."""
    base, entry = like_sessions(like), measure.entry
    if not entry.session:
        own = f"s{measure.name}"
        allowed = f"{own}, the session version of {measure.name}"
        if own not in session_measures():
            allowed = "a session measure, such as nsDCG(b=2, bq=4)@10"
        raise BadValue("measure", str(measure), allowed)
    chosen_options = drop_unset(options)
    for name, value in chosen_options.items():
        check_name("session option", name, SESSION_SETTINGS)
        if name not in FORMULA_PARAMS:  # those have checks of their own, and may be values
            SESSION_SETTINGS[name].check(value)
    explicit = {name: value for name, value in chosen_options.items() if name in entry.params}
    explicit |= dict(measure.params)
    settings = {
        name: getattr(JK2008, name)
        for name in _SETTINGS_OF_SOME_MEASURES
        if name not in entry.params
    }
    settings |= {
        name: chosen_options[name] for name in _MATCHING_SETTINGS if name in chosen_options
    }
    k, queries = _cutoffs(measure, explicit.get("at", base.at))
    recipe = settle(SessionRecipe, measure, explicit, base, settings=settings, k=k, queries=queries)
    cutoff(measure.k, entry)
    if recipe.convention.lists == PENALTY and "rank_discount" not in explicit:
        penalised = evolve(recipe.convention, rank_discount="concatenated")
        recipe = evolve(recipe, convention=penalised)
    _refuse_contradictions(recipe)
    return evolve(recipe, of=_build_inner_recipe(recipe))


def _build_inner_recipe(recipe: SessionRecipe) -> Recipe | None:
    """How the measure is computed that a session measure asks of its queries.

    The gain, and what becomes of negative grades and of queries with nothing to find, are the
    session convention's unless the measure itself says them; the discount is its own.
    """
    if "of" not in recipe.entry.params:
        return None
    measure = parse_inner_measure(recipe.setting("of"))
    session_settings = {
        "gain": recipe.gain,
        "negative": recipe.convention.negative,
        "empty": recipe.convention.empty,
    }
    options = {
        name: value for name, value in session_settings.items() if name in measure.entry.params
    }
    return build_recipe(measure, options=options)


def _refuse_contradictions(recipe: SessionRecipe) -> None:
    entry, convention = recipe.entry, recipe.convention
    if not entry.normalised or "normalise" not in entry.params:
        return
    plain = convention.statistic == "final" and convention.normalise == "session"
    if convention.average == "vectors" and not plain:
        raise BadValue("average", "vectors", "ratios, but for the final share of whole sessions")
    if convention.normalise != "session" and convention.rank_discount == "concatenated":
        allowed = "session, where ranks continue over the lists"
        raise BadValue("normalise", convention.normalise, allowed)


def _cutoffs(measure: Measure, at: str) -> tuple[int | None, int | None]:
    number = measure.k if isinstance(measure.k, int) else None
    if number is not None and number > _MAX_DEPTH:
        raise BadValue("k", number, f"at most {_MAX_DEPTH}")
    if measure.entry.cutoff_unit == "queries":
        return None, number
    results = results_per_query(at) if "at" in measure.entry.params else None
    return (number, None) if results is None else (results, number)
