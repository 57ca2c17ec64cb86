"""Traces, transcripts, turns and iKAT's runs: what their specifications say becomes sessions."""

import json
import sys
from functools import partial

import polars as pl
import pytest
from example_files import ROOT
from facts import find_notes
from refusals import refuses
from written_files import write_file, write_lines

import gainful
from gainful.errors import BadInput, BadValue, NoColumn, Swapped
from gainful.read.formats import find_session_format
from gainful.read.session_inputs import as_sessions
from gainful.read.source import open_source
from gainful.sessions import evaluate

TRACE, OTHER = "5b8aa5a2d2c872e8321cf37308d69df2", "71699b6fe85982c7c8995ea3d9c95df2"


@pytest.fixture
def write_log(tmp_path):
    return partial(write_lines, tmp_path / "log.jsonl")


def list_results(path, *columns, **options):
    frame = as_sessions(path, **options).frame
    return frame.select("session", "query", "rank", "doc", *columns).rows()


# --- OpenInference, and OpenTelemetry's own convention ----------------------------------------


def phoenix_span(number, docs, *, trace=TRACE, kind="RETRIEVER", parent=None, **attributes):
    """A span as Phoenix exports it: a line of JSON, attributes flattened."""
    flat = {
        f"retrieval.documents.{rank}.document.id": doc
        for rank, doc in enumerate(docs if docs is not None else ())
    }
    return {
        "name": "VectorStoreRetriever",
        "context": {"trace_id": trace, "span_id": f"{number:016x}"},
        "span_kind": kind,
        "parent_id": parent,
        "start_time": f"2026-03-01T10:00:{number % 60:02d}.123456+00:00",
        "end_time": f"2026-03-01T10:01:{number:02d}.123456+00:00",
        "status_code": "OK",
        "attributes": {"openinference.span.kind": kind, "input.value": f"q{number}"}
        | flat
        | attributes,
    }


