"""Who is the searcher? Every setting of b, bq, depth and weights in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from gainful.convention.session import SessionConvention
from gainful.errors import OneGroup
from gainful.match.sessions import match_sessions
from gainful.measure.measure import Measure
from gainful.measure.sessions.last_queries import group_results
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep_boundary import (
    Crossing,
    find_crossings_along_b,
    find_crossings_along_bq,
    winners,
)
from gainful.measure.sessions.sweep_grid import (
    USUAL_RANGE,
    Bases,
    SweepGrid,
    Weights,
    build_sweep_grid,
)
from gainful.measure.sessions.sweep_sums import SweepSums, sum_for_sweep
from gainful.measure.sessions.sweep_verdict import describe_winners
from gainful.read.filter_sessions import filter_sessions
from gainful.read.inputs import AnyQrels, as_qrels, as_qrels_columns
from gainful.read.session_inputs import AnySessions, as_sessions
from gainful.rounding import ROUNDING
from gainful.text import count_noun
from gainful.types import Array, Ranks


@frozen(eq=False, kw_only=True)
class Plane:
    """All settings of b and bq for one choice of weights and depth."""

    weights: str
    depth: int
    means: Array  # b × bq × groups
    tau: Array  # b × bq; nan where there is no order
    boundary: Sequence[Crossing]  # where the winner changes with bq at each b, or else with b
    at_reference: Array  # the means at the reference b and bq
    sentence: str

    @property
    def winners(self) -> Ranks:
        """The number of the group that wins, b × bq; -1 where none does."""
        return winners(self.means)


@frozen(eq=False, repr=False, kw_only=True)
class Sweep:
    """What groups of sessions are worth to searchers of every kind.

    `sentences` say who wins for whom, `rows()` gives each setting, `planes` have the means as
    arrays and the boundary, `to_dict()` is all of it as plain data.
    """

    name: str
    measure: str
    by: tuple[str, ...]
    groups: tuple[str, ...]
    group_labels: tuple[str, ...]  # what they are called in a sentence
    b: tuple[float, ...]
    bq: tuple[float, ...]
    planes: Sequence[Plane]
    reference: tuple[float, float]  # b and bq, in the first plane
    convention: SessionConvention
    counts: Mapping[str, int]
    notes: Sequence[str] = field(default=())

    @property
    def sentences(self) -> list[str]:
        """Who wins for whom: one sentence for each choice of weights and depth."""
        if len(self.planes) == 1:
            return [self.planes[0].sentence]
        return [f"{p.weights}, top {p.depth}: {p.sentence}" for p in self.planes]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each setting: the means, their difference, who wins, and tau against the reference.

        The difference is that of the first group to the second; of more than two groups, that of
        the best to the second best.
        """
        for plane in self.planes:
            winner_grid = plane.winners
            for i, b in enumerate(self.b):
                for j, bq in enumerate(self.bq):
                    means = plane.means[i, j]
                    winner = int(winner_grid[i, j])
                    yield {
                        "weights": plane.weights,
                        "depth": plane.depth,
                        "b": b,
                        "bq": bq,
                        "means": dict(zip(self.groups, map(_nan_to_none, means), strict=True)),
                        "difference": _nan_to_none(_difference(means)),
                        "winner": self.groups[winner] if winner >= 0 else None,
                        "tau": _nan_to_none(plane.tau[i, j]),
                    }

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.measure,
            "by": list(self.by),
            "groups": list(self.groups),
            "answers": self.sentences,
            "reference": {
                "b": self.reference[0],
                "bq": self.reference[1],
                "weights": self.planes[0].weights,
                "depth": self.planes[0].depth,
            },
            "boundary": [
                {
                    "weights": plane.weights,
                    "depth": plane.depth,
                    "b": crossing.b,
                    "bq": crossing.bq,
                    "along": crossing.along,
                    "below": self.groups[crossing.below],
                    "above": self.groups[crossing.above],
                }
                for plane in self.planes
                for crossing in plane.boundary
            ],
            "settings": list(self.rows()),
            "convention": {
                "like": self.convention.name,
                **self.convention.settings(),
                **dict.fromkeys(("b", "bq"), "swept"),
            },
            "counts": dict(self.counts),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        number = sum(plane.means[..., 0].size for plane in self.planes)
        size = ", ".join(
            count_noun(self.counts[noun], noun[:-1]) for noun in ("sessions", "groups")
        )
        head = f"Sweep of {self.measure}, {count_noun(number, 'setting')}, {size}"
        return "\n".join((head, *self.sentences, *self.notes))


