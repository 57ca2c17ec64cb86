"""Whose nDCG is this? Every formula and habit that turns a ranking into a given value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import product
from math import e
from typing import Any

import numpy as np
from attrs import evolve, frozen

from gainful.convention import CONVENTIONS, Convention
from gainful.errors import BadValue, GainfulError
from gainful.formula import NUMBER, NamedFormula
from gainful.measure.cumulated_gain import curve, outcome, ranked, total
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS, REL, as_gain
from gainful.measure.measure import CG, DCG, IDCG, Measure, nDCG
from gainful.measure.recipe import FORMULAS, recipe
from gainful.read import Numbers, Rows, single

BASES = (2.0, e, 3.0, 4.0, 5.0, 10.0, 1.5)
_WEIGHTS = as_gain({0: 0, 1: 1, 2: 10, 3: 100})
_NEAREST = 5
_SAME = 1e-12
_FAME = tuple(CONVENTIONS)

Params = Mapping[str, Any]
Candidate = tuple[float, Measure, int | None, list[str]]  # value, measure, cutoff, tools


@frozen
class Match:
    """One measure that fits, its value, and the tools that compute it."""

    measure: Measure
    value: float
    tools: tuple[str, ...]


@frozen
class Answer:
    """What was found: all that fits, or if nothing does, the nearest few."""

    printed: str  # the value as it was given
    within: float  # half a unit of its last digit
    matches: tuple[Match, ...]
    nearest: tuple[Match, ...] = ()


@frozen(eq=False)
class _Ranking:
    """A ranking, how deep it can be cut, and which habits can make a difference for it."""

    grades: Rows
    judged: Rows | None
    depth: int
    habits: tuple[str, ...]
    values: frozenset[float]


def which(value: str | float, grades: Numbers, *, judged: Numbers | None = None) -> Answer:
    """Which formulations give this value, to the precision it is printed with?

    Examples:
        >>> answer = which("0.932", [3, 2, 3, 0, 1, 2])
        >>> print(answer.matches[0].measure, *answer.matches[0].tools)
        nDCG(discount=jk2002, b=2) jk2002 wikipedia ntcireval
    """
    wanted, within = _printed(value)
    ranking = _ranking(grades, judged)
    measures = [nDCG] if wanted <= 1 + within else [nDCG, DCG, IDCG, CG]
    found = [candidate for measure in measures for candidate in _all(measure, ranking)]
    found.sort(key=lambda candidate: abs(candidate[0] - wanted))
    reach = within * (1 + 1e-9)  # half a unit, whatever binary fractions make of it
    fitting = [_match(*near) for near in found if abs(near[0] - wanted) <= reach]
    if fitting:
        return Answer(str(value), within, tuple(sorted(fitting, key=_simplest)))
    return Answer(str(value), within, (), tuple(_match(*near) for near in found[:_NEAREST]))


def _printed(value: str | float) -> tuple[float, float]:
    """The number and half a unit of its last printed digit."""
    allowed = "a number as a tool prints it, such as 0.932"
    if not re.fullmatch(NUMBER, str(value), re.ASCII):
        raise BadValue("value", value, allowed)
    number = Decimal(str(value))
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -300 or number.adjusted() > 300:
        raise BadValue("value", value, allowed)  # beyond what a float can tell
    return float(number), 0.5 * 10.0**exponent


def _ranking(grades: Numbers, judged: Numbers | None) -> _Ranking:
    given = single(grades, "grades")
    pool = None if judged is None else single(judged, "judged")
    values = np.concatenate([rows.values[0] for rows in (given, pool) if rows is not None])
    matters = {
        "ideal": pool is not None,
        "ideal_depth": True,
        "negative": bool((values < 0).any()),
        "fractional": bool((values != np.trunc(values)).any()),
        "empty": not (values > 0).any() or bool((values < 0).any()),  # can the ideal be zero?
    }
    return _Ranking(
        grades=given,
        judged=pool,
        depth=max(rows.values.shape[1] for rows in (given, pool) if rows is not None),
        habits=tuple(habit for habit, does in matters.items() if does),
        values=frozenset(values.tolist()),
    )


def _all(measure: Measure, ranking: _Ranking) -> Iterator[Candidate]:
    """Every formula at every cutoff; what gives the same value shares a line, in few words."""
    found: dict[tuple[object, int | None], list[Candidate]] = {}
    for spelled, values, tool in _computed(measure, ranking):
        formula = tuple(pair for pair in spelled.params if pair[0] in FORMULAS)
        for k, value in values.items():
            same = found.setdefault((formula, k), [])
            known = next((line for line in same if abs(line[0] - value) < _SAME), None)
            if known is None:
                known = (value, spelled, k, [])
                same.append(known)
            known[3].extend(tool)
    for lines in found.values():
        yield from lines


def _computed(
    measure: Measure, ranking: _Ranking
) -> Iterator[tuple[Measure, dict[int | None, float], list[str]]]:
    """Formulas and habits by themselves, then each tool as it is: measure, values, tool."""
    grid = product(_formulas(measure, ranking), _habits(measure, ranking))
    for spelled in sorted((_spelled(measure, a | b) for a, b in grid), key=_words):
        yield from _values(spelled, ranking, dict(spelled.params), [])
    for convention in CONVENTIONS.values():
        if not convention.has_ndcg:
            continue
        spelled = _spelled(measure, _as_computed_by(convention, measure, ranking))
        options: dict[str, Any] = {"like": convention}
        if "ideal" in measure.entry.params:
            options["ideal"] = convention.ideal
        yield from _values(spelled, ranking, options, [convention.name])


def _values(
    spelled: Measure, ranking: _Ranking, options: dict[str, Any], tool: list[str]
) -> Iterator[tuple[Measure, dict[int | None, float], list[str]]]:
    """The value of the whole list and of its first 1, 2, … documents."""
    try:
        how = recipe(
            Measure(spelled.name),
            options={name: value for name, value in options.items() if name != "like"},
            like_whom=options.get("like"),
            judged=ranking.judged is not None,
        )
        seen = ranked(how, ranking.grades, None, ranking.judged)
        deep = evolve(how, k=ranking.depth)
        whole = outcome(how, *total(how, seen)).tolist()[0]
        vector = outcome(deep, *curve(deep, seen))[0].tolist()
    except GainfulError:  # this combination refuses such grades
        return
    if whole is None or None in vector:  # or leaves the query out
        return
    values: dict[int | None, float] = {
        k: value
        for k, value in enumerate(vector, start=1)
        if k < ranking.grades.lengths[0] or abs(value - whole) > _SAME  # else the same as no cutoff
    }
    cutoff = getattr(options.get("like"), "cutoff", None)
    if cutoff is None or cutoff >= ranking.depth:  # else the tool cuts the list by itself
        values[None] = whole
    yield spelled, values, tool


def _match(value: float, measure: Measure, k: int | None, tools: list[str]) -> Match:
    return Match(measure @ k, value, tuple(sorted(tools, key=_FAME.index)))


def _as_computed_by(convention: Convention, measure: Measure, ranking: _Ranking) -> Params:
    """The parameters of the measure as a tool computes it, as far as they matter here."""
    how = recipe(measure, like_whom=convention)
    params: dict[str, Any] = {"gain": how.gain.name, "discount": how.discount.name}
    params |= how.gain.bound | how.discount.bound
    if params["discount"] == "log" and measure.entry.normalised:
        del params["b"]  # cancels out
        params["discount"] = "log2"
    return params | {habit: getattr(convention, habit) for habit in ranking.habits}


def _spelled(measure: Measure, params: Params) -> Measure:
    """The measure with only those parameters that are not gainful's defaults."""
    usual: Params = CONVENTIONS["gainful"].settings() | {"rel": REL.default}
    return measure(
        **{
            name: value
            for name, value in params.items()
            if name in measure.entry.params and value != usual[name]
        }
    )


