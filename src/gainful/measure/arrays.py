"""Cumulated gain of plain numbers: one call for a ranking, a batch, or ragged lists.

All functions take grades in rank order (or with `scores=` to rank them by), the last axis being
the rank. `judged=` is the recall base: every graded document of the query, retrieved or not,
of which the ideal is made; without it the ideal comes from the list itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from gainful.convention import Convention
from gainful.errors import BadShape, BadValue, NothingToAverage
from gainful.measure.catalogue import MEASURES
from gainful.measure.cumulated_gain import Ranked, computed, curve, outcome, ranked, total
from gainful.measure.language import parse
from gainful.measure.measure import CG, DCG, IDCG, Measure, nCG, nDCG
from gainful.measure.rank_arrays import seen_rows
from gainful.measure.ranked_run import Seen
from gainful.measure.recipe import Options, Recipe, recipe
from gainful.read import Numbers, Rows, rows

Values = float | NDArray[np.float64]
Vectors = NDArray[np.float64] | list[NDArray[np.float64]]
Like = str | Convention | None


def cg(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Values:
    """How much do the first k documents gain together, whatever their order?

    Examples:
        >>> cg([3, 2, 3, 0, 1, 2])
        11.0
    """
    return _value(_prepared(CG @ k, grades, options, judged, scores, like))


def ncg(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Values:
    """What share of the gain that was possible have the first k documents?

    Examples:
        >>> ncg([3, 2, 3, 0, 1, 2], k=2)
        0.8333333333333334
    """
    return _value(_prepared(nCG @ k, grades, options, judged, scores, like))


def dcg(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Values:
    """How much does a searcher gain who looks less and less closely further down?

    Examples:
        >>> round(dcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 4)
        8.0972
    """
    return _value(_prepared(DCG @ k, grades, options, judged, scores, like))


def idcg(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Values:
    """How much would a searcher gain from the best ranking that was possible?

    Examples:
        >>> round(idcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 4)
        8.6925
    """
    return _value(_prepared(IDCG @ k, grades, options, judged, scores, like))


def ndcg(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Values:
    """How near is the ranking to the best one that was possible?

    Args:
        grades: the grades in rank order; the last axis is the rank. A list, lists of any
            lengths, or an array.
        judged: every graded document of the query, those of the ranking included, of which
            the ideal is made; one list for all rankings or one for each. Without it the ideal
            comes from the ranking itself.
        scores: rank by these instead, one for each grade; equal ones need `ties=`.
        k: look at the first k documents only.
        like: the tool or source whose habits to follow, by name or as a `Convention`.
        options: gain, discount, their parameters, and single habits, such as `ties="average"`.

    Returns:
        A number for one ranking, an array for a batch; masked where `empty="skip"` leaves a
        ranking out.

    Examples:
        >>> round(ndcg([3, 2, 3, 0, 1, 2]), 4)
        0.9608
        >>> round(ndcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 3)
        0.932
        >>> ndcg([[3, 2, 0], [0, 2, 3]], k=2).round(4).tolist()
        [1.0, 0.2961]
    """
    return _value(_prepared(nDCG @ k, grades, options, judged, scores, like))


def compute(
    measure: str | Measure,
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Values:
    """What does a measure of the measure language say of these rankings?

    Examples:
        >>> round(compute("nDCG(discount=jk2002, b=2)@6", [3, 2, 3, 0, 1, 2]), 4)
        0.9315
        >>> compute("AP", [[1, 0, 1], [0, 1, 0]]).round(4).tolist()
        [0.8333, 0.5]
    """
    asked = _cut(measure, k)
    return _value(_prepared(asked, grades, options, judged, scores, like))


def cg_curve(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Vectors:
    """The CG at every rank.

    Examples:
        >>> cg_curve([3, 2, 3, 0]).tolist()
        [3.0, 5.0, 8.0, 8.0]
    """
    return _vector(_prepared(CG @ k, grades, options, judged, scores, like))


def ncg_curve(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Vectors:
    """The nCG at every rank.

    Examples:
        >>> ncg_curve([3, 2, 3, 0]).round(4).tolist()
        [1.0, 0.8333, 1.0, 1.0]
    """
    return _vector(_prepared(nCG @ k, grades, options, judged, scores, like))


def dcg_curve(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Vectors:
    """The DCG at every rank.

    Examples:
        >>> dcg_curve([3, 2, 3, 0], discount="jk2008", b=4).round(4).tolist()
        [3.0, 4.3333, 6.007, 6.007]
    """
    return _vector(_prepared(DCG @ k, grades, options, judged, scores, like))


def idcg_curve(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Vectors:
    """The IDCG at every rank.

    Examples:
        >>> idcg_curve([0, 1, 3], judged=[3, 3, 1, 0]).round(4).tolist()
        [3.0, 4.8928, 5.3928]
    """
    return _vector(_prepared(IDCG @ k, grades, options, judged, scores, like))


def ndcg_curve(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Vectors:
    """The nDCG at every rank.

    Examples:
        >>> ndcg_curve([2, 0, 3]).round(4).tolist()
        [0.6667, 0.4693, 0.8212]
    """
    return _vector(_prepared(nDCG @ k, grades, options, judged, scores, like))


def compute_curve(
    measure: str | Measure,
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    scores: Numbers | None = None,
    k: int | None = None,
    like: Like = None,
    **options: Unpack[Options],
) -> Vectors:
    """What does a measure of the measure language say at every rank?

    Examples:
        >>> compute_curve("CG(gain=exp)", [3, 2, 3, 0]).tolist()
        [7.0, 10.0, 17.0, 17.0]
    """
    asked = _cut(measure, k)
    return _vector(_prepared(asked, grades, options, judged, scores, like))


def _cut(measure: str | Measure, k: int | None) -> Measure:
    """The measure, cut at k unless it says itself where."""
    asked = parse(measure)
    return asked if asked.k is not None else asked @ k


Prepared = tuple[Recipe, Rows, Ranked | Seen]


def _value(prepared: Prepared) -> Values:
    how, table, seen = prepared
    found = outcome(how, *total(how, seen)) if isinstance(seen, Ranked) else computed(how, seen)
    if table.shape:
        return found.reshape(table.shape)
    if np.ma.is_masked(found):
        raise NothingToAverage("the ideal is zero, and the convention (empty=skip) leaves it out")
    return float(found[0])


def _vector(prepared: Prepared) -> Vectors:
    how, table, seen = prepared
    if not isinstance(seen, Ranked):
        known = ", ".join(name for name, entry in MEASURES.items() if entry.cumulated)
        raise BadValue("measure", how.measure.name, f"one that has a vector: {known}")
    found = outcome(how, *curve(how, seen))
    if table.ragged and how.k is None:
        return [found[row, :length] for row, length in enumerate(table.lengths)]
    return found.reshape(*table.shape, found.shape[1])


def _prepared(  # noqa: PLR0917  (the six things that every call is made of, in one order)
    measure: Measure,
    grades: Numbers,
    options: Mapping[str, Any],
    judged: Numbers | None,
    scores: Numbers | None,
    like: Like,
) -> Prepared:
    how = recipe(measure, options=options, like_whom=like, judged=judged is not None)
    table = rows(grades, "grades")
    pool = None if judged is None else rows(judged, "judged")
    if pool is not None and pool.shape not in ((), table.shape):
        batch = " × ".join(map(str, table.shape)) or "1"
        given = " × ".join(map(str, pool.shape))
        allowed = f"one list, or one for each of {batch} rankings"
        raise BadShape("judged", f"{given} lists", allowed)
    order = None if scores is None else rows(scores, "scores")
    if order is not None and not (
        order.shape == table.shape and np.array_equal(order.lengths, table.lengths)
    ):
        allowed = f"as many as grades: {_size(table)}"
        raise BadShape("scores", _size(order), allowed)
    if not measure.entry.cumulated:
        return how, table, seen_rows(how.convention, table, order, pool)
    return how, table, ranked(how, table, order, pool)


def _size(table: Rows) -> str:
    if table.ragged:
        return f"lists of {', '.join(map(str, table.lengths[:9]))} documents"
    return " × ".join(map(str, (*table.shape, table.values.shape[1])))
