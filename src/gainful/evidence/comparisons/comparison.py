"""`Comparison`: the evidence for each difference between systems, and groups without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from attrs import frozen

from gainful.evidence.comparisons.comparison_answer import (
    describe_comparison,
    find_smallest_p,
    label_system,
)
from gainful.evidence.comparisons.comparison_values import (
    AT_ODDS,
    MAX_GROUPS,
    ComparisonValues,
    Equivalence,
    GroupComparison,
    GroupPair,
    Pair,
    format_difference,
    format_interval,
)
from gainful.evidence.reasons.largest_changes import changes_page
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.outcome import Resampling
from gainful.measure.groups import MOST_GROUPS, name_apart, name_others
from gainful.measure.results import find_leaders, name_best
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, refuse_truth
from gainful.page.table import BETTER_COLOUR, WORSE_COLOUR, Table, bar_fractions, to_one_line
from gainful.text import count_noun, format_p, format_range, mark_notes, pluralise, relate_p

if TYPE_CHECKING:
    import altair as alt

_MAX_SYSTEMS = 4  # systems of which a line gives a value each
_EQUIVALENCE_COLUMNS = (
    *("margin", "equivalence_p", "equivalence_p_corrected", "equivalent"),
    *("p_better", "p_same", "p_worse"),
)


@frozen(eq=False, repr=False)
class Comparison(ComparisonValues, Shown):
    """Systems compared in every measure: means, and a `Pair` for each comparison.

    `pairs_against(baseline)` are the pairs of one system, `alike_groups(measure)` the groups
    without a significant difference, `systems_beaten(measure)` the systems that each one beats,
    `frame` all pairs as a table.
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
        groups = self.groups
        changes = changes_page(self.largest_changes) if self.largest_changes else None
        sentences = (describe_comparison(self), describe_equivalence(self))
        moved = [change.to_dict() for change in self.largest_changes]
        more = {"most_changed": moved} if moved else {}
        return Page(
            answer=" ".join(filter(None, sentences)),
            sections=[
                lambda _: [
                    Section(
                        f"{measure}, {self.count_units(measure)}",
                        build_table(self, measure),
                        describe_differences(self, measure, verbose=verbose),
                        strong=True,
                        forms=() if full else ("table",),
                        caption=_format_full_caption(self, measure),
                        label=f"tab:comparison-{number}",
                    )
                    for number, measure in enumerate(self.measures, 1)
                ],
                *([] if full else _list_matrix(self)),
                *list_equivalence(self),
                *([] if groups is None else list_groups(groups, self.measures, self.baseline)),
            ],
            notes=(
                *describe_test(self, verbose=verbose),
                *([] if groups is None else describe_groups(groups)),
                *describe_method(self),
                *list_footnotes(self, verbose=verbose),
            ),
            rows=(lambda: _list_rows(self)) if changes is None else changes.rows,
            data=lambda: self.to_dict() | more,
            appendix=changes,
        )

    if not TYPE_CHECKING:  # a type checker knows that there is no such thing

        def __getitem__(self, name: object) -> NoReturn:
            measure = name if name in self.measures else self.measures[0]
            advice = f"comparison.frame.filter(measure={measure!r}) has the pairs of a measure"
            raise TypeError(f"a Comparison has no [{name!r}]; {advice}")

    def plot(self, **options: Any) -> alt.TopLevelMixin:
        """The difference of each system to the baseline, with its interval.

        Args:
            **options: of `gainful.figures.comparison`: title, caption, size, width, height, dark.
        """
        import gainful  # noqa: PLC0415

        return gainful.figures.comparison(self, **options)

    def list_expressions(self) -> dict[str, str]:
        """Where the numbers of pairs are, for those who look for them here."""
        rows = ".frame, in which every pair has its p, difference, low and high"
        pair = "comparison.is_significant(pair) for one of comparison.pairs"
        of_pairs = ("p", "p_value", "p_values", "pvalue", "pvalues", "differences", "results")
        guesses = dict.fromkeys((*of_pairs, "ci", "confidence_interval", "interval"), rows)
        return guesses | dict.fromkeys(("significant", "significance"), pair)


