"""`Bounds`: how far documents that nobody judged could move each value of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.errors import BadValue, WrongType, check_number, check_whole_number
from gainful.evidence.unjudged.gradable_run import GradableRun
from gainful.evidence.unjudged.limits import Limits, find_limits
from gainful.match.matched import Matched
from gainful.measure.entry import Aggregation, Recipe
from gainful.measure.evaluate import measure_run
from gainful.measure.results import (
    ANSWER_DECIMALS,
    find_leaders,
    list_footnotes as list_result_footnotes,
)
from gainful.measure.values import Results, aggregate
from gainful.page.page import Page, Section, brief_page
from gainful.page.shown import Shown, ShownByRun
from gainful.page.table import Table, format_cell
from gainful.read.qrels_and_run import Qrels
from gainful.rounding import COARSE_ROUNDING, ROUNDING
from gainful.text import count_noun, join_words, name_way
from gainful.types import Array, Ranks, fill_masked, finite_or_none

Ends = tuple[float | None, float | None, float | None]
_BOUND_KINDS = {True: "exact", False: "outer"}
_KIND_WORDS = {True: "exact: both can be reached", False: "outer: no grading exceeds them"}
_MAX_NAMES = 3  # runs that a sentence names
_COLUMNS = ("bounds", "low", "value", "high")


@frozen(eq=False, repr=False)
class Bounds(Shown):
    """The smallest and the largest value of each query and measure, with the ideal changing too.

    `mean` has (low, value, high) for each measure, `exact` says whether both ends are reached,
    `per_query` is a frame with a row for each measure and query, `documents` one with a row for
    each unjudged document that could move the first measure. Unknown values are None.

    Examples:
        >>> from gainful import unjudged
        >>> unjudged({"1": {"a": 1}}, {"1": ["b", "a"]}, ["RR", "P@2"])
        Bounds of run, 1 query, like gainful; grades that may be given: 0, 1
        RR   0.5000  in 0.5000 … 1.0000 (exact)
        P@2  0.5000  in 0.5000 … 1.0000 (exact)
    """

    results: Results
    grades: tuple[float, ...]
    limits: Mapping[str, Limits]  # of the queries of the results, in their order
    unjudged: Mapping[str, Ranks]  # how many documents, as far down as the measure looks
    condensed: Mapping[str, float | None]  # the mean, if they are taken out of the ranking
    gradable: GradableRun  # the run with the documents that nobody judged
    notes: Sequence[str] = ()

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.results.name

    @property
    def queries(self) -> Sequence[str]:
        """The queries that count."""
        return self.results.ids

    @property
    def convention(self) -> Convention:
        """The settings."""
        convention: Convention = self.results.convention
        return convention

    @property
    def mean(self) -> dict[str, Ends]:
        """(low, value, high) for each measure: queries do not depend on one another."""
        values, mean = self.results.mean, {}
        for name, limits in self.limits.items():
            mean_kind = self.results.recipes[name].entry.aggregation
            masked = np.ma.getmaskarray(np.ma.asarray(self.results.values[name]))
            never = masked & np.isnan(limits.low) & limits.exact
            low = _extreme_mean(limits.low, limits, never, mean_kind, 1.0)
            high = _extreme_mean(limits.high, limits, never, mean_kind, -1.0)
            mean[name] = low, finite_or_none(values[name]), high
        return mean

    @property
    def exact(self) -> dict[str, bool]:
        """Is there a grading for each end of the mean?"""
        return {name: bool(limits.exact.all()) for name, limits in self.limits.items()}

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each measure and query: value, low, high, exact, and how many are unjudged."""
        parts = [
            pl.DataFrame(
                {
                    "measure": [name] * len(self.queries),
                    "query": list(self.queries),
                    "value": fill_masked(self.results.values[name]),
                    "low": limits.low,
                    "high": limits.high,
                    "exact": limits.exact,
                    "unjudged": self.unjudged[name].astype(np.int64),
                }
            )
            for name, limits in self.limits.items()
        ]
        return pl.concat(parts).with_columns(pl.col(pl.Float64).fill_nan(None))

    @property
    def documents(self) -> pl.DataFrame:
        """What to judge first: query, doc, rank, effect, the largest effect first.

        The effect of a document is the change of the mean of the first measure if that document
        alone gets the highest grade.
        """
        measure, recipe = next(iter(self.results.recipes.items()))
        if recipe.entry.aggregation == "geometric":
            raise BadValue("measure", measure, "a measure whose queries are averaged or added up")
        if recipe.entry.needs_subtopics and self.gradable.has_subtopics:
            allowed = "a measure without subtopics: those of an unjudged document are unknown"
            raise BadValue("measure", measure, allowed)
        counting = ~np.ma.getmaskarray(np.ma.asarray(self.results.values[measure]))
        scale = 1.0 if recipe.entry.aggregation == "sum" else 1 / max(counting.sum(), 1)
        place = self.gradable.query_index
        queries = [place[query] for query in np.array(self.queries)[counting]]
        row, change = self.gradable.document_effects(recipe, queries, self.grades[-1])
        rank = self.gradable.doc_ranks(recipe.convention)[row]
        effect = pl.Series("effect", scale * change, dtype=pl.Float64)
        frame = self.gradable.names[row.tolist()].with_columns(pl.Series("rank", rank), effect)
        moving: pl.DataFrame = frame.filter(pl.col("effect").abs() > ROUNDING)
        return moving.sort(pl.col("effect").abs(), descending=True, maintain_order=True)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        rows = self.per_query.partition_by("measure", as_dict=True, include_key=False)
        queries = {name[0]: part.to_dicts() for name, part in rows.items()}
        measures = {}
        for name, (low, value, high) in self.mean.items():
            measures[name] = {
                "value": value,
                "low": low,
                "high": high,
                "exact": self.exact[name],
                **({"why": self.limits[name].reason} if not self.exact[name] else {}),
                "condensed": self.condensed[name],
                "unjudged": int(self.unjudged[name].sum()),
                "per_query": queries.get(name, []),
            }
        return {
            "run": self.name,
            "grades": list(self.grades),
            "measures": measures,
            "convention": {"like": self.convention.name, **self.convention.settings()},
            "counts": dict(self.results.counts),
            "notes": list(self.notes),
        }

    def page(
        self, *, per_query: bool = False, first: int | None = None, verbose: bool = False
    ) -> Page:
        """A row for each measure, for each query, or for the first documents to judge."""
        return bounds_page([self], self.to_dict, per_query=per_query, first=first, verbose=verbose)

    def brief(self) -> Page:
        """The bounds of the means in a few lines."""
        units, grades = count_noun(len(self.queries), self.results.unit), _join_grades(self.grades)
        headline = f"Bounds of {self.name}, {units}, "
        headline += f"like {self.convention.name}; grades that may be given: {grades}"
        width = max(map(len, self.limits), default=0)
        lines = [
            f"{name:<{width}}  {format_cell(value)}  in {format_cell(low)} … "
            f"{format_cell(high)} ({_BOUND_KINDS[self.exact[name]]})"
            for name, (low, value, high) in self.mean.items()
        ]
        return brief_page(headline, lines, _build_run_table([self]), list(self.notes))


