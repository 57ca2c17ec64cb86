"""What the figures of sessions share: one measure of some sessions, their groups, the caption."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from attrs import frozen

from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.results import SessionResults, list_footnotes
from gainful.types import Flags


@frozen(eq=False, kw_only=True)
class SessionPlot:
    """One measure of some sessions, their groups, and how bands are drawn."""

    results: SessionResults  # of that measure alone
    recipe: SessionRecipe
    measure_name: str
    groups: Sequence[tuple[str, Flags]]
    resampling: Resampling | None
    notes: tuple[str, ...]

    @property
    def depth(self) -> int:
        """How many results of a query count."""
        return self.recipe.k or 1

    @property
    def caption(self) -> tuple[str, ...]:
        """The caption: what was computed of what, what a band is, and what one should know."""
        lines = list_footnotes(self.results)
        bands: tuple[str, ...] = ()
        if self.resampling is not None:
            level, resamples = 100 * (1 - self.resampling.alpha), self.resampling.resamples
            method = (
                f"sessions drawn again {resamples} times (percentile, seed {self.resampling.seed})"
            )
            bands = (f"band: {level:g} % interval, {method}",)
        return (f"mean {self.measure_name} · {lines[0]}", *bands, *lines[1:], *self.notes)


def explain_zeros(values: pl.Series) -> str:
    """What is said where nothing was gained at all."""
    defined = values.drop_nulls()
    if not len(defined):
        return "No session has an ideal, so there is no share of it to show."
    return "Nothing was gained: every value is 0." if (defined == 0).all() else ""
