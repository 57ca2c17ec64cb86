"""A baseline: what is kept of a run's results, and how later runs are tested against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import GAINFUL
from gainful.errors import BadInput, BadValue, CannotCompare
from gainful.evidence.gates.rules import Check, Rule, Rules, rounding_slack
from gainful.evidence.pairing import Clusters, PairedValues, pair_values, run_test, values_by_query
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.effect_size import SKEWED, constant_columns, skewness_of_changes
from gainful.evidence.statistics.outcome import Outcome, Resampling
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.measure.values import Results
from gainful.read.baseline import Baseline
from gainful.read.inputs import as_qrels_columns
from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.text import count_noun, format_change, format_exact, format_range, pluralise
from gainful.types import Array


def make_baseline(
    results: Results, qrels: Qrels | NestedDict, previous: Baseline | None = None
) -> Baseline:
    """A baseline of these results, by these judgments.

    One that takes the place of a previous one remembers the anchor (of each measure the first run
    of the chain) and the history of the chain. Other judgments or another convention start anew:
    their values are not comparable with the anchor's. What has no value for a query is not kept.
    """
    recipes = results.recipes
    names = [name for name in recipes if recipes[name].entry.aggregation != "whole"]
    if not names:
        raise BadValue("measures", ", ".join(recipes), "measures that have a value for each query")
    results = results.select_measures(names)
    made = Baseline(
        run=results.name,
        queries=len(results.ids),
        measures={name: str(measure) for name, measure in results.measures.items()},
        mean=means(results),
        values=results.values_by_id(),
        convention=convention_settings(results),
        judgments=fingerprint(qrels),
        gainful=version("gainful"),
    )
    kept = None
    if previous is not None and made.judgments == previous.judgments:
        kept = None if find_changed_settings(made.convention, previous.convention) else previous
    anchor: dict[str, Any] = {}
    if kept is not None:  # what it was held against; of measures that were new in it, itself
        anchor = {
            measure: {"run": kept.run, "values": kept.values_by_query(measure)}
            for measure in kept.measures.values()
        } | dict(kept.anchor)
    past = () if kept is None else kept.history or (_describe_save(kept, {}),)
    spread = {}  # of the changes by query, of each measure (canonical spelling) that both have
    for name, measure in made.measures.items():
        if kept is not None and kept.find_name(measure) is not None:
            sides = [values_by_query(results, name), kept.values_by_query(measure)]
            changes = pair_values(sides, name).differences((0, 1))
            if len(changes) > 1:
                spread[measure] = float(changes.std(ddof=1))
    return evolve(made, anchor=anchor, history=[*past, _describe_save(made, spread)])


def _describe_save(baseline: Baseline, spread: Mapping[str, float]) -> dict[str, Any]:
    return {
        "run": baseline.run,
        "gainful": baseline.gainful,
        "mean": dict(baseline.mean),
        "spread": dict(spread),
    }


def means(results: Results) -> dict[str, float]:
    """The mean of each measure; one that cannot be computed is an error."""
    for name, value in results.mean.items():
        check_mean(results, name, value)
    return results.mean


def check_mean(results: Results, subject: str, mean: float) -> None:
    """Refuse a mean that there is none of."""
    if not isfinite(mean):
        problem = f"{subject} has no mean, as no {results.unit} counts"
        raise BadInput(results.name, problem, f"a {results.unit} with something relevant")


def convention_settings(results: Results) -> dict[str, Any]:
    """The whole convention as data; whose it is, is no part of what is compared."""
    convention = results.convention
    by_measure = {
        f"{setting} of {name}": value
        for name, own in convention.by_measure
        for setting, value in own
    }
    return {"like": convention.name, **convention.settings(), **by_measure}


def find_changed_settings(
    now: Mapping[str, object], then: Mapping[str, object]
) -> dict[str, tuple[object, object]]:
    """What settings were and are, where that differs; one that is newer was gainful's own then."""
    usual = dict.fromkeys((*now, *then), "not told") | GAINFUL.settings()
    before, after = ({**usual, **settings, "like": None} for settings in (then, now))
    return {name: (before[name], after[name]) for name in after if before[name] != after[name]}


_FIELDS = ("query", "doc", "subtopic", "grade")


def fingerprint(qrels: Qrels | NestedDict) -> str:
    """A short text that is the same for the same judgments, and for no others.

    Neither the order of lines nor the format counts, nor how a number is written. A query that
    was judged with nothing found counts, as it is part of every mean; subtopics count where there
    are several.
    """
    rows = _judgment_rows(as_qrels_columns(qrels))
    lengths = {name: pl.col(name).str.len_bytes().cast(pl.String) for name in _FIELDS}
    fields = [pl.concat_str([size, pl.lit(":"), pl.col(name)]) for name, size in lengths.items()]
    line = pl.concat_str([field.fill_null("-") for field in fields])
    lines = rows.select(line).to_series().sort()
    return f"sha256:{sha256(chr(10).join(lines.to_list()).encode()).hexdigest()}"


