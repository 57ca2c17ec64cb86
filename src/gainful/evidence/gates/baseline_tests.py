"""A run against its baseline: significance, non-inferiority, and drift since the chain began."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve

from gainful.errors import BadInput, BadValue, CannotCompare
from gainful.evidence.gates.rules import Check, Rule, Rules, rounding_slack
from gainful.evidence.pairing import Clusters, PairedValues, pair_values, run_test, values_by_query
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.effect_size import SKEWED, constant_columns, skewness_of_changes
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.entry import Direction
from gainful.measure.values import Results
from gainful.read.baseline import Baseline
from gainful.text import count_noun, format_change, format_exact, format_range, pluralise
from gainful.types import Array


def check_significance(
    pairs: Mapping[str, PairedValues],
    now_and_before: Mapping[str, tuple[float, float]],
    rules: Rules,
    results: Results,
) -> tuple[list[Check], str]:
    """A check for each measure, and a sentence that says how it was tested."""
    checks, exact = _test_measures("significant", pairs, now_and_before, rules, results)
    for check in checks:
        (now, then), direction = now_and_before[check.measure], check.direction
        if check.ok and direction.sign * (then - now) > rounding_slack(then):
            _refuse_too_few(pairs[check.measure], rules, len(pairs), direction)
    return checks, describe_test(pairs, rules, exact_p=exact)


def _test_measures(
    rule: Rule,
    pairs: Mapping[str, PairedValues],
    now_and_before: Mapping[str, tuple[float, float]],
    rules: Rules,
    results: Results,
) -> tuple[list[Check], bool]:
    resampling = rules.resampling(rules.alpha if rule == "drift" else None)
    outcomes = [test_drop(pair, rules, results, resampling) for pair in pairs.values()]
    ps = np.array([float(outcome.p[0]) for outcome in outcomes])
    checks = []
    for name, p, corrected in zip(pairs, ps.tolist(), holm(ps).tolist(), strict=True):
        now, then = now_and_before[name]
        ok = corrected > resampling.alpha
        check = Check(rule, name, now, resampling.alpha, ok=ok, baseline=then, p=p)
        checks.append(evolve(check, p_corrected=corrected, direction=results.directions[name]))
    return checks, all(outcome.exact for outcome in outcomes)


def test_drop(
    pair: PairedValues, rules: Rules, results: Results, resampling: Resampling
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
        problem = f"only one {pair.unit} to compare {name} by, and a test needs at least two"
        raise BadInput(results.name, problem, "more queries, or a rule without a test")
    sign = results.directions[name].sign
    differences = sign * (pair.values[:, 0] - pair.values[:, 1])
    if not differences.any():
        # Runs that are the same are not worse, whichever way a test counts ties.
        return Outcome(np.ones(1), np.zeros(1), np.zeros(1), "none needed", exact=True)
    units = pair.sum_units(differences[:, None])
    if test.needs_variance and constant_columns(units.unit_means)[0]:
        raise CannotCompare(
            f"{name} differs by {format_exact(sign * float(differences[0]))} in every {pair.unit}: "
            f"the {test.words} has no answer (use --test randomisation)"
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
            f"{pair.measure} {direction.decline_verb}, and with "
            f"{count_noun(number, pair.unit)}{and_measures} the {TESTS[rules.test].words} cannot "
            f"test it: no p can be below {least:.4g}, and the rule asks for {format_exact(level)} "
            "(use max_drop, or more queries)"
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


def check_margins(
    pairs: Mapping[str, PairedValues],
    margins: Mapping[str, float],
    now_and_before: Mapping[str, tuple[float, float]],
    rules: Rules,
    results: Results,
) -> tuple[list[Check], list[str]]:
    """A check for each measure with a margin, how limits were found, and which are less sure.

    To pass, all must be shown; so no level is divided among them.
    """
    checks, skewed, method = [], [], ""
    for name, margin in margins.items():
        limit, method = _lower_limit(pairs[name], rules, results)
        now, then = now_and_before[name]
        direction = results.directions[name]
        check = Check("no_worse_than", name, now, margin, ok=limit > -margin, baseline=then)
        own_limit = direction.sign * limit
        checks.append(evolve(check, limit=own_limit, level=rules.alpha, direction=direction))
        changes = direction.sign * pairs[name].differences((0, 1))
        if check.ok and skewness_of_changes(changes) < -SKEWED:
            skewed.append(
                f"{name}: changes are skewed towards losses: too many builds that are worse by the "
                f"margin pass (measured: 9 to 17 % instead of 5 %); --per-query {name}=DROP:COUNT "
                "limits rare large losses"
            )
    confidence = f"{100 * (1 - rules.alpha):g} %"
    return checks, [f"limits of changes are one-sided, {confidence}: {method}", *skewed]


def _lower_limit(pair: PairedValues, rules: Rules, results: Results) -> tuple[float, str]:
    """What the mean change for the better is not below, at the rules' level; by which method."""
    if results.recipes[pair.measure].entry.aggregation != "mean":
        raise BadValue("no_worse_than", pair.measure, "a measure that is a mean over queries")
    outcome = test_drop(pair, rules, results, rules.resampling(2 * rules.alpha))
    limit = float(outcome.low[0])
    if not np.isfinite(limit):
        raise CannotCompare(
            f"with {count_noun(len({*pair.units}), pair.unit)} there is no one-sided limit of the "
            f"change of {pair.measure} at {rules.alpha:g} by the {TESTS[rules.test].words} "
            "(use --test t, more queries, or --max-drop)"
        )
    return limit, outcome.interval_method


