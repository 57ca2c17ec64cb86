"""How many queries does a comparison need? The size of a topic set, from a pilot's spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

from attrs import frozen

from gainful.errors import BadInput, BadValue, WrongType
from gainful.evidence.pairing import choose_pairs, pair_results, refuse_extremes
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.power import POWER, count_queries, detectable_effect
from gainful.evidence.statistics.resampling import ALPHA
from gainful.measure.run_values import RunValues
from gainful.page.page import Page, Section
from gainful.page.plain_data import to_plain_data
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.text import count_noun
from gainful.types import is_number

DIFFERENCE = 0.05
CONFIDENCE = 0.8  # that the spread is not larger than the one that is allowed for
_FEWEST = 5  # queries of a pilot: fewer say nothing of how differences vary


@frozen
class PlannedPair:
    """What a pair of runs says of the spread of differences, and the queries that follow from it.

    `needed` and `safe` are None where more queries would be needed than any collection has.
    """

    measure: str
    run: str
    baseline: str
    queries: int  # of the pilot
    spread: float  # the standard deviation of the differences between queries
    largest_spread: float  # its upper confidence limit
    difference: float  # the true one that is to be found
    needed: int | None  # queries, if the spread is that of the pilot
    safe: int | None  # queries, if it is as large as its limit
    detectable: float  # the smallest true difference that the pilot itself finds so


@frozen(repr=False)
class Plan(Shown):
    """How many queries find a true difference, for each pair of runs of the pilot."""

    pairs: tuple[PlannedPair, ...]
    alpha: float
    power: float
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return to_plain_data(self)

    def page(self, *, verbose: bool = False) -> Page:
        """The numbers of queries, the largest need first said in a sentence."""
        return plan_page(self, verbose=verbose)


def plan_queries(
    results: Sequence[RunValues],
    difference: float | Mapping[str, float] = DIFFERENCE,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
    confidence: float = CONFIDENCE,
) -> Plan:
    """The queries that each pair of runs needs, from the spread of its differences."""
    pairs = tuple(
        _plan_pair(results, measure, pair, wanted, alpha=alpha, power=power, confidence=confidence)
        for measure, wanted in _read_differences(difference, list(results[0].values)).items()
        for pair in choose_pairs("all", len(results), 0)
    )
    return Plan(pairs, alpha, power, confidence)


def check_options(difference: object, power: object, confidence: object) -> None:
    """Refuse what no plan can be made for, before anything is read."""
    differences = difference.values() if isinstance(difference, Mapping) else [difference]
    for value in differences:
        if not is_number(value):
            raise WrongType("difference", value, "a number above 0, or {measure: number}")
        if not 0 < value < float("inf"):
            raise BadValue("difference", value, "a number above 0")
    for name, level in (("power", power), ("confidence", confidence)):
        if not is_number(level):
            raise WrongType(name, level, "a number between 0 and 1")
        if not 0 < level < 1:
            raise BadValue(name, level, "a number between 0 and 1")


def _read_differences(
    difference: float | Mapping[str, float], measures: Sequence[str]
) -> dict[str, float]:
    if not isinstance(difference, Mapping):
        return dict.fromkeys(measures, float(difference))
    return {measure: float(difference.get(measure, DIFFERENCE)) for measure in measures}


def _plan_pair(
    results: Sequence[RunValues],
    measure: str,
    pair: tuple[int, int],
    difference: float,
    *,
    alpha: float,
    power: float,
    confidence: float,
) -> PlannedPair:
    paired = pair_results(results, measure)
    refuse_extremes(paired.values, measure)
    differences, count = paired.differences(pair), len(paired.queries)
    run, baseline = (results[column].name for column in pair)
    if count < _FEWEST:
        problem = f"a pilot of {count_noun(count, 'query')} says too little of how they vary"
        raise BadInput(measure, problem, f"at least {_FEWEST} queries that all runs have")
    if constant_columns(differences[:, None])[0]:
        problem = f"{run} and {baseline} differ by the same in every query of the pilot"
        raise BadInput(measure, problem, "runs whose differences vary")
    spread = float(differences.std(ddof=1))
    largest = spread * _spread_ratio(count, confidence)
    return PlannedPair(
        measure=measure,
        run=run,
        baseline=baseline,
        queries=count,
        spread=spread,
        largest_spread=largest,
        difference=difference,
        needed=count_queries(difference / spread, alpha, power),
        safe=count_queries(difference / largest, alpha, power),
        detectable=detectable_effect(count, alpha, power) * spread,
    )


def _spread_ratio(queries: int, confidence: float) -> float:
    """How much larger the true spread may be than that of so many queries (chi-square limit)."""
    from scipy.stats import chi2  # noqa: PLC0415  (slow to load)

    degrees = queries - 1
    return sqrt(degrees / float(chi2.ppf(1 - confidence, degrees)))


def plan_page(plan: Plan, *, verbose: bool = False) -> Page:
    """A row for each measure and pair of runs."""
    note = (
        f"two-sided t test at {plan.alpha:g}, {100 * plan.power:g} % power · safe: as many as are "
        f"needed if the spread is at its upper {100 * plan.confidence:g} % limit"
    )
    details = (
        "spread: the standard deviation of the differences by query · detectable: the smallest "
        "true difference that as many queries as the pilot has find with this power"
    )
    return Page(
        answer=_format_answer(plan),
        sections=[Section(table=_build_table(plan))],
        notes=[note, *([details] if verbose else [])],
        rows=lambda: _list_rows(plan),
        data=plan.to_dict,
    )


def _format_answer(plan: Plan) -> str:
    """The pair that needs most, in a sentence."""
    hardest = max(plan.pairs, key=lambda pair: (pair.safe is None, pair.safe or 0))
    goal = f"a true difference of {hardest.difference:g} in {hardest.measure}"
    if hardest.needed is None or hardest.safe is None:
        return f"No collection has enough queries to find {goal} with {100 * plan.power:g} % power."
    return (
        f"Plan {hardest.safe} queries to find {goal} with {100 * plan.power:g} % power; "
        f"{hardest.needed} are enough if differences vary as in the pilot of "
        f"{count_noun(hardest.queries, 'query')}."
    )


def _build_table(plan: Plan) -> Table:
    heads = ("measure", "run", "against", "spread", "difference", "needed", "safe", "detectable")
    rows = [
        (
            *(pair.measure, pair.run, pair.baseline),
            *(f"{pair.spread:.4f}", f"{pair.difference:g}"),
            *(str(number or "–") for number in (pair.needed, pair.safe)),
            f"{pair.detectable:.4f}",
        )
        for pair in plan.pairs
    ]
    expendable = ("detectable", "spread")
    return Table(heads, rows, numeric=True, label_columns=3, expendable=expendable)


def _list_rows(plan: Plan) -> Table:
    records = [to_plain_data(pair) for pair in plan.pairs]
    rows = [tuple(record.values()) for record in records]
    return Table(tuple(records[0]), rows, numeric=True, label_columns=3)
