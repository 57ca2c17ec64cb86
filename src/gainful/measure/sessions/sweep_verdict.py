"""For which searchers is which group better, in words?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.measure.sessions.sweep_boundary import Crossing, winners
from gainful.measure.sessions.sweep_grid import REASONABLE

Bases = Sequence[float]


def verdict(
    called: Sequence[str],
    swept: tuple[Bases, Bases],
    means: Array,
    *,
    reference: tuple[float, float],
    at_reference: int,
    crossings: Sequence[Crossing],
) -> str:
    """One sentence on who wins where.

    Args:
        called: what the groups are called in a sentence.
        swept: the b and the bq that were tried.
        means: b × bq × groups.
        reference: the b and the bq on whose lines a boundary is told.
        at_reference: which group wins there; -1 if none does.
        crossings: where the winner changes on those two lines.
    """
    (b, bq), won = swept, winners(means)
    seen, better = np.unique(won).tolist(), "better" if len(called) == 2 else "the best"
    if seen == [-1]:
        return f"No group is better than the others for any searcher {range_of(b, bq)}."
    if len(seen) == 1:
        return f"{_first(called[seen[0]])} is {better} for every searcher {range_of(b, bq)}."
    if at_reference < 0:
        return _by_count(called, won, b, bq)
    conditions, others, lines = [], [], []
    for along, line, own in (("bq", "b", reference[1]), ("b", "bq", reference[0])):
        on_line = [one for one in crossings if one.along == along]
        if not on_line:
            continue
        below = [one for one in on_line if getattr(one, along) <= own]
        above = [one for one in on_line if getattr(one, along) > own]
        ends = []
        if below:
            ends.append(f"above {getattr(below[-1], along):.3g}")
            others.append(below[-1].below)
        if above:
            ends.append(f"below {getattr(above[0], along):.3g}")
            others.append(above[0].above)
        fixed = reference[0] if line == "b" else reference[1]
        conditions.append(f"{along} {' and '.join(ends)} ({line} = {fixed:g})")
        lines.append((f"{along} {' and '.join(ends)}", f"{line} = {fixed:g}"))
    if not conditions:
        return _by_count(called, won, b, bq)
    named = " or ".join(dict.fromkeys(called[one] for one in others))
    one_way = bool((won == won[:1]).all()) or bool((won == won[:, :1]).all())
    if not one_way or len(conditions) > 1:
        told = "; ".join(f"at {where}, for {which}" for which, where in lines)
        return (
            f"It depends on the searcher: {called[at_reference]} is {better} {told}. "
            f"{_wins(called, won)}"
        )
    return (
        f"{_first(called[at_reference])} is {better} only for searchers with "
        f"{' and '.join(conditions)}; beyond that, {named} is."
    )


def _wins(called: Sequence[str], won: Ranks) -> str:
    """Who wins in how many settings."""
    numbers = {one: int((won == one).sum()) for one in np.unique(won).tolist()}
    most = sorted(numbers.items(), key=lambda item: -item[1])
    told = [f"{'nobody' if one < 0 else called[one]} wins {number}" for one, number in most]
    return f"Of {won.size} settings {', '.join(told)}."


def _by_count(called: Sequence[str], won: Ranks, b: Bases, bq: Bases) -> str:
    """Who wins how often, where no line tells it better."""
    numbers = {one: int((won == one).sum()) for one in np.unique(won).tolist()}
    told = []
    for one, number in sorted(numbers.items(), key=lambda item: -item[1]):
        at = np.argwhere(won == one)[0]
        such = f"such as b = {b[at[0]]:.3g}, bq = {bq[at[1]]:.3g}"
        who = "nobody" if one < 0 else called[one]
        told.append(f"{who} in {number} of {won.size} settings ({such})")
    return f"It depends on the searcher who is better: {'; '.join(told)}."


def range_of(b: Bases, bq: Bases) -> str:
    """The range that was swept, in words."""
    whole = all((one[0], one[-1]) == REASONABLE for one in (b, bq))
    if whole:
        return "in the reasonable range (b and bq from 1.5 to 10)"
    return f"with {_values('b', b)} and {_values('bq', bq)}"


def _values(name: str, values: Bases) -> str:
    if len(values) == 1:
        return f"{name} = {values[0]:g}"
    return f"{name} from {min(values):g} to {max(values):g}"


def _first(words: str) -> str:
    """At the beginning of a sentence; names such as bm25 stay as they are."""
    head, _, rest = words.partition(" ")
    return f"{head.capitalize()} {rest}" if rest and head.islower() else words
