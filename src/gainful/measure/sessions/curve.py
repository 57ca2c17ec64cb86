"""Mean vectors of sessions, position by position, as tidy data: the paper's Figures 2 and 3."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadValue
from gainful.formula import Array
from gainful.match.matched import Flags
from gainful.match.sessions import MatchedSessions
from gainful.measure.normalise import ratio
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.sdcg import Vectors, vectors

_OF_CURVES = ("sDCG", "nsDCG")


def curve(
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    groups: Iterable[tuple[dict[str, Any], Flags]],
    *,
    common: bool = False,
) -> pl.DataFrame:
    """The mean vector of each group: query, rank, position, mean, n, and how many still search.

    Where a searcher has stopped, the last value is held: to the end of the longest session of the
    group, or of all groups in common.
    """
    _refuse_others(recipe)
    sessions = sessions.until(recipe.queries)
    found = vectors(sessions, recipe)
    values = _values(found, recipe)
    frames = [
        _of_group(sessions, recipe, found, values, keys, flags, common=common)
        for keys, flags in groups
    ]
    return pl.concat(frames)


def each_held(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The vector of every session, held where it has stopped: sessions × queries × ranks.

    Not a number where a session has no ideal and the convention leaves it out.
    """
    _refuse_others(recipe)
    sessions = sessions.until(recipe.queries)
    return _values(vectors(sessions, recipe), recipe)


def of_mean(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Array, Array]:
    """What mean vectors are made of: the sums of the one over those of the other.

    The values of sessions and which of them count; or their gains and ideals, where the convention
    averages these first.
    """
    _refuse_others(recipe)
    sessions = sessions.until(recipe.queries)
    found = vectors(sessions, recipe)
    if recipe.entry.name == "nsDCG" and recipe.convention.average == "vectors":
        return found.gain, found.ideal
    values = _values(found, recipe)
    counts = ~np.isnan(values)
    return np.where(counts, values, 0.0), counts.astype(np.float64)


def _values(found: Vectors, recipe: SessionRecipe) -> Array:
    return found.gain if recipe.entry.name == "sDCG" else found.normalised(recipe)


def _refuse_others(recipe: SessionRecipe) -> None:
    if recipe.entry.name not in _OF_CURVES:
        raise BadValue("measure", recipe.label, f"{' or '.join(_OF_CURVES)}, which have vectors")


def of_each(sessions: MatchedSessions, recipe: SessionRecipe) -> pl.DataFrame:
    """The vectors of every session: session, query, rank, position, gain, ideal, share."""
    _refuse_others(recipe)
    sessions = sessions.until(recipe.queries)
    found = vectors(sessions, recipe)
    most, x = found.gain.shape[1:]
    own = np.arange(most) < sessions.queries[:, None]
    kept = np.repeat(own, x, axis=1).ravel()
    names = pl.Series("session", list(sessions.sessions))
    return pl.DataFrame(
        {
            "session": names.gather(np.repeat(np.arange(sessions.size), most * x)[kept]),
            "query": np.tile(np.repeat(np.arange(1, most + 1), x), sessions.size)[kept],
            "rank": np.tile(np.arange(1, x + 1), sessions.size * most)[kept],
            "position": np.tile(np.arange(1, most * x + 1), sessions.size)[kept],
            "gain": found.gain.ravel()[kept],
            "ideal": found.ideal.ravel()[kept],
            "share": pl.Series(found.normalised(recipe).ravel()[kept]).fill_nan(None),
        }
    )


def _of_group(  # noqa: PLR0917  (all of one group)
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    found: Vectors,
    values: Array,
    keys: dict[str, Any],
    flags: Flags,
    *,
    common: bool,
) -> pl.DataFrame:
    most = values.shape[1] if common else int(sessions.queries[flags].max())
    x = values.shape[2]
    some = values[flags][:, :most]
    counts = ~np.isnan(some)
    number = counts.sum(axis=0)
    mean = np.where(counts, some, 0.0).sum(axis=0) / np.maximum(number, 1)
    if recipe.entry.name == "nsDCG" and recipe.convention.average == "vectors":
        gain, best = (one[flags][:, :most].mean(axis=0) for one in (found.gain, found.ideal))
        mean = np.ma.filled(ratio(gain.ravel(), best.ravel(), recipe.convention.empty), np.nan)
        mean = mean.reshape(gain.shape)
    active = (sessions.queries[flags][:, None] >= np.arange(1, most + 1)).sum(axis=0)
    return pl.DataFrame(
        {
            **{name: [value] * (most * x) for name, value in keys.items()},
            "query": np.repeat(np.arange(1, most + 1), x),
            "rank": np.tile(np.arange(1, x + 1), most),
            "position": np.arange(1, most * x + 1),
            "mean": pl.Series(np.where(number > 0, mean, np.nan).ravel()).fill_nan(None),
            "n": number.ravel(),
            "searching": np.repeat(active, x),
        }
    )
