"""Dicts: {query: {document: number}}, and lists of documents in their place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from typing import Any

import polars as pl

from gainful.errors import BadInput, shown
from gainful.read.source import Source
from gainful.read.values import Judgments, Nested, Run

_OF_RUN = "{query: {document: score}} or {query: [document, …]}"
_OF_JUDGMENTS = "{query: {document: grade}} or {query: [relevant document, …]}"


def judgments_of(mapping: Mapping[Any, Any], name: str) -> Nested:
    """Judgments as a dict of dicts; a list or set of documents stands for grade 1."""
    inner: dict[Any, Any] = {}
    for query, judged in mapping.items():
        if isinstance(judged, Mapping):
            inner[query] = judged
        elif _is_list(judged):
            inner[query] = dict.fromkeys(_ids(judged, name, query), 1)
        else:
            raise _no_mapping(name, query, judged, _OF_JUDGMENTS)
    judged = {query: grades for query, grades in inner.items() if grades}
    if not judged:
        raise BadInput(name, "there is not one judgment in it", _OF_JUDGMENTS)
    return Nested(judged, name)


def run_of(mapping: Mapping[Any, Any], name: str) -> Nested | Run:
    """A run as a dict of dicts; lists of documents are in rank order, and may repeat one."""
    if not mapping:
        raise BadInput(name, "there is not one query in it", _OF_RUN)
    listed_ = False
    for query, ranking in mapping.items():
        if isinstance(ranking, (list, tuple)):
            listed_ = True
        elif not isinstance(ranking, Mapping):
            raise _no_mapping(name, query, ranking, _OF_RUN)
    return _of_lists(mapping, name) if listed_ else Nested(mapping, name)


def as_frame(nested: Nested, number: str) -> pl.DataFrame:
    """The same as columns."""
    queries, docs, numbers = [], [], []
    for query, inner in nested.mapping.items():
        for doc, value in inner.items():
            queries.append(str(query))
            docs.append(str(doc))
            numbers.append(_number(value, nested.name, query, doc, number))
    return pl.DataFrame(
        {"query": queries, "doc": docs, number: numbers},
        schema={"query": pl.String, "doc": pl.String, number: pl.Float64},
    )


def judgments(source: Source) -> Judgments:
    """Judgments from a JSON file with one object of objects."""
    nested = judgments_of(_loaded(source), source.name)
    return Judgments(as_frame(nested, "grade"), source.name)


def run(source: Source) -> Run:
    """A run from a JSON file with one object of objects."""
    found = run_of(_loaded(source), source.name)
    return found if isinstance(found, Run) else Run(as_frame(found, "score"), source.name)


def listed(name: str, rankings: Iterable[tuple[str, Sequence[Any] | Mapping[Any, Any]]]) -> Run:
    """A run from documents in rank order, or from documents with their scores."""
    queries, docs, scores = [], [], []
    ranks: list[int] = []
    silent = set()
    for query, ranking in rankings:
        if not ranking:
            silent.add(str(query))
        if isinstance(ranking, Mapping):
            pairs = [(d, _number(s, name, query, d, "score")) for d, s in ranking.items()]
        else:
            ids = _ids(ranking, name, query)
            pairs = [(doc, -float(place)) for place, doc in enumerate(ids, start=1)]
        queries += [str(query)] * len(pairs)
        docs += [str(doc) for doc, _ in pairs]
        scores += [score for _, score in pairs]
        ranks += range(1, len(pairs) + 1)
    frame = {"query": queries, "doc": docs, "score": scores}
    schema = {"query": pl.String, "doc": pl.String, "score": pl.Float64}
    return Run(
        pl.DataFrame(frame, schema=schema),
        name,
        lambda row: f"place {ranks[row]}",
        silent=frozenset(silent),
    )


def _of_lists(mapping: Mapping[Any, Any], name: str) -> Nested | Run:
    """Lists as dicts with falling scores, unless a document stands twice in one of them."""
    scored: dict[Any, Any] = {}
    for query, ranking in mapping.items():
        scored[query] = ranking
        if not isinstance(ranking, Mapping):
            ids = _ids(ranking, name, query)
            scored[query] = {doc: -float(place) for place, doc in enumerate(ids, start=1)}
            if len(scored[query]) < len(ids):
                return listed(name, mapping.items())
    return Nested(scored, name)


def _ids(values: Iterable[Any], name: str, query: object) -> list[Any]:
    ids = list(values)
    for value in ids:
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            place = f"{name}[{shown(query)}]"
            raise BadInput(place, f"{shown(value)} is no document id", "texts or whole numbers")
    return ids


def _number(value: object, name: str, query: object, doc: object, what: str) -> float:
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            pass
    place = f"{name}[{shown(query)}][{shown(doc)}]"
    raise BadInput(place, f"{what} {shown(value)} is not a finite number")


def _loaded(source: Source) -> Mapping[Any, Any]:
    try:
        value = json.loads(source.content())
    except (ValueError, RecursionError) as failure:
        raise BadInput(source.name, f"this is not JSON: {failure}") from None
    if not isinstance(value, dict):
        raise BadInput(source.name, f"{shown(value)} is no object", "{query: {document: number}}")
    return value


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple, AbstractSet))


def _no_mapping(name: str, query: object, value: object, expected: str) -> BadInput:
    return BadInput(f"{name}[{shown(query)}]", f"{shown(value)} is no dict or list", expected)
