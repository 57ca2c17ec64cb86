"""One query of several runs, laid side by side: who stands where, and what that brings.

Ranks, gains, discounts and ideals are those of the evaluation; here they get names beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from attrs import frozen

from gainful.evidence.moves.ranked_query import Row, depth_of, gains_of, ranking
from gainful.evidence.moves.select_queries import some_of_judgments, some_of_run
from gainful.evidence.reasons.rank_by_rank import IdealRow, filled, ideal_rows, weighted
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.cumulated_gain import ranked_seen, total
from gainful.measure.ranked_run import seen
from gainful.measure.recipe import Recipe
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run


@frozen
class Ranking:
    """One run's ranking of a query; sums and ideal are there where gain is cumulated.

    Rows below the cutoff of the measure have a rank and a grade, and bring nothing.
    """

    rows: tuple[Row, ...]
    more: int  # documents that are not among the rows
    ideal: tuple[IdealRow, ...] = ()
    dcg: float | None = None
    idcg: float | None = None


@frozen
class LaidOut:
    """A query: its judged documents, and its ranking in each run; None where a run lacks it."""

    query: str
    grades: Mapping[str, float]
    gains: Mapping[str, float]  # of the judged documents, where gain is cumulated
    rankings: tuple[Ranking | None, ...]


def laid_out(
    qrels: Judgments | Nested,
    runs: Sequence[Run | Nested | Elsewhere],
    recipe: Recipe,
    queries: Sequence[str],
    *,
    ranks: int,
) -> Iterator[LaidOut]:
    """These queries one after the other, each with its rankings down to so many ranks.

    Args:
        judgments: what was judged.
        runs: the runs to lay side by side.
        how: the measure whose gains and discounts are told.
        queries: which queries.
        ranks: how many documents of each ranking.

    Examples:
        >>> from gainful.measure.evaluate import asked_for
        >>> from gainful.read.inputs import as_judgments, as_run
        >>> judged, run = as_judgments({"1": {"a": 3}}), as_run({"1": ["b", "a"]})
        >>> how = asked_for("DCG@10", None, {})[1]["DCG@10"]
        >>> one = next(laid_out(judged, [run], how, ["1"], ranks=10))
        >>> [(row.rank, row.doc, row.grade, row.gain) for row in one.rankings[0].rows]
        [(1, 'b', None, 0.0), (2, 'a', 3.0, 3.0)]
    """
    if not queries:
        return
    judged = _grades(some_of_judgments(qrels, queries))
    sides = [_Side.of(qrels, some_of_run(run, queries), recipe, queries) for run in runs]
    for query in queries:
        grades = judged.get(query, {})
        gains = gains_of(recipe, grades) if recipe.measure.entry.cumulated else {}
        rankings = tuple(side.ranking(query, grades, gains, ranks) for side in sides)
        yield LaidOut(query, grades, gains, rankings)


@frozen(eq=False)
class _Side:
    """The chosen queries of one run, each where it is found at once."""

    rows: Mapping[str, Run]
    found: Matched
    place: Mapping[str, int]
    how: Recipe

    @classmethod
    def of(
        cls, qrels: Judgments | Nested, run: Run, recipe: Recipe, queries: Sequence[str]
    ) -> _Side:
        parts = run.frame.partition_by("query", as_dict=True, maintain_order=True)
        found = match(some_of_judgments(qrels, queries), run, recipe.convention)
        return cls(
            {str(query): Run(frame, run.name) for (query,), frame in parts.items()},
            found,
            {query: at for at, query in enumerate(found.queries)},
            recipe,
        )

    def ranking(
        self, query: str, grades: Mapping[str, float], gains: dict[str, float], ranks: int
    ) -> Ranking | None:
        if query not in self.rows:
            return None
        rows = ranking(self.rows[query], query, grades, self.how)
        if not self.how.measure.entry.cumulated or query not in self.place:
            return Ranking(tuple(rows[:ranks]), max(0, len(rows) - ranks))
        flags = np.zeros(len(self.found.queries), dtype=bool)
        flags[self.place[query]] = True
        ranked = ranked_seen(self.how, seen(self.found.only(flags), self.how.convention))
        dcg, idcg = (float(sums[0]) for sums in total(self.how, ranked))
        counted = weighted(self.how, filled(self.how, rows, ranked), gains)
        depth = depth_of(self.how)
        below = [row for row in rows if depth is not None and row.rank > depth]
        every = [*counted, *below]
        return Ranking(
            tuple(every[:ranks]),
            max(0, len(every) - ranks),
            tuple(ideal_rows(self.how, ranked)[:ranks]),
            dcg,
            idcg,
        )


def _grades(qrels: Judgments) -> dict[str, dict[str, float]]:
    parts: dict[str, dict[str, float]] = {}
    frame = qrels.frame.select("query", "doc", pl.col("grade").cast(pl.Float64))
    for query, doc, grade in frame.iter_rows():
        parts.setdefault(query, {})[doc] = grade
    return parts