def sweep(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measure: str | Measure = "nsDCG",
    *,
    b: Bases = USUAL_RANGE,
    bq: Bases = USUAL_RANGE,
    points: int = 20,
    depth: int | str | Sequence[int] | None = None,
    weights: Weights | Sequence[Weights] | None = None,
    by: str | Sequence[str] = "system",
    reference: Mapping[str, float] | None = None,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    **settings: Any,
) -> Sweep:
    """Which system is better for which searcher: impatient or patient, of many queries or few?

    Sessions are matched once, and their gains laid out once; for each setting only the discounts
    change. Each mean is what `evaluate_sessions` gives at that setting.

    Args:
        sessions: as `evaluate_sessions` takes them.
        qrels: likewise.
        measure: nsDCG or sDCG, with options such as duplicates=first if you like.
        b: bases of the rank discount: a range "1.5:10", a list "2,4", or numbers.
        bq: bases of the query discount.
        points: how many bases of a range are tried, evenly spread in the logarithm.
        depth: how many results of a query count; 10, or several numbers.
        weights: a gain or a table of weights such as "0:0,1:1,2:10,3:100", or several of them.
        by: the column, or columns, whose groups are compared.
        reference: the setting that others are held against; {"b": 2, "bq": 4}.
        like: whose habits to follow: jk2008 (default), …
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries.
        first_queries: only the first so many queries of each session.
        settings: single habits, such as `duplicates="first"`.

    Examples:
        >>> from gainful import simulate_study
        >>> study = simulate_study(1)
        >>> sweep(study.sessions, study.qrels, points=5)
        Sweep of nsDCG, 25 settings, 120 sessions, 2 groups
        System 2 is better for every searcher in the reasonable range (b and bq from 1.5 to 10).
        simulated: made by a model of a searcher, not observed
    """
    grid = build_sweep_grid(
        measure,
        b=b,
        bq=bq,
        points=points,
        depth=depth,
        weights=weights,
        reference=reference,
        like=like,
        settings=settings,
    )
    chosen_sessions = filter_sessions(as_sessions(sessions), where, min_queries, first_queries)
    qrels_columns = None if qrels is None else as_qrels_columns(as_qrels(qrels))
    matched_sessions = match_sessions(
        chosen_sessions, qrels_columns, grid.recipes[0].convention.unjudged
    )
    results = SessionResults(chosen_sessions.name, matched_sessions, {}, {}, grid.convention)
    names = (by,) if isinstance(by, str) else tuple(by)
    groups = group_results(results, names)
    if len(groups) < 2:
        column = ", ".join(names) or "no column"
        raise OneGroup(
            chosen_sessions.name,
            f"there is only one group by {column}, so there is no winner",
            "two groups to compare, or more",
        )
    group = np.zeros(matched_sessions.size, dtype=np.intp)
    for number, (_, flags) in enumerate(groups):
        group[flags] = number
    group_labels = tuple(group_label(keys) for keys, _ in groups)
    sums_by_recipe = [
        sum_for_sweep(matched_sessions, recipe, group, len(groups)) for recipe in grid.recipes
    ]
    reference_means = sums_by_recipe[0].row(grid.reference[0]).means([grid.reference[1]])[0]
    return Sweep(
        name=chosen_sessions.name,
        measure=grid.measure,
        by=names,
        groups=tuple(", ".join(map(str, keys.values())) for keys, _ in groups),
        group_labels=group_labels,
        b=grid.b,
        bq=grid.bq,
        planes=[_build_plane(sums, grid, group_labels, reference_means) for sums in sums_by_recipe],
        reference=grid.reference,
        convention=grid.recipes[0].convention,
        counts={**results.counts, "groups": len(groups)},
        notes=matched_sessions.notes,
    )


