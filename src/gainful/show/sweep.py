"""Who is better off with which system: the answer, a few settings, and where the winner changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gainful.errors import counted
from gainful.measure.sessions.sweep import Plane, Sweep, kendall
from gainful.measure.sessions.sweep_boundary import winners
from gainful.show import table as tables
from gainful.show.csv_cells import separated
from gainful.show.table import PLAIN, Table, Terminal, number

CHANCE = "means only: whether they differ by more than chance, gainful compare --sessions tells"
_COLUMNS = ("weights", "depth", "b", "bq")
_LAST = ("difference", "winner", "tau")


def to_text(found: Sweep, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal: the corners of the plane and the reference, not every setting."""
    parts = []
    for plane, sentence in zip(found.planes, found.sentences, strict=True):
        parts.append(tables.wrapped(sentence, terminal))
        parts.append(tables.to_text(_corners(found, plane), terminal=terminal))
        if plane.boundary:
            parts.append(tables.wrapped(_boundary(found, plane), terminal, "  "))
    lines = (_how(found), CHANCE, *found.notes)
    said = "\n".join(tables.wrapped(line, terminal, "  ") for line in lines)
    return "\n\n".join((*parts, said))


def _corners(found: Sweep, plane: Plane) -> Table:
    """The corners of what was swept, and the reference."""
    settings = {
        (found.b[i], found.bq[j]): (plane.means[i, j], float(plane.tau[i, j]))
        for i in (0, -1)
        for j in (0, -1)
    }
    own = plane.at_reference
    settings[found.reference] = (own, float(kendall(own, found.planes[0].at_reference)))
    rows = []
    for (b, bq), (means, tau) in sorted(settings.items()):
        won = int(winners(means))
        best = np.sort(means[~np.isnan(means)])[::-1]
        ahead = number(float(best[0] - best[1])) if len(best) > 1 else "–"
        rows.append(
            (
                f"{b:g}",
                f"{bq:g}",
                *(number(None if np.isnan(mean) else float(mean)) for mean in means),
                f"{found.called[won]} by {ahead}" if won >= 0 else "–",
                number(None if np.isnan(tau) else tau),
            )
        )
    columns = ("b", "bq", *found.called, "better", "tau")
    return Table(columns, rows, numbers=True, text=(len(columns) - 2,))


def _boundary(found: Sweep, plane: Plane) -> str:
    """Where the winner changes, at a few of the lines."""
    points = plane.boundary
    few = [points[at] for at in sorted({0, len(points) // 2, len(points) - 1})]
    told = "; ".join(
        f"at b = {one.b:.3g}, bq = {one.bq:.3g} from {found.called[one.below]} to "
        f"{found.called[one.above]} with growing {one.along}"
        for one in few
    )
    more = f" ({len(points)} points in --format json)" if len(points) > len(few) else ""
    return f"The winner changes {told}{more}."


def _how(found: Sweep) -> str:
    """What was computed, of what."""
    size = sum(plane.means[..., 0].size for plane in found.planes)
    counts, (b, bq) = found.counts, found.reference
    return (
        f"mean {found.measure} of {counted(counts['sessions'], 'session')}, "
        f"{counted(counts['queries'], 'query')} · {counted(size, 'setting')} · top "
        f"{', '.join(dict.fromkeys(str(plane.depth) for plane in found.planes))} · gain "
        f"{', '.join(dict.fromkeys(plane.weights for plane in found.planes))} · like "
        f"{found.convention.name} · tau: the order against that at b = {b:g}, bq = {bq:g}"
    )


def to_csv(found: Sweep) -> str:
    """Every setting, a line for each."""
    head = (*_COLUMNS, *found.groups, *_LAST)
    return separated((head, *(_cells(row, found.groups) for row in found.rows())))


def _cells(row: dict[str, Any], groups: Sequence[str]) -> list[object]:
    """A setting as cells; what is not there is empty."""
    cells = [row[name] for name in _COLUMNS] + [row["means"][name] for name in groups]
    return [*cells, *(row[name] for name in _LAST)]


def to_json(found: Sweep) -> str:
    """Every setting, the answers and the boundary."""
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
