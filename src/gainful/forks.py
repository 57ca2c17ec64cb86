"""Forked processes, in which polars would wait forever for threads that stayed behind.

It is loaded with the package, to see every fork, and loads hardly anything itself.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_OF_POLARS = ("polars-0", "async-executor")  # names of its threads
_owners: set[int] = set()  # processes that had such threads when they were forked


def _note_threads() -> None:
    for task in Path("/proc/self/task").glob("*"):  # there is none elsewhere than in Linux
        with suppress(OSError):  # it may have ended
            if (task / "comm").read_text().startswith(_OF_POLARS):
                _owners.add(os.getpid())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_note_threads)


def refuse_lost_threads() -> None:
    """Refuse work for polars where its threads stayed in the process this one was forked from."""
    if _owners - {os.getpid()}:
        from gainful.errors import BadInput  # noqa: PLC0415  (seldom)

        problem = "it was forked from a process that already used polars, and would never end"
        allowed = "multiprocessing.get_context('spawn') or 'forkserver'; or dicts, without polars"
        raise BadInput("this process", problem, allowed)
