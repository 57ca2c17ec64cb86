"""The values of a comparison: pairs of systems, how they were weighed, what follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from string import ascii_lowercase
from typing import Any

import polars as pl
from attrs import define, evolve, fields_dict, frozen

from gainful.errors import BadValue, GainfulError, UnknownName, check_name
from gainful.evidence.method import Method
from gainful.evidence.reasons.largest_changes import LargestChanges
from gainful.evidence.statistics.correction import FREEDMAN_LANE, MAX_T, RANDOMISATION, TUKEY
from gainful.evidence.statistics.effect_size import EffectSize
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.study_design import INVERTED, Interaction
from gainful.measure.entry import HIGHER, Direction
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.page.shown import Answering, refuse_truth
from gainful.page.table import to_plain_data
from gainful.text import count_noun, name_count, pluralise
from gainful.types import Array

# Tests whose p is a share of resamples that are as far on either side, as it always is by max-T.
_COUNT_BOTH_SIDES = (RANDOMISATION, TUKEY, FREEDMAN_LANE)
_UNDECIDED_ERRORS = 2  # Monte Carlo errors between p and alpha, below which chance may decide


AT_ODDS = "†"  # behind an interval that includes 0, though the difference is significant


@frozen
class Equivalence:
    """Are two systems practically the same: is their difference within the margin?

    `p` is that of two one-sided tests (TOST); `better`, `same` and `worse` are the posterior
    probabilities of a difference for the better beyond, within, and for the worse beyond the
    margin.
    """

    margin: float
    p: float
    p_corrected: float
    better: float
    same: float
    worse: float

    __bool__ = refuse_truth("comparison.is_equivalent(pair)")

    def reverse(self) -> Equivalence:
        """The question seen from the other side."""
        return evolve(self, better=self.worse, worse=self.better)

    def to_dict(self) -> dict[str, float]:
        """All of it as plain data, by names that tell it from the test of a difference."""
        return {
            "margin": self.margin,
            "equivalence_p": self.p,
            "equivalence_p_corrected": self.p_corrected,
            "p_better": self.better,
            "p_same": self.same,
            "p_worse": self.worse,
        }


@frozen(eq=False)
class Pair(Answering):
    """One system against another in one measure; the difference is `system` minus `other`.

    What is not known is None: an interval that so few queries cannot give, the effect where the
    two were not tried by the same searchers.
    """

    measure: str
    system: str
    other: str
    difference: float
    low: float | None
    high: float | None
    p: float
    p_corrected: float
    effect: EffectSize | None
    counts: Mapping[str, int] = {}  # what entered, of a study: searchers, sessions
    equivalence: Equivalence | None = None  # where that was asked for

    __bool__ = refuse_truth("comparison.is_significant(pair) or comparison.is_equivalent(pair)")

    def list_expressions(self) -> dict[str, str]:
        """What other libraries call its parts."""
        names = {"pvalue": ".p", "p_value": ".p", "ci": ".low and .high", "diff": ".difference"}
        return names | {"significant": "comparison.is_significant(pair)"}

    @property
    def identical(self) -> bool:
        """Have the two the same value everywhere?"""
        return self.effect is not None and self.effect.wins == self.effect.losses == 0

    @property
    def constant(self) -> bool:
        """Do they differ by the same everywhere?"""
        return self.effect is not None and self.effect.dz is None

    @property
    def includes_zero(self) -> bool:
        """Is 0 in the interval, if there is one?"""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high

    def reverse(self) -> Pair:
        """The comparison seen from the other side."""
        return evolve(
            self,
            system=self.other,
            other=self.system,
            difference=-self.difference,
            low=None if self.high is None else -self.high,
            high=None if self.low is None else -self.low,
            effect=None if self.effect is None else self.effect.reverse(),
            equivalence=None if self.equivalence is None else self.equivalence.reverse(),
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, the effect beside the rest."""
        apart = ("effect", "counts", "equivalence")
        plain = {name: value for name, value in to_plain_data(self).items() if name not in apart}
        no_effect = dict.fromkeys(fields_dict(EffectSize))
        plain |= no_effect if self.effect is None else to_plain_data(self.effect)
        equivalence = {} if self.equivalence is None else self.equivalence.to_dict()
        return plain | dict(self.counts) | equivalence


def format_interval(pair: Pair, *, is_significant: bool) -> str:
    """From where to where the difference may be; marked where it is at odds with p."""
    if pair.low is None or pair.high is None:
        return "–"
    mark = f" {AT_ODDS}" if is_significant and pair.includes_zero else ""
    return f"{format_difference(pair.low)} … {format_difference(pair.high)}{mark}"


