"""How many queries does a comparison need? The size of a topic set, from a pilot's spread.

The design of a topic set (Sakai 2016) by the paired t test: the true difference that is to be
found, how often, at which level, and how much differences vary between queries. That is what a
pilot tells, but a pilot is small, and half of all pilots vary less than the truth. So beside what
is needed by the pilot's own spread stands a cautious number: what is needed if the spread is at its
upper confidence limit. Where queries are turns of conversations, it is that between whole ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, inf, sqrt

from attrs import evolve, frozen

from gainful.defaults import ALPHA
from gainful.errors import BadInput, check_number, check_whole_number
from gainful.evidence.pairing import (
    Clusters,
    PairedValues,
    choose_pairs,
    describe_turns,
    pair_means,
    refuse_extremes,
)
from gainful.evidence.statistics.effect_size import (
    POWER,
    check_levels,
    check_share,
    constant_columns,
    count_queries,
    detectable_difference,
)
from gainful.measure.values import Results
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, refuse_truth
from gainful.page.table import Column, build_table, list_fields, to_plain_data
from gainful.text import count_noun, mark_notes, pluralise
from gainful.types import Array

DIFFERENCE = 0.05
CONFIDENCE = 0.8  # that the spread is not larger than the one that is allowed for
_FEWEST = 5  # queries of a pilot: fewer say nothing of how differences vary


@frozen
class PlannedPair:
    """What a pair of runs says of the spread of differences, and the queries that follow from it.

    `needed` and `cautious` are None where more queries would be needed than any collection has.
    With clusters, spreads are of whole clusters, and queries are as many as so many clusters have.
    """

    measure: str
    run: str
    baseline: str
    queries: int  # of the pilot
    spread: float  # the standard deviation of the differences between queries
    largest_spread: float  # its upper confidence limit
    difference: float  # the true one that is to be found
    needed: int | None  # queries, if the spread is that of the pilot
    cautious: int | None  # queries, if it is as large as its limit
    detectable: float | None  # the smallest true difference that the pilot itself finds so
    clusters: int | None = None  # of the pilot
    needed_clusters: int | None = None
    cautious_clusters: int | None = None


_COLUMNS = (
    Column("measure"),
    Column("run"),
    Column("against", "baseline"),
    Column("spread", show=".4f", drop=2),
    Column("difference", show="g"),
    Column("needed"),
    Column("cautious"),
    Column("detectable", show=".4f", drop=1),
)
_DETAILS = (
    "spread: the standard deviation of the differences by query, or by cluster · detectable: the "
    "smallest true difference that a comparison as large as the pilot detects with this power"
)


@frozen(repr=False)
class Plan(Shown):
    """How many queries find a true difference, for each pair of runs of the pilot.

    Levels that no plan can be made for are refused.
    """

    pairs: tuple[PlannedPair, ...] = ()
    alpha: float = ALPHA
    power: float = POWER
    confidence: float = CONFIDENCE
    comparisons: int = 1  # that are corrected together, so that alpha is shared among them
    notes: tuple[str, ...] = ()
    unit: str = "query"

    __bool__ = refuse_truth("each of plan.pairs: pair.queries >= pair.needed")

    def __attrs_post_init__(self) -> None:
        for name in ("alpha", "power", "confidence"):
            check_share(name, getattr(self, name))
        check_whole_number("comparisons", self.comparisons)
        check_levels(self.level, self.power)

    @property
    def level(self) -> float:
        """At which each comparison is tested, where alpha is shared among several."""
        return self.alpha / self.comparisons

    def page(self, *, verbose: bool = False) -> Page:
        """The pair that needs most in a sentence, and a row for each measure and pair of runs."""
        shared = f" shared among {self.comparisons} comparisons" if self.comparisons > 1 else ""
        note = (
            f"two-sided t test at {self.alpha:g}{shared}, {100 * self.power:g} % power · cautious: "
            f"the number needed if the spread is at its upper {100 * self.confidence:g} % limit"
        )
        return Page(
            answer=_format_answer(self),
            sections=[Section(table=build_table(self.pairs, _COLUMNS, labels=3))],
            notes=[note, *([_DETAILS] if verbose else []), *mark_notes(self.notes)],
            rows=lambda: list_fields(self.pairs, labels=3),
            data=lambda: {
                key: value for key, value in to_plain_data(self).items() if key != "unit"
            },
        )


def check_difference(difference: float | Mapping[str, float]) -> None:
    """Refuse what is no true difference of means, nor one for each measure."""
    allowed = "a number above 0, or {measure: number}"
    for value in difference.values() if isinstance(difference, Mapping) else [difference]:
        check_number("difference", value, allowed, lambda number: 0 < number < inf)


def plan_queries(
    results: Sequence[Results],
    difference: float | Mapping[str, float],
    plan: Plan,
    clusters: Clusters | None = None,
) -> Plan:
    """The queries that each pair of runs needs, from the spread of its differences."""
    pairs, usual, named = [], difference, {}
    if isinstance(usual, Mapping):
        named = {results[0].find_name(name): float(value) for name, value in usual.items()}
        usual = DIFFERENCE
    notes = describe_turns(results[0].ids, verb="plans") if clusters is None else []
    problems: list[BadInput] = []
    for measure, wanted in (dict.fromkeys(results[0].values, float(usual)) | named).items():
        paired = pair_means(results, measure)
        refuse_extremes(paired.values, measure)
        paired = paired if clusters is None else clusters.assign(paired)
        _refuse_small(paired)
        for pair in choose_pairs("all", len(results), 0):
            names = tuple(results[column].name for column in pair)
            try:
                pairs.append(_plan_pair(paired, pair, names, wanted, plan))
            except BadInput as constant:
                problems.append(constant)
    if not pairs:
        raise problems[0]
    notes += [f"{constant.where}: {constant.problem}" for constant in problems]
    return evolve(plan, pairs=tuple(pairs), notes=tuple(notes), unit=results[0].unit)


def _refuse_small(paired: PairedValues) -> None:
    count = len({*paired.units})
    if count < _FEWEST:
        problem = f"a pilot of {count_noun(count, paired.unit)} is too small to estimate the spread"
        allowed = f"at least {_FEWEST} {pluralise(paired.unit)} that all runs have"
        raise BadInput(paired.measure, problem, allowed)


def _plan_pair(
    paired: PairedValues,
    pair: tuple[int, int],
    names: tuple[str, ...],
    difference: float,
    plan: Plan,
) -> PlannedPair:
    run, baseline = names
    units = paired.sum_units(paired.differences(pair)[:, None])
    deviations = units.deviations()[:, 0] * units.number / units.sizes.sum()
    if constant_columns(units.unit_means)[0]:
        problem = f"{run} and {baseline} have a constant difference in the pilot"
        raise BadInput(paired.measure, problem, "runs whose differences vary")
    spread = float(units.standard_errors()[0] * sqrt(units.number))
    largest = spread * spread_ratio(deviations, plan.confidence)
    counts = [
        count_queries(difference / size, plan.level, plan.power) for size in (spread, largest)
    ]
    queries = len(paired.queries)
    per_unit = queries / units.number
    needed, cautious = (None if count is None else ceil(count * per_unit) for count in counts)
    is_clustered = paired.clusters is not None
    return PlannedPair(
        measure=paired.measure,
        run=run,
        baseline=baseline,
        queries=queries,
        spread=spread,
        largest_spread=largest,
        difference=difference,
        needed=needed,
        cautious=cautious,
        detectable=detectable_difference(units.number, spread, plan.level, plan.power),
        clusters=units.number if is_clustered else None,
        needed_clusters=counts[0] if is_clustered else None,
        cautious_clusters=counts[1] if is_clustered else None,
    )


def spread_ratio(deviations: Array, confidence: float) -> float:
    """How much larger the true spread may be than that of these deviations from their mean.

    It is the chi-square limit. Where values have heavier tails than normal ones, their spread is
    less sure, as if there were fewer of them: the degrees of freedom are those that give the
    variance of the sample variance for its kurtosis (Box 1953).

    Examples:
        >>> import numpy as np
        >>> round(spread_ratio(np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), 0.8), 4)  # √(4 / 1.6488)
        1.5576
    """
    from scipy.stats import chi2  # noqa: PLC0415  (slow to load)

    number = len(deviations)
    # The unbiased excess kurtosis; scipy's differs in the last digit.
    ratio = number * float((deviations**4).sum()) / float((deviations**2).sum()) ** 2
    scale = (number - 1) / ((number - 2) * (number - 3))
    kurtosis = scale * ((number + 1) * (ratio - 3) + 6)
    degrees = 2 * number / (max(kurtosis, 0.0) + 2 * number / (number - 1))
    return sqrt(degrees / float(chi2.ppf(1 - confidence, degrees)))


def _format_answer(plan: Plan) -> str:
    hardest = max(plan.pairs, key=lambda pair: (pair.cautious is None, pair.cautious or 0))
    goal = f"a true difference of {hardest.difference:g} in {hardest.measure}"
    if hardest.needed is None or hardest.cautious is None:
        return f"No collection is large enough to detect {goal} with {100 * plan.power:g} % power."
    pilot = count_noun(hardest.queries, plan.unit)
    if hardest.clusters is not None:
        pilot += f" in {count_noun(hardest.clusters, 'cluster')}"
    needed = _format_number(hardest.needed, hardest.needed_clusters, plan.unit)
    cautious = _format_number(hardest.cautious, hardest.cautious_clusters, plan.unit)
    return (
        f"Plan {cautious} to detect {goal} with {100 * plan.power:g} % power; {needed} are enough "
        f"if differences vary as in the pilot of {pilot}."
    )


def _format_number(units: int, clusters: int | None, unit: str) -> str:
    number = count_noun(units, unit)
    return number if clusters is None else f"{count_noun(clusters, 'cluster')} ({number})"
