"""Gains of the first ranks on CUDA, by counting instead of sorting: a kernel in Triton.

One program reads one ranking, once. It finds the score of the last rank that counts, and places
each document above it by how many are higher; documents of one score share their ranks. The ideal
counts the documents of each gain, from the highest down.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"
from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from gainful.formula import NamedFormula


@triton.jit
def _sum(tile):
    return tl.sum(tl.sum(tile, 1), 0)


@triton.jit
def _max(tile):
    return tl.max(tl.max(tile, 1), 0)


@triton.jit
def _count(flags):  # by floats, which are added as they are compared
    return _sum(tl.where(flags, 1.0, 0.0)).to(tl.int32)


@triton.jit
def _find_edge(score, last):
    """The score at rank `last`, and how many documents have a higher one."""
    best = tl.max(score, 1)  # of each group: `last` of them reach the last-th best
    higher = tl.sum(tl.where(best[None, :] > best[:, None], 1.0, 0.0), 1)
    edge = tl.min(tl.where(higher < last, best, float("inf")), 0)
    count = _count(score > edge)
    while count >= last:
        edge = -_max(tl.where(score > edge, -score, -float("inf")))
        count = _count(score > edge)
    return edge, count


@triton.jit
def _place(score, edge, heads, column):
    """The columns of the documents above the edge, side by side in `heads`."""
    ahead = tl.where(score > edge, 1.0, 0.0)
    by_group = tl.sum(ahead, 1)
    before = tl.cumsum(by_group, 0) - by_group
    place = (before - 1)[:, None] + tl.cumsum(ahead, 1)
    tl.store(heads + place.to(tl.int32), column, mask=score > edge)
    tl.debug_barrier()


@triton.jit
def _sum_first(at_edge, gains, discounts, column, rank, last, SIZE, LOWEST):
    """The discounted gain of the first documents at the edge, as many as ranks are left."""
    total, first = tl.load(discounts), -1  # the first of the sums is nothing
    while rank < last:
        first = -_max(tl.where(at_edge & (column > first), -column, -SIZE))
        gain = tl.maximum(tl.load(gains + first, mask=first < SIZE, other=0.0), LOWEST)
        total += gain * (tl.load(discounts + rank + 1) - tl.load(discounts + rank))
        rank += 1
    return total


@triton.jit
def _sum_ideal(gain, discounts, depth):
    """The discounted gain of the best ranking."""
    total, rank, most = tl.load(discounts), 0, _max(gain)  # the first of the sums is nothing
    while (rank < depth) & (most > 0):
        end = tl.minimum(rank + _count(gain == most), depth)
        total += most * (tl.load(discounts + end) - tl.load(discounts + rank))
        rank = end
        if rank < depth:
            most = _max(tl.where(gain < most, gain, 0.0))
    return total


@triton.jit(do_not_specialize=["width", "depth"])
def _count_gains(
    gains,
    scores,
    mask,
    discounts,
    heads,
    sums,
    fault,
    width,
    depth,
    SIZE: tl.constexpr,
    GROUPS: tl.constexpr,
    SLOTS: tl.constexpr,
    MASKED: tl.constexpr,
    LOWEST: tl.constexpr,
    SINGLY: tl.constexpr,
    EQUAL: tl.constexpr,
):
    """Sums of one row; `discounts` are cumulated. EQUAL: documents of one score must gain the same.

    SINGLY: they come one by one, in the order given, and do not share their ranks.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, GROUPS)[:, None] + tl.arange(0, SIZE // GROUPS)[None, :] * GROUPS
    scores, gains, mask = scores + row * width, gains + row * width, mask + row * width
    heads += row * SLOTS
    last = tl.minimum(depth, width)
    present = column < width
    if MASKED:
        present = present & (tl.load(mask + column, mask=present, other=0) != 0)
        last = tl.minimum(last, tl.maximum(_count(present), 1))
    score = tl.load(scores + column, mask=present, other=0.0)
    nothing = _sum(score * 0.0)  # NaN where one is not finite
    score = tl.where(present, score, -float("inf"))
    edge, count = _find_edge(score, last)

    _place(score, edge, heads, column)
    slot = tl.arange(0, SLOTS)
    at = tl.load(heads + slot, mask=slot < count, other=SIZE)
    top = tl.load(scores + at, mask=slot < count, other=-float("inf"))
    worth = tl.maximum(tl.load(gains + at, mask=slot < count, other=0.0), LOWEST)
    rank = tl.sum((top[:, None] > top[None, :]).to(tl.int32), 0)
    same = top[:, None] == top[None, :]
    size = tl.sum(same.to(tl.int32), 0)
    if SINGLY:
        rank += tl.sum((same & (at[:, None] < at[None, :])).to(tl.int32), 0)
        size = tl.minimum(size, 1)
    weight = tl.load(discounts + rank + size, mask=slot < count, other=0.0)
    weight -= tl.load(discounts + rank, mask=slot < count, other=0.0)
    total = tl.sum(worth * (weight / size), 0)

    gain = tl.load(gains + column, mask=column < width, other=0.0)
    if MASKED:
        gain = tl.where(score > -float("inf"), gain, 0.0)
    nothing += _sum(gain * 0.0)
    gain = tl.maximum(gain, LOWEST)
    if SINGLY:
        total += _sum_first(score == edge, gains, discounts, column, count, last, SIZE, LOWEST)
    else:
        shared = _count(score == edge)
        step = tl.load(discounts + tl.minimum(count + shared, depth)) - tl.load(discounts + count)
        total += _sum(tl.where(score == edge, gain, 0.0)) * step / shared
    if EQUAL:
        nothing += _max((same & (worth[:, None] != worth[None, :])).to(tl.int32))
        lowest = -_max(tl.where(score == edge, -gain, -float("inf")))
        nothing += (_max(tl.where(score == edge, gain, -float("inf"))) != lowest).to(tl.int32)
    total = tl.where(edge > -float("inf"), total, 0.0)  # there may be no document
    tl.store(sums + 2 * row, total)
    tl.store(sums + 2 * row + 1, _sum_ideal(gain, discounts, depth))
    if (nothing + total * 0.0) != 0:
        tl.store(fault, 1)


@lru_cache(maxsize=256)
def _cumulate_discounts(discount: NamedFormula, depth: int, device: Any) -> Any:
    """The sums of the first discounts, from that of none on, as precise as the kernel adds up."""
    sums = np.cumsum(discount.evaluate_at(np.arange(1, depth + 1)))
    return torch.asarray(np.concatenate(([0.0], sums)), device=device)


def count_gains(
    gain: Any,
    score: Any,
    mask: Any,
    discount: NamedFormula,
    depth: int,
    *,
    ties: str,
    drop_negative: bool,
) -> tuple[Any, Any, Any]:
    """The gain of each row and of its ideal, and whether anything is wrong with one of them."""
    rows, width = gain.shape
    size, slots = triton.next_power_of_2(width), triton.next_power_of_2(depth)
    sums = torch.empty((rows, 2), dtype=gain.dtype, device=gain.device)
    fault = torch.zeros((), dtype=torch.int32, device=gain.device)
    _count_gains[(rows,)](
        gain.contiguous(),
        score.contiguous(),
        fault if mask is None else mask.contiguous(),
        _cumulate_discounts(discount, depth, gain.device),
        torch.empty((rows, slots), dtype=torch.int32, device=gain.device),
        sums,
        fault,
        width,
        depth,
        SIZE=size,
        GROUPS=min(size, max(64, 2 * slots)),
        SLOTS=slots,
        MASKED=mask is not None,
        LOWEST=0.0 if drop_negative else float("-inf"),
        SINGLY=ties == "input",
        EQUAL=ties not in {"input", "average"},
        num_warps=min(max(size // 1024, 1), 16),
        maxnreg=96,
    )
    return sums[:, 0], sums[:, 1], fault > 0
