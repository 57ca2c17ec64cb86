"""One ranking, worked out rank by rank: every number that leads to its nDCG."""

from __future__ import annotations

from typing import Any, Unpack

import attrs
import numpy as np
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.measure.cumulated_gain import (
    RankedRows,
    cumulated_gain,
    curve,
    gains,
    ideal_depth,
    ranked,
    share,
    total,
    weights,
)
from gainful.measure.measure import nDCG
from gainful.measure.recipe import Options, Recipe, recipe
from gainful.read import Numbers, Rows, single


@frozen
class Line:
    """One rank of the worked table; None where there is no document."""

    rank: int
    grade: float | None
    gain: float
    discount: float
    contribution: float
    cg: float
    dcg: float
    ideal_grade: float | None
    idcg: float
    ndcg: float | None


@frozen(eq=False)
class Worked:
    """The worked table of one ranking; `value` is its nDCG, None where it is left out."""

    recipe: Recipe
    grades: tuple[float, ...]
    judged: tuple[float, ...] | None
    ideal: tuple[tuple[float, float], ...]  # grade and gain of what the IDCG is made of
    lines: tuple[Line, ...]
    value: float | None

    def to_dict(self) -> dict[str, Any]:
        """Rows, value and convention at full precision."""
        return {
            "rows": [attrs.asdict(line) for line in self.lines],
            "value": self.value,
            "convention": {"like": self.recipe.convention.name}
            | self.recipe.convention.settings()
            | {"cutoff": self.recipe.k},
        }

    def __repr__(self) -> str:
        value = "left out" if self.value is None else f"{self.value:.4f}"
        return f"<{self.recipe.measure} = {value}, {len(self.lines)} ranks worked out>"


def explain(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    k: int | None = None,
    like: str | Convention | None = None,
    **options: Unpack[Options],
) -> Worked:
    """How does this ranking come by its nDCG?

    Examples:
        >>> table = explain([3, 2, 3, 0, 1, 2], like="wikipedia")
        >>> [round(line.dcg, 2) for line in table.lines]
        [3.0, 5.0, 6.89, 6.89, 7.32, 8.1]
        >>> round(table.value, 3)
        0.932
    """
    how = recipe(nDCG @ k, options=options, like_whom=like, judged=judged is not None)
    table = single(grades, "grades")
    pool = None if judged is None else single(judged, "judged")
    seen = ranked(how, table, None, pool)
    ideal = _ideal(how, seen.source)
    actual, best = total(how, seen)
    value = share(how, actual, best)
    return Worked(
        how,
        _tuple(seen.grades),
        None if pool is None else _tuple(pool),
        tuple(ideal[: int(ideal_depth(how, seen.lengths)[0, 0])]),
        _lines(how, _tuple(seen.grades), ideal, seen),
        None if np.ma.is_masked(value) else float(value[0]),
    )


def _lines(
    recipe: Recipe, given: tuple[float, ...], best: list[tuple[float, float]], seen: RankedRows
) -> tuple[Line, ...]:
    deepest = max(1, len(given), len(best))
    if recipe.convention.short == "minimum" or (recipe.k is not None and recipe.k < deepest):
        deepest = recipe.k or deepest
    cut = evolve(recipe, k=deepest)
    dcg, idcg = (vector[0] for vector in curve(cut, seen))
    gain, discount = seen.gain_by_rank(deepest)[0], weights(cut, deepest)
    cg = cumulated_gain(gain)
    ndcg = share(recipe, dcg, idcg)
    filled = None if seen.filling is None else float(seen.filling.values[0, 0])
    return tuple(
        Line(
            rank=at + 1,
            grade=given[at] if at < len(given) else filled,
            gain=float(gain[at]),
            discount=float(discount[at]),
            contribution=float(gain[at] * discount[at]),
            cg=float(cg[at]),
            dcg=float(dcg[at]),
            ideal_grade=best[at][0] if at < len(best) else None,
            idcg=float(idcg[at]),
            ndcg=None if np.ma.is_masked(ndcg[at]) else float(ndcg[at]),
        )
        for at in range(deepest)
    )


def _ideal(recipe: Recipe, source: Rows) -> list[tuple[float, float]]:
    """Grade and gain in the ideal order; it stops before negative gains unless told otherwise."""
    worth = gains(recipe, source, "judged")[0]
    order = np.lexsort((-source.values[0], -worth))
    with_negative = recipe.convention.negative == "in_ideal"
    return [
        (float(source.values[0][at]), float(worth[at]))
        for at in order
        if at < source.lengths[0] and (with_negative or worth[at] >= 0)
    ]


def _tuple(table: Rows) -> tuple[float, ...]:
    return tuple(float(value) for value in table.values[0][: table.lengths[0]])
