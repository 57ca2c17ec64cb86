"""Time and memory of runs that stay elsewhere: Parquet in lazy polars, DuckDB and Spark.

7 million rows against the same run as a TREC file, each in a process of its own; Spark also with
twice the rows and the same judgments. With a number as argument, that many queries: `frames.py 700`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import polars as pl
from data import make_data
from page import measure_call

ROW = "{:<34}{:>10}{:>10}{:>10}{:>10}   {}"


def parquet(folder, judgments, run, times=1):
    """The same as Parquet; `times` over with other queries, which nobody judged."""
    names = ["query", "q0", "doc", "rank", "score", "tag"]
    lines = pl.scan_csv(run, separator=" ", has_header=False, new_columns=names)
    lines = lines.select(pl.col("query").cast(pl.String), "doc", "score")
    others = (lines.with_columns(pl.col("query") + f"-{copy}") for copy in range(1, times))
    copies = [lines, *others]
    path = folder / f"run{times}.parquet"
    pl.concat(copies).sink_parquet(path)
    names = ["query", "iteration", "doc", "grade"]
    judged = pl.read_csv(judgments, separator=" ", has_header=False, new_columns=names)
    judged = judged.with_columns(pl.col("query").cast(pl.String))
    judged.select("query", "doc", "grade").write_parquet(folder / "judgments.parquet")
    return folder / "judgments.parquet", path


def line(title, call, base, asked=""):
    if call is None:
        print(ROW.format(title, "failed", "", "", "", ""))
        return
    share = "" if base is None else f"{call['peak'] / base['peak']:.2f}"
    values = " ".join(f"{value:.4f}" for value in call["values"].values())
    seconds, peak = f"{call['seconds']:.2f} s", f"{call['peak']:.2f} GB"
    print(ROW.format(title, seconds, peak, share, asked, values))


def main() -> None:
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 6_980
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make_data(folder, queries, 1_000)
        once, twice = parquet(folder, *files), parquet(folder, *files, times=2)
        print(f"{queries * 1_000:,} rows; memory is the peak of the Python process\n")
        print(ROW.format("", "time", "memory", "of file's", "at most", "nDCG nDCG@10 AP RR"))
        file = measure_call("gainful_file", files)
        line("TREC file", file, None)
        line("lazy polars over Parquet", measure_call("gainful_lazy", once), file, "0.5")
        line("DuckDB over Parquet", measure_call("gainful_duckdb", once), file, "0.5")
        spark = measure_call("gainful_spark", once, times=1)
        line("Spark local[2], driver", spark, file)
        more = measure_call("gainful_spark", twice, times=1)
        line("  twice the rows", more, file)
        if spark and more:
            judged = once[0].stat().st_size / 1e6
            grown = (more["peak"] - spark["peak"]) * 1e3
            print(
                f"\nSpark's driver grew by {grown:.0f} MB; the judgments are {judged:.1f} MB on disk"
            )


if __name__ == "__main__":
    main()
