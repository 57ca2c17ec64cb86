"""How many queries does a comparison need?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_runs
from gainful.api.keywords import answer_keywords
from gainful.api.named_runs import Runs, name_runs
from gainful.convention import Convention
from gainful.evidence.clusters import ClusterChoice
from gainful.evidence.plan import CONFIDENCE, DIFFERENCE, Goal, Plan, check_goal, plan_queries
from gainful.evidence.statistics.power import POWER
from gainful.evidence.statistics.resampling import ALPHA
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyQrels, as_qrels


@answer_keywords
def plan(
    qrels: AnyQrels,
    runs: Runs,
    measures: Measures | None = None,
    *,
    difference: float | Mapping[str, float] = DIFFERENCE,
    alpha: float = ALPHA,
    power: float = POWER,
    confidence: float = CONFIDENCE,
    comparisons: int = 1,
    cluster: ClusterChoice | None = None,
    like: str | Convention | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Plan:
    """How many queries find a true difference between runs, by the spread that a pilot shows?

    Args:
        qrels: whatever `evaluate` takes.
        runs: two runs or more, by name or in a list: the pilot.
        measures: whatever `evaluate` takes.
        difference: the true difference of means that is to be found, or one for each measure.
        alpha: the level of the two-sided t test.
        power: how often a true difference of this size is to be found.
        confidence: that the spread of differences is not larger than what `cautious` allows for.
        comparisons: how many are to be corrected together: alpha is shared among them.
        cluster: what queries belong to that are not independent, as `compare` takes it; the plan
            is in whole clusters then.
        like: the tool whose settings to follow.
        qrels_format: how a file of judgments is written; found out if it is not named.
        run_format: how files of runs are written.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, such as `ties="average"`.

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
    goal = Goal(difference, alpha, power, confidence, comparisons)
    check_goal(goal)
    named_runs = name_runs(runs, at_least=2)
    convention, recipes = build_recipes(measures, like, settings)
    clusters = find_clusters(
        cluster,
        ((qrels, qrels_format), *((run, run_format) for run in named_runs.values())),
        columns,
    )
    loaded_qrels = as_qrels(qrels, qrels_format, columns)
    evaluated = evaluate_runs(
        loaded_qrels, named_runs, recipes, convention, run_format, columns=columns
    )
    results = [results for results, _ in evaluated]
    return plan_queries(results, goal, clusters)
