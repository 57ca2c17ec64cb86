"""What trec_eval computes of its four kinds of judgments: values and texts of each query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.measure.trec_eval.groups import compute_group_lines
from gainful.measure.trec_eval.options import TrecEvalOptions
from gainful.measure.trec_eval.preference_measures import PREFERENCE_MEASURES
from gainful.measure.trec_eval.preferences import Contradiction, match_preferences
from gainful.measure.trec_eval.values import (
    JudgedRun,
    build_relstrings,
    clear_missing,
    compute_lines,
)
from gainful.measure.trec_eval.visits import Visits
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.trec_eval_files import Judged, QrelsFormat
from gainful.read.zscores import ZScores
from gainful.types import Array


@frozen(eq=False, kw_only=True)
class Request:
    """What is computed: lines, by the flags, for some queries."""

    lines: Sequence[TrecLine]
    options: TrecEvalOptions
    visits: Visits
    missing: Sequence[str] = ()  # the queries that the run lacks


@frozen(eq=False)
class Evaluated:
    """The values and texts of each query that was gone through, by the name of the line."""

    visits: Visits
    values: dict[str, Array]
    texts: Mapping[str, Sequence[str]] = field(factory=dict)


def evaluate_queries(judged: Judged, run: Run, request: Request) -> Evaluated:
    """What is computed for the queries that are gone through."""
    lines = [line for line in request.lines if line.trec_name.judgments != "none"]
    queries = request.visits.queries
    if lines and queries:
        evaluated = _EVALUATE[judged.kind](judged, run, evolve(request, lines=lines))
    else:
        evaluated = Evaluated(request.visits, {line.name: np.zeros(len(queries)) for line in lines})
    counts = np.ones(len(evaluated.visits.queries))
    values = {line.name: counts for line in request.lines if line.trec_name.name == "num_q"}
    return evolve(evaluated, values=values | evaluated.values)


def _evaluate_grades(judged: Judged, run: Run, request: Request) -> Evaluated:
    lines, queries = request.lines, request.visits.queries
    frame = judged.frame.filter(judged.frame["query"].is_in(pl.Series(queries).implode()))
    qrels = Qrels(frame, judged.name, unique=False)
    judged_run = JudgedRun(qrels, run, request.options, queries)
    values = compute_lines(judged_run, [line for line in lines if not line.is_text])
    clear_missing(values, queries, request.missing)
    texts = {
        line.name: build_relstrings(judged_run, line, request.missing)
        for line in lines
        if line.is_text
    }
    return Evaluated(request.visits, values, texts)


def _evaluate_groups(judged: Judged, run: Run, request: Request) -> Evaluated:
    queries = request.visits.queries
    values = compute_group_lines(judged.frame, run, request.lines, request.options, queries)
    return Evaluated(request.visits, values)


def _evaluate_preferences(judged: Judged, run: Run, request: Request) -> Evaluated:
    lines, visits, stop = request.lines, request.visits, request.visits.stop
    rows: list[list[float]] = []
    try:
        for query in match_preferences(judged.frame, run, request.options, visits.queries):
            rows.append([PREFERENCE_MEASURES[line.name](query) for line in lines])  # noqa: PERF401
    except Contradiction as contradiction:
        stop = f"query {visits.queries[len(rows)]!r}: {contradiction}"
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), len(lines)).T
    values = {line.name: column for line, column in zip(lines, columns, strict=True)}
    visits = evolve(visits, queries=visits.queries[: len(rows)], stop=stop)
    return Evaluated(visits, values)


_EVALUATE: Mapping[QrelsFormat, Callable[[Judged, Run, Request], Evaluated]] = {
    "qrels": _evaluate_grades,
    "qrels_jg": _evaluate_groups,
    "prefs": _evaluate_preferences,
    "qrels_prefs": _evaluate_preferences,
}


def apply_zscores(evaluated: Evaluated, zscores: ZScores) -> Evaluated:
    """Each value as its distance from a mean, in standard deviations (-Z)."""
    values = {
        name: np.array(
            [
                zscores.score(query, name, float(value))
                for query, value in zip(evaluated.visits.queries, column, strict=True)
            ]
        )
        for name, column in evaluated.values.items()
    }
    return evolve(evaluated, values=values)
