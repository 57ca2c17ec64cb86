"""The words in a picture: names made safe and short, captions wrapped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from gainful.measure.direction import Direction
from gainful.show.theme import SIZE
from gainful.text import shorten

MAX_NAME_LENGTH = 28  # characters of a name in a picture
_CHARACTER_WIDTH = 0.51  # of a character, by the size of the type: a mean over English text
_MAX_CAPTION_LINES = 12  # of a caption


def clean_text(text: object) -> str:
    r"""Text on one line, without what no picture can hold (control characters, half a pair).

    Examples:
        >>> clean_text("a\x00b\n c")
        'a�b c'
    """
    line = " ".join(str(text).split())
    return "".join("\ufffd" if _is_undrawable(character) else character for character in line)


def _is_undrawable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or character in "\ufffe\uffff"


def shorten_name(text: object, limit: int = MAX_NAME_LENGTH) -> str:
    """A name as a picture shows it."""
    return shorten(clean_text(text), limit)


def mark_lower(measure: str, direction: Direction) -> str:
    """The measure, and that less of it is better where it is."""
    return f"{measure} (lower is better)" if direction.is_lower else measure


def text_width(texts: Iterable[str], font_size: float = SIZE - 1) -> int:
    """About how many pixels the longest of some texts takes."""
    return round(max(map(len, texts), default=0) * font_size * (_CHARACTER_WIDTH + 0.05))


def wrap_lines(lines: Sequence[str], width: float, font_size: float = SIZE - 1) -> list[str]:
    """Lines of a caption that fit a width; what is beyond all bounds is cut."""
    line_length = max(30, int(width / (font_size * _CHARACTER_WIDTH)))
    wrapped_lines = [
        part
        for line in lines
        for part in wrap(clean_text(line), line_length, break_on_hyphens=False) or [""]
    ]
    return (
        wrapped_lines
        if len(wrapped_lines) <= _MAX_CAPTION_LINES
        else [*wrapped_lines[: _MAX_CAPTION_LINES - 1], "…"]
    )


def build_title(text: str, caption: Sequence[str], width: float) -> dict[str, Any]:
    """The title of a chart, and under it what produced it."""
    title_lines = wrap_lines([text], width, SIZE + 3)
    return {
        "text": title_lines[0] if len(title_lines) == 1 else title_lines,
        "subtitle": wrap_lines(caption, width),
    }
