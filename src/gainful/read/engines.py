"""The engines in which a frame can stay: lazy polars, DuckDB and Spark.

What they have in common narwhals speaks; this table holds the four things that it does not:
how a small frame is sent to the engine, how a result comes back, whether rows have an order, and
how documents that stand twice are counted without holding them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, GainfulError
from gainful.read.frames import Stream

_AT_ONCE = 2_000_000  # rows whose hashes are held together
_PASSES = 16  # at most so often is a frame read for that
_SMALL = 5_000_000  # rows that every Spark worker may hold a copy of


@frozen
class Engine:
    """How to talk to the frames of one make."""

    name: str
    ordered: bool  # do rows have an order?
    sent: Callable[[pl.DataFrame, Any], Any]  # a frame of ours, and one of theirs beside it
    collected: Callable[[Any], pl.DataFrame]
    distinct: Callable[[Any, int], int]  # pairs of query and document, among so many rows


def _distinct_in_polars(native: pl.LazyFrame, rows: int) -> int:
    parts = _parts(rows)
    hashed = native.select(hash=pl.col("query").hash(1) ^ pl.col("doc").hash(2))
    each = (
        hashed.filter(pl.col("hash") % parts == part).select(pl.col("hash").n_unique())
        for part in range(parts)
    )
    return sum(int(one.collect(engine="streaming").item()) for one in each)


def _to_duckdb(frame: pl.DataFrame, beside: Any) -> Any:
    gainful_sent_frame = Stream(frame)  # noqa: F841  (found by name, read without pyarrow)
    return beside.query("gainful_run", "SELECT * FROM gainful_sent_frame")


def _from_duckdb(native: Any) -> pl.DataFrame:
    """By DuckDB's own way, which wants pyarrow; else as Arrow, of which it complains at exit."""
    return native.pl() if find_spec("pyarrow") else pl.DataFrame(native)


def _distinct_in_duckdb(native: Any, rows: int) -> int:
    parts = _parts(rows)
    hashed = "hash(query, doc)"
    question = f"SELECT count(DISTINCT {hashed}) FROM gainful_run WHERE {hashed} % {parts} = "  # noqa: S608
    each = (native.query("gainful_run", f"{question}{part}") for part in range(parts))
    return sum(int(one.fetchall()[0][0]) for one in each)


def _to_spark(frame: pl.DataFrame, beside: Any) -> Any:
    from pyspark.sql.functions import broadcast  # noqa: PLC0415  (only where Spark is used)

    wide = frame.with_columns(pl.col(pl.UInt32, pl.UInt64).cast(pl.Int64))  # Java has no unsigned
    sent = beside.sparkSession.createDataFrame(wide.to_arrow())
    return broadcast(sent) if len(frame) <= _SMALL else sent


def _from_spark(native: Any) -> pl.DataFrame:
    found = pl.from_arrow(native.toArrow())
    return found if isinstance(found, pl.DataFrame) else found.to_frame()


def _distinct_in_spark(native: Any, _: int) -> int:
    from pyspark.sql.functions import count_distinct, xxhash64  # noqa: PLC0415

    return int(native.select(count_distinct(xxhash64("query", "doc"))).first()[0])


def _parts(rows: int) -> int:
    return max(1, min(_PASSES, -(-rows // _AT_ONCE)))


POLARS = Engine(
    "polars",
    ordered=True,
    sent=lambda frame, _: frame.lazy(),
    collected=lambda native: native.collect(engine="streaming"),
    distinct=_distinct_in_polars,
)
DUCKDB = Engine(
    "DuckDB",
    ordered=False,
    sent=_to_duckdb,
    collected=_from_duckdb,
    distinct=_distinct_in_duckdb,
)
SPARK = Engine(
    "Spark",
    ordered=False,
    sent=_to_spark,
    collected=_from_spark,
    distinct=_distinct_in_spark,
)


def engine_of(value: object) -> Engine | None:
    """The engine in which a frame can stay; None if it is in memory, or no frame."""
    if isinstance(value, pl.LazyFrame):
        return POLARS
    kind = type(value)
    maker = kind.__module__.partition(".")[0]
    if maker in ("duckdb", "_duckdb") and kind.__name__ == "DuckDBPyRelation":
        return DUCKDB
    return SPARK if maker == "pyspark" and hasattr(value, "sparkSession") else None


_THEIRS = ("duckdb", "_duckdb", "pyspark", "py4j", "polars", "narwhals", "pyarrow", "grpc")


@contextmanager
def asked(engine: Engine, name: str) -> Iterator[None]:
    """Whatever an engine answers with but a result is told in one line."""
    try:
        yield
    except GainfulError:
        raise
    except Exception as failure:
        maker = type(failure).__module__.partition(".")[0]
        known = maker in _THEIRS or isinstance(failure, (ImportError, OSError))
        if not known and engine is not SPARK:
            raise
        if engine is SPARK and _has_stopped(failure):
            raise BadInput(
                name, "its Spark session has stopped", "a frame of a session that runs"
            ) from None
        problem = str(failure).strip().split("\n", maxsplit=1)[0] or type(failure).__name__
        raise BadInput(name, f"{engine.name} answers: {problem}") from None


def _has_stopped(failure: Exception) -> bool:
    """A stopped session shows in many ways, none of which says so."""
    told = str(failure)
    signs = (
        *("stopped SparkContext", "SparkContext was shut down", "has been stopped"),
        *("SESSION_OR_CONTEXT_NOT_EXISTS", "'NoneType'"),
    )
    return any(sign in told for sign in signs) or isinstance(
        failure, (ConnectionError, AssertionError)
    )


__all__ = ["DUCKDB", "POLARS", "SPARK", "Engine", "asked", "engine_of"]
