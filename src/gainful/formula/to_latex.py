"""Formula → LaTeX, without the dollar signs: for papers, docs and notebooks."""

import re
from math import e

from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where
from gainful.text import format_short

_COMPARISONS = {"<": "<", "<=": r"\le", "==": "=", ">=": r"\ge", ">": ">"}
_ADDITIVE = {"+", "-"}


def to_latex(node: Expr) -> str:
    r"""The expression in LaTeX's mathematics.

    Examples:
        >>> from gainful.formula import Var, log
        >>> print(to_latex(1 / log(2, Var("i", "rank") + 1)))
        \frac{1}{\log_{2}(i + 1)}
    """
    match node:
        case Const(value):
            return format_short(value)
        case Var(symbol) | Param(symbol):
            return _render_symbol(symbol)
        case Arithmetic("pow", left, right):
            return f"{_render_base(left)}^{{{to_latex(right)}}}"
        case Arithmetic("max", left, right):
            return rf"\max({to_latex(left)}, {to_latex(right)})"
        case Arithmetic("/", left, right):
            return rf"\frac{{{to_latex(left)}}}{{{to_latex(right)}}}"
        case Arithmetic("*", left, right):
            return rf"{_render_factor(left)} \cdot {_render_factor(right)}"
        case Arithmetic("-", Const(0), right):
            return f"-{_render_factor(right)}"
        case Arithmetic("-", left, right):
            return f"{_render_term(left)} - {_render_factor(right)}"
        case Arithmetic(op, left, right):
            return f"{_render_term(left)} {op} {_render_term(right)}"
        case Log(Const(base), argument) if base == e:
            return rf"\ln({to_latex(argument)})"
        case Log(base, argument):
            return rf"\log_{{{to_latex(base)}}}({to_latex(argument)})"
        case Compare(op, left, right):
            return f"{to_latex(left)} {_COMPARISONS[op]} {to_latex(right)}"
        case Where():
            return _render_cases(node)
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _render_symbol(symbol: str) -> str:
    """A symbol of one letter with an index, such as b_q or w_{0.5}, or a word."""
    parts = re.fullmatch(r"([a-z])(q?i|q|[\d_].*)", symbol)
    if parts:
        index = parts[2].replace("_minus", "-").replace("_", ".")
        return f"{parts[1]}_{{{index}}}"
    return symbol if len(symbol) == 1 else rf"\mathit{{{symbol}}}"


def _render_cases(node: Expr) -> str:
    """Nested alternatives as one list of cases."""
    lines = []
    while isinstance(node, Where):
        lines.append(rf"{to_latex(node.yes)} & \text{{if }} {to_latex(node.condition)}")
        node = node.no
    lines.append(rf"{to_latex(node)} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"


def _render_term(node: Expr) -> str:
    return _bracket(node, isinstance(node, (Compare, Where)) or _is_negative(node))


def _render_factor(node: Expr) -> str:
    is_sum = isinstance(node, Arithmetic) and node.op in _ADDITIVE
    return _bracket(node, is_sum or isinstance(node, (Compare, Where)) or _is_negative(node))


def _render_base(node: Expr) -> str:
    return _bracket(node, not isinstance(node, (Var, Param, Const)) or _is_negative(node))


def _bracket(node: Expr, needed: bool) -> str:
    text = to_latex(node)
    return rf"\left({text}\right)" if needed else text


def _is_negative(node: Expr) -> bool:
    return isinstance(node, Const) and node.value < 0
