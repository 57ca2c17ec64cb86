"""Has quality declined since the anchor, the first of a chain of baselines?

A baseline that each passing build replaces lets a slow decline through: each step is small. So the
chain remembers where it began, and a run is held against that too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve

from gainful.evidence.clusters import Clusters
from gainful.evidence.gates.check import Check
from gainful.evidence.gates.rules import Rules
from gainful.evidence.gates.significance import describe_test, smallest_p, test_drop
from gainful.evidence.pairing import PairedValues, pair_values, values_by_query
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.measure.run_values import RunValues
from gainful.read.baseline import Baseline
from gainful.text import count_noun, format_change

_MIN_QUERIES = 2  # that a test needs


def check_drift(
    results: RunValues, baseline: Baseline, rules: Rules, clusters: Clusters | None = None
) -> tuple[list[Check], list[str]]:
    """A check for each measure that has an anchor, and what one should know of it.

    Where `--allow drift` lets a decline through, and where no test can be made, a note says so.
    """
    pairs = _pair_with_anchor(results, baseline)
    if clusters is not None:
        pairs = {name: clusters.assign(pair) for name, pair in pairs.items()}
    if not pairs:
        return [], []
    notes = [_describe_anchor(baseline)]
    testable = {name: pair for name, pair in pairs.items() if _is_testable(pair, rules, len(pairs))}
    untested = [name for name in pairs if name not in testable]
    if untested:
        notes.append(_describe_untested(untested, pairs))
    checks, exact = _test_drift(testable, rules, results)
    if "drift" in rules.allow:
        declined = [check for check in checks if not check.ok]
        return [], notes + [f"{check.message}; let through" for check in declined]
    if checks:
        words = describe_test(testable, rules, exact_p=exact)
        notes.append(f"drift: {words}, tested each time a run is held against the chain")
    return checks, notes


def _pair_with_anchor(results: RunValues, baseline: Baseline) -> dict[str, PairedValues]:
    """Of each measure that is a mean over queries, the run beside its anchor."""
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
    """Can the test say anything of these queries at this level?"""
    differences = pair.differences((0, 1))
    units = pair.sum_units(differences[:, None])
    if units.number < _MIN_QUERIES:
        return False
    if TESTS[rules.test].needs_variance and constant_columns(units.unit_means)[0]:
        return not differences.any()
    return measures * smallest_p(units.number, rules) <= rules.alpha


def _test_drift(
    pairs: Mapping[str, PairedValues], rules: Rules, results: RunValues
) -> tuple[list[Check], bool]:
    """A check for each measure, and whether every p is exact."""
    resampling = rules.resampling(rules.alpha)
    outcomes = [test_drop(pair, rules, results, resampling) for pair in pairs.values()]
    ps = np.array([float(outcome.p[0]) for outcome in outcomes])
    checks = []
    for (name, pair), p, corrected in zip(
        pairs.items(), ps.tolist(), holm(ps).tolist(), strict=True
    ):
        now, then = (float(mean) for mean in pair.values.mean(axis=0))
        check = Check("drift", name, now, rules.alpha, ok=corrected > rules.alpha, baseline=then)
        direction = results.directions[name]
        checks.append(evolve(check, p=p, p_corrected=corrected, direction=direction))
    return checks, all(outcome.exact for outcome in outcomes)


def _describe_anchor(baseline: Baseline) -> str:
    """Which runs the chain began with, and how long it is."""
    runs = list(dict.fromkeys(anchor["run"] for anchor in baseline.anchor.values()))
    return (
        f"anchor: {', '.join(runs)}, of a chain of {count_noun(len(baseline.history), 'baseline')}"
    )


def _describe_untested(names: Sequence[str], pairs: Mapping[str, PairedValues]) -> str:
    changes = ", ".join(
        f"{name} {format_change(float(pairs[name].differences((0, 1)).mean()))}" for name in names
    )
    queries = min(len(pairs[name].queries) for name in names)
    number = count_noun(queries, "query")
    return f"{number} cannot show a drift from the anchor: not tested ({changes})"
