"""The page of `explore`: the searcher who judges sessions can be changed while one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.convention.session import JK2008, SESSION_SETTINGS
from gainful.evidence.searchers.calibration import format_estimate
from gainful.evidence.searchers.measured_searcher import MeasuredSearcher, clamp_base
from gainful.match.session_groups import count_sessions, describe_judged, session_columns
from gainful.match.sessions import MatchedSessions
from gainful.measure.discount import b, bq
from gainful.measure.measure import Measure
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.sweep import Sweep
from gainful.read.sessions import Sessions
from gainful.show.html_page import render_page
from gainful.show.pages import explore_choices as choices, explore_data
from gainful.show.theme import DASHES, LIGHT, Tones, build_vega_config
from gainful.text import count_noun, format_exact

_MAX_DEPTH = 50  # results of a query that a page holds, unless the measure looks deeper
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
class ExploreContent:
    """All that the page begins with."""

    loaded: Sessions  # as they were read
    sessions: MatchedSessions
    recipe: SessionRecipe  # of the measure to begin with
    grades: explore_data.Grades
    answers: Mapping[str, Mapping[str, str]]  # by setting: those that can be chosen, in words
    columns: Sequence[Mapping[str, Any]]  # by which sessions can be chosen and grouped
    group_column: str | None  # by which they are grouped first
    sweep: Sweep | str | None  # of its groups; or why there is none
    command: Sequence[str]  # the words by which `gainful sessions` reads the same
    searcher: MeasuredSearcher | None = None  # that was measured in a log


def render_explore(content: ExploreContent, title: str | None) -> str:
    """The page, as HTML in one file that loads nothing."""
    counts = count_sessions(content.sessions)
    count_texts = [
        count_noun(counts["sessions"], "session"),
        count_noun(counts["queries"], "query"),
        describe_judged(content.sessions),
    ]
    return render_page(
        "explore.html",
        feature="gainful explore",
        data=_build_page_data(content),
        title=title or f"Sessions of {content.loaded.name}",
        counts=" · ".join(count_texts),
        settings=SESSION_SETTINGS,
        notes=content.sessions.notes,
    )


def starting_measure(recipe: SessionRecipe) -> Measure:
    """The measure with all that the page begins with, but for b and bq."""
    convention = recipe.convention
    names = [name for name in (*_PAGE_SETTINGS, "negative", "empty") if name in recipe.entry.params]
    params = {name: getattr(convention, name) for name in names if name != "gain"}
    params |= {
        "gain": recipe.gain.name,
        **({} if convention.rel is None else {"rel": convention.rel}),
    }
    return Measure(recipe.entry.name, params, recipe.k)


def _build_page_data(content: ExploreContent) -> dict[str, Any]:
    """All that the script of the page works on."""
    sessions, recipe, grades = content.sessions, content.recipe, content.grades
    convention = recipe.convention
    depth = max(recipe.k or 1, min(int(sessions.retrieved.max(initial=1)), _MAX_DEPTH), 1)
    return {
        "sessions": explore_data.session_columns(sessions, content.loaded, sessions.notes),
        "queries": explore_data.query_columns(sessions, depth),
        "results": explore_data.result_columns(sessions, grades, depth),
        "pool": explore_data.pool_columns(sessions.judged, grades),
        "ownPool": explore_data.pool_columns(sessions.searcher_judgments(), grades)
        if grades.has_own
        else None,
        "oneBase": sessions.has_single_base,
        "columns": content.columns,
        "grades": {
            "values": grades.values.tolist(),
            "labels": [format_exact(float(grade)) for grade in grades.values],
            "sliders": len(grades.values) <= _MAX_WEIGHTS,
        },
        "gains": choices.gain_choices(sessions, recipe, grades),
        "discounts": choices.discount_choices(),
        "bases": {
            base.symbol: {"typical": base.typical, "default": base.default, "meaning": base.meaning}
            for base in (b, bq)
        },
        "answers": content.answers,
        "defaults": {
            name: getattr(JK2008, name) for name in (*_PAGE_SETTINGS, "negative", "empty")
        },
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
            "subtopic_grades": convention.subtopic_grades,
            "by": content.group_column,
        },
        "command": list(content.command),
        "map": _build_map(content),
        "measured": _build_measured(content.searcher),
        "look": {"config": build_vega_config(_TONES), "dashes": DASHES},
    }


def _build_measured(searcher: MeasuredSearcher | None) -> dict[str, Any] | None:
    """The bases that were measured in a log, with their intervals, in numbers and in words."""
    if searcher is None:
        return None
    return {
        "log": searcher.log,
        **{
            name: None
            if estimate is None
            else {
                "value": clamp_base(estimate.value),
                "low": clamp_base(estimate.low),
                "high": clamp_base(estimate.high),
                "text": format_estimate(estimate, searcher.level),
            }
            for name, estimate in (("b", searcher.b), ("bq", searcher.bq))
        },
    }


def _build_map(content: ExploreContent) -> dict[str, Any]:
    """Who wins for which b and bq, by the settings of the beginning; or why that is not told."""
    sweep = content.sweep
    if sweep is None:
        columns = session_columns(content.sessions)
        group_count = columns["system"].n_unique() if "system" in columns.columns else 0
        most = f"at most {explore_data.MAX_GROUPS} are compared"
        reason = f"system has {group_count} values, and {most}"
        return {"why": reason if group_count > 1 else "there are no two groups to compare"}
    if isinstance(sweep, str):
        return {"why": sweep}
    plane = sweep.planes[0]
    sorted_means = -np.sort(-np.nan_to_num(plane.means, nan=-np.inf), axis=2)
    with np.errstate(invalid="ignore"):  # where no group has a mean
        ahead = sorted_means[..., 0] - sorted_means[..., 1]
    return {
        "by": content.group_column,
        "b": sweep.b,
        "bq": sweep.bq,
        "won": plane.winners.ravel().tolist(),
        "ahead": np.where(np.isfinite(ahead), ahead, 0.0).ravel().tolist(),
        "sentence": plane.sentence,
    }
