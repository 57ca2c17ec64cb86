"""What stands in a list of documents → ids with numbers.

An entry may be an id, a pair (id, score), a dict with an id and perhaps a score, or an object
that has both: LlamaIndex' `NodeWithScore`, the `Document` of Haystack and LangChain, hits of search
engines and vector stores. None of these is imported; what counts is what they are called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from gainful.errors import BadInput
from gainful.read.column_names import DOC, GRADE, SCORE
from gainful.text import quote

DocNumbers = list[tuple[Any, float | None]]  # documents with their scores or grades, if they have
ID_KEYS = ("id", *DOC, "chunk_id", "node_id", "_id", "id_", "uuid", "objectID")
_ID_ATTRIBUTES = ("node_id", "id", "doc_id", "docid", "id_", "uuid")
_NUMBER_KEYS = {"score": (*SCORE, "_score"), "grade": GRADE[:-1]}
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


def is_id(value: object) -> bool:
    """Can it be the id of a document: a text or a whole number?"""
    return isinstance(value, (str, Integral)) and not isinstance(value, bool)


def has_id(value: object) -> bool:
    """Is it a document: an object that has an id, of whatever library?"""
    return _object_id(value) is not None


def read_items(
    items: Iterable[Any], place: str, query: object, number: str = "score"
) -> DocNumbers:
    """The documents of a list in its order, each with its number if it has one."""
    pairs = []
    for index, item in enumerate(items):
        if index and is_id(item):
            problem = f"{quote(item)} is not an object like the first"
            raise BadInput(f"{place}[{quote(query)}]", problem, _EXPECTED)
        pairs.append(_read_item(item, place, query, number))
    return pairs


def parse_number(value: Any, name: str, query: object, doc: object, what: str) -> float:
    """A number, or an error that says whose it is."""
    if isinstance(value, Real) or type(value).__module__ in ("numpy", "decimal"):
        try:
            number = float(value)
        except (OverflowError, TypeError, ValueError):
            number = nan
        if isfinite(number):
            return number
    place = f"{name}[{quote(query)}][{quote(doc)}]"
    raise BadInput(place, f"{what} {quote(value)} is not a finite number")


def _read_item(item: Any, place: str, query: object, number: str) -> tuple[Any, float | None]:
    document, value = item, None
    if isinstance(item, (tuple, list)) and len(item) == 2:
        document, value = item
    doc = find_id(document)
    if doc is None:
        if is_id(item) or isinstance(item, (str, bytes, bool, Real, list, tuple, type(None))):
            problem = f"{quote(item)} is not a document id"
            raise BadInput(f"{place}[{quote(query)}]", problem, "texts or whole numbers")
        raise BadInput(f"{place}[{quote(query)}]", f"{quote(item)} has no id", _EXPECTED)
    if value is None:
        value = _find_number(document, number)
    return doc, None if value is None else parse_number(value, place, query, doc, number)


def find_id(document: Any) -> Any:
    """The id of a document, whatever it is; None if it has none."""
    if isinstance(document, Mapping):
        document = next((document[key] for key in ID_KEYS if document.get(key) is not None), None)
    if isinstance(document, UUID):
        return str(document)
    return document if is_id(document) else _object_id(document)


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


def _find_number(document: Any, number: str) -> Any:
    keys = _NUMBER_KEYS[number]
    if isinstance(document, Mapping):
        return next((document[key] for key in keys if document.get(key) is not None), None)
    return None if is_id(document) else getattr(document, number, None)
