"""Packed rows of sound sessions → `MatchedSessions`, whose own rows are one for each query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from attrs import define, frozen
from numpy.typing import NDArray

from gainful.errors import GainfulError
from gainful.match.sessions import JudgedResults, MatchedSessions, Pools
from gainful.progress import report_work
from gainful.read.column_names import OPTIONAL_COLUMNS, POSITION, protect_name, restore_name
from gainful.read.engine_sessions import EngineSessions
from gainful.read.engines import Engine, as_narwhals
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_layout import SessionLayout, find_odd_depths
from gainful.read.sessions import RESULT_COLUMNS, SessionChoice, Sessions, name_columns
from gainful.read.spill import KEY, Spill, choose_parts, take_rows


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
    if pl.Series(query * len(pools.grade) + place).n_unique() < len(place):
        raise UnsoundSessions  # a judged document stands twice in a query
    return MatchedSessions(
        session_ids=cast("Sequence[str]", range(len(first))),  # nobody asks for their names
        query_counts=counts,
        retrieved=rows[_LENGTH].to_numpy().astype(np.intp),
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
    if (placed < 0).any():  # a query is missing, and another stands there twice
        raise UnsoundSessions
    check = queries[_CHECK].to_numpy()[placed]
    if (check != check[starts]).any():  # two names of one hash
        raise UnsoundSessions
    return queries[placed]


# Columns of our own beside the user's, of which none is called so: see `protect_name`.
_CHECK, _LENGTH, _BASE, _GROUP = "\0check", "\0length", "\0base", "\0group"
LENGTH, TOTAL, POWERS = "gainful_length", "gainful_total", "gainful_powers"
_SOUND, _PLACE, _ODD = "gainful_sound", "gainful_place", "gainful_odd"
_ROWS, _RANKS = "gainful_rows", "gainful_ranks"
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
_MAX_LENGTH = 400  # of a list: 12 times the sum of the fifth powers of its ranks is below 2**53
_MAX_ROWS = 1_500_000  # of queries and results, matched together


class UnsoundSessions(GainfulError):
    """Numbers do not tell what is wrong, or not all that is asked for."""


@frozen(eq=False)
class PackedPart:
    """Some whole sessions: a row of numbers for each query, and for each result that is judged."""

    queries: pl.DataFrame  # KEY, _CHECK, query, _LENGTH, _BASE, _GROUP, scanned
    results: pl.DataFrame  # KEY, query, rank, place
    groups: pl.DataFrame | None


def pack_sessions(
    sessions: EngineSessions,
    qrels: Qrels,
    bases: pl.DataFrame,
    columns: Sequence[str],
) -> Iterator[PackedPart]:
    """Sound sessions in parts."""
    rows = _select_rows(sessions, columns)
    packer = _Packer(bases, [*map(protect_name, columns)])

    def spill(frame: nw.LazyFrame[Any], pack: Callable[[pl.DataFrame], pl.DataFrame]) -> Spill:
        packed, native = Spill(sessions.name), frame.to_native()
        take_rows(sessions.engine, sessions.name, native, lambda some: packed.add(pack(some)))
        packed.finish()
        return packed

    queries = spill(_describe_queries(rows), packer.pack_queries)
    results = spill(_find_places(rows, sessions.engine, qrels), _pack_results)
    groups = None if packer.groups is None else packer.groups.rename(restore_name)
    counts = queries.counts + results.counts
    if not counts.any():
        raise UnsoundSessions
    for part in choose_parts(counts, _MAX_ROWS):
        yield PackedPart(queries.read(part), results.read(part), groups)
        report_work("sessions", float(counts[: part.stop].sum() / counts.sum()))


def _select_rows(sessions: EngineSessions, columns: Sequence[str]) -> nw.LazyFrame[Any]:
    """Session, query, rank and doc, topic and scanned if present, and these columns."""
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
    return sessions.frame.select(*selected)


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
    groups: pl.DataFrame | None = None  # their values, in the order in which they came

    def pack_queries(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The numbers of queries; mistakes are not told here."""
        session, query = rows["session"], rows["query"]
        topic = rows["topic" if "topic" in rows.columns else "session"].alias("topic").to_frame()
        base = topic.join(self.bases, on="topic", how="left", maintain_order="left")["base"]
        if (
            any(values.null_count() for values in (session, query, base))
            or (session == "").any()
            or not query.is_between(1, _MAX_NUMBER).all()
            or not rows[_SOUND].fill_null(value=False).all()
            or ("scanned" in rows.columns and find_odd_depths(rows["scanned"]).any())
            or ("scanned" in rows.columns and rows["scanned"].is_infinite().any())
        ):
            raise UnsoundSessions
        depth = pl.col("scanned").cast(pl.Float64).fill_null(float("nan"))
        return rows.select(
            pl.col("session").hash(1).alias(KEY),
            (session.hash(2) // 2**32).cast(pl.UInt32).alias(_CHECK),
            pl.col("query").cast(pl.Int32),
            pl.col(LENGTH).cast(pl.Int32).alias(_LENGTH),
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
    key = pl.col("session").hash(1).alias(KEY)
    return rows.select(key, numbers).rename({_PLACE: "place"})


def _describe_queries(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """A row for each query: how many results it has, and whether it is sound.

    A query whose results differ in its attributes has several rows: engines group by texts faster
    than they compare them.
    """
    rank = nw.col("rank").cast(nw.Float64)  # exact, and quicker than long whole numbers
    names = rows.collect_schema().names()
    key = [name for name in names if name not in ("rank", "doc", _ODD)]
    counted = rows.group_by(*key).agg(
        *(nw.col(name).any() for name in names if name == _ODD),
        nw.col("doc").count().alias(LENGTH),
        nw.len().alias(_ROWS),
        rank.count().alias(_RANKS),
        rank.sum().alias(TOTAL),
        sum_powers(rank).alias(POWERS),
    )
    empty = (nw.col(LENGTH) == 0) & (nw.col(_ROWS) == 1)
    all_shown = (nw.col(LENGTH) == nw.col(_RANKS)) & ((nw.col(LENGTH) == nw.col(_ROWS)) | empty)
    sound = add_up_to_ranks() & all_shown
    sound = sound & ~nw.col(_ODD) if _ODD in names else sound
    return counted.select(*key, LENGTH, sound.alias(_SOUND))


def sum_powers(rank: nw.Expr) -> nw.Expr:
    """The sum of ranks to the power of 5, which beside their sum tells 1, 2, 3 … from others."""
    return (rank * rank * rank * rank * rank).sum()


def add_up_to_ranks() -> nw.Expr:
    """Are the columns TOTAL and POWERS the sums of ranks 1, 2, 3 … of a list of that LENGTH?

    Of up to 10 ranks no others have the same sums. Sums of lists beyond 400 would not be exact, so
    none of these is taken for sound.
    """
    n = nw.col(LENGTH).cast(nw.Float64)
    powers = n * n * (n + 1) * (n + 1) * (n * n * 2 + n * 2 - 1) / 12
    sums = (nw.col(TOTAL) * 2 == n * (n + 1)) & (nw.col(POWERS) == powers)
    return sums & (n <= _MAX_LENGTH)


def _find_places(rows: nw.LazyFrame[Any], engine: Engine, qrels: Qrels) -> nw.LazyFrame[Any]:
    """The results that are judged for their topic, each with the place of its judgment.

    Of judged topics, also those whose document is an empty text.
    """
    topic = "topic" if "topic" in rows.collect_schema() else "session"
    judged = qrels.frame.select(
        pl.col("query").alias(topic), "doc", pl.int_range(pl.len(), dtype=pl.Int64).alias(_PLACE)
    )
    empty = qrels.queries.to_frame(topic).with_columns(
        pl.lit("").alias("doc"), pl.lit(_EMPTY, dtype=pl.Int64).alias(_PLACE)
    )
    native: Any = engine.send(pl.concat([judged, empty]), rows.to_native())
    matched = rows.join(as_narwhals(native), on=[topic, "doc"], how="inner")
    return matched.select("session", "query", "rank", _PLACE)
