"""Runs in TREC files that memory would not hold: some lines at a time are read, as in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from os import PathLike
from typing import Any

import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput
from gainful.read.engines import POLARS, Engine
from gainful.read.formats import find_format
from gainful.read.lazy_run import LazyRun
from gainful.read.qrels_and_run import RUN, Rows, Run
from gainful.read.source import Source, make_memory_source, open_source
from gainful.read.trec_files import (
    RUN_LINES,
    describe_trailing,
    find_run_format,
    note_comments,
    read_rows,
)

_PIECE_BYTES = 50_000_000


@frozen(eq=False, kw_only=True)
class LargeRun(LazyRun):
    """A run that stays in its file."""

    name: str
    source: Source
    notes: list[str]
    frame: Any = field(init=False, default=None)
    engine: Engine = field(init=False, default=POLARS)  # its rows have an order, too

    def stream(self) -> Iterator[Run]:
        """Some lines at a time; when all have come, notes say what was passed over."""
        lines, trailing, commented = 0, 0, False
        for piece in self.source.iterate_pieces(_PIECE_BYTES):
            if piece.strip():
                try:
                    rows, run = self._read(piece)
                except BadInput:  # once more, to name its line
                    rows, run = self._read(b"\n" * lines + piece)
                trailing += int(rows.frame["more"].sum())
                commented = commented or bool(rows.notes)
                yield evolve(run, part=True)
            lines += piece.count(b"\n")
        self.source.report_end()
        comments = note_comments(self.source) if commented else []
        self.notes[1:] = [*describe_trailing(trailing), *comments]

    def _read(self, text: bytes) -> tuple[Rows[Run], Run]:
        rows = read_rows(make_memory_source(self.name, self.source.suffix, text), RUN)
        return rows, rows.build()

    def head(self, limit: int) -> Run:
        """The first rows."""
        first = next(self.stream())
        return evolve(first, frame=first.frame.head(limit))

    def collect_queries(self, queries: Collection[str]) -> Run:
        """The rows of some queries."""
        chosen = [part.frame.filter(pl.col("query").is_in([*queries])) for part in self.stream()]
        return Run(pl.concat(chosen), self.name, part=True)


def open_large_run(path: str | PathLike[str], format_name: str | None) -> LargeRun | None:
    """A run in a TREC file that stays there; None of any other file.

    Args:
        path: the file.
        format_name: the name of its format; found by content and suffix if it is not named.
    """
    source = open_source(path)
    is_trec = source.path is not None and find_format(source, format_name).name == "trec"
    if not is_trec or find_run_format(source) is not RUN_LINES:
        return None
    problem = f"{source.size / 1e6:,.1f} MB may need more memory than there is"
    return LargeRun(
        name=source.name, source=source, notes=[f"{source.name}: {problem}: read in parts"]
    )
