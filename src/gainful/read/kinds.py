"""`Kind`: in what reading judgments differs from reading a run; `Rows`: what a reader gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, Swapped
from gainful.read.column_names import QRELS_ROLES, RELEVANT, RETRIEVED, RUN_ROLES
from gainful.read.qrels_and_run import Qrels, Run, has_several_subtopics

Value = TypeVar("Value", bound=Qrels | Run)


@frozen(eq=False)
class Kind(Generic[Value]):
    """Judgments or a run: all in which reading the one differs from reading the other."""

    name: str
    number: str  # what is told of each document
    default: float | None  # that number where it is not told; None: the order of a list tells it
    roles: Mapping[str, str]  # that columns can have, each with the name that is looked for first
    lists: tuple[str, ...]  # names of fields with all documents of a query
    shapes: str  # of dicts
    looks_other: str  # said of a value of the other kind
    build: Callable[..., Value]  # of a frame, a name, places of rows, and fields of the value

    def __reduce__(self) -> str:
        return "QRELS" if self.number == "grade" else "RUN"  # the same one in other processes

    def describe_swap(self, name: str, reason: str, expected: str) -> Swapped:
        """What is to be said of a value of the other kind."""
        return Swapped(name, f"{self.looks_other}: {reason} (are the arguments swapped?)", expected)


def _build_qrels(
    frame: pl.DataFrame, name: str, where: Callable[[int], str] | None = None, **fields: Any
) -> Qrels:
    """Judgments from rows, which may be of subtopics, or of passages for these."""
    has_subtopics = "subtopic" in frame.columns and (
        "passage" in frame.columns or has_several_subtopics(frame["subtopic"])
    )
    if has_subtopics and where is not None:
        from gainful.read import subtopic_qrels  # noqa: PLC0415  (few have them)

        return subtopic_qrels.build_subtopic_qrels(frame, name, where, **fields)
    return Qrels(frame.select("query", "doc", "grade"), name, where, **fields)


def _build_run(
    frame: pl.DataFrame, name: str, where: Callable[[int], str] | None = None, **fields: Any
) -> Run:
    return Run(frame.select("query", "doc", "score"), name, where, **fields)


QRELS = Kind(
    "judgments",
    "grade",
    1,
    QRELS_ROLES,
    RELEVANT,
    "{query: {document: grade}} or {query: [relevant document, …]}",
    "this looks like a run, not like judgments",
    _build_qrels,
)
RUN = Kind(
    "run",
    "score",
    None,
    RUN_ROLES,
    RETRIEVED,
    "{query: {document: score}}, {query: [document, …]} or {query: [(document, score), …]}",
    "these look like judgments, not like a run",
    _build_run,
)


@frozen(eq=False)
class Rows(Generic[Value]):
    """What a reader gives: the rows that are sound, and what is wrong with the others.

    Who calls decides: `build` makes the first of these mistakes an error, `check` tells all.
    """

    kind: Kind[Value]
    name: str
    frame: pl.DataFrame  # query, doc, grade or score; subtopic, passage, rank where there are some
    locate: Callable[[int], str]  # of the sound rows
    expected: str = ""
    mistakes: Sequence[int] = ()  # rows that are not sound
    describe: Callable[[int], tuple[str, str]] = lambda row: (str(row), "")  # place and words
    warnings: Sequence[str] = ()  # what changes what comes out
    notes: Sequence[str] = ()  # what else one should know of how it was read
    fields: Mapping[str, Any] = {}  # of the value: what its ids are, its tag

    def build(self) -> Value:
        """The judgments or the run, or an error for the first row that is not sound."""
        if self.mistakes:
            place, words = self.describe(self.mistakes[0])
            raise BadInput(place, words, self.expected)
        notes = [*self.warnings, *self.notes]
        return self.kind.build(self.frame, self.name, self.locate, notes=notes, **self.fields)
