"""Make a page of these sessions, with sliders for the searcher model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from attrs import evolve

from gainful.api.session_options import (
    EvaluationOptions,
    SessionReading,
    answer_session_options,
    match_for,
)
from gainful.errors import BadInput, BadValue
from gainful.evidence.intervals import choose_drawn
from gainful.evidence.searchers.calibration import AnyCalibration, read_calibration
from gainful.evidence.searchers.fit import Estimate
from gainful.match.session_groups import session_columns
from gainful.measure.build_session_recipes import explain_default, usual_session_measures
from gainful.measure.discount import USUAL_RANGE
from gainful.measure.entry import SessionRecipe
from gainful.measure.measure import Measure
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions
from gainful.show.pages.explore import check_page_measure, command_words, render_explore

_MAX_SESSIONS = 10_000
_MAP_ENDS = (1.05, 50.0)  # beyond which a map is not widened
_MAP_MARGIN = 1.15  # around an interval


@answer_session_options(EvaluationOptions)
def explore(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measure: str | Measure | None = None,
    *,
    by: str | None = None,
    title: str | None = None,
    command: Sequence[str] | None = None,
    calibrated: AnyCalibration | None = None,
    **options: Unpack[EvaluationOptions],
) -> str:
    """Make a page of these sessions, with sliders for the searcher model.

    The page is one file of HTML, to be opened from disk; it loads nothing. Its numbers are those
    of `sessions.evaluate`.

    Args:
        sessions: whatever `sessions.evaluate` takes.
        qrels: whatever `sessions.evaluate` takes.
        measure: sDCG or nsDCG, with the options to start with; by default nsDCG@10, or sDCG@10 if
            gain comes from actions.
        by: the column whose groups are compared first; by default system, if present.
        title: title of the page.
        command: the command line of `gainful sessions` that reads these sessions, for the command
            that the page shows. By default built from the other arguments.
        calibrated: what `calibrate` returned, or the JSON that `gainful calibrate` wrote: the page
            starts with the estimated searcher, and its map shows the interval.
        **options: how sessions are read and what counts as gain (`sessions.GainOptions`), and
            single settings, such as `duplicates="first"` or `b=10`.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(1)
        >>> page = explore(study.sessions, study.qrels, "nsDCG(b=2, bq=4)@10")
        >>> page[:15], "http://" in page.split("<script")[0]
        ('<!doctype html>', False)
    """
    reading = SessionReading.from_options(options)
    searcher = None if calibrated is None else read_calibration(calibrated)
    if searcher is not None:
        reading = evolve(reading, settings=searcher.settings() | {**reading.settings})
    recipe = _choose_recipe(measure or usual_session_measures("")[-1], reading)
    if command is None:
        command = command_words(sessions, qrels, reading.options)
    judgments, loaded = reading.read(sessions, qrels, whole=True)
    if measure is None and loaded.gain_event:
        loaded = evolve(loaded, notes=(*loaded.notes, explain_default(loaded.gain_event)))
        recipe = _choose_recipe(usual_session_measures(loaded.gain_event)[-1], reading)
    matched = match_for(recipe, loaded, judgments)
    if matched.size > _MAX_SESSIONS:
        allowed = f"at most {_MAX_SESSIONS}, such as those of one scenario"
        raise BadInput(loaded.name, f"{matched.size} sessions are too many for a page", allowed)
    columns = session_columns(matched)
    return render_explore(
        loaded,
        matched,
        recipe,
        by=by,
        ranges={
            "b": _widen_range(None if searcher is None else searcher.b),
            "bq": _widen_range(None if searcher is None else searcher.bq),
        },
        units=choose_drawn(columns, [np.ones(len(columns), dtype=bool)]),
        command=command,
        searcher=searcher,
        title=title,
    )


def _choose_recipe(measure: str | Measure, reading: SessionReading) -> SessionRecipe:
    _, recipes = reading.build_recipes(measure)
    if len(recipes) > 1:
        raise BadValue("measure", measure, "one measure to start with")
    (recipe,) = recipes.values()
    check_page_measure(recipe)
    return recipe


def _widen_range(estimate: Estimate | None) -> tuple[float, float]:
    """The usual range of bases, widened so that the map shows what was measured."""
    low, high = (float(end) for end in USUAL_RANGE.split(":"))
    if estimate is None:
        return low, high
    least, most = _MAP_ENDS
    low = min(low, max(estimate.low / _MAP_MARGIN, least))
    high = max(high, min(estimate.high * _MAP_MARGIN, most))
    return float(f"{low:.3g}"), float(f"{high:.3g}")
