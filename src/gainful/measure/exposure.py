"""Measures of what a run shows of a catalogue, beside those of judged documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, Missing
from gainful.match.rankings import list_docs
from gainful.measure.entry import Recipe
from gainful.measure.results import QueryResults
from gainful.read.items import Items
from gainful.read.qrels_and_run import Run
from gainful.text import count_noun, shorten

_EXAMPLES = {"items": "Coverage@10 or Gini@10", "interactions": "Novelty@10"}
_NEEDS = {
    "items": "a catalogue (eval --items FILE, items=); it has no value per query, so it cannot "
    "compare runs",
    "interactions": "interactions (--interactions FILE, interactions=) for the popularity of items",
}


def check_items(recipes: Mapping[str, Recipe], items: Any, interactions: Any) -> None:
    """Refuse a measure whose catalogue or popularity nobody named, and one that none asks for."""
    named, asked = {"items": items, "interactions": interactions}, {""}
    for name, recipe in recipes.items():
        subject = recipe.entry.of_items
        asked.add(subject)
        if subject and named[subject] is None:
            raise Missing("measure", name, f"{name} needs {_NEEDS[subject]}")
    for name, value in named.items():
        if value is not None and name not in asked:
            allowed = f"a value only with a measure such as {_EXAMPLES[name]}"
            raise BadValue(name, shorten(str(value)), allowed)


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
