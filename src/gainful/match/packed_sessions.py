"""Packed rows of sound sessions → `MatchedSessions`, whose own rows are one for each query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from attrs import define, frozen
from numpy.typing import NDArray

from gainful.errors import GainfulError
from gainful.match.pools import Pools
from gainful.match.sessions import JudgedResults, MatchedSessions
from gainful.progress import report_work
from gainful.read.column_names import OPTIONAL_COLUMNS, POSITION, protect_name, restore_name
from gainful.read.engine_sessions import EngineSessions
from gainful.read.engines import Engine, as_narwhals
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_layout import SessionLayout, find_odd_depths
from gainful.read.sessions import RESULT_COLUMNS, SessionChoice, Sessions, name_columns
from gainful.read.spill import KEY, RepeatFinder, Spill, choose_parts, take_rows
from gainful.types import Array


def match_packed(part: PackedPart, pools: Pools, choice: SessionChoice) -> MatchedSessions | None:
    """What was matched of a part; None if no session of it was asked for."""
    rows = _order_queries(part.queries).rename({KEY: "session"})
    if part.groups is not None:
        rows = rows.hstack(part.groups[rows[_GROUP].to_numpy()])
    rows = choice.choose(Sessions(rows)).frame
    if not len(rows):
        return None
    first = (rows["query"] == 1).arg_true().to_numpy().astype(np.intp)
    counts = np.diff(first, append=len(rows))
    sessions = rows["session"].gather(first).to_frame()
    sessions = sessions.with_columns(first=pl.Series(first), queries=pl.Series(counts))
    results = part.results.join(
        sessions, left_on=KEY, right_on="session", maintain_order="left"
    ).filter(pl.col("query") <= pl.col("queries"))
    query = (results["first"].to_numpy() + results["query"].to_numpy() - 1).astype(np.intp)
    place = results["place"].to_numpy().astype(np.intp)
    return MatchedSessions(
        session_ids=cast("Sequence[str]", range(len(first))),  # nobody asks for their names
        query_counts=counts,
        retrieved=rows[_SHOWN].to_numpy().astype(np.intp),
        scanned=rows["scanned"].to_numpy() if "scanned" in rows.columns else None,
        judged=JudgedResults(
            query=query,
            rank=results["rank"].to_numpy().astype(np.intp),
            grade=pools.grade[place],
            row=query,
            base=rows[_BASE].to_numpy().astype(np.intp),
            pool_base=pools.ideal_base,
            pool_grade=pools.ideal_grade,
        ),
        pool_index=pools.ideal_place[place],
        subtopics=None,
        rows=rows,
        layout=SessionLayout(first, np.arange(len(rows)), np.zeros(0, dtype=np.uint64), len(rows)),
        per_turn=False,
    )


def _order_queries(queries: pl.DataFrame) -> pl.DataFrame:
    """Queries in order, 1, 2, 3 … of each session."""
    key, position = queries[KEY].to_numpy(), queries["query"].to_numpy()
    order = np.argsort(key)
    ordered_key, ordered_position = key[order], position[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = ordered_key[1:] != ordered_key[:-1]
    first = np.flatnonzero(new)
    sizes = np.diff(first, append=len(order))
    starts = np.repeat(first, sizes)
    if (ordered_position > np.repeat(sizes, sizes)).any():
        raise UnsoundSessions
    placed = np.full(len(order), -1)
    placed[starts + ordered_position - 1] = order
    if (placed < 0).any():  # one is missing, and another comes twice; or two names have one hash
        raise UnsoundSessions
    return queries[placed]


# Columns of our own beside the user's, of which none is called so: see `restore_name`.
_KEY, _DOC_HASH, _RANK_HASH = "gainful_key", "gainful_doc_hash", "gainful_rank_hash"
_ROWS, _LENGTH, _RANK_SUM = "gainful_rows", "gainful_length", "gainful_rank_sum"
_ODD, _PLACE = "gainful_odd", "gainful_place"
_SHOWN, _BASE, _GROUP = "\0shown", "\0base", "\0group"
_ROLES = (  # of a column, its name among packed rows, and what it holds
    ("session", "session", nw.String()),
    ("position", "query", nw.Int64()),
    ("rank", "rank", nw.Int64()),
    ("doc", "doc", nw.String()),
    ("topic", "topic", nw.String()),
    ("scanned", "scanned", nw.Float64()),
)
_EMPTY = -1  # the place of what is no document
_MAX_NUMBER = 2**31 - 1
_MAX_LENGTH = 8_000  # of a list: the sum of so many hashes of ranks is below 2**53, thus exact
_RANK_BITS = 40  # of such a hash
_MAX_ROWS = 1_500_000  # of queries and results, matched together


class UnsoundSessions(GainfulError):
    """Numbers do not tell what is wrong, or not all that is asked for."""


@frozen(eq=False)
class PackedPart:
    """Some whole sessions: a row of numbers for each query, and for each result that is judged."""

    queries: pl.DataFrame  # KEY, query, _SHOWN, _BASE, _GROUP, scanned
    results: pl.DataFrame  # KEY, query, rank, place
    groups: pl.DataFrame | None


def pack_sessions(
    sessions: EngineSessions,
    qrels: Qrels,
    bases: pl.DataFrame,
    columns: Sequence[str],
) -> Iterator[PackedPart]:
    """Sound sessions in parts."""
    engine, name, rows = sessions.engine, sessions.name, _select_rows(sessions, columns)
    own = [*map(protect_name, columns)]
    packer = _Packer(bases, own, sum_rank_hashes(engine, rows))

    def spill(frame: nw.LazyFrame[Any], pack: Callable[[pl.DataFrame], pl.DataFrame]) -> Spill:
        packed = Spill(name)
        take_rows(engine, name, frame.to_native(), lambda some: packed.add(pack(some)))
        packed.finish()
        return packed

    finder = RepeatFinder(name)
    finder.take(engine, rows.select(_DOC_HASH).to_native())
    with ThreadPoolExecutor(1) as beside:
        repeats = beside.submit(finder.has_repeats)
        queries = spill(_describe_queries(rows), packer.pack_queries)
        if repeats.result():  # hashes of documents that are not in one list hardly ever meet
            raise UnsoundSessions
    results = spill(_find_places(rows, engine, qrels), _pack_results)
    groups = None if packer.groups is None else packer.groups.rename(restore_name)
    counts = queries.counts + results.counts
    if not counts.any():
        raise UnsoundSessions
    for part in choose_parts(counts, _MAX_ROWS):
        yield PackedPart(queries.read(part), results.read(part), groups)
        report_work("sessions", float(counts[: part.stop].sum() / counts.sum()))


def _select_rows(sessions: EngineSessions, columns: Sequence[str]) -> nw.LazyFrame[Any]:
    """Query, rank, doc, topic, scanned if present and these columns; hashes beside them."""
    header = sessions.reader.header
    taken = name_columns(header, header.find_column(POSITION))
    own = {role: protect_name(column) for role, column in taken.items()}
    schema = sessions.frame.collect_schema()
    whole = [own.get(role) for role in ("position", "rank")]
    texts = [own[role] for role in ("session", "doc", "topic", *columns) if role in own]
    if not all(column is not None and schema[column].is_integer() for column in whole) or any(
        schema[column] != nw.String and not schema[column].is_integer() for column in texts
    ):
        raise UnsoundSessions  # or not plainly sound
    own.setdefault("topic", own["session"])
    selected = [
        nw.col(own[role]).cast(kind).alias(name) for role, name, kind in _ROLES if role in own
    ]
    for name in columns:
        column = nw.col(protect_name(sessions.reader.columns[name]))
        selected.append(
            (column.cast(nw.String) if name in OPTIONAL_COLUMNS else column).alias(
                protect_name(name)
            )
        )
    odd = [
        condition
        for role in RESULT_COLUMNS
        if role in own
        if (condition := _find_odd(own[role], OPTIONAL_COLUMNS[role].kind, schema[own[role]]))
        is not None
    ]
    if odd:
        selected.append(nw.any_horizontal(*odd, ignore_nulls=True).alias(_ODD))
    hashes = {
        _KEY: ["session"],
        _DOC_HASH: ["session", "query", "doc"],
        _RANK_HASH: ["rank"],
    }
    hashed = _hash_rows(sessions.engine, sessions.frame.select(*selected), hashes)
    return hashed.with_columns(nw.when(nw.col("session") != "").then(nw.col(_KEY)).alias(_KEY))


def _hash_rows(
    engine: Engine, rows: nw.LazyFrame[Any], hashes: Mapping[str, Sequence[str]]
) -> nw.LazyFrame[Any]:
    if engine.add_hashes is None:
        raise UnsoundSessions
    hashed = as_narwhals(engine.add_hashes(rows.to_native(), hashes))
    rank = (nw.col(_RANK_HASH).cast(nw.Float64) / 2.0 ** (64 - _RANK_BITS)).floor()
    return hashed.with_columns((rank + 1).alias(_RANK_HASH))  # the hash of 0 is 0 in DuckDB


def sum_rank_hashes(engine: Engine, rows: nw.LazyFrame[Any]) -> Array:
    """What the hashes of the ranks of a list add up to, by its length.

    Other ranks hardly ever have the same sum: once in 2**40 lists that are wrong.
    """
    ranks = pl.DataFrame({"rank": pl.int_range(1, _MAX_LENGTH + 1, eager=True)})
    sent = as_narwhals(engine.send(ranks, rows.to_native()))
    hashed = engine.collect(_hash_rows(engine, sent, {_RANK_HASH: ["rank"]}).to_native())
    return np.append([0.0], np.cumsum(hashed.sort("rank")[_RANK_HASH].to_numpy()))


def _find_odd(column: str, contents: str, kind: nw.dtypes.DType) -> nw.Expr | None:
    """Where a column may hold what it should not; None if it cannot, by its type."""
    values = nw.col(column)
    if kind == nw.Boolean or (contents == "number" and kind.is_integer()):
        return None
    if not kind.is_numeric():
        raise UnsoundSessions
    if contents == "number":
        return values.abs() == float("inf")
    return (values != 0) & (values != 1)


@define(eq=False)
class _Packer:
    """Rows of queries → rows of numbers, as long as nothing is wrong with them."""

    bases: pl.DataFrame
    columns: Sequence[str]  # by which sessions are grouped
    rank_sums: Array  # of sound lists, by their length
    groups: pl.DataFrame | None = None  # their values, in the order in which they came

    def pack_queries(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The numbers of queries; mistakes are not told here."""
        base = rows.join(self.bases, on="topic", how="left", maintain_order="left")["base"]
        length, row_count = rows[_LENGTH].to_numpy(), rows[_ROWS].to_numpy()
        is_whole = (length == row_count) | ((length == 0) & (row_count == 1))
        if (
            any(values.null_count() for values in (rows[_KEY], rows["query"], base))
            or not rows["query"].is_between(1, _MAX_NUMBER).all()
            or length.max(initial=0) > _MAX_LENGTH
            or not (is_whole & (rows[_RANK_SUM].to_numpy() == self.rank_sums[length])).all()
            or (_ODD in rows.columns and rows[_ODD].any())
            or ("scanned" in rows.columns and find_odd_depths(rows["scanned"]).any())
            or ("scanned" in rows.columns and rows["scanned"].is_infinite().any())
        ):
            raise UnsoundSessions
        depth = pl.col("scanned").cast(pl.Float64).fill_null(float("nan"))
        return rows.select(
            pl.col(_KEY).alias(KEY),
            pl.col("query").cast(pl.Int32),
            pl.col(_LENGTH).cast(pl.Int32).alias(_SHOWN),
            base.cast(pl.Int32).alias(_BASE),
            pl.Series(_GROUP, self._number_groups(rows)),
            *[depth for name in rows.columns if name == "scanned"],
        )

    def _number_groups(self, rows: pl.DataFrame) -> NDArray[np.int32]:
        """The number of each row's group; groups that are new get one."""
        if not self.columns:
            return np.zeros(len(rows), dtype=np.int32)
        values = rows.select(self.columns)
        known = values.clear() if self.groups is None else self.groups
        self.groups = pl.concat([known, values.unique()]).unique(maintain_order=True, keep="first")
        numbered = values.join(
            self.groups.with_row_index("\0number"),
            on=self.columns,
            how="left",
            maintain_order="left",
            nulls_equal=True,
        )
        return numbered["\0number"].to_numpy().astype(np.int32)


