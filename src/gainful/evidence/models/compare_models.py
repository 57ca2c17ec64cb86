"""From evaluated runs, or sessions, to the models of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gainful.errors import CannotCompare
from gainful.evidence.comparisons.study import BLOCKS, Study, choose_blocks
from gainful.evidence.models.fit_runs import fit_runs
from gainful.evidence.models.fit_study import Factor, build_terms, fit_study
from gainful.evidence.models.model_values import FittedModel
from gainful.evidence.models.models import Models
from gainful.evidence.pairing import (
    choose_baseline,
    describe_left_out,
    pair_results,
    refuse_extremes,
)
from gainful.evidence.standardise import describe_standardisation, standardise_values
from gainful.measure.footnotes import list_footnotes
from gainful.measure.measured_values import MeasuredValues
from gainful.measure.run_values import RunValues
from gainful.measure.sessions.footnotes import list_footnotes as list_session_footnotes
from gainful.measure.sessions.session_values import SessionValues
from gainful.text import count_noun

MODEL_BLOCKS = (*BLOCKS, "order")
_FEW_DEGREES = 2  # of freedom: the interval of a t is four times as wide as its error, or more


def model_runs(
    results: Sequence[RunValues],
    names: Sequence[str],
    baseline: str | None,
    alpha: float,
    standardise: str | None = None,
) -> Models:
    """The model run + (query), for each measure."""
    base = choose_baseline(baseline, names, "run")
    models, notes = [], []
    for measure in results[0].values:
        paired = pair_results(results, measure)
        refuse_extremes(paired.values, measure)
        if len(paired.queries) < 2:
            raise CannotCompare(f"{measure}: a model needs at least 2 queries that all runs have")
        notes += describe_left_out(paired, names)
        paired = standardise_values(paired, standardise)
        models.append(fit_runs(paired, names, names.index(base), alpha))
        notes += _describe_few_degrees(models[-1])
    return Models(
        models=tuple(models),
        baseline=base,
        systems=tuple(name for name in names if name != base),
        kind="run",
        group="query",
        alpha=alpha,
        standardised=describe_standardisation(standardise, len(names)),
        footnotes=tuple(list_footnotes(results)),
        all_footnotes=tuple(list_footnotes(results, verbose=True)),
        notes=tuple(notes),
        better=_name_better(results[0]),
    )


def model_sessions(
    results: SessionValues,
    by: str,
    block: str | Sequence[str] | None,
    baseline: str | None,
    alpha: float,
) -> Models:
    """The model system × scenario + order + (searcher), for each measure."""
    blocks = choose_blocks(results, by, block, MODEL_BLOCKS)
    study = Study.from_results(results, by, blocks)
    if not blocks:
        raise CannotCompare("a model of sessions needs a column of searchers: --block COLUMN")
    base = choose_baseline(baseline, study.system_names, by)
    searcher, *others = (
        Factor(name, levels, numbers)
        for name, levels, numbers in zip(
            blocks, study.block_levels, study.block_numbers, strict=True
        )
    )
    system = Factor(by, study.system_names, study.system)
    terms, notes = build_terms(system, others[0] if others else None, others[1:])
    models = [
        fit_study(
            measure,
            values,
            terms,
            searcher,
            sessions=study.sessions,
            baseline=study.system_names.index(base),
            alpha=alpha,
        )
        for measure, values in zip(results.values, study.values.T, strict=True)
    ]
    return Models(
        models=tuple(models),
        baseline=base,
        systems=tuple(name for name in study.system_names if name != base),
        kind=by,
        group=searcher.name,
        alpha=alpha,
        footnotes=tuple(list_session_footnotes(results)),
        all_footnotes=tuple(list_session_footnotes(results, verbose=True)),
        notes=(*study.notes, *notes),
        better=_name_better(results),
    )


def _describe_few_degrees(model: FittedModel) -> list[str]:
    """That hardly anything can be told, where errors have one or two degrees of freedom."""
    degrees = round(min(test.error_degrees for test in model.tests))
    if degrees > _FEW_DEGREES:
        return []
    number = count_noun(degrees, "degree of freedom", "degrees of freedom")
    about = f"{model.measure}: {count_noun(model.groups, 'query')} leave errors {number}"
    return [f"{about}, so that intervals are very wide: more queries tell more"]


def _name_better(results: MeasuredValues[Any, Any]) -> dict[str, str]:
    """Of each measure: is a higher or a lower value better?"""
    return {name: direction.better_is for name, direction in results.directions.items()}
