"""Columns whose names are patterns, or names that gainful itself uses: they change no number."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from tools.commands import call_gainful
from tools.fuzz.files import check_outcome
from tools.fuzz.finding import Payload, require

import gainful
from gainful.errors import GainfulError

_FILES = Path(gainful.__file__).parent.rglob("*.py")
_OURS = re.findall(r'"(gainful_[a-z_]+)"', "".join(file.read_text("utf-8") for file in _FILES))
_PATTERNS = ["*", "**", "^.*$", "^s.*$", "^query$", "^doc$", "^clicked$", "^$", "[a-z]*"]
_ODD = ["literal", "len", "index", "doc_right", "_duplicated_0", "a b", "a'b", "a.b", "{0}", "é"]
_NAMES = [*_PATTERNS, *_PATTERNS, *_ODD, *sorted({*_OURS})]
_QRELS = {"t": {"a": 1, "b": 3, "c": 0}, "u": {"a": 2}}
_PLAIN = "device"  # a column that says nothing, but that sessions can be grouped by
_COMMANDS = {
    "sessions": ["sessions", "--format", "json"],
    "summary": ["sessions", "--format", "json", "--summary"],
    "calibrate": ["calibrate", "--format", "json"],
    "sweep": ["sweep", "--format", "json", "--points", "2"],
    "explore": ["explore", "-o", "page.html"],
}
_SLOW = ("calibrate", "explore")
_SHAPES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.DataFrame.lazy,
}
if find_spec("pandas") and find_spec("pyarrow"):
    _SHAPES |= {"pandas": pl.DataFrame.to_pandas, "Arrow": pl.DataFrame.to_arrow}
if find_spec("duckdb") and find_spec("pyarrow"):
    _SHAPES["DuckDB"] = lambda frame: import_module("duckdb").from_arrow(frame.to_arrow())


def make(rng: Random) -> Payload:
    """A column that is called oddly, whether it is read or not, and who reads the table."""
    is_slow = rng.random() < 0.03
    kind = "sessions" if is_slow else rng.choice(("run", "sessions", "sessions"))
    readers = [*_SHAPES] if kind == "run" else [*_SHAPES, "sessions", "summary", "sweep"]
    return {
        "kind": kind,
        "column": rng.choice((_PLAIN, "query", "doc", "score" if kind == "run" else "clicked")),
        "name": rng.choice(_NAMES),
        "reader": rng.choice(_SLOW if is_slow else readers),
        "suffix": rng.choice((".csv", ".parquet")),
        "seed": rng.randrange(2**32),
    }


def _make_table(kind: str, rng: Random) -> pl.DataFrame:
    if kind == "run":
        rows = [(q, doc, rng.random(), 1) for q in "tu" for doc in rng.sample("abcd", 3)]
        return pl.DataFrame(rows, schema=["query", "doc", "score", _PLAIN], orient="row")
    return pl.DataFrame([
        {"session": f"s{s}", "topic": "tu"[s % 2], "query": q, "rank": n + 1, "doc": doc,
         "clicked": rng.randrange(2), _PLAIN: "xy"[s // 2]}
        for s in range(4) for q in (1, 2) for n, doc in enumerate(rng.sample("abcd", 3))
    ])  # fmt: skip


def check(payload: Payload) -> None:
    """The numbers are those of the table with a usual name; only names of ours may be refused."""
    name, column = payload["name"], payload["column"]
    plain = _make_table(payload["kind"], Random(payload["seed"]))  # noqa: S311  (no secrets)
    odd = plain.rename({column: name})
    if payload["reader"] in _COMMANDS:
        expected, values = _run_command(payload, plain, column), _run_command(payload, odd, name)
    else:
        evaluate = _evaluate_run if payload["kind"] == "run" else _evaluate_sessions
        columns = {} if column == _PLAIN else {"columns": {column: name}}
        expected = evaluate(plain)
        try:
            values = evaluate(_SHAPES[payload["reader"]](odd), **columns)
        except GainfulError as error:
            require(str(error).isprintable(), f"a message of several lines: {error}")
            values = 2, str(error)
    refused = name in _OURS and values[0] == 2
    require(refused or values == expected, f"{values}, not {expected}")


def _evaluate_run(run: Any, **columns: Any) -> tuple[int, Any]:
    return 0, gainful.evaluate(_QRELS, run, ["AP", "nDCG@2"], **columns).mean


def _evaluate_sessions(sessions: Any, **columns: Any) -> tuple[int, Any]:
    results = gainful.sessions.evaluate(sessions, _QRELS, ["sDCG@2", "sRBP"], **columns)
    return 0, sorted(results.to_dict()["per_session"].items())


def _run_command(payload: Payload, table: pl.DataFrame, name: str) -> tuple[int, Any]:
    """The status of a command and the numbers that it prints, whatever the column is called."""
    is_read = payload["column"] != _PLAIN
    by = ["--by", _PLAIN if is_read else name]
    columns = ["--columns", f"{payload['column']}={name}"] if is_read else []
    with TemporaryDirectory() as folder:
        path = Path(folder, f"s{payload['suffix']}")
        table.write_csv(path) if path.suffix == ".csv" else table.write_parquet(path)
        command, *words = _COMMANDS[payload["reader"]]
        outcome = call_gainful(command, path.name, *words, *by, *columns, folder=Path(folder))
    check_outcome(outcome, command)
    if outcome.status or not outcome.out:
        return outcome.status, outcome.err
    column = json.dumps(payload["column"])
    data = json.loads(outcome.out.replace(json.dumps(name, ensure_ascii=False), column))
    return 0, {key: value for key, value in data.items() if key not in ("notes", "answers")}
