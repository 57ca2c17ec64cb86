"""Which queries are shown where not all can be: those that changed most, then a sample."""

from __future__ import annotations

import numpy as np

from gainful.types import Array


def sample_queries(changes: Array, limit: int, seed: int) -> list[int]:
    """The numbers of at most so many queries, the most telling first.

    Half of them changed most; the others are drawn by chance, so that the page also has what is
    usual. Where all can be shown, all are, those that changed most first.

    Args:
        changes: how much each query changed, whichever way; not a number where that is not known.
        limit: how many to choose.
        seed: where chance begins.

    Examples:
        >>> sample_queries(np.array([0.1, 0.9, 0.0, -0.5]), 2, seed=1)[0]
        1
    """
    magnitude = np.nan_to_num(np.abs(changes), nan=-1.0)
    by_magnitude = np.argsort(-magnitude, kind="stable")
    if len(changes) <= limit:
        return by_magnitude.tolist()  # type: ignore[no-any-return]
    most_changed = by_magnitude[: (limit + 1) // 2]
    rest = np.sort(by_magnitude[len(most_changed) :])
    sampled = np.random.default_rng(seed).choice(rest, limit - len(most_changed), replace=False)
    return [*most_changed.tolist(), *np.sort(sampled).tolist()]
