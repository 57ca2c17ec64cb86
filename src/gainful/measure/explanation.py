"""One ranking, worked out rank by rank: every number that leads to its nDCG."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import evolve, frozen

from gainful.match.ideal import ideal_order
from gainful.measure.compute import normalise_values
from gainful.measure.explanation_page import explanation_page
from gainful.measure.functions.cumulated_gain import (
    cumulate_gain,
    gain_curves,
    ideal_depth,
    rank_discounts,
    total_gains,
)
from gainful.measure.ranked_gains import RankedRows, rank_row_gains, row_gains
from gainful.measure.recipe import Recipe
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.read import RankingMatrix


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


@frozen(eq=False, repr=False)
class Explanation(Shown):
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

    def page(self) -> Page:
        """The worked table, the formulas with numbers put in, the convention."""
        return explanation_page(self)

    def __repr__(self) -> str:
        value = "left out" if self.value is None else f"{self.value:.4f}"
        return f"<{self.recipe.label} = {value}, {len(self.lines)} ranks worked out>"


def explain_ranking(
    recipe: Recipe, grades: RankingMatrix, judged: RankingMatrix | None
) -> Explanation:
    """Every number that leads to the nDCG of one ranking, by a recipe."""
    ranked_gains = rank_row_gains(recipe, grades, None, judged)
    ideal = _ideal_order(recipe, ranked_gains.source)
    actual, best = total_gains(recipe, ranked_gains)
    value = normalise_values(recipe, actual, best)
    return Explanation(
        recipe,
        _as_tuple(ranked_gains.grades),
        None if judged is None else _as_tuple(judged),
        tuple(ideal[: int(ideal_depth(recipe, ranked_gains.lengths)[0, 0])]),
        _build_lines(recipe, _as_tuple(ranked_gains.grades), ideal, ranked_gains),
        None if np.ma.is_masked(value) else float(value[0]),
    )


def _build_lines(
    recipe: Recipe,
    grades: tuple[float, ...],
    ideal: list[tuple[float, float]],
    ranked_gains: RankedRows,
) -> tuple[Line, ...]:
    deepest = max(1, len(grades), len(ideal))
    if recipe.convention.short == "minimum" or (recipe.k is not None and recipe.k < deepest):
        deepest = recipe.k or deepest
    deep_recipe = evolve(recipe, k=deepest)
    dcg, idcg = (vector[0] for vector in gain_curves(deep_recipe, ranked_gains))
    gain, discount = ranked_gains.gain_by_rank(deepest)[0], rank_discounts(deep_recipe, deepest)
    cg = cumulate_gain(gain)
    ndcg = normalise_values(recipe, dcg, idcg)
    fill_grade = None if ranked_gains.filling is None else float(ranked_gains.filling.values[0, 0])
    return tuple(
        Line(
            rank=index + 1,
            grade=grades[index] if index < len(grades) else fill_grade,
            gain=float(gain[index]),
            discount=float(discount[index]),
            contribution=float(gain[index] * discount[index]),
            cg=float(cg[index]),
            dcg=float(dcg[index]),
            ideal_grade=ideal[index][0] if index < len(ideal) else None,
            idcg=float(idcg[index]),
            ndcg=None if np.ma.is_masked(ndcg[index]) else float(ndcg[index]),
        )
        for index in range(deepest)
    )


def _ideal_order(recipe: Recipe, source: RankingMatrix) -> list[tuple[float, float]]:
    """Grade and gain in the ideal order; it stops before negative gains unless told otherwise."""
    gains = row_gains(recipe, source, "judged")[0]
    order = ideal_order(np.zeros(len(gains), dtype=np.intp), gains, source.values[0])
    with_negative = recipe.convention.negative == "in_ideal"
    return [
        (float(source.values[0][index]), float(gains[index]))
        for index in order
        if index < source.lengths[0] and (with_negative or gains[index] >= 0)
    ]


def _as_tuple(table: RankingMatrix) -> tuple[float, ...]:
    return tuple(float(value) for value in table.values[0][: table.lengths[0]])