def _list_matrix(comparison: Comparison) -> list[Section]:
    """Systems by measures; the caption of a paper says what letters mean, elsewhere a line does."""
    matrix = Section(
        table=_build_matrix(comparison),
        forms=("markdown", "html", "latex"),
        caption=format_caption(comparison),
        label="tab:comparison",
    )
    letters = f"the {pluralise(comparison.kind)} that it is significantly better than"
    marks = f"Bold: {name_best(comparison.directions)}. Letters after a mean: {letters}."
    return [matrix, Section(lines=[marks], forms=("markdown", "html"))]


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


def _list_rows(comparison: Comparison) -> Table:
    units = pluralise(comparison.unit)
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
        *(("group",) if comparison.groups else ()),
    )
    records = []
    for pair in comparison.pairs:
        means = dict(zip(comparison.systems, comparison.means[pair.measure].tolist(), strict=True))
        record = {units: comparison.units[pair.measure]} | comparison.pair_to_dict(pair)
        record |= {
            "mean": means[pair.system],
            "other_mean": means[pair.other],
            "significant": str(comparison.is_significant(pair)).lower(),
            "clusters": comparison.clusters.get(pair.measure),
            "better": comparison.direction(pair.measure).better_is,
        }
        if pair.equivalence is not None:
            record["equivalent"] = str(record["equivalent"]).lower()
        records.append(record)
    records += [
        record | {"significant": str(record["significant"]).lower()}
        for record in (() if comparison.groups is None else comparison.groups.to_dict()["pairs"])
    ]
    return Table.from_records(columns, records, label_columns=3)


def build_table(comparison: Comparison, measure: str) -> Table:
    """Each system with its mean, whom it beats, and the evidence against the baseline."""
    letters, beaten_systems = comparison.letters(), comparison.systems_beaten(measure)
    means, base = comparison.means[measure].tolist(), comparison.baseline
    pairs = [
        None if system == base else comparison.pair(measure, system, base)
        for system in comparison.systems
    ]
    counted = pluralise(comparison.unit_in_words)
    number = comparison.paired_units.get(measure)
    has_counts = any(pair.counts.get(counted, number) != number for pair in comparison.pairs)
    rows = []
    for system, mean, pair in zip(comparison.systems, means, pairs, strict=True):
        beaten = " ".join(letters[other] for other in beaten_systems[system]) or "–"
        cells = (letters[system], system, f"{mean:.4f}", beaten)
        count = "" if pair is None or not has_counts else str(pair.counts[counted])
        rows.append((*cells, *_format_evidence(comparison, pair), *([count] if has_counts else [])))
    interval_heading = f"{comparison.evidence.resampling.level} interval"
    word = comparison.direction(measure).better
    columns = (
        *("", comparison.kind, "mean", f"{word}\nthan", "difference", interval_heading, "p"),
        *(("corrected\np",) if comparison.evidence.corrects else ()),
        *("win/tie/loss", "effect\n(dz)"),
        *((counted,) if has_counts else ()),
    )
    colours = {
        (row, 4): BETTER_COLOUR if comparison.is_for_the_better(pair) else WORSE_COLOUR
        for row, pair in enumerate(pairs)
        if pair is not None and comparison.is_significant(pair)
    }
    return Table(
        columns,
        rows,
        numeric=True,
        label_columns=2,
        text_columns=(3, 5),
        bars={2: bar_fractions(means, bounded=measure in comparison.bounded_measures)},
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
        format_interval(pair, is_significant=comparison.is_significant(pair)),
        format_p(pair.p),
        *((format_p(pair.p_corrected),) if has_correction else ()),
        "–" if effect is None else f"{effect.wins}/{effect.ties}/{effect.losses}",
        "–" if effect is None or effect.dz is None else f"{effect.dz:+.2f}",
    )


def describe_differences(
    comparison: Comparison, measure: str, *, verbose: bool = False
) -> list[str]:
    """Groups without a significant difference, and the detectable difference."""
    pairs = [pair for pair in comparison.pairs_against() if pair.measure == measure]
    return [
        to_one_line(line)
        for line in (
            *describe_mark(map(comparison.is_at_odds, pairs)),
            _describe_indistinguishable(comparison, measure, pairs),
            *_describe_power(comparison, measure, pairs, verbose=verbose),
            *describe_interaction(comparison, measure),
        )
    ]


