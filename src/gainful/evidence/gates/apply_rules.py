"""Is this run good enough to ship? Results and rules go in, a verdict comes out.

A rule that cannot be checked is an error: a gate never opens because something is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, CannotCompare, check_name
from gainful.evidence.gates.baseline import (
    Sides,
    check_drift,
    check_margins,
    check_mean,
    check_significance,
    convention_settings,
    find_changed_settings,
    fingerprint,
    means,
)
from gainful.evidence.gates.error_rates import (
    ErrorRate,
    describe_spreads,
    find_error_rates,
    find_spreads,
)
from gainful.evidence.gates.rules import EVERY_GROUP, Check, Rule, RuleName, Rules, rounding_slack
from gainful.evidence.gates.verdict import QueryToLookAt, Verdict
from gainful.evidence.pairing import (
    NOT_A_MEAN,
    Clusters,
    PairedValues,
    describe_few_units,
    describe_turns,
    pair_values,
    values_by_query,
)
from gainful.measure.entry import HIGHER, LOWER, Direction
from gainful.measure.groups import describe_groups
from gainful.measure.measure import Measure
from gainful.measure.values import Results, aggregate
from gainful.read.baseline import Baseline
from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.rounding import ROUNDING
from gainful.text import count_noun, format_exact, name_way, quote, shorten
from gainful.types import Flags

_TESTED = ("significant", "no_worse_than", "drift")  # rules that take queries for independent
# queries to look at, of each measure that is broken, and of others
_MAX_BROKEN, _MAX_OTHERS = 10, 3
_CLUSTERED_RATES = "error rates assume independent queries: with clusters fewer drops are caught"
_TOGETHER = (
    "to check builds against this baseline, use --no-worse-than M=MARGIN together with --per-query "
    "M=DROP:COUNT: the first limits the loss of the mean, the second rare large losses"
)
_MAX_NAMED = 10  # queries that a note names


def apply_rules(
    results: Results,
    rules: Rules,
    *,
    qrels: Qrels | NestedDict | None = None,
    baseline: Baseline | None = None,
    saving: bool = False,
    error_rates: bool = False,
    clusters: Clusters | None = None,
) -> Verdict:
    """Does a run hold these rules, by itself and against a baseline?

    A run that is to become a baseline (`saving`) needs no rule; its verdict has the error rates of
    rules. The qrels must be the baseline's; tests flip and draw `clusters` whole.
    """
    mean = means(results)
    _check_groups(results, rules)
    notes = [] if baseline is None else _check_same_conditions(results, qrels, baseline, rules)
    pairs = {} if baseline is None else _pair_with_baseline(results, baseline, rules)
    if clusters is not None:
        pairs = {name: clusters.assign(pair) for name, pair in pairs.items()}
    notes += _check_left_out(results, rules, baseline, pairs)
    notes += [] if baseline is None else _baseline_notes(results, baseline, pairs, rules)
    now_and_before = {
        name: (aggregate(pair.values[:, 0], kind), aggregate(pair.values[:, 1], kind))
        for name, pair in pairs.items()
        for kind in [results.recipes[name].entry.aggregation]
    }
    sides = Sides(results, rules, pairs, now_and_before)
    checks = [*_check_limits(results, rules, mean), *_check_drops(sides), *_check_queries(sides)]
    if rules.no_worse_than:
        margins = _name_measures(results, rules.no_worse_than, "no_worse_than")
        margin_checks, limit_notes = check_margins(sides, margins)
        checks += margin_checks
        notes += limit_notes
    if rules.significant is not None:
        significance_checks, test_note = check_significance(sides)
        checks += significance_checks
        notes.append(test_note)
    rates: list[ErrorRate] = []
    if saving or error_rates:
        spreads, flat = find_spreads(results, pairs, baseline)
        of_all = [check for check in checks if check.group is None]
        rates = list(find_error_rates(of_all, spreads, rules, mean, results.directions))
        notes += describe_spreads(spreads) if rates else []
        notes += [_CLUSTERED_RATES] if rates and clusters is not None else []
        notes += [f"no error rates for {', '.join(flat)}: no variation"] if flat else []
    if baseline is not None and (rules.needs_baseline or saving):
        drift_checks, drift_notes = check_drift(results, baseline, rules, clusters)
        checks += drift_checks
        notes += drift_notes
    if any(check.rule in _TESTED for check in checks):
        notes += describe_turns(results.ids, verb="tests") if clusters is None else []
        notes += describe_few_units(rules.test, list(pairs.values()), np.array([[0, 1]]))
    notes += describe_groups([results])
    notes += [_TOGETHER] if saving and not rules.per_query else []
    return Verdict(
        results=results,
        checks=checks,
        error_rates=rates,
        look_at=list(_queries_to_look_at(results, checks, pairs)),
        notes=notes,
        now_and_before=now_and_before,
        baseline=baseline,
    )


def _check_same_conditions(
    results: Results, qrels: Qrels | NestedDict | None, baseline: Baseline, rules: Rules
) -> list[str]:
    """What differs from the baseline's and is let through; what is not, is refused."""
    settings = convention_settings(results)
    if qrels is None:
        raise BadValue("judgments", None, "those of the run, to compare them with the baseline's")
    changes = {"convention": _describe_convention_change(settings, baseline.convention)}
    if fingerprint(qrels) != baseline.judgments:
        changes["judgments"] = "the judgments have changed since the baseline was saved"
    refused = [name for name, problem in changes.items() if problem and name not in rules.allow]
    if refused:
        problem = "; ".join(changes[name] for name in refused)
        options = " ".join(f"--allow {name}" for name in refused)
        raise CannotCompare(
            f"{baseline.name}: {problem} (save a new baseline with --save-baseline FILE, or "
            f"compare anyway with {options})"
        )
    return [f"{problem}; compared anyway" for problem in changes.values() if problem]


