"""Do measures agree on which run is better, and which of them tells runs apart?"""

from __future__ import annotations

from typing import Unpack

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import RunOptions, RunReading, Runs, answer_run_options, name_runs
from gainful.defaults import ALPHA, SEED
from gainful.errors import BadValue
from gainful.evidence.method import build_method
from gainful.evidence.orders.order import Order, check_run_count, order_results
from gainful.evidence.pairing import ClusterChoice
from gainful.evidence.statistics.correction import RANDOMISATION, TUKEY
from gainful.evidence.statistics.correlation import PERSISTENCE, check_persistence
from gainful.measure.build_recipes import Measures
from gainful.read.inputs import AnyQrels


@answer_run_options()
def order(
    qrels: AnyQrels,
    runs: Runs,
    measures: Measures | None = None,
    *,
    alpha: float = ALPHA,
    test: str = RANDOMISATION,
    correct: str | None = None,
    cluster: ClusterChoice | None = None,
    p: float = PERSISTENCE,
    resamples: int | None = None,
    seed: int = SEED,
    **options: Unpack[RunOptions],
) -> Order:
    """Do measures agree on which run is better, and which of them tells runs apart?

    Args:
        qrels: whatever `evaluate` takes.
        runs: at least three of them, by name or in a list.
        measures: names such as "nDCG@10", or one measure with several parameters, such as
            "nDCG(discount=jk2008, b=2)@10" and "nDCG(discount=jk2008, b=10)@10".
        alpha: the level of significance.
        test: the significance test: randomisation (default), t, wilcoxon, sign, bootstrap,
            bca, or tukey, of all pairs at once.
        correct: how it is corrected for the number of pairs: max-t (step-down; default of
            randomisation), holm (default of other tests), bh, bonferroni, none.
        cluster: what queries belong to that are not independent, as `compare` has it.
        p: the persistence of RBO.
        resamples: how many, of tests that resample: 10000, or as many as holm needs.
        seed: where chance begins; the same seed gives the same numbers.
        **options: how inputs are read, and whose settings count (`RunOptions`).

    Returns:
        `Order`: the order by each measure, their agreement, and the power of each.

    Examples:
        >>> qrels = {"1": {"a": 3, "b": 1}, "2": {"c": 2, "d": 1}}
        >>> runs = {
        ...     "x": {"1": ["a"], "2": ["e", "c"]},
        ...     "y": {"1": ["b", "a"], "2": ["d", "c"]},
        ...     "z": {"1": ["e", "b"], "2": ["e", "d"]},
        ... }
        >>> order(qrels, runs, ["RR", "nDCG@1"])
        Order of 3 runs by RR, nDCG@1
        RR: 0 of 3 pairs significantly different
        nDCG@1: 0 of 3 pairs significantly different
        RR and nDCG@1: tau 0.3333, tau_AP 0.0000, RBO 0.9000, 1 discordant
    """
    if test == TUKEY and correct not in (None, "none"):
        raise BadValue("correct", correct, "none: tukey corrects the pairs itself")
    criterion = build_method(
        test=test, correct=correct, alpha=alpha, resamples=resamples, seed=seed
    )
    check_persistence(p)
    named_runs = name_runs(runs)
    check_run_count(len(named_runs))
    reading = RunReading.from_options(options)
    clusters = find_clusters(cluster, reading, qrels, *named_runs.values())
    results = list(evaluate_runs(qrels, named_runs, measures, reading))
    return order_results(results, criterion, p, clusters=clusters)
