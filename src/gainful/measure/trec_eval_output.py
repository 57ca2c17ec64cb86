"""The lines that trec_eval prints, to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gainful.measure.measure import Measure
from gainful.measure.trec_eval_options import NamedLines
from gainful.types import Array

_SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")


def format_query_lines(
    lines: NamedLines,
    values: Mapping[str, Array],
    relstrings: Mapping[str, list[str]],
    query: str,
    row: int,
) -> Iterator[str]:
    """The lines of one query (-q)."""
    for name, name_lines in lines:
        for line in name_lines:
            if name == "relstring":
                yield f"{line.name:<22}\t{query}\t'{relstrings[line.name][row]}'"
            elif name not in _SUMMARY_ONLY and line.measure is not None:
                value = _format_value(line.measure, values[line.name][row])
                yield f"{line.name:<22}\t{query}\t{value}"


def format_summary_lines(
    lines: NamedLines,
    values: Mapping[str, Array],
    rows: list[int],
    tag: str,
) -> Iterator[str]:
    """The lines of all queries together."""
    for name, name_lines in lines:
        for line in name_lines:
            if name == "runid":
                yield f"{'runid':<22}\tall\t{tag}"
            elif line.measure is not None:
                entry = line.measure.entry
                total = np.cumsum(values[line.name][rows])[-1]  # one after another, as it adds
                value = total if entry.aggregation == "sum" else total / len(rows)
                value = np.exp(value) if entry.aggregation == "geometric" else value
                yield f"{line.name:<22}\tall\t{_format_value(line.measure, value)}"


def _format_value(measure: Measure, value: float) -> str:
    return f"{int(value)}" if measure.entry.aggregation == "sum" else f"{value:6.4f}"