def _check_left_out(
    results: Results, rules: Rules, baseline: Baseline | None, pairs: Mapping[str, PairedValues]
) -> list[str]:
    """Queries that the run lacks, or that only the baseline counts; rules may let them through."""
    if baseline is not None:
        lost = {
            query
            for name, pair in pairs.items()
            for query in {*baseline.values_by_query(str(results.measures[name]))} - {*pair.queries}
        }
        number, verb = len(lost), "does" if len(lost) == 1 else "do"
        problem = f"of the baseline {verb} not count in this run"
    else:
        is_counted = results.convention.missing == "skip" and rules.has_rules
        number = int(results.counts["missing"]) if is_counted else 0
        problem = f"that the run lacks {'is' if number == 1 else 'are'} left out of the means"
    if not number:
        return []
    units = count_noun(number, results.unit)
    if "queries" in rules.allow:
        return [f"{units} {problem}; let through"]
    raise CannotCompare(
        f"{results.name}: {units} {problem}, so the gate cannot decide "
        "whether it is good enough (missing=zero counts them as 0; --allow queries judges the "
        "others alone)"
    )


def _describe_convention_change(now: Mapping[str, object], then: Mapping[str, object]) -> str:
    changes = [
        f"{name} was {_format_setting(before)} in the baseline and is {_format_setting(after)} now"
        for name, (before, after) in find_changed_settings(now, then).items()
    ]
    return f"the convention has changed: {', '.join(changes)}" if changes else ""


def _format_setting(value: object) -> str:
    if value is None:
        return "none"
    return format_exact(value) if isinstance(value, float) else shorten(str(value))


def _pair_with_baseline(
    results: Results, baseline: Baseline, rules: Rules
) -> dict[str, PairedValues]:
    """The values of both by query, of each measure that both have or a rule needs."""
    needed = {
        name
        for argument in ("max_drop", "no_worse_than", "per_query")
        for spelling in getattr(rules, argument)
        for name in [_measure_name(results, spelling.measure, argument)]
    }
    pairs = {}
    for name, measure in results.measures.items():
        needs = name in needed or rules.significant is not None
        if needs and results.recipes[name].entry.aggregation == "whole":
            allowed = f"measures that a baseline has by {results.unit}; this one is"
            raise BadValue("measure", name, f"{allowed} {NOT_A_MEAN['whole']}")
        if baseline.find_name(str(measure)) is None and not needs:
            continue
        pair = pair_values(
            [values_by_query(results, name), baseline.values_by_query(str(measure))], name
        )
        if not pair.queries:
            shared = f"no {results.unit} in common with the run ({name})"
            raise CannotCompare(f"{baseline.name}: it has {shared}")
        pairs[name] = evolve(pair, noun=results.unit)
    return pairs


