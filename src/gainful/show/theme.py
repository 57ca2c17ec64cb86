"""One visual language for figures and pages: colours, dashes, type, on paper and on a screen.

The series are Okabe and Ito's colours (2008), which colour-blind people can tell apart; each has a
dash of its own, so that a black and white print tells them apart too. Grades are steps of one hue,
from light to dark, so that they stay in order without colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import asdict, frozen

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace"
# A picture is laid out by the widths of its letters: these fonts have the same ones everywhere.
_VEGA_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
SIZE = 12  # of the type in figures, in pixels

DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4])


Spec = dict[str, Any]  # a chart as Vega-Lite has it


def nominal(field: str, **more: Any) -> Spec:
    """A channel of names."""
    return {"field": field, "type": "nominal", **more}


def quantitative(field: str, **more: Any) -> Spec:
    """A channel of numbers."""
    return {"field": field, "type": "quantitative", **more}


def build_layer(mark: str, rows: Iterable[Any] | None, encoding: Spec, **style: Any) -> Spec:
    """Marks of one kind, for rows of their own or for those of the whole chart."""
    data = {} if rows is None else {"data": {"values": list(rows)}}
    return {**data, "mark": {"type": mark, **style}, "encoding": encoding}


@frozen
class Tones:
    """The colours of one background."""

    paper: str
    raised: str  # panels, heads of tables
    ink: str
    quiet: str  # axes, captions; readable on paper (4.5 : 1)
    line: str  # rules and grids
    series: tuple[str, ...]
    names: tuple[str, ...]  # of series, as text: dark enough to read (4.5 : 1)
    grades: tuple[str, ...]  # from 0 to the best
    on_grades: tuple[str, ...]  # text on each of them


LIGHT = Tones(
    paper="#ffffff",
    raised="#f4f6f8",
    ink="#1b2430",
    quiet="#5a6675",
    line="#d9dfe6",
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b87a00", "#3f8fc4", "#5a6675"),
    names=("#0072b2", "#b75000", "#007f5d", "#9b5b7e", "#986500", "#3375a0", "#5a6675"),
    grades=("#eef2f6", "#c6dbef", "#9ecae1", "#6baed6", "#2f7ab3", "#08519c"),
    on_grades=("#1b2430", "#1b2430", "#1b2430", "#1b2430", "#ffffff", "#ffffff"),
)
DARK = Tones(
    paper="#12171e",
    raised="#1b222c",
    ink="#e8edf3",
    quiet="#a3b0bf",
    line="#323d4b",
    series=("#62b6ec", "#ff9a5c", "#3fcf9f", "#e7a8cb", "#f0b93a", "#9cc9ea", "#a3b0bf"),
    names=("#62b6ec", "#ff9a5c", "#3fcf9f", "#e7a8cb", "#f0b93a", "#9cc9ea", "#a3b0bf"),
    grades=("#1f2833", "#1d4263", "#215c8c", "#2f7ab3", "#62a9dc", "#b3daf5"),
    on_grades=("#e8edf3", "#e8edf3", "#ffffff", "#ffffff", "#12171e", "#12171e"),
)


def build_vega_config(tones: Tones = LIGHT) -> dict[str, Any]:
    """How charts look: quiet axes, no frame, series by colour and dash."""
    text_colours = {"labelColor": tones.quiet, "titleColor": tones.ink, "titleFontWeight": 500}
    sizes = {"labelFontSize": SIZE - 1, "titleFontSize": SIZE}
    return {
        "background": tones.paper,
        "font": _VEGA_FONT,
        "axis": {
            **text_colours,
            **sizes,
            "domainColor": tones.line,
            "tickColor": tones.line,
            "gridColor": tones.line,
            "gridOpacity": 0.6,
            "titlePadding": 8,
        },
        "legend": {**text_colours, **sizes},
        "title": {
            "color": tones.ink,
            "fontSize": SIZE + 2,
            "fontWeight": 600,
            "anchor": "start",
            "offset": 12,
        },
        "view": {"stroke": None},
        "line": {"strokeWidth": 2},
        "text": {"color": tones.ink, "fontSize": SIZE - 1},
        "range": {"category": list(tones.series), "ordinal": list(tones.grades)},
    }


def build_css() -> str:
    """The colours as variables of a style sheet, light or dark as the reader has it.

    A page sets `data-theme` of its root to light or dark to have it otherwise.
    """
    light, dark = _format_css_variables(LIGHT), _format_css_variables(DARK)
    return "\n".join(
        (
            f":root {{ color-scheme: light dark; --font: {FONT}; --mono: {MONO}; {light} }}",
            ":root { --accent: var(--series-0); --unjudged: var(--paper); }",
            ":root { --better: var(--series-0); --worse: var(--series-1); }",
            f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}",
            ":root[data-theme=light] { color-scheme: light; }",
            "@media screen and (prefers-color-scheme: dark) {",
            f"  :root:not([data-theme=light]) {{ {dark} }}",
            "}",
            f"@media print {{ :root, :root[data-theme] {{ color-scheme: light; {light} }} }}",
        )
    )


def _format_css_variables(tones: Tones) -> str:
    numbered = {"series": "series", "names": "name", "grades": "grade", "on_grades": "on"}
    variables: dict[str, str] = {}
    for name, value in asdict(tones).items():
        if isinstance(value, str):
            variables[name] = value
        else:
            variables |= {f"{numbered[name]}-{at}": colour for at, colour in enumerate(value)}
    return " ".join(f"--{name}: {colour};" for name, colour in variables.items())
