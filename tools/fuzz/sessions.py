"""Sessions that are told otherwise than usual: what counts is the same as if they were not."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from tools.commands import call_gainful
from tools.fuzz.files import check_outcome, encode_frame
from tools.fuzz.finding import Payload, require

_DOCS = "abcdefgh"
_QRELS = "".join(f"{topic} 0 {doc} {n % 4}\n" for topic in "1234" for n, doc in enumerate(_DOCS))
_MEASURES = ("-m", "sDCG(b=2,bq=4)@5", "-m", "sRBP", "-m", "Session")
_Values = dict[str, dict[str, float]] | None
_Turn = list[tuple[str, str, list[str]]]  # of calls: id, text, documents


def _evaluate(files: dict[str, str | bytes], *words: str) -> _Values:
    """The values of each session in the first of some files; None if that is refused."""
    with TemporaryDirectory() as folder:
        for name, content in {**files, "q.txt": _QRELS}.items():
            data = content.encode() if isinstance(content, str) else content
            Path(folder, name).write_bytes(data)
        command = ("sessions", next(iter(files)), *_MEASURES, *words, "--format", "json")
        outcome = call_gainful(*command, folder=Path(folder))
    check_outcome(outcome, "sessions")
    values: _Values = json.loads(outcome.out)["per_session"] if outcome.status == 0 else None
    return values


def make_transcript(rng: Random) -> Payload:
    """Conversations of several searches, each of its own text, and ids of calls that come back."""
    return {
        "sessions": [
            [rng.sample(_DOCS, rng.randrange(1, 4)) for _ in range(rng.randrange(1, 5))]
            for _ in range(rng.randrange(1, 4))
        ],
        "ids": rng.choice((["call_0"], ["call_0", "call_1"], ["a", "a", "b"], ["", "", ""])),
        "maker": rng.choice(("OpenAI", "Anthropic")),
    }


def check_transcript(payload: Payload) -> None:
    """Every search counts, whatever its call is called; calls of one turn have different ids."""
    write = _write_openai if payload["maker"] == "OpenAI" else _write_anthropic
    sides = []
    for ids in ([f"call_{n}" for n in range(9)], payload["ids"]):
        size, lines = len({*payload["ids"]}), []
        for at, searches in enumerate(payload["sessions"], 1):
            calls = [(ids[n % len(ids)], f"text {n}", docs) for n, docs in enumerate(searches)]
            turns = [calls[n : n + size] for n in range(0, len(calls), size)]
            turns = turns if payload["ids"][0] != "a" else [[call] for call in calls]
            messages = [message for turn in turns for message in write(turn)]
            lines.append(json.dumps({"id": str(at), "messages": messages}))
        sides.append(_evaluate({"chat.jsonl": "\n".join(lines)}, "--qrels", "q.txt"))
    require(sides[1] in (sides[0], None), f"{sides[1]}, not {sides[0]}")


def _write_openai(turn: _Turn) -> list[dict[str, Any]]:
    functions = [
        {"name": "search", "arguments": json.dumps({"query": text})} for _, text, _ in turn
    ]
    calls = [
        {"id": call[0], "type": "function", "function": function}
        for call, function in zip(turn, functions, strict=True)
    ]
    results = [json.dumps({"results": [{"id": doc} for doc in docs]}) for _, _, docs in turn]
    answers = [
        {"role": "tool", "tool_call_id": call[0], "content": result}
        for call, result in zip(turn, results, strict=True)
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]


def _write_anthropic(turn: _Turn) -> list[dict[str, Any]]:
    calls = [
        {"type": "tool_use", "id": name, "name": "search", "input": {"query": text}}
        for name, text, _ in turn
    ]
    answers = [
        {
            "type": "tool_result",
            "tool_use_id": name,
            "content": json.dumps([{"id": d} for d in docs]),
        }
        for name, _, docs in turn
    ]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": answers}]


def make_topics(rng: Random) -> Payload:
    """A table of sessions, and a topic for some of them: in a file, or in a column of theirs."""
    names = [f"s{n}" for n in range(rng.randrange(2, 6))]
    return {
        "topics": {name: rng.choice("12349") for name in names if rng.random() < 0.6},
        "rows": [
            {"session": name, "query": q, "rank": n, "doc": doc, "grade": rng.randrange(3)}
            for name in names
            for q in range(1, rng.randrange(2, 4))
            for n, doc in enumerate(rng.sample(_DOCS, rng.randrange(1, 4)), 1)
        ],
        "in_file": rng.random() < 0.6,
        "parquet": rng.random() < 0.3,
        "words": rng.choice(([], ["--qrels", "q.txt"], ["--bad", "skip"], ["--bad", "error"])),
    }


def check_topics(payload: Payload) -> None:
    """Sessions with a topic have the values that they have alone; a file leaves out the others."""
    topics, words, sides = payload["topics"], payload["words"], list[_Values]()
    frame = pl.DataFrame(payload["rows"])
    if not payload["in_file"]:
        topic = pl.col("session").replace_strict(topics, default=None, return_dtype=pl.String)
        frame = frame.with_columns(topic=topic)
    for table in (frame.filter(pl.col("session").is_in([*topics])), frame):
        if not table.height:
            return
        files: dict[str, str | bytes] = {"s.csv": table.write_csv()}
        if payload["parquet"]:
            files = {"s.parquet": encode_frame(pl.DataFrame.write_parquet, table)}
        if payload["in_file"]:
            files["t.txt"] = "".join(f"{name} {topic}\n" for name, topic in topics.items())
            words = [*payload["words"], "--topics", "t.txt"]
        sides.append(_evaluate(files, *words))
    alone, together = sides
    if alone is not None and together is not None:
        seen = together if payload["in_file"] else {name: together.get(name) for name in alone}
        require(seen == alone, f"{seen}, not {alone}")
