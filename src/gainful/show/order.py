"""Whether measures agree, and which tells runs apart: the answer, two tables, how it is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from textwrap import fill
from typing import Any

from gainful.errors import counted
from gainful.evidence.orders.agreement import Agreement, Order
from gainful.evidence.orders.swaps import Swap
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.show import results, rows, table as tables
from gainful.show.rows import Rows
from gainful.show.table import PLAIN, Table, Terminal

_MANY = 6  # runs; of more, the order is told by its first few
_FEW = 4


def to_text(found: Order, *, terminal: Terminal = PLAIN) -> str:
    """The answer, the tables, and under them how it is known."""
    parts = [*answers(found), *(tables.to_text(one, terminal=terminal) for one in _tables(found))]
    lines = said(found)
    if terminal.width is not None:
        lines = [fill(line, terminal.width, break_long_words=False) for line in lines]
        parts[0] = fill(parts[0], terminal.width, break_long_words=False)
    return "\n\n".join((*parts, "\n".join(lines)))


def to_markdown(found: Order) -> str:
    """The same as Markdown."""
    return "\n\n".join((*answers(found), *map(tables.to_markdown, _tables(found)), *said(found)))


def to_latex(found: Order) -> str:
    """Two booktabs tabulars, the rest as comments above them."""
    notes = [f"% {' '.join(line.split())}" for line in (*answers(found), *said(found))]
    return "\n".join((*notes, "\n\n".join(map(tables.to_latex, _tables(found)))))


def to_json(found: Order) -> str:
    """All of it, swaps and means included."""
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(found: Order, separator: str = ",") -> str:
    """A line for each value, at full precision."""
    return rows.to_csv(_long(found), separator)


def to_json_lines(found: Order) -> str:
    """An object for each value."""
    return rows.to_json_lines(_long(found))


def answers(found: Order) -> list[str]:
    """Which measure tells most runs apart, and which two disagree most, in one paragraph."""
    told = [*_tells(found), *_disagrees(found)]
    return [" ".join(told)] if told else []


def _tells(found: Order) -> list[str]:
    tested = [one for one in found.power if one.significant is not None]
    if not tested:
        return []
    most = max(one.significant or 0 for one in tested)
    pairs = counted(tested[0].pairs, "pair")
    if not most:
        return [f"No measure tells any of the {pairs} of runs apart."]
    best = [one.measure for one in tested if one.significant == most]
    if len(best) == len(tested) > 1:
        return [f"All measures tell the same number of runs apart: {most} of {pairs}."]
    verb = "tells" if len(best) == 1 else "tell"
    return [f"{_and(best)} {verb} most runs apart: {most} of {pairs}."]


def _disagrees(found: Order) -> list[str]:
    swapped = [one for one in found.agreement if one.swapped]
    if not found.agreement:
        return []
    if not swapped:
        return ["No two measures swap any runs."]
    worst = max(swapped, key=lambda one: (one.swapped, -(one.tau or 0)))
    tau = "" if worst.tau is None else f" (tau {worst.tau:.2f})"
    first, second = worst.measures
    return [f"{first} and {second} disagree most: {counted(worst.swapped, 'swap')}{tau}."]


def _and(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _tables(found: Order) -> list[Table]:
    made = [_measures(found)]
    if found.agreement:
        made.append(_pairs(found))
    return made


def _measures(found: Order) -> Table:
    heads = ("measure", "power", "pairs\napart", "smallest\ndifference", "order")
    told = []
    for at, measure in enumerate(found.measures):
        one = found.power[at] if found.power else None
        apart = "–" if one is None or one.significant is None else str(one.significant)
        told.append(
            (
                measure,
                _number(None if one is None else one.share),
                "–" if one is None else f"{apart} of {one.pairs}",
                _number(None if one is None else one.smallest),
                _ordered(found.places(measure)),
            )
        )
    return Table(heads, told, numbers=True, words=1, text=(4,))


def _ordered(places: dict[str, int]) -> str:
    """The runs, the best first; those that tie with = between them."""
    names = list(places)
    shown = names if len(names) <= _MANY else names[:_FEW]
    text = shown[0]
    for before, name in pairwise(shown):
        text += f" {'=' if places[before] == places[name] else '>'} {name}"
    return text if len(shown) == len(names) else f"{text} … and {len(names) - len(shown)} more"


def _pairs(found: Order) -> Table:
    heads = ("measures", "", "tau", "tau_AP", "RBO", "swaps", "most striking")
    told = [
        (
            *one.measures,
            *(_number(value) for value in (one.tau, one.tau_ap, one.rbo)),
            str(one.swapped),
            _striking(one),
        )
        for one in found.agreement
    ]
    return Table(heads, told, numbers=True, words=2, text=(6,))


def _striking(one: Agreement) -> str:
    return _swap(one.swaps[0]) if one.swaps else "–"


def _swap(swap: Swap) -> str:
    """Two runs and by how much each measure prefers which; * where that is significant."""
    (first, second), (one, other) = swap.runs, swap.differences
    marks = ["*" if sure else "" for sure in swap.significant]
    return f"{first} over {second} by {one:.4f}{marks[0]}, under it by {-other:.4f}{marks[1]}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def said(found: Order) -> list[str]:
    """The test, the coefficients, the convention, and what one should know."""
    lines = [_tested(found)] if found.criterion is not None else []
    if found.agreement:
        lines.append(
            "tau: Kendall's tau-b · tau_AP: mean of both directions, ties as tau_AP,b · RBO: "
            f"extrapolated, p = {found.p:g}, ties as RBO^b · runs ordered by their means"
        )
    if any(True in swap.significant for one in found.agreement for swap in one.swaps[:1]):
        lines.append("* this difference is significant")
    lines += results.said(found.results) if found.results else []
    return [*lines, *(f"Note: {note}" for note in found.notes)]


def _tested(found: Order) -> str:
    criterion = found.criterion
    if criterion is None:
        return ""
    how = criterion.how
    single = None if criterion.name == TUKEY else TESTS[criterion.name]
    words = "randomised Tukey HSD, all pairs of runs at once" if single is None else single.words
    corrected = f", {CORRECTIONS[criterion.correct].words}" if single is not None else ""
    drawn = single is None or single.resampled
    chance = f", {how.resamples} resamples, seed {how.seed}" if drawn else ""
    return f"power: share of pairs with p ≤ {how.alpha:g} by {words}{corrected}{chance}"


def _long(found: Order) -> Rows:
    """A row for each value: what it is, of which measure, with which other or of which run."""
    made: list[tuple[Any, ...]] = []
    for measure in found.measures:
        made += [("mean", measure, "", run, mean) for run, mean in found.means[measure].items()]
        made += [("place", measure, "", run, at) for run, at in found.places(measure).items()]
    for one in found.power:
        data = one.to_dict()
        made += [(what, one.measure, "", "", data[what]) for what in data if what != "measure"]
    for pair in found.agreement:
        data = pair.to_dict()
        names = [what for what in data if what not in ("measures", "swaps")]
        made += [(what, *pair.measures, "", data[what]) for what in names]
    return Rows(("what", "measure", "other", "run", "value"), made, words=4)
