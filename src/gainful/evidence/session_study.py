"""`Study`: sessions as numbers: who tried what on which system, and how good it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, field

from gainful.errors import CannotCompare, counted
from gainful.evidence.effect_size import Effect, effect
from gainful.evidence.statistics.permutation import Exchanged, estimable, of_all, of_two
from gainful.evidence.statistics.resampling import How
from gainful.evidence.statistics.study_design import Design, designed
from gainful.formula import Array
from gainful.match.matched import Ranks

NOTHING = 1e-12  # of equal values, only rounding is left


@define(eq=False)
class Study:
    """The sessions of a study as numbers, and what is said of them on the way."""

    by: str
    blocks: Sequence[str]
    names: Sequence[str]
    system: Ranks
    numbers: Sequence[Ranks]
    values: Array
    notes: list[str] = field(factory=list)

    @property
    def who(self) -> str:
        """Whose assignments are exchanged."""
        return self.blocks[0] if self.blocks else "session"

    def two(self, pair: tuple[int, int], resampling: How) -> Exchanged:
        """One system against another, by the sessions of these two."""
        some = np.flatnonzero(np.isin(self.system, pair))
        system = (self.system[some] == pair[0]).astype(np.intp)
        whom = " and ".join(self.names[at] for at in pair)
        design, rows, blocks = self._designed(system, some, whom)
        return of_two(self.values[rows], design, blocks, resampling)

    def all_at_once(self, pairs: Sequence[tuple[int, int]], resampling: How) -> list[Exchanged]:
        """All systems together, pair by pair."""
        everyone = np.arange(self.system.size)
        design, rows, blocks = self._designed(self.system, everyone, "all")
        found = of_all(self.values[rows], design, blocks, pairs, resampling)
        self.notes.append(
            f"tukey asks whether all {self.by}s are alike; where some differ, it is no sure test "
            "of the others"
        )
        return [
            Exchanged(found.estimate[at], found.p[at], found.low[at], found.high[at], found.exact)
            for at in range(len(pairs))
        ]

    def _designed(self, system: Ranks, some: Ranks, whom: str) -> tuple[Design, Ranks, list[Ranks]]:
        """What may be exchanged, among which sessions, and the blocks that can be taken out."""
        numbers = [number[some] for number in self.numbers]
        searcher = numbers[0] if numbers else np.arange(system.size)
        slot = np.zeros_like(system)
        for number in numbers[1:]:
            slot = slot * (int(number.max()) + 1) + number
        design = designed(system, searcher, np.unique(slot, return_inverse=True)[1])
        if design is None:
            other = " (--test tukey compares all at once)" if len(self.names) > 2 else ""
            raise CannotCompare(
                f"{self.by} {whom}: no two {self.who}s who did the same have different "
                f"assignments, so nothing can be exchanged, and nothing tested{other}"
            )
        if design.left_out:
            self._say(
                f"{whom}: {counted(design.left_out, self.who)} left out, who can exchange nothing "
                "with another"
            )
        blocks = [_again(number[design.rows]) for number in numbers]
        if not (estimable(design, blocks) and _mostly_within(design, blocks)):
            blocks = blocks[1:]
            if not estimable(design, blocks):
                raise CannotCompare(
                    f"{self.by} {whom}: each is tried on other {', '.join(self.blocks[1:])}s, so "
                    "that the two cannot be told from one another"
                )
            self._say(
                f"{whom}: few or no {self.who}s tried several {self.by}s; whole {self.who}s are "
                "exchanged, but their effects stay in"
            )
        return design, some[design.rows], blocks

    def _say(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def effect(self, pair: tuple[int, int], row: int, level: float) -> Effect | None:
        """How much better each searcher did with one system than with the other."""
        differences = self._by_searcher(pair, row)
        return effect(differences, level) if len(differences) > 1 else None

    def _by_searcher(self, pair: tuple[int, int], row: int) -> Array:
        """The differences of those who tried both, scenarios apart."""
        some = np.isin(self.system, pair)
        who = _again(self.numbers[0][some]) if self.numbers else np.arange(int(some.sum()))
        others = [_again(number[some]) for number in self.numbers[1:]]
        own_system = (self.system[some] == pair[0]).astype(np.intp)
        left = self.values[some, row] - _explained(self.values[some, row], others, who, own_system)
        number = int(who.max()) + 1
        sums, counts = np.zeros((2, number)), np.zeros((2, number))
        for side, one in enumerate(pair):
            own = self.system[some] == one
            sums[side] = np.bincount(who[own], left[own], minlength=number)
            counts[side] = np.bincount(who[own], minlength=number)
        both = (counts > 0).all(axis=0)
        means: Array = sums[:, both] / counts[:, both]
        found: Array = means[0] - means[1]
        found[np.abs(found) < NOTHING * np.abs(self.values[:, row]).max()] = 0.0
        return found


def _mostly_within(design: Design, blocks: Sequence[Ranks]) -> bool:
    """Did at least half of the searchers try several systems? Else few of them say it all."""
    if not blocks:
        return True
    tried = [np.unique(design.system[blocks[0] == one]).size for one in np.unique(blocks[0])]
    return 2 * sum(number > 1 for number in tried) >= len(tried)


def _explained(values: Array, others: Sequence[Ranks], *beside: Ranks) -> Array:
    """What scenarios explain of values, searchers and systems being told apart from them."""
    of_others = [np.eye(int(block.max()) + 1)[block] for block in others]
    if not of_others:
        return np.zeros_like(values)
    wide = sum(one.shape[1] for one in of_others)
    held = np.concatenate(
        [*of_others, *(np.eye(int(block.max()) + 1)[block] for block in beside)], axis=1
    )
    fitted, *_ = np.linalg.lstsq(held, values, rcond=None)
    return np.asarray(held[:, :wide] @ fitted[:wide])


def _again(numbers: Ranks) -> Ranks:
    """The same numbered from 0 on."""
    return np.unique(numbers, return_inverse=True)[1].astype(np.intp)
