"""nDCG of dense arrays: gainful against scikit-learn, both in this run, as ratios.

10,000 rankings of 1,000 scores, about 20 relevant documents each or a grade for every document;
the best of three.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import sklearn
from sklearn.metrics import ndcg_score

import gainful

ROWS, SIZE, RELEVANT, REPEATS = 10_000, 1_000, 20, 3


def data():
    rng = np.random.default_rng(2008)
    sparse = np.zeros((ROWS, SIZE))
    chosen = rng.integers(0, SIZE, (ROWS, RELEVANT))
    np.put_along_axis(sparse, chosen, rng.integers(1, 4, (ROWS, RELEVANT)).astype(float), axis=1)
    dense = rng.integers(0, 5, (ROWS, SIZE)).astype(float)
    return sparse, dense, rng.random((ROWS, SIZE))


def time_call(call):
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        value = float(np.mean(call()))
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


def main() -> None:
    sparse, dense, scores = data()
    tied, plain = np.round(scores, 2), {"ignore_ties": True}
    contests = [
        ("20 relevant", sparse, scores, "input", None, plain, 5),
        ("20 relevant", sparse, scores, "input", 10, plain, 5),
        ("20 relevant", sparse, scores, "average", None, {}, 4),
        ("about ten tied", sparse, tied, "average", None, {}, 4),
        ("dense grades", dense, scores, "input", 10, plain, 4),
        ("dense grades", dense, scores, "input", None, plain, 2),
    ]
    print(f"{ROWS:,} rankings × {SIZE:,} scores; best of {REPEATS}")
    print(f"gainful {'against scikit-learn ' + sklearn.__version__}, NumPy {np.__version__}\n")
    head = (
        "grades",
        "ties",
        "k",
        "gainful",
        "scikit-learn",
        "ratio",
        "asked",
        "nDCG",
        "difference",
    )
    print("{:<15}{:<9}{:<5}{:>9}{:>14}{:>8}{:>7}{:>11}{:>12}".format(*head))
    for what, grades, used, ties, k, options, asked in contests:
        ours, mine = time_call(partial(gainful.ndcg, grades, used, ties=ties, k=k))
        theirs, other = time_call(partial(ndcg_score, grades, used, k=k, **options))
        print(
            f"{what:<15}{ties:<9}{k or 'all':<5}{ours:>7.2f} s{theirs:>12.2f} s"
            f"{theirs / ours:>7.1f}×{asked:>6}×{mine:>11.6f}{abs(mine - other):>12.1e}"
        )


if __name__ == "__main__":
    main()
