"""Traces of LLM applications: each retriever or search tool that was called is a query.

OpenInference marks retrievers by `openinference.span.kind` = RETRIEVER and lists documents as
`retrieval.documents.N.document.id`; OpenTelemetry's GenAI convention (1.41, in development) marks
them by `gen_ai.operation.name` = retrieval and lists documents in `gen_ai.retrieval.documents`. The
session is `session.id` or `gen_ai.conversation.id`, of the span or of another of its trace; without
either a trace is a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve

from gainful.read.column_names import ColumnMapping
from gainful.read.json_records import Record, Unreadable, iterate_batches, read_records
from gainful.read.path_finder import EntriesFinder, PathFinder, find_first
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import FAILED, UNREADABLE, Flaw, Retrievals, RowBuffer
from gainful.read.search_results import (
    BadResults,
    ResultPaths,
    read_documents,
    read_evaluations,
    read_query,
    read_results,
)
from gainful.read.search_spans import KEYS, OTHER_COLUMNS, choose_searches
from gainful.read.session_events import SessionEvents, tells
from gainful.read.source import Source
from gainful.read.spans import Spans, as_names, holds_spans, read_spans
from gainful.text import quote

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
_NO_DOCUMENTS = Flaw(
    "documents", "retrieval.documents or gen_ai.retrieval.documents, which instrumentation may omit"
)
_NO_TRACE = Flaw("trace", "a trace id in every span")


def is_openinference(records: Sequence[dict[str, Any]]) -> bool:
    """Are these spans of an LLM application?"""
    return any(map(holds_spans, records))


def read_openinference(source: Source, reading: ReadOptions = AS_USUAL) -> SessionEvents:
    """The searches of traces.

    Args:
        source: JSON lines, JSON or Parquet.
        reading: `columns` says where ids, sessions, texts and topics stand, as paths, `tool` which
            tools' spans are searches too.
    """
    columns = reading.columns
    file = read_records(source)
    labels = tuple(name for name in LABELS if name in columns.names)
    retrievals = Retrievals(source.name, file.locate, labels=(*labels, *KEYS))
    reader = _SpanReader(columns, reading.tool, retrievals, labels)
    for records in iterate_batches(file.records):
        reader.take_records(records)
    lists = retrievals.to_lists()
    in_order = evolve(lists, frame=lists.frame.sort("record", maintain_order=True))
    others = reader.others.to_frame()
    has_sessions = any(tells(frame, "session") for frame in (lists.frame, others))
    columns.refuse_absent({"session": has_sessions}, source.name)
    chosen = choose_searches(retrievals, in_order, others)
    return retrievals.to_events(_EXPECTED, columns, chosen)


_RERANKED = (
    "reranker span is not a query, and its order is not used|reranker spans are not queries, and "
    "their order is not used"
)
_RETURNED = (
    "search lists documents without ids: those in its output count|searches list documents without "
    "ids: those in their output count"
)
_GRADED = (
    "document has a grade by an evaluation in its trace"
    "|documents have grades by evaluations in their traces"
)


class _SpanReader:
    """How a span becomes a search."""

    def __init__(
        self,
        columns: ColumnMapping,
        tools: tuple[str, ...],
        retrievals: Retrievals,
        labels: tuple[str, ...],
    ) -> None:
        names = columns.names
        self.others = RowBuffer(OTHER_COLUMNS)  # spans that are no searches
        self._tools, self._retrievals = tools, retrievals
        self._paths = ResultPaths.from_columns(columns)
        self._marks = PathFinder(
            names.get("session", _SESSION), (_KIND,), (_OPERATION,), _TOOL_NAME if tools else ()
        )
        own_paths = (names.get("searcher", _USER), *(names[name] for name in labels))
        self._values = PathFinder(_QUERY, *own_paths)
        self._tool_values = PathFinder(_TOOL_QUERY, *own_paths)
        self._own_text = PathFinder(self._paths.text)
        self._evaluations = EntriesFinder(_EVALUATIONS)
        self._documents = EntriesFinder(self._paths.retrieved or (*_DOCUMENTS, *_DOCUMENT_IDS))

    def take_records(self, records: Iterable[tuple[int, Record]]) -> None:
        """Some records of a file; those that cannot be read are told."""
        readable = []
        for number, record in records:
            if isinstance(record, Unreadable):
                self._retrievals.add_flaw(number, UNREADABLE, record.problem)
            else:
                readable.append((number, record))
        self.take_spans(read_spans(readable))

    def take_spans(self, spans: Spans) -> None:
        """Remember what spans say of their traces, and what those that are searches found."""
        named, kinds, operations, tools = self._marks.find(spans.attributes)
        sessions = as_names(named)
        by_tool = [
            (tool or spans.name(index)) in self._tools if self._tools else False
            for index, tool in enumerate(tools)
        ]
        searches, others = [], []
        for index, kind in enumerate(kinds):
            if kind == "RETRIEVER" or self._is_search(kind, operations[index], by_tool[index]):
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

    def _is_search(self, kind: Any, operation: Any, by_tool: bool) -> bool:
        kind = str(kind or "").upper()
        if kind == "RERANKER" and not by_tool:
            self._retrievals.notes[_RERANKED] += 1
        return by_tool or kind == "RETRIEVER" or operation == "retrieval"

    def _add_searches(
        self, spans: Spans, sessions: Sequence[str | None], by_tool: Sequence[bool]
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
            for index, entries in enumerate(self._documents.find(spans.attributes))
        ]
        flaws = [
            self._name_flaw(spans, index, part) if isinstance(part, BadResults) else None
            for index, part in enumerate(docs)
        ]
        self._retrievals.extend(
            spans.records,
            session=sessions,
            user=as_names(user),
            time=[None if start is None else str(start) for start in spans.starts],
            query_id=[None] * len(docs),
            text=texts,
            docs=[[] if isinstance(part, BadResults) else part for part in docs],
            labels=(*map(as_names, labels), spans.traces, spans.ids, spans.parents),
            flaw=flaws,
            grades=self._read_grades(spans, docs),
        )

    def _read_grades(
        self, spans: Spans, docs: Sequence[list[str] | BadResults]
    ) -> dict[int, dict[int, float]]:
        """What evaluations say of the documents of searches, by their places."""
        grades = {}
        for records in (spans.exports, spans.attributes):
            for index, entries in enumerate(self._evaluations.find(records)):
                if entries is None:
                    continue
                part = docs[index]
                count = 0 if isinstance(part, BadResults) else len(part)
                grade_of = read_evaluations(entries)
                by_place = {place: grade for place, grade in grade_of.items() if 0 <= place < count}
                if by_place:
                    grades[index] = by_place
                    self._retrievals.notes[_GRADED] += len(by_place)
        return grades

    def _read_listed(
        self, spans: Spans, index: int, entries: Sequence[Any]
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

    def _name_flaw(self, spans: Spans, index: int, bad: BadResults) -> int:
        words = f"span {quote(spans.ids[index] or spans.name(index))}: {bad.words}"
        return self._retrievals.name_flaw(bad.flaw, words)

    def _read_elsewhere(self, spans: Spans, index: int, *, by_tool: bool) -> list[str] | BadResults:
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
        cut = "" if spans.has_ended(index) or place else " and no end: the trace is truncated"
        return BadResults(_NO_DOCUMENTS, f"it has no documents{place}{cut}")
