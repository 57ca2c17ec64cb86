"""`explore`: a page in which the searcher who judges sessions can be changed while one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
from attrs import frozen

from gainful.api.sweep import sweep
from gainful.convention.session import JK2008, SESSION_SETTINGS, SessionConvention
from gainful.errors import BadInput, BadValue, GainfulError
from gainful.formula import format_exact
from gainful.match.sessions import MatchedSessions, match_sessions
from gainful.measure.discount import b, bq
from gainful.measure.measure import Measure
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.evaluate import build_session_recipes
from gainful.measure.sessions.results import SessionResults
from gainful.read.filter_sessions import filter_sessions
from gainful.read.inputs import AnyQrels, as_qrels, as_qrels_columns
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_inputs import AnySessions, as_sessions
from gainful.read.sessions import Sessions
from gainful.show.pages import explore_choices as choices, explore_data
from gainful.show.pages.html_page import render_page
from gainful.show.theme import DASHES, LIGHT, Tones, build_vega_config
from gainful.text import count_noun

DEFAULT_MEASURE = "nsDCG@10"
_MAX_DEPTH = 50  # results of a query that a page holds, unless the measure looks deeper
_MAX_SESSIONS = 10_000
_MAX_WEIGHTS = 12  # grades that have a slider each
# Charts take their colours from the style sheet, so that they follow the theme and the printer.
_TONE_NAMES = ("paper", "raised", "ink", "quiet", "line", "accent", "unjudged", "better", "worse")
_TONES = Tones(
    **{name: f"var(--{name})" for name in _TONE_NAMES},
    series=tuple(f"var(--series-{at})" for at in range(len(LIGHT.series))),
    names=tuple(f"var(--name-{at})" for at in range(len(LIGHT.names))),
    grades=tuple(f"var(--grade-{at})" for at in range(len(LIGHT.grades))),
)
_PAGE_SETTINGS = ("gain", "discount", "query_discount", "duplicates", "ideal", "hold")


@frozen(eq=False, kw_only=True)
class _PageStart:
    """All that the page begins with."""

    loaded: Sessions
    qrels: Qrels | None
    sessions: MatchedSessions
    results: SessionResults
    measure: Measure
    recipe: SessionRecipe
    by: str | None


def explore(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measure: str | Measure = DEFAULT_MEASURE,
    *,
    by: str | None = None,
    title: str | None = None,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    command: Sequence[str] | None = None,
    **settings: Any,
) -> str:
    """What would another searcher say of these sessions? A page that answers while one asks.

    The page is one file of HTML, to be opened from disk; it loads nothing. Its numbers are those
    of `evaluate_sessions`.

    Args:
        sessions: as `evaluate_sessions` takes them.
        qrels: likewise.
        measure: sDCG or nsDCG, with the options that the page begins with.
        by: the column whose groups are compared first; system, if there is such a column.
        title: of the page.
        like: whose habits to begin with: jk2008 (default), kanoulas2011.
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries.
        first_queries: only the first so many queries of each session.
        command: the words of `gainful sessions` by which the same sessions are read; the page
            offers the command for what one looks at.
        settings: single habits, such as `duplicates="first"` or `b=10`.

    Examples:
        >>> from gainful import simulate_study
        >>> study = simulate_study(1)
        >>> page = explore(study.sessions, study.qrels, "nsDCG(b=2, bq=4)@10")
        >>> page[:15], "http://" in page.split("<script")[0]
        ('<!doctype html>', False)
    """
    limits = {"--min-queries": min_queries, "--first-queries": first_queries}
    command_words = (
        _build_command(sessions, qrels, where or {}, limits) if command is None else command
    )
    convention, recipes = build_session_recipes(measure, like, settings)
    if len(recipes) > 1:
        raise BadValue("measure", measure, "one measure to begin with")
    (recipe,) = recipes.values()
    choices.refuse_unsupported(recipe)
    loaded = filter_sessions(as_sessions(sessions), where, min_queries, first_queries)
    loaded_qrels = None if qrels is None else as_qrels_columns(as_qrels(qrels))
    matched_sessions = match_sessions(loaded, loaded_qrels, recipe.convention.unjudged)
    if matched_sessions.size > _MAX_SESSIONS:
        problem = f"{matched_sessions.size} sessions are too many for a page"
        raise BadInput(
            loaded.name, problem, f"at most {_MAX_SESSIONS}, such as those of one scenario"
        )
    results = SessionResults(loaded.name, matched_sessions, {}, {}, convention)
    start = _PageStart(
        loaded=loaded,
        qrels=loaded_qrels,
        sessions=matched_sessions,
        results=results,
        measure=_starting_measure(recipe),
        recipe=recipe,
        by=by,
    )
    data = _build_page_data(start, command_words)
    counts = results.counts
    count_texts = [
        count_noun(counts["sessions"], "session"),
        count_noun(counts["queries"], "query"),
        f"{counts['judged']} of {counts['results']} results judged",
    ]
    return render_page(
        "explore.html",
        feature="gainful explore",
        data=data,
        title=title or f"Sessions of {loaded.name}",
        counts=" · ".join(count_texts),
        settings=SESSION_SETTINGS,
        notes=matched_sessions.notes,
    )


def _build_command(
    sessions: object, qrels: object, where: Mapping[str, str], limits: Mapping[str, int | None]
) -> list[str]:
    """The words by which a command would read the same; names in capitals for what is no file."""
    names = [
        fspath(source) if isinstance(source, (str, PathLike)) else placeholder
        for source, placeholder in ((sessions, "SESSIONS"), (qrels, "QRELS"))
    ]
    words = [names[0]] + ([] if qrels is None else ["--qrels", names[1]])
    for column, value in where.items():
        words += ["--where", f"{column}={value}"]
    for option, number in limits.items():
        words += [] if number is None else [option, str(number)]
    return words


def _starting_measure(recipe: SessionRecipe) -> Measure:
    """The measure with all that the page begins with, but for b and bq."""
    convention = recipe.convention
    names = [name for name in (*_PAGE_SETTINGS, "negative", "empty") if name in recipe.entry.params]
    params = {name: getattr(convention, name) for name in names if name != "gain"}
    params |= {
        "gain": recipe.gain.name,
        **({} if convention.rel is None else {"rel": convention.rel}),
    }
    return Measure(recipe.entry.name, params, recipe.k)


def _build_page_data(start: _PageStart, words: Sequence[str]) -> dict[str, Any]:
    """All that the script of the page works on."""
    sessions, recipe = start.sessions, start.recipe
    convention = recipe.convention
    grades = choices.choose_grades(sessions, recipe)
    answers = choices.setting_answers(sessions, grades)
    choices.refuse_unanswerable(recipe, answers)
    depth = max(recipe.k or 1, min(int(sessions.retrieved.max(initial=1)), _MAX_DEPTH), 1)
    columns = explore_data.filter_columns(start.results, start.loaded)
    group_column = _choose_group_column(start, columns)
    return {
        "sessions": explore_data.session_columns(sessions, start.loaded, sessions.notes),
        "queries": explore_data.query_columns(sessions, depth),
        "results": explore_data.result_columns(sessions, grades, depth),
        "pool": explore_data.pool_columns(sessions.judged, grades),
        "ownPool": explore_data.pool_columns(sessions.searcher_judgments(), grades)
        if grades.has_own
        else None,
        "oneBase": sessions.has_single_base,
        "columns": columns,
        "grades": {
            "values": grades.values.tolist(),
            "told": [format_exact(float(grade)) for grade in grades.values],
            "sliders": len(grades.values) <= _MAX_WEIGHTS,
        },
        "gains": choices.gain_choices(sessions, recipe, grades),
        "discounts": choices.discount_choices(),
        "bases": {
            base.symbol: {"typical": base.typical, "default": base.default, "meaning": base.meaning}
            for base in (b, bq)
        },
        "answers": answers,
        "usual": {name: getattr(JK2008, name) for name in (*_PAGE_SETTINGS, "negative", "empty")},
        "start": {
            "normalised": recipe.entry.normalised,
            "b": convention.b or b.default,
            "bq": convention.bq or bq.default,
            "x": recipe.k,
            "deepest": depth,
            **{name: getattr(convention, name) for name in _PAGE_SETTINGS if name != "gain"},
            "negative": convention.negative,
            "empty": convention.empty,
            "unjudged": convention.unjudged,
            "by": group_column,
        },
        "command": list(words),
        "map": _build_map(start, group_column),
        "look": {"config": build_vega_config(_TONES), "dashes": DASHES},
    }


def _choose_group_column(start: _PageStart, columns: Sequence[Mapping[str, Any]]) -> str | None:
    """The column to group by first."""
    if start.by is None:
        group_columns = [column["name"] for column in columns if column["groups"]]
        return "system" if "system" in group_columns else None
    start.results.group_names(start.by)
    chosen_column = next((column for column in columns if column["name"] == start.by), None)
    if chosen_column is None or not chosen_column["groups"]:
        group_count = len(start.results.group_sessions(start.by))
        if group_count > 1:
            allowed = f"a column of 2 to {explore_data.MAX_GROUPS} groups; it has {group_count}"
            raise BadValue("by", start.by, allowed)
        return None
    return start.by


def _build_map(start: _PageStart, by: str | None) -> dict[str, Any]:
    """Who wins for which b and bq, by the settings of the beginning; or why that is not told."""
    if by is None:
        columns = start.results.columns
        group_count = columns["system"].n_unique() if "system" in columns.columns else 0
        reason = (
            f"system has {group_count} values, and at most {explore_data.MAX_GROUPS} are compared"
        )
        return {"why": reason if group_count > 1 else "there are no two groups to compare"}
    convention = start.recipe.convention
    bases = {"b": convention.b, "bq": convention.bq}
    try:
        sweep_result = sweep(
            start.loaded,
            start.qrels,
            start.measure,
            by=by,
            reference={name: value for name, value in bases.items() if value is not None},
            unjudged=convention.unjudged,
        )
    except GainfulError as error:
        return {"why": str(error)}
    plane = sweep_result.planes[0]
    sorted_means = -np.sort(-np.nan_to_num(plane.means, nan=-np.inf), axis=2)
    with np.errstate(invalid="ignore"):  # where no group has a mean
        ahead = sorted_means[..., 0] - sorted_means[..., 1]
    return {
        "by": by,
        "b": sweep_result.b,
        "bq": sweep_result.bq,
        "won": plane.winners.ravel().tolist(),
        "ahead": np.where(np.isfinite(ahead), ahead, 0.0).ravel().tolist(),
        "sentence": plane.sentence,
    }
