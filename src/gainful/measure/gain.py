"""What a document is worth by its grade. To add a gain, add a value to `_ALL`."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Real

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import Const, Expr, NamedFormula, Param, Var, equal, where

g = Var("g", "grade")
REL = Param("rel", "the lowest grade that counts as relevant", default=1, typical=(1, 4))


def _gain(name: str, expr: Expr, meaning: str, cite: str, *, signed: bool = False) -> NamedFormula:
    return NamedFormula("gain", name, expr, meaning, cite, signed=signed)


_ALL = (
    _gain("linear", g, "the grade itself", "jarvelin2002"),
    _gain("exp", 2**g - 1, "each grade about twice the one below", "burges2005"),
    _gain("binary", where(g >= REL, 1, 0), "relevant or not", "jarvelin2002"),
    _gain(
        "penalised",
        where(g >= 0, 2**g - 1, 1 - 2 ** (-g)),
        "exponential, and bad documents cost as much as good ones earn",
        "wikipedia",
        signed=True,
    ),
    _gain(
        "exp_above",
        where(g >= REL, 2 ** (g - REL + 1) - 1, 0),
        "exponential, counted from the lowest relevant grade",
        "elliot",
    ),
    _gain("presence", Const(1), "every judged document the same", "recommenders", signed=True),
)

GAINS: Mapping[str, NamedFormula] = {known.name: known for known in _ALL}


def gain(value: object) -> NamedFormula:
    """A gain by name, as a table of weights, or as it is.

    Examples:
        >>> gain({0: 0, 1: 1, 2: 10, 3: 100}).at([3, 0, 2]).tolist()
        [100.0, 0.0, 10.0]
        >>> gain("exp").text()
        '2^g-1'
    """
    if isinstance(value, NamedFormula):
        return value
    if isinstance(value, Mapping):
        return _table(value)
    if not isinstance(value, str):
        raise WrongType("gain", value, f"{', '.join(GAINS)}, or a table such as {{0: 0, 1: 1}}")
    if value.lstrip().startswith("{") or ":" in value:
        return _table(_parsed(value))
    if value not in GAINS:
        raise UnknownName("gain", value, GAINS, "or a table such as {0:0,1:1,2:10,3:100}")
    return GAINS[value]


def _table(weights: Mapping[object, object]) -> NamedFormula:
    """Nested alternatives over one parameter per grade, so that each weight can be a slider."""
    if not weights:
        raise BadValue("gain", "{}", "a table with at least one grade, such as {0:0,1:1}")
    checked = sorted((_number(k, "grade"), _number(v, "weight")) for k, v in weights.items())
    params = [
        Param(_symbol(grade), f"the weight of grade {grade:g}", default=weight)
        for grade, weight in checked
    ]
    expr: Expr = params[0]
    for (grade, _), param in zip(checked[1:], params[1:], strict=True):
        expr = where(equal(g, grade), param, expr)
    name = "{" + ",".join(f"{_short(k)}:{_short(v)}" for k, v in checked) + "}"
    grades = tuple(grade for grade, _ in checked)
    return NamedFormula("gain", name, expr, "a weight for each grade", signed=True, grades=grades)


def _parsed(text: str) -> dict[object, object]:
    inner = text.strip().removeprefix("{").removesuffix("}")
    table: dict[object, object] = {}
    for pair in filter(None, (part.strip() for part in inner.split(","))):
        grade, colon, weight = pair.partition(":")
        try:
            key, value = float(grade), float(weight)
        except ValueError:
            raise BadValue("gain", text, "pairs grade:weight, such as {0:0,1:1,2:10}") from None
        if not colon or key in table:
            raise BadValue("gain", text, "each grade once, such as {0:0,1:1,2:10}")
        table[key] = value
    return table


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise WrongType(f"{what} of the gain table", value, "a number")
    if not isfinite(value):
        raise BadValue(f"{what} of the gain table", value, "a finite number")
    return float(value)


def _short(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)


def _symbol(grade: float) -> str:
    """A name that is also one in JavaScript: w2, w0_5, w_minus1."""
    return "w" + _short(grade).replace("-", "_minus").replace(".", "_").replace("+", "")
