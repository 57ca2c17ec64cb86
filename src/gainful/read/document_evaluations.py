"""Evaluations of the documents of a trace: grades by the place of a document in its list.

Phoenix exports them in the spans themselves, or as a table with a row for each document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from attrs import define, field

from gainful.errors import BadInput
from gainful.read.formats import find_table_format
from gainful.read.json_text import Unreadable
from gainful.read.named_columns import read_table
from gainful.read.path_finder import find_first
from gainful.read.read_options import ReadOptions
from gainful.read.retrievals import Retrievals
from gainful.read.session_layout import SKIP, BadPolicy
from gainful.read.source import Source
from gainful.text import NUMBER_PATTERN, quote

SPAN_IDS = ("spanId", "span_id", "context.span_id", "context.spanId")
PLACES_OF_DOCUMENTS = ("document_position", "documentPosition")  # of evaluations, from 0
_SCORES = ("score", "result.score", "evaluation.score", "annotation.score")
_LABELS = {"relevant": 1, "irrelevant": 0, "unrelated": 0, "not relevant": 0}
_UNEVALUATED = (
    "evaluation in {0} has neither score nor label|evaluations in {0} have neither score nor label"
)
_LEFT_OUT = "malformed evaluation in {0} skipped|malformed evaluations in {0} skipped"
_OTHER_SPANS = (
    "evaluated span in {0} is not a search of {1}|evaluated spans in {0} are not searches of {1}"
)
_EVALUATED = "rows with the span_id of a search, document_position, and score or label"


def read_evaluation(entry: Any) -> tuple[int, float] | Unreadable | None:
    """The place of a document and its grade; None without score and label."""
    cell = find_first(entry, PLACES_OF_DOCUMENTS)
    place = _parse_cell(cell)
    if place is None or not place.is_integer() or place < 0:
        words = f"document_position {quote(cell)} is not a position in a list"
        return Unreadable(words, "0 for the first document, 1, 2 …")
    score, label = find_first(entry, _SCORES), find_first(entry, ("label", "result.label"))
    if not _is_empty(score):
        grade = _parse_cell(score)
        words = f"score {quote(score)} is not a finite number"
        return Unreadable(words, "a number") if grade is None else (int(place), grade)
    if _is_empty(label):
        return None
    if (known := _LABELS.get(str(label).strip().lower())) is not None:
        return int(place), float(known)
    return Unreadable(f"label {quote(label)} is not known", f"{', '.join(_LABELS)}; or a score")


def _is_empty(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())  # noqa: PLR0124  (NaN)


def _parse_cell(value: Any) -> float | None:
    """A finite number, which may be a text; None if it is none."""
    is_written = isinstance(value, str) and re.fullmatch(NUMBER_PATTERN, value.strip(), re.ASCII)
    if not is_written and not isinstance(value, (int, float)):
        return None
    number = float(value)
    return number if isfinite(number) else None


@define(eq=False)
class Evaluations:
    """What evaluations of the documents of spans say, in a trace or in a file beside it."""

    name: str
    locate: Callable[[int], str]  # the place of a record or a row
    bad: BadPolicy
    is_file: bool = False
    by_span: dict[str, dict[int, float]] = field(factory=dict)  # of a file: grades by place
    searches: set[str] = field(factory=set)  # spans that are searches of the trace
    empty: int = 0  # without score and label
    problems: list[tuple[str, str]] = field(factory=list)  # place and words, if left out

    def grade(self, entries: Sequence[Any], span: str, rows: Sequence[int]) -> dict[int, float]:
        """The grades of the documents of a span, by their places in its list.

        Of evaluations under several names, those of relevance count, or else those of the first.

        Examples:
            >>> some = Evaluations("the trace", str, "error")
            >>> some.grade([{"documentPosition": 0, "result": {"label": "irrelevant"}}], "s1", [7])
            {0: 0.0}
        """
        names = [str(find_first(entry, ("name", "annotation_name"))) for entry in entries]
        chosen = next((name for name in names if "relevan" in name.lower()), names[0])
        grades: dict[int, float] = {}
        for at in (at for at, name in enumerate(names) if name == chosen):
            read = read_evaluation(entries[at])
            if read is None:
                self.empty += 1
            elif isinstance(read, Unreadable):
                self.refuse(rows[at], read.problem, read.expected)
            elif grades.setdefault(*read) != read[1]:
                words = f"document {read[0]} of span {quote(span)} has another score above"
                self.refuse(rows[at], words, "each document of a span once")
        return grades

    def refuse(self, row: int, words: str, expected: str) -> None:
        """An evaluation that does not count; an error, if that was not asked for."""
        if self.bad == "error":
            raise BadInput(self.locate(row), words, f"{expected}; {SKIP}")
        self.problems.append((self.locate(row), words))

    def find(self, span: str | None) -> dict[int, float]:
        """The grades of the documents of a search, in a file beside the trace."""
        grades = self.by_span.get(str(span), {})
        if grades:
            self.searches.add(str(span))
        return grades

    def report(self, retrievals: Retrievals) -> None:
        """Count what does not count; an error if nothing of a file is left."""
        trace = retrievals.file.name
        if self.is_file and not self.by_span:
            raise BadInput(self.name, "it has no evaluation with a score or a label", _EVALUATED)
        if self.is_file and not self.searches:
            span = next(iter(self.by_span))
            words = f"none of its spans is a search of {trace}, such as {quote(span)}"
            raise BadInput(self.name, words, _EVALUATED)
        others = self.by_span.keys() - self.searches
        retrievals.notes[_UNEVALUATED.format(self.name)] += self.empty
        retrievals.notes[_LEFT_OUT.format(self.name)] += len(self.problems)
        retrievals.notes[_OTHER_SPANS.format(self.name, trace)] += len(others)


def read_evaluation_file(source: Source, reading: ReadOptions) -> Evaluations:
    """A table with a row for each document of a span that was evaluated."""
    table = read_table(source, find_table_format(source))
    file = Evaluations(source.name, table.locate, reading.policy, is_file=True)
    of_span: dict[str, dict[int, Any]] = {}
    for at, row in enumerate(table.frame.iter_rows(named=True)):
        of_span.setdefault(str(find_first(row, SPAN_IDS) or ""), {})[at] = row
    for at in of_span.pop("", ()):
        file.refuse(at, "there is no span", _EVALUATED)
    for span, rows in of_span.items():
        grades = file.grade([*rows.values()], span, [*rows])
        if grades:
            file.by_span[span] = grades
    return file
