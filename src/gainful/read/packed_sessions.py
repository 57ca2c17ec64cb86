"""Sound sessions in an engine as rows of numbers, in parts of whole sessions: the quick path.

All texts are told by numbers: sessions by hashes, topics by their recall base, groups and judgments
by their place. What numbers cannot tell (what is wrong with a session, its name) nobody asks them:
then all rows of sessions are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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
from gainful.read.spill import KEY, Spill, choose_parts

_QUERY = ("session", "query")
_SOUND, _PLACE = "gainful_sound", "gainful_place"
_EMPTY = -1  # the place of what is no document
_MAX_NUMBER = 2**31 - 1


class UnsoundSessions(Exception):
    """Numbers do not tell what is wrong, or not all that is asked for."""


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
class PackedPart:
    """Some whole sessions: a row of numbers for each query, and for each result that is judged."""

    queries: pl.DataFrame  # KEY, check, query, length, base, group, scanned
    results: pl.DataFrame  # KEY, query, rank, place
    groups: pl.DataFrame | None


def pack_sessions(
    sessions: LazySessions,
    qrels: Qrels,
    bases: pl.DataFrame,
    columns: Sequence[str],
    choose_size: Callable[[int], int],
) -> Iterator[PackedPart]:
    """Sound sessions in parts.

    Args:
        sessions: in their engine.
        qrels: the judgments.
        bases: topic, and the number (base) of its recall base.
        columns: whose values tell groups apart.
        choose_size: how many rows of a part, by the queries of the longest session.
    """
    asked = ("topic", "scanned", *columns)
    narrow = evolve(
        sessions, query_columns=[name for name in sessions.query_columns if name in asked]
    )
    packer = _Packer(bases, GroupNumbers(columns))
    queries, results = Spill(sessions.name), Spill(sessions.name)
    described = _describe_queries(narrow).to_native()
    _take_stream(sessions, described, lambda rows: packer.add_queries(rows, queries))
    queries.finish()
    if not packer.is_sound:
        raise UnsoundSessions
    if not queries.counts.sum():
        raise BadInput(sessions.name, "there is not one session in it")
    places = _find_places(narrow, qrels).to_native()
    _take_stream(sessions, places, lambda rows: packer.add_results(rows, results))
    results.finish()
    if not packer.is_sound:
        raise UnsoundSessions
    groups = packer.groups.frame
    named = None if groups is None else groups.rename(restore_name)
    counts = queries.counts + results.counts
    for part in choose_parts(counts, choose_size(packer.longest)):
        yield PackedPart(queries.read(part), results.read(part), named)
        report_work("sessions", float(counts[: part.stop].sum() / counts.sum()))


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
class _Packer:
    """Rows of an engine → rows of numbers, as long as nothing is wrong with them."""

    bases: pl.DataFrame
    groups: GroupNumbers
    longest: int = 0
    is_sound: bool = field(default=True)

    def add_queries(self, rows: pl.DataFrame, spill: Spill) -> None:
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
            check = rows["session"].hash(2) // 2**32
            spill.add(
                rows.select(
                    pl.col("session").hash(1).alias(KEY),
                    check.cast(pl.UInt32).alias("check"),
                    pl.col("query").cast(pl.Int32),
                    pl.col(LENGTH).cast(pl.Int32).alias("length"),
                    base.cast(pl.Int32).alias("base"),
                    pl.Series("group", self.groups.number(rows)),
                    *_read_depths(rows),
                )
            )

    def add_results(self, rows: pl.DataFrame, spill: Spill) -> None:
        self.is_sound = self.is_sound and not (rows[_PLACE] == _EMPTY).any()
        if self.is_sound:
            numbers = pl.col("query", "rank", _PLACE).cast(pl.Int32)
            key = pl.col("session").hash(1).alias(KEY)
            spill.add(rows.select(key, numbers).rename({_PLACE: "place"}))


def _are_sound(rows: pl.DataFrame) -> bool:
    """Have sessions names, queries positions, and lists all their ranks?"""
    if rows["session"].null_count() or rows["query"].null_count():
        return False
    small = int(rows["query"].max()) <= _MAX_NUMBER and int(rows["query"].min()) >= 1  # type: ignore[arg-type]
    sound = rows[_SOUND].fill_null(value=False).all()
    return small and bool(sound) and not (rows["session"] == "").any()


def _read_depths(rows: pl.DataFrame) -> list[pl.Expr]:
    """How deep searchers looked, if the log tells it; where it does not, not a number."""
    depth = pl.col("scanned").cast(pl.Float64).fill_null(float("nan"))
    return [depth] if "scanned" in rows.columns else []


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
