"""Whether measures agree, and which tells runs apart: the answer, two tables, how it is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from textwrap import fill
from typing import Any

from gainful.evidence.orders.order import Agreement, Order
from gainful.evidence.orders.swaps import Swap
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.show import results, rows, table as tables
from gainful.show.rows import Rows
from gainful.show.table import PLAIN, Table, Terminal
from gainful.text import count_noun

_MAX_RUNS = 6  # runs; of more, the order is told by its first few
_LISTED_RUNS = 4


def to_text(order: Order, *, terminal: Terminal = PLAIN) -> str:
    """The answer, the tables, and under them how it is known."""
    parts = [
        *list_answers(order),
        *(tables.to_text(table, terminal=terminal) for table in _build_tables(order)),
    ]
    lines = list_footnotes(order)
    if terminal.width is not None:
        lines = [fill(line, terminal.width, break_long_words=False) for line in lines]
        parts[0] = fill(parts[0], terminal.width, break_long_words=False)
    return "\n\n".join((*parts, "\n".join(lines)))


def to_markdown(order: Order) -> str:
    """The same as Markdown."""
    return "\n\n".join(
        (
            *list_answers(order),
            *map(tables.to_markdown, _build_tables(order)),
            *list_footnotes(order),
        )
    )


def to_latex(order: Order) -> str:
    """Two booktabs tabulars, the rest as comments above them."""
    notes = [
        f"% {' '.join(line.split())}" for line in (*list_answers(order), *list_footnotes(order))
    ]
    return "\n".join((*notes, "\n\n".join(map(tables.to_latex, _build_tables(order)))))


def to_json(order: Order) -> str:
    """All of it, swaps and means included."""
    return json.dumps(order.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(order: Order, separator: str = ",") -> str:
    """A line for each value, at full precision."""
    return rows.to_csv(_build_long_rows(order), separator)


def to_json_lines(order: Order) -> str:
    """An object for each value."""
    return rows.to_json_lines(_build_long_rows(order))


def list_answers(order: Order) -> list[str]:
    """Which measure tells most runs apart, and which two disagree most, in one paragraph."""
    sentences = [*_describe_power(order), *_describe_disagreement(order)]
    return [" ".join(sentences)] if sentences else []


def _describe_power(order: Order) -> list[str]:
    tested_powers = [power for power in order.power if power.significant is not None]
    if not tested_powers:
        return []
    max_significant = max(power.significant or 0 for power in tested_powers)
    pairs = count_noun(tested_powers[0].pairs, "pair")
    if not max_significant:
        return [f"No measure tells any of the {pairs} of runs apart."]
    best_measures = [
        power.measure for power in tested_powers if power.significant == max_significant
    ]
    if len(best_measures) == len(tested_powers) > 1:
        return [f"All measures tell the same number of runs apart: {max_significant} of {pairs}."]
    verb = "tells" if len(best_measures) == 1 else "tell"
    return [f"{_join_names(best_measures)} {verb} most runs apart: {max_significant} of {pairs}."]


def _describe_disagreement(order: Order) -> list[str]:
    with_swaps = [agreement for agreement in order.agreement if agreement.swapped]
    if not order.agreement:
        return []
    if not with_swaps:
        return ["No two measures swap any runs."]
    worst = max(with_swaps, key=lambda agreement: (agreement.swapped, -(agreement.tau or 0)))
    tau = "" if worst.tau is None else f" (tau {worst.tau:.2f})"
    first, second = worst.measures
    return [f"{first} and {second} disagree most: {count_noun(worst.swapped, 'swap')}{tau}."]


def _join_names(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _build_tables(order: Order) -> list[Table]:
    order_tables = [_build_measure_table(order)]
    if order.agreement:
        order_tables.append(_build_agreement_table(order))
    return order_tables


def _build_measure_table(order: Order) -> Table:
    heads = ("measure", "power", "pairs\napart", "smallest\ndifference", "order")
    measure_rows = []
    for at, measure in enumerate(order.measures):
        power = order.power[at] if order.power else None
        significant = "–" if power is None or power.significant is None else str(power.significant)
        measure_rows.append(
            (
                measure,
                _format_number(None if power is None else power.share),
                "–" if power is None else f"{significant} of {power.pairs}",
                _format_number(None if power is None else power.smallest),
                _format_order(order.places(measure)),
            )
        )
    return Table(heads, measure_rows, numeric=True, label_columns=1, text_columns=(4,))


def _format_order(places: dict[str, int]) -> str:
    """The runs, the best first; those that tie with = between them."""
    names = list(places)
    listed_names = names if len(names) <= _MAX_RUNS else names[:_LISTED_RUNS]
    text = listed_names[0]
    for previous, name in pairwise(listed_names):
        text += f" {'=' if places[previous] == places[name] else '>'} {name}"
    return (
        text
        if len(listed_names) == len(names)
        else f"{text} … and {len(names) - len(listed_names)} more"
    )


def _build_agreement_table(order: Order) -> Table:
    heads = ("measures", "", "tau", "tau_AP", "RBO", "swaps", "most striking")
    agreement_rows = [
        (
            *agreement.measures,
            *(_format_number(value) for value in (agreement.tau, agreement.tau_ap, agreement.rbo)),
            str(agreement.swapped),
            _format_striking_swap(agreement),
        )
        for agreement in order.agreement
    ]
    return Table(heads, agreement_rows, numeric=True, label_columns=2, text_columns=(6,))


def _format_striking_swap(agreement: Agreement) -> str:
    return _format_swap(agreement.swaps[0]) if agreement.swaps else "–"


def _format_swap(swap: Swap) -> str:
    """Two runs and by how much each measure prefers which; * where that is significant."""
    (first, second), (first_difference, second_difference) = swap.runs, swap.differences
    marks = ["*" if is_significant else "" for is_significant in swap.significant]
    return f"{first} over {second} by {first_difference:.4f}{marks[0]}, under it by {-second_difference:.4f}{marks[1]}"


def _format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def list_footnotes(order: Order) -> list[str]:
    """The test, the coefficients, the convention, and what one should know."""
    lines = [_describe_test(order)] if order.criterion is not None else []
    if order.agreement:
        lines.append(
            "tau: Kendall's tau-b · tau_AP: mean of both directions, ties as tau_AP,b · RBO: "
            f"extrapolated, p = {order.p:g}, ties as RBO^b · runs ordered by their means"
        )
    if any(
        True in swap.significant for agreement in order.agreement for swap in agreement.swaps[:1]
    ):
        lines.append("* this difference is significant")
    lines += results.list_footnotes(order.results) if order.results else []
    return [*lines, *(f"Note: {note}" for note in order.notes)]


def _describe_test(order: Order) -> str:
    criterion = order.criterion
    if criterion is None:
        return ""
    resampling = criterion.resampling
    test = None if criterion.name == TUKEY else TESTS[criterion.name]
    words = "randomised Tukey HSD, all pairs of runs at once" if test is None else test.words
    correction_text = f", {CORRECTIONS[criterion.correct].words}" if test is not None else ""
    is_resampled = test is None or test.resampled
    resamples_text = (
        f", {resampling.resamples} resamples, seed {resampling.seed}" if is_resampled else ""
    )
    return f"power: share of pairs with p ≤ {resampling.alpha:g} by {words}{correction_text}{resamples_text}"


def _build_long_rows(order: Order) -> Rows:
    """A row for each value: what it is, of which measure, with which other or of which run."""
    long_rows: list[tuple[Any, ...]] = []
    for measure in order.measures:
        long_rows += [
            ("mean", measure, "", run, mean) for run, mean in order.means[measure].items()
        ]
        long_rows += [
            ("place", measure, "", run, place) for run, place in order.places(measure).items()
        ]
    for power in order.power:
        data = power.to_dict()
        long_rows += [
            (column, power.measure, "", "", data[column]) for column in data if column != "measure"
        ]
    for agreement in order.agreement:
        data = agreement.to_dict()
        columns = [column for column in data if column not in ("measures", "swaps")]
        long_rows += [(column, *agreement.measures, "", data[column]) for column in columns]
    return Rows(("what", "measure", "other", "run", "value"), long_rows, label_columns=4)
