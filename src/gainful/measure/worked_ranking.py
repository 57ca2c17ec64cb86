"""A ranking worked out: who stands where, what gain and discount make of it, what each one adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from gainful.match.match import MatchedRun
from gainful.match.matched import Subtopics
from gainful.match.rankings import RankedDoc, Rankings, rank_documents
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import compute_measures, compute_ranked
from gainful.measure.functions.cumulated_gain import ideal_depth, rank_discounts, total_gains
from gainful.measure.ranked_run import RankedGains, RankedRun, grade_gains, rank_run, rank_run_gains
from gainful.types import Array, Flags, slices

_MAX_FILL = 1000  # ranks that fill a short list and are spelled out: all of them are alike


@frozen
class IdealRank:
    """One rank of the ideal ranking."""

    rank: int
    gain: float
    discount: float
    contribution: float


@frozen
class WorkedRanking:
    """One query of a run; sums and ideal are there where gain is cumulated."""

    rows: tuple[RankedDoc, ...]  # down to the cutoff of the measure
    below: tuple[RankedDoc, ...] = ()  # below it: they bring nothing
    ideal: tuple[IdealRank, ...] = ()
    dcg: float | None = None
    idcg: float | None = None


@frozen(eq=False)
class RankedQueries(Rankings):
    """The rankings of some queries, all of them ranked at once."""

    matched: RankedRun


def rank_queries(run: MatchedRun, recipe: Recipe, queries: Sequence[str]) -> RankedQueries:
    """Some queries of a run with their documents, at the ranks of a measure's convention."""
    rankings = rank_documents(run, recipe.convention, queries)
    ranked = rank_run(rankings.matched, recipe.ranking_convention)
    return RankedQueries(matched=ranked, grades=rankings.grades, by_query=rankings.by_query)


def work_out_ranking(rankings: RankedQueries, query: str, recipe: Recipe) -> WorkedRanking:
    """Who stands where in a query, and what does that bring?"""
    grades = rankings.grades[query]
    cumulated = recipe.entry.cumulated
    gains = doc_gains(recipe, grades) if cumulated else grades
    rows = rankings.rank_docs(query, gains)
    below = tuple(row for row in rows if recipe.depth is not None and row.rank > recipe.depth)
    ranked_query = rankings.matched.select_query(query)
    if not cumulated or ranked_query is None:
        return WorkedRanking(tuple(_cut(rows, recipe.depth)), below)
    ranked = rank_run_gains(recipe, ranked_query)
    return evolve(work_out_gains(recipe, rows, gains, ranked), below=below)


def work_out_gains(
    recipe: Recipe, rows: list[RankedDoc], gains: Mapping[str, float], ranked: RankedGains
) -> WorkedRanking:
    """What each rank of one ranking brings, by gain and discount, and each of its ideal."""
    dcg, idcg = (float(sums[0]) for sums in total_gains(recipe, ranked))
    weighted = _add_contributions(recipe, _fill_short_ranking(recipe, rows, ranked), gains)
    ideal = tuple(_ideal_ranking(recipe, ranked))
    return WorkedRanking(tuple(weighted), ideal=ideal, dcg=dcg, idcg=idcg)


def doc_gains(recipe: Recipe, grades: Mapping[str, float]) -> dict[str, float]:
    """What each judged document of a query is worth."""
    values = np.array(list(grades.values()), dtype=np.float64)
    if recipe.convention.negative == "remove":  # they are in no ranking; a table need not know them
        values = np.maximum(values, 0.0)

    def find(_: Flags) -> tuple[str, float]:  # the evaluation has refused what is to be refused
        return "a grade", 0.0

    gains = grade_gains(values, recipe.gain, recipe.convention, find, None)
    return dict(zip(grades, gains.tolist(), strict=True))


def _cut(rows: Sequence[RankedDoc], depth: int | None) -> list[RankedDoc]:
    return [row for row in rows if depth is None or row.rank <= depth]


def _fill_short_ranking(
    recipe: Recipe, rows: list[RankedDoc], ranked: RankedGains
) -> list[RankedDoc]:
    if recipe.convention.short != "minimum" or recipe.k is None:
        return rows
    fill = float(ranked.fill[0, 0])
    new = range(len(rows) + 1, min(recipe.k, len(rows) + _MAX_FILL) + 1)
    return rows + [RankedDoc(rank, rank, None, None, None, gain=fill) for rank in new]


def _add_contributions(
    recipe: Recipe, rows: list[RankedDoc], gains: Mapping[str, float]
) -> list[RankedDoc]:
    """The rows down to the cutoff, with gain, discount and their product."""
    rows = _cut(rows, recipe.k)
    if not rows:
        return []
    discounts = np.array(rank_discounts(recipe, max(row.until for row in rows)))
    if recipe.k is not None:
        discounts[recipe.k :] = 0.0
    grade = recipe.convention.unjudged_grade
    unjudged = 0.0 if grade is None else doc_gains(recipe, {"": grade})[""]
    weighted_rows = []
    for row in rows:
        gain = row.gain if row.doc is None else gains.get(row.doc, unjudged)
        discount = float(discounts[row.rank - 1 : row.until].mean())
        weighted_rows.append(
            evolve(row, gain=gain, discount=discount, contribution=(gain or 0) * discount)
        )
    return weighted_rows


def _ideal_ranking(recipe: Recipe, ranked: RankedGains) -> list[IdealRank]:
    """The ideal ranking, as deep as the convention has it."""
    if not (recipe.entry.normalised or recipe.entry.gain_of == "ideal"):
        return []
    depth = min(int(ideal_depth(recipe, ranked.lengths)[0, 0]), ranked.ideal.last_rank)
    if depth < 1:
        return []
    gains, discounts = ranked.ideal.gains_by_rank(depth)[0], rank_discounts(recipe, depth)
    return [
        IdealRank(rank, float(g), float(w), float(g * w))
        for rank, (g, w) in enumerate(zip(gains, discounts, strict=True), start=1)
    ]


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
