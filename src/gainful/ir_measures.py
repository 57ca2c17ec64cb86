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

from gainful.api.evaluate import evaluate_run
from gainful.convention import Convention, like
from gainful.errors import NothingInCommon, UnknownName
from gainful.measure.build_recipe import build_recipe
from gainful.measure.catalogue import MEASURES
from gainful.measure.language import canonical_name, expand, parse
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.formats import read_run
from gainful.read.frames import is_frame
from gainful.read.inputs import as_qrels, as_run
from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.read.source import open_source
from gainful.read.subtopic_qrels import read_qrels_rows, with_last_grades
from gainful.read.trec_files import read_qrels_lines

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
        source = qrels if _is_readable(qrels) else list(qrels)
        self._groups = [
            _MeasureGroup(
                _as_qrels(source, subtopics=subtopics),
                {str(measure): build_recipe(measure, like=convention) for measure in wanted},
                convention,
            )
            for subtopics, convention in _CONVENTIONS.items()
            if (
                wanted := [
                    measure
                    for measure in self.measures
                    if measure.entry.needs_subtopics == subtopics
                ]
            )
        ]

    def calc_aggregate(self, run: Any) -> dict[Measure, float]:
        """The mean of each measure."""
        mean = {
            name: value for results in self._evaluate(run) for name, value in results.mean.items()
        }
        return {measure: mean.get(str(measure), 0.0) for measure in self.measures}

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Every value, query by query."""
        by_query: dict[str, dict[str, float | None]] = {}
        for results in self._evaluate(run):
            for query, values in results.values_by_query().items():
                by_query.setdefault(query, {}).update(values)
        for query, values in by_query.items():
            for measure in self.measures:
                yield Metric(query, measure, values[str(measure)] or 0.0)

    def calc(self, run: Any) -> CalcResults:
        """The means of a run, and the value of each query."""
        rows = run if _is_readable(run) else list(run)
        return CalcResults(self.calc_aggregate(rows), list(self.iter_calc(rows)))

    def _evaluate(self, run: Any) -> list[Results]:
        """The results; none for a run that has none of the judged queries, which is worth 0."""
        source = run if _is_readable(run) else _to_dicts(run, "score")
        if isinstance(source, Mapping) and not source:
            return []
        parsed_run = as_run(source)
        try:
            return [
                evaluate_run(group.qrels, parsed_run, group.recipes, group.convention)
                for group in self._groups
            ]
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
    for query, doc, grade, iteration in read_qrels_lines(open_source(path)).iter_rows():
        yield Qrel(query, doc, int(grade) if grade.is_integer() else grade, iteration)


def read_trec_run(path: str | PathLike[str]) -> Iterator[ScoredDoc]:
    """The results of a TREC file."""
    return (ScoredDoc(*row) for row in read_run(path, "trec").frame.iter_rows())


# ir_measures computes by another tool what asks for subtopics, with settings of its own.
_CONVENTIONS = {False: like("ir_measures"), True: like("pyndeval").with_settings(missing="zero")}


class _MeasureGroup(NamedTuple):
    """Measures that are computed together, with what they are computed of."""

    qrels: Qrels | NestedDict
    recipes: dict[str, Recipe]
    convention: Convention


def _as_qrels(value: Any, *, subtopics: bool) -> Qrels | NestedDict:
    """Judgments with their subtopics, or with one grade for each document: the last, as there."""
    if _is_readable(value):
        qrels = as_qrels(value)
        return qrels if subtopics or isinstance(qrels, NestedDict) else with_last_grades(qrels)
    if not subtopics or not value:
        return as_qrels(_to_dicts(value, "relevance"))
    return read_qrels_rows(
        "judgments",
        (
            (qrel.query_id, qrel.doc_id, qrel.relevance, getattr(qrel, "iteration", "0"))
            for qrel in value
        ),
    )


def _is_readable(value: Any) -> bool:
    """Does evaluation take it, or is it a row of `Qrel`s or `ScoredDoc`s?"""
    return isinstance(value, (str, PathLike, Mapping)) or is_frame(value)


def _to_dicts(rows: Any, field: str) -> dict[str, dict[str, float]]:
    """A dict of dicts out of `Qrel`s or `ScoredDoc`s."""
    nested: dict[str, dict[str, float]] = {}
    for row in rows:
        nested.setdefault(row.query_id, {})[row.doc_id] = getattr(row, field)
    return nested


def __getattr__(name: str) -> Measure:
    """The measures themselves, by any name they have: `nDCG @ 10`, `MRR`."""
    try:
        return Measure(canonical_name(name, name))
    except UnknownName as unknown:
        raise AttributeError(str(unknown)) from None
