"""Formula → plain text, LaTeX, MathML, JavaScript: for messages, papers, pages, scripts."""

import re
from html import escape
from math import e, inf, isinf, isnan

from gainful.formula import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where
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


_LATEX_COMPARISONS = {"<": "<", "<=": r"\le", "==": "=", ">=": r"\ge", ">": ">"}


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
            base = _bracket_latex(left, _is_compound(left) or _is_choice(left))
            return f"{base}^{{{to_latex(right)}}}"
        case Arithmetic("max", left, right):
            return rf"\max({to_latex(left)}, {to_latex(right)})"
        case Arithmetic("/", left, right):
            return rf"\frac{{{to_latex(left)}}}{{{to_latex(right)}}}"
        case Arithmetic("*", left, right):
            first = _bracket_latex(left, _is_loose(left))
            return rf"{first} \cdot {_bracket_latex(right, _is_loose(right))}"
        case Arithmetic("-", Const(0), right):
            return f"-{_bracket_latex(right, _is_loose(right))}"
        case Arithmetic(op, left, right):
            is_inside = _is_loose if op == "-" else _is_choice
            first = _bracket_latex(left, _is_choice(left))
            return f"{first} {op} {_bracket_latex(right, is_inside(right))}"
        case Log(Const(base), argument) if base == e:
            return rf"\ln({to_latex(argument)})"
        case Log(base, argument):
            return rf"\log_{{{to_latex(base)}}}({to_latex(argument)})"
        case Compare(op, left, right):
            return f"{to_latex(left)} {_LATEX_COMPARISONS[op]} {to_latex(right)}"
        case Where():
            return _render_cases(node)
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _render_symbol(symbol: str) -> str:
    parts = re.fullmatch(r"([a-z])(q?i|q|[\d_].*)", symbol)
    if parts:
        index = parts[2].replace("_minus", "-").replace("_", ".")
        return f"{parts[1]}_{{{index}}}"
    return symbol if len(symbol) == 1 else rf"\mathit{{{symbol}}}"


def _render_cases(node: Expr) -> str:
    lines = []
    while isinstance(node, Where):
        lines.append(rf"{to_latex(node.yes)} & \text{{if }} {to_latex(node.condition)}")
        node = node.no
    lines.append(rf"{to_latex(node)} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"


def _bracket_latex(node: Expr, needed: bool) -> str:
    text = to_latex(node)
    return rf"\left({text}\right)" if needed else text


def _is_choice(node: Expr) -> bool:
    """Can it be no part of a sum as it is: a question, a choice, a number below 0?"""
    return isinstance(node, (Compare, Where)) or (isinstance(node, Const) and node.value < 0)


def _is_loose(node: Expr) -> bool:
    """Can it be no part of a product as it is?"""
    return _is_choice(node) or (isinstance(node, Arithmetic) and node.op in ("+", "-"))


def _is_compound(node: Expr) -> bool:
    return not isinstance(node, (Const, Var, Param))


_MATHML_SIGNS = {"+": "+", "-": "−", "*": "·"}


def to_mathml(node: Expr) -> str:
    """The expression as one element of MathML; parameters carry their symbol as `data-param`.

    A page can put the value of a parameter in its place.

    Examples:
        >>> from gainful.formula import Var
        >>> to_mathml(1 / (Var("i", "rank") + 1))
        '<mfrac><mn>1</mn><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></mfrac>'
    """
    match node:
        case Const(value):
            return f"<mn>{format_short(value).replace('-', '−')}</mn>"
        case Var(symbol):
            return f"<mi>{escape(symbol)}</mi>"
        case Param(symbol):
            return f'<mi data-param="{escape(symbol)}">{escape(symbol)}</mi>'
        case Arithmetic("/", left, right):
            return f"<mfrac>{to_mathml(left)}{to_mathml(right)}</mfrac>"
        case Arithmetic("pow", left, right):
            base = _bracket_mathml(left, _is_compound(left))
            return f"<msup>{base}{to_mathml(right)}</msup>"
        case Arithmetic("max", left, right):
            inner = f"{to_mathml(left)}<mo>,</mo>{to_mathml(right)}"
            return f"<mrow><mi>max</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"
        case Arithmetic("-", Const(0), right):
            return f"<mrow><mo>−</mo>{_bracket_mathml(right, _is_loose(right))}</mrow>"
        case Arithmetic(op, left, right):
            first = _bracket_mathml(left, op == "*" and _is_loose(left))
            second = _bracket_mathml(right, op in ("*", "-") and _is_loose(right))
            return f"<mrow>{first}<mo>{_MATHML_SIGNS[op]}</mo>{second}</mrow>"
        case Log(Const(base), argument) if base == e:
            inner = _bracket_mathml(argument, _is_compound(argument))
            return f"<mrow><mi>ln</mi>{inner}</mrow>"
        case Log(base, argument):
            log = f"<msub><mi>log</mi>{to_mathml(base)}</msub>"
            inner = _bracket_mathml(argument, _is_compound(argument))
            return f"<mrow>{log}<mspace width='0.15em'/>{inner}</mrow>"
        case Compare(op, left, right):
            sign = escape(_COMPARISONS[op])
            return f"<mrow>{to_mathml(left)}<mo>{sign}</mo>{to_mathml(right)}</mrow>"
        case Where(condition, yes, no):
            words = "<mtext> if </mtext>", "<mtext> else </mtext>"
            parts = to_mathml(yes), to_mathml(condition), to_mathml(no)
            return f"<mrow>{parts[0]}{words[0]}{parts[1]}{words[1]}{parts[2]}</mrow>"
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _bracket_mathml(node: Expr, needed: bool) -> str:
    text = to_mathml(node)
    return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>" if needed else text


_FUNCTIONS = {"pow": "Math.pow", "max": "Math.max"}


def to_javascript(node: Expr) -> str:
    """The expression in JavaScript; variables and parameters keep their symbols.

    JavaScript has no logarithm of an arbitrary base, so `log_b x` is `Math.log(x)/Math.log(b)`,
    which is also how NumPy computes it here: both give the same number.

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
