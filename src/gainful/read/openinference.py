"""Traces of LLM applications: each retriever or search tool that was called is a query.

OpenInference marks retrievers by `openinference.span.kind` = RETRIEVER and lists documents as
`retrieval.documents.N.document.id`; OpenTelemetry's GenAI convention (1.41, in development) marks
them by `gen_ai.operation.name` = retrieval and lists documents in `gen_ai.retrieval.documents`. The
session is `session.id` or `gen_ai.conversation.id`, of the span or of another of its trace; without
either a trace is a session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from attrs import define, evolve
from numpy.typing import NDArray

from gainful.read.build_sessions import build_sessions
from gainful.read.document_evaluations import (
    PLACES_OF_DOCUMENTS,
    SPAN_IDS,
    Evaluations,
    read_evaluation_file,
)
from gainful.read.json_records import read_records
from gainful.read.json_text import Unreadable, list_objects
from gainful.read.path_finder import PathFinder, find_first, find_first_list, find_value
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import FAILED, Retrievals, RowBuffer
from gainful.read.search_results import ResultPaths, read_documents, read_query, read_results
from gainful.read.session_events import FIRST, LENGTH, SessionEvents, tells
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.text import quote
from gainful.types import Flags

# Attributes as the specifications of OpenInference and OpenTelemetry, and Phoenix, name them.
_SESSION = ("session.id", "gen_ai.conversation.id")
_USER = ("user.id", "enduser.id")
_DOCUMENTS = ("retrieval.documents", "gen_ai.retrieval.documents")
_DOCUMENT_IDS = tuple(f"{path}.ids" for path in _DOCUMENTS)  # as some exports list them
_EVALUATIONS = (  # as Phoenix exports them
    *("document_evaluations", "documentEvaluations"),
    *("document_annotations", "documentAnnotations"),
)
_QUERY = ("gen_ai.retrieval.query.text", "input.value")
_KIND = "openinference.span.kind"
_OPERATION = "gen_ai.operation.name"
_TOOL_NAME = ("tool.name", "gen_ai.tool.name")
_TOOL_QUERY = ("gen_ai.tool.call.arguments", "input.value", "tool.parameters")
_TOOL_RESULT = ("gen_ai.tool.call.result", "output.value")
_EXPECTED = (
    "spans with openinference.span.kind RETRIEVER or gen_ai.operation.name retrieval; "
    "--tool NAME for the spans of a search tool"
)
_NO_DOCUMENTS = "retrieval.documents or gen_ai.retrieval.documents, which instrumentation may omit"
_NO_TRACE = "a trace id in every span"


def is_openinference(records: Sequence[dict[str, Any]]) -> bool:
    """Are these spans, or exports of spans, of an LLM application?"""
    if any(name in record for record in records for name in _WRAPPERS):
        return True
    spans = (span for record in records for span in read_spans(0, record))
    return any(
        span.trace is not None
        and (find_first(span.attributes, _KINDS) is not None or "span_kind" in span.export)
        for span in spans
    )


def find_kinds(records: Sequence[dict[str, Any]]) -> set[str]:
    """What these records are: spans, evaluations of the documents of spans, or neither."""
    if is_openinference(records):
        return {"spans"}
    are_evaluations = records and all(
        find_first(dict.fromkeys(records[0], ""), names) is not None
        for names in (SPAN_IDS, PLACES_OF_DOCUMENTS)
    )
    return {"evaluations"} if are_evaluations else set()


def read_openinference(
    source: Source | Sequence[Source], reading: ReadOptions = AS_USUAL
) -> SessionEvents | Sessions:
    """The searches of traces, whose documents may be graded by evaluations in a second file."""
    source, *graded = [source] if isinstance(source, Source) else source
    columns = reading.columns
    retrievals = Retrievals(read_records(source), columns, KEYS)
    reader = _SpanReader(reading, retrievals)
    reader.evaluations += [read_evaluation_file(file, reading) for file in graded]
    for number, record in retrievals.read_records():
        for span in read_spans(number, record):
            reader.take_span(span)
    for evaluations in reader.evaluations:
        evaluations.report(retrievals)
    frame, others = retrievals.to_frame(), reader.others.to_frame()
    has_sessions = any(tells(part, "session") for part in (frame, others))
    columns.refuse_absent({"session": has_sessions}, source.name)
    retrievals.remarks += [
        f"no span is of tool {quote(name)}" for name in sorted(reader.missing_tools)
    ]
    chosen = choose_searches(retrievals, frame, others)
    log = retrievals.to_events(_EXPECTED, chosen)
    problems = [problem for evaluations in reader.evaluations for problem in evaluations.problems]
    if not problems:
        return log
    sessions = build_sessions(log, bad=reading.policy, gap=reading.gap)
    return evolve(sessions, problems=[*problems, *sessions.problems])


_RERANKED = (
    "reranker span is not a query, and its order is not used|reranker spans are not queries, and "
    "their order is not used"
)
_RETURNED = (
    "search lists documents without ids: those in its output count|searches list documents without "
    "ids: those in their output count"
)
_GRADED = "document has a grade by an evaluation in {0}|documents have grades by evaluations in {0}"
_NOT_LISTED = (
    "evaluation in {0} is of a document_position that its span does not list"
    "|evaluations in {0} are of a document_position that their spans do not list"
)


class _SpanReader:
    """How a span becomes a search."""

    def __init__(self, reading: ReadOptions, retrievals: Retrievals) -> None:
        names, tools = reading.columns.names, reading.tool
        self.others = RowBuffer(OTHER_COLUMNS)  # spans that are no searches
        self.evaluations = [Evaluations("the trace", retrievals.file.locate, reading.policy)]
        self._tools, self._retrievals = tools, retrievals
        self.missing_tools = set(tools)  # that no span has so far
        self._paths = ResultPaths(reading.columns)
        labels = {"user": _USER, **retrievals.label_paths}
        self._labels = tuple(labels)
        self._finder = PathFinder(
            *(names.get("session", _SESSION), (_KIND,), (_OPERATION,), _TOOL_NAME if tools else ()),
            *(_QUERY, *labels.values()),
        )
        self._documents = self._paths.retrieved or (*_DOCUMENTS, *_DOCUMENT_IDS)

    def take_span(self, span: Span) -> None:
        """Remember what a span says of its trace, and what it found if it is a search."""
        named, kind, operation, tool, text, *labels = self._finder.find_each(span.attributes)
        session = _as_name(named)
        name = (tool or span.export.get("name")) if self._tools else None
        by_tool = name in self._tools
        if by_tool:
            self.missing_tools.discard(name)
        kind = str(kind or "").upper()
        if kind == "RERANKER" and not by_tool:
            self._retrievals.notes[_RERANKED] += 1
        if not (kind == "RETRIEVER" or by_tool or operation == "retrieval"):
            if session is not None or span.parent is not None:
                self.others.extend((span.trace, span.id, span.parent, session, span.record))
            return
        text = find_first(span.attributes, _TOOL_QUERY) if by_tool else text
        own_text = find_first(span.attributes, self._paths.text)  # need not be in arguments
        docs = self._read_documents(span, session, by_tool=by_tool)
        grades = self._read_grades(span, docs)
        if isinstance(docs, Unreadable):
            docs = docs.prefix(f"span {quote(span.label)}")
        values = {
            "session": session,
            "time": None if span.start is None else str(span.start),
            "text": read_query(text, self._paths) if own_text is None else str(own_text),
            TRACE: span.trace,
            SPAN: span.id,
            PARENT: span.parent,
            **dict(zip(self._labels, map(_as_name, labels), strict=True)),
        }
        self._retrievals.add(span.record, docs, values, grades)

    def _read_grades(self, span: Span, docs: list[str] | Unreadable) -> Mapping[int, float] | None:
        """What evaluations say of a search, by the places of its documents."""
        in_trace, *files = self.evaluations
        graded: list[tuple[Mapping[int, float], str]] = []
        for part in (span.export, span.attributes):
            if entries := find_first_list(part, _EVALUATIONS):
                rows = [span.record] * len(entries)
                graded.append((in_trace.grade(entries, span.label, rows), in_trace.name))
        if files:
            graded += [(file.find(span.id), file.name) for file in files]
        if isinstance(docs, Unreadable):
            return None
        listed = None
        for grades, where in graded:
            own = {place: grade for place, grade in grades.items() if place < len(docs)}
            listed = own or listed
            self._retrievals.notes[_GRADED.format(where)] += len(own)
            self._retrievals.notes[_NOT_LISTED.format(where)] += len(grades) - len(own)
        return listed

    def _read_documents(
        self, span: Span, session: str | None, *, by_tool: bool
    ) -> list[str] | Unreadable:
        """The ids of documents that a span lists; of LangChain's, those that it returned."""
        if span.trace is None and session is None:
            return Unreadable("its trace id is null", _NO_TRACE)
        entries = find_first_list(span.attributes, self._documents)
        if entries is None:
            return self._read_elsewhere(span, by_tool=by_tool)
        docs = read_documents(entries, self._paths)
        if isinstance(docs, list) or self._paths.doc:
            return docs
        returned = read_results(find_first(span.attributes, _TOOL_RESULT), self._paths)
        if isinstance(returned, Unreadable) or len(returned) != len(entries):
            return docs
        self._retrievals.notes[_RETURNED] += 1
        return returned

    def _read_elsewhere(self, span: Span, *, by_tool: bool) -> list[str] | Unreadable:
        """The ids of what a span returned that lists no documents.

        Where a retriever of LlamaIndex or Haystack finds nothing, only its output says so.
        """
        result = find_first(span.attributes, _TOOL_RESULT)
        has_failed = str(find_first(span.export, _STATUS)).lower() in _ERRORS
        if result is not None:
            docs = read_results(result, self._paths)
            if docs == [] or (by_tool and (isinstance(docs, list) or not has_failed)):
                return docs
        if has_failed:
            self._retrievals.notes[FAILED] += 1
            return []
        place = f" at {quote(self._paths.retrieved[0])}" if self._paths.retrieved else ""
        has_ended = bool(find_first(span.export, _END))
        cut = "" if has_ended or place else " and no end: the trace is truncated"
        return Unreadable(f"it has no documents{place}{cut}", _NO_DOCUMENTS)


