"""Labels at the ends of lines: as near to them as they can be without covering one another."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define


@define
class _Block:
    """Labels that stand close together: where they would like to be, and who they are."""

    wanted: float  # the sum of where the middle of the block would be, by each of them
    members: list[int]

    def begin(self, gap: float, low: float, high: float) -> float:
        """Where its first label stands, kept within the bounds."""
        size = gap * (len(self.members) - 1)
        middle = self.wanted / len(self.members)
        return min(max(middle - size / 2, low), max(high - size, low))


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` from one another, near those that are wanted, within bounds.

    Neighbours that are too near become a block, which stands where it is nearest to what all
    its members want.

    Examples:
        >>> apart([10, 12, 50], 10, 0, 100)
        [6.0, 16.0, 50.0]
        >>> apart([95, 99], 10, 0, 100)
        [90.0, 100.0]
    """
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    blocks: list[_Block] = []
    for at in order:
        blocks.append(_Block(min(max(wanted[at], low), high), [at]))
        while len(blocks) > 1 and _touch(blocks[-2], blocks[-1], gap, low, high):
            last = blocks.pop()
            before = blocks[-1]
            before.wanted += last.wanted
            before.members += last.members
    found = [0.0] * len(wanted)
    for block in blocks:
        begin = block.begin(gap, low, high)
        for place, at in enumerate(block.members):
            found[at] = float(begin + place * gap)
    return found


def _touch(one: _Block, other: _Block, gap: float, low: float, high: float) -> bool:
    end = one.begin(gap, low, high) + gap * (len(one.members) - 1)
    return other.begin(gap, low, high) < end + gap
