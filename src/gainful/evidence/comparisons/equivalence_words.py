"""Practically the same or not, in a sentence, a table and a line on how it is known."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.evidence.comparisons.comparison_values import ComparisonValues, Equivalence, Pair
from gainful.evidence.comparisons.comparison_words import format_difference, format_p
from gainful.page.page import Section
from gainful.page.table import Table
from gainful.text import count_noun

_SMALLEST_P = 0.001  # a p that a sentence gives as such
_MAX_NAMES = 2  # pairs that a sentence names; of more it says how many
_MAX_PAIRS = 15  # pairs that a table has; of more only those with the baseline
_ALMOST = 0.0005  # a probability that three decimals make 0


def find_equivalences(comparison: ComparisonValues, measure: str) -> list[tuple[Pair, Equivalence]]:
    """The pairs of which it was asked whether they are practically the same.

    Of many, those with the baseline alone; files have all.
    """
    asked = [
        (pair, pair.equivalence)
        for pair in comparison.pairs
        if pair.measure == measure and pair.equivalence is not None
    ]
    if len(asked) <= _MAX_PAIRS:
        return asked
    return [item for item in asked if comparison.baseline in (item[0].system, item[0].other)]


def describe_equivalence(comparison: ComparisonValues) -> str:
    """Which systems are practically the same, by the first measure that has a margin."""
    for measure in comparison.measures:
        asked = find_equivalences(comparison, measure)
        if len(asked) == 1:
            return _describe_one(comparison, *asked[0])
        if asked:
            return _describe_several(comparison, measure, asked)
    return ""


def _describe_one(comparison: ComparisonValues, pair: Pair, equivalence: Equivalence) -> str:
    within = f"within {equivalence.margin:g}"
    p = equivalence.p_corrected
    evidence = f"TOST, p {'<' if p < _SMALLEST_P else '='} {max(p, _SMALLEST_P):.3f}"
    if comparison.is_equivalent(pair):
        who = f"{pair.system} and {pair.other} are practically the same in {pair.measure}"
        return f"{who}: {within} ({evidence})."
    who = f"{pair.system} and {pair.other} are not shown to be practically the same"
    return f"{who} in {pair.measure}: {within} ({evidence})."


def _describe_several(
    comparison: ComparisonValues, measure: str, asked: Sequence[tuple[Pair, Equivalence]]
) -> str:
    head = f"Practically the same in {measure}, within {asked[0][1].margin:g}:"
    same = [pair for pair, _ in asked if comparison.is_equivalent(pair)]
    if not same:
        return f"{head} shown of no pair."
    names = [f"{pair.system} and {pair.other}" for pair in same]
    rest = len(asked) - len(same)
    not_shown = f"; not shown of {count_noun(rest, 'other pair')}" if rest else ""
    return f"{head} {_join(names)}{not_shown}."


def _join(names: Sequence[str]) -> str:
    return "; ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} pairs"


def list_equivalence(comparison: ComparisonValues) -> list[Section]:
    """A table for each measure with a margin, below those of differences."""
    sections = []
    for measure in comparison.measures:
        asked = find_equivalences(comparison, measure)
        if asked:
            margin = f"{asked[0][1].margin:g}"
            heading = f"{measure}, practically the same within {margin}?"
            sections.append(Section(heading, _build_table(comparison, asked), strong=True))
    return sections


def _build_table(comparison: ComparisonValues, asked: Sequence[tuple[Pair, Equivalence]]) -> Table:
    rows = [
        (
            *(pair.system, pair.other, format_difference(pair.difference)),
            *(format_p(equivalence.p_corrected), "yes" if comparison.is_equivalent(pair) else "–"),
            *map(_format_share, (equivalence.better, equivalence.same, equivalence.worse)),
        )
        for pair, equivalence in asked
    ]
    has_correction = any(equivalence.p != equivalence.p_corrected for _, equivalence in asked)
    p_head = "corrected\nTOST p" if has_correction else "TOST p"
    heads = (comparison.kind, "against", "difference", p_head, "the same")
    return Table(
        (*heads, "P(better)", "P(same)", "P(worse)"),
        rows,
        numeric=True,
        label_columns=2,
        text_columns=(4,),
        expendable=("difference",),
    )


def _format_share(share: float) -> str:
    """A probability; nothing is sure."""
    if share < _ALMOST:
        return "<0.001"
    return ">0.999" if share > 1 - _ALMOST else f"{share:.3f}"


def describe_method(comparison: ComparisonValues) -> list[str]:
    """How equivalence was tested, and what the probabilities are of."""
    asked = [pair for pair in comparison.pairs if pair.equivalence is not None]
    if not asked:
        return []
    alpha = comparison.evidence.resampling.alpha
    number = sum(pair.measure == asked[0].measure for pair in asked)
    is_corrected = comparison.evidence.correction != "none" and number > 1
    family = f", corrected by Holm over {count_noun(number, 'pair')}" if is_corrected else ""
    test = f"The same: two one-sided t tests (TOST) at {alpha:g}{family}"
    return [f"{test} · P: posterior probabilities of the mean, by t"]
