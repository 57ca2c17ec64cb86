"""What the figures of sessions share: one measure of some sessions, their groups, the caption."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from attrs import frozen

from gainful.defaults import RESAMPLES, SEED
from gainful.errors import BadInput, BadValue, WrongType, check_whole_number
from gainful.evidence.intervals import DrawnUnits, draw_searchers, resampling_for_level
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.system_groups import curve_bands
from gainful.match.session_groups import By, group_label
from gainful.measure.entry import SessionRecipe
from gainful.measure.sessions.results import SessionResults, list_footnotes
from gainful.measure.sessions.session_values import choose_vectors, curve
from gainful.show.figures.figure import NO_GAIN, explain_empty
from gainful.text import count_noun
from gainful.types import Flags


@frozen(eq=False, kw_only=True)
class SessionPlot:
    """One measure of some sessions, their groups, and how bands are drawn."""

    results: SessionResults  # of that measure alone
    recipe: SessionRecipe
    measure_name: str
    groups: Sequence[tuple[str, Flags]]
    resampling: Resampling | None
    drawn: DrawnUnits  # again, where there are bands
    notes: tuple[str, ...]

    @property
    def depth(self) -> int:
        """How many results of a query count."""
        return self.recipe.k or 1

    @property
    def caption(self) -> tuple[str, ...]:
        """The caption: what was computed of what, what a band is, and what one should know."""
        lines = list_footnotes(self.results, verbose=True)
        bands: tuple[str, ...] = ()
        if self.resampling is not None:
            method = (
                f"bootstrap over {self.drawn.words}, {self.resampling.resamples} resamples "
                f"(percentile, seed {self.resampling.seed})"
            )
            bands = (f"band: {self.resampling.level} interval, {method}",)
        return (f"mean {self.measure_name} · {lines[0]}", *bands, *lines[1:], *self.notes)


def explain_zeros(values: pl.Series) -> str:
    """What is said where nothing was gained at all."""
    return explain_empty(
        values, "No session has an ideal above 0, so there is nothing to show.", NO_GAIN
    )


def prepare_plot(  # noqa: PLR0917  (the options that the figures share)
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
    measure_name = choose_vectors(results.recipes, measure, prefer)
    recipe = results.recipes[measure_name]
    if recipe.k is None:
        raise BadValue("measure", measure_name, f"a depth, such as {recipe.entry.name}@10")
    if not (results.matched_sessions.judged.rank <= recipe.k).any():  # zeros were no answer
        problem = f"none of the top {recipe.k} results of any query is judged"
        raise BadInput(results.name, problem, "judgments of the results shown, or a greater depth")
    groups = label_groups(results, by)
    resampling, notes = None, []
    drawn = draw_searchers(results.columns)
    if interval is not None:
        resampling = resampling_for_level(interval, resamples=resamples, seed=seed)
        for label, flags in groups:
            units = drawn.select(flags)
            if int(flags.sum()) == 1:
                notes.append(f"Note: {label} has one session: no interval")
            elif units is not None and not units.any():
                notes.append(
                    f"Note: {label}: all belong to one {drawn.name}, so there is no interval"
                )
    longest_list = int(results.matched_sessions.retrieved.max())
    if recipe.k > longest_list:
        notes.append(f"Note: no query shows more than {count_noun(longest_list, 'result')}")
    return SessionPlot(
        results=results.select_measures([measure_name]),
        recipe=recipe,
        measure_name=measure_name,
        groups=groups,
        resampling=resampling,
        drawn=drawn,
        notes=tuple(notes),
    )


def label_groups(results: SessionResults, by: By) -> list[tuple[str, Flags]]:
    """The groups and what they are called; all sessions, if by nothing."""
    groups = results.group_sessions(by)
    labels = [group_label(keys) if keys else "all sessions" for keys, _ in groups]
    if len(set(labels)) < len(labels):  # 2 and "system 2" would both be system 2
        labels = [
            ", ".join(f"{key}={value!r}" for key, value in keys.items()) for keys, _ in groups
        ]
    return [(label, flags) for label, (_, flags) in zip(labels, groups, strict=True)]


def check_count(name: str, number: object) -> None:
    """A number of queries must be one."""
    if number is not None:
        check_whole_number(name, number)


def mean_curves(plot: SessionPlot, subsets: Sequence[tuple[dict[str, str], Flags]]) -> pl.DataFrame:
    """The mean vector of each subset, with its band if one was asked for."""
    sessions = plot.results.matched_sessions
    curves = curve(sessions, plot.recipe, subsets, common=True)
    if plot.resampling is None:
        return curves
    groups = [flags for _, flags in subsets]
    return curves.with_columns(
        **curve_bands(sessions, plot.recipe, groups, plot.drawn, plot.resampling)
    )
