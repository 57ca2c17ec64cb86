"""What trec_eval prints of the preferences of a query, where it is told to debug (-D 3, -D 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gainful.measure.trec_eval.options import TrecEvalOptions
from gainful.measure.trec_eval.preferences import Group, QueryPreferences

_GROUPS_LEVEL, _LINES_LEVEL = 3, 4  # from which level on they are printed


def trace_start(query: str, options: TrecEvalOptions) -> str:
    """That the preferences of a query are asked for."""
    if options.debug_level < _GROUPS_LEVEL:
        return ""
    return f"Debug: Form_prefs starting query '{query}'\n"


def trace_preferences(
    query: str, preferences: QueryPreferences, measures: int, options: TrecEvalOptions
) -> str:
    """The preferences, when the first measure asks for them; the others take what is there."""
    start = trace_start(query, options)
    if not start:
        return ""
    groups = "".join(_list_groups(preferences))
    again = f"{start}Returned Cached Form_prefs\n" * (measures - 1)
    return trace_lines(query, preferences, options) + groups + again


def trace_lines(query: str, preferences: QueryPreferences, options: TrecEvalOptions) -> str:
    """The lines of the file, which are printed even of a judge who contradicts himself."""
    lines = _list_lines(preferences) if options.debug_level >= _LINES_LEVEL else ()
    return trace_start(query, options) + "".join(lines)


def _list_lines(preferences: QueryPreferences) -> Iterator[str]:
    frame = preferences.frame
    yield f"Form_prefs: num_judged {preferences.judged}, num_judged_ret {preferences.retrieved}\n"
    yield f"Prefs_and_ranks Dump.  num_pref_lines {len(frame)},  Final prefs\n"
    for row in frame.select("group", "subgroup", "level", "doc", "number").iter_rows():
        group, subgroup, level, doc, number = row
        yield f"  {group}\t{subgroup}\t{level:4.2f}\t{doc}\t{number:3d}\n"


def _list_groups(preferences: QueryPreferences) -> Iterator[str]:
    judged = preferences.judged
    yield f"Results_prefs Dump.  {len(preferences.groups)} Judgment Groups\n"
    yield f"  num_judged_ret {preferences.retrieved},  num_judged {judged}\n"
    counts = np.zeros((judged, judged), dtype=np.intp)
    for group in preferences.groups:
        np.add.at(counts, (group.first, group.second), 1)
        yield from _list_counts(group)
        yield from _list_classes(group) if group.ordered else _list_matrix(group, judged)
    yield f"  Counts_Array Dump. Num_judged {judged}"
    for number, row in enumerate(counts.tolist()):
        yield f"\n    Row {number:3d}\n    "
        yield from _list_row([f"{count:2d} " for count in row], "   ")
    yield "\n"


def _list_counts(group: Group) -> Iterator[str]:
    counts = group.counts
    yield f"  JG Dump.  Type {'EC' if group.ordered else 'Prefs_array'}\n"
    values = {
        "num_prefs_fulfilled_ret": counts.fulfilled,
        "num_prefs_possible_ret": counts.possible,
        "num_prefs_fulfilled_imp": counts.fulfilled_implied,
        "num_prefs_possible_imp": counts.possible_implied,
        "num_prefs_possible_notoccur": counts.unseen,
        "num_nonrel": int(group.useless.sum()),
        "num_nonrel_ret": group.count_retrieved(group.useless),
        "num_rel": int(group.relevant.sum()),
        "num_rel_ret": group.count_retrieved(group.relevant),
    }
    yield from (f"    {name} {value}\n" for name, value in values.items())


def _list_classes(group: Group) -> Iterator[str]:
    """The documents of each level."""
    levels = np.unique(group.level)[::-1].tolist()
    yield f"    Dump of {len(levels)} ECs within JG\n"
    for level in levels:
        docs = group.judged[group.level == level].tolist()
        yield f"    EC Dump. Rel_level {level:4.2f}. Num_docid_ranks {len(docs)}"
        yield from _list_tens([f"{doc:3d} " for doc in docs])


def _list_matrix(group: Group, judged: int) -> Iterator[str]:
    """Who is preferred to whom, and the level of each document."""
    prefers = np.zeros((judged, judged), dtype=np.intp)
    prefers[group.first, group.second] = 1
    yield f"    Prefs_Array Dump. Num_judged {judged}"
    for number, row in enumerate(prefers.tolist()):
        yield f"\n      Row {number:3d}\n      "
        yield from _list_row([f"{flag:2d}" for flag in row], "     ")
    levels = np.full(judged, -1.0)
    levels[group.judged] = group.level
    yield f"\n    Rel_array Dump. {judged} values"
    yield from _list_tens([f"{level:4.2f} " for level in levels.tolist()])


def _list_row(cells: Sequence[str], indent: str) -> Iterator[str]:
    for place, cell in enumerate(cells):
        yield f"    ({place})\n{indent}{cell}" if place and place % 20 == 0 else cell


def _list_tens(cells: Sequence[str]) -> Iterator[str]:
    for place, cell in enumerate(cells):
        yield f"\n      {cell}" if place % 10 == 0 else cell
    yield "\n"
