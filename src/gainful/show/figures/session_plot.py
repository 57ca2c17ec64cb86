"""What the figures of sessions share: the measure they show, groups, bands, the caption."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, UnknownName, WrongType, counted
from gainful.evidence.stability import settled
from gainful.evidence.statistics.bootstrap_band import band
from gainful.evidence.statistics.resampling import RESAMPLES, SEED, How
from gainful.formula import Array
from gainful.match.matched import Flags
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep import group_called
from gainful.show.sessions import said

By = str | Sequence[str]
_WITH_VECTORS = ("sDCG", "nsDCG")


@frozen(eq=False, kw_only=True)
class Shown:
    """The sessions of a figure: one measure of them, and their groups by name."""

    results: SessionResults  # of that measure alone
    how: SessionRecipe
    name: str
    groups: Sequence[tuple[str, Flags]]
    band: How | None
    notes: tuple[str, ...]

    @property
    def x(self) -> int:
        """How many results of a query count."""
        return self.how.k or 1

    @property
    def said(self) -> tuple[str, ...]:
        """The caption: what was computed of what, what a band is, and what one should know."""
        told = said(self.results)
        bands: tuple[str, ...] = ()
        if self.band is not None:
            level, number = 100 * (1 - self.band.alpha), self.band.resamples
            how = f"sessions drawn again {number} times (percentile, seed {self.band.seed})"
            bands = (f"band: {level:g} % interval, {how}",)
        return (f"mean {self.name} · {told[0]}", *bands, *told[1:], *self.notes)

    def interval(self, total: Array, number: Array) -> dict[str, Array]:
        """The columns of a band, if one was asked for and there are sessions to draw from."""
        if self.band is None:
            return {}
        if len(total) < 2:
            nothing = np.full(total.shape[1], np.nan)
            return {"low": nothing, "high": nothing}
        low, high = band(total, number, self.band)
        return {"low": low, "high": high}


def shown(
    results: SessionResults,
    measure: str | None,
    by: By,
    *,
    prefer: str,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Shown:
    """One measure of some sessions; the first of the preferred name if none is named."""
    if not isinstance(results, SessionResults):
        raise WrongType("results", results, "SessionResults, as gainful.evaluate_sessions gives")
    name = _chosen(results, measure, prefer)
    how = results.recipes[name]
    if how.k is None:
        raise BadValue("measure", name, f"a depth, such as {how.entry.name}@10")
    _refuse_unjudged(results, how)
    one = evolve(results, values={name: results.values[name]}, recipes={name: how})
    groups = named_groups(results, by)
    sure = None if interval is None else settled(interval, resamples=resamples, seed=seed)
    alone = [label for label, flags in groups if int(flags.sum()) == 1]
    notes = [f"Note: {label} has one session: no interval" for label in alone if sure is not None]
    listed = int(results.held.listed.max())
    if how.k > listed:
        notes.append(f"Note: no query shows more than {counted(listed, 'result')}")
    return Shown(
        results=one,
        how=how,
        name=name,
        groups=groups,
        band=sure,
        notes=tuple(notes),
    )


def named_groups(results: SessionResults, by: By) -> list[tuple[str, Flags]]:
    """The groups and what they are called; all sessions, if by nothing."""
    found = results.grouped(by)
    labels = [group_called(keys) if keys else "all sessions" for keys, _ in found]
    if len(set(labels)) < len(labels):  # 2 and "system 2" would both be system 2
        labels = [", ".join(f"{key}={value!r}" for key, value in keys.items()) for keys, _ in found]
    return [(label, flags) for label, (_, flags) in zip(labels, found, strict=True)]


def _chosen(results: SessionResults, measure: str | None, prefer: str) -> str:
    fitting = {n: h.entry.name for n, h in results.recipes.items() if h.entry.name in _WITH_VECTORS}
    if measure is not None:
        if measure not in results.recipes:
            raise UnknownName("measure", measure, results.recipes)
        if measure not in fitting:
            raise BadValue("measure", measure, f"{' or '.join(_WITH_VECTORS)}, which have vectors")
        return measure
    if not fitting:
        raise BadValue("measure", ", ".join(results.recipes), "an sDCG or nsDCG among them")
    wanted = [name for name, kind in fitting.items() if kind == prefer]
    return (wanted or list(fitting))[0]


def _refuse_unjudged(results: SessionResults, recipe: SessionRecipe) -> None:
    """Where nothing that counts is judged, zeros would only look like an answer."""
    depth = recipe.k or 0
    if not (results.held.judged.rank <= depth).any():
        problem = f"none of the top {depth} results of any query is judged"
        raise BadInput(results.name, problem, "judgments of what was shown, or a greater depth")


def all_zero(values: pl.Series) -> str:
    """What is said where nothing was gained at all."""
    known = values.drop_nulls()
    if not len(known):
        return "No session has an ideal, so there is no share of it to show."
    return "Nothing was gained: every value is 0." if (known == 0).all() else ""


def refuse_no_count(name: str, number: object) -> None:
    """A number of queries must be one."""
    if number is not None and (
        isinstance(number, bool) or not isinstance(number, int) or number < 1
    ):
        raise BadValue(name, number, "a whole number from 1 on")
