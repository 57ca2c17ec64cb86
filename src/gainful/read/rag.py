"""JSON lines of the RAG kind: each line a query with what was retrieved and what is relevant.

`{"query": …, "retrieved": ["a", "b"], "relevant": ["a"]}`; `relevant` may be graded
(`{"a": 3}`), `retrieved` may have scores (`{"a": 0.9}`), and an `id` names the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gainful.errors import BadInput, Duplicated, shown
from gainful.read import dicts
from gainful.read.dicts import Pairs, as_number
from gainful.read.jsonl import objects
from gainful.read.named_columns import DOC, GRADE, SCORE
from gainful.read.qrels_and_run import Judgments, Run
from gainful.read.source import Source

_QUERY = ("id", "query_id", "qid", "query", "question")
_RETRIEVED = ("retrieved", "retrieved_ids", "retrieved_docs", "results")
_RELEVANT = ("relevant", "relevant_ids", "relevant_docs", "expected")
_ID = ("id", *DOC, "chunk_id")
_EXPECTED = '{"query": …, "retrieved": […], "relevant": […]}'


def judgments(source: Source) -> Judgments:
    """What is relevant to each query."""
    found = {}
    for where, name, relevant in _parts(source, _RELEVANT):
        found[name] = relevant
        if isinstance(relevant, list) and relevant and isinstance(relevant[0], dict):
            pairs = _pairs(relevant, where, name, GRADE[:-1], 1.0)
            found[name] = dict(pairs)
            if len(found[name]) < len(pairs):
                raise Duplicated(where, "a document is judged twice", "each document once")
    return dicts.as_judgments(dicts.judgments_of(found, source.name))


def run(source: Source) -> Run:
    """What was retrieved for each query, in rank order or with scores."""
    rankings: list[tuple[str, Pairs]] = []
    for where, name, retrieved in _parts(source, _RETRIEVED):
        if isinstance(retrieved, dict):
            pairs = dicts.scored(retrieved, where, name)
        elif not isinstance(retrieved, list):
            raise BadInput(where, f"{shown(retrieved)} is no list of documents", _EXPECTED)
        elif retrieved and isinstance(retrieved[0], dict):
            pairs = _pairs(retrieved, where, name, SCORE, None)
        else:
            pairs = dicts.in_order(retrieved, where, name)
        rankings.append((name, pairs))
    return dicts.listed(source.name, rankings)


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


def _pairs(
    items: list[Any], where: str, query: str, keys: tuple[str, ...], usual: float | None
) -> Pairs:
    """Ids with numbers out of objects; in rank order where one of them has none."""
    ids, numbers = [], []
    for item in items:
        if not isinstance(item, dict):
            raise BadInput(where, f"{shown(item)} is no object like the first", '{"id": …}')
        doc = next((item[key] for key in _ID if key in item), None)
        if doc is None:
            raise BadInput(where, f"{shown(item)} has no id", '{"id": …, "score": …}')
        ids.append(doc)
        value = next((item[key] for key in keys if key in item), usual)
        numbers.append(None if value is None else as_number(value, where, query, doc, keys[0]))
    if None in numbers:
        return dicts.in_order(ids, where, query)
    return list(zip(ids, [number for number in numbers if number is not None], strict=True))


def _parts(source: Source, keys: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Where each query stands, its name, and what stands under one of the keys."""
    seen = set()
    for number, line in objects(source):
        where = f"{source.name}:{number}"
        name = next((line[key] for key in _QUERY if key in line), None)
        key = next((key for key in keys if key in line), None)
        if name is None or key is None:
            lacking = "query" if name is None else keys[0]
            there = f"there is no {shown(lacking)}; there are {', '.join(line)}"
            raise BadInput(where, there, _EXPECTED)
        if str(name) in seen:
            raise BadInput(where, f"query {shown(name)} comes a second time", "each query once")
        seen.add(str(name))
        yield where, str(name), line[key]
