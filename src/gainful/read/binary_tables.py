"""Parquet and Arrow files: named columns in a form that polars reads.

Where such a file is damaged, polars' threads may print lines of their own on standard error before
they give up. What is printed there while a file is read is held back, and let out only if the file
could be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

import polars as pl

from gainful.errors import BadInput
from gainful.read.arrow_check import check_arrow
from gainful.read.parquet_check import check_parquet
from gainful.read.source import ARROW_STREAM, Source, open_source

_STDERR = 2
_ONE_READER = Lock()  # standard error is one for all threads


def read_parquet(source: Source, max_rows: int | None = None) -> pl.DataFrame:
    """A Parquet file whose sizes have been checked, or its first rows."""
    file = source.path or source.read_bytes()
    check_parquet(file, source.name)
    readable = BytesIO(file) if isinstance(file, bytes) else file
    return _read(source, "Parquet", lambda: pl.read_parquet(readable, n_rows=max_rows, glob=False))


def scan_parquet(path: str | PathLike[str]) -> pl.LazyFrame:
    """A Parquet file that stays on disk; all its pages are read once, so that damage shows here."""
    source = open_source(path)
    check_parquet(source.path or source.read_bytes(), source.name)
    frame = pl.scan_parquet(Path(path), glob=False)
    pages = frame.select(pl.all().null_count())
    _read(source, "Parquet", lambda: pages.collect(engine="streaming"))
    return frame


def read_arrow(source: Source) -> pl.DataFrame:
    """An Arrow file, which Feather's are too, or a stream of Arrow's that was saved."""
    read = pl.read_ipc_stream if source.head.startswith(ARROW_STREAM) else pl.read_ipc
    content = source.read_bytes()
    check_arrow(content, source.name)
    return _read(source, "Arrow", lambda: read(BytesIO(content)))


def _read(source: Source, kind: str, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    try:
        with _hold_back_errors():
            return read()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as failure:
        problem = str(failure).split("\n", maxsplit=1)[0]
        raise BadInput(source.name, f"cannot be read as {kind}: {problem}") from None


@contextmanager
def _hold_back_errors() -> Iterator[None]:
    """What is printed on standard error meanwhile comes afterwards, or not at all on a failure."""
    with _ONE_READER, TemporaryFile() as held_back:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # there is none
            yield
            return
        os.dup2(held_back.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)
        held_back.seek(0)
        if printed := held_back.read():
            os.write(_STDERR, printed)
