"""Traces of LLM applications: each retriever or search tool that was called is a query.

OpenInference marks retrievers by `openinference.span.kind` = RETRIEVER and lists documents as
`retrieval.documents.N.document.id`; OpenTelemetry's GenAI convention (1.41, in development) marks
them by `gen_ai.operation.name` = retrieval and lists documents in `gen_ai.retrieval.documents`. The
session is `session.id` or `gen_ai.conversation.id`, of the span or of another of its trace; without
either a trace is a session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import astuple, evolve, frozen
from numpy.typing import NDArray

from gainful.read.build_sessions import build_sessions
from gainful.read.document_evaluations import (
    PLACES_OF_DOCUMENTS,
    SPAN_IDS,
    EvaluationFile,
    Evaluations,
    read_evaluation_file,
)
from gainful.read.json_records import Record, Unreadable, iterate_batches, read_records
from gainful.read.path_finder import PathFinder, find_first, find_lists, find_value
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import FAILED, UNREADABLE, Retrievals, RetrievedLists, RowBuffer
from gainful.read.search_results import (
    BadResults,
    ResultPaths,
    read_documents,
    read_query,
    read_results,
)
from gainful.read.session_events import FIRST, LENGTH, SessionEvents, tells
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.text import quote
from gainful.types import Flags

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
LABELS = ("topic", "system", "scenario")
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
    spans = read_spans(enumerate(records))
    return any(
        trace is not None and (find_first(own, _KINDS) is not None or "span_kind" in export)
        for trace, own, export in zip(spans.traces, spans.attributes, spans.exports, strict=True)
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
    file = read_records(source)
    labels = tuple(name for name in LABELS if name in columns.names)
    retrievals = Retrievals(source.name, file.locate, labels=(*labels, *KEYS))
    reader = _SpanReader(reading, retrievals, labels)
    for file_of_grades in graded:
        reader.evaluations = read_evaluation_file(file_of_grades, reading)
    for records in iterate_batches(file.records):
        reader.take_records(records)
    evaluated = [reader.in_trace, *([reader.evaluations] if reader.evaluations else [])]
    for evaluations in evaluated:
        evaluations.report(retrievals)
    lists = retrievals.to_lists()
    in_order = evolve(lists, frame=lists.frame.sort("record", maintain_order=True))
    others = reader.others.to_frame()
    has_sessions = any(tells(frame, "session") for frame in (lists.frame, others))
    columns.refuse_absent({"session": has_sessions}, source.name)
    chosen = choose_searches(retrievals, in_order, others)
    log = retrievals.to_events(_EXPECTED, columns, chosen)
    problems = [problem for evaluations in evaluated for problem in evaluations.problems]
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

    def __init__(
        self, reading: ReadOptions, retrievals: Retrievals, labels: tuple[str, ...]
    ) -> None:
        names, tools = reading.columns.names, reading.tool
        self.others = RowBuffer(OTHER_COLUMNS)  # spans that are no searches
        self.in_trace = Evaluations("the trace", retrievals.locate, reading.policy)
        self.evaluations: EvaluationFile | None = None
        self._tools, self._retrievals, self._labels = tools, retrievals, labels
        self._paths = ResultPaths.from_columns(reading.columns)
        self._marks = PathFinder(
            names.get("session", _SESSION), (_KIND,), (_OPERATION,), _TOOL_NAME if tools else ()
        )
        own_paths = (names.get("searcher", _USER), *(names[name] for name in labels))
        self._values = PathFinder(_QUERY, *own_paths)
        self._tool_values = PathFinder(_TOOL_QUERY, *own_paths)
        self._own_text = PathFinder(self._paths.text)
        self._documents = self._paths.retrieved or (*_DOCUMENTS, *_DOCUMENT_IDS)

    def take_records(self, records: Iterable[tuple[int, Record]]) -> None:
        """Remember what spans say of their traces, and what those that are searches found.

        Records that cannot be read are reported.
        """
        readable = []
        for number, record in records:
            if isinstance(record, Unreadable):
                self._retrievals.add_flaw(number, UNREADABLE, record.problem)
            else:
                readable.append((number, record))
        spans = read_spans(readable)
        named, kinds, operations, tools = self._marks.find(spans.attributes)
        sessions = _as_names(named)
        by_tool = [
            (tool or spans.name(index)) in self._tools if self._tools else False
            for index, tool in enumerate(tools)
        ]
        searches, others = [], []
        for index, kind in enumerate(kinds):
            plain = kind if kind == "RETRIEVER" else str(kind or "").upper()
            if plain == "RERANKER" and not by_tool[index]:
                self._retrievals.notes[_RERANKED] += 1
            if plain == "RETRIEVER" or by_tool[index] or operations[index] == "retrieval":
                searches.append(index)
            elif sessions[index] is not None or spans.parents[index] is not None:
                others.append(index)
        if len(searches) < len(kinds):
            rest = spans.take(others)
            named = [sessions[index] for index in others]
            self.others.extend((rest.traces, rest.ids, rest.parents, named, rest.records))
            spans = spans.take(searches)
            sessions = [sessions[index] for index in searches]
            by_tool = [by_tool[index] for index in searches]
        self._add_searches(spans, sessions, by_tool)

    def _add_searches(
        self, spans: _Spans, sessions: Sequence[str | None], by_tool: Sequence[bool]
    ) -> None:
        """Spans that are searches: whose, when, what was asked, and what was found."""
        text, user, *labels = self._values.find(spans.attributes)
        if any(by_tool):
            tool_text, *_ = self._tool_values.find(spans.attributes)
            text = [
                own if tool else usual
                for own, usual, tool in zip(tool_text, text, by_tool, strict=True)
            ]
        texts = [read_query(value, self._paths) for value in text]
        if self._paths.text:  # which may lead to an attribute, and not into arguments
            own_text = self._own_text.find(spans.attributes)[0]
            texts = [
                inner if own is None else str(own)
                for own, inner in zip(own_text, texts, strict=True)
            ]
        docs = [
            BadResults(_NO_TRACE, "its trace id is null")
            if spans.traces[index] is None and sessions[index] is None
            else self._read_elsewhere(spans, index, by_tool=by_tool[index])
            if entries is None
            else self._read_listed(spans, index, entries)
            for index, entries in enumerate(find_lists(spans.attributes, self._documents))
        ]
        flaws: list[int | None] = [None] * len(docs)
        for index, part in enumerate(docs):
            if isinstance(part, BadResults):
                words = f"span {quote(spans.ids[index] or spans.name(index))}: {part.words}"
                flaws[index] = self._retrievals.name_flaw(part.expected, words)
        self._retrievals.extend(
            spans.records,
            [[] if isinstance(part, BadResults) else part for part in docs],
            self._read_grades(spans, docs),
            session=sessions,
            user=_as_names(user),
            time=[None if start is None else str(start) for start in spans.starts],
            text=texts,
            flaw=flaws,
            **dict(zip(self._labels, map(_as_names, labels), strict=True)),
            **dict(zip(KEYS, (spans.traces, spans.ids, spans.parents), strict=True)),
        )

    def _list_evaluations(self, spans: _Spans) -> Iterator[tuple[int, dict[int, float], str]]:
        """What evaluations say of searches, by the places of documents; and where they stand."""
        for lists in (find_lists(part, _EVALUATIONS) for part in (spans.exports, spans.attributes)):
            for index, entries in enumerate(lists):
                if entries:
                    rows = [spans.records[index]] * len(entries)
                    span = str(spans.ids[index] or spans.name(index))
                    grades = self.in_trace.grade(entries, span, rows)
                    yield index, grades, self.in_trace.name
        file = self.evaluations
        for index, span in enumerate(map(str, spans.ids)):
            if file is not None and span in file.by_span:
                file.searches.add(span)
                yield index, file.by_span[span], file.name

    def _read_grades(
        self, spans: _Spans, docs: Sequence[list[str] | BadResults]
    ) -> dict[int, dict[int, float]]:
        """The grades of the documents of searches, by their places."""
        grades: dict[int, dict[int, float]] = {}
        for index, grade_of, where in self._list_evaluations(spans):
            part = docs[index]
            if isinstance(part, BadResults):
                continue
            listed = {place: grade for place, grade in grade_of.items() if place < len(part)}
            if listed:
                grades[index] = listed
            counts = {_GRADED: len(listed), _NOT_LISTED: len(grade_of) - len(listed)}
            for words in (words for words, number in counts.items() if number):
                self._retrievals.notes[words.format(where)] += counts[words]
        return grades

    def _read_listed(
        self, spans: _Spans, index: int, entries: Sequence[Any]
    ) -> list[str] | BadResults:
        """The ids of documents that a span lists; of LangChain's, those that it returned."""
        docs = read_documents(entries, self._paths)
        if isinstance(docs, list) or self._paths.doc:
            return docs
        returned = read_results(find_first(spans.attributes[index], _TOOL_RESULT), self._paths)
        if isinstance(returned, BadResults) or len(returned) != len(entries):
            return docs
        self._retrievals.notes[_RETURNED] += 1
        return returned

    def _read_elsewhere(
        self, spans: _Spans, index: int, *, by_tool: bool
    ) -> list[str] | BadResults:
        """The ids of what a span returned that lists no documents."""
        result = find_first(spans.attributes[index], _TOOL_RESULT) if by_tool else None
        has_failed = spans.has_failed(index)
        if result is not None:
            docs = read_results(result, self._paths)
            if isinstance(docs, list) or not has_failed:
                return docs
        if has_failed:
            self._retrievals.notes[FAILED] += 1
            return []
        place = f" at {quote(self._paths.retrieved[0])}" if self._paths.retrieved else ""
        has_ended = bool(find_first(spans.exports[index], _END))
        cut = "" if has_ended or place else " and no end: the trace is truncated"
        return BadResults(_NO_DOCUMENTS, f"it has no documents{place}{cut}")


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
    retrievals: Retrievals, lists: RetrievedLists, others: pl.DataFrame
) -> RetrievedLists:
    """The searches that count, each with its session and its id."""
    frame = lists.frame
    nested = _find_nested(frame, others, retrievals.notes)
    if nested.any():
        retrievals.notes[_NESTED] += int(nested.sum())
    frame = _name_sessions(frame, others).filter(pl.Series(~nested))
    frame = _drop_doubles(retrievals, evolve(lists, frame=frame))
    sound = pl.col("flaw").is_null()
    untold = len(frame.filter(sound & pl.col("session").is_null()))
    if untold:
        retrievals.notes[_TRACES] += untold
    frame = frame.with_columns(
        session=pl.coalesce("session", TRACE),
        query_id=pl.format("{}/{}", pl.col(TRACE).fill_null("None"), SPAN),
    )
    return evolve(lists, frame=frame.drop(KEYS))


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
    callers = _number_spans(spans, spans, PARENT)
    # After as many steps as there are spans only those are left that call themselves, however
    # indirectly: each step taken is as long as all before it together.
    ancestors, rounds = callers.copy(), range(len(spans).bit_length())
    for _ in rounds:
        if (ancestors < 0).all():
            break
        ancestors = np.append(ancestors, [-1])[ancestors]
    circles = np.unique(ancestors[ancestors >= 0])
    if len(circles):
        notes[_CIRCLES] += len(circles)
        callers[circles] = -1
    searches = np.append(spans["searches"].to_numpy(), [False])  # what none calls is called by it
    within, ancestors = searches[callers], callers
    for _ in rounds:
        if (ancestors < 0).all():
            break
        within |= np.append(within, [False])[ancestors]
        ancestors = np.append(ancestors, [-1])[ancestors]
    of_search = _number_spans(frame, spans, PARENT)
    of_search[np.isin(_number_spans(frame, spans, SPAN), circles)] = -1
    nested: Flags = searches[of_search] | np.append(within, [False])[of_search]
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


