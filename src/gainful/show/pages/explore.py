"""`explore`: a page in which the searcher who judges sessions can be changed while one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
from attrs import frozen

from gainful.convention.session import JK2008, SESSION_HABITS, SessionConvention
from gainful.errors import BadInput, BadValue, GainfulError, counted
from gainful.formula import exact
from gainful.match.sessions import MatchedSessions, matched
from gainful.measure.discount import b, bq
from gainful.measure.measure import Measure
from gainful.measure.sessions.evaluate import asked_for, chosen
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep import sweep
from gainful.read.inputs import AnyJudgments, as_columns, as_judgments
from gainful.read.qrels_and_run import Judgments
from gainful.read.session_inputs import AnySessions, as_sessions
from gainful.read.sessions import Sessions
from gainful.show.pages import explore_choices as choices, explore_data as rows
from gainful.show.pages.html_page import rendered
from gainful.show.theme import DASHES, LIGHT, Tones, vega_config

USUAL = "nsDCG@10"
_DEEPEST = 50  # results of a query that a page holds, unless the measure looks deeper
_MOST_SESSIONS = 10_000
_MOST_WEIGHTS = 12  # grades that have a slider each
# Charts take their colours from the style sheet, so that they follow the theme and the printer.
_SINGLE = ("paper", "raised", "ink", "quiet", "line", "accent", "unjudged", "better", "worse")
_TONES = Tones(
    **{name: f"var(--{name})" for name in _SINGLE},
    series=tuple(f"var(--series-{at})" for at in range(len(LIGHT.series))),
    names=tuple(f"var(--name-{at})" for at in range(len(LIGHT.names))),
    grades=tuple(f"var(--grade-{at})" for at in range(len(LIGHT.grades))),
)
_ASKED = ("gain", "discount", "query_discount", "duplicates", "ideal", "hold")


@frozen(eq=False, kw_only=True)
class _Start:
    """All that the page begins with."""

    read: Sessions
    judgments: Judgments | None
    held: MatchedSessions
    results: SessionResults
    measure: Measure
    how: SessionRecipe
    by: str | None


def explore(
    sessions: AnySessions,
    qrels: AnyJudgments | None = None,
    measure: str | Measure = USUAL,
    *,
    by: str | None = None,
    title: str | None = None,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    command: Sequence[str] | None = None,
    **habits: Any,
) -> str:
    """What would another searcher say of these sessions? A page that answers while one asks.

    The page is one file of HTML, to be opened from disk; it loads nothing. Its numbers are those
    of `evaluate_sessions`.

    Args:
        sessions: as `evaluate_sessions` takes them.
        judgments: likewise.
        measure: sDCG or nsDCG, with the options that the page begins with.
        by: the column whose groups are compared first; system, if there is such a column.
        title: of the page.
        like: whose habits to begin with: jk2008 (default), kanoulas2011.
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries.
        first_queries: only the first so many queries of each session.
        command: the words of `gainful sessions` by which the same sessions are read; the page
            offers the command for what one looks at.
        habits: single habits, such as `duplicates="first"` or `b=10`.

    Examples:
        >>> from gainful import simulate_study
        >>> study = simulate_study(1)
        >>> page = explore(study.sessions, study.judgments, "nsDCG(b=2, bq=4)@10")
        >>> page[:15], "http://" in page.split("<script")[0]
        ('<!doctype html>', False)
    """
    numbers = {"--min-queries": min_queries, "--first-queries": first_queries}
    words = _read_by(sessions, qrels, where or {}, numbers) if command is None else command
    base, recipes = asked_for(measure, like, habits)
    if len(recipes) > 1:
        raise BadValue("measure", measure, "one measure to begin with")
    (how,) = recipes.values()
    choices.refuse(how)
    read = chosen(as_sessions(sessions), where, min_queries, first_queries)
    judged = None if qrels is None else as_columns(as_judgments(qrels))
    held = matched(read, judged, how.convention.unjudged)
    if held.size > _MOST_SESSIONS:
        problem = f"{held.size} sessions are too many for a page"
        raise BadInput(
            read.name, problem, f"at most {_MOST_SESSIONS}, such as those of one scenario"
        )
    results = SessionResults(read.name, held, {}, {}, base)
    start = _Start(
        read=read,
        judgments=judged,
        held=held,
        results=results,
        measure=_plain_measure(how),
        how=how,
        by=by,
    )
    data = _data(start, words)
    counts = results.counts
    told = [
        counted(counts["sessions"], "session"),
        counted(counts["queries"], "query"),
        f"{counts['judged']} of {counts['results']} results judged",
    ]
    return rendered(
        "explore.html",
        what="gainful explore",
        data=data,
        title=title or f"Sessions of {read.name}",
        counts=" · ".join(told),
        habits=SESSION_HABITS,
        notes=held.notes,
    )


def _read_by(
    sessions: object, judgments: object, where: Mapping[str, str], numbers: Mapping[str, int | None]
) -> list[str]:
    """The words by which a command would read the same; names in capitals for what is no file."""
    named = [
        fspath(given) if isinstance(given, (str, PathLike)) else usual
        for given, usual in ((sessions, "SESSIONS"), (judgments, "QRELS"))
    ]
    words = [named[0]] + ([] if judgments is None else ["--judgments", named[1]])
    for column, value in where.items():
        words += ["--where", f"{column}={value}"]
    for option, number in numbers.items():
        words += [] if number is None else [option, str(number)]
    return words


def _plain_measure(recipe: SessionRecipe) -> Measure:
    """The measure with all that the page begins with, but for b and bq."""
    habits = recipe.convention
    names = [name for name in (*_ASKED, "negative", "empty") if name in recipe.entry.params]
    params = {name: getattr(habits, name) for name in names if name != "gain"}
    params |= {"gain": recipe.gain.name, **({} if habits.rel is None else {"rel": habits.rel})}
    return Measure(recipe.entry.name, params, recipe.k)


def _data(start: _Start, words: Sequence[str]) -> dict[str, Any]:
    """All that the script of the page works on."""
    held, how = start.held, start.how
    habits = how.convention
    grades = choices.grades(held, how)
    answers = choices.answers(held, grades)
    choices.refuse_unanswerable(how, answers)
    deepest = max(how.k or 1, min(int(held.listed.max(initial=1)), _DEEPEST), 1)
    columns = rows.columns_of(start.results, start.read)
    by = _group(start, columns)
    return {
        "sessions": rows.of_sessions(held, start.read, held.notes),
        "queries": rows.of_queries(held, deepest),
        "results": rows.of_results(held, grades, deepest),
        "pool": rows.of_pool(held.judged, grades),
        "ownPool": rows.of_pool(held.by_searcher(), grades) if grades.own else None,
        "oneBase": held.one_base,
        "columns": columns,
        "grades": {
            "values": grades.values.tolist(),
            "told": [exact(float(grade)) for grade in grades.values],
            "sliders": len(grades.values) <= _MOST_WEIGHTS,
        },
        "gains": choices.gains(held, how, grades),
        "discounts": choices.discounts(),
        "bases": {
            one.symbol: {"typical": one.typical, "default": one.default, "meaning": one.meaning}
            for one in (b, bq)
        },
        "answers": answers,
        "usual": {name: getattr(JK2008, name) for name in (*_ASKED, "negative", "empty")},
        "start": {
            "normalised": how.entry.normalised,
            "b": habits.b or b.default,
            "bq": habits.bq or bq.default,
            "x": how.k,
            "deepest": deepest,
            **{name: getattr(habits, name) for name in _ASKED if name != "gain"},
            "negative": habits.negative,
            "empty": habits.empty,
            "unjudged": habits.unjudged,
            "by": by,
        },
        "command": list(words),
        "map": _map(start, by),
        "look": {"config": vega_config(_TONES), "dashes": DASHES},
    }


def _group(start: _Start, columns: Sequence[Mapping[str, Any]]) -> str | None:
    """The column to group by first."""
    if start.by is None:
        known = [one["name"] for one in columns if one["groups"]]
        return "system" if "system" in known else None
    start.results.group_names(start.by)
    found = next((one for one in columns if one["name"] == start.by), None)
    if found is None or not found["groups"]:
        number = len(start.results.grouped(start.by))
        if number > 1:
            allowed = f"a column of 2 to {rows.MOST_GROUPS} groups; it has {number}"
            raise BadValue("by", start.by, allowed)
        return None
    return start.by


def _map(start: _Start, by: str | None) -> dict[str, Any]:
    """Who wins for which b and bq, by the settings of the beginning; or why that is not told."""
    if by is None:
        there = start.results.columns
        number = there["system"].n_unique() if "system" in there.columns else 0
        many = f"system has {number} values, and at most {rows.MOST_GROUPS} are compared"
        return {"why": many if number > 1 else "there are no two groups to compare"}
    habits = start.how.convention
    bases = {"b": habits.b, "bq": habits.bq}
    try:
        found = sweep(
            start.read,
            start.judgments,
            start.measure,
            by=by,
            reference={name: value for name, value in bases.items() if value is not None},
            unjudged=habits.unjudged,
        )
    except GainfulError as refused:
        return {"why": str(refused)}
    plane = found.planes[0]
    best = -np.sort(-np.nan_to_num(plane.means, nan=-np.inf), axis=2)
    with np.errstate(invalid="ignore"):  # where no group has a mean
        ahead = best[..., 0] - best[..., 1]
    return {
        "by": by,
        "b": found.b,
        "bq": found.bq,
        "won": plane.winners.ravel().tolist(),
        "ahead": np.where(np.isfinite(ahead), ahead, 0.0).ravel().tolist(),
        "sentence": plane.sentence,
    }
