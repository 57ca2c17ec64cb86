"""What the script of a report works on: values of queries, and rankings of some of them.

All of it is plain columns, so that a page of many queries stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.evidence.reasons.largest_changes import ChangedQuery, LargestChanges
from gainful.evidence.side_by_side import SideBySide
from gainful.measure.entry import Recipe
from gainful.measure.functions.graded import rank_discounts
from gainful.measure.values import Results
from gainful.measure.worked_ranking import WorkedRanking
from gainful.show.html_page import to_script_json
from gainful.show.theme import LIGHT
from gainful.text import pluralise
from gainful.types import Array, Flags, Ranks, fill_masked, finite_or_none

MAX_DETAILED, MAX_RANKS = 500, 100  # queries whose rankings are in the page, and how deep
MAX_LISTED, MAX_NUMBERS = 10_000, 300_000  # queries in the table, and values of them all
MAX_EXPLAINED = 25  # queries that rose, and that fell, with what each document explains
_MAX_BYTES = 8_000_000  # of all rankings in the page
_MAX_TEXT = 200  # characters of a query whose rankings are not there
_MAX_DOCUMENT = 2000  # characters of a document
_MAX_DOCUMENT_TEXTS = 4_000_000  # characters of all of them
FindTexts = Callable[[Collection[str]], Mapping[str, str]]


@frozen(eq=False)
class PageUnits:
    """The queries, sessions or conversations of a page: values, and what is shown of them."""

    all_names: Sequence[str]
    values: Mapping[str, Array]  # by measure systems × units, not a number where there is none
    places: Ranks  # systems × units: where a unit stands in the results, -1 where it is not there
    measure: str  # whose work is shown: the first that cumulates gain, else the first
    listed: Sequence[int]  # units that have a row in the page
    priority: Sequence[int]  # of these the ones to detail, the most telling first

    @property
    def names(self) -> list[str]:
        """Those that have a row, in their order."""
        return [self.all_names[index] for index in self.listed]

    @property
    def to_detail(self) -> list[str]:
        """Those that are to be detailed, the most telling first."""
        return [self.all_names[self.listed[index]] for index in self.priority]


def choose_units(
    parts: Sequence[tuple[Results, Sequence[str], Flags]], base: int, seed: int
) -> PageUnits:
    """As many units as a page can hold: those that changed most from `base`, and a sample.

    `parts` are by system its results, what their units are called, and which of them are its.
    """
    names = list(dict.fromkeys(name for _, ids, _ in parts for name in ids))
    column = {name: index for index, name in enumerate(names)}
    places = np.full((len(parts), len(names)), -1, dtype=np.intp)
    for row, (_, ids, own) in zip(places, parts, strict=True):
        indices = np.flatnonzero(own).tolist()
        row[[column[ids[index]] for index in indices]] = indices
    first = parts[0][0]
    values = {}
    for measure in first.values:
        matrix = values[measure] = np.full(places.shape, np.nan)
        for row, own_places, (results, _, _) in zip(matrix, places, parts, strict=True):
            is_there = own_places >= 0
            row[is_there] = fill_masked(results.values[measure])[own_places[is_there]]
    recipes = first.recipes
    cumulated = (name for name, recipe in recipes.items() if recipe.entry.has_vectors)
    measure = next(cumulated, next(iter(recipes)))
    change = _find_largest_change(values[measure], base)
    limit = max(MAX_DETAILED, min(MAX_LISTED, MAX_NUMBERS // (len(parts) * len(values))))
    listed = sorted(sample_queries(change, limit, seed))
    priority = sample_queries(change[listed], MAX_DETAILED, seed)
    return PageUnits(names, values, places, measure, listed, priority)


def _find_largest_change(values: Array, base: int) -> Array:
    """How much each unit changed most, in any system; of one system, how far it is from usual."""
    if len(values) == 1:
        defined = values[0][~np.isnan(values[0])]
        return np.asarray(values[0] - (np.median(defined) if defined.size else 0.0))
    differences = np.nan_to_num(np.abs(values - values[base]), nan=0.0)
    return np.asarray(differences.max(axis=0), dtype=np.float64)


def sample_queries(changes: Array, limit: int, seed: int) -> list[int]:
    """The places of at most this many queries, the most informative first.

    Half of them changed most; the others are drawn by chance, so that the page also has what is
    usual. Where all can be shown, all are, those that changed most first. How much a query changed
    may be unknown, and is then not a number.

    Examples:
        >>> sample_queries(np.array([0.1, 0.9, 0.0, -0.5]), 2, seed=1)[0]
        1
    """
    magnitude = np.nan_to_num(np.abs(changes), nan=-1.0)
    by_magnitude = np.argsort(-magnitude, kind="stable")
    if len(changes) <= limit:
        return by_magnitude.tolist()  # type: ignore[no-any-return]
    most_changed = by_magnitude[: (limit + 1) // 2]
    rest = np.sort(by_magnitude[len(most_changed) :])
    sampled = np.random.default_rng(seed).choice(rest, limit - len(most_changed), replace=False)
    return [*most_changed.tolist(), *np.sort(sampled).tolist()]


def build_page_data(
    results: Results, units: PageUnits, details: Mapping[int, dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """What the scripts of both pages work on, of runs or of sessions."""
    recipes, directions = results.recipes, results.directions
    matrices = list(units.values.values())
    return more | {
        "measures": list(recipes),
        "whole": [recipe.entry.aggregation == "sum" for recipe in recipes.values()],
        "lower": [directions[name].is_lower for name in recipes],
        "bounded": [recipe.entry.bounded for recipe in recipes.values()],
        "shown": list(recipes).index(units.measure),
        "queries": units.names,
        "values": [
            [[*map(finite_or_none, matrix[run, units.listed])] for matrix in matrices]
            for run in range(len(units.places))
        ],
        "details": {str(place): detail for place, detail in details.items()},
    }


def build_run_data(
    runs: Sequence[Results],
    units: PageUnits,
    rankings: Iterable[SideBySide],
    changes: Mapping[int, LargestChanges],
    *,
    texts: Mapping[str, str],
    find_documents: FindTexts | None,
    base: int,
) -> dict[str, Any]:
    """What the page has of the queries of runs: as much as it can hold."""
    recipe, names, unit = runs[0].recipes[units.measure], units.names, runs[0].unit
    details = hold_details(
        units.priority, (_build_detail(side_by_side, recipe) for side_by_side in rankings)
    )
    by_query = {names[index]: detail for index, detail in details.items()}
    for run, change in changes.items():
        for changed in change.queries:
            if changed.query in by_query and changed.rest is not None:
                detail = by_query[changed.query]
                detail.setdefault("moved", {})[str(run)] = _document_shares(changed, detail)
    is_cumulated = recipe.entry.cumulated
    return build_page_data(
        runs[0],
        units,
        details,
        words={"unit": unit, "units": pluralise(unit), "system": "run", "judged": "judgments"},
        runs=[result.name for result in runs],
        base=base,
        cumulated=is_cumulated,
        normalised=recipe.entry.normalised,
        depth=recipe.depth,
        weights=round_values(rank_discounts(recipe, MAX_RANKS).tolist()) if is_cumulated else [],
        grades=_grade_colours(details.values()),
        # Long texts are shortened where nothing else is known of a query.
        texts=[
            text if text is None or name in by_query else cut_text(text, _MAX_TEXT)
            for name, text in ((name, texts.get(name)) for name in names if texts)
        ],
        documents={} if find_documents is None else _hold_documents(details, find_documents),
    )


def hold_details(
    places: Sequence[int], details: Iterable[dict[str, Any]]
) -> dict[int, dict[str, Any]]:
    """The details of single queries, by their places: as many as the page can hold."""
    held: dict[int, dict[str, Any]] = {}
    size = 0
    for place, detail in zip(places, details, strict=False):
        size += len(to_script_json(detail).encode())
        if size > _MAX_BYTES and held:  # the last of them need not be made
            break
        held[place] = detail
    return held


def _build_detail(side_by_side: SideBySide, recipe: Recipe) -> dict[str, Any]:
    """A query as columns: documents by number, and where they stand in each run."""
    numbers: dict[str, int] = {}
    rankings = side_by_side.rankings
    runs = [ranking and _ranking_columns(ranking, numbers) for ranking in rankings]
    ideals = [ranking and ranking.ideal[:MAX_RANKS] for ranking in rankings]
    best_docs = sorted(side_by_side.gains, key=lambda doc: (-side_by_side.gains[doc], doc))
    names_ideal = recipe.convention.ideal == "judged"
    ideal_columns: list[dict[str, Any]] = []
    for ideal in (rows for at, rows in enumerate(ideals) if rows and rows not in ideals[:at]):
        docs = [
            numbers.setdefault(best_docs[index], len(numbers))
            if names_ideal
            and index < len(best_docs)
            and side_by_side.gains[best_docs[index]] == row.gain
            else -1
            for index, row in enumerate(ideal)
        ]
        ideal_columns.append(
            {
                "of": [index for index, rows in enumerate(ideals) if rows == ideal],
                "docs": docs,
                "gains": round_values([row.gain or 0.0 for row in ideal]),
                "brings": round_values([row.contribution or 0.0 for row in ideal]),
            }
        )
    detail: dict[str, Any] = {
        "docs": list(numbers),
        "grades": [side_by_side.grades.get(doc) for doc in numbers],
        "judged": len(side_by_side.grades),
        "runs": runs,
        "ideals": ideal_columns,
    }
    if side_by_side.gains:
        detail["gains"] = round_values([side_by_side.gains.get(doc, 0.0) for doc in numbers])
    return detail


def _ranking_columns(ranking: WorkedRanking, numbers: dict[str, int]) -> dict[str, Any]:
    all_rows = (*ranking.rows, *ranking.below)
    rows = all_rows[:MAX_RANKS]
    docs = [-1 if row.doc is None else numbers.setdefault(row.doc, len(numbers)) for row in rows]
    columns: dict[str, Any] = {"docs": docs, "more": len(all_rows) + ranking.more - len(rows)}
    if ranking.dcg is not None:
        brings = round_values([row.contribution or 0.0 for row in rows])
        while brings and not brings[-1]:
            brings.pop()
        columns |= {"brings": brings, "dcg": ranking.dcg, "idcg": ranking.idcg}
    if any(row.until != row.rank or row.rank != rank for rank, row in enumerate(rows, 1)):
        columns["ranks"] = [[row.rank, row.until] for row in rows]
        columns["discounts"] = round_values([row.discount or 0.0 for row in rows])
    return columns


def _document_shares(changed_query: ChangedQuery, detail: dict[str, Any]) -> dict[str, Any]:
    numbers = {doc: index for index, doc in enumerate(detail["docs"])}
    shares = {
        numbers[doc.doc]: doc.share
        for doc in changed_query.documents
        if doc.doc in numbers and doc.share is not None
    }
    rest = changed_query.change - sum(shares.values())
    return {
        "docs": list(shares),
        "shares": round_values([*shares.values()]),
        "rest": round_values([rest])[0],
    }


def _grade_colours(details: Any) -> list[tuple[float, int]]:
    """Each grade that occurs, with the number of its colour: from light to dark."""
    grades = sorted({grade for detail in details for grade in detail["grades"]} - {None})
    darkest, steps = len(LIGHT.grades) - 1, len(grades) - 1
    if not steps:
        return [(grades[0], darkest if grades[0] > 0 else 0)]
    return [(grade, index * darkest // steps) for index, grade in enumerate(grades)]


def _hold_documents(details: Mapping[int, dict[str, Any]], find_texts: FindTexts) -> dict[str, str]:
    """What the documents in the page say, as far as it can hold that."""
    wanted = list(dict.fromkeys(doc for detail in details.values() for doc in detail["docs"]))
    texts, kept_texts, size = find_texts(wanted), {}, 0
    for doc in wanted:
        text = cut_text(texts.get(doc, ""), _MAX_DOCUMENT)
        size += len(text)
        if text and size <= _MAX_DOCUMENT_TEXTS:
            kept_texts[doc] = text
    return kept_texts


def cut_text(text: str, limit: int) -> str:
    """The first characters of a text that is too long."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def round_values(values: Sequence[float]) -> list[float]:
    """Numbers that are looked at, not computed with."""
    return [float(f"{value:.6g}") for value in values]
