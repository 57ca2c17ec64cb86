"""What a search returned, as a trace or a transcript tells it → ids of documents in order.

A list of ids or of objects with ids; as JSON in a text; or an object that holds the list under one
of the names that search tools use. Prose is none of these, and is refused with advice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any
from uuid import UUID

from attrs import field, frozen

from gainful.read.column_names import DOC_LISTS, RETRIEVED, ColumnMapping
from gainful.read.json_text import parse_json
from gainful.read.path_finder import (
    PathFinder,
    Steps,
    describe_paths,
    find_entries,
    find_first,
    find_value,
    follow_steps,
)
from gainful.read.ranked_items import ID_KEYS, WHERE_IDS, is_id
from gainful.text import quote
from gainful.types import is_whole_number

# Where the id of a document stands, if nobody says: in it, or in what it is about.
_ID_PATHS = tuple(f"{inner}{name}" for inner in ("document.", "", "node.") for name in ID_KEYS)
# Blocks of Anthropic's Messages API say where a result comes from, and that is its id.
_BLOCK_IDS = {"search_result": "source", "web_search_result": "url"}
# Where the list stands in what a tool returned.
_LIST_PATHS = (
    *(*RETRIEVED, *DOC_LISTS, "hits.hits", "hits", "matches", "chunks", "passages", "nodes"),
    *("points", "data", "ids", "search_results", "web_results", "output", "result", "response"),
    "root.children",
)
_QUERY_NAMES = (
    *("query", "q", "question", "search_query", "query_text", "queries", "text", "input"),
    *("search", "keywords", "search_term", "prompt"),
)
_SCORES = ("score", "result.score", "evaluation.score", "annotation.score")
_LABELS = {"relevant": 1, "irrelevant": 0, "unrelated": 0, "not relevant": 0}
_MAX_NESTED = 4  # objects within which a list is looked for

PROSE = (
    'JSON with the ids of what was found, such as [{"id": "d1"}, {"id": "d2"}]: let the tool '
    "return it, or log its results beside the text"
)


@frozen
class ResultPaths:
    """Where users say that ids, lists and texts stand; empty where the usual places will do."""

    doc: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    id_finder: PathFinder = field(init=False, repr=False, eq=False)
    text_finder: PathFinder = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        own = tuple(f"{inner}{path}" for path in self.doc for inner in ("", "document."))
        finders = {"id_finder": own or _ID_PATHS, "text_finder": self.text or _QUERY_NAMES}
        for name, candidates in finders.items():
            object.__setattr__(self, name, PathFinder(candidates))

    @classmethod
    def from_columns(cls, columns: ColumnMapping) -> ResultPaths:
        """What `--columns doc=PATH,retrieved=PATH,text=PATH` says."""
        return cls(*(columns.names.get(role, ()) for role in ("doc", "retrieved", "text")))


@frozen
class BadResults:
    """Results that cannot be read, and why."""

    expected: str
    words: str


def read_results(value: Any, paths: ResultPaths) -> list[str] | BadResults:
    """The ids of a list of results, in its order.

    Examples:
        >>> read_results('{"results": [{"id": 7, "score": 0.5}, {"id": "b"}]}', ResultPaths())
        ['7', 'b']
        >>> read_results("I found two pages.", ResultPaths()).words
        "'I found two pages.' is prose"
    """
    entries = find_list(value, paths.retrieved or _LIST_PATHS)
    if entries is None:
        shown = value if isinstance(value, str) else _write_json(value)
        kind = "prose" if isinstance(value, str) else "no list of results"
        return BadResults(PROSE, f"{quote(shown)} is {kind}")
    return read_documents(entries, paths)


def read_documents(entries: Sequence[Any], paths: ResultPaths) -> list[str] | BadResults:
    """The ids of documents, each a text, a number, or an object that has one."""
    ids = _read_alike(entries, paths)
    return _read_one_by_one(entries, paths) if ids is None else ids


def _read_alike(entries: Sequence[Any], paths: ResultPaths) -> list[str] | None:
    """The ids of documents that all have a text where the first has it; None if not all do."""
    if not entries:
        return None
    first = entries[0]
    try:
        if type(first) is not dict:
            ids = [] if paths.doc else list(entries)
        elif "type" in first:  # it may be a block, whose type says where its id stands
            return None
        else:
            key, rest = paths.id_finder.find_steps(first)[0]
            ids = [entry[key][rest] for entry in entries] if rest else [e[key] for e in entries]
    except (IndexError, KeyError, TypeError):
        return None
    return ids if set(map(type, ids)) == {str} and "" not in ids else None


def _read_one_by_one(entries: Sequence[Any], paths: ResultPaths) -> list[str] | BadResults:
    """The ids of documents, or what the first that has none has instead."""
    docs: list[str] = []
    usual: Steps = ()  # where the document before has its id
    for number, entry in enumerate(entries, start=1):
        has_usual = usual and isinstance(entry, dict) and usual[0][0] in entry
        value = follow_steps(entry, usual) if has_usual else None
        if value is None:
            usual, value = _find_id(entry, paths)
        doc = str(value) if is_id(value) or isinstance(value, UUID) else ""
        if not doc:
            return BadResults(
                WHERE_IDS, f"document {number} has no id{_describe_entry(entry, paths)}"
            )
        docs.append(doc)
    return docs


def read_evaluations(entries: Sequence[Any]) -> dict[int, float]:
    """Grades of documents by their places in a list, as evaluations of a search tell them.

    Of evaluations under several names, those of relevance count, or else those of the first name.

    Examples:
        >>> read_evaluations([{"document_position": 1, "name": "relevance", "score": 0.5}])
        {1: 0.5}
        >>> read_evaluations([{"documentPosition": 0, "result": {"label": "irrelevant"}}])
        {0: 0.0}
    """
    by_name: dict[str, dict[int, float]] = {}
    for entry in entries:
        place = find_first(entry, ("document_position", "documentPosition"))
        score = find_first(entry, _SCORES)
        if score is None:
            score = _LABELS.get(str(find_first(entry, ("label", "result.label"))).strip().lower())
        if isinstance(score, (int, float)) and isfinite(score) and is_whole_number(place):
            name = str(find_first(entry, ("name", "annotation_name")))
            by_name.setdefault(name, {})[int(place)] = float(score)  # of -1 there is no document
    relevance = next((name for name in by_name if "relevan" in name.lower()), None)
    return by_name.get(relevance or next(iter(by_name), ""), {})


def read_query(arguments: Any, paths: ResultPaths) -> str | None:
    """The text of a query, from what a search was called with; only that of a path that is named.

    Examples:
        >>> (
        ...     read_query('{"query": "bikes", "k": 5}', ResultPaths()),
        ...     read_query("bikes", ResultPaths()),
        ... )
        ('bikes', 'bikes')
    """
    value = parse_json(arguments)
    if isinstance(value, dict):
        chosen = paths.text_finder.find_each(value)[0]
        value = value if chosen is None and not paths.text else chosen
    elif paths.text:
        return None
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    return _write_json(value)


def find_list(value: Any, names: Sequence[str] = _LIST_PATHS, depth: int = 0) -> list[Any] | None:
    """The list of results in what was returned."""
    value = parse_json(value)
    if isinstance(value, list):
        is_batch = len(value) == 1 and isinstance(value[0], list)  # Chroma's, of one query
        return value[0] if is_batch else value
    if not isinstance(value, dict) or depth > _MAX_NESTED:
        return None
    value = value if all(isinstance(key, str) for key in value) else _name_keys(value)
    heads = {key.partition(".")[0] for key in value}  # what can begin a path in it
    for name in names:
        if name.partition(".")[0] not in heads:
            continue
        inner = find_value(value, name)
        deeper = None if inner is None else find_list(inner, names, depth + 1)
        entries = find_entries(value, name) if inner is None else deeper
        if entries is not None:
            return entries
    return None


def _name_keys(value: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): inner for key, inner in value.items()}


def _find_id(entry: Any, paths: ResultPaths) -> tuple[Steps, Any]:
    """Where a document has its id, and the id; None if it has none there."""
    if not isinstance(entry, dict):
        return (), find_first(entry, paths.doc) if paths.doc else entry
    block = None if paths.doc else _BLOCK_IDS.get(str(entry.get("type")))
    if block is not None:
        return (), entry.get(block)
    for step in paths.id_finder.find_steps(entry):
        value = follow_steps(entry, (step,))
        if value is not None:
            return (step,), value
    return (), None


def _describe_entry(entry: Any, paths: ResultPaths) -> str:
    wanted = f" at {quote(paths.doc[0])}" if paths.doc and isinstance(entry, dict) else ""
    return wanted + describe_paths(entry)


def _write_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(value)
