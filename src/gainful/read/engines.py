"""The engines in which a frame can stay: lazy polars, DuckDB and Spark.

What they have in common narwhals speaks; this table holds the four things that it does not:
how a small frame is sent to the engine, how a result comes back, whether rows have an order, and
how documents that stand twice are counted without holding them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, GainfulError, short
from gainful.read.frames import Stream

_LONGEST = 200  # characters of an engine's answer
_AT_ONCE = 2_000_000  # rows whose hashes are held together
_PASSES = 16  # at most so often is a frame read for that
_RUN = "_gainful_run_"  # what a relation is called in our questions to DuckDB
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
    _gainful_sent_frame_ = Stream(frame)  # noqa: F841  (found by name, read without pyarrow)
    return beside.query(_RUN, "SELECT * FROM _gainful_sent_frame_")


def _from_duckdb(native: Any) -> pl.DataFrame:
    """By DuckDB's own way, which wants pyarrow; else as Arrow, of which it complains at exit."""
    return native.pl() if find_spec("pyarrow") else pl.DataFrame(native)


def _distinct_in_duckdb(native: Any, rows: int) -> int:
    parts = _parts(rows)
    hashed = "hash(query, doc)"
    question = f"SELECT count(DISTINCT {hashed}) FROM {_RUN} WHERE {hashed} % {parts} = "  # noqa: S608
    each = (native.query(_RUN, f"{question}{part}") for part in range(parts))
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
    except Exception as failure:  # noqa: BLE001  (plans may run anything)
        if engine is SPARK and _has_stopped(failure):
            raise BadInput(
                name, "its Spark session has stopped", "a frame of a session that runs"
            ) from None
        raise BadInput(name, f"{engine.name} answers: {_said(failure)}") from None


def _said(failure: Exception) -> str:
    """The line of a message that tells most: of a worker's trace the last, else the first."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    errors = [line for line in lines[1:] if re.match(r"[\w.]*(Error|Exception): ", line)]
    if "_gainful_sent_frame_" in str(failure):
        return "it may not read Python's objects (python_enable_replacements or external access)"
    told = errors[-1] if errors else (lines or [""])[0]
    ours = type(failure).__module__.partition(".")[0] in _THEIRS
    return short(told if ours and told else f"{type(failure).__name__}: {told}", _LONGEST)


def _has_stopped(failure: Exception) -> bool:
    """A stopped session shows in many ways, none of which says so."""
    told = str(failure)
    signs = (
        *("stopped SparkContext", "SparkContext was shut down", "has been stopped"),
        "SESSION_OR_CONTEXT_NOT_EXISTS",
    )
    python = isinstance(failure, (ConnectionError, AssertionError)) or (
        isinstance(failure, AttributeError) and "'NoneType'" in told
    )
    return python or any(sign in told for sign in signs)


__all__ = ["DUCKDB", "POLARS", "SPARK", "Engine", "asked", "engine_of"]
