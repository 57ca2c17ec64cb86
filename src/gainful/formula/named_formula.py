"""A formula with a name, a source, and values for its parameters: a gain or a discount."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gainful.errors import BadValue
from gainful.formula.tree import (
    Arithmetic,
    Compare,
    Const,
    Expr,
    Log,
    Param,
    Var,
    Where,
    parameters,
    substitute,
    walk,
)
from gainful.types import Array

_OPERATIONS = {  # by the names that the array API standard has for them
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "pow": "pow",
    "max": "maximum",
    "<": "less",
    "<=": "less_equal",
    "==": "equal",
    ">=": "greater_equal",
    ">": "greater",
}


def to_numpy(node: Expr, values: Mapping[str, ArrayLike]) -> Array:
    """The value of an expression, elementwise; as IEEE 754 has it, without warnings.

    Examples:
        >>> from gainful.formula import Var, log
        >>> to_numpy(1 / log(2, Var("i", "rank") + 1), {"i": [1, 3, 7]}).round(4).tolist()
        [1.0, 0.5, 0.3333]
    """
    arrays = {symbol: np.asarray(value, dtype=np.float64) for symbol, value in values.items()}
    with np.errstate(all="ignore"):
        return np.asarray(_evaluate(node, arrays, np, np.float64), dtype=np.float64)


def _evaluate(
    node: Expr, values: Mapping[str, Any], xp: Any, constant: Callable[[float], Any]
) -> Any:
    """The value of an expression by the functions of a namespace, such as `numpy`."""
    parts = [_evaluate(child, values, xp, constant) for child in getattr(node, "children", ())]
    match node:
        case Const(value):
            return constant(value)
        case Var(symbol) | Param(symbol):
            return values[symbol]
        case Arithmetic(op):
            return getattr(xp, _OPERATIONS[op])(*parts)
        case Compare(op):  # a number, as in JavaScript: 1 + (g > 2) is 1 or 2
            return xp.where(getattr(xp, _OPERATIONS[op])(*parts), constant(1), constant(0))
        case Log():
            return xp.log(parts[1]) / xp.log(parts[0])
        case Where():
            return xp.where(parts[0] == 1, parts[1], parts[2])
        case _:
            raise TypeError(f"not a formula node: {node!r}")


@dataclass(frozen=True)
class NamedFormula:
    """One gain or one discount: what it is called, what it computes, who proposed it."""

    kind: str
    name: str
    expr: Expr
    meaning: str
    cite: str = ""
    signed: bool = False  # does the formula itself say what a negative grade is worth?
    grades: tuple[float, ...] = ()  # the only grades it knows; empty where it knows all
    values: tuple[tuple[str, float], ...] = ()

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """What a user may choose in this formula."""
        return parameters(self.expr)

    @cached_property
    def param_values(self) -> dict[str, float]:
        """Every parameter with its value, chosen or default."""
        return {p.symbol: p.default for p in self.params} | dict(self.values)

    @cached_property
    def _variables(self) -> frozenset[str]:
        return frozenset(node.symbol for node in walk(self.expr) if isinstance(node, Var))

    def with_values(self, values: Mapping[str, object]) -> NamedFormula:
        """The formula with these parameter values, each checked against its domain."""
        if not values:
            return self
        by_symbol = {p.symbol: p for p in self.params}
        for symbol, value in values.items():
            if symbol not in by_symbol:
                listing = f"; it has {', '.join(by_symbol)}" if by_symbol else ""
                allowed = f"no value: {self.kind} {self.name} has no parameter {symbol}{listing}"
                raise BadValue(symbol, value, allowed)
        new_values = {symbol: by_symbol[symbol].check(value) for symbol, value in values.items()}
        return replace(self, values=tuple((dict(self.values) | new_values).items()))

    def evaluate_at(self, inputs: ArrayLike) -> Array:
        """The values at these grades, ranks or positions, elementwise.

        Examples:
            >>> from gainful.measure.discount import DISCOUNTS
            >>> DISCOUNTS["jk2008"].with_values({"b": 4}).evaluate_at([1, 2, 4]).round(4).tolist()
            [1.0, 0.6667, 0.5]
        """
        points = np.asarray(inputs, dtype=np.float64)
        result = to_numpy(
            self.expr, {**dict.fromkeys(self._variables, points), **self.param_values}
        )
        return np.broadcast_to(result, points.shape) if result.shape != points.shape else result

    def evaluate_on(self, xp: Any, points: Any) -> Any:
        """The values at the points of a matrix, on its device and as precise as it is."""

        def constant(value: float) -> Any:
            return xp.full_like(points[:1, :1], value)

        values = {symbol: constant(value) for symbol, value in self.param_values.items()}
        values |= dict.fromkeys(self._variables, points)
        return xp.broadcast_to(_evaluate(self.expr, values, xp, constant), points.shape)

    @property
    def expr_with_values(self) -> Expr:
        """The expression with its parameter values put in."""
        return substitute(self.expr, self.param_values)

    def text(self) -> str:
        """The formula as plain text with its values put in: `1/(1+log4(i))`."""
        from gainful.formula.renderers import to_text  # noqa: PLC0415  (only to show it)

        return to_text(self.expr_with_values)

    def latex(self) -> str:
        """The formula in LaTeX with its values put in."""
        from gainful.formula.renderers import to_latex  # noqa: PLC0415  (only to show it)

        return to_latex(self.expr_with_values)
