"""Where do documents with equal scores stand? Their blocks of ranks, and the one tie table.

Documents of equal scores share a block of ranks `[first, last]`. A policy of the table gives each
of them a rank in it; all rooms that rank documents read it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from gainful.types import Array, Flags, Ranks


@frozen(eq=False)
class TieBlocks:
    """Retrieved documents with the block of ranks that each of them shares."""

    query: Ranks  # the number of its query
    first: Ranks  # the block of ranks of equal scores
    last: Ranks
    by_id: Ranks  # the rank, if ties are broken by document id, descending
    by_input: Ranks  # the rank, if ties stay in the order given

    def select(self, part: slice | Flags | Ranks) -> TieBlocks:
        """Some of the documents."""
        columns = (self.query, self.first, self.last, self.by_id, self.by_input)
        return TieBlocks(*(column[part] for column in columns))


@frozen
class TiePolicy:
    """How equal scores are ranked; `needs` is what it must know beside the scores."""

    rank: Callable[[TieBlocks, Array], Ranks]  # of blocks, and of what each document is worth
    needs: Literal["nothing", "ids", "order", "grades"] = "nothing"
    averages: bool = False  # does a value stand for several orders, which few measures have?
    spreads: bool = False  # does a document stand at all ranks of its block?


def _middle_rank(blocks: TieBlocks, _: Array) -> Ranks:
    return (blocks.first + blocks.last) // 2


def _rank_by_gain(blocks: TieBlocks, key: Array) -> Ranks:
    """Within a block the lowest key first; what is worth nothing stands in the middle."""
    rank = blocks.first.copy()
    tied = np.flatnonzero(blocks.first < blocks.last)
    if not tied.size:
        return rank
    block = blocks.query[tied] * (int(blocks.last[tied].max()) + 1) + blocks.first[tied]
    sequence = np.lexsort((key[tied], block))
    tied, block = tied[sequence], block[sequence]
    begin = np.flatnonzero(np.append(True, np.diff(block) != 0))
    size = np.diff(np.append(begin, len(block)))
    offset = np.arange(len(block)) - np.repeat(begin, size)
    from_top = blocks.first[tied] + offset
    from_bottom = blocks.last[tied] - (np.repeat(size, size) - 1 - offset)
    rank[tied] = np.where(key[tied] < 0, from_top, from_bottom)
    return rank


TIE_POLICIES: Mapping[str, TiePolicy] = {
    "doc_descending": TiePolicy(lambda blocks, _: blocks.by_id, needs="ids"),
    "doc_ascending": TiePolicy(
        lambda blocks, _: blocks.first + blocks.last - blocks.by_id, needs="ids"
    ),
    "input": TiePolicy(lambda blocks, _: blocks.by_input, needs="order"),
    "reversed": TiePolicy(
        lambda blocks, _: blocks.first + blocks.last - blocks.by_input, needs="order"
    ),
    "best": TiePolicy(lambda blocks, gain: _rank_by_gain(blocks, -gain), needs="grades"),
    "worst": TiePolicy(_rank_by_gain, needs="grades"),
    "mean_rank": TiePolicy(_middle_rank, averages=True),
    "average": TiePolicy(_middle_rank, averages=True, spreads=True),
}


def place_ties(ties: str, blocks: TieBlocks, gain: Array) -> tuple[Ranks, Ranks]:
    """The first and last rank over which each document is spread: mostly one and the same.

    Args:
        ties: a policy of the table.
        blocks: documents, with all of their query that share a score and are worth anything.
        gain: what each document is worth; read by policies that go by it.
    """
    policy = TIE_POLICIES[ties]
    if policy.spreads:
        return blocks.first, blocks.last
    rank = policy.rank(blocks, gain)
    return rank, rank


def find_ties(score: NDArray[Any], start: Ranks, retrieved: Ranks) -> Ranks:
    """The places whose score equals the one before, in the same query."""
    same = score[1:] == score[:-1]
    same[start[(retrieved > 0) & (start > 0)] - 1] = False
    return np.flatnonzero(same) + 1


def count_ties(tied: Ranks) -> int:
    """How many documents share their score: each of those places, and the first of its block."""
    return tied.size + int((np.diff(tied, prepend=-2) > 1).sum())


def tie_blocks(position: Ranks, start: Ranks, tied: Ranks) -> tuple[Ranks, Ranks, Ranks]:
    """The block of each position: its first and last rank, and its number (-1 if it is alone).

    Args:
        position: places in an array of scores, ordered within each query.
        start: where the query of each position begins.
        tied: the places whose score equals the one before, ascending.
    """
    opens = tied[np.diff(tied, prepend=-2) > 1] - 1 if tied.size else tied
    closes = tied[np.diff(tied, append=tied[-1] + 2) > 1] if tied.size else tied
    block = np.searchsorted(opens, position, side="right") - 1
    inside = block >= 0
    inside[inside] = position[inside] <= closes[block[inside]]
    block = np.where(inside, block, -1)
    first, last = position - start + 1, position - start + 1
    first[inside] = (opens[block[inside]] - start[inside]) + 1
    last[inside] = (closes[block[inside]] - start[inside]) + 1
    return first, last, block


def reduce_precision(score: NDArray[Any], bits: int) -> NDArray[Any]:
    """Scores as precise as the convention has them."""
    if bits == 64:
        return score
    with np.errstate(over="ignore"):  # what is too large for them is infinite, as in C
        return score.astype(np.float32)
