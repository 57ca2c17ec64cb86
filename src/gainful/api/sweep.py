"""Which system is better for which searcher: impatient or patient, of many queries or few?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Unpack

from attrs import evolve

from gainful.api.session_options import (
    SessionOptions,
    SessionReading,
    answer_session_options,
    list_others_in_parts,
    match_for,
)
from gainful.errors import GainfulError
from gainful.evidence.orders.sweep import Sweep, build_sweep
from gainful.match.sessions import MatchedSessions
from gainful.measure.discount import USUAL_RANGE
from gainful.measure.entry import SessionRecipe
from gainful.measure.measure import Measure
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep_sums import (
    Bases,
    SweepGrid,
    SweepPartSums,
    Weights,
    build_sweep_grid,
)
from gainful.read.engines import find_engine
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions

_MAP_POINTS = 20  # of b and of bq, of the map of winners in a page


@answer_session_options(SessionOptions)
def sweep(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measure: str | Measure | None = None,
    *,
    b: Bases = USUAL_RANGE,
    bq: Bases = USUAL_RANGE,
    points: int = 20,
    depth: int | str | Sequence[int] | None = None,
    weights: Weights | Sequence[Weights] | None = None,
    by: str | Sequence[str] = "system",
    reference: Mapping[str, float] | None = None,
    **options: Unpack[SessionOptions],
) -> Sweep:
    """Which system is better for which searcher: impatient or patient, of many queries or few?

    Sessions are matched once, and their gains laid out once; for each setting only the discounts
    change. Each mean is what `sessions.evaluate` gives at that setting.

    Args:
        sessions: as `sessions.evaluate` takes them.
        qrels: likewise.
        measure: nsDCG or sDCG, with options such as duplicates=first if you like; by default nsDCG,
            or sDCG if gain comes from actions.
        b: bases of the rank discount: a range "1.5:10", a list "2,4", or numbers.
        bq: bases of the query discount.
        points: how many bases of a range are tried, evenly spread in the logarithm.
        depth: how many results of a query count; 10, or several numbers.
        weights: a gain or a table of weights such as "0:0,1:1,2:10,3:100", or several of them.
        by: the column, or columns, whose groups are compared.
        reference: the setting to compare others with; {"b": 2, "bq": 4}.
        **options: how sessions are read and what counts as gain (`sessions.GainOptions`), and
            single settings, such as `duplicates="first"`.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> sweep(study.sessions, study.qrels, points=5)
        Sweep of nsDCG, 25 settings, 120 sessions, 2 groups
        System 2 is better for every searcher in the reasonable range (b and bq from 1.5 to 10).
        simulated: made by a model of a searcher, not observed
    """
    reading = SessionReading.from_options(options)
    build_grid = partial(
        build_sweep_grid,
        measure,
        b=b,
        bq=bq,
        points=points,
        depth=depth,
        weights=weights,
        reference=reference,
        like=reading.like,
        settings=reading.settings,
    )
    names = (by,) if isinstance(by, str) else by
    recipes = build_grid().recipes  # which refuses mistakes before anything is read
    if find_engine(sessions) is not None and not list_others_in_parts(reading.options):
        from gainful.api.session_parts import prepare_parts  # noqa: PLC0415  (narwhals, slow to load)

        by_label = {recipe.label: recipe for recipe in recipes}
        parts = prepare_parts(sessions, qrels, by_label, names, reading.options)
        grid = build_grid(observed=parts.matcher.observed)
        sums, notes = parts.visit(partial(SweepPartSums, grid.recipes, parts.by, parts.name))
        return build_sweep(parts.name, grid, sums, notes)
    judgments, chosen = reading.read(sessions, qrels)
    grid = build_grid(observed=chosen.observed)
    return _sweep_groups(match_for(grid.recipes[0], chosen, judgments), grid, names, chosen.name)


def _sweep_groups(
    sessions: MatchedSessions, grid: SweepGrid, by: Sequence[str], name: str
) -> Sweep:
    sums = SweepPartSums(grid.recipes, by, name)
    sums.visit(sessions)
    return build_sweep(name, grid, sums, sessions.notes)


def sweep_results(results: SessionResults, recipe: SessionRecipe, by: str) -> Sweep | str:
    """Who wins for which b and bq, of sessions that are evaluated already; or why no map."""
    convention, measure = recipe.convention, recipe.measure
    params = {name: value for name, value in measure.params if name not in ("b", "bq")}
    bases = {"b": convention.b, "bq": convention.bq}
    try:
        grid = build_sweep_grid(
            evolve(measure, params=params),
            b=USUAL_RANGE,
            bq=USUAL_RANGE,
            points=_MAP_POINTS,
            depth=None,
            weights=None,
            reference={name: base for name, base in bases.items() if base is not None},
            like=results.convention,
            settings={},
        )
        return _sweep_groups(results.matched_sessions, grid, (by,), results.name)
    except GainfulError as error:
        return f"There is no map: {error}."
