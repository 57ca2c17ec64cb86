"""`Study`: systems compared by the sessions of a study, as its design allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Unpack, cast

import numpy as np
import polars as pl
from attrs import define, evolve

from gainful.errors import BadInput, BadValue, CannotCompare, Missing, WrongType
from gainful.evidence.comparisons.compare import (
    BuildSample,
    PairedSample,
    Sample,
    compare_groups,
    compare_sample,
    is_paired,
)
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_answer import (
    describe_pairs,
    describe_step_down,
    describe_undecided,
)
from gainful.evidence.comparisons.comparison_values import Pair
from gainful.evidence.method import Method, MethodOptions, build_method, correct_outcome
from gainful.evidence.pairing import Clusters, IndexPair, refuse_extremes
from gainful.evidence.statistics.correction import (
    BY_DESIGN,
    CORRECTIONS,
    FREEDMAN_LANE,
    MAX_T,
    PERMUTATION,
    STUDY_TESTS,
    TUKEY,
    correction_for,
)
from gainful.evidence.statistics.effect_size import EffectSize, effect_size, find_spread
from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.outcome import Outcome, Resampling, UnitSums, join_outcomes
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.evidence.statistics.study_design import (
    MIN_DEGREES,
    Design,
    FamilyKind,
    Interaction,
    LinearModel,
    build_linear_model,
    find_design,
    freedman_lane_test,
    indicators,
    interactions_by_column,
    is_estimable,
    permute_all_pairs,
    permute_pair,
)
from gainful.measure.groups import describe_ungrouped
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import Results
from gainful.read.sessions import CONVERSATION, SYSTEM
from gainful.rounding import ROUNDING
from gainful.text import count_noun, join_words, name_way, pluralise, quote
from gainful.types import Array, Ranks

BLOCKS = ("searcher", "scenario")


@define(eq=False, slots=False, kw_only=True)
class Study(Sample):
    """The sessions of a study as numbers, and what is said of them on the way."""

    blocks: Sequence[str]
    system: Ranks
    block_numbers: Sequence[Ranks]
    searcher: Ranks  # of the first block; without one, each session is by another searcher
    values: Array
    notes: dict[str, None]  # each once, in their order
    test: str = BY_DESIGN  # until it is chosen
    pairs: Sequence[IndexPair] = ()

    @classmethod
    def from_results(cls, several: Sequence[Results], by: str, blocks: Sequence[str]) -> Study:
        """The sessions that have a value, by their names: the order of a file says nothing."""
        results = cast("SessionResults", several[0])
        columns, values, notes = _select_sessions(results, by, blocks)
        names, system = _encode_names(columns[by])
        if len(names) < 2:
            raise CannotCompare(
                f"all sessions have the {by} {quote(names[0])}: there is nothing to compare"
            )
        if len(names) == len(values) > 2:
            raise CannotCompare(f"each {by} has one session: nothing can be compared")
        measures = list(results.values)
        numbers = [_encode_names(columns[name])[1] for name in blocks]
        means = [values[system == at].mean(axis=0) for at in range(len(names))]
        searcher = numbers[0] if blocks else np.arange(len(values))
        interactions: dict[str, Interaction] = {}
        if len(blocks) > 1 and numbers[1].max() > 0:
            by_measure = interactions_by_column(values, system, numbers[1], numbers, blocks[1])
            interactions = dict(zip(measures, by_measure, strict=True))
        return cls(
            results=several,
            systems=tuple(names),
            kind=by,
            unit="session",
            paired_by=blocks[0] if blocks else "session",
            means=dict(zip(measures, np.stack(means, axis=1), strict=True)),
            units=dict.fromkeys(measures, len(values)),
            paired_units=dict.fromkeys(measures, np.unique(searcher).size),
            interactions=interactions,
            blocks=blocks,
            system=system,
            block_numbers=numbers,
            searcher=searcher,
            values=values,
            notes=dict.fromkeys(notes),
        )

    @property
    def measures(self) -> list[str]:
        """What has a column in the values."""
        return list(self.means)

    def _can(self, ask: Callable[[], object]) -> bool:
        """Can that be? What is said on the way is forgotten: nothing was compared yet."""
        notes = dict(self.notes)
        try:
            return bool(ask())
        except CannotCompare:
            return False
        finally:
            self.notes = notes

    def _find_design(self, pair: IndexPair | None = None) -> Design:
        """The design of two systems, by the sessions of these two; or of all together."""
        selected, system, label, hint = np.arange(self.system.size), self.system, "all", ""
        if pair is not None:
            selected = np.flatnonzero(np.isin(self.system, pair))
            system = (self.system[selected] == pair[0]).astype(np.intp)
            label = " and ".join(self.systems[at] for at in pair)
            several = len(self.systems) > 2
            hint = f" (--test {FREEDMAN_LANE} needs no exchange)" if several else ""
        numbers = [number[selected] for number in self.block_numbers]
        slot = _join_numbers(numbers[1:], system.size)
        design = find_design(system, self.searcher[selected], slot)
        if design is None:
            raise CannotCompare(
                f"{self.kind} {label}: no two {self.paired_by}s with the same tasks have different "
                f"assignments, so nothing can be permuted or tested{hint}"
            )
        if design.left_out:
            left_out = count_noun(design.left_out, self.paired_by)
            note = f"{label}: {left_out} left out: no comparable {self.paired_by} to permute with"
            self.notes[note] = None
        blocks = [_renumber(number[design.rows]) for number in numbers]
        if not (is_estimable(design, blocks) and _is_mostly_within(design.system, blocks)):
            blocks = blocks[1:]
            if not is_estimable(design, blocks):
                raise CannotCompare(
                    f"{self.kind} {label}: each was tried on different "
                    f"{', '.join(self.blocks[1:])}s, so their effects cannot be separated{hint}"
                )
            few = f"{label}: few {self.paired_by}s tried several {self.kind}s"
            note = f"{few}, so differences between {self.paired_by}s could not be removed"
            self.notes[note] = None
        return evolve(design, rows=selected[design.rows], blocks=blocks)

    def model_rows(self) -> Ranks:
        """The sessions of searchers who have several: of one alone nothing is left."""
        counts = np.bincount(self.searcher)
        return np.flatnonzero(counts[self.searcher] > 1)

    def build_model(self, pairs: Sequence[IndexPair]) -> LinearModel:
        """The linear model of searchers, scenarios and systems."""
        terms = join_words([*self.blocks, self.kind])
        if not self.blocks:
            raise CannotCompare(
                f"{self.kind}: residuals are permuted within searchers, but no block names the "
                "searchers"
            )
        rows = self.model_rows()
        numbers = [_renumber(number[rows]) for number in self.block_numbers]
        model = None
        if np.unique(self.system[rows]).size == len(self.systems):
            model = build_linear_model(self.system[rows], numbers[0], numbers[1:], pairs)
        if model is None:
            raise CannotCompare(
                f"{self.kind}: in a linear model of {terms}, effects of some {self.kind}s cannot "
                f"be separated from {join_words([pluralise(name) for name in self.blocks], 'or')}"
            )
        left_out = int(self.searcher.max()) + 1 - len(np.unique(numbers[0]))
        if left_out:
            number = count_noun(left_out, self.paired_by)
            self.notes[f"{number} left out, with one session each"] = None
        return model

    def searcher_means(self) -> Array | None:
        """Measures × searchers × systems; None unless all tried all equally often on everything."""
        if not self.blocks:
            return None
        slot = _join_numbers(self.block_numbers[1:], self.system.size)
        searchers = int(self.searcher.max()) + 1
        shape = (searchers, int(slot.max()) + 1, len(self.systems))
        counts = np.zeros(shape, dtype=np.intp)
        np.add.at(counts, (self.searcher, slot, self.system), 1)
        if not (counts == counts[:1, :, :1]).all():
            return None
        sums = np.zeros((shape[0], shape[2], self.values.shape[1]))
        np.add.at(sums, (self.searcher, self.system), self.values)
        return np.asarray(np.moveaxis(sums, 2, 0) / counts[0, :, 0].sum())

    def differences(self, measure: str, pair: IndexPair) -> UnitSums | None:
        """The differences of those who tried both, scenarios apart; None of fewer than two."""
        rows, column = self._find_rows(pair), self.measures.index(measure)
        searcher = _renumber(self.searcher[rows])
        others = [indicators(_renumber(number[rows])) for number in self.block_numbers[1:]]
        residuals, system = self.values[rows, column], self.system[rows]
        if others:
            controls = indicators(searcher), indicators(_renumber(system))
            design, width = np.hstack([*others, *controls]), np.hstack(others).shape[1]
            coefficients, *_ = np.linalg.lstsq(design, residuals, rcond=None)
            residuals = residuals - design[:, :width] @ coefficients[:width]
        sides = [
            UnitSums.from_values(
                residuals[system == name, None], searcher[system == name], int(searcher.max()) + 1
            )
            for name in pair
        ]
        tried_both = (sides[0].sizes > 0) & (sides[1].sizes > 0)
        means = [(side.sums[tried_both, 0] / side.sizes[tried_both]) for side in sides]
        differences: Array = means[0] - means[1]
        differences[np.abs(differences) < ROUNDING * np.abs(self.values[:, column]).max()] = 0.0
        return UnitSums.from_values(differences[:, None]) if len(differences) > 1 else None

    def effect(self, measure: str, pair: IndexPair) -> tuple[EffectSize, int, float] | None:
        """How large a difference is for searchers; for how many, and how far they vary.

        By the linear model, given the error that all pairs share, and its degrees of freedom.
        """
        units = self.differences(measure, pair)
        if units is None:
            return None
        differences = units.sums[:, 0]
        number, spread = units.number, find_spread(differences)
        if spread and self.test == FREEDMAN_LANE:
            errors, degrees = self._model_errors
            number = degrees + 1  # queries that leave as many degrees
            error = errors[self.pairs.index(pair), self.measures.index(measure)]
            spread = float(error) * number**0.5
        return effect_size(differences), number, spread

    @cached_property
    def _model_errors(self) -> tuple[Array, int]:
        model = self.build_model(self.pairs)
        return model.standard_errors(self.values[self.model_rows()]), model.degrees

    def counts(self, pair: IndexPair) -> Mapping[str, int]:
        """How many sessions, and of how many searchers, entered the comparison of a pair."""
        rows = self._find_rows(pair)
        searchers = np.unique(self.searcher[rows]).size
        return {pluralise(self.paired_by): searchers, "sessions": len(rows)}

    def complete_method(self, method: Method, pairs: Sequence[IndexPair]) -> Method:
        """The test that the design chooses if none was named, and what goes with it."""
        self.pairs = list(pairs)
        self.test = self._choose_test(pairs) if method.test == BY_DESIGN else method.test
        correct = method.correction if method.correction_given else None
        if correct is None and self.test == PERMUTATION and self.searcher_means() is not None:
            correct = MAX_T
        correction = correction_for(self.test, correct, STUDY_TESTS, method.family)
        sides = 1 if self.test == FREEDMAN_LANE else 2
        method = evolve(method, test=self.test, correction=correction)
        return method.fit_resamples(len(self.measures), len(pairs), sides)

    def _choose_test(self, pairs: Sequence[IndexPair]) -> str:
        """The test that goes with the design of a study.

        Two systems, or all tried by everybody on everything: assignments are exchanged. More of
        them, each tried once by a searcher (a Latin square): residuals of the linear model are
        permuted, of which all pairs share the errors. Else assignments are exchanged pair by pair
        if that can be done, and if not, residuals permuted.
        """
        if len(self.systems) == 2 or self.searcher_means() is not None:
            return PERMUTATION
        if self.blocks and _is_mostly_within(self.system, self.block_numbers):
            tried = self.searcher * len(self.systems) + self.system
            is_square = np.unique(tried).size == tried.size  # nobody tried a system twice
            if is_square and self._can(lambda: self.build_model(pairs).degrees >= MIN_DEGREES):
                return FREEDMAN_LANE
        can_exchange = all(self._can(partial(self._find_design, pair)) for pair in pairs)
        return PERMUTATION if can_exchange else FREEDMAN_LANE

    def _find_rows(self, pair: IndexPair) -> Ranks:
        if self.test == FREEDMAN_LANE:
            return self.model_rows()
        if self.test == PERMUTATION and self.searcher_means() is not None:  # nobody is left out
            return np.flatnonzero(np.isin(self.system, pair))
        if self.test == TUKEY and len(self.systems) > 2:
            return self._find_design().rows
        return self._find_design(pair).rows

    def test_pairs(self, method: Method, pairs: Sequence[IndexPair]) -> tuple[Outcome, str]:
        """The test of all pairs in every measure, p corrected by family; and what it is called."""
        if method.uses_max_t(len(self.measures), len(pairs)):
            permute = self._permute_residuals if self.test == FREEDMAN_LANE else self._flip_crossed
            outcome = permute(pairs, method.family, method.resampling)
        else:
            outcome = correct_outcome(
                lambda resampling: self._test_each(pairs, resampling),
                (len(self.measures), len(pairs)),
                method,
            )
        words = STUDY_TESTS[self.test]
        if not self.blocks:
            words = words.replace("searchers' whole assignments", "sessions")
        within = f"within {pluralise(self.paired_by)}"
        if self.test == FREEDMAN_LANE:
            terms = join_words([*self.blocks, self.kind])
            words = f"linear model of {terms}, residuals permuted {within} (Freedman–Lane)"
        elif method.uses_max_t(len(self.measures), len(pairs)):
            words = f"permutation of {self.kind}s {within}"
        largest = np.abs(self.values).max(axis=0)[:, None]
        is_real = np.abs(outcome.estimate) > ROUNDING * largest
        return evolve(outcome, estimate=np.where(is_real, outcome.estimate, 0.0)), words

    def _test_each(self, pairs: Sequence[IndexPair], resampling: Resampling) -> Outcome:
        """Each pair of systems by itself, whose p is not corrected yet."""
        if self.test == FREEDMAN_LANE:
            return self._permute_residuals(pairs, "pair", resampling)
        if self.test == TUKEY and len(self.systems) > 2:
            design = self._find_design()
            note = (
                f"tukey tests whether all {self.kind}s are equal; where some differ, or vary more, "
                "it is not reliable for the others"
            )
            self.notes[note] = None
            values = self.values[design.rows]
            return permute_all_pairs(values, design, design.blocks, pairs, resampling).transpose()
        designs = map(self._find_design, pairs)
        outcomes = [permute_pair(self.values[d.rows], d, d.blocks, resampling) for d in designs]
        return join_outcomes(outcomes, axis=1)

    def _permute_residuals(
        self, pairs: Sequence[IndexPair], family: FamilyKind, resampling: Resampling
    ) -> Outcome:
        """All pairs by one linear model: p by itself and, by max-T, among the pairs of a family."""
        model = self.build_model(pairs)
        if model.degrees < MIN_DEGREES:
            raise CannotCompare(
                f"{self.kind}: a linear model of {join_words([*self.blocks, self.kind])} leaves "
                f"{count_noun(max(model.degrees, 0), 'residual degree')} of freedom; at least "
                f"{MIN_DEGREES} are needed"
            )
        values = self.values[self.model_rows()]
        return freedman_lane_test(model, values, resampling, family).transpose()

    def _flip_crossed(
        self, pairs: Sequence[IndexPair], family: FamilyKind, resampling: Resampling
    ) -> Outcome:
        """All pairs of systems that everybody tried on everything: max-T of searchers' differences.

        To rename two systems within a searcher flips the sign of the difference of their means.
        """
        means = self.searcher_means()
        if means is None:
            others = [name for name in CORRECTIONS if name != MAX_T]
            raise BadValue(
                "correct",
                MAX_T,
                f"{', '.join(others)}: not everybody tried every {self.kind} on everything here, "
                f"so {PERMUTATION} cannot permute all pairs together",
            )
        units, places = [UnitSums.from_values(table) for table in means], np.array(pairs)
        families = [units] if family == "all" else [[item] for item in units]
        return join_outcomes(
            [flip_families(items, places, resampling) for items in families], np.concatenate
        )

    def list_notes(self, comparison: Comparison) -> Sequence[str]:
        """What one should know before believing a difference."""
        notes, unit = list(self.notes), self.paired_by
        if unit == "session":
            notes.append(
                "no blocks: each session is treated as a separate searcher, who tried one "
                f"{self.kind}, so there is no effect size"
            )
        for pair in comparison.pairs:
            means = dict(zip(self.systems, comparison.means[pair.measure], strict=True))
            if not np.isclose(pair.difference, means[pair.system] - means[pair.other]):
                notes.append(
                    "differences are adjusted for blocks: they are not differences of the means"
                )
                break
        alpha = comparison.evidence.resampling.alpha
        notes += describe_pairs(comparison.pairs, partial(_describe_pair, unit=unit, alpha=alpha))
        return [*notes, *describe_step_down(comparison), *describe_undecided(comparison)]


def _describe_pair(pair: Pair, unit: str, alpha: float) -> Iterator[str]:
    if pair.difference == 0 and pair.effect is None:
        yield " are equal: the difference is 0"
    if pair.effect is None and unit != "session":
        yield f": fewer than two {unit}s tried both, so there is no effect size"
    elif pair.identical:
        yield f" are equal for every {unit}: p is {pair.p:g}"
    elif pair.constant:
        yield f" differ by the same amount for every {unit}: no effect size is defined"
    if pair.low is None:
        yield (
            f": too few permutations for p to reach {alpha:g}: no interval, and nothing can be "
            "significant"
        )


def compare_results(
    results: Sequence[Results],
    by: str | None = None,
    block: str | Sequence[str] | None = None,
    clusters: Clusters | None = None,
    **options: Unpack[MethodOptions],
) -> Comparison:
    """Is one run or system really better than another, of what is evaluated already?

    Systems that had the same conversations are compared by these, as runs are by queries.
    """
    sessions = results[0]
    if not isinstance(sessions, SessionResults):
        allowed = "nothing with runs: it applies to sessions only"
        for name, value, of_runs in (("by", by, "; for runs use group="), ("block", block, "")):
            if value is not None:
                raise BadValue(name, value, f"{allowed}{of_runs}")
        method = build_method(**options)
        of_queries = clusters or method.read_clusters()
        build: BuildSample = partial(PairedSample.from_runs, method=method, clusters=of_queries)
        return _compare(results, build, method)
    check_method(**options)
    column, test = by or SYSTEM, options.get("test")
    if column == SYSTEM and block is None and is_paired(sessions) and test in (None, *TEST_NAMES):
        method = build_method(**options)
        build = partial(PairedSample.from_conversations, method=method)
        return _compare(results, build, method)
    method = _build_study_method(**options)
    if method.cluster is not None:
        allowed = "nothing here: it applies to runs, and to systems with the same conversations"
        raise BadValue("cluster", method.cluster, allowed)
    others = [name for name in _list_columns(sessions) if name not in ("session", "topic")]
    if column == SYSTEM and SYSTEM not in others and others:
        way = name_way(f"--by {others[0]}", f"by={others[0]!r}")
        raise Missing("by", None, f"name the column of the systems, such as {way}")
    blocks = choose_blocks(sessions, column, block)
    return _compare(results, partial(Study.from_results, by=column, blocks=blocks), method)


def _compare(results: Sequence[Results], build: BuildSample, method: Method) -> Comparison:
    comparison = compare_sample(build(results), method)
    if results[0].grouping is None:
        return comparison
    groups = compare_groups(results, results[0].grouping.name, build, comparison, method)
    notes = (*comparison.notes, *describe_ungrouped(results), *groups.notes)
    return evolve(comparison, groups=groups, notes=notes)


def check_method(**options: Unpack[MethodOptions]) -> Method:
    """The method of sessions, to refuse what they do not have before anything is read."""
    test, standardise = options.get("test"), options.get("standardise")
    if standardise is not None:
        allowed = "nothing with sessions: it applies to runs, which all have the same queries"
        raise BadValue("standardise", standardise, allowed)
    if test in TEST_NAMES and test not in STUDY_TESTS:
        return build_method(**options)
    return _build_study_method(**options)


def _build_study_method(**options: Unpack[MethodOptions]) -> Method:
    """A method whose options exist, for the sessions of a study.

    Max-T goes with one of the tests only, so that one stands for a test that is not chosen yet.
    """
    test = options.get("test")
    options["test"] = test or FREEDMAN_LANE
    return evolve(build_method(STUDY_TESTS, **options), test=test or BY_DESIGN)


def _is_mostly_within(system: Ranks, blocks: Sequence[Ranks]) -> bool:
    if not blocks:
        return True
    tried = np.unique(blocks[0] * (int(system.max()) + 1) + system)
    systems_tried = np.unique(tried // (int(system.max()) + 1), return_counts=True)[1]
    return bool(2 * (systems_tried > 1).sum() >= systems_tried.size)


def _renumber(numbers: Ranks) -> Ranks:
    return np.unique(numbers, return_inverse=True)[1].astype(np.intp)


def _join_numbers(numbers: Sequence[Ranks], size: int) -> Ranks:
    joined = np.zeros(size, dtype=np.intp)
    for number in numbers:
        joined = joined * (int(number.max()) + 1) + number
    return _renumber(joined)


def choose_blocks(results: SessionResults, by: str, block: str | Sequence[str] | None) -> list[str]:
    """The columns of blocks: those that were named, or those of the usual ones that are there."""
    if block is None:
        columns = _list_columns(results)
        if CONVERSATION in columns:  # which every system had
            return [CONVERSATION]
        return [name for name in BLOCKS if name in columns and name != by]
    if isinstance(block, str):
        return [block]
    if not isinstance(block, Sequence):
        raise WrongType("block", block, "the name of a column, or several")
    return list(block)


def _list_columns(results: SessionResults) -> list[str]:
    """Those that sessions have, though they may not be the same for a whole one."""
    return [*results.columns.columns, *results.matched_sessions.not_fetched]


def _select_sessions(
    results: SessionResults, by: str, blocks: Sequence[str]
) -> tuple[pl.DataFrame, Array, list[str]]:
    """The columns and values of sessions, by their names: the order of a file says nothing."""
    if not isinstance(by, str):
        raise WrongType("by", by, "the name of one column")
    names = results.group_names([by, *blocks])
    columns = results.columns[["session", *names]]
    for name in names:
        lacking = columns["session"].filter(columns[name].alias("").is_null())
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
            raise CannotCompare(f"{measure} is 0 for every session: there is nothing to compare")
    return columns[order], values, notes if dropped else []


def _encode_names(column: pl.Series) -> tuple[list[str], Ranks]:
    names, numbers = np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)
    return [str(name) for name in names], numbers.astype(np.intp)
