"""A report of sessions to hand over: systems compared, their course, and every conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from gainful.evidence.orders.sweep import Sweep
from gainful.evidence.system_groups import SystemGroups
from gainful.match.sessions import MatchedSessions
from gainful.measure.catalogue_page import tell_sessions
from gainful.measure.entry import SessionRecipe
from gainful.measure.functions.sessions.sdcg import query_gains, session_gains
from gainful.measure.results import list_footnotes
from gainful.measure.sessions.results import SessionResults
from gainful.page.page import Page
from gainful.page.table import Table
from gainful.show.figures.figure import FigureData
from gainful.show.pages import report_text
from gainful.show.pages.report import PageContent, Report, render_document
from gainful.show.pages.report_data import (
    Choice,
    QueryValues,
    build_page_data,
    choose_rows,
    cut_text,
    hold_details,
    round_values,
)
from gainful.show.theme import DASHES, LIGHT
from gainful.text import pluralise
from gainful.types import Flags, Ranks, fill_masked

_MAX_QUERIES = 100  # of a session, of which it is told what each brought
_MAX_TEXT = 120  # characters of what a query says
_TOLD_COLUMNS = ("searcher", "scenario", "order")  # of a session, beside its system


def choose_units(groups: SystemGroups, base: int, seed: int) -> tuple[Choice, Ranks]:
    """As many as the page can hold: those that changed most, and a sample of the rest.

    Of systems that had the same conversations the table has a row each, else one for all. Where
    their sessions stand: systems × conversations, -1 where there is none.
    """
    names, places = _lay_out(groups)
    results = groups.results
    values = {}
    for measure, column in results.values.items():
        matrix = np.full(places.shape, np.nan)
        numbers = fill_masked(column)
        matrix[places >= 0] = numbers[places[places >= 0]]
        values[measure] = matrix
    table = QueryValues(tuple(names), values)
    return choose_rows(table, results.recipes, base, seed), places


def _lay_out(groups: SystemGroups) -> tuple[list[str], Ranks]:
    """What has a row, and by system where its session stands."""
    units = groups.unit_names
    if not groups.has_pairs:
        return units.to_list(), np.arange(len(units))[None, :]
    names = units.unique(maintain_order=True)
    number = {name: at for at, name in enumerate(names.to_list())}
    column = np.array([number[name] for name in units.to_list()], dtype=np.intp)
    places = np.full((len(groups.flags), len(names)), -1, dtype=np.intp)
    for row, flags in zip(places, groups.flags.values(), strict=True):
        row[column[flags]] = np.flatnonzero(flags)
    return names.to_list(), places


def build_session_data(
    groups: SystemGroups, choice: Choice, places: Ranks, base: int
) -> dict[str, Any]:
    """What the page has of conversations or sessions, as much as it can hold."""
    results, recipe = groups.results, groups.results.recipes[choice.measure]
    is_split = not groups.has_pairs and len(groups.flags) > 1  # a session has one system
    details = {}
    if recipe.entry.has_vectors:
        details = hold_details(choice.priority, _list_details(groups, choice, places, recipe))
    data = build_page_data(
        results,
        choice,
        details,
        words={
            "unit": groups.unit,
            "units": pluralise(groups.unit),
            "system": groups.by or "system",
            "judged": "files",
        },
        runs=[choice.measure] if is_split else groups.labels,
        base=base if groups.has_pairs else 0,
        # Is the value what the queries brought, divided by what an ideal session would?
        normalised=recipe.entry.normalised
        and (recipe.convention.statistic, recipe.convention.normalise) == ("final", "session"),
        texts=_describe_sessions(groups, choice),
    )
    if is_split:
        numbers = np.zeros(results.matched_sessions.size, dtype=np.intp)
        for number, flags in enumerate(groups.flags.values()):
            numbers[flags] = number
        data["groups"] = groups.labels
        data["group"] = numbers[choice.listed].tolist()
    return data


def _describe_sessions(groups: SystemGroups, choice: Choice) -> list[str | None]:
    """Of each session its system, its searcher and its scenario; of conversations nothing."""
    if groups.has_pairs:
        return []
    columns = groups.results.columns
    names = [*([] if groups.by is None else [groups.by])]
    names += [name for name in _TOLD_COLUMNS if name in columns.columns and name not in names]
    if not names:
        return []
    rows = columns[names].cast(pl.String)[list(choice.listed)]
    return [
        " · ".join(
            f"{name} {value}" for name, value in zip(names, row, strict=True) if value is not None
        )
        for row in rows.iter_rows()
    ]


def _list_details(
    groups: SystemGroups, choice: Choice, places: Ranks, recipe: SessionRecipe
) -> Iterator[dict[str, Any]]:
    """What each query of a session brought, by system, the most telling first."""
    sessions = groups.sessions.keep_first_queries(recipe.queries)
    gains = query_gains(sessions, recipe, session_gains(sessions, recipe))
    texts = None
    if "text" in sessions.rows.columns:
        texts = sessions.rows["text"].cast(pl.String)[sessions.layout.query_starts]
    first, counts = sessions.first_query, sessions.query_counts
    for place in choice.priority:
        runs: list[dict[str, Any] | None] = []
        for session in places[:, choice.listed[place]].tolist():
            if session < 0:
                runs.append(None)
                continue
            begin = int(first[session])
            end = begin + int(counts[session])
            shown = slice(begin, min(end, begin + _MAX_QUERIES))
            run: dict[str, Any] = {
                "gains": round_values(gains[shown].tolist()),
                "sum": float(gains[begin:end].sum()),
                "more": end - shown.stop,
            }
            if texts is not None:
                run["texts"] = [
                    None if text is None else cut_text(text, _MAX_TEXT)
                    for text in texts[shown].to_list()
                ]
            runs.append(run)
        yield {"runs": runs}


_TOP = 10  # results of a query that are looked at


def build_counts_table(groups: SystemGroups) -> Table:
    """What was read of each system: sessions, queries, results, and what is known of these."""
    sessions = groups.sessions
    queries = sessions.query_counts.astype(np.int64)
    known = _count_known(groups)
    heads = ["sessions", "queries", "queries\nper session", "results", *known]
    rows = []
    for label, flags in zip(groups.labels, groups.flags.values(), strict=True):
        of_query = flags[sessions.session]
        number, asked = int(flags.sum()), int(queries[flags].sum())
        row = [label, f"{number:,}", f"{asked:,}", f"{asked / number:.2f}"]
        row.append(f"{int(sessions.retrieved[of_query].sum()):,}")
        rows.append([*row, *(f"{int(counts[of_query].sum()):,}" for counts in known.values())])
        if not sessions.observed:
            rows[-1].append(_share_unjudged(sessions, of_query))
    heads += [] if sessions.observed else [f"unjudged in\nthe top {_TOP}"]
    return Table((groups.by or "system", *heads), rows, numeric=True, label_columns=1)


def _count_known(groups: SystemGroups) -> dict[str, Ranks]:
    sessions = groups.sessions
    judged, number = sessions.judged, len(sessions.position)
    if sessions.observed:
        gained = judged.query[judged.grade > 0]
        return {sessions.observed: np.bincount(gained, minlength=number)}
    known = {"judged": np.bincount(judged.query, minlength=number)}
    if "clicked" in sessions.rows.columns:
        clicks = sessions.rows["clicked"].cast(pl.Float64, strict=False).fill_null(0.0) > 0
        clicked = sessions.query_of_row[clicks.to_numpy()]
        known["clicked"] = np.bincount(clicked, minlength=number)
    return known


def _share_unjudged(sessions: MatchedSessions, of_query: Flags) -> str:
    seen = int(np.minimum(sessions.retrieved, _TOP)[of_query].sum())
    judged = sessions.judged
    known = int((of_query[judged.query] & (judged.rank <= _TOP)).sum())
    return f"{100 * max(1 - known / seen, 0.0) if seen else 0.0:.1f} %"


@frozen(eq=False, kw_only=True)
class SessionReportContent(PageContent):
    """What the page is about: results by system, evidence, and pictures or why there are none."""

    named_results: SessionResults  # with the names of systems in full
    groups: SystemGroups  # by short names
    places: Ranks  # of sessions: systems × what has a row
    course: FigureData | str  # how gain grows from query to query
    sweep: Sweep | str  # who wins for which searcher


def render_session_report(content: SessionReportContent) -> Report:
    """The page of sessions."""
    groups, choice = content.groups, content.choice
    results, number = groups.results, len(choice.table.queries)
    data = build_session_data(groups, choice, content.places, content.base)

    def list_values() -> Page:
        by = [groups.by] if groups.by is not None else []
        return content.named_results.page("per_session", by)

    return render_document(
        "session_report.html",
        content,
        data | _build_figure_data(content),
        list_values if len(choice.listed) < number else None,
        alone=Path(groups.labels[0]).name,
        tables=report_text.build_tables(
            content.comparison,
            content.all_intervals,
            dict(zip(groups.names, groups.labels, strict=True)),
        ),
        scripts=(
            *("elements.js", "charts.js", "report_session.js"),
            *("report_figures.js", "report.js"),
        ),
        figures=_list_figures(content),
        quality=build_counts_table(groups),
        notes=results.notes,
        sampling_notes=report_text.describe_sampling(
            choice,
            len(data["details"]) or number,
            units=pluralise(groups.unit),
            work="The gain of each query is",
            telling="that changed most" if groups.has_pairs else "farthest from the median",
        ),
        convention_line=list_footnotes([results], verbose=True)[0],
        settings=tell_sessions([results.convention])[1],
        observed=groups.sessions.observed,
    )


def _list_figures(content: SessionReportContent) -> list[tuple[str, str, str]]:
    """Each figure with its place and heading, and what it shows; or why it cannot be drawn."""
    course, sweep, system = content.course, content.sweep, content.groups.by or "system"
    if not isinstance(course, str):
        bands = f" Bands: {content.all_intervals[0].level:g} % intervals."
        course = "After a searcher's last query the line stays flat." + (
            bands if "low" in course.frame.columns else ""
        )
    if not isinstance(sweep, str):
        chance = "These are means: the headline says whether they differ significantly."
        ring = " The ring marks the setting of this report." if _has_map(sweep) else ""
        sweep = f"{sweep.sentences[0]} {chance}{ring}"
    return [
        ("course", "The gain of sessions, query by query", course),
        ("searchers", f"Which {system} is better for which searcher?", sweep),
    ]


def _build_figure_data(content: SessionReportContent) -> dict[str, Any]:
    course, sweep = content.course, content.sweep
    return {
        "coloured": len(content.groups.labels) <= len(LIGHT.series),
        "systems": content.groups.labels,
        "dashes": DASHES,
        "course": None if isinstance(course, str) else _build_course(content.choice, course),
        "searchers": None if isinstance(sweep, str) or not _has_map(sweep) else _build_map(sweep),
    }


def _build_course(choice: Choice, course: FigureData) -> dict[str, Any]:
    has_band = "low" in course.frame.columns
    series = []
    for (name,), part in course.frame.group_by("group", maintain_order=True):
        columns = part.select("position", pl.col("mean", *(["low", "high"] if has_band else [])))
        rows = columns.fill_nan(None).with_columns(pl.exclude("position").round(6)).rows()
        band = [(at, low, high) for at, _, low, high in rows if low is not None] if has_band else []
        series.append({"name": name, "points": [row[:2] for row in rows], "band": band})
    return {"measure": choice.measure, "lot": course.extra["depth"], "series": series}


def _has_map(sweep: Sweep) -> bool:
    """Does the lead change? One system in one colour needs no picture."""
    return len(np.unique(sweep.planes[0].winners)) > 1


def _build_map(sweep: Sweep) -> dict[str, Any]:
    means = np.nan_to_num(sweep.planes[0].means, nan=-1.0)
    leads = []
    for group in range(means.shape[2]):
        others = np.delete(means, group, axis=2).max(axis=2)
        leads.append(round_values((means[..., group] - others).ravel().tolist()))
    b, bq = sweep.reference
    here = {"b": b, "bq": bq}
    return {"names": sweep.group_labels, "b": sweep.b, "bq": sweep.bq, "leads": leads, "here": here}