def _baseline_notes(
    results: Results, baseline: Baseline, pairs: Mapping[str, PairedValues], rules: Rules
) -> list[str]:
    notes = []
    if baseline.gainful != version("gainful"):
        notes.append(f"gainful {quote(baseline.gainful)} saved the baseline")
    absent = [name for name in results.values if name not in pairs]
    if absent:
        notes.append(f"not in the baseline: {', '.join(absent)}")
    evaluated = {str(measure) for measure in results.measures.values()}
    untested = [name for name, text in baseline.measures.items() if text not in evaluated]
    if untested and rules.significant is not None:
        notes.append(f"in the baseline, but not tested: {', '.join(untested)}")
    names_by_line: dict[str, list[str]] = {}
    for name, pair in pairs.items():
        then = baseline.values_by_query(str(results.measures[name]))
        shared = set(pair.queries)
        for side, words in ((values_by_query(results, name), "this run"), (then, "the baseline")):
            unshared = [quote(query) for query in side if query not in shared]
            if unshared:
                more = ", …" if len(unshared) > _MAX_NAMED else ""
                examples = ", ".join(unshared[:_MAX_NAMED]) + more
                verb = "counts" if len(unshared) == 1 else "count"
                line = f"{count_noun(len(unshared), pair.noun)} {verb} in {words} only: {examples}"
                names_by_line.setdefault(line, []).append(name)
        if not pair.differences((0, 1)).any():
            line = f"the run equals the baseline for every {pair.noun}"
            names_by_line.setdefault(line, []).append(name)
    return [*notes, *(f"{line} ({', '.join(names)})" for line, names in names_by_line.items())]


def _check_groups(results: Results, rules: Rules) -> None:
    """Rules of groups need some, whose names can stand before a colon; and groups need rules."""
    grouping = results.grouping
    if grouping is None:
        if rules.names_groups:
            way = name_way("--group COLUMN", "group=")
            allowed = f"a column that names the groups of the rules: {way}"
            raise BadValue(name_way("--group", "group"), None, allowed)
        return
    if not rules.names_groups:
        allowed = f"a rule about a group, such as {EVERY_GROUP}:nDCG@10=0.4 for every group"
        raise BadValue("group", grouping.name, allowed)
    for label in results.group_flags():
        if ":" in label or "=" in label:
            raise BadValue("group", label, "names without : and =")


def _list_groups(
    results: Results, spelling: RuleName, argument: str
) -> list[tuple[str, str | None, Flags | None]]:
    """The measure of a rule with each group that it is about; with None where it is about all."""
    group, flags = spelling.group, results.group_flags()
    name = _measure_name(results, spelling.measure, argument)
    if group is None:
        return [(name, None, None)]
    if group != EVERY_GROUP:
        check_name("group", group, flags)
    return [(name, label, some) for label, some in flags.items() if group in (label, EVERY_GROUP)]


def _check_limits(results: Results, rules: Rules, mean: Mapping[str, float]) -> Iterator[Check]:
    """Floors of what should be high, ceilings of what should be low; the others are refused."""
    kinds: tuple[tuple[Rule, Mapping[RuleName, float], Direction, str], ...] = (
        ("floor", rules.floors, HIGHER, "a measure where higher is better; else a ceiling"),
        ("ceiling", rules.ceilings, LOWER, "a measure where lower is better; else a floor"),
    )
    for rule, limits, direction, allowed in kinds:
        for spelling, limit in limits.items():
            for name, group, some in _list_groups(results, spelling, rule):
                if results.directions[name].is_lower != direction.is_lower:
                    raise BadValue(rule, spelling, allowed)
                if rule == "floor":
                    _refuse_impossible(results, name, limit)
                value = mean[name] if group is None else results.mean_of(name, some)
                check_mean(results, f"{name} of {group}", value)
                ok = direction.sign * (value - limit) >= -rounding_slack(limit)
                yield Check(rule, name, value, limit, ok=ok, direction=direction, group=group)


