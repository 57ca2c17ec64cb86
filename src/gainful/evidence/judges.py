"""`JudgeAgreement`: do judges give the same grades, and would runs be ordered alike by each?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue
from gainful.evidence.orders.order import MIN_RUNS, Order
from gainful.evidence.statistics.bootstrap import (
    bootstrap_interval,
    name_interval,
    run_bootstrap,
    widen_level,
)
from gainful.evidence.statistics.outcome import Resampling
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Column, Table, build_table, to_plain_data
from gainful.text import count_noun, format_exact, join_words, mark_notes
from gainful.types import Array, finite_or_none

_MAX_GRADES = 50  # of one scale; values beyond it are scores
_MAX_GRADE = 1e6
_LISTED_QUERIES = 5
_STEPS: Mapping[str, Callable[[Array], Array]] = {  # weights by how many grades are between
    "none": lambda steps: (steps > 0).astype(np.float64),
    "linear": lambda steps: steps,
    "quadratic": lambda steps: steps**2,
}
WEIGHTS = tuple(_STEPS)
LEVELS = ("nominal", "ordinal", "interval")


@frozen
class Estimate:
    """A statistic and its interval; None where it is not defined, or there is no interval."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def describe(self, sign: str = "") -> str:
        """The value, and its interval in brackets."""
        if self.value is None:
            return "not defined"
        text = f"{self.value:{sign}.2f}"
        return (
            text if self.low is None else f"{text} ({self.low:{sign}.2f} to {self.high:{sign}.2f})"
        )


@frozen(eq=False, kw_only=True)
class JudgePair:
    """Two judges and the documents that both judged.

    `counts` has a row for each grade of the first judge and a column for each of the second, both
    in the order of `grades`. `bias` is by how much the second judge grades higher, on average.
    """

    judges: tuple[str, str]
    queries: int
    documents: int
    grades: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    same: Estimate  # share of documents with the same grade
    kappa: Estimate
    bias: Estimate

    @property
    def bias_by_grade(self) -> dict[float, float | None]:
        """By how much the second judge grades higher, for each grade of the first."""
        return {
            grade: None if not sum(row) else float(np.dot(row, self.grades)) / sum(row) - grade
            for grade, row in zip(self.grades, self.counts, strict=True)
        }


@frozen
class Disagreement:
    """How far apart the grades of a query are: the mean difference between two judges."""

    query: str
    documents: int
    difference: float


@frozen(eq=False, repr=False, kw_only=True)
class JudgeAgreement(Shown):
    """How well judges agree: tables of grades, kappa, alpha, bias, and the order of runs.

    `pairs` has each two judges, `disagreements` the queries with the largest difference first;
    `order` says how alike runs are ordered by each judge, None if no runs were given, and `flips`
    how many significant differences between two runs change their sign from judge to judge.
    """

    judges: tuple[str, ...]
    pairs: tuple[JudgePair, ...]
    alpha: Estimate  # Krippendorff's, of all judges
    disagreements: tuple[Disagreement, ...]
    weights: str
    level: str
    resampling: Resampling
    measure: str | None = None
    order: Order | None = None
    flips: int | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        pairs = [
            to_plain_data(pair)
            | {"bias_by_grade": {f"{grade:g}": bias for grade, bias in pair.bias_by_grade.items()}}
            for pair in self.pairs
        ]
        return to_plain_data(evolve(self, order=None)) | {
            "pairs": pairs,
            "order": None if self.order is None else self.order.to_dict(),
        }

    def page(self, *, verbose: bool = False) -> Page:
        """How well the judges agree, where they differ, and what that does to the order of runs."""
        differing = [item for item in self.disagreements if item.difference]
        listed = self.disagreements if verbose else differing[:_LISTED_QUERIES]
        most = Section("Queries with most disagreement", build_table(listed, _QUERY_COLUMNS))
        first = self.pairs[0].judges[0]
        pairs_of_first = [pair for pair in self.pairs if pair.judges[0] == first]
        return Page(
            answer=" ".join([_describe_pair(self), *_describe_order(self)]),
            sections=[
                Section(table=build_table(self.pairs, _PAIR_COLUMNS, labels=2)),
                *map(_tabulate_counts, self.pairs if verbose else pairs_of_first),
                *([most] if differing else []),
                *_tabulate_order(self),
            ],
            notes=[*_describe_method(self), *mark_notes(self.notes)],
            rows=lambda: _list_rows(self),
            data=self.to_dict,
        )


