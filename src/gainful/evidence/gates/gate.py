"""`gate`: is this run good enough to ship? Results and rules go in, a verdict comes out.

A rule that cannot be checked is an error: a gate never opens because something is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version

import numpy as np

from gainful.errors import BadValue, CannotCompare, counted, short, shown
from gainful.evidence.gates.baseline import Baseline, habits_of, means
from gainful.evidence.gates.fingerprint import fingerprint
from gainful.evidence.gates.rules import Rules
from gainful.evidence.gates.significance import significance
from gainful.evidence.gates.verdict import Check, Look, Verdict, slack
from gainful.evidence.pairing import Paired, by_query, paired
from gainful.formula import exact
from gainful.measure.language import parse
from gainful.measure.results import Results, as_one
from gainful.read.qrels_and_run import Judgments, Nested

_MOST, _FEW = 10, 3  # queries to look at, of each measure that is broken, and of others
_NAMED = 10  # queries that a note names


def gate(
    results: Results,
    rules: Rules,
    *,
    qrels: Judgments | Nested | None = None,
    baseline: Baseline | None = None,
    saving: bool = False,
) -> Verdict:
    """Does a run hold these rules, by itself and against a baseline?

    Args:
        results: the run, evaluated.
        rules: what it must hold.
        judgments: what it was evaluated by; they must be the baseline's.
        baseline: what an earlier run scored.
        saving: is the run to become a baseline? Then it may do so without any rule.

    Examples:
        >>> from gainful import evaluate
        >>> found = evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, "RR")
        >>> gate(found, Rules(floors={"RR": 0.6})).checks[0].message
        'RR 0.5000 is below its floor 0.6'
    """
    mean = means(results)
    if not (rules.any or saving):
        raise BadValue("rules", "none", "a floor, max_drop or significant; else all would pass")
    if rules.backwards and baseline is None:
        raise BadValue("baseline", None, "a baseline, which max_drop and significant need")
    pairs: dict[str, Paired] = {}
    notes = _missing(results, rules) if baseline is None and rules.any else []
    if baseline is not None:
        notes += _allowed(results, qrels, baseline, rules)
        pairs = _pairs(results, baseline, rules)
        notes += _lost(results, baseline, pairs, rules)
        notes += _of_baseline(results, baseline, pairs)
    before = {name: _means(results, name, pair) for name, pair in pairs.items()}
    checks = [*_floors(results, rules, mean), *_drops(results, rules, before)]
    if rules.significant is not None:
        tested, how = significance(pairs, before, rules, results)
        checks += tested
        notes.append(how)
    return Verdict(
        results=results,
        checks=checks,
        look_at=list(_look_at(results, checks, pairs)),
        notes=notes,
        before=before,
        baseline=baseline,
    )


def _allowed(
    results: Results, qrels: Judgments | Nested | None, baseline: Baseline, rules: Rules
) -> list[str]:
    """What differs from the baseline's and is let through; what is not, is refused."""
    found = {
        "convention": _other_habits(habits_of(results), baseline.convention),
        "judgments": _other_judgments(qrels, baseline),
    }
    refused = [name for name, problem in found.items() if problem and name not in rules.allow]
    if refused:
        problem = "; ".join(found[name] for name in refused)
        options = " ".join(f"--allow {name}" for name in refused)
        raise CannotCompare(
            f"{baseline.name}: {problem} (save a new baseline with --save-baseline FILE, "
            f"or compare all the same with {options})"
        )
    return [f"{problem}; compared all the same" for problem in found.values() if problem]


def _missing(results: Results, rules: Rules) -> list[str]:
    """A mean that leaves out what the run lacks says nothing of what it lacks."""
    number = int(results.counts["missing"]) if results.convention.missing == "skip" else 0
    verb = "is" if number == 1 else "are"
    return _unless_allowed(
        number, f"that the run lacks {verb} left out of the means", results, rules
    )


def _lost(
    results: Results, baseline: Baseline, pairs: Mapping[str, Paired], rules: Rules
) -> list[str]:
    """Queries of the baseline that do not count any more."""
    lost = {
        query
        for name, pair in pairs.items()
        for query in set(baseline.of_measure(results.measures[name])) - set(pair.queries)
    }
    verb = "does" if len(lost) == 1 else "do"
    return _unless_allowed(
        len(lost), f"of the baseline {verb} not count in this run", results, rules
    )


def _unless_allowed(number: int, told: str, results: Results, rules: Rules) -> list[str]:
    if not number:
        return []
    if "queries" in rules.allow:
        return [f"{counted(number, 'query')} {told}; let through"]
    raise CannotCompare(
        f"{results.name}: {counted(number, 'query')} {told}, so the gate cannot tell whether it is "
        "good enough (missing=zero counts them as 0; --allow queries judges the others alone)"
    )


