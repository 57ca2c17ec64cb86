"""What stands in a list of documents → ids, with numbers where there are some.

In a program an entry may be an id, a pair (id, score), a dict with an id and perhaps a score, or an
object that has both: LlamaIndex' `NodeWithScore`, the `Document` of Haystack and LangChain, hits of
search engines and vector stores. None of these is imported; what counts is what they are called.

A trace or a transcript tells what a search returned as a list of ids or of objects with ids, as
JSON in a text, or as an object that holds the list under one of the names that search tools use.
Prose is none of these, and is refused with advice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set as AbstractSet
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from gainful.errors import BadInput, NoColumn
from gainful.read.column_names import (
    ANSWER_COLUMNS,
    TABLES,
    USUAL_NAMES,
    ColumnMapping,
    list_columns,
)
from gainful.read.frames import open_response
from gainful.read.json_text import Unreadable, parse_json, write_json
from gainful.read.path_finder import (
    PathFinder,
    choose_paths,
    describe_paths,
    find_entries,
    find_filled,
    find_first,
    find_value,
    follow_steps,
    list_paths,
)
from gainful.read.qrels_and_run import read_each
from gainful.text import NUMBER_PATTERN, quote

DocNumbers = list[tuple[Any, float | None]]  # documents with their scores or grades, if they have
ID_KEYS = ANSWER_COLUMNS["doc"].names
_INNER = ("document", "node", "_additional")  # what a result is about, or says of it
# Where the id of a document stands, if nobody says: in it, or in what it is about.
_ID_PATHS = (
    *(key for key in ID_KEYS if key not in _INNER),
    *(f"{inner}.{key}" for inner in _INNER for key in ID_KEYS),
    "document",
)
# Blocks of Anthropic's Messages API say where a result comes from, and that is its id.
_BLOCK_IDS = {"search_result": "source", "web_search_result": "url"}
_ID_ATTRIBUTES, _LIST_ATTRIBUTES = (  # of objects in a program
    TABLES["objects"][role].names for role in ("doc", "retrieved")
)
_ID_WORDS = ("id", "source", "ref", "url", "uri", "link", "key", "path", "file", "name", "title")
_PLAIN = (str, bytes, Real, type(None))  # which are ids, if anything
_EXPECTED = 'an id, (id, score), {"id": …, "score": …}, or an object with id and score'

WHERE_IDS = (
    "an id for each document, or --columns doc=PATH that points to it, such as doc=metadata.source"
)


def as_list(value: Any) -> list[Any] | None:
    """The entries of a list, a tuple, a set or a column of whatever make; None if it is none."""
    if isinstance(value, (list, tuple, AbstractSet)):
        return list(value)
    if getattr(value, "ndim", 1) != 1 or isinstance(value, (str, bytes, Mapping)):
        return None
    for method in ("tolist", "to_list", "to_pylist"):  # NumPy and torch, polars, Arrow
        if callable(getattr(value, method, None)):
            entries = getattr(value, method)()
            return entries if isinstance(entries, list) else None
    return None


NO_DOC, IDS = "there is no doc", "texts or whole numbers"  # of an empty id, and what ids are


def is_id(value: object) -> bool:
    """Can it be the id of a document: a text or a whole number?"""
    return isinstance(value, (str, Integral)) and not isinstance(value, bool)


def has_id(value: object) -> bool:
    """Is it a document: an object that has an id, of whatever library?"""
    return _object_id(value) is not None


class ResultPaths:
    """Where users say that ids, lists and texts stand; empty where the usual places will do."""

    def __init__(self, columns: ColumnMapping = USUAL_NAMES) -> None:
        roles = ("doc", "retrieved", "text")
        self.doc, self.retrieved, self.text = (columns.names.get(role, ()) for role in roles)
        own = tuple(f"{inner}{path}" for path in self.doc for inner in ("", "document."))
        self.id_finder = PathFinder(own or _ID_PATHS)
        self.text_finder = PathFinder(self.text or ANSWER_COLUMNS["text"].names)


USUAL_PATHS = ResultPaths()


def read_entries(
    entries: Sequence[Any],
    place: str,
    query: object,
    number: str,
    problems: list[BadInput],
    *,
    paths: ResultPaths = USUAL_PATHS,
) -> DocNumbers:
    """The documents of a list in its order, each with its number if it has one.

    What is wrong with some of them is added to the problems.
    """
    if all(map(is_id, entries)) and "" not in entries:
        return [(doc, None) for doc in entries]
    of_ids, keys = isinstance(entries[0], _PLAIN), ANSWER_COLUMNS[number].names

    def read_entry(entry: Any) -> tuple[Any, float | None]:
        document, value = entry, None
        if isinstance(entry, (tuple, list)) and len(entry) == 2 and not isinstance(entry[1], dict):
            document, value = entry  # two dicts are two results
        own = USUAL_PATHS if paths.doc and is_id(document) else paths
        doc = find_id(document, own) if of_ids is is_id(entry) else None
        if doc is None:
            words, expected = "is not a document id", IDS
            if is_id(entry):
                words, expected = "is not an object like the first", _EXPECTED
            problem, error = f"{quote(entry)} {words}", BadInput
            if not of_ids and not isinstance(entry, (*_PLAIN, list, tuple)):
                words, expected = _describe_no_id(entry, paths)
                problem, error = f"a document {words}", NoColumn if paths.doc else BadInput
            raise error(f"{place}[{quote(query)}]", problem, expected)
        if doc == "":
            raise BadInput(f"{place}[{quote(query)}]", NO_DOC, IDS)
        if value is None and (type(document) is dict or isinstance(document, Mapping)):
            value = find_filled(document, keys)
        elif value is None and not is_id(document):
            value = getattr(document, number, None)
        return doc, None if value is None else parse_number(value, place, query, doc, number)

    return list(read_each(read_entry, ((entry,) for entry in entries), problems))


def parse_number(value: Any, name: str, query: object, doc: object, what: str) -> float:
    """A number, or an error that says whose it is."""
    if type(value) is float and isfinite(value):  # quicker than what follows
        return value
    if isinstance(value, Real) or type(value).__module__ in ("numpy", "decimal"):
        try:
            number = float(value)
        except (OverflowError, TypeError, ValueError):
            number = nan
        if isfinite(number):
            return number
    place = f"{name}[{quote(query)}][{quote(doc)}]"
    if isinstance(value, str) and re.fullmatch(NUMBER_PATTERN, value, re.ASCII):
        raise BadInput(place, f"{what} {quote(value)} is a text, not a number")
    raise BadInput(place, f"{what} {quote(value)} is not a finite number")


def find_id(document: Any, paths: ResultPaths = USUAL_PATHS) -> Any:
    """The id of a document, whatever it is; None if it has none."""
    if type(document) is dict or isinstance(document, Mapping):  # the first is faster
        record = document
        document = follow_steps(record, paths.id_finder.find_steps(record))
        block = _BLOCK_IDS.get(str(record.get("type"))) if document is None else None
        document = record.get(block) if block and not paths.doc else document
        if isinstance(document, dict):  # what stands under doc beside its docid
            rest = {key: value for key, value in record.items() if value is not document}
            document = follow_steps(rest, paths.id_finder.find_steps(rest))
    elif paths.doc:
        document = find_first(document, paths.doc)
    if isinstance(document, UUID):
        return str(document)
    return document if is_id(document) else _object_id(document)


def _describe_no_id(document: Any, paths: ResultPaths) -> tuple[str, str]:
    """What a document has instead of an id, and where that may be."""
    is_record = isinstance(document, Mapping)
    path = find_id_path(document) if is_record and not paths.doc else None
    wanted = f" at {quote(paths.doc[0])}" if paths.doc and is_record else ""
    allowed = f"an id for each document, or --columns doc={path}, if that is its id"
    return f"has no id{wanted}{describe_paths(document)}", allowed if path else WHERE_IDS


def _object_id(document: Any) -> Any:
    """The id of an object, or of what it is about, or in its metadata."""
    if isinstance(document, (str, bytes, Real, list, tuple, Mapping, type(None))):
        return None
    node = getattr(document, "node", None)
    for source in (document, node):
        for name in _ID_ATTRIBUTES:
            value = getattr(source, name, None)
            if is_id(value) or isinstance(value, UUID):
                return value if is_id(value) else str(value)
    for name in ("metadata", "meta"):
        metadata = getattr(document, name, None)
        if isinstance(metadata, Mapping):
            return next((metadata[key] for key in ID_KEYS if is_id(metadata.get(key))), None)
    return None


def find_id_path(document: Mapping[Any, Any]) -> str | None:
    """Where the id of a document may stand that has none in the usual places, by what is there.

    Examples:
        >>> find_id_path({"text": "…", "page": {"number": 2, "ref": "a"}})
        'page.ref'
    """
    paths = [] if find_id(document) is not None else list_paths(dict(document))
    names = {path: path.lower().rpartition(".")[2] for path in paths}
    likely = (path for word in _ID_WORDS for path in paths if word in names[path])
    return next(likely, None)


LIST_PATHS = ANSWER_COLUMNS["retrieved"].names  # where the list stands in what a tool returned
_MAX_NESTED = 4  # objects within which a list is looked for

PROSE = (
    'JSON with the ids of what was found, such as [{"id": "d1"}, {"id": "d2"}]: let the tool '
    "return it, or log its results beside the text"
)


def read_results(value: Any, paths: ResultPaths) -> list[str] | Unreadable:
    """The ids of a list of results, in its order.

    Examples:
        >>> read_results('{"results": [{"id": 7, "score": 0.5}, {"id": "b"}]}', ResultPaths())
        ['7', 'b']
        >>> read_results("I found two pages.", ResultPaths()).problem
        "'I found two pages.' is prose"
    """
    entries = find_list(value, paths.retrieved or LIST_PATHS)
    if entries is None:
        shown = value if isinstance(value, str) else write_json(value)
        kind = "prose" if isinstance(parse_json(value), str) else "not a list of results"
        return Unreadable(f"{quote(shown)} is {kind}", PROSE)
    return read_documents(entries, paths)


def read_documents(entries: Sequence[Any], paths: ResultPaths) -> list[str] | Unreadable:
    """The ids of documents, each a text, a number, or an object that has one.

    If one has none, what it has instead.
    """
    ids = _read_alike(entries, paths)
    if ids is not None:
        return ids
    docs: list[str] = []
    for number, entry in enumerate(entries, start=1):
        doc = find_id(entry, paths)
        if doc is None or doc == "":
            words, _ = _describe_no_id(entry, paths)
            return Unreadable(f"document {number} {words}", WHERE_IDS)
        docs.append(str(doc))
    return docs


def _read_alike(entries: Sequence[Any], paths: ResultPaths) -> list[str] | None:
    """The ids of documents that all have one where the first has it; None if not all do."""
    if not entries:
        return None
    first = entries[0]
    try:
        if type(first) is not dict:
            ids = [] if paths.doc else list(entries)
        else:
            key, rest = paths.id_finder.find_steps(first)[0]
            ids = [entry[key][rest] for entry in entries] if rest else [e[key] for e in entries]
    except (IndexError, KeyError, TypeError):
        return None
    kinds = set(map(type, ids))
    if kinds == {int}:
        return [*map(str, ids)]
    return ids if kinds == {str} and "" not in ids else None


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
    return write_json(value)


def find_list(value: Any, names: tuple[str, ...] = LIST_PATHS, depth: int = 0) -> list[Any] | None:
    """The list of results in what was returned."""
    value = parse_json(value if isinstance(value, (dict, list)) else open_response(value))
    if isinstance(value, list):
        is_batch = len(value) == 1 and isinstance(value[0], list)  # Chroma's, of one query
        return value[0] if is_batch else value
    if not isinstance(value, dict):
        lists = (getattr(value, name, None) for name in _LIST_ATTRIBUTES)
        return next((entries for entries in lists if isinstance(entries, list)), None)
    if depth > _MAX_NESTED:
        return None
    if isinstance(value.get("Get"), dict):  # of Weaviate, by the name of the collection
        collections = [*value["Get"].values()]
        return find_list(collections[0]) if len(collections) == 1 else None
    if not all(isinstance(key, str) for key in value):
        value = {str(key): inner for key, inner in value.items()}
    for name in choose_paths(tuple(value), names):
        inner = find_value(value, name)
        deeper = None if inner is None else find_list(inner, names, depth + 1)
        entries = find_entries(value, name) if inner is None else deeper
        if entries is not None:
            return entries
    return None


_FAILURES = (  # where an answer says why it has no results
    *("errors.0.message", "errors", "error.reason", "error.message", "error", "message"),
    "status.error",
)


def describe_unread(answer: Any) -> Unreadable | None:
    """Why there is no list in the answer of a search engine; None if it may be something else.

    Examples:
        >>> describe_unread({"code": 404, "message": "Not found"}).problem
        "the search failed: 'Not found'"
    """
    if not isinstance(answer, Mapping):
        return None
    collections = find_first(answer, ("data.Get", "Get"))
    if isinstance(collections, Mapping) and len(collections) > 1:
        words = f"there are results of several collections, {list_columns([*collections])}"
        return Unreadable(words, "one list, in rank order")
    if "grouped_hits" in answer or "grouped" in answer:
        return Unreadable("its hits are grouped, without one order", "a search without grouping")
    failure = find_first(answer, _FAILURES)
    expected = "an answer with results, or []"
    if failure and not isinstance(failure, Real):  # of a document that is called so
        shown = failure if isinstance(failure, str) else write_json(failure)
        return Unreadable(f"the search failed: {quote(shown)}", expected)
    hits = answer.get("hits", answer)
    hits = hits.get("hits", hits) if isinstance(hits, Mapping) else hits
    return Unreadable("its hits are null", expected) if hits is None else None
