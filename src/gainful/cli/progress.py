"""A bar on stderr while a long file is read or long work done, if there is someone to see it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from time import monotonic

from gainful.cli.streams import find_width, is_terminal
from gainful.progress import watch_reading, watch_work
from gainful.text import shorten

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
    with watch_reading(bar.update), watch_work(bar.update_work):
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
        if size < _LONG:
            return
        if share >= 1:
            self.clear()
            return
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
