"""Is one system really better than another? Sessions compared by the design of their study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from gainful.compare.comparison import Comparison, Pair, Weighed, known
from gainful.compare.effect import Effect, effect
from gainful.compare.pairing import baseline_of, pairs_of
from gainful.compare.statistics.correction import (
    CORRECTIONS,
    TUKEY,
    corrected_by,
    correction_for,
    family_of,
)
from gainful.compare.statistics.design import Design, designed, without_blocks
from gainful.compare.statistics.exchange import Exchanged, exchanged
from gainful.compare.statistics.how import ALPHA, RESAMPLES, SEED, How
from gainful.convention.session import SessionConvention
from gainful.errors import BadInput, CannotCompare, WrongType, counted, shown
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.measure.sessions.evaluate import Measures, evaluate_sessions
from gainful.measure.sessions.results import SessionResults
from gainful.read.inputs import AnyJudgments
from gainful.read.session_inputs import AnySessions

_WHOLE = "searchers' whole assignments"
_SWAPPED = "systems within each searcher"
STUDY_TESTS = {
    "permutation": f"permutation of {_WHOLE}",
    TUKEY: f"permutation of {_WHOLE}, against the largest difference (Tukey)",
}
_NOTHING = 1e-12
BLOCKS = ("searcher", "scenario")
SYSTEM = "system"


def compare_sessions(
    sessions: AnySessions,
    judgments: AnyJudgments | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correct: str | None = None,
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
        test: permutation (default), or tukey for all pairs of several systems.
        correct: how p is corrected across measures and pairs: holm (default), bh, bonferroni, none.
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
    found = evaluate_sessions(sessions, judgments, measures, like=like, **more)
    return compare_groups(
        found, by=by, block=block, baseline=baseline, test=test, correct=correct, how=how
    )


def compare_groups(
    found: SessionResults,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correct: str | None = None,
    how: How | None = None,
) -> Comparison:
    """The same of sessions that are evaluated already."""
    how = How() if how is None else how
    correct = correction_for(test, correct, STUDY_TESTS)
    blocks = _blocks(found, block)
    kept, notes = _kept(found)
    columns = _columns(found, by, blocks).filter(pl.Series(kept))
    names, system = _numbered(columns[by])
    if len(names) < 2:
        raise CannotCompare(
            f"all sessions have the {by} {shown(names[0])}: there is nothing to compare"
        )
    base = baseline_of(baseline, names, by)
    pairs = pairs_of(len(names), names.index(base))
    numbers = [_numbered(columns[name])[1] for name in blocks]
    design = _design(system, numbers, by, blocks)
    values = np.stack([np.ma.asarray(one).data[kept] for one in found.values.values()], axis=1)
    _refuse_nothing(found, values)
    evidence = exchanged(values, design, numbers, pairs, how)
    p = (evidence.family_wise if test == TUKEY else evidence.p).T
    measures = tuple(found.values)
    who = blocks[0] if blocks else "session"
    made = tuple(
        Pair(
            measure=measure,
            system=names[one],
            other=names[other],
            difference=float(evidence.estimate[at, row]),
            low=known(evidence.low[at, row]),
            high=known(evidence.high[at, row]),
            p=float(p[row, at]),
            corrected=float(corrected[at]),
            effect=_effect(_by_searcher(values[:, row], design, numbers[1:], pair), how.alpha),
        )
        for row, (measure, corrected) in enumerate(
            zip(measures, corrected_by(correct, p, test), strict=True)
        )
        for at, pair in enumerate(pairs)
        for one, other in [pair]
    )
    return Comparison(
        systems=tuple(names),
        baseline=base,
        measures=measures,
        means={
            measure: np.array([values[system == at, row].mean() for at in range(len(names))])
            for row, measure in enumerate(measures)
        },
        units=dict.fromkeys(measures, len(values)),
        pairs=made,
        weighed=_weighed(
            test, correct, design, evidence, who=who, family=family_of(p, test), how=how
        ),
        convention=found.to_dict()["convention"],
        source=(found,),
        notes=(*notes, *_notes(design, made, who, by)),
    )


def _blocks(found: SessionResults, block: str | Sequence[str] | None) -> list[str]:
    """The columns of blocks: those that were named, or those of the usual ones that are there."""
    if block is None:
        return [name for name in BLOCKS if name in found.columns.columns]
    return [block] if isinstance(block, str) else list(block)


def _refuse_nothing(found: SessionResults, values: Array) -> None:
    for measure, column in zip(found.values, values.T, strict=True):
        if not column.any():
            raise CannotCompare(f"{measure} is 0 in every session: there is nothing to compare")


def _columns(found: SessionResults, by: str, blocks: Sequence[str]) -> pl.DataFrame:
    """The columns of the design, a row for each session; all of them said."""
    if not isinstance(by, str):
        raise WrongType("by", by, "the name of one column")
    names = found.group_names([by, *blocks])
    columns = found.columns.select("session", *names)
    for name in names:
        lacking = columns.filter(pl.col(name).is_null())["session"]
        if len(lacking):
            problem = f"session {shown(lacking[0])} has no {name}"
            raise BadInput(found.name, problem, f"a {name} for every session")
    return columns


def _kept(found: SessionResults) -> tuple[Flags, list[str]]:
    """The sessions that have a value in every measure, and what is said of the others."""
    masks = [np.ma.getmaskarray(np.ma.asarray(values)) for values in found.values.values()]
    kept: Flags = ~np.any(masks, axis=0)
    number = int((~kept).sum())
    told = f"{counted(number, 'session')} left out: the convention gives no value there"
    return kept, [told] if number else []


def _numbered(column: pl.Series) -> tuple[list[str], Ranks]:
    """The names in order, and the number of each row's."""
    names, numbers = np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)
    return [str(name) for name in names], numbers.astype(np.intp)


