"""The lines that trec_eval prints, to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gainful.measure.trec_eval.lines import Evaluated
from gainful.measure.trec_eval.options import TrecEvalOptions
from gainful.measure.trec_eval.values import NO_NUMBER
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.read.trec_eval_files import Judged
from gainful.types import Array

_SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
_LOWEST_LOG = np.log(1e-5)  # of a query that is counted, but was not evaluated


def format_query_lines(
    lines: Sequence[TrecLine], evaluated: Evaluated, options: TrecEvalOptions
) -> Iterator[str]:
    """The lines of each query (-q)."""
    for row, query in enumerate(evaluated.visits.queries if options.per_query else ()):
        for line in lines:
            if line.name in evaluated.texts:
                yield f"{line.name:<22}\t{query}\t'{evaluated.texts[line.name][row]}'\n"
            elif line.trec_name.name not in _SUMMARY_ONLY:
                yield _format_line(line, query, evaluated.values[line.name][row], options)


def format_summary_lines(
    lines: Sequence[TrecLine],
    evaluated: Evaluated,
    judged: Judged,
    tag: str,
    options: TrecEvalOptions,
) -> Iterator[str]:
    """The lines of all queries together.

    Args:
        lines: what is printed.
        evaluated: the values of each query.
        judged: with -c, all of its queries count, and all that is above 0 is relevant.
        tag: what the run calls itself.
        options: the flags.
    """
    query_count = len(judged.queries) if options.complete else len(evaluated.visits.queries)
    fixed_sums: dict[str, float] = {"num_q": query_count}
    if options.complete:
        fixed_sums["num_rel"] = judged.count_relevant()
    for line in lines:
        if line.trec_name.name == "runid":
            yield f"{'runid':<22}\tall\t{tag}\n"
        elif not line.is_text:
            value = fixed_sums.get(line.name)
            if value is None:
                value = _summarise(line, evaluated.values[line.name], query_count)
            yield _format_line(line, "all", value, options)


def _summarise(line: TrecLine, values: Array, query_count: int) -> float:
    total = _add_up(values)
    if line.aggregation == "sum":
        return total
    if line.aggregation == "mean":
        return total / query_count
    with np.errstate(over="ignore"):
        log_mean = (total + (query_count - len(values)) * _LOWEST_LOG) / query_count
        return float(np.exp(log_mean))


def _add_up(values: Array) -> float:
    """The sum, one after another from 0; of what is no number the last wins, as in trec_eval."""
    with np.errstate(invalid="ignore"):
        total = 0.0 + float(np.cumsum(values)[-1])
    if not np.isnan(total):
        return total
    no_numbers = values[np.isnan(values)]
    return float(no_numbers[-1] if len(no_numbers) else NO_NUMBER)


def _format_line(line: TrecLine, query: str, value: float, options: TrecEvalOptions) -> str:
    if options.zscores_path is not None:
        return f"Z{line.name:<22}\t{query}\t{_format_number(value)}\n"
    shown = f"{int(value)}" if line.aggregation == "sum" else _format_number(value)
    return f"{line.name:<22}\t{query}\t{shown}\n"


def _format_number(value: float) -> str:
    if np.isnan(value):  # a file of means may have one without the sign of 0/0
        return f"{'-nan' if np.signbit(value) else 'nan':>6}"
    return f"{value:6.4f}"
