"""What one should know before believing a difference between runs."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.evidence.clusters import describe_turns
from gainful.evidence.comparisons.comparison_values import ComparisonValues, Pair
from gainful.evidence.pairing import PairedValues, describe_few_units, describe_left_out
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.paired_tests import TESTS, TUKEY_NOTE
from gainful.text import count_noun, pluralise
from gainful.types import Ranks

_UNDECIDED_ERRORS = 2  # Monte Carlo errors between p and alpha, below which chance may decide


def write_notes(
    comparison: ComparisonValues, paired: Sequence[PairedValues], pairs: Ranks
) -> list[str]:
    """What was left out, what is odd about pairs, what the test cannot do."""
    test = TESTS.get(comparison.evidence.test)
    test_notes = [test.note] if test is not None and test.note else []
    notes = [*test_notes]
    notes += [note for item in paired for note in describe_left_out(item, comparison.systems)]
    for pair in comparison.pairs:
        notes += _describe_pair(pair, paired[0])
    notes += _describe_smallest_p(comparison, paired, pairs)
    notes += describe_few_units(comparison.evidence.test, paired, pairs)
    notes += [] if test_notes else describe_step_down(comparison)
    notes += describe_undecided(comparison)
    if comparison.evidence.test == TUKEY and len(comparison.systems) > 2:
        notes.append(TUKEY_NOTE)
    is_by_query = paired[0].unit == "query"
    turns = describe_turns(paired[0].queries) if is_by_query else None
    return notes if turns is None else [*notes, turns]


def _describe_pair(pair: Pair, paired: PairedValues) -> list[str]:
    subject, notes = f"{pair.measure}: {pair.system} and {pair.other}", []
    if pair.identical:
        notes.append(f"{subject} have the same value in every {paired.noun}: p is 1")
    elif pair.constant:
        words = f"differ by the same in every {paired.noun}"
        notes.append(f"{subject} {words}: no effect size is defined")
    if pair.low is None:
        notes.append(f"{subject}: so few {pluralise(paired.unit)} give no interval at this level")
    return notes


def _describe_smallest_p(
    comparison: ComparisonValues, paired: Sequence[PairedValues], pairs: Ranks
) -> list[str]:
    """Where not even the clearest difference could be significant, that is said."""
    alpha = comparison.evidence.resampling.alpha
    notes = []
    for item in paired:
        units = int(item.count_differing(pairs).max())
        smallest = _smallest_p(comparison, units)
        if units and smallest > alpha:
            differing = f"{count_noun(units, item.unit)} that differ{'s' if units == 1 else ''}"
            notes.append(
                f"{item.measure}: with {differing}, no p can be below {smallest:.4g}, so nothing "
                f"can be significant at {alpha:g}"
            )
    return notes


def _smallest_p(comparison: ComparisonValues, units: int) -> float:
    """The least that a corrected p can be, of so many differences that are not 0."""
    evidence = comparison.evidence
    resamples = evidence.resampling.resamples
    if evidence.test == TUKEY:
        return 1 / (resamples + 1)
    test = TESTS[evidence.test]
    by_chance = 1 / (resamples + 1) if test.resampled and not evidence.exact else 0.0
    by_signs = 2.0 ** (1 - units) if test.flips_signs else 0.0
    is_shared = evidence.correction in ("holm", "bonferroni", "bh")
    return max(by_chance, by_signs) * (evidence.family if is_shared else 1)


def describe_undecided(comparison: ComparisonValues) -> list[str]:
    """Which decisions another seed could turn: p is nearer to alpha than two of its errors."""
    evidence = comparison.evidence
    alpha = evidence.resampling.alpha
    errors = [(pair, evidence.p_corrected_error(pair)) for pair in comparison.pairs]
    near = [
        (pair, error)
        for pair, error in errors
        if error is not None and abs(pair.p_corrected - alpha) < _UNDECIDED_ERRORS * error
    ]
    if not near:
        return []
    pair, error = near[0]
    more = f" (and {count_noun(len(near) - 1, 'other pair')})" if len(near) > 1 else ""
    which = f"{pair.measure}: {pair.system} and {pair.other}{more}"
    name = "corrected p" if evidence.corrects else "p"
    value = f"{name} is {pair.p_corrected:.4f} with a Monte Carlo error of {error:.4f}"
    resamples = f"{evidence.resampling.resamples} resamples (--resamples takes more)"
    return [f"{which}: {value}: too near to {alpha:g} to be decided by {resamples}"]


def describe_step_down(comparison: ComparisonValues) -> list[str]:
    """Why a significant difference may have an interval that holds 0."""
    evidence = comparison.evidence
    if not (CORRECTIONS[evidence.correction].steps_down and evidence.family > 1):
        return []
    odd = [
        pair
        for pair in comparison.pairs
        if comparison.is_significant(pair)
        and pair.low is not None
        and pair.high is not None
        and pair.low <= 0 <= pair.high
    ]
    if not odd:
        return []
    first = f"{odd[0].measure}: {odd[0].system} and {odd[0].other}"
    more = f" (and {count_noun(len(odd) - 1, 'other pair')})" if len(odd) > 1 else ""
    why = "p is among the pairs not yet told apart, the interval is for all pairs at once"
    return [f"{first}{more}: significant, though the interval holds 0: {why}"]
