"""Arrays of grades → `RankedRun`: every document is judged, so every measure can be computed."""

from __future__ import annotations

from functools import partial

import numpy as np
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.errors import Tied
from gainful.match import OrderedGains, rank_gains
from gainful.match.matched import FILTERED_ORDERS
from gainful.match.rank_order import RankOrder, order_by_score, sort_rows_ideally
from gainful.match.ties import TIE_POLICIES, TieBlocks, reduce_precision
from gainful.measure.entry import Recipe
from gainful.measure.ranked_run import RankedGains, RankedRun, apply_fractional, grade_gains
from gainful.read.ranking_matrix import RankingMatrix
from gainful.types import Array, Flags, Ranks

_UNLIMITED = int(np.iinfo(np.intp).max)


@frozen(eq=False)
class Batch:
    """Rankings as arrays of grades, what they are ranked by, and the pools of their queries."""

    grades: RankingMatrix
    scores: RankingMatrix | None = None
    judged: RankingMatrix | None = None

    def drop(self, unwanted: Flags) -> Batch:
        """The rankings without some of their documents."""
        scores = None if self.scores is None else self.scores.drop(unwanted)
        return evolve(self, grades=self.grades.drop(unwanted), scores=scores)

    def drop_negative(self) -> Batch:
        """Rankings and pools without documents of negative grades."""
        judged = self.judged if self.judged is None else self.judged.drop(self.judged.flat < 0)
        return evolve(self.drop(self.grades.flat < 0), judged=judged)

    def take(self, rows: slice | Ranks) -> Batch:
        """Some of the rankings."""
        own_pools = self.judged is not None and self.judged.shape
        return Batch(
            self.grades.take(rows),
            None if self.scores is None else self.scores.take(rows),
            self.judged.take(rows) if self.judged is not None and own_pools else self.judged,
        )


def rank_rows(convention: Convention, batch: Batch) -> RankedRun:
    """The documents of each row at their ranks, and the pool they were judged in."""
    if convention.negative == "remove":
        batch = batch.drop_negative()
    grades, scores = batch.grades, batch.scores
    row, grade = grades.row, _whole_grades(grades, convention, "grades")
    order = np.arange(len(row))
    begin = np.cumsum(grades.lengths) - grades.lengths
    first = last = rank = order - begin[row] + 1
    if scores is not None:
        order, blocks = _rank_by_score(grades, scores.flat, grade, convention)
        first, last = blocks.first, blocks.last
    pool = grades if batch.judged is None else batch.judged
    pool_row, pool_grade = pool.row, _whole_grades(pool, convention, "judged")
    if len(pool.lengths) < len(grades.lengths):  # one pool for all rankings
        pool_row = np.repeat(np.arange(len(grades.lengths)), len(pool_grade))
        pool_grade = np.tile(pool_grade, len(grades.lengths))
    all_queries = np.ones(len(grades.lengths), dtype=bool)
    return RankedRun(
        queries=[str(number) for number in range(len(grades.lengths))],
        judged=all_queries,
        in_run=all_queries,
        retrieved=grades.lengths,
        pool_query=pool_row,
        pool_grade=pool_grade,
        query=row,
        grade=grade[order],
        first=first,
        last=last,
        by_id=rank,
        by_input=rank,
        rank=rank,
        convention=convention,
    )


def rank_scored_rows(convention: Convention, batch: Batch) -> RankedRun:
    """The documents at their ranks, and beside them those with scores of 0 and more alone."""
    ranked = rank_rows(convention, batch)
    if batch.scores is None:  # in rank order, and none of them below 0
        return evolve(ranked, filtered=dict.fromkeys(FILTERED_ORDERS, ranked))
    kept = batch.drop(batch.scores.flat < 0)
    by_order = {"score": kept, "input": evolve(kept, scores=None)}
    return evolve(
        ranked, filtered={name: rank_rows(convention, by_order[name]) for name in by_order}
    )


def _whole_grades(table: RankingMatrix, convention: Convention, argument: str) -> Array:
    grades = table.flat.astype(np.float64, copy=False)
    return apply_fractional(grades, convention, partial(table.refuse, argument))


