"""Write examples/logs and examples/conversations: what docs/traces.md reads.

    python tools/example_logs.py

Traces, transcripts, UBI's queries and events, turns and a run of iKAT tell the sessions of
examples/sessions.csv; three systems had the same conversations.
"""

from __future__ import annotations

import csv
import json
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"
DAY = "2026-03-02"
NANOSECONDS = 1_772_442_000 * 10**9  # that day, nine o'clock
SKILLS = {"bm25": 0.35, "dense": 0.5, "hybrid": 0.6}
CONVERSATIONS = {"s1": "1-1", "s2": "1-2", "s3": "2-1", "s4": "2-2"}

Record = dict[str, Any]


class Search:
    """One query of a session: what was asked, and what was shown."""

    def __init__(self, number: int, rows: list[dict[str, str]]) -> None:
        """The rows of the table that have this query."""
        first = rows[0]
        self.number, self.position = number, int(first["query"])
        self.session, self.topic, self.system = first["session"], first["topic"], first["system"]
        self.searcher, self.text = first["searcher"], first["text"]
        self.docs = [row["doc"] for row in rows if row["doc"]]
        self.clicked = [row["doc"] for row in rows if row["clicked"] == "1"]

    def clock(self, seconds: int = 0) -> str:
        """When it was asked: queries come a minute apart."""
        return f"{DAY}T09:{self.number:02d}:{seconds:02d}Z"


def read_searches() -> list[Search]:
    """The queries of the table, in order."""
    with (EXAMPLES / "sessions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    queries = groupby(rows, key=lambda row: (row["session"], row["query"]))
    return [Search(number, list(group)) for number, (_, group) in enumerate(queries, start=1)]


def openinference_span(search: Search) -> Record:
    """A retriever span of OpenInference, as Phoenix writes it a line."""
    documents = [
        {"document.id": doc, "document.score": round(1 / rank, 2)}
        for rank, doc in enumerate(search.docs, start=1)
    ]
    metadata = json.dumps({"topic": search.topic, "system": search.system})
    return {
        "name": "retrieve",
        "context": {"trace_id": f"{search.number:032x}", "span_id": f"{search.number:016x}"},
        "span_kind": "RETRIEVER",
        "parent_id": None,
        "start_time": search.clock(),
        "end_time": search.clock(1),
        "status_code": "OK",
        "attributes": {
            "openinference.span.kind": "RETRIEVER",
            "session.id": search.session,
            "user.id": search.searcher,
            "metadata": metadata,
            "input.value": search.text,
            "retrieval.documents": documents,
        },
    }


def otlp_export(search: Search) -> Record:
    """A retrieval span of OpenTelemetry's GenAI convention, as OTLP's JSON has it."""
    documents = [
        {"id": doc, "score": round(1 / rank, 2)} for rank, doc in enumerate(search.docs, 1)
    ]
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.conversation.id": search.session,
        "gen_ai.data_source.id": search.system,
        "gen_ai.retrieval.query.text": search.text,
        "gen_ai.retrieval.documents": json.dumps(documents),
        "app.topic": search.topic,
    }
    span = {
        "traceId": f"{search.number:032x}",
        "spanId": f"{search.number:016x}",
        "name": f"retrieval {search.system}",
        "kind": 3,
        "startTimeUnixNano": str(NANOSECONDS + 60 * 10**9 * search.number),
        "endTimeUnixNano": str(NANOSECONDS + 61 * 10**9 * search.number),
        "attributes": [
            {"key": key, "value": {"stringValue": value}} for key, value in attributes.items()
        ],
        "status": {},
    }
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [span]}]}]}


def list_results(search: Search) -> str:
    """What the search tool of the agents returns."""
    return json.dumps({"results": [{"id": doc} for doc in search.docs]})


def openai_messages(searches: list[Search]) -> list[Record]:
    """A transcript in the style of OpenAI's chat completions."""
    messages: list[Record] = [{"role": "user", "content": f"Find me {searches[0].topic} recipes."}]
    for search in searches:
        call_id = f"call_{search.number}"
        function = {"name": "search_recipes", "arguments": json.dumps({"query": search.text})}
        calls = [{"id": call_id, "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": call_id, "content": list_results(search)},
        ]
    return [*messages, {"role": "assistant", "content": "Here they are."}]


def anthropic_messages(searches: list[Search]) -> list[Record]:
    """A transcript in the style of Anthropic's messages, with a tool that does not search."""
    clock = {"type": "tool_use", "id": "toolu_0", "name": "clock", "input": {}}
    nine = {"type": "tool_result", "tool_use_id": "toolu_0", "content": "nine o'clock"}
    messages: list[Record] = [
        {"role": "user", "content": f"Find me {searches[0].topic} recipes."},
        {"role": "assistant", "content": [clock]},
        {"role": "user", "content": [nine]},
    ]
    for search in searches:
        call_id = f"toolu_{search.number}"
        arguments = {"query": search.text}
        call = {"type": "tool_use", "id": call_id, "name": "search_recipes", "input": arguments}
        text = {"type": "text", "text": list_results(search)}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": [text]}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    return messages


