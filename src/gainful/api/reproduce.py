"""Is a reproduced run like the original?"""

from __future__ import annotations

from typing import Any, Unpack

from gainful.api.evaluate import match_run
from gainful.api.run_options import RunOptions, RunReading, answer_run_options, name_file
from gainful.errors import BadValue, WrongType, check_whole_number
from gainful.evidence.reproduction import (
    DEPTH,
    MAX_DEPTH,
    PERSISTENCE,
    Reproduction,
    compare_orders,
    measure_effects,
    measure_errors,
)
from gainful.evidence.statistics.correlation import check_persistence
from gainful.match.rankings import list_docs
from gainful.measure.build_recipes import Measures
from gainful.measure.evaluate import measure_run
from gainful.measure.values import Results
from gainful.read.inputs import AnyQrels, AnyRun, as_run_columns
from gainful.read.qrels_and_run import LazyRun, Run


@answer_run_options()
def reproduce(
    qrels: AnyQrels,
    original: AnyRun,
    reproduced: AnyRun,
    measures: Measures | None = None,
    *,
    baselines: tuple[AnyRun, AnyRun] | None = None,
    reproduced_qrels: AnyQrels | None = None,
    depth: int = DEPTH,
    p: float = PERSISTENCE,
    **options: Unpack[RunOptions],
) -> Reproduction:
    """Is a reproduced run like the original, and is its improvement over a baseline?

    Uses the measures of Breuer et al. (2020), as in repro_eval: Kendall's tau union and RBO of
    the rankings, RMSE of the scores by query, effect ratio (ER) and delta relative improvement
    (ΔRI).

    Args:
        qrels: whatever `evaluate` takes.
        original: the original run.
        reproduced: the reproduced run.
        measures: whatever `evaluate` takes.
        baselines: the original and the reproduced baseline; needed for ER and ΔRI.
        reproduced_qrels: judgments of the reproduced runs if they are of another collection: a
            replication, which has only ER and ΔRI.
        depth: how many documents of a ranking count for tau union and RBO.
        p: the persistence of RBO.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        `Reproduction`: `orders`, `errors` and `effects`, as values.

    Examples:
        >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
        >>> original = {"1": ["a", "x", "y"], "2": ["x", "b", "y"]}
        >>> again = {"1": ["a", "y", "x"], "2": ["x", "y", "b"]}
        >>> reproduction = reproduce(qrels, original, again, "RR")
        >>> round(reproduction.errors[0].rmse, 4)  # RR of query 2: 1/3 instead of 1/2
        0.1179
    """
    check_whole_number("depth", depth, 1, MAX_DEPTH)
    check_persistence(p)
    if reproduced_qrels is not None and baselines is None:
        raise BadValue(
            "reproduced_qrels", "given", "baselines too: only the effect can be compared"
        )
    if baselines is not None and (not isinstance(baselines, tuple | list) or len(baselines) != 2):
        raise WrongType("baselines", baselines, "(original, reproduced)")
    reading = RunReading.from_options(options)
    convention, recipes = reading.build_recipes(measures)
    judgments = [reading.read_qrels(qrels)] * 2
    if reproduced_qrels is not None:
        judgments[1] = reading.read_qrels(reproduced_qrels)
    pairs = {"run": (original, reproduced)}
    if baselines is not None:
        pairs["baseline"] = (baselines[0], baselines[1])
    loaded = {role: [*map(reading.read_run, pair)] for role, pair in pairs.items()}
    reading.columns.refuse_unread()
    results: dict[str, list[Results]] = {role: [] for role in pairs}
    for role, runs in loaded.items():
        sides = zip(("original", "reproduced"), judgments, runs, pairs[role], strict=True)
        for side, judged, run, given in sides:
            matched = match_run(judged, run, recipes, convention)
            name = name_file(given) or f"{side} {role}"
            results[role].append(measure_run(matched, recipes, convention, name))
    orders, errors, notes = [], [], []
    if reproduced_qrels is None:
        for role, runs in loaded.items():
            lists = [list_docs(_as_columns(run), depth) for run in runs]
            order, order_notes = compare_orders(lists[0], lists[1], role, depth, p)
            first, second = results[role]
            role_errors, error_notes = measure_errors(first, second, role)
            orders.append(order)
            errors += role_errors
            notes += [*order_notes, *error_notes]
    effects = []
    if baselines is not None:
        original_pair, reproduced_pair = zip(results["run"], results["baseline"], strict=True)
        effects = measure_effects(original_pair, reproduced_pair)
    return Reproduction(
        orders=tuple(orders),
        errors=tuple(errors),
        effects=tuple(effects),
        depth=depth,
        p=p,
        results=tuple(result for pair in results.values() for result in pair),
        notes=tuple(dict.fromkeys(notes)),
    )


def _as_columns(run: Any) -> Run:
    if isinstance(run, LazyRun):
        raise WrongType("run", "a lazy frame", "a run in memory: its documents are listed")
    return as_run_columns(run)
