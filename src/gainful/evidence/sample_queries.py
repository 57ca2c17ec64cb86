"""Which queries are shown where not all can be: those that changed most, then a sample."""

from __future__ import annotations

import numpy as np

from gainful.formula import Array


def chosen(change: Array, most: int, seed: int) -> list[int]:
    """The numbers of at most so many queries, the most telling first.

    Half of them changed most; the others are drawn by chance, so that the page also has what is
    usual. Where all can be shown, all are, those that changed most first.

    Args:
        change: how much each query changed, whichever way; not a number where that is not known.
        most: how many to choose.
        seed: where chance begins.

    Examples:
        >>> chosen(np.array([0.1, 0.9, 0.0, -0.5]), 2, seed=1)[0]
        1
    """
    size = np.nan_to_num(np.abs(change), nan=-1.0)
    by_size = np.argsort(-size, kind="stable")
    if len(change) <= most:
        return by_size.tolist()  # type: ignore[no-any-return]
    telling = by_size[: (most + 1) // 2]
    rest = np.sort(by_size[len(telling) :])
    drawn = np.random.default_rng(seed).choice(rest, most - len(telling), replace=False)
    return [*telling.tolist(), *np.sort(drawn).tolist()]
