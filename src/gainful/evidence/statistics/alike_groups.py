"""Which runs cannot be told apart, and which letters say so?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase


def letter(place: int) -> str:
    """The letter of a run: a, b, … z, aa, ab, ….

    Examples:
        >>> letter(0), letter(25), letter(26)
        ('a', 'z', 'aa')
    """
    found = ""
    place += 1
    while place:
        place, left = divmod(place - 1, 26)
        found = ascii_lowercase[left] + found
    return found


MOST = 200  # groups; nobody reads more, and there can be millions


def alike(number: int, different: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest groups in which no two are significantly different; those alone are one too.

    Of more than `MOST` groups only so many are found.

    Examples:
        >>> alike(3, [(0, 2)])  # 1 is like both, 0 and 2 are not alike
        [(0, 1), (1, 2)]
    """
    near = [set(range(number)) - {at} for at in range(number)]
    for one, other in different:
        near[one].discard(other)
        near[other].discard(one)
    found: list[tuple[int, ...]] = []
    _grown(set(), set(range(number)), set(), near, found)
    return sorted(found)


def _grown(
    group: set[int],
    left: set[int],
    done: set[int],
    near: Sequence[set[int]],
    found: list[tuple[int, ...]],
) -> None:
    """Bron and Kerbosch's search for the largest groups, with a pivot."""
    if len(found) >= MOST:
        return
    if not left and not done:
        found.append(tuple(sorted(group)))
        return
    pivot = max(left | done, key=lambda at: len(near[at] & left))
    for at in sorted(left - near[pivot]):
        _grown(group | {at}, left & near[at], done & near[at], near, found)
        left = left - {at}
        done = done | {at}
