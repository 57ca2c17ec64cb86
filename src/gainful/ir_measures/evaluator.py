"""Measures and judgments, ready for one run after another: `Evaluator`, `Measure`, `define`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import exp, nan
from os import PathLike
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.api.evaluate import match_run
from gainful.convention import Convention, like
from gainful.convention.tools import CWL_MEASURES
from gainful.errors import BadValue, UnknownName
from gainful.ir_measures.rows import CalcResults, CwlMetric, Metric, QrelsConverter, RunConverter
from gainful.match.matched import Matched
from gainful.measure import measure as catalogue
from gainful.measure.build_recipes import build_recipe
from gainful.measure.entry import Entry, Recipe
from gainful.measure.evaluate import compute_measures, with_max_grade
from gainful.measure.functions.user_models import (
    CONTINUATIONS,
    Continuation,
    chance_to_reach,
    gain_batches,
    rank_row,
    scale_gains,
)
from gainful.measure.language import parse
from gainful.measure.names import GROUPS_9, TREC_NAMES
from gainful.measure.parameters import PARAMETERS
from gainful.measure.ranked_run import rank_run
from gainful.measure.trec_language import parse_trec_name
from gainful.read.datasets import read_qrels_rows
from gainful.read.frames import is_frame
from gainful.read.inputs import as_qrels, as_run
from gainful.read.qrels_and_run import NestedDict, Qrels, Run, join_subtopics
from gainful.types import Array


def _continue_ap(gain: Array, **_: Any) -> Array:
    left = np.cumsum((gain / rank_row(gain))[:, ::-1], axis=1)[:, ::-1]
    after = np.append(left[:, 1:], np.zeros((len(gain), 1)), axis=1)
    return np.asarray(np.divide(after, left, out=np.zeros_like(gain), where=left > 0))


_CONTINUATIONS: Mapping[str, Continuation] = {
    **{name: rule for name, rule in CONTINUATIONS.items() if name != "IFT"},
    "P": lambda gain, k: rank_row(gain) < k,
    "RR": lambda gain, **_: np.cumsum(gain, axis=1) == 0,
    "AP": _continue_ap,
    "RBP": lambda gain, p, **_: np.full(gain.shape, p),
    "scaledDCG": lambda gain, k: (
        (rank_row(gain) < k) * np.log2(rank_row(gain) + 1) / np.log2(rank_row(gain) + 2)
    ),
}


ALL_CWL_MEASURES = (*CWL_MEASURES, "P@", "RR", "AP")


def expect(recipe: Recipe, matched: Matched) -> list[tuple[float, ...] | float]:
    """Utility, total utility, cost, total cost and items of each query; a document costs 1.

    Of a query that the run lacks only that its value is 0.
    """
    arguments = recipe.function_arguments()
    ranked = rank_run(matched, recipe.convention)
    taken = {key: value for key, value in arguments.items() if key in ("T", "p", "k")}
    rel = arguments.get("rel")
    gains = scale_gains(ranked, arguments["max_grade"]) if rel is None else ranked.grade >= rel
    rows: list[list[float]] = []
    for _, gain in gain_batches(ranked, gains * 1.0):
        continuation = _CONTINUATIONS[recipe.entry.name](gain, **taken)
        reach = chance_to_reach(gain, continuation)
        items = reach.sum(axis=1)
        weight, ends = reach / items[:, None], reach * (1 - continuation * 1.0)
        sums = (weight * gain, ends * np.cumsum(gain, axis=1), weight, ends * rank_row(gain))
        rows += np.stack([*(terms.sum(axis=1) for terms in sums), items], axis=1).tolist()
    return [tuple(row) if there else 0.0 for row, there in zip(rows, matched.in_run, strict=True)]


IR_MEASURES = like("ir_measures")
_IN_PYTHON = IR_MEASURES.with_settings(score_bits=64)  # what pytrec_eval does not compute
_DIVERSITY = like("pyndeval").with_settings(missing="zero")
_EXPONENTIAL = like("ir_measures_exp")
_EXPONENTIAL_UNCUT = like("ranx_burges").with_settings(missing="zero", extra="ignore")


def choose_convention(measure: catalogue.Measure) -> Convention:
    """The settings of the tool by which ir_measures computes a measure."""
    if measure.entry.needs_subtopics:
        return _DIVERSITY
    if measure.entry.normalised and dict(measure.params).get("gain") == "exp":
        return _EXPONENTIAL if measure.k is not None else _EXPONENTIAL_UNCUT
    own = IR_MEASURES.settings_of(measure.name, has_cutoff=measure.k is not None)
    return _IN_PYTHON if own else IR_MEASURES


class _Calls:
    """What can be asked of a measure itself."""

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric | CwlMetric]:
        """Every value, query by query."""
        return Evaluator([self], qrels).iter_calc(run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """The mean over queries."""
        return next(iter(Evaluator([self], qrels).calc_aggregate(run).values()))

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """The mean, and every value."""
        aggregated, per_query = Evaluator([self], qrels).calc(run)
        return CalcResults(next(iter(aggregated.values())), per_query)

    def evaluator(self, qrels: Any) -> Evaluator:
        """Judgments and this measure, ready for one run after another."""
        return Evaluator([self], qrels)


@frozen(eq=False, repr=False)
class Measure(catalogue.Measure, _Calls):
    """A measure that can be asked for its values; parameters with default values are left out.

    Examples:
        >>> Measure("AP")(rel=1) == Measure("AP"), Measure("AP") @ 10
        (True, AP@10)
    """

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        unusual = tuple(
            (name, value)
            for name, value in self.params
            if value != _usual_value(self.entry, name) or name == "b"
        )
        object.__setattr__(self, "params", unusual)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, catalogue.Measure):
            return NotImplemented
        return (self.name, self.params, self.k) == (other.name, other.params, other.k)

    def __hash__(self) -> int:
        return hash(catalogue.Measure(self.name, self.params, self.k))

    def __repr__(self) -> str:
        return str(self)


def _usual_value(entry: Entry, name: str) -> object:
    usual = entry.defaults.get(name)
    if usual is None and name in PARAMETERS:
        return PARAMETERS[name].default
    return getattr(IR_MEASURES, name, None) if usual is None else usual


def parse_measure(measure: str | catalogue.Measure) -> Measure:
    """A measure from its name."""
    if isinstance(measure, str):  # what is called so elsewhere is the share of queries with a hit
        measure = re.sub(r"^\s*Accuracy\b", "PairAccuracy", measure)
    parsed = parse(measure)
    return parsed if isinstance(parsed, Measure) else as_measure(parsed)


def as_measure(measure: catalogue.Measure) -> Measure:
    """A measure of gainful's that can be asked for its values."""
    return Measure(measure.name, measure.params, measure.k)


