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

from gainful.convention import like
from gainful.errors import NothingInCommon, UnknownName
from gainful.measure.catalogue import MEASURES
from gainful.measure.evaluate import of_run
from gainful.measure.language import expand, named, parse
from gainful.measure.measure import Measure
from gainful.measure.recipe import recipe
from gainful.measure.results import Results
from gainful.read.formats import read_judgments, read_run
from gainful.read.frames import is_frame
from gainful.read.inputs import as_judgments, as_run

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
        habits = like("ir_measures")
        asked = [parse(measure) for measure in measures]
        self.measures = asked
        self._habits = habits
        self._recipes = {str(m): recipe(m, like_whom=habits) for m in asked}
        self._judgments = as_judgments(_nested(qrels, "relevance"))

    def calc_aggregate(self, run: Any) -> dict[Measure, float]:
        """The mean of each measure."""
        found = self._results(run)
        mean = found.mean if found is not None else {}
        return {measure: mean.get(str(measure), 0.0) for measure in self.measures}

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Every value, query by query."""
        found = self._results(run)
        for query, values in found.by_query().items() if found is not None else ():
            for measure in self.measures:
                yield Metric(query, measure, values[str(measure)] or 0.0)

    def calc(self, run: Any) -> CalcResults:
        """Both."""
        return CalcResults(self.calc_aggregate(run), list(self.iter_calc(run)))

    def _results(self, run: Any) -> Results | None:
        """The results; None for a run that has none of the judged queries, which is worth 0."""
        given = _nested(run, "score")
        if isinstance(given, Mapping) and not given:
            return None
        try:
            return of_run(self._judgments, as_run(given), self._recipes, self._habits)
        except NothingInCommon:
            return None


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
    for query, doc, grade in read_judgments(path, "trec").frame.iter_rows():
        yield Qrel(query, doc, int(grade) if grade.is_integer() else grade)


def read_trec_run(path: str | PathLike[str]) -> Iterator[ScoredDoc]:
    """The results of a TREC file."""
    return (ScoredDoc(*row) for row in read_run(path, "trec").frame.iter_rows())


def _nested(value: Any, number: str) -> Any:
    """What evaluation takes as it is, or a dict of dicts out of `Qrel`s or `ScoredDoc`s."""
    if isinstance(value, (str, PathLike, Mapping)) or is_frame(value):
        return value
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
