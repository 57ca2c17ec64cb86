"""Arrays of grades → `RankedRun`: every document is judged, so every measure can be computed."""

from __future__ import annotations

import numpy as np

from gainful.convention import Convention
from gainful.errors import Tied
from gainful.match.matched import reduce_precision
from gainful.measure.grade_gains import apply_fractional
from gainful.measure.ranked_run import RankedRun
from gainful.read import RankingMatrix
from gainful.types import Array, Flags, Ranks


def rank_rows(
    convention: Convention,
    grades: RankingMatrix,
    scores: RankingMatrix | None,
    judged: RankingMatrix | None,
) -> RankedRun:
    """The documents of each row at their ranks, and the pool they were judged in."""
    if convention.negative == "remove":
        unwanted = grades.values < 0
        scores = None if scores is None else scores.drop(unwanted)
        grades = grades.drop(unwanted)
        judged = None if judged is None else judged.drop(judged.values < 0)
    row, column = np.nonzero(_present_flags(grades))
    grade = _whole_grades(grades, convention, "grades")[row, column]
    order = np.arange(len(row))
    if scores is not None:
        score = scores.values[row, column]
        score = reduce_precision(score, convention.score_bits)
        order = _sort_by_score(row, score, grade, convention)
    begin = np.cumsum(grades.lengths) - grades.lengths
    rank = np.arange(len(row)) - begin[row] + 1
    pool = grades if judged is None else judged
    pool_row, pool_column = np.nonzero(_present_flags(pool))
    pool_grade = _whole_grades(pool, convention, "judged")[pool_row, pool_column]
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
        first=rank,
        last=rank,
        by_id=rank,
        by_input=rank,
        rank=rank,
        convention=convention,
    )


def _present_flags(table: RankingMatrix) -> Flags:
    present = table.present
    return np.ones(table.values.shape, dtype=bool) if present is None else present


def _whole_grades(table: RankingMatrix, convention: Convention, argument: str) -> Array:
    def find(flags: Flags) -> tuple[str, float]:
        place, value = table.find(flags)
        return argument + place, value

    return apply_fractional(table.values, convention, find)


def _sort_by_score(row: Ranks, score: Array, grade: Array, convention: Convention) -> Ranks:
    """The documents by row and rank; ties as the convention has them."""
    place = np.arange(len(row))
    keys = {"input": place, "reversed": -place, "best": -grade, "worst": grade}
    order = np.lexsort((keys.get(convention.ties, place), -score, row))
    tied = (np.diff(score[order]) == 0) & (np.diff(row[order]) == 0)
    if convention.ties not in keys and (tied & (np.diff(grade[order]) != 0)).any():
        raise Tied(
            "scores are tied; arrays have no document ids to break ties by, so set ties to "
            f"{', '.join(keys)}"
        )
    return order
