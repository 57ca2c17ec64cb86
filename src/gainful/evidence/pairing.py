"""Values of several runs paired by query id, never by position, and tested pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from attrs import frozen

from gainful.errors import BadValue, CannotCompare, UnknownName
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.exact_sums import drop_rounding_noise
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS, randomisation_test, tukey_test
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.measure.run_values import RunValues
from gainful.text import count_noun
from gainful.types import Array, Ranks

PairChoice = Literal["all", "baseline"]
IndexPair = tuple[int, int]
_SMALLEST, _LARGEST = 1e-100, 1e100
# Tests that call too much significant with few units that differ, or few clusters, and what was
# measured of them (docs/error-rates.md).
_FEW_DIFFERING, _FEW_CLUSTERS = 50, 20
_LIBERAL = {
    "t": "7 to 10 % with 8 clusters of unequal size, 6 to 8 % with 15",
    "bootstrap": "9 % where 10 queries differ, 7 % where 20 do",
    "bca": "13 % where 10 queries differ, 9 % where 20 do",
}
NOT_A_MEAN = {"sum": "a sum over queries", "geometric": "a geometric mean of queries"}


@frozen(eq=False)
class PairedValues:
    """The values of one measure: a row for each query that all runs have, a column for each run.

    `left_out` counts the queries of each run that another one lacks; `clusters` name for each
    query what it belongs to, where queries are not independent.
    """

    measure: str
    queries: Sequence[str]
    values: Array
    left_out: Sequence[int]
    clusters: Sequence[str] | None = None
    noun: str = "query"  # what a row is: a query, or a conversation that several systems had

    @property
    def units(self) -> Sequence[str]:
        """What is flipped and drawn whole, for each query: its cluster, or the query itself."""
        return self.queries if self.clusters is None else self.clusters

    @property
    def unit(self) -> str:
        """What is flipped and drawn whole, in a word."""
        return self.noun if self.clusters is None else "cluster"

    def sum_units(self, values: Array) -> UnitSums:
        """Values by query, added up over what is flipped and drawn whole."""
        if self.clusters is None:
            return UnitSums.from_values(values)
        return UnitSums.from_values(values, number_units([self])[0])

    def differences(self, pair: tuple[int, int]) -> Array:
        """By query: how much better one run is than another, both by their columns."""
        differences: Array = self.values[:, pair[0]] - self.values[:, pair[1]]
        return differences

    def count_differing(self, pairs: Ranks) -> Ranks:
        """The units in which the two runs of each pair differ."""
        differences = self.values[:, pairs[:, 0]] - self.values[:, pairs[:, 1]]
        return np.asarray(np.count_nonzero(self.sum_units(differences).sums, axis=0))


def pair_values(runs: Sequence[Mapping[str, float]], measure: str) -> PairedValues:
    """Values by query, of several runs, side by side.

    Examples:
        >>> paired = pair_values([{"1": 0.5, "2": 0.3}, {"2": 0.4, "3": 0.1}], "AP")
        >>> paired.queries, paired.values.tolist(), paired.left_out
        (['2'], [[0.3, 0.4]], [1, 1])
    """
    common = set(runs[0]).intersection(*runs[1:])
    queries = [query for query in runs[0] if query in common]
    values = np.array([[run[query] for run in runs] for query in queries], dtype=np.float64)
    left_out = [len(run) - len(queries) for run in runs]
    return PairedValues(
        measure, queries, drop_rounding_noise(values.reshape(len(queries), len(runs))), left_out
    )


def number_units(paired: Sequence[PairedValues]) -> list[Ranks]:
    """The unit of each query as a number, which is the same in all measures.

    Examples:
        >>> ap = PairedValues("AP", ["1_1", "1_2", "2_1"], np.zeros((3, 1)), [0], ["1", "1", "2"])
        >>> rr = PairedValues("RR", ["2_1", "1_2"], np.zeros((2, 1)), [1], ["2", "1"])
        >>> [numbers.tolist() for numbers in number_units([ap, rr])]
        [[0, 0, 1], [1, 0]]
    """
    numbers: dict[str, int] = {}
    return [
        np.array([numbers.setdefault(unit, len(numbers)) for unit in item.units], dtype=np.intp)
        for item in paired
    ]


def values_by_query(results: RunValues, measure: str) -> dict[str, float]:
    """The values that count, by query; what the convention leaves out has none."""
    values = np.ma.asarray(results.values[measure])
    counts = ~np.ma.getmaskarray(values)
    queries = np.array(results.queries, dtype=object)[counts]
    return dict(zip(queries.tolist(), values.data[counts].tolist(), strict=True))


def pair_results(results: Sequence[RunValues], measure: str) -> PairedValues:
    """Values of evaluated runs side by side, of a measure that is a mean over queries."""
    mean_kind = results[0].recipes[measure].entry.aggregation
    if mean_kind != "mean":
        allowed = "measures whose mean over queries is compared"
        raise BadValue("measure", measure, f"{allowed}; this one is {NOT_A_MEAN[mean_kind]}")
    return pair_values([values_by_query(result, measure) for result in results], measure)


def describe_left_out(paired: PairedValues, names: Sequence[str]) -> list[str]:
    """What is said of queries that only some of the runs have."""
    kind = "runs" if paired.noun == "query" else "systems"
    return [
        f"{paired.measure}: {count_noun(number, paired.noun)} of {name} left out, as not all "
        f"{kind} have {'it' if number == 1 else 'them'}"
        for name, number in zip(names, paired.left_out, strict=True)
        if number
    ]


def describe_few_units(test: str, paired: Sequence[PairedValues], pairs: Ranks) -> list[str]:
    """What a test gets wrong with so few clusters, or so few units that differ."""
    if test not in _LIBERAL or not paired or (test == "t" and paired[0].clusters is None):
        return []
    counts = np.concatenate([item.count_differing(pairs) for item in paired])
    differing = int(counts[counts > 0].min(initial=_FEW_DIFFERING))
    clusters = len({*paired[0].units})
    if (clusters >= _FEW_CLUSTERS) if test == "t" else (differing >= _FEW_DIFFERING):
        return []
    few = f"{count_noun(differing, paired[0].unit)} differ{'s' if differing == 1 else ''}"
    few = f"{clusters} clusters are compared" if test == "t" else few
    liberal = f"the {TESTS[test].words} calls too much significant (measured: {_LIBERAL[test]}"
    return [f"only {few}, and then {liberal}, instead of 5 %); --test randomisation does not"]


def refuse_extremes(values: Array, measure: str) -> None:
    """Squares of values must not pass what numbers can hold."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest and not _SMALLEST < largest < _LARGEST:
        raise CannotCompare(
            f"{measure}: values of {largest:g} are too large or too small to be compared"
        )


