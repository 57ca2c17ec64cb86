"""A sweep of 400 settings against one setting, in one run, as a ratio.

20,000 sessions of 1 to 5 queries with ten results each; all of 50 topics, and then each session a
topic of its own with fractional grades, so that no two share an ideal, the worst there is. With a number as argument, that many sessions.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from data import time_call

import gainful
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions

ROW = "{:<42}{:>12}{:>12}{:>8}   {}"


def _grades(random, sessions, topics):
    whole = random.integers(0, 4, 12 * topics).astype(float)
    return whole if topics < sessions else whole + random.random(12 * topics)


def make_data(sessions, topics):
    random = np.random.default_rng(3)  # with which the winner changes at every b
    queries = random.integers(1, 6, sessions)
    session = np.repeat(np.arange(sessions), queries * 10)
    rank = np.tile(np.arange(1, 11), queries.sum())
    position = np.concatenate([np.arange(1, n + 1) for n in queries]).repeat(10)
    topic = session % topics
    # Ten different documents of 40 in each list: a step that has no divisor in common with 40.
    first, step = random.integers(0, 40, queries.sum()), random.choice([1, 3, 7, 9], queries.sum())
    number = (first.repeat(10) + rank * step.repeat(10)) % 40
    shown = pl.DataFrame(
        {"session": session, "query": position, "rank": rank, "topic": topic, "number": number}
    ).select(
        pl.col("session", "topic").cast(pl.String),
        pl.col("query", "rank").cast(pl.Int64),
        doc=pl.format("{}-{}", "topic", "number"),
        system=pl.when(pl.col("session") % 2 == 0).then(pl.lit("x")).otherwise(pl.lit("y")),
    )
    pool = pl.DataFrame({"topic": np.repeat(np.arange(topics), 12)}).with_columns(
        number=pl.Series(np.tile(np.arange(12), topics)),
        grade=pl.Series(_grades(random, sessions, topics)),
    )
    judged = pool.select(
        query=pl.col("topic").cast(pl.String),
        doc=pl.format("{}-{}", "topic", "number"),
        grade="grade",
    )
    order = ["session", "query", "rank", "doc", "topic", "system"]
    return Sessions(shown.select(order)), Qrels(judged)


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print(ROW.format(f"{sessions:,} sessions", "one setting", "400", "ratio", "asked: at most 5×"))
    for title, topics in (("50 topics", 50), ("a topic each", sessions)):
        data = make_data(sessions, topics)
        for name in ("sDCG", "nsDCG", "nsDCG(duplicates=first)"):
            measure = f"{name}@10"
            one_setting, _ = time_call(
                lambda d=data, m=measure: gainful.sessions.evaluate(*d, m).groups("system"), 5
            )
            all_, _ = time_call(lambda d=data, m=measure: gainful.sessions.sweep(*d, m), 5)
            print(
                ROW.format(
                    f"{name}, {title}",
                    f"{one_setting:.3f} s",
                    f"{all_:.3f} s",
                    f"{all_ / one_setting:.1f}×",
                    "",
                )
            )


if __name__ == "__main__":
    main()
