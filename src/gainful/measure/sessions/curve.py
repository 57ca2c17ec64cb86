"""Mean vectors of sessions, position by position, as tidy data: the paper's Figures 2 and 3."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadValue
from gainful.match.sessions import MatchedSessions
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.functions.sessions.sdcg import Vectors, session_vectors
from gainful.measure.normalise import normalise_by
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Flags


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
    _refuse_without_vectors(recipe)
    sessions = sessions.keep_first_queries(recipe.queries)
    vectors = session_vectors(sessions, recipe)
    values = _pick_values(vectors, recipe)
    frames = [
        _group_curve(sessions, recipe, vectors, values, keys, flags, common=common)
        for keys, flags in groups
    ]
    return pl.concat(frames)


def session_value_vectors(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The vector of every session, held where it has stopped: sessions × queries × ranks.

    Not a number where a session has no ideal and the convention leaves it out.
    """
    _refuse_without_vectors(recipe)
    sessions = sessions.keep_first_queries(recipe.queries)
    return _pick_values(session_vectors(sessions, recipe), recipe)


def mean_terms(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Array, Array]:
    """What mean vectors are made of: the sums of the one over those of the other.

    The values of sessions and which of them count; or their gains and ideals, where the convention
    averages these first.
    """
    _refuse_without_vectors(recipe)
    sessions = sessions.keep_first_queries(recipe.queries)
    vectors = session_vectors(sessions, recipe)
    if recipe.entry.normalised and recipe.convention.average == "vectors":
        return vectors.gain, vectors.ideal
    values = _pick_values(vectors, recipe)
    counts = ~np.isnan(values)
    return np.where(counts, values, 0.0), counts.astype(np.float64)


def _pick_values(vectors: Vectors, recipe: SessionRecipe) -> Array:
    return vectors.normalise(recipe) if recipe.entry.normalised else vectors.gain


def _refuse_without_vectors(recipe: SessionRecipe) -> None:
    if not recipe.entry.has_vectors:
        raise BadValue("measure", recipe.label, f"{' or '.join(WITH_VECTORS)}, which have vectors")


def tabulate_vectors(sessions: MatchedSessions, recipe: SessionRecipe) -> pl.DataFrame:
    """The vectors of every session: session, query, rank, position, gain, ideal, share."""
    _refuse_without_vectors(recipe)
    sessions = sessions.keep_first_queries(recipe.queries)
    vectors = session_vectors(sessions, recipe)
    max_queries, x = vectors.gain.shape[1:]
    own = np.arange(max_queries) < sessions.query_counts[:, None]
    inside = np.repeat(own, x, axis=1).ravel()
    names = pl.Series("session", list(sessions.session_ids))
    return pl.DataFrame(
        {
            "session": names.gather(np.repeat(np.arange(sessions.size), max_queries * x)[inside]),
            "query": np.tile(np.repeat(np.arange(1, max_queries + 1), x), sessions.size)[inside],
            "rank": np.tile(np.arange(1, x + 1), sessions.size * max_queries)[inside],
            "position": np.tile(np.arange(1, max_queries * x + 1), sessions.size)[inside],
            "gain": vectors.gain.ravel()[inside],
            "ideal": vectors.ideal.ravel()[inside],
            "share": pl.Series(vectors.normalise(recipe).ravel()[inside]).fill_nan(None),
        }
    )


def _group_curve(  # noqa: PLR0917  (all of one group)
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    vectors: Vectors,
    values: Array,
    keys: dict[str, Any],
    flags: Flags,
    *,
    common: bool,
) -> pl.DataFrame:
    max_queries = values.shape[1] if common else int(sessions.query_counts[flags].max())
    x = values.shape[2]
    group_values = values[flags][:, :max_queries]
    counts = ~np.isnan(group_values)
    session_count = counts.sum(axis=0)
    mean = np.where(counts, group_values, 0.0).sum(axis=0) / np.maximum(session_count, 1)
    if recipe.entry.normalised and recipe.convention.average == "vectors":
        gain, best = (
            array[flags][:, :max_queries].mean(axis=0) for array in (vectors.gain, vectors.ideal)
        )
        mean = np.ma.filled(
            normalise_by(gain.ravel(), best.ravel(), recipe.convention.empty), np.nan
        )
        mean = mean.reshape(gain.shape)
    active = (sessions.query_counts[flags][:, None] >= np.arange(1, max_queries + 1)).sum(axis=0)
    return pl.DataFrame(
        {
            **{name: [value] * (max_queries * x) for name, value in keys.items()},
            "query": np.repeat(np.arange(1, max_queries + 1), x),
            "rank": np.tile(np.arange(1, x + 1), max_queries),
            "position": np.arange(1, max_queries * x + 1),
            "mean": pl.Series(np.where(session_count > 0, mean, np.nan).ravel()).fill_nan(None),
            "n": session_count.ravel(),
            "searching": np.repeat(active, x),
        }
    )
