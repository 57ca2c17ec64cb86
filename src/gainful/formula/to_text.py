"""Formula → plain text: what the command prints and `--help` says."""

from math import e

from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where
from gainful.text import format_short

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_PRECEDENCE = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "pow": _POWER}
_SIGNS = {"+": "+", "-": "-", "*": "·", "/": "/", "pow": "^"}
_COMPARISONS = {"<": "<", "<=": "≤", "==": "=", ">=": "≥", ">": ">"}


def to_text(node: Expr) -> str:
    """The expression as one would type it in a message.

    Examples:
        >>> from gainful.formula import Var, log, maximum
        >>> to_text(1 / maximum(1, log(2, Var("i", "rank"))))
        '1/max(1, log2(i))'
    """
    match node:
        case Const(value):
            return format_short(value)
        case Var(symbol) | Param(symbol):
            return symbol
        case Arithmetic("max", left, right):
            return f"max({to_text(left)}, {to_text(right)})"
        case Arithmetic("-", Const(0), right):
            return f"-{_bracket(right, _PRODUCT)}"
        case Arithmetic(op, left, right):
            level = _PRECEDENCE[op]
            # a-(b-c) and a/(b/c) need their brackets on the right, a^b^c on the left
            return (
                _bracket(left, level + (op == "pow"))
                + _SIGNS[op]
                + _bracket(right, level + (op in ("-", "/")))
            )
        case Log(Const(base), argument) if base == e:
            return f"ln({to_text(argument)})"
        case Log(Const(base), argument):
            return f"log{format_short(base)}({to_text(argument)})"
        case Log(base, argument):
            return f"log_{_bracket(base, _ATOM)}({to_text(argument)})"
        case Compare(op, left, right):
            return f"{to_text(left)} {_COMPARISONS[op]} {to_text(right)}"
        case Where(condition, yes, no):
            return f"{to_text(yes)} if {to_text(condition)} else {to_text(no)}"
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _bracket(node: Expr, level: int) -> str:
    text = to_text(node)
    return text if _precedence(node) >= level else f"({text})"


def _precedence(node: Expr) -> int:
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
