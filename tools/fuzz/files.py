"""Files of every format with some bytes changed, read by the commands that read them."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from tools.commands import Outcome, call_gainful
from tools.fuzz.finding import Finding, Payload, require

from gainful.read.formats import read_file
from gainful.read.qrels_and_run import RUN

_RUN = "".join(f"{q} Q0 d{n} {n} {9 - n / 2} tag\n" for q in "12" for n in range(1, 6))
_QRELS = "".join(f"{q} 0 d{n} {n % 4}\n" for q in "12" for n in range(1, 6))
_ROWS = [{"query": q, "doc": f"d{n}", "score": 9 - n / 2} for q in "12" for n in range(1, 6)]
SESSIONS = "session,query,rank,doc,system,clicked,grade\n" + "".join(
    f"s{s},{q},{n},d{n + q},{'ab'[s % 2]},{n % 2},{n % 3}\n"
    for s in range(4)
    for q in (1, 2)
    for n in (1, 2, 3)
)
_XML = (
    '<sessiontrack2012><session num="1" starttime="10:00:00.5"><topic num="1"/>'
    '<interaction num="1" starttime="1.5"><query>a &amp; b</query><results>'
    '<result rank="1"><clueweb09id>d1</clueweb09id></result></results>'
    '<clicked><click num="1" starttime="2" endtime="5"><rank>1</rank></click></clicked>'
    "</interaction></session></sessiontrack2012>"
)
_RAG = "".join(
    json.dumps({"question": f"q{n}", "retrieved": ["a", "b"], "relevant": ["b"]}) + "\n"
    for n in range(3)
)


def encode_frame(
    write: Callable[..., object], frame: pl.DataFrame | None = None, **options: Any
) -> bytes:
    """A table as bytes of a binary format."""
    buffer = io.BytesIO()
    write(pl.DataFrame(_ROWS) if frame is None else frame, buffer, **options)
    return buffer.getvalue()


def _encode(text: str) -> bytes:
    return text.encode()


# The file that is changed, its content, and the words of the command that reads it.
_TARGETS: dict[str, tuple[bytes, list[str]]] = {
    "run.txt": (_encode(_RUN), ["eval", "q.txt", "run.txt", "--format", "json"]),
    "q.txt": (_encode(_QRELS), ["eval", "q.txt", "r.txt", "--format", "json"]),
    "run.csv": (
        _encode(pl.DataFrame(_ROWS).write_csv()),
        ["eval", "q.txt", "run.csv", "--format", "json"],
    ),
    "run.tsv": (
        _encode(pl.DataFrame(_ROWS).write_csv(separator="\t")),
        ["eval", "q.txt", "run.tsv", "-o", "out.csv"],
    ),
    "run.jsonl": (
        _encode("".join(json.dumps(row) + "\n" for row in _ROWS)),
        ["eval", "q.txt", "run.jsonl", "--format", "json"],
    ),
    "run.json": (
        _encode(json.dumps({q: {f"d{n}": 9.0 - n for n in range(1, 6)} for q in "12"})),
        ["eval", "q.txt", "run.json", "--format", "json"],
    ),
    "run.parquet": (
        encode_frame(pl.DataFrame.write_parquet),
        ["eval", "q.txt", "run.parquet", "--format", "json"],
    ),
    "run.arrow": (
        encode_frame(pl.DataFrame.write_ipc),
        ["eval", "q.txt", "run.arrow", "--format", "json"],
    ),
    "run.arrows": (
        encode_frame(pl.DataFrame.write_ipc_stream),
        ["eval", "q.txt", "run.arrows", "--format", "json"],
    ),
    "q.csv": (
        _encode("".join(f"{q},d{n},{n % 4}\n" for q in "12" for n in range(1, 6))),
        ["eval", "q.csv", "r.txt", "--format", "json"],
    ),
    "rag.jsonl": (_encode(_RAG), ["eval", "rag.jsonl", "--format", "json"]),
    "s.csv": (_encode(SESSIONS), ["sessions", "s.csv", "--by", "system", "--format", "json"]),
    "s.xml": (_encode(_XML), ["sessions", "s.xml", "--qrels", "q.txt", "--format", "json"]),
    "dd.txt": (
        _encode("".join(f"DD1\t{n}\td{n}\t1.5\t1\t1:2|2:1\n" for n in range(4))),
        ["sessions", "dd.txt", "--qrels", "q.txt", "--format", "json"],
    ),
    "checked.txt": (_encode(_RUN), ["check", "q.txt", "checked.txt"]),
    "trec.txt": (_encode(_RUN), ["trec_eval", "-q", "q.txt", "trec.txt"]),
}
_LINES = ("run.txt", "run.csv", "run.tsv")  # a row a line
BESIDE = {"q.txt": _QRELS, "r.txt": _RUN, "t.txt": _RUN, "s.csv": SESSIONS}
_MAX_MESSAGE = 600
_PIECES = [
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b"\t", b" ", b'"', b"'", b",", b";"),
    *(b"#", b"-", b"nan", b"inf", b"1e999", b"-1", b"9" * 40, b"9" * 400, b"1e-400", b"\\ud800"),
    *("ä".encode(), "\u2028".encode(), "\u00a0".encode(), "😀".encode(), b"\x1b[31m", b"<!--"),
    *(b"<![CDATA[", b"&", b"<!DOCTYPE a>", b"{", b"}", b"[" * 50, b"null", b"true", b"Q0"),
]


def change(rng: Random, content: bytes) -> bytes:
    """Some bytes flipped, cut, doubled, put in, or lines moved."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at, length = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 5, 40))
        operation = rng.randrange(6)
        if operation == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif operation == 1:
            del data[at : at + length]
        elif operation == 2:
            data[at:at] = rng.choice(_PIECES)
        elif operation == 3:
            data[at:at] = data[at : at + length]
        elif operation == 4:
            lines = bytes(data).split(b"\n")
            rng.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        else:
            del data[at:]
    return bytes(data)


