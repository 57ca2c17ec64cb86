"""Frames of every make, from the same dicts; and Spark, where Java is found."""

from __future__ import annotations

import os

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from conftest import needed


def table(nested, number):
    rows = [(query, doc, float(n)) for query, inner in nested.items() for doc, n in inner.items()]
    schema = {"query": pl.String, "doc": pl.String, number: pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


class Capsule:
    """Anything that speaks Arrow, and nothing else."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


_SPARK = []


def spark():
    """One session for all tests."""
    if not _SPARK:
        needed("frames in Spark", "java")
        from pyspark.sql import SparkSession

        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.driver.memory", "1g")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        _SPARK.append(session)
    return _SPARK[0]


def _duckdb(frame):
    connection = duckdb.connect()
    connection.register("held", frame.to_arrow())
    return connection.sql("SELECT * FROM held")


MAKES = {
    "pandas": lambda frame: frame.to_pandas(),
    "pandas of objects": lambda frame: pd.DataFrame(
        {name: pd.Series(frame[name].to_list(), dtype=object) for name in frame.columns}
    ),
    "polars": lambda frame: frame,
    "lazy polars": lambda frame: frame.lazy(),
    "Arrow": lambda frame: frame.to_arrow(),
    "an Arrow capsule": Capsule,
    "record batches": lambda frame: pa.RecordBatchReader.from_batches(
        frame.to_arrow().schema, frame.to_arrow().to_batches()
    ),
    "DuckDB": _duckdb,
    "Spark": lambda frame: spark().createDataFrame(frame.to_arrow()),
}
