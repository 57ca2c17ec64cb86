"""Formula → MathML, which browsers set like a printed formula: for pages."""

from html import escape
from math import e

from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where
from gainful.text import format_short

_SIGNS = {"+": "+", "-": "−", "*": "·"}
_COMPARISONS = {"<": "<", "<=": "≤", "==": "=", ">=": "≥", ">": ">"}


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
            compound = not isinstance(left, (Const, Var, Param))
            return f"<msup>{_bracket(left, compound)}{to_mathml(right)}</msup>"
        case Arithmetic("max", left, right):
            inner = f"{to_mathml(left)}<mo>,</mo>{to_mathml(right)}"
            return f"<mrow><mi>max</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"
        case Arithmetic("-", Const(0), right):
            return f"<mrow><mo>−</mo>{_bracket(right, _needs_brackets(right))}</mrow>"
        case Arithmetic(op, left, right):
            first = _bracket(left, op == "*" and _needs_brackets(left))
            second = _bracket(right, op in ("*", "-") and _needs_brackets(right))
            return f"<mrow>{first}<mo>{_SIGNS[op]}</mo>{second}</mrow>"
        case Log(Const(base), argument) if base == e:
            return f"<mrow><mi>ln</mi>{_bracket(argument, needed=not _is_atom(argument))}</mrow>"
        case Log(base, argument):
            log = f"<msub><mi>log</mi>{to_mathml(base)}</msub>"
            inner = _bracket(argument, needed=not _is_atom(argument))
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


def _bracket(node: Expr, needed: bool) -> str:
    text = to_mathml(node)
    return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>" if needed else text


def _needs_brackets(node: Expr) -> bool:
    is_sum = isinstance(node, Arithmetic) and node.op in ("+", "-")
    below_zero = isinstance(node, Const) and node.value < 0
    return is_sum or below_zero or isinstance(node, (Compare, Where))


def _is_atom(node: Expr) -> bool:
    return isinstance(node, (Const, Var, Param))
