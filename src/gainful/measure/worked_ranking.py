"""One ranking, worked out rank by rank: who stands where, what that brings, and the ideal.

`explain`, `why` and the report tell it, each as much of it as it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, frozen

from gainful.match.matched import Matched, Subtopics
from gainful.match.rankings import RankedDoc, Rankings, rank_documents
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import compute_measures, compute_ranked, find_view
from gainful.measure.functions.graded import ideal_depth, rank_discounts, total_gains
from gainful.measure.ranked_run import RankedGains, RankedRun, grade_gains, rank_run, rank_run_gains
from gainful.page.table import Column, Table, build_table, format_number
from gainful.types import Array, Flags, fill_masked, slices

_MAX_FILL = 1000  # ranks that fill a short list and are spelled out: all of them are alike


@define(kw_only=True)
class WorkedRank(RankedDoc):
    """One rank with what it brings, and the sums down to it; None what is not known there."""

    query: int | None = None  # of a session
    query_discount: float | None = None
    cg: float | None = None
    dcg: float | None = None
    ideal_grade: float | None = None
    idcg: float | None = None
    ndcg: float | None = None
    value: float | None = None  # so far, of a measure of any kind


@frozen
class WorkedRanking:
    """One query of a run; sums and ideal are there where gain is cumulated."""

    rows: tuple[RankedDoc, ...]  # down to the cutoff of the measure
    below: tuple[RankedDoc, ...] = ()  # below it: they bring nothing
    more: int = 0  # documents that were not asked for
    ideal: tuple[RankedDoc, ...] = ()
    dcg: float | None = None
    idcg: float | None = None


def _format_rank(row: RankedDoc) -> str:
    return str(row.rank) if row.rank == row.until else f"{row.rank}–{row.until}"


# By the field that each shows, in the order of tables and of rows as data.
RANK_COLUMNS = {
    "query": Column("query"),
    "rank": Column("rank", _format_rank),
    "doc": Column(
        *("document", lambda row: "(fills the list)" if row.doc is None else row.doc), is_text=True
    ),
    "score": Column("score"),
    "grade": Column("grade", show=format_number),
    "gain": Column("gain", show=format_number),
    "discount": Column("discount", "discount", ".4f"),
    "query_discount": Column("query\ndiscount", "query_discount", ".4f"),
    "contribution": Column("gain ×\ndiscount", "contribution", ".4f"),
    "cg": Column("CG", "cg", format_number),
    "dcg": Column("DCG", "dcg", ".4f"),
    "ideal_grade": Column("ideal\ngrade", "ideal_grade", format_number),
    "idcg": Column("IDCG", "idcg", ".4f"),
    "ndcg": Column("nDCG", "ndcg", ".4f"),
    "value": Column("so far", "value", ".4f"),
}


def tabulate_ranks(
    rows: Sequence[RankedDoc],
    names: Collection[str],
    heads: Mapping[str, str] | None = None,
    expendable: Sequence[str] = (),
) -> Table:
    """The columns of these names, some under another head; what a narrow table can do without."""
    columns = {
        name: evolve(column, head=(heads or {}).get(name, column.head))
        for name, column in RANK_COLUMNS.items()
        if name in names
    }
    if "score" in columns:
        columns["score"] = evolve(columns["score"], show=_choose_format(rows))
    table = build_table(rows, [*columns.values()], labels=0)
    return evolve(table, expendable=[columns[name].head for name in expendable if name in columns])


def _choose_format(rows: Sequence[RankedDoc]) -> str | Callable[[Any], str]:
    """How scores are shown: with as many decimals as tell them apart."""
    distinct_scores = {row.score for row in rows if row.score is not None}
    for decimals in range(16):
        texts = {f"{score:.{decimals}f}" for score in distinct_scores}
        if len(texts) == len(distinct_scores) and (
            decimals >= 4 or {*map(float, texts)} == distinct_scores
        ):
            return f".{decimals}f"
    return repr


@frozen(eq=False)
class RankedQueries(Rankings):
    """The rankings of some queries, all of them ranked at once."""

    matched: RankedRun

    def select_named(self, query: str) -> tuple[RankedRun, Sequence[str]]:
        """What was ranked of a query, and the names of its documents."""
        ranked = self.matched.select_by_name((query,))
        if ranked.convention.unjudged_grade is None or ranked.subtopics is not None:
            return ranked, self.name_docs(query, ranked.by_id)
        rows = self.rank_docs(query, self.grades[query])  # of which none share a rank
        return ranked, [str(rows[rank - 1].doc) for rank in ranked.rank.tolist()]

    def rank_query(self, query: str, recipe: Recipe, most: int | None = None) -> list[RankedDoc]:
        """Documents of a query at the ranks that the measure sees, all or the first of them."""
        return self.rank_docs(query, self._tie_gains(query, recipe), most)

    def find_ranks(self, query: str, recipe: Recipe) -> tuple[dict[str, float], dict[str, float]]:
        """The rank of each document of a query, the mean of a tie; and of those that count."""
        if query not in self.by_query:
            return {}, {}
        docs, depth = self.by_query[query].docs, recipe.depth
        places = self.place_docs(query, self._tie_gains(query, recipe))
        ranks, top = dict[str, float](), dict[str, float]()
        for at, first, last in zip(*(column.tolist() for column in places), strict=True):
            rank = ranks.setdefault(docs[at], first if first == last else (first + last) / 2)
            if depth is None or first <= depth:
                top.setdefault(docs[at], rank)
        return ranks, top

    def _tie_gains(self, query: str, recipe: Recipe) -> Mapping[str, float]:
        grades, by_grade = self.grades[query], self.matched.convention.unjudged_grade is not None
        return grades if by_grade else doc_gains(recipe, grades)


def rank_queries(matched: Matched, recipe: Recipe, queries: Sequence[str]) -> RankedQueries:
    """Some queries of a run with their documents, at the ranks of a measure's convention."""
    rankings = rank_documents(matched, recipe.convention, queries)
    convention = recipe.ranking_convention
    ranked: RankedRun | None = matched.views.get(find_view(convention))  # for its values
    if ranked is None or not {*ranked.queries}.issuperset(rankings.matched.queries):
        ranked = rank_run(rankings.matched, convention)
    selected = ranked.select_by_name(queries)
    return RankedQueries(matched=selected, grades=rankings.grades, by_query=rankings.by_query)


