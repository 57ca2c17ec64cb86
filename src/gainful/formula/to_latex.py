"""Formula → LaTeX, without the dollar signs: for papers, docs and notebooks."""

import re
from math import e

from gainful.formula.number import written
from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where

_COMPARED = {"<": "<", "<=": r"\le", "==": "=", ">=": r"\ge", ">": ">"}
_LOOSE = {"+", "-"}


def to_latex(node: Expr) -> str:
    r"""The expression in LaTeX's mathematics.

    Examples:
        >>> from gainful.formula import Var, log
        >>> print(to_latex(1 / log(2, Var("i", "rank") + 1)))
        \frac{1}{\log_{2}(i + 1)}
    """
    match node:
        case Const(value):
            return written(value)
        case Var(symbol) | Param(symbol):
            return _symbol(symbol)
        case Arithmetic("pow", left, right):
            return f"{_base(left)}^{{{to_latex(right)}}}"
        case Arithmetic("max", left, right):
            return rf"\max({to_latex(left)}, {to_latex(right)})"
        case Arithmetic("/", left, right):
            return rf"\frac{{{to_latex(left)}}}{{{to_latex(right)}}}"
        case Arithmetic("*", left, right):
            return rf"{_factor(left)} \cdot {_factor(right)}"
        case Arithmetic("-", Const(0), right):
            return f"-{_factor(right)}"
        case Arithmetic("-", left, right):
            return f"{_term(left)} - {_factor(right)}"
        case Arithmetic(op, left, right):
            return f"{_term(left)} {op} {_term(right)}"
        case Log(Const(base), of) if base == e:
            return rf"\ln({to_latex(of)})"
        case Log(base, of):
            return rf"\log_{{{to_latex(base)}}}({to_latex(of)})"
        case Compare(op, left, right):
            return f"{to_latex(left)} {_COMPARED[op]} {to_latex(right)}"
        case Where():
            return _cases(node)
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _symbol(symbol: str) -> str:
    """A symbol of one letter with an index, such as b_q or w_{0.5}, or a word."""
    indexed = re.fullmatch(r"([a-z])(q?i|q|[\d_].*)", symbol)
    if indexed:
        index = indexed[2].replace("_minus", "-").replace("_", ".")
        return f"{indexed[1]}_{{{index}}}"
    return symbol if len(symbol) == 1 else rf"\mathit{{{symbol}}}"


def _cases(node: Expr) -> str:
    """Nested alternatives as one list of cases."""
    lines = []
    while isinstance(node, Where):
        lines.append(rf"{to_latex(node.yes)} & \text{{if }} {to_latex(node.condition)}")
        node = node.no
    lines.append(rf"{to_latex(node)} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"


def _term(node: Expr) -> str:
    """An operand of a sum."""
    return _bracketed(node, isinstance(node, (Compare, Where)) or _negative(node))


def _factor(node: Expr) -> str:
    """An operand of a product, or what is taken away."""
    loose = isinstance(node, Arithmetic) and node.op in _LOOSE
    return _bracketed(node, loose or isinstance(node, (Compare, Where)) or _negative(node))


def _base(node: Expr) -> str:
    """What is raised to a power."""
    return _bracketed(node, not isinstance(node, (Var, Param, Const)) or _negative(node))


def _bracketed(node: Expr, needed: bool) -> str:
    text = to_latex(node)
    return rf"\left({text}\right)" if needed else text


def _negative(node: Expr) -> bool:
    return isinstance(node, Const) and node.value < 0
