"""Is one system really better than another? From values and a method to a `Comparison`.

What is compared is a `Sample`: runs query by query, systems by the conversations that all of them
had, or (`study.py`) by the sessions of a study. All else is the same for each of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl
from attrs import define, evolve, fields_dict

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_answer import (
    describe_small_groups,
    label_system,
    write_notes,
)
from gainful.evidence.comparisons.comparison_values import (
    Compared,
    Equivalence,
    Evidence,
    GroupComparison,
    GroupInteraction,
    GroupPair,
    Pair,
    name_pairs,
)
from gainful.evidence.method import Method, correct_outcome, test_pairs
from gainful.evidence.pairing import (
    Clusters,
    IndexPair,
    PairedValues,
    choose_baseline,
    choose_pairs,
    number_units,
    pair_means,
    pair_values,
    refuse_extremes,
    refuse_unlike,
    standardise_values,
)
from gainful.evidence.statistics.correction import CORRECTIONS, MAX_T, TUKEY, holm
from gainful.evidence.statistics.effect_size import (
    POWER,
    SKEWED,
    EffectSize,
    detectable_difference,
    effect_size,
    find_spread,
    skewness_of_changes,
)
from gainful.evidence.statistics.outcome import (
    MIN_RESAMPLES,
    Outcome,
    Resampling,
    UnitSums,
    join_outcomes,
    p_value,
)
from gainful.evidence.statistics.paired_tests import TESTS, TUKEY_WORDS, posterior_t, tost_p
from gainful.measure.groups import list_names
from gainful.measure.results import list_engines, list_footnotes
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import Results
from gainful.read.sessions import CONVERSATION, SYSTEM
from gainful.rounding import ROUNDING
from gainful.text import collect_by_key, count_noun
from gainful.types import Array, Ranks, finite_or_none

AnyValues = TypeVar("AnyValues", bound=Results)


@define(eq=False, slots=False, kw_only=True)
class Sample(Compared, ABC):
    """What systems are compared by, and how it is tested."""

    results: Sequence[Results]  # of runs, or of all systems together

    @abstractmethod
    def complete_method(self, method: Method, pairs: Sequence[IndexPair]) -> Method:
        """The method with all that is to be chosen by what is compared: test, resamples."""

    @abstractmethod
    def test_pairs(self, method: Method, pairs: Sequence[IndexPair]) -> tuple[Outcome, str]:
        """What the test says of measures × pairs, and the test in words."""

    @abstractmethod
    def differences(self, measure: str, pair: IndexPair) -> UnitSums | None:
        """Of what is independent, one system less the other; None of fewer than two."""

    @abstractmethod
    def effect(self, measure: str, pair: IndexPair) -> tuple[EffectSize, int, float] | None:
        """How large the difference is; of how many independent ones, and how far they vary."""

    def read_pair(
        self,
        measure: str,
        pair: IndexPair,
        outcome: Outcome,
        at: tuple[int, int],
        *,
        level: float = 0.0,
        power: float = POWER,
    ) -> Pair:
        """What stands at one place of an outcome, which is of this pair in this measure.

        At a level above 0 it knows the smallest difference that is found with this power.
        """
        effect, number, spread = self.effect(measure, pair) or (None, 0, 0.0)
        if effect is not None and level:
            detectable = detectable_difference(number, spread, level, power)
            effect = evolve(effect, detectable=detectable)
        if effect is not None and self.results[0].directions[measure].is_lower:
            effect = evolve(effect, wins=effect.losses, losses=effect.wins)  # wins of the better
        first, second = (self.systems[index] for index in pair)
        return Pair(
            *(measure, first, second, float(outcome.estimate[at])),
            *(finite_or_none(outcome.low[at]), finite_or_none(outcome.high[at])),
            *(float(outcome.p[at]), float(outcome.p_corrected[at])),
            effect,
            self.counts(pair),
        )

    def counts(self, _: IndexPair) -> Mapping[str, int]:
        """What entered a pair, where that is not everything."""
        return {}

    @abstractmethod
    def list_notes(self, comparison: Comparison) -> Sequence[str]:
        """What one should know before believing a difference."""


BuildSample = Callable[[Sequence[Results]], Sample]  # of all results, or those of a group


def compare_sample(sample: Sample, method: Method) -> Comparison:
    """The comparison of all pairs that a method asks for, in every measure."""
    results, names, measures = sample.results[0], sample.systems, list(sample.means)
    baseline = choose_baseline(method.baseline, names, sample.kind)
    places = choose_pairs(method.pairs, len(names), names.index(baseline))
    method = sample.complete_method(method, places)
    outcome, words = sample.test_pairs(method, places)
    level = method.power_level(len(measures), len(places))
    family = method.count_comparisons(len(measures), len(places))
    correction = CORRECTIONS[method.correction]
    widened = f", {correction.interval_words}" if correction.interval_words and family > 1 else ""
    comparison = Comparison(
        **{name: getattr(sample, name) for name in fields_dict(Compared)},
        baseline=baseline,
        measures=tuple(measures),
        pairs=tuple(
            sample.read_pair(measure, place, outcome, (row, at), level=level, power=method.power)
            for row, measure in enumerate(measures)
            for at, place in enumerate(places)
        ),
        evidence=Evidence(
            method=method,
            test_words=words,
            family=family,
            interval=outcome.interval_method + widened,
            exact=outcome.exact,
            power_level=level,
            standardised=f"{method.standardise} scores (Webber et al. 2008) over {len(names)} runs"
            if method.standardise
            else None,
        ),
        convention=results.convention_data(),
        bounded_measures=tuple(m for m, recipe in results.recipes.items() if recipe.entry.bounded),
        directions={measure: results.directions[measure] for measure in measures},
        footnotes=tuple(list_footnotes(sample.results)),
        all_footnotes=(
            *list_footnotes(sample.results, verbose=True),
            *list_engines(sample.results),
        ),
    )
    comparison = _add_equivalence(comparison, sample)
    return evolve(comparison, notes=(*sample.list_notes(comparison), *comparison.notes))


def _add_equivalence(comparison: Comparison, sample: Sample) -> Comparison:
    """A comparison whose pairs know whether they are practically the same, where that was asked."""
    evidence, added, skewed = comparison.evidence, {}, []
    for measure, margin in evidence.method.margins(sample.results[0]).items():
        known = {}
        for at, pair in enumerate(comparison.pairs):
            places = sample.systems.index(pair.system), sample.systems.index(pair.other)
            if pair.measure == measure and (units := sample.differences(measure, places)):
                known[at] = units
        if not known:
            continue
        p = np.concatenate([tost_p(*_describe_units(units), margin) for units in known.values()])
        corrected = p if evidence.correction == "none" else holm(p)
        for (at, units), *both in zip(known.items(), p.tolist(), corrected.tolist(), strict=True):
            shares = [*posterior_t(*_describe_units(units), margin)]
            if comparison.direction(measure).is_lower:
                shares.reverse()
            added[at] = Equivalence(margin, *both, *(float(share[0]) for share in shares))
            is_same = added[at].p_corrected <= evidence.resampling.alpha
            if is_same and abs(skewness_of_changes(units.unit_means[:, 0])) > SKEWED:
                skewed.append(comparison.pairs[at])
    pairs = (evolve(pair, equivalence=added.get(at)) for at, pair in enumerate(comparison.pairs))
    notes: tuple[str, ...] = ()
    if skewed:
        rates = "systems equivalent that differ by the margin (measured: in 9 to 12 %"
        which = name_pairs(skewed, "differences of ")
        notes = (f"{which} are skewed: TOST then too often calls {rates} instead of 5 %)",)
    return evolve(comparison, pairs=tuple(pairs), notes=notes)


def _describe_units(units: UnitSums) -> tuple[Array, Array, int]:
    return units.means(), units.standard_errors(), units.number - 1


def compare_where_possible(
    results: Sequence[AnyValues], compare: Callable[[Sequence[AnyValues]], Comparison]
) -> tuple[Comparison | None, list[str]]:
    """The comparison in all measures that allow one, and why not in the others.

    Examples:
        >>> import gainful
        >>> runs = {"a": {"1": ["x"], "2": ["x"]}, "b": {"1": ["y"], "2": ["y"]}}
        >>> results = list(gainful.evaluate({"1": {"z": 1}, "2": {"z": 1}}, runs, "RR").values())
        >>> compare_where_possible(results, lambda some: gainful.compare(some, test="t"))[1]
        ['RR is 0 for every query of every run: there is nothing to compare']
    """

    def attempt(measures: Sequence[str]) -> tuple[Comparison | None, str]:
        try:
            return compare([result.select_measures(measures) for result in results]), ""
        except (BadValue, CannotCompare) as error:
            if isinstance(error, BadValue) and error.argument != "measure":
                raise
            return None, str(error)

    measures = list(results[0].values)
    comparison, problem = attempt(measures)
    if comparison is not None:
        return comparison, []
    problems = {measure: attempt([measure])[1] for measure in measures}
    comparable = [measure for measure in measures if not problems[measure]]
    if comparable:
        comparison, problem = attempt(comparable)
    reasons = [*problems.values(), "" if comparison is not None else problem]
    return comparison, [*dict.fromkeys(filter(None, reasons))]


@define(eq=False, slots=False, kw_only=True)
class PairedSample(Sample):
    """Values of systems side by side: of each measure a row for each query or conversation."""

    tables: Mapping[str, PairedValues]
    notes: Sequence[str] = ()

    @classmethod
    def from_runs(
        cls, results: Sequence[Results], method: Method, clusters: Clusters | None
    ) -> PairedSample:
        """Runs that were evaluated alike, paired by query."""
        names = tuple(result.name for result in results)
        refuse_unlike(results, names)
        tables = {measure: pair_means(results, measure) for measure in results[0].values}
        return cls._prepare(tables, method, clusters, results=results, systems=names)

    @classmethod
    def from_conversations(cls, several: Sequence[Results], method: Method) -> PairedSample:
        """Systems paired by the conversations that all of them had.

        What the turns of a conversation say is not independent: each system has one value in each,
        the mean where it had it several times.
        """
        results = cast("SessionResults", several[0])
        names = results.columns[SYSTEM].unique(maintain_order=True).to_list()
        if len(names) < 2:
            raise CannotCompare(f"there is only one system, {names[0]}: nothing to compare it with")
        tables = {
            measure: _pair_conversations(results, measure, names) for measure in results.values
        }
        times = results.columns.group_by(SYSTEM, CONVERSATION, maintain_order=True).len()
        repeated = Counter(times.filter(pl.col("len") > 1)[SYSTEM].to_list())
        notes = [
            f"{label_system(SYSTEM, name)} had {count_noun(number, CONVERSATION)} several times: "
            "the mean of each counts"
            for name, number in repeated.items()
        ]
        parts = {"results": several, "systems": tuple(names), "kind": SYSTEM, "notes": notes}
        return cls._prepare(tables, method, method.read_clusters(), **parts)

    @classmethod
    def _prepare(
        cls,
        tables: Mapping[str, PairedValues],
        method: Method,
        clusters: Clusters | None,
        **parts: Any,
    ) -> PairedSample:
        """What can be compared, standardised and in clusters where that was asked."""
        ready = {}
        for measure, table in tables.items():
            refuse_incomparable(table, parts["systems"])
            paired = standardise_values(table) if method.standardise else table
            ready[measure] = paired if clusters is None else clusters.assign(paired)
        noun = next(iter(ready.values())).noun
        numbers = {measure: len({*table.units}) for measure, table in ready.items()}
        return cls(
            **parts,
            tables=ready,
            unit=noun,
            paired_by=noun,
            means={measure: table.values.mean(axis=0) for measure, table in ready.items()},
            units={measure: len(table.queries) for measure, table in ready.items()},
            cluster=None if clusters is None else clusters.source,
            clusters={} if clusters is None else numbers,
        )

    def complete_method(self, method: Method, pairs: Sequence[IndexPair]) -> Method:
        """As many resamples as the family needs."""
        return method.fit_to_queries(list(self.tables.values()), np.array(pairs))

    def test_pairs(self, method: Method, pairs: Sequence[IndexPair]) -> tuple[Outcome, str]:
        """The test, and what it is called."""
        places = np.array(pairs, dtype=np.intp)
        outcome = test_pairs(list(self.tables.values()), places, method, self.systems)
        return outcome, TUKEY_WORDS if method.test == TUKEY else TESTS[method.test].words

    def differences(self, measure: str, pair: IndexPair) -> UnitSums:
        """One system less the other, added up over clusters where there are some."""
        return self.tables[measure].sum_units(self.tables[measure].differences(pair)[:, None])

    def effect(self, measure: str, pair: IndexPair) -> tuple[EffectSize, int, float]:
        """How large the difference is; of how many queries or clusters, and how far they vary.

        Clusters, as far apart as their cluster-robust error says, show less than as many
        independent differences would.
        """
        differences = self.tables[measure].differences(pair)
        number, spread = len(differences), find_spread(differences)
        if self.cluster is not None and spread:
            units = self.differences(measure, pair)
            number, spread = units.number, float(units.standard_errors()[0]) * units.number**0.5
        return effect_size(differences), number, spread

    def list_notes(self, comparison: Comparison) -> Sequence[str]:
        """What one should know before believing a difference."""
        places = [tuple(map(self.systems.index, (p.system, p.other))) for p in comparison.pairs]
        pairs = np.array(places[: len(places) // len(self.tables)])
        return [*self.notes, *write_notes(comparison, list(self.tables.values()), pairs)]


def refuse_incomparable(paired: PairedValues, names: Sequence[str]) -> None:
    """Enough queries, and something to compare."""
    if len(paired.queries) < 2:
        common = f"{count_noun(len(paired.queries), paired.noun)} in common"
        raise CannotCompare(
            f"{paired.measure}: {', '.join(names)} have {common}; a comparison needs at least 2"
        )
    refuse_extremes(paired.values, paired.measure)
    if not paired.values.any():
        kind = "system" if paired.noun == CONVERSATION else "run"
        raise CannotCompare(
            f"{paired.measure} is 0 for every {paired.noun} of every {kind}: "
            "there is nothing to compare"
        )


def is_paired(results: SessionResults) -> bool:
    """Had several systems the same conversations?"""
    return {CONVERSATION, SYSTEM} <= {*results.columns.columns}


def _pair_conversations(results: SessionResults, measure: str, names: list[str]) -> PairedValues:
    labels = results.columns.select("session", SYSTEM, CONVERSATION)
    values = results.per_session.select("session", pl.col(measure).alias("value"))
    rows = labels.join(values, on="session", how="inner", maintain_order="left")
    rows = rows.filter(pl.col("value").is_not_null())
    means = rows.group_by(SYSTEM, CONVERSATION, maintain_order=True).agg(pl.mean("value"))
    by_system = [
        dict(means.filter(pl.col(SYSTEM) == name).drop(SYSTEM).iter_rows()) for name in names
    ]
    return evolve(pair_values(by_system, measure), noun=CONVERSATION)


def compare_groups(
    results: Sequence[Results], by: str, build: BuildSample, comparison: Comparison, method: Method
) -> GroupComparison:
    """The comparison within each group, all of it one family; `comparison` is of all queries."""
    places = choose_pairs(
        method.pairs, len(comparison.systems), comparison.systems.index(comparison.baseline)
    )
    samples, notes = _build_samples(results, build, comparison, method, places)
    paired = [(name, sample) for name, _, sample in samples if isinstance(sample, PairedSample)]
    if len(paired) < len(samples):
        notes.append(f"whether differences depend on {by} is not tested: it needs paired values")
        method = evolve(method, correction="holm") if method.correction == MAX_T else method
    families = [samples]
    if method.family == "measure":
        families = [[item for item in samples if item[0] == name] for name in comparison.measures]
    pairs: list[GroupPair] = []
    for family in filter(None, families):
        pairs += _test_family(family, method, places)
    largest = max(map(len, families), default=0)
    family_size = evolve(method, family="all").count_comparisons(largest, len(places))
    notes += describe_small_groups(
        [(label, s.tables[name]) for name, label, s in samples if isinstance(s, PairedSample)],
        pairs,
        evolve(comparison, evidence=evolve(comparison.evidence, method=method, family=family_size)),
        np.array(places),
    )
    interactions = []
    for measure in comparison.measures:
        own = [sample for name, sample in paired if name == measure]
        interactions += _find_interactions(measure, own, places, method.resampling)
    return GroupComparison(
        by=by,
        unit=comparison.unit,
        pairs=pairs,
        interactions=interactions,
        correction=method.correction,
        family=family_size,
        alpha=method.resampling.alpha,
        clustered=comparison.cluster is not None,
        notes=notes,
    )


_MeasuredGroup = tuple[str, str, Sample]  # the measure, the group, what is compared


def _build_samples(
    results: Sequence[Results],
    build: BuildSample,
    comparison: Comparison,
    method: Method,
    places: Sequence[IndexPair],
) -> tuple[list[_MeasuredGroup], list[str]]:
    """What can be compared of each measure and group, and why others cannot."""
    samples: list[_MeasuredGroup] = []
    problems: dict[tuple[str, str], None] = {}  # and the groups that have them, each once
    flags = [result.group_flags() for result in results]
    labels = list(dict.fromkeys(label for groups in flags for label in groups))
    for measure in comparison.measures:
        for label in labels:
            if max(int(groups[label].sum()) for groups in flags if label in groups) == 1:
                problems[f"one {comparison.unit} is too few", label] = None
                continue
            some = [
                result.select_measures([measure]).restrict(
                    groups.get(label, np.zeros(len(result.ids), dtype=bool))
                )
                for result, groups in zip(results, flags, strict=True)
            ]
            try:
                sample = build(some)
                _refuse_untestable(sample, comparison.systems, method, places)
                samples.append((measure, label, sample))
            except (CannotCompare, BadValue) as error:
                problems[str(error), label] = None
    notes = []
    for problem, names in collect_by_key(problems).items():
        subject = "group {} is" if len(names) == 1 else "groups {} are"
        notes.append(f"{subject.format(list_names(names))} not compared: {problem}")
    return samples, notes


def _refuse_untestable(
    sample: Sample, systems: Sequence[str], method: Method, places: Sequence[IndexPair]
) -> None:
    """Whether assignments of a study can be permuted is known only when it is tested."""
    if sample.systems != systems:
        raise CannotCompare("some have none of it")
    if not isinstance(sample, PairedSample):
        alone = evolve(method, correction="none", correction_given=True)
        own = sample.complete_method(alone, places)
        few = evolve(own.resampling, resamples=MIN_RESAMPLES)
        sample.test_pairs(evolve(own, resampling=few), places)


def _test_family(
    family: Sequence[_MeasuredGroup], method: Method, places: Sequence[IndexPair]
) -> list[GroupPair]:
    outcome = _test_together([sample for _, _, sample in family], method, places)
    pairs = []
    for row, (measure, label, sample) in enumerate(family):
        for at, place in enumerate(places):
            mean, other = (float(sample.means[measure][index]) for index in place)
            pair = sample.read_pair(measure, place, outcome, (row, at))
            pairs.append(GroupPair(label, sample.units[measure], mean, other, pair))
    return pairs


def _test_together(
    samples: Sequence[Sample], method: Method, places: Sequence[IndexPair]
) -> Outcome:
    """Groups × pairs: what the test says, as one family.

    Groups of queries have no query in common, and are flipped together; the sessions of a study
    are exchanged group by group, and p is corrected by Holm where it would be by max-T.
    """
    whole = evolve(method, family="all")
    paired = [sample for sample in samples if isinstance(sample, PairedSample)]
    if len(paired) == len(samples):
        tables = [table for sample in paired for table in sample.tables.values()]
        pairs = np.array(places, dtype=np.intp)
        return test_pairs(tables, pairs, whole.fit_to_queries(tables, pairs), samples[0].systems)
    alone = evolve(method, correction="none", correction_given=True)
    by_sample = [(sample, sample.complete_method(alone, places)) for sample in samples]
    whole = evolve(whole, test=by_sample[0][1].test)

    def apply(resampling: Resampling) -> Outcome:
        outcomes = [
            sample.test_pairs(evolve(own, resampling=resampling), places)[0]
            for sample, own in by_sample
        ]
        return join_outcomes(outcomes, np.concatenate)

    shape = len(samples), len(places)
    return correct_outcome(apply, shape, whole.fit_resamples(*shape, sides=2))


def _find_interactions(
    measure: str,
    paired: Sequence[PairedSample],
    places: Sequence[IndexPair],
    resampling: Resampling,
) -> list[GroupInteraction]:
    """Does the difference of each pair depend on the group? Of one group nothing can."""
    if len(paired) < 2:
        return []
    differences = [
        np.stack([sample.tables[measure].differences(place) for place in places], axis=1)
        for sample in paired
    ]
    cluster = None
    if paired[0].cluster is not None:
        cluster = np.concatenate(number_units([sample.tables[measure] for sample in paired]))
    f, p = test_interaction(differences, resampling, cluster)
    names = paired[0].systems
    return [
        GroupInteraction(
            *(measure, names[first], names[second], len(paired)),
            *(finite_or_none(f[at]), float(p[at])),
        )
        for at, (first, second) in enumerate(places)
    ]


def test_interaction(
    differences: Sequence[Array], resampling: Resampling, cluster: Ranks | None
) -> tuple[Array, Array]:
    """One-way F of differences by group, and its p by permuting groups over queries.

    Differences are, for each group, queries × pairs; `cluster` numbers what each of the queries,
    group after group, belongs to. Clusters of one group each are permuted whole; else the groups
    of each cluster are permuted among its queries.

    Examples:
        >>> groups = [np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])]
        >>> f, p = test_interaction(groups, Resampling(resamples=999), None)
        >>> f.tolist(), round(float(p[0]), 1)
        ([8.0], 0.3)
    """
    values = np.concatenate(differences)
    values = values - values.mean(axis=0)
    sizes = np.array([len(group) for group in differences])
    total = (values**2).sum(axis=0)

    def explain(order: Ranks, sizes: Ranks) -> Array:
        sums: Array = np.add.reduceat(values[order], np.cumsum(sizes) - sizes, axis=0)
        return np.asarray((sums**2 / sizes[:, None]).sum(axis=0))

    own = explain(np.arange(len(values)), sizes)
    chance = resampling.random_generator()
    least = own - ROUNDING * total
    counts = sum(
        (explain(*_permute_groups(sizes, cluster, chance)) >= least).astype(np.int64)
        for _ in range(resampling.resamples)
    )
    degrees, error_degrees = len(sizes) - 1, len(values) - len(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (own / degrees) / ((total - own) / error_degrees)
    return f, p_value(np.asarray(counts), resampling.resamples, exact=False)


def _permute_groups(
    sizes: Ranks, cluster: Ranks | None, chance: np.random.Generator
) -> tuple[Ranks, Ranks]:
    """The queries group by group after groups were permuted over them, and the groups' sizes."""
    if cluster is None:
        return chance.permutation(int(sizes.sum())), sizes
    group = np.repeat(np.arange(len(sizes)), sizes)
    of_cluster = group[np.unique(cluster, return_index=True)[1]]
    if (of_cluster[cluster] == group).all():
        group = chance.permutation(of_cluster)[cluster]
    else:
        shuffled = group[np.lexsort((chance.random(len(group)), cluster))]
        group[np.argsort(cluster, kind="stable")] = shuffled
    return np.argsort(group, kind="stable"), np.bincount(group)
