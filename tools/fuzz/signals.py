"""A stream of rows that a signal cuts: true numbers, or an error; never the numbers of a part."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from random import Random
from typing import Any
from unittest.mock import patch

import polars as pl
from tools.fuzz.finding import Payload, require

import gainful
from gainful.errors import GainfulError

_COLLECT_BATCHES = pl.LazyFrame.collect_batches


def make(rng: Random) -> Payload:
    """Some sessions, and after which part of which stream the signal comes."""
    return {
        "sessions": rng.randrange(2, 40),
        "stream": rng.randrange(3),
        "parts": rng.randrange(4),
        "ignored": rng.random() < 0.5,
        "seed": rng.randrange(2**32),
    }


def check(payload: Payload) -> None:
    """At SIGINT polars ends a stream as if it were complete, unless a handler raises."""
    rng = Random(payload["seed"])  # noqa: S311  (to find faults, not to keep secrets)
    rows = [
        {"session": f"s{s}", "query": q, "rank": n, "doc": f"d{n}", "clicked": rng.randrange(2)}
        for s in range(payload["sessions"])
        for q in (1, 2)
        for n in (1, 2, 3)
    ]
    frame = pl.DataFrame(rows).with_columns(system=pl.col("session").str.slice(1, 1))
    expected = _summarise(frame)
    streams = 0

    def cut(*words: Any, **options: Any) -> Iterator[pl.DataFrame]:
        nonlocal streams
        streams += 1
        batches = _COLLECT_BATCHES(*words, **options)
        if streams - 1 != payload["stream"]:
            yield from batches
            return
        parts = (part for batch in batches for part in batch.iter_slices(5))
        for _, part in zip(range(payload["parts"]), parts, strict=False):
            yield part
        if hasattr(os, "kill"):
            os.kill(os.getpid(), signal.SIGINT)

    usual = signal.signal(signal.SIGINT, signal.SIG_IGN if payload["ignored"] else lambda *_: None)
    try:
        with patch.object(pl.LazyFrame, "collect_batches", cut):
            values = _summarise(frame)
    except (GainfulError, KeyboardInterrupt):
        return
    finally:
        signal.signal(signal.SIGINT, usual)
    require(values == expected, f"{values}, not {expected}")


def _summarise(frame: pl.DataFrame) -> Any:
    results = gainful.sessions.summarise(frame.lazy(), by="system", measures="sDCG@3").to_dict()
    groups = sorted(results["groups"], key=lambda group: group["system"])
    return [(group["system"], group["sessions"], group["mean"]) for group in groups]
