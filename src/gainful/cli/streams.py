"""Where a command prints: how wide it is there, who reads it, and what is said beside it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

import click

from gainful.text import escape_controls, fold_line

if TYPE_CHECKING:
    from gainful.page.terminal import Terminal

_USUAL_WIDTH = 80  # of a terminal that does not tell


def prepare_streams() -> None:
    """Streams that replace what they cannot encode, and write all that they are given."""
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, FileIO):
        # PYTHONUNBUFFERED: one short write, as to a full disk, would cut the output silently.
        buffer = BufferedWriter(sys.stdout.buffer)
        sys.stdout = TextIOWrapper(buffer, sys.stdout.encoding, write_through=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a page that knows no Σ gets a ? instead
            stream.reconfigure(errors="replace")


def abandon_stdout() -> None:
    """Print to nowhere from now on: what stands in the buffer would fail again when Python ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str, speaker: str = "gainful") -> None:
    """Say something on stderr: in one line, or folded where a person reads it on a terminal.

    That it cannot be said, as on a full disk, changes nothing of what was done.
    """
    line = f"{speaker}: {escape_controls(' '.join(message.split()))}"
    width = find_width(sys.stderr) if is_terminal(sys.stderr) else None
    with suppress(OSError):
        click.echo("\n".join([line] if width is None else fold_line(line, width, "  ")), err=True)


def find_terminal() -> Terminal:
    """The terminal that is printed to, or the plain page that a pipe is."""
    from gainful.page.terminal import Terminal  # noqa: PLC0415  (help does without)

    width = find_width(sys.stdout)
    if not is_terminal(sys.stdout):
        return Terminal(width=width)
    blocks = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(width=width, colour=colour, blocks=blocks)


def is_terminal(stream: TextIO | None) -> bool:
    """Does a person sit at the other end?"""
    return stream is not None and stream.isatty()


def find_width(stream: TextIO | None) -> int | None:
    """How many columns it has: as COLUMNS says, or the terminal itself; a pipe has no end."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    if stream is None or not is_terminal(stream):
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH
