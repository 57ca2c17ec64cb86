"""JSON lines of the RAG kind: each line a query with what was retrieved and what is relevant.

`{"query": …, "retrieved": ["a", "b"], "relevant": ["a"]}`; `relevant` may be graded
(`{"a": 3}`), `retrieved` may have scores (`{"a": 0.9}`), and an `id` names the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from gainful.errors import BadInput, shown
from gainful.read import nested
from gainful.read.source import Source
from gainful.read.table import objects
from gainful.read.values import Judgments, Run

_NAMES = ("id", "query_id", "qid", "query", "question")
_EXPECTED = '{"query": …, "retrieved": […], "relevant": […]}'


def judgments(source: Source) -> Judgments:
    """What is relevant to each query."""
    found = {}
    for name, line in _lines(source, "relevant"):
        relevant = line["relevant"]
        if isinstance(relevant, list) and all(isinstance(one, dict) for one in relevant):
            relevant = {_id(one, source): one.get("grade", 1) for one in relevant}
        found[name] = relevant
    held = nested.judgments_of(found, source.name)
    return Judgments(nested.as_frame(held, "grade"), source.name)


def run(source: Source) -> Run:
    """What was retrieved for each query, in rank order or with scores."""
    rankings = []
    for name, line in _lines(source, "retrieved"):
        retrieved = line["retrieved"]
        if isinstance(retrieved, list) and all(isinstance(one, dict) for one in retrieved):
            retrieved = _scored(retrieved, source)
        if not isinstance(retrieved, (list, dict)):
            raise BadInput(source.name, f"{shown(retrieved)} is no list of documents", _EXPECTED)
        rankings.append((name, retrieved))
    found = nested.listed(source.name, rankings)
    return Run(found.frame.select(pl.all()), source.name)


def is_rag(source: Source) -> bool:
    """Does its first line tell what was retrieved, or what is relevant?"""
    line = source.first_line()
    return line.startswith("{") and ('"retrieved"' in line or '"relevant"' in line)


def _scored(retrieved: list[dict[str, Any]], source: Source) -> list[Any] | dict[Any, Any]:
    ids = [_id(one, source) for one in retrieved]
    if all("score" in one for one in retrieved) and len(set(ids)) == len(ids):
        return {doc: one["score"] for doc, one in zip(ids, retrieved, strict=True)}
    return ids


def _id(one: dict[str, Any], source: Source) -> Any:
    for name in ("id", "doc", "doc_id", "docno", "document_id", "chunk_id"):
        if name in one:
            return one[name]
    raise BadInput(source.name, f"{shown(one)} has no id", '{"id": …, "score": …}')


def _lines(source: Source, part: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each query's name and its line; a name that comes twice is an error."""
    seen = set()
    for number, line in enumerate(objects(source), start=1):
        where = f"{source.name}, object {number}"
        name = next((line[key] for key in _NAMES if key in line), None)
        if name is None or part not in line:
            lacking = part if name is not None else "query"
            raise BadInput(where, f"there is no {shown(lacking)}", _EXPECTED)
        if str(name) in seen:
            raise BadInput(where, f"query {shown(name)} comes a second time", "each query once")
        seen.add(str(name))
        yield str(name), line
