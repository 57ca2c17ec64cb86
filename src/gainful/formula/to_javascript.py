"""Formula → JavaScript: one expression that any script can evaluate.

JavaScript has no logarithm of an arbitrary base, so `log_b x` is `Math.log(x)/Math.log(b)`,
which is also how the NumPy renderer computes it: both give the same number.
"""

from math import inf, isinf, isnan

from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where

_FUNCTIONS = {"pow": "Math.pow", "max": "Math.max"}


def to_javascript(node: Expr) -> str:
    """The expression in JavaScript; variables and parameters keep their symbols.

    Examples:
        >>> from gainful.formula import Var, log
        >>> to_javascript(1 / log(2, Var("i", "rank") + 1))
        '(1 / (Math.log((i + 1)) / Math.log(2)))'
    """
    match node:
        case Const(value):
            return _render_number(value)
        case Var(symbol) | Param(symbol):
            return symbol
        case Arithmetic(("pow" | "max") as op, left, right):
            return f"{_FUNCTIONS[op]}({to_javascript(left)}, {to_javascript(right)})"
        case Arithmetic(op, left, right):
            return f"({to_javascript(left)} {op} {to_javascript(right)})"
        case Compare():
            return f"({_render_condition(node)} ? 1 : 0)"
        case Log(base, argument):
            return f"(Math.log({to_javascript(argument)}) / Math.log({to_javascript(base)}))"
        case Where(condition, yes, no):
            return f"({_render_condition(condition)} ? {to_javascript(yes)} : {to_javascript(no)})"
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _render_condition(node: Compare) -> str:
    op = "===" if node.op == "==" else node.op
    return f"{to_javascript(node.left)} {op} {to_javascript(node.right)}"


def _render_number(value: float) -> str:
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value == inf else "(-Infinity)"
    text = f"{value:.0f}" if float(value).is_integer() and abs(value) < 2**53 else repr(value)
    return f"({text})" if text.startswith("-") else text