def _rank_by_score(
    table: RankingMatrix, score: Array, grade: Array, convention: Convention
) -> tuple[Ranks, TieBlocks]:
    """The documents by row and rank, ties as the convention has them; and their blocks."""
    policy, lengths, row = TIE_POLICIES[convention.ties], table.lengths, table.row
    filled = np.flatnonzero(lengths)  # a mask may leave nothing of a ranking
    order = order_by_score(score, filled, lengths[filled], len(lengths), convention.score_bits)
    in_order = np.arange(len(row)) if order.rows is None else order.rows
    blocks = order.rank_rows(in_order, row, None)
    if policy.needs == "ids" or policy.averages:
        _refuse_ties(order, grade[in_order])
        return in_order, blocks
    sequence = np.empty_like(in_order)
    sequence[order.start[row] + policy.rank(blocks, grade[in_order]) - 1] = in_order
    return sequence, blocks


def _refuse_ties(order: RankOrder, grade: Array) -> None:
    """Ties are an error where documents of equal scores have different grades."""
    if (grade[order.tied] != grade[order.tied - 1]).any():
        allowed = [
            name
            for name, policy in TIE_POLICIES.items()
            if policy.needs != "ids" and not policy.averages
        ]
        raise Tied(
            "scores are tied; arrays have no document ids to break ties by, so set ties to "
            f"{', '.join(allowed)}"
        )


@frozen(eq=False, kw_only=True)
class RankedRows(RankedGains):
    """Gains of rankings that are arrays of grades, with the grades themselves."""

    grades: RankingMatrix  # the rankings that count
    source: RankingMatrix  # the documents that the ideal is made of
    # The lowest grade of each ranking, if short ones are filled up to k
    filling: RankingMatrix | None


def rank_row_gains(recipe: Recipe, batch: Batch) -> RankedRows:
    """Turn grades into gains, put them in the order of their scores, and make the ideal."""
    if recipe.convention.negative == "remove":
        batch = batch.drop_negative()
    grades, judged = batch.grades, batch.judged
    gains = row_gains(recipe, grades, "grades")
    source = grades if judged is None or recipe.convention.ideal == "list" else judged
    pool_gains = gains if source is grades else row_gains(recipe, source, "judged")
    deepest = _UNLIMITED if recipe.k is None else recipe.k
    with_negative = recipe.convention.negative == "in_ideal"
    last_rank = _UNLIMITED if recipe.convention.ideal_depth == "all" else deepest
    ideal = ideal_gains(pool_gains, source, last_rank, with_negative=with_negative)
    sort_keys = None if recipe.entry.gain_of == "ideal" else _sort_keys(recipe, batch.scores)
    actual = rank_gains(gains, sort_keys, recipe.convention.ties, deepest)
    filling, fill = None, np.zeros((1, 1))
    if recipe.convention.short == "minimum":
        filling = _lowest_grades(recipe, grades, judged)
        fill = row_gains(recipe, filling, "grades")
    return RankedRows(
        actual=actual,
        ideal=OrderedGains(ideal),
        lengths=grades.lengths,
        fill=fill,
        grades=grades,
        source=source,
        filling=filling,
    )


def row_gains(recipe: Recipe, grades: RankingMatrix, argument: str) -> Array:
    """What each document is worth, negative and fractional grades as the convention has it."""
    refuse = partial(grades.refuse, argument)
    return grade_gains(grades.values, recipe.gain, recipe.convention, refuse, grades.present)


def ideal_gains(gains: Array, pool: RankingMatrix, last_rank: int, *, with_negative: bool) -> Array:
    """Gains of the ideal: the most valuable first; they end before the first worthless one.

    Gains below zero are left out, unless the convention wants the ideal to end with them.
    """
    wanted = None
    if with_negative:
        wanted = np.ones(gains.shape, dtype=bool) if pool.present is None else pool.present
    return sort_rows_ideally(gains, wanted, last_rank)


def _sort_keys(recipe: Recipe, scores: RankingMatrix | None) -> Array | None:
    """Scores as precise as the convention has them, what is no document at the very end."""
    if scores is None:
        return None
    values, present = reduce_precision(scores.matrix, recipe.convention.score_bits), scores.present
    if present is None:
        return values
    lowest = np.finfo(np.float64).min  # above what is no document
    return np.where(present, np.maximum(values.astype(np.float64), lowest), -np.inf)


def _lowest_grades(
    recipe: Recipe, grades: RankingMatrix, judged: RankingMatrix | None
) -> RankingMatrix:
    """The lowest grade there is: that of the gain table, or 0, or less if lower ones occur."""
    if recipe.gain.grades:
        lowest = np.full(len(grades.values), min(recipe.gain.grades))
    else:
        lowest = np.minimum(grades.values.min(axis=1), 0.0)
        if judged is not None:
            lowest = np.minimum(lowest, judged.values.min(axis=1))
    return RankingMatrix(lowest, np.ones(len(lowest), dtype=np.intp), grades.shape)
