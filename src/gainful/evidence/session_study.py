"""`Study`: sessions as numbers: who tried what on which system, and how good it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, field

from gainful.errors import CannotCompare
from gainful.evidence.statistics.effect_size import EffectSize, effect_size
from gainful.evidence.statistics.permutation import (
    PermutationOutcome,
    is_estimable,
    permute_all_pairs,
    permute_pair,
)
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.study_design import Design, find_design
from gainful.text import count_noun
from gainful.types import Array, Ranks

NEGLIGIBLE = 1e-12  # of equal values, only rounding is left


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

    @property
    def exchange_unit(self) -> str:
        """Whose assignments are exchanged."""
        return self.blocks[0] if self.blocks else "session"

    def compare_pair(self, pair: tuple[int, int], resampling: Resampling) -> PermutationOutcome:
        """One system against another, by the sessions of these two."""
        selected = np.flatnonzero(np.isin(self.system, pair))
        system = (self.system[selected] == pair[0]).astype(np.intp)
        label = " and ".join(self.system_names[at] for at in pair)
        design, rows, blocks = self._find_design(system, selected, label)
        return permute_pair(self.values[rows], design, blocks, resampling)

    def compare_all_pairs(
        self, pairs: Sequence[tuple[int, int]], resampling: Resampling
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

    def effect_size(self, pair: tuple[int, int], column: int, level: float) -> EffectSize | None:
        """How much better each searcher did with one system than with the other."""
        differences = self._differences_by_searcher(pair, column)
        return effect_size(differences, level) if len(differences) > 1 else None

    def _differences_by_searcher(self, pair: tuple[int, int], column: int) -> Array:
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
        differences[np.abs(differences) < NEGLIGIBLE * np.abs(self.values[:, column]).max()] = 0.0
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
    """The same numbered from 0 on."""
    return np.unique(numbers, return_inverse=True)[1].astype(np.intp)
