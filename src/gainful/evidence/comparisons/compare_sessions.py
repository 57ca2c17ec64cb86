"""Is one system really better than another? Sessions compared by the design of their study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import polars as pl
from attrs import define, evolve, field

from gainful.errors import BadInput, CannotCompare, WrongType
from gainful.evidence.comparisons.assemble_comparison import (
    ComparisonOptions,
    IndexPair,
    Method,
    Sample,
    Systems,
    assemble_comparison,
    build_method,
)
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.families import PairOutcomes, correct_outcomes
from gainful.evidence.pairing import refuse_extremes
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.effect_size import EffectSize, effect_size
from gainful.evidence.statistics.permutation import (
    INVERTED,
    SIMULTANEOUS,
    PermutationOutcome,
    is_estimable,
    permute_all_pairs,
    permute_pair,
)
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.study_design import Design, find_design
from gainful.measure.convention_line import describe_convention
from gainful.measure.sessions.footnotes import list_footnotes
from gainful.measure.sessions.session_values import SessionValues
from gainful.rounding import ROUNDING
from gainful.text import count_noun, quote
from gainful.types import Array, Ranks

STUDY_TESTS = {
    "permutation": "permutation of searchers' whole assignments",
    TUKEY: "permutation of searchers' whole assignments, the largest difference (Tukey)",
}
BLOCKS = ("searcher", "scenario")
CONVERSATION = "conversation"  # what sessions of several systems are paired by
SYSTEM = "system"


def compare_session_results(
    results: SessionValues,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    test: str = "permutation",
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Is one system really better than another, by sessions that are evaluated already?

    Args:
        results: of the sessions.
        by: the column that names the system.
        block: the columns whose effects are taken out.
        test: permutation, of each pair by its own sessions; or tukey, of all systems at once.
        **options: the baseline, the correction, the pairs, the level, the resamples and the seed.
    """
    return compare_study(results, by, block, build_method(STUDY_TESTS, test, **options))


def compare_study(
    results: SessionValues, by: str, block: str | Sequence[str] | None, method: Method
) -> Comparison:
    """The comparison of systems by sessions that were evaluated already."""
    study = Study.from_results(results, by, _block_columns(results, by, block))
    systems = Systems.from_method(study.system_names, method, by)
    method = method.fit_resamples(len(results.values), len(systems.pairs), sides=2)
    means = {
        measure: np.array([values[study.system == at].mean() for at in range(len(systems.names))])
        for measure, values in zip(results.values, study.values.T, strict=True)
    }
    comparison = assemble_comparison(
        systems,
        Sample(
            means=means,
            units=dict.fromkeys(means, len(study.values)),
            unit="session",
            paired_by=study.exchange_unit,
            convention=results.convention_data(),
            bounded=tuple(name for name, recipe in results.recipes.items() if recipe.entry.bounded),
            convention_line=describe_convention(results),
            footnotes=list_footnotes(results),
            all_footnotes=list_footnotes(results, verbose=True),
            effect=lambda measure, pair, level: study.effect_size(
                pair, list(means).index(measure), level
            ),
        ),
        correct_outcomes(
            lambda resampling: _test_pairs(study, systems, method.test, resampling),
            len(means),
            len(systems.pairs),
            method,
        ),
        method,
    )
    notes = (*study.notes, *_write_notes(comparison, study.exchange_unit))
    return evolve(comparison, notes=notes)


def _test_pairs(study: Study, systems: Systems, test: str, resampling: Resampling) -> PairOutcomes:
    """The test that was asked for: of each pair by its own sessions, or of all at once."""
    all_at_once = test == TUKEY and len(systems.names) > 2
    if all_at_once:
        outcomes = study.compare_all_pairs(systems.pairs, resampling)
    else:
        outcomes = [study.compare_pair(pair, resampling) for pair in systems.pairs]
    difference = np.stack([outcome.estimate for outcome in outcomes], axis=1)
    largest = np.abs(study.values).max(axis=0)[:, None]
    return PairOutcomes(
        difference=np.where(np.abs(difference) > ROUNDING * largest, difference, 0.0),
        p=np.stack([outcome.p for outcome in outcomes], axis=1),
        low=np.stack([outcome.low for outcome in outcomes], axis=1),
        high=np.stack([outcome.high for outcome in outcomes], axis=1),
        interval=SIMULTANEOUS if all_at_once else INVERTED,
        exact=all(outcome.exact for outcome in outcomes),
        resampled=True,
        test_words=STUDY_TESTS[test],
    )