def _judgment_rows(qrels: Qrels) -> pl.DataFrame:
    """A row for each judgment and each empty query; grades by their bits, which are exact."""
    if qrels.subtopics is None:
        frame = qrels.frame.with_columns(pl.lit(None, pl.String).alias("subtopic"))
    else:
        row = qrels.subtopics["row"]
        frame = qrels.subtopics.select("subtopic", "grade").with_columns(
            qrels.frame[name].gather(row).alias(name) for name in ("query", "doc")
        )
    bits = (frame["grade"].to_numpy().astype("f8") + 0.0).view("i8")  # -0 is 0
    frame = frame.with_columns(pl.Series("grade", bits).cast(pl.String)).select(_FIELDS)
    judged = frame["query"].unique().implode()
    empty = pl.DataFrame({"query": pl.Series(qrels.empty_queries, dtype=pl.String).unique()})
    empty = empty.filter(~pl.col("query").is_in(judged))
    return pl.concat([frame, empty], how="diagonal")


@frozen(eq=False)
class Sides:
    """A run beside its baseline, or its anchor, and the rules that it must hold."""

    results: Results
    rules: Rules
    pairs: Mapping[str, PairedValues]  # by measure: its values and those it is held against
    now_and_before: Mapping[str, Sequence[float]]  # their means, by measure

    def check(self, rule: Rule, name: str, bound: float, *, ok: bool, **details: Any) -> Check:
        """A check of one measure, whose mean was another before."""
        now, then = self.now_and_before[name]
        direction = self.results.directions[name]
        return Check(rule, name, now, bound, ok=ok, baseline=then, direction=direction, **details)

    def differences(self, name: str) -> Array:
        """By query: by how much the run became better."""
        return self.results.directions[name].sign * self.pairs[name].differences((0, 1))


def check_significance(sides: Sides) -> tuple[list[Check], str]:
    """A check for each measure, and a sentence that says how it was tested."""
    checks, exact = _test_measures("significant", sides)
    for check in checks:
        then = check.baseline or 0.0
        if check.ok and check.direction.sign * (then - check.value) > rounding_slack(then):
            _refuse_too_few(check, sides)
    return checks, describe_test(sides, exact_p=exact)


def _test_measures(rule: Rule, sides: Sides) -> tuple[list[Check], bool]:
    """A check for each measure, p corrected over them, and whether every p is exact."""
    resampling = sides.rules.resampling(sides.rules.alpha if rule == "drift" else None)
    outcomes = [test_drop(name, sides, resampling) for name in sides.pairs]
    ps = np.array([float(outcome.p[0]) for outcome in outcomes])
    checks = []
    for name, p, corrected in zip(sides.pairs, ps.tolist(), holm(ps).tolist(), strict=True):
        ok = corrected > resampling.alpha
        checks.append(sides.check(rule, name, resampling.alpha, ok=ok, p=p, p_corrected=corrected))
    return checks, all(outcome.exact for outcome in outcomes)


def test_drop(name: str, sides: Sides, resampling: Resampling) -> Outcome:
    """One-sided, of a column that is a mean over queries; what cannot be tested is an error.

    Changes are counted as for the better, so that a limit is of these.
    """
    pair, results, test = sides.pairs[name], sides.results, TESTS[sides.rules.test]
    if results.recipes[name].entry.aggregation != "mean":
        raise BadValue(
            "significant", name, "measures that are a mean over queries, in -m and rules"
        )
    if len({*pair.units}) < 2:
        problem = f"only one {pair.unit} to compare {name} by, and a test needs at least two"
        raise BadInput(results.name, problem, "more queries, or a rule without a test")
    differences = sides.differences(name)
    if not differences.any():
        # Runs that are the same are not worse, whichever way a test counts ties.
        return Outcome(np.ones(1), np.zeros(1), np.zeros(1), "none needed", exact=True)
    units = pair.sum_units(differences[:, None])
    if test.needs_variance and constant_columns(units.unit_means)[0]:
        raise CannotCompare(
            f"{name} differs by {format_exact(float(pair.differences((0, 1))[0]))} for every "
            f"{pair.unit}: the {test.words} has no answer (use --test randomisation)"
        )
    outcome = run_test(test.name, units, resampling, clustered=pair.clusters is not None)
    if not np.isfinite(outcome.p[0]):
        raise CannotCompare(f"the {test.words} has no p for {name} (use --test randomisation)")
    return outcome


def smallest_p(queries: int, rules: Rules) -> float:
    """The smallest p that the test gives by so many units: each fell, and hardly unlike."""
    worst: Array = -np.linspace(1, 1.001, queries)[:, None]
    return float(TESTS[rules.test].function(worst, rules.resampling()).p[0])


