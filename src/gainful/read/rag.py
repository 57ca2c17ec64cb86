"""JSON lines of the RAG kind: each line a query with what was retrieved and what is relevant.

`{"query": …, "retrieved": ["a", "b"], "relevant": ["a"]}`; `relevant` may be graded
(`{"a": 3}`), `retrieved` may have scores (`{"a": 0.9}`), and an `id` names the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gainful.errors import BadInput, shown
from gainful.read import nested
from gainful.read.source import Source
from gainful.read.table import objects
from gainful.read.values import Judgments, Run

_NAMES = ("id", "query_id", "qid", "query", "question")
_RETRIEVED = ("retrieved", "retrieved_ids", "retrieved_docs", "results")
_RELEVANT = ("relevant", "relevant_ids", "relevant_docs", "expected")
_EXPECTED = '{"query": …, "retrieved": […], "relevant": […]}'


def judgments(source: Source) -> Judgments:
    """What is relevant to each query."""
    found = {}
    for name, relevant in _parts(source, _RELEVANT):
        found[name] = relevant
        if isinstance(relevant, list) and all(isinstance(one, dict) for one in relevant):
            found[name] = {_id(one, source): one.get("grade", 1) for one in relevant}
    held = nested.judgments_of(found, source.name)
    return Judgments(nested.as_frame(held, "grade"), source.name)


def run(source: Source) -> Run:
    """What was retrieved for each query, in rank order or with scores."""
    rankings = []
    for name, retrieved in _parts(source, _RETRIEVED):
        if not isinstance(retrieved, (list, dict)):
            raise BadInput(source.name, f"{shown(retrieved)} is no list of documents", _EXPECTED)
        if isinstance(retrieved, list) and all(isinstance(one, dict) for one in retrieved):
            rankings.append((name, _scored(retrieved, source)))
        else:
            rankings.append((name, retrieved))
    return nested.listed(source.name, rankings)


def holds(source: Source) -> set[str]:
    """What its first line tells: what was retrieved (a run), what is relevant (judgments)."""
    line = source.first_line()
    if not line.startswith("{"):
        return set()
    kinds = {"run": _RETRIEVED, "judgments": _RELEVANT}
    return {kind for kind, keys in kinds.items() if any(f'"{key}"' in line for key in keys)}


def is_rag(source: Source) -> bool:
    """Does its first line tell what was retrieved, or what is relevant?"""
    return bool(holds(source))


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


def _parts(source: Source, keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Each query's name, and what stands under one of the keys; no query may come twice."""
    seen = set()
    for number, line in enumerate(objects(source), start=1):
        where = f"{source.name}, object {number}"
        name = next((line[key] for key in _NAMES if key in line), None)
        key = next((key for key in keys if key in line), None)
        if name is None or key is None:
            lacking = "query" if name is None else keys[0]
            there = f"there is no {shown(lacking)}; there are {', '.join(line)}"
            raise BadInput(where, there, _EXPECTED)
        if str(name) in seen:
            raise BadInput(where, f"query {shown(name)} comes a second time", "each query once")
        seen.add(str(name))
        yield str(name), line[key]
