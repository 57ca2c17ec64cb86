"""A comparison: a table for each measure, who cannot be told apart, and how it is known."""

from __future__ import annotations

from gainful.evidence.comparison import Comparison, Pair
from gainful.evidence.statistics.alike_groups import MAX_GROUPS
from gainful.evidence.statistics.correction import TUKEY
from gainful.measure.results import Results
from gainful.measure.sessions.results import SessionResults
from gainful.show import results as show_results, sessions as show_sessions, table as tables
from gainful.show.bars import bar_fractions
from gainful.show.rows import Rows
from gainful.show.table import (
    BETTER_COLOUR,
    PLAIN,
    WORSE_COLOUR,
    Table,
    Terminal,
    escape_markdown,
    wrap_text,
)
from gainful.text import count_noun, pluralise

_SMALLEST_P = 1e-4  # a p that is printed as such


def to_text(comparison: Comparison, *, terminal: Terminal = PLAIN) -> str:
    """A block for each measure, then how it is known, then the convention."""
    blocks = []
    for measure in comparison.measures:
        table = tables.to_text(build_table(comparison, measure), terminal=terminal)
        lines = [
            f"{format_heading(comparison, measure)}",
            table,
            "",
            *describe_differences(comparison, measure),
        ]
        blocks.append("\n".join(lines))
    notes = "\n".join((*describe_test(comparison), *list_footnotes(comparison)))
    return "\n\n".join((*blocks, wrap_text(notes, terminal)))


def to_markdown(comparison: Comparison) -> str:
    """The same as Markdown."""
    parts = []
    for measure in comparison.measures:
        parts += [
            f"**{escape_markdown(format_heading(comparison, measure))}**",
            tables.to_markdown(build_table(comparison, measure)),
        ]
        parts += map(escape_markdown, describe_differences(comparison, measure))
    return "\n\n".join(
        (*parts, *describe_test(comparison), *map(escape_markdown, list_footnotes(comparison)))
    )


def build_rows(comparison: Comparison) -> Rows:
    """A row for each pair and measure, at full precision."""
    columns = (
        *("measure", "system", "other", pluralise(comparison.evidence.unit), "mean", "other_mean"),
        *("difference", "low", "high", "p", "corrected", "significant"),
        *("dz", "wins", "ties", "losses", "detectable", "needed"),
    )
    pair_rows = []
    for pair in comparison.pairs:
        means = dict(zip(comparison.systems, comparison.means[pair.measure].tolist(), strict=True))
        data = pair.to_dict() | {
            pluralise(comparison.evidence.unit): comparison.units[pair.measure],
            "mean": means[pair.system],
            "other_mean": means[pair.other],
            "significant": str(comparison.is_significant(pair)).lower(),
        }
        pair_rows.append([data[column] for column in columns])
    return Rows(columns, pair_rows, label_columns=3)


def format_heading(comparison: Comparison, measure: str) -> str:
    """The measure, and how many queries were compared."""
    return f"{measure}, {count_noun(comparison.units[measure], comparison.evidence.unit)}"


def build_table(comparison: Comparison, measure: str) -> Table:
    """Each system with its mean, whom it beats, and the evidence against the baseline."""
    letters, beaten_systems = comparison.letters(), comparison.systems_beaten(measure)
    system_rows = []
    pairs = [
        None
        if system == comparison.baseline
        else comparison.pair(measure, system, comparison.baseline)
        for system in comparison.systems
    ]
    means = comparison.means[measure].tolist()
    for system, mean, pair in zip(comparison.systems, means, pairs, strict=True):
        beaten_letters = " ".join(letters[other] for other in beaten_systems[system]) or "–"
        system_rows.append(
            (
                letters[system],
                system,
                f"{mean:.4f}",
                beaten_letters,
                *_format_evidence(comparison, pair),
            )
        )
    interval_heading = f"{100 * (1 - comparison.evidence.resampling.alpha):g} % interval"
    columns = (
        *("", comparison.kind, "mean", "better\nthan", "difference", interval_heading, "p"),
        *(("corrected\np",) if comparison.evidence.corrects else ()),
        *("win/tie/loss", "effect\n(dz)"),
    )
    bars = {
        2: bar_fractions(
            comparison.means[measure].tolist(), bounded=_has_upper_bound(comparison, measure)
        )
    }
    colours = {
        (row, 4): BETTER_COLOUR if pair.difference > 0 else WORSE_COLOUR
        for row, pair in enumerate(pairs)
        if pair is not None and comparison.is_significant(pair)
    }
    return Table(
        columns,
        system_rows,
        numeric=True,
        label_columns=2,
        text_columns=(3, 5),
        bars=bars,
        colours=colours,
    )