def describe_mark(at_odds: Iterable[bool]) -> list[str]:
    """What the mark behind an interval says, if one of the pairs of a table has it."""
    return [f"{AT_ODDS} Significant, though the interval includes 0."] if any(at_odds) else []


def _describe_indistinguishable(comparison: Comparison, measure: str, pairs: Sequence[Pair]) -> str:
    if not comparison.compares_all:
        indistinguishable = [pair.system for pair in pairs if not comparison.is_significant(pair)]
        whom = f"from {comparison.baseline}"
        if indistinguishable:
            return f"No significant difference {whom}: {', '.join(indistinguishable)}."
        return f"All differ significantly {whom}."
    groups = [group for group in comparison.alike_groups(measure) if len(group) > 1]
    kind = comparison.kind
    is_labelled = any(label_system(kind, name) != name for group in groups for name in group)
    whom = f" between {pluralise(kind)}" if is_labelled else ""
    more = ", …" if len(groups) >= MAX_GROUPS else ""
    alike = f"No significant difference{whom}: {', '.join(map('–'.join, groups))}{more}."
    return alike if groups else "Every pair differs significantly."


def _describe_power(
    comparison: Comparison, measure: str, pairs: Sequence[Pair], *, verbose: bool
) -> list[str]:
    """The smallest difference to the baseline that this number of queries would detect."""
    detectable = {
        pair.system: pair.effect.detectable
        for pair in pairs
        if pair.effect is not None and pair.effect.detectable
    }
    if not detectable:
        return []
    smallest = " to ".join(f"{end(detectable.values()):.3f}" for end in (min, max))
    if len(detectable) <= _MAX_SYSTEMS:
        smallest = ", ".join(
            f"{value:.3f} ({label_system(comparison.kind, name)})"
            for name, value in detectable.items()
        )
    if measure in comparison.bounded_measures and min(detectable.values()) >= 1:
        smallest = f"none: too few {pluralise(comparison.unit_in_words)}"
    alpha = comparison.evidence.resampling.alpha
    units = comparison.clusters.get(measure, comparison.units[measure])
    if find_smallest_p(comparison, units) > alpha:
        number = comparison.count_units(measure)
        smallest = f"none: with {number} this test cannot reach {alpha:g}"
    level = f"; t test at {comparison.evidence.power_level:.2g}" if verbose else ""
    power = f"{100 * comparison.evidence.method.power:g} % power"
    return [f"Detectable difference at {power}: {smallest}{level}."]


def describe_test(comparison: ComparisonValues, *, verbose: bool = False) -> list[str]:
    """Which test, corrected how, at which level; with all its numbers if `verbose`."""
    evidence = comparison.evidence
    words = evidence.test_words[0].upper() + evidence.test_words[1:]
    alpha = evidence.resampling.alpha
    error = evidence.p_error(alpha)
    by_chance = "" if error is None else f" (p is simulated; ± {error:.4f} near {alpha:g})"
    significance = f"significant at p ≤ {alpha:g}{by_chance}"
    parts = [words, describe_correction(comparison), significance]
    if evidence.corrects and not verbose and CORRECTIONS[evidence.correction].interval_kind:
        parts.insert(2, CORRECTIONS[evidence.correction].interval_kind)
    if comparison.cluster is not None:
        parts.insert(1, "whole clusters of queries")
    if evidence.standardised is not None:
        parts.append(evidence.standardised)
    if verbose:
        resampling = evidence.resampling
        draws = f", {resampling.resamples} resamples, seed {resampling.seed}"
        draws = draws if evidence.method.takes_resamples else ""
        drawing = ", all arrangements" if evidence.exact else draws
        parts[0] = f"{words}, two-sided{drawing}"
        parts.append(f"{evidence.resampling.level} intervals: {evidence.interval}")
        if comparison.paired_by != comparison.unit:
            parts.append(f"wins and dz by {comparison.paired_by}")
    return [" · ".join(parts)]