def _drop_doubles(retrievals: Retrievals, lists: RetrievedLists) -> pl.DataFrame:
    """The searches, each once; one that appears again with other documents is reported."""
    frame = lists.frame
    key = pl.struct(TRACE, SPAN)
    told_again = frame.select(
        (~key.is_first_distinct() & pl.col(SPAN).is_not_null()).alias("again")
    ).to_series()
    if not told_again.any():
        return frame
    rows = frame.with_row_index("row").filter(key.is_duplicated() & pl.col(SPAN).is_not_null())
    flaws: dict[int, str] = {}
    doubles: list[int] = []
    seen: dict[tuple[str | None, str], list[str] | None] = {}
    columns = ("row", TRACE, SPAN, FIRST, LENGTH, "flaw")
    for row, trace, span, first, length, flaw in rows.select(columns).iter_rows():
        docs = None if flaw is not None else lists.docs.slice(first, length).to_list()
        is_first = (trace, span) not in seen
        before = seen.setdefault((trace, span), docs)
        if is_first or before is None or docs is None:
            continue
        if before == docs:
            doubles.append(row)
        else:
            flaws[row] = f"span {quote(span)}: it comes twice, with other documents"
    if doubles:
        retrievals.notes[_DOUBLES] += len(doubles)
    marked = retrievals.mark_flaws(frame, "each span once", flaws)
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
_ID_TYPES = {str, type(None)}
_MAX_NESTED = 100  # lists and objects within one attribute
_KINDS = (_KIND, _OPERATION, "gen_ai")
_PREFIX = "attributes."  # of columns of a frame


