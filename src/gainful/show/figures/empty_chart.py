"""A picture that says what cannot be shown."""

from __future__ import annotations

from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import WIDTH, framed
from gainful.show.figures.text import wrapped
from gainful.show.theme import SIZE


def chart(data: Data, look: Look) -> Spec:
    """Title and caption as ever, and in place of the plot why there is none."""
    width, height = look.width or WIDTH, look.height or 48
    body: Spec = {
        "data": {"values": [{"told": wrapped([data.nothing], width - 20, SIZE + 1)}]},
        "mark": {
            "type": "text",
            "fontSize": SIZE + 1,
            "align": "left",
            "baseline": "top",
            "lineHeight": 18,
        },
        "encoding": {
            "x": {"value": 0},
            "y": {"value": 10},
            "text": {"field": "told", "type": "nominal"},
        },
    }
    return framed(data, look, body, width, height, [])
