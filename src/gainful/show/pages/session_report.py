"""A report of sessions to hand over: systems compared, their course, and every conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from gainful.evidence.orders.sweep import Sweep
from gainful.evidence.system_groups import SystemGroups
from gainful.match.sessions import MatchedSessions
from gainful.measure.catalogue_page import tell_sessions
from gainful.measure.entry import SessionRecipe
from gainful.measure.functions.sessions.sdcg import query_gains, session_gains
from gainful.measure.sessions.results import SessionResults
from gainful.page.page import Page
from gainful.page.table import Table
from gainful.show.figures.figure import FigureData
from gainful.show.pages import report_text
from gainful.show.pages.report import Report, ReportContent, render_report
from gainful.show.pages.report_data import (
    PageUnits,
    build_page_data,
    cut_text,
    hold_details,
    round_values,
)
from gainful.show.theme import DASHES, LIGHT
from gainful.text import pluralise
from gainful.types import Flags, Ranks

_MAX_QUERIES = 100  # of a session, of which it is told what each brought
_MAX_TEXT = 120  # characters of what a query says
_TOLD_COLUMNS = ("searcher", "scenario", "order")  # of a session, beside its system


def _build_session_data(groups: SystemGroups, units: PageUnits, base: int) -> dict[str, Any]:
    """What the page has of conversations or sessions, as much as it can hold."""
    results, recipe = groups.results, groups.results.recipes[units.measure]
    is_split = not groups.has_pairs and len(groups.flags) > 1  # a session has one system
    rows = _list_details(groups, units, recipe) if recipe.entry.has_vectors else ()
    details = hold_details(units.priority, rows)
    data = build_page_data(
        results,
        units,
        details,
        words={
            "unit": groups.unit,
            "units": pluralise(groups.unit),
            "system": groups.by or "system",
            "judged": "files",
        },
        runs=[units.measure] if is_split else groups.labels,
        base=base if groups.has_pairs else 0,
        # Is the value what the queries brought, divided by what an ideal session would?
        normalised=recipe.entry.normalised
        and (recipe.convention.statistic, recipe.convention.normalise) == ("final", "session"),
        texts=_describe_sessions(groups, units),
    )
    if is_split:
        numbers = np.zeros(results.matched_sessions.size, dtype=np.intp)
        for number, flags in enumerate(groups.flags.values()):
            numbers[flags] = number
        data["groups"] = groups.labels
        data["group"] = numbers[units.listed].tolist()
    return data


def _describe_sessions(groups: SystemGroups, units: PageUnits) -> list[str | None]:
    """Of each session its system, its searcher and its scenario; of conversations nothing."""
    columns = groups.results.columns
    names = [] if groups.by is None else [groups.by]
    names += [name for name in _TOLD_COLUMNS if name in columns.columns and name not in names]
    if groups.has_pairs or not names:
        return []
    rows = columns[names].cast(pl.String)[list(units.listed)]
    return [
        " · ".join(
            f"{name} {value}" for name, value in zip(names, row, strict=True) if value is not None
        )
        for row in rows.iter_rows()
    ]


def _list_details(
    groups: SystemGroups, units: PageUnits, recipe: SessionRecipe
) -> Iterator[dict[str, Any]]:
    """What each query of a session brought, by system, the most telling first."""
    sessions = groups.sessions.keep_first_queries(recipe.queries)
    gains = query_gains(session_gains(sessions, recipe))
    texts = None
    if "text" in sessions.rows.columns:
        texts = sessions.rows["text"].cast(pl.String)[sessions.layout.query_starts]
    first, counts = sessions.first_query, sessions.query_counts
    for place in units.priority:
        runs: list[dict[str, Any] | None] = []
        for session in units.places[:, units.listed[place]].tolist():
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


def _build_counts_table(groups: SystemGroups) -> Table:
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
        if not sessions.gain_event:
            rows[-1].append(_share_unjudged(sessions, of_query))
    heads += [] if sessions.gain_event else [f"unjudged in\nthe top {_TOP}"]
    return Table((groups.by or "system", *heads), rows, numeric=True, label_columns=1)


def _count_known(groups: SystemGroups) -> dict[str, Ranks]:
    sessions = groups.sessions
    judged, number = sessions.judged, len(sessions.position)
    if sessions.gain_event:
        gained = judged.query[judged.grade > 0]
        return {sessions.gain_event: np.bincount(gained, minlength=number)}
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


def render_session_report(
    content: ReportContent,
    groups: SystemGroups,  # results of the systems by short names
    named_results: SessionResults,  # the same with the names of systems in full
    course: FigureData | str,  # how gain grows from query to query; or why there is no picture
    sweep: Sweep | str,  # who wins for which searcher; or why that is not told
) -> Report:
    """The page of sessions or conversations."""
    units, comparison, system = content.units, content.comparison, groups.by or "system"
    data, number = _build_session_data(groups, units, content.base), len(units.all_names)
    figures = {
        "coloured": len(groups.labels) <= len(LIGHT.series),
        "systems": groups.labels,
        "dashes": DASHES,
        "course": None if isinstance(course, str) else _build_course(units.measure, course),
        "searchers": None if isinstance(sweep, str) or not _has_map(sweep) else _build_map(sweep),
    }
    if not isinstance(course, str):
        bands = f" Bands: {content.all_intervals[0].level:g} % intervals."
        course = "After a searcher's last query the line stays flat." + (
            bands if "low" in course.frame.columns else ""
        )
    if not isinstance(sweep, str):
        chance = "These are means: the headline says whether they differ significantly."
        ring = " The ring marks the setting of this report." if _has_map(sweep) else ""
        sweep = f"{sweep.sentences[0]} {chance}{ring}"

    def list_values() -> Page:
        return named_results.page("per_session", [] if groups.by is None else [groups.by])

    return render_report(
        "session_report.html",
        content,
        data | figures,
        list_values if len(units.listed) < number else None,
        alone=Path(groups.labels[0]).name,
        tables=report_text.build_tables(
            comparison, content.all_intervals, dict(zip(groups.names, groups.labels, strict=True))
        ),
        scripts=(
            *("elements.js", "charts.js", "report_session.js"),
            *("report_figures.js", "report.js"),
        ),
        figures=[
            ("course", "The gain of sessions, query by query", course),
            ("searchers", f"Which {system} is better for which searcher?", sweep),
        ],
        quality=_build_counts_table(groups),
        sampling_notes=report_text.describe_sampling(
            units,
            len(data["details"]) or number,
            noun=pluralise(groups.unit),
            work="The gain of each query is",
            telling="that changed most" if groups.has_pairs else "farthest from the median",
        ),
        settings=tell_sessions([groups.results.convention])[1],
        gain_event=groups.sessions.gain_event,
    )


def _build_course(measure: str, course: FigureData) -> dict[str, Any]:
    has_band = "low" in course.frame.columns
    series = []
    for (name,), part in course.frame.group_by("group", maintain_order=True):
        columns = part.select("position", pl.col("mean", *(["low", "high"] if has_band else [])))
        rows = columns.fill_nan(None).with_columns(pl.exclude("position").round(6)).rows()
        band = [(at, low, high) for at, _, low, high in rows if low is not None] if has_band else []
        series.append({"name": name, "points": [row[:2] for row in rows], "band": band})
    return {"measure": measure, "lot": course.extra["depth"], "series": series}


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
