"""Judgments and a run as dicts of dicts → `Matched`, without copying a document id.

Per query the judged documents are looked up in the run, and their ranks found in its scores.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, compress
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gainful.errors import BadInput, shown
from gainful.match.matched import (
    Array,
    Matched,
    Ranks,
    as_precise,
    by_grade,
    in_blocks,
    number_tied,
    tied_places,
)
from gainful.read.qrels_and_run import Nested

_Inner = Mapping[Any, Any]
_NOTHING: _Inner = {}
_SAMPLE = 200  # queries of which the first number is looked at


def matched(judgments: Nested, run: Nested, *, score_bits: Literal[64, 32] = 64) -> Matched:
    """Where do the judged documents stand in a run?

    Examples:
        >>> judged = Nested({"1": {"a": 2, "b": 1}}, "judgments")
        >>> matched(judged, Nested({"1": {"c": 0.9, "a": 0.5}}, "run")).by_id.tolist()
        [2]
    """
    known, there = judgments.mapping, run.mapping
    refuse_other_queries(judgments, run)
    _refuse_other_kinds(judgments, run)
    names = [*known, *(query for query in there if query not in known)]
    rankings = [there.get(query, _NOTHING) for query in names]
    pool = [known.get(query, _NOTHING) for query in names]
    retrieved, sizes = _lengths(rankings), _lengths(pool)
    score = _numbers(rankings, run, names, "score")
    grade = _numbers(pool, judgments, names, "grade")
    pool_query, own = _spread(sizes), _met(pool, rankings)
    hit = ~np.isnan(own)
    query, own, held = pool_query[hit], own[hit], grade[hit]
    score, own = as_precise(score, score_bits), as_precise(own, score_bits)
    start = np.cumsum(retrieved) - retrieved
    ordered = _descending(score, start, retrieved)
    tied = tied_places(ordered, start, retrieved)
    place = _first_place(ordered, start[query], retrieved[query], own)
    first, last, _ = in_blocks(place, start[query], tied)
    by_id, by_input = first.copy(), first.copy()
    docs = [*compress(chain.from_iterable(pool), hit.tolist())]
    in_block = np.flatnonzero(first < last)
    changes = np.flatnonzero(np.diff(query[in_block])) + 1
    for hits_ in np.split(in_block, changes) if in_block.size else []:
        row = int(query[hits_[0]])
        own_scores = score[start[row] : start[row] + retrieved[row]]
        before_by_id, before_by_input = _within_blocks(rankings[row], own_scores, own[hits_])
        for at in hits_.tolist():
            by_id[at] += before_by_id[docs[at]]
            by_input[at] += before_by_input[docs[at]]
    sequence = by_grade(pool_query, grade)
    return Matched(
        queries=[str(name) for name in names],
        judged=np.arange(len(names)) < len(known),
        found=np.fromiter((name in there for name in names), bool, len(names)),
        retrieved=retrieved,
        pool_query=pool_query[sequence],
        pool_grade=grade[sequence],
        query=query,
        grade=held,
        first=first,
        last=last,
        by_id=by_id,
        by_input=by_input,
        tied=number_tied(tied),
    )


def refuse_other_queries(judgments: Nested, run: Nested) -> None:
    """Queries that are texts on one side and numbers on the other never meet."""
    kinds = [
        {
            "numbers" if issubclass(kind, Integral) else "texts"
            for kind in set(map(type, side.mapping))
        }
        for side in (judgments, run)
    ]
    if kinds[0] != kinds[1]:
        told = f"queries are {min(kinds[1])} here, but {min(kinds[0])} in the judgments"
        raise BadInput(run.name, told, "one kind: str(query) on both sides")


def _refuse_other_kinds(judgments: Nested, run: Nested) -> None:
    """Documents that are texts on one side and numbers on the other never meet.

    Looked at is the first document of each query: to look at all would take longer than to match.
    """
    kinds = [_kinds(side) for side in (judgments, run)]
    if kinds[0] and kinds[1] and kinds[0] != kinds[1]:
        told = " and ".join(sorted(kinds[0])), " and ".join(sorted(kinds[1]))
        raise BadInput(
            run.name,
            f"documents are {told[1]} here, but {told[0]} in the judgments",
            "one kind: str(document) on both sides",
        )


def _kinds(side: Nested) -> set[str]:
    firsts = (next(iter(inner), None) for inner in side.mapping.values())
    return {
        "numbers" if issubclass(kind, Integral) else "texts"
        for kind in {type(first) for first in firsts if first is not None}
    }


def _lengths(lists: Sequence[Collection[Any]]) -> Ranks:
    return np.fromiter(map(len, lists), np.intp, len(lists))


def _spread(lengths: Ranks) -> Ranks:
    return np.repeat(np.arange(len(lengths)), lengths)


def _numbers(rows: list[_Inner], side: Nested, names: list[Any], what: str) -> Array:
    """All numbers of all queries, one after the other."""
    size = sum(map(len, rows))
    first = {type(next(iter(row.values()))) for row in rows[:_SAMPLE] if row}
    if first & {str, bytes}:  # NumPy would take a text for the number it spells
        raise _not_a_number(rows, side, names, what)
    try:
        flat = np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64, size)
    except (TypeError, ValueError, OverflowError):
        flat = np.full(1, np.nan)
    if not np.isfinite(flat).all():
        raise _not_a_number(rows, side, names, what)
    return flat


def _not_a_number(rows: list[_Inner], side: Nested, names: list[Any], what: str) -> BadInput:
    """The entry that is no finite number."""
    for name, row in zip(names, rows, strict=True):
        for doc, value in row.items():
            try:
                fine = not isinstance(value, (str, bytes)) and bool(np.isfinite(float(value)))
            except (TypeError, ValueError, OverflowError):
                fine = False
            if not fine:
                place = f"{side.name}[{shown(name)}][{shown(doc)}]"
                return BadInput(place, f"{what} {shown(value)} is not a finite number")
    return BadInput(side.name, f"a {what} is not a finite number")


def _met(pool: list[_Inner], rankings: list[_Inner]) -> Array:
    """The score of every judged document, NaN where it was not retrieved."""
    pairs = zip(pool, rankings, strict=True)
    found = [*chain.from_iterable(map(ranking.get, judged) for judged, ranking in pairs)]
    return np.array(found, dtype=np.float64)  # None becomes NaN, which no score is


def _descending(score: Array, start: Ranks, retrieved: Ranks) -> Array:
    """The scores of each query, highest first; what is in order is left alone."""
    rising = np.flatnonzero(score[1:] > score[:-1]) + 1
    query = np.searchsorted(start, rising, side="right") - 1
    unordered = np.unique(query[rising != start[query]])
    if not unordered.size:
        return score
    ordered = score.copy()
    for begin, length in zip(start[unordered], retrieved[unordered], strict=True):
        ordered[begin : begin + length] = np.sort(ordered[begin : begin + length])[::-1]
    return ordered


def _within_blocks(
    ranking: _Inner, score: NDArray[Any], wanted: NDArray[Any]
) -> tuple[dict[Any, int], dict[Any, int]]:
    """How many tied documents stand before each one, by id and as given, in the wanted blocks."""
    tied = np.isin(score, wanted)
    docs = [doc for doc, flag in zip(ranking, tied.tolist(), strict=True) if flag]
    block = (-score[tied]).tolist()
    given = sorted(range(len(docs)), key=block.__getitem__)
    by_id = sorted(range(len(docs)), key=lambda at: str(docs[at]), reverse=True)
    by_id.sort(key=block.__getitem__)
    return _counted(docs, block, by_id), _counted(docs, block, given)


def _counted(docs: list[Any], block: list[float], order: list[int]) -> dict[Any, int]:
    before: dict[Any, int] = {}
    opened, last = 0, None
    for place, at in enumerate(order):
        if block[at] != last:
            opened, last = place, block[at]
        before[docs[at]] = place - opened
    return before


def _first_place(ordered: Array, start: Ranks, length: Ranks, own: Array) -> Ranks:
    """The first place of a score in the stretch of its query: one search for all."""
    low, high = start.copy(), start + length
    while (open_ := low < high).any():
        middle = (low + high) // 2
        above = open_ & (ordered[np.minimum(middle, len(ordered) - 1)] > own)
        low = np.where(above, middle + 1, low)
        high = np.where(open_ & ~above, middle, high)
    return low
