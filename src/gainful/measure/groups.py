"""Values by group of queries: tables for people, which fold many groups, and for programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gainful.measure.values import Results
from gainful.page.table import Table
from gainful.text import count_noun, join_words, pluralise, quote
from gainful.types import Flags, finite_or_none

MOST_GROUPS = 8  # in a table or a figure; of more, the largest
_MOST_NAMED = 3  # groups that a line names
ALL = "all"  # the row of all units


def fold_groups(flags: Mapping[str, Flags]) -> dict[str, Flags]:
    """The largest groups, and all others as one.

    Examples:
        >>> few = {label: np.array([label == "a", True]) for label in "abcdefghij"}
        >>> list(fold_groups(few))
        ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'others (2 groups)']
    """
    if len(flags) <= MOST_GROUPS:
        return dict(flags)
    by_size = sorted(flags, key=lambda label: -int(flags[label].sum()))
    largest = {*by_size[:MOST_GROUPS]}
    kept = {label: some for label, some in flags.items() if label in largest}
    others = np.any([flags[label] for label in by_size[MOST_GROUPS:]], axis=0)
    return {**kept, name_apart(name_others(len(flags)), kept): others}


def name_others(number: int) -> str:
    """What those of so many groups are called that are not shown."""
    return f"others ({count_noun(number - MOST_GROUPS, 'group')})"


def name_apart(name: str, groups: Collection[str]) -> str:
    """What all or others are called beside groups: in brackets where a group is called so.

    Examples:
        >>> name_apart("all", ["en"]), name_apart("all", ["all", "en"])
        ('all', '(all)')
    """
    return name_apart(f"({name})", groups) if name in groups else name


def add_all(flags: Mapping[str, Flags], size: int) -> dict[str, Flags]:
    """Groups, and then all units, under a name that no group has."""
    return {**flags, name_apart(ALL, flags): np.ones(size, dtype=bool)}


def build_group_table(results: Sequence[Results]) -> Table:
    """A row for each run and group, and one for all queries of the run."""
    units = pluralise(results[0].unit)
    rows = []
    for run in results:
        for label, some in add_all(fold_groups(run.group_flags()), len(run.ids)).items():
            means = [run.format_value(name, run.mean_of(name, some)) for name in run.values]
            rows.append((run.name, label, str(int(some.sum())), *means))
    columns = ("run", _name_grouping(results), units, *results[0].values)
    return Table(columns, rows, numeric=True, label_columns=2)


def list_group_rows(results: Sequence[Results]) -> Table:
    """A row for each run and group at full precision, none folded; without a group, of the run."""
    units = pluralise(results[0].KEY)
    rows: list[tuple[Any, ...]] = []
    for run in results:
        means = [finite_or_none(mean) for mean in run.mean.values()]
        rows.append((run.name, None, len(run.ids), *means))
        rows += [
            (run.name, group["group"], group[units], *group["mean"].values())
            for group in run.groups()
        ]
    columns = ("run", "group", units, *results[0].values)
    return Table(columns, rows, numeric=True, label_columns=2)


def describe_ungrouped(results: Sequence[Results]) -> list[str]:
    """How many belong to no group, where there are groups."""
    notes = []
    for run in (run for run in results if run.grouping is not None):
        without = len(run.ids) - int(sum(some.sum() for some in run.group_flags().values()))
        if without:
            verb = "has" if without == 1 else "have"
            number = f"{count_noun(without, run.unit)} {verb} no {_name_grouping(results)}"
            notes.append(f"{number}: counted in all, in no group")
    return list(dict.fromkeys(notes))


def describe_groups(results: Sequence[Results]) -> list[str]:
    """Who belongs to no group, and which groups are too small to tell much."""
    notes = describe_ungrouped(results)
    for run in results:
        flags = run.group_flags()
        single = [label for label, some in flags.items() if some.sum() == 1]
        if single:
            verb = "has" if len(single) == 1 else "have"
            notes.append(f"{list_names(single)} {verb} one {run.unit}, too few to generalise")
    return list(dict.fromkeys(notes))


def list_names(groups: Sequence[str]) -> str:
    """The first of some groups by name, and how many more there are."""
    named, more = [quote(label) for label in groups[:_MOST_NAMED]], len(groups) - _MOST_NAMED
    return join_words([*named, *([f"{more} more"] if more > 0 else [])])


def describe_folding(results: Sequence[Results]) -> list[str]:
    """What stands below a table or figure that folds groups; nothing where none are."""
    numbers = dict.fromkeys(len(run.group_flags()) for run in results)
    return [
        f"{number} groups: the largest {MOST_GROUPS} are shown, and the others as one"
        for number in numbers
        if number > MOST_GROUPS
    ]


def _name_grouping(results: Sequence[Results]) -> str:
    grouping = results[0].grouping
    return "group" if grouping is None else grouping.name
