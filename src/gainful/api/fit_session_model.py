"""What do systems, scenarios and searchers contribute? A linear model of a study's sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from gainful.api.session_options import EvaluationOptions, answer_session_options
from gainful.api.session_results import SessionResults
from gainful.api.sessions import evaluate
from gainful.convention.session import SessionConvention
from gainful.evidence.models.fit_model import model_sessions
from gainful.evidence.models.models import Models
from gainful.evidence.statistics.resampling import ALPHA, Resampling
from gainful.measure.build_recipes import Measures
from gainful.measure.cost import Cost
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions
from gainful.read.several_systems import SYSTEM


@answer_session_options(EvaluationOptions)
def fit_model(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    alpha: float = ALPHA,
    like: str | SessionConvention | None = None,
    cost: Cost | None = None,
    **options: Unpack[EvaluationOptions],
) -> Models:
    """What do systems, scenarios, order and searchers contribute to the sessions of a study?

    The linear model score ~ system × scenario + order + (searcher): searchers are drawn at random,
    variances are those of restricted likelihood (REML). Of the extra `models`.

    Args:
        sessions: whatever `evaluate` takes; or what it returned.
        qrels: whatever `evaluate` takes.
        measures: whatever `evaluate` takes; each has a model of its own.
        by: the column that names the system.
        block: the columns of the model: whose intercepts are random, what systems are crossed
            with, and what else has an effect; searcher, scenario and order, if they are there.
        baseline: the system that the others are set against; the first by name if none is named.
        alpha: intervals are of 1 - alpha.
        like: whose settings to follow.
        cost: what searching costs, as `evaluate` takes it.
        **options: how sessions are read, which count and what gains (`sessions.ReadingOptions`,
            `sessions.GainOptions`), and single settings, such as `duplicates="first"`.

    Returns:
        `Models`: differences over all scenarios and in each, with intervals and p, tests of each
        term, variance components, a check of residuals.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> model = fit_model(study.sessions, study.qrels, "sDCG@10").models[0]
        >>> model.formula
        'sDCG@10 ~ system × scenario + order + (searcher)'
    """
    Resampling(alpha=alpha)  # a level that is none is refused before anything is read
    results = sessions
    if not isinstance(results, SessionResults):
        results = evaluate(sessions, qrels, measures, like=like, cost=cost, **options)
    return model_sessions(results, by, block, baseline, alpha)
