"""How good is a run? Read the qrels and the runs, match them, measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Unpack, overload

from attrs import evolve

from gainful.api.keywords import answer_keywords
from gainful.api.named_runs import NamedRuns, Runs, name_file, name_runs
from gainful.api.results import Results, RunResults, as_results
from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.match.match import match, match_scored
from gainful.match.matched import FILTERED_ORDERS
from gainful.match.rankings import MatchedRun
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.measure.evaluate import measure_run
from gainful.measure.recipe import Recipe
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels, as_run, find_run_beside
from gainful.read.lazy_run import LazyRun
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.shapes import holds_runs

EvaluatedRun = tuple[Results, MatchedRun]


@overload
def evaluate(
    qrels: AnyQrels,
    run: NamedRuns,
    measures: Measures | None = None,
    *,
    runs: None = None,
    like: str | Convention | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> RunResults: ...


@overload
def evaluate(
    qrels: AnyQrels,
    run: AnyRun,
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Results: ...


@overload
def evaluate(
    qrels: AnyQrels,
    run: None = None,
    measures: Measures | None = None,
    *,
    runs: Runs,
    like: str | Convention | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> RunResults: ...


@answer_keywords
def evaluate(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    runs: Runs | None = None,
    like: str | Convention | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
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
        like: the tool whose settings to follow, by name or as a `Convention`.
        interval: of `runs`: also how sure each mean is, at this level in per cent, such as 95.
        resamples: of the interval: how often queries are drawn again.
        seed: of the interval: where chance begins.
        qrels_format: how a file of judgments is written; found out if it is not named.
        run_format: how files of runs are written.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, such as `ties="average"` or `missing="skip"`.

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
    if run is None and runs is None:
        run = find_run_beside(qrels, columns)
    elif runs is None and holds_runs(run):
        run, runs = None, run
    if (run is None) == (runs is None):
        allowed = "a run, or several as runs={name: run}, one of the two; or qrels that tell both"
        raise BadValue("run", run, allowed)
    if interval is not None:  # wrong values are refused before anything is read
        from gainful.evidence.mean_intervals import resampling_for_level  # noqa: PLC0415

        resampling_for_level(interval, resamples=resamples, seed=seed)
        if runs is None:
            allowed = (
                "only with runs={name: run}; of one run, gainful.stats.mean_intervals(results)"
            )
            raise BadValue("interval", interval, allowed)
    convention, recipes = build_recipes(measures, like, settings)
    loaded_qrels = as_qrels(qrels, qrels_format, columns)
    if runs is None:
        loaded_run = as_run(run, run_format, columns=columns)
        return evaluate_run(loaded_qrels, loaded_run, recipes, convention, name_file(run))
    evaluated = evaluate_runs(
        loaded_qrels, name_runs(runs), recipes, convention, run_format, columns=columns
    )
    results = {result.name: result for result, _ in evaluated}
    if interval is None:
        return RunResults(results)
    from gainful.evidence.mean_intervals import mean_intervals  # noqa: PLC0415  (slow to load)

    intervals = [
        mean_intervals(result, interval, resamples=resamples, seed=seed)
        for result in results.values()
    ]
    return RunResults(results, intervals)


def holds_qrels_and_run(path: str, columns: ColumnNames | None = None) -> bool:
    """Does a file tell both what is relevant and what was retrieved, so that it needs no run?"""
    return find_run_beside(path, columns) is not None


def evaluate_runs(
    qrels: Qrels | NestedDict,
    runs: Mapping[str, AnyRun],
    recipes: Mapping[str, Recipe],
    convention: Convention,
    run_format: str | None = None,
    *,
    columns: ColumnNames | None = None,
) -> Iterator[EvaluatedRun]:
    """The results of each run by its name, and the run as it was matched."""
    for name, run in runs.items():
        loaded = as_run(run, run_format, str(name), columns)
        matched = match_run(qrels, loaded, recipes, convention)
        yield as_results(measure_run(matched, recipes, convention, str(name))), matched


def evaluate_run(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict | LazyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
    name: str | None = None,
) -> Results:
    """The results of one run, everything else being settled."""
    matched = match_run(qrels, run, recipes, convention)
    return as_results(measure_run(matched, recipes, convention, name))


def match_run(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict | LazyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
) -> MatchedRun:
    """A run as it is matched for these measures."""
    needs_subtopics = [recipe.entry.needs_subtopics for recipe in recipes.values()]
    matched = match(qrels, run, convention, subtopics=any(needs_subtopics))
    if any(recipe.entry.needs_scores for recipe in recipes.values()):
        filtered = {
            order: match_scored(qrels, run, convention, order, matched) for order in FILTERED_ORDERS
        }
        matched = evolve(matched, filtered=filtered)
    return MatchedRun(qrels, run, matched)