Frames = Callable[[Any, Any], Iterable[tuple[str, float]]]


@frozen(repr=False)
class DefinedMeasure(_Calls):
    """A measure that a function of two pandas frames computes."""

    name: str | None
    function: Frames
    supports_cutoff: bool = True
    k: int | None = None
    run_inputs: tuple[str, ...] = ("query_id", "doc_id", "score")
    qrel_inputs: tuple[str, ...] = ("query_id", "doc_id", "relevance")

    def __call__(self, *, cutoff: int | None = None) -> DefinedMeasure:
        """This measure over the first documents of each query."""
        if cutoff is not None and not self.supports_cutoff:
            raise BadValue("k", cutoff, f"no value: {self} takes no cutoff")
        return evolve(self, k=cutoff)

    def __matmul__(self, cutoff: int) -> DefinedMeasure:
        return self(cutoff=cutoff)

    def __repr__(self) -> str:
        return (self.name or repr(self.function)) + ("" if self.k is None else f"@{self.k}")

    def compute(self, qrels: Any, run: Any) -> dict[str, float]:
        """The value of each query; those that the function leaves out count as 0."""
        qrels = qrels.sort_values(by=[name for name in ("query_id", "doc_id") if name in qrels])
        has_score = "score" in run.columns
        run = run.sort_values(
            by=["query_id", "score"] if has_score else ["query_id"],
            ascending=[True, False] if has_score else [True],
        )
        if self.k is not None:
            run = run.groupby("query_id").head(self.k).reset_index(drop=True)
        values = dict(self.function(qrels, run))
        missing = {query for query in qrels["query_id"] if query not in values}
        return values | dict.fromkeys(sorted(missing), 0.0)


