"""Several runs, read and evaluated one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gainful.convention import Convention
from gainful.match.rankings import MatchedRun
from gainful.measure.evaluate import evaluate_matched, match_run
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.inputs import AnyRun, as_run
from gainful.read.qrels_and_run import NestedDict, Qrels

EvaluatedRun = tuple[Results, MatchedRun]


def evaluate_runs(
    qrels: Qrels | NestedDict,
    runs: Mapping[str, AnyRun],
    recipes: Mapping[str, Recipe],
    convention: Convention,
    run_format: str | None = None,
) -> Iterator[EvaluatedRun]:
    """The results of each run by its name, and the run as it was matched."""
    for name, run in runs.items():
        loaded = as_run(run, run_format, name=str(name))
        matched = match_run(qrels, loaded, recipes, convention)
        yield evaluate_matched(matched, recipes, convention, str(name)), matched
