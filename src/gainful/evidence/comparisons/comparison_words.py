"""A comparison in words: which test, corrected how, by which convention; its numbers."""

from __future__ import annotations

from gainful.evidence.comparisons.comparison_values import ComparisonValues, Pair
from gainful.evidence.statistics.correction import TUKEY
from gainful.page.table import to_one_line
from gainful.text import count_noun

_SMALLEST_P = 1e-4  # a p that is printed as such


def describe_test(comparison: ComparisonValues) -> list[str]:
    """Which test, on what, corrected how, at which level: what a caption has to say."""
    evidence = comparison.evidence
    resamples_text = ""
    if evidence.exact:
        resamples_text = ", all arrangements looked at"
    elif evidence.resampled:
        resamples_text = format_resamples(comparison)
    words = evidence.test_words[0].upper() + evidence.test_words[1:]
    level = f"{100 * (1 - evidence.resampling.alpha):g} %"
    significance_text = f"significant at p ≤ {evidence.resampling.alpha:g}"
    test_text = f"{words}, two-sided{resamples_text}"
    interval_resamples = (
        format_resamples(comparison) if evidence.only_interval_uses_resamples else ""
    )
    interval_text = f"{level} intervals: {evidence.interval}{interval_resamples}"
    parts = [test_text, describe_correction(comparison), significance_text, interval_text]
    if evidence.paired_by != evidence.unit:
        parts.append(f"wins and dz by {evidence.paired_by}")
    return [" · ".join(parts)]


def describe_correction(comparison: ComparisonValues) -> str:
    """How p is corrected, over how many comparisons."""
    evidence = comparison.evidence
    is_tukey = evidence.test == TUKEY
    method_text = f"corrected by {evidence.correction_words} over"
    family_text = (
        f"{method_text} {count_noun(evidence.family, 'measure' if is_tukey else 'comparison')}"
    )
    if is_tukey:
        return f"p family-wise over pairs{f', {family_text}' if evidence.corrects else ''}"
    return f"p {family_text}" if evidence.corrects else "p not corrected"


def format_resamples(comparison: ComparisonValues) -> str:
    """How often chance was asked, and which."""
    resampling = comparison.evidence.resampling
    return f", {resampling.resamples} resamples, seed {resampling.seed}"


def list_footnotes(comparison: ComparisonValues) -> list[str]:
    """The convention, what was counted, and what one should know."""
    notes = (f"Note: {note}" for note in comparison.notes)
    return [to_one_line(line) for line in (*comparison.footnotes, *notes)]


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
