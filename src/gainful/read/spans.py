"""Spans of traces, however they were exported: OTLP's JSON, Phoenix, frames of either.

OTLP wraps spans in resources and scopes and spells every attribute as key and typed value; Phoenix
writes a span a line, its attributes nested or flattened; its data frames have columns such as
`context.trace_id` and `attributes.session.id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gainful.read.dotted_paths import find_first, find_value

_TRACE = ("traceId", "trace_id", "context.trace_id", "context.traceId")
_SPAN = ("spanId", "span_id", "context.span_id", "context.spanId")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
_STATUS = ("status.code", "status.status_code", "status_code", "statusCode")
_ERRORS = ("2", "error", "status_code_error", "statuscode.error")
_WRAPPERS = {
    "resourceSpans": "scopeSpans",
    "resource_spans": "scope_spans",
    "batches": "scopeSpans",
}
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
_MAX_NESTED = 100  # lists and objects within one attribute


@frozen(eq=False)
class Span:
    """One span: what it is part of, when it began, and what it tells."""

    trace: str | None
    id: str | None
    parent: str | None
    name: str
    start: Any
    end: Any
    failed: bool
    attributes: dict[str, Any]

    def find(self, *paths: str) -> Any:
        """The first of these attributes that the span has."""
        return find_first(self.attributes, paths)


def iterate_spans(record: dict[str, Any]) -> Iterator[Span]:
    """The spans of a record: one, or those of an OTLP export."""
    for resource in _list_objects(record, tuple(_WRAPPERS)):
        shared = decode_attributes(find_value(resource, "resource.attributes"))
        for scope in _list_objects(resource, _SCOPES):
            for span in _list_objects(scope, ("spans",)):
                yield _build_span(span, shared)
    if not any(name in record for name in _WRAPPERS):
        inner = record.get("data")  # a page of Phoenix' REST interface
        spans = [record] if not isinstance(inner, list) else inner
        for span in spans:
            if isinstance(span, dict):
                yield _build_span(span, {})


def holds_spans(record: dict[str, Any]) -> bool:
    """Is it a span, or an export of spans, of an LLM application?"""
    if any(name in record for name in _WRAPPERS):
        return True
    return any(
        span.trace is not None
        and (
            span.find("openinference.span.kind", "gen_ai.operation.name", "gen_ai") is not None
            or "span_kind" in record
        )
        for span in iterate_spans(record)
    )


def decode_attributes(attributes: Any) -> dict[str, Any]:
    """Attributes by name, from an object or from OTLP's list of keys and typed values."""
    if isinstance(attributes, dict):
        return attributes
    if not isinstance(attributes, list):
        return {}
    return {
        str(entry.get("key")): _decode_value(entry.get("value"))
        for entry in attributes
        if isinstance(entry, dict)
    }


def _build_span(record: dict[str, Any], shared: dict[str, Any]) -> Span:
    attributes = record.get("attributes")
    if attributes is None:  # a row of a frame
        prefix = "attributes."
        own: dict[str, Any] = {
            key[len(prefix) :]: value
            for key, value in record.items()
            if value is not None and key.startswith(prefix)
        }
    else:
        own = decode_attributes(attributes)
    kind = record.get("span_kind")
    if isinstance(kind, str) and "openinference.span.kind" not in own:
        own = {**own, "openinference.span.kind": kind}
    status = find_first(record, _STATUS)
    return Span(
        _as_name(find_first(record, _TRACE)),
        _as_name(find_first(record, _SPAN)),
        _as_name(find_first(record, _PARENT)),
        str(record.get("name") or ""),
        find_first(record, _START),
        find_first(record, _END),
        failed=str(status).lower() in _ERRORS,
        attributes={**shared, **own} if shared else own,
    )


def _as_name(value: Any) -> str | None:
    return str(value) if isinstance(value, (str, int)) and str(value) else None


def _list_objects(record: dict[str, Any], names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for name in names:
        entries = record.get(name)
        if isinstance(entries, list):
            yield from (entry for entry in entries if isinstance(entry, dict))


def _decode_value(value: Any, depth: int = 0) -> Any:
    """A typed value of OTLP as it is meant."""
    if not isinstance(value, dict) or depth > _MAX_NESTED:
        return value
    for name, inner in value.items():
        plain = name if "_" not in name else _to_camel(name)
        if plain in _VALUES:
            return inner
        if plain == "arrayValue":
            entries = inner.get("values", []) if isinstance(inner, dict) else []
            return [_decode_value(entry, depth + 1) for entry in entries]
        if plain == "kvlistValue":
            entries = inner.get("values", []) if isinstance(inner, dict) else []
            return {
                str(entry.get("key")): _decode_value(entry.get("value"), depth + 1)
                for entry in entries
                if isinstance(entry, dict)
            }
    return None


def _to_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
