"""Transcripts of agents: chat messages in which one call of a search tool is one query.

OpenAI's messages have `tool_calls` that messages of the role tool answer by `tool_call_id`;
Anthropic's have blocks `tool_use` that blocks `tool_result` answer by `tool_use_id`; the items of
OpenAI's Responses (`function_call`, `function_call_output`) and the parts of OpenTelemetry's
messages (`tool_call`, `tool_call_response`) say the same in other words. A line is a conversation
with its `messages`, or one message.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from attrs import define, field

from gainful.errors import BadInput
from gainful.read.column_names import CHAT_COLUMNS
from gainful.read.event_times import parse_times
from gainful.read.json_records import read_records
from gainful.read.json_text import Unreadable, list_objects, parse_json
from gainful.read.path_finder import find_first
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import FAILED, Retrievals
from gainful.read.search_results import ResultPaths, read_query, read_results
from gainful.read.session_events import SessionEvents
from gainful.read.source import Source
from gainful.text import join_words, quote

_SESSION, _TIME = CHAT_COLUMNS["session"].names, CHAT_COLUMNS["time"].names
_MESSAGE_SESSION = _SESSION[: _SESSION.index("id")]  # the id of a message is not its session
# Types and keys of the blocks of OpenAI, Anthropic, OpenTelemetry and LangChain, as these fix them.
_CALLS = {"tool_use", "server_tool_use", "function_call", "tool_call"}
_RESULTS = {"tool_result", "function_call_output", "tool_call_response"}
_CALL_ID = ("call_id", "id")
_RESULT_ID = ("tool_use_id", "call_id", "tool_call_id", "id")
_ARGUMENTS = ("input", "arguments", "args")
_OUTPUT = ("content", "output", "result", "response")
_LANGCHAIN_ROLES = ("human", "ai", "system", "tool")
_INNER = ("data", "kwargs")  # what LangChain writes within a message
_EXPECTED = "messages with calls of a search tool and what it returned"
_CUT_OFF = "a result for each call"
_NO_CALL = "the call that a result answers, before it"


@define(eq=False)
class _Call:
    """One call of a tool, its place, and its result once that is known; or a result."""

    id: str
    tool: str = ""
    value: Any = None  # arguments, or what came back
    failed: bool = False
    is_result: bool = False
    record: int = 0
    last_record: int = 0  # that states it
    session: str = ""
    time: str | None = None
    labels: dict[str, str | None] = field(factory=dict)
    docs: list[str] | Unreadable | None = None  # None until it is answered
    is_named: bool = True  # has it an id of its own?
    question: str = ""  # the tool and its arguments, by which calls are compared


Calls = dict[int, deque[_Call]]  # by record


@define(eq=False)
class _Transcript:
    """All calls of a file in order, and those without a result so far, by session and id."""

    calls: list[_Call] = field(factory=list)
    waiting: dict[tuple[str, str], Calls] = field(factory=dict)
    asked: dict[tuple[str, str, str], _Call] = field(factory=dict)  # of those, by question, too

    def add(self, call: _Call) -> bool:
        """Remember a call; False if it restates one that has no result so far."""
        call.question = repr((call.tool, parse_json(call.value)))
        other = self.asked.get((call.session, call.id, call.question)) if call.id else None
        if other is not None:
            other.last_record = call.record
            return False
        waiting = self.waiting.setdefault((call.session, call.id), {})
        waiting.setdefault(call.record, deque()).append(call)
        call.is_named = bool(call.id)
        call.id = call.id or f"{len(self.calls) + 1}"
        if call.is_named:
            self.asked[call.session, call.id, call.question] = call
        self.calls.append(call)
        return True

    def find(self, result: _Call) -> _Call | None:
        """The first call that a result can answer, of the same record if there is one."""
        unnamed: Calls = self.waiting.get((result.session, ""), {})
        waiting = self.waiting.get((result.session, result.id), unnamed)
        record = result.record if result.record in waiting else next(iter(waiting), None)
        if record is None:
            return None
        call = waiting[record].popleft()
        if not waiting[record]:
            del waiting[record]
        if call.is_named:
            del self.asked[call.session, call.id, call.question]
        return call

    def drop_repeats(self) -> Counter[str]:
        """Keep one of calls that several records state alike, and count what came back."""
        kept: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)  # by last record
        calls, notes, ids = self.calls, Counter[str](), set()
        self.calls = []
        for call in calls:
            same = kept[call.session, call.id, call.question, repr((call.docs, call.failed))]
            other = next((record for record in same if record != call.record), None)
            if other is not None and call.is_named:
                same -= Counter([other])
                same[call.record] += 1
                notes[_REPEATED] += 1
                continue
            notes[_REUSED] += (call.session, call.id) in ids
            ids.add((call.session, call.id))
            same[call.last_record] += 1
            self.calls.append(call)
        return notes


def is_chat(records: Sequence[dict[str, Any]]) -> bool:
    """Are these messages of a chat, or conversations of them?"""
    return any(_list_messages(record) for record in records)


def read_chat(source: Source, reading: ReadOptions = AS_USUAL) -> SessionEvents:
    """The searches of transcripts."""
    columns = reading.columns
    retrievals = Retrievals(read_records(source), columns)
    transcript = _read_calls(retrievals)
    names, note = _choose_tools(transcript.calls, reading.tool, source.name)
    paths = ResultPaths(columns)
    texts = pl.Series([call.time for call in transcript.calls], dtype=pl.String)
    is_timed = not parse_times(texts, source.name).times.null_count()
    for call in transcript.calls:
        if call.tool in names:
            _add_call(retrievals, call, paths, is_timed=is_timed)
    retrievals.remarks += [note] if note else []
    return retrievals.to_events(_EXPECTED, retrievals.to_frame())


_REPEATED = (
    "call repeats an earlier one with the same result, and counts once"
    "|calls repeat earlier ones with the same results, and count once"
)
_REUSED = (
    "call has the id of another call, and counts as a separate query|calls have the ids of other "
    "calls, and count as separate queries"
)


def _add_call(retrievals: Retrievals, call: _Call, paths: ResultPaths, *, is_timed: bool) -> None:
    """A call as a search, or what is wrong with it."""
    docs = call.docs
    if docs is None:
        docs = Unreadable("it has no result: the transcript is truncated", _CUT_OFF)
    elif call.failed and isinstance(docs, Unreadable):
        retrievals.notes[FAILED] += 1
        docs = []
    if isinstance(docs, Unreadable):
        docs = docs.prefix(f"call {quote(call.id)} of {call.tool}")
    values = {
        "session": call.session,
        "time": call.time if is_timed else None,
        "text": read_query(call.value, paths),
        **call.labels,
    }
    retrievals.add(call.record, docs, values)


def _choose_tools(calls: Sequence[_Call], tools: Sequence[str], name: str) -> tuple[set[str], str]:
    """The tools whose calls are searches, and what is to be said of the choice."""
    counts = Counter(call.tool for call in calls)
    if not counts:
        raise BadInput(name, "no tool is called in it", _EXPECTED)
    listing = ", ".join(f"{tool} ({number}×)" for tool, number in counts.most_common(8))
    if tools:
        missing = [tool for tool in tools if tool not in counts]
        if missing:
            problem = f"no tool {join_words([quote(tool) for tool in missing], 'or')} is called"
            raise BadInput(name, problem, f"--tool with one of {listing}")
        return set(tools), ""
    if len(counts) > 1:
        problem = f"several tools are called: {listing}"
        raise BadInput(name, problem, "--tool NAME for those that search")
    (tool,) = counts
    return {tool}, f"the queries are the calls of {quote(tool)}, the only tool that is called"


def _read_calls(retrievals: Retrievals) -> _Transcript:
    """The calls of all messages, each with what came back."""
    columns = retrievals.columns
    transcript, paths = _Transcript(), ResultPaths(columns)
    by_file = Path(retrievals.file.name).name
    has_sessions = False  # of their own
    for number, record in retrievals.read_records():
        messages = _list_messages(record)
        single = _is_message(record) or _is_message(record.get("message"))
        usual = _MESSAGE_SESSION if single else _SESSION
        session = find_first(record, columns.names.get("session", usual))
        has_sessions = has_sessions or session is not None
        if session is None:
            session = by_file if single else f"{by_file}:{number}"
        labels = {
            column: None if (value := find_first(record, names)) is None else str(value)
            for column, names in retrievals.label_paths.items()
        }
        for message in messages:
            moment = find_first(message, _TIME) or find_first(record, _TIME)
            time = None if moment is None else str(moment)
            for call in _iterate_calls(message):
                call.record = call.last_record = number
                call.session, call.time, call.labels = str(session), time, labels
                _take_call(transcript, retrievals, call, paths)
    columns.refuse_absent({"session": has_sessions}, retrievals.file.name)
    retrievals.notes.update(transcript.drop_repeats())
    return transcript


def _take_call(
    transcript: _Transcript, retrievals: Retrievals, call: _Call, paths: ResultPaths
) -> None:
    """A call is remembered, the ids of a result given to its call."""
    if not call.is_result:
        if not transcript.add(call):
            retrievals.notes[_REPEATED] += 1
        return
    asked = transcript.find(call)
    if asked is not None:
        asked.docs, asked.failed = read_results(call.value, paths), call.failed
    elif not call.id or (call.session, call.id) not in transcript.waiting:
        problem = f"a result for call {quote(call.id)}, without an earlier call"
        retrievals.add(call.record, Unreadable(problem, _NO_CALL), {"session": call.session})


def _list_messages(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a record: those of a conversation, or the one that it is."""
    for name in CHAT_COLUMNS["messages"].names:
        entries = record.get(name)
        if isinstance(entries, list) and any(map(_is_message, entries)):
            more = record.get("output")  # of a request and its response
            entries = entries + more if isinstance(more, list) and name == "input" else entries
            return [_name_role(entry) for entry in entries if isinstance(entry, dict)]
    single = next(filter(_is_message, (record.get("message"), record)), None)
    return [] if single is None else [_name_role(single)]


