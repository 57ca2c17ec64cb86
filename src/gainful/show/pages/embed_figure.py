"""A figure in a page: pictures for a wide and a narrow window, on a light and a dark ground.

Each is an image of its own, in which no script runs, whatever the names in it say.
"""

from __future__ import annotations

from base64 import b64encode

from attrs import frozen

from gainful.show.figures.drawing import draw_spec
from gainful.show.figures.figure import DrawChart, FigureData, Look, clean_text
from gainful.show.picture import to_svg

WIDE, NARROW = 560, 350  # pixels of a whole picture; a narrow one fits a phone
_SQUARE = 460  # pixels of a picture that is as high as it is wide
_LEAST_PLOT = 150  # pixels of the plot itself, whatever room its names take
_NARROW_HEIGHT = 240
_PADDING = 8
_AXES = 96  # pixels of the room around a plot that are not for the names at its right
_SLACK = (
    0.2  # of the room for names: the fonts of a reader may be wider than those it was laid out by
)


@frozen
class EmbeddedFigure:
    """What a page shows of a figure: its title, its caption, and its pictures as addresses."""

    title: str
    caption: tuple[str, ...]
    pictures: dict[str, dict[str, str]]  # by ground (light, dark) and window (wide, narrow)
    description: str  # for who cannot see it


def embed_figure(draw_chart: DrawChart, data: FigureData) -> EmbeddedFigure:
    """The pictures of a figure; its title and caption stand beside them, as text that wraps."""
    pictures = {
        ground: {
            window: _draw_address(draw_chart, data, width, dark=ground == "dark")
            for window, width in (("wide", WIDE), ("narrow", NARROW))
        }
        for ground in ("light", "dark")
    }
    title, caption = clean_text(data.title), tuple(map(clean_text, data.caption))
    return EmbeddedFigure(title, caption, pictures, ". ".join((title, *caption[:1])))


def _draw_address(draw_chart: DrawChart, data: FigureData, width: int, *, dark: bool) -> str:
    """One picture as an address that holds it whole."""
    spec = draw_spec(draw_chart, data, Look(dark=dark))
    room = spec.get("usermeta", {}).get("room", 80)
    is_square = spec.get("width") == spec.get("height")
    slack = _PADDING + round(_SLACK * max(room - _AXES, 0))
    plot = max(_LEAST_PLOT, min(width, _SQUARE if is_square else width) - room - slack)
    height = plot if is_square else _NARROW_HEIGHT if width == NARROW else None
    spec = draw_spec(draw_chart, data, Look(dark=dark, width=plot, height=height))
    spec = {key: part for key, part in spec.items() if key != "title"}
    spec["padding"] = dict.fromkeys(("left", "top", "bottom"), _PADDING)
    spec["padding"]["right"] = _PADDING + slack
    return f"data:image/svg+xml;base64,{b64encode(to_svg(spec).encode()).decode()}"
