"""The one door to every measure of single rankings: recipe and rankings in, values out."""

from __future__ import annotations

from typing import Any

import numpy as np

from gainful.convention import Empty, NegativeIdeal
from gainful.errors import BadValue, NoIdeal
from gainful.measure.entry import MeasureFunction
from gainful.measure.ranked_run import RankedGains, RankedRun
from gainful.measure.recipe import Recipe
from gainful.rounding import FINE_ROUNDING
from gainful.types import Array


def normalise_by(
    actual: Array, ideal: Array, empty: Empty, negative_ideal: NegativeIdeal = "empty"
) -> Array:
    """Actual over ideal; where the ideal is not above zero, what the convention's `empty` says.

    Under `skip` those places are masked, so that a mean leaves them out. Some tools divide by an
    ideal below zero too, and rax by 1 instead of an ideal of 0.
    """
    if negative_ideal == "divide_or_dcg":
        ideal = np.where((ideal == 0) & (actual != 0), 1.0, ideal)
    divisible = ideal > 0 if negative_ideal == "empty" else ideal != 0
    if empty == "error" and not divisible.all():
        index = tuple(int(places[0]) for places in np.nonzero(~divisible))
        raise NoIdeal(index, float(ideal[index]))
    fill = float(empty) if empty in (0, 1) else 0.0
    with np.errstate(over="ignore"):  # a huge gain over a tiny ideal
        values = np.divide(actual, ideal, out=np.full(actual.shape, fill), where=divisible)
    if not np.isfinite(values).all():
        raise BadValue("ideal", float(ideal[~np.isfinite(values)][0]), "a larger ideal")
    values[np.abs(values - 1) < FINE_ROUNDING] = 1.0  # the sums were added in different orders
    return np.ma.masked_array(values, mask=~divisible) if empty == "skip" else values


def compute_measure(recipe: Recipe, ranked: RankedRun | RankedGains) -> Array:
    """The value of a measure of the catalogue, for every query or row.

    Args:
        recipe: the measure, everything settled.
        ranked: documents at their ranks; of measures that have vectors, gains will do.
    """
    values = _call(recipe.entry.function, recipe, ranked)
    not_finite = ~np.isfinite(np.ma.filled(values, 0.0))
    if not_finite.any():
        whose = "one query"
        if isinstance(ranked, RankedRun):
            whose = f"query {ranked.queries[int(np.flatnonzero(not_finite)[0])]!r}"
        allowed = "a finite value; the numbers are too large for it"
        raise BadValue(f"{recipe.label} of {whose}", float("inf"), allowed)
    return values


def compute_vectors(recipe: Recipe, ranked: RankedRun | RankedGains) -> Array | None:
    """The value at every rank, for every query or row; None if the measure has no vectors."""
    curve = recipe.entry.curve
    return None if curve is None else _call(curve, recipe, ranked)


def _call(function: MeasureFunction, recipe: Recipe, ranked: RankedRun | RankedGains) -> Array:
    result = apply_function(function, recipe, ranked)
    if isinstance(result, tuple):
        return normalise_values(recipe, *result)
    return round_values(recipe, result)


def apply_function(
    function: MeasureFunction, recipe: Recipe, ranked: RankedRun | RankedGains, **arguments: Any
) -> Array | tuple[Array, Array]:
    """What a function gives: values, or what was reached and what was possible.

    Args:
        function: of an entry of the catalogue.
        recipe: what it is called with.
        ranked: documents at their ranks.
        arguments: instead of those of the recipe.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if recipe.entry.takes_recipe:
            return function(ranked, recipe)
        return function(ranked, **(recipe.function_arguments() | arguments))


def normalise_values(recipe: Recipe, actual: Array, ideal: Array) -> Array:
    """What was reached over what was possible, as the convention has it."""
    convention = recipe.convention
    values = normalise_by(actual, ideal, convention.empty, convention.negative_ideal)
    return round_values(recipe, values)


def round_values(recipe: Recipe, values: Array) -> Array:
    """Values with as many decimals as the convention has, rounded as its tool rounds."""
    decimals = recipe.convention.decimals
    if decimals is None:
        return values
    if recipe.convention.rounding == "half_up":
        scaled = values * 10.0**decimals
        below = np.floor(scaled)
        return (below + (scaled - below >= 0.5)) / 10.0**decimals
    rounded = np.vectorize(round, otypes=[np.float64])(np.ma.getdata(values), decimals)
    mask = np.ma.getmask(values)
    return rounded if mask is np.ma.nomask else np.ma.masked_array(rounded, mask)
