"""Dicts: {query: {document: number}}, and lists of documents in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from numbers import Integral, Real
from typing import Any

import polars as pl

from gainful.errors import BadInput, Duplicated, shown
from gainful.read.jsonl import loaded
from gainful.read.qrels_and_run import Judgments, Nested, Run
from gainful.read.source import Source

_OF_RUN = "{query: {document: score}} or {query: [document, …]}"
_OF_JUDGMENTS = "{query: {document: grade}} or {query: [relevant document, …]}"

Pairs = list[tuple[Any, float]]  # documents with their scores


def judgments_of(mapping: Mapping[Any, Any], name: str) -> Nested:
    """Judgments as a dict of dicts; a list or set of documents stands for grade 1."""
    inner: dict[Any, Any] = {}
    for query, judged in mapping.items():
        if type(judged) is dict or isinstance(judged, Mapping):  # the first is the faster one
            inner[query] = judged
        elif _is_list(judged):
            ids = _ids(judged, name, query)
            inner[query] = dict.fromkeys(ids, 1)
            if len(inner[query]) < len(ids):
                place = f"{name}[{shown(query)}]"
                raise Duplicated(place, "a document stands twice in it", "each document once")
        else:
            raise _no_mapping(name, query, judged, _OF_JUDGMENTS)
    if not any(inner.values()):
        raise BadInput(name, "there is not one judgment in it", _OF_JUDGMENTS)
    return _one_kind(Nested(inner, name))


def run_of(mapping: Mapping[Any, Any], name: str) -> Nested | Run:
    """A run as a dict of dicts; lists of documents are in rank order, and may repeat one."""
    if not mapping:
        raise BadInput(name, "there is not one query in it", _OF_RUN)
    dicts = True
    for query, ranking in mapping.items():
        if type(ranking) is not dict and not isinstance(ranking, Mapping):
            dicts = False
            if isinstance(ranking, AbstractSet) or not _is_list(ranking):
                raise _no_mapping(name, query, ranking, _OF_RUN)
    return _one_kind(Nested(mapping, name)) if dicts else _of_lists(mapping, name)


def as_frame(nested: Nested, number: str) -> pl.DataFrame:
    """The same as columns."""
    rows = [
        (str(query), str(doc), as_number(value, nested.name, query, doc, number))
        for query, inner in nested.mapping.items()
        for doc, value in inner.items()
    ]
    return _framed(rows, number, nested.name)


def as_judgments(nested: Nested) -> Judgments:
    """Judgments as columns."""
    silent = tuple(str(query) for query, judged in nested.mapping.items() if not judged)
    return Judgments(as_frame(nested, "grade"), nested.name, silent=silent)


def as_run(nested: Nested) -> Run:
    """A run as columns."""
    silent = frozenset(str(query) for query, ranking in nested.mapping.items() if not ranking)
    return Run(as_frame(nested, "score"), nested.name, silent=silent)


def judgments(source: Source) -> Judgments:
    """Judgments from a JSON file with one object of objects."""
    return as_judgments(judgments_of(_loaded(source), source.name))


def run(source: Source) -> Run:
    """A run from a JSON file with one object of objects."""
    found = run_of(_loaded(source), source.name)
    return found if isinstance(found, Run) else as_run(found)


def in_order(ids: Iterable[Any], name: str, query: object) -> Pairs:
    """Documents in rank order, each with a score below the one before."""
    return [(doc, -float(place)) for place, doc in enumerate(_ids(ids, name, query), start=1)]


def scored(ranking: Mapping[Any, Any], name: str, query: object) -> Pairs:
    """Documents with the scores they have."""
    return [(doc, as_number(score, name, query, doc, "score")) for doc, score in ranking.items()]


def listed(name: str, rankings: Iterable[tuple[str, Pairs]]) -> Run:
    """A run of documents with scores, in which one may stand twice."""
    held = list(rankings)
    rows = [(str(query), str(doc), score) for query, pairs in held for doc, score in pairs]
    places = [place for _, pairs in held for place in range(1, len(pairs) + 1)]
    silent = frozenset(str(query) for query, pairs in held if not pairs)
    frame = _framed(rows, "score", name)
    return Run(frame, name, lambda row: f"place {places[row]}", silent=silent)


def as_number(value: Any, name: str, query: object, doc: object, what: str) -> float:
    """A number, or an error that says whose it is."""
    if isinstance(value, Real) or type(value).__module__ in ("numpy", "decimal"):
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError):
            pass
    place = f"{name}[{shown(query)}][{shown(doc)}]"
    raise BadInput(place, f"{what} {shown(value)} is not a finite number")


def _of_lists(mapping: Mapping[Any, Any], name: str) -> Nested | Run:
    """Lists as dicts with falling scores, unless a document stands twice in one of them."""
    pairs = {
        query: scored(ranking, name, query)
        if isinstance(ranking, Mapping)
        else in_order(ranking, name, query)
        for query, ranking in mapping.items()
    }
    dicts = {query: dict(ranking) for query, ranking in pairs.items()}
    if any(len(dicts[query]) < len(pairs[query]) for query in pairs):
        return listed(name, pairs.items())
    return _one_kind(Nested(dicts, name))


def _framed(rows: list[tuple[str, str, float]], number: str, name: str) -> pl.DataFrame:
    schema = {"query": pl.String, "doc": pl.String, number: pl.Float64}
    try:
        return pl.DataFrame(rows, schema=schema, orient="row")
    except UnicodeEncodeError:
        raise BadInput(name, "an id is no Unicode text") from None


def _one_kind(nested: Nested) -> Nested:
    """Queries that are texts and queries that are numbers do not go together in one dict."""
    if len({issubclass(kind, Integral) for kind in set(map(type, nested.mapping))}) > 1:
        raise BadInput(nested.name, "some queries are texts and some are numbers", "one kind")
    return nested


def _ids(values: Any, name: str, query: object) -> list[Any]:
    ids = values.tolist() if hasattr(values, "tolist") else list(values)
    for value in ids:
        if isinstance(value, bool) or not isinstance(value, (str, Integral)):
            place = f"{name}[{shown(query)}]"
            raise BadInput(place, f"{shown(value)} is no document id", "texts or whole numbers")
    return ids


def _loaded(source: Source) -> Mapping[Any, Any]:
    try:
        value = loaded(source.content(), source.name)
    except ValueError as failure:
        if isinstance(failure, BadInput):
            raise
        raise BadInput(source.name, f"this is not JSON: {failure}") from None
    if not isinstance(value, dict):
        raise BadInput(source.name, f"{shown(value)} is no object", "{query: {document: number}}")
    return value


def _is_list(value: object) -> bool:
    array = hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1
    return array or isinstance(value, (list, tuple, AbstractSet))


def _no_mapping(name: str, query: object, value: object, expected: str) -> BadInput:
    return BadInput(f"{name}[{shown(query)}]", f"{shown(value)} is no dict or list", expected)
