"""The native engine on 1, 2, 4 … cores: 70 million lines of a run (2.9 GB), each count the best of three.

    python benchmarks/threads.py        # 70,000 queries; a number as argument: so many

Compiles the engine into a temporary folder, and needs no polars. The file stays in memory if there is room.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

import numpy as np

DOCS, JUDGED, BLOCK = 1_000, 20, 500  # of a query; queries that are written at once


def write_run(path, queries):
    """Lines of one width, of which only the number of the query changes; and judgments as dicts."""
    rng = np.random.default_rng(2008)
    docs = [rng.permutation(9 * DOCS)[:DOCS] + 1_000_000 for _ in range(BLOCK)]
    scores = -np.sort(-rng.normal(50, 5, (BLOCK, DOCS)), axis=1)
    lines = "".join(
        f"0000000 Q0 MSM_{doc} {rank:04d} {score:09.6f} bm25\n"
        for ranking, row in zip(docs, scores.tolist(), strict=True)
        for rank, (doc, score) in enumerate(zip(ranking.tolist(), row, strict=True), 1)
    )
    cells = np.frombuffer(bytearray(lines.encode()), np.uint8).reshape(BLOCK, DOCS, -1)
    relevant = [ranking[:: DOCS // JUDGED].tolist() for ranking in docs]
    judged = [{f"MSM_{doc}": 1.0 for doc in ranking} for ranking in relevant]
    qrels = {}
    with path.open("wb") as file:
        for begin in range(0, queries, BLOCK):
            numbers = [f"{number:07d}" for number in range(begin, begin + BLOCK)]
            digits = np.frombuffer("".join(numbers).encode(), np.uint8).reshape(BLOCK, 1, 7)
            cells[:, :, :7] = digits
            file.write(cells.tobytes())
            qrels |= dict(zip(numbers, judged, strict=True))
    return qrels


def read_peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3  # megabytes on Linux


def main() -> None:
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 70_000
    with tempfile.TemporaryDirectory() as name:
        package = Path(name) / "gainful_native"
        package.mkdir()
        (package / "__init__.py").touch()
        sys.path[:0] = [name, str(Path(__file__).parents[1] / "native")]
        from build_library import compile_library

        compile_library(package / "match.so")
        sys.modules.setdefault("polars", ModuleType("polars"))  # judgments in dicts do without
        from gainful.match.native import load_library, match_run_file
        from gainful.read.qrels_and_run import NestedDict

        run = Path(name) / "run.txt"
        qrels = NestedDict(write_run(run, queries), "judgments")
        print(f"{load_library()[1]}, {queries * DOCS:,} lines, {run.stat().st_size / 1e9:.1f} GB")
        all_cores, before, base = sorted(os.sched_getaffinity(0)), read_peak(), 0.0
        for cores in (1, 2, 4, 8, 16):
            if cores > len(all_cores):
                break
            os.sched_setaffinity(0, all_cores[:cores])
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                matched = match_run_file(qrels, run, "trec", 64)
                seconds.append(time.perf_counter() - start)
            base = base or min(seconds)
            ratio, count = base / min(seconds), len(matched.grade)
            print(
                f"{cores:>3} cores {min(seconds):7.2f} s {ratio:6.2f}×   {count:,} judged documents"
            )
        print(f"peak {read_peak():.0f} MB; before, with the judgments in dicts, {before:.0f} MB")


if __name__ == "__main__":
    main()
