"""How good is a run? Read the qrels and the runs, match them, measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from os import PathLike
from typing import Any, Unpack, overload

from gainful.api.results import RunResults
from gainful.api.run_options import (
    NamedRuns,
    RunOptions,
    RunReading,
    Runs,
    answer_run_options,
    name_file,
    name_runs,
)
from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.match.match import match
from gainful.match.rankings import MatchedRun
from gainful.measure.build_recipes import Measures
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import measure_run
from gainful.measure.results import Results
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyQrels, AnyRun, find_run_beside
from gainful.read.lazy_run import LazyRun
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


class IntervalOptions(RunOptions, total=False):
    """How runs are read, and how sure each mean is.

    Args:
        interval: of `runs`: also how sure each mean is, at this level in per cent, such as 95.
        resamples: of the interval: how often queries are drawn again.
        seed: of the interval: where chance begins.
    """

    interval: float | None
    resamples: int
    seed: int


@overload
def evaluate(
    qrels: AnyQrels,
    run: NamedRuns,
    measures: Measures | None = None,
    *,
    runs: None = None,
    **options: Unpack[IntervalOptions],
) -> RunResults: ...


@overload
def evaluate(
    qrels: AnyQrels, run: AnyRun, measures: Measures | None = None, **options: Unpack[RunOptions]
) -> Results: ...


@overload
def evaluate(
    qrels: AnyQrels,
    run: None = None,
    measures: Measures | None = None,
    *,
    runs: Runs,
    **options: Unpack[IntervalOptions],
) -> RunResults: ...


@answer_run_options(IntervalOptions, (IntervalOptions, RunOptions))
def evaluate(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    runs: Runs | None = None,
    **options: Unpack[IntervalOptions],
) -> Results | RunResults:
    """How good is a run, by these judgments and measures?

    Args:
        qrels: a path, a dict {query: {document: grade}} or {query: [relevant document, …]},
            a frame (polars, pandas, anything that speaks Arrow; a row for each document, or for
            each query with lists), or a list: of records, of rows (query, document, grade), or
            of a list of documents for each query. Without grades, what is judged has grade 1.
        run: in the same shapes, with scores, or documents in rank order; documents may be
            (document, score) pairs and those of LlamaIndex, Haystack and LangChain. What tells
            both, as RAG records do, is named once.
        measures: names such as "nDCG@10", "AP", "P_5", "ndcg_cut.5,10"; one or several;
            nDCG@10, AP and RR if none is named.
        runs: several runs, by name or in a list, instead of one; they may stand in its place too.
        **options: intervals, how inputs are read, and whose settings count (`RunOptions`).

    Returns:
        `Results` of a run; of several runs `RunResults`, which is a dict of them by name.

    Examples:
        >>> qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> run = {"1": {"b": 0.9, "x": 0.8, "a": 0.7}, "2": {"c": 0.5}}
        >>> {
        ...     name: round(value, 4)
        ...     for name, value in evaluate(qrels, run, ["nDCG@10", "AP"]).mean.items()
        ... }
        {'nDCG@10': 0.8801, 'AP': 0.9167}
    """
    given: dict[str, Any] = dict(options)
    interval = given.pop("interval", None)
    chance = {name: given.pop(name) for name in ("resamples", "seed") if name in given}
    reading = RunReading.from_options(given)
    if run is None and runs is None:
        run = find_run_beside(qrels, reading.columns)
    elif runs is None:
        from gainful.read.shapes import holds_runs  # noqa: PLC0415  (a command names its runs)

        if holds_runs(run):
            run, runs = None, run
    if (run is None) == (runs is None):
        allowed = "a run, or several as runs={name: run}, one of the two; or qrels that tell both"
        raise BadValue("run", run, allowed)
    if interval is not None:  # wrong values are refused before anything is read
        from gainful.evidence.intervals import resampling_for_level  # noqa: PLC0415

        resampling_for_level(interval, **chance)
        if runs is None:
            allowed = (
                "only with runs={name: run}; of one run, gainful.stats.mean_intervals(results)"
            )
            raise BadValue("interval", interval, allowed)
    if runs is None:
        return next(evaluate_runs(qrels, {"": run}, measures, reading))
    evaluated = evaluate_runs(qrels, name_runs(runs), measures, reading)
    results = {result.name: result for result in evaluated}
    if interval is None:
        return RunResults(results)
    from gainful.evidence.intervals import mean_intervals  # noqa: PLC0415  (slow to load)

    intervals = [mean_intervals(result, interval, **chance) for result in results.values()]
    return RunResults(results, intervals)


def holds_qrels_and_run(path: str, columns: ColumnNames | None = None) -> bool:
    """Does a file tell both what is relevant and what was retrieved, so that it needs no run?"""
    return find_run_beside(path, columns) is not None


def evaluate_runs(
    qrels: AnyQrels, runs: Mapping[str, AnyRun], measures: Measures | None, reading: RunReading
) -> Iterator[Results]:
    """What every run scores, one after the other; qrels are read once.

    A run whose name is empty is named for its file.
    """
    evaluated = evaluate_matched(qrels, runs, measures, reading, with_rows=False)
    return (results for results, _ in evaluated)


def evaluate_matched(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun],
    measures: Measures | None,
    reading: RunReading,
    *,
    with_rows: bool = True,
) -> Iterator[tuple[Results, MatchedRun]]:
    """What every run scores, and how it was matched.

    Args:
        qrels: the judgments.
        runs: by name; one whose name is empty is named for its file.
        measures: what is computed.
        reading: how all are read.
        with_rows: are all documents of runs wanted, or only where the judged ones stand? Without
            them, a file may be matched where it lies.
    """
    convention, recipes = reading.build_recipes(measures)
    judgments = reading.read_qrels(qrels)
    for name, run in runs.items():
        matched = None
        if not with_rows and isinstance(judgments, Qrels):
            matched = _match_in_file(judgments, run, recipes, convention, reading)
        if matched is None:
            loaded = reading.read_run(run, name or "run")
            matched = match_run(judgments, loaded, recipes, convention)
        yield measure_run(matched, recipes, convention, name or name_file(run)), matched


def _match_in_file(
    qrels: Qrels,
    run: AnyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
    reading: RunReading,
) -> MatchedRun | None:
    """A run as the native engine matches it, without its rows; None where it does not."""
    needs_rows = convention.namesake == "remove" or any(
        recipe.entry.needs_scores for recipe in recipes.values()
    )
    if needs_rows or reading.columns or not isinstance(run, (str, PathLike)):
        return None
    if find_spec("gainful_native") is None:
        return None
    from gainful.match.native import match_run_file  # noqa: PLC0415  (optional)

    found = match_run_file(qrels, run, reading.run_format, convention.score_bits)
    return None if found is None else MatchedRun(qrels, *found)


def evaluate_run(
    qrels: AnyQrels,
    run: AnyRun,
    measures: Measures | None,
    reading: RunReading,
    name: str | None = None,
) -> tuple[Results, MatchedRun]:
    """One run, named for its file if it has no other name."""
    return next(evaluate_matched(qrels, {name or "": run}, measures, reading))


def match_run(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict | LazyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
) -> MatchedRun:
    """A run as it is matched for these measures."""
    entries = [recipe.entry for recipe in recipes.values()]
    matched = match(
        qrels,
        run,
        convention,
        subtopics=any(entry.needs_subtopics for entry in entries),
        scored=any(entry.needs_scores for entry in entries),
    )
    return MatchedRun(qrels, run, matched)
