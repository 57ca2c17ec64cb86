"""Can documents that nobody judged still change which of two runs is better?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from gainful.api.evaluate import match_run
from gainful.api.keywords import answer_keywords
from gainful.api.named_runs import Runs, name_runs
from gainful.api.unjudged import grade_run
from gainful.convention import Convention
from gainful.errors import BadValue
from gainful.evidence.unjudged.find_bounds import possible_grades
from gainful.evidence.unjudged.lead_bounds import LeadBounds, require_single_measure
from gainful.evidence.unjudged.settlement import Settlement
from gainful.measure.build_recipes import EvaluationSettings, build_recipes
from gainful.measure.evaluate import measure_run
from gainful.measure.measure import Measure
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import (
    AnyQrels,
    as_qrels,
    as_qrels_columns,
    as_run_columns,
    as_run_in_memory,
)


@answer_keywords
def settle(
    qrels: AnyQrels,
    runs: Runs,
    measure: str | Measure = "nDCG@10",
    *,
    grades: Iterable[float] | None = None,
    like: str | Convention | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Settlement:
    """Can documents that nobody judged still change which of two runs is better?

    A document has one grade in both runs.

    Args:
        qrels: whatever `evaluate` takes.
        runs: two runs, by name or in a list.
        measure: one measure, such as "nDCG@10".
        grades: those that a document may get; by default 0 and every grade of the judgments.
        like: the tool whose settings to follow, by name or as a `Convention`.
        qrels_format: how a file of judgments is written; found out if it is not named.
        run_format: how files of runs are written.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, such as `ties="input"`.

    Returns:
        `Settlement`: who leads, whether that can turn, how many judgments would settle it, and
        which documents to judge first.

    Examples:
        >>> qrels = {"1": {"a": 1, "b": 0, "c": 0}}
        >>> runs = {"old": {"1": ["a", "b", "c"]}, "new": {"1": ["x", "y", "b"]}}
        >>> settle(qrels, runs, "P@3")
        P@3 is 0.3333 for old, 0.0000 for new: can turn, 2 judgments would settle it
        1 x  -0.3333
        1 y  -0.3333
    """
    named_runs = name_runs(runs)
    if len(named_runs) != 2:
        raise BadValue("runs", runs, "two runs, as {name: run, name: run}")
    convention, recipes = build_recipes(measure, like, settings)
    loaded_runs = {
        name: as_run_in_memory(run, run_format, name, columns) for name, run in named_runs.items()
    }
    loaded_qrels = as_qrels(qrels, qrels_format, columns)
    qrels_columns = as_qrels_columns(loaded_qrels)
    measure_name = require_single_measure(
        recipes, has_subtopics=qrels_columns.subtopics is not None
    )
    allowed_grades = possible_grades(qrels_columns, grades, recipes)
    matched_runs = {
        name: match_run(loaded_qrels, run, recipes, convention) for name, run in loaded_runs.items()
    }
    results = [
        measure_run(matched, recipes, convention, name) for name, matched in matched_runs.items()
    ]
    sources = [as_run_columns(run) for run in loaded_runs.values()]
    gradables = [grade_run(qrels_columns, run, convention, sources) for run in sources]
    first, second = loaded_runs
    return LeadBounds(
        results[0].recipes[measure_name],
        allowed_grades,
        (results[0], results[1]),
        (gradables[0], gradables[1]),
        measure_name,
    ).settle((first, second))