def _formulas(measure: Measure, ranking: _Ranking) -> list[dict[str, Any]]:
    """Every gain with every discount; those that only one tool uses come with that tool."""
    gains = [GAINS["linear"], GAINS["exp"], GAINS["binary"]]
    gains += [GAINS["penalised"]] if "negative" in ranking.habits else []
    gains += [_WEIGHTS] if ranking.values <= set(_WEIGHTS.grades) else []
    discounts = list(DISCOUNTS.values()) if measure.entry.discounted else [DISCOUNTS["none"]]
    found = []
    for worth, left in product(gains, discounts):
        if left.name == "log" and measure.entry.normalised:
            continue  # the base cancels: the same as log2
        for rel, base in product(_rels(worth, ranking), _bases(left)):
            if (left.name, base) != ("shifted", {"b": 2.0}):  # that is log2 again
                found.append({"gain": worth.name, "discount": left.name, **rel, **base})
    return found


def _rels(worth: NamedFormula, ranking: _Ranking) -> list[dict[str, float]]:
    has = any(p.symbol == "rel" for p in worth.params)
    grades = {1.0, *(value for value in ranking.values if value > 0)}
    return [{"rel": grade} for grade in sorted(grades)] if has else [{}]


def _bases(left: NamedFormula) -> list[dict[str, float]]:
    has = any(p.symbol == "b" for p in left.params)
    return [{"b": base} for base in BASES] if has else [{}]


def _habits(measure: Measure, ranking: _Ranking) -> list[dict[str, Any]]:
    choices = {
        "ideal": ("judged", "list"),
        "ideal_depth": ("k", "all", "retrieved"),
        "negative": ("zero", "keep", "in_ideal"),
        "fractional": ("keep", "truncate"),
        "empty": (0, 1),
    }
    names = [name for name in ranking.habits if name in measure.entry.params]
    return [
        dict(zip(names, values, strict=True))
        for values in product(*(choices[name] for name in names))
    ]


def _words(measure: Measure) -> int:
    return len(measure.params)


def _simplest(match: Match) -> tuple[Any, ...]:
    """Known before unknown, whole lists before cut ones, few parameters before many."""
    base = dict(match.measure.params).get("b", 2.0)
    return (
        not match.tools,
        match.measure.k is not None,
        len(match.measure.params),
        -len(match.tools),
        BASES.index(base) if base in BASES else len(BASES),
        match.measure.k or 0,
        str(match.measure),
    )
