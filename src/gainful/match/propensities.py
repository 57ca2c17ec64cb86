"""How likely is a searcher to look at a rank? Estimated from the clicks of a log.

The position-based model: a result is clicked if it is looked at, with the probability of its rank
(its propensity), and if it is attractive, with a probability of the query and the document. Both
are told apart by pairs of query and document that were seen at several ranks. Their
attractiveness is drawn from a distribution that is estimated along with the propensities, one for
each stratum of pairs of similar mean rank: so pairs that were seen only a few times do not pull
propensities towards 1, and better documents may well stand higher.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from gainful.errors import BadInput, BadValue
from gainful.read.sessions import Sessions
from gainful.text import format_range
from gainful.types import Array, slices

MIN_SHARE = 0.05  # of pairs that were seen at several ranks; with fewer nothing can be told apart
_MAX_RANK = 100  # deeper ranks are taken like this
_MAX_CELLS = 5_000_000  # pairs times ranks that are looked at; of more pairs, the most frequent
_STRATA, _PAIRS_IN_STRATUM = 20, 50
_LEVELS = np.concatenate(  # of attractiveness
    [[1e-9], np.geomspace(0.003, 0.1, 10), np.linspace(0.13, 1 - 1e-9, 30)]
)
_FEW_PRODUCTS = 1 << 18  # of a matrix product that stays in the cache, and on one thread
_TOLERANCE, _MAX_STEPS = 1e-5, 300  # of propensities, in one step; of three each


@frozen(eq=False)
class Propensities:
    """How likely each rank is looked at, from rank 1 on, and where that comes from."""

    values: Array
    source: str

    def weights(self, rank: NDArray[np.int64], most: float) -> Array:
        """How much a click at each rank counts: one over its propensity, `most` at the most."""
        index = np.clip(rank, 1, len(self.values)) - 1
        return np.minimum(1 / self.values[index], most)


def estimate_propensities(sessions: Sessions) -> Propensities:
    """The propensity of each rank, by EM of a position-based model of the clicks."""
    counts = _count_pairs(sessions)
    pairs = counts.group_by("pair").agg(pl.len().alias("ranks"), pl.col("shown").sum())
    several = pairs.filter(pl.col("ranks") > 1)
    share = len(several) / max(len(pairs), 1)
    if share < MIN_SHARE:
        raise BadInput(
            sessions.name,
            f"{100 * share:.1f} % of {len(pairs):,} query–document pairs were seen at several "
            "ranks, too few to estimate propensities",
            f"at least {100 * MIN_SHARE:.0f} %; or propensities from elsewhere (--propensity FILE)",
        )
    shown, clicked = _tabulate_pairs(counts, several)
    if not clicked.any():
        problem = "no query–document pair that was seen at several ranks was ever clicked"
        raise BadInput(sessions.name, problem, "clicks; or propensities from elsewhere")
    values, known = _run_em(shown, clicked)
    values = _fill_unknown(values, known)
    first = ", ".join(f"{value:.2f}" for value in values[:5])
    more = ", …" if len(values) > 5 else ""
    return Propensities(
        values,
        "estimated from the log by EM of a position-based model: "
        f"{first}{more} at ranks {format_range([1, len(values)])}; "
        f"{100 * share:.0f} % of {len(pairs):,} query–document pairs were seen at several ranks",
    )


def _count_pairs(sessions: Sessions) -> pl.DataFrame:
    """How often each pair of query and document was shown at each rank, and clicked there."""
    frame = sessions.frame
    if "clicked" not in frame.columns:
        raise BadInput(sessions.name, "there are no clicks to estimate propensities from")
    query = next((name for name in ("text", "topic") if name in frame.columns), None)
    if query is None:
        allowed = "a column text or topic, by which a query is known again"
        raise BadValue("propensity", "estimate", allowed)
    return (
        frame.lazy()
        .filter(pl.col("doc").is_not_null() & pl.col(query).is_not_null())
        .group_by(
            pl.col(query).str.strip_chars().str.to_lowercase(),
            "doc",
            pl.col("rank").clip(upper_bound=_MAX_RANK),
        )
        .agg(pl.len().alias("shown"), pl.col("clicked").sum())
        .with_columns(pair=pl.struct(query, "doc").hash(1))
        .select("pair", "rank", "shown", "clicked")
        .collect()
    )


def _tabulate_pairs(counts: pl.DataFrame, several: pl.DataFrame) -> tuple[Array, Array]:
    """A row for each pair that was seen at several ranks, a column for each rank."""
    ranks = int(counts["rank"].max() or 1)  # type: ignore[arg-type]
    chosen = several.sort("shown", "pair", descending=True).head(max(1, _MAX_CELLS // ranks))
    cells = counts.join(chosen.select("pair").with_row_index("number"), on="pair", how="inner")
    place = (cells["number"].to_numpy(), cells["rank"].to_numpy() - 1)
    shown = np.zeros((len(chosen), ranks))
    clicked = np.zeros((len(chosen), ranks))
    shown[place], clicked[place] = cells["shown"].to_numpy(), cells["clicked"].to_numpy()
    return shown, clicked


def _run_em(shown: Array, clicked: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The propensities at which the clicks are most likely; and which ranks are known.

    Three steps of EM show where they lead, and the next begins there (SQUAREM, Varadhan and Roland
    2008). The first rank that is known is looked at: only ratios of propensities can be told.
    """
    step, share = _build_step(shown, clicked)
    known = clicked.sum(axis=0) > 0
    start = 1 / np.sqrt(np.arange(1, shown.shape[1] + 1))
    for _ in range(_MAX_STEPS):
        first, share = step(start, share)
        if float(np.abs(first - start)[known].max()) < _TOLERANCE:
            return first, known
        second, share = step(first, share)
        change, bend = first - start, second - 2 * first + start
        length = min(-1.0, -np.sqrt(np.square(change).sum() / max(np.square(bend).sum(), 1e-30)))
        leap = start - 2 * length * change + length**2 * bend
        start, share = step(np.clip(leap, second / 2, 1.0), share)
    return start, known


