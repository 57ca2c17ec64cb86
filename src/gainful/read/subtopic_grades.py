"""Judgments for subtopics as judgments of documents: the last grade of each, or their sum."""

from __future__ import annotations

import polars as pl
from attrs import evolve

from gainful.read.qrels_and_run import Qrels


def with_last_grades(qrels: Qrels) -> Qrels:
    """Judgments without subtopics; a document has the grade of its last judgment."""
    return evolve(_join_grades(qrels, pl.col("grade").last()), subtopics=None)


def with_summed_grades(qrels: Qrels) -> Qrels:
    """Judgments in which a document's grade is the sum of those for its subtopics."""
    return _join_grades(qrels, pl.col("grade").sum())


def _join_grades(qrels: Qrels, grade: pl.Expr) -> Qrels:
    if qrels.subtopics is None:
        return qrels
    grades = qrels.subtopics.group_by("row").agg(grade).sort("row")["grade"]
    return evolve(qrels, frame=qrels.frame.with_columns(grades))
