"""Measures of what a run shows of a catalogue, beside those of judged documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve

from gainful.errors import BadValue
from gainful.match.rankings import list_docs
from gainful.measure.entry import Recipe
from gainful.measure.results import QueryResults
from gainful.read.items import Items
from gainful.read.qrels_and_run import Run
from gainful.text import count_noun

_WAYS = {
    "items": "evaluate(…, items=…), gainful eval --items FILE: it describes a catalogue, and has "
    "no values by query to compare runs with",
    "interactions": "evaluate(…, interactions=…), gainful eval --interactions FILE: it needs the "
    "popularity of items",
}


def check_items(recipes: Mapping[str, Recipe], items: Items) -> None:
    """Refuse a measure whose catalogue or popularity nobody named."""
    known = {"items": items.catalogue, "interactions": items.popularity}
    for name, recipe in recipes.items():
        if known[recipe.entry.of_items] is None:
            raise BadValue("measure", name, _WAYS[recipe.entry.of_items])


def add_exposure(
    results: QueryResults, run: Run, recipes: Mapping[str, Recipe], items: Items
) -> QueryResults:
    """Results with these measures too; what has no value for a query has one for the run."""
    values, whole = dict(results.values), {}
    notes = list(results.notes)
    for name, recipe in recipes.items():
        lists = list_docs(run, recipe.k or 0)
        value: Any = recipe.entry.function(lists, items)
        others = {doc for docs in lists.values() for doc in docs} - (items.catalogue or {*()})
        if others and recipe.entry.of_items == "items":
            count = count_noun(len(others), "item")
            notes.append(f"{name}: {count} of the first {recipe.k} not in the catalogue")
        if recipe.entry.aggregation == "whole":
            whole[name], value = float(value), {}
        values[name] = np.ma.masked_invalid([value.get(query, np.nan) for query in results.ids])
    all_recipes = {**results.recipes, **recipes}
    return evolve(results, values=values, whole=whole, recipes=all_recipes, notes=notes)
