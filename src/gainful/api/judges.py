"""Do judges agree: people, language models, clicks?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from os import PathLike, fspath
from typing import Any, Unpack

import numpy as np
from attrs import evolve

from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import RunOptions, RunReading, Runs, answer_run_options, name_runs
from gainful.errors import BadValue, WrongType
from gainful.evidence.judges import JudgeAgreement, compare_grades
from gainful.evidence.method import Method, build_method, split_method, test_pairs
from gainful.evidence.options import PairOptions, ResamplingOptions
from gainful.evidence.orders.order import MIN_RUNS, Order, check_run_count, order_means
from gainful.evidence.pairing import pair_means
from gainful.evidence.statistics.outcome import Resampling
from gainful.measure.build_recipes import USUAL_MEASURES
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.read.inputs import AnyQrels, as_qrels_columns
from gainful.text import name_files, name_way
from gainful.types import Flags

_MIN_RUNS = 2  # whose order judges can agree on
MEASURE = USUAL_MEASURES[0]  # that orders runs, if none is named
Judges = Mapping[str, AnyQrels] | Sequence[AnyQrels]


class JudgeOptions(ResamplingOptions, RunOptions, total=False):
    """How resamples are drawn, and how judgments and runs are read."""


@answer_run_options(JudgeOptions, (PairOptions, RunOptions))
def compare_judges(
    judges: Judges,
    runs: Runs | None = None,
    measure: str | Measure = MEASURE,
    *,
    weights: str = "linear",
    level: str = "ordinal",
    **options: Unpack[JudgeOptions],
) -> JudgeAgreement:
    """Do judges agree, and would each of them order the runs alike?

    Args:
        judges: two or more judgments, {name: qrels} or a list; each whatever `evaluate` takes.
        runs: two or more runs, to see whether judges order them alike; tau needs three.
        measure: measure that orders the runs; by default nDCG@10.
        weights: of kappa: none, linear (default) or quadratic in the steps between two grades.
        level: of Krippendorff's alpha: nominal, ordinal (default) or interval.
        **options: how resamples are drawn (`stats.PairOptions`; alpha is also the level of the
            tests between runs), how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        `JudgeAgreement`: of each two judges the table of grades, weighted kappa and bias with
        intervals; Krippendorff's alpha of all; the queries with the most disagreement; with runs,
        how alike they are ordered and how many significant differences change their sign.

    Examples:
        >>> people = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 2, "e": 0}}
        >>> model = {"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 0, "d": 1, "e": 0}}
        >>> agreement = compare_judges({"people": people, "model": model}, resamples=999)
        >>> round(agreement.pairs[0].kappa.value, 4)
        0.625
    """
    parsed = parse(measure)
    chance, inputs = split_method(options, ResamplingOptions)
    reading, resampling = RunReading.from_options(inputs), Resampling.from_options(chance)
    named = _name_judges(judges)
    columns = {name: as_qrels_columns(reading.read_qrels(qrels)) for name, qrels in named.items()}
    frames = {name: qrels.frame for name, qrels in columns.items()}
    agreement = compare_grades(frames, weights, level, resampling)
    if runs is None:
        reading.columns.refuse_unread()
        return agreement
    named_runs = name_runs(runs)
    check_run_count(len(named_runs), _MIN_RUNS)
    order, flips = _order_runs(columns, named_runs, parsed, reading, build_method(**chance))
    few = f"{len(named_runs)} runs: tau needs at least {MIN_RUNS}"
    notes = (*agreement.notes, *([few] if len(named_runs) < MIN_RUNS else []))
    return evolve(agreement, measure=str(measure), order=order, flips=flips, notes=notes)


def _name_judges(judges: Judges) -> dict[str, AnyQrels]:
    """Judges by name; those of a list are named for their files, or numbered."""
    allowed = "{name: qrels}, or a list of qrels"
    if not isinstance(judges, (Mapping, list, tuple)):
        raise WrongType("judges", judges, allowed)
    if len(judges) < 2:
        several = name_way("two QRELS or more, one for each judge", f"{allowed}, with at least two")
        raise BadValue("judges", judges, several)
    if isinstance(judges, Mapping):
        return {str(name): qrels for name, qrels in judges.items()}
    if all(isinstance(qrels, (str, PathLike)) for qrels in judges):
        names = name_files([fspath(qrels) for qrels in judges])
    else:
        names = [f"judge {number}" for number in range(1, len(judges) + 1)]
    if len({*names}) < len(names):
        raise BadValue("judges", names, "each judge once")
    return dict(zip(names, judges, strict=True))


def _order_runs(
    judges: Mapping[str, Any],
    runs: Mapping[str, Any],
    measure: str | Measure,
    reading: RunReading,
    method: Method,
) -> tuple[Order, int]:
    """How alike runs are ordered by each judge; and significant differences that change sign."""
    pairs = np.array(list(combinations(range(len(runs)), 2)))
    means: dict[str, dict[str, float]] = {}
    significant: dict[str, Flags | None] = {}
    signs = []
    lower: list[str] = []
    for judge, qrels in judges.items():
        results = list(evaluate_runs(qrels, runs, measure, reading))
        (name,) = results[0].recipes
        paired = pair_means(results, name)
        own = method.fit_to_queries([paired], pairs)
        outcome = test_pairs([paired], pairs, own, list(runs))
        flags = np.asarray(outcome.p_corrected[0] <= own.resampling.alpha)
        values = paired.values.mean(axis=0)
        means[judge] = dict(zip(runs, values.tolist(), strict=True))
        significant[judge] = flags
        signs.append(flags * np.sign(values[pairs[:, 0]] - values[pairs[:, 1]]))
        lower += [judge] if results[0].directions[name].is_lower else []
    flips = int(((np.max(signs, axis=0) > 0) & (np.min(signs, axis=0) < 0)).sum())
    order = order_means(means, significant=significant, lower_is_better=lower, least=_MIN_RUNS)
    return order, flips
