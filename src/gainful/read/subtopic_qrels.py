"""Judgments for subtopics: a document may be judged once for each aspect of its query.

Such judgments come from the second column of TREC's diversity judgments and from tables with a
column for it. One and the same subtopic everywhere says nothing: then there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, Duplicated
from gainful.read.qrels_and_run import IdKinds, Qrels, has_several_subtopics
from gainful.read.ranked_items import parse_number
from gainful.text import count_noun, quote

_ONE_GRADE = "one grade for each query, document and subtopic"


def build_subtopic_qrels(
    frame: pl.DataFrame,
    name: str,
    locate: Callable[[int], str],
    ids: IdKinds | None = None,
    notes: Sequence[str] = (),
) -> Qrels:
    """Judgments from rows of query, doc, grade and subtopic, and perhaps of passages to be summed.

    Examples:
        >>> rows = [("1", "a", 1.0, "x"), ("1", "b", 0.0, "x"), ("1", "a", 2.0, "y")]
        >>> long = pl.DataFrame(rows, schema=["query", "doc", "grade", "subtopic"], orient="row")
        >>> qrels = build_subtopic_qrels(long, "judgments", str)
        >>> qrels.frame.rows()
        [('1', 'a', 2.0), ('1', 'b', 0.0)]
        >>> qrels.subtopics.rows()
        [(0, 'x', 1.0), (1, 'x', 0.0), (0, 'y', 2.0)]
    """
    if "passage" in frame.columns:
        frame, locate, zeros = sum_passages(frame, locate)
        counted = f"; {count_noun(zeros, 'rating')} of 0 counted as 1" if zeros else ""
        notes = [*notes, f"{name}: ratings of passages, summed by subtopic{counted}"]
    if not has_several_subtopics(frame["subtopic"]):
        return Qrels(frame.drop("subtopic"), name, locate, ids=ids or {}, notes=notes)
    _refuse_infinite_grades(frame, locate)
    _refuse_repeats(frame, locate)
    pairs = frame.with_row_index("line").group_by("query", "doc", maintain_order=True)
    per_doc = pairs.agg(pl.col("grade").max(), pl.col("line").first()).with_row_index("row")
    rows = frame.join(per_doc, on=["query", "doc"], how="left", maintain_order="left")
    first = per_doc["line"]
    return Qrels(
        per_doc.select("query", "doc", "grade"),
        name,
        lambda row: locate(int(first[row])),
        subtopics=rows.select("row", "subtopic", "grade"),
        ids=ids or {},
        notes=notes,
    )


def read_qrels_rows(name: str, rows: Iterable[tuple[Any, Any, Any, Any]]) -> Qrels:
    """Judgments from tuples of query, document, grade and subtopic."""
    records = [
        (str(query), str(doc), parse_number(grade, name, query, doc, "grade"), str(subtopic))
        for query, doc, grade, subtopic in rows
    ]
    columns = {"query": pl.String, "doc": pl.String, "grade": pl.Float64, "subtopic": pl.String}
    frame = pl.DataFrame(records, schema=columns, orient="row")
    return build_subtopic_qrels(frame, name, lambda row: f"{name}, row {row}")


def with_last_grades(qrels: Qrels) -> Qrels:
    """Judgments without subtopics; a document has the grade of its last judgment."""
    subtopic_judgments = qrels.subtopics
    if subtopic_judgments is None:
        return qrels
    last = subtopic_judgments.group_by("row").agg(pl.col("grade").last()).sort("row")["grade"]
    return evolve(qrels, frame=qrels.frame.with_columns(last), subtopics=None)


def with_summed_grades(qrels: Qrels) -> Qrels:
    """Judgments in which a document's grade is the sum of those for its subtopics."""
    if qrels.subtopics is None:
        return qrels
    total = qrels.subtopics.group_by("row").agg(pl.col("grade").sum()).sort("row")["grade"]
    return evolve(qrels, frame=qrels.frame.with_columns(total))


def sum_passages(
    frame: pl.DataFrame, locate: Callable[[int], str]
) -> tuple[pl.DataFrame, Callable[[int], str], int]:
    """Ratings of passages → a grade for each query, document and subtopic, as TREC DD has it.

    The grade is the sum of the ratings of the passages; one of 0 counts as 1, as in the track's
    scorers, and the last number says how many did. A passage that is rated twice is refused.

    Examples:
        >>> rows = [("1", "a", 2.0, "1.1", "p"), ("1", "a", 0.0, "1.1", "q")]
        >>> columns = ["query", "doc", "grade", "subtopic", "passage"]
        >>> sum_passages(pl.DataFrame(rows, schema=columns, orient="row"), str)[0].rows()
        [('1', 'a', 3.0, '1.1')]
    """
    ids = ["query", "doc", "subtopic"]
    repeats = find_repeated_passages(frame)
    if not repeats.is_empty():
        first = repeats.row(0, named=True)
        raise Duplicated(
            locate(first["row"]),
            f"passage {quote(first['passage'])} of document {quote(first['doc'])} is rated more "
            f"than once for subtopic {quote(first['subtopic'])}",
            "one rating for each passage and subtopic",
        )
    zeros = int((frame["grade"] == 0).sum())
    rating = pl.when(pl.col("grade") == 0).then(1.0).otherwise(pl.col("grade")).alias("grade")
    rows = frame.with_row_index("line").group_by(ids, maintain_order=True)
    summed = rows.agg(rating.sum(), pl.col("line").first())
    line = summed["line"]
    columns = ("query", "doc", "grade", "subtopic")
    return summed.select(columns), lambda row: locate(int(line[row])), zeros


def find_repeated_passages(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that rate a passage for a subtopic for which an earlier row rates it."""
    key = pl.struct("query", "doc", "subtopic", "passage")
    return frame.with_row_index("row").filter(~key.is_first_distinct())


def find_duplicate_judgments(frame: pl.DataFrame) -> pl.DataFrame:
    """All rows in which a document is judged for a subtopic for which another row judges it."""
    judgment_key = pl.struct("query", "doc", "subtopic")
    rows = frame.select("query", "doc", "subtopic").with_row_index("row")
    return rows.filter(judgment_key.is_duplicated()).select("query", "doc", "subtopic", "row")


def _refuse_infinite_grades(frame: pl.DataFrame, locate: Callable[[int], str]) -> None:
    bad = (~frame["grade"].is_finite()).arg_true()
    if len(bad):
        row = int(bad[0])
        problem = f"grade {frame['grade'][row]:g} is not finite"
        raise BadInput(locate(row), problem, "a finite number")


def _refuse_repeats(frame: pl.DataFrame, locate: Callable[[int], str]) -> None:
    repeats = find_duplicate_judgments(frame)
    if repeats.is_empty():
        return
    query, doc, subtopic, _ = repeats.row(0)
    same = (pl.col("query") == query) & (pl.col("doc") == doc) & (pl.col("subtopic") == subtopic)
    rows = repeats.filter(same)["row"].to_list()
    grades = " and ".join(f"{frame['grade'][row]:g}" for row in rows)
    times = "twice" if len(rows) == 2 else f"{len(rows)} times"
    raise Duplicated(
        locate(rows[1]),
        f"document {quote(doc)} of query {quote(query)} is judged {times} "
        f"for subtopic {quote(subtopic)}, as {grades}",
        _ONE_GRADE,
    )
