"""Judgments and a run as dicts of dicts → `Matched`, without copying a document id.

Per query the judged documents are looked up in the run, and their ranks found in its scores.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np

from gainful.errors import BadInput, shown
from gainful.match.matched import (
    Array,
    Matched,
    Ranks,
    by_grade,
    in_blocks,
)
from gainful.read.values import Nested

_Inner = Mapping[Any, Any]
_NOTHING: _Inner = {}


def matched(judgments: Nested, run: Nested, *, score_bits: Literal[64, 32] = 64) -> Matched:
    """Where do the judged documents stand in a run?

    Examples:
        >>> judged = Nested({"1": {"a": 2, "b": 1}}, "judgments")
        >>> matched(judged, Nested({"1": {"c": 0.9, "a": 0.5}}, "run")).by_id.tolist()
        [2]
    """
    known, there = judgments.mapping, run.mapping
    names = [*known, *(query for query in there if query not in known)]
    rankings = [there.get(query, _NOTHING) for query in names]
    pool = [known.get(query, _NOTHING) for query in names]
    retrieved, sizes = _lengths(rankings), _lengths(pool)
    score = _numbers(rankings, run, names, "score")
    grade = _numbers(pool, judgments, names, "grade")
    docs, own, held, hits = _met(pool, rankings)
    if not docs:
        _refuse_other_kinds(judgments, run)
    query, pool_query = _spread(hits), _spread(sizes)
    if score_bits == 32:
        with np.errstate(over="ignore"):
            score, own = score.astype(np.float32), own.astype(np.float32)
    start = np.cumsum(retrieved) - retrieved
    ordered = _descending(score, start, retrieved)
    tied = _tied(ordered, start, retrieved)
    place = _first_place(ordered, start[query], retrieved[query], own)
    first, last, _ = in_blocks(place, start[query], tied)
    by_id, by_input = first.copy(), first.copy()
    for at in np.flatnonzero(first < last):
        row = query[at]
        same = score[start[row] : start[row] + retrieved[row]] == own[at]
        block = [doc for doc, tied_ in zip(rankings[row], same, strict=True) if tied_]
        by_input[at] += block.index(docs[at])
        by_id[at] += sorted(map(str, block), reverse=True).index(str(docs[at]))
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
        tied=tied.size + int((np.diff(tied, prepend=-2) > 1).sum()),
    )


def _refuse_other_kinds(judgments: Nested, run: Nested) -> None:
    """Documents that are texts on one side and numbers on the other never meet."""
    kinds = [
        {type(doc).__name__ for inner in side.mapping.values() for doc in inner}
        for side in (judgments, run)
    ]
    if kinds[0] and kinds[1] and not kinds[0] & kinds[1]:
        told = " and ".join(sorted(kinds[0])), " and ".join(sorted(kinds[1]))
        raise BadInput(run.name, f"documents are {told[1]} here, but {told[0]} in the judgments")


def _lengths(lists: Sequence[Collection[Any]]) -> Ranks:
    return np.fromiter(map(len, lists), np.intp, len(lists))


def _spread(lengths: Ranks) -> Ranks:
    return np.repeat(np.arange(len(lengths)), lengths)


def _numbers(rows: list[_Inner], side: Nested, names: list[Any], what: str) -> Array:
    """All numbers of all queries, one after the other."""
    size = sum(map(len, rows))
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
                fine = not isinstance(value, str) and bool(np.isfinite(float(value)))
            except (TypeError, ValueError, OverflowError):
                fine = False
            if not fine:
                place = f"{side.name}[{shown(name)}][{shown(doc)}]"
                return BadInput(place, f"{what} {shown(value)} is not a finite number")
    return BadInput(side.name, f"a {what} is not a finite number")


def _met(pool: list[_Inner], rankings: list[_Inner]) -> tuple[list[Any], Array, Array, Ranks]:
    """The documents that are both judged and retrieved: id, score, grade, and how many a query."""
    docs: list[Any] = []
    own: list[Any] = []
    held: list[Any] = []
    hits: list[int] = []
    for judged, ranking in zip(pool, rankings, strict=True):
        both = judged.keys() & ranking.keys()
        docs += both
        own += map(ranking.__getitem__, both)
        held += map(judged.__getitem__, both)
        hits.append(len(both))
    return (
        docs,
        np.array(own, dtype=np.float64),
        np.array(held, dtype=np.float64),
        np.array(hits, dtype=np.intp),
    )


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


def _tied(ordered: Array, start: Ranks, retrieved: Ranks) -> Ranks:
    """The places whose score equals the one before, in the same query."""
    same = ordered[1:] == ordered[:-1]
    same[start[(retrieved > 0) & (start > 0)] - 1] = False
    return np.flatnonzero(same) + 1


def _first_place(ordered: Array, start: Ranks, length: Ranks, own: Array) -> Ranks:
    """The first place of a score in the stretch of its query: one search for all."""
    low, high = start.copy(), start + length
    while (open_ := low < high).any():
        middle = (low + high) // 2
        above = open_ & (ordered[np.minimum(middle, len(ordered) - 1)] > own)
        low = np.where(above, middle + 1, low)
        high = np.where(open_ & ~above, middle, high)
    return low
