"""One query on both sides of a switch: its documents rank by rank, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen

from gainful.evidence.worked_ranking import IdealRank, work_out_ranking
from gainful.match.rankings import RankedDoc, Rankings
from gainful.measure.recipe import Recipe
from gainful.page.plain_data import to_plain_data

_MAX_ROWS = 10  # rows that are spelled out


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
    in_run: bool
    before: QuerySide
    after: QuerySide

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data = to_plain_data(self)
        return {"found" if name == "in_run" else name: value for name, value in data.items()}


@frozen(eq=False)
class SwitchSide:
    """One side of a switch: how the query is ranked there, and computed."""

    label: str
    recipe: Recipe
    rankings: Rankings
    value: float | None


def describe_rank_by_rank(query: str, sides: tuple[SwitchSide, SwitchSide]) -> RankByRank:
    """How does a query come by its value on both sides of a switch?"""
    before, after = (_describe_side(query, side) for side in sides)
    row_places = _choose_rows(before.rows, after.rows)
    ideal_places = _choose_rows(before.ideal, after.ideal)
    matched = sides[0].rankings.matched.select_query(query)
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


def _describe_side(query: str, side: SwitchSide) -> QuerySide:
    worked = work_out_ranking(side.rankings, query, side.recipe)
    return QuerySide(
        side.label, worked.rows, 0, worked.ideal, 0, worked.dcg, worked.idcg, side.value
    )
