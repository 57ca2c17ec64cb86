"""Judgments and a large run → `Matched`: the code for memory, some whole queries at a time.

Of a TREC file whose queries each stand together, some are read after others. Else the rows of a
query are brought together by its hash: here, by way of a temporary file where there are many of
them, or on Spark's workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from os import PathLike
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from gainful.convention import Convention
from gainful.errors import BadInput, Changed, Duplicated, GainfulError
from gainful.match.frames import refuse_duplicates
from gainful.match.matched import MOST_NAMED, Matched
from gainful.match.pools import build_pools, match_subtopics
from gainful.match.rank_order import invert_order
from gainful.read.engines import (
    PICKLED,
    SPARK,
    as_spark_arrow,
    collect_pickled,
    pickle_result,
    report_engine_errors,
)
from gainful.read.formats import find_format
from gainful.read.inputs import as_qrels_columns
from gainful.read.qrels_and_run import IdKinds, LazyRun, NestedDict, Qrels, Run
from gainful.read.small_trec import read_first_lines
from gainful.read.source import is_file, open_source
from gainful.read.spill import BUCKETS, KEY, Spill, choose_parts, refuse_large_owners
from gainful.read.trec_files import RUN_LINES, find_run_format, scan_pieces
from gainful.text import quote
from gainful.threads import map_ahead, take_ahead

MIN_BYTES = 1 << 25  # of a file that is matched in parts
PART_ROWS = 1 << 19  # at least, and the rest of a query


def match_large_file(
    qrels: Qrels | NestedDict,
    path: str | PathLike[str],
    format_name: str | None,
    convention: Convention,
    match: MatchInMemory,
) -> Matched | None:
    """What was matched of a large run, with its first rows; None where it has to be read whole.

    That is so where a line is malformed or a comment, where a query stands in several places, and
    where anything is refused: the message needs the rows.
    """
    if convention.extra != "ignore" or not is_file(path):
        return None
    try:
        source = open_source(path)
        is_trec = find_format(source, format_name).name == "trec"
        if source.size < MIN_BYTES or not is_trec or find_run_format(source) is not RUN_LINES:
            return None
        frames = _iterate_frames(scan_pieces(source, RUN_LINES))
        columns = as_qrels_columns(qrels)
        parts = _match_queries(columns, frames, partial(match_part, match, convention))
        if not parts or not any((part.judged & part.in_run).any() for part in parts):
            return None
        subtopics = match_subtopics(columns, build_pools(columns))
        matched = concat_parts(parts, columns.queries.to_list(), subtopics=subtopics)
        return evolve(matched, qrels=qrels, run=read_first_lines(source))
    except Changed:
        raise
    except GainfulError:
        return None


def _iterate_frames(
    pieces: Iterable[tuple[pl.DataFrame | None, bool]],
) -> Iterator[pl.DataFrame | None]:
    """The rows of a file, in frames of whole queries; None where it has to be read whole."""
    rows = None
    for piece, commented in pieces:
        if piece is None or commented:
            yield None
            return
        rows = piece if rows is None else pl.concat([rows, piece])
        last = int(rows["query"].rle().struct.field("len")[-1])
        if len(rows) - last >= PART_ROWS:
            yield rows.head(-last)
            rows = rows.tail(last)
    yield rows


def _match_queries(
    qrels: Qrels, frames: Iterable[pl.DataFrame | None], match_part: WorkPart
) -> list[Matched]:
    """What was matched of each frame, and of queries in none of them; nothing if that fails."""
    judged, seen, parts = pack_qrels(qrels), set[str](), []
    for frame in frames:
        queries = {*frame["query"].unique()} if frame is not None else seen
        if frame is None or not seen.isdisjoint(queries):
            return []
        seen |= queries
        own = judged["query"].is_in([*queries])
        run = Run(frame.select(RUN_LINES.columns), part=True)
        parts.append(match_part(judged.filter(own), run))
        judged, none = judged.filter(~own), frame.clear().select(RUN_LINES.columns)
    return [*parts, match_part(judged, Run(none, part=True))]


_MAX_ROWS = 1_000_000  # of a part

WorkPart = Callable[[pl.DataFrame, Run], Matched]  # on judgments as `pack_qrels` has them
WorkRows = Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame]
MatchInMemory = Callable[[Qrels, Run, Convention], Matched]


def match_parts(
    qrels: Qrels, run: LazyRun, convention: Convention, match: MatchInMemory
) -> Matched:
    """Where do the judged documents stand in a run that is in an engine?"""
    match_one = partial(match_part, match, count_duplicates(convention, run))
    collect_parts = _match_on_workers if run.engine is SPARK else _match_by_disk
    matched = concat_parts(
        collect_parts(qrels, run, match_one),
        qrels.queries.to_list(),
        ordered=run.engine.ordered,
        subtopics=match_subtopics(qrels, build_pools(qrels)),
    )
    refuse_bad_run(matched, run, convention)
    return matched


def count_duplicates(convention: Convention, run: LazyRun) -> Convention:
    """The convention by which a part is matched: duplicates of all parts are refused together."""
    known = {"first": True, "last": run.engine.ordered}
    takes_one = known.get(convention.duplicates, False)
    return convention if takes_one else evolve(convention, duplicates="count")


def concat_parts(parts: Sequence[Matched], queries: Sequence[str], **known: Any) -> Matched:
    """Parts of one run, each of some whole queries, as if they had been matched together.

    Args:
        parts: one at least.
        queries: those that were judged, in the order that they are to have; others go by name.
        **known: fields that only the whole has.
    """

    def join(name: str, numbered: str = "") -> Any:
        """An array of all parts; of places in another, which are numbered on."""
        arrays = [getattr(part, name) for part in parts]
        if not numbered:
            return np.concatenate(arrays)
        starts = accumulate((len(getattr(part, numbered)) for part in parts), initial=0)
        return np.concatenate([array + start for array, start in zip(arrays, starts, strict=False)])

    names = [name for part in parts for name in part.queries]
    in_order = [*queries, *sorted({*names}.difference(queries))]
    place = dict(zip(in_order, range(len(in_order)), strict=True))
    order = np.argsort([place[name] for name in names], kind="stable")
    number = invert_order(order)
    pool_query = number[join("pool_query", "queries")]
    pool_order = np.argsort(pool_query, kind="stable")
    filtered = {
        name: concat_parts([(part.filtered or {})[name] for part in parts], queries, **known)
        for name in parts[0].filtered or {}
    }
    return Matched(
        queries=[names[at] for at in order.tolist()],
        pool_query=pool_query[pool_order],
        pool_grade=join("pool_grade")[pool_order],
        query=number[join("query", "queries")],
        pool_index=invert_order(pool_order)[join("pool_index", "pool_query")],
        tied_count=sum(part.tied_count for part in parts),
        duplicate_count=sum(part.duplicate_count for part in parts),
        duplicate=min((part.duplicate for part in parts if part.duplicate), default=None),
        extra_counts=(
            sum(part.extra_counts[0] for part in parts),
            sum(part.extra_counts[1] for part in parts),
        ),
        filtered=filtered or None,
        **{name: join(name)[order] for name in ("judged", "in_run", "retrieved")},
        **{name: join(name) for name in ("grade", *Matched.rank_fields)},
        **known,
    )


def refuse_bad_run(matched: Matched, run: LazyRun, convention: Convention) -> None:
    """Refuse a run without results, or with duplicates that the convention does not take."""
    if not matched.in_run.any():
        raise BadInput(run.name, "it has no results")
    if matched.duplicate is None or convention.duplicates in ("count", "first"):
        return
    query, doc = map(quote, matched.duplicate)
    example = f"document {doc} of query {query}"
    if convention.duplicates == "error":
        refuse_duplicates(run.name, example, matched.duplicate_count)
    if not run.engine.ordered:
        problem = f"{example} comes twice, and rows in {run.engine.name} have no order"
        allowed = "each document once, or duplicates=first or count"
        raise Duplicated(run.name, f"{problem}: which is last?", allowed)


def pack_qrels(qrels: Qrels) -> pl.DataFrame:
    """Judgments as one table: query, doc, grade; no doc where a query was judged without one."""
    rows = {"query": qrels.empty_queries, "doc": None, "grade": None}
    return pl.concat([qrels.frame, pl.DataFrame(rows, schema=qrels.frame.schema)])


def unpack_qrels(rows: pl.DataFrame, ids: IdKinds | None = None) -> Qrels:
    """The judgments of some queries, as `pack_qrels` made them."""
    empty_queries = rows.filter(pl.col("doc").is_null())["query"]
    judged = rows.select("query", "doc", "grade").drop_nulls("doc")
    return Qrels(judged, empty_queries=tuple(empty_queries), unique=False, ids=ids or {}, part=True)


def match_part(
    match: MatchInMemory, convention: Convention, judged: pl.DataFrame, run: Run
) -> Matched:
    """Some whole queries of a run, with judgments as `pack_qrels` has them."""
    refuse_large_owners([run.frame], ["query"], len(run.frame), run.name)
    matched = match(unpack_qrels(judged), run, convention)
    if convention.extra != "ignore":
        return matched
    kept = matched.judged | (np.cumsum(~matched.judged) <= MOST_NAMED)  # the others are counted
    counts = int((~kept).sum()), int(matched.retrieved[~kept].sum())
    return evolve(matched.select_queries(kept), extra_counts=counts)


def _match_by_disk(qrels: Qrels, run: LazyRun, match_part: WorkPart) -> list[Matched]:
    """The parts of a run: it is read while rows are written, and a part while one is matched."""
    judged, retrieved = Spill("the judgments"), Spill(run.name, ["query"])
    empty_queries = set[str]()

    def take(rows: Run) -> None:
        retrieved.add(_hash_queries(rows.frame))
        empty_queries.update(rows.empty_queries)

    judged.add(_hash_queries(pack_qrels(qrels)))
    take_ahead(take, run.stream())
    judged.finish()
    retrieved.finish()
    if not (retrieved.counts.any() or empty_queries):
        raise BadInput(run.name, "it has no results")
    parts = [*choose_parts(retrieved.counts, _MAX_ROWS)] or [slice(0, BUCKETS)]

    def read(part: slice) -> tuple[pl.DataFrame, Run]:
        rows = retrieved.read(part).drop(KEY)
        return judged.read(part), Run(rows, run.name, empty_queries=empty_queries, part=True)

    return [*map_ahead(lambda part: match_part(*part), map(read, parts))]


def _hash_queries(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.col("query").hash(1).alias(KEY))


def _match_on_workers(qrels: Qrels, run: LazyRun, match_part: WorkPart) -> list[Matched]:
    read = run.reader

    def work(judged: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
        return pickle_result(lambda: match_part(judged, read(rows)))

    with report_engine_errors(SPARK, run.name):
        judged = SPARK.send(pack_qrels(qrels), run.frame.to_native())
        return collect_pickled(work_in_spark(judged, run, work, PICKLED))


def work_in_spark(
    judged: Any, run: LazyRun, work: WorkRows, schema: str, judged_query: str = "query"
) -> Any:
    """A Spark frame of what is made of some whole queries at a time, on the workers.

    Args:
        judged: a Spark frame.
        run: in Spark, too.
        work: what is done with the rows of both.
        schema: of the frame that it makes.
        judged_query: the column of queries in `judged`.
    """
    from pyspark.sql.functions import col, lit, pmod, xxhash64  # noqa: PLC0415  (only Spark's)

    native: Any = run.frame.to_native()
    number = int(native.sparkSession.conf.get("spark.sql.shuffle.partitions"))

    def group(frame: Any, column: str) -> Any:
        fraction = frame.schema[column].dataType.typeName() in ("float", "double")
        query = col(f"`{column}`").cast("bigint" if fraction else "string")  # 1.0 is '1'
        return frame.groupBy(pmod(xxhash64(query.cast("string")), lit(number)))

    def work_on(judged: Any, retrieved: Any) -> Any:
        rows = (pl.DataFrame(pl.from_arrow(table)) for table in (judged, retrieved))
        return as_spark_arrow(work(*rows))

    grouped = group(judged, judged_query).cogroup(group(native, "query"))
    return grouped.applyInArrow(work_on, schema)
