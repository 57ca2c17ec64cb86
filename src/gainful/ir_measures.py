"""ir_measures' interface: existing code switches by `import gainful.ir_measures as ir_measures`.

Examples:
    >>> qrels = [Qrel("q1", "d1", 1), Qrel("q1", "d2", 0)]
    >>> run = [ScoredDoc("q1", "d2", 0.9), ScoredDoc("q1", "d1", 0.5)]
    >>> calc_aggregate([parse_measure("RR"), parse_measure("P@1")], qrels, run)
    {Measure(name='RR', params=(), k=None): 0.5, Measure(name='P', params=(), k=1): 0.0}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, NamedTuple

from gainful.convention import Convention, like
from gainful.errors import NothingInCommon, UnknownName
from gainful.measure.catalogue import MEASURES
from gainful.measure.evaluate import of_run
from gainful.measure.language import expand, named, parse
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe, recipe
from gainful.measure.results import Results
from gainful.read.formats import read_run
from gainful.read.frames import is_frame
from gainful.read.inputs import as_judgments, as_run
from gainful.read.qrels_and_run import Judgments, Nested
from gainful.read.source import opened
from gainful.read.subtopic_qrels import of_rows, with_last_grades
from gainful.read.trec_files import judged_lines

__all__ = [
    "CalcResults",
    "Evaluator",
    "Metric",
    "Qrel",
    "ScoredDoc",
    "calc",
    "calc_aggregate",
    "evaluator",
    "iter_calc",
    "parse_measure",
    "parse_trec_measure",
    "read_trec_qrels",
    "read_trec_run",
]
__all__ += list(MEASURES)


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
    measure: Measure
    value: float


class CalcResults(NamedTuple):
    """The means, and every value they are made of."""

    aggregated: dict[Measure, float]
    per_query: list[Metric]


class Evaluator:
    """Judgments and measures, ready for one run after another."""

    def __init__(self, measures: Iterable[Measure | str], qrels: Any) -> None:
        """Take measures and judgments: a dict of dicts, a frame, a path, or `Qrel`s."""
        self.measures = [parse(measure) for measure in measures]
        given = qrels if _as_it_is(qrels) else list(qrels)
        self._parts = [
            _Part(
                _judgments(given, subtopics=subtopics),
                {str(m): recipe(m, like_whom=habits) for m in asked},
                habits,
            )
            for subtopics, habits in _HABITS.items()
            if (asked := [m for m in self.measures if m.entry.subtopics == subtopics])
        ]

    def calc_aggregate(self, run: Any) -> dict[Measure, float]:
        """The mean of each measure."""
        mean = {name: value for one in self._results(run) for name, value in one.mean.items()}
        return {measure: mean.get(str(measure), 0.0) for measure in self.measures}

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Every value, query by query."""
        found: dict[str, dict[str, float | None]] = {}
        for one in self._results(run):
            for query, values in one.by_query().items():
                found.setdefault(query, {}).update(values)
        for query, values in found.items():
            for measure in self.measures:
                yield Metric(query, measure, values[str(measure)] or 0.0)

    def calc(self, run: Any) -> CalcResults:
        """Both."""
        held = run if _as_it_is(run) else list(run)
        return CalcResults(self.calc_aggregate(held), list(self.iter_calc(held)))

    def _results(self, run: Any) -> list[Results]:
        """The results; none for a run that has none of the judged queries, which is worth 0."""
        given = run if _as_it_is(run) else _nested(run, "score")
        if isinstance(given, Mapping) and not given:
            return []
        held = as_run(given)
        try:
            return [of_run(one.judgments, held, one.recipes, one.habits) for one in self._parts]
        except NothingInCommon:
            return []


def evaluator(measures: Iterable[Measure | str], qrels: Any) -> Evaluator:
    """Judgments and measures, ready for one run after another."""
    return Evaluator(measures, qrels)


def calc_aggregate(measures: Iterable[Measure | str], qrels: Any, run: Any) -> dict[Measure, float]:
    """The mean of each measure."""
    return Evaluator(measures, qrels).calc_aggregate(run)


def iter_calc(measures: Iterable[Measure | str], qrels: Any, run: Any) -> Iterator[Metric]:
    """Every value, query by query."""
    return Evaluator(measures, qrels).iter_calc(run)


def calc(measures: Iterable[Measure | str], qrels: Any, run: Any) -> CalcResults:
    """The means and every value."""
    return Evaluator(measures, qrels).calc(run)


def parse_measure(text: str) -> Measure:
    """A measure from its name."""
    return parse(text)


def parse_trec_measure(text: str) -> list[Measure]:
    """The measures that a name of trec_eval's stands for."""
    return list(expand(text).values())


def read_trec_qrels(path: str | PathLike[str]) -> Iterator[Qrel]:
    """The judgments of a TREC file."""
    for query, doc, grade, iteration in judged_lines(opened(path)).iter_rows():
        yield Qrel(query, doc, int(grade) if grade.is_integer() else grade, iteration)


def read_trec_run(path: str | PathLike[str]) -> Iterator[ScoredDoc]:
    """The results of a TREC file."""
    return (ScoredDoc(*row) for row in read_run(path, "trec").frame.iter_rows())


# ir_measures computes by another tool what asks for subtopics, with habits of its own.
_HABITS = {False: like("ir_measures"), True: like("pyndeval").changed(missing="zero")}


class _Part(NamedTuple):
    """Measures that are computed together, with what they are computed of."""

    judgments: Judgments | Nested
    recipes: dict[str, Recipe]
    habits: Convention


def _judgments(value: Any, *, subtopics: bool) -> Judgments | Nested:
    """Judgments with their subtopics, or with one grade for each document: the last, as there."""
    if _as_it_is(value):
        held = as_judgments(value)
        return held if subtopics or isinstance(held, Nested) else with_last_grades(held)
    if not subtopics or not value:
        return as_judgments(_nested(value, "relevance"))
    return of_rows(
        "judgments",
        ((q.query_id, q.doc_id, q.relevance, getattr(q, "iteration", "0")) for q in value),
    )


def _as_it_is(value: Any) -> bool:
    """Does evaluation take it, or is it a row of `Qrel`s or `ScoredDoc`s?"""
    return isinstance(value, (str, PathLike, Mapping)) or is_frame(value)


def _nested(value: Any, number: str) -> dict[str, dict[str, float]]:
    """A dict of dicts out of `Qrel`s or `ScoredDoc`s."""
    found: dict[str, dict[str, float]] = {}
    for one in value:
        found.setdefault(one.query_id, {})[one.doc_id] = getattr(one, number)
    return found


def __getattr__(name: str) -> Measure:
    """The measures themselves, by any name they have: `nDCG @ 10`, `MRR`."""
    try:
        return Measure(named(name, name))
    except UnknownName as unknown:
        raise AttributeError(str(unknown)) from None