def format_difference(value: float) -> str:
    """A difference for a reader; nothing is +0.0000."""
    return f"{round(value, 4) + 0.0:+.4f}"


def name_pairs(pairs: Sequence[Pair], of: str = "") -> str:
    """The first of some pairs in words, and how many others there are."""
    first = pairs[0]
    more = f" (and {count_noun(len(pairs) - 1, 'other pair')})" if len(pairs) > 1 else ""
    return f"{first.measure}: {of}{first.system} and {first.other}{more}"


@frozen
class Evidence(Answering):
    """How the evidence was weighed, in names: what a caption has to say."""

    method: Method  # with all that was chosen by what is compared
    test_words: str
    family: int  # comparisons that were corrected together
    interval: str
    exact: bool  # are all resamples looked at?
    # At which power is told: alpha, shared among the family where that is held down.
    power_level: float
    standardised: str | None = None  # how scores were standardised before

    @property
    def test(self) -> str:
        """A name of the table of tests."""
        return self.method.test

    @property
    def correction(self) -> str:
        """A name of the table of corrections."""
        return self.method.correction

    @property
    def resampling(self) -> Resampling:
        """How many resamples, from which seed, and the level."""
        return self.method.resampling

    @property
    def uses_resamples(self) -> bool:
        """Has chance a hand in it?"""
        return self.method.takes_resamples and not self.exact

    def p_error(self, p: float) -> float | None:
        """The Monte Carlo error of a p: its standard deviation over seeds; None without chance.

        Where p is twice the share of the smaller side, it depends on chance the more.
        """
        if not self.uses_resamples:
            return None
        counts_both = self.test in _COUNT_BOTH_SIDES or (self.corrects and self.correction == MAX_T)
        is_pair = self.interval.startswith(INVERTED)  # tukey of two systems is the test of a pair
        sides = 1 if counts_both and not is_pair else 2
        share = p / sides
        return float(sides * (share * (1 - share) / self.resampling.resamples) ** 0.5)

    def p_corrected_error(self, pair: Pair) -> float | None:
        """The Monte Carlo error of a corrected p: by max-T it is a share, else a multiple of p."""
        if self.correction == MAX_T and self.corrects:
            return self.p_error(pair.p_corrected)
        error = self.p_error(pair.p)
        return None if error is None else error * pair.p_corrected / pair.p

    @property
    def corrects(self) -> bool:
        """Does the correction change anything?"""
        return self.correction != "none" and self.family > 1


@frozen(eq=False)
class GroupPair:
    """One system against another in one measure, by the queries of one group."""

    group: str
    units: int  # of the group: queries, sessions
    mean: float
    other_mean: float
    pair: Pair

    def to_dict(self, unit: str) -> dict[str, Any]:
        """All of it as plain data."""
        means = {"mean": self.mean, "other_mean": self.other_mean}
        return {"group": self.group, name_count(unit): self.units} | means | self.pair.to_dict()


@frozen
class GroupInteraction:
    """Does the difference of two systems depend on the group? One-way F of paired differences.

    p is the share of permutations of groups over queries that give as large an F.
    """

    measure: str
    system: str
    other: str
    groups: int
    f: float | None
    p: float


@frozen(eq=False)
class GroupComparison:
    """What was compared within groups, all of it one family, and what depends on the group."""

    by: str  # what names the groups
    unit: str  # what is counted: query, session
    pairs: Sequence[GroupPair]
    interactions: Sequence[GroupInteraction]
    correction: str
    family: int  # comparisons that were corrected together
    alpha: float
    clustered: bool = False  # do units belong to clusters?
    notes: Sequence[str] = ()

    def is_significant(self, group_pair: GroupPair) -> bool:
        """Is the difference significant, after correction over all groups?"""
        return group_pair.pair.p_corrected <= self.alpha

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "by": self.by,
            "correction": self.correction,
            "family": self.family,
            "pairs": [
                pair.to_dict(self.unit) | {"significant": self.is_significant(pair)}
                for pair in self.pairs
            ],
            "interactions": [to_plain_data(item) for item in self.interactions],
            "notes": list(self.notes),
        }


@define(eq=False, repr=False, slots=False, kw_only=True)
class Compared:
    """What is compared, which a sample has before it is tested and its comparison after."""

    systems: tuple[str, ...]
    kind: str = "run"  # what one of them is called: run, or the column that names it
    unit: str  # what is counted: query, session
    paired_by: str  # what differences are of: query, searcher
    cluster: str | None = None  # what names clusters, where these are drawn whole: pattern, column
    means: Mapping[str, Array]  # by measure: a mean for each system
    units: Mapping[str, int]  # by measure: how many queries or sessions there are
    clusters: Mapping[str, int] = {}  # by measure: how many, where queries belong to some
    paired_units: Mapping[str, int] = {}  # by measure: of how many searchers sessions are
    interactions: Mapping[str, Interaction] = {}  # by measure: how differences vary by scenario


