"""Labels at the ends of lines: as near to them as they can be without covering one another."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define


@define
class _Block:
    """Labels that stand close together: where they would like to be, and who they are."""

    target_sum: float  # the sum of where the middle of the block would be, by each of them
    members: list[int]

    def first_position(self, gap: float, low: float, high: float) -> float:
        """Where its first label stands, kept within the bounds."""
        size = gap * (len(self.members) - 1)
        middle = self.target_sum / len(self.members)
        return min(max(middle - size / 2, low), max(high - size, low))


def spread_labels(targets: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` from one another, near their targets, within bounds.

    Neighbours that are too near become a block, which stands where it is nearest to the
    targets of all its members.

    Examples:
        >>> spread_labels([10, 12, 50], 10, 0, 100)
        [6.0, 16.0, 50.0]
        >>> spread_labels([95, 99], 10, 0, 100)
        [90.0, 100.0]
    """
    order = sorted(range(len(targets)), key=lambda index: targets[index])
    blocks: list[_Block] = []
    for index in order:
        blocks.append(_Block(min(max(targets[index], low), high), [index]))
        while len(blocks) > 1 and _touch(blocks[-2], blocks[-1], gap, low, high):
            lower = blocks.pop()
            upper = blocks[-1]
            upper.target_sum += lower.target_sum
            upper.members += lower.members
    positions = [0.0] * len(targets)
    for block in blocks:
        start = block.first_position(gap, low, high)
        for offset, index in enumerate(block.members):
            positions[index] = float(start + offset * gap)
    return positions


def _touch(first: _Block, second: _Block, gap: float, low: float, high: float) -> bool:
    end = first.first_position(gap, low, high) + gap * (len(first.members) - 1)
    return second.first_position(gap, low, high) < end + gap
