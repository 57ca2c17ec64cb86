"""Write examples/news, invented judgments of two judges, kinds of queries and three runs, and examples/log.csv, a click log.

    python tools/examples.py

40 queries with 12 graded documents each; a run scores a document by its grade, with so much noise.
The log is of searchers at desks, who are patient, and on phones, who are not. The same seed gives the
same files.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import polars as pl

from gainful.sessions import simulate_log

FOLDER = Path(__file__).parent.parent / "examples" / "news"
QUERIES, JUDGED, UNJUDGED, SHOWN = 40, 12, 8, 10
NOISE = {"bm25": 1.6, "dense": 1.15, "hybrid": 1.05}


LOG = Path(__file__).parent.parent / "examples" / "log.csv"
DEVICES = {"desk": 4.0, "phone": 1.6}  # and how patient their searchers are: b


def write_log() -> None:
    """Clicks of 100 sessions for each device, in lists of five."""
    parts = [
        simulate_log(100, b=b, bq=2.5, results=5, most_queries=6, seed=seed)
        .frame.drop("scanned")
        .with_columns(
            session=pl.lit(f"{device}-") + pl.col("session").str.strip_prefix("sim-"),
            doc=pl.lit(f"{device}-") + pl.col("doc"),
            device=pl.lit(device),
            clicked=pl.col("clicked").cast(pl.Int8),
        )
        for seed, (device, b) in enumerate(DEVICES.items(), start=1)
    ]
    columns = ("session", "query", "rank", "doc", "clicked", "device")
    pl.concat(parts).select(columns).write_csv(LOG)


def write_second_judge(grades: dict[str, dict[str, int]]) -> None:
    """The same documents as a generous judge grades them, such as a language model."""
    chance = Random(5)  # noqa: S311  (an example, no secret)
    steps = (*[0] * 62, *[1] * 25, *[-1] * 10, 2, -2, 3)
    lines = [
        f"{query} 0 {doc} {min(3, max(0, grade + chance.choice(steps)))}"
        for query, judged in grades.items()
        for doc, grade in judged.items()
    ]
    (FOLDER / "model-qrels.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_queries(queries: Iterable[str]) -> None:
    """What kind each query is, at random."""
    chance = Random(3)  # noqa: S311  (an example, no secret)
    kinds = ("name", "question", "topic")
    lines = ["query,kind", *(f"{query},{chance.choice(kinds)}" for query in queries)]
    (FOLDER / "queries.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """The log, judgments, then each run."""
    write_log()
    chance = Random(2008)  # noqa: S311  (an example, no secret)
    grades = {
        f"n{query:02d}": {
            f"news-{query:02d}-{doc:02d}": chance.choice((0, 0, 0, 1, 1, 2, 3))
            for doc in range(1, JUDGED + 1)
        }
        for query in range(1, QUERIES + 1)
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{q} 0 {doc} {grade}" for q, judged in grades.items() for doc, grade in judged.items()
    ]
    (FOLDER / "qrels.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_second_judge(grades)
    write_queries(grades)
    for name, noise in NOISE.items():
        lines = []
        for query, judged in grades.items():
            more = {
                f"news-{query[1:]}-{doc}": 0 for doc in range(JUDGED + 1, JUDGED + UNJUDGED + 1)
            }
            scores = {
                doc: round(grade + chance.gauss(0, noise), 4)
                for doc, grade in (judged | more).items()
            }
            best = sorted(scores, key=lambda doc: -scores[doc])[:SHOWN]
            lines += [
                f"{query} Q0 {doc} {at} {scores[doc]} {name}" for at, doc in enumerate(best, 1)
            ]
        (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
