"""A report to hand over: one page with the comparison, its evidence, and every query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Unpack

from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.errors import BadValue, NotInstalled
from gainful.evidence.compare_where_possible import compare_where_possible
from gainful.evidence.pairing import choose_baseline
from gainful.evidence.stability import Stability, stability
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.measure.evaluate import EvaluationSettings, Measures, build_recipes, evaluate_run
from gainful.measure.results import Results
from gainful.measure.results_page import results_page
from gainful.page.render import render
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels, as_run
from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.read.query_texts import read_query_texts
from gainful.show import convention
from gainful.show.figures.run_results import refuse_unjudged
from gainful.show.pages import report_data, report_text as text
from gainful.show.pages.html_page import render_page
from gainful.show.pages.report_data import MAX_RANKS, LoadedRun

_FEATURE = "a report"


@frozen
class Report:
    """The page, and the values of all queries as CSV where the page has not all of them."""

    page: str
    values_csv: str | None


def report(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun] | AnyRun,
    measures: Measures | None = None,
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    texts: Mapping[str, str] | str | PathLike[str] | None = None,
    title: str | None = None,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> str:
    """A page about these runs, as HTML in one file: to open from disk, to send, to print.

    Args:
        qrels: whatever `evaluate` takes.
        runs: one run or more, by name; or a single one as a path or a frame.
        measures: whatever `evaluate` takes. The work of the first that cumulates gain is shown
            rank by rank.
        baseline: the run that the others are set against; the first if none is named.
        test: as `compare_runs` has it.
        correct: as `compare_runs` has it.
        alpha: from which p on a difference counts as significant; intervals are of 1 - alpha.
        resamples: how many, where chance is asked.
        seed: which chance; the same seed gives the same page.
        texts: what the queries say, by id; or a file of them.
        title: what the page is called.
        like: the tool whose habits to follow.
        settings: single habits, as `evaluate` takes them.

    Returns:
        The page. It loads nothing, and shows at most 500 queries rank by rank.

    Examples:
        >>> judged = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> runs = {"old": {"1": ["b", "a"], "2": ["x"]}, "new": {"1": ["a"], "2": ["c"]}}
        >>> page = report(judged, runs, "nDCG@10", resamples=99)
        >>> "new is highest with 0.8801" in page
        True
    """
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    check_installed()
    base_convention, recipes = build_recipes(measures, like, settings)
    loaded_qrels = as_qrels(qrels)
    runs_by_name = _name_runs(runs)
    choose_baseline(baseline, list(runs_by_name), "run")
    evaluated_runs = []
    for name, run in runs_by_name.items():
        loaded_run = as_run(run, name=name)
        evaluated_runs.append(
            (evaluate_run(loaded_qrels, loaded_run, recipes, base_convention, name), loaded_run)
        )
    return build_report(
        loaded_qrels,
        evaluated_runs,
        resampling=resampling,
        baseline=baseline,
        test=test,
        correct=correct,
        texts=_load_texts(texts),
        title=title,
    ).page


def check_installed() -> None:
    """Is all there that a page is made with? If not, this is said before anything is read."""
    if find_spec("jinja2") is None:
        raise NotInstalled(_FEATURE, "report")


def _name_runs(runs: Mapping[str, AnyRun] | AnyRun) -> dict[str, AnyRun]:
    if not isinstance(runs, Mapping):
        stem = Path(runs).name.split(".")[0] if isinstance(runs, (str, PathLike)) else ""
        return {stem or getattr(runs, "name", None) or "run": runs}
    if not runs:
        raise BadValue("runs", runs, "{name: run}, with at least one")
    return {str(name): run for name, run in runs.items()}


def _load_texts(texts: Mapping[str, str] | str | PathLike[str] | None) -> dict[str, str]:
    if texts is None:
        return {}
    if isinstance(texts, Mapping):
        return {str(query): str(text) for query, text in texts.items()}
    return read_query_texts(texts)


def build_report(
    qrels: Qrels | NestedDict,
    evaluated_runs: Sequence[tuple[Results, LoadedRun]],
    *,
    resampling: Resampling,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    texts: Mapping[str, str] | None = None,
    title: str | None = None,
    values_file: str | None = None,
) -> Report:
    """The page of runs that are evaluated already; `values_file` names a file for all values."""
    check_installed()
    run_names = [result.name for result, _ in evaluated_runs]
    baseline_index = run_names.index(choose_baseline(baseline, run_names, "run"))
    labels = text.label_runs(run_names)
    evaluated_runs = [
        (evolve(result, name=name), run)
        for (result, run), name in zip(evaluated_runs, labels, strict=True)
    ]
    results = [result for result, _ in evaluated_runs]
    refuse_unjudged(results)
    comparison, reasons = compare_where_possible(
        results, baseline=labels[baseline_index], test=test, correct=correct, resampling=resampling
    )
    stabilities = [_estimate_stability(result, resampling) for result in results]
    table = report_data.QueryValues.from_results(results)
    embedded = report_data.build_report_data(
        qrels, evaluated_runs, table, base=baseline_index, seed=resampling.seed, texts=texts or {}
    )
    query_count = len(table.queries)
    sampling_notes = text.describe_sampling(
        queries=query_count,
        listed=embedded.listed_count,
        detailed=embedded.detailed_count,
        deeper=any(
            run is not None and run["more"]
            for detail in embedded.data["details"].values()
            for run in detail["runs"]
        ),
        ranks=MAX_RANKS,
    )
    is_partial = embedded.detailed_count < query_count
    page = render_page(
        "report.html",
        feature=_FEATURE,
        data=embedded.data | {"seed": resampling.seed},
        title=title or text.default_title(results, query_count),
        answers=text.describe_answers(comparison, stabilities),
        tables=text.build_tables(comparison, stabilities),
        evidence=text.describe_evidence(comparison, reasons, stabilities),
        plots=text.build_plots(stabilities),
        level=f"{stabilities[0].level:g}",
        quality=text.build_quality_table(results),
        notes=text.merge_notes(results),
        sampling_notes=sampling_notes,
        values_file=values_file if is_partial else None,
        convention_line=text.describe_convention(results),
        settings=convention.build_table(results[0].convention),
        full_names=text.map_full_names(labels, run_names),
        measures={name: str(measure) for name, measure in results[0].measures.items()},
        single=len(results) == 1,
    )
    named = [evolve(result, name=name) for result, name in zip(results, run_names, strict=True)]
    values = render(results_page(named, per_query=True), "csv") if is_partial else None
    return Report(page, values)


def _estimate_stability(results: Results, resampling: Resampling) -> Stability:
    level = min(99.99, max(1.0, 100 * (1 - resampling.alpha)))
    return stability(results, round(level, 6), resamples=resampling.resamples, seed=resampling.seed)
