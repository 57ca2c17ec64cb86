"""Judgments for subtopics: a document may be judged once for each aspect of its query.

Such judgments come from the second column of TREC's diversity judgments and from tables with a
column for it. One and the same subtopic everywhere says nothing: then there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, Duplicated, shown
from gainful.read.dicts import as_number
from gainful.read.qrels_and_run import Ids, Judgments

_ONE_GRADE = "one grade for each query, document and subtopic"


def judgments(
    frame: pl.DataFrame, name: str, where: Callable[[int], str], ids: Ids | None = None
) -> Judgments:
    """Judgments from rows of query, doc, grade and subtopic.

    Examples:
        >>> rows = [("1", "a", 1.0, "x"), ("1", "b", 0.0, "x"), ("1", "a", 2.0, "y")]
        >>> long = pl.DataFrame(rows, schema=["query", "doc", "grade", "subtopic"], orient="row")
        >>> found = judgments(long, "judgments", str)
        >>> found.frame.rows()
        [('1', 'a', 2.0), ('1', 'b', 0.0)]
        >>> found.subtopics.rows()
        [(0, 'x', 1.0), (1, 'x', 0.0), (0, 'y', 2.0)]
    """
    subtopic = frame["subtopic"]
    if not varies(subtopic):
        return Judgments(frame.drop("subtopic"), name, where, ids=ids or {})
    _refuse_no_number(frame, where)
    _refuse_twice(frame, where)
    pairs = frame.with_row_index("line").group_by("query", "doc", maintain_order=True)
    single = pairs.agg(pl.col("grade").max(), pl.col("line").first()).with_row_index("row")
    rows = frame.join(single, on=["query", "doc"], how="left", maintain_order="left")
    first = single["line"]
    return Judgments(
        single.select("query", "doc", "grade"),
        name,
        lambda row: where(int(first[row])),
        subtopics=rows.select("row", "subtopic", "grade"),
        ids=ids or {},
    )


def of_rows(name: str, rows: Iterable[tuple[Any, Any, Any, Any]]) -> Judgments:
    """Judgments from tuples of query, document, grade and subtopic."""
    held = [
        (str(query), str(doc), as_number(grade, name, query, doc, "grade"), str(subtopic))
        for query, doc, grade, subtopic in rows
    ]
    columns = {"query": pl.String, "doc": pl.String, "grade": pl.Float64, "subtopic": pl.String}
    frame = pl.DataFrame(held, schema=columns, orient="row")
    return judgments(frame, name, lambda row: f"{name}, row {row}")


def with_last_grades(qrels: Judgments) -> Judgments:
    """The same without subtopics; a document has the grade of its last judgment."""
    told = qrels.subtopics
    if told is None:
        return qrels
    last = told.group_by("row").agg(pl.col("grade").last()).sort("row")["grade"]
    return evolve(qrels, frame=qrels.frame.with_columns(last), subtopics=None)


def varies(subtopic: pl.Series) -> bool:
    """Is there more than one subtopic?"""
    return len(subtopic) > 1 and bool((subtopic != subtopic[0]).any())


def repeated(frame: pl.DataFrame) -> pl.DataFrame:
    """All rows in which a document is judged for a subtopic for which another row judges it."""
    three = pl.struct("query", "doc", "subtopic")
    rows = frame.select("query", "doc", "subtopic").with_row_index("row")
    return rows.filter(three.is_duplicated()).select("query", "doc", "subtopic", "row")


def _refuse_no_number(frame: pl.DataFrame, where: Callable[[int], str]) -> None:
    """Say of a grade that is not finite where it stands, which is no row of the judgments."""
    bad = (~frame["grade"].is_finite()).arg_true()
    if len(bad):
        row = int(bad[0])
        problem = f"grade {frame['grade'][row]:g} is not finite"
        raise BadInput(where(row), problem, "a finite number")


def _refuse_twice(frame: pl.DataFrame, where: Callable[[int], str]) -> None:
    twice = repeated(frame)
    if twice.is_empty():
        return
    query, doc, subtopic, _ = twice.row(0)
    same = (pl.col("query") == query) & (pl.col("doc") == doc) & (pl.col("subtopic") == subtopic)
    rows = twice.filter(same)["row"].to_list()
    grades = " and ".join(f"{frame['grade'][row]:g}" for row in rows)
    often = "twice" if len(rows) == 2 else f"{len(rows)} times"
    raise Duplicated(
        where(rows[1]),
        f"document {shown(doc)} of query {shown(query)} is judged {often} "
        f"for subtopic {shown(subtopic)}, as {grades}",
        _ONE_GRADE,
    )
