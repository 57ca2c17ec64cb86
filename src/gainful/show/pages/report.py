"""A report to hand over: one page with the comparison, its evidence, and every query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from attrs import evolve, frozen

from gainful.errors import NotInstalled
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.intervals import MeanIntervals
from gainful.evidence.moves.largest_changes import LargestChanges
from gainful.evidence.side_by_side import SideBySide
from gainful.measure import catalogue_page as convention
from gainful.measure.results import list_footnotes, merge_notes, results_page
from gainful.measure.values import Results
from gainful.page.render import render
from gainful.show.html_page import HtmlPage, render_page
from gainful.show.pages import report_data, report_text as text
from gainful.show.pages.report_data import Choice, FindTexts, build_report_data
from gainful.text import count_noun, pluralise

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
class PageContent:
    """What a page is about, be it of runs or of sessions: evidence, and what has a row."""

    base: int  # the place of the baseline
    comparison: Comparison | None
    incomparable: Sequence[str]  # why there is no comparison in some measures
    all_intervals: Sequence[MeanIntervals]
    choice: Choice
    seed: int


@frozen(eq=False, kw_only=True)
class ReportContent(PageContent):
    """What the page of runs is about: results, evidence, and queries with their rankings."""

    names: Sequence[str]  # of the runs, in full; the results have short ones
    results: Sequence[Results]
    rankings: Iterable[SideBySide]  # of the queries to detail; made as far as the page holds them
    changes: Mapping[int, LargestChanges]  # by the place of the run
    texts: Mapping[str, str]  # what the queries say
    find_documents: FindTexts | None = None  # what these documents say


def require_extra() -> None:
    """Is all there that a page is made with? If not, this is said before anything is read."""
    if find_spec("jinja2") is None:
        raise NotInstalled(FEATURE, "report")


def render_document(
    template: str, content: PageContent, data: Mapping[str, Any], results: Results, **context: Any
) -> str:
    """A page of one of the templates, with all that runs and sessions have in common."""
    comparison, all_intervals = content.comparison, content.all_intervals
    first, units = all_intervals[0], len(content.choice.table.queries)
    return render_page(
        template,
        feature=FEATURE,
        data={**data, "seed": content.seed},
        headline=text.write_headline(comparison, all_intervals, results),
        answers=text.describe_answers(comparison, all_intervals),
        incomparable=content.incomparable if units > 1 else (),
        evidence=text.describe_evidence(comparison, all_intervals) if units > 1 else (),
        plots=text.build_plots(all_intervals, results, coloured=data.get("coloured", False)),
        system_noun=first.kind,
        dots_note=text.describe_dots(first, units),
        unit=first.unit,
        units_heading=pluralise(first.unit).capitalize(),
        measures={name: str(measure) for name, measure in results.measures.items()},
        **context,
    )


def render_report(
    content: ReportContent, *, title: str | None = None, values_file: str | None = None
) -> Report:
    """The page; `values_file` names what stands beside it where it has not all values."""
    results, choice = content.results, content.choice
    labels = [result.name for result in results]
    embedded = build_report_data(
        results,
        choice,
        content.rankings,
        content.changes,
        base=content.base,
        texts=content.texts,
        find_documents=content.find_documents,
    )
    number = len(choice.table.queries)
    is_partial = embedded.detailed_count < number
    sampling_notes = text.describe_sampling(
        choice, embedded.detailed_count, units="queries", work="Rankings are"
    )
    if embedded.is_cut:
        sampling_notes.append(f"Rankings are shown down to rank {report_data.MAX_RANKS}.")
    page = render_document(
        "report.html",
        content,
        embedded.data,
        results[0],
        title=title or text.default_title(labels, "run", count_noun(number, "query")),
        tables=text.build_tables(content.comparison, content.all_intervals),
        scripts=("elements.js", "report_rankings.js", "report.js"),
        quality=text.build_quality_table(results),
        notes=merge_notes(results),
        sampling_notes=sampling_notes,
        values_file=values_file if is_partial else None,
        convention_line=list_footnotes(results, verbose=True)[0],
        settings=convention.tell_tools([results[0].convention])[1],
        full_names=text.map_full_names(labels, content.names),
        groups=text.build_groups(
            [(run.name, run, np.ones(len(run.ids), dtype=bool)) for run in results]
        ),
    )
    if not is_partial:
        return Report(page)
    named = [evolve(result, name=name) for result, name in zip(results, content.names, strict=True)]
    return Report(page, render(results_page(named, per_query=True), "csv"))
