"""Tables and sentences of a comparison within groups of queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.evidence.comparisons.comparison_values import (
    GroupComparison,
    GroupInteraction,
    GroupPair,
    format_difference,
    format_interval,
)
from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.measure.groups import MOST_GROUPS, name_apart, name_others
from gainful.page.page import Section
from gainful.page.table import Table
from gainful.text import count_noun, format_p, pluralise, relate_p


def list_sections(groups: GroupComparison, measures: Sequence[str], baseline: str) -> list[Section]:
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
            table = _build_table(groups, pairs)
            lines = [_describe_interaction(groups, item) for item in interactions]
            sections.append(Section(f"{measure} by {groups.by}", table, lines, strong=True))
    return sections


def _build_table(groups: GroupComparison, pairs: Sequence[GroupPair]) -> Table:
    """The largest groups, and the means of all others as one, which is not tested."""
    sizes = {item.group: item.units for item in pairs}
    largest = sorted(sizes, key=lambda group: -sizes[group])[:MOST_GROUPS]
    others = name_apart(name_others(len(sizes)), largest)
    rows: list[tuple[str, ...]] = [
        (
            *(item.group, item.pair.system, str(item.units)),
            *(f"{item.mean:.4f}", f"{item.other_mean:.4f}"),
            *(format_difference(item.pair.difference), format_interval(item.pair)),
            *(format_p(item.pair.p), format_p(item.pair.p_corrected)),
        )
        for item in pairs
        if item.group in largest
    ]
    for system in dict.fromkeys(item.pair.system for item in pairs):
        left = [item for item in pairs if item.group not in largest and item.pair.system == system]
        if left:
            rows.append((others, system, *_average(left), *["–"] * 4))
    interval = f"{100 * (1 - groups.alpha):g} % interval"
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


def _describe_interaction(groups: GroupComparison, item: GroupInteraction) -> str:
    size = "" if item.f is None else f"F = {item.f:.2f}, "
    depends = "depends on" if item.p <= groups.alpha else "is not shown to depend on"
    difference = f"The difference of {item.system} and {item.other}"
    return f"{difference} {depends} {groups.by} ({size}p {relate_p(item.p)})."


def describe_groups(groups: GroupComparison) -> list[str]:
    """How p was corrected within groups, what the interaction is, and what is not shown."""
    if not groups.pairs:
        return []
    correction = CORRECTIONS[groups.correction]
    text = f"Within groups: p corrected over {count_noun(groups.family, 'comparison')}"
    text += f" ({correction.words})"
    text += f" · {correction.interval_kind}" if correction.interval_kind else ""
    if groups.interactions:
        permuted = f"groups permuted over {pluralise(groups.unit)}"
        text += f" · dependence on the group: one-way F, {permuted}, not corrected"
    number = len({item.group for item in groups.pairs})
    folded = f"{number} groups: tables show the largest {MOST_GROUPS}, and the others as one, "
    folded += "which is not tested; CSV and JSON have all"
    return [text, *([f"Note: {folded}"] if number > MOST_GROUPS else [])]