def choose_baseline(baseline: str | None, names: Sequence[str], kind: str) -> str:
    """What the others are set against: the first, or one of them by name."""
    if baseline is None:
        return names[0]
    if baseline not in names:
        raise UnknownName(kind, str(baseline), names, f"the baseline is one of the {kind}s")
    return baseline


def choose_pairs(choice: PairChoice, number: int, base: int) -> list[tuple[int, int]]:
    """Each against the baseline and, if all are compared, the others among themselves."""
    if choice not in ("all", "baseline"):
        raise UnknownName("choice of pairs", str(choice), ("all", "baseline"))
    rest = [(b, a) for a, b in combinations(range(number), 2) if base not in (a, b)]
    with_base = [(at, base) for at in range(number) if at != base]
    return with_base + rest if choice == "all" else with_base


def apply_test(
    paired: PairedValues, pairs: Ranks, test: str, resampling: Resampling, names: Sequence[str]
) -> Outcome:
    """The p of each pair of runs (a row of two columns), and the interval of its difference."""
    units = paired.sum_units(paired.values[:, pairs[:, 0]] - paired.values[:, pairs[:, 1]])
    if test == TUKEY:
        if len(names) == 2:  # to deal two values is to flip the sign of their difference
            return randomisation_test(units, resampling)
        return tukey_test(paired.sum_units(paired.values), pairs, resampling)
    if TESTS[test].needs_variance:
        _refuse_constant(paired, units.unit_means, pairs, test, names)
    return run_test(test, units, resampling, clustered=paired.clusters is not None)


def run_test(
    test: str, units: UnitSums, resampling: Resampling, *, clustered: bool = False
) -> Outcome:
    """One of the table of tests; one that cannot flip or draw whole clusters is refused them."""
    if not clustered:
        return TESTS[test].function(units.sums, resampling)
    if not TESTS[test].takes_clusters:
        others = [name for name, entry in TESTS.items() if entry.takes_clusters]
        raise BadValue("test", test, f"one that takes clusters: {', '.join((*others, TUKEY))}")
    return TESTS[test].function(units, resampling)


def _refuse_constant(
    paired: PairedValues, differences: Array, pairs: Ranks, test: str, names: Sequence[str]
) -> None:
    """Differences that are all alike, but not zero, have no variance to hold them against."""
    for at in np.flatnonzero(constant_columns(differences) & differences.any(axis=0)):
        first, second = (names[column] for column in pairs[at])
        raise CannotCompare(
            f"{paired.measure}: {first} and {second} differ by {differences[0, at]:g} "
            f"in every {paired.unit}; the {TESTS[test].words} needs differences that vary "
            "(randomisation, wilcoxon and sign do not)"
        )
