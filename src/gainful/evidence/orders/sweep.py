"""Who is the searcher? Every setting of b, bq, depth and weights in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import exp, log
from typing import Any, Literal

import numpy as np
from attrs import frozen

from gainful.convention.session import SessionConvention
from gainful.errors import OneGroup
from gainful.evidence.statistics.correlation import kendall_tau, places
from gainful.match.session_groups import group_label
from gainful.measure.discount import REASONABLE_RANGE
from gainful.measure.sessions.sweep_sums import SweepGrid, SweepPartSums, SweepRow, SweepSums
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table, format_number, to_plain_data
from gainful.rounding import ROUNDING
from gainful.text import capitalise_first, count_noun
from gainful.types import Array, Ranks, finite_or_none

_ROOT_TOLERANCE = 1e-12  # in the logarithm of the base


@frozen
class Crossing:
    """A point where the winner changes: `below` wins at smaller values of the base it lies on."""

    b: float
    bq: float
    along: Literal["b", "bq"]
    below: int
    above: int


def find_winners(means: Array) -> Ranks:
    """The number of the best group, in the last axis; -1 where the best two are the same."""
    filled = np.where(np.isnan(means), -np.inf, means)
    best = filled.argmax(axis=-1)
    second, first = np.moveaxis(np.sort(filled, axis=-1)[..., -2:], -1, 0)
    with np.errstate(invalid="ignore"):
        alone = np.isfinite(second) & (
            first - second > ROUNDING * np.maximum(np.abs(first), ROUNDING)
        )
    return np.where(alone, best, -1)


def find_crossings_along_bq(row: SweepRow, b: float, bqs: Sequence[float]) -> list[Crossing]:
    """Where the winner changes with bq, for one b."""
    winner = find_winners(row.means(bqs))
    return _find_crossings("bq", b, bqs, winner, lambda bq: row.means([bq])[0])


def find_crossings_along_b(
    sums: SweepSums, bq: float, bs: Sequence[float], winner: Ranks | None = None
) -> list[Crossing]:
    """Where the winner changes with b, for one bq; `winner` has the winners, if they are known."""

    def means(b: float) -> Array:
        return np.asarray(sums.row(b).means([bq])[0])

    if winner is None:
        winner = find_winners(np.stack([means(b) for b in bs]))
    return _find_crossings("b", bq, bs, winner, means)


def _find_crossings(
    along: Literal["b", "bq"],
    other: float,
    bases: Sequence[float],
    winner: Ranks,
    means: Callable[[float], Array],
) -> list[Crossing]:
    """Between which neighbours another group wins, and where exactly; ties are passed over."""
    crossings = []
    for low, high in pairwise(np.flatnonzero(winner >= 0).tolist()):
        below, above = int(winner[low]), int(winner[high])
        if below != above:
            from scipy.optimize import brentq  # noqa: PLC0415  (slow to load, and rarely needed)

            def ahead(log_base: float, below: int = below, above: int = above) -> float:
                both = means(exp(log_base))  # nearly straight in the logarithm
                return float(both[below] - both[above])

            ends = log(bases[low]), log(bases[high])
            base = exp(brentq(ahead, *ends, xtol=_ROOT_TOLERANCE))
            b, bq = (base, other) if along == "b" else (other, base)
            crossings.append(Crossing(b, bq, along, below, above))
    return crossings


def _order_taus(means: Array, reference: Array) -> Array:
    """Kendall's tau-b of the order of groups against the reference; nan where there is none."""
    settings = means.reshape(-1, len(reference))
    known = ~np.isnan(np.vstack([settings, reference])).any(axis=0)
    if known.sum() < 2:
        return np.full(means.shape[:-1], np.nan)
    reference_order = dict(enumerate(reference[known].tolist()))

    @cache
    def find_tau(*place: int) -> float:
        tau = kendall_tau({at: -number for at, number in enumerate(place)}, reference_order)
        return np.nan if tau is None else tau

    orders = (places(dict(enumerate(values))) for values in settings[:, known].tolist())
    taus = [find_tau(*(order[at] for at in reference_order)) for order in orders]
    return np.array(taus).reshape(means.shape[:-1])


