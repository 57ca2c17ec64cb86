"""Records of JSON, whatever holds them: lines, a list, an object, rows of a table, an envelope.

Logs and traces come as one object a line, as one list, or as a table whose cells are nested. A
line that is no JSON does not hide the others: it is told as a record that cannot be read. Text is
decoded fast, and with care where it may be damaged or hostile.

Bulk requests have a line with an action before each record; answers to `_search` and `_msearch`
hold records in `hits.hits[]._source`; dumps of an index have `_source` in each line;
OpenTelemetry's console exporter writes indented objects one after the other. Whoever reads JSON
finds one record a line, or one list of them. Records stay on the line on which they begin, so that
messages name it. An answer whose hits are documents is no envelope, but a ranking of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec
import polars as pl
from attrs import frozen

from gainful.errors import BadInput
from gainful.progress import report_reading
from gainful.read import binary_tables
from gainful.read.column_names import CONVERSATION, LOG_COLUMNS, QUERY, SESSION, strip_name
from gainful.read.source import Source
from gainful.text import quote

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
REFUSED = b"{\x01"  # begins a line that an envelope put for a record that is missing, and says why
EXPECTED = "one JSON object a line, or a list of them"


class NoObject(ValueError):
    """What a line holds instead of an object, in words."""

    def __init__(self, problem: str, expected: str = "") -> None:
        super().__init__(problem)
        self.expected = expected


def parse_object(line: bytes) -> dict[str, Any]:
    """The object of a line.

    Examples:
        >>> parse_object(b'{"a": 1}')
        {'a': 1}
    """
    try:
        value = decode_json(line)
    except NoObject:
        raise
    except (ValueError, RecursionError) as failure:
        if line.startswith(REFUSED):
            raise NoObject(line.removeprefix(REFUSED).decode()) from None
        shown = quote(line.decode("utf-8", errors="replace"))
        raise NoObject(_describe_failure(failure, shown), EXPECTED) from None
    if type(value) is not dict:
        raise NoObject(f"{quote(value)} is not an object", EXPECTED)
    return value


def _describe_failure(failure: Exception, shown: str) -> str:
    """Why a line is no JSON: it is cut off, something follows the object, or something else."""
    if not isinstance(failure, json.JSONDecodeError):
        return f"{shown} is not JSON"
    if failure.msg == "Extra data":
        return f"{quote(failure.doc[failure.pos :].strip())} follows the object"
    return (
        f"the record is truncated: {shown} is not JSON"
        if stops_early(failure)
        else f"{shown} is not JSON"
    )


def stops_early(failure: json.JSONDecodeError) -> bool:
    """Is all of a text JSON as far as it goes, up to a word or a text that is not complete?"""
    rest = failure.doc[failure.pos :].strip()
    begins_word = any(word.startswith(rest) for word in ("true", "false", "null"))
    return begins_word or failure.msg.startswith("Unterminated string")


def decode_objects(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects of some lines, decoded together; None if one of them wants a closer look."""
    text = b"[" + b",".join(lines) + b"]"
    objects = None if b"\\u003" in text else _decode_fast(text)
    sound = objects is not None and len(objects) == len(lines) and {*map(type, objects)} == {dict}
    return objects if sound else None


def _decode_fast(text: bytes) -> Any:
    try:
        value = _FAST_DECODER.decode(text)
        # Of a key that stands twice it keeps one, and a colon goes with the other.
        return value if _ENCODER.encode(value).count(b":") == text.count(b":") else None
    except (ValueError, RecursionError):
        return None


def decode_json(text: bytes) -> Any:
    """What JSON says in which no object has a key twice, and no text half a character."""
    value = None if b"\\u003" in text else _decode_fast(text)  # no colon is escaped
    if value is not None:
        return value
    value = _DECODER.decode(text.decode())
    if _HALF.search(text) is not None:
        _refuse_half_characters(value)
    return value


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as failure:
        half = f"\\u{ord(str(failure.object)[failure.start]):04x}"
        raise NoObject(f"{half} is half a character", "both halves of it") from None


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise NoObject(f"the key {quote(repeated)} is twice in one object")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_repeats)
_LENIENT_DECODER = json.JSONDecoder(strict=False)  # control characters may stand as they are
_FAST_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()


