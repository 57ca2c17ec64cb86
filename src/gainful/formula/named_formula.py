"""A formula with a name, a source, and values for its parameters: a gain or a discount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gainful.errors import BadValue
from gainful.formula.to_latex import to_latex
from gainful.formula.to_numpy import Array, to_numpy
from gainful.formula.to_text import to_text
from gainful.formula.tree import Expr, Param, Var, parameters, substitute, walk


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
    def bound(self) -> dict[str, float]:
        """Every parameter with its value, chosen or default."""
        return {p.symbol: p.default for p in self.params} | dict(self.values)

    def given(self, values: Mapping[str, object]) -> NamedFormula:
        """The same formula with these parameter values, each checked against its domain."""
        if not values:
            return self
        known = {p.symbol: p for p in self.params}
        for symbol, value in values.items():
            if symbol not in known:
                owned = f"; it has {', '.join(known)}" if known else ""
                allowed = f"nothing: {self.kind} {self.name} has no parameter {symbol}{owned}"
                raise BadValue(symbol, value, allowed)
        checked = {symbol: known[symbol].check(value) for symbol, value in values.items()}
        return replace(self, values=tuple((dict(self.values) | checked).items()))

    def at(self, where: ArrayLike) -> Array:
        """The values at these grades, ranks or positions, elementwise.

        Examples:
            >>> from gainful.measure import DISCOUNTS
            >>> DISCOUNTS["jk2008"].given({"b": 4}).at([1, 2, 4]).round(4).tolist()
            [1.0, 0.6667, 0.5]
        """
        points = np.asarray(where, dtype=np.float64)
        names = {node.symbol for node in walk(self.expr) if isinstance(node, Var)}
        found = to_numpy(self.expr, {**dict.fromkeys(names, points), **self.bound})
        return np.broadcast_to(found, points.shape) if found.shape != points.shape else found

    @property
    def filled(self) -> Expr:
        """The expression with its parameter values put in."""
        return substitute(self.expr, self.bound)

    def text(self) -> str:
        """The formula as plain text with its values put in: `1/(1+log4(i))`."""
        return to_text(self.filled)

    def latex(self) -> str:
        """The formula in LaTeX with its values put in."""
        return to_latex(self.filled)
