"""`Comparison`: the evidence for each difference between systems, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from gainful.evidence.comparisons.comparison_answer import describe_comparison
from gainful.evidence.comparisons.comparison_values import ComparisonValues, Pair
from gainful.evidence.comparisons.comparison_words import (
    describe_equivalence,
    describe_interaction,
    describe_marks,
    describe_method,
    describe_test,
    format_caption,
    format_difference,
    format_interval,
    format_p,
    list_equivalence,
    list_footnotes,
)
from gainful.evidence.moves.largest_changes import changes_page
from gainful.evidence.statistics.alike_groups import MAX_GROUPS
from gainful.measure.results import find_leaders
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, refuse_truth
from gainful.page.table import BETTER_COLOUR, WORSE_COLOUR, Table, bar_fractions, to_one_line
from gainful.text import pluralise

_MAX_SYSTEMS = 4  # systems of which a line gives a value each
_EQUIVALENCE_COLUMNS = (
    *("margin", "equivalence_p", "equivalence_p_corrected", "equivalent"),
    *("p_better", "p_same", "p_worse"),
)


@frozen(eq=False, repr=False)
class Comparison(ComparisonValues, Shown):
    """Systems compared in every measure: means, and a `Pair` for each comparison.

    `pairs_against(baseline)` are the pairs of one system, `alike_groups(measure)` the groups that
    cannot be told apart, `systems_beaten(measure)` whom each system beats, `frame` all pairs as a
    table.
    """

    __bool__ = refuse_truth(
        "comparison.is_significant(pair) or .is_equivalent(pair) of one of comparison.pairs"
    )

    def page(self, *, full: bool = False, verbose: bool = False) -> Page:
        """Who is better, the means with letters for whom each beats, and how it is known.

        Args:
            full: intervals, p and effect sizes in every format, not only on a terminal.
            verbose: the whole convention, how intervals were found, how many queries are needed.
        """
        changes = changes_page(self.largest_changes) if self.largest_changes else None
        sentences = (describe_comparison(self), describe_equivalence(self))
        return Page(
            answer=" ".join(filter(None, sentences)),
            sections=[
                lambda _: _list_evidence(self, full=full, verbose=verbose),
                *([] if full else _list_matrix(self)),
                *list_equivalence(self),
            ],
            notes=(
                *describe_test(self, verbose=verbose),
                *describe_method(self),
                *list_footnotes(self, verbose=verbose),
            ),
            rows=(lambda: _list_rows(self)) if changes is None else changes.rows,
            data=lambda: _build_data(self),
            appendix=changes,
        )

    def list_expressions(self) -> dict[str, str]:
        """Where pictures and p-values are, for who looks for them here."""
        rows = ".frame, in which every pair has its p"
        plot = {"plot": "gainful.figures.differences(qrels, runs)"}
        return plot | dict.fromkeys(("p", "p_value", "p_values", "pvalue", "pvalues"), rows)


def _list_evidence(comparison: Comparison, *, full: bool, verbose: bool) -> list[Section]:
    return [
        Section(
            format_heading(comparison, measure),
            build_table(comparison, measure),
            describe_differences(comparison, measure, verbose=verbose),
            strong=True,
            forms=() if full else ("table",),
        )
        for measure in comparison.measures
    ]


def _list_matrix(comparison: Comparison) -> list[Section]:
    """Systems by measures; the caption of a paper says what letters mean, elsewhere a line does."""
    matrix = Section(
        table=_build_matrix(comparison),
        forms=("markdown", "html", "latex"),
        caption=format_caption(comparison),
        label="tab:comparison",
    )
    return [matrix, Section(lines=[describe_marks(comparison)], forms=("markdown", "html"))]


def _build_matrix(comparison: Comparison) -> Table:
    """A row for each system: the best means bold, a letter for each system that it beats."""
    letters, bold, superscripts = comparison.letters(), set(), {}
    for column, measure in enumerate(comparison.measures, start=2):
        means = dict(zip(comparison.systems, comparison.means[measure].tolist(), strict=True))
        beaten = comparison.systems_beaten(measure)
        for row, system in enumerate(comparison.systems):
            if system in find_leaders(means, comparison.direction(measure)):
                bold.add((row, column))
            if beaten[system]:
                superscripts[row, column] = "".join(letters[other] for other in beaten[system])
    rows = [
        (letters[system], system, *(float(comparison.means[m][row]) for m in comparison.measures))
        for row, system in enumerate(comparison.systems)
    ]
    columns = ("", comparison.kind, *comparison.measures)
    return Table(
        columns,
        rows,
        numeric=True,
        label_columns=2,
        bold=frozenset(bold),
        superscripts=superscripts,
    )


def _build_data(comparison: Comparison) -> dict[str, Any]:
    if not comparison.largest_changes:
        return comparison.to_dict()
    changes = [change.to_dict() for change in comparison.largest_changes]
    return comparison.to_dict() | {"most_changed": changes}


def _list_rows(comparison: Comparison) -> Table:
    """A row for each pair and measure, at full precision."""
    units = pluralise(comparison.evidence.unit)
    counted = [*dict.fromkeys((units, *comparison.pairs[0].counts))]
    has_margin = any(pair.equivalence is not None for pair in comparison.pairs)
    has_lower = any(comparison.direction(measure).is_lower for measure in comparison.measures)
    columns = (
        *("measure", "system", "other", *counted, "mean", "other_mean"),
        *("difference", "low", "high", "p", "p_corrected", "significant"),
        *("dz", "wins", "ties", "losses", "detectable", "p_error", "p_corrected_error"),
        *(("clusters",) if comparison.clusters else ()),
        *(_EQUIVALENCE_COLUMNS if has_margin else ()),
        *(("better",) if has_lower else ()),
    )
    pair_rows = []
    for pair in comparison.pairs:
        means = dict(zip(comparison.systems, comparison.means[pair.measure].tolist(), strict=True))
        data = dict.fromkeys(_EQUIVALENCE_COLUMNS) | {units: comparison.units[pair.measure]}
        data |= comparison.pair_to_dict(pair)
        data |= {
            "mean": means[pair.system],
            "other_mean": means[pair.other],
            "significant": str(comparison.is_significant(pair)).lower(),
            "clusters": comparison.clusters.get(pair.measure),
            "better": comparison.direction(pair.measure).better_is,
        }
        if pair.equivalence is not None:
            data["equivalent"] = str(data["equivalent"]).lower()
        pair_rows.append([data[column] for column in columns])
    return Table(columns, pair_rows, numeric=True, label_columns=3)


def format_heading(comparison: Comparison, measure: str) -> str:
    """The measure, and how many queries were compared, in how many clusters."""
    return f"{measure}, {comparison.count_units(measure)}"


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
    has_counts = _has_unequal_counts(comparison, measure)
    for system, mean, pair in zip(comparison.systems, means, pairs, strict=True):
        beaten_letters = " ".join(letters[other] for other in beaten_systems[system]) or "–"
        system_rows.append(
            (
                letters[system],
                system,
                f"{mean:.4f}",
                beaten_letters,
                *_format_evidence(comparison, pair),
                *((_format_count(comparison, pair),) if has_counts else ()),
            )
        )
    interval_heading = f"{comparison.evidence.method.resampling.level} interval"
    word = comparison.direction(measure).better
    columns = (
        *("", comparison.kind, "mean", f"{word}\nthan", "difference", interval_heading, "p"),
        *(("corrected\np",) if comparison.evidence.corrects else ()),
        *("win/tie/loss", "effect\n(dz)"),
        *((pluralise(comparison.unit_in_words),) if has_counts else ()),
    )
    bars = {
        2: bar_fractions(
            comparison.means[measure].tolist(), bounded=measure in comparison.bounded_measures
        )
    }
    colours = {
        (row, 4): BETTER_COLOUR if comparison.is_for_the_better(pair) else WORSE_COLOUR
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
        expendable=(
            *(("p",) if comparison.evidence.corrects else ()),
            *("win/tie/loss", "effect\n(dz)", interval_heading),
        ),
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
        *((format_p(pair.p_corrected),) if has_correction else ()),
        "–" if effect is None else f"{effect.wins}/{effect.ties}/{effect.losses}",
        "–" if effect is None or effect.dz is None else f"{effect.dz:+.2f}",
    )


def _has_unequal_counts(comparison: Comparison, measure: str) -> bool:
    number = comparison.paired_units.get(measure)
    units = pluralise(comparison.unit_in_words)
    return any(pair.counts.get(units, number) != number for pair in comparison.pairs)


def _format_count(comparison: Comparison, pair: Pair | None) -> str:
    return "" if pair is None else str(pair.counts[pluralise(comparison.unit_in_words)])


def describe_differences(
    comparison: Comparison, measure: str, *, verbose: bool = False
) -> list[str]:
    """Who cannot be told apart, and what so many queries can show."""
    return [
        to_one_line(line)
        for line in (
            _describe_indistinguishable(comparison, measure),
            *_describe_power(comparison, measure, verbose=verbose),
            *describe_interaction(comparison, measure),
        )
    ]


def _describe_indistinguishable(comparison: Comparison, measure: str) -> str:
    if not comparison.compares_all:
        pairs = [pair for pair in comparison.pairs_against() if pair.measure == measure]
        indistinguishable = [pair.system for pair in pairs if not comparison.is_significant(pair)]
        whom = f"from {comparison.baseline}"
        if indistinguishable:
            return f"Cannot be told {whom}: {', '.join(indistinguishable)}."
        return f"All are told {whom}."
    groups = [", ".join(group) for group in comparison.alike_groups(measure) if len(group) > 1]
    more = " · …" if len(groups) >= MAX_GROUPS else ""
    return f"Cannot be told apart: {' · '.join(groups)}{more}." if groups else "All are told apart."


def _describe_power(comparison: Comparison, measure: str, *, verbose: bool) -> list[str]:
    """The smallest difference to the baseline that so many queries would show, mostly."""
    detectable = {
        pair.system: pair.effect.detectable
        for pair in comparison.pairs_against()
        if pair.measure == measure and pair.effect is not None and pair.effect.detectable
    }
    if not detectable:
        return []
    smallest = _format_by_system(detectable, ".3f")
    if measure in comparison.bounded_measures and min(detectable.values()) >= 1:
        smallest = f"none, with so few {pluralise(comparison.unit_in_words)}"
    level = f"; t test at {comparison.evidence.power_level:.2g}" if verbose else ""
    power = f"{100 * comparison.evidence.method.power:g} % power"
    return [f"Detectable difference at {power}: {smallest}{level}."]


def _format_by_system(values: Mapping[str, float], spec: str) -> str:
    if len(values) <= _MAX_SYSTEMS:
        return ", ".join(f"{format(value, spec)} ({name})" for name, value in values.items())
    low, high = (format(end(values.values()), spec) for end in (min, max))
    return f"{low} to {high}"