@frozen(eq=False)
class _Spans:
    """Some spans as columns: what each is part of, when it began, and what it tells."""

    records: Sequence[int]  # the number of the record that each was in
    exports: Sequence[dict[str, Any]]  # as they were exported
    traces: Sequence[str | None]
    ids: Sequence[str | None]
    parents: Sequence[str | None]
    starts: Sequence[Any]
    attributes: Sequence[dict[str, Any]]

    def take(self, indices: Sequence[int]) -> _Spans:
        columns = astuple(self, recurse=False)
        return _Spans(*([column[index] for index in indices] for column in columns))

    def name(self, index: int) -> str:
        return str(self.exports[index].get("name") or "")

    def has_failed(self, index: int) -> bool:
        return str(find_first(self.exports[index], _STATUS)).lower() in _ERRORS


def read_spans(records: Iterable[tuple[int, dict[str, Any]]]) -> _Spans:
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
    return _Spans(
        numbers, exports, _as_names(traces), _as_names(ids), _as_names(parents), starts, attributes
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
    if isinstance(kind, str) and _KIND not in own:
        own = {**own, _KIND: kind}
    return {**shared, **own} if shared else own


def _as_names(values: Sequence[Any]) -> Sequence[str | None]:
    """Ids, which may be whole numbers; None where it is anything else, or empty."""
    if set(map(type, values)) <= _ID_TYPES and "" not in values:
        return values
    return [
        str(value) if isinstance(value, (str, int)) and str(value) else None for value in values
    ]


def _list_objects(record: dict[str, Any], names: Iterable[str]) -> list[dict[str, Any]]:
    lists = (record[name] for name in names if isinstance(record.get(name), list))
    return [entry for entries in lists for entry in entries if isinstance(entry, dict)]


def _decode_value(value: Any, depth: int = 0) -> Any:
    if not isinstance(value, dict) or depth > _MAX_NESTED:
        return value
    for name, inner in value.items():
        if name in _VALUES:
            return inner
        if name in ("arrayValue", "array_value"):
            return [_decode_value(entry, depth + 1) for entry in _list_values(inner)]
        if name in ("kvlistValue", "kvlist_value"):
            return {
                str(entry.get("key")): _decode_value(entry.get("value"), depth + 1)
                for entry in _list_values(inner)
                if isinstance(entry, dict)
            }
    return None


def _list_values(value: Any) -> list[Any]:
    entries = value.get("values") if isinstance(value, dict) else None
    return entries if isinstance(entries, list) else []