def ubi_query(search: Search) -> Record:
    """A query of UBI 1.3.0."""
    return {
        "application": search.system,
        "query_id": f"q{search.number}",
        "client_id": search.searcher,
        "user_query": search.text,
        "timestamp": search.clock(),
        "query_attributes": {"topic": search.topic},
        "query_response_hit_ids": search.docs,
    }


def ubi_events(search: Search) -> list[Record]:
    """The events of UBI 1.3.0 that follow a query: its clicks, and one that is of no result."""
    common = {
        "application": search.system,
        "query_id": f"q{search.number}",
        "session_id": search.session,
        "client_id": search.searcher,
    }
    clicks = [
        {
            "action_name": "click",
            **common,
            "timestamp": search.clock(10 + search.docs.index(doc)),
            "event_attributes": {
                "object": {"object_id": doc, "object_id_field": "recipe"},
                "position": {"ordinal": search.docs.index(doc) + 1},
            },
        }
        for doc in search.clicked
    ]
    return [*clicks, {"action_name": "page_exit", **common, "timestamp": search.clock(50)}]


def turn_record(search: Search, relevant: dict[str, dict[str, int]]) -> Record:
    """A turn of a RAG pipeline, with what is relevant to it."""
    return {
        "conversation": CONVERSATIONS[search.session],
        "turn": search.position,
        "query": search.text,
        "retrieved": search.docs,
        "relevant": relevant[search.topic],
    }


def ikat_turn(search: Search) -> Record:
    """A turn of a run of iKAT, as of 2024."""
    provenance = [
        {"id": doc, "score": round(1 / rank, 2), "used": rank == 1}
        for rank, doc in enumerate(search.docs, start=1)
    ]
    response = {
        "rank": 1,
        "text": "Here they are.",
        "ptkb_provenance": [],
        "passage_provenance": provenance,
    }
    turn_id = f"{CONVERSATIONS[search.session]}_{search.position}"
    return {"turn_id": turn_id, "responses": [response]}


def read_judgments() -> dict[str, dict[str, int]]:
    """The judgments of each topic."""
    judgments: dict[str, dict[str, int]] = {}
    for line in (EXAMPLES / "sessions-qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, doc, grade = line.split()
        judgments.setdefault(topic, {})[doc] = int(grade)
    return judgments


def write_logs(folder: Path) -> None:
    """All of them into a folder."""
    searches, judgments = read_searches(), read_judgments()
    sessions = [list(group) for _, group in groupby(searches, key=lambda search: search.session)]
    files: dict[str, list[Record]] = {
        "openinference.jsonl": [openinference_span(search) for search in searches],
        "otel.jsonl": [otlp_export(search) for search in searches],
        "openai.jsonl": [
            {"id": group[0].session, "task": group[0].topic, "messages": openai_messages(group)}
            for group in sessions
        ],
        "anthropic.jsonl": [
            {"id": group[0].session, "task": group[0].topic, "messages": anthropic_messages(group)}
            for group in sessions
        ],
        "ubi-queries.jsonl": [ubi_query(search) for search in searches],
        "ubi-events.jsonl": [event for search in searches for event in ubi_events(search)],
        "turns.jsonl": [turn_record(search, judgments) for search in searches],
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in files.items():
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = {"run_name": "soups", "run_type": "automatic", "turns": list(map(ikat_turn, searches))}
    (folder / "ikat.json").write_text(f"{json.dumps(run, indent=1)}\n", encoding="utf-8")
    lines = [
        f"{CONVERSATIONS[search.session]}_{search.position} 0 {doc} {grade}"
        for search in searches
        for doc, grade in judgments[search.topic].items()
    ]
    (folder / "turns-qrels.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_conversations(folder: Path) -> None:
    """Invented runs of three systems over the same conversations, and judgments of each turn."""
    chance = Random(2019)  # noqa: S311  (an example, no secret)
    folder.mkdir(parents=True, exist_ok=True)
    runs: dict[str, list[str]] = {name: [] for name in SKILLS}
    qrels: list[str] = []
    for conversation in range(1, 13):
        for turn in range(1, 5):
            topic = f"{conversation}_{turn}"
            grades = {f"p{topic}-{number}": chance.choice((1, 1, 2, 3)) for number in range(1, 5)}
            qrels += [f"{topic} 0 {doc} {grade}" for doc, grade in grades.items()]
            for name, skill in SKILLS.items():
                relevant = chance.sample(list(grades), len(grades))
                docs = [
                    relevant.pop() if relevant and chance.random() < skill else f"x{topic}-{rank}"
                    for rank in range(1, 6)
                ]
                runs[name] += [
                    f"{topic} Q0 {doc} {rank} {6 - rank} {name}" for rank, doc in enumerate(docs, 1)
                ]
    for file, lines in {"qrels.txt": qrels, **{f"{name}.run": runs[name] for name in runs}}.items():
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_logs(EXAMPLES / "logs")
    write_conversations(EXAMPLES / "conversations")
