"""Traces of LLM applications: each retriever or search tool that was called is a query.

OpenInference marks retrievers by `openinference.span.kind` = RETRIEVER and lists documents as
`retrieval.documents.N.document.id`; OpenTelemetry's GenAI convention (1.41, in development) marks
them by `gen_ai.operation.name` = retrieval and lists documents in `gen_ai.retrieval.documents`. The
session is `session.id` or `gen_ai.conversation.id`, of the span or of another of its trace; without
either a trace is a session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.dotted_paths import find_entries
from gainful.read.json_records import Unreadable, read_records
from gainful.read.retrievals import NO_TIME, UNREADABLE, Flaw, Retrievals, parse_time
from gainful.read.search_results import (
    BadResults,
    ResultPaths,
    read_documents,
    read_query,
    read_results,
)
from gainful.read.session_events import SessionEvents
from gainful.read.source import Source
from gainful.read.spans import Span, holds_spans, iterate_spans
from gainful.text import quote

_SESSION = ("session.id", "gen_ai.conversation.id")
_USER = ("user.id", "enduser.id")
_DOCUMENTS = ("retrieval.documents", "gen_ai.retrieval.documents")
_DOCUMENT_IDS = tuple(f"{path}.ids" for path in _DOCUMENTS)  # as some exports list them
_QUERY = ("gen_ai.retrieval.query.text", "input.value")
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
_OTHER_DOCUMENTS = Flaw("twice", "each span once")

Key = tuple[str | None, str | None]  # a trace and a span of it


@frozen(eq=False)
class _Search:
    """A span that is a query: what is needed of it, so that the span itself can go."""

    record: int
    trace: str | None
    id: str | None
    parent: str | None
    session: str | None
    docs: Sequence[str] | BadResults
    values: dict[str, Any]  # user, time, text, labels

    @property
    def key(self) -> Key:
        """Which span it is."""
        return self.trace, self.id


@define(eq=False)
class _Traces:
    """What all spans of a file say together: who calls whom, and which session a trace is of."""

    searches: list[_Search] = field(factory=list)
    parents: dict[Key, str] = field(factory=dict)
    sessions: dict[str | None, str] = field(factory=dict)


def is_openinference(records: Sequence[dict[str, Any]]) -> bool:
    """Are these spans of an LLM application?"""
    return any(map(holds_spans, records))


def read_openinference(
    source: Source, columns: ColumnMapping = USUAL_NAMES, tools: Sequence[str] = ()
) -> SessionEvents:
    """The searches of traces.

    Args:
        source: JSON lines, JSON or Parquet.
        columns: where ids, sessions, texts and topics stand, as paths, if not as usual.
        tools: names of tools whose spans are searches too.
    """
    file = read_records(source)
    labels = tuple(name for name in LABELS if name in columns.names)
    retrievals = Retrievals(source.name, file.locate, labels=labels)
    reader = _SpanReader(columns, tuple(tools), retrievals)
    traces = _Traces()
    for number, record in file.records:
        if isinstance(record, Unreadable):
            retrievals.add_flaw(number, UNREADABLE, record.problem)
            continue
        for span in iterate_spans(record):
            reader.take_span(traces, number, span)
    _add_searches(traces, retrievals)
    return retrievals.to_events(_EXPECTED)


_NESTED = (
    "retriever span within another search is part of it"
    "|retriever spans within other searches are part of them"
)
_RERANKED = (
    "reranker span is no query of its own, and its order is not used"
    "|reranker spans are no queries of their own, and their order is not used"
)
_FAILED = (
    "search failed, and counts as a query without results"
    "|searches failed, and count as queries without results"
)
_TRACES = "search names no session: its trace is one|searches name no session: their traces are"
_DOUBLES = "span was exported twice, and counts once|spans were exported twice, and count once"


@frozen(eq=False)
class _SpanReader:
    """How a span becomes a search."""

    columns: ColumnMapping
    tools: tuple[str, ...]
    retrievals: Retrievals

    def take_span(self, traces: _Traces, number: int, span: Span) -> None:
        """Remember what a span says of its trace, and what it found if it is a search."""
        if span.parent is not None:
            traces.parents[span.trace, span.id] = span.parent
        session = _as_name(span.find(*self.columns.names.get("session", _SESSION)))
        if session is not None and span.trace is not None:
            traces.sessions.setdefault(span.trace, session)
        by_tool = bool(self.tools) and (span.find(*_TOOL_NAME) or span.name) in self.tools
        kind = str(span.find("openinference.span.kind") or "").upper()
        if kind == "RERANKER" and not by_tool:
            self.retrievals.notes[_RERANKED] += 1
        if not (by_tool or kind == "RETRIEVER" or span.find(_OPERATION) == "retrieval"):
            return
        paths = ResultPaths.from_columns(self.columns)
        docs = _find_flaw(span, session) or self._read_docs(span, paths, by_tool=by_tool)
        if isinstance(docs, BadResults):
            docs = evolve(docs, words=f"span {quote(span.id or span.name)}: {docs.words}")
        values = {
            "user": _as_name(span.find(*self.columns.names.get("searcher", _USER))),
            "time": parse_time(span.start),
            "text": read_query(span.find(*(_TOOL_QUERY if by_tool else _QUERY)), paths),
            "labels": {
                name: _as_name(span.find(*self.columns.names[name]))
                for name in self.retrievals.labels
            },
        }
        traces.searches.append(
            _Search(number, span.trace, span.id, span.parent, session, docs, values)
        )

    def _read_docs(
        self, span: Span, paths: ResultPaths, *, by_tool: bool
    ) -> list[str] | BadResults:
        """The ids of what a span returned."""
        for path in paths.retrieved or (*_DOCUMENTS, *_DOCUMENT_IDS):
            entries = find_entries(span.attributes, path)
            if entries is not None:
                return read_documents(entries, paths)
        result = span.find(*_TOOL_RESULT) if by_tool else None
        if result is not None:
            docs = read_results(result, paths)
            if isinstance(docs, list) or not span.failed:
                return docs
        if span.failed:
            self.retrievals.notes[_FAILED] += 1
            return []
        cut = "" if span.end else " and no end: the trace is cut off"
        return BadResults(_NO_DOCUMENTS, f"it has no documents{cut}")


def _find_flaw(span: Span, session: str | None) -> BadResults | None:
    """What is wrong with a span, besides its documents."""
    if span.trace is None and session is None:
        return BadResults(_NO_TRACE, "its trace id is null")
    if span.start is not None and parse_time(span.start) is None:
        return BadResults(NO_TIME, f"it begins at {quote(span.start)}, which is no time")
    return None


def _add_searches(traces: _Traces, retrievals: Retrievals) -> None:
    """The searches that count: none within another one, none twice."""
    own = {search.key for search in traces.searches}
    seen: dict[Key, Sequence[str] | BadResults] = {}
    for search in traces.searches:
        if _is_within(search, own, traces.parents):
            retrievals.notes[_NESTED] += 1
            continue
        session = search.session or traces.sessions.get(search.trace)
        docs = _refuse_other(search, seen)
        if docs is None:
            retrievals.notes[_DOUBLES] += 1
        elif isinstance(docs, BadResults):
            retrievals.add_flaw(search.record, docs.flaw, docs.words, session or search.trace)
        else:
            if session is None:
                retrievals.notes[_TRACES] += 1
            query_id = "" if search.id is None else f"{search.trace}/{search.id}"
            retrievals.add(
                search.record,
                session=session or search.trace,
                query_id=query_id,
                docs=docs,
                **search.values,
            )


def _is_within(search: _Search, searches: set[Key], parents: Mapping[Key, str]) -> bool:
    """Is a span called by another search, however indirectly?"""
    visited: set[Key] = set()
    parent = search.parent
    while parent is not None:
        key = (search.trace, parent)
        if key in visited:  # spans that call one another in a circle
            return False
        if key in searches:
            return True
        visited.add(key)
        parent = parents.get(key)
    return False


def _refuse_other(
    search: _Search, seen: dict[Key, Sequence[str] | BadResults]
) -> Sequence[str] | BadResults | None:
    """The documents of a search; None if it was exported before, an error with other documents."""
    before = search.docs if search.id is None else seen.setdefault(search.key, search.docs)
    if before is search.docs:
        return search.docs
    if isinstance(before, BadResults) or isinstance(search.docs, BadResults):
        return search.docs
    if list(before) == list(search.docs):
        return None
    words = f"span {quote(search.id)}: it comes a second time, with other documents"
    return BadResults(_OTHER_DOCUMENTS, words)


def _as_name(value: Any) -> str | None:
    return str(value) if isinstance(value, (str, int)) and str(value) else None