def work_out_ranking(
    rankings: RankedQueries, query: str, recipe: Recipe, most: int | None = None
) -> WorkedRanking:
    """Who stands where in a query, and what does that bring?

    With `most`, at least the first so many documents are there, and all that the cutoff counts.
    """
    grades, depth = rankings.grades[query], recipe.depth
    docs = rankings.rank_query(query, recipe, None if most is None else max(most, depth or 0))
    more = len(rankings.by_query[query].docs) - len(docs) if docs else 0
    rows = [row for row in docs if depth is None or row.rank <= depth]
    below = tuple(docs[len(rows) :])
    ranked_query = rankings.matched.select_query(query)
    if not recipe.entry.cumulated or ranked_query is None:
        return WorkedRanking(tuple(rows), below, more)
    ranked = rank_run_gains(recipe, ranked_query)
    dcg, idcg = (float(sums[0]) for sums in total_gains(ranked, recipe))
    if recipe.convention.short == "minimum" and recipe.k is not None:
        fill, last = float(ranked.fill[0, 0]), min(recipe.k, len(rows) + _MAX_FILL)
        rows += [RankedDoc(rank, rank, gain=fill) for rank in range(len(rows) + 1, last + 1)]
    unjudged_grade = recipe.convention.unjudged_grade
    unjudged = 0.0 if unjudged_grade is None else doc_gains(recipe, {"": unjudged_grade})[""]
    weigh_rows(recipe, rows, doc_gains(recipe, grades), unjudged)
    return WorkedRanking(tuple(rows), below, more, work_out_ideal(recipe, ranked), dcg, idcg)


