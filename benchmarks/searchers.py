"""Is the searcher of a log found, are intervals right, and what does success do to bq?

    python benchmarks/searchers.py [TRIALS]

The tables of docs/calibrate.md: estimates from 20,000 simulated sessions; how often intervals cover
in 1,000 logs of 500 sessions; bq where searchers also stop because they have what they wanted. Ten
minutes or so.
"""

from __future__ import annotations

import sys

import numpy as np

from gainful._simulation.log import simulate_log
from gainful.evidence.searchers.fit import STOPPING_MODELS, Fit, estimate_srbp, fit_model
from gainful.evidence.searchers.observe import Observed, observe_searchers
from gainful.read.sessions import Sessions

MANY, FEW, LIMIT = 20_000, 500, 20
B, BQ, P, BALANCE = 2.0, 4.0, 0.9, 0.8
SUCCESS = (0.0, 0.1, 0.2, 0.4)
JK2008, GEOMETRIC = STOPPING_MODELS["jk2008"], STOPPING_MODELS["geometric"]
TRUTH = {"b": B, "b by clicks": B, "bq": BQ, "p": P * BALANCE, "sRBP p": P, "balance": BALANCE}


def observe(log: Sessions, source: str = "scanned") -> Observed:
    return observe_searchers(log, source, LIMIT)  # type: ignore[arg-type]


def fit_depths(observed: Observed, model: str) -> Fit:
    if observed.depths is None:
        raise ValueError("the log tells no depths")
    return fit_model(STOPPING_MODELS[model], observed.depths)


def estimate(sessions: int, seed: int) -> dict[str, tuple[float, float, float]]:
    """All that is estimated, with its interval, from one log of each kind of searcher."""
    log = simulate_log(sessions, b=B, bq=BQ, seed=seed, most_queries=LIMIT)
    walk = observe(simulate_log(sessions, p=P, balance=BALANCE, seed=seed, most_queries=LIMIT))
    fits = {
        "b": fit_depths(observe(log), "jk2008"),
        "b by clicks": fit_depths(observe(log, "clicked"), "jk2008"),
        "bq": fit_model(JK2008, observe(log).queries),
        "p": fit_depths(walk, "geometric"),
    }
    values = {name: (fit.value, fit.low, fit.high) for name, fit in fits.items()}
    srbp = estimate_srbp(fits["p"], fit_model(GEOMETRIC, walk.queries), 0.95)
    if srbp is not None:
        names = dict(zip(("sRBP p", "balance"), srbp, strict=True))
        values |= {name: (entry.value, entry.low, entry.high) for name, entry in names.items()}
    return values  # type: ignore[return-value]  # models with a parameter have all three


def print_recovery() -> None:
    print(f"| from {MANY:,} sessions | true | estimate | error |\n| --- | ---: | ---: | ---: |")
    for name, (value, _, _) in estimate(MANY, 1).items():
        off = 100 * (value / TRUTH[name] - 1)
        print(f"| {name} | {TRUTH[name]:g} | {value:.3f} | {off:+.1f} % |")


def print_coverage(trials: int) -> None:
    covered = dict.fromkeys(TRUTH, 0)
    for seed in range(trials):
        for name, (_, low, high) in estimate(FEW, 1000 + seed).items():
            covered[name] += low <= TRUTH[name] <= high
    print(f"\n| 95 % intervals from {FEW} sessions | coverage in {trials:,} logs |\n| --- | ---: |")
    for name, count in covered.items():
        print(f"| {name} | {100 * count / trials:.1f} % |")


def print_success() -> None:
    head = "| success per query | bq if every stop counts as giving up | error |"
    print(f"\n{head} bq if a click in the last query counts as success |")
    print("| ---: | ---: | ---: | ---: |")
    for success in SUCCESS:
        log = simulate_log(MANY, b=B, bq=BQ, success=success, click=0.1, seed=2, most_queries=LIMIT)
        observed = observe(log)
        bounded = observed.successes_cut()
        if bounded is None:
            raise ValueError("the log tells no clicks")
        plain, bound = (fit_model(JK2008, stops) for stops in (observed.queries, bounded))
        values = [np.nan if fit.value is None else fit.value for fit in (plain, bound)]
        off = f"{100 * (values[0] / BQ - 1):+.0f} %"
        print(f"| {100 * success:g} % | {values[0]:.2f} | {off} | {values[1]:.2f} |")


if __name__ == "__main__":
    print_recovery()
    print_success()
    print_coverage(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
