"""Logs in JSON to a table of sessions: seconds of processor time, and memory, for a million records.

OpenInference and OpenTelemetry spans with five documents each, UBI's queries with eight hits and three
events, transcripts of agents, turns and a run of iKAT. Each is read by a process of its own. `json_logs.py READ FILE …` is that
process.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

ROW = "{:>16}{:>12}{:>10}{:>12}{:>10}{:>14}{:>12}"
START = 1_772_442_000


def clock(number):
    """Every search seven seconds after the one before."""
    moment = time.gmtime(START + 7 * number)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)


def docs_of(number, count=5):
    return [f"p{number * 7919 % 100_003}-{rank}" for rank in range(count)]


def openinference_line(number):
    docs = ", ".join(
        f'{{"document.id": "{doc}", "document.score": 0.{rank + 1}}}'
        for rank, doc in enumerate(docs_of(number))
    )
    return (
        f'{{"name": "retrieve", "context": {{"trace_id": "{number:032x}", "span_id": "{number:016x}"}}, '
        f'"span_kind": "RETRIEVER", "parent_id": null, "start_time": "{clock(number)}", '
        f'"end_time": "{clock(number)}", "status_code": "OK", "attributes": {{'
        f'"openinference.span.kind": "RETRIEVER", "session.id": "s{number // 3}", '
        f'"user.id": "u{number // 3}", "metadata": "{{\\"topic\\": \\"t{number % 50}\\"}}", '
        f'"input.value": "query number {number % 5000}", "retrieval.documents": [{docs}]}}}}\n'
    )


def otlp_line(number):
    docs = json.dumps([{"id": doc, "score": 0.5} for doc in docs_of(number)])
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.conversation.id": f"s{number // 3}",
        "gen_ai.retrieval.query.text": f"query number {number % 5000}",
        "gen_ai.retrieval.documents": docs,
    }
    span = {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": "retrieval",
        "startTimeUnixNano": f"{START + 7 * number}000000000",
        "endTimeUnixNano": f"{START + 7 * number}500000000",
        "attributes": [
            {"key": key, "value": {"stringValue": text}} for key, text in attributes.items()
        ],
        "status": {},
    }
    scopes = [{"scope": {}, "spans": [span]}]
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": scopes}]}) + "\n"


def ubi_query(number):
    query = {
        "query_id": f"q{number}",
        "client_id": f"u{number // 3}",
        "user_query": f"query number {number % 5000}",
        "timestamp": clock(number),
        "query_response_hit_ids": docs_of(number, 8),
    }
    return json.dumps(query) + "\n"


def ubi_events(number):
    common = {
        "query_id": f"q{number}",
        "session_id": f"s{number // 3}",
        "client_id": f"u{number // 3}",
    }
    lines = []
    for rank, doc in enumerate(docs_of(number, 8)[:2], 1):
        attributes = {"object": {"object_id": doc}, "position": {"ordinal": rank}}
        lines.append({"action_name": "click", **common, "event_attributes": attributes})
    lines.append({"action_name": "page_exit", **common})
    return "".join(json.dumps({**line, "timestamp": clock(number)}) + "\n" for line in lines)


def openai_line(number):
    """A conversation of three searches."""
    messages = [{"role": "user", "content": "Find me soup recipes."}]
    for search in range(3 * number, 3 * number + 3):
        query = json.dumps({"query": f"query number {search % 5000}"})
        function = {"name": "search_recipes", "arguments": query}
        call = {"id": f"call_{search}", "type": "function", "function": function}
        listing = json.dumps({"results": [{"id": doc} for doc in docs_of(search)]})
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{search}", "content": listing},
        ]
    return json.dumps({"id": f"s{number}", "messages": messages}) + "\n"


def turn_line(number):
    turn = {
        "conversation": f"c{number // 3}",
        "turn": number % 3 + 1,
        "query": f"query {number % 5000}",
    }
    return json.dumps({**turn, "retrieved": docs_of(number)}) + "\n"


def ikat_line(number):
    references = {doc: 1 / rank for rank, doc in enumerate(docs_of(number), 1)}
    turn = {"turn_id": f"{number // 3}-1_{number % 3 + 1}", "references": references}
    return json.dumps({**turn, "metadata": {"run_id": "soups"}}) + "\n"


# What is counted; how many lines one of these files has for a million; what writes each line.
LOGS = {
    "openinference": ("spans", {"spans.jsonl": (1, openinference_line)}),
    "opentelemetry": ("spans", {"otlp.jsonl": (1, otlp_line)}),
    "ubi": ("records", {"queries.jsonl": (4, ubi_query), "events.jsonl": (4, ubi_events)}),
    "openai chat": ("calls", {"chat.jsonl": (3, openai_line)}),
    "turns": ("turns", {"turns.jsonl": (1, turn_line)}),
    "ikat": ("turns", {"ikat.jsonl": (1, ikat_line)}),
}


def write_files(folder, files, count):
    """The files of a log with about so many records."""
    paths = []
    for name, (share, write_line) in files.items():
        path = folder / name
        with path.open("w", encoding="utf-8") as file:
            file.writelines(map(write_line, range(count // share)))
        paths.append(path)
    return paths


def read_log(paths):
    """Read a log in this process, and say what that took."""
    from gainful.read.session_inputs import as_sessions

    start = time.process_time()
    sessions = as_sessions(paths if len(paths) > 1 else paths[0])
    spent = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(spent, memory, sessions.frame["session"].n_unique(), len(sessions.frame))


def print_table(folder, count):
    """A row for each log, of a quarter and of all records."""
    print(ROW.format("log", "records", "of", "sessions", "results", "to sessions", "memory"))
    for name, (kind, files) in LOGS.items():
        for number in (count // 4, count):
            paths = write_files(folder, files, number)
            words = [sys.executable, __file__, "READ", *map(str, paths)]
            outcome = subprocess.run(words, capture_output=True, text=True, check=True)
            spent, memory, sessions, results = map(float, outcome.stdout.split())
            cells = (f"{sessions:.0f}", f"{results:.0f}", f"{spent:.2f} s", f"{memory:.2f} GB")
            print(ROW.format(name, number, kind, *cells), flush=True)
            for path in paths:
                path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["READ"]:
        read_log(sys.argv[2:])
    else:
        import tempfile

        with tempfile.TemporaryDirectory() as temporary:
            print_table(Path(temporary), int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
