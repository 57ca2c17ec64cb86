"""Is one system really better than another? Sessions compared by the design of their study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from gainful.convention.session import SessionConvention
from gainful.errors import BadInput, CannotCompare, WrongType
from gainful.evidence.comparison import Comparison, Evidence, Pair, finite_or_none
from gainful.evidence.pairing import PairChoice, choose_baseline, choose_pairs, refuse_extremes
from gainful.evidence.session_study import NEGLIGIBLE, Study
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    TUKEY,
    correct_p_values,
    correction_for,
    family_size,
    power_level,
)
from gainful.evidence.statistics.permutation import INVERTED, SIMULTANEOUS
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.measure.sessions.evaluate import Measures, evaluate_sessions
from gainful.measure.sessions.results import SessionResults
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions
from gainful.text import count_noun, quote
from gainful.types import Array, Ranks

STUDY_TESTS = {
    "permutation": "permutation of searchers' whole assignments",
    TUKEY: "permutation of searchers' whole assignments, the largest difference (Tukey)",
}
BLOCKS = ("searcher", "scenario")
SYSTEM = "system"


def compare_sessions(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correct: str | None = None,
    pairs: PairChoice = "all",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    like: str | SessionConvention | None = None,
    **options: Any,
) -> Comparison:
    """Is one system really better than another, by the sessions of a study?

    Searchers' whole assignments (which system on which scenario) are exchanged, as chance could
    have dealt them, so that a Latin square stays one.

    Args:
        sessions: whatever `evaluate_sessions` takes.
        qrels: the same.
        measures: the same; systems are compared in each.
        by: the column that names the system.
        block: the columns whose effects are taken out: searcher and scenario, if they are there.
            The first says whose assignments are exchanged, the others what was done.
        baseline: the system that the others are set against; the first by name if none is named.
        test: permutation (default), of each pair by the sessions of these two systems; or tukey,
            of all systems at once.
        correct: how p is corrected across measures and pairs: holm (default), bh, bonferroni, none.
        pairs: compare all pairs of systems, or each with the baseline.
        alpha: from which p on a difference counts as significant.
        resamples: how many, where there are too many ways to look at them all.
        seed: which chance.
        like: whose habits to follow.
        options: whatever else `evaluate_sessions` takes, such as `where={"scenario": "A"}`.

    Returns:
        `Comparison`: the differences with blocks taken out, their intervals and p.

    Examples:
        >>> from gainful import simulate_study
        >>> study = simulate_study(7)
        >>> compare_sessions(study.sessions, study.qrels, "nsDCG@10", resamples=999)
        Comparison of 2 systems, baseline 1, permutation of searchers' whole assignments
        nsDCG@10: 2 ...
    """
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    correction_for(test, correct, STUDY_TESTS)
    results = evaluate_sessions(sessions, qrels, measures, like=like, **options)
    return compare_groups(
        results,
        by=by,
        block=block,
        baseline=baseline,
        test=test,
        correct=correct,
        pairs=pairs,
        resampling=resampling,
    )


def compare_groups(
    results: SessionResults,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correct: str | None = None,
    pairs: PairChoice = "all",
    resampling: Resampling | None = None,
) -> Comparison:
    """The same of sessions that are evaluated already."""
    resampling = Resampling() if resampling is None else resampling
    correct = correction_for(test, correct, STUDY_TESTS)
    blocks = _block_columns(results, by, block)
    columns, values, notes = _select_sessions(results, by, blocks)
    names, system = _encode_names(columns[by])
    if len(names) < 2:
        raise CannotCompare(
            f"all sessions have the {by} {quote(names[0])}: there is nothing to compare"
        )
    baseline_name = choose_baseline(baseline, names, by)
    index_pairs = choose_pairs(pairs, len(names), names.index(baseline_name))
    study = Study(
        by,
        blocks,
        names,
        system,
        [_encode_names(columns[block_name])[1] for block_name in blocks],
        values,
    )
    if test == TUKEY and len(names) > 2:
        outcomes = study.compare_all_pairs(index_pairs, resampling)
    else:
        outcomes = [study.compare_pair(pair, resampling) for pair in index_pairs]
    p = np.stack([outcome.p for outcome in outcomes], axis=1)
    measures = tuple(results.values)
    corrected_p = correct_p_values(correct, p, test)
    significance_level = power_level(correct, test, p, resampling.alpha)
    all_pairs = tuple(
        Pair(
            measure=measure,
            system=names[pair[0]],
            other=names[pair[1]],
            difference=_zero_if_negligible(outcome.estimate[row], values[:, row]),
            low=finite_or_none(outcome.low[row]),
            high=finite_or_none(outcome.high[row]),
            p=float(outcome.p[row]),
            corrected=float(corrected_p[row, at]),
            effect=study.effect_size(pair, row, significance_level),
        )
        for row, measure in enumerate(measures)
        for at, (pair, outcome) in enumerate(zip(index_pairs, outcomes, strict=True))
    )
    means = {
        measure: np.array([values[system == at, row].mean() for at in range(len(names))])
        for row, measure in enumerate(measures)
    }
    return Comparison(
        systems=tuple(names),
        baseline=baseline_name,
        measures=measures,
        means=means,
        units=dict.fromkeys(measures, len(values)),
        pairs=all_pairs,
        evidence=Evidence(
            test=test,
            test_words=STUDY_TESTS[test],
            correction=correct,
            correction_words=CORRECTIONS[correct].words,
            family=family_size(p, test),
            interval=SIMULTANEOUS if test == TUKEY and len(names) > 2 else INVERTED,
            exact=all(outcome.exact for outcome in outcomes),
            resampled=True,
            unit="session",
            paired_by=study.exchange_unit,
            power_level=significance_level,
            resampling=resampling,
        ),
        convention=results.to_dict()["convention"],
        results=(results,),
        notes=(*notes, *study.notes, *_notes(all_pairs, study.exchange_unit, means, names)),
    )


def _zero_if_negligible(value: float, values: Array) -> float:
    return float(value) if abs(value) > NEGLIGIBLE * np.abs(values).max() else 0.0


def _block_columns(
    results: SessionResults, by: str, block: str | Sequence[str] | None
) -> list[str]:
    """The columns of blocks: those that were named, or those of the usual ones that are there."""
    if block is None:
        columns = results.columns.columns
        return [name for name in BLOCKS if name in columns and name != by]
    if isinstance(block, str):
        return [block]
    if not isinstance(block, Sequence):
        raise WrongType("block", block, "the name of a column, or several")
    return list(block)


def _select_sessions(
    results: SessionResults, by: str, blocks: Sequence[str]
) -> tuple[pl.DataFrame, Array, list[str]]:
    """The columns and values of sessions, by their names: the order of a file says nothing."""
    if not isinstance(by, str):
        raise WrongType("by", by, "the name of one column")
    names = results.group_names([by, *blocks])
    columns = results.columns.select("session", *names)
    for name in names:
        lacking = columns.filter(pl.col(name).is_null())["session"]
        if len(lacking):
            problem = f"session {quote(lacking[0])} has no {name}"
            raise BadInput(results.name, problem, f"a {name} for every session")
    masked = np.ma.stack(
        [np.ma.asarray(measure_values) for measure_values in results.values.values()], axis=1
    )
    complete = ~np.ma.getmaskarray(masked).any(axis=1)
    dropped = int((~complete).sum())
    notes = [f"{count_noun(dropped, 'session')} left out: the convention gives no value there"]
    order = np.argsort(columns["session"].to_numpy())
    order = order[np.asarray(complete)[order]]
    values = masked.data[order]
    for measure, column in zip(results.values, values.T, strict=True):
        refuse_extremes(column, measure)
        if not column.any():
            raise CannotCompare(f"{measure} is 0 in every session: there is nothing to compare")
    return columns[order], values, notes if dropped else []


def _encode_names(column: pl.Series) -> tuple[list[str], Ranks]:
    """The names in order, and the number of each row's."""
    names, numbers = np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)
    return [str(name) for name in names], numbers.astype(np.intp)


