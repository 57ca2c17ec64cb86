"""What the script of a report works on: values of queries, and rankings of some of them.

All of it is plain columns, so that a page of many queries stays small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.evidence.moves.moved_docs import Changed, most_changed
from gainful.evidence.moves.ranked_query import depth_of
from gainful.evidence.sample_queries import chosen
from gainful.evidence.side_by_side import LaidOut, Ranking, laid_out
from gainful.formula import Array
from gainful.measure.cumulated_gain import weights
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run
from gainful.show.pages.html_page import embedded
from gainful.show.theme import LIGHT

AsRead = Run | Nested | Elsewhere
DETAILED, RANKS = 500, 100  # queries whose rankings are in the page, and how deep
LISTED, NUMBERS = 10_000, 300_000  # queries in the table, and values of them all
EXPLAINED = 25  # queries that rose, and that fell, of which it is said what each document explains
_BYTES = 8_000_000  # of all rankings in the page
_TEXT = 200  # characters of a query whose rankings are not there


@frozen(eq=False)
class Table:
    """The values of all runs: by measure a row for each run, a column for each query."""

    queries: tuple[str, ...]
    values: Mapping[str, Array]

    @classmethod
    def of(cls, results: Sequence[Results]) -> Table:
        """All queries that any run has, in the order in which they come."""
        queries = tuple(dict.fromkeys(query for one in results for query in one.queries))
        place = {query: at for at, query in enumerate(queries)}
        values = {}
        for measure in results[0].values:
            held = np.full((len(results), len(queries)), np.nan)
            for row, one in zip(held, results, strict=True):
                row[[place[query] for query in one.queries]] = np.ma.filled(
                    np.ma.asarray(one.values[measure], dtype=float), np.nan
                )
            values[measure] = held
        return cls(queries, values)

    def change(self, measure: str, base: int) -> Array:
        """How much each query changed most, in any run; of one run, how far it is from usual."""
        held = self.values[measure]
        if len(held) == 1:
            known = held[0][~np.isnan(held[0])]
            return np.asarray(held[0] - (np.median(known) if known.size else 0.0))
        apart = np.nan_to_num(np.abs(held - held[base]), nan=0.0)
        return np.asarray(apart.max(axis=0), dtype=np.float64)


@frozen(eq=False)
class Embedded:
    """The data, and how much of it there is: queries in the table, and with their rankings."""

    data: dict[str, Any]
    listed: int
    detailed: int


def embedded_data(
    qrels: Judgments | Nested,
    found: Sequence[tuple[Results, AsRead]],
    table: Table,
    *,
    base: int,
    seed: int,
    texts: Mapping[str, str],
) -> Embedded:
    """What the page has of the queries: as much as it can hold."""
    results = [one for one, _ in found]
    name, how = shown_measure(results[0])
    change = table.change(name, base)
    numbers = max(DETAILED, min(LISTED, NUMBERS // (len(results) * len(table.values))))
    listed = sorted(chosen(change, numbers, seed))
    priority = chosen(change[listed], DETAILED, seed)
    names = [table.queries[at] for at in listed]
    details: dict[int, Any] = {}
    size = 0
    rankings = laid_out(
        qrels, [run for _, run in found], how, [names[at] for at in priority], ranks=RANKS
    )
    for at, one in zip(priority, rankings, strict=False):  # the last of them need not be made
        detail = _detail(one, how)
        size += len(embedded(detail).encode())
        if size > _BYTES and details:
            break
        details[at] = detail
    by_query = {names[at]: detail for at, detail in details.items()}
    _explain(qrels, found, how, base, by_query)
    data = {
        "runs": [one.name for one in results],
        "base": base,
        "measures": list(table.values),
        "whole": [results[0].recipes[name].measure.entry.mean == "sum" for name in table.values],
        "bounded": [results[0].recipes[name].measure.entry.bounded for name in table.values],
        "shown": list(table.values).index(name),
        "cumulated": how.measure.entry.cumulated,
        "normalised": how.measure.entry.normalised,
        "depth": depth_of(how),
        "weights": _short(weights(how, RANKS).tolist()) if how.measure.entry.cumulated else [],
        "grades": _grades(details.values()),
        "queries": names,
        "first": priority[0] if priority else None,
        "texts": _texts(names, texts, by_query),
        "values": [
            [_known(held[run, listed]) for held in table.values.values()]
            for run in range(len(results))
        ],
        "details": {str(at): detail for at, detail in details.items()},
    }
    return Embedded(data, len(listed), len(details))


def shown_measure(one: Results) -> tuple[str, Recipe]:
    """The measure whose work is shown: the first that cumulates gain, else the first."""
    for name, how in one.recipes.items():
        if how.measure.entry.cumulated:
            return name, how
    return next(iter(one.recipes.items()))


def _detail(one: LaidOut, recipe: Recipe) -> dict[str, Any]:
    """A query as columns: documents by number, and where they stand in each run."""
    number: dict[str, int] = {}
    runs = [None if ranked is None else _columns(ranked, number) for ranked in one.rankings]
    ideals = [None if ranked is None else ranked.ideal for ranked in one.rankings]
    best = sorted(one.gains, key=lambda doc: (-one.gains[doc], doc))
    named = recipe.convention.ideal == "judged"
    told: list[dict[str, Any]] = []
    for ideal in dict.fromkeys(rows for rows in ideals if rows):
        docs = [
            number.setdefault(best[at], len(number))
            if named and at < len(best) and one.gains[best[at]] == row.gain
            else -1
            for at, row in enumerate(ideal)
        ]
        told.append(
            {
                "of": [at for at, rows in enumerate(ideals) if rows == ideal],
                "docs": docs,
                "gains": _short([row.gain for row in ideal]),
                "brings": _short([row.contribution for row in ideal]),
            }
        )
    found: dict[str, Any] = {
        "docs": list(number),
        "grades": [one.grades.get(doc) for doc in number],
        "judged": len(one.grades),
        "runs": runs,
        "ideals": told,
    }
    if one.gains:
        found["gains"] = _short([one.gains.get(doc, 0.0) for doc in number])
    return found


def _columns(ranked: Ranking, number: dict[str, int]) -> dict[str, Any]:
    docs = [
        -1 if row.doc is None else number.setdefault(row.doc, len(number)) for row in ranked.rows
    ]
    found: dict[str, Any] = {"docs": docs, "more": ranked.more}
    if ranked.dcg is not None:
        brings = _short([row.contribution or 0.0 for row in ranked.rows])
        while brings and not brings[-1]:
            brings.pop()
        found |= {"brings": brings, "dcg": ranked.dcg, "idcg": ranked.idcg}
    if any(row.until != row.rank or row.rank != at for at, row in enumerate(ranked.rows, 1)):
        found["ranks"] = [[row.rank, row.until] for row in ranked.rows]
        found["discounts"] = _short([row.discount or 0.0 for row in ranked.rows])
    return found


def _explain(
    qrels: Judgments | Nested,
    found: Sequence[tuple[Results, AsRead]],
    recipe: Recipe,
    base: int,
    details: Mapping[str, dict[str, Any]],
) -> None:
    """To the queries that changed most: what each document explains of the change."""
    for at, (results, run) in enumerate(found):
        if at == base:
            continue
        pair = (found[base][0], results)
        moved = most_changed(qrels, (found[base][1], run), recipe, pair, most=EXPLAINED)
        for one in moved.queries:
            if one.query in details and one.rest is not None:
                details[one.query].setdefault("moved", {})[str(at)] = _shares(
                    one, details[one.query]
                )


def _shares(one: Changed, detail: dict[str, Any]) -> dict[str, Any]:
    number = {doc: at for at, doc in enumerate(detail["docs"])}
    known = [doc for doc in one.documents if doc.doc in number and doc.share is not None]
    shares = [doc.share or 0.0 for doc in known]
    return {
        "docs": [number[doc.doc] for doc in known],
        "shares": _short(shares),
        "rest": _short([one.change - sum(shares)])[0],
    }


def _grades(details: Any) -> list[tuple[float, int]]:
    """Each grade that occurs, with the number of its colour: from light to dark."""
    known = sorted({grade for one in details for grade in one["grades"] if grade is not None})
    last = len(LIGHT.grades) - 1
    if len(known) == 1:
        return [(known[0], last if known[0] > 0 else 0)]
    return [(grade, min(last, at * last // (len(known) - 1))) for at, grade in enumerate(known)]


def _texts(
    queries: Sequence[str], texts: Mapping[str, str], details: Mapping[str, Any]
) -> list[str | None]:
    """What the queries say; long ones are shortened where nothing else is known of them."""
    if not texts:
        return []
    found: list[str | None] = []
    for query in queries:
        text = texts.get(query)
        long = text is not None and len(text) > _TEXT and query not in details
        found.append(f"{text[:_TEXT]}…" if long and text else text)
    return found


def _known(values: Array) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _short(values: Sequence[float]) -> list[float]:
    """Numbers that are looked at, not computed with."""
    return [float(f"{value:.6g}") for value in values]
