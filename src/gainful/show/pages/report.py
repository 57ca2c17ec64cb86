"""A report to hand over: one page with the comparison, its evidence, and every query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Self

from attrs import evolve, frozen

from gainful.errors import NotInstalled
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.intervals import MeanIntervals
from gainful.evidence.reasons.largest_changes import LargestChanges
from gainful.evidence.side_by_side import SideBySide
from gainful.evidence.system_groups import System
from gainful.measure import catalogue_page as convention
from gainful.measure.results import list_footnotes, results_page
from gainful.measure.values import Results, name_units
from gainful.page.page import Page
from gainful.page.render import render
from gainful.show.html_page import HtmlPage, render_page
from gainful.show.pages import report_data, report_text as text
from gainful.show.pages.report_data import FindTexts, PageUnits, build_run_data
from gainful.text import count_noun, merge_notes, pluralise

FEATURE = "a report"


class Report(HtmlPage):
    """A page of HTML as text, and the values of all queries as CSV where it has not all of them."""

    __slots__ = ("values_csv",)
    values_csv: str | None

    def __new__(cls, html: str, values_csv: str | None = None) -> Self:
        """A text that carries more than itself."""
        report = super().__new__(cls, html)
        report.values_csv = values_csv
        return report


@frozen(eq=False, kw_only=True)
class ReportContent:
    """What a page is about, be it of runs or of sessions: evidence, and what has a row."""

    systems: Sequence[System]  # by short names
    full_names: Sequence[str]
    base: int  # the place of the baseline
    comparison: Comparison | None
    incomparable: Sequence[str]  # why there is no comparison in some measures
    all_intervals: Sequence[MeanIntervals]
    units: PageUnits
    seed: int
    title: str | None = None
    values_file: str | None = None  # what stands beside the page where it has not all values

    @property
    def results(self) -> list[Results]:
        """Those of the runs, or of the sessions of all systems."""
        return [*{id(results): results for _, results, _ in self.systems}.values()]


def require_extra() -> None:
    """Is all there that a page is made with? If not, this is said before anything is read."""
    if find_spec("jinja2") is None:
        raise NotInstalled(FEATURE, "report")


def render_report(
    template: str,
    content: ReportContent,
    data: Mapping[str, Any],
    list_values: Callable[[], Page] | None,
    *,
    alone: str = "",
    **context: Any,
) -> Report:
    """A page of one of the templates, with all that runs and sessions have in common.

    `list_values` gives all values where the page has not all of them; `alone` is what the only
    system is called in the title.
    """
    comparison, all_intervals, results = content.comparison, content.all_intervals, content.results
    labels = [label for label, _, _ in content.systems]
    first, size = all_intervals[0], len(content.units.all_names)
    whose = (alone or labels[0]) if len(labels) == 1 else count_noun(len(labels), first.kind)
    names = zip(labels, content.full_names, strict=True)
    page = render_page(
        template,
        feature=FEATURE,
        data={**data, "seed": content.seed},
        title=content.title or f"{whose}, {count_noun(size, first.unit)}",
        headline=text.write_headline(comparison, all_intervals, results[0]),
        answers=text.describe_answers(comparison, all_intervals),
        incomparable=content.incomparable if size > 1 else (),
        evidence=text.describe_evidence(comparison, all_intervals) if size > 1 else (),
        plots=text.build_plots(all_intervals, results[0], coloured=data.get("coloured", False)),
        groups=text.build_groups(content.systems),
        system_noun=first.kind,
        dots_note=text.describe_dots(first, size),
        unit=first.unit,
        units_heading=pluralise(first.unit).capitalize(),
        measures={name: str(measure) for name, measure in results[0].measures.items()},
        full_names={label: name for label, name in names if label != name},
        values_file=None if list_values is None else content.values_file,
        notes=merge_notes([(run.name, run.notes) for run in results]),
        convention_line=list_footnotes(results, verbose=True)[0],
        **context,
    )
    return Report(page, None if list_values is None else render(list_values(), "csv"))


def render_run_report(
    content: ReportContent,
    rankings: Iterable[SideBySide],  # of the queries to detail
    changes: Mapping[int, LargestChanges],  # by the place of a run, what changed most
    texts: Mapping[str, str],  # what the queries say
    find_documents: FindTexts | None,  # finds what documents say
) -> Report:
    """The page of runs: with the rankings of queries, made as far as the page holds them."""
    units, runs = content.units, content.results
    data = build_run_data(
        runs,
        units,
        rankings,
        changes,
        texts=texts,
        find_documents=find_documents,
        base=content.base,
    )
    details = data["details"].values()
    sampling_notes = text.describe_sampling(
        units, len(details), noun=pluralise(runs[0].unit), work="Rankings are"
    )
    if any(run is not None and run["more"] for detail in details for run in detail["runs"]):
        sampling_notes.append(f"Rankings are shown down to rank {report_data.MAX_RANKS}.")

    def list_values() -> Page:
        named = zip(runs, content.full_names, strict=True)
        return results_page([evolve(run, name=name) for run, name in named], per_query=True)

    _, settings = convention.tell_tools([runs[0].convention])
    rows = [[name_units(cell, runs[0].unit) for cell in row] for row in settings.rows]
    return render_report(
        "report.html",
        content,
        data,
        list_values if len(details) < len(units.all_names) else None,
        tables=text.build_tables(content.comparison, content.all_intervals),
        scripts=("elements.js", "report_rankings.js", "report.js"),
        quality=text.build_quality_table(runs),
        sampling_notes=sampling_notes,
        settings=evolve(settings, rows=rows),
    )