def otlp_value(value):
    if isinstance(value, dict):
        return {"kvlistValue": {"values": otlp_attributes(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [otlp_value(part) for part in value]}}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def otlp_attributes(values):
    return [{"key": key, "value": otlp_value(value)} for key, value in values.items()]


def otlp_export(*spans):
    """One export of OTLP's JSON, as the collector's file exporter writes it a line."""
    resource = {"attributes": otlp_attributes({"service.name": "assistant"})}
    scope = {"scope": {"name": "retriever", "version": "1.0"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def otlp_span(number, attributes, trace=TRACE, **more):
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "parentSpanId": "",
        "name": "retrieval kb",
        "kind": 3,
        "startTimeUnixNano": str(1_772_359_200_000_000_000 + 1000 * number),
        "endTimeUnixNano": str(1_772_359_201_000_000_000 + 1000 * number),
        "attributes": otlp_attributes(attributes),
        "status": {},
    } | more


def genai(docs, **attributes):
    documents = [{"id": doc, "score": 0.5} for doc in docs]
    return {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "kb",
        "gen_ai.retrieval.query.text": "opening hours",
        "gen_ai.retrieval.documents": documents,
    } | attributes


def test_retriever_spans_of_openinference_are_queries_in_order_of_time(write_log):
    session = {"session.id": "s1", "user.id": "ann"}
    spans = (
        phoenix_span(7, ["c", "a"], trace=OTHER, **session),
        phoenix_span(3, ["a", "b"], **session),
        phoenix_span(4, None, kind="LLM", **session),
    )
    path = write_log(*spans)
    assert find_session_format(open_source(path)).name == "openinference"
    assert list_results(path, "text", "searcher") == [
        ("s1", 1, 1, "a", "q3", "ann"),
        ("s1", 1, 2, "b", "q3", "ann"),
        ("s1", 2, 1, "c", "q7", "ann"),
        ("s1", 2, 2, "a", "q7", "ann"),
    ]


CHAIN = [phoenix_span(n, None, kind="CHAIN", parent=f"{n - 1:016x}") for n in range(2, 300)]
SPANS = {  # and the documents of their searches
    "ten documents and more stay in the order of their index": (
        [phoenix_span(1, [f"d{number}" for number in range(12)])],
        [f"d{number}" for number in range(12)],
    ),
    "documents of GenAI as a JSON text": (
        [otlp_export(otlp_span(1, genai([]) | {"gen_ai.retrieval.documents": '[{"id": "x"}]'}))],
        ["x"],
    ),
    "calls in a circle end nothing": (
        [
            phoenix_span(1, ["a"], parent=f"{2:016x}"),
            phoenix_span(2, None, kind="CHAIN", parent=f"{3:016x}"),
            phoenix_span(3, None, kind="CHAIN", parent=f"{2:016x}"),
        ],
        ["a"],
    ),
    "a search far below another is part of it": (
        [
            *reversed(CHAIN),
            phoenix_span(1, ["a"]),
            phoenix_span(300, ["b"], parent=f"{299:016x}"),
            phoenix_span(301, ["c"], parent=f"{298:016x}", trace="another"),
        ],
        ["a", "c"],
    ),
}


@pytest.mark.parametrize("case", SPANS)
def test_spans_that_count_as_searches(write_log, case):
    spans, docs = SPANS[case]
    assert [row[3] for row in list_results(write_log(*spans))] == docs


def test_one_json_object_over_several_lines_is_one_export(tmp_path):
    path = write_file(
        tmp_path / "trace.json", json.dumps(otlp_export(otlp_span(1, genai(["a"]))), indent=2)
    )
    assert list_results(path) == [(TRACE, 1, 1, "a")]


@pytest.mark.parametrize(
    "documents",
    [
        [{"document": {"id": "a"}}, {"document": {"id": 7}}],
        [{"document.id": "a", "document.score": 0.9}, {"document.id": 7}],
        '[{"document.id": "a"}, {"document.id": 7}]',
        {"0": {"document": {"id": "a"}}, "1": {"document": {"id": 7}}},
    ],
)
def test_documents_nested_flattened_or_as_json_are_read_alike(write_log, documents):
    span = phoenix_span(1, None)
    span["attributes"] = {
        "openinference": {"span": {"kind": "RETRIEVER"}},
        "retrieval": {"documents": documents},
    }
    del span["span_kind"]
    path = write_log(span)
    assert [row[2:] for row in list_results(path)] == [(1, "a"), (2, "7")]


@pytest.mark.parametrize("write", [pl.DataFrame.write_ipc, pl.DataFrame.write_ipc_stream])
def test_spans_in_arrow_are_those_of_lines(tmp_path, write):
    spans = [phoenix_span(1, "ab"), phoenix_span(2, "c", trace=OTHER)]
    lines = write_lines(tmp_path / "spans.jsonl", *spans)
    write(pl.read_ndjson(lines), tmp_path / "spans.arrow")
    assert list_results(tmp_path / "spans.arrow") == list_results(lines)


def test_genai_retrievals_in_otlp_exports_are_queries(write_log):
    conversation = {"gen_ai.conversation.id": "conv_1"}
    path = write_log(
        otlp_export(otlp_span(2, genai(["b", "a"], **conversation))),
        otlp_export(
            otlp_span(1, genai(["a"], **conversation)),
            otlp_span(3, {"gen_ai.operation.name": "chat"}),
        ),
    )
    assert find_session_format(open_source(path)).name == "openinference"
    assert list_results(path, "text") == [
        ("conv_1", 1, 1, "a", "opening hours"),
        ("conv_1", 2, 1, "b", "opening hours"),
        ("conv_1", 2, 2, "a", "opening hours"),
    ]


def test_spans_of_old_exporters_are_read_beside_an_empty_list_of_new_ones(write_log):
    export = otlp_export(otlp_span(1, genai(["a"])))
    (resource,) = export["resourceSpans"]
    resource |= {"instrumentationLibrarySpans": resource["scopeSpans"], "scopeSpans": []}
    assert [row[3] for row in list_results(write_log(export))] == ["a"]


def test_the_session_is_told_by_any_span_of_the_trace_and_else_the_trace_is_one(write_log):
    root = phoenix_span(1, None, kind="CHAIN", **{"session.id": "s9"})
    path = write_log(phoenix_span(2, ["a"]), root, phoenix_span(3, ["b"], trace=OTHER))
    sessions = as_sessions(path)
    assert sessions.frame["session"].to_list() == ["s9", OTHER]
    assert find_notes(sessions.notes, 1, "no", "session", "trace")


def test_an_attribute_can_be_named_for_the_session_and_the_topic(write_log):
    from gainful.read.column_names import read_column_names

    span = phoenix_span(1, ["a"], metadata='{"thread": "t7", "task": 12}')
    path = write_log(span)
    columns = read_column_names({"session": "metadata.thread", "topic": "metadata.task"})
    assert list_results(path, "topic", columns=columns) == [("t7", 1, 1, "a", "12")]


def test_documents_without_ids_need_a_path(write_log):
    from gainful.read.column_names import read_column_names

    documents = [
        {"document.content": "…", "document.metadata": '{"source": "hours.md", "page": 1}'},
        {"document.content": "…", "document.metadata": '{"source": "prices.md", "page": 2}'},
        {"document.content": "…", "document.metadata": '{"source": "hours.md", "page": 3}'},
    ]
    path = write_log(phoenix_span(1, None, **{"retrieval.documents": documents}))
    fields = ["document.content", "document.metadata.source", "document.metadata.page"]
    with refuses(BadInput, "log.jsonl:1", f"'{TRACE}'", f"'{1:016x}'", *fields, "doc=PATH"):
        as_sessions(path)
    assert "--columns doc=PATH" in gainful.check(path).to_text()
    sessions = as_sessions(path, columns=read_column_names({"doc": "metadata.source"}))
    assert sessions.frame["doc"].to_list() == ["hours.md", "prices.md"]
    assert find_notes(sessions.notes, 1, "result", "left", "out")


WITHIN = [  # number, documents, kind and parent of each span; what is left; notes
    (
        [(1, "ab", "RETRIEVER", None), (2, None, "CHAIN", 1), (3, "b", "RETRIEVER", 2),
         (4, None, "RERANKER", 1)],
        *("ab", [(1, "retriever", "part"), (1, "reranker", "not", "used")]),
    ),
    (  # searches that call one another in a circle are within none
        [(1, "a", "RETRIEVER", 2), (2, "b", "RETRIEVER", 1), (3, "c", "RETRIEVER", 3),
         (4, "d", "RETRIEVER", 3)],
        *("abc", [(3, "spans", "themselves"), (1, "retriever", "part")]),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spans", "docs", "notes"), WITHIN)
def test_a_retriever_within_another_is_part_of_it(write_log, spans, docs, notes):
    path = write_log(
        *(
            phoenix_span(number, shown, kind=kind, parent=parent and f"{parent:016x}")
            for number, shown, kind, parent in spans
        )
    )
    sessions = as_sessions(path)
    assert sessions.frame["doc"].to_list() == [*docs]
    assert all(find_notes(sessions.notes, *words) for words in notes)


def test_a_search_tool_is_a_query_if_it_is_named(write_log):
    output = '{"results": [{"id": "d1"}, {"id": "d2"}]}'
    tool = phoenix_span(2, None, kind="TOOL", **{"tool.name": "kb_search", "output.value": output})
    tool["attributes"]["input.value"] = '{"query": "bikes"}'
    inner = phoenix_span(3, ["d2"], parent=f"{2:016x}")
    genai_tool = phoenix_span(4, None, kind="")
    genai_tool["attributes"] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "kb_search",
        "gen_ai.tool.call.arguments": {"query": "trains"},
        "gen_ai.tool.call.result": [{"id": "d3"}],
    }
    path = write_log(tool, inner, genai_tool)
    assert [row[3] for row in list_results(path)] == ["d2"]
    assert list_results(path, "text", tool=["kb_search"]) == [
        (TRACE, 1, 1, "d1", "bikes"),
        (TRACE, 1, 2, "d2", "bikes"),
        (TRACE, 2, 1, "d3", "trains"),
    ]
    for names, count in ((["kb_search"], 0), (["kb_search", "kb-search"], 1)):
        notes = as_sessions(path, tool=names).notes
        assert len(find_notes(notes, "'kb-search'", "no", "span")) == count


def test_spans_without_documents_are_counted_and_told(write_log):
    unfinished = phoenix_span(4, None)
    unfinished["end_time"] = None
    path = write_log(
        phoenix_span(1, ["a"]), phoenix_span(2, None), phoenix_span(3, None), unfinished
    )
    with refuses(BadInput, "log.jsonl:2", "documents", "line 3 and line 4", "--bad skip"):
        as_sessions(path)
    sessions = as_sessions(path, bad="skip")
    assert sessions.frame["doc"].to_list() == ["a"]
    assert find_notes(sessions.notes, 3, "left", "out")
    assert "no end" in sessions.problems[2][1]


def test_an_empty_list_is_a_query_without_results_and_a_failed_search_too(write_log):
    failed = phoenix_span(2, None)
    failed["status_code"] = "ERROR"
    path = write_log(
        phoenix_span(1, None, **{"retrieval.documents": []}), failed, phoenix_span(3, ["a"])
    )
    assert list_results(path) == [
        (TRACE, 1, None, None),
        (TRACE, 2, None, None),
        (TRACE, 3, 1, "a"),
    ]
    assert find_notes(as_sessions(path).notes, 1, "search", "failed")


def test_a_span_that_was_exported_twice_counts_once_unless_it_differs(write_log):
    span = phoenix_span(1, ["a"])
    path = write_log(span, span)
    assert len(list_results(path)) == 1
    assert find_notes(as_sessions(path).notes, 1, "span", "twice", "once")
    path = write_log(span, phoenix_span(1, ["b"]))
    with refuses(BadInput, "log.jsonl:2"):
        as_sessions(path)


@pytest.mark.parametrize(
    ("change", "about"),
    [
        ({"start_time": "yesterday"}, ("log.jsonl:2", "'yesterday'")),
        ({"context": {"trace_id": None, "span_id": "1"}}, "log.jsonl:2"),
        ("cut off", "log.jsonl:2"),
    ],
)
def test_bad_spans_are_told_with_their_line(write_log, change, about):
    more = {} if change == "cut off" else change
    path = write_log(phoenix_span(1, ["a"]), phoenix_span(2, ["b"]) | more)
    if change == "cut off":
        path.write_text(path.read_text()[:-100])
    with refuses(BadInput, about) as error:
        as_sessions(path)
    assert str(error.value).startswith(f"{path}:2: ")
    assert [row[3] for row in list_results(path, bad="skip")] == ["a"]


# --- transcripts --------------------------------------------------------------------------------


def openai_call(call_id, query, name="search"):
    function = {"name": name, "arguments": json.dumps({"query": query})}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def openai_result(call_id, result):
    content = result if isinstance(result, str) else json.dumps(result)
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def anthropic_call(call_id, query, name="search"):
    block = {"type": "tool_use", "id": call_id, "name": name, "input": {"query": query}}
    return {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, block]}


def anthropic_result(call_id, content, **more):
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content} | more
    return {"role": "user", "content": [block]}


SEARCHES = [("s1", 1, 1, "d1", "bikes"), ("s1", 1, 2, "d2", "bikes"), ("s1", 2, 1, "d3", "e-bikes")]


BLOCKS = [{"type": "text", "text": '[{"id": "d1"}, {"id": "d2"}]'}]
PARTS = [
    anthropic_call("u1", "bikes"),
    anthropic_result("u1", '[{"id": "d1"}, {"id": "d2"}]'),
    {"role": "user", "content": "more"},
    anthropic_call("u2", "e-bikes"),
    anthropic_result("u2", '[{"id": "d3"}]'),
]


def langchain_call(call_id, query):
    return {"name": "search", "args": {"query": query}, "id": call_id, "type": "tool_call"}


def langchain_result(call_id, content, status="success"):
    return {"type": "tool", "content": content, "tool_call_id": call_id, "status": status}


def opentelemetry_call(call_id, query):
    part = {"type": "tool_call", "id": call_id, "name": "search", "arguments": {"query": query}}
    return {"role": "assistant", "parts": [part]}


def opentelemetry_result(call_id, response):
    part = {"type": "tool_call_response", "id": call_id, "response": response}
    return {"role": "tool", "parts": [part]}


TRANSCRIPTS = {
    "OpenAI": [
        {"role": "system", "content": "You search."},
        {"role": "user", "content": "Which bike?"},
        openai_call("c1", "bikes"),
        openai_result("c1", {"results": [{"id": "d1", "score": 2}, {"id": "d2"}]}),
        openai_call("c2", "e-bikes"),
        openai_result("c2", ["d3"]),
        {"role": "assistant", "content": "That one."},
    ],
    "Anthropic": [
        {"role": "user", "content": "Which bike?"},
        anthropic_call("toolu_1", "bikes"),
        anthropic_result("toolu_1", BLOCKS),
        anthropic_call("toolu_2", "e-bikes"),
        anthropic_result("toolu_2", '{"hits": {"hits": [{"_id": "d3"}]}}'),
    ],
    "items of responses": [
        {"role": "user", "content": "Which bike?"},
        {"type": "function_call", "call_id": "0", "name": "search", "arguments": '{"query": "bikes"}'},
        {"type": "function_call_output", "call_id": "0", "output": '["d1", "d2"]'},
        {"type": "function_call", "call_id": "1", "name": "search", "arguments": '{"query": "e-bikes"}'},
        {"type": "function_call_output", "call_id": "1", "output": '["d3"]'},
    ],
    "LangChain": [  # by message.model_dump()
        {"type": "human", "content": "Which bike?", "id": None},
        {"type": "ai", "content": "", "tool_calls": [langchain_call("c1", "bikes")]},
        langchain_result("c1", '[{"id": "d1"}, {"id": "d2"}]'),
        {"type": "ai", "content": "", "tool_calls": [langchain_call("c2", "e-bikes")]},
        langchain_result("c2", '["d3"]'),
    ],
    "OpenTelemetry": [  # as the examples of its GenAI convention: gen_ai.input.messages
        {"role": "user", "parts": [{"type": "text", "content": "Which bike?"}]},
        opentelemetry_call("c1", "bikes"),
        opentelemetry_result("c1", [{"id": "d1"}, {"id": "d2"}]),
        opentelemetry_call("c2", "e-bikes"),
        opentelemetry_result("c2", '["d3"]'),
    ],
    "a line for each message": [{"sessionId": "s1", "message": part} for part in PARTS],
}  # fmt: skip


@pytest.mark.parametrize("kind", TRANSCRIPTS)
def test_calls_in_transcripts_are_queries(write_log, kind):
    messages = TRANSCRIPTS[kind]
    whole = {
        "OpenAI": {"id": "s1", "messages": messages},
        "Anthropic": {"session_id": "s1", "messages": messages},
        "items of responses": {"id": "s1", "input": messages},
        "LangChain": {"thread_id": "s1", "messages": messages},
        "OpenTelemetry": {"conversation_id": "s1", "messages": messages},
    }
    path = write_log(*([whole[kind]] if kind in whole else messages))
    assert find_session_format(open_source(path)).name == "chat"
    assert list_results(path, "text") == SEARCHES
    assert find_notes(as_sessions(path).notes, "'search'", "only", "tool")


LANGCHAIN = {  # what langchain-core 1.7 makes of a message
    "messages_to_dict": lambda message: {"type": message["type"], "data": message},
    "load.dumps": lambda message: {"lc": 1, "type": "constructor", "id": ["x"], "kwargs": message},
}


@pytest.mark.parametrize("name", LANGCHAIN)
def test_messages_of_langchain_are_read_however_they_are_dumped(write_log, name):
    messages = [*map(LANGCHAIN[name], TRANSCRIPTS["LangChain"])]
    assert list_results(write_log({"thread_id": "s1", "messages": messages}), "text") == SEARCHES


def test_a_tool_of_langchain_that_failed_found_nothing(write_log):
    call = {"type": "ai", "content": "", "tool_calls": [langchain_call("c1", "bikes")]}
    failed = langchain_result("c1", "Error: timeout", status="error")
    sessions = as_sessions(write_log({"thread_id": "s1", "messages": [call, failed]}))
    assert sessions.frame["doc"].to_list() == [None]
    assert find_notes(sessions.notes, "1", "search", "failed")


def test_judgments_are_of_texts_wherever_a_log_has_them(write_log):
    """The same question in GenAI's attributes, in a chat and in JSON arguments."""
    calls = [openai_call("1", "opening hours"), openai_result("1", ["a", "b"])]
    arguments = phoenix_span(1, ["a", "b"], **{"input.value": '{"query": "opening hours"}'})
    for record in (otlp_export(otlp_span(1, genai(["a", "b"]))), {"messages": calls}, arguments):
        path, judged = write_log(record), {"opening hours": {"b": 1}}
        with refuses(BadInput, str(path), "topic=text"):
            evaluate(path, judged, "nsDCG@2")
        results = evaluate(path, judged, "nsDCG@1", columns={"topic": "text"})
        assert results.mean["nsDCG@1"] == 0
        results = evaluate(path, judged, "sDCG@2", columns={"topic": "text"})
        assert results.mean["sDCG@2"] == 1 / 2  # 1 + log2 2


SERVER_CALL = {"type": "server_tool_use", "id": "w", "name": "search", "input": {"query": "b"}}
SERVER_RESULT = [{"type": "web_search_result", "url": "https://x.org/2", "title": "Two"}]
BARE_CALLS = {  # without ids, as OpenAI had them first
    "tool_calls": [{"function": {"name": "search", "arguments": {"query": "a"}}}],
    "function_call": {"name": "search", "arguments": '{"query": "b"}'},
}
MESSAGES = {  # and what was searched
    "blocks of search results have their source for an id": (
        [
            anthropic_call("a", "a"),
            anthropic_result("a", [{"type": "search_result", "source": "d1", "content": []}]),
            {
                "role": "assistant",
                "content": [
                    SERVER_CALL,
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "w",
                        "content": SERVER_RESULT,
                    },
                ],
            },
        ],
        [(1, 1, "d1", "a"), (2, 1, "https://x.org/2", "b")],
    ),
    "a failed call is a query without results": (
        [
            anthropic_call("1", "bikes"),
            anthropic_result("1", "timeout", is_error=True),
            anthropic_call("2", "bikes"),
            anthropic_result("2", '[{"id": "d1"}]'),
        ],
        [(1, None, None, "bikes"), (2, 1, "d1", "bikes")],
    ),
    "calls without ids are answered in order": (
        [
            {"role": "assistant", "content": "", "tool_calls": BARE_CALLS["tool_calls"]},
            {"role": "tool", "content": '["d1"]'},
            {"role": "assistant", "content": None, "function_call": BARE_CALLS["function_call"]},
            {"role": "function", "name": "search", "content": '["d2"]'},
        ],
        [(1, 1, "d1", "a"), (2, 1, "d2", "b")],
    ),
    "calls that share an id before any result, the first stated twice, are answered in order": (
        [
            openai_call("0", "x") | {"content": anthropic_call("0", "x")["content"]},
            openai_call("0", "y"),
            openai_result("0", ["a"]),
            openai_result("0", ["b"]),
        ],
        [(1, 1, "a", "x"), (2, 1, "b", "y")],
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
@pytest.mark.parametrize("by_line", [False, True])
def test_what_messages_searched(write_log, case, by_line):
    messages, searches = MESSAGES[case]
    lines = [{"id": "s1", "messages": messages}]
    if by_line:
        lines = [{"session_id": "s1", **message} for message in messages]
    path = write_log(*lines)
    assert list_results(path, "text") == [("s1", *search) for search in searches]


def test_messages_without_a_session_are_one_named_for_the_file(tmp_path):
    path = write_file(
        tmp_path / "chat.json", json.dumps([openai_call("1", "bikes"), openai_result("1", ["d1"])])
    )
    assert list_results(path) == [("chat.json", 1, 1, "d1")]


def test_of_several_tools_one_must_be_named(write_log):
    messages = [
        openai_call("1", "bikes"),
        openai_result("1", ["d1"]),
        openai_call("2", "2 + 2", "calculator"),
        openai_result("2", "4"),
    ]
    path = write_log({"id": "s1", "messages": messages})
    with refuses(BadInput, "log.jsonl"):
        as_sessions(path)
    assert list_results(path, tool=["search"]) == [("s1", 1, 1, "d1")]
    with refuses(BadInput, "log.jsonl", "'serach'"):
        as_sessions(path, tool=["serach"])


def test_histories_that_grow_from_record_to_record_count_each_call_once(write_log):
    messages = [openai_call("1", "bikes"), openai_result("1", ["d1"])]
    more = [*messages, openai_call("2", "e-bikes"), openai_result("2", ["d2"])]
    path = write_log(
        {"session_id": "s1", "messages": messages}, {"session_id": "s1", "messages": more}
    )
    assert [row[3] for row in list_results(path)] == ["d1", "d2"]
    assert find_notes(as_sessions(path).notes, 1, "call", "repeats", "once")


SHAPES = {
    "openai": (openai_call, openai_result),
    "anthropic": (
        anthropic_call,
        lambda call_id, docs: anthropic_result(call_id, json.dumps(docs)),
    ),
}
X, Y, Z = ("x", ["a"]), ("y", ["b"]), ("x", ["c"])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("records", "searches", "counts"),
    [
        ([[X, Y]], "a b", "1 call has"),
        ([[X, X]], "a a", "1 call has"),  # after its result it is another, though alike
        ([[X, Z]], "a c", "1 call has"),
        ([[X], [Y]], "a b", "1 call has"),
        ([[X], [Z]], "a c", "1 call has"),
        ([[X], [X]], "a", "1 call repeats"),
        ([[X], [X, Y], [X, Y, Z]], "a b c", "3 calls repeat|2 calls have"),
        ([[X, X], [X, X, X]], "a a a", "2 calls repeat|2 calls have"),
    ],
)
def test_calls_whose_ids_come_back_are_queries_of_their_own(
    write_log, shape, records, searches, counts
):
    make_call, make_result = SHAPES[shape]
    messages = [
        [part for query, docs in record for part in (make_call("0", query), make_result("0", docs))]
        for record in records
    ]
    path = write_log(*({"session_id": "s1", "messages": record} for record in messages))
    assert [row[1:4] for row in list_results(path)] == [
        (number, 1, doc) for number, doc in enumerate(searches.split(), start=1)
    ]
    notes = "; ".join(as_sessions(path).notes)
    assert all(words in notes for words in counts.split("|"))


def test_a_call_that_waits_in_one_record_takes_no_result_of_another_call(write_log):
    path = write_log(
        {"session_id": "s1", "messages": [openai_call("0", "x")]},
        {"session_id": "s1", "messages": [openai_call("0", "y"), openai_result("0", ["b"])]},
    )
    with refuses(BadInput, "log.jsonl:1", "'0'"):
        as_sessions(path)
    again = [openai_call("0", "x"), openai_result("0", ["a"])] * 2
    write_lines(
        path, {"session_id": "s1", "messages": again[:1]}, {"session_id": "s1", "messages": again}
    )
    assert [row[3] for row in list_results(path)] == ["a", "a"]


# --- turns and iKAT -----------------------------------------------------------------------------


def test_turns_are_queries_judged_by_themselves(write_log):
    first = {"query": "opening hours", "retrieved": {"x": 0.1, "y": 0.5}}
    path = write_log(
        {"conversation": "c1", "turn": 2, "query": "and in winter?", "retrieved": ["b", {"id": 7}]},
        {"conversation": "c1", "turn": 1, **first},
        {"conversation": "c2", "turn": 1, "id": "t9", "query": "prices", "retrieved": []},
    )
    assert find_session_format(open_source(path)).name == "turns"
    assert list_results(path, "topic", "text") == [
        ("c1", 1, 1, "y", "c1_1", "opening hours"),
        ("c1", 1, 2, "x", "c1_1", "opening hours"),
        ("c1", 2, 1, "b", "c1_2", "and in winter?"),
        ("c1", 2, 2, "7", "c1_2", "and in winter?"),
        ("c2", 1, None, None, "t9", "prices"),
    ]
    assert as_sessions(path).per_turn


@pytest.mark.parametrize(
    ("record", "about"),
    [
        ({"conversation": None, "turn": 1, "retrieved": ["a"]}, "log.jsonl:2"),
        ({"conversation": "c", "turn": None, "retrieved": ["a"]}, "log.jsonl:2"),
        ({"conversation": "c", "turn": "first", "retrieved": ["a"]}, ("log.jsonl:2", "'first'")),
        ({"conversation": "c", "turn": 1, "retrieved": ["b"]}, "log.jsonl:2"),
        ({"conversation": "c", "turn": 2, "retrieved": None}, "log.jsonl:2"),
        ({"conversation": "c", "turn": 2, "retrieved": [None]}, "log.jsonl:2"),
        ({"conversation": "c", "turn": 2, "retrieved": {"a": "high"}}, ("log.jsonl:2", "'high'")),
    ],
)
def test_bad_turns_are_told_with_their_line(write_log, record, about):
    fine = {"conversation": "c", "turn": 1, "query": "q", "retrieved": ["a"]}
    path = write_log(fine, record)
    with refuses(BadInput, about) as error:
        as_sessions(path, "turns")
    assert str(error.value).startswith(f"{path}:2: ")
    assert list_results(path, format_name="turns", bad="skip") == [("c", 1, 1, "a")]


def test_different_mistakes_in_turns_are_counted_apart(write_log):
    fine = {"conversation": "c", "turn": 1, "query": "q", "retrieved": ["a"]}
    path = write_log({**fine, "turn": "x"}, fine, fine, {**fine, "turn": "y"})
    with refuses(BadInput, "log.jsonl:1", "'x' is not an integer; also in line 4"):
        as_sessions(path)
    assert len(as_sessions(path, bad="skip").notes) == 2


def test_ikats_run_of_2024_as_the_track_flattens_it(tmp_path):
    """The lists of a turn's responses one after the other, each passage where it comes first."""

    def response(rank, *passages):
        provenance = [{"id": passage, "score": 2.5, "used": True} for passage in passages]
        return {
            "rank": rank,
            "text": "…",
            "ptkb_provenance": ["13"],
            "passage_provenance": provenance,
        }

    a, b, c = (f"clueweb22-en0025-76-0826{number}:14" for number in range(3))
    run = {
        "run_name": "sample_run",
        "run_type": "automatic",
        "eval_response": True,
        "turns": [
            {"turn_id": "9-1_2", "responses": [response(1, a, b), response(2, b, c)]},
            {"turn_id": "9-1_1", "responses": [response(1, c)]},
        ],
    }
    path = write_file(tmp_path / "run.json", json.dumps(run))
    assert find_session_format(open_source(path)).name == "ikat"
    assert list_results(path, "topic", "system") == [
        ("9-1", 1, 1, c, "9-1_1", "sample_run"),
        ("9-1", 2, 1, a, "9-1_2", "sample_run"),
        ("9-1", 2, 2, b, "9-1_2", "sample_run"),
        ("9-1", 2, 3, c, "9-1_2", "sample_run"),
    ]


def test_ikats_run_of_2025_is_ranked_by_the_scores_of_its_references(write_log):
    record = {
        "metadata": {"team_id": "t", "run_id": "bm25", "run_type": "automatic"},
        "turn_id": "1-1_1",
        "references": {"x:1": 0.2, "y:2": 0.9},
        "responses": [{"rank": 1, "text": "…", "citations": {"y:2": 0.9}, "ptkb_provenance": []}],
    }
    path = write_log(record)
    assert find_session_format(open_source(path)).name == "ikat"
    assert list_results(path, "system") == [
        ("1-1", 1, 1, "y:2", "bm25"),
        ("1-1", 1, 2, "x:1", "bm25"),
    ]


# --- what can be asked of which, and hostile files ----------------------------------------------


def test_options_of_other_formats_are_refused(write_log):
    odd = '<script>alert("1")</script>\n\x1b[1m'
    path = write_log({"conversation": odd, "turn": 1, "retrieved": [odd]})
    with refuses(BadValue, "tool"):
        as_sessions(path, tool=["search"])
    assert list_results(path) == [(odd, 1, 1, odd)]  # ids with markup stay ids


@pytest.mark.parametrize("form", ["openinference", "chat", "turns", "ikat", "ubi"])
@pytest.mark.parametrize(
    "text",
    [
        b'{"action_name": 7, "query_id": [1], "event_attributes": "x"}\n',
        b'{"query_id": "q", "user_query": {"a": 1}, "query_response_hit_ids": {"a": 1}}\n',
        b'{"user_query": "\\ud800", "client_id": "c", "timestamp": "2026-01-01T00:00:00Z"}\n',
        b'{"action_name": "click", "event_attributes": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        b'{"query_id": "q", "query_response_hit_ids": ' + b"[" * 9000 + b"]" * 9000 + b"}\n",
        b'{"action_name": "click"}\n',
        b"{}\n",
        b"[]",
        b"[1, 2]",
        b'{"a": 1}\n{"b": \n',
        b'{"messages": 7, "resourceSpans": {"a": 1}, "turns": "x"}\n',
        b'{"messages": [1, {"role": 3}], "resourceSpans": [1, {"scopeSpans": [{"spans": [7]}]}]}\n',
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        b'{"conversation": "\\ud800", "turn": 1, "retrieved": ["\\udc00"]}\n',
        b"\xff\xfe\x00binary",
        b"plain text\n",
    ],
)
def test_hostile_files_end_in_one_line(tmp_path, form, text):
    path = write_file(tmp_path / "x.jsonl", text)
    for bad in ("error", "skip"):
        with pytest.raises(BadInput) as error:
            as_sessions(path, form, bad=bad)
        assert "\n" not in str(error.value)


def test_turns_that_tell_what_is_relevant_are_judged_by_themselves(write_log):
    """Two turns, each with its one relevant document first, and one that has it second."""
    turn = {"query": "again", "relevant": ["a"]}
    path = write_log(
        {"conversation": "c1", "turn": 1, "retrieved": ["a", "b"], **turn},
        {"conversation": "c1", "turn": 2, "retrieved": ["b", "a"], **turn},
        {"conversation": "c2", "turn": 1, "retrieved": ["a", "b"], **turn},
    )
    results = evaluate(path, path, "sDCG(b=2, bq=4)@2")
    values = dict(results.per_session.select("session", pl.last()).iter_rows())
    # 1 at rank 1 of query 1; 1 / (1 + log2 2) at rank 2 of query 2, over 1 + log4 2
    assert values == pytest.approx({"c1": 1 + (1 / 2) / 1.5, "c2": 1.0})


# --- the examples of the docs -------------------------------------------------------------------


@pytest.fixture(scope="module")
def example_logs(tmp_path_factory):
    sys.path.insert(0, str(ROOT))
    try:
        from tools import example_logs
    finally:
        sys.path.remove(str(ROOT))
    folder = tmp_path_factory.mktemp("examples")
    example_logs.write_logs(folder / "logs")
    example_logs.write_conversations(folder / "conversations")
    return folder


def test_examples_are_those_that_the_tool_writes(example_logs):
    for path in example_logs.rglob("*.*"):
        kept = ROOT / "examples" / path.relative_to(example_logs)
        assert kept.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize(
    ("file", "qrels", "options"),
    [
        (
            ("ubi-queries.jsonl", "ubi-events.jsonl"),
            "sessions-qrels.txt",
            {"columns": {"topic": "query_attributes.topic"}},
        ),
        ("openinference.jsonl", "sessions-qrels.txt", {"columns": {"topic": "metadata.topic"}}),
        ("otel.jsonl", "sessions-qrels.txt", {"columns": {"topic": "app.topic"}}),
        ("openai.jsonl", "sessions-qrels.txt", {"columns": {"topic": "task"}}),
        (
            "anthropic.jsonl",
            "sessions-qrels.txt",
            {"columns": {"topic": "task"}, "tool": "search_recipes"},
        ),
        ("turns.jsonl", "logs/turns.jsonl", {}),
        ("ikat.json", "logs/turns-qrels.txt", {}),
    ],
)
def test_every_log_of_the_same_sessions_has_the_values_of_their_table(file, qrels, options):
    examples = ROOT / "examples"
    expected = evaluate(examples / "sessions.csv", examples / "sessions-qrels.txt", "sDCG@10")
    files = [examples / "logs" / name for name in ([file] if isinstance(file, str) else file)]
    results = evaluate(files, examples / qrels, "sDCG@10", **options)
    values = [results.per_session["sDCG@10"].to_list(), expected.per_session["sDCG@10"].to_list()]
    assert sorted(values[0]) == pytest.approx(sorted(values[1]))


def test_records_and_frames_in_memory_are_read_as_their_files_are(write_log, tmp_path):
    spans = [phoenix_span(1, ["a", "b"]), phoenix_span(2, ["c"]), phoenix_span(3, None, kind="LLM")]
    expected = list_results(write_log(*spans))
    assert expected == [(TRACE, 1, 1, "a"), (TRACE, 1, 2, "b"), (TRACE, 2, 1, "c")]
    documents = [[{"document.id": d, "document.score": 0.5} for d in ds] for ds in ("ab", "c")]
    frame = pl.DataFrame(
        {
            "context.trace_id": [TRACE] * 3,
            "context.span_id": ["1", "2", "3"],
            "span_kind": ["RETRIEVER", "RETRIEVER", "LLM"],
            "start_time": [f"2026-03-01T10:00:0{number}Z" for number in (1, 2, 3)],
            "attributes.session.id": [TRACE] * 3,
            "attributes.retrieval.documents": [*documents, None],
        }
    )
    path = tmp_path / "spans.parquet"
    times = frame["start_time"].str.to_datetime(time_zone="UTC")
    frame.with_columns(times).write_parquet(path)
    assert find_session_format(open_source(path)).name == "openinference"
    for either in (spans, frame, frame.to_pandas(), path):
        assert list_results(either) == expected
    messages = [openai_call("1", "bikes"), openai_result("1", ["d1"])]
    assert as_sessions([{"id": "s1", "messages": messages}]).frame["doc"].to_list() == ["d1"]


def test_a_table_with_a_row_for_each_result_is_no_log_of_ubi(write_log):
    row = {"session_id": "s", "client_id": "c", "user_query": "q", "doc_id": "a", "position": 1}
    path = write_log(row | {"query_id": "q1", "clicked": 1})
    assert find_session_format(open_source(path)).name == "table"


def test_transcripts_of_several_tools_are_checked_with_the_name_of_one(run_gainful):
    path = str(ROOT / "examples" / "logs" / "anthropic.jsonl")
    assert "several tools" in run_gainful("check", path, status=1).out
    done = run_gainful("check", path, "--tool", "search_recipes", status=0)
    assert "4 sessions, 8 queries, 21 results" in done.out


HALF = '["\\ud800"]'  # JSON in a text, whose escape is half a character
CALL = {"id": "k", "function": {"name": "s", "arguments": "x"}}
ODD_PAIRS = [
    {"key": "a", "value": {"arrayValue": {"values": 7}}},
    {"key": "b", "value": {"kvlistValue": {"values": None}}},
    {"key": None, "value": 7},
    *otlp_attributes({"openinference.span.kind": "RETRIEVER"}),
]


PROSE = [openai_call("1", "bikes"), openai_result("1", "I found two nice bikes.")]
CUT_OFF = [openai_call("1", "bikes"), openai_result("1", ["d1"]), openai_call("2", "e-bikes")]


@pytest.mark.parametrize(
    ("record", "about"),
    [
        (phoenix_span(1, None, **{"retrieval.documents": HALF}), "log.jsonl:1"),
        (
            {"messages": [{"role": "assistant", "tool_calls": [CALL]}, openai_result("k", HALF)]},
            "log.jsonl:1",
        ),
        (otlp_export({"attributes": ODD_PAIRS}), "log.jsonl:1"),
        (phoenix_span(1, ["a"]) | {"start_time": "٢٠٢٦"}, "log.jsonl:1"),
        (phoenix_span(1, None, kind="LLM"), "log.jsonl"),  # no search
        (
            {"id": "s1", "messages": PROSE},
            ("log.jsonl:1", "'1'", "'I found two nice bikes.'", '[{"id": "d1"}, '),
        ),
        ({"id": "s1", "messages": CUT_OFF}, ("log.jsonl:1", "'2'")),
        (
            {"run_name": "r", "turns": [{"turn_id": "first", "responses": []}]},
            ("log.jsonl:1", "'first'"),
        ),
    ],
)
def test_records_without_a_search_that_can_be_read_are_told(write_log, record, about):
    path = write_log(record)
    with refuses(BadInput, about):
        as_sessions(path, "openinference" if "resourceSpans" in record else None)
    if record.get("messages") is CUT_OFF:
        assert list_results(path, bad="skip") == [("s1", 1, 1, "d1")]


PHOENIX = [
    {"document_position": 0, "name": "hallucination", "score": 9},
    {"document_position": 0, "name": "Relevance", "score": 0.5, "label": "relevant"},
    {"document_position": 2, "name": "Relevance", "label": "relevant"},
    {"document_position": 3, "name": "Relevance", "score": 7},  # of no document
    {"document_position": 1, "name": "Relevance", "score": None},
]
ANNOTATED = [
    {"documentPosition": place, "result": {"score": score}} for place, score in ((0, 0.5), (2, 1))
]


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("name", "evaluations"), [("document_evaluations", PHOENIX), ("documentAnnotations", ANNOTATED)]
)
def test_grades_that_traces_carry_are_judgments(tmp_path, name, evaluations, inside):
    asked = {"session.id": "s1", "input.value": "soup"}
    span, plain = phoenix_span(1, "abc", **asked), phoenix_span(2, "abc", trace=OTHER, **asked)
    graded = phoenix_span(1, "abc", **asked, **{name: evaluations})
    graded = graded if inside else {**span, name: evaluations}
    path = write_lines(tmp_path / "spans.jsonl", graded, plain)
    sessions = as_sessions(path)
    assert sessions.frame["grade"].to_list() == [0.5, None, 1.0, None, None, None]
    assert find_notes(sessions.notes, 2, "documents", "grades")
    results = evaluate(path, measures="sDCG@1")
    # a is shown by both searches, the second divided by 1 + log4 2.
    assert results.mean["sDCG@1"] == pytest.approx(0.5 + 0.5 / 1.5)
    other = write_lines(tmp_path / "other.jsonl", plain)
    for topic in ("input.value", "text"):
        by_question = evaluate(other, path, "sDCG@1", columns={"topic": topic})
        assert by_question.mean["sDCG@1"] == 0.5
    with pytest.raises(BadInput) as refused:
        evaluate(other, path, "sDCG@1")
    assert "topic=text" in str(refused.value)
    with refuses(Swapped, "other.jsonl"):
        evaluate(path, other, "sDCG@1")


def test_malformed_evaluations_of_a_trace_are_refused_or_skipped_and_counted(tmp_path):
    evaluations = [
        {"document_position": 0, "score": 1},
        {"document_position": 1, "score": "high"},
        {"document_position": "last", "score": 1},
        {"document_position": -1, "score": 1},
        {"document_position": 0, "score": 0.5},
    ]
    span = phoenix_span(1, "abc", **{"session.id": "s1", "document_evaluations": evaluations})
    path = write_lines(tmp_path / "spans.jsonl", span)
    with refuses(BadInput, "spans.jsonl:1", "'high'"):
        as_sessions(path)
    sessions = as_sessions(path, bad="skip")
    assert sessions.frame["grade"].to_list() == [1.0, None, None]
    assert find_notes(sessions.notes, 4, "malformed", "trace")
    (finding,) = gainful.check(path).findings
    assert finding.problems[0] == "4 mistakes"


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_evaluations_may_stand_in_a_second_file(tmp_path, suffix):
    asked = {"session.id": "s1", "input.value": "soup"}
    spans = write_lines(tmp_path / "spans.jsonl", phoenix_span(1, "abc", **asked))
    names = {"context.span_id": f"{1:016x}", "name": "Relevance"}
    rows = [names | {"document_position": at, "score": score} for at, score in ((2, 1), (0, 0.5))]
    graded = tmp_path / f"evaluations{suffix}"
    frame = pl.DataFrame(rows, strict=False)
    getattr(frame, {".jsonl": "write_ndjson"}.get(suffix, f"write_{suffix[1:]}"))(graded)
    for files in ([spans, graded], [graded, spans]):
        assert as_sessions(files).frame["grade"].to_list() == [0.5, None, 1.0]
        (finding,) = gainful.check(*files).findings
        assert finding.kind == "sessions, openinference"


EVALUATED = "context.span_id,document_position,score,label\n"


def write_evaluations(folder, rows):
    asked = {"session.id": "s1", "input.value": "soup"}
    spans = write_lines(folder / "spans.jsonl", phoenix_span(1, "abc", **asked))
    graded = write_file(folder / "e.csv", EVALUATED + rows.replace("SPAN", f"{1:016x}"))
    return [spans, graded]


@pytest.mark.parametrize(
    ("rows", "where", "left"),
    [
        ("SPAN,0,1,\nSPAN,1,high,\n", "e.csv:3", [1, None, None]),
        ("SPAN,0,inf,\nSPAN,1,1,\n", "e.csv:2", [None, 1, None]),
        ("SPAN,0,,bad\nSPAN,1,,Relevant\n", "e.csv:2", [None, 1, None]),
        ("SPAN,0,1,\nSPAN,0,0,\n", "e.csv:3", [1, None, None]),
        ("SPAN,x,1,\nSPAN,1,1,\n", "e.csv:2", [None, 1, None]),
        ("SPAN,1.5,1,\nSPAN,1,1,\n", "e.csv:2", [None, 1, None]),
        (",0,1,\nSPAN,1,1,\n", "e.csv:2", [None, 1, None]),
    ],
)
def test_malformed_evaluations_are_refused_or_skipped_and_counted(tmp_path, rows, where, left):
    files = write_evaluations(tmp_path, rows)
    with refuses(BadInput, where):
        as_sessions(files)
    sessions = as_sessions(files, bad="skip")
    assert sessions.frame["grade"].to_list() == left
    assert find_notes(sessions.notes, 1, "malformed", "skipped")
    report = gainful.check(*files)
    assert not report.ok
    assert any(where in line for line in report.findings[0].problems)


@pytest.mark.parametrize(
    ("rows", "grades", "words"),
    [
        ("SPAN,0,1,\nSPAN,7,1,\n", [1, None, None], (1, "document_position")),
        ("SPAN,0,1,\nSPAN,1,,\n", [1, None, None], (1, "label")),
        ("SPAN,0,1,\nzz,0,1,\n", [1, None, None], (1, "span")),
        ("SPAN,0.0,1,\nSPAN,1.0,0,\n", [1, 0, None], (2, "grades")),
        ("SPAN,0,1,\nSPAN,0,1,\n", [1, None, None], (1, "grade")),
    ],
)
def test_evaluations_that_do_not_count_are_counted(tmp_path, rows, grades, words):
    sessions = as_sessions(write_evaluations(tmp_path, rows))
    assert sessions.frame["grade"].to_list() == grades
    assert find_notes(sessions.notes, *words)


def test_evaluations_of_other_spans_or_without_traces_are_refused(tmp_path):
    for rows in ("", "SPAN,0,,\n", "zz,0,1,\n"):
        with refuses(BadInput, "e.csv"):
            as_sessions(write_evaluations(tmp_path, rows))
    _, graded = write_evaluations(tmp_path, "SPAN,0,1,\n")
    with refuses(NoColumn, "e.csv"):
        as_sessions(graded)
    (finding,) = gainful.check(graded).findings
    assert finding.kind == "sessions, table"