_MIN_QUERIES = 2  # that a test needs


def check_drift(
    results: Results, baseline: Baseline, rules: Rules, clusters: Clusters | None = None
) -> tuple[list[Check], list[str]]:
    """A check for each measure that has an anchor, and what one should know of it.

    Where `--allow drift` lets a decline through, and where no test can be made, a note says so.
    """
    pairs = _pair_with_anchor(results, baseline)
    if clusters is not None:
        pairs = {name: clusters.assign(pair) for name, pair in pairs.items()}
    if not pairs:
        return [], []
    runs = ", ".join(dict.fromkeys(anchor["run"] for anchor in baseline.anchor.values()))
    notes = [f"anchor: {runs}, first of a chain of {count_noun(len(baseline.history), 'baseline')}"]
    testable = {name: pair for name, pair in pairs.items() if _is_testable(pair, rules, len(pairs))}
    untested = [name for name in pairs if name not in testable]
    if untested:
        changes = ", ".join(
            f"{name} {format_change(float(pairs[name].differences((0, 1)).mean()))}"
            for name in untested
        )
        noun = pairs[untested[0]].noun
        number = count_noun(min(len(pairs[name].queries) for name in untested), noun)
        notes.append(f"{number} cannot show a drift from the anchor: not tested ({changes})")
    means = {name: pair.values.mean(axis=0).tolist() for name, pair in testable.items()}
    checks, exact = _test_measures("drift", testable, means, rules, results)
    if "drift" in rules.allow:
        declined = [check for check in checks if not check.ok]
        return [], notes + [f"{check.message}; let through" for check in declined]
    if checks:
        words = describe_test(testable, rules, exact_p=exact)
        notes.append(f"drift: {words}, tested each time a run is compared with the chain")
    return checks, notes


def _pair_with_anchor(results: Results, baseline: Baseline) -> dict[str, PairedValues]:
    pairs = {}
    for name, measure in results.measures.items():
        anchor = baseline.anchor.get(str(measure))
        if anchor is None or results.recipes[name].entry.aggregation != "mean":
            continue
        pair = pair_values([values_by_query(results, name), anchor["values"]], name)
        if pair.queries:
            pairs[name] = pair
    return pairs


def _is_testable(pair: PairedValues, rules: Rules, measures: int) -> bool:
    differences = pair.differences((0, 1))
    units = pair.sum_units(differences[:, None])
    if units.number < _MIN_QUERIES:
        return False
    if TESTS[rules.test].needs_variance and constant_columns(units.unit_means)[0]:
        return not differences.any()
    return measures * smallest_p(units.number, rules) <= rules.alpha
