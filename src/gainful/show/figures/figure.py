"""What a figure is: a question, tidy data, and a chart made of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from os.path import commonprefix
from textwrap import wrap
from typing import Any, Literal

import numpy as np
import polars as pl
from attrs import field, frozen

from gainful.errors import BadValue, WrongType, check_whole_number
from gainful.measure.entry import Direction
from gainful.show.theme import DARK, LIGHT, SIZE, Spec, Tones
from gainful.text import collect_by_key, number_doubles

MAX_NAME_LENGTH = 28  # characters of a name in a picture
_CHARACTER_WIDTH = 0.56  # by the size of the type, in a wide font
BOLD = 0.62 / _CHARACTER_WIDTH  # how much wider a bold character is
_MAX_CAPTION_LINES = 12  # of a caption
_NOT_TEXT = "\ufffe\uffff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def clean_text(text: object) -> str:
    r"""Text on one line, without what no picture can hold (control characters, half a pair).

    Nor does it have marks that turn what follows, with which a name could look like another one.

    Examples:
        >>> clean_text("a\x00b\n c")
        'a�b c'
    """
    undrawable = ("Cc", "Cs")
    return "".join(
        "\ufffd"
        if unicodedata.category(character) in undrawable or character in _NOT_TEXT
        else character
        for character in " ".join(str(text).split())
    )


def shorten_name(text: object, limit: int = MAX_NAME_LENGTH) -> str:
    """A name as a picture shows it: a long one without its middle, as names differ at the end.

    Examples:
        >>> shorten_name("splade-cocondenser-ensembledistil-epoch-10")
        'splade-coconde…stil-epoch-10'
    """
    name = clean_text(text)
    head = limit // 2
    return name if len(name) <= limit else f"{name[:head]}…{name[head + 1 - limit :]}"


def shorten_names(texts: Iterable[object], limit: int = MAX_NAME_LENGTH) -> list[str]:
    """Names as a picture shows them; those that would look the same keep what differs.

    Examples:
        >>> shorten_names([f"splade-cocondenser-lr{n}-ensembledistil-epoch-10" for n in (1, 2)])
        ['splad…lr1', 'splad…lr2']
    """
    texts = list(texts)
    names = {text: clean_text(text) for text in texts}
    labels = {text: shorten_name(name, limit) for text, name in names.items()}
    beginnings = ((name[: limit // 2], text) for text, name in names.items() if len(name) > limit)
    for alike in collect_by_key(beginnings).values():
        if len({labels[text] for text in alike}) < len(alike):
            short = _shorten_alike([names[text] for text in alike], limit)
            labels.update(zip(alike, short, strict=True))
    distinct = dict(zip(labels, number_doubles(list(labels.values())), strict=True))
    return [distinct[text] for text in texts]


def _shorten_alike(names: Sequence[str], limit: int) -> list[str]:
    """Names with the same beginning: a little of it, and the words that differ."""
    start = len(commonprefix(names))  # noqa: RUF071  (of texts, not of paths)
    edge = limit // 5
    rests = [name[start - edge :] for name in names]
    words = [re.findall(r"[^\W_]+", rest) for rest in rests]
    if len({*map(len, words)}) == 1:
        differs = [len({*column}) > 1 for column in zip(*words, strict=True)]
        rests = ["…".join(compress(own, differs)) for own in words]
    return [
        f"{name[:edge]}…{shorten_name(rest, limit - edge - 1)}"
        for name, rest in zip(names, rests, strict=True)
    ]


def explain_empty(values: pl.Series, nothing: str, zeros: str) -> str:
    """Why there is nothing to see: not one value, or zeros alone; nothing where there is."""
    defined = values.drop_nulls()
    if not len(defined):
        return nothing
    return zeros if (defined == 0).all() else ""


NO_MEAN = "No value counts, so there is no mean to show."
NO_GAIN = "Nothing was gained: every value is 0."


def mark_lower(measure: str, direction: Direction) -> str:
    """The measure, and that less of it is better where it is."""
    return f"{measure} (lower is better)" if direction.is_lower else measure


def text_width(texts: Iterable[str], font_size: float = SIZE - 1) -> int:
    """About how many pixels the longest of some texts takes."""
    return round(max(map(len, texts), default=0) * font_size * _CHARACTER_WIDTH)


def wrap_lines(lines: Sequence[str], width: float, font_size: float = SIZE - 1) -> list[str]:
    """Lines of a caption that fit a width; what is beyond all bounds is cut."""
    line_length = max(30, int(width / (font_size * _CHARACTER_WIDTH)))
    wrapped_lines = [
        part
        for line in lines
        for part in wrap(clean_text(line), line_length, break_on_hyphens=False) or [""]
    ]
    if len(wrapped_lines) <= _MAX_CAPTION_LINES:
        return wrapped_lines
    return [*wrapped_lines[: _MAX_CAPTION_LINES - 1], "…"]


def spread_labels(targets: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` from one another, near their targets, within bounds.

    Labels that are too near stand where they are nearest to the targets of all of them.

    Examples:
        >>> spread_labels([10, 12, 50], 10, 0, 100)
        [6.0, 16.0, 50.0]
        >>> spread_labels([95, 99], 10, 0, 100)
        [90.0, 100.0]
    """
    if not targets:
        return []
    order, steps = np.argsort(targets, kind="stable"), gap * np.arange(len(targets))
    # Isotonic regression: means of neighbours, the smallest to the right, of these the largest.
    sums = np.cumsum([0.0, *(np.clip(targets, low, high)[order] - steps)])
    first, last = np.ogrid[: len(targets), 1 : len(targets) + 1]
    sizes = np.where(last > first, last - first, np.inf)
    means = np.where(last > first, (sums[last] - sums[first]) / sizes, np.inf)
    smallest = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    nearest = np.where(last > first, smallest, -np.inf).max(axis=0)
    places = np.empty(len(targets))
    places[order] = np.clip(nearest, low, max(high - steps[-1], low)) + steps
    found: list[float] = places.tolist()
    return found


