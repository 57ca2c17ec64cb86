"""Two runs by one measure, query by query, with the documents of both that nobody judged.

The effect of a document is what the difference of the means changes by, if it alone gets the
highest grade. Where a measure is a sum over documents effects add up, and all of it is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.pairing import values_by_query
from gainful.evidence.unjudged.cumulated_extremes import recipe_gains
from gainful.evidence.unjudged.find_bounds import find_result_limits
from gainful.evidence.unjudged.gradable_run import NOWHERE, GradableRun
from gainful.evidence.unjudged.limits import every_grading
from gainful.evidence.unjudged.settlement import Settlement
from gainful.match.ties import TIE_POLICIES
from gainful.measure.recipe import Recipe
from gainful.measure.run_values import RunValues
from gainful.rounding import ROUNDING
from gainful.text import count_noun
from gainful.types import Array, Ranks


def require_single_measure(recipes: Mapping[str, Recipe], *, has_subtopics: bool) -> str:
    """The name of the one measure by which two runs can be settled; all else is refused."""
    if len(recipes) != 1:
        raise BadValue("measure", ", ".join(recipes), "one measure, by which two runs are settled")
    ((name, recipe),) = recipes.items()
    if recipe.entry.aggregation == "geometric":
        raise BadValue("measure", name, "a measure whose queries are averaged or added up")
    if recipe.entry.needs_subtopics and has_subtopics:
        allowed = "one that asks for no subtopics: nobody knows on which an unjudged document is"
        raise BadValue("measure", name, allowed)
    return name


@frozen(eq=False)
class LeadBounds:
    """Two runs by one measure, query by query."""

    recipe: Recipe
    grades: Array
    sides: tuple[RunValues, RunValues]
    gradables: tuple[GradableRun, GradableRun]
    measure_name: str

    def settle(self, names: tuple[str, str]) -> Settlement:
        """All there is to say of them."""
        values = [values_by_query(side, self.measure_name) for side in self.sides]
        common = [query for query in values[0] if query in values[1]]
        if not common:
            raise CannotCompare(f"{self.measure_name}: not one query counts in both runs")
        scale = 1.0 if self.recipe.entry.aggregation == "sum" else 1 / len(common)
        means = tuple(
            scale * float(np.sum([query_values[query] for query in common]))
            for query_values in values
        )
        difference = means[0] - means[1]
        sign = 1.0 if difference >= 0 else -1.0
        row, effect, cuts, worst = self._document_effects(common, scale, sign)
        additive = self._is_additive()
        *ends, reached = self._difference_bounds(common, scale)
        if additive:
            reached = True
            lead = sign * difference - np.array([cuts.max(axis=0).sum(), cuts.min(axis=0).sum()])
            ends = [float((sign * lead).min()), float((sign * lead).max())]
        verdict = self._verdict(common, scale, sign, ends, worst)
        if verdict is None and reached:
            verdict = False
        equal = abs(difference) <= ROUNDING
        if equal:  # no lead, that could be lost; can anything part them?
            verdict = True if _are_zero(ends) else None
        harm = np.zeros(len(row)) if equal else np.maximum(cuts.max(axis=0), 0.0)
        order = np.lexsort((row, -np.abs(effect), -harm))
        order = order[(np.abs(effect) > ROUNDING)[order] | (harm > ROUNDING)[order]]
        needed = _count_judgments_to_settle(sign * difference, harm, verdict=verdict)
        return Settlement(
            names=names,
            sides=self.sides,
            measure_name=self.measure_name,
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
            documents=self._document_frame(row[order], effect[order]),
            notes=tuple(self._write_notes(values, common, names)),
        )

    def _is_additive(self) -> bool:
        convention, entry = self.recipe.convention, self.recipe.entry
        below = bool((self.grades < 0).any())
        moved = below and (convention.negative == "remove" or convention.short == "minimum")
        return (
            entry.additive
            and not entry.registered
            and convention.unjudged == "zero"
            and TIE_POLICIES[convention.ties].needs != "grades"
            and convention.decimals is None
            and not moved
        )

    def _extreme_grades(self) -> tuple[float, float]:
        """The grades that are worth least and most."""
        if not self.recipe.entry.cumulated:
            return float(self.grades[0]), float(self.grades[-1])
        gains = recipe_gains(self.recipe, self.grades)
        return float(self.grades[np.argmin(gains)]), float(self.grades[np.argmax(gains)])

    def _document_effects(
        self, common: list[str], scale: float, sign: float
    ) -> tuple[Ranks, Array, Array, Array]:
        """Each open document: its row, its effect, how far either grade cuts the lead, the worse.

        The two grades are that which is worth most and that which is worth least.
        """
        open_counts = self._count_open_docs(common)
        low, high = self._extreme_grades()
        values_now = [
            gradable.values(
                self.recipe,
                [(q, np.full((1, size), np.nan)) for q, size in open_counts],
                partial=True,
            )
            for gradable in self.gradables
        ]
        changes = []
        for grade in (high, low):
            alone = [
                gradable.values_one_by_one(self.recipe, [q for q, _ in open_counts], grade)
                for gradable in self.gradables
            ]
            parts = [
                (a - before_a) - (b - before_b)
                for a, b, before_a, before_b in zip(*alone, *values_now, strict=True)
            ]
            changes.append(scale * np.nan_to_num(np.concatenate([np.zeros(0), *parts])))
        cuts = -sign * np.array(changes)
        query_docs = [self.gradables[0].query_docs(q) for q, _ in open_counts]
        row = np.concatenate([np.zeros(0, np.intp), *(docs.row[docs.open] for docs in query_docs)])
        return row, changes[0], cuts, np.where(cuts[0] > cuts[1], high, low)

    def _count_open_docs(self, common: list[str]) -> list[tuple[int, int]]:
        """The queries with open documents, and how many each has."""
        place = self.gradables[0].query_index
        sizes = (
            (place[query], len(self.gradables[0].query_docs(place[query]).open)) for query in common
        )
        return [(query, size) for query, size in sizes if size]

    def _difference_bounds(
        self, common: list[str], scale: float
    ) -> tuple[float | None, float | None, bool]:
        """Ends of the difference that hold for sure, and whether some grading reaches them.

        Where a query has few gradings, all of them are tried; elsewhere each run is taken at
        its own best and worst, though these may not go together.
        """
        side_limits = [
            find_result_limits(gradable, self.recipe, side, self.measure_name, self.grades)
            for gradable, side in zip(self.gradables, self.sides, strict=True)
        ]
        if any(limits.optional.any() for limits in side_limits):
            return None, None, False  # grades decide which queries count
        rows = [_query_rows(side, common) for side in self.sides]
        low = side_limits[0].low[rows[0]] - side_limits[1].high[rows[1]]
        high = side_limits[0].high[rows[0]] - side_limits[1].low[rows[1]]
        place = self.gradables[0].query_index
        number = {place[query]: at for at, query in enumerate(common)}
        open_counts = self._count_open_docs(common)
        all_gradings = {query: every_grading(self.grades, size) for query, size in open_counts}
        tried = [
            (query, gradings) for query, gradings in all_gradings.items() if gradings is not None
        ]
        both = [side.values(self.recipe, tried) for side in self.gradables]
        for (query, _), mine, theirs in zip(tried, *both, strict=True):
            low[number[query]] = (mine - theirs).min()
            high[number[query]] = (mine - theirs).max()
        return _sum_or_none(low, scale), _sum_or_none(high, scale), len(tried) == len(open_counts)

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
        if nearest is not None and sign * nearest > ROUNDING:
            return True
        open_counts = self._count_open_docs(common)
        starts = np.cumsum([0, *(size for _, size in open_counts)])
        tried = [
            (query, worst[start : start + size][None, :])
            for (query, size), start in zip(open_counts, starts[:-1], strict=True)
        ]
        numbers = {query for query, _ in open_counts}
        place = self.gradables[0].query_index
        unaffected = [query for query in common if place[query] not in numbers]
        total = 0.0
        for side, gradable, direction in zip(self.sides, self.gradables, (1.0, -1.0), strict=True):
            values = values_by_query(side, self.measure_name)
            graded_values = gradable.values(self.recipe, tried)
            total += direction * (
                sum(values[query] for query in unaffected) + np.sum(graded_values)
            )
        return False if sign * scale * total <= ROUNDING else None

    def _document_frame(self, row: Ranks, effect: Array) -> pl.DataFrame:
        names: pl.DataFrame = self.gradables[0].names[row.tolist()]
        ranks = [gradable.doc_ranks(self.recipe.convention)[row] for gradable in self.gradables]
        return names.with_columns(
            *(
                pl.Series(name, rank, dtype=pl.Int64).replace(NOWHERE, None)
                for name, rank in zip(("rank_first", "rank_second"), ranks, strict=True)
            ),
            pl.Series("effect", effect, dtype=pl.Float64),
        )

    def _write_notes(
        self, values: list[dict[str, float]], common: list[str], names: tuple[str, str]
    ) -> list[str]:
        notes = [f"{side.name}: {note}" for side in self.sides for note in side.notes]
        for name, query_values in zip(names, values, strict=True):
            if len(query_values) > len(common):
                left_out = count_noun(len(query_values) - len(common), "query")
                notes.append(f"left out, because {name} alone has a value for it: {left_out}")
        return notes


def _are_zero(ends: Sequence[float | None]) -> bool:
    return all(end is not None and abs(end) <= ROUNDING for end in ends)


def _count_judgments_to_settle(lead: float, harm: Array, *, verdict: bool | None) -> int:
    """How many documents to judge, the worst first, so that the others cannot cut the lead off."""
    if verdict:
        return 0
    ordered = -np.sort(-harm)
    left = lead - (ordered.sum() - np.append(0.0, np.cumsum(ordered)))
    enough = np.flatnonzero(left > ROUNDING)
    number = int(enough[0]) if enough.size else len(ordered)
    return max(number, 1) if verdict is False else number


def _query_rows(results: RunValues, queries: list[str]) -> Ranks:
    place = {query: at for at, query in enumerate(results.queries)}
    return np.array([place[query] for query in queries], dtype=np.intp)


def _sum_or_none(values: Array, scale: float) -> float | None:
    return None if np.isnan(values).any() else scale * float(values.sum())
