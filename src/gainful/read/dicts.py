"""Dicts: {query: {document: number}}, and lists of documents in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from itertools import pairwise
from numbers import Integral
from typing import Any

import polars as pl

from gainful.errors import BadInput, Duplicated
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.ranked_items import DocNumbers, as_list, is_id, parse_number, read_items
from gainful.text import quote

_RUN_SHAPE = "{query: {document: score}}, {query: [document, …]} or {query: [(document, score), …]}"
_QRELS_SHAPE = "{query: {document: grade}} or {query: [relevant document, …]}"
_RISING = (
    "scores rise down every list, and the highest counts as best: if these are distances, pass "
    "the documents alone, in rank order"
)

DocScores = list[tuple[Any, float]]  # documents with their scores


def read_qrels_dict(mapping: Mapping[Any, Any], name: str) -> NestedDict:
    """Judgments as a dict of dicts; a list or set of documents stands for grade 1."""
    inner: dict[Any, Any] = {}
    for query, judged in mapping.items():
        if type(judged) is dict or isinstance(judged, Mapping):  # the first is the faster one
            inner[query] = judged
            continue
        entries = as_list(judged)
        if entries is None:
            raise _mapping_error(name, query, judged, _QRELS_SHAPE)
        pairs = read_entries(entries, name, query, "grade")
        inner[query] = {doc: 1 if grade is None else grade for doc, grade in pairs}
        if len(inner[query]) < len(pairs):
            place = f"{name}[{quote(query)}]"
            raise Duplicated(place, "a document stands twice in it", "each document once")
    if not any(inner.values()):
        raise BadInput(name, "there is not one judgment in it", _QRELS_SHAPE)
    return _check_query_type(NestedDict(inner, name))


def read_run_dict(mapping: Mapping[Any, Any], name: str) -> NestedDict | Run:
    """A run as a dict of dicts; lists of documents are in rank order, and may repeat one."""
    if not mapping:
        raise BadInput(name, "there is not one query in it", _RUN_SHAPE)
    for ranking in mapping.values():
        if type(ranking) is not dict and not isinstance(ranking, Mapping):
            return _read_lists(mapping, name)
    return _check_query_type(NestedDict(mapping, name))


def to_frame(nested: NestedDict, number: str) -> pl.DataFrame:
    """Dicts of judgments or of a run as columns."""
    rows = [
        (str(query), str(doc), parse_number(value, nested.name, query, doc, number))
        for query, inner in nested.mapping.items()
        for doc, value in inner.items()
    ]
    return _build_frame(rows, number, nested.name)


def to_qrels(nested: NestedDict) -> Qrels:
    """Dicts of judgments or of a run as columns."""
    silent = tuple(str(query) for query, judged in nested.mapping.items() if not judged)
    return Qrels(
        to_frame(nested, "grade"),
        nested.name,
        silent=silent,
        notes=nested.notes,
        list_count=nested.list_count,
    )


def to_run(nested: NestedDict) -> Run:
    """A run as columns."""
    silent = frozenset(str(query) for query, ranking in nested.mapping.items() if not ranking)
    return Run(
        to_frame(nested, "score"),
        nested.name,
        silent=silent,
        notes=nested.notes,
        list_count=nested.list_count,
    )


def read_entries(entries: list[Any], name: str, query: object, number: str) -> DocNumbers:
    """Documents out of a list, with their numbers where they have some."""
    if entries and not is_id(entries[0]):
        return read_items(entries, name, query, number)
    return [(doc, None) for doc in _check_ids(entries, name, query)]


def score_in_order(pairs: DocNumbers) -> DocScores:
    """Documents with their scores; where one has none, each scores below the one before."""
    scored = [(doc, score) for doc, score in pairs if score is not None]
    if len(scored) == len(pairs):
        return scored
    return score_by_rank(doc for doc, _ in pairs)


def score_by_rank(docs: Iterable[Any]) -> DocScores:
    """Documents in rank order, each with a score below the one before."""
    return [(doc, -float(place)) for place, doc in enumerate(docs, start=1)]


def note_rising_scores(rankings: Iterable[DocNumbers]) -> tuple[str, ...]:
    """What is to be said of lists whose last document scores best, all of them."""
    rising = False
    for pairs in rankings:
        scores = [score for _, score in pairs if score is not None]
        if any(later < score for score, later in pairwise(scores)):
            return ()
        rising = rising or len(set(scores)) > 1
    return (_RISING,) if rising else ()


def check_scores(ranking: Mapping[Any, Any], name: str, query: object) -> DocScores:
    """Documents with the scores they have."""
    return [(doc, parse_number(score, name, query, doc, "score")) for doc, score in ranking.items()]


def build_run(
    name: str, rankings: Iterable[tuple[str, DocScores]], notes: Sequence[str] = ()
) -> Run:
    """A run of documents with scores, in which one may stand twice."""
    lists = list(rankings)
    rows = [(str(query), str(doc), score) for query, pairs in lists for doc, score in pairs]
    places = [place for _, pairs in lists for place in range(1, len(pairs) + 1)]
    silent = frozenset(str(query) for query, pairs in lists if not pairs)
    frame = _build_frame(rows, "score", name)
    return Run(frame, name, lambda row: f"place {places[row]}", silent=silent, notes=notes)


def _read_lists(mapping: Mapping[Any, Any], name: str) -> NestedDict | Run:
    """Lists as dicts with falling scores, unless a document stands twice in one of them."""
    scored_lists: list[DocNumbers] = []
    pairs: dict[Any, DocScores] = {}
    for query, ranking in mapping.items():
        if isinstance(ranking, Mapping):
            pairs[query] = check_scores(ranking, name, query)
            continue
        entries = None if isinstance(ranking, AbstractSet) else as_list(ranking)
        if entries is None:
            raise _mapping_error(name, query, ranking, _RUN_SHAPE)
        if not entries or is_id(entries[0]):
            pairs[query] = score_by_rank(_check_ids(entries, name, query))
            continue
        scored_lists.append(read_items(entries, name, query, "score"))
        pairs[query] = score_in_order(scored_lists[-1])
    notes = note_rising_scores(scored_lists)
    dicts = {query: dict(ranking) for query, ranking in pairs.items()}
    if any(len(dicts[query]) < len(pairs[query]) for query in pairs):
        return build_run(name, pairs.items(), notes)
    return _check_query_type(NestedDict(dicts, name, notes))


def _build_frame(rows: list[tuple[str, str, float]], number: str, name: str) -> pl.DataFrame:
    schema = {"query": pl.String, "doc": pl.String, number: pl.Float64}
    try:
        return pl.DataFrame(rows, schema=schema, orient="row")
    except UnicodeEncodeError:
        raise BadInput(name, "an id is no Unicode text") from None


def _check_query_type(nested: NestedDict) -> NestedDict:
    """Queries that are texts and queries that are numbers do not go together in one dict."""
    if len({issubclass(kind, Integral) for kind in set(map(type, nested.mapping))}) > 1:
        raise BadInput(nested.name, "some queries are texts and some are numbers", "one kind")
    return nested


def _check_ids(ids: list[Any], name: str, query: object) -> list[Any]:
    for value in ids:
        if not is_id(value):
            place = f"{name}[{quote(query)}]"
            raise BadInput(place, f"{quote(value)} is no document id", "texts or whole numbers")
    return ids


def _mapping_error(name: str, query: object, value: object, expected: str) -> BadInput:
    return BadInput(f"{name}[{quote(query)}]", f"{quote(value)} is no dict or list", expected)
