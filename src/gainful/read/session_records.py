"""Sound sessions in an engine as short records, read in parts of whole sessions.

All texts are told by numbers: sessions by hashes, topics by their recall base, groups and judgments
by their place. What records cannot tell (what is wrong with a session, its name) nobody asks them:
then sessions are read again with care, by `split_sessions`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from gainful.errors import BadInput
from gainful.progress import report_work
from gainful.read.column_names import restore_name
from gainful.read.engines import report_engine_errors
from gainful.read.lazy_run import as_narwhals
from gainful.read.lazy_session_problems import LENGTH, POWERS, TOTAL, add_up_to_ranks, sum_powers
from gainful.read.lazy_sessions import LazySessions
from gainful.read.qrels_and_run import Qrels
from gainful.read.spilled_records import Records, SpilledRecords
from gainful.read.spilled_rows import choose_parts

QUERY_RECORD = np.dtype(
    [
        ("key", "u8"),  # a hash of the session's name
        ("check", "u4"),  # and some bits of another
        ("query", "i4"),
        ("length", "i4"),  # how many results it has
        ("base", "i4"),  # the number of its recall base
        ("group", "i4"),
        ("scanned", "f8"),
    ]
)
RESULT_RECORD = np.dtype([("key", "u8"), ("query", "i4"), ("rank", "i4"), ("place", "i4")])
_QUERY = ("session", "query")
_SOUND, _PLACE = "gainful_sound", "gainful_place"
_EMPTY = -1  # the place of what is no document
_MAX_NUMBER = 2**31 - 1


class UnsoundSessions(Exception):
    """Records do not tell what is wrong, or not all that is asked for."""


@define(eq=False)
class GroupNumbers:
    """The groups of sessions by the values of their columns, as they come."""

    columns: Sequence[str]
    frame: pl.DataFrame | None = None  # in the order of their numbers

    def number(self, rows: pl.DataFrame) -> NDArray[np.int32]:
        """The number of each row's group; groups that are new get one."""
        if not self.columns:
            return np.zeros(len(rows), dtype=np.int32)
        values = rows.select(self.columns)
        known = values.clear() if self.frame is None else self.frame
        self.frame = pl.concat([known, values.unique()]).unique(maintain_order=True, keep="first")
        numbered = values.join(
            self.frame.with_row_index("\0number"),
            on=self.columns,
            how="left",
            maintain_order="left",
            nulls_equal=True,
        )
        return numbered["\0number"].to_numpy().astype(np.int32)


@frozen(eq=False)
class RecordPart:
    """Some whole sessions: a record for each query, and for each result that is judged."""

    queries: Records
    results: Records
    groups: pl.DataFrame | None


@frozen(eq=False)
class RecordParts:
    """Records on disk, of which each part is some whole sessions."""

    queries: SpilledRecords
    results: SpilledRecords
    groups: pl.DataFrame | None
    longest: int  # queries of a session

    def read(self, max_records: int) -> Iterator[RecordPart]:
        """One part after the other, none of many more records than that."""
        counts = self.queries.counts + self.results.counts
        for part in choose_parts(counts, max_records):
            yield RecordPart(self.queries.read(part), self.results.read(part), self.groups)
            report_work("sessions", float(counts[: part.stop].sum() / counts.sum()))


@contextmanager
def record_sessions(
    sessions: LazySessions, qrels: Qrels, bases: pl.DataFrame, columns: Sequence[str]
) -> Iterator[RecordParts]:
    """Records of sound sessions, on disk until the end of the block.

    Args:
        sessions: in their engine.
        qrels: the judgments.
        bases: topic, and the number (base) of its recall base.
        columns: whose values tell groups apart.
    """
    asked = ("topic", "scanned", *columns)
    narrow = evolve(
        sessions, query_columns=[name for name in sessions.query_columns if name in asked]
    )
    recorder = _Recorder(bases, GroupNumbers(columns))
    with tempfile.TemporaryDirectory(prefix="gainful-") as folder:
        queries = SpilledRecords(Path(folder), "queries", QUERY_RECORD)
        results = SpilledRecords(Path(folder), "results", RESULT_RECORD)
        described = _describe_queries(narrow).to_native()
        _take_stream(sessions, described, lambda rows: recorder.add_queries(rows, queries))
        queries.finish()
        if not recorder.is_sound:
            raise UnsoundSessions
        if not queries.counts.sum():
            raise BadInput(sessions.name, "there is not one session in it")
        places = _find_places(narrow, qrels).to_native()
        _take_stream(sessions, places, lambda rows: recorder.add_results(rows, results))
        results.finish()
        if not recorder.is_sound:
            raise UnsoundSessions
        groups = recorder.groups.frame
        named = None if groups is None else groups.rename(restore_name)
        yield RecordParts(queries, results, named, recorder.longest)


