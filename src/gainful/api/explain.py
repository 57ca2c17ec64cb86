"""How does a ranking, or a query of a run, come by its value; and whose value is this?"""

from __future__ import annotations

from typing import Unpack

from attrs import evolve

from gainful.api.evaluate import evaluate_run
from gainful.api.keywords import answer_keywords
from gainful.api.run_options import RunOptions, RunReading, answer_run_options
from gainful.convention import Convention
from gainful.errors import BadValue, check_name
from gainful.measure import explanation
from gainful.measure.build_recipes import Options, build_recipe
from gainful.measure.catalogue import MEASURES
from gainful.measure.explanation import Contributions, Explanation, explain_grades, explain_ranking
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.values import list_values
from gainful.measure.worked_ranking import rank_queries
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.ranking_matrix import Numbers, read_ranking


@answer_keywords
def explain(
    grades: Numbers,
    *,
    measure: str | Measure = "nDCG",
    judged: Numbers | None = None,
    k: int | None = None,
    like: str | Convention | None = None,
    **options: Unpack[Options],
) -> Explanation | Contributions:
    """How is the nDCG of a ranking computed, or another measure?

    Args:
        grades: of the documents, in rank order.
        measure: one measure of rankings, such as "AP" or "ERR@10".
        judged: all judged grades of the query, including those of the ranking: the ideal.
        k: only the first k documents count.
        like: the tool whose settings to follow.
        **options: single settings, such as `gain="exp"`.

    Returns:
        `Explanation` of nDCG and nCG, with gain, discount and ideal at each rank; of other
        measures `Contributions`, with what each rank adds.

    Examples:
        >>> table = explain([3, 2, 3, 0, 1, 2], like="wikipedia")
        >>> [round(line.dcg, 2) for line in table.lines]
        [3.0, 5.0, 6.89, 6.89, 7.32, 8.1]
        >>> round(table.value, 3)
        0.932
        >>> [round(step.contribution, 4) for step in explain([1, 0, 1], measure="AP").steps]
        [0.5, 0.0, 0.3333]
    """
    ranking = read_ranking(grades, "grades")
    name = measure.partition("(")[0] if isinstance(measure, str) else ""
    whole = isinstance(measure, str) and (name == measure or measure.endswith(")"))
    if whole and name in MEASURES and MEASURES[name].cutoff_kind == "needed":  # P, P(rel=2)
        measure = parse(f"{measure}@{max(1, int(ranking.lengths[0]))}")
        measure = measure if k is None else measure @ k
    parsed = parse(measure)
    parsed = parsed if parsed.k is not None or k is None else parsed @ k
    if parsed.entry.of_items:
        raise BadValue(
            "measure", str(parsed), "measures of one ranking; this one is of a whole run"
        )
    recipe = build_recipe(parsed, options=options, like=like, judged=judged is not None)
    pool = None if judged is None else read_ranking(judged, "judged")
    entry = parsed.entry
    work_out = explain_ranking if entry.cumulated and entry.normalised else explain_grades
    return work_out(recipe, ranking, pool)


@answer_run_options()
def explain_query(
    qrels: AnyQrels,
    run: AnyRun,
    query: str,
    measure: str | Measure = "nDCG@10",
    **options: Unpack[RunOptions],
) -> Contributions:
    """How is the value of a query computed, document by document?

    Args:
        qrels: whatever `evaluate` takes.
        run: whatever `evaluate` takes.
        query: the id of the query.
        measure: one measure of rankings, such as "AP" or "nDCG@10".
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Examples:
        >>> steps = explain_query({"1": {"a": 1, "b": 1}}, {"1": ["x", "a"]}, "1", "AP").steps
        >>> [(step.doc, step.grade, step.contribution) for step in steps]
        [('x', None, 0.0), ('a', 1.0, 0.25)]
    """
    name = str(parse(measure))
    results, matched = evaluate_run(qrels, run, name, RunReading.from_options(options))
    wanted = check_name(results.unit, str(query), results.ids)
    (recipe,), (values,) = results.recipes.values(), results.values.values()
    value = list_values(values)[list(results.ids).index(wanted)]
    rankings = rank_queries(matched, recipe, [wanted])
    steps = explanation.explain_query(recipe, rankings, wanted, value)
    return evolve(steps, owner=f"{results.unit} {wanted}")
