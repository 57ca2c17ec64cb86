"""cwl_eval's numbers: what a searcher is expected to gain, to spend and to look at (C/W/L)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gainful.convention.tools import CWL_MEASURES
from gainful.match.matched import Matched
from gainful.measure.entry import Recipe
from gainful.measure.functions.user_models import (
    CONTINUATIONS,
    chance_to_reach,
    gain_batches,
    rank_row,
    scale_gains,
)
from gainful.measure.ranked_run import rank_run
from gainful.types import Array


def _continue_ap(gain: Array, **_: Any) -> Array:
    left = np.cumsum((gain / rank_row(gain))[:, ::-1], axis=1)[:, ::-1]
    after = np.append(left[:, 1:], np.zeros((len(gain), 1)), axis=1)
    return np.asarray(np.divide(after, left, out=np.zeros_like(gain), where=left > 0))


_CONTINUATIONS: Mapping[str, Callable[..., Array]] = {
    **{name: rule for name, rule in CONTINUATIONS.items() if name != "IFT"},
    "P": lambda gain, k: rank_row(gain) < k,
    "RR": lambda gain, **_: np.cumsum(gain, axis=1) == 0,
    "AP": _continue_ap,
    "RBP": lambda gain, p, **_: np.full(gain.shape, p),
    "scaledDCG": lambda gain, k: (
        (rank_row(gain) < k) * np.log2(rank_row(gain) + 1) / np.log2(rank_row(gain) + 2)
    ),
}


ALL_CWL_MEASURES = (*CWL_MEASURES, "P@", "RR", "AP")


def expect(recipe: Recipe, matched: Matched) -> list[tuple[float, ...] | float]:
    """Utility, total utility, cost, total cost and items of each query; a document costs 1.

    Of a query that the run lacks only that its value is 0.
    """
    arguments = recipe.function_arguments()
    ranked = rank_run(matched, recipe.convention)
    taken = {key: value for key, value in arguments.items() if key in ("T", "p", "k")}
    rel = arguments.get("rel")
    gains = scale_gains(ranked, arguments["max_grade"]) if rel is None else ranked.grade >= rel
    rows: list[list[float]] = []
    for _, gain in gain_batches(ranked, gains * 1.0):
        continuation = _CONTINUATIONS[recipe.entry.name](gain, **taken)
        reach = chance_to_reach(gain, continuation)
        items = reach.sum(axis=1)
        weight, ends = reach / items[:, None], reach * (1 - continuation * 1.0)
        sums = (weight * gain, ends * np.cumsum(gain, axis=1), weight, ends * rank_row(gain))
        rows += np.stack([*(terms.sum(axis=1) for terms in sums), items], axis=1).tolist()
    return [tuple(row) if there else 0.0 for row, there in zip(rows, matched.in_run, strict=True)]
