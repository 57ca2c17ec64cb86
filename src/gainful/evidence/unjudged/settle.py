"""Two runs, and documents of theirs that nobody judged: is it settled which of them is better?

A document has one grade in both runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Unpack

from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.evidence.unjudged.find_bounds import grades_of
from gainful.evidence.unjudged.gradable_run import gradings
from gainful.evidence.unjudged.lead_bounds import Pairs
from gainful.evidence.unjudged.limits import refuse_higher
from gainful.evidence.unjudged.settlement import Settled
from gainful.measure.evaluate import Habits, asked_for, of_run
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe
from gainful.read.inputs import (
    AnyJudgments,
    AnyRun,
    as_columns,
    as_judgments,
    as_run,
    as_run_columns,
)
from gainful.read.lazy import Elsewhere, brought
from gainful.read.qrels_and_run import Judgments, Nested, Run


def settle(
    qrels: AnyJudgments,
    runs: Mapping[str, AnyRun],
    measure: str | Measure = "nDCG@10",
    *,
    grades: Iterable[float] | None = None,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Settled:
    """Can documents that nobody judged still change which of two runs is better?

    Args:
        judgments: whatever `evaluate` takes.
        runs: two runs by name.
        measure: one measure, such as "nDCG@10".
        grades: those that a document may get; by default 0 and every grade of the judgments.
        like: the tool whose habits to follow, by name or as a `Convention`.
        habits: single habits, such as `ties="input"`.

    Returns:
        `Settled`: who leads, whether that can turn, how many judgments would settle it, and
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
    base, recipes = asked_for(measure, like, habits)
    held = [as_run(one, name=str(name)) for name, one in runs.items()]
    names = [str(name) for name in runs]
    return of_two(as_judgments(qrels), held, names, recipes, base, grades=grades)


def of_two(
    qrels: Judgments | Nested,
    runs: Iterable[Run | Nested | Elsewhere],
    names: Iterable[str],
    recipes: Mapping[str, Recipe],
    base: Convention,
    *,
    grades: Iterable[float] | None = None,
) -> Settled:
    """The same, everything being read and settled."""
    asked = _one(recipes)
    columns = as_columns(qrels)
    if recipes[asked].measure.entry.subtopics and columns.subtopics is not None:
        allowed = "one that asks for no subtopics: nobody knows on which an unjudged document is"
        raise BadValue("measure", asked, allowed)
    given = grades_of(columns, grades)
    refuse_higher(given, recipes, float(columns.frame["grade"].max()))  # type: ignore[arg-type]
    first, second = (brought(run) if isinstance(run, Elsewhere) else run for run in runs)
    called = tuple(names)
    sides = [
        of_run(qrels, run, recipes, base, name)
        for run, name in zip((first, second), called, strict=True)
    ]
    how = sides[0].recipes[asked]
    shown = as_run_columns(first), as_run_columns(second)
    held = [gradings(columns, run, base, shown) for run in shown]
    pairs = Pairs(how, given, (sides[0], sides[1]), (held[0], held[1]), asked)
    return pairs.settled((called[0], called[1]))


def _one(recipes: Mapping[str, Recipe]) -> str:
    if len(recipes) != 1:
        raise BadValue("measure", ", ".join(recipes), "one measure, by which two runs are settled")
    ((name, how),) = recipes.items()
    if how.measure.entry.mean == "geometric":
        raise BadValue("measure", name, "a measure whose queries are averaged or added up")
    return name


__all__ = ["of_two", "settle"]
