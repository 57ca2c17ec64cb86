"""What the script of a report of sessions works on: a value of each, and what its queries brought.

All of it is plain columns, so that a page of many sessions stays small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from gainful.evidence.system_groups import SystemGroups
from gainful.measure.functions.sessions.gains import session_gains
from gainful.measure.functions.sessions.sdcg import query_gains
from gainful.measure.recipe import SessionRecipe
from gainful.show.pages.report_data import (
    QueryValues,
    ReportData,
    choose_places,
    hold_details,
    list_values,
    round_values,
)
from gainful.text import pluralise
from gainful.types import Array, Ranks

_MAX_QUERIES = 100  # of a session, of which it is told what each brought
_MAX_TEXT = 120  # characters of what a query says
_TOLD_COLUMNS = ("searcher", "scenario", "order")  # of a session, beside its system


@frozen(eq=False)
class UnitChoice:
    """Which conversations or sessions have a row, which are detailed, and by which measure."""

    table: QueryValues  # a row for each system that had the same conversations, else one row
    places: Ranks  # systems × conversations: the number of the session; -1 if there is none
    measure: str
    listed: Sequence[int]
    priority: Sequence[int]

    @property
    def names(self) -> list[str]:
        """The conversations or sessions that have a row, in their order."""
        return [self.table.queries[place] for place in self.listed]


def choose_units(groups: SystemGroups, base: int, seed: int) -> UnitChoice:
    """As many as the page can hold: those that changed most, and a sample of the rest."""
    names, places = _lay_out(groups)
    results = groups.results
    values = {}
    for measure, column in results.values.items():
        matrix = np.full(places.shape, np.nan)
        numbers: Array = np.ma.filled(np.ma.asarray(column, dtype=float), np.nan)
        matrix[places >= 0] = numbers[places[places >= 0]]
        values[measure] = matrix
    table = QueryValues(tuple(names), values)
    measure = choose_shown(results.recipes)
    return UnitChoice(table, places, measure, *choose_places(table, measure, base, seed))


def _lay_out(groups: SystemGroups) -> tuple[list[str], Ranks]:
    """What has a row, and by system where its session stands."""
    units = groups.unit_names
    if not groups.has_pairs:
        return units.to_list(), np.arange(len(units))[None, :]
    names = units.unique(maintain_order=True)
    number = {name: at for at, name in enumerate(names.to_list())}
    column = np.array([number[name] for name in units.to_list()], dtype=np.intp)
    places = np.full((len(groups.flags), len(names)), -1, dtype=np.intp)
    for row, flags in zip(places, groups.flags.values(), strict=True):
        row[column[flags]] = np.flatnonzero(flags)
    return names.to_list(), places


def choose_shown(recipes: Mapping[str, SessionRecipe]) -> str:
    """The measure whose work is shown: the first that cumulates gain, else the first."""
    return next((name for name in recipes if recipes[name].entry.has_vectors), next(iter(recipes)))


def build_session_data(groups: SystemGroups, choice: UnitChoice, base: int) -> ReportData:
    """What the page has of conversations or sessions: as much as it can hold."""
    results, shown = groups.results, choice.measure
    recipe = results.recipes[shown]
    is_split = not groups.has_pairs and len(groups.flags) > 1  # a session has one system
    runs = groups.labels if groups.has_pairs else [shown] if is_split else groups.labels
    details = (
        hold_details(choice.priority, _list_details(groups, choice, recipe))
        if recipe.entry.has_vectors
        else {}
    )
    data: dict[str, Any] = {
        "words": {
            "unit": groups.unit,
            "units": pluralise(groups.unit),
            "system": groups.by or "system",
            "judged": "files",
        },
        "runs": runs,
        "base": base if groups.has_pairs else 0,
        "measures": list(results.values),
        "whole": [recipe.entry.aggregation == "sum" for recipe in results.recipes.values()],
        "lower": [results.directions[name].is_lower for name in results.values],
        "bounded": [recipe.entry.bounded for recipe in results.recipes.values()],
        "shown": list(results.values).index(shown),
        "normalised": recipe.entry.normalised and _is_quotient(recipe),
        "queries": choice.names,
        "first": choice.priority[0] if choice.priority else None,
        "texts": _describe_sessions(groups, choice),
        "values": list_values(choice.table, choice.listed),
        "details": {str(place): detail for place, detail in details.items()},
    }
    if is_split:
        numbers = np.zeros(results.matched_sessions.size, dtype=np.intp)
        for number, flags in enumerate(groups.flags.values()):
            numbers[flags] = number
        data["groups"] = groups.labels
        data["group"] = numbers[choice.listed].tolist()
    is_cut = bool((results.matched_sessions.query_counts > _MAX_QUERIES).any())
    return ReportData(data, len(details), is_cut)


def _is_quotient(recipe: SessionRecipe) -> bool:
    """Is the value what the queries brought, divided by what an ideal session would?"""
    convention = recipe.convention
    return convention.statistic == "final" and convention.normalise == "session"


def _describe_sessions(groups: SystemGroups, choice: UnitChoice) -> list[str | None]:
    """Of each session its system, its searcher and its scenario; of conversations nothing."""
    if groups.has_pairs:
        return []
    columns = groups.results.columns
    names = [*([] if groups.by is None else [groups.by])]
    names += [name for name in _TOLD_COLUMNS if name in columns.columns and name not in names]
    if not names:
        return []
    rows = columns[names].cast(pl.String)[list(choice.listed)]
    return [
        " · ".join(
            f"{name} {value}" for name, value in zip(names, row, strict=True) if value is not None
        )
        for row in rows.iter_rows()
    ]


def _list_details(
    groups: SystemGroups, choice: UnitChoice, recipe: SessionRecipe
) -> Iterator[dict[str, Any]]:
    """What each query of a session brought, by system, the most telling first."""
    sessions = groups.sessions.keep_first_queries(recipe.queries)
    gains = query_gains(sessions, recipe, session_gains(sessions, recipe))
    texts = None
    if "text" in sessions.rows.columns:
        texts = sessions.rows["text"].cast(pl.String)[sessions.layout.query_starts]
    first, counts = sessions.first_query, sessions.query_counts
    for place in choice.priority:
        runs: list[dict[str, Any] | None] = []
        for session in choice.places[:, choice.listed[place]].tolist():
            if session < 0:
                runs.append(None)
                continue
            begin = int(first[session])
            end = begin + int(counts[session])
            shown = slice(begin, min(end, begin + _MAX_QUERIES))
            run: dict[str, Any] = {
                "gains": round_values(gains[shown].tolist()),
                "sum": float(gains[begin:end].sum()),
                "more": end - shown.stop,
            }
            if texts is not None:
                run["texts"] = [_shorten(text) for text in texts[shown].to_list()]
            runs.append(run)
        yield {"runs": runs}


def _shorten(text: str | None) -> str | None:
    return text if text is None or len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"
