"""Is one system really better than another? Sessions compared by the design of their study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from gainful.convention.session import SessionConvention
from gainful.errors import BadInput, CannotCompare, WrongType, counted, shown
from gainful.evidence.comparison import Comparison, Pair, Weighed, known
from gainful.evidence.pairing import Which, baseline_of, chosen_pairs, refuse_extremes
from gainful.evidence.session_study import NOTHING, Study
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    TUKEY,
    corrected_by,
    correction_for,
    family_of,
    power_level,
)
from gainful.evidence.statistics.permutation import INVERTED, SIMULTANEOUS
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, How
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.measure.sessions.evaluate import Measures, evaluate_sessions
from gainful.measure.sessions.results import SessionResults
from gainful.read.inputs import AnyJudgments
from gainful.read.session_inputs import AnySessions

STUDY_TESTS = {
    "permutation": "permutation of searchers' whole assignments",
    TUKEY: "permutation of searchers' whole assignments, the largest difference (Tukey)",
}
BLOCKS = ("searcher", "scenario")
SYSTEM = "system"


def compare_sessions(
    sessions: AnySessions,
    qrels: AnyJudgments | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correct: str | None = None,
    pairs: Which = "all",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    like: str | SessionConvention | None = None,
    **more: Any,
) -> Comparison:
    """Is one system really better than another, by the sessions of a study?

    Searchers' whole assignments (which system on which scenario) are exchanged, as chance could
    have dealt them, so that a Latin square stays one.

    Args:
        sessions: whatever `evaluate_sessions` takes.
        judgments: the same.
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
        more: whatever else `evaluate_sessions` takes, such as `where={"scenario": "A"}`.

    Returns:
        `Comparison`: the differences with blocks taken out, their intervals and p.

    Examples:
        >>> from gainful import simulate_study
        >>> study = simulate_study(7)
        >>> compare_sessions(study.sessions, study.judgments, "nsDCG@10", resamples=999)
        Comparison of 2 systems, baseline 1, permutation of searchers' whole assignments
        nsDCG@10: 2 ...
    """
    how = How(alpha=alpha, resamples=resamples, seed=seed)
    correction_for(test, correct, STUDY_TESTS)
    found = evaluate_sessions(sessions, qrels, measures, like=like, **more)
    return compare_groups(
        found,
        by=by,
        block=block,
        baseline=baseline,
        test=test,
        correct=correct,
        pairs=pairs,
        resampling=how,
    )


def compare_groups(
    found: SessionResults,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correct: str | None = None,
    pairs: Which = "all",
    resampling: How | None = None,
) -> Comparison:
    """The same of sessions that are evaluated already."""
    resampling = How() if resampling is None else resampling
    correct = correction_for(test, correct, STUDY_TESTS)
    blocks = _blocks(found, by, block)
    columns, values, notes = _sessions(found, by, blocks)
    names, system = _numbered(columns[by])
    if len(names) < 2:
        raise CannotCompare(
            f"all sessions have the {by} {shown(names[0])}: there is nothing to compare"
        )
    base = baseline_of(baseline, names, by)
    chosen = chosen_pairs(pairs, len(names), names.index(base))
    study = Study(by, blocks, names, system, [_numbered(columns[one])[1] for one in blocks], values)
    if test == TUKEY and len(names) > 2:
        evidence = study.all_at_once(chosen, resampling)
    else:
        evidence = [study.two(pair, resampling) for pair in chosen]
    p = np.stack([one.p for one in evidence], axis=1)
    measures = tuple(found.values)
    corrected = corrected_by(correct, p, test)
    level = power_level(correct, test, p, resampling.alpha)
    made = tuple(
        Pair(
            measure=measure,
            system=names[pair[0]],
            other=names[pair[1]],
            difference=_or_zero(one.estimate[row], values[:, row]),
            low=known(one.low[row]),
            high=known(one.high[row]),
            p=float(one.p[row]),
            corrected=float(corrected[row, at]),
            effect=study.effect(pair, row, level),
        )
        for row, measure in enumerate(measures)
        for at, (pair, one) in enumerate(zip(chosen, evidence, strict=True))
    )
    means = {
        measure: np.array([values[system == at, row].mean() for at in range(len(names))])
        for row, measure in enumerate(measures)
    }
    return Comparison(
        systems=tuple(names),
        baseline=base,
        measures=measures,
        means=means,
        units=dict.fromkeys(measures, len(values)),
        pairs=made,
        weighed=Weighed(
            test=test,
            words=STUDY_TESTS[test],
            correction=correct,
            correction_words=CORRECTIONS[correct].words,
            family=family_of(p, test),
            interval=SIMULTANEOUS if test == TUKEY and len(names) > 2 else INVERTED,
            exact=all(one.exact for one in evidence),
            resampled=True,
            unit="session",
            paired_by=study.who,
            level=level,
            how=resampling,
        ),
        convention=found.to_dict()["convention"],
        source=(found,),
        notes=(*notes, *study.notes, *_told(made, study.who, means, names)),
    )


def _or_zero(value: float, of: Array) -> float:
    return float(value) if abs(value) > NOTHING * np.abs(of).max() else 0.0


def _blocks(found: SessionResults, by: str, block: str | Sequence[str] | None) -> list[str]:
    """The columns of blocks: those that were named, or those of the usual ones that are there."""
    if block is None:
        there = found.columns.columns
        return [name for name in BLOCKS if name in there and name != by]
    if isinstance(block, str):
        return [block]
    if not isinstance(block, Sequence):
        raise WrongType("block", block, "the name of a column, or several")
    return list(block)


def _sessions(
    found: SessionResults, by: str, blocks: Sequence[str]
) -> tuple[pl.DataFrame, Array, list[str]]:
    """The columns and values of sessions, by their names: the order of a file says nothing."""
    if not isinstance(by, str):
        raise WrongType("by", by, "the name of one column")
    names = found.group_names([by, *blocks])
    columns = found.columns.select("session", *names)
    for name in names:
        lacking = columns.filter(pl.col(name).is_null())["session"]
        if len(lacking):
            problem = f"session {shown(lacking[0])} has no {name}"
            raise BadInput(found.name, problem, f"a {name} for every session")
    masked = np.ma.stack([np.ma.asarray(one) for one in found.values.values()], axis=1)
    kept = ~np.ma.getmaskarray(masked).any(axis=1)
    lost = int((~kept).sum())
    notes = [f"{counted(lost, 'session')} left out: the convention gives no value there"]
    order = np.argsort(columns["session"].to_numpy())
    order = order[np.asarray(kept)[order]]
    values = masked.data[order]
    for measure, column in zip(found.values, values.T, strict=True):
        refuse_extremes(column, measure)
        if not column.any():
            raise CannotCompare(f"{measure} is 0 in every session: there is nothing to compare")
    return columns[order], values, notes if lost else []


def _numbered(column: pl.Series) -> tuple[list[str], Ranks]:
    """The names in order, and the number of each row's."""
    names, numbers = np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)
    return [str(name) for name in names], numbers.astype(np.intp)


