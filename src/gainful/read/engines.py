"""The engines in which a frame can stay: lazy polars, DuckDB and Spark.

What they have in common narwhals speaks; this table holds what it does not: how a small
frame is sent to the engine, how a result comes back, at once or some rows at a time, whether rows
have an order, and how values are hashed.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from importlib.util import find_spec
from operator import xor
from queue import Queue
from signal import SIGINT, default_int_handler, getsignal
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, GainfulError
from gainful.read.column_names import restore_name
from gainful.read.frames import ArrowStream
from gainful.text import shorten

if TYPE_CHECKING:  # slow to load
    import narwhals.stable.v2 as nw

_MAX_ANSWER = 200  # characters of an engine's answer
_ROWS_PER_BATCH = 500_000  # rows of a result that come together
_RUN_ALIAS = "_gainful_run_"  # what a relation is called in our questions to DuckDB
_BROADCAST_ROWS = 5_000_000  # rows that every Spark worker may hold a copy of


Rows = Generator[pl.DataFrame, None, None]


@frozen
class Engine:
    """How to talk to the frames of one make."""

    name: str
    owns: Callable[[Any], bool]  # is a value one of its frames? Asked without importing it
    ordered: bool  # do rows have an order?
    send: Callable[[pl.DataFrame, Any], Any]  # a frame of ours, and one of theirs beside it
    rename: Callable[[Any, Sequence[str]], Any]  # all columns of a frame, as they stand
    collect: Callable[[Any], pl.DataFrame]
    stream: Callable[[Any], Rows]  # a result: no rows, then some at a time
    # A frame with hashes of 64 bits beside: the name of each, and the columns that it is made of.
    add_hashes: Callable[[Any, Mapping[str, Sequence[str]]], Any] | None = None


def _stream_from_polars(native: pl.LazyFrame) -> Rows:
    """Rows as they come; unlike `collect_batches`, an error where SIGINT ends the query early."""
    yield native.collect_schema().to_frame()
    batches: Queue[pl.DataFrame | BaseException | None] = Queue(2)
    unwanted = Event()

    def take(rows: pl.DataFrame) -> bool:
        batches.put(rows)
        return unwanted.is_set()

    def run() -> None:
        try:
            native.sink_batches(
                take, chunk_size=_ROWS_PER_BATCH, maintain_order=True, engine="streaming"
            )
            batches.put(None)
        except BaseException as failure:  # noqa: BLE001  (raised where the rows are taken)
            batches.put(failure)

    Thread(target=run, daemon=True).start()
    try:
        while (batch := batches.get()) is not None:
            if isinstance(batch, BaseException):
                raise batch
            yield batch
    finally:
        unwanted.set()
        while not batches.empty():  # so that nothing waits for room
            batches.get()


def _hash_in_polars(native: pl.LazyFrame, hashes: Mapping[str, Sequence[str]]) -> pl.LazyFrame:
    return native.with_columns(
        reduce(xor, (pl.col(own).hash(seed) for seed, own in enumerate(columns, 1))).alias(name)
        for name, columns in hashes.items()
    )


def _hash_in_duckdb(native: Any, hashes: Mapping[str, Sequence[str]]) -> Any:
    new = (
        f"hash({', '.join(map(_quote_sql, columns))}) AS {_quote_sql(name)}"
        for name, columns in hashes.items()
    )
    return native.project(", ".join(["*", *new]))


def _rename_in_duckdb(native: Any, names: Sequence[str]) -> Any:
    pairs = zip(map(_quote_sql, native.columns), map(_quote_sql, names), strict=True)
    return native.project(", ".join(f"{own} AS {new}" for own, new in pairs))


def _quote_sql(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _to_duckdb(frame: pl.DataFrame, native: Any) -> Any:
    _gainful_sent_frame_ = ArrowStream(frame)  # noqa: F841  (found by name, read without pyarrow)
    return native.query(_RUN_ALIAS, "SELECT * FROM _gainful_sent_frame_")


def _from_duckdb(native: Any) -> pl.DataFrame:
    return native.pl() if find_spec("pyarrow") else pl.DataFrame(native)


def _stream_from_duckdb(native: Any) -> Rows:
    if not find_spec("pyarrow"):  # without which rows come all at once
        rows = _from_duckdb(native)
        yield rows.clear()
        yield rows
        return
    name = "to_arrow_reader" if hasattr(native, "to_arrow_reader") else "fetch_arrow_reader"
    reader = getattr(native, name)(_ROWS_PER_BATCH)
    yield pl.Schema(reader.schema).to_frame()  # an empty table of Arrow's would load pandas
    for batch in reader:
        yield pl.DataFrame(pl.from_arrow(batch))


def _to_spark(frame: pl.DataFrame, native: Any) -> Any:
    from pyspark.sql.functions import broadcast  # noqa: PLC0415  (only where Spark is used)

    wide = frame.with_columns(pl.col(pl.UInt32, pl.UInt64).cast(pl.Int64))  # Java has no unsigned
    spark_frame = native.sparkSession.createDataFrame(wide.to_arrow())
    return broadcast(spark_frame) if len(frame) <= _BROADCAST_ROWS else spark_frame


def _from_spark(native: Any) -> pl.DataFrame:
    return pl.DataFrame(native.toArrow())


def as_spark_arrow(frame: pl.DataFrame) -> Any:
    """A frame of ours as a table of Arrow that Spark's workers give back."""
    import pyarrow as pa  # noqa: PLC0415  (Spark's)

    short = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
    table = frame.to_arrow()
    kinds = [pa.field(each.name, short.get(each.type, each.type)) for each in table.schema]
    return table.cast(pa.schema(kinds))