def _pack_results(rows: pl.DataFrame) -> pl.DataFrame:
    if (rows[_PLACE] == _EMPTY).any():
        raise UnsoundSessions
    numbers = pl.col("query", "rank", _PLACE).cast(pl.Int32)
    return rows.select(pl.col(_KEY).alias(KEY), numbers).rename({_PLACE: "place"})


def _describe_queries(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """A row for each query: how many rows and documents it has, and what its ranks add up to.

    A query whose results differ in its attributes has several rows: engines group by texts faster
    than they compare them.
    """
    names = rows.collect_schema().names()
    others = ("session", "rank", "doc", _DOC_HASH, _RANK_HASH, _ODD)
    return rows.group_by(*(name for name in names if name not in others)).agg(
        *(nw.col(name).any() for name in names if name == _ODD),
        nw.col("doc").count().alias(_LENGTH),
        nw.len().alias(_ROWS),
        nw.col(_RANK_HASH).sum().alias(_RANK_SUM),
    )


def _find_places(rows: nw.LazyFrame[Any], engine: Engine, qrels: Qrels) -> nw.LazyFrame[Any]:
    """The results that are judged for their topic, each with the place of its judgment.

    Of judged topics, also those whose document is an empty text.
    """
    place = pl.int_range(pl.len(), dtype=pl.Int64).alias(_PLACE)
    judged = qrels.frame.select(pl.col("query").alias("topic"), "doc", place)
    empty = qrels.queries.to_frame("topic").with_columns(
        pl.lit("").alias("doc"), pl.lit(_EMPTY, dtype=pl.Int64).alias(_PLACE)
    )
    native: Any = engine.send(pl.concat([judged, empty]), rows.to_native())
    matched = rows.join(as_narwhals(native), on=["topic", "doc"], how="inner")
    return matched.select(_KEY, "query", "rank", _PLACE)