def _take_stream(sessions: LazySessions, native: Any, take: Callable[[pl.DataFrame], None]) -> None:
    """Take a result of the engine, which goes on while some rows of it are taken."""
    with report_engine_errors(sessions.engine, sessions.name), ThreadPoolExecutor(1) as taker:
        before: Future[None] | None = None
        for rows in sessions.engine.stream(native):
            if before is not None:
                before.result()
            before = taker.submit(take, rows)
        if before is not None:
            before.result()


@define(eq=False)
class _Recorder:
    """Rows of an engine → records, as long as nothing is wrong with them."""

    bases: pl.DataFrame
    groups: GroupNumbers
    longest: int = 0
    is_sound: bool = field(default=True)

    def add_queries(self, rows: pl.DataFrame, records: SpilledRecords) -> None:
        if not len(rows):
            return
        self.is_sound = self.is_sound and _are_sound(rows)
        if not self.is_sound:
            return
        topic = rows["topic" if "topic" in rows.columns else "session"].alias("topic").to_frame()
        base = topic.join(self.bases, on="topic", how="left", maintain_order="left")["base"]
        self.is_sound = not base.null_count()
        if self.is_sound:
            self.longest = max(self.longest, int(rows["query"].max()))  # type: ignore[arg-type]
            records.add_columns(
                key=rows["session"].hash(1).to_numpy(),
                check=(rows["session"].hash(2).to_numpy() >> np.uint64(32)).astype(np.uint32),
                query=rows["query"].to_numpy(),
                length=rows[LENGTH].to_numpy(),
                base=base.to_numpy(),
                group=self.groups.number(rows),
                scanned=_read_depths(rows),
            )

    def add_results(self, rows: pl.DataFrame, records: SpilledRecords) -> None:
        self.is_sound = self.is_sound and not (rows[_PLACE] == _EMPTY).any()
        if self.is_sound and len(rows):
            records.add_columns(
                key=rows["session"].hash(1).to_numpy(),
                query=rows["query"].to_numpy(),
                rank=rows["rank"].to_numpy(),
                place=rows[_PLACE].to_numpy(),
            )


def _are_sound(rows: pl.DataFrame) -> bool:
    """Have sessions names, queries positions, and lists all their ranks?"""
    if rows["session"].null_count() or rows["query"].null_count():
        return False
    small = int(rows["query"].max()) <= _MAX_NUMBER and int(rows["query"].min()) >= 1  # type: ignore[arg-type]
    sound = rows[_SOUND].fill_null(value=False).all()
    return small and bool(sound) and not (rows["session"] == "").any()


def _read_depths(rows: pl.DataFrame) -> NDArray[np.float64]:
    """How deep searchers looked; where that is not told, not a number."""
    if "scanned" not in rows.columns:
        return np.full(len(rows), np.nan)
    return rows["scanned"].cast(pl.Float64).to_numpy()


def _describe_queries(sessions: LazySessions) -> nw.LazyFrame[Any]:
    """A row for each query: how many results it has, and whether it is sound.

    A query whose results differ in what is told of it has several, so that engines need not compare
    texts, which takes them longer than to group by them.
    """
    rank = nw.col("rank").cast(nw.Float64)  # exact, and quicker than long whole numbers
    counted = (
        _rows_as_told(sessions)
        .group_by(*_QUERY, *sessions.query_columns)
        .agg(
            nw.col("doc").count().alias(LENGTH),
            rank.sum().alias(TOTAL),
            sum_powers(rank).alias(POWERS),
        )
    )
    ranked = add_up_to_ranks(nw.col(LENGTH))
    return counted.select(*_QUERY, *sessions.query_columns, LENGTH, ranked.alias(_SOUND))


def _rows_as_told(sessions: LazySessions) -> nw.LazyFrame[Any]:
    """Rows in which no text is looked at, which takes engines long."""
    return sessions.rows if sessions.rows_as_told is None else sessions.rows_as_told


def _find_places(sessions: LazySessions, qrels: Qrels) -> nw.LazyFrame[Any]:
    """The results that are judged for their topic, each with the place of its judgment.

    Of judged topics, also those whose document is an empty text.
    """
    topic = "topic" if "topic" in sessions.query_columns else "session"
    judged = qrels.frame.select(
        pl.col("query").alias(topic), "doc", pl.int_range(pl.len(), dtype=pl.Int64).alias(_PLACE)
    )
    empty = qrels.queries.to_frame(topic).with_columns(
        pl.lit("").alias("doc"), pl.lit(_EMPTY, dtype=pl.Int64).alias(_PLACE)
    )
    every_row = _rows_as_told(sessions)
    native: Any = sessions.engine.send(pl.concat([judged, empty]), every_row.to_native())
    rows = every_row.join(as_narwhals(native), on=[topic, "doc"], how="inner")
    return rows.select(*_QUERY, "rank", _PLACE)
