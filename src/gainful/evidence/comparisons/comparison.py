"""`Comparison`: the evidence for each difference between systems, and who cannot be told apart."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from gainful.evidence.comparisons.comparison_latex import comparison_to_latex
from gainful.evidence.comparisons.comparison_values import ComparisonValues, Pair
from gainful.evidence.comparisons.comparison_words import (
    describe_test,
    format_difference,
    format_interval,
    format_p,
    list_footnotes,
)
from gainful.evidence.moves.largest_changes import changes_page
from gainful.evidence.statistics.alike_groups import MAX_GROUPS
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import BETTER_COLOUR, WORSE_COLOUR, Table, bar_fractions, to_one_line
from gainful.text import count_noun, pluralise


@frozen(eq=False, repr=False)
class Comparison(ComparisonValues, Shown):
    """Systems compared in every measure: means, and a `Pair` for each comparison.

    `pairs_against(baseline)` are the pairs of one system, `alike_groups(measure)` the groups that
    cannot be told apart, `systems_beaten(measure)` whom each system beats, `frame` all pairs as a
    table.
    """

    def page(self) -> Page:
        """A table for each measure, who cannot be told apart, and how it is known."""
        return comparison_page(self)

    def summary(self) -> Page:
        """The differences from the baseline in a few lines."""
        return summary_page(self)


def comparison_page(comparison: Comparison) -> Page:
    """A section for each measure; the queries that changed most, if they were asked for, below."""
    changes = changes_page(comparison.largest_changes) if comparison.largest_changes else None
    return Page(
        sections=[lambda _: _list_sections(comparison)],
        notes=(*describe_test(comparison), *list_footnotes(comparison)),
        rows=(lambda: _list_rows(comparison)) if changes is None else changes.rows,
        data=lambda: _build_data(comparison),
        renderers={"latex": lambda: comparison_to_latex(comparison)},
        appendix=changes,
    )


def _list_sections(comparison: Comparison) -> list[Section]:
    return [
        Section(
            format_heading(comparison, measure),
            build_table(comparison, measure),
            describe_differences(comparison, measure),
            strong=True,
        )
        for measure in comparison.measures
    ]


def summary_page(comparison: Comparison) -> Page:
    """The differences from the baseline in a few lines, for a prompt or a notebook."""
    subject = f"{count_noun(len(comparison.systems), 'system')}, baseline {comparison.baseline}"
    headline = f"Comparison of {subject}, {comparison.evidence.test_words}"
    lines = [
        f"{pair.measure}: {pair.system} {pair.difference:+.4f}, "
        f"p = {pair.corrected:.4f}{' *' if comparison.is_significant(pair) else ''}"
        for pair in comparison.pairs_against()
    ]
    evidence = comparison.evidence
    remarks = (
        f"{100 * (1 - evidence.resampling.alpha):g} % intervals: {evidence.interval}",
        *((f"p is corrected: {evidence.correction_words}",) * evidence.corrects),
        *comparison.notes,
    )
    return Page(
        sections=[
            Section(lines=(headline, *lines, *comparison.notes), forms=("table",)),
            Section(headline, _build_summary_table(comparison), remarks, forms=("html",)),
        ]
    )


def _build_summary_table(comparison: Comparison) -> Table:
    letters = comparison.letters()
    columns = ("measure", comparison.kind, "mean", "difference", "interval", "p", "better than")
    rows = []
    for measure in comparison.measures:
        beaten = comparison.systems_beaten(measure)
        means = comparison.means[measure].tolist()
        for system, mean in zip(comparison.systems, means, strict=True):
            cells = ("baseline", "", "")
            if system != comparison.baseline:
                cells = _summarise_pair(comparison.pair(measure, system, comparison.baseline))
            better = " ".join(letters[other] for other in beaten[system])
            rows.append((measure, f"{letters[system]} {system}", f"{mean:.4f}", *cells, better))
    return Table(columns, rows, numeric=True, label_columns=2)


def _summarise_pair(pair: Pair) -> tuple[str, str, str]:
    interval = "–"
    if pair.low is not None and pair.high is not None:
        interval = f"{pair.low:+.4f} … {pair.high:+.4f}"
    return f"{pair.difference:+.4f}", interval, format_p(pair.corrected)


def _build_data(comparison: Comparison) -> dict[str, Any]:
    if not comparison.largest_changes:
        return comparison.to_dict()
    changes = [change.to_dict() for change in comparison.largest_changes]
    return comparison.to_dict() | {"most_changed": changes}


def _list_rows(comparison: Comparison) -> Table:
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
    return Table(columns, pair_rows, numeric=True, label_columns=3)


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
            comparison.means[measure].tolist(), bounded=measure in comparison.bounded_measures
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


def describe_differences(comparison: Comparison, measure: str) -> list[str]:
    """Who cannot be told apart, and what so many queries can show."""
    return [
        to_one_line(line)
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
