"""Which runs cannot be told apart, and which letters say so?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase


def make_letter(index: int) -> str:
    """The letter of a run: a, b, … z, aa, ab, ….

    Examples:
        >>> make_letter(0), make_letter(25), make_letter(26)
        ('a', 'z', 'aa')
    """
    letters = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        letters = ascii_lowercase[digit] + letters
    return letters


MAX_GROUPS = 200  # groups; nobody reads more, and there can be millions


def find_alike_groups(number: int, different: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest groups in which no two are significantly different; those alone are one too.

    Of more than `MAX_GROUPS` groups only so many are found.

    Examples:
        >>> find_alike_groups(3, [(0, 2)])  # 1 is like both, 0 and 2 are not alike
        [(0, 1), (1, 2)]
    """
    neighbours = [set(range(number)) - {at} for at in range(number)]
    for first, second in different:
        neighbours[first].discard(second)
        neighbours[second].discard(first)
    groups: list[tuple[int, ...]] = []
    _grow_group(set(), set(range(number)), set(), neighbours, groups)
    return sorted(groups)


def _grow_group(
    group: set[int],
    candidates: set[int],
    excluded: set[int],
    neighbours: Sequence[set[int]],
    groups: list[tuple[int, ...]],
) -> None:
    """Bron and Kerbosch's search for the largest groups, with a pivot."""
    if len(groups) >= MAX_GROUPS:
        return
    if not candidates and not excluded:
        groups.append(tuple(sorted(group)))
        return
    pivot = max(candidates | excluded, key=lambda at: len(neighbours[at] & candidates))
    for at in sorted(candidates - neighbours[pivot]):
        _grow_group(
            group | {at}, candidates & neighbours[at], excluded & neighbours[at], neighbours, groups
        )
        candidates = candidates - {at}
        excluded = excluded | {at}
