"""A picture that says what cannot be shown."""

from __future__ import annotations

from gainful.show.figures.figure import FigureData, Look
from gainful.show.figures.line_chart import WIDTH, with_caption
from gainful.show.figures.text import wrap_lines
from gainful.show.theme import SIZE, Spec


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Title and caption as ever, and in place of the plot why there is none."""
    width, height = look.width or WIDTH, look.height or 48
    body: Spec = {
        "data": {"values": [{"text": wrap_lines([data.empty_reason], width - 20, SIZE + 1)}]},
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
            "text": {"field": "text", "type": "nominal"},
        },
    }
    return with_caption(data, look, body, width, height, [])