class RunBounds(ShownByRun[Bounds]):
    """The bounds of several runs by name."""

    def page(
        self, *, per_query: bool = False, first: int | None = None, verbose: bool = False
    ) -> Page:
        """A row for each run and measure, for each query, or for the first documents to judge."""
        runs = list(self.values())
        return bounds_page(runs, self.to_dict, per_query=per_query, first=first, verbose=verbose)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {"runs": [bounds.to_dict() for bounds in self.values()]}


def _describe_outside(name: str, ends: Ends) -> str:
    """A note on a value that no grading gives, where there is one."""
    low, value, high = ends
    if low is None or value is None or high is None:
        return ""
    if low - COARSE_ROUNDING <= value <= high + COARSE_ROUNDING:
        return ""
    return (
        f"{name} now lies outside its bounds: it treats a document without a judgment unlike any "
        "of these grades"
    )


def _extreme_mean(
    end: Array, limits: Limits, never: Any, mean_kind: Aggregation, sign: float
) -> float | None:
    """The smallest (sign 1) or largest mean; queries that may be left out are, where that helps."""
    if np.isnan(end[~never]).any():
        return None
    sure = end[~never & ~limits.optional]
    may_count = sign * np.sort(sign * end[limits.optional & ~never])
    means = [
        aggregate(np.append(sure, may_count[:size]), mean_kind)
        for size in range(len(may_count) + 1)
    ]
    signed_means = [sign * mean for mean in means if not np.isnan(mean)]
    return sign * min(signed_means) if signed_means else None


