"""`SweepAgreement`: which searcher, by b and bq, agrees best with what users said?

Every setting is correlated with the labels. Sessions (whole searchers, where these are known) are
drawn again, and each time the best setting is found anew: how far it wanders says how sure it is.
As the best of many settings looks better than it is, its correlation is also told on sessions that
were not drawn, which had no part in choosing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadInput
from gainful.evidence.orders.correlations import LabelledUnits, check_units, describe_method
from gainful.evidence.statistics.bootstrap import (
    bootstrap_interval,
    bootstrap_p,
    draw_weights,
)
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.weighted_correlation import (
    COEFFICIENT_WORDS,
    COEFFICIENTS,
)
from gainful.match.sessions import MatchedSessions
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.evaluate import compute_session_values
from gainful.measure.sessions.sweep_grid import SweepGrid
from gainful.page.page import Page, Section
from gainful.page.plain_data import to_plain_data
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.rounding import COARSE_ROUNDING
from gainful.text import count_noun
from gainful.types import Array, Flags

RESAMPLES_OF_SWEEP = 1000
_SMALLEST_REST = 3  # units that were not drawn, of which a correlation is told


@frozen
class SettingAgreement:
    """How one setting goes along with what users said."""

    weights: str
    depth: int
    b: float
    bq: float
    estimate: float | None  # none where the measure does not vary
    chosen: float  # the share of resamples in which it is the best


@frozen(eq=False, repr=False, kw_only=True)
class SweepAgreement(Shown):
    """The setting that agrees best, how sure it is, and every other setting.

    `held_out` is the mean correlation of the best setting of a resample with the sessions that were
    not in it. `b_range` and `bq_range` hold the best setting of 95 % of the resamples.
    """

    measure: str
    against: str
    coefficient: str
    settings: tuple[SettingAgreement, ...]
    best: SettingAgreement
    low: float  # of its correlation
    high: float
    held_out: float | None
    b_range: tuple[float, float]
    bq_range: tuple[float, float]
    reference: SettingAgreement  # the convention's own b and bq
    difference: float  # of the best from it
    difference_low: float
    difference_high: float
    p: float
    units: int
    unit: str
    clusters: int
    cluster_noun: str
    resampling: Resampling
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain = to_plain_data(self)
        resampling = self.resampling
        chance = {
            "alpha": resampling.alpha,
            "resamples": resampling.resamples,
            "seed": resampling.seed,
        }
        return {name: value for name, value in plain.items() if name != "resampling"} | chance

    def page(self, *, verbose: bool = False) -> Page:
        """The best setting in a sentence, and the corners of what was swept."""
        return sweep_agreement_page(self, verbose=verbose)


def sweep_labels(
    sessions: MatchedSessions,
    grid: SweepGrid,
    units: LabelledUnits,
    *,
    against: str,
    coefficient: str,
    resampling: Resampling,
) -> SweepAgreement:
    """Every setting of the grid against the labels.

    Args:
        sessions: what was matched.
        grid: the settings.
        units: the labels of the sessions that have one.
        against: what the labels are called.
        coefficient: spearman, pearson or kendall.
        resampling: how often sessions are drawn again, from which seed.
    """
    recipes = [
        _with_bases(recipe, b, bq) for recipe in grid.recipes for b in grid.b for bq in grid.bq
    ]
    reference_recipe = _with_bases(grid.recipes[0], *grid.reference)
    values = np.stack(
        [_compute_values(sessions, recipe)[units.kept] for recipe in (*recipes, reference_recipe)]
    )
    known: Flags = np.asarray(np.isfinite(values).all(axis=0))
    units = _select(units, known)
    values = values[:, known]
    check_units(evolve(units, values={}), against, coefficient)
    noise = COARSE_ROUNDING * np.abs(values).max(initial=0.0)
    if len(values) > 2 and (np.ptp(values[:-1], axis=0) <= noise).all():
        problem = "it is the same at every setting, so that none agrees better than another"
        raise BadInput(grid.measure, problem, "sessions of several results or queries")
    resampled, held_out = _resample(values, units, coefficient, resampling)
    correlate = COEFFICIENTS[coefficient](units.label, np.ones((1, len(units.label))))
    estimates = np.array([correlate(row)[0] for row in values])
    if not np.isfinite(estimates[:-1]).any():
        raise BadInput(grid.measure, "it is the same for every session", "a measure that varies")
    best = int(np.nanargmax(estimates[:-1]))
    winners = np.nanargmax(
        np.where(np.isfinite(resampled[:, :-1]), resampled[:, :-1], -2.0), axis=1
    )
    settings = _list_settings(grid, recipes, estimates, winners)
    gaps = resampled[:, best] - resampled[:, -1]
    gap = float(estimates[best] - estimates[-1])
    none_left_out = np.empty(0)
    low, high = bootstrap_interval(
        float(estimates[best]), resampled[:, best], none_left_out, resampling.alpha
    )
    same = not np.abs(gaps[np.isfinite(gaps)]).any()
    ends = (0.0, 0.0) if same else bootstrap_interval(gap, gaps, none_left_out, resampling.alpha)
    return SweepAgreement(
        measure=grid.measure,
        against=against,
        coefficient=coefficient,
        settings=settings,
        best=settings[best],
        low=low,
        high=high,
        held_out=held_out,
        b_range=_range_of([settings[at].b for at in winners], resampling.alpha),
        bq_range=_range_of([settings[at].bq for at in winners], resampling.alpha),
        reference=_describe_reference(grid, reference_recipe, float(estimates[-1])),
        difference=gap,
        difference_low=ends[0],
        difference_high=ends[1],
        p=1.0 if same else bootstrap_p(gap, gaps, none_left_out),
        units=len(units.label),
        unit=units.unit,
        clusters=int(units.cluster.max()) + 1,
        cluster_noun=units.cluster_noun,
        resampling=resampling,
        notes=units.notes,
    )


def _with_bases(recipe: SessionRecipe, b: float, bq: float) -> SessionRecipe:
    return evolve(
        recipe,
        discount=recipe.discount.with_values({"b": b}),
        query_discount=recipe.query_discount.with_values({"bq": bq}),
    )


def _compute_values(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    values = compute_session_values(sessions, recipe)
    return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)


def _select(units: LabelledUnits, known: Flags) -> LabelledUnits:
    if known.all():
        return units
    number = int((~known).sum())
    note = f"{count_noun(number, units.unit)} without a value left out"
    cluster = np.unique(units.cluster[known], return_inverse=True)[1].astype(np.intp)
    return evolve(units, label=units.label[known], cluster=cluster, notes=(*units.notes, note))


def _resample(
    values: Array, units: LabelledUnits, coefficient: str, resampling: Resampling
) -> tuple[Array, float | None]:
    """The correlation of every setting in every resample, and what is left of the best outside."""
    function = COEFFICIENTS[coefficient]
    resampled = np.empty((resampling.resamples, len(values)))
    outside: list[float] = []
    for part, cluster_weights in draw_weights(int(units.cluster.max()) + 1, resampling):
        weights = cluster_weights[:, units.cluster]
        correlate = function(units.label, weights)
        for at, setting_values in enumerate(values):
            resampled[part, at] = correlate(setting_values)
        drawn = np.where(np.isfinite(resampled[part, :-1]), resampled[part, :-1], -2.0)
        for row, setting in enumerate(drawn.argmax(axis=1).tolist()):
            rest = (weights[row] == 0).astype(np.float64)[None, :]
            if rest.sum() >= _SMALLEST_REST:
                outside.append(float(function(units.label, rest)(values[setting])[0]))
    defined = [value for value in outside if np.isfinite(value)]
    return resampled, float(np.mean(defined)) if defined else None


def _list_settings(
    grid: SweepGrid, recipes: Sequence[SessionRecipe], estimates: Array, winners: Array
) -> tuple[SettingAgreement, ...]:
    chosen = np.bincount(winners, minlength=len(recipes)) / len(winners)
    bases = [(b, bq) for _ in grid.recipes for b in grid.b for bq in grid.bq]
    return tuple(
        SettingAgreement(
            recipe.gain.name,
            recipe.k or 0,
            *base,
            float(estimate) if np.isfinite(estimate) else None,
            float(share),
        )
        for recipe, base, estimate, share in zip(
            recipes, bases, estimates[:-1], chosen, strict=True
        )
    )


def _describe_reference(
    grid: SweepGrid, recipe: SessionRecipe, estimate: float
) -> SettingAgreement:
    return SettingAgreement(recipe.gain.name, recipe.k or 0, *grid.reference, estimate, 0.0)


def _range_of(bases: Sequence[float], alpha: float) -> tuple[float, float]:
    low, high = np.quantile(bases, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    return float(low), float(high)


_CHOICE_NOTE = (
    "Note: the best setting was chosen by the same sessions, which its interval and p do not "
    "count; what it is on sessions left out does"
)


def sweep_agreement_page(result: SweepAgreement, *, verbose: bool = False) -> Page:
    """What agrees best, how sure that is, and the settings to hold it against."""
    return Page(
        answer=_describe_best(result),
        sections=[Section(table=_build_table(result))],
        notes=[
            f"{count_noun(len(result.settings), 'setting')} · "
            + describe_method(result, "percentile", verbose=verbose),
            _CHOICE_NOTE,
            *(f"Note: {note}" for note in result.notes),
        ],
        rows=lambda: _list_rows(result),
        data=result.to_dict,
        indent="  ",
    )


def _describe_best(result: SweepAgreement) -> str:
    best, level = result.best, f"{100 * (1 - result.resampling.alpha):g} %"
    words = COEFFICIENT_WORDS[result.coefficient]
    (b_low, b_high), (bq_low, bq_high) = result.b_range, result.bq_range
    held_out = "" if result.held_out is None else f"; {result.held_out:.2f} on sessions left out"
    verdict = (
        "significantly better than"
        if result.p <= result.resampling.alpha
        else "not told apart from"
    )
    reference = result.reference
    return (
        f"{result.measure} agrees best with {result.against} at b = {best.b:.3g}, "
        f"bq = {best.bq:.3g}: "
        f"{words} {best.estimate:.2f} ({level} interval {result.low:.2f} to {result.high:.2f}"
        f"{held_out}). In {level} of resamples the best b is {b_low:.3g} to {b_high:.3g}, the best "
        f"bq {bq_low:.3g} to {bq_high:.3g}. It is {verdict} b = {reference.b:g}, "
        f"bq = {reference.bq:g} ({reference.estimate:.2f}, p = {result.p:.4f})."
    )


def _build_table(result: SweepAgreement) -> Table:
    """The best, the reference, and the corners of what was swept."""
    first = result.settings[0]
    plane = [s for s in result.settings if (s.weights, s.depth) == (first.weights, first.depth)]
    corners = {
        (s.b, s.bq): s for s in plane if s.b in _ends(plane, "b") and s.bq in _ends(plane, "bq")
    }
    rows = [("best", result.best), ("reference", result.reference)]
    rows += [("corner", setting) for setting in corners.values() if setting != result.best]
    heads = ("setting", "weights", "depth", "b", "bq", result.coefficient, "best in")
    cells = [
        (
            kind,
            setting.weights,
            str(setting.depth),
            f"{setting.b:.3g}",
            f"{setting.bq:.3g}",
            "–" if setting.estimate is None else f"{setting.estimate:.4f}",
            "–" if kind == "reference" else f"{100 * setting.chosen:.1f} %",
        )
        for kind, setting in rows
    ]
    return Table(heads, cells, numeric=True, label_columns=2, expendable=("weights", "depth"))


def _ends(settings: Sequence[SettingAgreement], base: str) -> tuple[float, float]:
    bases = [getattr(setting, base) for setting in settings]
    return min(bases), max(bases)


def _list_rows(result: SweepAgreement) -> Table:
    """A row for each setting."""
    columns = ("weights", "depth", "b", "bq", "estimate", "chosen")
    rows = [tuple(getattr(setting, name) for name in columns) for setting in result.settings]
    return Table(columns, rows, numeric=True, label_columns=2)
