"""Values of several runs paired by query id, never by position, and tested pair by pair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadValue, CannotCompare, WrongType, check_name
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.outcome import Outcome, Resampling, UnitSums, drop_rounding_noise
from gainful.evidence.statistics.paired_tests import TESTS, randomisation_test, tukey_test
from gainful.measure.groups import list_names
from gainful.measure.values import Results
from gainful.read.column_names import TURN_QUERY
from gainful.text import count_noun, join_words, name_way, quote
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
NOT_A_MEAN = {
    "sum": "a sum over queries",
    "geometric": "a geometric mean of queries",
    "whole": "one number of a whole run",
}


@frozen(eq=False)
class PairedValues:
    """The values of one measure: a row for each query that all runs have, a column for each run.

    `left_out` are the queries of each run that another one lacks; `clusters` name for each
    query what it belongs to, where queries are not independent.
    """

    measure: str
    queries: Sequence[str]
    values: Array
    left_out: Sequence[Sequence[str]]
    clusters: Sequence[str] | None = None
    noun: str = "query"  # what a row is: query, user, or conversation that several systems had

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
        return np.asarray(self.values[:, pair[0]] - self.values[:, pair[1]])

    def count_differing(self, pairs: Ranks) -> Ranks:
        """The units in which the two runs of each pair differ."""
        differences = self.values[:, pairs[:, 0]] - self.values[:, pairs[:, 1]]
        return np.asarray(np.count_nonzero(self.sum_units(differences).sums, axis=0))


def pair_values(runs: Sequence[Mapping[str, float]], measure: str) -> PairedValues:
    """Values by query, of several runs, side by side.

    Examples:
        >>> paired = pair_values([{"1": 0.5, "2": 0.3}, {"2": 0.4, "3": 0.1}], "AP")
        >>> paired.queries, paired.values.tolist(), paired.left_out
        (['2'], [[0.3, 0.4]], [['1'], ['3']])
    """
    common = set(runs[0]).intersection(*runs[1:])
    queries = [query for query in runs[0] if query in common]
    values = np.array([[run[query] for run in runs] for query in queries], dtype=np.float64)
    left_out = [[query for query in run if query not in common] for run in runs]
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


def values_by_query(results: Results, measure: str) -> dict[str, float]:
    """The values that count, by query; what the convention leaves out has none."""
    values = np.ma.asarray(results.values[measure])
    counts = ~np.ma.getmaskarray(values)
    queries = np.array(results.ids, dtype=object)[counts]
    return dict(zip(queries.tolist(), values.data[counts].tolist(), strict=True))


def pair_results(results: Sequence[Results], measure: str) -> PairedValues:
    """Values of evaluated runs side by side."""
    pairs = pair_values([values_by_query(result, measure) for result in results], measure)
    return evolve(pairs, noun=results[0].unit)


def pair_means(results: Sequence[Results], measure: str) -> PairedValues:
    """Values of evaluated runs side by side, of a measure that is a mean over queries."""
    mean_kind = results[0].recipes[measure].entry.aggregation
    if mean_kind != "mean":
        allowed = "measures whose mean over queries is compared"
        raise BadValue("measure", measure, f"{allowed}; this one is {NOT_A_MEAN[mean_kind]}")
    return pair_results(results, measure)


def refuse_unlike(results: Sequence[Results], names: Sequence[str]) -> None:
    """Only what was measured alike can be compared."""
    if len(results) < 2:
        known = [join_words(list(result.recipes)) for result in results]
        alone = [f"; {names[0]} is one run, with values of {name}" for name in known]
        raise BadValue("runs", len(results), "".join(["at least two", *alone]))
    if len(set(names)) < len(names):
        raise BadValue("runs", list(names), "names that differ")
    for name, result in zip(names, results, strict=True):
        measures, first = (
            {key: str(m) for key, m in item.measures.items()} for item in (result, results[0])
        )
        if measures != first:
            raise CannotCompare(f"{name} and {names[0]} were evaluated with different measures")
        differences = result.convention.differences(results[0].convention)
        if differences:
            raise CannotCompare(
                f"{name} and {names[0]} follow different conventions: {', '.join(differences)}"
            )


def describe_left_out(paired: PairedValues, names: Sequence[str]) -> list[str]:
    """What is said of queries that only some of the runs have."""
    kind = "systems" if paired.noun == "conversation" else "runs"
    return [
        f"{paired.measure}: {count_noun(len(queries), paired.noun)} of {name} left out, as not all "
        f"{kind} have {'it' if len(queries) == 1 else 'them'}: {list_names(queries)}"
        for name, queries in zip(names, paired.left_out, strict=True)
        if queries
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
    liberal = f"the {TESTS[test].words} is too liberal (measured: {_LIBERAL[test]}"
    way = name_way("--test randomisation", 'test="randomisation"')
    return [f"only {few}, so {liberal}, instead of 5 %); {way} is not"]


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
    return check_name(kind, baseline, names, f"the baseline is one of the {kind}s")


def choose_pairs(choice: PairChoice, number: int, base: int) -> list[tuple[int, int]]:
    """Each against the baseline and, if all are compared, the others among themselves."""
    check_name("choice of pairs", choice, ("all", "baseline"))
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
            f"for every {paired.unit}; the {TESTS[test].words} needs differences that vary "
            "(randomisation, wilcoxon and sign do not)"
        )


EXAMPLE = r"^(.+)_\d+$"
CLUSTER_CHOICES = f"a pattern with a group, such as '{EXAMPLE}', or a column of the qrels or a run"


@frozen(eq=False)
class Clusters:
    """The cluster of each query, by a pattern of its id or by name."""

    source: str  # the pattern, or the column
    find: Callable[[str], str | None]  # the cluster of a query; None if it has none

    def assign(self, paired: PairedValues) -> PairedValues:
        """Values whose queries know their clusters: at least two, and one for each query."""
        labels = self.name_each(paired.queries)
        if len({*labels}) < 2 <= len(labels):
            number = f"in {paired.measure} all {len(labels)} queries are in one"
            allowed = f"at least 2 clusters ({number}, {quote(labels[0])})"
            raise BadValue("cluster", self.source, allowed)
        return evolve(paired, clusters=labels)

    def name_each(self, queries: Sequence[str]) -> list[str]:
        """The cluster of each query; one that has none is refused."""
        labels = [(query, self.find(query)) for query in queries]
        without = list(dict.fromkeys(query for query, label in labels if label is None))
        if without:
            number = f"{len(without)} of {len({*queries})} queries"
            allowed = f"a cluster for every query ({number} have none,"
            raise BadValue("cluster", self.source, f"{allowed} such as {quote(without[0])})")
        return [label for _, label in labels if label is not None]


ClusterChoice = str | Mapping[str, str] | Clusters


def read_clusters(cluster: ClusterChoice) -> Clusters:
    r"""Clusters by a pattern with a group, or from a dict of the cluster of each query.

    Examples:
        >>> read_clusters(r"^(.+)_\d+$").find("106_3")
        '106'
        >>> read_clusters({"106_3": "106"}).find("31_1") is None
        True
        >>> read_clusters("^(.+_")
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: cluster is '^(.+_'; allowed: a pattern with a group, such as ...
    """
    if isinstance(cluster, Clusters):  # of a column, which is read already
        return cluster
    if isinstance(cluster, Mapping):
        by_query = {str(query): str(label) for query, label in cluster.items()}
        return Clusters("a dict", by_query.get)
    if not isinstance(cluster, str):
        raise WrongType("cluster", cluster, CLUSTER_CHOICES)
    try:
        pattern = re.compile(cluster)
    except re.error as problem:
        raise BadValue("cluster", cluster, f"{CLUSTER_CHOICES} ({problem})") from None
    if not pattern.groups:
        raise BadValue("cluster", cluster, CLUSTER_CHOICES)
    return Clusters(cluster, lambda query: (match := pattern.search(query)) and match.group(1))


def describe_turns(
    queries: Sequence[str], *, verb: str = "compares", takes_clusters: bool = True
) -> list[str]:
    """What is said of queries whose ids look like turns, where these are taken one by one.

    `verb` is what is done by clusters instead, where these are named; `takes_clusters` is whether
    they can be, or only in a comparison.
    """
    matches = [re.match(TURN_QUERY, query) for query in queries]
    conversations = Counter(match.group(1) for match in matches if match is not None)
    repeated = [name for name, number in conversations.items() if number > 1]
    is_named_so = sum(conversations.values()) == len(queries) and len(conversations) > 1
    if not is_named_so or 2 * len(repeated) < len(conversations):
        return []
    turns = [query for query in queries if query.rpartition("_")[0] == repeated[0]][:2]
    clusters = count_noun(len(conversations), "cluster")
    way = name_way(f"--cluster '{EXAMPLE}'", f"cluster=r'{EXAMPLE}'")
    advice = f"{way} {verb} by {clusters}"
    if not takes_clusters:
        advice = f"p and limits are too optimistic; in compare {advice}"
    look = f"query ids look like turns ({', '.join(turns)})"
    return [f"{look}, and turns of a conversation are not independent: {advice}"]


_MIN_RUNS = 3  # of two runs nothing is left but who won


def normal_scores(values: Array) -> Array:
    """The normal distribution function of z-scores, row by row; 0.5 where all are alike."""
    from scipy.special import ndtr  # noqa: PLC0415  (slow to load)

    deviations = values - values.mean(axis=1, keepdims=True)
    spread = values.std(axis=1, ddof=1, keepdims=True)
    alike = (values == values[:, :1]).all(axis=1, keepdims=True) | (spread == 0)
    return np.asarray(ndtr(np.where(alike, 0.0, deviations / np.where(alike, 1.0, spread))))


def standardise_values(paired: PairedValues) -> PairedValues:
    """The values of one measure, query by query set beside those of the other runs."""
    runs = paired.values.shape[1]
    if runs < _MIN_RUNS:
        allowed = f"at least {_MIN_RUNS} to standardise over: two leave only a winner"
        raise BadValue("runs", runs, allowed)
    return evolve(paired, values=normal_scores(paired.values))
