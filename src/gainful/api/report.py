"""One page about these runs, to hand over."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Unpack

from attrs import evolve

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import RunOptions, RunReading, Runs, answer_run_options, name_runs
from gainful.evidence.comparisons.compare import compare_run_results, compare_where_possible
from gainful.evidence.intervals import MeanIntervals, mean_intervals
from gainful.evidence.method import SignificanceOptions, build_method, split_method
from gainful.evidence.moves.largest_changes import find_largest_changes
from gainful.evidence.pairing import choose_baseline
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.worked_ranking import rank_side_by_side
from gainful.measure.build_recipes import Measures
from gainful.measure.notes import require_qrels_overlap
from gainful.measure.results import Results
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.query_texts import read_query_texts
from gainful.show.pages import report_data
from gainful.show.pages.report import Report, ReportContent, render_report, require_extra
from gainful.show.pages.report_text import label_runs


class ReportOptions(SignificanceOptions, RunOptions, total=False):
    """How runs are tested, and how they are read."""


@answer_run_options(ReportOptions, (SignificanceOptions, RunOptions))
def report(
    qrels: AnyQrels,
    runs: Runs | AnyRun,
    measures: Measures | None = None,
    *,
    texts: Mapping[str, str] | str | PathLike[str] | None = None,
    title: str | None = None,
    values_file: str | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """A page about these runs, as HTML in one file: to open from disk, to send, to print.

    Args:
        qrels: whatever `evaluate` takes.
        runs: one run or more, by name or in a list.
        measures: whatever `evaluate` takes. The work of the first that cumulates gain is shown
            rank by rank.
        texts: what the queries say, by id; or a file of them.
        title: what the page is called.
        values_file: what the page calls a file beside it with all values, where it has a part.
        **options: how runs are tested (`stats.SignificanceOptions`) and read (`RunOptions`).

    Returns:
        The page, a text. It loads nothing, and shows at most 500 queries rank by rank; where that
        is not all, its `values_csv` has the values of all of them.

    Examples:
        >>> qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> runs = {"old": {"1": ["b", "a"], "2": ["x"]}, "new": {"1": ["a"], "2": ["c"]}}
        >>> page = report(qrels, runs, "nDCG@10", resamples=99)
        >>> "old and new cannot be told apart" in page or "new and old cannot be told apart" in page
        True
    """
    require_extra()
    named_runs = name_runs(runs)
    names = list(named_runs)
    weighing, inputs = split_method(options)
    base = names.index(choose_baseline(weighing.get("baseline"), names, "run"))
    labels = label_runs(names)
    weighing["baseline"] = labels[base]
    method = build_method(**weighing)
    resampling, reading = method.resampling, RunReading.from_options(inputs)
    query_texts = _load_texts(texts)
    clusters = find_clusters(method.cluster, reading, qrels, *named_runs.values())
    evaluated = list(evaluate_runs(qrels, named_runs, measures, reading))
    matched_runs = [matched for _, matched in evaluated]
    results = [evolve(run, name=label) for (run, _), label in zip(evaluated, labels, strict=True)]
    require_qrels_overlap(results)
    comparison, reasons = (
        compare_where_possible(results, lambda runs: compare_run_results(runs, method, clusters))
        if len(results) > 1
        else (None, [])
    )
    choice = report_data.choose_queries(results, base, resampling.seed)
    content = ReportContent(
        names=names,
        results=results,
        base=base,
        comparison=comparison,
        incomparable=reasons,
        all_intervals=[_estimate_intervals(result, resampling) for result in results],
        choice=choice,
        rankings=rank_side_by_side(matched_runs, choice.recipe, choice.to_detail),
        changes={
            at: find_largest_changes(
                (matched_runs[base], run),
                choice.recipe,
                (results[base], results[at]),
                most=report_data.MAX_EXPLAINED,
            )
            for at, run in enumerate(matched_runs)
            if at != base
        },
        texts=query_texts,
        seed=resampling.seed,
    )
    return render_report(content, title=title, values_file=values_file)


def _load_texts(texts: Mapping[str, str] | str | PathLike[str] | None) -> dict[str, str]:
    if texts is None:
        return {}
    if isinstance(texts, Mapping):
        return {str(query): str(text) for query, text in texts.items()}
    return read_query_texts(texts)


def _estimate_intervals(results: Results, resampling: Resampling) -> MeanIntervals:
    level = min(99.99, max(1.0, 100 * (1 - resampling.alpha)))
    return mean_intervals(
        results, round(level, 6), resamples=resampling.resamples, seed=resampling.seed
    )