def compare_grades(
    judgments: Mapping[str, pl.DataFrame], weights: str, level: str, resampling: Resampling
) -> JudgeAgreement:
    """How alike the judges grade the documents that two or more of them judged."""
    for name, value, allowed in (("weights", weights, WEIGHTS), ("level", level, LEVELS)):
        if not isinstance(value, str) or value not in allowed:
            raise BadValue(name, value, ", ".join(allowed))
    keys, sides = ["query", "doc"], ["grade", "grade_other"]
    graded = pl.concat(
        frame.select(*keys, "grade", judge=pl.lit(judge)) for judge, frame in judgments.items()
    )
    graded = graded.with_columns(judges=pl.len().over(keys))
    pairs, met, notes = [], [], []
    for first, second in combinations(judgments, 2):
        left, right = (graded.filter(judge=judge) for judge in (first, second))
        common = left.join(right.select(*keys, "grade"), on=keys, suffix="_other")
        if common.is_empty():
            notes.append(f"{first} and {second} judged no document in common")
            continue
        met.append(common.group_by("query", *sides, "judges").len("documents"))
        pairs.append(_compare_two((first, second), met[-1], weights, resampling))
        notes += _compare_scales(pairs[-1])
        for judge, other in ((first, second), (second, first)):
            alone = len(judgments[judge]) - len(common)
            if alone:
                notes.append(f"{count_noun(alone, 'document')} of {judge} not judged by {other}")
    if not pairs:
        first, second, *_ = judgments
        problem = f"it has no document in common with {first}"
        raise BadInput(second, problem, "judgments of the same queries and documents")
    all_met = pl.concat(met)
    return JudgeAgreement(
        judges=tuple(judgments),
        pairs=tuple(pairs),
        alpha=_estimate_alpha(all_met, level, resampling),
        disagreements=_rank_queries(all_met),
        weights=weights,
        level=level,
        resampling=resampling,
        notes=tuple(notes),
    )


def _compare_scales(pair: JudgePair) -> list[str]:
    """Grades that one of two judges never gives to what both judged."""
    counts = np.array(pair.counts)
    notes = []
    sides = zip(pair.judges, pair.judges[::-1], (counts.sum(1), counts.sum(0)), strict=True)
    for judge, other, given in sides:
        missing = [format_exact(pair.grades[at]) for at in np.flatnonzero(given == 0)]
        if missing:
            notes.append(f"{judge} never gives {join_words(missing)}, which {other} gives")
    return notes


def _compare_two(
    judges: tuple[str, str], met: pl.DataFrame, weights: str, resampling: Resampling
) -> JudgePair:
    scale, counts = _count_grades(met, pl.col("documents"), " and ".join(judges))
    steps = np.abs(np.subtract.outer(*[np.arange(len(scale), dtype=np.float64)] * 2))
    distance = _STEPS[weights](steps)[None]
    same, difference = np.eye(len(scale)), scale[None, :] - scale[:, None]

    def describe(weighting: Array) -> Array:
        drawn = np.tensordot(weighting, counts, axes=1)
        total = drawn.sum(axis=(1, 2))
        kappa = _agree_beyond_chance(drawn, distance, total)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = [np.einsum("sij,ij->s", drawn, of) / total for of in (same, difference)]
        return np.stack([kappa, *means], axis=1)

    kappa, share, bias = _estimate(describe, len(counts), resampling)
    return JudgePair(
        judges=judges,
        queries=len(counts),
        documents=int(counts.sum()),
        grades=tuple(scale.tolist()),
        counts=tuple(map(tuple, counts.sum(axis=0).astype(int).tolist())),
        same=share,
        kappa=kappa,
        bias=bias,
    )


def _estimate_alpha(met: pl.DataFrame, level: str, resampling: Resampling) -> Estimate:
    """Krippendorff's alpha of documents that any two or more judges judged."""
    pairable = pl.col("documents") / (pl.col("judges") - 1)
    scale, counts = _count_grades(met, pairable, "the judges")
    coincidences = counts + counts.transpose(0, 2, 1)

    def describe(weighting: Array) -> Array:
        drawn = np.tensordot(weighting, coincidences, axes=1)
        totals = drawn.sum(axis=2)
        distance = 1 - np.eye(len(scale))[None]
        if level != "nominal":
            ranks = totals.cumsum(axis=1) - totals / 2
            places = ranks if level == "ordinal" else scale[None, :]
            distance = (places[:, :, None] - places[:, None, :]) ** 2
        return _agree_beyond_chance(drawn, distance, totals.sum(axis=1) - 1)[:, None]

    (alpha,) = _estimate(describe, len(coincidences), resampling)
    return alpha


