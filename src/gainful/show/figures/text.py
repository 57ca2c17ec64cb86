"""The words in a picture: names made safe and short, captions wrapped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from gainful.errors import short
from gainful.show.theme import SIZE

LONGEST = 28  # characters of a name in a picture
_WIDE = 0.51  # of a character, by the size of the type: a mean over English text
_LINES = 12  # of a caption


def plain(text: object) -> str:
    r"""Text on one line, without what no picture can hold (control characters, half a pair).

    Examples:
        >>> plain("a\x00b\n c")
        'a�b c'
    """
    line = " ".join(str(text).split())
    return "".join("\ufffd" if _unfit(one) else one for one in line)


def _unfit(one: str) -> bool:
    return unicodedata.category(one) in ("Cc", "Cs") or one in "\ufffe\uffff"


def name(text: object, most: int = LONGEST) -> str:
    """A name as a picture shows it."""
    return short(plain(text), most)


def width_of(texts: Iterable[str], size: float = SIZE - 1) -> int:
    """About how many pixels the longest of some texts takes."""
    return round(max(map(len, texts), default=0) * size * (_WIDE + 0.05))


def wrapped(lines: Sequence[str], pixels: float, size: float = SIZE - 1) -> list[str]:
    """Lines of a caption that fit a width; what is beyond all bounds is cut."""
    most = max(30, int(pixels / (size * _WIDE)))
    found = [
        part for line in lines for part in wrap(plain(line), most, break_on_hyphens=False) or [""]
    ]
    return found if len(found) <= _LINES else [*found[: _LINES - 1], "…"]


def title(text: str, said: Sequence[str], pixels: float) -> dict[str, Any]:
    """The title of a chart, and under it what produced it."""
    head = wrapped([text], pixels, SIZE + 3)
    return {"text": head[0] if len(head) == 1 else head, "subtitle": wrapped(said, pixels)}


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