def _design(system: Ranks, numbers: Sequence[Ranks], by: str, blocks: Sequence[str]) -> Design:
    """What may be exchanged, or an error that says why nothing may."""
    searcher = numbers[0] if numbers else np.arange(system.size)
    slot = np.zeros_like(system)
    for number in numbers[1:]:
        slot = slot * (int(number.max()) + 1) + number
    slot = np.unique(slot, return_inverse=True)[1].astype(np.intp)
    found = designed(system, searcher, slot)
    if found is None:
        who = blocks[0]
        raise CannotCompare(
            f"no two {who}s who did the same have different assignments of {by}: nothing can be "
            f"exchanged, so nothing can be tested with {', '.join(blocks)} as blocks"
        )
    return found


def _by_searcher(
    values: Array, design: Design, others: Sequence[Ranks], pair: tuple[int, int]
) -> Array:
    """How much better each searcher did with one system than with the other, scenarios apart."""
    left = without_blocks(values[:, None], others)[:, 0] if others else values
    number = int(design.searcher.max()) + 1
    sums, counts = np.zeros((2, number)), np.zeros((2, number))
    for side, system in enumerate(pair):
        own = design.system == system
        sums[side] = np.bincount(design.searcher[own], left[own], minlength=number)
        counts[side] = np.bincount(design.searcher[own], minlength=number)
    both = (counts > 0).all(axis=0)
    means: Array = sums[:, both] / counts[:, both]
    found: Array = means[0] - means[1]
    found[np.abs(found) < _NOTHING] = 0.0  # of equal values, only rounding is left
    return found


def _effect(differences: Array, alpha: float) -> Effect | None:
    return effect(differences, alpha) if len(differences) > 1 else None


def _weighed(
    test: str, correct: str, design: Design, evidence: Exchanged, *, who: str, family: int, how: How
) -> Weighed:
    words = STUDY_TESTS[test]
    if design.scheme == "swap":
        words = words.replace(_WHOLE, _SWAPPED)
    return Weighed(
        test=test,
        words=words,
        correction=correct,
        correction_words=CORRECTIONS[correct].words,
        family=family,
        interval=evidence.interval,
        exact=evidence.exact,
        resampled=True,
        unit="session",
        paired_by=who,
        how=how,
    )


def _notes(design: Design, pairs: Sequence[Pair], who: str, by: str) -> list[str]:
    exchanging = sum(map(len, design.strata))
    number = int(design.searcher.max()) + 1
    notes = []
    if who == "session":
        notes.append("no blocks: sessions are exchanged as if each were a searcher of its own")
    if exchanging < number:
        notes.append(f"{exchanging} of {number} {who}s can exchange assignments with another")
    if design.systems > 2:
        notes.append(
            f"exchanging whole assignments asks whether all {by}s are alike; the p of one pair is "
            "the chance of its difference if they are"
        )
    for pair in pairs:
        if pair.effect is None:
            notes.append(
                f"{pair.measure}: no two {who}s tried both {pair.system} and {pair.other}: "
                "no effect size"
            )
        if pair.low is None:
            notes.append(
                f"{pair.measure}: so few ways to exchange give no interval of {pair.system} "
                f"against {pair.other} at this level"
            )
    return notes


__all__ = ("BLOCKS", "STUDY_TESTS", "SYSTEM", "compare_groups", "compare_sessions")