def _describe_winners(
    group_labels: Sequence[str], grid: SweepGrid, means: Array, own: int, crossings: list[Crossing]
) -> str:
    """One sentence on who wins where, by the means of groups (b × bq × groups).

    `own` is the group that wins at the reference, -1 if none does; `crossings` are where the winner
    changes on the two lines through it.
    """
    b, bq, (reference_b, reference_bq) = grid.b, grid.bq, grid.reference
    winner_grid = find_winners(means)
    winner_numbers = np.unique(winner_grid).tolist()
    better = "better" if len(group_labels) == 2 else "the best"
    if winner_numbers == [-1]:
        return f"No group is better than the others for any searcher {_describe_range(b, bq)}."
    if len(winner_numbers) == 1:
        winner = capitalise_first(group_labels[winner_numbers[0]])
        return f"{winner} is {better} for every searcher {_describe_range(b, bq)}."
    conditions, others = [], []
    for along, base, line in (
        ("bq", reference_bq, f"b = {reference_b:g}"),
        ("b", reference_b, f"bq = {reference_bq:g}"),
    ):
        turns = [(getattr(item, along), item) for item in crossings if item.along == along]
        below = [turn for turn in turns if turn[0] <= base][-1:]
        above = [turn for turn in turns if turn[0] > base][:1]
        ends = [*(f"above {at:.3g}" for at, _ in below), *(f"below {at:.3g}" for at, _ in above)]
        others += [turn.below for _, turn in below] + [turn.above for _, turn in above]
        if ends:
            conditions.append((f"{along} {' and '.join(ends)}", line))
    groups, counts = (part.tolist() for part in np.unique(winner_grid, return_counts=True))
    names = ["nobody" if group < 0 else group_labels[group] for group in groups]
    wins = sorted(zip(names, groups, counts, strict=True), key=lambda win: -win[2])
    if own < 0 or not conditions:
        parts = []
        for who, group, number in wins:
            at = np.argwhere(winner_grid == group)[0]
            example = f"such as b = {b[at[0]]:.3g}, bq = {bq[at[1]]:.3g}"
            parts.append(f"{who} in {number} of {winner_grid.size} settings ({example})")
        return f"The winner depends on the searcher: {'; '.join(parts)}."
    one_way = (winner_grid == winner_grid[:1]).all() or (winner_grid == winner_grid[:, :1]).all()
    if not one_way or len(conditions) > 1:
        where = "; ".join(f"at {line}, for {which}" for which, line in conditions)
        counts = ", ".join(f"{who} wins {number}" for who, _, number in wins)
        head = f"It depends on the searcher: {group_labels[own]} is {better} {where}."
        return f"{head} Of {winner_grid.size} settings {counts}."
    ((which, line),) = conditions
    head = f"{capitalise_first(group_labels[own])} is {better} only for searchers with {which}"
    rest = " or ".join(dict.fromkeys(group_labels[group] for group in others))
    return f"{head} ({line}); beyond that, {rest} is."


def _describe_range(b: Sequence[float], bq: Sequence[float]) -> str:
    if all((bases[0], bases[-1]) == REASONABLE_RANGE for bases in (b, bq)):
        return "in the reasonable range (b and bq from 1.5 to 10)"
    ranges = [
        f"{name} from {min(bases):g} to {max(bases):g}"
        if len(bases) > 1
        else f"{name} = {bases[0]:g}"
        for name, bases in (("b", b), ("bq", bq))
    ]
    return f"with {' and '.join(ranges)}"