def load_json(text: bytes, place: str) -> Any:
    """What JSON says; what it may not have is refused with its place."""
    try:
        return decode_json(text)
    except NoObject as failure:
        raise BadInput(place, str(failure), failure.expected) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


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


_REPORT_EVERY = 1 << 14  # records between two words on progress
_MAX_FIRST = 50  # records that are looked at to recognise a format
_BATCH = 32  # records read together: few enough for the cache, and the collector of garbage
ESCAPED_KEY_OR_HALF = re.compile(rb'\\u[0-9a-fA-F]{4}[^"]*"\s*:|\\u[dD][89a-fA-F]')
_MAX_COUNTED = 64  # keys; of more, to count each takes longer than to read the lines
_BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow"}


@frozen(eq=False)
class Unreadable:
    """A record that cannot be read, and why."""

    problem: str
    expected: str = EXPECTED


Item = TypeVar("Item")
Record = dict[str, Any] | Unreadable
Records = Iterator[tuple[int, Record]]  # the number of each, by which it is located


@frozen(eq=False)
class RecordFile:
    """The records of a file, to be read once, and where each stands."""

    name: str
    records: Records
    locate: Callable[[int], str]


def read_records(source: Source) -> RecordFile:
    """The records of a file, one after the other."""
    name = source.name
    table = binary_format(source)
    if table is not None:
        rows = read_binary(source, table).iter_rows(named=True)
        return RecordFile(name, enumerate(rows, start=1), lambda row: f"{name}, row {row}")
    if is_whole(source):
        return RecordFile(name, _read_whole(source), lambda index: f"{name}[{index}]")
    return RecordFile(name, _read_lines(source), lambda line: f"{name}:{line}")


def _read_lines(source: Source) -> Records:
    for batch in iterate_batches(iterate_lines(source)):
        numbers, lines = zip(*batch, strict=True)
        yield from zip(numbers, decode_objects(lines) or map(parse_line, lines), strict=True)


def iterate_batches(records: Iterator[Item]) -> Iterator[list[Item]]:
    """Some records at a time: what is done to all of them is done column by column."""
    while batch := list(islice(records, _BATCH)):
        yield batch


def first_records(source: Source) -> list[dict[str, Any]]:
    """Some records of the beginning, by which a format is recognised; none if it has no records."""
    table = binary_format(source)
    if table is None and not source.head.lstrip().startswith((b"{", b"[")):
        return []
    try:
        records = read_records(source).records if table is None else _read_rows(source, table)
        first = [record for _, (_, record) in zip(range(_MAX_FIRST), records, strict=False)]
    except BadInput:  # who reads it says so
        return []
    return [record for record in first if isinstance(record, dict)]


def _read_rows(source: Source, table: str) -> Records:
    frame = read_binary(source, table, _MAX_FIRST)
    yield from enumerate(frame.iter_rows(named=True), start=1)


def binary_format(source: Source) -> str | None:
    """Parquet or Arrow, if it is one of them."""
    return next((form for mark, form in _BINARY.items() if source.head.startswith(mark)), None)


def read_binary(source: Source, table: str, first: int | None = None) -> pl.DataFrame:
    """A Parquet or Arrow file, or its first rows."""
    if table == "parquet":
        return binary_tables.read_parquet(source, first)
    frame = binary_tables.read_arrow(source)
    return frame if first is None else frame.head(first)


def _read_whole(source: Source) -> Records:
    value = load_whole(source)
    for index, entry in enumerate(value if isinstance(value, list) else [value]):
        is_object = isinstance(entry, dict)
        yield index, entry if is_object else Unreadable(f"{quote(entry)} is not an object")


