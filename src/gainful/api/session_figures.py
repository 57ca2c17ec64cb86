"""Figures of sessions: what `sessions.evaluate` returned is averaged and resampled, then drawn."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.evidence.session_bands import curve_bands, last_query_bands
from gainful.evidence.stability import resampling_for_level
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.sessions.curve import curve, session_value_vectors
from gainful.measure.sessions.last_queries import NonLast, last_queries
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep import group_label
from gainful.show.figures import individual_sessions, last_query, session_curves
from gainful.show.figures.figure import FigureData
from gainful.show.figures.session_plot import SessionPlot
from gainful.text import count_noun
from gainful.types import Flags, is_whole_number

By = str | Sequence[str]


def last_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    non_last: NonLast = "pooled",
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Is the last query of a session better than those before it? Figure 1 of the paper.

    The mean gain of single queries down to each rank, each discounted by its own position: the
    last queries of sessions, those before them, and the best one of each session.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG (whose gains count).
        by: a column or several, such as system.
        non_last: all queries before the last ones together (pooled), or the mean of each session
            first (within).
        interval: a band at this level in per cent, sessions drawn again (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, which (last, non_last, best), rank, mean, n, and low and high of a band.
    """
    plot = _prepare_plot(results, measure, by, "sDCG", interval, resamples, seed)
    analysis = last_queries(plot.results, plot.measure_name, by, non_last)
    bands = {}
    if plot.resampling is not None:
        sessions, groups = plot.results.matched_sessions, [flags for _, flags in plot.groups]
        bands = last_query_bands(sessions, plot.recipe, groups, non_last, plot.resampling)
    return last_query.build_data(plot, analysis, bands, non_last)


def sessions_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """How much have sessions brought, query after query? Figure 2 of the paper.

    The mean vector of each group over its sessions by concatenated top X, held where a searcher
    has stopped.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first nsDCG, or else the first sDCG.
        by: a column or several, such as system.
        queries: only the first so many queries are drawn.
        interval: a band at this level in per cent, sessions drawn again (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, query, rank, position, mean, n, searching, and low and high of a band.
    """
    plot = _prepare_plot(results, measure, by, "nsDCG", interval, resamples, seed)
    _check_count("queries", queries)
    curves = _mean_curves(plot, [({"group": label}, flags) for label, flags in plot.groups])
    return session_curves.build_sessions_data(plot, curves, queries)


