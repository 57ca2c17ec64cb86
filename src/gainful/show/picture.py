"""A chart as a file: SVG, PNG, PDF, a page, or its specification; the same bytes every time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from gainful.errors import BadValue, NotInstalled
from gainful.show.atomic_write import put
from gainful.show.figures.figure import Spec
from gainful.show.pages.html_page import rendered

_TAG = re.compile(r"<[a-zA-Z](?:[^>\"]|\"[^\"]*\")*>")
# Only what refers to ids: a name may look like one.
_ID = re.compile(
    r'(\s(?:id="|(?:xlink:)?href="#|(?:clip-path|fill|stroke|mask)="url\(#))([A-Za-z_-]+)(\d+)(?=["\)])'
)
_PLACES = re.compile(r'(\s(?:d|transform|points|x|y|x1|y1|x2|y2|r|width|height)=")([^"]*)(?=")')
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_SCALE = 2  # of a PNG, for screens of today and for print


def svg(chart: Any) -> str:
    """A chart as SVG: text stays text, and the same chart gives the same bytes.

    Args:
        chart: an Altair chart, or a Vega-Lite specification.
    """
    spec = spec_of(chart)
    drawn = renumbered(_converter().vegalite_to_svg(spec))
    told = escape(str(spec.get("description", "")))
    if not told:
        return drawn
    role = f'<svg role="graphics-document" aria-roledescription="visualization" aria-label="{told}"'
    return drawn.replace("<svg", role, 1)  # as Vega itself does in a page


def png(chart: Any) -> bytes:
    """A chart as PNG, two pixels for one."""
    found: bytes = _converter().vegalite_to_png(spec_of(chart), scale=_SCALE)
    return found


def pdf(chart: Any) -> bytes:
    """A chart as PDF."""
    found: bytes = _converter().vegalite_to_pdf(spec_of(chart))
    return found


def html(light: Any, dark: Any | None = None, *, begin_dark: bool = False) -> str:
    """A chart as a page of one file that opens offline.

    Args:
        light: the chart.
        dark: the same for a dark background, if the page is to have both.
        begin_dark: is the page dark, whatever the reader's system is?
    """
    specs = {"light": spec_of(light), "dark": spec_of(light if dark is None else dark)}
    words = specs["light"].get("usermeta", {})
    return rendered(
        "figure.html",
        what="gainful figure",
        data=specs | {"begin": "dark" if begin_dark else ""},
        title=words.get("title", "Figure"),
        said=words.get("said", []),
    )


def specification(chart: Any) -> str:
    """A chart as Vega-Lite has it."""
    spec = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **spec_of(chart)}
    return json.dumps(spec, indent=2, ensure_ascii=False, allow_nan=False)


WRITERS: Mapping[str, Callable[[Any], str | bytes]] = {
    ".svg": svg,
    ".png": png,
    ".pdf": pdf,
    ".html": html,
    ".json": specification,
}


def save(chart: Any, path: str | PathLike[str]) -> None:
    """Put a chart into a file; its suffix says how: .svg, .png, .pdf, .html or .json.

    Args:
        chart: what `gainful.figure` returned, any Altair chart, or a Vega-Lite specification.
        path: the file; it is written as a whole or not at all.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     save({"mark": "point", "data": {"values": [{}]}}, Path(folder, "a.svg"))
        ...     Path(folder, "a.svg").read_text()[:4]
        '<svg'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise BadValue("path", fspath(path), f"a name that ends in {', '.join(WRITERS)}")
    put(path, WRITERS[suffix](chart))


def spec_of(chart: Any) -> Spec:
    """The specification of a chart."""
    found: Spec = chart if isinstance(chart, dict) else chart.to_dict()
    return found


def renumbered(text: str) -> str:
    """An SVG whose generated ids begin at 1 again, and whose coordinates have two decimals.

    Ids are counted on in a process, and no eye sees the fifteenth decimal of a coordinate.

    Examples:
        >>> renumbered('<g clip-path="url(#clip7)"><path id="clip7" d="M0.123456,1"/></g>')
        '<g clip-path="url(#clip1)"><path id="clip1" d="M0.12,1"/></g>'
    """
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        before, kind, number = found.groups()
        given = numbers.setdefault(kind + number, len(numbers) + 1)
        return f"{before}{kind}{given}"

    def rounded(found: re.Match[str]) -> str:
        return found[1] + _LONG.sub(lambda one: f"{float(one[0]):.2f}", found[2])

    def tidy(tag: re.Match[str]) -> str:
        return _PLACES.sub(rounded, _ID.sub(numbered, tag[0]))

    return _TAG.sub(tidy, text)


def _converter() -> Any:
    try:
        import vl_convert  # noqa: PLC0415  (of the extra report)
    except ImportError:
        raise NotInstalled("gainful figure", "report") from None
    return vl_convert
