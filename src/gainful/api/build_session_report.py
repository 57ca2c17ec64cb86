"""From the results of sessions to the page about them: systems, evidence, pictures."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from attrs import evolve

from gainful.api.sweep import sweep_matched
from gainful.errors import BadInput
from gainful.evidence.comparisons.compare import compare_where_possible
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.study import choose_blocks, compare_session_results
from gainful.evidence.intervals import DrawnUnits, session_intervals
from gainful.evidence.method import MethodOptions
from gainful.evidence.pairing import ClusterChoice, choose_baseline, read_clusters
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.system_groups import SystemGroups, group_systems
from gainful.measure.measure import Measure
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep import Sweep
from gainful.read.several_systems import SYSTEM
from gainful.show.figures.figure import FigureData
from gainful.show.figures.session_curves import sessions_data
from gainful.show.pages.report import Report, require_extra
from gainful.show.pages.report_text import label_runs
from gainful.show.pages.session_report import (
    SessionReportContent,
    choose_shown,
    choose_units,
    render_session_report,
)

__all__ = ["build_session_report", "require_extra"]

_MOST_SESSIONS = 10_000  # of which bands and the map of searchers are quick to find
_BAND_RESAMPLES = 1000
_MOST_LINES = 12  # systems whose curves can be told apart in a picture
_MOST_BANDS = 4  # systems whose bands can


def build_session_report(
    results: SessionResults,
    by: str | None,
    block: str | Sequence[str] | None,
    weighing: MethodOptions,
    resampling: Resampling,
    *,
    title: str | None,
    values_file: str | None,
) -> Report:
    """The page about sessions that are evaluated already; the rest is as `report` has it."""
    named = group_systems(results, by)
    groups = _shorten_names(named)
    baseline = choose_baseline(weighing.get("baseline"), named.names, named.by or SYSTEM)
    base = named.names.index(baseline)
    weighing = {**weighing, "baseline": groups.names[base]}
    comparison, reasons = _compare(groups, block, weighing)
    content = SessionReportContent(
        named=named,
        groups=groups,
        base=base,
        comparison=comparison,
        incomparable=reasons,
        all_intervals=session_intervals(
            groups.results,
            dict(zip(groups.labels, groups.flags.values(), strict=True)),
            resampling,
            unit=groups.unit,
            drawn=_choose_drawn(groups, block, weighing.get("cluster")),
            kind=groups.by or SYSTEM,
        ),
        choice=choose_units(groups, base, resampling.seed),
        course=_draw_course(groups, resampling),
        sweep=_sweep_searchers(groups),
        seed=resampling.seed,
    )
    return render_session_report(content, title=title, values_file=values_file)


def _shorten_names(groups: SystemGroups) -> SystemGroups:
    """The systems by names that are not long, steer nothing, and can be told apart."""
    labels = label_runs(groups.names)
    if labels == groups.names or groups.by is None:
        flags = dict(zip(labels, groups.flags.values(), strict=True))
        return evolve(groups, flags=flags)
    sessions = groups.sessions
    names = sessions.rows[groups.by].alias("").cast(pl.String)
    column = names.replace_strict(groups.names, labels)
    rows = sessions.rows.with_columns(column.alias(groups.by))
    results: SessionResults = evolve(groups.results, matched_sessions=evolve(sessions, rows=rows))
    flags = dict(zip(labels, groups.flags.values(), strict=True))
    return evolve(groups, results=results, flags=flags)


def _compare(
    groups: SystemGroups, block: str | Sequence[str] | None, weighing: MethodOptions
) -> tuple[Comparison | None, list[str]]:
    """The comparison of systems, in the measures that allow one; none of a single system."""
    by = groups.by
    if by is None or len(groups.flags) < 2:
        return None, []
    return compare_where_possible(
        [groups.results],
        lambda results: compare_session_results(results[0], by, block, **weighing),
    )


def _choose_drawn(
    groups: SystemGroups, block: str | Sequence[str] | None, cluster: ClusterChoice | None
) -> DrawnUnits:
    """What is drawn again: clusters of conversations, or searchers with all their sessions."""
    results = groups.results
    if groups.has_pairs:
        if cluster is None:
            return DrawnUnits(groups.unit)
        find = read_clusters(cluster).find
        labels = [find(name) for name in groups.unit_names.to_list()]
        return DrawnUnits.from_labels(pl.Series("cluster", labels), groups.unit)
    blocks = choose_blocks(results, groups.by or SYSTEM, block)
    if blocks:
        return DrawnUnits.from_labels(results.columns[blocks[0]], groups.unit)
    return DrawnUnits(groups.unit)


def _draw_course(groups: SystemGroups, resampling: Resampling) -> FigureData | str:
    """How gain grows from query to query, with bands where these are quick; or why not."""
    results = groups.results
    measure = choose_shown(results.recipes)
    recipe = results.recipes[measure]
    if not recipe.entry.has_vectors or recipe.k is None:
        return (
            "There is no curve: none of these measures has a value at every rank down to a depth, "
            "as sDCG@10 and nsDCG@10 have."
        )
    if len(groups.flags) > _MOST_LINES:
        return f"There is no curve: of {len(groups.flags)} systems no line could be told apart."
    has_bands = results.matched_sessions.size <= _MOST_SESSIONS and len(groups.flags) <= _MOST_BANDS
    try:
        return sessions_data(
            results,
            measure,
            by=() if groups.by is None else groups.by,
            interval=round(100 * (1 - resampling.alpha), 6) if has_bands else None,
            resamples=min(_BAND_RESAMPLES, resampling.resamples),
            seed=resampling.seed,
        )
    except BadInput as error:
        return f"There is no curve: {error.problem}."


def _sweep_searchers(groups: SystemGroups) -> Sweep | str:
    """Who wins for which b and bq; or why that is not told."""
    results = groups.results
    measure = choose_shown(results.recipes)
    recipe = results.recipes[measure]
    if groups.by is None or len(groups.flags) < 2:
        return "There is one system: whoever searches, none other is better."
    if not recipe.entry.has_vectors or recipe.k is None:
        return "There is no map: none of these measures is an sDCG or nsDCG down to a depth."
    if results.matched_sessions.size > _MOST_SESSIONS:
        return (
            f"There is no map, as there are more than {_MOST_SESSIONS:,} sessions: gainful figure "
            "map draws it."
        )
    full = Measure.from_recipe(recipe)
    swept = evolve(
        full,
        params={
            name: value for name, value in dict(full.params).items() if name not in ("b", "bq")
        },
    )
    sweep = sweep_matched(
        *(results.matched_sessions, swept, groups.by, results.name),
        convention=recipe.convention,
        like=results.convention,
    )
    return sweep if isinstance(sweep, Sweep) else f"There is no map: {sweep}."