def scenario_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    at_least: int = 4,
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Do long sessions begin badly? Figure 3 of the paper: one scenario, all and long sessions.

    Args:
        results: of one scenario: `gainful.sessions.evaluate(…, where={"scenario": "D"})`.
        measure: one of its measures; the first sDCG, or else the first nsDCG.
        by: a column or several, such as system.
        at_least: how many queries a session has that is drawn apart.
        queries: only the first so many queries are drawn.
        interval: a band at this level in per cent, sessions drawn again (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, which (all, or at least n queries), query, rank, position, mean, n,
        searching, and low and high of a band.
    """
    _check_count("at_least", at_least)
    plot = _prepare_plot(results, measure, by, "sDCG", interval, resamples, seed)
    _check_count("queries", queries)
    is_long = results.matched_sessions.query_counts >= at_least
    long_label = f"at least {count_noun(at_least, 'query')}"
    for label, flags in plot.groups:
        if not (flags & is_long).any():
            problem = f"no session{f' of {label}' if by else ''} has {long_label}"
            raise BadInput(results.name, problem, "a smaller number of queries")
    subsets = [
        *(
            ({"group": label, "which": session_curves.ALL_SESSIONS}, flags)
            for label, flags in plot.groups
        ),
        *(({"group": label, "which": long_label}, flags & is_long) for label, flags in plot.groups),
    ]
    curves = _mean_curves(plot, subsets)
    return session_curves.build_scenario_data(plot, curves, queries, long_label)


def individual_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    queries: int | None = None,
) -> FigureData:
    """How different are single sessions, and where did searchers stop? Figure 4 of the paper.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG.
        by: a column or several; each group has a panel of its own.
        queries: only the first so many queries are drawn.

    Returns:
        A row for each session and place: group, session, query, rank, position, value, and whether
        the searcher was still searching there and stopped right there. Where somebody has stopped,
        the last value is held.
    """
    _check_count("queries", queries)
    plot = _prepare_plot(results, measure, by, "sDCG")
    vectors = session_value_vectors(results.matched_sessions, plot.recipe)
    return individual_sessions.build_data(plot, vectors, queries)


def _mean_curves(
    plot: SessionPlot, subsets: Sequence[tuple[dict[str, str], Flags]]
) -> pl.DataFrame:
    """The mean vector of each subset, with its band if one was asked for."""
    sessions = plot.results.matched_sessions
    curves = curve(sessions, plot.recipe, subsets, common=True)
    if plot.resampling is None:
        return curves
    groups = [flags for _, flags in subsets]
    return curves.with_columns(**curve_bands(sessions, plot.recipe, groups, plot.resampling))


def _prepare_plot(  # noqa: PLR0917  (the options that the figures share)
    results: SessionResults,
    measure: str | None,
    by: By,
    prefer: str,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> SessionPlot:
    """One measure of some sessions; the first of the preferred name if none is named."""
    if not isinstance(results, SessionResults):
        raise WrongType("results", results, "SessionResults, as gainful.sessions.evaluate gives")
    measure_name = _choose_measure(results, measure, prefer)
    recipe = results.recipes[measure_name]
    if recipe.k is None:
        raise BadValue("measure", measure_name, f"a depth, such as {recipe.entry.name}@10")
    _require_qrels_overlap(results, recipe.k)
    groups = _label_groups(results, by)
    resampling, notes = None, []
    if interval is not None:
        resampling = resampling_for_level(interval, resamples=resamples, seed=seed)
        single = [label for label, flags in groups if int(flags.sum()) == 1]
        notes += [f"Note: {label} has one session: no interval" for label in single]
    longest_list = int(results.matched_sessions.retrieved.max())
    if recipe.k > longest_list:
        notes.append(f"Note: no query shows more than {count_noun(longest_list, 'result')}")
    return SessionPlot(
        results=evolve(
            results,
            values={measure_name: results.values[measure_name]},
            recipes={measure_name: recipe},
        ),
        recipe=recipe,
        measure_name=measure_name,
        groups=groups,
        resampling=resampling,
        notes=tuple(notes),
    )


def _choose_measure(results: SessionResults, measure: str | None, prefer: str) -> str:
    with_vectors = {
        name: recipe.entry.name
        for name, recipe in results.recipes.items()
        if recipe.entry.has_vectors
    }
    if measure is not None:
        if measure not in results.recipes:
            raise UnknownName("measure", measure, results.recipes)
        if measure not in with_vectors:
            raise BadValue("measure", measure, f"{' or '.join(WITH_VECTORS)}, which have vectors")
        return measure
    if not with_vectors:
        raise BadValue("measure", ", ".join(results.recipes), "an sDCG or nsDCG among them")
    preferred = [name for name, kind in with_vectors.items() if kind == prefer]
    return (preferred or list(with_vectors))[0]


def _require_qrels_overlap(results: SessionResults, depth: int) -> None:
    """Refuse sessions of which nothing is judged: zeros would only look like an answer."""
    if not (results.matched_sessions.judged.rank <= depth).any():
        problem = f"none of the top {depth} results of any query is judged"
        raise BadInput(results.name, problem, "judgments of what was shown, or a greater depth")


def _label_groups(results: SessionResults, by: By) -> list[tuple[str, Flags]]:
    """The groups and what they are called; all sessions, if by nothing."""
    groups = results.group_sessions(by)
    labels = [group_label(keys) if keys else "all sessions" for keys, _ in groups]
    if len(set(labels)) < len(labels):  # 2 and "system 2" would both be system 2
        labels = [
            ", ".join(f"{key}={value!r}" for key, value in keys.items()) for keys, _ in groups
        ]
    return [(label, flags) for label, (_, flags) in zip(labels, groups, strict=True)]


def _check_count(name: str, number: object) -> None:
    """A number of queries must be one."""
    if number is not None and (not is_whole_number(number) or number < 1):
        raise BadValue(name, number, "a whole number from 1 on")
