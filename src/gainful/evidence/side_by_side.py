"""One query of several runs, laid side by side: who stands where, and what that brings.

Ranks, gains, discounts and ideals are those of the evaluation; here they get names beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from attrs import frozen

from gainful.evidence.moves.ranked_query import RankedDoc, doc_gains, rank_query
from gainful.evidence.moves.select_queries import select_qrels, select_run
from gainful.evidence.reasons.rank_by_rank import (
    IdealRank,
    add_contributions,
    fill_short_ranking,
    ideal_ranking,
)
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.cumulated_gain import rank_run_gains, total_gains
from gainful.measure.ranked_run import rank_run
from gainful.measure.recipe import Recipe
from gainful.read.lazy import LazyRun
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


@frozen
class Ranking:
    """One run's ranking of a query; sums and ideal are there where gain is cumulated.

    Rows below the cutoff of the measure have a rank and a grade, and bring nothing.
    """

    rows: tuple[RankedDoc, ...]
    omitted: int  # documents that are not among the rows
    ideal: tuple[IdealRank, ...] = ()
    dcg: float | None = None
    idcg: float | None = None


@frozen
class SideBySide:
    """A query: its judged documents, and its ranking in each run; None where a run lacks it."""

    query: str
    grades: Mapping[str, float]
    gains: Mapping[str, float]  # of the judged documents, where gain is cumulated
    rankings: tuple[Ranking | None, ...]


def rank_side_by_side(
    qrels: Qrels | NestedDict,
    runs: Sequence[Run | NestedDict | LazyRun],
    recipe: Recipe,
    queries: Sequence[str],
    *,
    ranks: int,
) -> Iterator[SideBySide]:
    """These queries one after the other, each with its rankings down to so many ranks.

    Args:
        qrels: what was judged.
        runs: the runs to lay side by side.
        recipe: the measure whose gains and discounts are told.
        queries: which queries.
        ranks: how many documents of each ranking.

    Examples:
        >>> from gainful.measure.evaluate import build_recipes
        >>> from gainful.read.inputs import as_qrels, as_run
        >>> qrels, run = as_qrels({"1": {"a": 3}}), as_run({"1": ["b", "a"]})
        >>> recipe = build_recipes("DCG@10", None, {})[1]["DCG@10"]
        >>> query = next(rank_side_by_side(qrels, [run], recipe, ["1"], ranks=10))
        >>> [(row.rank, row.doc, row.grade, row.gain) for row in query.rankings[0].rows]
        [(1, 'b', None, 0.0), (2, 'a', 3.0, 3.0)]
    """
    if not queries:
        return
    grades_by_query = _grades_by_query(select_qrels(qrels, queries))
    sides = [
        _MatchedQueries.from_run(qrels, select_run(run, queries), recipe, queries) for run in runs
    ]
    for query in queries:
        grades = grades_by_query.get(query, {})
        gains = doc_gains(recipe, grades) if recipe.measure.entry.cumulated else {}
        rankings = tuple(side.build_ranking(query, grades, gains, ranks) for side in sides)
        yield SideBySide(query, grades, gains, rankings)


@frozen(eq=False)
class _MatchedQueries:
    """The chosen queries of one run, each where it is found at once."""

    run_by_query: Mapping[str, Run]
    matched: Matched
    position: Mapping[str, int]
    recipe: Recipe

    @classmethod
    def from_run(
        cls, qrels: Qrels | NestedDict, run: Run, recipe: Recipe, queries: Sequence[str]
    ) -> _MatchedQueries:
        frames = run.frame.partition_by("query", as_dict=True, maintain_order=True)
        matched = match(select_qrels(qrels, queries), run, recipe.convention)
        return cls(
            {str(query): Run(frame, run.name) for (query,), frame in frames.items()},
            matched,
            {query: at for at, query in enumerate(matched.queries)},
            recipe,
        )

    def build_ranking(
        self, query: str, grades: Mapping[str, float], gains: dict[str, float], ranks: int
    ) -> Ranking | None:
        if query not in self.run_by_query:
            return None
        rows = rank_query(self.run_by_query[query], query, grades, self.recipe)
        if not self.recipe.measure.entry.cumulated or query not in self.position:
            return Ranking(tuple(rows[:ranks]), max(0, len(rows) - ranks))
        selected = np.zeros(len(self.matched.queries), dtype=bool)
        selected[self.position[query]] = True
        ranked = rank_run_gains(
            self.recipe, rank_run(self.matched.select_queries(selected), self.recipe.convention)
        )
        dcg, idcg = (float(sums[0]) for sums in total_gains(self.recipe, ranked))
        weighted_rows = add_contributions(
            self.recipe, fill_short_ranking(self.recipe, rows, ranked), gains
        )
        depth = self.recipe.depth
        below_cutoff = [row for row in rows if depth is not None and row.rank > depth]
        all_rows = [*weighted_rows, *below_cutoff]
        return Ranking(
            tuple(all_rows[:ranks]),
            max(0, len(all_rows) - ranks),
            tuple(ideal_ranking(self.recipe, ranked)[:ranks]),
            dcg,
            idcg,
        )


def _grades_by_query(qrels: Qrels) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    frame = qrels.frame.select("query", "doc", pl.col("grade").cast(pl.Float64))
    for query, doc, grade in frame.iter_rows():
        grades.setdefault(query, {})[doc] = grade
    return grades