def define(
    impl: Frames,
    name: str | None = None,
    support_cutoff: bool = True,  # noqa: FBT002  (its place there)
    *,
    run_inputs: Iterable[str] = ("query_id", "doc_id", "score"),
    qrel_inputs: Iterable[str] = ("query_id", "doc_id", "relevance"),
    **_: object,
) -> DefinedMeasure:
    """A measure that a function of two pandas frames, qrels and run, computes for all queries.

    The function yields pairs of a query and its value.
    """
    return DefinedMeasure(
        name, impl, support_cutoff, run_inputs=tuple(run_inputs), qrel_inputs=tuple(qrel_inputs)
    )


def define_byquery(
    impl: Callable[[Any, Any], float],
    name: str | None = None,
    support_cutoff: bool = True,  # noqa: FBT002  (its place there)
    **options: Any,
) -> DefinedMeasure:
    """A measure that a function of two pandas frames computes, called once for each query."""

    def compute_each(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        for query, rows in run.groupby("query_id"):
            yield query, impl(qrels[qrels["query_id"] == query], rows)

    own_name = name or getattr(impl, "__name__", None)
    return define(compute_each, own_name, support_cutoff, **options)


AnyMeasure = Measure | DefinedMeasure | catalogue.Measure | str


# A query, a measure and a value, or all that cwl_eval says of it.
_Values = Iterator[tuple[str, AnyMeasure, Any]]
_NO_ROWS = {"query": pl.String, "doc": pl.String, "score": pl.Float64}


class Evaluator:
    """Judgments and measures, ready for one run after another."""

    def __init__(
        self,
        measures: Iterable[Any],
        qrels: Any,
        choose: Callable[[catalogue.Measure], Convention] = choose_convention,
        cwl_measures: Collection[str] = CWL_MEASURES,
    ) -> None:
        """Take measures and judgments: a dict of dicts, a frame, a path, or `Qrel`s."""
        self.measures = [
            measure if isinstance(measure, DefinedMeasure) else parse_measure(measure)
            for measure in measures
        ]
        self._cwl_measures = cwl_measures
        self._qrels = qrels if is_readable(qrels) else list(qrels)
        recipes: dict[tuple[Convention, bool], dict[str, Recipe]] = {}
        no_judgments = isinstance(self._qrels, (list, Mapping)) and not self._qrels
        for measure in self.measures:
            if isinstance(measure, Measure) and not no_judgments:
                convention = choose(measure)
                own = recipes.setdefault((convention, measure.entry.needs_subtopics), {})
                own[str(measure)] = build_recipe(measure, like=convention)
        # Measures of the same settings, with the judgments as they take them.
        self._groups = [
            (_as_qrels(self._qrels, subtopics=subtopics), convention, own)
            for (convention, subtopics), own in recipes.items()
        ]

    def iter_calc(self, run: Any) -> Iterator[Metric | CwlMetric]:
        """Every value, query by query; a judged query that the run lacks scores 0."""
        source = run if is_readable(run) else list(run)
        by_query: dict[str, dict[AnyMeasure, Any]] = {}
        for query, of, number in (*self._compute_groups(source), *self._compute_defined(source)):
            by_query.setdefault(query, {})[of] = number
        for query, own in by_query.items():
            for measure in self.measures:
                value = own.get(measure)
                if isinstance(value, tuple):
                    yield CwlMetric(query, measure, *value)
                elif value is not None:
                    yield Metric(query, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """The mean of each measure, or the sum of a count."""
        return self._aggregate(self.iter_calc(run))

    def calc(self, run: Any) -> CalcResults:
        """The means of a run, and the value of each query."""
        per_query = list(self.iter_calc(run))
        return CalcResults(self._aggregate(per_query), per_query)

    def _aggregate(self, metrics: Iterable[Metric | CwlMetric]) -> dict[Any, float]:
        kinds = {
            measure: measure.entry.aggregation if isinstance(measure, Measure) else "mean"
            for measure in self.measures
        }
        sums = {measure: (SumAgg if kinds[measure] == "sum" else MeanAgg)() for measure in kinds}
        for metric in metrics:
            sums[metric.measure].add(metric.value)
        return {
            measure: exp(total.result()) if kinds[measure] == "geometric" else total.result()
            for measure, total in sums.items()
        }

    def _compute_groups(self, run: Any) -> _Values:
        """The values of each measure by query; counts are 0 where the run lacks the query."""
        if not self._groups:
            return
        source = run if is_readable(run) else RunConverter(run).as_dict_of_dict()
        is_empty = isinstance(source, Mapping) and not source
        parsed = Run(pl.DataFrame(schema=_NO_ROWS), part=True) if is_empty else as_run(source)
        for qrels, convention, recipes in self._groups:
            matched = match_run(qrels, parsed, recipes, convention)
            complete_recipes = {
                name: with_max_grade(recipe, matched.highest_grade)
                for name, recipe in recipes.items()
            }
            for name, column in compute_measures(matched, complete_recipes).items():
                measure, values = complete_recipes[name].measure, np.ma.asarray(column)
                if measure.entry.aggregation == "sum":
                    values[~matched.in_run] = 0.0
                kept = matched.judged & ~np.ma.getmaskarray(values)
                own: list[Any] = values.tolist()
                if measure.name + "@" * (measure.k is not None) in self._cwl_measures:
                    own = expect(complete_recipes[name], matched)
                for row in np.flatnonzero(kept).tolist():
                    yield matched.queries[row], measure, own[row]

    def _compute_defined(self, run: Any) -> _Values:
        defined = [measure for measure in self.measures if isinstance(measure, DefinedMeasure)]
        if not defined:
            return
        qrels_frame = QrelsConverter(self._qrels, strict=False).as_pd_dataframe()
        run_frame = RunConverter(run, strict=False).as_pd_dataframe()
        for measure in defined:
            for query, value in measure.compute(qrels_frame, run_frame).items():
                yield query, measure, value


def _as_qrels(value: Any, *, subtopics: bool) -> Qrels | NestedDict:
    """Judgments with their subtopics, or with one grade for each document: the last, as there."""
    if is_readable(value):
        qrels = as_qrels(value)
        if subtopics or isinstance(qrels, NestedDict):
            return qrels
        return evolve(join_subtopics(qrels, pl.col("grade").last()), subtopics=None)
    if not subtopics:
        return as_qrels(QrelsConverter(value).as_dict_of_dict())
    rows = (
        (qrel.query_id, qrel.doc_id, qrel.relevance, getattr(qrel, "iteration", "0"))
        for qrel in value
    )
    return read_qrels_rows("judgments", rows)


def is_readable(value: Any) -> bool:
    """Does evaluation take it, or is it a row of `Qrel`s or `ScoredDoc`s?"""
    return isinstance(value, (str, PathLike, Mapping)) or is_frame(value)


class MeanAgg:
    """The mean of the values that were added."""

    def __init__(self, default: float = nan) -> None:
        self.sum = 0.0
        self.count = 0
        self.default = default

    def add(self, value: float) -> None:
        """Add the value of one query."""
        self.sum += value
        self.count += 1

    def result(self) -> float:
        """The mean of all values so far."""
        return self.sum / self.count if self.count else self.default


class SumAgg(MeanAgg):
    """The sum of the values that were added."""

    def result(self) -> float:
        """The sum of all values so far."""
        return self.sum


_SEVERAL = re.compile(r"(?P<name>\w+?)[._](?P<numbers>\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)+)", re.ASCII)
# What trec_eval has and ir_measures has not: left out of groups there.
_LEFT_OUT = {
    *("gm_map", "gm_bpref", "Rndcg", "ndcg_rel", "binG", "G", "11pt_avg", "Rprec_mult"),
    *("utility", "relative_P", "num_nonrel_judged_ret", "runid", "relstring"),
}


def parse_trec_measure(measure: str) -> list[Measure]:
    """The measures that a name of trec_eval's stands for.

    Examples:
        >>> parse_trec_measure("P_5,10"), parse_trec_measure("set_F.1,0.5")
        ([P@5, P@10], [SetF, SetF(beta=0.5)])
    """
    if measure in GROUPS_9:
        names = sorted(name for name in GROUPS_9[measure] if name not in _LEFT_OUT)
        return [parsed for name in names for parsed in parse_trec_measure(name)]
    lines = parse_trec_name(_split_numbers(measure)[0])
    if lines is None:
        raise UnknownName("measure", measure, [*TREC_NAMES, *GROUPS_9])
    return [
        as_measure(line.measure)
        for name in _split_numbers(measure)
        for line in parse_trec_name(name) or ()
    ]


def _split_numbers(measure: str) -> list[str]:
    several = _SEVERAL.fullmatch(measure)
    if several is None or several["name"] not in TREC_NAMES:
        return [measure]
    if TREC_NAMES[several["name"]].kind != "numbers":
        return [measure]
    return [f"{several['name']}.{number}" for number in several["numbers"].split(",")]
