"""The terminal, or the pipe, that a text is shown on."""

from __future__ import annotations

from textwrap import fill

from attrs import frozen


@frozen
class Terminal:
    """What text is shown on: how wide it is (None for a pipe), whether it may be coloured.

    `blocks` says whether it knows the characters that bars are made of.
    """

    width: int | None = None
    colour: bool = False
    blocks: bool = False


PLAIN = Terminal()


def wrap_text(text: str, terminal: Terminal, indent: str = "") -> str:
    """Lines no longer than the terminal is wide; what goes over is indented."""
    if terminal.width is None:
        return text
    return "\n".join(
        fill(line, terminal.width, subsequent_indent=indent, break_long_words=False)
        for line in text.splitlines()
    )


def colour_text(text: str, style: str, terminal: Terminal) -> str:
    """Lines in a style of the terminal, such as 1 for bold; as they are where it has no colours."""
    if not (style and terminal.colour):
        return text
    return "\n".join(f"\x1b[{style}m{line}\x1b[0m" for line in text.split("\n"))
