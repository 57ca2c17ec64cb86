"""Judgments, retrieved documents and values as ir_measures has them: rows with names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gainful.errors import BadInput
from gainful.read.formats import read_run
from gainful.read.source import open_source
from gainful.read.trec_files import read_qrels_lines
from gainful.text import quote


class Qrel(NamedTuple):
    """One judgment."""

    query_id: str
    doc_id: str
    relevance: float
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """One retrieved document."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """The value of one measure for one query."""

    query_id: str
    measure: Any
    value: float


class CwlMetric(NamedTuple):
    """What cwl_eval says of a query: the value is the expected utility of each document seen."""

    query_id: str
    measure: Any
    value: float
    expected_total_utility: float
    expected_cost: float
    expected_total_cost: float
    expected_items: float


class CalcResults(NamedTuple):
    """The means, and every value they are made of; of one measure alone, its mean."""

    aggregated: Any
    per_query: list[Metric | CwlMetric]


def read_trec_qrels(file: Any) -> Iterator[Qrel]:
    """The judgments of a TREC file: its path, the open file, or its lines as one text."""
    if _holds_lines(file):
        for place, fields in _split_lines(file, 4, "query iteration document grade"):
            query, iteration, doc, grade = fields
            yield Qrel(query, doc, _parse_number(int, grade, "grade", place), iteration)
        return
    for query, doc, grade, iteration in read_qrels_lines(open_source(file)).iter_rows():
        yield Qrel(query, doc, int(grade) if grade.is_integer() else grade, iteration)


def read_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """The results of a TREC file: its path, the open file, or its lines as one text."""
    if _holds_lines(file):
        for place, fields in _split_lines(file, 6, "query Q0 document rank score name"):
            score = _parse_number(float, fields[4], "score", place)
            yield ScoredDoc(fields[0], fields[2], score)
        return
    yield from (ScoredDoc(*row) for row in read_run(file, "trec").frame.iter_rows())


def _holds_lines(file: Any) -> bool:
    return hasattr(file, "read") or (isinstance(file, str) and "\n" in file)


def _split_lines(file: Any, count: int, expected: str) -> Iterator[tuple[str, list[str]]]:
    """The fields of each line that is not blank, and which line it is."""
    lines: Iterable[str] = file.split("\n") if isinstance(file, str) else file
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields and len(fields) != count:
            raise BadInput(f"line {number}", f"{quote(line)} has {len(fields)} fields", expected)
        if fields:
            yield f"line {number}", fields


def _parse_number(number: type[float], text: str, what: str, place: str) -> Any:
    try:
        return number(text)
    except ValueError:
        kind = "whole number" if number is int else "number"
        raise BadInput(place, f"{what} {quote(text)} is no {kind}") from None
