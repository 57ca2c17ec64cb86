"""One million events of a log to a table of sessions, against merely reading the file.

A CSV log of impressions and clicks by users: text queries, timestamps, no session ids. A quarter,
half and all of the events show how the cost grows; the best of three, in seconds of processor time.
Then logs in JSON (benchmarks/json_logs.py): a quarter and all of a million records each, with the
most memory that a process of its own took. With a number as argument, that many: `logs.py 100000`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import data
import json_logs
import numpy as np
import polars as pl

import gainful
from gainful.progress import watch
from gainful.read.session_inputs import as_sessions

EVENTS, RESULTS, CLICKS, REPEATS = 1_000_000, 8, 2, 3
time_call = partial(data.time_call, times=REPEATS, clock=time.process_time)
ROW = "{:>12}{:>12}{:>12}{:>12}{:>14}{:>10}{:>8}"


def write_log(folder, events):
    """Lists of eight results, two of them clicked later; a user asks three times in an hour."""
    rng = np.random.default_rng(17)
    size = RESULTS + CLICKS
    lists = events // size
    start = np.sort(rng.integers(0, 90 * 86_400, lists)) + 1_767_225_600
    clicked = np.sort(rng.permuted(np.tile(np.arange(RESULTS), (lists, 1)), axis=1)[:, :CLICKS])
    slot = np.hstack([np.tile(np.arange(RESULTS), (lists, 1)), clicked])
    later = np.hstack(
        [np.zeros((lists, RESULTS), int), np.tile(np.arange(5, 5 + CLICKS), (lists, 1))]
    )
    query = np.repeat(rng.integers(0, 50_000, lists), size)
    frame = pl.DataFrame(
        {
            "user_id": "u" + pl.Series(np.repeat(np.arange(lists) // 3, size)).cast(pl.String),
            "timestamp": ((start[:, None] + later) * 1000).ravel(),
            "event": np.tile(["impression"] * RESULTS + ["click"] * CLICKS, lists),
            "query": "query number " + pl.Series(query).cast(pl.String),
            "position": (slot + 1).ravel(),
            "product_id": "p" + pl.Series(query * RESULTS + slot.ravel()).cast(pl.String),
        }
    )
    path = folder / f"log{events}.csv"
    frame.write_csv(path)
    return path


def main():
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    print(
        ROW.format("events", "sessions", "read", "to sessions", "with sDCG@10", "× read", "steps")
    )
    with tempfile.TemporaryDirectory() as folder:
        for share in (4, 2, 1):
            path = write_log(Path(folder), events // share)
            reading, _ = time_call(lambda path=path: pl.read_csv(path, infer_schema=False))
            steps = []
            with watch(reading=lambda _, __, done, steps=steps: steps.append(done)):
                making, sessions = time_call(lambda path=path: as_sessions(path))
            judging, _ = time_call(
                lambda path=path: gainful.sessions.evaluate(path, None, "sDCG@10")
            )
            count = sessions.frame["session"].n_unique()
            numbers = (
                f"{reading:.2f}",
                f"{making:.2f}",
                f"{judging:.2f}",
                f"{making / reading:.1f}",
            )
            print(ROW.format(events // share, count, *numbers, len(steps) // REPEATS))
        print()
        json_logs.print_table(Path(folder), events)


if __name__ == "__main__":
    main()
