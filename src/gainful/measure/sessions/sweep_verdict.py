"""For which searchers is which group better, in words?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.measure.sessions.sweep_boundary import Crossing, find_winners
from gainful.measure.sessions.sweep_grid import REASONABLE_RANGE
from gainful.text import capitalise_first
from gainful.types import Array, Ranks

Bases = Sequence[float]


def describe_winners(
    group_labels: Sequence[str],
    bases: tuple[Bases, Bases],
    means: Array,
    *,
    reference: tuple[float, float],
    at_reference: int,
    crossings: Sequence[Crossing],
) -> str:
    """One sentence on who wins where.

    Args:
        group_labels: what the groups are called in a sentence.
        bases: the b and the bq that were tried.
        means: b × bq × groups.
        reference: the b and the bq on whose lines a boundary is told.
        at_reference: which group wins there; -1 if none does.
        crossings: where the winner changes on those two lines.
    """
    (b, bq), winner_grid = bases, find_winners(means)
    winner_numbers, better = (
        np.unique(winner_grid).tolist(),
        "better" if len(group_labels) == 2 else "the best",
    )
    if winner_numbers == [-1]:
        return f"No group is better than the others for any searcher {describe_range(b, bq)}."
    if len(winner_numbers) == 1:
        winner = capitalise_first(group_labels[winner_numbers[0]])
        return f"{winner} is {better} for every searcher {describe_range(b, bq)}."
    if at_reference < 0:
        return _describe_win_counts(group_labels, winner_grid, b, bq)
    conditions, others, lines = [], [], []
    for along, line, reference_base in (("bq", "b", reference[1]), ("b", "bq", reference[0])):
        on_line = [crossing for crossing in crossings if crossing.along == along]
        if not on_line:
            continue
        below = [crossing for crossing in on_line if getattr(crossing, along) <= reference_base]
        above = [crossing for crossing in on_line if getattr(crossing, along) > reference_base]
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
        return _describe_win_counts(group_labels, winner_grid, b, bq)
    other_labels = " or ".join(dict.fromkeys(group_labels[crossing] for crossing in others))
    one_way = bool((winner_grid == winner_grid[:1]).all()) or bool(
        (winner_grid == winner_grid[:, :1]).all()
    )
    if not one_way or len(conditions) > 1:
        conditions_text = "; ".join(f"at {where}, for {which}" for which, where in lines)
        return (
            f"It depends on the searcher: {group_labels[at_reference]} is {better} "
            f"{conditions_text}. "
            f"{_describe_wins(group_labels, winner_grid)}"
        )
    return (
        f"{capitalise_first(group_labels[at_reference])} is {better} only for searchers with "
        f"{' and '.join(conditions)}; beyond that, {other_labels} is."
    )


def _describe_wins(group_labels: Sequence[str], winner_grid: Ranks) -> str:
    """Who wins in how many settings."""
    numbers = {
        group: int((winner_grid == group).sum()) for group in np.unique(winner_grid).tolist()
    }
    by_wins = sorted(numbers.items(), key=lambda item: -item[1])
    parts = [
        f"{'nobody' if group < 0 else group_labels[group]} wins {number}"
        for group, number in by_wins
    ]
    return f"Of {winner_grid.size} settings {', '.join(parts)}."


def _describe_win_counts(
    group_labels: Sequence[str], winner_grid: Ranks, b: Bases, bq: Bases
) -> str:
    """Who wins how often, where no line tells it better."""
    numbers = {
        group: int((winner_grid == group).sum()) for group in np.unique(winner_grid).tolist()
    }
    parts = []
    for group, number in sorted(numbers.items(), key=lambda item: -item[1]):
        at = np.argwhere(winner_grid == group)[0]
        example = f"such as b = {b[at[0]]:.3g}, bq = {bq[at[1]]:.3g}"
        who = "nobody" if group < 0 else group_labels[group]
        parts.append(f"{who} in {number} of {winner_grid.size} settings ({example})")
    return f"It depends on the searcher who is better: {'; '.join(parts)}."


def describe_range(b: Bases, bq: Bases) -> str:
    """The range that was swept, in words."""
    whole = all((bases[0], bases[-1]) == REASONABLE_RANGE for bases in (b, bq))
    if whole:
        return "in the reasonable range (b and bq from 1.5 to 10)"
    return f"with {_describe_bases('b', b)} and {_describe_bases('bq', bq)}"


def _describe_bases(name: str, values: Bases) -> str:
    if len(values) == 1:
        return f"{name} = {values[0]:g}"
    return f"{name} from {min(values):g} to {max(values):g}"
