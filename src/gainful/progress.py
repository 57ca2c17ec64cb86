"""The progress of long work, if a command asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with the name of a file, its size in bytes, and the share of it that has been read.
Watcher = Callable[[str, int, float], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watch_reading(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` how far files have been read, until the end of the block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def report_reading(name: str, size: int, share: float) -> None:
    """A file of so many bytes has been read to this share of it; 1 is all of it."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(name, size, share)


# Called with what is being done, and the share of it that is.
WorkWatcher = Callable[[str, float], None]
_work_watcher: ContextVar[WorkWatcher | None] = ContextVar("work_watcher", default=None)


@contextmanager
def watch_work(watcher: WorkWatcher) -> Iterator[None]:
    """Tell `watcher` how far computations have come, until the end of the block."""
    token = _work_watcher.set(watcher)
    try:
        yield
    finally:
        _work_watcher.reset(token)


def report_work(name: str, share: float) -> None:
    """What is being done has come to this share; 1 is all of it."""
    watcher = _work_watcher.get()
    if watcher is not None:
        watcher(name, share)
