"""JSON: decoded fast, with care where it may be damaged, and taken out of what is put around it.

Bulk requests have a line with an action before each record; answers to `_search` and `_msearch`
hold records in `hits.hits[]._source`; dumps of an index have `_source` in each line;
OpenTelemetry's console exporter writes indented objects one after the other, and text sequences
(RFC 7464) have a separator before each; pandas writes a table as one object. Readers of JSON get
one record a line, or one list of them. Records stay on the line on which they begin, so that
messages name it. An answer whose hits are documents is no envelope, but a ranking of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from gainful.errors import BadInput
from gainful.read.column_names import LOG_COLUMNS, QUERY, SESSION, are_column_names, strip_name
from gainful.text import quote

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
REFUSED = b"{\x01"  # begins a line that an envelope put for a record that is missing, and says why
EXPECTED = "one JSON object a line, or a list of them"


class Unreadable(ValueError):
    """Why something cannot be read: raised, or in place of what is read."""

    def __init__(self, problem: str, expected: str = EXPECTED) -> None:
        super().__init__(problem)
        self.problem, self.expected = problem, expected

    def prefix(self, place: str) -> Unreadable:
        """A problem that begins with the place where it is."""
        return Unreadable(f"{place}: {self.problem}", self.expected)


Record = dict[str, Any] | Unreadable


def parse_line(line: bytes) -> Record:
    """The object of a line, or why there is none."""
    try:
        value = decode_json(line)
    except Unreadable as failure:
        return failure
    except (ValueError, RecursionError) as failure:
        if line.startswith(REFUSED):
            return Unreadable(line.removeprefix(REFUSED).decode(), "a record for each")
        shown = quote(line.decode("utf-8", errors="replace"))
        return Unreadable(_describe_failure(failure, shown))
    return check_object(value)


def check_object(value: Any) -> Record:
    """A value that is an object, or that it is none."""
    return value if type(value) is dict else Unreadable(f"{quote(value)} is not an object")


def _describe_failure(failure: Exception, shown: str) -> str:
    """Why a line is no JSON: it is cut off, something follows the object, or something else."""
    if isinstance(failure, UnicodeDecodeError):
        return f"{shown} is not UTF-8"
    if isinstance(failure, RecursionError):
        return f"{shown} is nested too deeply"
    if not isinstance(failure, json.JSONDecodeError):
        return f"{shown} is not JSON"
    if failure.msg == "Extra data":
        return f"{quote(failure.doc[failure.pos :].strip())} follows the object"
    return "the record is truncated: " * stops_early(failure) + f"{shown} is not JSON"


def stops_early(failure: json.JSONDecodeError) -> bool:
    """Is all of a text JSON as far as it goes, up to a word or a text that is not complete?"""
    rest = failure.doc[failure.pos :].strip()
    begins_word = any(word.startswith(rest) for word in ("true", "false", "null"))
    return begins_word or failure.msg.startswith("Unterminated string")


def _decode_fast(text: bytes) -> Any:
    try:
        value = None if b"\\u003" in text else _FAST_DECODER.decode(text)  # no colon is escaped
        # Of a key that stands twice it keeps one, and a colon goes with the other.
        return value if _ENCODER.encode(value).count(b":") == text.count(b":") else None
    except (ValueError, RecursionError):
        return None


def decode_json(text: bytes) -> Any:
    """What JSON says in which no object has a key twice, and no text half a character."""
    value = _decode_fast(text)
    if value is not None:
        return value
    value = _DECODER.decode(text.decode())
    if _HALF.search(text) is None:
        return value
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as failure:
        half = f"\\u{ord(str(failure.object)[failure.start]):04x}"
        raise Unreadable(f"{half} is half a character", "both halves of it") from None
    return value


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise Unreadable(f"the key {quote(repeated)} occurs twice in one object", "each key once")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_repeats)
_LENIENT_DECODER = json.JSONDecoder(strict=False)  # control characters may stand as they are
_FAST_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()


def load_json(text: bytes, place: str) -> Any:
    """What JSON says; what it may not have is refused with its place."""
    try:
        return decode_json(text)
    except Unreadable as failure:
        raise BadInput(place, failure.problem, failure.expected) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as failure:
        if "set_int_max_str_digits" in str(failure):
            raise BadInput(place, "a whole number has thousands of digits") from None
        raise


def parse_json(value: Any) -> Any:
    """What JSON in a text says; all else as it is, and so a text with half a character in it."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return _FAST_DECODER.decode(value)
    except (ValueError, RecursionError):
        pass  # it is no JSON, or has something that we forgive
    try:
        parsed = _LENIENT_DECODER.decode(value)
        json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return value
    return parsed


