"""Systems compared within groups of queries or sessions: one family over all groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.comparisons.compare import BuildSample, PairedSample, Sample
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_values import (
    GroupComparison,
    GroupInteraction,
    GroupPair,
)
from gainful.evidence.method import Method, correct_outcome, test_pairs
from gainful.evidence.pairing import IndexPair, choose_pairs
from gainful.evidence.statistics.correction import MAX_T
from gainful.evidence.statistics.outcome import Outcome, join_outcomes, p_value
from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.groups import list_names
from gainful.measure.values import Results
from gainful.rounding import ROUNDING
from gainful.types import Array, Flags, finite_or_none


def compare_groups(
    results: Sequence[Results],
    by: str,
    build: BuildSample,
    comparison: Comparison,
    method: Method,
) -> GroupComparison:
    """The comparison within each group, all of it one family.

    Args:
        results: of runs, or of sessions, which know their groups.
        by: what names the groups.
        build: makes what is compared of results in which only one group counts.
        comparison: that of all queries.
        method: how systems are compared; with the family "measure" each measure is one of its own.
    """
    places = choose_pairs(
        method.pairs, len(comparison.systems), comparison.systems.index(comparison.baseline)
    )
    samples, notes = _build_samples(results, build, comparison)
    families = [samples]
    if method.family == "measure":
        families = [[item for item in samples if item[0] == name] for name in comparison.measures]
    pairs: list[GroupPair] = []
    for family in filter(None, families):
        pairs += _test_family(family, method, places)
    untold = _why_no_interaction([sample for _, _, sample in samples])
    interactions = []
    for measure in () if untold else comparison.measures:
        own = [sample for name, _, sample in samples if name == measure]
        interactions += _find_interactions(measure, own, places, method.resampling)
    notes += [f"whether differences depend on {by} is not tested: {untold}"] if untold else []
    correction = method.correction
    if correction == MAX_T and not all(isinstance(item[2], PairedSample) for item in samples):
        correction = "holm"
    return GroupComparison(
        by=by,
        unit=comparison.evidence.unit,
        pairs=pairs,
        interactions=interactions,
        correction=correction,
        family=max((len(family) for family in families), default=0) * len(places),
        alpha=method.resampling.alpha,
        notes=notes,
    )


_MeasuredGroup = tuple[str, str, Sample]  # the measure, the group, what is compared


def _build_samples(
    results: Sequence[Results], build: BuildSample, comparison: Comparison
) -> tuple[list[_MeasuredGroup], list[str]]:
    """What can be compared of each measure and group, and why others cannot."""
    samples: list[_MeasuredGroup] = []
    labels_by_problem: dict[str, list[str]] = {}
    flags = [result.group_flags() for result in results]
    labels = list(dict.fromkeys(label for groups in flags for label in groups))
    for measure in comparison.measures:
        for label in labels:
            some = [
                result.select_measures([measure]).restrict(
                    groups.get(label, np.zeros(len(result.ids), dtype=bool))
                )
                for result, groups in zip(results, flags, strict=True)
            ]
            try:
                _refuse_one([groups.get(label) for groups in flags], comparison.evidence.unit)
                sample = build(some)
                problem = "" if [*sample.names] == [*comparison.systems] else "some have none of it"
            except (CannotCompare, BadValue) as error:
                problem = str(error)
            if problem:
                labels_by_problem.setdefault(problem, []).append(label)
            else:
                samples.append((measure, label, sample))
    return samples, list(starmap(_describe_problem, labels_by_problem.items()))


def _refuse_one(flags: Sequence[Flags | None], unit: str) -> None:
    if max(int(some.sum()) for some in flags if some is not None) == 1:
        raise CannotCompare(f"one {unit} is too few")


def _describe_problem(problem: str, labels: Sequence[str]) -> str:
    labels = list(dict.fromkeys(labels))
    subject = "group {} is" if len(labels) == 1 else "groups {} are"
    return f"{subject.format(list_names(labels))} not compared: {problem}"


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
        return test_pairs(tables, pairs, whole.fit_to_queries(tables, pairs), samples[0].names)
    alone = evolve(method, correction="none", correction_given=True)
    by_sample = [(sample, sample.complete_method(alone, places)) for sample in samples]
    whole = evolve(whole, correction="holm") if method.correction == MAX_T else whole
    whole = evolve(whole, test=by_sample[0][1].test)

    def apply(resampling: Resampling) -> Outcome:
        outcomes = [
            sample.test_pairs(evolve(own, resampling=resampling), places)[0]
            for sample, own in by_sample
        ]
        return join_outcomes(outcomes, np.concatenate)

    shape = len(samples), len(places)
    return correct_outcome(apply, shape, whole.fit_resamples(*shape, sides=2))


def _why_no_interaction(samples: Sequence[Sample]) -> str:
    for sample in samples:
        if not isinstance(sample, PairedSample):
            return "the test needs paired values"
        if sample.cluster is not None:
            return "clusters of queries cannot be permuted over groups"
    return ""


def _find_interactions(
    measure: str,
    samples: Sequence[Sample],
    places: Sequence[IndexPair],
    resampling: Resampling,
) -> list[GroupInteraction]:
    """Does the difference of each pair depend on the group? Of one group nothing can."""
    paired = [sample for sample in samples if isinstance(sample, PairedSample)]
    if len(paired) < 2:
        return []
    differences = [
        np.stack([sample.tables[measure].differences(place) for place in places], axis=1)
        for sample in paired
    ]
    f, p = test_interaction(differences, resampling)
    names = paired[0].names
    return [
        GroupInteraction(
            *(measure, names[first], names[second], len(paired)),
            *(finite_or_none(f[at]), float(p[at])),
        )
        for at, (first, second) in enumerate(places)
    ]


def test_interaction(differences: Sequence[Array], resampling: Resampling) -> tuple[Array, Array]:
    """One-way F of differences by group, and its p by permuting groups over queries.

    Differences are, for each group, queries × pairs; permutations keep the sizes of groups.

    Examples:
        >>> groups = [np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])]
        >>> f, p = test_interaction(groups, Resampling(resamples=999))
        >>> f.tolist(), round(float(p[0]), 1)
        ([8.0], 0.3)
    """
    values = np.concatenate(differences)
    values = values - values.mean(axis=0)
    sizes = np.array([len(group) for group in differences])
    starts = np.cumsum(sizes) - sizes
    total = (values**2).sum(axis=0)

    def explain(rows: Array) -> Array:
        sums: Array = np.add.reduceat(rows, starts, axis=0)
        return np.asarray((sums**2 / sizes[:, None]).sum(axis=0))

    own = explain(values)
    chance = resampling.random_generator()
    least = own - ROUNDING * total
    counts = sum(
        (explain(values[chance.permutation(len(values))]) >= least).astype(np.int64)
        for _ in range(resampling.resamples)
    )
    degrees, error_degrees = len(sizes) - 1, len(values) - len(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (own / degrees) / ((total - own) / error_degrees)
    return f, p_value(np.asarray(counts), resampling.resamples, exact=False)