TRACE, SPAN, PARENT = "\0trace", "\0span", "\0parent"
KEYS = (TRACE, SPAN, PARENT)
OTHER_COLUMNS = {**dict.fromkeys((*KEYS, "session"), pl.String), "record": pl.Int64}

_NESTED = (
    "retriever span within another search is part of it"
    "|retriever spans within other searches are part of them"
)
_CIRCLES = (
    "span calls itself, directly or not: it counts as a root"
    "|spans call themselves, directly or not: they count as roots"
)
_TRACES = (
    "search names no session: its trace counts as one"
    "|searches name no session: their traces count as sessions"
)
_DOUBLES = "span was exported twice, and counts once|spans were exported twice, and count once"


def choose_searches(
    retrievals: Retrievals, frame: pl.DataFrame, others: pl.DataFrame
) -> pl.DataFrame:
    """The searches that count, each with its session and its id."""
    nested = _find_nested(frame, others, retrievals.notes)
    retrievals.notes[_NESTED] += int(nested.sum())
    frame = _name_sessions(frame, others).filter(pl.Series(~nested))
    frame = _drop_doubles(retrievals, frame)
    sound = pl.col("flaw").is_null()
    retrievals.notes[_TRACES] += len(frame.filter(sound & pl.col("session").is_null()))
    return frame.with_columns(
        session=pl.coalesce("session", TRACE),
        query_id=pl.format("{}/{}", pl.col(TRACE).fill_null("None"), SPAN),
    ).drop(KEYS)


