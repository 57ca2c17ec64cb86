"""Who is better off with which system: the answer, a few settings, and where the winner changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gainful.measure.sessions.sweep import Plane, Sweep, kendall
from gainful.measure.sessions.sweep_boundary import winners
from gainful.show import table as tables
from gainful.show.csv_cells import to_csv_text
from gainful.show.table import PLAIN, Table, Terminal, format_number
from gainful.text import count_noun

CHANCE_NOTE = (
    "means only: whether they differ by more than chance, gainful compare --sessions tells"
)
_COLUMNS = ("weights", "depth", "b", "bq")
_LAST_COLUMNS = ("difference", "winner", "tau")


def to_text(sweep: Sweep, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal: the corners of the plane and the reference, not every setting."""
    parts = []
    for plane, sentence in zip(sweep.planes, sweep.sentences, strict=True):
        parts.append(tables.wrap_text(sentence, terminal))
        parts.append(tables.to_text(_build_corner_table(sweep, plane), terminal=terminal))
        if plane.boundary:
            parts.append(tables.wrap_text(_describe_boundary(sweep, plane), terminal, "  "))
    lines = (_describe_method(sweep), CHANCE_NOTE, *sweep.notes)
    notes = "\n".join(tables.wrap_text(line, terminal, "  ") for line in lines)
    return "\n\n".join((*parts, notes))


def _build_corner_table(sweep: Sweep, plane: Plane) -> Table:
    """The corners of what was swept, and the reference."""
    settings = {
        (sweep.b[i], sweep.bq[j]): (plane.means[i, j], float(plane.tau[i, j]))
        for i in (0, -1)
        for j in (0, -1)
    }
    reference_means = plane.at_reference
    settings[sweep.reference] = (
        reference_means,
        float(kendall(reference_means, sweep.planes[0].at_reference)),
    )
    rows = []
    for (b, bq), (means, tau) in sorted(settings.items()):
        winner = int(winners(means))
        best = np.sort(means[~np.isnan(means)])[::-1]
        lead = format_number(float(best[0] - best[1])) if len(best) > 1 else "–"
        rows.append(
            (
                f"{b:g}",
                f"{bq:g}",
                *(format_number(None if np.isnan(mean) else float(mean)) for mean in means),
                f"{sweep.group_labels[winner]} by {lead}" if winner >= 0 else "–",
                format_number(None if np.isnan(tau) else tau),
            )
        )
    columns = ("b", "bq", *sweep.group_labels, "better", "tau")
    return Table(columns, rows, numeric=True, text_columns=(len(columns) - 2,))


def _describe_boundary(sweep: Sweep, plane: Plane) -> str:
    """Where the winner changes, at a few of the lines."""
    points = plane.boundary
    sample = [points[at] for at in sorted({0, len(points) // 2, len(points) - 1})]
    changes = "; ".join(
        f"at b = {point.b:.3g}, bq = {point.bq:.3g} from {sweep.group_labels[point.below]} to "
        f"{sweep.group_labels[point.above]} with growing {point.along}"
        for point in sample
    )
    rest = f" ({len(points)} points in --format json)" if len(points) > len(sample) else ""
    return f"The winner changes {changes}{rest}."


def _describe_method(sweep: Sweep) -> str:
    """What was computed, of what."""
    setting_count = sum(plane.means[..., 0].size for plane in sweep.planes)
    counts, (b, bq) = sweep.counts, sweep.reference
    return (
        f"mean {sweep.measure} of {count_noun(counts['sessions'], 'session')}, "
        f"{count_noun(counts['queries'], 'query')} · {count_noun(setting_count, 'setting')} · top "
        f"{', '.join(dict.fromkeys(str(plane.depth) for plane in sweep.planes))} · gain "
        f"{', '.join(dict.fromkeys(plane.weights for plane in sweep.planes))} · like "
        f"{sweep.convention.name} · tau: the order against that at b = {b:g}, bq = {bq:g}"
    )


def to_csv(sweep: Sweep) -> str:
    """Every setting, a line for each."""
    head = (*_COLUMNS, *sweep.groups, *_LAST_COLUMNS)
    return to_csv_text((head, *(_list_cells(row, sweep.groups) for row in sweep.rows())))


def _list_cells(row: dict[str, Any], groups: Sequence[str]) -> list[object]:
    """A setting as cells; what is not there is empty."""
    cells = [row[name] for name in _COLUMNS] + [row["means"][name] for name in groups]
    return [*cells, *(row[name] for name in _LAST_COLUMNS)]


def to_json(sweep: Sweep) -> str:
    """Every setting, the answers and the boundary."""
    return json.dumps(sweep.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
