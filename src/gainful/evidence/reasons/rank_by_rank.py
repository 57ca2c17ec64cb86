"""One query spelled out under one mixture: its documents rank by rank, and what they come to.

Gains, discounts, sums and the ideal are those of the evaluation itself; what is added here is the
name of the document at each rank, which no measure needs to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from attrs import evolve, frozen

from gainful.evidence.moves.ranked_query import Row, depth_of, gains_of, grades_of, ranking, within
from gainful.evidence.reasons.mixtures import Mixtures
from gainful.match.matched import Matched
from gainful.measure.cumulated_gain import Ranked, ideal_depth, ranked_seen, total, weights
from gainful.measure.ranked_run import seen
from gainful.measure.recipe import Recipe

_MOST = 10  # rows that are spelled out
_FILLED = 1000  # and what fills a short list, of which all rows are alike


@frozen
class IdealRow:
    """One rank of the ideal ranking."""

    rank: int
    gain: float
    discount: float
    contribution: float


@frozen
class Side:
    """A query on one side of a switch; `value` is None where it is left out of the mean."""

    label: str
    rows: tuple[Row, ...]
    more: int  # documents that are not among the rows
    ideal: tuple[IdealRow, ...]
    more_ideal: int
    dcg: float | None
    idcg: float | None
    value: float | None


@frozen
class Spelled:
    """A query on both sides of a switch."""

    query: str
    judged: bool
    found: bool
    before: Side
    after: Side

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return attrs.asdict(self)


def spelled(held: Mixtures, row: int, switch: tuple[int, int], labels: tuple[str, str]) -> Spelled:
    """How does a query come by its value on both sides of a switch?"""
    query = held.queries[row]
    before, after = (
        _side(held, query, mixture, label) for mixture, label in zip(switch, labels, strict=True)
    )
    shown = _worth_showing(before.rows, after.rows)
    of_ideal = _worth_showing(before.ideal, after.ideal)
    one = _alone(held, query, switch[0])
    return Spelled(
        query,
        bool(one is not None and one.judged[0]),
        bool(one is not None and one.found[0]),
        _short(before, shown, of_ideal),
        _short(after, shown, of_ideal),
    )


def _worth_showing(one: Sequence[Any], other: Sequence[Any]) -> set[int]:
    """The places of at most ten rows: those that differ, then those that count, then the rest."""

    def dull(place: int) -> tuple[bool, bool, int]:
        pair = [side[place] if place < len(side) else None for side in (one, other)]
        return pair[0] == pair[1], not any(map(_counts, pair)), place

    return set(sorted(range(max(len(one), len(other))), key=dull)[:_MOST])


def _counts(row: Row | IdealRow | None) -> bool:
    if row is None:
        return False
    if row.contribution is not None:
        return row.contribution != 0
    return isinstance(row, Row) and (row.grade or 0) > 0


def _short(side: Side, shown: set[int], of_ideal: set[int]) -> Side:
    rows = tuple(row for place, row in enumerate(side.rows) if place in shown)
    ideal = tuple(row for place, row in enumerate(side.ideal) if place in of_ideal)
    return evolve(
        side,
        rows=rows,
        more=len(side.rows) - len(rows),
        ideal=ideal,
        more_ideal=len(side.ideal) - len(ideal),
    )


def _alone(held: Mixtures, query: str, mixture: int) -> Matched | None:
    """The query by itself, as the mixture matches it."""
    found = held.view(held.convention(mixture)).found
    flags = np.fromiter((name == query for name in found.queries), bool, len(found.queries))
    return found.only(flags) if flags.any() else None


def _side(held: Mixtures, query: str, mixture: int, label: str) -> Side:
    how = held.recipe(mixture)
    value = float(held.values(mixture)[held.queries.index(query)])
    known = None if np.isnan(value) else value
    one = _alone(held, query, mixture)
    grades = grades_of(held.judgments, query)
    rows = ranking(held.run, query, grades, how)
    if not how.measure.entry.cumulated or one is None:
        return Side(label, within(rows, depth_of(how)), 0, (), 0, None, None, known)
    gains = gains_of(how, grades)
    ranked = ranked_seen(how, seen(one, how.convention))
    dcg, idcg = (float(sums[0]) for sums in total(how, ranked))
    return Side(
        label,
        tuple(weighted(how, filled(how, rows, ranked), gains)),
        0,
        tuple(ideal_rows(how, ranked)),
        0,
        dcg,
        idcg,
        known,
    )


def filled(recipe: Recipe, rows: list[Row], ranked: Ranked) -> list[Row]:
    """A short list is filled up to k where the convention has it so."""
    if recipe.convention.short != "minimum" or recipe.k is None:
        return rows
    fill = float(ranked.fill[0, 0])
    new = range(len(rows) + 1, min(recipe.k, len(rows) + _FILLED) + 1)
    return rows + [Row(rank, rank, None, None, None, gain=fill) for rank in new]


def weighted(recipe: Recipe, rows: list[Row], gains: dict[str, float]) -> list[Row]:
    """The rows down to the cutoff, with gain, discount and their product."""
    rows = list(within(rows, recipe.k))
    if not rows:
        return []
    left = np.array(weights(recipe, max(row.until for row in rows)))
    if recipe.k is not None:
        left[recipe.k :] = 0.0
    found = []
    for row in rows:
        gain = row.gain if row.doc is None else gains.get(row.doc, 0.0)
        discount = float(left[row.rank - 1 : row.until].mean())
        found.append(evolve(row, gain=gain, discount=discount, contribution=(gain or 0) * discount))
    return found


def ideal_rows(recipe: Recipe, ranked: Ranked) -> list[IdealRow]:
    """The ideal ranking, as deep as the convention has it."""
    if not (recipe.measure.entry.normalised or recipe.measure.entry.of == "ideal"):
        return []
    depth = min(int(ideal_depth(recipe, ranked.lengths)[0, 0]), ranked.ideal.deepest)
    if depth < 1:
        return []
    gain, left = ranked.ideal.by_rank(depth)[0], weights(recipe, depth)
    return [
        IdealRow(rank, float(g), float(w), float(g * w))
        for rank, (g, w) in enumerate(zip(gain, left, strict=True), start=1)
    ]
