"""Dicts: {query: {document: number}}, and lists of documents in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from numbers import Integral, Real
from typing import Any

import polars as pl

from gainful.errors import BadInput, Duplicated
from gainful.read.jsonl import load_json
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.source import Source
from gainful.text import quote

_RUN_SHAPE = "{query: {document: score}} or {query: [document, …]}"
_QRELS_SHAPE = "{query: {document: grade}} or {query: [relevant document, …]}"

DocScores = list[tuple[Any, float]]  # documents with their scores


def read_qrels_dict(mapping: Mapping[Any, Any], name: str) -> NestedDict:
    """Judgments as a dict of dicts; a list or set of documents stands for grade 1."""
    inner: dict[Any, Any] = {}
    for query, judged in mapping.items():
        if type(judged) is dict or isinstance(judged, Mapping):  # the first is the faster one
            inner[query] = judged
        elif _is_list(judged):
            ids = _check_ids(judged, name, query)
            inner[query] = dict.fromkeys(ids, 1)
            if len(inner[query]) < len(ids):
                place = f"{name}[{quote(query)}]"
                raise Duplicated(place, "a document stands twice in it", "each document once")
        else:
            raise _mapping_error(name, query, judged, _QRELS_SHAPE)
    if not any(inner.values()):
        raise BadInput(name, "there is not one judgment in it", _QRELS_SHAPE)
    return _check_query_type(NestedDict(inner, name))


def read_run_dict(mapping: Mapping[Any, Any], name: str) -> NestedDict | Run:
    """A run as a dict of dicts; lists of documents are in rank order, and may repeat one."""
    if not mapping:
        raise BadInput(name, "there is not one query in it", _RUN_SHAPE)
    dicts = True
    for query, ranking in mapping.items():
        if type(ranking) is not dict and not isinstance(ranking, Mapping):
            dicts = False
            if isinstance(ranking, AbstractSet) or not _is_list(ranking):
                raise _mapping_error(name, query, ranking, _RUN_SHAPE)
    return _check_query_type(NestedDict(mapping, name)) if dicts else _read_lists(mapping, name)


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
    return Qrels(to_frame(nested, "grade"), nested.name, silent=silent)


def to_run(nested: NestedDict) -> Run:
    """A run as columns."""
    silent = frozenset(str(query) for query, ranking in nested.mapping.items() if not ranking)
    return Run(to_frame(nested, "score"), nested.name, silent=silent)


def read_qrels(source: Source) -> Qrels:
    """Judgments from a JSON file with one object of objects."""
    return to_qrels(read_qrels_dict(_load_mapping(source), source.name))


def read_run(source: Source) -> Run:
    """A run from a JSON file with one object of objects."""
    value = read_run_dict(_load_mapping(source), source.name)
    return value if isinstance(value, Run) else to_run(value)


def score_by_rank(ids: Iterable[Any], name: str, query: object) -> DocScores:
    """Documents in rank order, each with a score below the one before."""
    return [(doc, -float(place)) for place, doc in enumerate(_check_ids(ids, name, query), start=1)]


def check_scores(ranking: Mapping[Any, Any], name: str, query: object) -> DocScores:
    """Documents with the scores they have."""
    return [(doc, parse_number(score, name, query, doc, "score")) for doc, score in ranking.items()]


def build_run(name: str, rankings: Iterable[tuple[str, DocScores]]) -> Run:
    """A run of documents with scores, in which one may stand twice."""
    lists = list(rankings)
    rows = [(str(query), str(doc), score) for query, pairs in lists for doc, score in pairs]
    places = [place for _, pairs in lists for place in range(1, len(pairs) + 1)]
    silent = frozenset(str(query) for query, pairs in lists if not pairs)
    frame = _build_frame(rows, "score", name)
    return Run(frame, name, lambda row: f"place {places[row]}", silent=silent)


def parse_number(value: Any, name: str, query: object, doc: object, what: str) -> float:
    """A number, or an error that says whose it is."""
    if isinstance(value, Real) or type(value).__module__ in ("numpy", "decimal"):
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError):
            pass
    place = f"{name}[{quote(query)}][{quote(doc)}]"
    raise BadInput(place, f"{what} {quote(value)} is not a finite number")


def _read_lists(mapping: Mapping[Any, Any], name: str) -> NestedDict | Run:
    """Lists as dicts with falling scores, unless a document stands twice in one of them."""
    pairs = {
        query: check_scores(ranking, name, query)
        if isinstance(ranking, Mapping)
        else score_by_rank(ranking, name, query)
        for query, ranking in mapping.items()
    }
    dicts = {query: dict(ranking) for query, ranking in pairs.items()}
    if any(len(dicts[query]) < len(pairs[query]) for query in pairs):
        return build_run(name, pairs.items())
    return _check_query_type(NestedDict(dicts, name))


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


def _check_ids(values: Any, name: str, query: object) -> list[Any]:
    ids = values.tolist() if hasattr(values, "tolist") else list(values)
    for value in ids:
        if isinstance(value, bool) or not isinstance(value, (str, Integral)):
            place = f"{name}[{quote(query)}]"
            raise BadInput(place, f"{quote(value)} is no document id", "texts or whole numbers")
    return ids


def _load_mapping(source: Source) -> Mapping[Any, Any]:
    try:
        value = load_json(source.read_bytes(), source.name)
    except ValueError as failure:
        if isinstance(failure, BadInput):
            raise
        raise BadInput(source.name, f"this is not JSON: {failure}") from None
    if not isinstance(value, dict):
        raise BadInput(source.name, f"{quote(value)} is no object", "{query: {document: number}}")
    return value


def _is_list(value: object) -> bool:
    array = hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1
    return array or isinstance(value, (list, tuple, AbstractSet))


def _mapping_error(name: str, query: object, value: object, expected: str) -> BadInput:
    return BadInput(f"{name}[{quote(query)}]", f"{quote(value)} is no dict or list", expected)
