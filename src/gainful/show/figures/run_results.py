"""What the figures of single rankings share: runs evaluated once, and the caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gainful.errors import BadInput, WrongType
from gainful.measure.evaluate import asked_for, evaluate
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.results import Results
from gainful.read.inputs import AnyJudgments, AnyRun
from gainful.show.results import said

Runs = Mapping[str, AnyRun]
Measures = str | Measure | Sequence[str | Measure]
_AVERAGED = ("average", "mean_rank")  # policies of ties of which few measures have a value


def results_of(
    qrels: AnyJudgments,
    runs: Runs,
    measures: Sequence[str | Measure],
    like: Any,
    habits: Mapping[str, Any],
) -> dict[str, Results]:
    """The results of each run by its name; refused where nothing at the depth is judged."""
    if not isinstance(runs, Mapping):
        raise WrongType("runs", runs, "{name: run}, with at least one")
    depths = [measure.k for measure in expand(list(measures)).values()]
    whole = [int(k) for k in depths if isinstance(k, int)]
    depth = max(whole) if len(whole) == len(depths) and whole else None
    base, _ = asked_for(list(measures), like, habits)
    if depth is None or base.ties in _AVERAGED:
        found = evaluate(qrels, runs=runs, measures=measures, like=like, **habits)
        refuse_unjudged(list(found.values()))
        return found
    judged = f"Judged@{depth}"
    asked = [*measures] if judged in map(str, measures) else [*measures, judged]
    found = evaluate(qrels, runs=runs, measures=asked, like=like, **habits)
    if not any(one.mean[judged] > 0 for one in found.values()):
        problem = f"none of the top {depth} documents of any query is judged"
        raise BadInput(", ".join(found), problem, "judgments of what was retrieved, or more depth")
    return {name: only(one, list(expand(list(measures)))) for name, one in found.items()}


def refuse_unjudged(found: Sequence[Results]) -> None:
    """Where nothing that was retrieved is judged, zeros would only look like an answer."""
    if any(np.ma.asarray(values).any() for one in found for values in one.values.values()):
        return
    if all(one.counts["unjudged_at_10"] == 1 for one in found):
        problem = "none of the top 10 documents of any query is judged"
        names = ", ".join(one.name for one in found)
        raise BadInput(names, problem, "judgments of what was retrieved")


def only(results: Results, names: Sequence[str]) -> Results:
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


def caption(results: Sequence[Results], names: Sequence[str]) -> list[str]:
    """How many queries, whose habits, what was missing: of these measures."""
    return said([only(one, names) for one in results])
