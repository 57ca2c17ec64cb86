"""Which queries changed most between two runs, what moved in them, and what that explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gainful.errors import BadValue
from gainful.evidence.moves.credit import Credit, credit_docs, rank_query_docs
from gainful.evidence.moves.largest_changes import ChangedQuery, LargestChanges, Move, MovedDoc
from gainful.evidence.pairing import values_by_query
from gainful.evidence.worked_ranking import doc_gains
from gainful.match.rankings import MatchedRun, RankedDoc, Rankings
from gainful.measure.recipe import Recipe
from gainful.measure.run_values import RunValues
from gainful.rounding import ROUNDING, ROUNDING_DECIMALS
from gainful.text import count_noun


def find_largest_changes(
    runs: tuple[MatchedRun, MatchedRun],
    recipe: Recipe,
    values: tuple[RunValues, RunValues],
    *,
    most: int = 5,
) -> LargestChanges:
    """Which queries changed most from one run to another, and what moved in them?

    Args:
        runs: the baseline, and the run that is compared with it, matched with the same judgments.
        recipe: one of the measures that were computed.
        values: the results of both.
        most: how many queries to take apart that rose, and how many that fell.

    Examples:
        >>> from gainful.match.match import match
        >>> from gainful.measure.build_recipes import build_recipes
        >>> from gainful.measure.evaluate import measure_run
        >>> from gainful.read.inputs import as_qrels, as_run
        >>> qrels = as_qrels({"1": {"a": 1}})
        >>> convention, recipes = build_recipes("RR", None, {})
        >>> runs = [
        ...     MatchedRun(qrels, run, match(qrels, run, convention))
        ...     for run in (as_run({"1": ["b", "a"]}), as_run({"1": ["a", "b"]}))
        ... ]
        >>> values = [measure_run(run, recipes, convention) for run in runs]
        >>> find_largest_changes(runs, recipes["RR"], values).queries[0].documents
        (MovedDoc(doc='a', grade=1.0, before=2, after=1, what='up', share=0.5),)
    """
    if most < 0:
        raise BadValue("most", most, "a whole number from 0 on")
    (before, _, _), (after, name, recipe) = (_query_values(results, recipe) for results in values)
    both = [query for query in before if query in after]
    changes = {query: round(after[query] - before[query], ROUNDING_DECIMALS) for query in both}
    changed = {
        query: change for query, change in changes.items() if _is_change(change, before[query])
    }
    by_size = sorted(changed, key=lambda query: (-abs(changed[query]), query))
    rose = [query for query in by_size if changed[query] > 0]
    fell = [query for query in by_size if changed[query] < 0]
    selected = [*rose[:most], *fell[:most]]
    rankings = (
        runs[0].rank_documents(recipe.convention, selected),
        runs[1].rank_documents(recipe.convention, selected),
    )
    return LargestChanges(
        measure=name,
        runs=(values[0].name, values[1].name),
        depth=recipe.depth,
        queries=tuple(
            _describe_change(rankings, query, (before[query], after[query]), recipe)
            for query in selected
        ),
        rose=len(rose),
        fell=len(fell),
        same=len(both) - len(changed),
        unpaired=(len(before) - len(both), len(after) - len(both)),
    )


def _is_change(change: float, before: float) -> bool:
    return abs(change) > ROUNDING * (1 + abs(before))


def _query_values(results: RunValues, recipe: Recipe) -> tuple[dict[str, float], str, Recipe]:
    """The value of each query that has one; the measure as it was asked for and computed."""
    name = next(
        (key for key, measure in results.measures.items() if str(measure) == recipe.label), None
    )
    if name is None:
        measure_names = ", ".join(map(str, results.measures.values()))
        raise BadValue("recipe", recipe.label, f"a measure that was computed: {measure_names}")
    return values_by_query(results, name), name, results.recipes[name]


def _describe_change(
    rankings: tuple[Rankings, Rankings],
    query: str,
    values: tuple[float, float],
    recipe: Recipe,
) -> ChangedQuery:
    """What moved in a query, and how much of its change that explains."""
    before, after = values
    grades = rankings[0].grades[query]
    gains = doc_gains(recipe, grades) if recipe.entry.cumulated else grades
    rows = [side.rank_docs(query, gains) for side in rankings]
    ranks = [_doc_ranks(ranking) for ranking in rows]
    top_ranks = [_doc_ranks(ranking, recipe.depth) for ranking in rows]
    both = top_ranks[0].keys() | top_ranks[1].keys()
    moves = {doc: _classify_move(top_ranks[0].get(doc), top_ranks[1].get(doc)) for doc in both}
    move_list = list(moves.values())
    sides = [rank_query_docs(side, query, recipe) for side in rankings]
    credit = credit_docs(sides[0], sides[1], recipe, after - before)
    return ChangedQuery(
        query=query,
        before=before,
        after=after,
        change=after - before,
        documents=_list_moves(credit, grades, ranks, moves),
        rest=credit.rest,
        up=move_list.count("up"),
        down=move_list.count("down"),
        lost=move_list.count("lost"),
        new=move_list.count("new"),
        unjudged=(_count_holes(top_ranks[0], grades), _count_holes(top_ranks[1], grades)),
        notes=_write_notes(recipe, credit),
    )


def _write_notes(recipe: Recipe, credit: Credit) -> tuple[str, ...]:
    decimals = recipe.convention.decimals
    if credit.problem:
        note = f"{recipe.label} does not tell what each document explains: {credit.problem}"
        return (note,)
    if decimals is None or not credit.rest:
        return credit.notes
    rounding_note = (
        f"values are rounded to {count_noun(decimals, 'decimal')}, what documents explain is not"
    )
    return (*credit.notes, rounding_note)


def _doc_ranks(rows: Sequence[RankedDoc], depth: int | None = None) -> dict[str, float]:
    """The rank of each document, the first one of a document that stands there twice."""
    ranks: dict[str, float] = {}
    for row in rows:
        if row.doc is not None and (depth is None or row.rank <= depth):
            mean_rank = row.rank if row.rank == row.until else (row.rank + row.until) / 2
            ranks.setdefault(row.doc, mean_rank)
    return ranks


def _classify_move(before: float | None, after: float | None) -> Move:
    if before is None:
        return "new"
    if after is None:
        return "lost"
    return "same" if before == after else ("up" if after < before else "down")


def _count_holes(top: Mapping[str, float], grades: Mapping[str, float]) -> int:
    return len(top.keys() - grades.keys())


def _list_moves(
    credit: Credit,
    grades: Mapping[str, float],
    ranks: Sequence[Mapping[str, float]],
    moves: Mapping[str, Move],
) -> tuple[MovedDoc, ...]:
    """The documents that explain something; where that is not known, those that moved."""
    before, after = ranks
    shares: dict[str, float | None] = {doc: share for doc, share in credit.shares.items() if share}
    if credit.problem:
        shares = {doc: None for doc in moves if doc in grades and moves[doc] != "same"}
    docs = [
        MovedDoc(
            doc=doc,
            grade=grades[doc],
            before=before.get(doc),
            after=after.get(doc),
            what=moves.get(doc) or _classify_move(before.get(doc), after.get(doc)),
            share=share,
        )
        for doc, share in shares.items()
    ]
    return tuple(sorted(docs, key=_sort_key))


def _sort_key(moved: MovedDoc) -> tuple[float, float, float, str]:
    before, after = (np.inf if rank is None else rank for rank in (moved.before, moved.after))
    return -round(abs(moved.share or 0.0), ROUNDING_DECIMALS), after, before, moved.doc
