"""How many queries does a comparison need?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import RunOptions, RunReading, Runs, answer_run_options, name_runs
from gainful.defaults import ALPHA
from gainful.evidence.options import ClusterOptions, LevelOptions, PairOptions
from gainful.evidence.plan import CONFIDENCE, DIFFERENCE, Plan, check_difference, plan_queries
from gainful.evidence.statistics.effect_size import POWER
from gainful.measure.build_recipes import Measures
from gainful.read.inputs import AnyQrels


class PlanOptions(LevelOptions, ClusterOptions, RunOptions, total=False):
    """The level, clusters of queries, and how runs are read."""


@answer_run_options(PlanOptions, (PairOptions, RunOptions))
def plan(
    qrels: AnyQrels,
    runs: Runs,
    measures: Measures | None = None,
    *,
    difference: float | Mapping[str, float] = DIFFERENCE,
    power: float = POWER,
    confidence: float = CONFIDENCE,
    comparisons: int = 1,
    **options: Unpack[PlanOptions],
) -> Plan:
    """How many queries are needed to detect a true difference, given the spread in a pilot?

    Args:
        qrels: whatever `evaluate` takes.
        runs: two runs or more, by name or in a list: the pilot.
        measures: whatever `evaluate` takes.
        difference: the true difference of means to detect, or one for each measure.
        power: probability of detecting a true difference of this size.
        confidence: confidence level of the upper limit of the spread, for `cautious`.
        comparisons: number of comparisons corrected together; they share alpha.
        **options: alpha, the level of the two-sided t test; cluster, what queries belong to, of
            which the plan then counts whole ones (`stats.PairOptions`); how inputs are read, and
            the settings to follow (`RunOptions`).

    Returns:
        `Plan`: for each measure and pair of runs the queries that are needed if differences vary
        as in the pilot, and a cautious number of them.

    Examples:
        >>> qrels = {str(q): {"a": 1} for q in range(8)}
        >>> first = {str(q): ["a", "b"] if q % 2 else ["b", "a"] for q in range(8)}
        >>> second = {str(q): ["a", "b"] if q % 3 else ["b", "a"] for q in range(8)}
        >>> plan(qrels, {"first": first, "second": second}, "RR", difference=0.1).pairs[0].needed
        83
    """
    check_difference(difference)
    alpha, cluster = options.pop("alpha", ALPHA), options.pop("cluster", None)
    empty = Plan((), alpha, power, confidence, comparisons)
    named_runs = name_runs(runs, at_least=2)
    reading = RunReading.from_options(options)
    clusters = find_clusters(cluster, reading, qrels, *named_runs.values())
    results = list(evaluate_runs(qrels, named_runs, measures, reading))
    return plan_queries(results, difference, empty, clusters)