def _agree_beyond_chance(drawn: Array, distance: Array, number: Array) -> Array:
    """One minus the disagreement that was seen over what chance would make, a row each."""
    observed = np.einsum("sij,sij->s", drawn, np.broadcast_to(distance, drawn.shape))
    sides = drawn.sum(axis=2), drawn.sum(axis=1)
    expected = np.einsum("si,sj,sij->s", *sides, np.broadcast_to(distance, drawn.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - number * observed / expected)


def _count_grades(met: pl.DataFrame, number: pl.Expr, whose: str) -> tuple[Array, Array]:
    """The grades, and for each query how often each of them meets each other."""
    met = met.sort(pl.all())
    grades = met.select("grade", "grade_other").to_numpy()
    scale = np.unique(grades)
    if np.abs(scale).max() > _MAX_GRADE:
        problem = f"there is a grade of {scale[np.abs(scale).argmax()]:g}"
        raise BadInput(whose, problem, f"grades up to {_MAX_GRADE:g}")
    if len(scale) > _MAX_GRADES:
        problem = f"there are {len(scale)} different grades"
        raise BadInput(whose, problem, f"at most {_MAX_GRADES}; turn scores into grades first")
    query = met["query"].rank("dense").to_numpy() - 1
    counts = np.zeros((int(query.max()) + 1, len(scale), len(scale)))
    places = query, *np.searchsorted(scale, grades).T
    np.add.at(counts, places, met.select(number).to_series().to_numpy())
    return scale, counts


def _estimate(
    describe: Callable[[Array], Array], queries: int, resampling: Resampling
) -> list[Estimate]:
    """Statistics with intervals by a bootstrap over queries; of one query there are none."""
    if queries == 1:
        return [Estimate(finite_or_none(value)) for value in describe(np.ones((1, 1)))[0].tolist()]
    bootstrap = run_bootstrap(describe, np.arange(queries), resampling)
    alpha = widen_level(resampling.alpha, queries)
    estimates = []
    for at, value in enumerate(bootstrap.estimate.tolist()):
        drawn, left_out = bootstrap.resampled[:, at], bootstrap.left_out[:, at]
        ends: Sequence[float] = ()
        if np.isfinite(drawn).any() and np.isfinite(value):
            ends = bootstrap_interval(value, drawn, left_out, alpha)
        estimates.append(Estimate(finite_or_none(value), *ends))
    return estimates


def _rank_queries(met: pl.DataFrame) -> tuple[Disagreement, ...]:
    """The mean difference of two judges of a document, then of the documents of a query."""
    difference = (pl.col("grade") - pl.col("grade_other")).abs()
    judges = pl.col("judges").cast(pl.Float64)
    # A document of m judges has m(m-1)/2 pairs of them.
    documents = pl.col("documents") * 2 / (judges * (judges - 1))
    queries = met.group_by("query").agg(
        documents.sum().round().cast(pl.Int64),
        ((difference * documents).sum() / documents.sum()).alias("difference"),
    )
    ranked = queries.sort(pl.col("difference").round(12), "query", descending=[True, False])
    return tuple(Disagreement(*row) for row in ranked.iter_rows())


_PAIR_COLUMNS = (
    Column("judges", lambda pair: pair.judges[0]),
    Column("", lambda pair: pair.judges[1]),
    Column("documents", drop=2),
    Column("same\ngrade", lambda pair: f"{100 * pair.same.value:.0f} %"),
    Column("kappa", lambda pair: pair.kappa.describe()),
    Column("bias", lambda pair: pair.bias.describe(sign="+")),
)
_ORDER_COLUMNS = (
    Column("judges", lambda item: item.measures[0]),
    Column("", lambda item: item.measures[1]),
    Column("tau", show=".4f"),
    Column("pairs that\nchange places", "discordant"),
)
_QUERY_COLUMNS = (
    Column("query"),
    Column("documents"),
    Column("mean\ndifference", "difference", ".2f"),
)


def _tabulate_counts(pair: JudgePair) -> Section:
    heads = ["", *map(format_exact, pair.grades), "bias"]
    biases = pair.bias_by_grade
    rows = [
        [format_exact(grade), *row, "–" if biases[grade] is None else f"{biases[grade]:+.2f}"]
        for grade, row in zip(pair.grades, pair.counts, strict=True)
    ]
    title = f"Grades of {pair.judges[0]} (rows) and {pair.judges[1]} (columns)"
    return Section(title, Table(heads, rows, numeric=True, label_columns=1))


def _tabulate_order(result: JudgeAgreement) -> list[Section]:
    order = result.order
    if order is None:
        return []
    runs = list(order.places(result.judges[0]))
    means = [(run, *(order.means[judge][run] for judge in result.judges)) for run in runs]
    table = Table(("run", *result.judges), means, numeric=True, label_columns=1)
    agreement = Section(table=build_table(order.agreement, _ORDER_COLUMNS, labels=2))
    means_of_judges = Section(f"{result.measure} by each judge", table)
    return [means_of_judges, *([agreement] if len(runs) >= MIN_RUNS else [])]


def _describe_pair(result: JudgeAgreement) -> str:
    pair = result.pairs[0]
    first, second = pair.judges
    kind = "" if result.weights == "none" else "weighted "
    text = (
        f"{first} and {second} give {100 * (pair.same.value or 0):.0f} % of "
        f"{count_noun(pair.documents, 'document')} the same grade: {kind}kappa "
        f"{pair.kappa.describe()}."
    )
    if len(result.judges) > 2:
        text += f" All {len(result.judges)} judges: Krippendorff's alpha {result.alpha.describe()}."
    bias = pair.bias
    if bias.low is not None and bias.high is not None and bias.low * bias.high > 0:
        side = "higher" if bias.low > 0 else "lower"
        text += f" {second} grades {side} by {abs(bias.value or 0):.2f} on average."
    return text


def _describe_order(result: JudgeAgreement) -> list[str]:
    if result.order is None:
        return []
    runs = len(result.order.runs)
    discordant = max(item.discordant for item in result.order.agreement)
    if not discordant:
        return [f"All judges rank the {runs} runs alike by {result.measure}."]
    taus = [item.tau for item in result.order.agreement if item.tau is not None]
    lowest = f" (tau {min(taus):.2f})" if taus else ""
    flips = "no significant difference changes its sign"
    if result.flips:
        verb = "changes its sign" if result.flips == 1 else "change their signs"
        flips = f"{count_noun(result.flips, 'significant difference')} between two runs {verb}"
    places = "changes places" if discordant == 1 else "change places"
    pairs = f"{count_noun(discordant, 'pair')} of {runs} runs {places}{lowest}"
    return [f"By {result.measure}, {pairs}; {flips}."]


def _describe_method(result: JudgeAgreement) -> list[str]:
    queries = max(pair.queries for pair in result.pairs)
    alpha = f"Krippendorff's alpha ({result.level}) of {join_words(result.judges)}: "
    kappa = "Cohen's kappa" if result.weights == "none" else f"kappa with {result.weights} weights"
    intervals = "one query: no intervals"
    if queries > 1:
        over = f"{count_noun(queries, 'query')} ({name_interval(queries)})"
        intervals = f"{result.resampling.level} confidence intervals: bootstrap over {over}"
    return [
        alpha + result.alpha.describe(),
        f"{kappa} · bias: by how much the second judge grades higher",
        intervals,
    ]


def _list_rows(result: JudgeAgreement) -> Table:
    """A row for each value: what it is, of which judges, grades or query."""

    def record(what: str, pair: Sequence[str] = ("", ""), **values: Any) -> dict[str, Any]:
        return {"what": what, "first": pair[0], "second": pair[1], **values}

    records = [record("alpha", **to_plain_data(result.alpha))]
    for pair in result.pairs:
        judges = pair.judges
        records.append(record("documents", judges, value=pair.documents))
        for name, estimate in (("same", pair.same), ("kappa", pair.kappa), ("bias", pair.bias)):
            records += [record(name, judges, **to_plain_data(estimate))]
        records += [
            record("count", judges, grade=grade, other_grade=other, value=count)
            for grade, counts in zip(pair.grades, pair.counts, strict=True)
            for other, count in zip(pair.grades, counts, strict=True)
        ]
    records += [
        record("difference", query=item.query, value=item.difference)
        for item in result.disagreements
    ]
    if result.order is not None:
        taus = result.order.agreement
        records += [record("tau", item.measures, value=item.tau) for item in taus]
        records.append(record("flips", value=result.flips))
    columns = ("what", "first", "second", "grade", "other_grade", "query", "value", "low", "high")
    return evolve(Table.from_records(columns, records, 3), text_columns=(5,))