_MAX_TURNS = 2  # changes of the winner along b; where there are more, there is no line to go on


def _count_turns(winner: Ranks) -> int:
    decided = winner[winner >= 0]
    return int((decided[1:] != decided[:-1]).sum())


def _build_plane(
    sums: SweepSums, grid: SweepGrid, group_labels: Sequence[str], reference_means: Array
) -> Plane:
    """Every setting of b and bq, and where the winner changes."""
    b, bq, (reference_b, reference_bq) = grid.b, grid.bq, grid.reference
    rows = [sums.row(base) for base in b]
    means = np.stack([row.means(bq) for row in rows])
    winner_grid = winners(means)
    differs = len(np.unique(winner_grid)) > 1
    has_turn = (winner_grid != winner_grid[:, :1]).any(axis=1)
    boundary = [
        c for i in np.flatnonzero(has_turn) for c in find_crossings_along_bq(rows[i], b[i], bq)
    ]
    lines: list[Crossing] = []
    if differs:
        lines = [
            *find_crossings_along_bq(sums.row(reference_b), reference_b, bq),
            *find_crossings_along_b(sums, reference_bq, b),
        ]
        # The line goes on to the edges of what was swept, or straight up between two b.
        edges = (0, len(bq) - 1) if boundary else range(len(bq))
        columns = {
            at: winner_grid[:, at] for at in edges if _count_turns(winner_grid[:, at]) <= _MAX_TURNS
        }
        boundary += [
            c for at, own in columns.items() for c in find_crossings_along_b(sums, bq[at], b, own)
        ]
        boundary.sort(key=lambda base: (base.b, base.bq))
    own = sums.row(reference_b).means([reference_bq])[0]
    return Plane(
        weights=sums.recipe.gain.name,
        depth=sums.recipe.k or 0,
        means=means,
        tau=kendall(means, reference_means),
        boundary=boundary,
        at_reference=own,
        sentence=describe_winners(
            group_labels,
            (b, bq),
            means,
            reference=grid.reference,
            at_reference=int(winners(own)),
            crossings=lines,
        ),
    )


def kendall(means: Array, reference: Array) -> Array:
    """Kendall's tau-b of the order of groups against their order in the reference."""
    first, second = np.triu_indices(len(reference), k=1)
    here = _sign(means[..., first], means[..., second])
    there = _sign(reference[first], reference[second])
    agree = (here * there).sum(axis=-1)
    size = np.sqrt((here != 0).sum(axis=-1) * float((there != 0).sum()))
    tau = np.divide(agree, size, out=np.full(np.shape(agree), np.nan), where=size > 0)
    return np.asarray(tau)


def _sign(first: Array, second: Array) -> Array:
    """Which is larger: 1, -1, or 0 where they are the same but for rounding, or not there."""
    near = ROUNDING * np.maximum(np.abs(first), np.abs(second))
    with np.errstate(invalid="ignore"):
        sign = np.where(np.abs(first - second) > near, np.sign(first - second), 0.0)
    return np.nan_to_num(sign)


def _difference(means: Array) -> float:
    if len(means) == 2:
        return float(means[0] - means[1])
    second, best = np.sort(means[~np.isnan(means)])[-2:]
    return float(best - second)


def _nan_to_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def group_label(keys: Mapping[str, Any]) -> str:
    """What a group is called in a sentence: system 2, but bm25."""
    words = []
    for column, value in keys.items():
        named = isinstance(value, str) and not value.isdigit() and len(keys) == 1 and len(value) > 1
        words.append(str(value) if named else f"{column} {value}")
    return ", ".join(words)
