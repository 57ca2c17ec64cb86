"""What the figures of single rankings share: runs evaluated once, and the caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gainful.api.evaluate import evaluate
from gainful.errors import BadInput, WrongType
from gainful.match.ties import TIE_POLICIES
from gainful.measure.evaluate import build_recipes
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.results import Results
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.show.results import list_footnotes

Runs = Mapping[str, AnyRun]
Measures = str | Measure | Sequence[str | Measure]


def evaluate_runs(
    qrels: AnyQrels,
    runs: Runs,
    measures: Sequence[str | Measure],
    like: Any,
    settings: Mapping[str, Any],
) -> dict[str, Results]:
    """The results of each run by its name; refused where nothing at the depth is judged."""
    if not isinstance(runs, Mapping):
        raise WrongType("runs", runs, "{name: run}, with at least one")
    depths = [measure.k for measure in expand(list(measures)).values()]
    cutoffs = [int(k) for k in depths if isinstance(k, int)]
    depth = max(cutoffs) if len(cutoffs) == len(depths) and cutoffs else None
    convention, _ = build_recipes(list(measures), like, settings)
    if depth is None or TIE_POLICIES[convention.ties].averages:
        results = evaluate(qrels, runs=runs, measures=measures, like=like, **settings)
        refuse_unjudged(list(results.values()))
        return results
    judged_measure = f"Judged@{depth}"
    with_judged = (
        [*measures] if judged_measure in map(str, measures) else [*measures, judged_measure]
    )
    results = evaluate(qrels, runs=runs, measures=with_judged, like=like, **settings)
    if not any(result.mean[judged_measure] > 0 for result in results.values()):
        problem = f"none of the top {depth} documents of any query is judged"
        raise BadInput(
            ", ".join(results), problem, "judgments of what was retrieved, or more depth"
        )
    return {
        name: select_measures(result, list(expand(list(measures))))
        for name, result in results.items()
    }


def refuse_unjudged(results: Sequence[Results]) -> None:
    """Where nothing that was retrieved is judged, zeros would only look like an answer."""
    if any(np.ma.asarray(values).any() for result in results for values in result.values.values()):
        return
    if all(result.counts["unjudged_at_10"] == 1 for result in results):
        problem = "none of the top 10 documents of any query is judged"
        names = ", ".join(result.name for result in results)
        raise BadInput(names, problem, "judgments of what was retrieved")


def select_measures(results: Results, names: Sequence[str]) -> Results:
    """The same results of some measures alone."""
    return Results(
        name=results.name,
        queries=results.queries,
        values={name: results.values[name] for name in names},
        recipes={name: results.recipes[name] for name in names},
        convention=results.convention,
        counts=results.counts,
        notes=results.notes,
    )


def build_caption(results: Sequence[Results], names: Sequence[str]) -> list[str]:
    """How many queries, whose habits, what was missing: of these measures."""
    return list_footnotes([select_measures(result, names) for result in results])