def list_objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def write_json(value: Any) -> str:
    """JSON of a value; what JSON has no words for as Python writes it."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def as_text(value: Any) -> str | None:
    """A text or nothing as it is, and all else as JSON."""
    return value if value is None or isinstance(value, str) else write_json(value)


_ACTION = re.compile(rb'\s*\{\s*"(index|create|update|delete)"\s*:\s*(\{[^{}]*\})\s*\}\s*(?:\n|$)')
_ACTION_KEYS = {
    *("_index", "_id", "_type", "routing", "version", "version_type", "if_seq_no", "pipeline"),
    *("if_primary_term", "op_type", "require_alias", "require_data_stream", "retry_on_conflict"),
    *("_routing", "parent", "dynamic_templates", "list_executed_pipelines", "_source"),
}
_LONG_LINE = 1 << 16  # as long as a head: what it begins is not taken apart on suspicion
_SEPARATOR = b"\x1e"  # of records of a text sequence; within one it would be escaped
_FEW_LINES = 8  # in which an action is looked for where the first line is damaged
_ANSWERS = frozenset(("hits", "responses"))
_ROW_NAMES = frozenset(
    strip_name(name)
    for name in (
        *(*QUERY, *SESSION, *LOG_COLUMNS["user"].names),
        *LOG_COLUMNS["query_id"].names,
        *("trace_id", "span_id", "attributes", "resource_spans", "messages", "judgmentRatings"),
    )
)
_SEARCHES = re.compile(rb'\s*\{\s*"results"\s*:\s*\[\s*\{')
_MAX_LISTS = 3  # within each other: of pages, of answers, of hits
_NEXT_OBJECT = re.compile(rb"\}\s*\{")
_OPEN_LINE = re.compile(rb"\n\{\s*\n")  # of an object over several lines
_NEXT_START = re.compile(r"\n(?=\{)")  # of an object after one that is damaged
_MAX_DAMAGED = 500  # objects; after as many what follows is not looked at
_BLANKS = re.compile(r"[ \t\r\n]*")
_LINE_END = re.compile(r"[\r\n]\s*")  # and no other: a text may hold U+2028


class _Wrapped(msgspec.Struct):
    """What holds a record: a line of a dump of an index, or of an update."""

    source: msgspec.Raw = msgspec.field(name="_source", default_factory=msgspec.Raw)
    doc: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)


_TABLE = re.compile(  # as pandas writes it: names, or the first cell of a column, or a row
    rb'\s*\{\s*"(?:columns"\s*:\s*\[|schema"\s*:\s*\{|[^"]*"\s*:\s*(?:\{\s*"0"|(\{)))'
)
_KEY, _ROW_START = re.compile(rb'"([^"]*)"\s*:'), 1000  # in so many bytes of a row or a query
_WRAPPED_DECODER = msgspec.json.Decoder(_Wrapped)


def unwrap(head: bytes, read: Callable[[], bytes], name: str) -> bytes | None:
    r"""The records of a text that has them in an envelope, by its head; None if it has none.

    Examples:
        >>> bulk = b'{"index": {"_index": "ubi"}}\n{"query_id": "q1"}\n'
        >>> unwrap(bulk, lambda: bulk, "bulk.ndjson")
        b'\n{"query_id": "q1"}\n'
    """
    start = head.lstrip()
    if start[:1] == _SEPARATOR:
        data = read().replace(_SEPARATOR, b"")
        return unwrap(data[:_LONG_LINE], lambda: data, name) or data
    line, newline, rest = start.partition(b"\n")
    is_short = bool(newline) or len(head) < _LONG_LINE
    first = _decode(line) if is_short else None
    is_damaged = first is None and any(map(_find_action, rest.split(b"\n", _FEW_LINES)))
    if _find_action(head) or is_damaged:
        lines = b"\n".join(_drop_actions(read().split(b"\n")))
        if not lines.strip():
            raise BadInput(name, "its bulk actions only delete", "actions with records")
        return lines
    if isinstance(first, dict) and isinstance(first.get("_source"), dict):
        return b"\n".join(_open(line, "source") for line in read().split(b"\n"))
    if b'"_source"' in head and (not isinstance(first, dict) or not _ANSWERS.isdisjoint(first)):
        records = _list_all_hits(read()) or []
        fields = (key for record in records if isinstance(record, dict) for key in record)
        if any(strip_name(key) in _ROW_NAMES for key in fields):  # else they are documents
            return json.dumps(records).encode()
    for may_be, find in ((_SEARCHES.match(head), list_searches), (_may_be_table(head), find_rows)):
        if may_be and (entries := find(_decode(read()))) is not None:
            return json.dumps(entries).encode()
    is_apart = is_short and start[:1] == b"{" and (first is None or _OPEN_LINE.search(head))
    return _split_objects(read()) if is_apart else None


def _may_be_table(head: bytes) -> bool:
    """May it be a table that pandas wrote, by its beginning?"""
    match = _TABLE.match(head)
    if match is None or match[1] is None:
        return match is not None
    keys = _KEY.findall(head, match.start(1), match.start(1) + _ROW_START)
    return are_column_names(key.decode(errors="replace") for key in keys)


def find_rows(value: Any) -> list[Any] | None:
    """The rows of a table in an object, by any `orient` of pandas' `to_json`; None of all else."""
    if not isinstance(value, Mapping) or not value:
        return None
    names, data = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(map(_is_list, data)):
        return [dict(zip(names, row, strict=False)) for row in data]
    rows = data if isinstance(data, list) else [*value.values()]
    if not rows or not isinstance(rows[0], Mapping):
        return None
    if are_column_names(map(str, rows[0])):
        return rows
    has_index = isinstance(rows[-1], Mapping) and rows[0].keys() == rows[-1].keys()
    cells = list_cells(value) if has_index and are_column_names(map(str, value)) else {}
    if len({*map(len, cells.values())}) != 1:
        return None
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def list_cells(value: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    """The cells of each column of a table in which all columns have them by their index."""
    if not all(isinstance(column, Mapping) for column in value.values()):
        return {}
    return {name: [*column.values()] for name, column in value.items()}


def list_searches(value: Any) -> list[Any] | None:
    """The answers to several searches that came together, each with its query if it tells that.

    Meilisearch and Algolia have the query beside the hits, Typesense has it in `request_params`.
    """
    answers = value.get("results") if isinstance(value, dict) else None
    if not isinstance(answers, list) or not answers:
        return None
    if not all(isinstance(each, dict) and isinstance(each.get("hits"), list) for each in answers):
        return None
    asked = [each.get("request_params") for each in answers]
    texts = [params.get("q") if isinstance(params, dict) else None for params in asked]
    pairs = zip(texts, answers, strict=True)
    return [each if text is None else {"query": text, **each} for text, each in pairs]


def _decode(text: bytes) -> Any:
    try:
        return decode_json(text)
    except (ValueError, RecursionError):
        return None


def _find_action(line: bytes) -> bytes:
    match = _ACTION.match(line)
    keys = _decode(match[2]) if match is not None else None
    is_action = isinstance(keys, dict) and keys.keys() <= _ACTION_KEYS
    return match[1] if match is not None and is_action else b""


def _drop_actions(lines: Iterable[bytes]) -> list[bytes]:
    """The lines of records; where actions were there is nothing, or that one has no record."""
    opened: list[bytes] = []
    action, begun = b"", 0  # the action whose record comes next, and its line
    for number, line in enumerate(lines):
        if own := _find_action(line):
            if action:
                opened[begun] = _refuse(action)
            action, begun = b"" if own == b"delete" else own, number
            opened.append(b"")
            continue
        opened.append(_open(line, "doc") if action == b"update" else line)
        action = b"" if line.strip() else action
    if action:
        opened[begun] = _refuse(action)
    return opened


def _refuse(action: bytes) -> bytes:
    return REFUSED + b"the bulk action " + action + b" has no record on the line after it"


def _open(line: bytes, name: str) -> bytes:
    try:
        record = bytes(getattr(_WRAPPED_DECODER.decode(line), name))
    except (ValueError, RecursionError):
        return line
    return record if record.startswith(b"{") else line


def _list_all_hits(text: bytes) -> list[Any] | None:
    """The records of one answer or list of hits, or of those on lines or one after the other."""
    whole = _decode(text)
    if whole is not None:
        return _list_hits(whole)
    lines, apart = text.split(b"\n"), (_split_objects(text) or b"").split(b"\n")
    pages = ([*map(_decode, filter(bytes.strip, part))] for part in (lines, apart))
    return next(filter(None, map(_list_hits, pages)), None)


def _list_hits(value: Any, depth: int = 0) -> list[Any] | None:
    """The records of hits, of an answer, or of a list of these; its error, if a search failed."""
    if isinstance(value, dict):
        if isinstance(value.get("_source"), dict):
            return [value["_source"]]
        if "error" in value:
            return [f"error {json.dumps(value['error'])}"]
        hits = value.get("hits")
        value = value.get("responses", hits.get("hits") if isinstance(hits, dict) else None)
    if not isinstance(value, list) or depth > _MAX_LISTS:
        return None
    parts = [_list_hits(part, depth + 1) for part in value]
    return None if None in parts else [record for part in parts for record in part or ()]


def _split_objects(data: bytes) -> bytes | None:
    """Objects that stand one after the other, each on one line; what is cut off on one, too."""
    if _NEXT_OBJECT.search(data) is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    lines: list[str] = []
    start, number, damaged = 0, 0, 0
    decode = json.JSONDecoder().raw_decode
    while start < len(text):
        begin = _BLANKS.match(text, start).end()  # type: ignore[union-attr]
        number += text.count("\n", start, begin)
        try:
            end = decode(text, begin)[1] if begin < len(text) else begin
        except (ValueError, RecursionError):
            is_within = start == begin and text[begin] != "{"  # of what is a damaged line
            if not lines or is_within:
                return None
            damaged += 1  # for each, JSON's own message counts all lines before it
            follows = _NEXT_START.search(text, begin) if damaged < _MAX_DAMAGED else None
            end = follows.start() if follows is not None else len(text)
        lines += [""] * (number - len(lines)) + [_LINE_END.sub(" ", text[begin:end])]
        number += text.count("\n", begin, end)
        start = end
    return "\n".join(lines).encode() if sum(map(bool, lines)) > 1 else None