@define(eq=False)
class Study:
    """The sessions of a study as numbers, and what is said of them on the way."""

    by: str
    blocks: Sequence[str]
    system_names: Sequence[str]
    system: Ranks
    block_numbers: Sequence[Ranks]
    values: Array
    notes: list[str] = field(factory=list)

    @classmethod
    def from_results(cls, results: SessionValues, by: str, blocks: Sequence[str]) -> Study:
        """The sessions that have a value, by their names: the order of a file says nothing."""
        columns, values, notes = _select_sessions(results, by, blocks)
        names, system = _encode_names(columns[by])
        if len(names) < 2:
            raise CannotCompare(
                f"all sessions have the {by} {quote(names[0])}: there is nothing to compare"
            )
        block_numbers = [_encode_names(columns[name])[1] for name in blocks]
        return cls(by, blocks, names, system, block_numbers, values, notes)

    @property
    def exchange_unit(self) -> str:
        """Whose assignments are exchanged."""
        return self.blocks[0] if self.blocks else "session"

    def compare_pair(self, pair: IndexPair, resampling: Resampling) -> PermutationOutcome:
        """One system against another, by the sessions of these two."""
        selected = np.flatnonzero(np.isin(self.system, pair))
        system = (self.system[selected] == pair[0]).astype(np.intp)
        label = " and ".join(self.system_names[at] for at in pair)
        design, rows, blocks = self._find_design(system, selected, label)
        return permute_pair(self.values[rows], design, blocks, resampling)

    def compare_all_pairs(
        self, pairs: Sequence[IndexPair], resampling: Resampling
    ) -> list[PermutationOutcome]:
        """All systems together, pair by pair."""
        all_sessions = np.arange(self.system.size)
        design, rows, blocks = self._find_design(self.system, all_sessions, "all")
        outcome = permute_all_pairs(self.values[rows], design, blocks, pairs, resampling)
        self.notes.append(
            f"tukey asks whether all {self.by}s are alike; where some differ, it is no sure test "
            "of the others"
        )
        return [
            PermutationOutcome(
                outcome.estimate[at],
                outcome.p[at],
                outcome.low[at],
                outcome.high[at],
                outcome.exact,
            )
            for at in range(len(pairs))
        ]

    def _find_design(
        self, system: Ranks, selected: Ranks, label: str
    ) -> tuple[Design, Ranks, list[Ranks]]:
        """What may be exchanged, among which sessions, and the blocks that can be taken out."""
        numbers = [number[selected] for number in self.block_numbers]
        searcher = numbers[0] if numbers else np.arange(system.size)
        slot = np.zeros_like(system)
        for number in numbers[1:]:
            slot = slot * (int(number.max()) + 1) + number
        design = find_design(system, searcher, np.unique(slot, return_inverse=True)[1])
        if design is None:
            advice = " (--test tukey compares all at once)" if len(self.system_names) > 2 else ""
            raise CannotCompare(
                f"{self.by} {label}: no two {self.exchange_unit}s who did the same have different "
                f"assignments, so nothing can be exchanged, and nothing tested{advice}"
            )
        if design.left_out:
            self._add_note(
                f"{label}: {count_noun(design.left_out, self.exchange_unit)} left out, "
                "who can exchange nothing with another"
            )
        blocks = [_renumber(number[design.rows]) for number in numbers]
        if not (is_estimable(design, blocks) and _is_mostly_within_searchers(design, blocks)):
            blocks = blocks[1:]
            if not is_estimable(design, blocks):
                raise CannotCompare(
                    f"{self.by} {label}: each is tried on other {', '.join(self.blocks[1:])}s, so "
                    "that the two cannot be told from one another"
                )
            self._add_note(
                f"{label}: few or no {self.exchange_unit}s tried several {self.by}s; "
                f"whole {self.exchange_unit}s are exchanged, but their effects stay in"
            )
        return design, selected[design.rows], blocks

    def _add_note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def effect_size(self, pair: IndexPair, column: int, level: float) -> EffectSize | None:
        """How much better each searcher did with one system than with the other."""
        differences = self._differences_by_searcher(pair, column)
        return effect_size(differences, level) if len(differences) > 1 else None

    def _differences_by_searcher(self, pair: IndexPair, column: int) -> Array:
        """The differences of those who tried both, scenarios apart."""
        selected = np.isin(self.system, pair)
        searcher = (
            _renumber(self.block_numbers[0][selected])
            if self.block_numbers
            else np.arange(int(selected.sum()))
        )
        other_blocks = [_renumber(number[selected]) for number in self.block_numbers[1:]]
        is_first = (self.system[selected] == pair[0]).astype(np.intp)
        residuals = self.values[selected, column] - _block_effects(
            self.values[selected, column], other_blocks, searcher, is_first
        )
        number = int(searcher.max()) + 1
        sums, counts = np.zeros((2, number)), np.zeros((2, number))
        for side, system in enumerate(pair):
            mask = self.system[selected] == system
            sums[side] = np.bincount(searcher[mask], residuals[mask], minlength=number)
            counts[side] = np.bincount(searcher[mask], minlength=number)
        tried_both = (counts > 0).all(axis=0)
        means: Array = sums[:, tried_both] / counts[:, tried_both]
        differences: Array = means[0] - means[1]
        differences[np.abs(differences) < ROUNDING * np.abs(self.values[:, column]).max()] = 0.0
        return differences


