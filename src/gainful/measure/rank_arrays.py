"""Arrays of grades → `Seen`: every document is judged, so every measure can be asked of them."""

from __future__ import annotations

import numpy as np

from gainful.convention import Convention
from gainful.errors import Tied
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks, as_precise
from gainful.measure.grade_gains import whole_or_not
from gainful.measure.ranked_run import Seen
from gainful.read import Rows


def seen_rows(
    convention: Convention, grades: Rows, scores: Rows | None, judged: Rows | None
) -> Seen:
    """The documents of each row at their ranks, and the pool they were judged in."""
    if convention.negative == "remove":
        unwanted = grades.values < 0
        scores = None if scores is None else scores.without(unwanted)
        grades = grades.without(unwanted)
        judged = None if judged is None else judged.without(judged.values < 0)
    row, column = np.nonzero(_present(grades))
    grade = _whole(grades, convention, "grades")[row, column]
    order = np.arange(len(row))
    if scores is not None:
        score = scores.values[row, column]
        score = as_precise(score, convention.score_bits)
        order = _ordered(row, score, grade, convention)
    begin = np.cumsum(grades.lengths) - grades.lengths
    rank = np.arange(len(row)) - begin[row] + 1
    pool = grades if judged is None else judged
    pool_row, pool_column = np.nonzero(_present(pool))
    pool_grade = _whole(pool, convention, "judged")[pool_row, pool_column]
    if len(pool.lengths) < len(grades.lengths):  # one pool for all rankings
        pool_row = np.repeat(np.arange(len(grades.lengths)), len(pool_grade))
        pool_grade = np.tile(pool_grade, len(grades.lengths))
    everyone = np.ones(len(grades.lengths), dtype=bool)
    return Seen(
        queries=[str(number) for number in range(len(grades.lengths))],
        judged=everyone,
        found=everyone,
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
        habits=convention,
    )


def _present(table: Rows) -> Flags:
    present = table.present
    return np.ones(table.values.shape, dtype=bool) if present is None else present


def _whole(table: Rows, convention: Convention, argument: str) -> Array:
    def find(flags: Flags) -> tuple[str, float]:
        place, value = table.find(flags)
        return argument + place, value

    return whole_or_not(table.values, convention, find)


def _ordered(row: Ranks, score: Array, grade: Array, convention: Convention) -> Ranks:
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