def _told(
    pairs: Sequence[Pair], who: str, means: Mapping[str, Array], names: Sequence[str]
) -> list[str]:
    """What one should know before believing a difference."""
    notes = []
    if who == "session":
        notes.append("no blocks: sessions are exchanged as if each were a searcher of its own")
    if any(not np.isclose(pair.difference, _of_means(pair, means, names)) for pair in pairs):
        notes.append("differences have the blocks taken out: they are not those of the means")
    for pair in pairs:
        whom = f"{pair.measure}: {pair.system} and {pair.other}"
        if pair.difference == 0 and pair.effect is None:
            notes.append(f"{whom} are alike: the difference is 0")
        if pair.effect is None:
            notes.append(f"{whom}: fewer than two {who}s tried both, so there is no effect size")
        elif pair.identical:
            notes.append(f"{whom} are alike in every {who}: p is {pair.p:g}")
        elif pair.unvaried:
            notes.append(f"{whom} differ by the same in every {who}: no effect size is defined")
        if pair.low is None:
            notes.append(f"{whom}: so few ways to exchange give no interval at this level")
    return notes


def _of_means(pair: Pair, means: Mapping[str, Array], names: Sequence[str]) -> float:
    of_measure = means[pair.measure]
    return float(of_measure[names.index(pair.system)] - of_measure[names.index(pair.other)])


__all__ = ("BLOCKS", "STUDY_TESTS", "SYSTEM", "compare_groups", "compare_sessions")
