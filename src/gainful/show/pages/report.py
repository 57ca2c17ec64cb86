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
from gainful.evidence.compare_where_possible import compare_possible
from gainful.evidence.pairing import baseline_of
from gainful.evidence.stability import Stability, stability
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, How
from gainful.measure.evaluate import Habits, Measures, asked_for, of_run
from gainful.measure.results import Results
from gainful.read.inputs import AnyJudgments, AnyRun, as_judgments, as_run
from gainful.read.qrels_and_run import Judgments, Nested
from gainful.read.query_texts import read_texts
from gainful.show import convention, results as show_results
from gainful.show.figures.run_results import refuse_unjudged
from gainful.show.pages import report_data, report_text as words
from gainful.show.pages.html_page import rendered
from gainful.show.pages.report_data import RANKS, AsRead

_WHAT = "a report"


@frozen
class Report:
    """The page, and the values of all queries as CSV where the page has not all of them."""

    page: str
    values: str | None


def report(
    qrels: AnyJudgments,
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
    **habits: Unpack[Habits],
) -> str:
    """A page about these runs, as HTML in one file: to open from disk, to send, to print.

    Args:
        judgments: whatever `evaluate` takes.
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
        habits: single habits, as `evaluate` takes them.

    Returns:
        The page. It loads nothing, and shows at most 500 queries rank by rank.

    Examples:
        >>> judged = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> runs = {"old": {"1": ["b", "a"], "2": ["x"]}, "new": {"1": ["a"], "2": ["c"]}}
        >>> page = report(judged, runs, "nDCG@10", resamples=99)
        >>> "new is highest with 0.8801" in page
        True
    """
    how = How(alpha=alpha, resamples=resamples, seed=seed)
    ready()
    base, recipes = asked_for(measures, like, habits)
    held = as_judgments(qrels)
    named = _named(runs)
    baseline_of(baseline, list(named), "run")
    found = []
    for name, run in named.items():
        read = as_run(run, name=name)
        found.append((of_run(held, read, recipes, base, name), read))
    return drawn(
        held,
        found,
        resampling=how,
        baseline=baseline,
        test=test,
        correct=correct,
        texts=_texts(texts),
        title=title,
    ).page


def ready() -> None:
    """Is all there that a page is made with? If not, this is said before anything is read."""
    if find_spec("jinja2") is None:
        raise NotInstalled(_WHAT, "report")


def _named(runs: Mapping[str, AnyRun] | AnyRun) -> dict[str, AnyRun]:
    if not isinstance(runs, Mapping):
        named = Path(runs).name.split(".")[0] if isinstance(runs, (str, PathLike)) else ""
        return {named or getattr(runs, "name", None) or "run": runs}
    if not runs:
        raise BadValue("runs", runs, "{name: run}, with at least one")
    return {str(name): run for name, run in runs.items()}


def _texts(texts: Mapping[str, str] | str | PathLike[str] | None) -> dict[str, str]:
    if texts is None:
        return {}
    if isinstance(texts, Mapping):
        return {str(query): str(text) for query, text in texts.items()}
    return read_texts(texts)


def drawn(
    qrels: Judgments | Nested,
    found: Sequence[tuple[Results, AsRead]],
    *,
    resampling: How,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    texts: Mapping[str, str] | None = None,
    title: str | None = None,
    beside: str | None = None,
) -> Report:
    """The page of runs that are evaluated already; `beside` names a file for all values."""
    ready()
    given = [one.name for one, _ in found]
    base = given.index(baseline_of(baseline, given, "run"))
    names = words.labels(given)
    found = [(evolve(one, name=name), run) for (one, run), name in zip(found, names, strict=True)]
    results = [one for one, _ in found]
    refuse_unjudged(results)
    compared, reasons = compare_possible(
        results, baseline=names[base], test=test, correct=correct, resampling=resampling
    )
    stable = [_stable(one, resampling) for one in results]
    table = report_data.Table.of(results)
    held = report_data.embedded_data(
        qrels, found, table, base=base, seed=resampling.seed, texts=texts or {}
    )
    queries = len(table.queries)
    sampled = words.sampled(
        queries=queries,
        listed=held.listed,
        detailed=held.detailed,
        deeper=any(
            run is not None and run["more"]
            for one in held.data["details"].values()
            for run in one["runs"]
        ),
        ranks=RANKS,
    )
    apart = held.detailed < queries
    page = rendered(
        "report.html",
        what=_WHAT,
        data=held.data | {"seed": resampling.seed},
        title=title or words.title(results, queries),
        answers=words.answers(compared, stable),
        tables=words.tables(compared, stable),
        evidence=words.evidence(compared, reasons, stable),
        plots=words.plots(stable),
        level=f"{stable[0].level:g}",
        quality=words.quality(results),
        notes=words.notes(results),
        sampled=sampled,
        beside=beside if apart else None,
        line=words.counted_line(results),
        habits=convention.table(results[0].convention),
        whole=words.renamed(names, given),
        measures={name: str(measure) for name, measure in results[0].measures.items()},
        single=len(results) == 1,
    )
    values = show_results.to_csv(
        [evolve(one, name=name) for one, name in zip(results, given, strict=True)], per_query=True
    )
    return Report(page, values if apart else None)


def _stable(one: Results, resampling: How) -> Stability:
    level = min(99.99, max(1.0, 100 * (1 - resampling.alpha)))
    return stability(one, round(level, 6), resamples=resampling.resamples, seed=resampling.seed)
