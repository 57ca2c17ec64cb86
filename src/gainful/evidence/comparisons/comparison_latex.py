"""A comparison as a table of a paper: booktabs, letters as superscripts, a telling caption."""

from __future__ import annotations

from gainful.evidence.comparisons.comparison_values import ComparisonValues, Pair
from gainful.evidence.comparisons.comparison_words import (
    describe_correction,
    format_difference,
    format_p,
    format_resamples,
    list_footnotes,
)
from gainful.page.to_latex import escape_latex_cell
from gainful.text import format_range


def comparison_to_latex(comparison: ComparisonValues) -> str:
    """A table environment; needs booktabs."""
    alpha = comparison.evidence.resampling.alpha
    has_correction = comparison.evidence.corrects
    heads = [
        *("", "mean", r"$\Delta$", rf"{100 * (1 - alpha):g}\,\% interval", "$p$"),
        *(["corrected $p$"] if has_correction else []),
        *("W/T/L", "$d_z$"),
    ]
    lines = [f"% {line}" for line in list_footnotes(comparison, verbose=True)]
    lines += [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_format_caption(comparison)}}}",
        r"\label{tab:comparison}",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
    ]
    for measure in comparison.measures:
        lines += [r"\midrule", _format_title(comparison, measure, len(heads))]
        lines += [_format_row(comparison, measure, system) for system in comparison.systems]
    return "\n".join((*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"))


def _format_title(comparison: ComparisonValues, measure: str, columns: int) -> str:
    sample_size = comparison.count_units(measure)
    return rf"\multicolumn{{{columns}}}{{l}}{{{escape_latex_cell(f'{measure}, {sample_size}')}}} \\"


def _format_row(comparison: ComparisonValues, measure: str, system: str) -> str:
    letters, beaten_systems = comparison.letters(), comparison.systems_beaten(measure)[system]
    mean = comparison.means[measure][comparison.systems.index(system)]
    superscript = "".join(letters[other] for other in beaten_systems)
    cells = [
        f"${letters[system]}$ {escape_latex_cell(system)}",
        f"${mean:.4f}" + (rf"^{{{superscript}}}$" if superscript else "$"),
    ]
    if system == comparison.baseline:
        cells += [""] * (5 + comparison.evidence.corrects)
    else:
        cells += _format_evidence(comparison, comparison.pair(measure, system, comparison.baseline))
    return " & ".join(cells) + r" \\"


def _format_evidence(comparison: ComparisonValues, pair: Pair) -> list[str]:
    effect = pair.effect
    interval = "--"
    if pair.low is not None and pair.high is not None:
        interval = f"$[{format_difference(pair.low)}, {format_difference(pair.high)}]$"
    return [
        f"${format_difference(pair.difference)}$",
        interval,
        f"${format_p(pair.p)}$",
        *([f"${format_p(pair.p_corrected)}$"] if comparison.evidence.corrects else []),
        "--" if effect is None else f"{effect.wins}/{effect.ties}/{effect.losses}",
        "--" if effect is None or effect.dz is None else f"${effect.dz:+.2f}$",
    ]


def _format_caption(comparison: ComparisonValues) -> str:
    """What the table shows and how it is known: test, correction, level, number, convention."""
    evidence = comparison.evidence
    sample_sizes = sorted(set(comparison.units.values()))
    n = (
        str(sample_sizes[0])
        if len(sample_sizes) == 1
        else rf"{sample_sizes[0]} \ldots {sample_sizes[-1]}"
    )
    resamples_text = (
        format_resamples(comparison) if evidence.resampled and not evidence.exact else ""
    )
    test_text = (
        f"Comparison with {comparison.baseline}. Superscripts name systems that are significantly "
        f"worse: {evidence.test_words}, two-sided{resamples_text}, "
        f"{describe_correction(comparison)}"
    )
    interval_text = f"intervals: {evidence.interval}. {comparison.convention_line}."
    level = rf"$\alpha = {evidence.resampling.alpha:g}$, $n = {n}$"
    if comparison.clusters:
        level += f" in {format_range(list(comparison.clusters.values()))} clusters"
    return f"{escape_latex_cell(test_text)}, {level}; {escape_latex_cell(interval_text)}"