def _build_step(
    shown: Array, clicked: Array
) -> tuple[Callable[[Array, Array], tuple[Array, Array]], Array]:
    """One step of EM, and an even distribution of attractiveness to begin with."""
    stratum = _find_strata(shown)
    order = np.argsort(stratum, kind="stable")
    shown, clicked = shown[order], clicked[order]
    bounds = [*np.flatnonzero(np.diff(stratum[order], prepend=-1)).tolist(), len(shown)]
    skipped, total, clicks = shown - clicked, shown.sum(axis=0), clicked.sum(axis=0)
    rows = _FEW_PRODUCTS // (shown.shape[1] * len(_LEVELS))
    parts = [
        (number, slice(begin + part.start, begin + part.stop))
        for number, (begin, end) in enumerate(pairwise(bounds))
        for part in slices(end - begin, rows)
    ]

    def step(theta: Array, share: Array) -> tuple[Array, Array]:
        seen = np.minimum(theta[:, None] * _LEVELS, 1 - 1e-12)  # P(click) by rank and level
        by_click, by_skip, prior = np.log(seen), np.log1p(-seen), np.log(share)
        missed = np.zeros((len(_LEVELS), len(theta)))  # shown and not clicked, by level and rank
        sums = np.zeros_like(share)
        for number, part in parts:
            posterior = clicked[part] @ by_click + skipped[part] @ by_skip + prior[number]
            posterior = np.exp(posterior - posterior.max(axis=1, keepdims=True))
            posterior /= posterior.sum(axis=1, keepdims=True)
            missed += posterior.T @ skipped[part]
            sums[number] += posterior.sum(axis=0)
        looked = theta * (1 - _LEVELS[:, None]) / (1 - seen.T)
        update = (clicks + (missed * looked).sum(axis=0)) / np.maximum(total, 1)
        update = np.where(clicks > 0, update, theta)
        update[int((clicks > 0).argmax())] = 1.0
        return update, np.maximum(sums / sums.sum(axis=1, keepdims=True), 1e-12)

    return step, np.full((len(bounds) - 1, len(_LEVELS)), 1 / len(_LEVELS))


def _find_strata(shown: Array) -> NDArray[np.intp]:
    """The stratum of each pair, by its mean rank."""
    count = max(1, min(_STRATA, len(shown) // _PAIRS_IN_STRATUM))
    mean_rank = shown @ np.arange(shown.shape[1]) / shown.sum(axis=1)
    bounds = np.quantile(mean_rank, np.arange(1, count) / count)
    return np.asarray(np.digitize(mean_rank, bounds), dtype=np.intp)


def _fill_unknown(values: Array, known: NDArray[np.bool_]) -> Array:
    """A rank at which nothing was clicked is taken like the one before it."""
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), 0))
    return np.maximum(values[last], 1e-6)
