"""Small bars of block characters beside numbers, for terminals."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = " ▏▎▍▌▋▊▉█"
_EIGHTHS = len(_BLOCKS) - 1

Fractions = Sequence[float | None]


def draw_bar(fraction: float | None, width: int) -> str:
    """A bar of so many characters, filled to a fraction; what is not known has none.

    Examples:
        >>> draw_bar(0.55, 5), draw_bar(1, 3), draw_bar(0.001, 3), draw_bar(None, 3)
        ('██▊', '███', '▏', '')
    """
    if fraction is None or not fraction > 0:
        return ""
    eighths = max(1, round(min(1.0, fraction) * width * _EIGHTHS))
    full_blocks, remainder = divmod(eighths, _EIGHTHS)
    return _BLOCKS[-1] * full_blocks + (_BLOCKS[remainder] if remainder else "")


def bar_fractions(values: Sequence[float | None], *, bounded: bool = False) -> list[float | None]:
    """Values as parts of 1 where that is the most there can be, else of the largest of them.

    Examples:
        >>> bar_fractions([2.0, 1.0, None, float("nan")])
        [1.0, 0.5, None, None]
    """
    numbers = [value for value in values if value is not None and value == value]  # noqa: PLR0124
    full_bar = max((1.0 if bounded else 0.0), *numbers, 0.0)
    return [
        value / full_bar if full_bar and value is not None and value == value else None  # noqa: PLR0124
        for value in values
    ]
