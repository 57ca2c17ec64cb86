"""One query on both sides of a switch: its documents rank by rank, and what they come to.

Gains, discounts, sums and the ideal are those of the evaluation itself; what is added here is the
name of the document at each rank, which no measure needs to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from attrs import evolve, frozen

from gainful.evidence.moves.ranked_query import (
    RankedDoc,
    cut_ranking,
    doc_gains,
    query_grades,
    rank_query,
)
from gainful.match.matched import Matched
from gainful.measure.cumulated_gain import (
    RankedGains,
    ideal_depth,
    rank_discounts,
    rank_run_gains,
    total_gains,
)
from gainful.measure.ranked_run import rank_run
from gainful.measure.recipe import Recipe
from gainful.read.qrels_and_run import NestedDict, Qrels, Run

_MAX_ROWS = 10  # rows that are spelled out
_MAX_FILL = 1000  # and what fills a short list, of which all rows are alike


@frozen
class IdealRank:
    """One rank of the ideal ranking."""

    rank: int
    gain: float
    discount: float
    contribution: float


@frozen
class QuerySide:
    """A query on one side of a switch; `value` is None where it is left out of the mean."""

    label: str
    rows: tuple[RankedDoc, ...]
    more: int  # documents that are not among the rows
    ideal: tuple[IdealRank, ...]
    more_ideal: int
    dcg: float | None
    idcg: float | None
    value: float | None


@frozen
class RankByRank:
    """A query on both sides of a switch."""

    query: str
    judged: bool
    found: bool
    before: QuerySide
    after: QuerySide

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return attrs.asdict(self)


@frozen(eq=False)
class SwitchSide:
    """One side of a switch: how the query is matched there, None if it is not, and computed."""

    label: str
    recipe: Recipe
    matched: Matched | None
    value: float | None


def describe_rank_by_rank(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict,
    query: str,
    sides: tuple[SwitchSide, SwitchSide],
) -> RankByRank:
    """How does a query come by its value on both sides of a switch?"""
    before, after = (_describe_side(qrels, run, query, side) for side in sides)
    row_places = _choose_rows(before.rows, after.rows)
    ideal_places = _choose_rows(before.ideal, after.ideal)
    matched = sides[0].matched
    return RankByRank(
        query,
        bool(matched is not None and matched.judged[0]),
        bool(matched is not None and matched.in_run[0]),
        _shorten_side(before, row_places, ideal_places),
        _shorten_side(after, row_places, ideal_places),
    )


def _choose_rows(first: Sequence[Any], second: Sequence[Any]) -> set[int]:
    """The places of at most ten rows: those that differ, then those that count, then the rest."""

    def dullness(place: int) -> tuple[bool, bool, int]:
        pair = [side[place] if place < len(side) else None for side in (first, second)]
        return pair[0] == pair[1], not any(map(_has_contribution, pair)), place

    return set(sorted(range(max(len(first), len(second))), key=dullness)[:_MAX_ROWS])


def _has_contribution(row: RankedDoc | IdealRank | None) -> bool:
    if row is None:
        return False
    if row.contribution is not None:
        return row.contribution != 0
    return isinstance(row, RankedDoc) and (row.grade or 0) > 0


def _shorten_side(side: QuerySide, row_places: set[int], ideal_places: set[int]) -> QuerySide:
    rows = tuple(row for place, row in enumerate(side.rows) if place in row_places)
    ideal = tuple(row for place, row in enumerate(side.ideal) if place in ideal_places)
    return evolve(
        side,
        rows=rows,
        more=len(side.rows) - len(rows),
        ideal=ideal,
        more_ideal=len(side.ideal) - len(ideal),
    )


def _describe_side(
    qrels: Qrels | NestedDict, run: Run | NestedDict, query: str, side: SwitchSide
) -> QuerySide:
    label, recipe, matched, value = side.label, side.recipe, side.matched, side.value
    grades = query_grades(qrels, query)
    rows = rank_query(run, query, grades, recipe)
    if not recipe.measure.entry.cumulated or matched is None:
        cut_rows = cut_ranking(rows, recipe.depth)
        return QuerySide(label, cut_rows, 0, (), 0, None, None, value)
    gains = doc_gains(recipe, grades)
    ranked = rank_run_gains(recipe, rank_run(matched, recipe.convention))
    dcg, idcg = (float(sums[0]) for sums in total_gains(recipe, ranked))
    return QuerySide(
        label,
        tuple(add_contributions(recipe, fill_short_ranking(recipe, rows, ranked), gains)),
        0,
        tuple(ideal_ranking(recipe, ranked)),
        0,
        dcg,
        idcg,
        value,
    )


def fill_short_ranking(
    recipe: Recipe, rows: list[RankedDoc], ranked: RankedGains
) -> list[RankedDoc]:
    """A short list is filled up to k where the convention has it so."""
    if recipe.convention.short != "minimum" or recipe.k is None:
        return rows
    fill = float(ranked.fill[0, 0])
    new = range(len(rows) + 1, min(recipe.k, len(rows) + _MAX_FILL) + 1)
    return rows + [RankedDoc(rank, rank, None, None, None, gain=fill) for rank in new]


def add_contributions(
    recipe: Recipe, rows: list[RankedDoc], gains: dict[str, float]
) -> list[RankedDoc]:
    """The rows down to the cutoff, with gain, discount and their product."""
    rows = list(cut_ranking(rows, recipe.k))
    if not rows:
        return []
    discounts = np.array(rank_discounts(recipe, max(row.until for row in rows)))
    if recipe.k is not None:
        discounts[recipe.k :] = 0.0
    weighted_rows = []
    for row in rows:
        gain = row.gain if row.doc is None else gains.get(row.doc, 0.0)
        discount = float(discounts[row.rank - 1 : row.until].mean())
        weighted_rows.append(
            evolve(row, gain=gain, discount=discount, contribution=(gain or 0) * discount)
        )
    return weighted_rows


def ideal_ranking(recipe: Recipe, ranked: RankedGains) -> list[IdealRank]:
    """The ideal ranking, as deep as the convention has it."""
    if not (recipe.measure.entry.normalised or recipe.measure.entry.gain_of == "ideal"):
        return []
    depth = min(int(ideal_depth(recipe, ranked.lengths)[0, 0]), ranked.ideal.last_rank)
    if depth < 1:
        return []
    gains, discounts = ranked.ideal.gains_by_rank(depth)[0], rank_discounts(recipe, depth)
    return [
        IdealRank(rank, float(g), float(w), float(g * w))
        for rank, (g, w) in enumerate(zip(gains, discounts, strict=True), start=1)
    ]
