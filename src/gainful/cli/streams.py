"""Where a command prints: how wide it is there, who reads it, and what is said beside it."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import PurePath
from time import monotonic
from typing import TYPE_CHECKING, TextIO

import click

from gainful.progress import watch
from gainful.text import escape_controls, fold_line, shorten, shorten_message

if TYPE_CHECKING:
    from gainful.page.terminal import Terminal


_SPELL = "gainful.spell"
_USUAL_WIDTH = 80  # of a terminal that does not tell


def prepare_streams() -> None:
    """Streams that spell what they cannot encode, and write all that they are given."""
    codecs.register_error(_SPELL, _spell)
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, FileIO):
        # PYTHONUNBUFFERED: one short write, as to a full disk, would cut the output silently.
        buffer = BufferedWriter(sys.stdout.buffer)
        sys.stdout = TextIOWrapper(buffer, sys.stdout.encoding, write_through=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_SPELL)


def _spell(failure: UnicodeError) -> tuple[str, int]:
    from gainful.page.terminal import spell  # noqa: PLC0415  (streams mostly have all characters)

    if not isinstance(failure, UnicodeEncodeError):
        raise failure
    return spell(failure), failure.end


def flush_stderr() -> None:
    """Let out what was said; where that fails, as on a full disk, it is forgotten.

    It would fail again when Python ends, which makes an exit status of its own of it.
    """
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    except (AttributeError, ValueError):  # there is none
        return


def abandon_stdout() -> None:
    """Print to nowhere from now on: what stands in the buffer would fail again when Python ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str, speaker: str = "gainful") -> None:
    """Say something on stderr: in one line, or folded where a person reads it on a terminal.

    A note that cannot be written, as on a full disk, is no error.
    """
    line = f"{speaker}: {shorten_message(escape_controls(' '.join(message.split())))}"
    width = find_width(sys.stderr) if is_terminal(sys.stderr) else None
    with suppress(OSError):
        click.echo("\n".join([line] if width is None else fold_line(line, width, "  ")), err=True)


def find_terminal() -> Terminal:
    """The terminal that is printed to, or the plain page that a pipe is."""
    from gainful.page.terminal import Terminal  # noqa: PLC0415  (help does without)

    width = find_width(sys.stdout)
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    unlimited = encoding.lower().replace("-", "") == "utf8"
    limits = None if unlimited else encoding
    if not is_terminal(sys.stdout):
        return Terminal(width=width, encoding=limits)
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(width=width, colour=colour, blocks=unlimited, encoding=limits)


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


_LONG = 50_000_000  # bytes; reading less takes no time worth a bar
_LONG_WORK = 0.5  # seconds; work that is done sooner shows no bar
_BAR_WIDTH = 20
_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def show_progress() -> Iterator[None]:
    """A bar for each long file that is read and all long work that is done within; then gone."""
    if not is_terminal(sys.stderr):
        yield
        return
    bar = _Bar()
    with watch(reading=bar.update, work=bar.update_work):
        try:
            yield
        finally:
            bar.clear()


class _Bar:
    """One line that is written over and over."""

    def __init__(self) -> None:
        self.line = ""
        self.work_start: float | None = None

    def update(self, name: str, size: int, share: float) -> None:
        """Draw how much of a long file has been read; all of it is no longer worth a line."""
        if size >= _LONG and share >= 1:
            self.clear()
        elif size >= _LONG:
            self._draw("reading", PurePath(name).name, share)

    def update_work(self, name: str, share: float) -> None:
        """Draw how much of some work is done, once it has taken long."""
        if self.work_start is None:
            self.work_start = monotonic()
        if share >= 1:
            self.clear()
        elif monotonic() - self.work_start > _LONG_WORK:
            self._draw(name, "", share)

    def _draw(self, verb: str, name: str, share: float) -> None:
        done = round(_BAR_WIDTH * share)
        bar = "#" * done + "-" * (_BAR_WIDTH - done)
        room = (find_width(sys.stderr) or 0) - len(bar) - 20
        what = f"{verb} {shorten(name, max(room, 8))}" if name else verb
        line = f"{what} [{bar}] {share:4.0%}"
        self._show(line)

    def clear(self) -> None:
        self._show("")

    def _show(self, line: str) -> None:
        if line != self.line:
            sys.stderr.write(_CLEAR_LINE + line)
            sys.stderr.flush()
            self.line = line
