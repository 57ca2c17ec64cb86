"""Discordant pairs: the pairs of runs of which two measures say the opposite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from attrs import frozen

from gainful.types import Flags


@frozen
class DiscordantPair:
    """Two runs that change places: the first is better by one measure, the second by the other.

    `differences` say by how much the mean of the first run is better than that of the second, by
    each measure; `significant` says of each whether it was tested and found so, None where it was
    not tested.
    """

    runs: tuple[str, str]
    differences: tuple[float, float]
    significant: tuple[bool | None, bool | None]


def find_discordant_pairs(
    runs: Sequence[str],
    means: tuple[Mapping[str, float], Mapping[str, float]],
    places: tuple[Mapping[str, int], Mapping[str, int]],
    significant: tuple[Flags | None, Flags | None],
) -> list[DiscordantPair]:
    """All discordant pairs of two measures, the most striking first.

    A pair is as striking as its smaller difference, each as a part of how far the best and the
    worst run are apart by that measure; one that both measures find significant before all others.
    """
    pairs = np.array(list(combinations(range(len(runs)), 2)))
    left, right = pairs[:, 0], pairs[:, 1]
    value, place = (
        [np.array([values[run] for run in runs]) for values in both] for both in (means, places)
    )
    opposite = (place[0][left] - place[0][right]) * (place[1][left] - place[1][right]) < 0
    discordant = np.flatnonzero(opposite)
    if not discordant.size:
        return []
    differences = [(values[left] - values[right])[discordant] for values in value]
    striking = np.minimum(
        *(np.abs(gap) / np.ptp(values) for gap, values in zip(differences, value, strict=True))
    )
    flags_of_pairs = [None if flags is None else flags[discordant] for flags in significant]
    sure = np.all(
        [
            flags if flags is not None else np.zeros(len(discordant), bool)
            for flags in flags_of_pairs
        ],
        axis=0,
    )
    discordant_pairs = []
    for at in np.lexsort((-striking, ~sure)):
        first, second = (runs[place] for place in pairs[discordant[at]])
        gaps = float(differences[0][at]), float(differences[1][at])
        if gaps[0] < 0:
            first, second, gaps = second, first, (-gaps[0], -gaps[1])
        verdicts = [None if flags is None else bool(flags[at]) for flags in flags_of_pairs]
        discordant_pairs.append(DiscordantPair((first, second), gaps, (verdicts[0], verdicts[1])))
    return discordant_pairs
