"""Intervals of `gainful judges`: do they hold kappa, alpha and bias of all queries?"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
from tools.error_rates.cell import ALPHA, Cell, Rates, draw_seed, list_products

from gainful.evidence.judges import JudgeAgreement, compare_grades
from gainful.evidence.statistics.outcome import Resampling

_SIZES = (50, 200)
_DOCUMENTS, _RESAMPLES, _ALL_QUERIES = 12, 699, 40_000
_GRADES = (0.45, 0.25, 0.18, 0.12)  # how often each is right


def list_cells() -> list[Cell]:
    """A cell for each number of queries."""
    return list_products("judges", simulate_judges, {"queries": _SIZES})


def simulate_judges(size: int, trials: int, random: np.random.Generator) -> Rates:
    """How often each interval holds the value of very many queries."""
    truth, held = _true_values(), []
    for _ in range(trials):
        seed = draw_seed(random)
        result = _compare(size, random, Resampling(resamples=_RESAMPLES, seed=seed, alpha=ALPHA))
        held.append(
            [
                low <= value <= high
                for (_, low, high), value in zip(_list(result), truth, strict=True)
            ]
        )
    return dict(zip(("kappa", "bias", "alpha"), np.mean(held, axis=0).tolist(), strict=True))


@cache
def _true_values() -> tuple[float, ...]:
    """Those of so many queries that chance no longer matters."""
    result = _compare(_ALL_QUERIES, np.random.default_rng(2008), Resampling(resamples=99))
    return tuple(value for value, _, _ in _list(result))


def _list(result: JudgeAgreement) -> list[tuple[float, float, float]]:
    pair = result.pairs[0]
    estimates = (pair.kappa, pair.bias, result.alpha)
    return [(item.value or 0.0, item.low or 0.0, item.high or 0.0) for item in estimates]


def _compare(size: int, random: np.random.Generator, resampling: Resampling) -> JudgeAgreement:
    """Two judges, the second generous; queries differ in how hard they are to judge."""
    shape = size, _DOCUMENTS
    hardness = 0.6 * random.beta(2, 2, size)[:, None]
    right = random.choice(len(_GRADES), p=_GRADES, size=shape)

    def judge(generous: int) -> pl.DataFrame:
        steps = random.integers(-1, 2, shape) + generous * (random.random(shape) < 0.3)
        given = np.clip(right + np.where(random.random(shape) < hardness, steps, 0), 0, 3)
        query, doc = (place.ravel().astype(str) for place in np.indices(shape))
        return pl.DataFrame({"query": query, "doc": doc, "grade": given.ravel().astype(float)})

    return compare_grades({"a": judge(0), "b": judge(1)}, "linear", "ordinal", resampling)
