"""Two runs by one measure, query by query, with the documents of both that nobody judged.

The effect of a document is what the difference of the means changes by, if it alone gets the
highest grade. Where a measure is a sum over documents effects add up, and all of it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import CannotCompare, counted
from gainful.evidence.unjudged.cumulated_extremes import worth_of
from gainful.evidence.unjudged.find_bounds import limits_of
from gainful.evidence.unjudged.gradable_run import NOWHERE, Gradings
from gainful.evidence.unjudged.limits import every_grading
from gainful.evidence.unjudged.settlement import Settled
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results

_NOTHING = 1e-12
# Sums over documents, in which no document changes what another is worth.
_ADDITIVE = ("P", "DCG", "CG", "RBP", "SetP", "NumRelRet", "scaledDCG", "INSQ", "Utility")


@frozen(eq=False)
class Pairs:
    """Two runs by one measure, query by query."""

    how: Recipe
    grades: Array
    sides: tuple[Results, Results]
    held: tuple[Gradings, Gradings]
    asked: str

    def settled(self, names: tuple[str, str]) -> Settled:
        """All there is to say of them."""
        values = [_by_name(side, self.asked) for side in self.sides]
        common = [query for query in values[0] if query in values[1]]
        if not common:
            raise CannotCompare(f"{self.asked}: not one query counts in both runs")
        scale = 1.0 if self.how.measure.entry.mean == "sum" else 1 / len(common)
        means = tuple(scale * float(np.sum([one[query] for query in common])) for one in values)
        difference = means[0] - means[1]
        sign = 1.0 if difference >= 0 else -1.0
        row, effect, cuts, worst = self._effects(common, scale, sign)
        additive = self._additive()
        *ends, reached = self._ends(common, scale)
        if additive:
            reached = True
            lead = sign * difference - np.array([cuts.max(axis=0).sum(), cuts.min(axis=0).sum()])
            ends = [float((sign * lead).min()), float((sign * lead).max())]
        verdict = self._verdict(common, scale, sign, ends, worst)
        if verdict is None and reached:
            verdict = False
        equal = abs(difference) <= _NOTHING
        if equal:  # no lead, that could be lost; can anything part them?
            verdict = True if _nothing(ends) else None
        harm = np.zeros(len(row)) if equal else np.maximum(cuts.max(axis=0), 0.0)
        order = np.lexsort((row, -np.abs(effect), -harm))
        order = order[(np.abs(effect) > _NOTHING)[order] | (harm > _NOTHING)[order]]
        needed = _needed(sign * difference, harm, settled=verdict)
        return Settled(
            names=names,
            sides=self.sides,
            asked=self.asked,
            means=(means[0], means[1]),
            queries=len(common),
            grades=tuple(self.grades.tolist()),
            low=ends[0],
            high=ends[1],
            reached=reached,
            settled=verdict,
            needed=None if equal else needed,
            exact=additive or bool(verdict),
            unjudged=len(row),
            documents=self._documents(row[order], effect[order]),
            notes=tuple(self._notes(values, common, names)),
        )

    def _additive(self) -> bool:
        habits, entry = self.how.convention, self.how.measure.entry
        below = bool((self.grades < 0).any())
        moved = below and (habits.negative == "remove" or habits.short == "minimum")
        return (
            entry.name in _ADDITIVE
            and not entry.own
            and habits.unjudged == "zero"
            and habits.ties not in ("best", "worst")
            and habits.decimals is None
            and not moved
        )

    def _ends_of_grades(self) -> tuple[float, float]:
        """The grades that are worth least and most."""
        if not self.how.measure.entry.cumulated:
            return float(self.grades[0]), float(self.grades[-1])
        gains = worth_of(self.how, self.grades)
        return float(self.grades[np.argmin(gains)]), float(self.grades[np.argmax(gains)])

    def _effects(
        self, common: list[str], scale: float, sign: float
    ) -> tuple[Ranks, Array, Array, Array]:
        """Each open document: its row, its effect, how far either grade cuts the lead, the worse.

        The two grades are that which is worth most and that which is worth least.
        """
        asked = self._open(common)
        low, high = self._ends_of_grades()
        now = [
            side.values(
                self.how, [(q, np.full((1, size), np.nan)) for q, size in asked], partly=True
            )
            for side in self.held
        ]
        changes = []
        for grade in (high, low):
            alone = [side.alone(self.how, [q for q, _ in asked], grade) for side in self.held]
            parts = [
                (a - before_a) - (b - before_b)
                for a, b, before_a, before_b in zip(*alone, *now, strict=True)
            ]
            changes.append(scale * np.nan_to_num(np.concatenate([np.zeros(0), *parts])))
        cuts = -sign * np.array(changes)
        pairs = [self.held[0].pair(q) for q, _ in asked]
        row = np.concatenate([np.zeros(0, np.intp), *(one.row[one.open] for one in pairs)])
        return row, changes[0], cuts, np.where(cuts[0] > cuts[1], high, low)

    def _open(self, common: list[str]) -> list[tuple[int, int]]:
        """The queries with open documents, and how many each has."""
        place = self.held[0].place
        sizes = ((place[query], len(self.held[0].pair(place[query]).open)) for query in common)
        return [(query, size) for query, size in sizes if size]

    def _ends(self, common: list[str], scale: float) -> tuple[float | None, float | None, bool]:
        """Ends of the difference that hold for sure, and whether some grading reaches them.

        Where a query has few gradings, all of them are tried; elsewhere each run is taken at
        its own best and worst, though these may not go together.
        """
        found = [
            limits_of(held, self.how, side, self.asked, self.grades)
            for held, side in zip(self.held, self.sides, strict=True)
        ]
        if any(one.optional.any() for one in found):
            return None, None, False  # grades decide which queries count
        some = [_among(side, common) for side in self.sides]
        low = found[0].low[some[0]] - found[1].high[some[1]]
        high = found[0].high[some[0]] - found[1].low[some[1]]
        place = self.held[0].place
        number = {place[query]: at for at, query in enumerate(common)}
        open_ = self._open(common)
        every = {query: every_grading(self.grades, size) for query, size in open_}
        tried = [(query, gradings) for query, gradings in every.items() if gradings is not None]
        both = [side.values(self.how, tried) for side in self.held]
        for (query, _), mine, theirs in zip(tried, *both, strict=True):
            low[number[query]] = (mine - theirs).min()
            high[number[query]] = (mine - theirs).max()
        return _sum(low, scale), _sum(high, scale), len(tried) == len(open_)

    def _verdict(
        self,
        common: list[str],
        scale: float,
        sign: float,
        ends: Sequence[float | None],
        worst: Array,
    ) -> bool | None:
        """Can no grading take the lead away (True), does one (False), or is that not known?"""
        nearest = ends[0] if sign > 0 else ends[1]
        if nearest is not None and sign * nearest > _NOTHING:
            return True
        asked = self._open(common)
        begin = np.cumsum([0, *(size for _, size in asked)])
        tried = [
            (query, worst[start : start + size][None, :])
            for (query, size), start in zip(asked, begin[:-1], strict=True)
        ]
        numbers = {query for query, _ in asked}
        place = self.held[0].place
        still = [query for query in common if place[query] not in numbers]
        total = 0.0
        for side, held, one in zip(self.sides, self.held, (1.0, -1.0), strict=True):
            values = _by_name(side, self.asked)
            under = held.values(self.how, tried)
            total += one * (sum(values[query] for query in still) + np.sum(under))
        return False if sign * scale * total <= _NOTHING else None

    def _documents(self, row: Ranks, effect: Array) -> pl.DataFrame:
        names: pl.DataFrame = self.held[0].names[row.tolist()]
        ranks = [held.rank(self.how.convention)[row] for held in self.held]
        return names.with_columns(
            *(
                pl.Series(name, rank, dtype=pl.Int64).replace(NOWHERE, None)
                for name, rank in zip(("rank_first", "rank_second"), ranks, strict=True)
            ),
            pl.Series("effect", effect, dtype=pl.Float64),
        )

    def _notes(
        self, values: list[dict[str, float]], common: list[str], names: tuple[str, str]
    ) -> list[str]:
        notes = [f"{side.name}: {note}" for side in self.sides for note in side.notes]
        for name, one in zip(names, values, strict=True):
            if len(one) > len(common):
                lost = counted(len(one) - len(common), "query")
                notes.append(f"left out, because {name} alone has a value for it: {lost}")
        return notes


def _nothing(ends: Sequence[float | None]) -> bool:
    return all(end is not None and abs(end) <= _NOTHING for end in ends)


def _needed(lead: float, harm: Array, *, settled: bool | None) -> int:
    """How many documents to judge, the worst first, so that the others cannot cut the lead off."""
    if settled:
        return 0
    ordered = -np.sort(-harm)
    left = lead - (ordered.sum() - np.append(0.0, np.cumsum(ordered)))
    enough = np.flatnonzero(left > _NOTHING)
    number = int(enough[0]) if enough.size else len(ordered)
    return max(number, 1) if settled is False else number


def _by_name(side: Results, name: str) -> dict[str, float]:
    """The value of each query that counts."""
    values = np.ma.asarray(side.values[name]).tolist()
    found = zip(side.queries, values, strict=True)
    return {query: value for query, value in found if value is not None}


def _among(side: Results, queries: list[str]) -> Ranks:
    place = {query: at for at, query in enumerate(side.queries)}
    return np.array([place[query] for query in queries], dtype=np.intp)


def _sum(values: Array, scale: float) -> float | None:
    return None if np.isnan(values).any() else scale * float(values.sum())
