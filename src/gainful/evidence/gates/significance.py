"""Is a run significantly worse than a baseline? One-sided, for each measure, Holm-corrected."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve

from gainful.errors import BadInput, BadValue, CannotCompare, counted
from gainful.evidence.effect_size import constant
from gainful.evidence.gates.rules import Rules
from gainful.evidence.gates.verdict import Check, slack
from gainful.evidence.pairing import Paired
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.formula import Array, exact
from gainful.measure.results import Results


def significance(
    pairs: Mapping[str, Paired],
    before: Mapping[str, tuple[float, float]],
    rules: Rules,
    results: Results,
) -> tuple[list[Check], str]:
    """A check for each measure, and a sentence that says how it was tested."""
    level = rules.how().alpha
    outcomes = {name: _tested(pair, rules, results) for name, pair in pairs.items()}
    raw = np.array([float(one.p[0]) for one in outcomes.values()])
    checks = []
    for (name, pair), p, one in zip(pairs.items(), holm(raw).tolist(), raw.tolist(), strict=True):
        now, then = before[name]
        ok = p > level
        if ok and then - now > slack(then):
            _refuse_too_few(pair, rules, len(pairs))
        checks.append(Check("significant", name, now, level, ok=ok, baseline=then, p=p, raw_p=one))
    return checks, _said(pairs, rules, exact_p=all(one.exact for one in outcomes.values()))


def _tested(pair: Paired, rules: Rules, results: Results) -> Outcome:
    name, test = pair.measure, TESTS[rules.test]
    how = results.recipes[name].measure.entry.mean
    if how != "mean":
        raise BadValue(
            "significant", name, "measures that are a mean over queries, in -m and rules"
        )
    if len(pair.queries) < 2:
        problem = f"only one query to compare {name} by, and a test needs two at least"
        raise BadInput(results.name, problem, "more queries, or a rule without a test")
    differences = pair.values[:, 0] - pair.values[:, 1]
    if test.varied and differences.any() and constant(differences[:, None])[0]:
        raise CannotCompare(
            f"{name} differs by {exact(float(differences[0]))} in every query, of which the "
            f"{test.words} can say nothing (use --test randomisation)"
        )
    found = test.function(differences[:, None], rules.how())
    if (
        not differences.any()
    ):  # runs that are the same are not worse, whichever way a test counts ties
        return evolve(found, p=np.ones(1))
    if not np.isfinite(found.p[0]):
        raise CannotCompare(f"the {test.words} has no p for {name} (use --test randomisation)")
    return found


def _refuse_too_few(pair: Paired, rules: Rules, measures: int) -> None:
    """A drop that no test of so few queries could ever call significant is not let through."""
    number = len(pair.queries)
    worst: Array = -np.linspace(1, 1.001, number)[:, None]  # each query fell, and hardly unlike
    least = measures * float(TESTS[rules.test].function(worst, rules.how()).p[0])
    level = rules.how().alpha
    if least > level:
        of_all = f" and {counted(measures, 'measure')}" if measures > 1 else ""
        raise CannotCompare(
            f"{pair.measure} dropped, and with {counted(number, 'query')}{of_all} the "
            f"{TESTS[rules.test].words} cannot say whether significantly: no p can be below "
            f"{least:.4g}, and {exact(level)} is asked for (use max_drop, or more queries)"
        )


def _said(pairs: Mapping[str, Paired], rules: Rules, *, exact_p: bool) -> str:
    test = TESTS[rules.test]
    drawn = f", {rules.resamples} resamples, seed {rules.seed}"
    numbers = sorted({len(pair.queries) for pair in pairs.values()})
    over = (
        counted(numbers[0], "query") if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]} queries"
    )
    family = f", Holm-corrected over {len(pairs)} measures" if len(pairs) > 1 else ""
    sampled = drawn if test.resampled and not exact_p else ""
    return f"p is one-sided: {test.words} over {over}{sampled}{family}"
