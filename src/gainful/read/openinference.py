"""Traces of LLM applications: each retriever or search tool that was called is a query.

OpenInference marks retrievers by `openinference.span.kind` = RETRIEVER and lists documents as
`retrieval.documents.N.document.id`; OpenTelemetry's GenAI convention (1.41, in development) marks
them by `gen_ai.operation.name` = retrieval and lists documents in `gen_ai.retrieval.documents`. The
session is `session.id` or `gen_ai.conversation.id`, of the span or of another of its trace; without
either a trace is a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.dotted_paths import find_first, parse_json
from gainful.read.json_records import (
    Record,
    Unreadable,
    are_lines,
    iterate_batches,
    iterate_lines,
    parse_line,
    read_records,
)
from gainful.read.line_templates import LineTemplate, LineTemplates, Wanted
from gainful.read.path_finder import EntriesFinder, PathFinder
from gainful.read.retrievals import NO_TIME, UNREADABLE, Flaw, Retrievals, parse_time
from gainful.read.row_buffer import RowBuffer
from gainful.read.search_results import (
    BadResults,
    ResultPaths,
    read_documents,
    read_query,
    read_results,
)
from gainful.read.search_spans import KEYS, OTHER_COLUMNS, choose_searches
from gainful.read.session_events import SessionEvents
from gainful.read.source import Source
from gainful.read.spans import Spans, as_names, holds_spans, read_spans
from gainful.text import quote

_SESSION = ("session.id", "gen_ai.conversation.id")
_USER = ("user.id", "enduser.id")
_DOCUMENTS = ("retrieval.documents", "gen_ai.retrieval.documents")
_DOCUMENT_IDS = tuple(f"{path}.ids" for path in _DOCUMENTS)  # as some exports list them
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
# Names of texts: when a search began, a document by its rank, a list of them as JSON.
_START, _DOC, _LIST = "\0start", "\0doc", "\0list"
_NO_TRACE = Flaw("trace", "a trace id in every span")


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
    retrievals = Retrievals(source.name, file.locate, labels=(*labels, *KEYS))
    reader = _SpanReader(columns, tuple(tools), retrievals, labels)
    if are_lines(source) and not tools:
        templates = LineTemplates(reader.choose_texts)
        for lines in iterate_batches(iterate_lines(source)):
            reader.take_lines(lines, templates)
    else:
        for records in iterate_batches(file.records):
            reader.take_records(records)
    lists = retrievals.to_lists()
    in_order = evolve(lists, frame=lists.frame.sort("record", maintain_order=True))
    chosen = choose_searches(retrievals, in_order, reader.others.to_frame())
    return retrievals.to_events(_EXPECTED, chosen)


_RERANKED = (
    "reranker span is no query of its own, and its order is not used"
    "|reranker spans are no queries of their own, and their order is not used"
)
_FAILED = (
    "search failed, and counts as a query without results"
    "|searches failed, and count as queries without results"
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
        self._value_names = ("text", "user", *labels)
        self._values = PathFinder(_QUERY, *own_paths)
        self._tool_values = PathFinder(_TOOL_QUERY, *own_paths)
        self._documents = EntriesFinder(self._paths.retrieved or (*_DOCUMENTS, *_DOCUMENT_IDS))

    def take_lines(self, lines: Sequence[tuple[int, bytes]], templates: LineTemplates) -> None:
        """Some lines of a file: those of a shape that is known by their texts, others as JSON."""
        alike: dict[LineTemplate, list[tuple[int, bytes, tuple[str, ...]]]] = {}
        others = []
        for number, line in lines:
            match = templates.match(line)
            if match is None:
                others.append((number, line))
            else:
                alike.setdefault(match[0], []).append((number, line, match[1]))
        for template, matches in alike.items():
            numbers, texts_of, texts = zip(*matches, strict=True)
            columns = dict(zip(template.names, zip(*texts, strict=True), strict=True))
            if not self._add_known(numbers, columns):
                others += zip(numbers, texts_of, strict=True)
        if others:
            self.take_records([(number, parse_line(line)) for number, line in sorted(others)])

    def take_records(self, records: Iterable[tuple[int, Record]]) -> None:
        """Some records of a file; those that cannot be read are told."""
        readable = []
        for number, record in records:
            if isinstance(record, Unreadable):
                self._retrievals.add_flaw(number, UNREADABLE, record.problem)
            else:
                readable.append((number, record))
        self.take_spans(read_spans(readable))

    def choose_texts(self, marks: dict[str, Any], record: dict[str, Any]) -> Wanted | None:
        """Where what is wanted of a search stands, if all of it is texts of the record.

        Args:
            marks: the record with a mark for each text.
            record: the record itself.
        """
        spans = read_spans([(0, marks)])
        if len(spans.records) != 1 or spans.looks_into_text():
            return None
        _, kinds, operations, _ = self._marks.find(read_spans([(0, record)]).attributes)
        if kinds[0] != "RETRIEVER" and (kinds[0], operations[0]) != (None, "retrieval"):
            return None
        attributes = spans.attributes[0]
        if any(finder.looks_into_text(attributes) for finder in (self._marks, self._values)):
            return None
        docs = self._choose_docs(attributes)
        if docs is None:
            return None
        (session,), (kind,), (operation,), _ = self._marks.find(spans.attributes)
        values = [column[0] for column in self._values.find(spans.attributes)]
        wanted = {
            _START: spans.starts[0],
            "session": session,
            **dict(zip(KEYS, (spans.traces[0], spans.ids[0], spans.parents[0]), strict=True)),
            **dict(zip(self._value_names, values, strict=True)),
            **docs,
        }
        return wanted, frozenset(mark for mark in (kind, operation) if isinstance(mark, str))

    def _choose_docs(self, attributes: dict[str, Any]) -> dict[str, str] | None:
        """Where the ids of documents stand, or the text that lists them; None if elsewhere."""
        text = self._documents.find_text(attributes)
        if text is not None:
            return {_LIST: text}
        entries = self._documents.find([attributes])[0]
        if entries is None or any(isinstance(part, dict) and "type" in part for part in entries):
            return None
        docs = read_documents(entries, self._paths)
        if isinstance(docs, BadResults):
            return None
        return {f"{_DOC}{rank}": doc for rank, doc in enumerate(docs)}

    def _read_known_docs(
        self, texts: Mapping[str, Sequence[str]]
    ) -> Sequence[Sequence[str]] | None:
        """The ids of documents of searches of one shape; None if one needs a closer look."""
        if _LIST not in texts:
            ranks = range(sum(name.startswith(_DOC) for name in texts))
            columns = [texts[f"{_DOC}{rank}"] for rank in ranks]
            if any("" in column for column in columns):
                return None
            return list(zip(*columns, strict=True))
        lists = list(map(parse_json, texts[_LIST]))
        if not all(isinstance(entries, list) for entries in lists):
            return None
        read = [read_documents(entries, self._paths) for entries in lists]
        docs: list[Sequence[str]] = [part for part in read if isinstance(part, list)]
        return docs if len(docs) == len(read) else None

    def _add_known(self, records: Sequence[int], texts: Mapping[str, Sequence[str]]) -> bool:
        """Searches of one shape, by their texts; False if one of them needs a closer look."""
        nothing: list[None] = [None] * len(records)
        columns = {
            name: as_names(texts.get(name, nothing))
            for name in (*KEYS, "session", *self._value_names)
        }
        starts = texts.get(_START, nothing)
        times = list(map(parse_time, starts))
        docs = self._read_known_docs(texts)
        if docs is None or (_START in texts and None in times) or None in columns[KEYS[0]]:
            return False
        self._retrievals.extend(
            records,
            session=columns["session"],
            user=columns["user"],
            time=times,
            query_id=nothing,
            text=[read_query(value, self._paths) for value in texts.get("text", nothing)],
            docs=docs or [[] for _ in records],
            labels=[columns[name] for name in (*self._value_names[2:], *KEYS)],
            flaw=nothing,
        )
        return True

    def take_spans(self, spans: Spans) -> None:
        """Remember what spans say of their traces, and what those that are searches found."""
        named, kinds, operations, tools = self._marks.find(spans.attributes)
        sessions = as_names(named)
        by_tool = [
            (tool or spans.name(index)) in self._tools if self._tools else False
            for index, tool in enumerate(tools)
        ]
        searches = []
        for index, kind in enumerate(kinds):
            if kind == "RETRIEVER" or self._is_search(kind, operations[index], by_tool[index]):
                searches.append(index)
            elif sessions[index] is not None or spans.parents[index] is not None:
                key = (spans.traces[index], spans.ids[index], spans.parents[index])
                self.others.add((*key, sessions[index], spans.records[index]))
        if len(searches) < len(kinds):
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
        times = list(map(parse_time, spans.starts))
        text, user, *labels = self._values.find(spans.attributes)
        if any(by_tool):
            tool_text, *_ = self._tool_values.find(spans.attributes)
            text = [
                own if tool else usual
                for own, usual, tool in zip(tool_text, text, by_tool, strict=True)
            ]
        wrong = {
            index: flaw
            for index, time in enumerate(times)
            if (time is None or spans.traces[index] is None)
            and (flaw := _find_flaw(spans, index, sessions[index], time))
        }
        docs = [
            wrong[index]
            if index in wrong
            else self._read_elsewhere(spans, index, by_tool=by_tool[index])
            if entries is None
            else read_documents(entries, self._paths)
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
            time=times,
            query_id=[None] * len(times),
            text=[read_query(value, self._paths) for value in text],
            docs=[[] if isinstance(part, BadResults) else part for part in docs],
            labels=(*map(as_names, labels), spans.traces, spans.ids, spans.parents),
            flaw=flaws,
        )

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
            self._retrievals.notes[_FAILED] += 1
            return []
        cut = "" if spans.has_ended(index) else " and no end: the trace is cut off"
        return BadResults(_NO_DOCUMENTS, f"it has no documents{cut}")


def _find_flaw(
    spans: Spans, index: int, session: str | None, time: int | None
) -> BadResults | None:
    """What is wrong with a span, besides its documents."""
    start = spans.starts[index]
    if spans.traces[index] is None and session is None:
        return BadResults(_NO_TRACE, "its trace id is null")
    if time is None and start is not None:
        return BadResults(NO_TIME, f"it begins at {quote(start)}, which is no time")
    return None
