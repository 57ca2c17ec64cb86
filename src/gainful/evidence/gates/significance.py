"""Is a run significantly worse than a baseline? One-sided, for each measure, Holm-corrected."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve

from gainful.errors import BadInput, BadValue, CannotCompare
from gainful.evidence.gates.check import Check, rounding_slack
from gainful.evidence.gates.rules import Rules
from gainful.evidence.pairing import PairedValues, run_test
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.direction import Direction
from gainful.measure.run_values import RunValues
from gainful.text import count_noun, format_exact, format_range, pluralise
from gainful.types import Array


def check_significance(
    pairs: Mapping[str, PairedValues],
    now_and_before: Mapping[str, tuple[float, float]],
    rules: Rules,
    results: RunValues,
) -> tuple[list[Check], str]:
    """A check for each measure, and a sentence that says how it was tested."""
    resampling = rules.resampling()
    level = resampling.alpha
    outcomes = {name: test_drop(pair, rules, results, resampling) for name, pair in pairs.items()}
    ps = np.array([float(outcome.p[0]) for outcome in outcomes.values()])
    checks = []
    for (name, pair), p, corrected in zip(
        pairs.items(), ps.tolist(), holm(ps).tolist(), strict=True
    ):
        now, then = now_and_before[name]
        ok, direction = corrected > level, results.directions[name]
        if ok and direction.sign * (then - now) > rounding_slack(then):
            _refuse_too_few(pair, rules, len(pairs), direction)
        check = Check("significant", name, now, level, ok=ok, baseline=then, direction=direction)
        checks.append(evolve(check, p=p, p_corrected=corrected))
    return checks, describe_test(
        pairs, rules, exact_p=all(outcome.exact for outcome in outcomes.values())
    )


def test_drop(
    pair: PairedValues, rules: Rules, results: RunValues, resampling: Resampling
) -> Outcome:
    """One-sided, of a column that is a mean over queries; what cannot be tested is an error.

    Changes are counted as for the better, so that a limit is of these.
    """
    name, test = pair.measure, TESTS[rules.test]
    mean_kind = results.recipes[name].entry.aggregation
    if mean_kind != "mean":
        raise BadValue(
            "significant", name, "measures that are a mean over queries, in -m and rules"
        )
    if len({*pair.units}) < 2:
        problem = f"only one {pair.unit} to compare {name} by, and a test needs two at least"
        raise BadInput(results.name, problem, "more queries, or a rule without a test")
    sign = results.directions[name].sign
    differences = sign * (pair.values[:, 0] - pair.values[:, 1])
    if not differences.any():
        # Runs that are the same are not worse, whichever way a test counts ties.
        return Outcome(np.ones(1), np.zeros(1), np.zeros(1), "none needed", exact=True)
    units = pair.sum_units(differences[:, None])
    if test.needs_variance and constant_columns(units.unit_means)[0]:
        raise CannotCompare(
            f"{name} differs by {format_exact(sign * float(differences[0]))} in every {pair.unit}, "
            f"of which the {test.words} can say nothing (use --test randomisation)"
        )
    outcome = run_test(rules.test, units, resampling, clustered=pair.clusters is not None)
    if not np.isfinite(outcome.p[0]):
        raise CannotCompare(f"the {test.words} has no p for {name} (use --test randomisation)")
    return outcome


def smallest_p(queries: int, rules: Rules) -> float:
    """The smallest p that the test gives by so many units: each fell, and hardly unlike."""
    worst: Array = -np.linspace(1, 1.001, queries)[:, None]
    return float(TESTS[rules.test].function(worst, rules.resampling()).p[0])


def _refuse_too_few(pair: PairedValues, rules: Rules, measures: int, direction: Direction) -> None:
    """A drop that no test of so few queries could ever call significant is not let through."""
    number = len({*pair.units})
    least = measures * smallest_p(number, rules)
    level = rules.resampling().alpha
    if least > level:
        and_measures = f" and {count_noun(measures, 'measure')}" if measures > 1 else ""
        raise CannotCompare(
            f"{pair.measure} {direction.decline_verb}, and with {count_noun(number, pair.unit)}"
            f"{and_measures} the {TESTS[rules.test].words} cannot say whether significantly: no p "
            f"can be below {least:.4g}, and {format_exact(level)} is asked for (use max_drop, or "
            "more queries)"
        )


def describe_test(pairs: Mapping[str, PairedValues], rules: Rules, *, exact_p: bool) -> str:
    """How p was found, in a few words."""
    test = TESTS[rules.test]
    resamples_text = f", {rules.resamples} resamples, seed {rules.seed}"
    numbers = [len({*pair.units}) for pair in pairs.values()]
    unit = next(iter(pairs.values())).unit
    over = f"{format_range(numbers)} {unit if {*numbers} == {1} else pluralise(unit)}"
    family = f", Holm-corrected over {len(pairs)} measures" if len(pairs) > 1 else ""
    sampled = resamples_text if test.resampled and not exact_p else ""
    return f"p is one-sided: {test.words} over {over}{sampled}{family}"