def describe_interaction(comparison: ComparisonValues, measure: str) -> list[str]:
    """How far differences vary by scenario: p says nothing of other scenarios."""
    interaction = comparison.interactions.get(measure)
    if interaction is None:
        return []
    levels = count_noun(interaction.levels, interaction.column)
    scope = f"p is for these {pluralise(interaction.column)}"
    if interaction.sd is None:
        return [f"The variation of differences over the {levels} cannot be estimated; {scope}."]
    p = "" if interaction.p is None else f"interaction p {relate_p(interaction.p)}"
    if not interaction.sd:
        chance = "no more than expected by chance" + (f" ({p})" if p else "")
        return [f"Over the {levels} differences vary {chance}; {scope}."]
    size = f"{interaction.sd:.4f} (sd{f'; {p}' if p else ''})"
    return [f"Over the {levels} differences vary by {size}; {scope}."]


def format_caption(comparison: ComparisonValues) -> str:
    """What a table of systems by measures shows, and how it is known, in two sentences."""
    sizes = format_range(list(comparison.units.values()))
    units = comparison.unit if sizes == "1" else pluralise(comparison.unit)
    if comparison.clusters:
        units += f" in {format_range(list(comparison.clusters.values()))} clusters"
    first = f"Means over {sizes} {units}, {name_best(comparison.directions)} bold"
    kind = pluralise(comparison.kind)
    return (
        f"{first}. Letters name the {kind} that are significantly worse ({_name_test(comparison)})."
    )


def _format_full_caption(comparison: ComparisonValues, measure: str) -> str:
    """What a table of the differences in one measure shows, and how they are tested."""
    size, baseline = comparison.count_units(measure), comparison.baseline
    return f"{measure} of {size}, with differences from {baseline} ({_name_test(comparison)})."


def _name_test(comparison: ComparisonValues) -> str:
    evidence, correction = comparison.evidence, describe_correction(comparison)
    return f"two-sided {evidence.test_words}, {correction}, α = {evidence.resampling.alpha:g}"


def describe_correction(comparison: ComparisonValues) -> str:
    """How p is corrected, over how many comparisons of which family."""
    evidence = comparison.evidence
    several = len(comparison.measures) > 1
    if evidence.test == TUKEY:
        measures = count_noun(len(comparison.measures), "measure")
        over = f", corrected by {CORRECTIONS[evidence.correction].words} over {measures}"
        family = "" if evidence.corrects or not several else " of each measure"
        return f"p family-wise over pairs{family}{over if evidence.corrects else ''}"
    if not evidence.corrects:
        return "p not corrected"
    over = f"the {evidence.family} pairs"
    if several and evidence.method.family == "measure":
        over += " of each measure"
    elif several:
        over = f"{evidence.family} comparisons of all measures"
    return f"p corrected by {CORRECTIONS[evidence.correction].words} over {over}"


def list_footnotes(comparison: ComparisonValues, *, verbose: bool = False) -> list[str]:
    """The convention, what was counted, and what one should know."""
    notes = mark_notes(comparison.notes)
    footnotes = comparison.all_footnotes if verbose else comparison.footnotes
    return [to_one_line(line) for line in (*footnotes, *notes)]


_MAX_PAIR_NAMES = 2  # pairs that a sentence names; of more it says how many
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
    by_measure = (find_equivalences(comparison, measure) for measure in comparison.measures)
    asked = next(filter(None, by_measure), [])
    same = [pair for pair, _ in asked if comparison.is_equivalent(pair)]
    if not asked:
        return ""
    (pair, equivalence), *others = asked
    within = f"within {equivalence.margin:g}"
    if not others:
        verb = "are" if same else "are not shown to be"
        who = f"{pair.system} and {pair.other} {verb} practically the same in {pair.measure}"
        evidence = f"TOST, p {relate_p(equivalence.p_corrected)}"
        return f"{who}: {within} ({evidence})."
    names, rest = [f"{pair.system} and {pair.other}" for pair in same], len(asked) - len(same)
    not_shown = f"; not shown for {count_noun(rest, 'other pair')}" if names and rest else ""
    pairs = "; ".join(names) if len(names) <= _MAX_PAIR_NAMES else f"{len(names)} pairs"
    return f"Practically the same in {pair.measure}, {within}: {pairs or 'no pair'}{not_shown}."


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


