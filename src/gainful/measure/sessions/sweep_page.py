"""Who is better off with which system: the answer, a few settings, and where the winner changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gainful.measure.sessions.sweep_boundary import kendall, winners
from gainful.page.page import Page, Section
from gainful.page.table import Table, format_number
from gainful.text import count_noun

if TYPE_CHECKING:
    from gainful.measure.sessions.sweep import Plane, Sweep

CHANCE_NOTE = (
    "means only: whether they differ by more than chance, gainful compare --sessions tells"
)
_COLUMNS = ("weights", "depth", "b", "bq")
_LAST_COLUMNS = ("difference", "winner", "tau")


def sweep_page(sweep: Sweep) -> Page:
    """The answers, the corners of the plane and the reference; every setting for programs."""
    return Page(
        sections=[
            section
            for plane, sentence in zip(sweep.planes, sweep.sentences, strict=True)
            for section in _plane_sections(sweep, plane, sentence)
        ],
        notes=[_describe_method(sweep), CHANCE_NOTE, *sweep.notes],
        rows=lambda: _list_settings(sweep),
        data=sweep.to_dict,
        indent="  ",
    )


def summary_page(sweep: Sweep) -> Page:
    """The answers, for a prompt or a notebook."""
    size = ", ".join(count_noun(sweep.counts[noun], noun[:-1]) for noun in ("sessions", "groups"))
    head = f"Sweep of {sweep.measure}, {count_noun(_count_settings(sweep), 'setting')}, {size}"
    return Page(sections=[Section(lines=(head, *sweep.sentences, *sweep.notes))])


def _plane_sections(sweep: Sweep, plane: Plane, sentence: str) -> Iterator[Section]:
    yield Section(lines=(sentence,))
    yield Section(table=_build_corner_table(sweep, plane))
    if plane.boundary:
        yield Section(lines=(_describe_boundary(sweep, plane),), indent="  ")


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
    counts, (b, bq) = sweep.counts, sweep.reference
    return (
        f"mean {sweep.measure} of {count_noun(counts['sessions'], 'session')}, "
        f"{count_noun(counts['queries'], 'query')} · "
        f"{count_noun(_count_settings(sweep), 'setting')} · top "
        f"{', '.join(dict.fromkeys(str(plane.depth) for plane in sweep.planes))} · gain "
        f"{', '.join(dict.fromkeys(plane.weights for plane in sweep.planes))} · like "
        f"{sweep.convention.name} · tau: the order against that at b = {b:g}, bq = {bq:g}"
    )


def _count_settings(sweep: Sweep) -> int:
    return sum(plane.means[..., 0].size for plane in sweep.planes)


def _list_settings(sweep: Sweep) -> Table:
    """Every setting, a row for each."""
    rows: list[list[Any]] = [
        [
            *(row[name] for name in _COLUMNS),
            *(row["means"][name] for name in sweep.groups),
            *(row[name] for name in _LAST_COLUMNS),
        ]
        for row in sweep.rows()
    ]
    return Table((*_COLUMNS, *sweep.groups, *_LAST_COLUMNS), rows)