def _name_role(message: dict[str, Any]) -> dict[str, Any]:
    """A message as it is, or LangChain's, whose type is its role."""
    if "role" in message:
        return message
    inner = next((message[key] for key in _INNER if isinstance(message.get(key), dict)), message)
    role = inner.get("type", message.get("type"))
    return {**inner, "role": role} if role in _LANGCHAIN_ROLES else message


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    value = _name_role(value)
    if isinstance(value.get("role"), str):
        return any(name in value for name in ("content", "tool_calls", "parts", "function_call"))
    return value.get("type") in ("function_call", "function_call_output")


def _iterate_calls(message: dict[str, Any]) -> Iterator[_Call]:
    """The calls and results of a message, in its order."""
    for call in list_objects(message.get("tool_calls")):
        function = call.get("function")
        function = function if isinstance(function, dict) else call
        arguments = find_first(function, _ARGUMENTS)
        yield _Call(str(call.get("id") or ""), str(function.get("name", "")), arguments)
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield _Call("", str(legacy.get("name", "")), legacy.get("arguments"))
    content = message.get("content")
    blocks = [*list_objects(content), *list_objects(message.get("parts"))]
    may_answer = message.get("role") in ("tool", "function")
    if may_answer and not any(str(block.get("type")) in _RESULTS for block in blocks):
        call_id = str(message.get("tool_call_id") or "")
        failed = message.get("status") == "error"
        yield _Call(call_id, value=_join_texts(content), failed=failed, is_result=True)
    for block in (*blocks, message):
        kind = str(block.get("type", ""))
        if kind in _CALLS and "name" in block:
            call_id = str(find_first(block, _CALL_ID) or "")
            yield _Call(call_id, str(block["name"]), find_first(block, _ARGUMENTS))
        elif kind in _RESULTS or kind.endswith("_tool_result"):
            result = _join_texts(find_first(block, _OUTPUT))
            is_error = isinstance(result, dict) and (
                "error" in result or str(result.get("type", "")).endswith("_error")
            )
            call_id = str(find_first(block, _RESULT_ID) or "")
            failed = bool(block.get("is_error")) or is_error
            yield _Call(call_id, value=result, failed=failed, is_result=True)


def _join_texts(content: Any) -> Any:
    """What was returned: a block of text as its text, several as a list; all else as it is."""
    blocks = list_objects(content)
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    if not blocks or len(texts) < len(blocks):
        return content
    if len(texts) == 1:
        return texts[0]
    entries = [parse_json(text) for text in texts]
    if all(isinstance(entry, dict) for entry in entries):  # each a result, as MCP servers do
        return entries
    return "\n".join(map(str, texts))