@frozen(eq=False, repr=False, kw_only=True)
class ComparisonValues(Compared):
    """The values of a `Comparison`, and what follows from them."""

    baseline: str
    measures: tuple[str, ...]
    pairs: tuple[Pair, ...]
    evidence: Evidence
    convention: Mapping[str, Any]
    bounded_measures: tuple[str, ...] = ()  # those that cannot pass 1
    directions: Mapping[str, Direction] = {}  # by measure: is more of it better, or less?
    footnotes: tuple[str, ...] = ()  # whose convention, and what was odd, in a line
    all_footnotes: tuple[str, ...] = ()  # the whole convention and all that was counted
    notes: tuple[str, ...] = ()
    largest_changes: tuple[LargestChanges, ...] = ()  # by run, where these were asked for
    groups: GroupComparison | None = None  # within groups, where these were asked for

    def pair(self, measure: str | Measure, system: str, other: str) -> Pair:
        """One comparison, from the side of `system`; the measure in any spelling."""
        name = measure if measure in self.measures else self._find_measure(measure)
        pair = self._pairs_by_names.get((name, system, other))
        if pair is not None:
            return pair
        for asked in (system, other):
            check_name(self.kind, asked, self.systems)
        if system == other:
            raise BadValue("other", other, f"another {self.kind} than system")
        return self._pairs_by_names[name, other, system].reverse()

    def _find_measure(self, measure: str | Measure) -> str:
        with suppress(GainfulError, StopIteration):
            asked = parse(measure)
            return next(name for name in self.measures if parse(name) == asked)
        raise UnknownName("measure", str(measure), self.measures, lists_all=True)

    @cached_property
    def _pairs_by_names(self) -> Mapping[tuple[str, str, str], Pair]:
        return {(pair.measure, pair.system, pair.other): pair for pair in self.pairs}

    def pairs_against(self, baseline: str | None = None) -> list[Pair]:
        """Every other system against the baseline, by measure."""
        baseline_name = baseline or self.baseline
        return [
            self.pair(measure, system, baseline_name)
            for measure in self.measures
            for system in self.systems
            if system != baseline_name
        ]

    def direction(self, measure: str) -> Direction:
        """Is a higher or a lower value of a measure better?"""
        return self.directions.get(measure, HIGHER)

    def is_for_the_better(self, pair: Pair) -> bool:
        """Is the first system of a pair the better one, as far as values say?"""
        return self.direction(pair.measure).sign * pair.difference > 0

    def is_significant(self, pair: Pair) -> bool:
        """Is the difference significant, after correction?"""
        return pair.p_corrected <= self.evidence.resampling.alpha

    def is_at_odds(self, pair: Pair) -> bool:
        """Is the difference significant, though its interval includes 0?"""
        return self.is_significant(pair) and pair.includes_zero

    def is_undecided(self, pair: Pair) -> bool:
        """Is p so near to alpha that another seed could turn the decision?"""
        error = self.evidence.p_corrected_error(pair)
        distance = abs(pair.p_corrected - self.evidence.resampling.alpha)
        return error is not None and distance < _UNDECIDED_ERRORS * error

    def is_equivalent(self, pair: Pair) -> bool | None:
        """Are the two practically the same, after correction? None where that was not asked."""
        if pair.equivalence is None:
            return None
        return pair.equivalence.p_corrected <= self.evidence.resampling.alpha

    def pair_to_dict(self, pair: Pair) -> dict[str, Any]:
        """A pair as plain data, with what follows from the level and the resamples."""
        data = pair.to_dict() | {
            "significant": self.is_significant(pair),
            "p_error": self.evidence.p_error(pair.p),
            "p_corrected_error": self.evidence.p_corrected_error(pair),
        }
        equivalent = self.is_equivalent(pair)
        return data if equivalent is None else data | {"equivalent": equivalent}

    def systems_beaten(self, measure: str) -> dict[str, list[str]]:
        """The systems that each system is significantly better than."""
        beaten: dict[str, list[str]] = {system: [] for system in self.systems}
        for pair in self.pairs:
            if pair.measure == measure and self.is_significant(pair):
                better, worse = pair.system, pair.other
                if not self.is_for_the_better(pair):
                    better, worse = worse, better
                beaten[better].append(worse)
        return {name: sorted(worse, key=self.systems.index) for name, worse in beaten.items()}

    def letters(self) -> dict[str, str]:
        """The letter of each system, in the order in which they were named."""
        return {system: make_letter(at) for at, system in enumerate(self.systems)}

    def alike_groups(self, measure: str) -> list[tuple[str, ...]]:
        """Maximal groups without a significant difference; pairs not compared count as alike."""
        place = {system: at for at, system in enumerate(self.systems)}
        different = [
            (place[pair.system], place[pair.other])
            for pair in self.pairs
            if pair.measure == measure and self.is_significant(pair)
        ]
        groups = find_alike_groups(len(self.systems), different)
        return [tuple(self.systems[at] for at in group) for group in groups]

    def count_units(self, measure: str) -> str:
        """How many queries or searchers were compared, and in how many clusters."""
        if measure in self.paired_units:
            return count_noun(self.paired_units[measure], self.paired_by)
        text = count_noun(self.units[measure], self.unit)
        clusters = self.clusters.get(measure)
        return text if clusters is None else f"{text} in {count_noun(clusters, 'cluster')}"

    @property
    def compares_all(self) -> bool:
        """Are all pairs compared, or only those with the baseline?"""
        number = len(self.systems)
        return len(self.pairs) == number * (number - 1) // 2 * len(self.measures)

    @property
    def frame(self) -> pl.DataFrame:
        """A row for each pair."""
        return pl.DataFrame([pair.to_dict() for pair in self.pairs], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        resampling = self.evidence.resampling
        return {
            "systems": list(self.systems),
            "baseline": self.baseline,
            "measures": [
                {
                    "measure": measure,
                    "better": self.direction(measure).better_is,
                    name_count(self.unit): self.units[measure],
                    **(self._study_data(measure) if measure in self.paired_units else {}),
                    "clusters": self.clusters.get(measure),
                    "means": dict(zip(self.systems, self.means[measure].tolist(), strict=True)),
                    "beaten": self.systems_beaten(measure),
                    "alike": [list(group) for group in self.alike_groups(measure)],
                }
                for measure in self.measures
            ],
            "pairs": [self.pair_to_dict(pair) for pair in self.pairs],
            "test": self.evidence.test,
            "correction": self.evidence.correction,
            "family": self.evidence.family,
            **self.evidence.method.to_dict(),
            "cluster": self.cluster,
            "standardised": self.evidence.standardised,
            "interval": self.evidence.interval,
            "confidence": 1 - resampling.alpha,
            "exact": self.evidence.exact,
            "alpha": resampling.alpha,
            "resamples": resampling.resamples if self.evidence.uses_resamples else None,
            "seed": resampling.seed,
            "power_level": self.evidence.power_level,
            "convention": dict(self.convention),
            "notes": list(self.notes),
            "footnotes": list(self.footnotes),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
        }

    def _study_data(self, measure: str) -> dict[str, Any]:
        interaction = self.interactions.get(measure)
        return {
            pluralise(self.paired_by): self.paired_units[measure],
            "interaction": None if interaction is None else to_plain_data(interaction),
        }

    @property
    def unit_in_words(self) -> str:
        """What sentences count: queries, or the searchers of a study."""
        return self.paired_by if self.paired_units else self.unit


def make_letter(index: int) -> str:
    """The letter of a run: a, b, … z, aa, ab, …."""
    letters = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        letters = ascii_lowercase[digit] + letters
    return letters


MAX_GROUPS = 200  # groups; nobody reads more, and there can be millions


def find_alike_groups(number: int, different: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest groups in which no two are significantly different; those alone are one too."""
    neighbours = [set(range(number)) - {at} for at in range(number)]
    for first, second in different:
        neighbours[first].discard(second)
        neighbours[second].discard(first)
    groups: list[tuple[int, ...]] = []
    _grow_group(set(), set(range(number)), set(), neighbours, groups)
    return sorted(groups)


def _grow_group(
    group: set[int],
    candidates: set[int],
    excluded: set[int],
    neighbours: Sequence[set[int]],
    groups: list[tuple[int, ...]],
) -> None:
    if len(groups) >= MAX_GROUPS:
        return
    if not candidates and not excluded:
        groups.append(tuple(sorted(group)))
        return
    pivot = max(candidates | excluded, key=lambda at: len(neighbours[at] & candidates))
    for at in sorted(candidates - neighbours[pivot]):
        _grow_group(
            group | {at}, candidates & neighbours[at], excluded & neighbours[at], neighbours, groups
        )
        candidates = candidates - {at}
        excluded = excluded | {at}
