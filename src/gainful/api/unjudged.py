"""How much could documents that nobody judged change?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack, overload

from gainful.api.evaluate import match_run
from gainful.api.run_options import (
    NamedRuns,
    RunOptions,
    RunReading,
    Runs,
    answer_run_options,
    name_file,
    name_runs,
)
from gainful.errors import BadValue
from gainful.evidence.unjudged.bounds import Bounds, RunBounds, find_bounds, possible_grades
from gainful.evidence.unjudged.gradable_run import build_gradable_run
from gainful.measure.build_recipes import Measures
from gainful.measure.evaluate import measure_run
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels_columns, as_run_columns
from gainful.read.shapes import holds_runs


@overload
def unjudged(
    qrels: AnyQrels,
    run: NamedRuns,
    measures: Measures | None = None,
    *,
    runs: None = None,
    grades: Iterable[float] | None = None,
    **options: Unpack[RunOptions],
) -> RunBounds: ...


@overload
def unjudged(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    runs: None = None,
    grades: Iterable[float] | None = None,
    **options: Unpack[RunOptions],
) -> Bounds: ...


@overload
def unjudged(
    qrels: AnyQrels,
    run: None = None,
    measures: Measures | None = None,
    *,
    runs: Runs,
    grades: Iterable[float] | None = None,
    **options: Unpack[RunOptions],
) -> RunBounds: ...


@answer_run_options()
def unjudged(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    runs: Runs | None = None,
    grades: Iterable[float] | None = None,
    **options: Unpack[RunOptions],
) -> Bounds | RunBounds:
    """How much could the retrieved documents that nobody judged change?

    Args:
        qrels: whatever `evaluate` takes.
        run: whatever `evaluate` takes.
        measures: one or several; by default nDCG@10, AP and RR.
        runs: several runs, by name or in a list, instead of `run` or in its place.
        grades: grades that a document may have; by default 0 and every grade of the judgments.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        `Bounds`: the smallest and the largest value of each query and of the mean, each marked
        exact (a grading gives it) or outer (no grading exceeds it). With `runs`, a dict of them.

    Examples:
        >>> judged = {"1": {"a": 2, "b": 1}}
        >>> bounds = unjudged(judged, {"1": ["new", "a", "b"]}, "nDCG@3")
        >>> [round(end, 4) for end in bounds.mean["nDCG@3"]]
        [0.6697, 0.6697, 1.0]
        >>> bounds.exact
        {'nDCG@3': True}
    """
    if run is not None and runs is not None:
        raise BadValue("run", "a run, and runs too", "one of the two")
    if holds_runs(run):
        run, runs = None, run
    reading = RunReading.from_options(options)
    named = name_runs(runs) if runs is not None else {"": reading.require_run(qrels, run)}
    convention, recipes = reading.build_recipes(measures)
    judgments = reading.read_qrels(qrels)
    bounds = {}
    columns = as_qrels_columns(judgments)
    for name, value in named.items():
        loaded = reading.read_run_in_memory(value, name or "run")
        matched = match_run(judgments, loaded, recipes, convention)
        results = measure_run(matched, recipes, convention, name or name_file(value))
        gradable = build_gradable_run(columns, as_run_columns(loaded), convention)
        allowed = possible_grades(columns, grades, recipes)
        bounds[name] = find_bounds(results, matched, gradable, allowed)
    reading.columns.refuse_unread()
    return bounds[""] if runs is None else RunBounds(bounds)
