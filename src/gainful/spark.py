"""Values per query that stay in Spark, for more queries than a driver wants to hold.

`gainful.evaluate` takes Spark frames too, and gives `Results` on the driver; this gives a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Unpack

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from gainful.convention import Convention
from gainful.errors import BadValue, Duplicated, WrongType
from gainful.match.spark import checked, of_rows, rows
from gainful.measure.catalogue import MEASURES
from gainful.measure.entry import Entry
from gainful.measure.evaluate import (
    Habits,
    Measures,
    asked_for,
    kept_queries,
    of_matched,
    scaled,
)
from gainful.measure.recipe import Recipe
from gainful.read.elsewhere import Elsewhere, elsewhere
from gainful.read.engines import SPARK, asked, engine_of
from gainful.read.inputs import AnyJudgments, as_columns, as_judgments


def per_query(
    judgments: AnyJudgments,
    run: Any,
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Any:
    """How good is each query of a run, as a Spark frame?

    Judged documents are ranked by joins and counts, then some whole queries at a time go to the
    same NumPy functions as everywhere, on the workers (`applyInArrow`). Nothing is collected but
    a few counts, by which rows that lack something and duplicates are refused.

    Args:
        judgments: a Spark frame with query, doc, grade, or anything that `evaluate` takes.
        run: a Spark frame with query, doc, score.
        measures: names such as "nDCG@10", as in `evaluate`.
        like: the tool whose habits to follow.
        habits: single habits.

    Returns:
        A Spark frame: query, and a column for each measure, null where a query is left out.
    """
    base, recipes = asked_for(measures, like, habits)
    if engine_of(run) is not SPARK:
        raise WrongType("run", run, "a Spark frame; gainful.evaluate takes all others")
    for name, how in recipes.items():
        if how.measure.entry.subtopics:
            raise BadValue("measure", name, "measures without subtopics; evaluate has those too")
    there = elsewhere(run, SPARK, "run")
    judged, highest = _judged(judgments, there)
    recipes = {name: scaled(how, highest) for name, how in recipes.items()}
    with asked(SPARK, "run"):
        from pyspark.sql.functions import lit, pmod, xxhash64  # noqa: PLC0415

        table = rows(judged, there, base).to_native()
        parts = int(table.sparkSession.conf.get("spark.sql.shuffle.partitions"))
        part = pmod(xxhash64("query"), lit(parts))  # a query is never cut in two
        columns = ", ".join(f"`{name.replace('`', '``')}` double" for name in recipes)
        own = {
            name: e for how in recipes.values() if (e := how.measure.entry).own and (name := e.name)
        }
        work = _work(base, recipes, own)
        return table.groupBy(part).applyInArrow(work, f"query string, {columns}")


def _judged(judgments: AnyJudgments, run: Elsewhere) -> tuple[nw.LazyFrame[Any], float]:
    """The judgments in Spark, and the highest grade among them."""
    if engine_of(judgments) is not SPARK:
        held = as_columns(as_judgments(judgments)).frame
        highest = held["grade"].max()
        return run.sent(held), float(str(highest))
    there = elsewhere(judgments, SPARK, "judgments", "grade")
    count = checked(there)
    with asked(SPARK, "judgments"):
        twice = count - SPARK.distinct(there.frame.to_native(), count)
    if twice:
        raise Duplicated(
            "judgments",
            f"{twice} of {count} rows judge a document a second time",
            "one grade for each query and document",
        )
    best = there.collected(there.frame.select(nw.col("grade").max()))
    return there.frame, float(best.item())


def _work(
    base: Convention, recipes: Mapping[str, Recipe], own: Mapping[str, Entry]
) -> Callable[[Any], Any]:
    """What a worker does; as little as can be, for it is sent there with all it refers to."""

    def work(table: Any) -> Any:
        from gainful.spark import worked_out  # noqa: PLC0415  (that of the worker)

        return worked_out(table, base, recipes, own)

    return work


def worked_out(
    table: Any, base: Convention, recipes: Mapping[str, Recipe], own: Mapping[str, Entry]
) -> Any:
    """The values of some whole queries: a table of Arrow in, a table of Arrow out."""
    import pyarrow as pa  # noqa: PLC0415  (Spark's)

    MEASURES.update(own)  # registered on the driver: the worker has not heard of them
    frame = pl.from_arrow(table)
    found = of_rows(frame if isinstance(frame, pl.DataFrame) else frame.to_frame())
    kept = kept_queries(found, base, "run")
    values = of_matched(found.only(kept), recipes)
    columns = {"query": pa.array(found.names(kept), pa.string())}
    for name, column in values.items():
        mask = np.ma.getmaskarray(column)
        columns[name] = pa.array(np.ma.filled(column, 0.0), pa.float64(), mask=mask)
    return pa.table(columns)