def _find_nested(frame: pl.DataFrame, others: pl.DataFrame, notes: Counter[str]) -> Flags:
    """Which searches are called by another one, however indirectly?"""
    if frame[PARENT].null_count() == len(frame):
        return np.zeros(len(frame), dtype=bool)
    spans = (
        pl.concat(
            [
                frame.select(*KEYS, pl.lit(value=True).alias("searches")),
                others.select(*KEYS, pl.lit(value=False).alias("searches")),
            ]
        )
        .group_by(TRACE, SPAN, maintain_order=True)
        .agg(pl.col(PARENT).drop_nulls().last(), pl.col("searches").any())
        .filter(pl.col(SPAN).is_not_null())
        .with_row_index("own")
    )
    # Behind all spans stands one, -1, that calls itself and those that no other calls.
    callers = np.append(_number_spans(spans, spans, PARENT), [-1])
    searches = np.append(spans["searches"].to_numpy(), [False])
    # After as many steps as there are spans only those are left that call themselves, however
    # indirectly: each step taken is as long as all before it together.
    ancestors = callers
    for _ in range(len(spans).bit_length()):
        if (ancestors < 0).all():
            break
        ancestors = ancestors[ancestors]
    circles = np.unique(ancestors[ancestors >= 0])
    notes[_CIRCLES] += len(circles)
    callers[circles] = -1
    within, ancestors = searches[callers], callers
    while (ancestors >= 0).any():
        within |= within[ancestors]
        ancestors = ancestors[ancestors]
    of_search = _number_spans(frame, spans, PARENT)
    of_search[np.isin(_number_spans(frame, spans, SPAN), circles)] = -1
    nested: Flags = searches[of_search] | within[of_search]
    return nested