def doc_gains(recipe: Recipe, grades: Mapping[str, float]) -> Mapping[str, float]:
    """What each judged document of a query is worth; its grade, if no gain is cumulated."""
    if not recipe.entry.cumulated:
        return grades
    values = np.array(list(grades.values()), dtype=np.float64)
    if recipe.convention.negative == "remove":  # they are in no ranking; a table need not know them
        values = np.maximum(values, 0.0)

    # The evaluation has refused what is to be refused
    gains = grade_gains(values, recipe.gain, recipe.convention, lambda *_: None, None)
    return dict(zip(grades, gains.tolist(), strict=True))


def weigh_rows(
    recipe: Recipe, rows: Sequence[RankedDoc], gains: Mapping[Any, float], unjudged: float
) -> None:
    """Give rows their gain, by name or else by rank, the discount, and the product of both."""
    discounts = rank_discounts(recipe, max((row.until for row in rows), default=0))
    k = len(discounts) if recipe.k is None else recipe.k
    within = np.where(np.arange(len(discounts)) < k, discounts, 0.0)
    for row in rows:
        if row.gain is None:  # else it fills the list
            row.gain = gains.get(row.doc or row.rank, unjudged)
        block = slice(row.rank - 1, row.until)  # of ties that are averaged
        row.discount = float((within if row.rank <= k else discounts)[block].mean())
        row.contribution = row.gain * row.discount


def work_out_ideal(
    recipe: Recipe, ranked: RankedGains, grades: Sequence[float] | None = None
) -> tuple[RankedDoc, ...]:
    """The first ideal ranking, as deep as the convention has it; with its grades, if known."""
    if not (recipe.entry.normalised or recipe.entry.gain_of == "ideal"):
        return ()
    longest = ranked.ideal.last_rank if grades is None else len(grades)
    depth = min(int(ideal_depth(recipe, ranked.lengths)[0, 0]), longest)
    if depth < 1:
        return ()
    gains, discounts = ranked.ideal.gains_by_rank(depth)[0], rank_discounts(recipe, depth)
    shown = [None] * depth if grades is None else grades
    brings = np.stack([gains, discounts, gains * discounts], axis=1).tolist()
    return tuple(
        RankedDoc(rank, rank, None, None, grade, *numbers)
        for rank, (grade, numbers) in enumerate(zip(shown, brings, strict=False), start=1)
    )


_BATCH_DOCS = 1_000_000  # documents of all sets that are computed together


def compute_subsets(ranked: RankedRun, recipe: Recipe, members: Flags) -> Array:
    """The value of one query for each set of documents, if only these were judged.

    The others keep their ranks and earn nothing, and the pool stays whole. Not a number where the
    convention leaves the query out.
    """
    convention, entry = recipe.convention, recipe.entry
    by_grades = TIE_POLICIES[convention.ties].needs == "grades" and not entry.cumulated
    # Who is judged changes the ranks, unless all that are ranked have a grade.
    moves = by_grades and recipe.ranking_convention.unjudged_grade is None
    batch_size = max(1, _BATCH_DOCS // (1 + len(ranked.grade) + len(ranked.pool_grade)))
    values: list[Array] = []
    for part in slices(len(members), batch_size):
        repeated = _repeat_query(ranked, members[part])
        part_values = (
            compute_measures(repeated, {"": recipe})[""]
            if moves
            else compute_ranked(evolve(repeated, convention=convention), recipe)
        )
        values.append(fill_masked(part_values))
    return np.concatenate(values)


def _repeat_query(ranked: RankedRun, members: Flags) -> RankedRun:
    """The one query for each set of its documents, which alone are judged in it."""
    size, pool_size = len(members), len(ranked.pool_grade)
    set_number, hit = np.nonzero(members)
    subtopics = ranked.subtopics
    if subtopics is not None:
        offset = np.repeat(pool_size * np.arange(size), len(subtopics.doc))
        subtopics = Subtopics(
            doc=np.tile(subtopics.doc, size) + offset,
            subtopic=np.tile(subtopics.subtopic, size),
            grade=np.tile(subtopics.grade, size),
        )
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
        subtopics=subtopics,
        filtered=None,
        **{name: getattr(ranked, name)[hit] for name in ranked.rank_fields},
    )
