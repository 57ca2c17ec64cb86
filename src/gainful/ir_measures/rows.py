"""Judgments, retrieved documents and values as ir_measures has them: rows with names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import Any, ClassVar, NamedTuple

from gainful.errors import BadInput, GainfulError
from gainful.read.formats import read_rows
from gainful.read.qrels_and_run import RUN
from gainful.read.source import Source, make_memory_source, open_source
from gainful.read.trec_files import read_qrels_lines


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
    """cwl_eval's metric for a query: the value is the expected utility of each document seen."""

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
    for query, doc, grade, iteration in read_qrels_lines(_open(file)).iter_rows():
        yield Qrel(query, doc, int(grade) if grade.is_integer() else grade, iteration)


def read_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """The results of a TREC file: its path, the open file, or its lines as one text."""
    run = read_rows(_open(file), RUN, "trec").build()
    yield from (ScoredDoc(*row) for row in run.frame.iter_rows())


def _open(file: Any) -> Source:
    text = file.read() if hasattr(file, "read") else file
    if text is file and not (isinstance(file, str) and "\n" in file):
        return open_source(file)
    return make_memory_source("text", "", text.encode() if isinstance(text, str) else text)


class _Converter:
    """What both have in common: three shapes, each from any."""

    row: ClassVar[type[Qrel | ScoredDoc]]
    noun: ClassVar[str]

    def __init__(self, value: Any, strict: bool = True) -> None:  # noqa: FBT002  (its place there)
        self._value = value
        self._strict = strict

    @property
    def needed(self) -> tuple[str, ...]:
        """The fields that a row must have."""
        fields = self.row._fields
        return tuple(name for name in fields if name not in self.row._field_defaults)

    def as_dict_of_dict(self) -> dict[str, dict[str, float]]:
        """{query: {document: number}}."""
        if isinstance(self._value, Mapping):
            return dict(self._value)
        nested: dict[str, dict[str, float]] = {}
        for query, doc, number, *_ in self.as_namedtuple_iter():
            nested.setdefault(query, {})[doc] = number
        return nested

    def as_namedtuple_iter(self) -> Iterator[Any]:
        """A row for each judgment or document."""
        value = self._value
        if isinstance(value, Mapping):
            for query, docs in value.items():
                yield from (self.row(query, doc, number) for doc, number in docs.items())
        elif hasattr(value, "itertuples"):
            self._refuse_missing("DataFrame missing columns", list(value.columns))
            present = [name for name in self.row._fields if name in value.columns]
            for row in value.itertuples():
                yield self.row(*(getattr(row, name) for name in present))
        elif isinstance(value, Iterable):
            rows = iter(value)
            first = next(rows, None)
            if first is None:
                return
            if not (isinstance(first, tuple) and hasattr(first, "_fields")):
                raise self._refusal("iterable not a namedtuple iterator")
            self._refuse_missing("namedtuple iter missing fields", list(first._fields))
            yield from chain((first,), rows)
        else:
            shapes = f"(1) an iterable of namedtuples (fields {self.needed}, e.g., from "
            shapes += f"ir_measures.{self.row.__name__}); (2) a pandas DataFrame with columns "
            shapes += f"{self.needed}; or (3) a dict-of-dict"
            raise self._refusal(f"unexpected format; please provide either: {shapes}")

    def as_pd_dataframe(self) -> Any:
        """A pandas frame; one that is given stays as it is, but for an iteration that it lacks."""
        if find_spec("pandas") is None:
            raise GainfulError("measures of functions take pandas frames: pip install pandas")
        pandas: Any = import_module("pandas")
        if not isinstance(self._value, pandas.DataFrame):
            return pandas.DataFrame(list(self.as_namedtuple_iter()), columns=self.row._fields)
        if self._strict:
            self._refuse_missing("DataFrame missing columns", list(self._value.columns))
        defaults = self.row._field_defaults.items()
        missing = {name: value for name, value in defaults if name not in self._value.columns}
        return self._value.assign(**missing) if missing else self._value

    def _refuse_missing(self, what: str, fields: list[str]) -> None:
        missing = [name for name in self.needed if name not in fields]
        if missing:
            raise self._refusal(f"{what}: {missing} (found {fields})")

    def _refusal(self, problem: str) -> BadInput:
        return BadInput(f"unknown {self.noun} format", problem)


class QrelsConverter(_Converter):
    """Judgments in another shape."""

    row = Qrel
    noun = "qrels"


class RunConverter(_Converter):
    """A run in another shape."""

    row = ScoredDoc
    noun = "run"

    def as_sorteddict(self) -> dict[str, list[ScoredDoc]]:
        """{query: its documents, the highest score first}."""
        by_query: dict[str, list[ScoredDoc]] = {}
        for row in self.as_namedtuple_iter():
            by_query.setdefault(row.query_id, []).append(row)
        return {query: sorted(rows, key=lambda row: -row.score) for query, rows in by_query.items()}
