"""Are any of several systems different, by values that are there already?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadValue, WrongType
from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.outcome import UnitSums
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.types import Array, Ranks

_ALLOWED = "{system: values}: at least two systems, with as many finite numbers each, at least two"


def max_t_test(
    values: Mapping[str, Any],
    clusters: Sequence[Any] | None = None,
    *,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pl.DataFrame:
    """All pairs of systems by the sign-flip randomisation test, corrected by step-down max-T.

    Args:
        values: of each system by query, all in the same order of queries.
        clusters: what each query belongs to, where they are not independent; whole clusters are
            flipped.
        alpha: one minus the confidence of the intervals, which hold all at once.
        resamples: how many, of more than 16 queries or clusters; of fewer all ways to flip.
        seed: which chance; the same seed gives the same numbers.

    Returns:
        A row for each pair: the mean difference, its simultaneous interval (null where so few give
        none), p by itself and corrected.

    Examples:
        >>> values = {"a": [1, 2, 3, 4, 5, 6], "b": [2, 4, 5, 5, 7, 9], "c": [2, 1, 4, 4, 6, 5]}
        >>> max_t_test(values).select("system", "other", "p", "p_corrected").rows()
        [('b', 'a', 0.03125, 0.03125), ('c', 'a', 1.0, 1.0), ('c', 'b', 0.0625, 0.125)]
    """
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    names, columns = _check_values(values)
    pairs = np.array([(second, first) for first, second in combinations(range(len(names)), 2)])
    units = UnitSums.from_values(columns, _number_clusters(clusters, len(columns)))
    outcome = flip_families([units], pairs, resampling)
    differences = columns[:, pairs[:, 0]] - columns[:, pairs[:, 1]]
    frame = pl.DataFrame(
        {
            "system": [names[at] for at in pairs[:, 0]],
            "other": [names[at] for at in pairs[:, 1]],
            "difference": differences.mean(axis=0),
            "low": outcome.low[0],
            "high": outcome.high[0],
            "p": outcome.p[0],
            "p_corrected": outcome.p_corrected[0],
        }
    )
    ends = (
        pl.when(pl.col(end).is_finite()).then(pl.col(end)).alias(end) for end in ("low", "high")
    )
    return frame.with_columns(*ends)


def _check_values(values: Mapping[str, Any]) -> tuple[list[str], Array]:
    if not isinstance(values, Mapping):
        raise WrongType("values", values, _ALLOWED)
    try:
        columns = np.array([np.asarray(column, np.float64) for column in values.values()]).T
    except (TypeError, ValueError):
        raise BadValue("values", dict(values), _ALLOWED) from None
    if columns.ndim != 2 or min(columns.shape) < 2 or not np.isfinite(columns).all():
        raise BadValue("values", dict(values), _ALLOWED)
    return list(map(str, values)), columns


def _number_clusters(clusters: Sequence[Any] | None, queries: int) -> Ranks | None:
    if clusters is None:
        return None
    labels = [str(label) for label in clusters]
    if len(labels) != queries or len({*labels}) < 2:
        raise BadValue("clusters", labels, f"{queries} of them, of at least 2 clusters")
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)
