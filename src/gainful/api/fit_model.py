"""What do runs and queries contribute to scores? A linear model of them."""

from __future__ import annotations

from typing import Unpack

from gainful.api.evaluate import evaluate_runs
from gainful.api.keywords import answer_keywords
from gainful.api.named_runs import Runs, name_runs
from gainful.convention import Convention
from gainful.evidence.models.fit_model import model_runs
from gainful.evidence.models.models import Models
from gainful.evidence.pairing import choose_baseline
from gainful.evidence.standardise import check_standardisation
from gainful.evidence.statistics.resampling import ALPHA, Resampling
from gainful.measure.build_recipes import EvaluationSettings, Measures, build_recipes
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyQrels, as_qrels


@answer_keywords
def fit_model(
    qrels: AnyQrels,
    runs: Runs,
    measures: Measures | None = None,
    *,
    baseline: str | None = None,
    alpha: float = ALPHA,
    standardise: str | None = None,
    like: str | Convention | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Models:
    """What do runs and queries contribute? The linear model score ~ run + (query), fitted.

    Queries are drawn at random, runs are not; variances are those of restricted likelihood (REML).

    Args:
        qrels: whatever `evaluate` takes.
        runs: two runs or more, by name or in a list.
        measures: whatever `evaluate` takes; each has a model of its own.
        baseline: the run that the others are set against; the first if none is named.
        alpha: intervals are of 1 - alpha.
        standardise: set scores of a query beside those of the other runs first: normal, uniform
            or empirical; three runs or more.
        like: the tool whose settings to follow.
        qrels_format: how a file of judgments is written; found out if it is not named.
        run_format: how files of runs are written.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, such as `ties="average"`.

    Returns:
        `Models`: differences with intervals and p, variance components, a check of residuals.

    Examples:
        >>> qrels = {str(q): {"a": 1} for q in range(6)}
        >>> first = {str(q): ["a", "b"] if q % 2 else ["b", "a"] for q in range(6)}
        >>> second = {str(q): ["a", "b"] if q % 3 else ["b", "a"] for q in range(6)}
        >>> model = fit_model(qrels, {"first": first, "second": second}, "RR").models[0]
        >>> round(model.differences[0].estimate, 4), model.differences[0].degrees
        (0.0833, 5)
    """
    Resampling(alpha=alpha)  # a level that is none is refused before anything is read
    named_runs = name_runs(runs, at_least=2)
    check_standardisation(standardise, len(named_runs))
    names = list(named_runs)
    choose_baseline(baseline, names, "run")
    convention, recipes = build_recipes(measures, like, settings)
    loaded_qrels = as_qrels(qrels, qrels_format, columns)
    evaluated = evaluate_runs(
        loaded_qrels, named_runs, recipes, convention, run_format, columns=columns
    )
    results = [results for results, _ in evaluated]
    return model_runs(results, names, baseline, alpha, standardise)
