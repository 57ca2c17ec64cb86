"""How often does each test reject, when there is nothing to find? The table of docs/compare.md.

    python benchmarks/calibration.py

20,000 trials of n Laplace-distributed differences about zero, alpha = 0.05. A minute or two.
"""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import Resampling

TRIALS, AT_ONCE, ALPHA = 20_000, 500, 0.05
SIZES = (25, 50, 200)
NAMES = ("bootstrap", "bca")


def share_rejected(name: str, n: int) -> float:
    random = np.random.default_rng(n)
    parts = [
        TESTS[name]
        .function(random.laplace(size=(n, AT_ONCE)), Resampling(resamples=999, seed=at))
        .p
        for at in range(TRIALS // AT_ONCE)
    ]
    return float((np.concatenate(parts) <= ALPHA).mean())


if __name__ == "__main__":
    print("| queries | percentile | BCa |\n| ---: | ---: | ---: |")
    for n in SIZES:
        print(
            f"| {n} | "
            + " | ".join(f"{100 * share_rejected(name, n):.1f} %" for name in NAMES)
            + " |"
        )
