"""What is kept of a run's results, to hold later ones against."""

from __future__ import annotations

from importlib.metadata import version
from math import isfinite
from typing import Any

from gainful.errors import BadInput
from gainful.evidence.gates.fingerprint import fingerprint
from gainful.measure.results import Results
from gainful.read.baseline import Baseline
from gainful.read.qrels_and_run import NestedDict, Qrels


def make_baseline(results: Results, qrels: Qrels | NestedDict) -> Baseline:
    """A baseline of these results, by these judgments.

    Examples:
        >>> from gainful import evaluate
        >>> qrels = NestedDict({"1": {"a": 1}}, "judgments")
        >>> make_baseline(evaluate(qrels.mapping, {"1": {"a": 0.5}}, "RR"), qrels).mean
        {'RR': 1.0}
    """
    return Baseline(
        run=results.name,
        queries=len(results.queries),
        measures={name: str(measure) for name, measure in results.measures.items()},
        mean=means(results),
        values=results.values_by_query(),
        convention=convention_settings(results),
        judgments=fingerprint(qrels),
        gainful=version("gainful"),
    )


def means(results: Results) -> dict[str, float]:
    """The mean of each measure; one that cannot be computed is an error."""
    for name, value in results.mean.items():
        if not isfinite(value):
            problem = f"{name} has no mean, as not one query counts"
            raise BadInput(results.name, problem, "a query with something relevant")
    return results.mean


def convention_settings(results: Results) -> dict[str, Any]:
    """The whole convention as data; whose it is, is no part of what is compared."""
    convention = results.convention
    ties_by_measure = {f"ties of {name}": ties for name, ties in convention.ties_by_measure}
    return {"like": convention.name, **convention.settings(), **ties_by_measure}
