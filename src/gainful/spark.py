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
from gainful.errors import BadValue, Duplicated, NothingInCommon, WrongType
from gainful.match.lazy import true
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
from gainful.measure.notes import SAME_KIND, mixed_kinds
from gainful.measure.recipe import Recipe
from gainful.read.engines import SPARK, asked, engine_of
from gainful.read.inputs import AnyJudgments, as_columns, as_judgments
from gainful.read.lazy import Elsewhere, as_lazy, elsewhere
from gainful.read.named_columns import SUBTOPIC, Head
from gainful.read.qrels_and_run import Ids


def per_query(
    qrels: AnyJudgments,
    run: Any,
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Any:
    """How good is each query of a run, as a Spark frame?

    Judged documents are ranked by joins and counts, then some whole queries at a time go to the
    same NumPy functions as everywhere, on the workers (`applyInArrow`). Nothing is collected but
    a few counts, by which rows that lack something, duplicates and what the convention refuses
    are told at once. A measure of one's own that fails is told by Spark, when it computes.

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
    judged, ids = _judged(qrels, there)
    highest = _refuse_early(judged, there, recipes, base)
    _refuse_nothing(judged, there, ids)
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


def _judged(qrels: AnyJudgments, run: Elsewhere) -> tuple[nw.LazyFrame[Any], Ids]:
    """The judgments in Spark, and what their ids were."""
    if engine_of(qrels) is not SPARK:
        held = as_columns(as_judgments(qrels))
        silent = pl.DataFrame(
            {"query": held.silent, "doc": None, "grade": None}, schema=held.frame.schema
        )
        return run.sent(pl.concat([held.frame, silent])), held.ids
    there = elsewhere(qrels, SPARK, "judgments", "grade")
    count = checked(there)
    with asked(SPARK, "judgments"):
        twice = count - SPARK.distinct(there.frame.to_native(), count)
        head = Head(as_lazy(qrels).collect_schema().names(), "judgments")
    if twice and head.column(SUBTOPIC) is None:
        raise Duplicated(
            "judgments",
            f"{twice} of {count} rows judge a document a second time",
            "one grade for each query and document",
        )
    if twice:  # for several subtopics: the highest grade counts, as in evaluate
        best = there.frame.group_by("query", "doc").agg(nw.col("grade").max())
        return best.select("query", "doc", "grade"), there.ids
    return there.frame, there.ids


def _refuse_early(
    judged: nw.LazyFrame[Any], run: Elsewhere, recipes: Mapping[str, Recipe], base: Convention
) -> float:
    """Refuse what can be known before Spark computes anything; gives the highest grade."""
    for name, how in recipes.items():
        if how.convention.ties in ("input", "reversed"):
            allowed = "a policy that needs no order of rows, which Spark has not"
            raise BadValue(f"ties of {name}", how.convention.ties, allowed)
    grade = nw.col("grade")
    found = run.collected(
        judged.select(
            grade.max().alias("highest"),
            grade.min().alias("lowest"),
            true(grade != grade.floor()).sum().alias("fractions"),
        )
    ).row(0, named=True)
    habits = [how.convention for how in recipes.values()]
    if any(one.negative == "error" for one in habits) and (found["lowest"] or 0.0) < 0:
        raise BadValue("a grade", found["lowest"], "grades from 0 on (negative=error)")
    if any(one.fractional == "error" for one in habits) and found["fractions"]:
        raise BadValue("a grade", "a fraction", "whole numbers (fractional=error)")
    names = judged.select("query").unique(), run.frame.select("query").unique()
    for habit, value, (these, those), problem in (
        ("missing", base.missing, names, "is judged, but the run lacks it"),
        ("extra", base.extra, names[::-1], "is in the run, but has no judgments"),
    ):
        if value == "error":
            lost = run.collected(these.join(those, on="query", how="anti").head(1))
            if len(lost):
                told = f"query {lost['query'][0]!r} {problem}"
                raise run.refuse(told, f"the habit {habit} set to another than error")
    return max(0.0, float(found["highest"] or 0.0))


def _refuse_nothing(judged: nw.LazyFrame[Any], run: Elsewhere, ids: Ids) -> None:
    """Judgments and a run that have nothing in common are a mistake."""
    mixed = mixed_kinds(ids, run.ids)
    both = run.frame.join(judged.select("query", "doc"), on=["query", "doc"], how="inner")
    if mixed and not len(run.collected(both.head(1))):
        raise NothingInCommon(run.name, f"nothing of it is judged: {mixed[0]}", SAME_KIND)
    known = judged.select("query").unique()
    if not len(run.collected(run.frame.join(known, on="query", how="inner").head(1))):
        raise NothingInCommon(run.name, "no query in common with the judgments")


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
