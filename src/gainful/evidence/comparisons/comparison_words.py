"""A comparison in words: which test, corrected how, by which convention; its numbers."""

from __future__ import annotations

from gainful.evidence.comparisons.comparison_values import ComparisonValues, Pair
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.measure.leaders import name_best
from gainful.page.table import to_one_line
from gainful.text import count_noun, format_range, pluralise

_SMALLEST_P = 1e-4  # a p that is printed as such


def describe_test(comparison: ComparisonValues, *, verbose: bool = False) -> list[str]:
    """Which test, corrected how, at which level; with all its numbers if `verbose`."""
    evidence = comparison.evidence
    words = evidence.test_words[0].upper() + evidence.test_words[1:]
    alpha = evidence.resampling.alpha
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
        parts.append(_describe_intervals(comparison))
        if evidence.paired_by != evidence.unit:
            parts.append(f"wins and dz by {evidence.paired_by}")
    return [" · ".join(parts)]


def _describe_resampling(comparison: ComparisonValues) -> str:
    evidence = comparison.evidence
    if evidence.exact:
        return ", all arrangements looked at"
    return format_resamples(comparison) if evidence.resampled else ""


def _describe_intervals(comparison: ComparisonValues) -> str:
    evidence = comparison.evidence
    return f"{100 * (1 - evidence.resampling.alpha):g} % intervals: {evidence.interval}"


def describe_interaction(comparison: ComparisonValues, measure: str) -> list[str]:
    """How far differences vary by scenario: p says nothing of other scenarios."""
    interaction = comparison.interactions.get(measure)
    if interaction is None:
        return []
    levels = count_noun(interaction.levels, interaction.column)
    scope = f"p is for these {pluralise(interaction.column)}"
    if interaction.sd is None:
        return [f"How differences vary over the {levels} cannot be told here; {scope}."]
    p = "" if interaction.p is None else f"interaction p {_relate_p(interaction.p)}"
    if not interaction.sd:
        chance = "no more than by chance" + (f" ({p})" if p else "")
        return [f"Over the {levels} differences vary {chance}; {scope}."]
    size = f"{interaction.sd:.4f} (sd{f'; {p}' if p else ''})"
    return [f"Over the {levels} differences vary by {size}; {scope}."]


def _relate_p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


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
    level = f"α = {evidence.resampling.alpha:g}"
    return f"{first}. Letters name the {kind} that are significantly worse ({test}, {level})."


def describe_correction(comparison: ComparisonValues) -> str:
    """How p is corrected, over how many comparisons of which family."""
    evidence = comparison.evidence
    is_tukey = evidence.test == TUKEY
    several = len(comparison.measures) > 1
    if is_tukey:
        measures = count_noun(len(comparison.measures), "measure")
        over = f", corrected by {evidence.correction_words} over {measures}"
        family = "" if evidence.corrects or not several else " of each measure"
        return f"p family-wise over pairs{family}{over if evidence.corrects else ''}"
    if not evidence.corrects:
        return "p not corrected"
    scope = " of each measure" if several and evidence.family_scope == "measure" else ""
    over = (
        f"the {evidence.family} pairs{scope}"
        if evidence.family_scope == "measure" or not several
        else f"{evidence.family} comparisons of all measures"
    )
    return f"p corrected by {evidence.correction_words} over {over}"


def format_resamples(comparison: ComparisonValues) -> str:
    """How often chance was asked, and which."""
    resampling = comparison.evidence.resampling
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


def format_p(p: float) -> str:
    """A p for a reader."""
    return f"<{_SMALLEST_P:.4f}" if p < _SMALLEST_P else f"{p:.4f}"
