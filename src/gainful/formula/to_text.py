"""Formula → plain text: what the command prints and `--help` says."""

from math import e

from gainful.formula.number import written
from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_PRECEDENCE = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "pow": _POWER}
_SIGN = {"+": "+", "-": "-", "*": "·", "/": "/", "pow": "^"}
_COMPARED = {"<": "<", "<=": "≤", "==": "=", ">=": "≥", ">": ">"}


def to_text(node: Expr) -> str:
    """The expression as one would type it in a message.

    Examples:
        >>> from gainful.formula import Var, log, maximum
        >>> to_text(1 / maximum(1, log(2, Var("i", "rank"))))
        '1/max(1, log2(i))'
    """
    match node:
        case Const(value):
            return written(value)
        case Var(symbol) | Param(symbol):
            return symbol
        case Arithmetic("max", left, right):
            return f"max({to_text(left)}, {to_text(right)})"
        case Arithmetic("-", Const(0), right):
            return f"-{_within(right, _PRODUCT)}"
        case Arithmetic(op, left, right):
            own = _PRECEDENCE[op]
            # a-(b-c) and a/(b/c) need their brackets on the right, a^b^c on the left
            return (
                _within(left, own + (op == "pow"))
                + _SIGN[op]
                + _within(right, own + (op in ("-", "/")))
            )
        case Log(Const(base), of) if base == e:
            return f"ln({to_text(of)})"
        case Log(Const(base), of):
            return f"log{written(base)}({to_text(of)})"
        case Log(base, of):
            return f"log_{_within(base, _ATOM)}({to_text(of)})"
        case Compare(op, left, right):
            return f"{to_text(left)} {_COMPARED[op]} {to_text(right)}"
        case Where(condition, yes, no):
            return f"{to_text(yes)} if {to_text(condition)} else {to_text(no)}"
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _within(node: Expr, at_least: int) -> str:
    """The text of an operand, in brackets where it binds less than its surroundings."""
    text = to_text(node)
    return text if _binding(node) >= at_least else f"({text})"


def _binding(node: Expr) -> int:
    match node:
        case Arithmetic("max", _, _):
            return _ATOM
        case Arithmetic(op, _, _):
            return _PRECEDENCE[op]
        case Const(value):
            return 0 if value < 0 else _ATOM
        case Compare() | Where():
            return 0
        case _:
            return _ATOM