def _has_upper_bound(comparison: Comparison, measure: str) -> bool:
    recipe = comparison.results[0].recipes[measure] if comparison.results else None
    return bool(recipe is not None and getattr(recipe, "measure", recipe).entry.bounded)


def _format_evidence(comparison: Comparison, pair: Pair | None) -> tuple[str, ...]:
    has_correction = comparison.evidence.corrects
    if pair is None:
        return ("baseline", *[""] * (4 + has_correction))
    effect = pair.effect
    return (
        format_difference(pair.difference),
        format_interval(pair),
        format_p(pair.p),
        *((format_p(pair.corrected),) if has_correction else ()),
        "–" if effect is None else f"{effect.wins}/{effect.ties}/{effect.losses}",
        "–" if effect is None or effect.dz is None else f"{effect.dz:+.2f}",
    )


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


def describe_differences(comparison: Comparison, measure: str) -> list[str]:
    """Who cannot be told apart, and what so many queries can show."""
    return [
        tables.to_one_line(line)
        for line in (
            _describe_indistinguishable(comparison, measure),
            *_describe_power(comparison, measure),
        )
    ]


def _describe_indistinguishable(comparison: Comparison, measure: str) -> str:
    if not comparison.compares_all:
        pairs = [pair for pair in comparison.pairs_against() if pair.measure == measure]
        indistinguishable = [pair.system for pair in pairs if not comparison.is_significant(pair)]
        whom = f"from {comparison.baseline}"
        return (
            f"Cannot be told {whom}: {', '.join(indistinguishable)}."
            if indistinguishable
            else f"All are told {whom}."
        )
    groups = [", ".join(group) for group in comparison.alike_groups(measure) if len(group) > 1]
    more = " · …" if len(groups) >= MAX_GROUPS else ""
    return f"Cannot be told apart: {' · '.join(groups)}{more}." if groups else "All are told apart."


def _describe_power(comparison: Comparison, measure: str) -> list[str]:
    effects = {
        pair.system: pair.effect
        for pair in comparison.pairs_against()
        if pair.measure == measure and pair.effect is not None
    }
    detectable = [
        f"{system}: {effect.detectable:.4f}"
        for system, effect in effects.items()
        if effect.detectable
    ]
    needed = [
        f"{system}: {count_noun(effect.needed, comparison.evidence.paired_by)}"
        for system, effect in effects.items()
        if effect.needed
    ]
    level = f"t test at {comparison.evidence.power_level:.2g}"
    detectable_lines = [
        f"True differences found in 4 of 5 repetitions ({level}): {', '.join(detectable)}."
    ]
    sample_size = count_noun(comparison.units[measure], comparison.evidence.unit)
    needed_lines = [
        f"To find those seen in 4 of 5 repetitions: {', '.join(needed)} (here {sample_size})."
    ]
    return (detectable_lines if detectable else []) + (needed_lines if needed else [])


def describe_test(comparison: Comparison) -> list[str]:
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


def format_resamples(comparison: Comparison) -> str:
    """How often chance was asked, and which."""
    return f", {comparison.evidence.resampling.resamples} resamples, seed {comparison.evidence.resampling.seed}"


def describe_correction(comparison: Comparison) -> str:
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


def list_footnotes(comparison: Comparison) -> list[str]:
    """The convention, what was counted, and what one should know."""
    notes = [tables.to_one_line(f"Note: {note}") for note in comparison.notes]
    first = comparison.results[0]
    if isinstance(first, SessionResults):
        source_lines = show_sessions.list_footnotes(first)
    else:
        source_lines = show_results.list_footnotes(
            [results for results in comparison.results if isinstance(results, Results)]
        )
    return [*map(tables.to_one_line, source_lines), *notes]


def describe_convention(comparison: Comparison) -> str:
    """How the numbers came about, in one line."""
    first = comparison.results[0]
    if isinstance(first, SessionResults):
        return show_sessions.describe_convention(first)
    return show_results.describe_convention(first)
