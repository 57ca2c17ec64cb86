"""What a figure is: a question, tidy data, and a chart made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import polars as pl
from attrs import field, fields_dict, frozen

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.show.theme import DARK, LIGHT, Spec, Tones

DrawChart = Callable[["FigureData", "Look"], Spec]
InputKind = Literal["sessions", "runs", "sweep", "log"]
_MIN_PIXELS, _MAX_PIXELS = 120, 4000  # pixels


def _check_pixels(_: object, attribute: Any, value: Any) -> None:
    if value is None:
        return
    allowed = f"pixels, from {_MIN_PIXELS} to {_MAX_PIXELS}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongType(attribute.name, value, allowed)
    if not _MIN_PIXELS <= value <= _MAX_PIXELS:
        raise BadValue(attribute.name, value, allowed)


def _check_text(_: object, attribute: Any, value: Any) -> None:
    if value is not None and not isinstance(value, str):
        raise WrongType(attribute.name, value, "text")


@frozen(kw_only=True)
class Look:
    """How a picture looks: what stands above it, how large it is, on which background.

    `width` and `height` are of the plot itself, in pixels, without axes, labels and title.

    Examples:
        >>> Look(width=50)
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: width is 50; allowed: pixels, from 120 to 4000
    """

    title: str | None = field(default=None, validator=_check_text)
    width: int | None = field(default=None, validator=_check_pixels)
    height: int | None = field(default=None, validator=_check_pixels)
    dark: bool = False

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Look:
        """A look from options by name; one that it has not is refused."""
        names = list(fields_dict(cls))
        for name in options:
            if name not in names:
                raise UnknownName("option of a picture", name, names)
        return cls(**options)

    @property
    def tones(self) -> Tones:
        """The colours of its background."""
        return DARK if self.dark else LIGHT


@frozen(eq=False, kw_only=True)
class FigureData:
    """The tidy data behind a figure, and the words that belong to it."""

    frame: pl.DataFrame
    title: str
    caption: tuple[str, ...]  # under the title: measure, convention, how many
    axis_title: str = ""  # what the values are
    empty_reason: str = ""  # why there is nothing to see
    extra: Mapping[str, Any] = field(factory=dict)  # what only this figure needs


@frozen(eq=False, kw_only=True)
class Figure:
    """One figure; what its data take by name are the options of the command too."""

    name: str
    question: str
    example: str  # its command line, from its name on
    input_kind: InputKind
    data: Callable[..., FigureData]
    draw_chart: DrawChart
    usual_measures: tuple[str, ...] = ()  # of the command where none is named; none: it takes none
    several_measures: bool = False  # at a time
    always_resamples: bool = False  # its intervals are no option
