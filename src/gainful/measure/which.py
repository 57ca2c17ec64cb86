"""Whose nDCG is this? Every formula and habit that turns a ranking into a given value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from itertools import product
from math import e
from typing import Any

import numpy as np
from attrs import frozen

from gainful.convention import CONVENTIONS, Convention
from gainful.errors import BadShape, BadValue, GainfulError
from gainful.formula import NamedFormula
from gainful.measure import arrays
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS, REL, gain
from gainful.measure.measure import CG, DCG, IDCG, Measure, Setting, nDCG
from gainful.measure.recipe import recipe
from gainful.read import Numbers, Rows, rows

BASES = (2.0, e, 3.0, 4.0, 5.0, 10.0)
_WEIGHTS = {0: 0, 1: 1, 2: 10, 3: 100}
_NEAREST = 5
_SAME = 1e-12
_FORMULA = ("gain", "rel", "discount", "b")
_FAME = tuple(CONVENTIONS)
_FUNCTIONS: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "nDCG": (arrays.ndcg, arrays.ndcg_curve),
    "DCG": (arrays.dcg, arrays.dcg_curve),
    "IDCG": (arrays.idcg, arrays.idcg_curve),
    "CG": (arrays.cg, arrays.cg_curve),
}
Variants = dict[Measure, list[str]]
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


@frozen
class _Ranking:
    """A ranking and what it makes a difference for."""

    grades: Any
    judged: Any
    size: int
    negative: bool
    fractional: bool
    longer: bool  # are there more judged documents than ranked ones?
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


def _match(value: float, measure: Measure, k: int | None, tools: list[str]) -> Match:
    return Match(measure @ k, value, tuple(sorted(tools, key=_FAME.index)))


def _printed(value: str | float) -> tuple[float, float]:
    """The number and half a unit of its last printed digit."""
    try:
        number = Decimal(str(value))
        exponent = number.as_tuple().exponent
    except InvalidOperation:
        exponent = "n"
    if not isinstance(exponent, int):
        raise BadValue("value", value, "a number as a tool prints it, such as 0.932")
    return float(number), 0.5 * 10.0**exponent


def _ranking(grades: Numbers, judged: Numbers | None) -> _Ranking:
    given = rows(grades, "grades")
    pool = None if judged is None else rows(judged, "judged")
    for argument, table in (("grades", given), ("judged", pool)):
        if table is not None and table.shape:
            raise BadShape(argument, f"{len(table.lengths)} lists", "one list, for one ranking")
    values = np.concatenate([table.values[0] for table in (given, pool) if table is not None])
    return _Ranking(
        grades=given.values[0],
        judged=None if pool is None else pool.values[0],
        size=given.values.shape[1],
        negative=bool((values < 0).any()),
        fractional=bool((values != np.trunc(values)).any()),
        longer=_longer(given, pool),
        values=frozenset(values.tolist()),
    )


def _longer(given: Rows, pool: Rows | None) -> bool:
    return pool is not None and pool.values.shape[1] > given.values.shape[1]


def _all(measure: Measure, ranking: _Ranking) -> Iterator[Candidate]:
    """Every formula at every cutoff; habits that change nothing here share one line."""
    cutoffs = (None, *range(1, ranking.size + ranking.longer))
    for variants in _combinations(measure, ranking).values():
        computed = []
        for spelled, tools in sorted(variants.items(), key=lambda pair: len(pair[0].params)):
            try:
                computed.append((spelled, tools, _values(spelled, ranking)))
            except GainfulError:  # this combination refuses such grades
                continue
        for at, k in enumerate(cutoffs):
            found: dict[float, tuple[Measure, list[str]]] = {}
            for spelled, tools, values in computed:
                same = next((v for v in found if abs(v - values[at]) < _SAME), values[at])
                found.setdefault(same, (spelled, []))[1].extend(tools)
            for value, (fewest_words, users) in found.items():
                yield value, fewest_words, k, users


def _values(measure: Measure, ranking: _Ranking) -> list[float]:
    """The value of the whole list, then of its first 1, 2, … documents."""
    options: Any = dict(measure.params)
    if "ideal" in measure.entry.params:
        options["judged"] = ranking.judged
    whole, by_rank = _FUNCTIONS[measure.name]
    vector: Any = by_rank(ranking.grades, k=ranking.size, **options)
    return [float(whole(ranking.grades, **options)), *vector.tolist()]


def _combinations(measure: Measure, ranking: _Ranking) -> dict[Measure, Variants]:
    """For every formula, its variants by habits, each with the tools that compute it."""
    found: dict[Measure, Variants] = {}

    def add(params: Mapping[str, Setting], tools: list[str]) -> None:
        formula = _spelled(measure, {n: v for n, v in params.items() if n in _FORMULA})
        found.setdefault(formula, {}).setdefault(_spelled(measure, params), []).extend(tools)

    for convention in CONVENTIONS.values():
        add(_habit(measure, convention, ranking), [convention.name])
    for formulas, habits in product(_formulas(measure, ranking), _habits(measure, ranking)):
        add(formulas | habits, [])
    return found


def _habit(measure: Measure, convention: Convention, ranking: _Ranking) -> dict[str, Setting]:
    """The parameters of the measure as a tool computes it, as far as they matter here."""
    how = recipe(measure, like_whom=convention)
    params: dict[str, Setting] = {"gain": how.gain.name, "discount": how.discount.name}
    params |= how.gain.bound | how.discount.bound
    if params["discount"] == "log" and measure.entry.normalised:
        params = {k: v for k, v in params.items() if k != "b"} | {"discount": "log2"}
    for name in _matters(ranking):
        params[name] = getattr(convention, name)
    return params


def _matters(ranking: _Ranking) -> list[str]:
    return [
        *(["ideal"] if ranking.judged is not None else []),
        "ideal_depth",
        *(["negative"] if ranking.negative else []),
        *(["fractional"] if ranking.fractional else []),
        *(["empty"] if not any(value > 0 for value in ranking.values) else []),
    ]


def _spelled(measure: Measure, params: Mapping[str, Setting]) -> Measure:
    """The measure with only those parameters that are not gainful's defaults."""
    usual: Mapping[str, object] = CONVENTIONS["gainful"].settings() | {"rel": REL.default}
    kept = {
        name: value
        for name, value in params.items()
        if name in measure.entry.params and value != usual[name]
    }
    return measure(**kept)


