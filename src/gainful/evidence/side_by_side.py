"""One query of several runs, laid side by side: who stands where, and what that brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from gainful.evidence.worked_ranking import IdealRank, doc_gains, work_out_ranking
from gainful.match.rankings import MatchedRun, RankedDoc, Rankings
from gainful.measure.recipe import Recipe


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
    runs: Sequence[MatchedRun], recipe: Recipe, queries: Sequence[str], *, ranks: int
) -> Iterator[SideBySide]:
    """These queries one after the other, each with its rankings down to so many ranks.

    Args:
        runs: the runs to lay side by side, matched with the same judgments.
        recipe: the measure whose gains and discounts are told.
        queries: which queries.
        ranks: how many documents of each ranking.

    Examples:
        >>> from gainful.match.match import match
        >>> from gainful.measure.build_recipes import build_recipes
        >>> from gainful.read.inputs import as_qrels, as_run
        >>> qrels, run = as_qrels({"1": {"a": 3}}), as_run({"1": ["b", "a"]})
        >>> recipe = build_recipes("DCG@10", None, {})[1]["DCG@10"]
        >>> matched = MatchedRun(qrels, run, match(qrels, run, recipe.convention))
        >>> compared = next(rank_side_by_side([matched], recipe, ["1"], ranks=10))
        >>> [(row.rank, row.doc, row.grade, row.gain) for row in compared.rankings[0].rows]
        [(1, 'b', None, 0.0), (2, 'a', 3.0, 3.0)]
    """
    rankings = [run.rank_documents(recipe.convention, queries) for run in runs]
    for query in queries:
        grades = rankings[0].grades[query]
        gains = doc_gains(recipe, grades) if recipe.entry.cumulated else {}
        sides = tuple(_build_ranking(side, query, recipe, ranks) for side in rankings)
        yield SideBySide(query, grades, gains, sides)


def _build_ranking(rankings: Rankings, query: str, recipe: Recipe, ranks: int) -> Ranking | None:
    if query not in rankings.by_query:
        return None
    worked = work_out_ranking(rankings, query, recipe)
    rows = (*worked.rows, *worked.below)
    return Ranking(
        rows[:ranks],
        max(0, len(rows) - ranks),
        worked.ideal[:ranks],
        worked.dcg,
        worked.idcg,
    )
