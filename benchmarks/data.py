"""What benchmarks share: judgments and runs of any size, the same on every machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

JUDGED, MISSED = 14, 6  # judged documents per query: about so many retrieved, so many not


def make_data(folder: Path, queries: int, docs: int) -> tuple[Path, Path]:
    """A run in order of score, and judgments with grades 0 to 3, as TREC files."""
    name = f"{queries}x{docs}"
    run, qrels = folder / f"{name}.run", folder / f"{name}.qrels"
    if run.exists() and qrels.exists():
        return qrels, run
    rng = np.random.default_rng(2008)
    numbers = np.arange(queries) + 1_000_000
    spread = 8_800_000 // docs
    doc = rng.integers(0, spread, (queries, docs)) * docs + np.arange(docs)  # no document twice
    doc = rng.permuted(doc, axis=1)
    score = np.round(-np.sort(-rng.normal(20, 5, (queries, docs)), axis=1), 6)
    frame = pl.DataFrame(
        {
            "query": np.repeat(numbers, docs),
            "q0": "Q0",
            "doc": [f"MSM_{number}" for number in doc.ravel().tolist()],
            "rank": np.tile(np.arange(1, docs + 1), queries),
            "score": score.ravel(),
            "tag": "bm25",
        }
    )
    frame.write_csv(run, separator=" ", include_header=False)
    chosen = pl.Series(rng.random(queries * docs) < JUDGED / docs)
    seen = frame.filter(chosen).select("query", "doc")
    missed = pl.DataFrame(
        {
            "query": np.repeat(numbers, MISSED),
            "doc": [f"MSM_{9_000_000 + n}" for n in range(queries * MISSED)],
        }
    )
    pool = pl.concat([seen, missed]).sort("query", maintain_order=True)
    grades = pl.Series("grade", rng.integers(0, 4, len(pool)))
    pool.select("query", pl.lit(0).alias("iteration"), "doc").with_columns(grades).write_csv(
        qrels, separator=" ", include_header=False
    )
    return qrels, run