def _other_habits(now: Mapping[str, object], then: Mapping[str, object]) -> str:
    names = [name for name in {**now, **then} if name != "like"]
    told = [
        f"{name} is {_setting(then, name)} in the baseline and {_setting(now, name)} now"
        for name in names
        if (name in now, now.get(name)) != (name in then, then.get(name))
    ]
    return f"the convention has changed: {', '.join(told)}" if told else ""


def _setting(habits: Mapping[str, object], name: str) -> str:
    if name not in habits:
        return "not told"
    value = habits[name]
    if value is None:
        return "none"
    return exact(value) if isinstance(value, float) else short(str(value))


def _other_judgments(qrels: Judgments | Nested | None, baseline: Baseline) -> str:
    if qrels is None:
        raise BadValue("judgments", None, "those of the run, to hold them against the baseline's")
    same = fingerprint(qrels) == baseline.judgments
    return "" if same else "the judgments have changed since the baseline was saved"


def _pairs(results: Results, baseline: Baseline, rules: Rules) -> dict[str, Paired]:
    """The values of both by query, of each measure that both have or a rule needs."""
    needed = {_name(results, spelled, "max_drop") for spelled in rules.max_drop}
    found = {}
    for name, measure in results.measures.items():
        needs = name in needed or rules.significant is not None
        if baseline.name_of(measure) is None and not needs:
            continue
        pair = paired([by_query(results, name), baseline.of_measure(measure)], name)
        if not pair.queries:
            raise CannotCompare(f"{baseline.name}: it has no query in common with the run ({name})")
        found[name] = pair
    return found


def _of_baseline(results: Results, baseline: Baseline, pairs: Mapping[str, Paired]) -> list[str]:
    """What one should know of the two sides before comparing them."""
    notes = []
    if baseline.gainful != version("gainful"):
        notes.append(f"gainful {shown(baseline.gainful)} saved the baseline")
    absent = [name for name in results.values if name not in pairs]
    if absent:
        notes.append(f"not in the baseline: {', '.join(absent)}")
    told: dict[str, list[str]] = {}
    for name, pair in pairs.items():
        sides = by_query(results, name), baseline.of_measure(results.measures[name])
        shared = set(pair.queries)
        for side, words in zip(sides, ("this run", "the baseline"), strict=True):
            only = [shown(query) for query in side if query not in shared]
            if only:
                some = ", ".join(only[:_NAMED]) + (", …" if len(only) > _NAMED else "")
                verb = "counts" if len(only) == 1 else "count"
                line = f"{counted(len(only), 'query')} {verb} in {words} only: {some}"
                told.setdefault(line, []).append(name)
        if not (pair.values[:, 0] - pair.values[:, 1]).any():
            told.setdefault("the run scores as the baseline does in every query", []).append(name)
    return [*notes, *(f"{line} ({', '.join(names)})" for line, names in told.items())]


def _means(results: Results, name: str, pair: Paired) -> tuple[float, float]:
    """The means of both over the queries that both have."""
    how = results.recipes[name].measure.entry.mean
    return as_one(pair.values[:, 0], how), as_one(pair.values[:, 1], how)


def _floors(results: Results, rules: Rules, mean: Mapping[str, float]) -> Iterator[Check]:
    for spelled, floor in rules.floors.items():
        name = _name(results, spelled, "floor")
        yield Check("floor", name, mean[name], floor, ok=mean[name] >= floor - slack(floor))


def _drops(
    results: Results, rules: Rules, before: Mapping[str, tuple[float, float]]
) -> Iterator[Check]:
    for spelled, bound in rules.max_drop.items():
        name = _name(results, spelled, "max_drop")
        now, then = before[name]
        yield Check("max_drop", name, now, bound, then - now <= bound + slack(then), baseline=then)


def _name(results: Results, spelled: str, argument: str) -> str:
    """What the results call a measure that has a rule."""
    measure = parse(spelled)
    for name, known in results.measures.items():
        if known == measure:
            return name
    raise BadValue(argument, spelled, f"a measure that was evaluated: {', '.join(results.values)}")


def _look_at(results: Results, checks: list[Check], pairs: Mapping[str, Paired]) -> Iterator[Look]:
    """The queries that fell most, of broken measures if there are any; else the lowest ones."""
    broken = dict.fromkeys(check.measure for check in checks if not check.ok)
    for name in broken or dict.fromkeys(check.measure for check in checks):
        most = _MOST if broken else _FEW
        fallen = list(_fallen(pairs[name]))[:most] if name in pairs else []
        yield from fallen
        if not fallen and (broken or name not in pairs):
            lowest = sorted(by_query(results, name).items(), key=lambda pair: pair[1])
            yield from (Look(name, query, value) for query, value in lowest[:most])


def _fallen(pair: Paired) -> Iterator[Look]:
    change = pair.values[:, 0] - pair.values[:, 1]
    for row in np.argsort(change, kind="stable").tolist():
        if change[row] >= 0:
            return
        now, before = pair.values[row].tolist()
        yield Look(pair.measure, pair.queries[row], now, before)