DrawChart = Callable[["FigureData", "Look"], Spec]
InputKind = Literal["sessions", "runs", "groups", "sweep", "log", "judges"]
CAPTIONS = ("none", "short", "full")
PAPER_SIZES = {"column": 85.0, "page": 180.0}  # millimetres
_PLOT_WIDTHS = {"column": 220, "page": 520}  # pixels
_MIN_PIXELS, _MAX_PIXELS = 120, 4000  # pixels


def _check_pixels(_: object, attribute: Any, value: Any) -> None:
    if value is not None:
        check_whole_number(attribute.name, value, _MIN_PIXELS, _MAX_PIXELS)


@frozen(kw_only=True)
class Look:
    """How a picture looks: what stands above and below it, how large it is, on which background.

    `width` and `height` are of the plot itself, in pixels, without axes, labels and title; `size`
    makes the whole picture as wide as a column or a page of a paper.

    Examples:
        >>> Look(width=50)
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: width is 50; allowed: a whole number from 120 to 4000
    """

    title: str | None = None
    width: int | None = field(default=None, validator=_check_pixels)
    height: int | None = field(default=None, validator=_check_pixels)
    dark: bool = False
    caption: str = "short"
    size: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.title is not None and not isinstance(self.title, str):
            raise WrongType("title", self.title, "text")
        if self.caption not in CAPTIONS:
            raise BadValue("caption", self.caption, ", ".join(CAPTIONS))
        if self.size not in (None, *PAPER_SIZES):
            raise BadValue("size", self.size, ", ".join(PAPER_SIZES))
        if self.size is not None and self.width is None:
            object.__setattr__(self, "width", _PLOT_WIDTHS[self.size])

    def choose_lines(self, lines: Sequence[str]) -> Sequence[str]:
        """What stands below the picture: nothing, what is shown, or also how it came about."""
        if self.caption == "short":
            return [
                *lines[:1],
                *(line for line in lines[1:] if line.startswith(("band:", "shade:", "Note:"))),
            ]
        return lines if self.caption == "full" else []

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
