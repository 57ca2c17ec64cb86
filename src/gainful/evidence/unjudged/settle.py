"""Two runs, and documents of theirs that nobody judged: is it settled which of them is better?

A document has one grade in both runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Unpack

from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.evidence.unjudged.find_bounds import possible_grades
from gainful.evidence.unjudged.gradable_run import build_gradable_run
from gainful.evidence.unjudged.lead_bounds import LeadBounds
from gainful.evidence.unjudged.limits import refuse_higher_grades
from gainful.evidence.unjudged.settlement import Settlement
from gainful.measure.evaluate import EvaluationSettings, build_recipes, evaluate_run
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe
from gainful.read.inputs import (
    AnyQrels,
    AnyRun,
    as_qrels,
    as_qrels_columns,
    as_run,
    as_run_columns,
)
from gainful.read.lazy import LazyRun, collect_run
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


def settle(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun],
    measure: str | Measure = "nDCG@10",
    *,
    grades: Iterable[float] | None = None,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Settlement:
    """Can documents that nobody judged still change which of two runs is better?

    Args:
        qrels: whatever `evaluate` takes.
        runs: two runs by name.
        measure: one measure, such as "nDCG@10".
        grades: those that a document may get; by default 0 and every grade of the judgments.
        like: the tool whose habits to follow, by name or as a `Convention`.
        settings: single habits, such as `ties="input"`.

    Returns:
        `Settlement`: who leads, whether that can turn, how many judgments would settle it, and
        which documents to judge first.

    Examples:
        >>> judged = {"1": {"a": 1, "b": 0, "c": 0}}
        >>> runs = {"old": {"1": ["a", "b", "c"]}, "new": {"1": ["x", "y", "b"]}}
        >>> settle(judged, runs, "P@3")
        P@3 is 0.3333 for old, 0.0000 for new: can turn, 2 judgments would settle it
        1 x  -0.3333
        1 y  -0.3333
    """
    if not isinstance(runs, Mapping) or len(runs) != 2:
        raise BadValue("runs", runs, "two runs, as {name: run, name: run}")
    convention, recipes = build_recipes(measure, like, settings)
    loaded_runs = [as_run(run, name=str(name)) for name, run in runs.items()]
    names = [str(name) for name in runs]
    return settle_two(as_qrels(qrels), loaded_runs, names, recipes, convention, grades=grades)


def settle_two(
    qrels: Qrels | NestedDict,
    runs: Iterable[Run | NestedDict | LazyRun],
    names: Iterable[str],
    recipes: Mapping[str, Recipe],
    convention: Convention,
    *,
    grades: Iterable[float] | None = None,
) -> Settlement:
    """The same, everything being read and settled."""
    measure_name = _require_single_measure(recipes)
    columns = as_qrels_columns(qrels)
    if recipes[measure_name].entry.needs_subtopics and columns.subtopics is not None:
        allowed = "one that asks for no subtopics: nobody knows on which an unjudged document is"
        raise BadValue("measure", measure_name, allowed)
    allowed_grades = possible_grades(columns, grades)
    refuse_higher_grades(allowed_grades, recipes, float(columns.frame["grade"].max()))  # type: ignore[arg-type]
    first, second = (collect_run(run) if isinstance(run, LazyRun) else run for run in runs)
    run_names = tuple(names)
    sides = [
        evaluate_run(qrels, run, recipes, convention, name)
        for run, name in zip((first, second), run_names, strict=True)
    ]
    recipe = sides[0].recipes[measure_name]
    run_columns = as_run_columns(first), as_run_columns(second)
    gradables = [build_gradable_run(columns, run, convention, run_columns) for run in run_columns]
    lead_bounds = LeadBounds(
        recipe, allowed_grades, (sides[0], sides[1]), (gradables[0], gradables[1]), measure_name
    )
    return lead_bounds.settle((run_names[0], run_names[1]))


def _require_single_measure(recipes: Mapping[str, Recipe]) -> str:
    if len(recipes) != 1:
        raise BadValue("measure", ", ".join(recipes), "one measure, by which two runs are settled")
    ((name, recipe),) = recipes.items()
    if recipe.entry.aggregation == "geometric":
        raise BadValue("measure", name, "a measure whose queries are averaged or added up")
    return name


__all__ = ["settle", "settle_two"]
