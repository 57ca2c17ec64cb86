"""Sign flips of all pairs at once, against scipy.stats.permutation_test for each pair.

    python benchmarks/compare.py

10 runs, 45 pairs, 50 queries, 100,000 flips each; ours finds the intervals too. Then max-T of 30 runs,
three measures of 1,000 queries and 10,000 resamples, which must take less than 10 s on two cores.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from data import time_call
from scipy.stats import permutation_test

from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import randomisation_test, tukey_test

QUERIES, RUNS, RESAMPLES = 50, 10, 100_000
BATCH = 1_000  # the fastest of 1,000, 10,000 and scipy's default, which takes four times as long


def scipys(differences):
    return [
        permutation_test(
            (column,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=BATCH,
            rng=1,
        ).pvalue
        for column in differences.T
    ]


def flip_signs():
    """Seconds of ours, of a randomised Tukey HSD and of scipy's; and how far values of p are apart."""
    values = np.random.default_rng(1).beta(2, 3, (QUERIES, RUNS))
    pairs = np.array(list(combinations(range(RUNS), 2)))
    differences = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    resampling = Resampling(resamples=RESAMPLES)
    ours, outcome = time_call(lambda: randomisation_test(differences, resampling), 3)
    dealt, _ = time_call(lambda: tukey_test(values, pairs, resampling), 3)
    theirs, expected = time_call(lambda: scipys(differences))
    return ours, dealt, theirs, float(np.abs(outcome.p - expected).max())


def main():
    ours, dealt, theirs, apart = flip_signs()
    print(f"{RESAMPLES} sign flips, {QUERIES} queries, {RUNS} runs, all pairs")
    print(f"{'scipy.stats.permutation_test, each pair':44}{theirs:8.2f} s")
    print(
        f"{'gainful, all pairs at once, with intervals':44}{ours:8.2f} s{theirs / ours:8.1f} times faster"
    )
    print(f"{'gainful, randomised Tukey HSD':44}{dealt:8.2f} s")
    print(f"largest difference of p: {apart:.4f} (chance)")
    many = np.random.default_rng(2).beta(2, 3, (3, 1000, 30))
    all_pairs = np.array(list(combinations(range(30), 2)))
    seconds, _ = time_call(
        lambda: [
            flip_families([UnitSums.from_values(measure)], all_pairs, Resampling())
            for measure in many
        ]
    )
    print(f"{'gainful, max-T of 30 runs × 3 × 1,000 queries':44}{seconds:8.2f} s")


if __name__ == "__main__":
    main()
