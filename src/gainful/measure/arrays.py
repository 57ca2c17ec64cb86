"""Measures of plain numbers: one call for a ranking, a batch, or ragged lists.

All functions take grades in rank order (or with scores to rank them by), the last axis being
the rank; flat arrays are cut into rankings by `group=` or `qid=`, padded ones by `mask=`. `judged=`
is the recall base: every graded document of the query, retrieved or not, of which the ideal is
made; without it the ideal comes from the list itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial, wraps
from inspect import Parameter, signature
from typing import Any, Protocol, TypeVar, Unpack, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gainful.convention import Convention
from gainful.errors import (
    BadShape,
    BadValue,
    GainfulError,
    NothingToAverage,
    UnknownName,
    WrongType,
)
from gainful.match.rank_order import invert_order
from gainful.measure.build_recipes import Options, build_recipe
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Recipe
from gainful.measure.language import parse
from gainful.measure.measure import AP, CG, DCG, IDCG, RR, Measure, P, R, nCG, nDCG
from gainful.measure.rank_matrix import Batch, rank_row_gains, rank_rows, rank_scored_rows
from gainful.measure.ranked_run import RankedGains, compute_measure, compute_vectors
from gainful.measure.tensors import compute_tensor, is_tensor, return_tensor
from gainful.read.ranking_matrix import (
    Numbers,
    RankingMatrix,
    drop_masked,
    read_groups,
    read_ranking,
    read_rankings,
)
from gainful.types import Array, Ranks, is_number

Values = float | NDArray[np.float64]
Vectors = NDArray[np.float64] | list[NDArray[np.float64]]
Like = str | Convention | None
_CACHED_CELLS = 1 << 18  # documents of which grades, scores and ranks stay in the cache
_Function = TypeVar("_Function", bound=Callable[..., object])


class RankingOptions(Options, total=False):
    """What every function here takes by name, besides gain, discount and single settings."""

    judged: Numbers | None  # every graded document of the query, of which the ideal is made
    mask: ArrayLike | None  # True where an array has a document, False where it is padded
    k: int | None  # only the first k documents count
    like: Like  # the tool or source whose settings to follow


class ArrayOptions(RankingOptions, total=False):
    """What makes several rankings of a flat array, besides."""

    group: Numbers | None  # the sizes of the groups
    qid: ArrayLike | None  # or the group of each entry


_IN_CALLS = ("judged", "group", "qid", "mask", "k", "like")  # beside formulas and settings


def _prepare(
    measure: Measure, grades: Numbers, scores: Numbers | None, options: ArrayOptions
) -> tuple[Recipe, Batch]:
    """The recipe, and the rankings as they were given; cut at k unless told otherwise."""
    recipe = _build_recipe(measure, options)
    read = _choose_reader(grades, options)
    table, judged = read(grades, "grades"), options.get("judged")
    pool = None if judged is None else read_rankings(judged, "judged")
    if pool is not None and pool.shape not in ((), table.shape):
        table_shape = " × ".join(map(str, table.shape)) or "1"
        pool_shape = " × ".join(map(str, pool.shape))
        allowed = f"one list, or one for each of {table_shape} rankings"
        raise BadShape("judged", f"{pool_shape} lists", allowed)
    if is_number(scores):
        raise WrongType("scores", scores, f"one for each grade; a cutoff is k={scores}")
    score_rows = None if scores is None else read(scores, "scores")
    if score_rows is not None and not (
        score_rows.shape == table.shape and np.array_equal(score_rows.lengths, table.lengths)
    ):
        allowed = f"as many as grades: {_describe_size(table)}"
        raise BadShape("scores", _describe_size(score_rows), allowed)
    return recipe, Batch(table, score_rows, pool)


def _make_recipe(measure: Measure, like: Like, judged: bool, **settings: object) -> Recipe:
    return build_recipe(measure, options=settings, like=like, judged=judged)


_keep_recipe = lru_cache(maxsize=256, typed=True)(_make_recipe)  # a GPU is done in less time


def _build_recipe(
    measure: Measure, options: ArrayOptions, make: Callable[..., Recipe] = _make_recipe
) -> Recipe:
    measure = measure if measure.k is not None else measure @ options.get("k")
    settings = {name: value for name, value in options.items() if name not in _IN_CALLS}
    has_judged = options.get("judged") is not None
    try:
        return make(measure, options.get("like"), has_judged, **settings)
    except TypeError:  # a gain may be a dict
        return _make_recipe(measure, options.get("like"), has_judged, **settings)


def _choose_reader(
    grades: Numbers, options: ArrayOptions
) -> Callable[[Numbers, str], RankingMatrix]:
    group, qid, mask = options.get("group"), options.get("qid"), options.get("mask")
    if group is None and qid is None:
        return read_rankings if mask is None else partial(drop_masked, mask)
    if mask is not None:
        raise BadValue("mask", mask, "nothing beside group= or qid=: leave those rows out")
    flat = read_ranking(grades, "grades")
    return read_groups(group, qid, len(flat.flat)).split


def _show_options(function: _Function) -> _Function:
    """Let `help` and notebooks show by name what calls take by name.

    Grades by another tool's name for them, such as y_true, are answered with the name they have.
    """
    own = signature(function)
    *positional, options = own.parameters.values()
    kinds = {**RankingOptions.__annotations__, **ArrayOptions.__annotations__}
    named = [
        Parameter(
            name, Parameter.KEYWORD_ONLY, default=None, annotation=kinds[name].__forward_arg__
        )
        for name in _IN_CALLS
    ]
    others = options.replace(annotation="Unpack[Options]")
    parameters = {value.name: value for value in (*positional, *named, others)}
    required = [value.name for value in positional if value.default is Parameter.empty]

    @wraps(function)
    def call(*arguments: object, **named: object) -> object:
        if len(arguments) < len(required) and not named.keys() >= {*required[len(arguments) :]}:
            for name in named:
                if name not in parameters:
                    raise UnknownName(f"option of {function.__name__}", name, parameters)
        return function(*arguments, **named)

    vars(call)["__signature__"] = own.replace(parameters=list(parameters.values()))
    return call  # type: ignore[return-value]  # it takes and returns just the same


class ValueFunction(Protocol):
    """A function of grades: a number for one list, an array of them for a batch."""

    @overload
    def __call__(
        self,
        grades: Sequence[float],
        scores: Numbers | None = None,
        **options: Unpack[RankingOptions],
    ) -> float: ...

    @overload
    def __call__(
        self, grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
    ) -> Values: ...


def _value_function(function: Callable[..., Values]) -> ValueFunction:
    return cast("ValueFunction", _show_options(function))


@_value_function
def cg(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """What is the total gain of the first k documents, in any order?

    Examples:
        >>> cg([3, 2, 3, 0, 1, 2])
        11.0
    """
    return _compute_value(CG, grades, scores, options)


@_value_function
def ncg(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """What share of the possible gain do the first k documents have?

    Examples:
        >>> ncg([3, 2, 3, 0, 1, 2], k=2)
        0.8333333333333334
    """
    return _compute_value(nCG, grades, scores, options)


@_value_function
def dcg(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """How much does a searcher gain if attention falls with the rank?

    Examples:
        >>> round(dcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 4)
        8.0972
    """
    return _compute_value(DCG, grades, scores, options)


@_value_function
def idcg(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """How much would a searcher gain from the best possible ranking?

    Examples:
        >>> round(idcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 4)
        8.6925
    """
    return _compute_value(IDCG, grades, scores, options)


@_value_function
def ndcg(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """How close is the ranking to the best possible one?

    Args:
        grades: the grades in rank order; the last axis is the rank. A list, lists of any
            lengths, an array, a tensor, or text such as "3 2 3".
        scores: scores to rank by, one for each grade; equal scores need `ties=`.
        judged: all graded documents of the query, including those of the ranking: the ideal. One
            list for all rankings, or one for each. Without it the ideal comes from the ranking
            itself.
        group: the sizes of the groups of flat arrays, as LightGBM and XGBoost have them.
        qid: or the group of each entry, as XGBoost and CatBoost have it.
        mask: True where an array has a document, False where it is padded.
        k: only the first k documents count.
        like: the tool or source whose settings to follow, by name or as a `Convention`.
        **options: gain, discount, their parameters, and single settings, such as `ties="average"`.

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
        >>> ndcg([0, 1, 1, 0], [0.2, 0.9, 0.3, 0.8], group=[2, 2]).round(4).tolist()
        [1.0, 0.6309]
    """
    return _compute_value(nDCG, grades, scores, options)


@_value_function
def precision(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Values:
    """What share of the first k documents is relevant? A cutoff is needed.

    Examples:
        >>> precision([1, 0, 1, 1], k=2)
        0.5
        >>> precision([3, 1, 0], [0.2, 0.9, 0.5], k=2, rel=2)
        0.0
    """
    return _compute_value(P, grades, scores, options)


@_value_function
def recall(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Values:
    """What share of the relevant documents is among the first k?

    Examples:
        >>> recall([1, 0, 1, 1], k=2, judged=[1, 1, 1, 1, 0])
        0.25
    """
    return _compute_value(R, grades, scores, options)


@_value_function
def reciprocal_rank(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Values:
    """How far down is the first relevant document: 1 over its rank, 0 without one.

    Examples:
        >>> reciprocal_rank([[0, 1, 1], [0, 0, 0]]).tolist()
        [0.5, 0.0]
    """
    return _compute_value(RR, grades, scores, options)


@_value_function
def average_precision(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Values:
    """How early do the relevant documents come, on average over all of them?

    Examples:
        >>> average_precision([1, 0, 1, 0, 1, 0], k=4)
        0.5555555555555555
    """
    return _compute_value(AP, grades, scores, options)


@_value_function
def err(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """How far down is the searcher expected to be satisfied?

    Examples:
        >>> round(err([2, 0, 1], max_grade=2), 4)
        0.7708
    """
    return _compute_value(Measure("ERR"), grades, scores, options)


@_value_function
def rbp(grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]) -> Values:
    """How much does a searcher who continues with probability p gain?

    Examples:
        >>> rbp([1, 0, 1, 0], p=0.5)
        0.625
    """
    given: dict[str, Any] = dict(options)
    own = {"p": given.pop("p")} if "p" in given else {}  # which the measure checks
    return _compute_value(Measure("RBP")(**own), grades, scores, cast("ArrayOptions", given))


def sdcg(grades: Numbers, **options: Any) -> float:
    """How much did a whole session gain, if later queries and ranks count less?

    Args:
        grades: a list for each query, in rank order.
        **options: `k`, how many results of a query count (default: all); `judged`, all graded
            documents of the topic, which form the ideal of `nsdcg`; `like`; and single settings,
            such as `b=2` and `bq=4`.

    Examples:
        >>> round(sdcg([[3, 2, 0], [1, 0]], b=2, bq=4), 4)  # 3 + 2/2 + 1/1.5
        4.6667
    """
    return cast("float", compute(Measure("sDCG"), grades, **options))


def nsdcg(grades: Numbers, **options: Any) -> float:
    """What share of the gain of an ideal session was reached?

    Args:
        grades: a list for each query, in rank order.
        **options: `k`, how many results of a query count (default: all); `judged`, all graded
            documents of the topic, which form the ideal; `like`; and single settings, such as
            `b=2` and `bq=4`.

    Examples:
        >>> round(nsdcg([[0], [3]], b=2, bq=4), 4)  # (3/1.5) / (3 + 3/1.5)
        0.4
    """
    return cast("float", compute(Measure("nsDCG"), grades, **options))


@_show_options
def compute(
    measure: str | Measure,
    grades: Numbers,
    scores: Numbers | None = None,
    **options: Unpack[ArrayOptions],
) -> Values:
    """What is the value of a measure for these rankings?

    Examples:
        >>> round(compute("nDCG(discount=jk2002, b=2)@6", [3, 2, 3, 0, 1, 2]), 4)
        0.9315
        >>> compute("AP", [[1, 0, 1], [0, 1, 0]]).round(4).tolist()
        [0.8333, 0.5]
        >>> compute("sDCG(b=2, bq=4)@1", [[3, 2], [1]])  # a list for each query of a session
        3.6666666666666665
    """
    parsed = measure if isinstance(measure, Measure) else parse(measure)
    if not parsed.entry.session:
        return _compute_value(parse(parsed), grades, scores, options)
    from gainful.measure.sessions.session_values import compute_lists  # noqa: PLC0415  (it loads polars)

    if scores is not None:
        raise BadValue("scores", scores, "none: the lists of a session are in rank order")
    settings: Any = options
    return compute_lists(parsed, grades, **settings)


@_show_options
def cg_curve(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Vectors:
    """The CG at every rank.

    Examples:
        >>> cg_curve([3, 2, 3, 0]).tolist()
        [3.0, 5.0, 8.0, 8.0]
    """
    return _compute_vector(CG, grades, scores, options)


@_show_options
def ncg_curve(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Vectors:
    """The nCG at every rank.

    Examples:
        >>> ncg_curve([3, 2, 3, 0]).round(4).tolist()
        [1.0, 0.8333, 1.0, 1.0]
    """
    return _compute_vector(nCG, grades, scores, options)


@_show_options
def dcg_curve(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Vectors:
    """The DCG at every rank.

    Examples:
        >>> dcg_curve([3, 2, 3, 0], discount="jk2008", b=4).round(4).tolist()
        [3.0, 4.3333, 6.007, 6.007]
    """
    return _compute_vector(DCG, grades, scores, options)


@_show_options
def idcg_curve(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Vectors:
    """The IDCG at every rank.

    Examples:
        >>> idcg_curve([0, 1, 3], judged=[3, 3, 1, 0]).round(4).tolist()
        [3.0, 4.8928, 5.3928]
    """
    return _compute_vector(IDCG, grades, scores, options)


@_show_options
def ndcg_curve(
    grades: Numbers, scores: Numbers | None = None, **options: Unpack[ArrayOptions]
) -> Vectors:
    """The nDCG at every rank.

    Examples:
        >>> ndcg_curve([2, 0, 3]).round(4).tolist()
        [0.6667, 0.4693, 0.8212]
    """
    return _compute_vector(nDCG, grades, scores, options)


@_show_options
def compute_curve(
    measure: str | Measure,
    grades: Numbers,
    scores: Numbers | None = None,
    **options: Unpack[ArrayOptions],
) -> Vectors:
    """What is the value of a measure at every rank?

    Examples:
        >>> compute_curve("CG(gain=exp)", [3, 2, 3, 0]).tolist()
        [7.0, 10.0, 17.0, 17.0]
    """
    return _compute_vector(parse(measure), grades, scores, options)


def _compute_value(
    measure: Measure, grades: Numbers, scores: Numbers | None, options: ArrayOptions
) -> Values:
    if is_tensor(grades) and options.get("group") is None and options.get("qid") is None:
        recipe = _build_recipe(measure, options, _keep_recipe)
        pools = options.get("judged"), options.get("mask")
        tensor: Values | None = compute_tensor(recipe, grades, scores, *pools)
        if tensor is not None:
            return tensor
    recipe, batch = _prepare(measure, grades, scores, options)
    if recipe.entry.has_vectors:
        values = _join(batch, _compute_parts(compute_measure, recipe, batch))
    else:
        rank = rank_scored_rows if recipe.entry.needs_scores else rank_rows
        values = compute_measure(recipe, rank(recipe.convention, batch))
    if is_tensor(grades):
        tensor = return_tensor(values.reshape(batch.grades.shape), grades, scores)
        if tensor is not None:
            return tensor
    if batch.grades.shape:
        return values.reshape(batch.grades.shape)
    if np.ma.is_masked(values):
        raise NothingToAverage("the ideal is zero, and the convention (empty=skip) leaves it out")
    return float(values[0])


def _compute_vector(
    measure: Measure, grades: Numbers, scores: Numbers | None, options: ArrayOptions
) -> Vectors:
    recipe, batch = _prepare(measure, grades, scores, options)
    if not recipe.entry.has_vectors:
        names = ", ".join(name for name, entry in MEASURES.items() if entry.has_vectors)
        raise BadValue("measure", recipe.entry.name, f"one that has a vector: {names}")
    parts = _compute_parts(compute_vectors, recipe, batch)
    table = batch.grades
    if table.ragged and recipe.k is None:
        vectors = {
            row: vector[: table.lengths[row]]
            for rows, part in parts
            for row, vector in zip(np.arange(len(table.lengths))[rows].tolist(), part, strict=True)
        }
        return [vectors[row] for row in range(len(vectors))]
    joined = _join(batch, parts)
    return joined.reshape(*table.shape, joined.shape[1])


def _compute_parts(
    function: Callable[[Recipe, RankedGains], Array], recipe: Recipe, batch: Batch
) -> list[tuple[slice | Ranks, Array]]:
    parts = list(batch.grades.split_rows(_CACHED_CELLS))
    if len(parts) > 1:
        try:
            return [
                (rows, function(recipe, rank_row_gains(recipe, batch.take(rows)))) for rows in parts
            ]
        except GainfulError:  # which the whole batch raises too, and says where
            pass
    return [(slice(None), function(recipe, rank_row_gains(recipe, batch)))]


def _join(batch: Batch, parts: list[tuple[slice | Ranks, Array]]) -> Array:
    """The parts as one array, in the order of the rankings."""
    if len(parts) == 1:
        return parts[0][1]
    masked = any(isinstance(values, np.ma.MaskedArray) for _, values in parts)
    joined: Array = (np.ma if masked else np).concatenate([values for _, values in parts])
    if batch.grades.ragged:
        rows = np.concatenate([np.arange(len(joined))[rows] for rows, _ in parts])
        joined = joined[invert_order(rows)]
    return joined


def _describe_size(table: RankingMatrix) -> str:
    if table.ragged:
        return f"lists of {', '.join(map(str, table.lengths[:9]))} documents"
    return " × ".join(map(str, (*table.shape, table.lengths[0])))
