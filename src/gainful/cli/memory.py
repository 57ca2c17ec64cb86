"""Is there room for the libraries below us? With too little they end the process wordlessly."""

from __future__ import annotations

import os

import click

_BASE, _PER_CORE = 1 << 30, 1 << 26  # bytes of address space that polars and scipy take to start


def refuse_little_memory() -> None:
    """Refuse to begin where the address space is limited (`ulimit -v`) to less than is needed."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return
    limit, needed = getrlimit(RLIMIT_AS)[0], _BASE + _PER_CORE * (os.cpu_count() or 1)
    if limit != RLIM_INFINITY and limit < needed:
        raise click.ClickException(
            f"there is not enough memory: the address space is limited to {limit >> 20} MiB "
            f"(ulimit -v), and {needed >> 20} MiB are needed to begin"
        )
