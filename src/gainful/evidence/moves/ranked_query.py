"""One query of a run, document by document: who stands at which rank, with which grade?

Measures need no names; whoever wants to show a ranking does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.convention import Convention
from gainful.match.matched import reduce_precision
from gainful.measure.grade_gains import apply_fractional, grade_gains
from gainful.measure.recipe import Recipe
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


@frozen
class RankedDoc:
    """One document at its rank; `until` is the last rank of a block over which ties are averaged.

    `grade` is None for a document without a judgment; gain, discount and contribution are None
    where the measure is no cumulated gain. What fills a short list has no name.
    """

    rank: int
    until: int
    doc: str | None
    score: float | None
    grade: float | None
    gain: float | None = None
    discount: float | None = None
    contribution: float | None = None


def rank_query(
    run: Run | NestedDict, query: str, grades: Mapping[str, float], recipe: Recipe
) -> list[RankedDoc]:
    """All documents of a query at the ranks that the convention gives them."""
    documents = _filter_docs(_docs_with_scores(run, query), recipe.convention, query)
    gains = doc_gains(recipe, grades) if recipe.measure.entry.cumulated else grades
    return _rank_docs(documents, grades, recipe.convention, gains)


def _docs_with_scores(run: Run | NestedDict, query: str) -> list[tuple[str, float]]:
    """Documents and scores in the order given."""
    if isinstance(run, Run):
        frame = run.frame.filter(run.frame["query"] == query)
        return list(zip(frame["doc"].to_list(), frame["score"].to_list(), strict=True))
    return [(str(doc), float(score)) for doc, score in _inner_dict(run, query).items()]


def query_grades(qrels: Qrels | NestedDict, query: str) -> dict[str, float]:
    """The judged documents of a query with their grades."""
    if isinstance(qrels, Qrels):
        frame = qrels.frame.filter(qrels.frame["query"] == query)
        return dict(zip(frame["doc"].to_list(), frame["grade"].to_list(), strict=True))
    return {str(doc): float(grade) for doc, grade in _inner_dict(qrels, query).items()}


def _inner_dict(nested_dict: NestedDict, query: str) -> Any:
    return next((inner for name, inner in nested_dict.mapping.items() if str(name) == query), {})


def _filter_docs(
    documents: list[tuple[str, float]], convention: Convention, query: str
) -> list[tuple[str, float]]:
    """The documents that are in the ranking at all, as it is matched."""
    if convention.namesake == "remove":
        documents = [pair for pair in documents if pair[0] != query]
    if convention.duplicates != "count":  # the last one counts, and stands where it stands
        last_place = {doc: place for place, (doc, _) in enumerate(documents)}
        documents = [pair for place, pair in enumerate(documents) if last_place[pair[0]] == place]
    return documents


def _rank_docs(
    documents: list[tuple[str, float]],
    grades: Mapping[str, float],
    convention: Convention,
    gains: Mapping[str, float],
) -> list[RankedDoc]:
    """The documents at the ranks that the convention gives them; `gains` order best and worst."""
    if convention.unjudged == "remove":
        documents = [pair for pair in documents if pair[0] in grades]
    if convention.negative == "remove":
        documents = [pair for pair in documents if grades.get(pair[0], 0) >= 0]
    scores = reduce_precision(
        np.array([score for _, score in documents], dtype=float), convention.score_bits
    )
    places = list(range(len(documents)))
    if convention.ties in ("doc_descending", "doc_ascending"):
        places.sort(key=lambda at: documents[at][0], reverse=convention.ties == "doc_descending")
    elif convention.ties == "reversed":
        places.reverse()
    elif convention.ties in ("best", "worst"):
        sign = -1 if convention.ties == "best" else 1
        places.sort(key=lambda at: sign * gains.get(documents[at][0], 0.0))
    places.sort(key=lambda at: -scores[at])  # stable: ties stay as they are
    sorted_scores = np.sort(-scores)
    rows = []
    for rank, at in enumerate(places, start=1):
        doc, score = documents[at]
        first = int(np.searchsorted(sorted_scores, -scores[at], side="left")) + 1
        last = int(np.searchsorted(sorted_scores, -scores[at], side="right"))
        span = {"average": (first, last), "mean_rank": ((first + last) // 2,) * 2}
        begin, until = span.get(convention.ties, (rank, rank))
        rows.append(RankedDoc(begin, until, doc, score, grades.get(doc)))
    return rows


def cut_ranking(rows: Sequence[RankedDoc], depth: float | None) -> tuple[RankedDoc, ...]:
    """The rows down to a rank."""
    return tuple(row for row in rows if depth is None or row.rank <= depth)


def doc_gains(recipe: Recipe, grades: Mapping[str, float]) -> dict[str, float]:
    """What each judged document of the query is worth."""
    if not grades:
        return {}

    def find(_: object) -> tuple[str, float]:  # the evaluation has refused what is to be refused
        return "a grade", 0.0

    grade_values = apply_fractional(
        np.array(list(grades.values()), dtype=float), recipe.convention, find
    )
    if recipe.convention.negative == "remove":
        grade_values = np.maximum(
            grade_values, 0.0
        )  # taken out above; a gain table need not know them
    return dict(
        zip(
            grades,
            grade_gains(grade_values, recipe.gain, recipe.convention, find, None).tolist(),
            strict=True,
        )
    )
