"""One page about these runs, or sessions, to hand over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack

import numpy as np
import polars as pl
from attrs import evolve

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_matched
from gainful.api.run_options import (
    GroupOptions,
    RunOptions,
    RunReading,
    Runs,
    answer_run_options,
    name_runs,
)
from gainful.api.session_options import GroupedSessionOptions, answer_session_options
from gainful.api.sessions import evaluate_once
from gainful.api.sweep import sweep_results
from gainful.errors import BadInput
from gainful.evidence.comparisons.compare import compare_where_possible
from gainful.evidence.comparisons.study import check_method, choose_blocks, compare_results
from gainful.evidence.intervals import DrawnUnits, choose_drawn, mean_intervals, session_intervals
from gainful.evidence.method import SignificanceOptions, build_method, split_method
from gainful.evidence.options import PairOptions
from gainful.evidence.orders.sweep import Sweep
from gainful.evidence.pairing import ClusterChoice, choose_baseline, read_clusters
from gainful.evidence.reasons.largest_changes import find_largest_changes
from gainful.evidence.side_by_side import rank_side_by_side
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.system_groups import System, SystemGroups, group_systems, list_systems
from gainful.measure.build_recipes import Measures
from gainful.measure.entry import SessionRecipe
from gainful.measure.notes import require_qrels_overlap
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import Results
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.query_columns import AnyQueries, read_document_texts, read_texts
from gainful.read.session_inputs import AnySessions
from gainful.read.sessions import SYSTEM
from gainful.show.figures.figure import FigureData
from gainful.show.figures.session_curves import build_sessions_data, prepare_plot
from gainful.show.pages.report import Report, ReportContent, render_run_report, require_extra
from gainful.show.pages.report_data import MAX_EXPLAINED, MAX_RANKS, choose_units
from gainful.show.pages.report_text import label_runs
from gainful.show.pages.session_report import render_session_report

_MOST_SESSIONS = 10_000  # of which bands and the map of searchers are quick to find
_BAND_RESAMPLES = 1000
_MOST_LINES = 12  # systems whose curves can be told apart in a picture
_MOST_BANDS = 4  # systems whose bands can


class ReportOptions(SignificanceOptions, GroupOptions, total=False):
    """How runs are tested, and how they are read."""


class SessionReportOptions(SignificanceOptions, GroupedSessionOptions, total=False):
    """How systems are tested, and how sessions are read and measured."""


@answer_run_options(ReportOptions, (PairOptions, SignificanceOptions, GroupOptions, RunOptions))
def report(
    qrels: AnyQrels,
    runs: Runs | AnyRun,
    measures: Measures | None = None,
    *,
    documents: AnyQueries | None = None,
    title: str | None = None,
    values_file: str | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """A page about these runs as a single HTML file, to open, send or print.

    Args:
        qrels: whatever `evaluate` takes.
        runs: one run or more, by name or in a list.
        measures: whatever `evaluate` takes. The first one that cumulates gain is shown rank by
            rank.
        documents: texts of the documents: a file, a frame or a dict of them by id. The page
            holds the texts of those that it shows.
        title: title of the page.
        values_file: name of the file with all values, if the page has only some.
        **options: how runs are tested (`stats.SignificanceOptions`) and read (`RunOptions`); texts
            of the queries (`queries`), and the column that groups them (`group`).

    Returns:
        The page, a text. It loads nothing, and shows at most 500 queries rank by rank; if there are
        more, its `values_csv` has all values.

    Examples:
        >>> qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
        >>> runs = {"old": {"1": ["b", "a"], "2": ["x"]}, "new": {"1": ["a"], "2": ["c"]}}
        >>> page = report(qrels, runs, "nDCG@10", resamples=99)
        >>> "No significant difference between" in page
        True
    """
    require_extra()
    named_runs = name_runs(runs)
    names = list(named_runs)
    method_options, inputs = split_method(options, SignificanceOptions)
    base = names.index(choose_baseline(method_options.get("baseline"), names, "run"))
    labels = label_runs(names)
    method_options["baseline"] = labels[base]
    method = build_method(**method_options)
    queries, grouped = inputs.get("queries"), inputs.get("group") is not None
    query_texts = {} if queries is None else read_texts(queries, optional=grouped)
    if not grouped:
        inputs.pop("queries", None)
    resampling, reading = method.resampling, RunReading.from_options(inputs)
    clusters = find_clusters(method.cluster, reading, qrels, *named_runs.values())
    evaluated = list(evaluate_matched(qrels, named_runs, measures, reading))
    results = [evolve(run, name=label) for (run, _), label in zip(evaluated, labels, strict=True)]
    require_qrels_overlap(results)
    systems = list_systems(results)
    units = choose_units([(run, run.ids, own) for _, run, own in systems], base, resampling.seed)
    changes, rankings = find_largest_changes(
        [matched for _, matched in evaluated],
        results,
        units.measure,
        base=base,
        most=MAX_EXPLAINED,
        others=units.to_detail,
    )
    level = round(min(99.99, max(1.0, 100 * (1 - resampling.alpha))), 6)
    chance = {"resamples": resampling.resamples, "seed": resampling.seed}
    content = ReportContent(
        **_compare(systems, results, clusters=clusters, **method_options),
        full_names=names,
        base=base,
        all_intervals=[mean_intervals(result, level, **chance) for result in results],
        units=units,
        seed=resampling.seed,
        title=title,
        values_file=values_file,
    )
    recipe = results[0].recipes[units.measure]
    sides = rank_side_by_side(rankings, recipe, units.to_detail, MAX_RANKS)
    find_documents = None if documents is None else partial(read_document_texts, documents)
    return render_run_report(content, sides, changes, query_texts, find_documents)


def _compare(
    systems: Sequence[System], results: Sequence[Results], **options: Any
) -> dict[str, Any]:
    """The systems of a page, their comparison, and why there is none in some measures."""
    comparison, reasons = None, list[str]()
    if len(systems) > 1:
        comparison, reasons = compare_where_possible(
            results, lambda some: compare_results(some, **options)
        )
    return {"systems": systems, "comparison": comparison, "incomparable": reasons}


@answer_session_options(SessionReportOptions, "report")
def report_sessions(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str | None = None,
    block: str | Sequence[str] | None = None,
    title: str | None = None,
    values_file: str | None = None,
    **options: Unpack[SessionReportOptions],
) -> Report:
    """A page about whole sessions as a single HTML file, to open, send or print.

    It shows which system is better, means with their intervals, the gain of sessions query by
    query, who wins for which searcher, and every session or conversation.

    Args:
        sessions: whatever `evaluate` takes, of one system or of several; or what it returned.
        qrels: whatever `evaluate` takes.
        measures: whatever `evaluate` takes. The gain of each query is shown for the first one that
            cumulates gain.
        by: the column of systems; by default system, if present.
        block: the columns whose effects are removed; by default searcher and scenario, if present.
        title: title of the page.
        values_file: name of the file with all values, if the page has only some.
        **options: how systems are tested (`stats.SignificanceOptions`), how sessions are read and
            what counts as gain (`sessions.GainOptions`), and single settings, such as
            `duplicates="first"`.

    Returns:
        The page, a text. It loads nothing, and has at most 10,000 conversations or sessions; if
        there are more, its `values_csv` has all values.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> page = report_sessions(study.sessions, study.qrels, "sDCG@10", resamples=999)
        >>> page[:15], "2 systems, 120 sessions" in page
        ('<!doctype html>', True)
    """
    require_extra()
    method_options, reading = split_method(options, SignificanceOptions)
    resampling = check_method(**method_options).resampling
    results = evaluate_once(sessions, qrels, measures, **reading)
    named = group_systems(results, by)
    groups = _shorten_names(named)
    baseline = choose_baseline(method_options.get("baseline"), named.names, named.by or SYSTEM)
    base = named.names.index(baseline)
    method_options = {**method_options, "baseline": groups.names[base]}
    ids = groups.unit_names.to_list()
    # Of systems that had the same conversations the table has a row each, else one for all.
    own_flags = groups.flags.values() if groups.has_pairs else [np.ones(len(ids), dtype=bool)]
    units = choose_units([(groups.results, ids, own) for own in own_flags], base, resampling.seed)
    drawn = _choose_drawn(groups, block, method_options.get("cluster"))
    content = ReportContent(
        **_compare(groups.systems, [groups.results], by=groups.by, block=block, **method_options),
        full_names=named.labels,
        base=base,
        all_intervals=session_intervals(
            groups.results,
            {label: own for label, _, own in groups.systems},
            resampling,
            unit=groups.unit,
            drawn=drawn,
            kind=groups.by or SYSTEM,
        ),
        units=units,
        seed=resampling.seed,
        title=title,
        values_file=values_file,
    )
    course = _draw_course(groups, units.measure, resampling, drawn)
    sweep = _sweep_searchers(groups, results.recipes[units.measure])
    return render_session_report(content, groups, named.results, course, sweep)


def _shorten_names(groups: SystemGroups) -> SystemGroups:
    """The systems by short, distinct names without control characters."""
    labels = label_runs(groups.names)
    flags = dict(zip(labels, groups.flags.values(), strict=True))
    if labels == groups.names or groups.by is None:
        return evolve(groups, flags=flags)
    sessions = groups.sessions
    names = sessions.rows[groups.by].alias("").cast(pl.String)
    column = names.replace_strict(groups.names, labels)
    rows = sessions.rows.with_columns(column.alias(groups.by))
    results: SessionResults = evolve(groups.results, matched_sessions=evolve(sessions, rows=rows))
    return evolve(groups, results=results, flags=flags)


def _choose_drawn(
    groups: SystemGroups, block: str | Sequence[str] | None, cluster: ClusterChoice | None
) -> DrawnUnits:
    """What is drawn again: clusters of conversations, or searchers with all their sessions.

    A conversation that a system had several times is drawn with all of them.
    """
    results, names = groups.results, groups.unit_names
    if groups.has_pairs and cluster is not None:
        labels = map(read_clusters(cluster).find, names.to_list())
        return DrawnUnits.from_labels(pl.Series("cluster", [*labels]), groups.unit)
    if groups.has_pairs:
        return choose_drawn(results.columns, groups.flags.values(), groups.unit)
    blocks = choose_blocks(results, groups.by or SYSTEM, block)
    if blocks:
        return DrawnUnits.from_labels(results.columns[blocks[0]], groups.unit)
    return DrawnUnits(groups.unit)


def _draw_course(
    groups: SystemGroups, measure: str, resampling: Resampling, drawn: DrawnUnits
) -> FigureData | str:
    """How gain grows from query to query, with bands where these are quick; or why not."""
    results = groups.results
    recipe = results.recipes[measure]
    if not recipe.entry.has_vectors or recipe.k is None:
        return (
            "There is no curve: it needs a measure with a value at every rank, such as sDCG@10 or "
            "nsDCG@10."
        )
    if len(groups.flags) > _MOST_LINES:
        return f"There is no curve: {len(groups.flags)} systems have too many lines."
    has_bands = results.matched_sessions.size <= _MOST_SESSIONS and len(groups.flags) <= _MOST_BANDS
    try:
        plot = prepare_plot(
            results,
            measure,
            by=() if groups.by is None else groups.by,
            prefer=measure,
            interval=round(100 * (1 - resampling.alpha), 6) if has_bands else None,
            resamples=min(_BAND_RESAMPLES, resampling.resamples),
            seed=resampling.seed,
            drawn=drawn,
        )
        return build_sessions_data(plot)
    except BadInput as error:
        return f"There is no curve: {error.problem}."


def _sweep_searchers(groups: SystemGroups, recipe: SessionRecipe) -> Sweep | str:
    """Who wins for which b and bq; or why that is not told."""
    results = groups.results
    if groups.by is None or len(groups.flags) < 2:
        return "There is only one system, so there is no map."
    if not recipe.entry.has_vectors or recipe.k is None:
        return "There is no map: it needs an sDCG or nsDCG with a cutoff."
    if results.matched_sessions.size > _MOST_SESSIONS:
        many = f"there are more than {_MOST_SESSIONS:,} sessions"
        return f"There is no map, as {many}: gainful figure map draws it."
    return sweep_results(results, recipe, groups.by)
