"""Judgments, preferences and runs, line by line as trec_eval reads them.

Only ASCII blanks separate fields, a number is what a text begins with, and what follows it
is passed over. Version 10 skips comments: any in a run, but in judgments only one at a time, for
it takes the line after a comment for a judgment. Only runs may have blank lines. A text that
is not UTF-8 is read byte by byte.

Tidy files are scanned at full speed. What trec_eval would make 0 of, a word where a number
belongs, is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, Duplicated
from gainful.read.qrels_and_run import QRELS, RUN, Run, find_duplicates
from gainful.read.source import Source, open_source
from gainful.read.trec_files import (
    QRELS_LINES,
    RUN_LINES,
    LineFormat,
    describe_problem,
    extract_fields,
    last_tag,
    refuse_swapped,
    scan_lines,
)
from gainful.text import leading_integer, leading_number, quote

Encoding = Literal["utf-8", "latin-1"]
ParseNumber = Callable[[str], float | None]
QrelsFormat = Literal["qrels", "prefs", "qrels_prefs", "qrels_jg"]
_PLAIN_INTEGER, _PLAIN_NUMBER = r"^[+-]?[0-9]{1,15}$", r"^[+-]?[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?$"

_JUDGED_GROUPS = LineFormat(
    ("query", "group", "doc", "grade"), "grade", "query group document grade"
)
_GRADED_PREFERENCES = LineFormat(
    ("query", "group", "doc", "level"), "level", "query group document level"
)
_PREFERENCES = LineFormat(
    ("query", "group", "subgroup", "doc", "level"), "level", "query group subgroup document level"
)


@frozen(eq=False)
class Judged:
    """Judgments of any kind, as a frame with a column `query`."""

    frame: pl.DataFrame
    name: str
    kind: QrelsFormat

    @property
    def queries(self) -> list[str]:
        """The judged queries."""
        return self.frame["query"].unique().to_list()

    def count_relevant(self) -> int:
        """How many judgments are above 0, whatever the level of relevance."""
        return int((self.frame["grade"] > 0).sum()) if "grade" in self.frame.columns else 0


class NotUtf8(BadInput):
    """A text that is to be read byte by byte."""


def read_files(
    qrels: Source, run: Source, qrels_format: QrelsFormat, version: int
) -> tuple[Judged, Run, Encoding]:
    """Judgments and a run, and how their texts were read: if one is not UTF-8, both by bytes."""

    def read_both(encoding: Encoding) -> tuple[Judged, Run, Encoding]:
        frame = _READERS[qrels_format](qrels, version, encoding)
        return Judged(frame, qrels.name, qrels_format), read_run(run, version, encoding), encoding

    try:
        return read_both("utf-8")
    except NotUtf8:
        return read_both("latin-1")


def _read_qrels(source: Source, version: int, encoding: Encoding) -> pl.DataFrame:
    """Judgments of grades; a document may be judged twice, which is found out later."""
    scanned = None
    data = b"\n" + source.read_bytes().removesuffix(b"\n")
    has_odd_lines = re.search(rb"\n(#|[ \t\r\v\f]*(\n|\Z))", data) is not None
    if encoding == "utf-8" and not has_odd_lines:
        scanned = scan_lines(source, QRELS_LINES, comments=False, number_type=pl.Int64())
    if scanned is not None:
        frame = scanned[0]
    else:
        frame = _read_lines(source, QRELS_LINES, leading_integer, version, encoding)
    return frame.select("query", "doc", pl.col("grade").cast(pl.Float64))


def _read_judged_groups(source: Source, version: int, encoding: Encoding) -> pl.DataFrame:
    """Judgments of several judges: query, group, doc, grade."""
    frame = _read_lines(source, _JUDGED_GROUPS, leading_integer, version, encoding)
    keys = frame.select(pl.concat_str("query", "group", separator=" ").alias("query"), "doc")
    repeated = find_duplicates(keys)
    if not repeated.is_empty():
        group, doc, row = repeated.row(1)
        place = f"{source.name}:{frame['line'][row]}"
        raise Duplicated(place, f"document {quote(doc)} is judged twice in group {quote(group)}")
    return frame.select("query", "group", "doc", pl.col("grade").cast(pl.Float64))


def _read_preferences(
    line_format: LineFormat, source: Source, version: int, encoding: Encoding
) -> pl.DataFrame:
    frame = _read_lines(source, line_format, leading_number, version, encoding)
    if "subgroup" not in frame.columns:
        frame = frame.with_columns(subgroup=pl.lit("0"))
    level = pl.col("level").cast(pl.Float64)
    if version == 9:  # which keeps them in 32 bit
        level = level.cast(pl.Float32).cast(pl.Float64)
    return frame.select("query", "group", "subgroup", "doc", level)


_READERS: Mapping[QrelsFormat, Callable[[Source, int, Encoding], pl.DataFrame]] = {
    "qrels": _read_qrels,
    "prefs": partial(_read_preferences, _PREFERENCES),
    "qrels_prefs": partial(_read_preferences, _GRADED_PREFERENCES),
    "qrels_jg": _read_judged_groups,
}


def read_run(source: Source, version: int, encoding: Encoding) -> Run:
    """A run; scores may be infinite."""
    scanned = None
    if encoding == "utf-8":
        scanned = scan_lines(source, RUN_LINES, comments=version == 10)
    if scanned is not None:
        tag = last_tag(source, comments=version == 10)
        return Run(scanned[0].select(RUN_LINES.columns), source.name, tag=tag)
    frame = _read_lines(source, RUN_LINES, leading_number, version, encoding)
    tag = frame["tag"][-1] if len(frame) else ""
    return Run(frame.select(RUN_LINES.columns), source.name, tag=tag, infinite=True)


def _read_lines(
    source: Source, line_format: LineFormat, parse: ParseNumber, version: int, encoding: Encoding
) -> pl.DataFrame:
    """The fields of every line as text, the number read, and the number of the line."""
    number, is_run = line_format.number, line_format is RUN_LINES
    try:
        text = source.read_bytes().decode(encoding)
    except UnicodeDecodeError:
        raise NotUtf8(source.name, "this is not UTF-8 text") from None
    lines = pl.DataFrame({"text": text.removesuffix("\n").split("\n")})
    lines = _drop_lines(lines.with_row_index("line", offset=1), version, is_run=is_run)
    table = extract_fields(lines, line_format)
    table = table.with_columns(_parse_column(table[number], parse).alias("number"))
    bad = table.filter(pl.col(number).is_null() | pl.col("number").is_null())
    if not bad.is_empty():
        refuse_swapped(source, RUN if is_run else QRELS)
        row = bad.row(0, named=True)
        problem = describe_problem(row | {"more": False}, line_format)
        raise BadInput(f"{source.name}:{row['line']}", problem, line_format.description)
    return table.with_columns(pl.col("number").alias(number))


def _drop_lines(lines: pl.DataFrame, version: int, *, is_run: bool) -> pl.DataFrame:
    """The lines without those that a version passes over."""
    text = pl.col("text")
    if is_run:
        stripped = text.str.strip_chars(" \t\r\v\f")
        passed_over = stripped == ""
        if version == 10:
            passed_over |= stripped.str.starts_with("#")
        return lines.filter(~passed_over)
    if version == 9:
        return lines
    marked = text.str.starts_with("#")  # the first of several, the third …
    place = pl.int_range(pl.len()).over(marked.rle_id())
    return lines.filter(~(marked & (place % 2 == 0)))


def _parse_column(texts: pl.Series, parse: ParseNumber) -> pl.Series:
    """Numbers of texts; only what is written oddly is read one by one."""
    plain = _PLAIN_INTEGER if parse is leading_integer else _PLAIN_NUMBER
    simple = texts.str.contains(plain).fill_null(value=False)
    numbers = texts.zip_with(simple, pl.Series([None], dtype=pl.String)).cast(pl.Float64)
    odd = (~simple & texts.is_not_null()).arg_true()
    if not len(odd):
        return numbers
    return numbers.scatter(odd, [_to_number(text, parse) for text in texts.gather(odd)])


def _to_number(text: str, parse: ParseNumber) -> float | None:
    number = parse(text)
    if number is None and parse is leading_integer and leading_number(text) is not None:
        return 0.0  # .5
    return None if number is None or number != number else float(number)  # noqa: PLR0124


_EXPECTED = "query measure mean standard-deviation"
_NO_SCORE = -1_000_000.0  # where there is no mean for a query and measure

Reference = tuple[str, float, float]  # measure, mean, standard deviation


@frozen
class ZScores:
    """The mean and the standard deviation of measures, by query."""

    by_query: Mapping[str, Sequence[Reference]]  # in the order of the measures' bytes

    def score(self, query: str, measure: str, value: float) -> float:
        """How far a value is from its mean, in standard deviations."""
        reference = self._find(query, measure)
        if reference is None:
            return _NO_SCORE
        _, mean, deviation = reference
        if deviation == 0:
            return 0.0 if value == mean else _NO_SCORE
        return (value - mean) / deviation

    def _find(self, query: str, measure: str) -> Reference | None:
        """What stands there; of several, the one that trec_eval's search comes to first."""
        references = self.by_query.get(query, ())
        names = [reference[0].encode() for reference in references]
        first = bisect_left(names, measure.encode())
        last = bisect_right(names, measure.encode()) - 1
        if first > last:
            return None
        start, end = 0, len(names)
        while True:
            middle = (start + end) // 2
            if middle < first:
                start = middle + 1
            elif middle > last:
                end = middle - 1
            else:
                return references[middle]


def read_zscores(path: str) -> ZScores:
    """Means and standard deviations from lines of query, measure, mean, deviation."""
    source = open_source(path)
    by_query: dict[str, list[Reference]] = {}
    text = source.read_bytes().decode("utf-8", "replace").removesuffix("\n")
    for number, line in enumerate(text.split("\n"), start=1):
        fields = [field.decode() for field in line.encode().split()]
        numbers = [value for value in map(leading_number, fields[2:]) if value is not None]
        if len(fields) != 4 or len(numbers) != 2:
            raise BadInput(f"{source.name}:{number}", f"{quote(line)} is not that", _EXPECTED)
        by_query.setdefault(fields[0], []).append((fields[1], numbers[0], numbers[1]))
    for references in by_query.values():
        references.sort(key=lambda reference: reference[0].encode())
    return ZScores(by_query)
