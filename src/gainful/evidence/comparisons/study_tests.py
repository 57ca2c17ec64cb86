"""The tests of a study: assignments exchanged pair by pair, permuted residuals, Tukey's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.comparisons.assemble_comparison import IndexPair
from gainful.evidence.comparisons.study import Study
from gainful.evidence.families import PairOutcomes
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    FREEDMAN_LANE,
    MAX_T,
    PERMUTATION,
    TUKEY,
    Family,
)
from gainful.evidence.statistics.effect_size import detectable_difference
from gainful.evidence.statistics.linear_model import (
    MIN_DEGREES,
    FamilyKind,
    freedman_lane_test,
)
from gainful.evidence.statistics.max_t import INTERVAL as MAX_T_INTERVAL, flip_families
from gainful.evidence.statistics.permutation import (
    INVERTED,
    SIMULTANEOUS,
    PermutationOutcome,
    permute_all_pairs,
    permute_pair,
)
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.rounding import ROUNDING
from gainful.text import count_noun, join_words, pluralise
from gainful.types import Array, Ranks

STUDY_TESTS: Mapping[str, str] = {
    PERMUTATION: "permutation of searchers' whole assignments",
    FREEDMAN_LANE: "linear model, residuals permuted within searchers (Freedman–Lane)",
    TUKEY: "permutation of searchers' whole assignments, the largest difference (Tukey)",
}
_LINEAR_INTERVAL = {
    "pair": "permuted residuals",
    "measure": "simultaneous, max-T of permuted residuals",
    "all": "simultaneous, max-T of permuted residuals",
}


def choose_test(study: Study, pairs: Sequence[IndexPair]) -> str:
    """The test that goes with the design of a study.

    Two systems, or all tried by everybody on everything: assignments are exchanged. More of them,
    each tried once by a searcher (a Latin square): residuals of the linear model are permuted, of
    which all pairs share the errors. Else assignments are exchanged pair by pair if that can be
    done, and if not, residuals permuted.
    """
    if len(study.system_names) == 2 or study.searcher_means() is not None:
        return PERMUTATION
    if study.is_square and _count_degrees(study, pairs) >= MIN_DEGREES:
        return FREEDMAN_LANE
    can_exchange = all(study.can_exchange(pair) for pair in pairs)
    return PERMUTATION if can_exchange else FREEDMAN_LANE


def _count_degrees(study: Study, pairs: Sequence[IndexPair]) -> int:
    """What the linear model leaves to know errors by; nothing where there is no such model."""
    notes = list(study.notes)
    try:
        return study.build_model(pairs).degrees
    except CannotCompare:
        return 0
    finally:
        study.notes = notes


def find_rows(study: Study, pair: IndexPair, test: str) -> Ranks:
    """The sessions that enter the comparison of two systems."""
    if test == FREEDMAN_LANE:
        return study.model_rows()
    if test == PERMUTATION and study.searcher_means() is not None:  # nobody is left out
        return np.flatnonzero(np.isin(study.system, pair))
    if test == TUKEY and len(study.system_names) > 2:
        return study.find_all().rows
    return study.find_pair(pair).rows


def weigh_study(
    study: Study, pairs: Sequence[IndexPair], test: str, resampling: Resampling
) -> PairOutcomes:
    """Each pair of systems by itself: a test of these sessions, whose p is not corrected yet."""
    if test == FREEDMAN_LANE:
        return weigh_by_model(study, pairs, "pair", resampling)
    if test == TUKEY and len(study.system_names) > 2:
        return _weigh_all_at_once(study, pairs, resampling)
    outcomes = [_exchange_pair(study, pair, resampling) for pair in pairs]
    return PairOutcomes(
        difference=_drop_rounding(study, np.stack([item.estimate for item in outcomes], axis=1)),
        p=np.stack([item.p for item in outcomes], axis=1),
        low=np.stack([item.low for item in outcomes], axis=1),
        high=np.stack([item.high for item in outcomes], axis=1),
        interval=INVERTED,
        exact=all(item.exact for item in outcomes),
        resampled=True,
        test_words=STUDY_TESTS[test],
    )


def _exchange_pair(study: Study, pair: IndexPair, resampling: Resampling) -> PermutationOutcome:
    """One system against another, by the sessions of these two."""
    try:
        exchange = study.find_pair(pair)
    except CannotCompare as problem:
        if len(study.system_names) == 2:
            raise
        raise CannotCompare(f"{problem} (--test {FREEDMAN_LANE} needs no exchange)") from None
    return permute_pair(study.values[exchange.rows], exchange.design, exchange.blocks, resampling)


def _weigh_all_at_once(
    study: Study, pairs: Sequence[IndexPair], resampling: Resampling
) -> PairOutcomes:
    """All systems together, by the largest difference."""
    exchange = study.find_all()
    outcome = permute_all_pairs(
        study.values[exchange.rows], exchange.design, exchange.blocks, pairs, resampling
    )
    study.add_note(
        f"tukey asks whether all {study.by}s are alike; where some differ, or vary more than "
        "others, it is no sure test of the others"
    )
    return PairOutcomes(
        difference=_drop_rounding(study, outcome.estimate.T),
        p=outcome.p.T,
        low=outcome.low.T,
        high=outcome.high.T,
        interval=SIMULTANEOUS,
        exact=outcome.exact,
        resampled=True,
        test_words=STUDY_TESTS[TUKEY],
    )


def weigh_by_model(
    study: Study, pairs: Sequence[IndexPair], family: FamilyKind, resampling: Resampling
) -> PairOutcomes:
    """All pairs by one linear model: p by itself and, by max-T, among the pairs of a family."""
    model = study.build_model(pairs)
    terms = join_words([*study.blocks, study.by])
    if model.degrees < MIN_DEGREES:
        raise CannotCompare(
            f"{study.by}: a linear model of {terms} leaves "
            f"{count_noun(max(model.degrees, 0), 'residual degree')} of freedom; at least "
            f"{MIN_DEGREES} are needed"
        )
    values = study.values[study.model_rows()]
    outcome = freedman_lane_test(model, values, resampling, family)
    searchers = pluralise(study.exchange_unit)
    return PairOutcomes(
        difference=_drop_rounding(study, outcome.estimate.T),
        p=outcome.p.T,
        corrected=outcome.corrected.T,
        low=outcome.low.T,
        high=outcome.high.T,
        interval=_LINEAR_INTERVAL[family],
        exact=False,
        resampled=True,
        test_words=f"linear model of {terms}, residuals permuted within {searchers} "
        "(Freedman–Lane)",
    )


def find_detectable(
    study: Study, pairs: Sequence[IndexPair], level: float
) -> dict[IndexPair, list[float | None]]:
    """Of each pair and measure: which true difference does the linear model find with power 0.8?

    By the error that all pairs share, and the degrees of freedom that it is known with.
    """
    model = study.build_model(pairs)
    number = model.degrees + 1  # queries that leave as many degrees
    errors = model.standard_errors(study.values[study.model_rows()]) * number**0.5
    return {
        pair: [detectable_difference(number, level, float(error)) for error in row]
        for pair, row in zip(pairs, errors, strict=True)
    }


def weigh_crossed(
    study: Study, pairs: Sequence[IndexPair], family: Family, resampling: Resampling
) -> PairOutcomes:
    """All pairs of systems that everybody tried on everything: max-T of searchers' differences.

    To rename two systems within a searcher flips the sign of the difference of their means there.
    """
    means = study.searcher_means()
    if means is None:
        others = [name for name in CORRECTIONS if name != MAX_T]
        raise BadValue(
            "correct",
            MAX_T,
            f"{', '.join(others)}: here not everybody tried every {study.by} on everything, so "
            f"that {PERMUTATION} exchanges no pairs together",
        )
    units = [UnitSums.from_values(table) for table in means]
    places = np.array(pairs, dtype=np.intp)
    families = [units] if family == "all" else [[item] for item in units]
    outcomes = [flip_families(items, places, resampling) for items in families]
    differences = [[table[:, a].mean() - table[:, b].mean() for a, b in pairs] for table in means]
    return PairOutcomes(
        difference=_drop_rounding(study, np.array(differences)),
        p=np.concatenate([item.p for item in outcomes]),
        corrected=np.concatenate([item.corrected for item in outcomes]),
        low=np.concatenate([item.low for item in outcomes]),
        high=np.concatenate([item.high for item in outcomes]),
        interval=MAX_T_INTERVAL,
        exact=all(item.exact for item in outcomes),
        resampled=True,
        test_words=f"permutation of {study.by}s within {pluralise(study.exchange_unit)}",
    )


def _drop_rounding(study: Study, difference: Array) -> Array:
    """Differences, measures × pairs, of which those that rounding made are 0."""
    largest = np.abs(study.values).max(axis=0)[:, None]
    return np.asarray(np.where(np.abs(difference) > ROUNDING * largest, difference, 0.0))
