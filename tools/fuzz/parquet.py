"""Damaged Parquet files, read by every command that reads a table."""

from __future__ import annotations

import base64
from random import Random

import polars as pl
from tools.fuzz.files import SESSIONS, change, encode_frame
from tools.fuzz.finding import Payload

_DOCS = range(1, 6)
_CODECS = ["uncompressed", "snappy", "zstd", "gzip"]
_TABLES = {
    "run": [{"query": q, "doc": f"d{n}", "score": 9 - n / 2} for q in "12" for n in _DOCS],
    "qrels": [{"query": q, "doc": f"d{n}", "grade": n % 4} for q in "12" for n in _DOCS],
    "sessions": pl.read_csv(SESSIONS.encode()).to_dicts(),
    "labels": [{"query": q, "session": f"s{q}", "said": n} for n, q in enumerate("12")],
    "topics": [{"session": f"s{n}", "topic": "1", "query": "1", "text": "a"} for n in range(4)],
    "propensity": [{"rank": n, "propensity": 1 / n} for n in _DOCS],
    "events": [
        {
            "user": "u",
            "time": f"2024-01-01T10:0{n}:00",
            "event": event,
            "doc": f"d{n}",
            "query": "a",
        }
        for n, event in enumerate(("search", "view", "view", "click"))
    ],
}
_RUNS, _LOG = ["q.txt", "bad.parquet", "r.txt"], ["--sessions", "bad.parquet", "--qrels", "q.txt"]
COMMANDS = [
    *(("run", ["eval", "q.txt", "bad.parquet"]), ("qrels", ["eval", "bad.parquet", "r.txt"])),
    *(("run", [name, *_RUNS]) for name in ("compare", "plan", "unjudged")),
    *(("run", ["gate", *_RUNS[:2], "--floor", "RR=0.1"]), ("run", ["reproduce", *_RUNS])),
    *(("run", ["order", *_RUNS, "t.txt"]), ("run", ["why", *_RUNS[:2], "--unlike", "sklearn"])),
    *(("run", ["figure", "dots", *_RUNS, "--data"]), ("run", ["report", *_RUNS, "-o", "a.html"])),
    *((name, ["check", "q.txt", "bad.parquet"]) for name in _TABLES),
    *(("sessions", ["sessions", "bad.parquet", *words]) for words in ([], ["--summary"])),
    *(("events", [name, "bad.parquet"]) for name in ("sessions", "calibrate")),
    *(("sessions", ["sweep", "bad.parquet", "--points", "2"]), ("sessions", ["calibrate", "bad.parquet"])),
    *(("sessions", ["explore", "bad.parquet", "-o", "a.html"]), ("sessions", ["compare", *_LOG])),
    *(("sessions", ["correlate", *_LOG, "--column", "grade"]), ("sessions", ["report", *_LOG, "-o", "a.html"])),
    *(("sessions", ["figure", "sessions", "bad.parquet", "--qrels", "q.txt", "--data"]),),
    *(("labels", ["correlate", "q.txt", "r.txt", "--column", "said", "--labels", "bad.parquet"]),),
    *(("labels", ["correlate", "--sessions", "s.csv", "--column", "said", "--labels", "bad.parquet"]),),
    *(("topics", ["sessions", "s.csv", "--topics", "bad.parquet"]),),
    *(("topics", ["report", "q.txt", "r.txt", "--queries", "bad.parquet", "-o", "a.html"]),),
    *(("propensity", ["sessions", "s.csv", "--propensity", "bad.parquet"]),),
]  # fmt: skip


def make(rng: Random) -> Payload:
    """A table as Parquet with some bytes changed, and one of the commands that read such a table."""
    table, words = rng.choice(COMMANDS)
    options = {"compression": rng.choice(_CODECS), "row_group_size": rng.choice((2, 99))}
    data = encode_frame(pl.DataFrame.write_parquet, pl.DataFrame(_TABLES[table]), **options)
    content = base64.b64encode(change(rng, data)).decode()
    return {"name": "bad.parquet", "content": content, "words": words}
