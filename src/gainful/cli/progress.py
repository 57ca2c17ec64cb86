"""A bar on stderr while a long file is read, if there is someone to see it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

from gainful.cli.streams import find_width, is_terminal
from gainful.progress import watch_reading
from gainful.text import shorten

_LONG = 50_000_000  # bytes; reading less takes no time worth a bar
_BAR_WIDTH = 20
_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def show_progress() -> Iterator[None]:
    """A bar for each long file that is read within, gone when it has been."""
    if not is_terminal(sys.stderr):
        yield
        return
    bar = _Bar()
    with watch_reading(bar.update):
        try:
            yield
        finally:
            bar.clear()


class _Bar:
    """One line that is written over and over."""

    def __init__(self) -> None:
        self.line = ""

    def update(self, name: str, size: int, share: float) -> None:
        """Draw how much of a long file has been read; all of it is no longer worth a line."""
        if size < _LONG:
            return
        if share >= 1:
            self.clear()
            return
        done = round(_BAR_WIDTH * share)
        bar = "#" * done + "-" * (_BAR_WIDTH - done)
        room = (find_width(sys.stderr) or 0) - len(bar) - 20
        line = f"reading {shorten(PurePath(name).name, max(room, 8))} [{bar}] {share:4.0%}"
        if line != self.line:
            self._write(_CLEAR_LINE + line)
            self.line = line

    def clear(self) -> None:
        """Take the line away."""
        if self.line:
            self._write(_CLEAR_LINE)
            self.line = ""

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