def iterate_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not empty, with their numbers."""
    size, done = max(source.size, 1), 0
    for number, line in enumerate(source.iterate_lines(), start=1):
        done += len(line)
        if number % _REPORT_EVERY == 0:
            report_reading(source.name, size, min(done / size, 1.0) / 2)
        text = line.strip()
        if text:
            yield number, text


def parse_line(line: bytes) -> Record:
    """The record of a line, or why it cannot be read."""
    try:
        return parse_object(line)
    except NoObject as failure:
        return Unreadable(str(failure), failure.expected)


def read_frame(source: Source) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The objects of a file as a frame, and where each row stands."""
    if is_whole(source):
        objects = [record for _, record in read_objects(source)]
        return build_columns(objects), lambda row: f"{source.name}[{row}]"
    text, locate = source.read_bytes(), source.locate_rows()
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return build_columns([record for _, record in read_objects(source)]), locate
    if _needs_care(text, frame):
        deque(read_objects(source), maxlen=0)  # what polars takes silently is refused here
    return frame, locate


def read_objects(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file with their places; the first record that is none is an error."""
    file = read_records(source)
    for number, record in file.records:
        if isinstance(record, Unreadable):
            raise BadInput(file.locate(number), record.problem, record.expected)
        yield file.locate(number), record


def is_whole(source: Source) -> bool:
    """Is it one list or one object over several lines, and not an object a line?"""
    if source.head.lstrip().startswith(b"["):
        return True
    line = source.first_line()
    if source.suffix in (".jsonl", ".ndjson"):  # of which the first line may be cut off
        return line == "{"
    return not (line.startswith("{") and line.endswith("}"))


def _needs_care(text: bytes, frame: pl.DataFrame) -> bool:
    if frame.width > _MAX_COUNTED:
        return True
    names = [f'"{name}"'.encode() for name in frame.columns]
    repeated = any(text.count(name) > frame.height for name in names)
    return repeated or ESCAPED_KEY_OR_HALF.search(text) is not None


def build_columns(rows: Sequence[Mapping[Any, Any]]) -> pl.DataFrame:
    """Records as columns; a field of which records disagree what it is becomes text."""
    columns: dict[str, pl.Series] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        values, name = [row.get(key) for row in rows], str(key)
        try:
            columns[name] = pl.Series(name, values, strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            columns[name] = pl.Series(name, [_as_text(value) for value in values], dtype=pl.String)
    return pl.DataFrame(columns)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError):  # what JSON has no words for
        return str(value)


def is_json_list(source: Source) -> bool:
    """Is it one list of objects, over as many lines as it likes?"""
    return bool(re.match(rb"\s*\[\s*\{", source.head))


def load_whole(source: Source) -> Any:
    """What a file of JSON holds that is one object or one list."""
    try:
        return load_json(source.read_bytes(), source.name)
    except BadInput:
        raise
    except ValueError as failure:
        is_cut = isinstance(failure, json.JSONDecodeError) and stops_early(failure)
        problem = "the JSON is truncated" if is_cut else "this is not JSON"
        raise BadInput(source.name, f"{problem}: {failure}") from None


_ACTION = re.compile(rb'\s*\{\s*"(index|create|update|delete)"\s*:\s*(\{[^{}]*\})\s*\}\s*(?:\n|$)')
_ACTION_KEYS = {
    *("_index", "_id", "_type", "routing", "version", "version_type", "if_seq_no", "pipeline"),
    *("if_primary_term", "op_type", "require_alias", "require_data_stream", "retry_on_conflict"),
    *("_routing", "parent", "dynamic_templates", "list_executed_pipelines", "_source"),
}
_LONG_LINE = 1 << 16  # as long as a head: what it begins is not taken apart on suspicion
_ANSWERS = frozenset(("hits", "responses"))
_ROW_NAMES = frozenset(
    strip_name(name)
    for name in (
        *(*QUERY, *SESSION, *CONVERSATION, *LOG_COLUMNS["user"].names),
        *LOG_COLUMNS["query_id"].names,
        *("trace_id", "span_id", "attributes", "resource_spans", "messages", "judgmentRatings"),
    )
)
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
        lines = b"\n".join(_drop_actions(read().split(b"\n")))
        if not lines.strip():
            raise BadInput(name, "its bulk actions only delete", "actions with records")
        return lines
    line, newline, _ = start.partition(b"\n")
    is_short = bool(newline) or len(head) < _LONG_LINE
    first = _decode(line) if is_short else None
    if isinstance(first, dict) and isinstance(first.get("_source"), dict):
        return b"\n".join(map(_open_hit, read().split(b"\n")))
    if b'"_source"' in head and (not isinstance(first, dict) or not _ANSWERS.isdisjoint(first)):
        records = _list_all_hits(read())
        if records is not None and not _are_documents(records):
            return json.dumps(records).encode()
    is_apart = first is None and is_short and start[:1] == b"{"  # over several lines
    return _split_objects(read()) if is_apart else None


def _decode(text: bytes) -> Any:
    try:
        return decode_json(text)
    except (ValueError, RecursionError):
        return None


def _is_action(line: bytes) -> bool:
    match = _ACTION.match(line)
    keys = _decode(match[2]) if match is not None else None
    return isinstance(keys, dict) and keys.keys() <= _ACTION_KEYS


def _drop_actions(lines: Iterable[bytes]) -> list[bytes]:
    """The lines of records; where actions were there is nothing, or that one has no record."""
    opened: list[bytes] = []
    action, begun = b"", 0  # the action whose record comes next, and its line
    for number, line in enumerate(lines):
        is_action = _is_action(line)
        if is_action:
            if action:
                opened[begun] = _refuse(action)
            action, begun = _ACTION.match(line)[1], number  # type: ignore[index]
            action = b"" if action == b"delete" else action
        opened.append(b"" if is_action else _open_update(line) if action == b"update" else line)
        action = b"" if line.strip() and not is_action else action
    if action:
        opened[begun] = _refuse(action)
    return opened


def _refuse(action: bytes) -> bytes:
    return REFUSED + b"the bulk action " + action + b" has no record on the line after it"


def _open_update(line: bytes) -> bytes:
    record = _decode(line)
    inner = record.get("doc") if isinstance(record, dict) else None
    return json.dumps(inner).encode() if isinstance(inner, dict) else line


def _open_hit(line: bytes) -> bytes:
    try:
        return bytes(_HIT_DECODER.decode(line).source)
    except (ValueError, RecursionError):
        return line


def _list_all_hits(text: bytes) -> list[Any] | None:
    whole = _decode(text)
    pages = [whole] if whole is not None else map(_decode, filter(bytes.strip, text.split(b"\n")))
    records = [_list_hits(answer) for page in pages for answer in _list_answers(page)]
    if any(part is None for part in records):
        return None
    return [record for part in records for record in part or ()] or None


def _list_answers(page: Any) -> list[Any]:
    answers = page.get("responses") if isinstance(page, dict) else page
    if not isinstance(answers, list) or not any(map(_is_answer, answers)):
        return [page]
    return answers


def _is_answer(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("hits"), dict)


def _list_hits(answer: Any) -> list[Any] | None:
    """The records of an answer, or of a list of hits; of a search that failed, its error."""
    if isinstance(answer, dict) and "error" in answer:
        return [f"error {json.dumps(answer['error'])}"]
    hits = answer["hits"].get("hits") if _is_answer(answer) else answer
    if not isinstance(hits, list):
        return None
    records = [hit.get("_source") if isinstance(hit, dict) else None for hit in hits]
    return records if all(isinstance(record, dict) for record in records) else None


def _are_documents(records: Iterable[Any]) -> bool:
    objects = (record for record in records if isinstance(record, dict))
    return not any(strip_name(key) in _ROW_NAMES for record in objects for key in record)


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
