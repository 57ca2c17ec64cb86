"""Frames of every make, from the same dicts; and Spark, where Java is found."""

import os
from datetime import date
from decimal import Decimal
from functools import cache

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from conftest import require_command

IDS = {  # two that differ, of every type that a column of ids may have
    "whole numbers": pl.Series([7, 10]),
    "large numbers": pl.Series([2**64 - 1, 2**64 - 2], dtype=pl.UInt64),
    "leading zeros": pl.Series(["01", "1"]),
    "accents in one character and in two": pl.Series(["\u00e9", "e\u0301"]),
    "beyond 16 bits": pl.Series(["\U0001d4b3", "\u65e5\u672c"]),
    "blanks": pl.Series(["a", "a "]),
    "cases": pl.Series(["a", "A"]),
    "categories": pl.Series(["b", "a"], dtype=pl.Categorical),
}
NO_IDS = {
    "fractions": pl.Series([1.5, 2.0]),
    "decimals": pl.Series([Decimal("1.50"), Decimal("1.5001")]),
    "dates": pl.Series([date(2024, 1, 1), date(2024, 1, 2)]),
    "flags": pl.Series([True, False]),
}


class ArrowCapsule:
    """Anything that speaks Arrow, and nothing else."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


@cache
def get_spark():
    """One session for all tests, on one Java machine that is quick to start and soon gone."""
    require_command("frames in Spark", "java")
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.codegen.wholeStage", "false")  # each plan runs once: nothing is
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")  # gained by compiling it
        .config("spark.driver.memory", "1g")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


def _to_duckdb(frame):
    connection = duckdb.connect()
    connection.register("held", frame.to_arrow())
    return connection.sql("SELECT * FROM held")


FRAME_MAKERS = {
    "pandas": lambda frame: frame.to_pandas(),
    "pandas of objects": lambda frame: pd.DataFrame(
        {name: pd.Series(frame[name].to_list(), dtype=object) for name in frame.columns}
    ),
    "polars": lambda frame: frame,
    "lazy polars": lambda frame: frame.lazy(),
    "Arrow": lambda frame: frame.to_arrow(),
    "an Arrow capsule": ArrowCapsule,
    "record batches": lambda frame: pa.RecordBatchReader.from_batches(
        frame.to_arrow().schema, frame.to_arrow().to_batches()
    ),
    "DuckDB": _to_duckdb,
    "Spark": lambda frame: get_spark().createDataFrame(frame.to_arrow()),
}
