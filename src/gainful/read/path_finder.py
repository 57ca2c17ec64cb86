"""Values in nested records by dotted paths, found quickly in many records alike."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gainful.read.json_text import parse_json
from gainful.text import quote

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
        return follow_steps(record, _list_steps(record, (path,)))
    if isinstance(record, list):
        index, _, rest = path.partition(".")
        if not index.isdecimal() or len(index) > 9 or int(index) >= len(record):
            return None
        return find_value(record[int(index)], rest) if rest else record[int(index)]
    return None


def find_first(record: Any, paths: Sequence[str]) -> Any:
    """What stands at the first of these paths that leads to something."""
    for path in paths:
        value = find_value(record, path)
        if value is not None:
            return value
    return None


def find_filled(record: Mapping[Any, Any], keys: Sequence[str]) -> Any:
    """What stands under the first of these keys that has something."""
    for key in keys:
        value = record.get(key)
        if value is not None:
            return value
    return None


def find_entries(record: Mapping[Any, Any], path: str) -> list[Any] | None:
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


def describe_paths(record: Any) -> str:
    """What a record has, or what it is instead, at the end of a message."""
    paths = list_paths(record)
    return f": it has {', '.join(paths)}" if paths else f": it is {quote(record)}"


_MAX_PLANS = 1 << 12  # sets of keys that are remembered

Record = Mapping[Any, Any]
Keys = tuple[str, ...]
Step = tuple[str, str]  # a key of the record, and the path from there; "" if that is all
Steps = tuple[Step, ...]


class PathFinder:
    """Finds the first of some paths that leads to something, for several such things at once.

    Examples:
        >>> finder = PathFinder(("session.id", "conversation"), ("kind",))
        >>> finder.find_each({"session": {"id": "s1"}, "kind": "search"})
        ['s1', 'search']
        >>> finder.find_each({"conversation": 7})
        [7, None]
    """

    def __init__(self, *groups: Sequence[str]) -> None:
        self._groups = groups
        self._plan = lru_cache(_MAX_PLANS)(self._make_plan)

    def find_each(self, record: Record) -> list[Any]:
        """What each of the things is in one record; None where no path leads to it."""
        plan = self._plan(tuple(record))
        return [follow_steps(record, steps) if steps else None for steps in plan]

    def find_steps(self, record: Record) -> Steps:
        """Where the first of the things may stand, in the order in which to look."""
        return self._plan(tuple(record))[0]

    def _make_plan(self, keys: Keys) -> tuple[Steps, ...]:
        present = set(keys)
        return tuple(_list_steps(present, paths) for paths in self._groups)


def follow_steps(record: Record, steps: Steps) -> Any:
    """What stands where the first of these steps leads to something; None if none does."""
    for key, rest in steps:
        value = record[key]
        if value is not None and rest:
            value = find_value(value, rest)
        if value is not None:
            return value
    return None


def _list_steps(present: Container[str], paths: Sequence[str]) -> Steps:
    """The beginnings of paths that are keys: of each path the longest first."""
    steps = []
    for path in paths:
        end = len(path)
        while end > 0:
            if path[:end] in present:
                steps.append((path[:end], path[end + 1 :]))
            end = path.rfind(".", 0, end)
    return tuple(steps)


def find_first_list(record: Record, paths: Keys) -> list[Any] | None:
    """The first list that `find_entries` finds at one of these paths.

    Examples:
        >>> find_first_list({"docs.0.id": "a", "docs.1.id": "b"}, ("ids", "docs"))
        [{'id': 'a'}, {'id': 'b'}]
    """
    for path in choose_paths(tuple(record), paths):
        entries = find_entries(record, path)
        if entries is not None:
            return entries
    return None


@lru_cache(_MAX_PLANS)
def choose_paths(keys: Keys, paths: Keys) -> Keys:
    """Those of the paths that may lead to something in a record with these keys."""
    return tuple(
        path
        for path in paths
        if _list_steps(keys, (path,)) or any(key.startswith(f"{path}.") for key in keys)
    )
