"""A chart as a file: SVG, PNG, PDF, a page, or its specification; the same bytes every time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from os import PathLike
from typing import Any

from gainful.page.render import find_suffix, write_atomically
from gainful.show.html_page import import_converter, render_page
from gainful.show.theme import SIZE

_FEATURE = "gainful figure"
_TAG = re.compile(r"<[a-zA-Z](?:[^>\"]|\"[^\"]*\")*>")
# Only what refers to ids: a name may look like one.
_ID = re.compile(
    r'(\s(?:id="|(?:xlink:)?href="#|(?:clip-path|fill|stroke|mask)="url\(#))([A-Za-z_-]+)(\d+)(?=["\)])'
)
_COORDINATES = re.compile(
    r'(\s(?:d|transform|points|x|y|x1|y1|x2|y2|r|width|height)=")([^"]*)(?=")'
)
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_PIXELS_PER_MILLIMETRE = 96 / 25.4
_PNG_SCALE = 2  # of a PNG, for screens of today and for print


def put_caption_below(spec: dict[str, Any]) -> dict[str, Any]:
    """A chart with its caption under it, where a page would have it as text."""
    meta = spec.get("usermeta", {})
    if not meta.get("caption"):
        return spec
    outer = ("config", "description", "padding", "usermeta", "datasets", "$schema")
    caption = {
        "text": meta["lines"],
        "orient": "bottom",
        "anchor": "start",
        "offset": 14,
        "fontSize": SIZE - 1,
        "fontWeight": "normal",
        "color": meta["quiet"],
    }
    inner = {name: value for name, value in spec.items() if name not in outer}
    return {name: spec[name] for name in outer if name in spec} | {
        "title": caption,
        "vconcat": [inner],
    }


def _find_scale(spec: dict[str, Any]) -> float:
    millimetres = spec.get("usermeta", {}).get("millimetres")
    if millimetres is None:
        return 1.0
    drawn = import_converter(_FEATURE).vegalite_to_svg(put_caption_below(spec))
    width = float(re.search(r'<svg[^>]* width="([\d.]+)"', drawn)[1])  # type: ignore[index]
    return float(millimetres * _PIXELS_PER_MILLIMETRE / width)


def to_svg(chart: Any) -> str:
    """A chart, of Altair or as Vega-Lite has it, as SVG: the same gives the same bytes."""
    spec = as_spec(chart)
    svg_text = normalise_svg(import_converter(_FEATURE).vegalite_to_svg(put_caption_below(spec)))
    if millimetres := spec.get("usermeta", {}).get("millimetres"):
        svg_text = re.sub(
            r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"',
            lambda head: (
                f'{head[1]} width="{millimetres:g}mm" '
                f'height="{millimetres * float(head[3]) / float(head[2]):.2f}mm"'
            ),
            svg_text,
            count=1,
        )
    label = escape(str(spec.get("description", "")))
    if not label:
        return svg_text
    role = (
        f'<svg role="graphics-document" aria-roledescription="visualization" aria-label="{label}"'
    )
    return svg_text.replace("<svg", role, 1)  # as Vega itself does in a page


def _convert(chart: Any, form: str, scale: float = 1) -> bytes:
    spec, convert = as_spec(chart), getattr(import_converter(_FEATURE), f"vegalite_to_{form}")
    data: bytes = convert(put_caption_below(spec), scale=scale * _find_scale(spec))
    return data


def to_html(light: Any, dark: Any | None = None, *, begin_dark: bool = False) -> str:
    """A chart as a page of one file that opens offline.

    Args:
        light: the chart.
        dark: the same for a dark background, if the page is to have both.
        begin_dark: is the page dark, whatever the reader's system is?
    """
    specs = {"light": as_spec(light), "dark": as_spec(light if dark is None else dark)}
    usermeta = specs["light"].get("usermeta", {})
    return render_page(
        "figure.html",
        feature=_FEATURE,
        data=specs | {"begin": "dark" if begin_dark else ""},
        title=usermeta.get("title", "Figure"),
        caption=usermeta.get("caption", []),
    )


def to_json(chart: Any) -> str:
    """A chart as Vega-Lite has it."""
    spec = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **as_spec(chart)}
    return json.dumps(spec, indent=2, ensure_ascii=False, allow_nan=False)


WRITERS: Mapping[str, Callable[[Any], str | bytes]] = {
    ".svg": to_svg,
    ".png": partial(_convert, form="png", scale=_PNG_SCALE),
    ".pdf": partial(_convert, form="pdf"),
    ".html": to_html,
    ".json": to_json,
}


def save(chart: Any, path: str | PathLike[str]) -> None:
    """Write a chart to a file, in the format of its suffix: .svg, .png, .pdf, .html or .json.

    Args:
        chart: what `figures.figure` returned, any Altair chart, or a Vega-Lite specification.
        path: the file; it is written as a whole or not at all.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     save({"mark": "point", "data": {"values": [{}]}}, Path(folder, "a.svg"))
        ...     Path(folder, "a.svg").read_text()[:4]
        '<svg'
    """
    write_atomically(path, WRITERS[find_suffix(path, WRITERS)](chart))


def as_spec(chart: Any) -> dict[str, Any]:
    """The specification of a chart."""
    spec: dict[str, Any] = chart if isinstance(chart, dict) else chart.to_dict()
    return spec


def normalise_svg(text: str) -> str:
    """An SVG whose generated ids begin at 1 again, and whose coordinates have two decimals.

    Ids are counted on in a process, and no eye sees the fifteenth decimal of a coordinate.

    Examples:
        >>> normalise_svg('<g clip-path="url(#clip7)"><path id="clip7" d="M0.123456,1"/></g>')
        '<g clip-path="url(#clip1)"><path id="clip1" d="M0.12,1"/></g>'
    """
    numbers: dict[str, int] = {}

    def renumber_id(id_match: re.Match[str]) -> str:
        before, kind, number = id_match.groups()
        new_number = numbers.setdefault(kind + number, len(numbers) + 1)
        return f"{before}{kind}{new_number}"

    def round_numbers(coordinates: re.Match[str]) -> str:
        numbers = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", coordinates[2])
        return coordinates[1] + numbers

    return _TAG.sub(lambda tag: _COORDINATES.sub(round_numbers, _ID.sub(renumber_id, tag[0])), text)
