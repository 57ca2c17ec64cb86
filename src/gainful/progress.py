"""The progress of long work, if a command asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ReadingWatcher = Callable[[str, int, float], None]  # a file, its size in bytes, the share read
WorkWatcher = Callable[[str, float], None]  # what is being done, and the share of it that is
_watchers: ContextVar[tuple[ReadingWatcher | None, WorkWatcher | None]] = ContextVar(
    "watchers", default=(None, None)
)


@contextmanager
def watch(
    *, reading: ReadingWatcher | None = None, work: WorkWatcher | None = None
) -> Iterator[None]:
    """Tell watchers how far files have been read and work is done, until the end of the block."""
    token = _watchers.set((reading, work))
    try:
        yield
    finally:
        _watchers.reset(token)


def report_reading(name: str, size: int, share: float) -> None:
    """A file of so many bytes has been read to this share of it; 1 is all of it."""
    watcher, _ = _watchers.get()
    if watcher is not None:
        watcher(name, size, share)


def report_work(name: str, share: float) -> None:
    """What is being done has come to this share; 1 is all of it."""
    _, watcher = _watchers.get()
    if watcher is not None:
        watcher(name, share)
