"""Room `formula`: an expression goes in, NumPy comes out; `renderers` writes it for readers.

A formula is written as the paper writes it, `1 / (1 + log(b, i))`, and stays data: of seven kinds
of nodes every gain and discount is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gainful.errors import BadValue, WrongType
from gainful.types import Array, is_number, to_float


@dataclass(frozen=True, slots=True)
class Domain:
    """An interval of numbers, open unless it is said to be closed.

    Examples:
        >>> Domain(1, 1000).describe("bq")
        '1 < bq < 1000'
        >>> Domain(0, 1, closed=True).describe("alpha")
        '0 ≤ alpha ≤ 1'
    """

    above: float = -inf
    below: float = inf
    closed: bool = False  # are both ends allowed?

    def describe(self, symbol: str) -> str:
        """The domain as a condition on the symbol."""
        if self.above == -inf and self.below == inf:
            return "any finite number"
        if self.below == inf:
            return f"{symbol} > {self.above:g}"
        sign = "≤" if self.closed else "<"
        return f"{self.above:g} {sign} {symbol} {sign} {self.below:g}"

    def check(self, symbol: str, value: object) -> float:
        """The value as a float, or an error naming symbol, value and domain."""
        allowed = self.describe(symbol)
        if not is_number(value):
            raise WrongType(symbol, value, f"a number, {allowed}")
        number = to_float(value)
        inside = self.above < number < self.below
        at_end = self.closed and number in (self.above, self.below)
        if not (isfinite(number) and (inside or at_end)):
            raise BadValue(symbol, value, allowed)
        return number


ANY_NUMBER = Domain()


ArithmeticOp = Literal["+", "-", "*", "/", "pow", "max"]
CompareOp = Literal["<", "<=", "==", ">=", ">"]
Made = TypeVar("Made")
Operator = Callable[[Any, "Expr | float"], Made]


def _calculate(op: ArithmeticOp) -> tuple[Operator[Arithmetic], Operator[Arithmetic]]:
    """An operator, and the same with the expression on its right."""
    return (
        lambda left, right: Arithmetic(op, left, as_expr(right)),
        lambda right, left: Arithmetic(op, as_expr(left), right),
    )


def _compare(op: CompareOp) -> Operator[Compare]:
    return lambda left, right: Compare(op, left, as_expr(right))


class Expr:
    """Anything that has a value once its variables and parameters have one."""

    __slots__ = ()
    parts: ClassVar[tuple[str, ...]] = ()  # the fields that are expressions, left to right

    __add__, __radd__ = _calculate("+")
    __sub__, __rsub__ = _calculate("-")
    __mul__, __rmul__ = _calculate("*")
    __truediv__, __rtruediv__ = _calculate("/")
    __pow__, __rpow__ = _calculate("pow")
    __lt__, __le__ = _compare("<"), _compare("<=")
    __gt__, __ge__ = _compare(">"), _compare(">=")

    def __neg__(self) -> Arithmetic:
        return Arithmetic("-", Const(0), self)

    @property
    def children(self) -> tuple[Any, ...]:
        """The expressions it is made of, left to right."""
        return tuple(getattr(self, name) for name in self.parts)


@dataclass(frozen=True, slots=True)
class Var(Expr):
    """What differs from document to document: a grade, a rank, a query position."""

    symbol: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A number."""

    value: float


@dataclass(frozen=True, slots=True)
class Param(Expr):
    """What a user may choose, with all that help, checks and sliders need to know of it."""

    symbol: str
    meaning: str
    default: float
    domain: Domain = ANY_NUMBER
    typical: tuple[float, float] | None = None

    def check(self, value: object) -> float:
        """The value as a number, or an error naming the parameter and its domain."""
        return self.domain.check(self.symbol, value)


@dataclass(frozen=True, slots=True)
class Arithmetic(Expr):
    """Two values made one: + − × ÷, a power, or the larger of both."""

    parts = ("left", "right")
    op: ArithmeticOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Log(Expr):
    """The logarithm of a value to any base."""

    parts = ("base", "argument")
    base: Expr
    argument: Expr


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """A question with the answer yes (1) or no (0)."""

    parts = ("left", "right")
    op: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Where(Expr):
    """One value where the condition holds, another where it does not."""

    parts = ("condition", "yes", "no")
    condition: Compare
    yes: Expr
    no: Expr


def as_expr(value: Expr | float) -> Expr:
    """A number as a constant; an expression as it is."""
    return value if isinstance(value, Expr) else Const(value)


def log(base: Expr | float, argument: Expr | float) -> Log:
    """log_base(of)."""
    return Log(as_expr(base), as_expr(argument))


def maximum(left: Expr | float, right: Expr | float) -> Arithmetic:
    """The larger of two values."""
    return Arithmetic("max", as_expr(left), as_expr(right))


def equal(left: Expr | float, right: Expr | float) -> Compare:
    """Ask whether two values are equal; `==` itself compares expressions, not their values."""
    return Compare("==", as_expr(left), as_expr(right))


def where(condition: Compare, yes: Expr | float, no: Expr | float) -> Where:
    """`yes` where the condition holds, else `no`."""
    return Where(condition, as_expr(yes), as_expr(no))


def walk(node: Expr) -> Iterator[Expr]:
    """The node and everything below it."""
    yield node
    for child in node.children:
        yield from walk(child)


def parameters(node: Expr) -> tuple[Param, ...]:
    """The parameters an expression has, in order of appearance."""
    return tuple(dict.fromkeys(child for child in walk(node) if isinstance(child, Param)))


def substitute(node: Expr, values: Mapping[str, Expr | float]) -> Expr:
    """An expression with its variables and parameters replaced by numbers or expressions."""
    if isinstance(node, (Var, Param)):
        return as_expr(values[node.symbol]) if node.symbol in values else node
    changed: Any = node
    parts = {name: substitute(getattr(node, name), values) for name in node.parts}
    return replace(changed, **parts)  # type: ignore[no-any-return]


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
                listing += "; discount=log has it" if symbol == "b" else ""
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