def map_in_spark(
    native: Any, work: Callable[[Iterator[pl.DataFrame]], pl.DataFrame | None], schema: str
) -> Any:
    """A Spark frame of what workers make of each partition, whose rows come some at a time."""

    def work_on(batches: Any) -> Iterator[Any]:
        made = work(pl.DataFrame(pl.from_arrow(batch)).rename(restore_name) for batch in batches)
        if made is not None:
            yield from as_spark_arrow(made).to_batches()

    return native.mapInArrow(work_on, schema)


PICKLED = "result binary"  # the schema of what workers find for the driver


def pickle_result(compute: Callable[[], object]) -> pl.DataFrame:
    """What a worker found for the driver; a mistake in the data is found there, too."""
    try:
        result = compute()
    except GainfulError as error:
        result = error
    return pl.DataFrame({"result": [pickle.dumps(result)]})


def collect_pickled(table: Any) -> list[Any]:
    """What the workers found, of all parts; of several mistakes one is raised, always the same."""
    results = [pickle.loads(row[0]) for row in table.collect()]  # noqa: S301  (our own)
    mistakes = [result for result in results if isinstance(result, GainfulError)]
    if mistakes:
        raise min(mistakes, key=str)
    return results


def _is_duckdb(value: Any) -> bool:
    kind = type(value)
    return _maker(value) in ("duckdb", "_duckdb") and kind.__name__ == "DuckDBPyRelation"


def _maker(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


POLARS = Engine(
    "polars",
    owns=lambda value: isinstance(value, pl.LazyFrame),
    ordered=True,
    send=lambda frame, _: frame.lazy(),
    rename=lambda native, names: native.rename(
        dict(zip(native.collect_schema().names(), names, strict=True))
    ),
    collect=lambda native: native.collect(engine="streaming"),
    stream=_stream_from_polars,
    add_hashes=_hash_in_polars,
)
DUCKDB = Engine(
    "DuckDB",
    owns=_is_duckdb,
    ordered=False,
    send=_to_duckdb,
    rename=_rename_in_duckdb,
    collect=_from_duckdb,
    stream=_stream_from_duckdb,
    add_hashes=_hash_in_duckdb,
)
SPARK = Engine(
    "Spark",
    owns=lambda value: _maker(value) == "pyspark" and hasattr(value, "sparkSession"),
    ordered=False,
    send=_to_spark,
    rename=lambda native, names: native.toDF(*names),
    collect=_from_spark,
    stream=lambda native: (_from_spark(whole) for whole in (native,)),  # large ones stay there
)


ENGINES = (POLARS, DUCKDB, SPARK)


def as_narwhals(native: Any) -> nw.LazyFrame[Any]:
    """A frame of any engine in the words that all of them understand."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  (slow to load)

    frame: nw.LazyFrame[Any] = nw.from_native(native).lazy()
    return frame


def find_engine(value: object) -> Engine | None:
    """The engine in which a frame can stay; None if it is in memory, or no frame."""
    return next((engine for engine in ENGINES if engine.owns(value)), None)


_ENGINE_MODULES = (
    *("duckdb", "_duckdb", "pyspark", "py4j", "polars", "narwhals", "pyarrow", "grpc"),
    "pyo3_runtime",  # of polars' panics
)


@contextmanager
def report_engine_errors(engine: Engine, name: str) -> Iterator[None]:
    """Every failure of an engine becomes an error of one line."""
    try:
        yield
    except GainfulError:
        raise
    except KeyboardInterrupt:
        if getsignal(SIGINT) is default_int_handler:  # somebody pressed Ctrl-C
            raise
        problem = f"a signal (SIGINT) stopped {engine.name} before all rows were read"
        raise BadInput(name, problem, "no such signal meanwhile; run it again") from None
    except (Exception, pl.exceptions.PanicException) as failure:  # noqa: BLE001  (plans may run anything)
        if engine is SPARK and _is_dead_session(failure):
            raise BadInput(
                name, "its Spark session has stopped", "a frame of a session that runs"
            ) from None
        if "No module named 'gainful'" in str(failure):
            allowed = "gainful in the Python that they run, which PYSPARK_PYTHON names"
            raise BadInput(name, "Spark's workers have no gainful", allowed) from None
        raise BadInput(name, f"{engine.name} answers: {_engine_message(failure)}") from None


def _engine_message(failure: BaseException) -> str:
    """The line of a message that tells most.

    The last of a worker's trace; if there is none, as when it died, the last cause; else the first.
    """
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    errors = [line for line in lines[1:] if re.match(r"[\w.]*(Error|Exception): ", line)]
    if "_gainful_sent_frame_" in str(failure):
        return "it may not read Python's objects (python_enable_replacements or external access)"
    causes = [line for line in lines if re.match(r"Caused by: [\w.]+: ", line)]
    message = (errors or causes or lines[:1] or [""])[-1].removeprefix("Caused by: ")
    from_engine = type(failure).__module__.partition(".")[0] in _ENGINE_MODULES
    return shorten(
        message if from_engine and message else f"{type(failure).__name__}: {message}", _MAX_ANSWER
    )


def _is_dead_session(failure: BaseException) -> bool:
    message = str(failure)
    signs = (
        *("stopped SparkContext", "SparkContext was shut down", "has been stopped"),
        "SESSION_OR_CONTEXT_NOT_EXISTS",
    )
    python = isinstance(failure, (ConnectionError, AssertionError)) or (
        isinstance(failure, AttributeError) and "'NoneType'" in message
    )
    return python or any(sign in message for sign in signs)