def _notes(
    pairs: Sequence[Pair], exchange_unit: str, means: Mapping[str, Array], names: Sequence[str]
) -> list[str]:
    """What one should know before believing a difference."""
    notes = []
    if exchange_unit == "session":
        notes.append("no blocks: sessions are exchanged as if each were a searcher of its own")
    if any(
        not np.isclose(pair.difference, _difference_of_means(pair, means, names)) for pair in pairs
    ):
        notes.append("differences have the blocks taken out: they are not those of the means")
    for pair in pairs:
        subject = f"{pair.measure}: {pair.system} and {pair.other}"
        if pair.difference == 0 and pair.effect is None:
            notes.append(f"{subject} are alike: the difference is 0")
        if pair.effect is None:
            notes.append(
                f"{subject}: fewer than two {exchange_unit}s tried both, so there is no effect size"
            )
        elif pair.identical:
            notes.append(f"{subject} are alike in every {exchange_unit}: p is {pair.p:g}")
        elif pair.constant:
            notes.append(
                f"{subject} differ by the same in every {exchange_unit}: no effect size is defined"
            )
        if pair.low is None:
            notes.append(f"{subject}: so few ways to exchange give no interval at this level")
    return notes


def _difference_of_means(pair: Pair, means: Mapping[str, Array], names: Sequence[str]) -> float:
    system_means = means[pair.measure]
    return float(system_means[names.index(pair.system)] - system_means[names.index(pair.other)])


__all__ = ("BLOCKS", "STUDY_TESTS", "SYSTEM", "compare_groups", "compare_sessions")