def _is_mostly_within_searchers(design: Design, blocks: Sequence[Ranks]) -> bool:
    """Did at least half of the searchers try several systems? Else few of them say it all."""
    if not blocks:
        return True
    systems_tried = [
        np.unique(design.system[blocks[0] == searcher]).size for searcher in np.unique(blocks[0])
    ]
    return 2 * sum(number > 1 for number in systems_tried) >= len(systems_tried)


def _block_effects(values: Array, blocks: Sequence[Ranks], *controls: Ranks) -> Array:
    """What scenarios explain of values, searchers and systems being told apart from them."""
    indicators = [np.eye(int(block.max()) + 1)[block] for block in blocks]
    if not indicators:
        return np.zeros_like(values)
    width = sum(indicator.shape[1] for indicator in indicators)
    design_matrix = np.concatenate(
        [*indicators, *(np.eye(int(block.max()) + 1)[block] for block in controls)], axis=1
    )
    coefficients, *_ = np.linalg.lstsq(design_matrix, values, rcond=None)
    return np.asarray(design_matrix[:, :width] @ coefficients[:width])


def _renumber(numbers: Ranks) -> Ranks:
    """Numbers counted from 0 on, without gaps."""
    return np.unique(numbers, return_inverse=True)[1].astype(np.intp)


def _block_columns(results: SessionValues, by: str, block: str | Sequence[str] | None) -> list[str]:
    """The columns of blocks: those that were named, or those of the usual ones that are there."""
    if block is None:
        columns = results.columns.columns
        if CONVERSATION in columns:  # which every system had
            return [CONVERSATION]
        return [name for name in BLOCKS if name in columns and name != by]
    if isinstance(block, str):
        return [block]
    if not isinstance(block, Sequence):
        raise WrongType("block", block, "the name of a column, or several")
    return list(block)


def _select_sessions(
    results: SessionValues, by: str, blocks: Sequence[str]
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


def _write_notes(comparison: Comparison, exchange_unit: str) -> list[str]:
    """What one should know before believing a difference."""
    notes = []
    if exchange_unit == "session":
        notes.append("no blocks: sessions are exchanged as if each were a searcher of its own")
    for pair in comparison.pairs:
        means = dict(zip(comparison.systems, comparison.means[pair.measure], strict=True))
        if not np.isclose(pair.difference, means[pair.system] - means[pair.other]):
            notes.append("differences have the blocks taken out: they are not those of the means")
            break
    for pair in comparison.pairs:
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
