"""The same data in every shape and engine, shuffled, renamed, scaled and split: one number."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

import polars as pl
from tools.fuzz.finding import Payload, require

import gainful

_MEASURES = ["nDCG@5", "AP", "RR", "P@3", "RBP"]


def make(rng: Random) -> Payload:
    """A few queries with judged and unjudged documents, ties among them."""
    queries = [f"q{n}" for n in range(rng.randrange(1, 5))]
    docs = [f"d{n}" for n in range(8)]
    return {
        "qrels": {q: {d: rng.randrange(4) for d in rng.sample(docs, rng.randrange(1, 6))} for q in queries},
        "run": {q: {d: rng.choice((1.0, 2.0, 0.5, 3.25)) for d in rng.sample(docs, rng.randrange(1, 8))}
                for q in queries},
        "seed": rng.randrange(2**32),
    }  # fmt: skip


def check(payload: Payload) -> None:
    """Values by query are the same, whatever the data came in."""
    qrels, run = payload["qrels"], payload["run"]
    rng = Random(payload["seed"])  # noqa: S311  (to find faults, not to keep secrets)
    rows = [(q, d, s) for q, ranking in run.items() for d, s in ranking.items()]
    rng.shuffle(rows)
    frame = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
    expected = _values(qrels, run)
    shapes: dict[str, Callable[[], Any]] = {
        "polars": lambda: frame,
        "lazy polars": frame.lazy,
        "pairs": lambda: {q: list(ranking.items()) for q, ranking in run.items()},
        "records": frame.to_dicts,
        "scaled": lambda: {q: {d: 4 * s for d, s in docs.items()} for q, docs in run.items()},
    }
    if find_spec("pandas") and find_spec("pyarrow"):
        shapes |= {"pandas": frame.to_pandas, "Arrow": frame.to_arrow}
    if find_spec("duckdb") and find_spec("pyarrow"):
        duckdb = import_module("duckdb")
        shapes["DuckDB"] = lambda: duckdb.from_arrow(frame.to_arrow())
    name = rng.choice(list(shapes))
    shape = shapes[name]()
    require(_values(qrels, shape) == expected, f"{name} gives other values")
    single = {q: _values({q: qrels[q]}, {q: run[q]})[q] for q in run}
    require(single == expected, "queries by themselves give other values")


def _values(qrels: Any, run: Any) -> dict[str, dict[str, float]]:
    results = gainful.evaluate(qrels, run, _MEASURES)
    return {row["query"]: row for row in results.per_query.sort("query").to_dicts()}
