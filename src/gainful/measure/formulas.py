"""Gains and discounts by name, as tables of weights, or as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    if isinstance(value, NamedFormula):
        if value.kind != "gain":
            raise WrongType("gain", value.name, f"a gain; this is a {value.kind}")
        return value
    if isinstance(value, Mapping):
        return gain_from_table(value)
    if not isinstance(value, str):
        raise WrongType("gain", value, f"{', '.join(GAINS)}, or a table such as {{0: 0, 1: 1}}")
    if value.lstrip().startswith("{") or ":" in value:
        return gain_from_table(parse_table(value))
    if value not in GAINS and not find_in_plugins(value, GAINS):
        raise UnknownName("gain", value, GAINS, "or a table such as {0:0,1:1,2:10,3:100}")
    return GAINS[value]


def as_discount(value: object) -> NamedFormula:
    """A discount by name, or as it is.

    Examples:
        >>> as_discount("jk2002").with_values({"b": 2}).text()
        '1/max(1, log2(i))'
    """
    if isinstance(value, NamedFormula):
        if value.kind != "discount":
            raise WrongType("discount", value.name, f"a discount; this is a {value.kind}")
        return value
    if not isinstance(value, str):
        raise WrongType("discount", value, ", ".join(DISCOUNTS))
    if value not in DISCOUNTS and not find_in_plugins(value, DISCOUNTS):
        raise UnknownName("discount", value, DISCOUNTS)
    return DISCOUNTS[value]


def _as_query_formula(value: object) -> NamedFormula:
    if isinstance(value, NamedFormula) and value.kind == "query discount":
        return value
    return as_query_discount(as_discount(value))


_FIND: Mapping[str, Callable[[object], NamedFormula]] = {
    "gain": as_gain,
    "discount": as_discount,
    "query_discount": _as_query_formula,
}


def find_formula(kind: str, value: object) -> NamedFormula:
    """A gain, a discount or a query discount, by the name of the setting that it is for.

    Examples:
        >>> find_formula("query_discount", "jk2008").with_values({"bq": 4}).text()
        '1/(1+log4(q))'
    """
    return _FIND[kind](value)


def query_discount(
    position: ArrayLike, *, bq: float | None = None, discount: str | NamedFormula = "jk2008"
) -> float | Array:
    """What is left of a query's gain when it is the q-th of its session?

    The sDCG vector of a query is its DCG vector scaled by this (Järvelin et al. 2008, §2.2).

    Examples:
        >>> round(query_discount(2, bq=4), 4)
        0.6667
    """
    formula = as_query_discount(as_discount(discount)).with_values({} if bq is None else {"bq": bq})
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