def _number_spans(frame: pl.DataFrame, spans: pl.DataFrame, column: str) -> NDArray[np.int64]:
    """The number of the span, or of its caller, by the ids in a column; -1 if it is not known."""
    named = spans.select(TRACE, pl.col(SPAN).alias(column), pl.col("own").cast(pl.Int64))
    joined = frame.select(TRACE, column).join(
        named, on=[TRACE, column], how="left", maintain_order="left", nulls_equal=True
    )
    return joined["own"].fill_null(-1).to_numpy().copy()


def _name_sessions(frame: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    if not frame["session"].null_count():
        return frame
    columns = [TRACE, "session", "record"]
    named = (
        pl.concat([others.select(columns), frame.select(columns)])
        .filter(pl.col(TRACE).is_not_null() & pl.col("session").is_not_null())
        .sort("record", maintain_order=True)
        .unique(TRACE, keep="first", maintain_order=True)
        .select(TRACE, pl.col("session").alias("named"))
    )
    joined = frame.join(named, on=TRACE, how="left", maintain_order="left")
    return joined.with_columns(session=pl.coalesce("session", "named")).drop("named")


def _drop_doubles(retrievals: Retrievals, frame: pl.DataFrame) -> pl.DataFrame:
    """The searches, each once; one that appears again with other documents is reported."""
    is_again = pl.struct(TRACE, SPAN).is_duplicated() & pl.col(SPAN).is_not_null()
    rows = frame.with_row_index("row").filter(is_again)
    if rows.is_empty():
        return frame
    flaws: dict[int, Unreadable] = {}
    doubles: list[int] = []
    seen: dict[tuple[str | None, str], list[str] | None] = {}
    columns = ("row", TRACE, SPAN, FIRST, LENGTH, "flaw")
    for row, trace, span, first, length, flaw in rows.select(columns).iter_rows():
        docs = None if flaw is not None else retrievals.docs.slice(first, length).to_list()
        is_first = (trace, span) not in seen
        before = seen.setdefault((trace, span), docs)
        if is_first or before is None or docs is None:
            continue
        if before == docs:
            doubles.append(row)
        else:
            problem = f"span {quote(span)}: it comes twice, with other documents"
            flaws[row] = Unreadable(problem, "each span once")
    retrievals.notes[_DOUBLES] += len(doubles)
    marked = retrievals.mark_flaws(frame, flaws)
    return marked.filter(~pl.int_range(pl.len()).is_in(doubles))


_PLACE = PathFinder(
    ("traceId", "trace_id", "context.trace_id", "context.traceId"),
    SPAN_IDS,
    ("parentSpanId", "parent_span_id", "parent_id", "parentId"),
    ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"),
)
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
_STATUS = ("status.code", "status.status_code", "status_code", "statusCode")
_ERRORS = ("2", "error", "status_code_error", "statuscode.error")
_WRAPPERS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_PAGES = frozenset((*_WRAPPERS, "data"))  # what holds spans; `data` in Phoenix' REST interface
_VALUES = {
    *("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"),
    *("string_value", "int_value", "double_value", "bool_value", "bytes_value"),
}
_MAX_NESTED = 100  # lists and objects within one attribute
_KINDS = (_KIND, _OPERATION, "gen_ai")
_PREFIX = "attributes."  # of columns of a frame


@define(eq=False)
class Span:
    """One span: what it is part of, when it began, and what it tells."""

    record: int  # the number of the record that it was in
    export: dict[str, Any]  # as it was exported
    attributes: dict[str, Any]
    trace: str | None
    id: str | None
    parent: str | None
    start: Any
    label: str  # by what a message names it


def read_spans(number: int, record: dict[str, Any]) -> Iterator[Span]:
    """The spans of a record, which is one, or an OTLP export of some."""
    for export, shared in _list_exports(record):
        *keys, start = _PLACE.find_each(export)
        trace, span, parent = map(_as_name, keys)
        label = span or str(export.get("name") or "")
        attributes = _read_attributes(export, shared)
        yield Span(number, export, attributes, trace, span, parent, start, label)


def _list_exports(record: dict[str, Any]) -> Sequence[tuple[dict[str, Any], dict[str, Any]]]:
    """The spans of a record as they were exported, and the attributes that they share."""
    if _PAGES.isdisjoint(record):
        return ((record, {}),)
    if not any(name in record for name in _WRAPPERS):
        inner = record["data"]
        return [(span, {}) for span in list_objects(inner if isinstance(inner, list) else [record])]
    exports = []
    for resource in chain(*(list_objects(record.get(name)) for name in _WRAPPERS)):
        shared = decode_attributes(find_value(resource, "resource.attributes"))
        for scope in chain(*(list_objects(resource.get(name)) for name in _SCOPES)):
            exports += [(span, shared) for span in list_objects(scope.get("spans"))]
    return exports


def decode_attributes(attributes: Any, depth: int = 0) -> dict[str, Any]:
    """Attributes by name, from an object or from OTLP's list of keys and typed values."""
    if isinstance(attributes, dict):
        return attributes
    pairs = list_objects(attributes)
    return {str(pair.get("key")): _decode_value(pair.get("value"), depth) for pair in pairs}


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
    if isinstance(kind, str) and _KIND not in own:
        own = {**own, _KIND: kind}
    return {**shared, **own} if shared else own


def _as_name(value: Any) -> str | None:
    """An id, which may be a whole number; None where it is anything else, or empty."""
    if value is None or type(value) is str:
        return value or None
    return str(value) if isinstance(value, (str, int)) else None


def _decode_value(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > _MAX_NESTED:
        return value
    for name, inner in value.items():
        if name in _VALUES:
            return inner
        entries = find_value(inner, "values")
        entries = entries if isinstance(entries, list) else []
        if name in ("arrayValue", "array_value"):
            return [_decode_value(entry, depth + 1) for entry in entries]
        if name in ("kvlistValue", "kvlist_value"):
            return decode_attributes(entries, depth + 1)
    return None
