"""The files of the examples as tables of commands name them: one word for a judged set and its runs."""

import csv
import json
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
SHARED_DATA = ROOT.parent / "shared" / "data"  # large files, which not every machine has
NEWS_QRELS = str(EXAMPLES / "news" / "qrels.txt")
NEWS_RUNS = {name: str(EXAMPLES / "news" / f"{name}.txt") for name in ("bm25", "dense", "hybrid")}
NEWS = [f"news/{name}.txt" for name in ("qrels", "bm25", "dense", "hybrid")]
TALKS = [f"conversations/{name}" for name in ("bm25.run", "dense.run")]
WORDS = {
    "RUNS": NEWS,
    "TWO_RUNS": NEWS[:3],
    "ONE_RUN": NEWS[:2],
    "SESSIONS": ["sessions.csv", "--qrels", "sessions-qrels.txt"],
    "CONVERSATIONS": [
        *("--sessions", *TALKS, "--sessions-format", "conversation"),
        *("--qrels", "conversations/qrels.txt"),
    ],
    "GATE": ["gate/qrels.txt", "gate/best.txt"],  # made of gate_runs
    "BASE": ["--baseline", "gate/base.json"],
}


def spell_out(words):
    """The words of a command, with the files that the names in capitals stand for."""
    return [word for name in words for word in WORDS.get(name, [name])]


def read_table(name):
    """The lines of a table beside the tests, as dicts by its heads."""
    with (TESTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_golden(name):
    """Numbers that were found independently of our code."""
    return json.loads((TESTS / "golden" / f"{name}.json").read_text(encoding="utf-8"))
