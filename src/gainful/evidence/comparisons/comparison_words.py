"""A comparison in words: which test, corrected how, by which convention; its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.evidence.comparisons.comparison_values import ComparisonValues, Equivalence, Pair
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.measure.results import name_best
from gainful.page.page import Section
from gainful.page.table import Table, to_one_line
from gainful.text import count_noun, format_range, pluralise


def describe_test(comparison: ComparisonValues, *, verbose: bool = False) -> list[str]:
    """Which test, corrected how, at which level; with all its numbers if `verbose`."""
    evidence = comparison.evidence
    words = evidence.test_words[0].upper() + evidence.test_words[1:]
    alpha = evidence.method.resampling.alpha
    error = evidence.p_error(alpha)
    by_chance = "" if error is None else f" (Monte Carlo error there {error:.4f})"
    significance = f"significant at p ≤ {alpha:g}{by_chance}"
    parts = [words, describe_correction(comparison), significance]
    if evidence.corrects and not verbose and CORRECTIONS[evidence.correction].interval_kind:
        parts.insert(2, CORRECTIONS[evidence.correction].interval_kind)
    if evidence.cluster is not None:
        parts.insert(1, "whole clusters of queries")
    if evidence.standardised is not None:
        parts.append(evidence.standardised)
    if verbose:
        parts[0] = f"{words}, two-sided{_describe_resampling(comparison)}"
        parts.append(f"{evidence.method.resampling.level} intervals: {evidence.interval}")
        if evidence.paired_by != evidence.unit:
            parts.append(f"wins and dz by {evidence.paired_by}")
    return [" · ".join(parts)]


def _describe_resampling(comparison: ComparisonValues) -> str:
    evidence = comparison.evidence
    if evidence.exact:
        return ", all arrangements looked at"
    return format_resamples(comparison) if evidence.method.takes_resamples else ""


def describe_interaction(comparison: ComparisonValues, measure: str) -> list[str]:
    """How far differences vary by scenario: p says nothing of other scenarios."""
    interaction = comparison.interactions.get(measure)
    if interaction is None:
        return []
    levels = count_noun(interaction.levels, interaction.column)
    scope = f"p is for these {pluralise(interaction.column)}"
    if interaction.sd is None:
        return [f"How differences vary over the {levels} cannot be told here; {scope}."]
    p = "" if interaction.p is None else f"interaction p {relate_p(interaction.p)}"
    if not interaction.sd:
        chance = "no more than by chance" + (f" ({p})" if p else "")
        return [f"Over the {levels} differences vary {chance}; {scope}."]
    size = f"{interaction.sd:.4f} (sd{f'; {p}' if p else ''})"
    return [f"Over the {levels} differences vary by {size}; {scope}."]


def describe_marks(comparison: ComparisonValues) -> str:
    """What bold numbers and letters say."""
    what = f"the {pluralise(comparison.kind)} that it is significantly better than"
    return f"Bold: {name_best(comparison.directions)}. Letters behind a mean: {what}."


def format_caption(comparison: ComparisonValues) -> str:
    """What a table of systems by measures shows, and how it is known, in two sentences."""
    evidence = comparison.evidence
    sizes = format_range(list(comparison.units.values()))
    units = evidence.unit if sizes == "1" else pluralise(evidence.unit)
    if comparison.clusters:
        units += f" in {format_range(list(comparison.clusters.values()))} clusters"
    first = f"Means over {sizes} {units}, {name_best(comparison.directions)} bold"
    kind = pluralise(comparison.kind)
    test = f"two-sided {evidence.test_words}, {describe_correction(comparison)}"
    level = f"α = {evidence.method.resampling.alpha:g}"
    return f"{first}. Letters name the {kind} that are significantly worse ({test}, {level})."


def describe_correction(comparison: ComparisonValues) -> str:
    """How p is corrected, over how many comparisons of which family."""
    evidence = comparison.evidence
    is_tukey = evidence.test == TUKEY
    several = len(comparison.measures) > 1
    if is_tukey:
        measures = count_noun(len(comparison.measures), "measure")
        over = f", corrected by {CORRECTIONS[evidence.correction].words} over {measures}"
        family = "" if evidence.corrects or not several else " of each measure"
        return f"p family-wise over pairs{family}{over if evidence.corrects else ''}"
    if not evidence.corrects:
        return "p not corrected"
    scope = " of each measure" if several and evidence.method.family == "measure" else ""
    over = (
        f"the {evidence.family} pairs{scope}"
        if evidence.method.family == "measure" or not several
        else f"{evidence.family} comparisons of all measures"
    )
    return f"p corrected by {CORRECTIONS[evidence.correction].words} over {over}"


def format_resamples(comparison: ComparisonValues) -> str:
    """How often chance was asked, and which."""
    resampling = comparison.evidence.method.resampling
    return f", {resampling.resamples} resamples, seed {resampling.seed}"


def list_footnotes(comparison: ComparisonValues, *, verbose: bool = False) -> list[str]:
    """The convention, what was counted, and what one should know."""
    notes = (f"Note: {note}" for note in comparison.notes)
    footnotes = comparison.all_footnotes if verbose else comparison.footnotes
    return [to_one_line(line) for line in (*footnotes, *notes)]


def format_interval(pair: Pair) -> str:
    """From where to where the difference may be."""
    if pair.low is None or pair.high is None:
        return "–"
    return f"{format_difference(pair.low)} … {format_difference(pair.high)}"


def format_difference(value: float) -> str:
    """A difference for a reader; nothing is +0.0000."""
    return f"{round(value, 4) + 0.0:+.4f}"


def relate_p(p: float) -> str:
    """A p for a sentence, behind its name."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def format_p(p: float) -> str:
    """A p for a table."""
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


_SMALLEST_TOST_P = 0.001  # a p that a sentence gives as such
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
    evidence = f"TOST, p {'<' if p < _SMALLEST_TOST_P else '='} {max(p, _SMALLEST_TOST_P):.3f}"
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
    pairs = "; ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} pairs"
    return f"{head} {pairs}{not_shown}."


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
    alpha = comparison.evidence.method.resampling.alpha
    number = sum(pair.measure == asked[0].measure for pair in asked)
    is_corrected = comparison.evidence.correction != "none" and number > 1
    family = f", corrected by Holm over {count_noun(number, 'pair')}" if is_corrected else ""
    test = f"The same: two one-sided t tests (TOST) at {alpha:g}{family}"
    return [f"{test} · P: posterior probabilities of the mean, by t"]
