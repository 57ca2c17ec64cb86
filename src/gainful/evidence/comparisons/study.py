"""`Study`: the sessions of a study as numbers, who may exchange what, and how each searcher did."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import define, field, frozen

from gainful.errors import BadInput, CannotCompare, WrongType
from gainful.evidence.comparisons.assemble_comparison import IndexPair
from gainful.evidence.pairing import refuse_extremes
from gainful.evidence.statistics.effect_size import EffectSize, effect_size
from gainful.evidence.statistics.interaction import Interaction, interactions_by_column
from gainful.evidence.statistics.linear_model import LinearModel, build_linear_model
from gainful.evidence.statistics.permutation import is_estimable
from gainful.evidence.statistics.study_design import Design, find_design
from gainful.measure.sessions.session_values import SessionValues
from gainful.read.several_systems import CONVERSATION
from gainful.rounding import ROUNDING
from gainful.text import count_noun, join_words, pluralise, quote
from gainful.types import Array, Ranks

BLOCKS = ("searcher", "scenario")
SYSTEM = "system"


@frozen(eq=False)
class PairDesign:
    """What may be exchanged, among which sessions, and the blocks that can be taken out."""

    design: Design
    rows: Ranks
    blocks: Sequence[Ranks]


@define(eq=False)
class Study:
    """The sessions of a study as numbers, and what is said of them on the way."""

    by: str
    blocks: Sequence[str]
    system_names: Sequence[str]
    system: Ranks
    block_levels: Sequence[Sequence[str]]
    block_numbers: Sequence[Ranks]
    values: Array
    sessions: Sequence[str]
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
        encoded = [_encode_names(columns[name]) for name in blocks]
        return cls(
            by=by,
            blocks=blocks,
            system_names=names,
            system=system,
            block_levels=[levels for levels, _ in encoded],
            block_numbers=[numbers for _, numbers in encoded],
            values=values,
            sessions=columns["session"].cast(pl.String).to_list(),
            notes=notes,
        )

    @property
    def exchange_unit(self) -> str:
        """Whose assignments are exchanged, and who are counted."""
        return self.blocks[0] if self.blocks else "session"

    def add_note(self, note: str) -> None:
        """Something to be said, once."""
        if note not in self.notes:
            self.notes.append(note)

    def count_units(self, rows: Ranks) -> int:
        """How many searchers these sessions are of."""
        return int(np.unique(self.block_numbers[0][rows]).size) if self.blocks else len(rows)

    # ── what may be exchanged ────────────────────────────────────────────────────────────────

    def find_pair(self, pair: IndexPair) -> PairDesign:
        """The design of two systems, by the sessions of these two."""
        selected = np.flatnonzero(np.isin(self.system, pair))
        system = (self.system[selected] == pair[0]).astype(np.intp)
        label = " and ".join(self.system_names[at] for at in pair)
        return self._find_design(system, selected, label)

    def find_all(self) -> PairDesign:
        """The design of all systems together."""
        return self._find_design(self.system, np.arange(self.system.size), "all")

    def can_exchange(self, pair: IndexPair) -> bool:
        """Can two systems be compared by exchanging assignments?"""
        notes = list(self.notes)
        try:
            self.find_pair(pair)
        except CannotCompare:
            return False
        finally:
            self.notes = notes  # nothing was compared yet
        return True

    def _find_design(self, system: Ranks, selected: Ranks, label: str) -> PairDesign:
        numbers = [number[selected] for number in self.block_numbers]
        searcher = numbers[0] if numbers else np.arange(system.size)
        slot = np.zeros_like(system)
        for number in numbers[1:]:
            slot = slot * (int(number.max()) + 1) + number
        design = find_design(system, searcher, np.unique(slot, return_inverse=True)[1])
        if design is None:
            raise CannotCompare(
                f"{self.by} {label}: no two {self.exchange_unit}s who did the same have different "
                "assignments, so nothing can be exchanged, and nothing tested"
            )
        if design.left_out:
            self.add_note(
                f"{label}: {count_noun(design.left_out, self.exchange_unit)} left out, "
                "who can exchange nothing with another"
            )
        blocks = [_renumber(number[design.rows]) for number in numbers]
        if not (is_estimable(design, blocks) and _is_mostly_within(design.system, blocks)):
            blocks = blocks[1:]
            if not is_estimable(design, blocks):
                raise CannotCompare(
                    f"{self.by} {label}: each is tried on other {', '.join(self.blocks[1:])}s, so "
                    "that the two cannot be told from one another"
                )
            self.add_note(
                f"{label}: few or no {self.exchange_unit}s tried several {self.by}s; "
                f"whole {self.exchange_unit}s are exchanged, but their effects stay in"
            )
        return PairDesign(design, selected[design.rows], blocks)

    # ── the linear model ─────────────────────────────────────────────────────────────────────

    @property
    def is_square(self) -> bool:
        """Did most searchers try several systems, and nobody one of them twice?"""
        if not self.blocks:
            return False
        tried = self.block_numbers[0] * len(self.system_names) + self.system
        several = _is_mostly_within(self.system, self.block_numbers)
        return bool(np.unique(tried).size == tried.size) and several

    def model_rows(self) -> Ranks:
        """The sessions of searchers who have several: of one alone nothing is left."""
        counts = np.bincount(self.block_numbers[0])
        return np.flatnonzero(counts[self.block_numbers[0]] > 1)

    def build_model(self, pairs: Sequence[IndexPair]) -> LinearModel:
        """The linear model of searchers, scenarios and systems."""
        terms = join_words([*self.blocks, self.by])
        if not self.blocks:
            raise CannotCompare(
                f"{self.by}: residuals are permuted within searchers, and no block names them"
            )
        rows = self.model_rows()
        numbers = [_renumber(number[rows]) for number in self.block_numbers]
        complete = np.unique(self.system[rows]).size == len(self.system_names)
        model = (
            build_linear_model(self.system[rows], numbers[0], numbers[1:], pairs)
            if complete
            else None
        )
        if model is None:
            raise CannotCompare(
                f"{self.by}: in a linear model of {terms}, some {self.by}s cannot be told from "
                f"{join_words([pluralise(name) for name in self.blocks], 'or')}"
            )
        left_out = len(self.block_levels[0]) - len(np.unique(numbers[0]))
        if left_out:
            self.add_note(
                f"{count_noun(left_out, self.exchange_unit)} left out, of whom there is one "
                "session alone"
            )
        return model

    def searcher_means(self) -> Array | None:
        """Measures × searchers × systems; None unless all tried all equally often on everything."""
        if not self.blocks:
            return None
        slot = np.zeros_like(self.system)
        for number in self.block_numbers[1:]:
            slot = slot * (int(number.max()) + 1) + number
        slot = _renumber(slot)
        shape = (len(self.block_levels[0]), int(slot.max()) + 1, len(self.system_names))
        counts = np.zeros(shape, dtype=np.intp)
        np.add.at(counts, (self.block_numbers[0], slot, self.system), 1)
        if not (counts == counts[:1, :, :1]).all():
            return None
        sums = np.zeros((shape[0], shape[2], self.values.shape[1]))
        np.add.at(sums, (self.block_numbers[0], self.system), self.values)
        return np.asarray(np.moveaxis(sums, 2, 0) / counts[0, :, 0].sum())

    # ── how each searcher did ────────────────────────────────────────────────────────────────

    def effect_size(
        self, pair: IndexPair, column: int, level: float, rows: Ranks
    ) -> EffectSize | None:
        """How much better each searcher did with one system than with the other, in these rows."""
        differences = self.differences_by_searcher(pair, column, rows)
        return effect_size(differences, level) if len(differences) > 1 else None

    def differences_by_searcher(self, pair: IndexPair, column: int, rows: Ranks) -> Array:
        """The differences of those who tried both, scenarios apart."""
        searcher = (
            _renumber(self.block_numbers[0][rows]) if self.block_numbers else np.arange(len(rows))
        )
        other_blocks = [_renumber(number[rows]) for number in self.block_numbers[1:]]
        values, system = self.values[rows, column], self.system[rows]
        residuals = values - _block_effects(values, other_blocks, searcher, _renumber(system))
        number = int(searcher.max()) + 1
        sums, counts = np.zeros((2, number)), np.zeros((2, number))
        for side, name in enumerate(pair):
            mask = system == name
            sums[side] = np.bincount(searcher[mask], residuals[mask], minlength=number)
            counts[side] = np.bincount(searcher[mask], minlength=number)
        tried_both = (counts > 0).all(axis=0)
        means: Array = sums[:, tried_both] / counts[:, tried_both]
        differences: Array = means[0] - means[1]
        differences[np.abs(differences) < ROUNDING * np.abs(self.values[:, column]).max()] = 0.0
        return differences

    def interactions(self) -> list[Interaction] | None:
        """By measure: how differences vary over scenarios; None where there is one at most."""
        if len(self.blocks) < 2 or len(self.block_levels[1]) < 2:
            return None
        return interactions_by_column(
            self.values, self.system, self.block_numbers[1], self.block_numbers, self.blocks[1]
        )


def _is_mostly_within(system: Ranks, blocks: Sequence[Ranks]) -> bool:
    """Did at least half of the searchers try several systems? Else few of them say it all."""
    if not blocks:
        return True
    tried = np.unique(blocks[0] * (int(system.max()) + 1) + system)
    systems_tried = np.unique(tried // (int(system.max()) + 1), return_counts=True)[1]
    return bool(2 * (systems_tried > 1).sum() >= systems_tried.size)


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


def choose_blocks(
    results: SessionValues,
    by: str,
    block: str | Sequence[str] | None,
    usual: Sequence[str] = BLOCKS,
) -> list[str]:
    """The columns of blocks: those that were named, or those of the usual ones that are there."""
    if block is None:
        columns = results.columns.columns
        if CONVERSATION in columns:  # which every system had
            return [CONVERSATION]
        return [name for name in usual if name in columns and name != by]
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
