"""Sessions where they are: means by system in DuckDB and lazy polars, against one GROUP BY session.

A million sessions of 1 to 5 queries × 10 results as Parquet, in no order; each call in a process of
its own, DuckDB on two threads with 700 MB for itself. Spark: what its driver takes for some
sessions, and for twice as many. With a number as argument, that many sessions:
`session_engines.py 10000000` are 300 million rows and want 5 GB of disk.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from page import measure_call

DOCS, TOPICS, RESULTS, MEASURES = 5_003, 50, 10, ["sDCG@10", "nsDCG@10"]
SHARE_OF_SPARK = 10  # of the sessions, one in so many
ROW = "{:<34}{:>10}{:>10}{:>8}{:>9}   {}"
SESSIONS = f"""
  SELECT 's' || s.i AS session, q.q::INTEGER AS query, r.r::INTEGER AS rank,
    'doc-' || lpad(((hash(s.i, q.q) % {DOCS} + r.r * (1 + hash(s.i, q.q, 7) % 500)) % {DOCS})
      ::VARCHAR, 6, '0') AS doc,
    't' || hash(s.i, 1) % {TOPICS} AS topic, substr('ABC', (1 + hash(s.i, 2) % 3)::INTEGER, 1) AS system
  FROM range({{}}) s(i), range(1, 6) q(q), range(1, {RESULTS + 1}) r(r)
  WHERE q.q <= 1 + hash(s.i, 3) % 5
"""
JUDGMENTS = f"""
  SELECT 't' || t AS query, 'doc-' || lpad(d::VARCHAR, 6, '0') AS doc,
    ((hash(t, d) >> 8) % 4)::INTEGER AS grade
  FROM range({TOPICS}) a(t), range({DOCS}) b(d) WHERE hash(t, d) % 5 = 0
"""
OTHERS = ("query", "rank", "doc", "topic", "system")  # the columns that are read beside the session


def connect(folder):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET temp_directory = '{folder}/spill'")
    connection.execute("SET threads = 2; SET memory_limit = '700MB'")
    connection.execute("SET preserve_insertion_order = false")
    return connection


def make_data(folder, sessions):
    connection = connect(folder)
    for name, question in (("log", SESSIONS.format(sessions)), ("judgments", JUDGMENTS)):
        connection.execute(f"COPY ({question}) TO '{folder}/{name}.parquet' (FORMAT parquet)")


def group_in_duckdb(folder):
    largest = ", ".join(f"max({name})" for name in OTHERS)
    question = f"SELECT session, {largest} FROM '{folder}/log.parquet' GROUP BY session"
    relation = connect(folder).sql(question)
    return {"sessions": sum(batch.num_rows for batch in relation.to_arrow_reader(500_000))}


def summarise_in_duckdb(folder):
    return summarise(folder, connect(folder).read_parquet(f"{folder}/log.parquet"))


def group_in_polars(folder):
    import polars as pl

    rows = pl.scan_parquet(f"{folder}/log.parquet").group_by("session")
    grouped = rows.agg(pl.col(*OTHERS).max())
    return {"sessions": sum(map(len, grouped.collect_batches(maintain_order=False)))}


def summarise_in_polars(folder):
    import polars as pl

    return summarise(folder, pl.scan_parquet(f"{folder}/log.parquet"))


def start_spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "16"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def summarise_in_spark(folder):
    spark = start_spark()  # which runs already
    try:
        return summarise(folder, spark.read.parquet(f"{folder}/log.parquet"))
    finally:
        spark.stop()


def summarise(folder, frame):
    import gainful

    summary = gainful.sessions.summarise(
        frame, f"{folder}/judgments.parquet", MEASURES, by="system"
    )
    return {"sessions": summary.counts["sessions"], **summary.mean}


CALLS = {
    call.__name__: call
    for call in (
        *(group_in_duckdb, summarise_in_duckdb, group_in_polars, summarise_in_polars),
        summarise_in_spark,
    )
}


def run_call(name, folder):
    """In a process of its own: seconds, peak memory, and what came out; nobody's start counts."""
    import duckdb  # noqa: F401
    import polars as pl  # noqa: F401

    import gainful.sessions  # noqa: F401

    if name == "summarise_in_spark":
        start_spark()
    start = time.perf_counter()
    values = CALLS[name](folder)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps({"seconds": seconds, "peak": peak, "values": values}))


def measure(name, folder):
    return measure_call(name, [folder], 1, __file__)


def line(title, call, base=None, asked=""):
    if call is None:
        print(ROW.format(title, "failed", "", "", "", ""))
        return
    ratio = "" if base is None else f"{call['seconds'] / base['seconds']:.2f}×"
    values = " ".join(
        f"{value:.6f}" for name, value in call["values"].items() if name != "sessions"
    )
    seconds, peak = f"{call['seconds']:.1f} s", f"{call['peak']:.2f} GB"
    print(ROW.format(title, seconds, peak, ratio, asked, values))


def main() -> None:
    if len(sys.argv) == 3:
        run_call(*sys.argv[1:])
        return
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        make_data(folder, sessions)
        size = Path(folder, "log.parquet").stat().st_size / 1e9
        print(f"{sessions:,} sessions, about {sessions * 30:,} rows, {size:.2f} GB of Parquet\n")
        print(ROW.format("", "time", "memory", "ratio", "at most", "mean sDCG@10 nsDCG@10"))
        for engine, asked in (("duckdb", "4×"), ("polars", "")):
            base = measure(f"group_in_{engine}", folder)
            line(f"GROUP BY session, {engine}", base)
            line(f"summarise, {engine}", measure(f"summarise_in_{engine}", folder), base, asked)
    peaks = []
    for times in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            some = sessions // SHARE_OF_SPARK * times
            make_data(folder, some)
            call = measure("summarise_in_spark", folder)
            line(f"Spark local[2], {some:,} sessions", call)
            peaks.append(call["peak"] if call else float("nan"))
    print(f"\nSpark's driver grew by {1e3 * (peaks[1] - peaks[0]):.0f} MB for twice the sessions")


if __name__ == "__main__":
    main()
