"""Who is the searcher? Every setting of b, bq, depth and weights in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from gainful.convention.session import SessionConvention
from gainful.errors import OneGroup, counted
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import matched
from gainful.measure.measure import Measure
from gainful.measure.sessions.evaluate import chosen
from gainful.measure.sessions.last_queries import groups_of
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.sweep_boundary import TIE, Crossing, along_b, along_bq, winners
from gainful.measure.sessions.sweep_grid import USUAL, Bases, Settings, Weights, settled
from gainful.measure.sessions.sweep_sums import Laid, laid_out
from gainful.measure.sessions.sweep_verdict import verdict
from gainful.read.inputs import AnyJudgments, as_columns, as_judgments
from gainful.read.session_inputs import AnySessions, as_sessions


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
    called: tuple[str, ...]  # what they are called in a sentence
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
            won = plane.winners
            for i, b in enumerate(self.b):
                for j, bq in enumerate(self.bq):
                    means = plane.means[i, j]
                    winner = int(won[i, j])
                    yield {
                        "weights": plane.weights,
                        "depth": plane.depth,
                        "b": b,
                        "bq": bq,
                        "means": dict(zip(self.groups, map(_plain, means), strict=True)),
                        "difference": _plain(_difference(means)),
                        "winner": self.groups[winner] if winner >= 0 else None,
                        "tau": _plain(plane.tau[i, j]),
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
                    "b": one.b,
                    "bq": one.bq,
                    "along": one.along,
                    "below": self.groups[one.below],
                    "above": self.groups[one.above],
                }
                for plane in self.planes
                for one in plane.boundary
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
        told = ", ".join(counted(self.counts[one], one[:-1]) for one in ("sessions", "groups"))
        head = f"Sweep of {self.measure}, {counted(number, 'setting')}, {told}"
        return "\n".join((head, *self.sentences, *self.notes))


def sweep(
    sessions: AnySessions,
    qrels: AnyJudgments | None = None,
    measure: str | Measure = "nsDCG",
    *,
    b: Bases = USUAL,
    bq: Bases = USUAL,
    points: int = 20,
    depth: int | str | Sequence[int] | None = None,
    weights: Weights | Sequence[Weights] | None = None,
    by: str | Sequence[str] = "system",
    reference: Mapping[str, float] | None = None,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    **habits: Any,
) -> Sweep:
    """Which system is better for which searcher: impatient or patient, of many queries or few?

    Sessions are matched once, and their gains laid out once; for each setting only the discounts
    change. Each mean is what `evaluate_sessions` gives at that setting.

    Args:
        sessions: as `evaluate_sessions` takes them.
        judgments: likewise.
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
        habits: single habits, such as `duplicates="first"`.

    Examples:
        >>> from gainful import simulate_study
        >>> study = simulate_study(1)
        >>> sweep(study.sessions, study.judgments, points=5)
        Sweep of nsDCG, 25 settings, 120 sessions, 2 groups
        System 2 is better for every searcher in the reasonable range (b and bq from 1.5 to 10).
        simulated: made by a model of a searcher, not observed
    """
    asked = settled(
        measure,
        b=b,
        bq=bq,
        points=points,
        depth=depth,
        weights=weights,
        reference=reference,
        like=like,
        habits=habits,
    )
    found = chosen(as_sessions(sessions), where, min_queries, first_queries)
    judged = None if qrels is None else as_columns(as_judgments(qrels))
    held = matched(found, judged, asked.recipes[0].convention.unjudged)
    results = SessionResults(found.name, held, {}, {}, asked.convention)
    names = (by,) if isinstance(by, str) else tuple(by)
    groups = groups_of(results, names)
    if len(groups) < 2:
        column = ", ".join(names) or "no column"
        raise OneGroup(
            found.name,
            f"there is only one group by {column}, so there is no winner",
            "two groups to compare, or more",
        )
    group = np.zeros(held.size, dtype=np.intp)
    for number, (_, flags) in enumerate(groups):
        group[flags] = number
    called = tuple(group_called(keys) for keys, _ in groups)
    laid = [laid_out(held, how, group, len(groups)) for how in asked.recipes]
    first = laid[0].row(asked.reference[0]).means([asked.reference[1]])[0]
    return Sweep(
        name=found.name,
        measure=asked.measure,
        by=names,
        groups=tuple(", ".join(map(str, keys.values())) for keys, _ in groups),
        called=called,
        b=asked.b,
        bq=asked.bq,
        planes=[_plane(one, asked, called, first) for one in laid],
        reference=asked.reference,
        convention=asked.recipes[0].convention,
        counts={**results.counts, "groups": len(groups)},
        notes=held.notes,
    )


_FEW = 2  # changes of the winner along b; where there are more, there is no line to go on


def _turns(won: Ranks) -> int:
    known = won[won >= 0]
    return int((known[1:] != known[:-1]).sum())


def _plane(laid: Laid, asked: Settings, called: Sequence[str], first: Array) -> Plane:
    """Every setting of b and bq, and where the winner changes."""
    b, bq, (own_b, own_bq) = asked.b, asked.bq, asked.reference
    rows = [laid.row(one) for one in b]
    means = np.stack([row.means(bq) for row in rows])
    won = winners(means)
    differs = len(np.unique(won)) > 1
    changed = (won != won[:, :1]).any(axis=1)
    boundary = [c for i in np.flatnonzero(changed) for c in along_bq(rows[i], b[i], bq)]
    lines: list[Crossing] = []
    if differs:
        lines = [*along_bq(laid.row(own_b), own_b, bq), *along_b(laid, own_bq, b)]
        # The line goes on to the edges of what was swept, or straight up between two b.
        edges = (0, len(bq) - 1) if boundary else range(len(bq))
        columns = {at: won[:, at] for at in edges if _turns(won[:, at]) <= _FEW}
        boundary += [c for at, own in columns.items() for c in along_b(laid, bq[at], b, own)]
        boundary.sort(key=lambda one: (one.b, one.bq))
    own = laid.row(own_b).means([own_bq])[0]
    return Plane(
        weights=laid.how.gain.name,
        depth=laid.how.k or 0,
        means=means,
        tau=kendall(means, first),
        boundary=boundary,
        at_reference=own,
        sentence=verdict(
            called,
            (b, bq),
            means,
            reference=asked.reference,
            at_reference=int(winners(own)),
            crossings=lines,
        ),
    )


def kendall(means: Array, reference: Array) -> Array:
    """Kendall's tau-b of the order of groups against their order in the reference."""
    one, other = np.triu_indices(len(reference), k=1)
    here = _sign(means[..., one], means[..., other])
    there = _sign(reference[one], reference[other])
    agree = (here * there).sum(axis=-1)
    size = np.sqrt((here != 0).sum(axis=-1) * float((there != 0).sum()))
    found = np.divide(agree, size, out=np.full(np.shape(agree), np.nan), where=size > 0)
    return np.asarray(found)


def _sign(one: Array, other: Array) -> Array:
    """Which is larger: 1, -1, or 0 where they are the same but for rounding, or not there."""
    near = TIE * np.maximum(np.abs(one), np.abs(other))
    with np.errstate(invalid="ignore"):
        found = np.where(np.abs(one - other) > near, np.sign(one - other), 0.0)
    return np.nan_to_num(found)


def _difference(means: Array) -> float:
    if len(means) == 2:
        return float(means[0] - means[1])
    second, best = np.sort(means[~np.isnan(means)])[-2:]
    return float(best - second)


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def group_called(keys: Mapping[str, Any]) -> str:
    """What a group is called in a sentence: system 2, but bm25."""
    words = []
    for column, value in keys.items():
        named = isinstance(value, str) and not value.isdigit() and len(keys) == 1 and len(value) > 1
        words.append(str(value) if named else f"{column} {value}")
    return ", ".join(words)
