"""A comparison as a table of a paper: booktabs, letters as superscripts, a telling caption."""

from __future__ import annotations

from gainful.errors import counted
from gainful.evidence.comparison import Comparison, Pair
from gainful.show.compare import convention, corrected, drawn, probability, said, signed
from gainful.show.table import latex_escaped


def to_latex(found: Comparison) -> str:
    """A table environment; needs booktabs."""
    alpha = found.weighed.how.alpha
    with_corrected = found.weighed.corrects
    heads = [
        *("", "mean", r"$\Delta$", rf"{100 * (1 - alpha):g}\,\% interval", "$p$"),
        *(["corrected $p$"] if with_corrected else []),
        *("W/T/L", "$d_z$"),
    ]
    lines = [f"% {line}" for line in said(found)]
    lines += [
        r"\begin{table}",
        rf"\caption{{{caption(found)}}}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
    ]
    for measure in found.measures:
        lines += [r"\midrule", _title(found, measure, len(heads))]
        lines += [_line(found, measure, system) for system in found.systems]
    return "\n".join((*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"))


def _title(found: Comparison, measure: str, columns: int) -> str:
    number = counted(found.units[measure], found.weighed.unit)
    return rf"\multicolumn{{{columns}}}{{l}}{{{latex_escaped(f'{measure}, {number}')}}} \\"


def _line(found: Comparison, measure: str, system: str) -> str:
    letters, better = found.letters(), found.beaten(measure)[system]
    mean = found.means[measure][found.systems.index(system)]
    above = "".join(letters[other] for other in better)
    cells = [
        f"${letters[system]}$ {latex_escaped(system)}",
        f"${mean:.4f}" + (rf"^{{{above}}}$" if above else "$"),
    ]
    if system == found.baseline:
        cells += [""] * (5 + found.weighed.corrects)
    else:
        cells += _evidence(found, found.pair(measure, system, found.baseline))
    return " & ".join(cells) + r" \\"


def _evidence(found: Comparison, pair: Pair) -> list[str]:
    size = pair.effect
    between = "--"
    if pair.low is not None and pair.high is not None:
        between = f"$[{signed(pair.low)}, {signed(pair.high)}]$"
    return [
        f"${signed(pair.difference)}$",
        between,
        f"${probability(pair.p)}$",
        *([f"${probability(pair.corrected)}$"] if found.weighed.corrects else []),
        "--" if size is None else f"{size.wins}/{size.ties}/{size.losses}",
        "--" if size is None or size.dz is None else f"${size.dz:+.2f}$",
    ]


def caption(found: Comparison) -> str:
    """What the table shows and how it is known: test, correction, level, number, convention."""
    weighed = found.weighed
    numbers = sorted(set(found.units.values()))
    n = str(numbers[0]) if len(numbers) == 1 else rf"{numbers[0]} \ldots {numbers[-1]}"
    chance = drawn(found) if weighed.resampled and not weighed.exact else ""
    whom = (
        f"Comparison with {found.baseline}. Superscripts name systems that are significantly worse"
    )
    tested = f"{whom}: {weighed.words}, two-sided{chance}, {corrected(found)}"
    by_chance = drawn(found) if weighed.interval_drawn else ""
    known = f"intervals: {weighed.interval}{by_chance}. {convention(found)}."
    level = rf"$\alpha = {weighed.how.alpha:g}$, $n = {n}$"
    return f"{latex_escaped(tested)}, {level}; {latex_escaped(known)}"
