"""Values of nested records by paths such as `document.metadata.source`.

Exports of traces write one thing in three ways: nested (`{"document": {"id": 1}}`), flattened
(`{"document.id": 1}`), or as JSON in a text. A path finds all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gainful.read.json_text import parse_json

_MAX_LISTED = 8  # paths that a message names


def find_value(record: Any, path: str) -> Any:
    """What stands at a path, nested, flattened or within JSON in a text; None if nothing does.

    Examples:
        >>> find_value({"document": {"metadata.source": "a.txt"}}, "document.metadata.source")
        'a.txt'
        >>> find_value({"metadata": '{"pages": [3, 4]}'}, "metadata.pages.1")
        4
    """
    if isinstance(record, str):
        record = parse_json(record)
    if isinstance(record, dict):
        value = record.get(path)
        if value is not None or "." not in path:
            return value
        return _find_inner(record, path)
    if isinstance(record, list):
        index, _, rest = path.partition(".")
        if not index.isdecimal() or len(index) > 9 or int(index) >= len(record):
            return None
        return find_value(record[int(index)], rest) if rest else record[int(index)]
    return None


def _find_inner(record: dict[str, Any], path: str) -> Any:
    """What stands at a path whose beginning, of any length, is a key of the record."""
    end = path.rfind(".")
    while end > 0:
        inner = record.get(path[:end])
        if inner is not None:
            value = find_value(inner, path[end + 1 :])
            if value is not None:
                return value
        end = path.rfind(".", 0, end)
    return None


def find_first(record: Any, paths: Sequence[str]) -> Any:
    """What stands at the first of these paths that leads to something."""
    for path in paths:
        value = find_value(record, path)
        if value is not None:
            return value
    return None


def find_entries(record: dict[str, Any], path: str) -> list[Any] | None:
    """The list at a path: as a list, as JSON in a text, or flattened with the index in the keys.

    Examples:
        >>> find_entries({"docs.1.id": "b", "docs.0.id": "a", "docs.0.score": 2}, "docs")
        [{'id': 'a', 'score': 2}, {'id': 'b'}]
    """
    value = parse_json(find_value(record, path))
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return order_by_index(value)
    prefix = f"{path}."
    flat: dict[str, dict[str, Any]] = {}
    for key, part in record.items():
        if part is not None and key.startswith(prefix):
            index, _, rest = key[len(prefix) :].partition(".")
            flat.setdefault(index, {})[rest] = part
    return order_by_index(flat)


def order_by_index(entries: dict[str, Any]) -> list[Any] | None:
    """The values of an object whose keys are 0, 1, 2 …; None if they are not."""
    numbers = {key: int(key) for key in entries if key.isdecimal() and len(key) < 10}
    if not numbers or len(numbers) < len(entries):
        return None
    ordered = sorted(numbers, key=numbers.__getitem__)
    values = [entries[key] for key in ordered]
    return [
        value[""] if isinstance(value, dict) and {*value} == {""} else value for value in values
    ]


def list_paths(record: Any) -> list[str]:
    """The paths of a record that lead to a text or a number, for messages.

    Examples:
        >>> list_paths({"content": "…", "metadata": {"source": "a.txt"}})
        ['content', 'metadata.source']
    """
    record = parse_json(record)
    if not isinstance(record, dict):
        return []
    paths: list[str] = []
    for key, value in record.items():
        inner = parse_json(value)
        if isinstance(inner, dict):
            paths += [
                f"{key}.{name}" for name in inner if not isinstance(inner[name], (dict, list))
            ]
        elif inner is not None and not isinstance(inner, list):
            paths.append(str(key))
    return paths[:_MAX_LISTED]
