"""Is one system really better than another? Sessions compared by the design of their study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.clusters import ClusterChoice
from gainful.evidence.comparisons.assemble_comparison import (
    ComparisonOptions,
    IndexPair,
    Method,
    Sample,
    Systems,
    assemble_comparison,
    build_method,
)
from gainful.evidence.comparisons.compare_conversations import compare_conversations, is_paired
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_notes import describe_step_down
from gainful.evidence.comparisons.comparison_values import Pair
from gainful.evidence.comparisons.equivalence import add_equivalence
from gainful.evidence.comparisons.study import SYSTEM, Study, choose_blocks
from gainful.evidence.comparisons.study_tests import (
    STUDY_TESTS,
    choose_test,
    find_detectable,
    find_rows,
    weigh_by_model,
    weigh_crossed,
    weigh_study,
)
from gainful.evidence.families import PairOutcomes, correct_outcomes
from gainful.evidence.statistics.correction import (
    FREEDMAN_LANE,
    MAX_T,
    PERMUTATION,
    correction_for,
)
from gainful.evidence.statistics.effect_size import EffectSize
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.measure.convention_line import describe_convention
from gainful.measure.sessions.footnotes import list_footnotes
from gainful.measure.sessions.session_values import SessionValues
from gainful.text import pluralise
from gainful.types import Ranks


def compare_session_results(
    results: SessionValues,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    test: str | None = None,
    cluster: ClusterChoice | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Is one system really better than another, by sessions that are evaluated already?

    Args:
        results: of the sessions.
        by: the column that names the system.
        block: the columns whose effects are taken out.
        test: permutation, of each pair by its own sessions; freedman-lane, of all pairs by a
            linear model; tukey, of all systems at once. The design chooses if none is named. Of
            systems that had the same conversations: a test of runs, randomisation if none is named.
        cluster: of such systems: what conversations belong to that are not independent.
        **options: the baseline, the correction, the pairs, the level, the resamples and the seed.
    """
    has_pairs = block is None and by == SYSTEM and is_paired(results)
    if has_pairs and (test is None or test in TEST_NAMES):
        return compare_conversations(results, test, cluster, **options)
    if cluster is not None:
        allowed = "nothing here: it is of runs, and of systems that had the same conversations"
        raise BadValue("cluster", cluster, allowed)
    return compare_study(results, by, block, build_study_method(test, **options), test)


def compare_sessions_where_possible(
    results: SessionValues,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    test: str | None = None,
    cluster: ClusterChoice | None = None,
    **options: Unpack[ComparisonOptions],
) -> tuple[Comparison | None, list[str]]:
    """The comparison in all measures that allow one, and why not in the others.

    Args:
        results: of the sessions of several systems.
        by: as `compare_session_results` has it, and so are the others.
        block: the columns whose effects are taken out.
        test: how evidence is weighed.
        cluster: what conversations belong to.
        **options: the baseline, the correction, the pairs, the level, the resamples and the seed.
    """

    def compare(measures: Sequence[str]) -> tuple[Comparison | None, str]:
        chosen = results.select_measures(measures)
        try:
            return compare_session_results(chosen, by, block, test, cluster, **options), ""
        except CannotCompare as error:
            return None, str(error)

    comparison, problem = compare(list(results.values))
    if comparison is not None:
        return comparison, []
    problems = {measure: compare([measure])[1] for measure in results.values}
    comparable = [measure for measure in results.values if not problems[measure]]
    if comparable:
        comparison, problem = compare(comparable)
    reasons = [*problems.values(), "" if comparison is not None else problem]
    return comparison, [*dict.fromkeys(filter(None, reasons))]


def check_method(test: str | None, **options: Unpack[ComparisonOptions]) -> None:
    """Refuse a test or an option that does not exist, before anything is read."""
    if test in TEST_NAMES and test not in STUDY_TESTS:
        build_method(TEST_NAMES, test, **options)
    else:
        build_study_method(test, **options)


def build_study_method(test: str | None, **options: Unpack[ComparisonOptions]) -> Method:
    """A method whose options exist; of what goes with the test, where the design chooses it, later.

    Max-T goes with one of the tests only, so that one stands for a test that is not chosen yet.
    """
    return build_method(STUDY_TESTS, FREEDMAN_LANE if test is None else test, **options)