def _refuse_too_few(check: Check, sides: Sides) -> None:
    """A drop that no test of so few queries could ever call significant is not let through."""
    pair, rules, measures = sides.pairs[check.measure], sides.rules, len(sides.pairs)
    number = len({*pair.units})
    least = measures * smallest_p(number, rules)
    if least > check.bound:
        and_measures = f" and {count_noun(measures, 'measure')}" if measures > 1 else ""
        raise CannotCompare(
            f"{check.measure} {check.direction.decline_verb}, and with "
            f"{count_noun(number, pair.unit)}{and_measures} the {TESTS[rules.test].words} cannot "
            f"test it: no p can be below {least:.4g}, and the rule asks for "
            f"{format_exact(check.bound)} (use max_drop, or more queries)"
        )


def describe_test(sides: Sides, *, exact_p: bool) -> str:
    """How p was found, in a few words."""
    pairs, rules = sides.pairs, sides.rules
    test = TESTS[rules.test]
    resamples_text = f", {rules.resamples} resamples, seed {rules.seed}"
    numbers = [len({*pair.units}) for pair in pairs.values()]
    unit = next(iter(pairs.values())).unit
    over = f"{format_range(numbers)} {unit if {*numbers} == {1} else pluralise(unit)}"
    family = f", Holm-corrected over {len(pairs)} measures" if len(pairs) > 1 else ""
    sampled = resamples_text if test.resampled and not exact_p else ""
    return f"p is one-sided: {test.words} over {over}{sampled}{family}"


def check_margins(sides: Sides, margins: Mapping[str, float]) -> tuple[list[Check], list[str]]:
    """A check for each measure with a margin, how limits were found, and which are less sure.

    To pass, all must be shown; so no level is divided among them.
    """
    checks, skewed, method, alpha = [], [], "", sides.rules.alpha
    for name, margin in margins.items():
        limit, method = _lower_limit(name, sides)
        own_limit, ok = sides.results.directions[name].sign * limit, limit > -margin
        check = sides.check("no_worse_than", name, margin, ok=ok, limit=own_limit, level=alpha)
        checks.append(check)
        differences = sides.differences(name)
        is_near = 2 * limit - float(differences.mean()) <= -margin  # were it twice as far down
        if ok and is_near and skewness_of_changes(differences) < -SKEWED:
            skewed.append(
                f"{name}: changes are skewed towards losses: too many builds that are worse by the "
                "margin pass (in our simulations, 9 to 17 % instead of 5 %); --per-query "
                f"{name}=DROP:COUNT limits rare large losses"
            )
    confidence = sides.rules.resampling(alpha).level
    return checks, [f"limits of changes are one-sided, {confidence}: {method}", *skewed]


def _lower_limit(name: str, sides: Sides) -> tuple[float, str]:
    """What the mean change for the better is not below, at the rules' level; by which method."""
    rules, pair = sides.rules, sides.pairs[name]
    if sides.results.recipes[name].entry.aggregation != "mean":
        raise BadValue("no_worse_than", name, "a measure that is a mean over queries")
    outcome = test_drop(name, sides, rules.resampling(2 * rules.alpha))
    limit = float(outcome.low[0])
    if not np.isfinite(limit):
        raise CannotCompare(
            f"with {count_noun(len({*pair.units}), pair.unit)} there is no one-sided limit of the "
            f"change of {name} at {rules.alpha:g} by the {TESTS[rules.test].words} "
            "(use --test t, more queries, or --max-drop)"
        )
    return limit, outcome.interval_method


_MIN_QUERIES = 2  # that a test needs


def check_drift(
    results: Results, baseline: Baseline, rules: Rules, clusters: Clusters | None = None
) -> tuple[list[Check], list[str]]:
    """A check for each measure that has an anchor, and what one should know of it."""
    pairs = {}
    for name, measure in results.measures.items():
        anchor = baseline.anchor.get(str(measure))
        if anchor is not None and results.recipes[name].entry.aggregation == "mean":
            pair = pair_values([values_by_query(results, name), anchor["values"]], name)
            if pair.queries:
                pairs[name] = pair if clusters is None else clusters.assign(pair)
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
    sides = Sides(results, rules, testable, means)
    checks, exact = _test_measures("drift", sides)
    if "drift" in rules.allow:
        declined = [check for check in checks if not check.ok]
        return [], notes + [f"{check.message}; let through" for check in declined]
    if checks:
        words = describe_test(sides, exact_p=exact)
        notes.append(f"drift: {words}, tested each time a run is compared with the chain")
    return checks, notes


def _is_testable(pair: PairedValues, rules: Rules, measures: int) -> bool:
    differences = pair.differences((0, 1))
    units = pair.sum_units(differences[:, None])
    if units.number < _MIN_QUERIES:
        return False
    if TESTS[rules.test].needs_variance and constant_columns(units.unit_means)[0]:
        return not differences.any()
    return measures * smallest_p(units.number, rules) <= rules.alpha
