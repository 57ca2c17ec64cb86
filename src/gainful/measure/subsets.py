"""The value of a query if only some of its documents were judged, for many such sets at once."""

from __future__ import annotations

import numpy as np
from attrs import evolve

from gainful.match.matched import Subtopics
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import compute_measures, compute_ranked
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Flags, slices

_BATCH_DOCS = 1_000_000  # documents of all sets that are computed together


def compute_subsets(ranked: RankedRun, recipe: Recipe, members: Flags) -> Array:
    """The value of one query for each set of documents, if only these were judged.

    The others keep their ranks and earn nothing, and the pool stays whole. Not a number where the
    convention leaves the query out.
    """
    convention, entry = recipe.convention, recipe.entry
    by_grades = TIE_POLICIES[convention.ties].needs == "grades" and not entry.cumulated
    filled = convention.unjudged_grade is not None and entry.counts_gains
    moves = by_grades or filled  # who is judged changes the ranks
    batch_size = max(1, _BATCH_DOCS // (1 + len(ranked.grade) + len(ranked.pool_grade)))
    values: list[Array] = []
    for part in slices(len(members), batch_size):
        repeated = _repeat_query(ranked, members[part])
        part_values = (
            compute_measures(repeated, {"": recipe})[""]
            if moves
            else compute_ranked(evolve(repeated, convention=convention), recipe)
        )
        values.append(np.ma.filled(np.ma.asarray(part_values, dtype=float), np.nan))
    return np.concatenate(values)


def _repeat_query(ranked: RankedRun, members: Flags) -> RankedRun:
    """The one query for each set of its documents, which alone are judged in it."""
    size, pool_size = len(members), len(ranked.pool_grade)
    set_number, hit = np.nonzero(members)
    return evolve(
        ranked,
        queries=[*ranked.queries] * size,
        judged=np.repeat(ranked.judged, size),
        in_run=np.repeat(ranked.in_run, size),
        retrieved=np.repeat(ranked.retrieved, size),
        pool_query=np.repeat(np.arange(size), pool_size),
        pool_grade=np.tile(ranked.pool_grade, size),
        query=set_number,
        grade=ranked.grade[hit],
        pool_index=None
        if ranked.pool_index is None
        else ranked.pool_index[hit] + pool_size * set_number,
        subtopics=None
        if ranked.subtopics is None
        else _tile_subtopics(ranked.subtopics, size, pool_size),
        filtered=None,
        **{name: getattr(ranked, name)[hit] for name in ranked.rank_fields},
    )


def _tile_subtopics(subtopics: Subtopics, size: int, pool_size: int) -> Subtopics:
    offset = np.repeat(pool_size * np.arange(size), len(subtopics.doc))
    return Subtopics(
        doc=np.tile(subtopics.doc, size) + offset,
        subtopic=np.tile(subtopics.subtopic, size),
        grade=np.tile(subtopics.grade, size),
    )
