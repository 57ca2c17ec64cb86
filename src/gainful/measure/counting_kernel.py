"""Gains of the first ranks on CUDA, by counting instead of sorting: a kernel in Triton.

One program reads one ranking, once. From the highest score down it counts the documents of each
score, which share so many ranks; the ideal counts the documents of each gain in the same way.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["width", "depth"])  # type: ignore[untyped-decorator]
def _count_gains(  # type: ignore[no-untyped-def]  # pointers and numbers of Triton's own
    gains,
    scores,
    mask,
    discounts,
    actual,
    ideal,
    fault,
    width,
    depth,
    SIZE: tl.constexpr,
    MASKED: tl.constexpr,
    DROP_NEGATIVE: tl.constexpr,
    SINGLY: tl.constexpr,
    EQUAL: tl.constexpr,
):
    """Sums of one row; `discounts` are cumulated. EQUAL: documents of one score must gain the same.

    SINGLY: they come one by one, in the order given, and do not share their ranks.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, SIZE)
    present = column < width
    place = row * width + column
    if MASKED:
        present = present & (tl.load(mask + place, mask=present, other=0) != 0)
    gain = tl.load(gains + place, mask=present, other=0.0)
    score = tl.load(scores + place, mask=present, other=0.0)
    is_bad = (tl.abs(score) < float("inf")) & (tl.abs(gain) < float("inf")) == 0
    score, gain = tl.where(is_bad, 0.0, score), tl.where(is_bad, 0.0, gain)
    wrong = tl.sum(is_bad.to(tl.int32), 0)
    if DROP_NEGATIVE:
        gain = tl.maximum(gain, 0.0)
    total, rank, left = tl.load(discounts) * 0.0, 0, present
    last = tl.minimum(depth, tl.sum(present.to(tl.int32), 0))
    while rank < last:
        best = tl.max(tl.where(left, score, -float("inf")), 0)
        block = left & (score == best)
        if SINGLY:
            block = column == tl.min(tl.where(block, column, SIZE), 0)
        count = tl.sum(block.to(tl.int32), 0)
        worth = tl.sum(tl.where(block, gain, 0.0), 0)
        if EQUAL:
            highest = tl.max(tl.where(block, gain, -float("inf")), 0)
            lowest = tl.min(tl.where(block, gain, float("inf")), 0)
            wrong += (highest != lowest).to(tl.int32)
        end = tl.minimum(rank + count, depth)
        total += worth * (tl.load(discounts + end) - tl.load(discounts + rank)) / count
        left, rank = left & (block == 0), rank + count
    tl.store(actual + row, total)
    total, rank, left = total * 0.0, 0, present & (gain > 0)
    best = tl.max(tl.where(left, gain, 0.0), 0)
    while (rank < depth) & (best > 0):
        block = left & (gain == best)
        end = tl.minimum(rank + tl.sum(block.to(tl.int32), 0), depth)
        total += best * (tl.load(discounts + end) - tl.load(discounts + rank))
        left, rank = left & (block == 0), end
        best = tl.max(tl.where(left, gain, 0.0), 0)
    tl.store(ideal + row, total)
    if wrong > 0:
        tl.store(fault, 1)


def count_gains(
    gain: Any, score: Any, mask: Any, discounts: Any, *, ties: str, drop_negative: bool
) -> tuple[Any, Any, Any]:
    """The gain of each row and of its ideal, and whether anything is wrong with one of them."""
    cumulated = torch.nn.functional.pad(discounts.double().cumsum(0), (1, 0))
    actual, ideal = torch.empty((2, len(gain)), dtype=gain.dtype, device=gain.device)
    fault = torch.zeros((), dtype=torch.int32, device=gain.device)
    _count_gains[(len(gain),)](
        gain.contiguous(),
        score.contiguous(),
        fault if mask is None else mask.contiguous(),
        cumulated,
        actual,
        ideal,
        fault,
        gain.shape[1],
        len(discounts),
        SIZE=triton.next_power_of_2(gain.shape[1]),
        MASKED=mask is not None,
        DROP_NEGATIVE=drop_negative,
        SINGLY=ties == "input",
        EQUAL=ties not in {"input", "average"},
    )
    return actual, ideal, fault > 0
