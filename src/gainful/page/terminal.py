"""The terminal, or the pipe, that a text is shown on: its width, its colours, folded lines."""

from __future__ import annotations

from attrs import frozen

from gainful.text import fold_line

_LOOK_ALIKES = {
    "…": "...",
    "·": "-",
    "×": "x",
    "→": "->",
    "–": "-",
    "−": "-",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "√": "sqrt",
    "÷": "/",
    "●": "*",
    "█": "#",
}
_SMALL_LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"  # which mark what a run is better than
_LOOK_ALIKES |= dict(zip(_SMALL_LETTERS, "abcdefghijklmnoprstuvwxyz", strict=True))


def spell_in(text: str, encoding: str | None) -> str:
    r"""A text in characters that an encoding has; None has all of them.

    Examples:
        >>> spell_in("α → 索", "ascii"), spell_in("α → 索", None)
        ('\\u03b1 -> \\u7d22', 'α → 索')
    """
    if encoding is None or text.isascii():
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError as failure:
        end = failure.end
        return text[: failure.start] + spell(failure) + spell_in(text[end:], encoding)
    return text


def spell(failure: UnicodeEncodeError) -> str:
    """What stands for the characters that an encoding has not."""
    return "".join(
        _LOOK_ALIKES.get(character) or ascii(character)[1:-1]
        for character in failure.object[failure.start : failure.end]
    )


@frozen
class Terminal:
    """What text is shown on."""

    width: int | None = None  # None for a pipe
    colour: bool = False  # may it be coloured?
    blocks: bool = False  # does it know the characters that bars are made of?
    encoding: str | None = None  # what other characters it knows, if not all


PLAIN = Terminal()


def wrap_text(text: str, terminal: Terminal, indent: str = "") -> str:
    """Lines no longer than the terminal is wide; what goes over is indented."""
    text = spell_in(text, terminal.encoding)
    if terminal.width is None:
        return text
    lines = (fold_line(line, terminal.width, indent) for line in text.splitlines())
    return "\n".join(part for parts in lines for part in parts)


def colour_text(text: str, style: str, terminal: Terminal) -> str:
    """Lines in a style of the terminal, such as 1 for bold; as they are where it has no colours."""
    if not (style and terminal.colour):
        return text
    return "\n".join(f"\x1b[{style}m{line}\x1b[0m" for line in text.split("\n"))
