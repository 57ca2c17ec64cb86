"""Do measures agree on which run is better, and which of them separates runs best?"""

from __future__ import annotations

from typing import Unpack

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import RunOptions, RunReading, Runs, answer_run_options, name_runs
from gainful.errors import BadValue
from gainful.evidence.method import build_method, split_method
from gainful.evidence.options import PairOptions
from gainful.evidence.orders.order import Order, check_run_count, order_results
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.correlation import PERSISTENCE, check_persistence
from gainful.measure.build_recipes import Measures
from gainful.read.inputs import AnyQrels


class OrderOptions(PairOptions, RunOptions, total=False):
    """How pairs of runs are tested, and how runs are read."""


@answer_run_options(OrderOptions, (PairOptions, RunOptions))
def order(
    qrels: AnyQrels,
    runs: Runs,
    measures: Measures | None = None,
    *,
    p: float = PERSISTENCE,
    **options: Unpack[OrderOptions],
) -> Order:
    """Do measures agree on which run is better, and which of them separates runs best?

    Args:
        qrels: whatever `evaluate` takes.
        runs: at least three runs, by name or in a list.
        measures: names such as "nDCG@10", or one measure with several parameters, such as
            "nDCG(discount=jk2008, b=2)@10" and "nDCG(discount=jk2008, b=10)@10".
        p: the persistence of RBO.
        **options: how pairs of runs are tested (`stats.PairOptions`), how inputs are read, and the
            settings to follow (`RunOptions`).

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
    method_options, inputs = split_method(options, PairOptions)
    correct = method_options.get("correct")
    if method_options.get("test") == TUKEY and correct not in (None, "none"):
        raise BadValue("correct", correct, "none: tukey corrects the pairs itself")
    method = build_method(**method_options)
    check_persistence(p)
    named_runs = name_runs(runs)
    check_run_count(len(named_runs))
    reading = RunReading.from_options(inputs)
    clusters = find_clusters(method.cluster, reading, qrels, *named_runs.values())
    results = list(evaluate_runs(qrels, named_runs, measures, reading))
    return order_results(results, method, p, clusters=clusters)
