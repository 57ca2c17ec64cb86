"""Sessions in Spark, added up on its workers: some whole ones at a time."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import polars as pl
from attrs import evolve

from gainful.measure.sessions.in_parts import AnySummer, PartMatcher, PartTotals
from gainful.read.engines import SPARK, report_engine_errors
from gainful.read.lazy_sessions import LazySessions


def visit_workers(
    sessions: LazySessions, matcher: PartMatcher, new_summer: Callable[[], AnySummer]
) -> tuple[AnySummer, PartTotals]:
    """Add up sessions on the workers; what comes to the driver is one sum from each part.

    Args:
        sessions: in Spark.
        matcher: how some whole sessions are matched.
        new_summer: makes what adds them up, which has seen none.
    """
    narrow = evolve(sessions, query_columns=matcher.query_columns)
    with report_engine_errors(SPARK, sessions.name):
        table, part = part_rows(narrow, matcher.docs_that_matter)
        worker = _make_summing_worker(matcher, new_summer)
        rows = table.groupBy(part).applyInArrow(worker, "sums binary").toLocalIterator()
        summer, totals = new_summer(), PartTotals()
        for row in rows:
            part_summer, part_totals, mistake = pickle.loads(row["sums"])  # noqa: S301  (our own)
            if mistake is not None:
                raise mistake
            summer.merge(part_summer)
            totals.merge(part_totals)
    totals.refuse_nothing(matcher.name)
    return summer, totals


def part_rows(sessions: LazySessions, docs: pl.Series | None) -> tuple[Any, Any]:
    """The rows of queries and of results that matter, and by what they are split into parts."""
    from pyspark.sql.functions import lit, pmod, xxhash64  # noqa: PLC0415

    table = sessions.find_rows(docs).to_native()
    parts = int(table.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return table, pmod(xxhash64("session"), lit(parts))  # a session is never cut in two


def _make_summing_worker(
    matcher: PartMatcher, new_summer: Callable[[], AnySummer]
) -> Callable[[Any], Any]:
    """What a worker does with some whole sessions."""

    def sum_part(table: Any) -> Any:
        from gainful.measure.sessions.in_parts import sum_arrow  # noqa: PLC0415

        return sum_arrow(table, matcher, new_summer())

    return sum_part
