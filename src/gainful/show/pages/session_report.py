"""A report of sessions to hand over: systems compared, their course, and every conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen

from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.mean_intervals import MeanIntervals
from gainful.evidence.system_groups import SystemGroups
from gainful.measure.convention_page import build_session_table
from gainful.measure.sessions.footnotes import list_footnotes
from gainful.measure.sessions.results import session_results_page
from gainful.measure.sessions.sweep import CHANCE_NOTE, Sweep
from gainful.page.render import render
from gainful.show.figures import session_curves, winner_map
from gainful.show.figures.figure import FigureData
from gainful.show.html_page import render_page
from gainful.show.pages import report_text, session_report_text as text
from gainful.show.pages.embed_figure import EmbeddedFigure, embed_figure
from gainful.show.pages.report import FEATURE, Report
from gainful.show.pages.session_report_data import UnitChoice, build_session_data
from gainful.text import pluralise


@frozen(eq=False, kw_only=True)
class SessionReportContent:
    """What the page is about: results by system, evidence, and pictures or why there are none."""

    named: SystemGroups  # by the names of systems in full
    groups: SystemGroups  # by short ones
    base: int  # the place of the baseline
    comparison: Comparison | None
    incomparable: Sequence[str]  # why there is no comparison in some measures
    all_intervals: Sequence[MeanIntervals]
    choice: UnitChoice
    course: FigureData | str  # how gain grows from query to query
    sweep: Sweep | str  # who wins for which searcher
    seed: int


def render_session_report(
    content: SessionReportContent, *, title: str | None = None, values_file: str | None = None
) -> Report:
    """The page; `values_file` names what stands beside it where it has not all values."""
    groups, all_intervals, choice = content.groups, content.all_intervals, content.choice
    results, unit_count = groups.results, len(choice.table.queries)
    embedded = build_session_data(groups, choice, content.base)
    is_partial = len(choice.listed) < unit_count
    footnotes = list_footnotes(results, verbose=True)
    page = render_page(
        "session_report.html",
        feature=FEATURE,
        data=embedded.data | {"seed": content.seed},
        title=title or text.default_title(groups, unit_count),
        answers=_list_answers(content),
        tables=_list_tables(content),
        evidence=report_text.describe_evidence(
            content.comparison, content.incomparable, all_intervals
        ),
        plots=report_text.build_plots(all_intervals),
        dots_note=report_text.describe_dots(
            all_intervals[0].level, groups.unit, all_intervals[0].drawn
        ),
        unit=groups.unit,
        units_heading=pluralise(groups.unit).capitalize(),
        detail_script="report_session.js",
        figures=_list_figures(content),
        quality=text.build_counts_table(groups),
        notes=results.notes,
        sampling_notes=text.describe_sampling(
            groups,
            units=unit_count,
            listed=len(choice.listed),
            detailed=embedded.detailed_count,
            has_details=bool(embedded.detailed_count),
        ),
        values_file=values_file if is_partial else None,
        convention_line=footnotes[0],
        settings=build_session_table(results.convention)[1],
        full_names=report_text.map_full_names(groups.labels, content.named.labels),
        measures=text.list_measures(groups),
        observed=groups.sessions.observed,
    )
    if not is_partial:
        return Report(page)
    by = [groups.by] if groups.by is not None else []
    all_values = session_results_page(content.named.results, "per_session", by)
    return Report(page, render(all_values, "csv"))


def _list_answers(content: SessionReportContent) -> list[tuple[str, str]]:
    """For each measure the answer in a sentence; or why nothing can be said."""
    answers = report_text.describe_answers(content.comparison, content.all_intervals)
    return answers or [("Nothing can be said", reason) for reason in content.incomparable]


def _list_tables(content: SessionReportContent) -> list[dict[str, Any]]:
    """The means of all systems, and the comparison in each measure; of one system its intervals."""
    tables = report_text.build_tables(content.comparison, content.all_intervals)
    if len(content.all_intervals) == 1:
        return tables
    means = text.build_means_table(content.groups, content.all_intervals)
    compared = [] if content.comparison is None else tables
    return [{"head": "Means", "table": means, "notes": []}, *compared]


def _list_figures(content: SessionReportContent) -> list[tuple[str, str, EmbeddedFigure | str]]:
    """Each figure with its place and heading; a sentence where it cannot be drawn."""
    course: EmbeddedFigure | str = (
        content.course
        if isinstance(content.course, str)
        else embed_figure(session_curves.draw_chart, _trim_caption(content, content.course))
    )
    searchers: EmbeddedFigure | str = (
        content.sweep
        if isinstance(content.sweep, str)
        else embed_figure(
            winner_map.draw_chart, _trim_caption(content, winner_map.map_data(content.sweep))
        )
    )
    return [
        ("course", "What sessions bring, query after query", course),
        ("searchers", "Who is better for which searcher?", searchers),
    ]


def _trim_caption(content: SessionReportContent, data: FigureData) -> FigureData:
    """A figure without what the page tells elsewhere: its notes, and what more than chance is."""
    notes = {f"Note: {note}" for note in content.groups.results.notes}
    caption = [line for line in data.caption if line not in notes]
    is_map = CHANCE_NOTE in caption
    caption = [line for line in caption if line != CHANCE_NOTE]
    summary = ["means only: the summary tells whether they differ by more than chance"]
    return evolve(data, caption=(*caption, *(summary if is_map else [])))
