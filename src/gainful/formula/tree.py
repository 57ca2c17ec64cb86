"""The seven nodes of which every gain and discount is made.

A formula is written as the paper writes it, `1 / (1 + log(b, i))`, and stays data: the
renderers beside this file turn it into NumPy, JavaScript, LaTeX and plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal

from gainful.errors import BadValue, WrongType
from gainful.types import is_number, to_float


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


class Expr:
    """Anything that has a value once its variables and parameters have one."""

    __slots__ = ()

    def __add__(self, other: Expr | float) -> Arithmetic:
        return Arithmetic("+", self, as_expr(other))

    def __radd__(self, other: float) -> Arithmetic:
        return Arithmetic("+", as_expr(other), self)

    def __sub__(self, other: Expr | float) -> Arithmetic:
        return Arithmetic("-", self, as_expr(other))

    def __rsub__(self, other: float) -> Arithmetic:
        return Arithmetic("-", as_expr(other), self)

    def __mul__(self, other: Expr | float) -> Arithmetic:
        return Arithmetic("*", self, as_expr(other))

    def __rmul__(self, other: float) -> Arithmetic:
        return Arithmetic("*", as_expr(other), self)

    def __truediv__(self, other: Expr | float) -> Arithmetic:
        return Arithmetic("/", self, as_expr(other))

    def __rtruediv__(self, other: float) -> Arithmetic:
        return Arithmetic("/", as_expr(other), self)

    def __pow__(self, other: Expr | float) -> Arithmetic:
        return Arithmetic("pow", self, as_expr(other))

    def __rpow__(self, other: float) -> Arithmetic:
        return Arithmetic("pow", as_expr(other), self)

    def __neg__(self) -> Arithmetic:
        return Arithmetic("-", Const(0), self)

    def __lt__(self, other: Expr | float) -> Compare:
        return Compare("<", self, as_expr(other))

    def __le__(self, other: Expr | float) -> Compare:
        return Compare("<=", self, as_expr(other))

    def __ge__(self, other: Expr | float) -> Compare:
        return Compare(">=", self, as_expr(other))

    def __gt__(self, other: Expr | float) -> Compare:
        return Compare(">", self, as_expr(other))


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

    op: ArithmeticOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Log(Expr):
    """The logarithm of a value to any base."""

    base: Expr
    argument: Expr


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """A question with the answer yes (1) or no (0)."""

    op: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Where(Expr):
    """One value where the condition holds, another where it does not."""

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


def list_children(node: Expr) -> tuple[Expr, ...]:
    """The expressions a node is made of, left to right."""
    match node:
        case Arithmetic(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Log(base, argument):
            return (base, argument)
        case Where(condition, yes, no):
            return (condition, yes, no)
        case _:
            return ()


def walk(node: Expr) -> Iterator[Expr]:
    """The node and everything below it."""
    yield node
    for child in list_children(node):
        yield from walk(child)


def parameters(node: Expr) -> tuple[Param, ...]:
    """The parameters an expression has, in order of appearance."""
    return tuple(dict.fromkeys(child for child in walk(node) if isinstance(child, Param)))


def substitute(node: Expr, values: Mapping[str, Expr | float]) -> Expr:
    """An expression with its variables and parameters replaced by numbers or expressions."""
    match node:
        case Var(symbol) | Param(symbol):
            return as_expr(values[symbol]) if symbol in values else node
        case Arithmetic(op, left, right):
            return Arithmetic(op, substitute(left, values), substitute(right, values))
        case Log(base, argument):
            return Log(substitute(base, values), substitute(argument, values))
        case Compare():
            return _substitute_compare(node, values)
        case Where(condition, yes, no):
            test = _substitute_compare(condition, values)
            return Where(test, substitute(yes, values), substitute(no, values))
        case _:
            return node


def _substitute_compare(node: Compare, values: Mapping[str, Expr | float]) -> Compare:
    return Compare(node.op, substitute(node.left, values), substitute(node.right, values))
