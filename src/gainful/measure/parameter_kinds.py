"""What the brackets of a measure can hold: numbers, formulas, levels, measures, settings.

Each kind says what is allowed, what it means, and how a value is written in its one spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from math import e
from typing import Any

from attrs import frozen

from gainful.convention import SETTINGS, Setting
from gainful.errors import BadValue
from gainful.measure.discount import DISCOUNTS
from gainful.measure.entry import FORMULA_PARAMS
from gainful.measure.formulas import find_formula
from gainful.measure.gain import GAINS
from gainful.measure.parameters import CHOICES, PARAMETERS, as_points
from gainful.text import format_exact
from gainful.types import is_number

ParameterValue = str | float | int


@frozen
class ParameterKind:
    """One kind of parameter."""

    check: Callable[[Any], ParameterValue]  # the value in its one spelling, or an error
    allowed: str
    meaning: str
    quoted: bool = False  # is it always written in quotes?
    default: float | str | None = None  # what it usually is, where no convention says it


def find_kind(name: str, *, of_session: bool = False) -> ParameterKind:
    """The kind of a parameter; settings of a convention are those of rankings or of sessions."""
    if name in PARAMETERS:
        param = PARAMETERS[name]
        allowed = param.domain.describe(name)
        return ParameterKind(param.check, allowed, param.meaning, default=param.default)
    if name in _KINDS:
        return _KINDS[name]
    setting = CHOICES.get(name)
    if setting is None and of_session:
        from gainful.convention.session import SESSION_SETTINGS  # noqa: PLC0415  (runs need none)

        setting = SESSION_SETTINGS.get(name)
    # What sessions have no setting for is what it is of single rankings: max_grade.
    setting = setting or SETTINGS[name]
    return _formula_kind(setting) if name in FORMULA_PARAMS else _choice_kind(setting)


def _choice_kind(setting: Setting) -> ParameterKind:
    def check(value: Any) -> ParameterValue:
        setting.check(value)
        return value  # type: ignore[no-any-return]  # the table of answers has just vouched for it

    answers = ", ".join(str(answer) for answer in setting.answers)
    return ParameterKind(check, answers or setting.allowed, setting.question)


def _formula_kind(setting: Setting) -> ParameterKind:
    is_gain = setting.name == "gain"
    formulas = GAINS if is_gain else DISCOUNTS
    names = ", ".join(formulas)

    def check(value: object) -> str:  # of one's own no name is known: it goes into the call
        formula = find_formula("gain" if is_gain else "discount", value)
        own = formulas.get(formula.name)
        if not formula.name.startswith("{") and (own is None or own.expr != formula.expr):
            allowed = f"{names}; pass a custom formula as an option of the call"
            raise BadValue(setting.name, formula.name, allowed)
        return formula.name

    table = ", or a table such as {0:0,1:1,2:10,3:100}" if is_gain else ""
    return ParameterKind(check, names + table, setting.question)


def _check_inner_measure(value: Any) -> str:
    language = import_module("gainful.measure.language")  # which knows what measures mean
    return str(language.parse_inner_measure(value))


def _check_price(value: object) -> ParameterValue:
    if isinstance(value, str) and value.strip():
        return value
    if not is_number(value) or not 0 <= value < float("inf"):
        raise BadValue("price", value, "a number of at least 0, or the name of a column")
    return float(value)


def _price_kind(what: str) -> ParameterKind:
    return ParameterKind(
        _check_price,
        "a number of at least 0, or the name of a column of numbers",
        f"what a {what} costs",
    )


_KINDS: Mapping[str, ParameterKind] = {
    "points": ParameterKind(
        lambda value: ",".join(map(format_exact, as_points(value))),
        "levels of recall from 0 to 1, such as '0,0.5,1'",
        "the levels of recall that are averaged over",
        default="0, 0.1, …, 1",
    ),
    "per_query": _price_kind("query"),
    "per_result": _price_kind("result"),
    "of": ParameterKind(
        _check_inner_measure,
        "a measure of single rankings, in quotes",
        "the measure that is computed for each query",
        quoted=True,
    ),
}


def write_value(name: str, value: ParameterValue) -> str:
    """A value as it stands in the brackets of a measure."""
    if value == e:
        return "e"
    if name in _KINDS and _KINDS[name].quoted:  # what has quotes itself gets the other ones
        return f'"{value}"' if "'" in str(value) else f"'{value}'"
    if isinstance(value, str) and "," in value and not value.startswith("{"):
        return f"'{value}'"
    return format_exact(value) if isinstance(value, float) else str(value)
