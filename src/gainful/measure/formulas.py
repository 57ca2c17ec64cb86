"""Gains and discounts by name, as tables of weights, or as they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from gainful.errors import BadPlugin, BadShape, BadValue, UnknownName, WrongType
from gainful.formula import NamedFormula
from gainful.measure.discount import DISCOUNTS, as_query_discount
from gainful.measure.gain import GAINS, gain_from_table, parse_table
from gainful.types import Array


def find_in_plugins(name: str, table: Mapping[str, object]) -> bool:
    """Load the plug-ins of other packages, and look the name up once more."""
    from gainful.measure.register import load_entry_points  # noqa: PLC0415  (for unknown names)

    failures = load_entry_points()
    if name in table:
        return True
    if failures:
        raise BadPlugin(
            f"{name!r} is unknown, and a package that may define it fails: {failures[0]}"
        )
    return False


def as_gain(value: object) -> NamedFormula:
    """A gain by name, as a table of weights, or as it is.

    Examples:
        >>> as_gain({0: 0, 1: 1, 2: 10, 3: 100}).evaluate_at([3, 0, 2]).tolist()
        [100.0, 0.0, 10.0]
        >>> as_gain("exp").text()
        '2^g-1'
    """
    if isinstance(value, Mapping):
        return gain_from_table(value)
    if isinstance(value, str) and (value.lstrip().startswith("{") or ":" in value):
        return gain_from_table(parse_table(value))
    names, table = ", ".join(GAINS), "or a table such as"
    allowed = f"{names}, {table} {{0: 0, 1: 1}}"
    return _find_named("gain", value, GAINS, allowed, f"{table} {{0:0,1:1,2:10,3:100}}")


def _find_named(
    kind: str, value: object, table: Mapping[str, NamedFormula], allowed: str, hint: str = ""
) -> NamedFormula:
    if isinstance(value, NamedFormula):
        if value.kind != kind:
            raise WrongType(kind, value.name, f"a {kind}; this is a {value.kind}")
        return value
    if not isinstance(value, str):
        raise WrongType(kind, value, allowed)
    if value not in table and not find_in_plugins(value, table):
        raise UnknownName(kind, value, table, hint)
    return table[value]


def find_formula(kind: str, value: object) -> NamedFormula:
    """A gain, a discount or a query discount, by the name of the setting that it is for.

    Examples:
        >>> find_formula("discount", "jk2002").with_values({"b": 2}).text()
        '1/max(1, log2(i))'
        >>> find_formula("query_discount", "jk2008").with_values({"bq": 4}).text()
        '1/(1+log4(q))'
    """
    if kind == "gain":
        return as_gain(value)
    if isinstance(value, NamedFormula) and value.kind == kind.replace("_", " "):
        return value
    formula = _find_named("discount", value, DISCOUNTS, ", ".join(DISCOUNTS))
    return formula if kind == "discount" else as_query_discount(formula)


def query_discount(
    position: ArrayLike, *, bq: float | None = None, discount: str | NamedFormula = "jk2008"
) -> float | Array:
    """What is left of a query's gain when it is the q-th of its session?

    The sDCG vector of a query is its DCG vector scaled by this (Järvelin et al. 2008, §2.2).

    Examples:
        >>> round(query_discount(2, bq=4), 4)
        0.6667
    """
    formula = find_formula("query_discount", discount).with_values({} if bq is None else {"bq": bq})
    try:
        positions = np.asarray(position)
    except ValueError:
        raise BadShape("position", position, "whole numbers, as one list or table") from None
    if positions.dtype.kind not in "iuf":
        raise WrongType("position", position, "whole numbers of at least 1")
    whole = (positions >= 1) & (positions == np.floor(positions)) & np.isfinite(positions)
    if not (positions.size and whole.all()):
        raise BadValue("position", position, "whole numbers of at least 1")
    values = formula.evaluate_at(positions)
    return float(values) if values.ndim == 0 else values
