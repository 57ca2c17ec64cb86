"""From tests to a `Comparison`: p corrected, pairs named, the evidence in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from attrs import evolve, frozen

from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_values import Evidence, Pair
from gainful.evidence.comparisons.equivalence import Margins, check_margins
from gainful.evidence.families import PairOutcomes, Weighing
from gainful.evidence.pairing import PairChoice, choose_baseline, choose_pairs
from gainful.evidence.standardise import check_standardisation, describe_standardisation
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    FREEDMAN_LANE,
    RANDOMISATION,
    TUKEY,
    Family,
    correction_for,
    power_level,
)
from gainful.evidence.statistics.effect_size import EffectSize
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.measure.direction import Direction
from gainful.types import Array, finite_or_none

IndexPair = tuple[int, int]
_COUNT_BOTH_SIDES = (RANDOMISATION, TUKEY, FREEDMAN_LANE)


@frozen
class Method(Weighing):
    """How systems are compared: by which test, corrected how, which pairs, at which level."""

    baseline: str | None = None
    pairs: PairChoice = "all"
    correction_given: bool = False  # was it asked for, or does it go with the test?
    standardise: str | None = None  # how scores of a query are set beside each other first
    equivalent: Margins | None = None  # within which systems are practically the same


class ComparisonOptions(TypedDict, total=False):
    """What may be said of how systems are compared, beside the test."""

    baseline: str | None  # what the others are set against; the first if none is named
    correct: str | None  # how p is corrected
    family: Family  # over the pairs of one measure, or of all
    pairs: PairChoice  # all of them, or each with the baseline
    equivalent: Margins | None  # within which systems are practically the same
    alpha: float  # from which p on a difference counts as significant
    resamples: int | None  # as many as are usual, or as the correction needs, if none are named
    seed: int
    standardise: str | None  # of runs: score each beside the others on the same query


class RunComparisonOptions(ComparisonOptions, total=False):
    """What may be said of how runs are compared, beside the test."""

    cluster: str | Mapping[str, str] | None  # what queries belong to that are not independent


def build_method(
    tests: Iterable[str],
    test: str,
    *,
    correct: str | None = None,
    family: Family = "measure",
    baseline: str | None = None,
    pairs: PairChoice = "all",
    equivalent: Margins | None = None,
    alpha: float = ALPHA,
    resamples: int | None = None,
    seed: int = SEED,
    standardise: str | None = None,
) -> Method:
    """A method whose test and correction exist and go together; others are refused."""
    check_standardisation(standardise)
    if equivalent is not None:
        check_margins(equivalent)
    given = RESAMPLES if resamples is None else resamples
    return Method(
        test=test,
        correction=correction_for(test, correct, tests, family),
        family=family,
        resampling=Resampling(alpha=alpha, resamples=given, seed=seed),
        resamples_given=resamples is not None,
        baseline=baseline,
        pairs=pairs,
        correction_given=correct is not None,
        standardise=standardise,
        equivalent=equivalent,
    )


@frozen(eq=False)
class Systems:
    """What is compared: systems by name, and the pairs of them by their places."""

    names: tuple[str, ...]
    baseline: str
    pairs: list[IndexPair]
    kind: str  # what one of them is called

    @classmethod
    def from_method(cls, names: Sequence[str], method: Method, kind: str) -> Systems:
        """The pairs that a method asks for; `kind` is what a message calls one of the systems."""
        baseline = choose_baseline(method.baseline, names, kind)
        pairs = choose_pairs(method.pairs, len(names), names.index(baseline))
        return cls(tuple(names), baseline, pairs, kind)


@frozen(eq=False, kw_only=True)
class Sample:
    """What the systems did: a mean for each by measure, over so many queries or sessions."""

    means: Mapping[str, Array]
    units: Mapping[str, int]
    unit: str
    paired_by: str
    convention: Mapping[str, Any]
    bounded: tuple[str, ...]  # the measures that cannot pass 1
    directions: Mapping[str, Direction]  # of each measure: is more of it better, or less?
    convention_line: str
    footnotes: Sequence[str]
    all_footnotes: Sequence[str]
    effect: Callable[[str, IndexPair, float], EffectSize | None]  # measure, pair, level
    clusters: Mapping[str, int] = {}  # by measure: how many, where queries belong to some
    cluster: str | None = None  # what names them: a pattern, or a column
    paired_units: Mapping[str, int] = {}  # by measure: of how many searchers sessions are
    counts: Callable[[IndexPair], Mapping[str, int]] = lambda _: {}  # what entered a pair


def assemble_comparison(
    systems: Systems, sample: Sample, outcomes: PairOutcomes, method: Method
) -> Comparison:
    """The comparison of runs by queries, or of systems by the sessions of a study."""
    comparisons = method.count_comparisons(len(sample.means), len(systems.pairs))
    tested = len(systems.pairs) * (len(sample.means) if method.family == "all" else 1)
    level = power_level(method.correction, method.test, tested, method.resampling.alpha)
    pairs = tuple(
        Pair(
            measure=measure,
            system=systems.names[first],
            other=systems.names[second],
            difference=float(outcomes.difference[row, at]),
            low=finite_or_none(outcomes.low[row, at]),
            high=finite_or_none(outcomes.high[row, at]),
            p=float(outcomes.p[row, at]),
            corrected=float(outcomes.corrected[row, at]),
            effect=_turn_effect(
                sample.effect(measure, (first, second), level), sample.directions[measure]
            ),
            counts=sample.counts((first, second)),
        )
        for row, measure in enumerate(sample.means)
        for at, (first, second) in enumerate(systems.pairs)
    )
    return Comparison(
        systems=systems.names,
        kind=systems.kind,
        baseline=systems.baseline,
        measures=tuple(sample.means),
        means=sample.means,
        units=sample.units,
        clusters=sample.clusters,
        paired_units=sample.paired_units,
        pairs=pairs,
        evidence=Evidence(
            test=method.test,
            test_words=outcomes.test_words,
            correction=method.correction,
            correction_words=CORRECTIONS[method.correction].words,
            family=comparisons,
            family_scope=method.family,
            interval=_describe_interval(outcomes, method, comparisons),
            exact=outcomes.exact,
            resampled=outcomes.resampled,
            counts_both_sides=method.test in _COUNT_BOTH_SIDES,
            unit=sample.unit,
            paired_by=sample.paired_by,
            cluster=sample.cluster,
            power_level=level,
            resampling=method.resampling,
            standardised=describe_standardisation(method.standardise, len(systems.names)),
        ),
        convention=sample.convention,
        bounded_measures=sample.bounded,
        directions={measure: sample.directions[measure] for measure in sample.means},
        convention_line=sample.convention_line,
        footnotes=tuple(sample.footnotes),
        all_footnotes=tuple(sample.all_footnotes),
    )


def _turn_effect(effect: EffectSize | None, direction: Direction) -> EffectSize | None:
    """Wins are of who is better: of a measure of which less is better, of the lower values."""
    if effect is None or not direction.is_lower:
        return effect
    return evolve(effect, wins=effect.losses, losses=effect.wins)


def _describe_interval(outcomes: PairOutcomes, method: Method, comparisons: int) -> str:
    """How intervals were found, and over what they hold."""
    words = CORRECTIONS[method.correction].interval_words
    return f"{outcomes.interval}, {words}" if words and comparisons > 1 else outcomes.interval
