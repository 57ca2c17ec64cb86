"""nDCG of dense arrays: gainful against scikit-learn, both in this run, as ratios.

10,000 rankings of 1,000 scores, about 20 relevant documents each; the best of three.
"""

from __future__ import annotations

import time

import numpy as np
import sklearn
from sklearn.metrics import ndcg_score

import gainful

ROWS, SIZE, RELEVANT, REPEATS = 10_000, 1_000, 20, 3


def data():
    rng = np.random.default_rng(2008)
    grades = np.zeros((ROWS, SIZE))
    chosen = rng.integers(0, SIZE, (ROWS, RELEVANT))
    np.put_along_axis(grades, chosen, rng.integers(1, 4, (ROWS, RELEVANT)).astype(float), axis=1)
    return grades, rng.random((ROWS, SIZE))


def time_call(call):
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        value = float(np.mean(call()))
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


def main() -> None:
    grades, scores = data()
    tied = np.round(scores, 2)
    contests = [
        ("no ties", "input", scores, {"ignore_ties": True}, 3),
        ("no ties", "average", scores, {}, 4),
        ("about ten tied", "average", tied, {}, 4),
    ]
    print(f"{ROWS:,} rankings × {SIZE:,} scores, about {RELEVANT} relevant; best of {REPEATS}")
    print(f"gainful {'against scikit-learn ' + sklearn.__version__}, NumPy {np.__version__}\n")
    head = (
        "scores",
        "ties",
        "gainful",
        "scikit-learn",
        "ratio",
        "asked",
        "mean nDCG",
        "difference",
    )
    print("{:<15}{:<9}{:>9}{:>14}{:>8}{:>7}{:>11}{:>12}".format(*head))
    for what, ties, used, options, asked in contests:
        ours, mine = time_call(lambda u=used, t=ties: gainful.ndcg(grades, scores=u, ties=t))
        theirs, other = time_call(lambda u=used, o=options: ndcg_score(grades, u, **o))
        print(
            f"{what:<15}{ties:<9}{ours:>7.2f} s{theirs:>12.2f} s{theirs / ours:>7.1f}×"
            f"{asked:>6}×{mine:>11.6f}{abs(mine - other):>12.1e}"
        )


if __name__ == "__main__":
    main()
