"""What search engines and exporters put around records of JSON, and how it comes off.

Bulk requests have a line with an action before each record; answers to `_search` hold records in
`hits.hits[]._source`; dumps of an index have `_source` in each line; OpenTelemetry's console
exporter writes indented objects one after the other. Whoever reads JSON finds one record a line,
or one list of them. Records stay on the line on which they begin, so that messages name it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from gainful.errors import BadInput
from gainful.read.json_text import decode_json

_ACTION = re.compile(rb'\s*\{\s*"(index|create|update|delete)"\s*:\s*(\{[^{}]*\})\s*\}\s*(?:\n|$)')
_ACTION_KEYS = {
    *("_index", "_id", "_type", "routing", "version", "version_type", "if_seq_no", "pipeline"),
    *("if_primary_term", "op_type", "require_alias", "require_data_stream", "retry_on_conflict"),
    *("_routing", "parent", "dynamic_templates", "list_executed_pipelines", "_source"),
}
_LONG_LINE = 1 << 16  # as long as a head: what it begins is not taken apart on suspicion
_NEXT_OBJECT = re.compile(rb"\}\s*\{")
_BLANKS = re.compile(r"[ \t\r\n]*")
_LINE_END = re.compile(r"[\r\n]\s*")  # and no other: a text may hold U+2028


class _Hit(msgspec.Struct):
    """A line of a dump of an index: all that is wanted of it."""

    source: msgspec.Raw = msgspec.field(name="_source")


_HIT_DECODER = msgspec.json.Decoder(_Hit)


def unwrap(head: bytes, read: Callable[[], bytes], name: str) -> bytes | None:
    r"""The records of a text that has them in an envelope; None if it has none.

    Args:
        head: its beginning.
        read: all of it.
        name: of the file, for messages.

    Examples:
        >>> bulk = b'{"index": {"_index": "ubi"}}\n{"query_id": "q1"}\n'
        >>> unwrap(bulk, lambda: bulk, "bulk.ndjson")
        b'\n{"query_id": "q1"}\n'
    """
    start = head.lstrip()
    if start[:1] not in (b"{", b"["):
        return None
    if _is_action(head):
        lines = b"\n".join(_drop_actions(read().split(b"\n"), name))
        if not lines.strip():
            raise BadInput(name, "its bulk actions only delete", "actions with records")
        return lines
    line, newline, _ = start.partition(b"\n")
    is_short = bool(newline) or len(head) < _LONG_LINE
    first = _decode(line) if is_short else None
    if isinstance(first, dict) and isinstance(first.get("_source"), dict):
        return b"\n".join(map(_open_hit, read().split(b"\n")))
    if b'"_source"' in head and (first is None or isinstance(first, list) or "hits" in first):
        records = _list_all_hits(read())
        if records is not None:
            return json.dumps(records).encode()
    is_apart = first is None and is_short and start[:1] == b"{"  # over several lines
    return _split_objects(read()) if is_apart else None


def _decode(text: bytes) -> Any:
    """What a text says; None if it is no JSON, of which its reader speaks."""
    try:
        return decode_json(text)
    except (ValueError, RecursionError):
        return None


def _is_action(line: bytes) -> bool:
    match = _ACTION.match(line)
    keys = _decode(match[2]) if match is not None else None
    return isinstance(keys, dict) and keys.keys() <= _ACTION_KEYS


def _drop_actions(lines: list[bytes], name: str) -> Iterator[bytes]:
    """The lines of records; where actions were, there is nothing."""
    action, begun = b"", 0  # the action whose record comes next, and its line
    for number, line in enumerate(lines, start=1):
        is_action = _is_action(line)
        if is_action and action:
            break
        if is_action:
            action = _ACTION.match(line)[1]  # type: ignore[index]
            begun, action = number, b"" if action == b"delete" else action
            yield b""
            continue
        if action == b"update":
            record = _decode(line)
            inner = record.get("doc") if isinstance(record, dict) else None
            yield json.dumps(inner).encode() if isinstance(inner, dict) else line
        else:
            yield line
        action = b"" if line.strip() else action
    if action:
        problem = f"the bulk action {action.decode()} has no record"
        raise BadInput(f"{name}:{begun}", problem, "a record on the line after it")


def _open_hit(line: bytes) -> bytes:
    try:
        return bytes(_HIT_DECODER.decode(line).source)
    except (ValueError, RecursionError):
        return line


def _list_all_hits(text: bytes) -> list[Any] | None:
    """The records of an answer to `_search`, of its list of hits, or of pages, one a line."""
    whole = _decode(text)
    pages = [whole] if whole is not None else map(_decode, filter(bytes.strip, text.split(b"\n")))
    records = list(map(_list_hits, pages))
    if any(part is None for part in records):
        return None
    return [record for part in records for record in part or ()] or None


def _list_hits(value: Any) -> list[Any] | None:
    hits = value.get("hits") if isinstance(value, dict) else {"hits": value}
    hits = hits.get("hits") if isinstance(hits, dict) else None
    if not isinstance(hits, list):
        return None
    records = [hit.get("_source") if isinstance(hit, dict) else None for hit in hits]
    return records if all(isinstance(record, dict) for record in records) else None


def _split_objects(data: bytes) -> bytes | None:
    """Objects that stand one after the other, each on one line; what is cut off on one, too."""
    if _NEXT_OBJECT.search(data) is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    lines: list[str] = []
    start, number = 0, 0
    decode = json.JSONDecoder().raw_decode
    while start < len(text):
        begin = _BLANKS.match(text, start).end()  # type: ignore[union-attr]
        number += text.count("\n", start, begin)
        try:
            end = decode(text, begin)[1] if begin < len(text) else begin
        except (ValueError, RecursionError):
            if not lines:
                return None  # the first is none
            end = len(text)
        lines += [""] * (number - len(lines)) + [_LINE_END.sub(" ", text[begin:end])]
        number += text.count("\n", begin, end)
        start = end
    return "\n".join(lines).encode() if sum(map(bool, lines)) > 1 else None