def list_groups(groups: GroupComparison, measures: Sequence[str], baseline: str) -> list[Section]:
    """A table of each measure, and what depends on the group."""
    sections = []
    for measure in measures:
        pairs = [
            item
            for item in groups.pairs
            if (item.pair.measure, item.pair.other) == (measure, baseline)
        ]
        interactions = [item for item in groups.interactions if item.measure == measure]
        if pairs:
            table = _build_group_table(groups, pairs)
            lines = describe_mark(
                groups.is_significant(item) and item.pair.includes_zero for item in pairs
            )
            for item in interactions:
                size = "" if item.f is None else f"F = {item.f:.2f}, "
                systems = f"between {item.system} and {item.other}"
                sentence = f"No evidence that the difference {systems} depends on"
                if item.p <= groups.alpha:
                    sentence = f"The difference {systems} depends on"
                lines.append(f"{sentence} {groups.by} ({size}p {relate_p(item.p)}).")
            sections.append(Section(f"{measure} by {groups.by}", table, lines, strong=True))
    return sections


def _build_group_table(groups: GroupComparison, pairs: Sequence[GroupPair]) -> Table:
    """The largest groups, and the means of all others as one, which is not tested."""
    sizes = {item.group: item.units for item in pairs}
    largest = sorted(sizes, key=lambda group: -sizes[group])[:MOST_GROUPS]
    others = name_apart(name_others(len(sizes)), largest)
    rows: list[tuple[str, ...]] = [
        (
            *(item.group, item.pair.system, str(item.units)),
            *(f"{item.mean:.4f}", f"{item.other_mean:.4f}"),
            format_difference(item.pair.difference),
            format_interval(item.pair, is_significant=groups.is_significant(item)),
            *(format_p(item.pair.p), format_p(item.pair.p_corrected)),
        )
        for item in pairs
        if item.group in largest
    ]
    for system in dict.fromkeys(item.pair.system for item in pairs):
        left = [item for item in pairs if item.group not in largest and item.pair.system == system]
        if left:
            rows.append((others, system, *_average(left), *["–"] * 4))
    interval = f"{Resampling(groups.alpha).level} interval"
    heads = (
        *(groups.by, "", pluralise(groups.unit), "mean", f"mean of\n{pairs[0].pair.other}"),
        *("difference", interval, "p", "corrected\np"),
    )
    return Table(
        heads,
        rows,
        numeric=True,
        label_columns=2,
        text_columns=(6,),
        expendable=("p", pluralise(groups.unit)),
    )


def _average(pairs: Sequence[GroupPair]) -> tuple[str, str, str]:
    units = [item.units for item in pairs]
    mean = np.average([item.mean for item in pairs], weights=units)
    other = np.average([item.other_mean for item in pairs], weights=units)
    return str(sum(units)), f"{mean:.4f}", f"{other:.4f}"


def describe_groups(groups: GroupComparison) -> list[str]:
    """How p was corrected within groups, what the interaction is, and what is not shown."""
    if not groups.pairs:
        return []
    correction = CORRECTIONS[groups.correction]
    text = "Within groups: p not corrected"
    if groups.correction != "none":
        number = count_noun(groups.family, "comparison")
        text = f"Within groups: p corrected over {number} ({correction.words})"
    text += f" · {correction.interval_kind}" if correction.interval_kind else ""
    if groups.interactions:
        over = pluralise(groups.unit)
        if groups.clustered:
            over = "clusters, or only within those of several groups if there are any"
        text += f" · dependence on the group: one-way F, groups permuted over {over}, not corrected"
    labels = {item.group for item in groups.pairs}
    folded = f"{len(labels)} groups: tables show the largest {MOST_GROUPS}, and the others as one, "
    folded += "which is not tested; CSV and JSON have all"
    return [text, *([f"Note: {folded}"] if len(labels) > MOST_GROUPS else [])]