_MAX_TURNS = 2  # changes of the winner along b; where there are more, there is no line to go on
CHANCE_NOTE = (
    "means only: run gainful compare --sessions to see whether the differences are significant"
)
_COLUMNS = ("weights", "depth", "b", "bq")
_LAST_COLUMNS = ("difference", "winner", "tau")


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
        return find_winners(self.means)


@frozen(eq=False, repr=False, kw_only=True)
class Sweep(Shown):
    """The means of groups of sessions for every kind of searcher.

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
    notes: Sequence[str] = ()

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
                    means, winner = plane.means[i, j], int(winner_grid[i, j])
                    first, second = means if len(means) == 2 else _find_best_two(means)
                    yield {
                        "weights": plane.weights,
                        "depth": plane.depth,
                        "b": b,
                        "bq": bq,
                        "means": dict(zip(self.groups, map(finite_or_none, means), strict=True)),
                        "difference": finite_or_none(float(first - second)),
                        "winner": self.groups[winner] if winner >= 0 else None,
                        "tau": finite_or_none(plane.tau[i, j]),
                    }

    def list_expressions(self) -> dict[str, str]:
        """How the map of the winners is drawn, for who looks for a plot of it."""
        return {"plot": "gainful.figures.map(sweep)"}

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
                    **to_plain_data(crossing),
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

    def page(self, *, verbose: bool = False) -> Page:
        """The answers, the corners of the plane, and where the winner changes."""
        sections = []
        for plane in self.planes:
            heading = f"{plane.weights}, top {plane.depth}" if len(self.planes) > 1 else ""
            sections.append(Section(heading, _build_corner_table(self, plane, verbose=verbose)))
            if plane.boundary and verbose:
                line = _describe_boundary(self, plane)
                sections.append(Section(lines=(line,), indent="  "))
        return Page(
            answer="\n".join(self.sentences),
            sections=sections,
            notes=[_describe_method(self, verbose=verbose), CHANCE_NOTE, *self.notes],
            rows=lambda: _list_settings(self),
            data=self.to_dict,
            indent="  ",
        )

    def brief(self) -> Page:
        """The answers."""
        size = ", ".join(
            count_noun(self.counts[noun], noun[:-1]) for noun in ("sessions", "groups")
        )
        head = f"Sweep of {self.measure}, {count_noun(_count_settings(self), 'setting')}, {size}"
        return Page(sections=[Section(lines=(head, *self.sentences, *self.notes))])


def build_sweep(name: str, grid: SweepGrid, groups: SweepPartSums, notes: Sequence[str]) -> Sweep:
    """The means at every setting, and who wins where, from what groups add up to."""
    sums_by_recipe, keys, by = groups.sums, groups.groups, tuple(groups.by)
    if len(keys) < 2:
        raise OneGroup(
            name,
            f"there is only one group by {', '.join(by) or 'no column'}, so there is no winner",
            "two groups to compare, or more",
        )
    group_labels = tuple(group_label(dict(zip(by, key, strict=True))) for key in keys)
    reference_means = sums_by_recipe[0].row(grid.reference[0]).means([grid.reference[1]])[0]
    return Sweep(
        name=name,
        measure=grid.measure,
        by=by,
        groups=tuple(", ".join(map(str, key)) for key in keys),
        group_labels=group_labels,
        b=grid.b,
        bq=grid.bq,
        planes=[_build_plane(sums, grid, group_labels, reference_means) for sums in sums_by_recipe],
        reference=grid.reference,
        convention=grid.recipes[0].convention,
        counts={**groups.counts, "groups": len(keys)},
        notes=(*notes, *grid.notes),
    )


def _build_plane(
    sums: SweepSums, grid: SweepGrid, group_labels: Sequence[str], reference_means: Array
) -> Plane:
    b, bq, (reference_b, reference_bq) = grid.b, grid.bq, grid.reference
    rows = [sums.row(base) for base in b]
    means = np.stack([row.means(bq) for row in rows])
    winner_grid = find_winners(means)
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
        for at in edges:
            winner = winner_grid[:, at]
            if np.count_nonzero(np.diff(winner[winner >= 0])) <= _MAX_TURNS:
                boundary += find_crossings_along_b(sums, bq[at], b, winner)
        boundary.sort(key=lambda base: (base.b, base.bq))
    own = sums.row(reference_b).means([reference_bq])[0]
    return Plane(
        weights=sums.recipe.gain.name,
        depth=sums.recipe.k or 0,
        means=means,
        tau=_order_taus(means, reference_means),
        boundary=boundary,
        at_reference=own,
        sentence=_describe_winners(group_labels, grid, means, int(find_winners(own)), lines),
    )


def _find_best_two(means: Array) -> tuple[float, float]:
    best, second = -np.sort(-means)[:2]  # what is not a number comes last
    return best, second


def _build_corner_table(sweep: Sweep, plane: Plane, *, verbose: bool) -> Table:
    """The corners of what was swept, and the reference; how alike the orders are if `verbose`."""
    settings = {
        (sweep.b[i], sweep.bq[j]): (plane.means[i, j], float(plane.tau[i, j]))
        for i in (0, -1)
        for j in (0, -1)
    }
    tau = float(_order_taus(plane.at_reference, sweep.planes[0].at_reference))
    settings[sweep.reference] = (plane.at_reference, tau)
    rows = []
    for (b, bq), (means, tau) in sorted(settings.items()):
        winner, ahead = int(find_winners(means)), "–"
        if winner >= 0:
            best, second = _find_best_two(means)
            ahead = f"{sweep.group_labels[winner]} by {format_number(float(best - second))}"
        numbers = [format_number(finite_or_none(number)) for number in (*means, tau)]
        rows.append(
            (f"{b:g}", f"{bq:g}", *numbers[:-1], ahead, *([numbers[-1]] if verbose else []))
        )
    columns = ("b", "bq", *sweep.group_labels, "better", *(["tau"] if verbose else []))
    return Table(columns, rows, numeric=True, text_columns=(2 + len(sweep.group_labels),))


def _describe_boundary(sweep: Sweep, plane: Plane) -> str:
    points = plane.boundary
    sample = [points[at] for at in sorted({0, len(points) // 2, len(points) - 1})]
    changes = "; ".join(
        f"at b = {point.b:.3g}, bq = {point.bq:.3g} from {sweep.group_labels[point.below]} to "
        f"{sweep.group_labels[point.above]} with growing {point.along}"
        for point in sample
    )
    rest = f" ({len(points)} points in --format json)" if len(points) > len(sample) else ""
    return f"The winner changes {changes}{rest}."


def _describe_method(sweep: Sweep, *, verbose: bool) -> str:
    counts, (b, bq) = sweep.counts, sweep.reference
    parts = [
        f"mean {sweep.measure} of {count_noun(counts['sessions'], 'session')}",
        count_noun(counts["queries"], "query"),
        count_noun(_count_settings(sweep), "setting"),
        f"top {', '.join(dict.fromkeys(str(plane.depth) for plane in sweep.planes))}",
        f"gain {', '.join(dict.fromkeys(plane.weights for plane in sweep.planes))}",
        f"like {sweep.convention.name}",
    ]
    tau = f"tau: the order against that at b = {b:g}, bq = {bq:g}"
    return " · ".join([*parts, tau] if verbose else parts)


def _count_settings(sweep: Sweep) -> int:
    return sum(plane.means[..., 0].size for plane in sweep.planes)


def _list_settings(sweep: Sweep) -> Table:
    rows: list[list[Any]] = [
        [
            *(row[name] for name in _COLUMNS),
            *(row["means"][name] for name in sweep.groups),
            *(row[name] for name in _LAST_COLUMNS),
        ]
        for row in sweep.rows()
    ]
    return Table((*_COLUMNS, *sweep.groups, *_LAST_COLUMNS), rows)
