"""Judgments and a run as dicts of dicts → `Matched`, without copying a document id.

Per query the judged documents are looked up in the run, and their ranks found in its scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, compress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gainful.errors import BadInput
from gainful.match.matched import Matched
from gainful.match.pools import Pools, build_matched
from gainful.match.rank_order import search_stretches
from gainful.match.ties import TieBlocks, count_ties, find_ties, reduce_precision, tie_blocks
from gainful.read.qrels_and_run import NestedDict
from gainful.text import name_id_kind
from gainful.types import Array, Ranks

_ByDoc = Mapping[Any, Any]
_EMPTY: _ByDoc = {}
_SAMPLE_QUERIES = 200  # queries of which the first number is looked at


def match_dicts(qrels: NestedDict, run: NestedDict, *, score_bits: Literal[64, 32] = 64) -> Matched:
    """Where do the judged documents stand in a run?

    Examples:
        >>> qrels = NestedDict({"1": {"a": 2, "b": 1}}, "judgments")
        >>> match_dicts(qrels, NestedDict({"1": {"c": 0.9, "a": 0.5}}, "run")).by_id.tolist()
        [2]
    """
    _refuse_other_types("queries", "query", run.name, [qrels.mapping, run.mapping])
    # Of documents the first of each query: all would take longer than to match.
    firsts = [
        [next(iter(inner)) for inner in side.mapping.values() if inner] for side in (qrels, run)
    ]
    _refuse_other_types("documents", "document", run.name, firsts)
    names = [*qrels.mapping, *(query for query in run.mapping if query not in qrels.mapping)]
    rankings = [run.mapping.get(query, _EMPTY) for query in names]
    retrieved = _lengths(rankings)
    score = reduce_precision(_flatten_numbers(rankings, run, names, "score"), score_bits)
    judged, pools = [*qrels.mapping.values()], build_dict_pools(qrels)
    looked_up = (map(ranking.get, docs) for docs, ranking in zip(judged, rankings, strict=False))
    # None becomes NaN, which no score is.
    hit_score: Array = np.array([*chain.from_iterable(looked_up)], dtype=np.float64)
    hit = np.flatnonzero(~np.isnan(hit_score))
    query, hit_score = pools.base[hit], reduce_precision(hit_score[hit], score_bits)
    start = np.cumsum(retrieved) - retrieved
    ordered = _sort_descending(score, start, retrieved)
    tied = find_ties(ordered, start, retrieved)
    begin, end = start[query], (start + retrieved)[query]
    place = search_stretches(ordered, begin, end, hit_score, np.greater)
    first, last, _ = tie_blocks(place, start[query], tied)
    by_id, by_input = first.copy(), first.copy()
    in_block = np.flatnonzero(first < last)
    changes = np.flatnonzero(np.diff(query[in_block])) + 1
    docs = [*chain.from_iterable(judged)] if in_block.size else []
    for hits in np.split(in_block, changes) if in_block.size else []:
        row = int(query[hits[0]])
        query_scores = score[start[row] : start[row] + retrieved[row]]
        before_by_id, before_by_input = _count_ties_before(
            rankings[row], query_scores, hit_score[hits]
        )
        for index in hits.tolist():
            by_id[index] += before_by_id[docs[hit[index]]]
            by_input[index] += before_by_input[docs[hit[index]]]
    return build_matched(
        pools,
        [str(name) for name in names],
        retrieved,
        hit,
        TieBlocks(query, first, last, by_id, by_input),
        judged=np.arange(len(names)) < len(judged),
        in_run=np.fromiter((name in run.mapping for name in names), bool, len(names)),
        tied_count=count_ties(tied),
    )


def build_dict_pools(qrels: NestedDict) -> Pools:
    """The pools of the judged queries, which are numbered as they come."""
    judged = [*qrels.mapping.values()]
    query = np.repeat(np.arange(len(judged)), _lengths(judged))
    return Pools(query, _flatten_numbers(judged, qrels, [*qrels.mapping], "grade"))


def _refuse_other_types(nouns: str, noun: str, name: str, sides: Sequence[Iterable[Any]]) -> None:
    """Texts on one side and numbers on the other never meet."""
    kinds = [{*map(name_id_kind, {*map(type, ids)})} for ids in sides]
    if all(kinds) and kinds[0] != kinds[1]:
        judged, retrieved = (" and ".join(sorted(words)) for words in kinds)
        problem = f"{nouns} are {retrieved} here, but {judged} in the judgments"
        raise BadInput(name, problem, f"one kind: str({noun}) on both sides")


def _lengths(lists: Sequence[Collection[Any]]) -> Ranks:
    return np.fromiter(map(len, lists), np.intp, len(lists))


def _flatten_numbers(rows: list[_ByDoc], side: NestedDict, names: list[Any], column: str) -> Array:
    size = sum(map(len, rows))
    first = {type(next(iter(row.values()))) for row in rows[:_SAMPLE_QUERIES] if row}
    if first & {str, bytes}:  # NumPy would take a text for the number it spells
        raise _find_bad_number(rows, side, names, column)
    try:
        flat = np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64, size)
    except (TypeError, ValueError, OverflowError):
        flat = np.full(1, np.nan)
    if not np.isfinite(flat).all():
        raise _find_bad_number(rows, side, names, column)
    return flat


def _find_bad_number(
    rows: list[_ByDoc], side: NestedDict, names: list[Any], column: str
) -> BadInput:
    """The entry that is no finite number."""
    from gainful.read.search_results import parse_number  # noqa: PLC0415  (nearly all are)

    for name, row in zip(names, rows, strict=True):
        for doc, value in row.items():
            parse_number(value, side.name, name, doc, column)
    return BadInput(side.name, f"a {column} is not a finite number")


def _sort_descending(score: Array, start: Ranks, retrieved: Ranks) -> Array:
    """The scores of each query, highest first; what is in order is left alone."""
    rising = np.flatnonzero(score[1:] > score[:-1]) + 1
    query = np.searchsorted(start, rising, side="right") - 1
    unordered = query[rising != start[query]]
    if not unordered.size:
        return score
    ordered, unordered = score.copy(), np.unique(unordered)
    for begin, length in zip(start[unordered], retrieved[unordered], strict=True):
        ordered[begin : begin + length] = np.sort(ordered[begin : begin + length])[::-1]
    return ordered


def _count_ties_before(
    ranking: _ByDoc, score: NDArray[Any], wanted: NDArray[Any]
) -> tuple[dict[Any, int], dict[Any, int]]:
    """How many tied documents stand before each one, by id and as given, in the wanted blocks."""
    tied = np.isin(score, wanted).tolist()
    blocks: dict[float, list[Any]] = {}
    for doc, own_score in compress(zip(ranking, score.tolist(), strict=True), tied):
        blocks.setdefault(own_score, []).append(doc)
    by_input = {doc: place for docs in blocks.values() for place, doc in enumerate(docs)}
    for docs in blocks.values():
        docs.sort(key=str, reverse=True)
    by_id = {doc: place for docs in blocks.values() for place, doc in enumerate(docs)}
    return by_id, by_input
