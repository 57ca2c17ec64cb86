"""JSON lines of the RAG kind: each line a query with what was retrieved and what is relevant.

`{"query": …, "retrieved": ["a", "b"], "relevant": ["a"]}`; `relevant` may be graded
(`{"a": 3}`), `retrieved` may have scores (`{"a": 0.9}`), and an `id` names the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gainful.errors import BadInput, Duplicated
from gainful.read import dicts
from gainful.read.dicts import DocScores, parse_number
from gainful.read.jsonl import read_objects
from gainful.read.named_columns import DOC, GRADE, SCORE
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.source import Source
from gainful.text import quote

_QUERY = ("id", "query_id", "qid", "query", "question")
_RETRIEVED = ("retrieved", "retrieved_ids", "retrieved_docs", "results")
_RELEVANT = ("relevant", "relevant_ids", "relevant_docs", "expected")
_ID = ("id", *DOC, "chunk_id")
_EXPECTED = '{"query": …, "retrieved": […], "relevant": […]}'


def read_qrels(source: Source) -> Qrels:
    """What is relevant to each query."""
    mapping = {}
    for place, query, relevant in _read_parts(source, _RELEVANT):
        mapping[query] = relevant
        if isinstance(relevant, list) and relevant and isinstance(relevant[0], dict):
            pairs = _read_pairs(relevant, place, query, GRADE[:-1], 1.0)
            mapping[query] = dict(pairs)
            if len(mapping[query]) < len(pairs):
                raise Duplicated(place, "a document is judged twice", "each document once")
    return dicts.to_qrels(dicts.read_qrels_dict(mapping, source.name))


def read_run(source: Source) -> Run:
    """What was retrieved for each query, in rank order or with scores."""
    rankings: list[tuple[str, DocScores]] = []
    for place, query, retrieved in _read_parts(source, _RETRIEVED):
        if isinstance(retrieved, dict):
            pairs = dicts.check_scores(retrieved, place, query)
        elif not isinstance(retrieved, list):
            raise BadInput(place, f"{quote(retrieved)} is no list of documents", _EXPECTED)
        elif retrieved and isinstance(retrieved[0], dict):
            pairs = _read_pairs(retrieved, place, query, SCORE, None)
        else:
            pairs = dicts.score_by_rank(retrieved, place, query)
        rankings.append((query, pairs))
    return dicts.build_run(source.name, rankings)


def find_kinds(source: Source) -> set[str]:
    """What its first line tells: what was retrieved (a run), what is relevant (judgments)."""
    line = source.first_line()
    if not line.startswith("{"):
        return set()
    kinds = {"run": _RETRIEVED, "judgments": _RELEVANT}
    return {kind for kind, keys in kinds.items() if any(f'"{key}"' in line for key in keys)}


def is_rag(source: Source) -> bool:
    """Does its first line tell what was retrieved, or what is relevant?"""
    return bool(find_kinds(source))


def _read_pairs(
    items: list[Any], place: str, query: str, keys: tuple[str, ...], default: float | None
) -> DocScores:
    """Ids with numbers out of objects; in rank order where one of them has none."""
    ids, numbers = [], []
    for item in items:
        if not isinstance(item, dict):
            raise BadInput(place, f"{quote(item)} is no object like the first", '{"id": …}')
        doc = next((item[key] for key in _ID if key in item), None)
        if doc is None:
            raise BadInput(place, f"{quote(item)} has no id", '{"id": …, "score": …}')
        ids.append(doc)
        value = next((item[key] for key in keys if key in item), default)
        numbers.append(None if value is None else parse_number(value, place, query, doc, keys[0]))
    if None in numbers:
        return dicts.score_by_rank(ids, place, query)
    return list(zip(ids, [number for number in numbers if number is not None], strict=True))


def _read_parts(source: Source, keys: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Where each query stands, its name, and what stands under one of the keys."""
    seen = set()
    for number, line in read_objects(source):
        place = f"{source.name}:{number}"
        name = next((line[key] for key in _QUERY if key in line), None)
        key = next((key for key in keys if key in line), None)
        if name is None or key is None:
            lacking = "query" if name is None else keys[0]
            message = f"there is no {quote(lacking)}; there are {', '.join(line)}"
            raise BadInput(place, message, _EXPECTED)
        if str(name) in seen:
            raise BadInput(place, f"query {quote(name)} comes a second time", "each query once")
        seen.add(str(name))
        yield place, str(name), line[key]
