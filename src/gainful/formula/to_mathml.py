"""Formula → MathML, which browsers set like a printed formula: for pages."""

from html import escape
from math import e

from gainful.formula.number import written
from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where

_SIGN = {"+": "+", "-": "−", "*": "·"}
_COMPARED = {"<": "<", "<=": "≤", "==": "=", ">=": "≥", ">": ">"}


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
            return f"<mn>{written(value).replace('-', '−')}</mn>"
        case Var(symbol):
            return f"<mi>{escape(symbol)}</mi>"
        case Param(symbol):
            return f'<mi data-param="{escape(symbol)}">{escape(symbol)}</mi>'
        case Arithmetic("/", left, right):
            return f"<mfrac>{to_mathml(left)}{to_mathml(right)}</mfrac>"
        case Arithmetic("pow", left, right):
            loose = not isinstance(left, (Const, Var, Param))
            return f"<msup>{_held(left, loose)}{to_mathml(right)}</msup>"
        case Arithmetic("max", left, right):
            inner = f"{to_mathml(left)}<mo>,</mo>{to_mathml(right)}"
            return f"<mrow><mi>max</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"
        case Arithmetic("-", Const(0), right):
            return f"<mrow><mo>−</mo>{_held(right, _loose(right))}</mrow>"
        case Arithmetic(op, left, right):
            first = _held(left, op == "*" and _loose(left))
            then = _held(right, op in ("*", "-") and _loose(right))
            return f"<mrow>{first}<mo>{_SIGN[op]}</mo>{then}</mrow>"
        case Log(Const(base), of) if base == e:
            return f"<mrow><mi>ln</mi>{_held(of, needed=not _single(of))}</mrow>"
        case Log(base, of):
            log = f"<msub><mi>log</mi>{to_mathml(base)}</msub>"
            return f"<mrow>{log}<mspace width='0.15em'/>{_held(of, needed=not _single(of))}</mrow>"
        case Compare(op, left, right):
            sign = escape(_COMPARED[op])
            return f"<mrow>{to_mathml(left)}<mo>{sign}</mo>{to_mathml(right)}</mrow>"
        case Where(condition, yes, no):
            words = "<mtext> if </mtext>", "<mtext> else </mtext>"
            parts = to_mathml(yes), to_mathml(condition), to_mathml(no)
            return f"<mrow>{parts[0]}{words[0]}{parts[1]}{words[1]}{parts[2]}</mrow>"
        case _:
            raise TypeError(f"not a formula node: {node!r}")


def _held(node: Expr, needed: bool) -> str:
    """An operand, in brackets where it needs them."""
    text = to_mathml(node)
    return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>" if needed else text


def _loose(node: Expr) -> bool:
    """Would it fall apart beside a product or a minus?"""
    sums = isinstance(node, Arithmetic) and node.op in ("+", "-")
    below_zero = isinstance(node, Const) and node.value < 0
    return sums or below_zero or isinstance(node, (Compare, Where))


def _single(node: Expr) -> bool:
    """Is it one symbol, or a number?"""
    return isinstance(node, (Const, Var, Param))
