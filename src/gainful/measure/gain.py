"""What a document is worth by its grade. To add a gain, add a value to `_ALL`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from gainful.errors import BadValue, check_number
from gainful.formula import Const, Expr, NamedFormula, Param, Var, equal, where
from gainful.text import NUMBER_PATTERN, format_exact

g = Var("g", "grade")
_MAX_GRADES = 256  # grades in a table of weights
_PAIR = re.compile(rf"\s*({NUMBER_PATTERN})\s*:\s*({NUMBER_PATTERN})\s*", re.ASCII)
_ELSE, _ITSELF = "else", "g"  # {1:3,else:g}: every other grade is worth itself
REL = Param("rel", "the lowest grade that counts as relevant", default=1, typical=(1, 4))

_gain = partial(NamedFormula, "gain")
_ALL = (
    _gain("linear", g, "the grade itself", "jarvelin2002"),
    _gain("exp", 2**g - 1, "each grade is worth about twice the one below", "burges2005"),
    _gain("binary", where(g >= REL, 1, 0), "relevant or not", "jarvelin2002"),
    _gain(
        "penalised",
        where(g >= 0, 2**g - 1, 1 - 2 ** (-g)),
        "exponential; negative grades subtract as much as positive ones add",
        "wikipedia",
        signed=True,
    ),
    _gain(
        "exp_above",
        where(g >= REL, 2 ** (g - REL + 1) - 1, 0),
        "exponential, counted from the lowest relevant grade",
        "elliot",
    ),
    _gain("presence", Const(1), "each judged document counts as 1", "recommenders", signed=True),
)

GAINS: dict[str, NamedFormula] = {gain.name: gain for gain in _ALL}


def gain_from_table(weights: Mapping[object, object]) -> NamedFormula:
    """Nested alternatives over one parameter per grade, so that each weight can be a slider."""
    weights = dict(weights)
    rest = weights.pop(_ELSE, None)
    if rest not in (None, _ITSELF):
        raise BadValue("gain", rest, "else:g, which keeps the other grades")
    if not 1 <= len(weights) <= _MAX_GRADES:
        raise BadValue("gain", f"a table of {len(weights)} grades", f"1 to {_MAX_GRADES} grades")
    pairs = sorted(
        (check_number("grade of the gain table", k), check_number("weight of the gain table", v))
        for k, v in weights.items()
    )
    if len({grade for grade, _ in pairs}) < len(pairs):
        raise BadValue("gain", dict(weights), "each grade once, such as {0:0,1:1,2:10}")
    params = [
        Param(_symbol(grade), f"the weight of grade {grade:g}", default=weight)
        for grade, weight in pairs
    ]
    expr: Expr = params[0] if rest is None else g
    skip = 1 if rest is None else 0
    for (grade, _), param in zip(pairs[skip:], params[skip:], strict=True):
        expr = where(equal(g, grade), param, expr)
    parts = [f"{format_exact(k)}:{format_exact(v)}" for k, v in pairs]
    parts += [] if rest is None else [f"{_ELSE}:{_ITSELF}"]
    name = "{" + ",".join(parts) + "}"
    if rest is not None:
        meaning = "a weight for some grades, the others unchanged"
        return NamedFormula("gain", name, expr, meaning)
    grades = tuple(grade for grade, _ in pairs)
    return NamedFormula("gain", name, expr, "a weight for each grade", signed=True, grades=grades)


def parse_table(text: str) -> dict[object, object]:
    """The table that a text such as {0:0,1:1,2:10} tells; the braces may be left out."""
    inner = re.fullmatch(r"\{(.*)\}|([^{}]*)", text.strip(), flags=re.DOTALL)
    pairs = (inner[1] if inner[1] is not None else inner[2]).split(",") if inner else []
    rest = pairs[1:] and re.fullmatch(rf"\s*{_ELSE}\s*:\s*{_ITSELF}\s*", pairs[-1])
    matches = [_PAIR.fullmatch(pair) for pair in (pairs[:-1] if rest else pairs)]
    table: dict[object, object] = {float(pair[1]): float(pair[2]) for pair in matches if pair}
    if rest:
        table[_ELSE] = _ITSELF
    if not all(matches) or len(table) < len(matches) + bool(rest) or not table:
        raise BadValue("gain", text, "each grade once with its weight, such as {0:0,1:1,2:10}")
    return table


def _symbol(grade: float) -> str:
    return "w" + format_exact(grade).replace("-", "_minus").replace(".", "_").replace("+", "")
