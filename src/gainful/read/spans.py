"""Spans of traces, however they were exported: OTLP's JSON, Phoenix, frames of either.

OTLP wraps spans in resources and scopes and spells every attribute as key and typed value; Phoenix
writes a span a line, its attributes nested or flattened; its data frames have columns such as
`context.trace_id` and `attributes.session.id`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import astuple, frozen

from gainful.read.path_finder import PathFinder, find_first, find_value

_PLACE = PathFinder(
    ("traceId", "trace_id", "context.trace_id", "context.traceId"),
    ("spanId", "span_id", "context.span_id", "context.spanId"),
    ("parentSpanId", "parent_span_id", "parent_id", "parentId"),
    ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"),
)
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
_STATUS = ("status.code", "status.status_code", "status_code", "statusCode")
_ERRORS = ("2", "error", "status_code_error", "statuscode.error")
_WRAPPERS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_PAGES = frozenset((*_WRAPPERS, "data"))  # what holds spans; `data` in Phoenix' REST interface
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
_ID_TYPES = {str, type(None)}
_MAX_NESTED = 100  # lists and objects within one attribute
_KINDS = ("openinference.span.kind", "gen_ai.operation.name", "gen_ai")
_PREFIX = "attributes."  # of columns of a frame


@frozen(eq=False)
class Spans:
    """Some spans as columns: what each is part of, when it began, and what it tells."""

    records: Sequence[int]  # the number of the record that each was in
    exports: Sequence[dict[str, Any]]  # as they were exported
    traces: Sequence[str | None]
    ids: Sequence[str | None]
    parents: Sequence[str | None]
    starts: Sequence[Any]
    attributes: Sequence[dict[str, Any]]

    def take(self, indices: Sequence[int]) -> Spans:
        """Some of them."""
        columns = astuple(self, recurse=False)
        return Spans(*([column[index] for index in indices] for column in columns))

    def name(self, index: int) -> str:
        """What a span is called."""
        return str(self.exports[index].get("name") or "")

    def has_ended(self, index: int) -> bool:
        """Is it told when a span ended?"""
        return bool(find_first(self.exports[index], _END))

    def has_failed(self, index: int) -> bool:
        """Did a span end in an error?"""
        return str(find_first(self.exports[index], _STATUS)).lower() in _ERRORS


def read_spans(records: Iterable[tuple[int, dict[str, Any]]]) -> Spans:
    """The spans of some records, each of which is one, or an OTLP export of some."""
    numbers: list[int] = []
    exports: list[dict[str, Any]] = []
    attributes: list[dict[str, Any]] = []
    for number, record in records:
        for span, shared in _list_exports(record):
            numbers.append(number)
            exports.append(span)
            attributes.append(_read_attributes(span, shared))
    traces, ids, parents, starts = _PLACE.find(exports)
    return Spans(
        numbers, exports, as_names(traces), as_names(ids), as_names(parents), starts, attributes
    )


def _list_exports(record: dict[str, Any]) -> Sequence[tuple[dict[str, Any], dict[str, Any]]]:
    """The spans of a record as they were exported, and the attributes that they share."""
    if _PAGES.isdisjoint(record):
        return ((record, {}),)
    if not any(name in record for name in _WRAPPERS):
        inner = record["data"]
        spans = inner if isinstance(inner, list) else [record]
        return [(span, {}) for span in spans if isinstance(span, dict)]
    exports = []
    for resource in _list_objects(record, _WRAPPERS):
        shared = decode_attributes(find_value(resource, "resource.attributes"))
        for scope in _list_objects(resource, _SCOPES):
            exports += [(span, shared) for span in _list_objects(scope, ("spans",))]
    return exports


def holds_spans(record: dict[str, Any]) -> bool:
    """Is it a span, or an export of spans, of an LLM application?"""
    if any(name in record for name in _WRAPPERS):
        return True
    spans = read_spans([(0, record)])
    return any(
        trace is not None and (find_first(own, _KINDS) is not None or "span_kind" in record)
        for trace, own in zip(spans.traces, spans.attributes, strict=True)
    )


def decode_attributes(attributes: Any) -> dict[str, Any]:
    """Attributes by name, from an object or from OTLP's list of keys and typed values."""
    if isinstance(attributes, dict):
        return attributes
    if not isinstance(attributes, list):
        return {}
    try:
        texts = {entry["key"]: entry["value"]["stringValue"] for entry in attributes}
        if set(map(type, texts)) <= {str}:
            return texts
    except (KeyError, TypeError):  # not all of them are texts
        pass
    return {
        str(entry.get("key")): _decode_value(entry.get("value"))
        for entry in attributes
        if isinstance(entry, dict)
    }


def _read_attributes(record: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    attributes = record.get("attributes")
    if attributes is None:  # a row of a frame
        own: dict[str, Any] = {
            key[len(_PREFIX) :]: value
            for key, value in record.items()
            if value is not None and key.startswith(_PREFIX)
        }
    else:
        own = decode_attributes(attributes)
    kind = record.get("span_kind")
    if isinstance(kind, str) and "openinference.span.kind" not in own:
        own = {**own, "openinference.span.kind": kind}
    return {**shared, **own} if shared else own


def as_names(values: Sequence[Any]) -> Sequence[str | None]:
    """Ids, which may be whole numbers; None where it is anything else, or empty.

    Examples:
        >>> as_names(["a", 7, "", 1.5])
        ['a', '7', None, None]
    """
    if set(map(type, values)) <= _ID_TYPES and "" not in values:
        return values
    return [
        str(value) if isinstance(value, (str, int)) and str(value) else None for value in values
    ]


def _list_objects(record: dict[str, Any], names: Iterable[str]) -> list[dict[str, Any]]:
    lists = (record[name] for name in names if isinstance(record.get(name), list))
    return [entry for entries in lists for entry in entries if isinstance(entry, dict)]


def _decode_value(value: Any, depth: int = 0) -> Any:
    """A typed value of OTLP as it is meant."""
    if not isinstance(value, dict) or depth > _MAX_NESTED:
        return value
    for name, inner in value.items():
        plain = name if "_" not in name else _to_camel(name)
        if plain in _VALUES:
            return inner
        if plain == "arrayValue":
            return [_decode_value(entry, depth + 1) for entry in _list_values(inner)]
        if plain == "kvlistValue":
            return {
                str(entry.get("key")): _decode_value(entry.get("value"), depth + 1)
                for entry in _list_values(inner)
                if isinstance(entry, dict)
            }
    return None


def _list_values(value: Any) -> list[Any]:
    entries = value.get("values") if isinstance(value, dict) else None
    return entries if isinstance(entries, list) else []


def _to_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
