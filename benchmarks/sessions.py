"""One million sessions: file to sDCG per session, against merely reading and counting the rows.

Both in one process, on one Parquet file of 3 queries × 10 results a session; the best of three.
Twice the sessions show how the cost grows. With a number as argument, that many sessions:
`sessions.py 100000`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from data import time_call

import gainful

QUERIES, RESULTS, TOPICS, JUDGED, DOCS, REPEATS = 3, 10, 50, 200, 5_000, 3
ROW = "{:>12}{:>14}{:>12}{:>12}{:>8}{:>9}{:>9}   {}"


def write_data(folder, sessions):
    """A file of sessions, no document twice in a list, and the judgments of their topics."""
    rng = np.random.default_rng(2008)
    lists = sessions * QUERIES
    step = rng.integers(1, DOCS // RESULTS, lists)
    doc = (rng.integers(0, DOCS, lists)[:, None] + step[:, None] * np.arange(RESULTS)) % DOCS
    session = np.repeat(np.arange(sessions), QUERIES * RESULTS)
    path = folder / f"sessions{sessions}.parquet"
    names = pl.Series([f"doc-{number:06d}" for number in range(DOCS)])
    pl.DataFrame(
        {
            "session": "s" + pl.Series(session).cast(pl.String),
            "query": np.tile(np.repeat(np.arange(1, QUERIES + 1), RESULTS), sessions),
            "rank": np.tile(np.arange(1, RESULTS + 1), lists),
            "doc": names.gather(doc.ravel()),
            "topic": "t" + pl.Series(session % TOPICS).cast(pl.String),
        }
    ).write_parquet(path)
    judged = [rng.choice(DOCS, JUDGED, replace=False) for _ in range(TOPICS)]
    judgments = pl.DataFrame(
        {
            "query": np.repeat([f"t{topic}" for topic in range(TOPICS)], JUDGED),
            "doc": names.gather(np.concatenate(judged)),
            "grade": rng.integers(0, 4, TOPICS * JUDGED),
        }
    )
    return path, judgments


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{QUERIES} queries × {RESULTS} results a session; best of {REPEATS}\n")
    head = ("sessions", "rows", "polars", "gainful", "ratio", "at most", "growth", "mean sDCG@10")
    print(ROW.format(*head))
    before = None
    for size in (sessions, 2 * sessions):
        with tempfile.TemporaryDirectory() as name:
            path, judgments = write_data(Path(name), size)
            read, counted = time_call(
                lambda p=path: pl.read_parquet(p).group_by("session").len(), REPEATS
            )
            ours, means = time_call(
                lambda p=path, j=judgments: gainful.sessions.evaluate(p, j, "sDCG@10").mean, REPEATS
            )
        rows = int(counted["len"].sum())
        growth = "" if before is None else f"{ours / before:.2f}×"
        (value,) = means.values()
        before = ours
        print(
            ROW.format(
                *(f"{size:,}", f"{rows:,}", f"{read:.2f} s", f"{ours:.2f} s"),
                *(f"{ours / read:.2f}×", "4×", growth, f"{value:.6f}"),
            )
        )


if __name__ == "__main__":
    main()