def bounds_page(
    bounds: Sequence[Bounds],
    data: Callable[[], Any],
    *,
    per_query: bool = False,
    first: int | None = None,
    verbose: bool = False,
) -> Page:
    """A row for each run and measure, or for each query, or the `first` documents to judge."""
    shown = table = _build_run_table(bounds)
    if per_query:
        shown, table = (
            _build_query_table(bounds, unit) for unit in (bounds[0].results.unit, "query")
        )
    sections, notes = [Section(table=shown)], []
    if first is not None:
        check_whole_number("first", first)
        rows = [(run.name, *row) for run in bounds for row in run.documents.head(first).iter_rows()]
        rows.sort(key=lambda row: -abs(row[-1]))
        columns = ("run", "query", "document", "rank", "effect")
        table = Table(columns, rows[:first], numeric=True, label_columns=3)
        sections.append(Section("To judge first", table))
        measure, grade = next(iter(bounds[0].limits)), bounds[0].grades[-1]
        notes = [f"effect: change of the mean {measure} if that document alone has grade {grade:g}"]
    return Page(
        answer=describe_bounds(bounds),
        sections=sections,
        notes=[*notes, *_list_footnotes(bounds, per_query=per_query, verbose=verbose)],
        rows=lambda: table,
        data=data if first is None else lambda: {**data(), "first": table.to_dicts()},
    )


def describe_bounds(bounds: Sequence[Bounds]) -> str:
    """How far unjudged documents could move the mean, and whether they could change the lead."""
    measure = next(iter(bounds[0].limits))
    ends_by_run = {run.name: run.mean[measure] for run in bounds}
    if len(bounds) == 1:
        return _describe_run_bounds(bounds[0], measure)
    values = {name: value for name, (_, value, _) in ends_by_run.items() if value is not None}
    direction = bounds[0].results.directions[measure]
    leaders = find_leaders(values, direction)
    if not leaders:
        return ""
    value = f"{values[leaders[0]]:.{ANSWER_DECIMALS}f}"
    if len(leaders) > 1:
        names = join_words(leaders) if len(leaders) <= _MAX_NAMES else f"{len(leaders)} runs"
        share = f"{names} share the {direction.best} {measure}"
        return f"{share} ({value}) by the present judgments."
    (leader,) = leaders
    worst_end, best_end = (2, 0) if direction.is_lower else (0, 2)
    worst = ends_by_run[leader][worst_end]
    bests = [ends[best_end] for name, ends in ends_by_run.items() if name != leader]
    head = f"{leader} is {direction.best} in {measure} ({value})"
    sign = direction.sign
    if worst is not None and all(best is not None and sign * worst > sign * best for best in bests):
        return f"{head}, and stays so whatever grades the unjudged documents get."
    way = name_way("--first 10", ".documents")
    return (
        f"{head}, but the unjudged documents could change that: the possible values of the runs "
        f"overlap. {way} lists the documents to judge first."
    )


def _describe_run_bounds(bounds: Bounds, measure: str) -> str:
    low, value, high = bounds.mean[measure]
    if value is None:
        return f"No {bounds.results.unit} counts in {measure}, so {bounds.name} has no mean."
    head = f"{bounds.name} has a mean {measure} of {value:.{ANSWER_DECIMALS}f}"
    if low is None or high is None:
        return f"{head}; how much the unjudged documents could change it is unknown."
    if high - low <= COARSE_ROUNDING:
        return f"{head}, and no unjudged document could change that."
    ends = f"{low:.{ANSWER_DECIMALS}f} to {high:.{ANSWER_DECIMALS}f}"
    count = count_noun(int(bounds.unjudged[measure].sum()), "unjudged document")
    return f"{head}; it could be from {ends}, depending on {count}."


def _join_grades(grades: Sequence[float]) -> str:
    return ", ".join(f"{grade:g}" for grade in grades)


def _build_run_table(bounds: Sequence[Bounds]) -> Table:
    rows = [
        (
            run_bounds.name,
            name,
            _BOUND_KINDS[run_bounds.exact[name]],
            *ends,
            run_bounds.condensed[name],
            int(run_bounds.unjudged[name].sum()),
        )
        for run_bounds in bounds
        for name, ends in run_bounds.mean.items()
    ]
    columns = ("run", "measure", *_COLUMNS, "condensed", "unjudged")
    expendable = ("unjudged", "condensed", _COLUMNS[0])
    return Table(columns, rows, numeric=True, label_columns=3, expendable=expendable)


def _build_query_table(bounds: Sequence[Bounds], unit: str) -> Table:
    rows = [
        (
            *(run_bounds.name, row["measure"], row["query"], _BOUND_KINDS[row["exact"]]),
            *(row[name] for name in ("low", "value", "high", "unjudged")),
        )
        for run_bounds in bounds
        for row in run_bounds.per_query.iter_rows(named=True)
    ]
    columns = ("run", "measure", unit, *_COLUMNS, "unjudged")
    expendable = ("unjudged", _COLUMNS[0])
    return Table(columns, rows, numeric=True, label_columns=4, expendable=expendable)