def _formulas(measure: Measure, ranking: _Ranking) -> Iterator[dict[str, Setting]]:
    """Every gain with every discount; those that only one tool uses come with that tool."""
    gains = [GAINS["linear"], GAINS["exp"], GAINS["binary"]]
    gains += [GAINS["penalised"]] if ranking.negative else []
    gains += [gain(_WEIGHTS)] if ranking.values <= set(_WEIGHTS) else []
    grades = [value for value in ranking.values if value > 0]
    for worth, left in product(gains, DISCOUNTS.values()):
        if left.name == "log" and measure.entry.normalised:
            continue  # the base cancels: the same as log2
        for rel, base in product(_rels(worth, grades), _bases(left)):
            if (left.name, base) != ("shifted", {"b": 2.0}):  # that is log2 again
                yield {"gain": worth.name, "discount": left.name, **rel, **base}


def _rels(worth: NamedFormula, grades: list[float]) -> list[dict[str, float]]:
    has = any(p.symbol == "rel" for p in worth.params)
    return [{"rel": grade} for grade in sorted({1.0, *grades})] if has else [{}]


def _bases(left: NamedFormula) -> list[dict[str, float]]:
    has = any(p.symbol == "b" for p in left.params)
    return [{"b": base} for base in BASES] if has else [{}]


def _habits(measure: Measure, ranking: _Ranking) -> list[dict[str, Setting]]:
    choices: dict[str, tuple[Setting, ...]] = {
        "ideal": ("judged", "list"),
        "ideal_depth": ("k", "all", "retrieved"),
        "negative": ("zero", "keep", "in_ideal"),
        "fractional": ("keep", "truncate"),
        "empty": (0, 1),
    }
    names = [name for name in _matters(ranking) if name in measure.entry.params]
    return [
        dict(zip(names, values, strict=True))
        for values in product(*(choices[name] for name in names))
    ]


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