def compare_study(
    results: SessionValues,
    by: str,
    block: str | Sequence[str] | None,
    method: Method,
    test: str | None,
) -> Comparison:
    """The comparison of systems by sessions that were evaluated already."""
    study = Study.from_results(results, by, choose_blocks(results, by, block))
    systems = Systems.from_method(study.system_names, method, by)
    method = _settle_method(study, systems, method, test)
    sides = 1 if method.test == FREEDMAN_LANE else 2
    method = method.fit_resamples(len(results.values), len(systems.pairs), sides)
    means = {
        measure: np.array([values[study.system == at].mean() for at in range(len(systems.names))])
        for measure, values in zip(results.values, study.values.T, strict=True)
    }
    outcomes = _weigh_pairs(study, systems, method, len(means))
    rows = {pair: find_rows(study, pair, method.test) for pair in systems.pairs}
    comparison = assemble_comparison(
        systems,
        Sample(
            means=means,
            units=dict.fromkeys(means, len(study.values)),
            unit="session",
            paired_by=study.exchange_unit,
            paired_units=dict.fromkeys(means, study.count_units(np.arange(len(study.values)))),
            counts=lambda pair: _count_entered(study, rows[pair]),
            convention=results.convention_data(),
            bounded=tuple(name for name, recipe in results.recipes.items() if recipe.entry.bounded),
            directions=results.directions,
            convention_line=describe_convention(results),
            footnotes=list_footnotes(results),
            all_footnotes=list_footnotes(results, verbose=True),
            effect=lambda measure, pair, level: _find_effect(
                study, systems.pairs, pair, list(means).index(measure), level, method.test
            ),
        ),
        outcomes,
        method,
    )
    comparison = add_equivalence(
        comparison,
        results,
        method.equivalent,
        lambda pair: _sum_differences(study, pair, list(means), rows),
    )
    interactions = study.interactions()
    notes = (*study.notes, *_write_notes(comparison, study.exchange_unit))
    return evolve(
        comparison,
        notes=(*notes, *describe_step_down(comparison)),
        interactions={} if interactions is None else dict(zip(means, interactions, strict=True)),
    )


def _find_effect(  # noqa: PLR0917  (all of one pair)
    study: Study,
    pairs: Sequence[IndexPair],
    pair: IndexPair,
    column: int,
    level: float,
    test: str,
) -> EffectSize | None:
    """How large a difference is for searchers, and which one this test would find."""
    effect = study.effect_size(pair, column, level, find_rows(study, pair, test))
    if effect is None or effect.detectable is None or test != FREEDMAN_LANE:
        return effect
    return evolve(effect, detectable=find_detectable(study, pairs, level)[pair][column])


def _sum_differences(
    study: Study, pair: Pair, measures: Sequence[str], rows: Mapping[IndexPair, Ranks]
) -> UnitSums | None:
    """The differences of searchers who tried both systems; None of fewer than two."""
    systems = (study.system_names.index(pair.system), study.system_names.index(pair.other))
    column = measures.index(pair.measure)
    differences = study.differences_by_searcher(systems, column, rows[systems])
    return UnitSums.from_values(differences[:, None]) if len(differences) > 1 else None


def _settle_method(study: Study, systems: Systems, method: Method, test: str | None) -> Method:
    """The test that the design chooses if none was named, and the correction that goes with it."""
    chosen = choose_test(study, systems.pairs) if test is None else test
    correct = method.correction if method.correction_given else None
    if correct is None and chosen == PERMUTATION and study.searcher_means() is not None:
        correct = MAX_T
    correction = correction_for(chosen, correct, STUDY_TESTS, method.family)
    return evolve(method, test=chosen, correction=correction)


def _weigh_pairs(study: Study, systems: Systems, method: Method, measures: int) -> PairOutcomes:
    """The test of all pairs in every measure, p corrected by family."""
    if method.uses_max_t(measures, len(systems.pairs)):
        weigh = weigh_by_model if method.test == FREEDMAN_LANE else weigh_crossed
        return weigh(study, systems.pairs, method.family, method.resampling)
    return correct_outcomes(
        lambda resampling: weigh_study(study, systems.pairs, method.test, resampling),
        measures,
        len(systems.pairs),
        method,
    )


def _count_entered(study: Study, rows: Ranks) -> Mapping[str, int]:
    """How many sessions, and of how many searchers, entered the comparison of a pair."""
    return {
        pluralise(study.exchange_unit): study.count_units(rows),
        "sessions": len(rows),
    }


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
            alpha = comparison.evidence.resampling.alpha
            notes.append(
                f"{subject}: so few ways to exchange that no p can be {alpha:g}: no interval, and "
                "nothing can be significant"
            )
    return notes