def _refuse_impossible(results: Results, name: str, floor: float) -> None:
    """A floor that no run can reach says nothing of this one."""
    entry = results.recipes[name].entry
    is_share = entry.bounded and entry.aggregation != "sum" and results.values[name].max() <= 1
    if not is_share or floor <= 1:
        return
    meant = f": if {floor:g} is per cent, {floor / 100:g}" if floor <= 100 else ""
    raise BadValue(f"floor of {name}", floor, f"at most 1{meant}")


def _check_drops(sides: Sides) -> Iterator[Check]:
    labels = {} if sides.results.grouping is None else sides.results.grouping.labels
    for spelling, bound in sides.rules.max_drop.items():
        for name, group, _ in _list_groups(sides.results, spelling, "max_drop"):
            own = sides
            if group is not None:
                pair, kind = sides.pairs[name], sides.results.recipes[name].entry.aggregation
                rows = pair.values[[labels.get(query) == group for query in pair.queries]]
                if not len(rows):
                    problem = f"has no {pair.noun} in common with the baseline"
                    raise CannotCompare(f"group {quote(group)} {problem}")
                means = aggregate(rows[:, 0], kind), aggregate(rows[:, 1], kind)
                own = evolve(sides, now_and_before={name: means})
            now, then = own.now_and_before[name]
            drop = sides.results.directions[name].sign * (then - now)
            ok = drop <= bound + rounding_slack(then)
            yield own.check("max_drop", name, bound, ok=ok, group=group)


def _check_queries(sides: Sides) -> Iterator[Check]:
    bounds = _name_measures(sides.results, sides.rules.per_query, "per_query")
    for name, (bound, most) in bounds.items():
        slack = ROUNDING * np.abs(sides.pairs[name].values).max(axis=1)
        fallen = int((-sides.differences(name) > bound + slack).sum())
        ok = fallen <= most
        yield sides.check("per_query", name, bound, ok=ok, fallen=fallen, most=most)


def _name_measures(
    results: Results, bounds: Mapping[RuleName, Any], argument: str
) -> dict[str, Any]:
    return {_measure_name(results, name.measure, argument): bound for name, bound in bounds.items()}


def _measure_name(results: Results, measure: Measure, argument: str) -> str:
    for name, evaluated in results.measures.items():
        if evaluated == measure:
            return name
    raise BadValue(
        argument, str(measure), f"a measure that was evaluated: {', '.join(results.values)}"
    )


def _queries_to_look_at(
    results: Results, checks: list[Check], pairs: Mapping[str, PairedValues]
) -> Iterator[QueryToLookAt]:
    """The queries that became worse, of broken measures if there are any; else the worst ones."""
    broken = dict.fromkeys(check.measure for check in checks if not check.ok)
    labels = {} if results.grouping is None else results.grouping.labels
    limit = _MAX_BROKEN if broken else _MAX_OTHERS
    for name in broken or dict.fromkeys(check.measure for check in checks):
        sign, pair = results.directions[name].sign, pairs.get(name)
        groups = {check.group for check in checks if check.measure == name and not check.ok}
        values = {
            query: value
            for query, value in values_by_query(results, name).items()
            if not groups or None in groups or labels.get(query) in groups
        }
        falls = []
        if pair is not None:
            change = sign * pair.differences((0, 1))
            falls = [
                QueryToLookAt(name, pair.queries[row], *pair.values[row].tolist())
                for row in np.argsort(change, kind="stable").tolist()
                if change[row] < 0 and pair.queries[row] in values
            ]
        yield from falls[:limit]
        if not falls and (broken or pair is None):
            worst = sorted(values, key=lambda query: sign * values[query])[:limit]
            yield from (QueryToLookAt(name, query, values[query]) for query in worst)