def make(rng: Random) -> Payload:
    """A file of some format, and the command that reads it."""
    name = rng.choice(list(_TARGETS))
    content, words = _TARGETS[name]
    changed = base64.b64encode(change(rng, content)).decode()
    return {"name": name, "content": changed, "words": words}


def make_long(rng: Random) -> Payload:
    """A table with a field of more characters than Python's reader of CSV takes, and changes."""
    name = rng.choice([*_LINES, "q.csv", "s.csv", "run.jsonl", "checked.txt"])
    content, words = _TARGETS[name]
    changed = change(rng, content)
    at = rng.randrange(len(changed) + 1)
    lengthened = changed[:at] + b"x" * rng.choice((131_072, 200_000)) + changed[at:]
    return {"name": name, "content": base64.b64encode(lengthened).decode(), "words": words}


def check(payload: Payload) -> None:
    """One line and status 2, or an answer with sane values; nothing half-written."""
    with TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        for name, text in BESIDE.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / payload["name"]).write_bytes(base64.b64decode(payload["content"]))
        before = {path.name for path in folder.iterdir()}
        outcome = call_gainful(*payload["words"], folder=folder)
        written = {path.name for path in folder.iterdir()} - before
        check_outcome(outcome, payload["words"][0])
        require(not (outcome.status != 0 and written), f"half-written: {sorted(written)}")
        if outcome.status == 0 and payload["name"] in _LINES:
            _check_rows(folder / payload["name"])
        require(
            not any(name.startswith(".gainful") for name in written), "a temporary file is left"
        )
        if outcome.status == 0 and "json" in payload["words"]:
            _check_values(outcome.out)


def _check_rows(path: Path) -> None:
    """Every line that holds something is a row: none is skipped silently."""
    data = path.read_bytes()
    if any(
        mark in data for mark in (b'"', b"\r", b"#", b"\x0b", b"\x0c", b"\x85", b"\xa0", b"\xe2")
    ):
        return  # quotes join lines, comments are none, and other ends of lines are a matter of taste
    lines = [line for line in data.split(b"\n") if line.strip(b" \t,;\xef\xbb\xbf")]
    header = 0 if path.suffix == ".txt" else 1
    rows = read_file(str(path), RUN).frame.height
    require(rows == len(lines) - header, f"{len(lines) - header} lines, but {rows} rows")


def check_outcome(outcome: Outcome, command: str) -> None:
    """A mistake is one line on stderr; only some commands say no; nothing fails unforeseen."""
    allowed = {0, 1, 2} if command in ("check", "gate", "which", "trec_eval") else {0, 2}
    if command == "trec_eval":
        allowed |= {4, 7}
    require(outcome.status in allowed, f"status {outcome.status}: {outcome.err[-300:]}")
    require("Traceback" not in outcome.err, f"a trace: {outcome.err[-300:]}")
    if outcome.status == 2:
        last = outcome.err.rstrip("\n").split("\n")[-1]
        require(last.startswith("gainful"), f"no message: {outcome.err[-300:]!r}")
        require(last.isprintable(), f"a message that steers a terminal: {last!r}")
        require(len(last) <= _MAX_MESSAGE, f"a message of {len(last)} characters: {last[:300]}")


_BOUNDED = ("nDCG@10", "AP", "RR", "nsDCG@10")


def _check_values(text: str) -> None:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise Finding(f"no JSON: {error}") from None
    for run in data.get("runs", [data]):
        for name, value in (run.get("mean") or {}).items():
            if name in _BOUNDED and value is not None and not run.get("notes"):
                require(-1e-12 <= value <= 1 + 1e-12, f"{name} is {value}")