def _list_footnotes(bounds: Sequence[Bounds], *, per_query: bool, verbose: bool) -> list[str]:
    kinds = {exact for run_bounds in bounds for exact in run_bounds.exact.values()}
    meaning = "; ".join(_KIND_WORDS[exact] for exact in (True, False) if exact in kinds)
    grades = f"grade{'s' if len(bounds[0].grades) > 1 else ''} {_join_grades(bounds[0].grades)}"
    bounds_note = (
        f"low and high: the smallest and the largest {'value' if per_query else 'mean'} if every "
        f"unjudged document had one of the {grades}, with the ideal "
        f"changing too ({meaning})"
    )
    condensed_note = "condensed: the mean without unjudged documents (the others move up) · "
    unjudged_note = "unjudged: number of documents down to the measure's depth"
    own_notes = [
        f"Note: {run_bounds.name}: {note}"
        for run_bounds in bounds
        for note in run_bounds.notes
        if note not in run_bounds.results.notes
    ]
    return [
        bounds_note,
        unjudged_note if per_query else condensed_note + unjudged_note,
        *list_result_footnotes([run_bounds.results for run_bounds in bounds], verbose=verbose),
        *own_notes,
    ]


_GRADES = "grades as numbers, such as 0, 1, 2"


def find_bounds(results: Results, run: Matched, gradable: GradableRun, grades: Array) -> Bounds:
    """The bounds of the values of one run, by the grades that may be given, ascending."""
    matched, place = gradable.matched, gradable.query_index
    rows = np.array([place[query] for query in results.ids], dtype=np.intp)
    is_open = np.isnan(gradable.known_grades)
    in_pool, in_run = (is_open[row.astype(np.intp)] for row in (matched.pool_grade, matched.grade))
    open_counts = np.bincount(matched.pool_query[in_pool], minlength=len(place))
    affected = np.flatnonzero((open_counts[rows] > 0) & matched.judged[rows])
    limits, unjudged = {}, {}
    for name, recipe in results.recipes.items():
        values = fill_masked(results.values[name])
        limits[name] = find_limits(gradable, recipe, grades, values, affected, rows[affected])
        seen = in_run if recipe.depth is None else in_run & (matched.by_id <= recipe.depth)
        unjudged[name] = np.bincount(matched.query[seen], minlength=len(place))[rows]
    bounds = Bounds(
        results=results,
        grades=tuple(grades.tolist()),
        limits=limits,
        unjudged=unjudged,
        condensed=_condense_lists(run, results),
        gradable=gradable,
    )
    outside = [_describe_outside(name, ends) for name, ends in bounds.mean.items()]
    inexact = [f"{name} is not exact: {end.reason}" for name, end in limits.items() if end.reason]
    return evolve(bounds, notes=[*results.notes, *inexact, *filter(None, outside)])


def possible_grades(
    qrels: Qrels, grades: Iterable[float] | None, recipes: Mapping[str, Recipe]
) -> Array:
    """The grades that may be given, ascending; what these measures cannot take is refused."""
    judged_grades = qrels.frame["grade"].to_numpy()
    highest = float(judged_grades.max())
    allowed = np.unique(np.append(judged_grades, 0.0)) if grades is None else _check_grades(grades)
    limit = highest if highest > 0 else 1.0
    for name, recipe in recipes.items():
        scales = "max_grade" in recipe.entry.arguments and recipe.convention.max_grade is None
        if scales and allowed[-1] > limit:  # it would change what all others are worth
            most = f"at most {limit:g}, by which {name} scales all grades; or set max_grade"
            raise BadValue("grades", float(allowed[-1]), most)
    return allowed


def _check_grades(grades: Iterable[float]) -> Array:
    if isinstance(grades, (str, bytes)) or not isinstance(grades, Iterable):
        raise WrongType("grades", grades, _GRADES)
    grade_list = list(grades)
    for grade in grade_list:
        check_number("grades", grade, f"finite {_GRADES}", isfinite)
    if not grade_list:
        raise BadValue("grades", grade_list, f"at least one; {_GRADES}")
    return np.unique(np.array(grade_list, dtype=np.float64))


def _condense_lists(run: Matched, results: Results) -> dict[str, float | None]:
    """The means of condensed lists: what is unjudged is taken out, the others move up."""
    recipes = {
        name: evolve(recipe, convention=recipe.convention.with_settings(unjudged="remove"))
        for name, recipe in results.recipes.items()
        if "unjudged" in recipe.entry.params
    }
    mean = measure_run(run, recipes, results.convention).mean if recipes else {}
    return {name: finite_or_none(mean.get(name)) for name in results.values}
