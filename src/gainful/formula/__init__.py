"""Room `formula`: an expression goes in, NumPy comes out; `renderers` writes it for readers."""

from typing import TYPE_CHECKING

from gainful.formula.named_formula import NamedFormula, to_numpy
from gainful.formula.tree import (
    Arithmetic,
    Compare,
    Const,
    Domain,
    Expr,
    Log,
    Param,
    Var,
    Where,
    equal,
    log,
    maximum,
    parameters,
    substitute,
    walk,
    where,
)
from gainful.text import show_public_names

if TYPE_CHECKING:
    from gainful.formula.renderers import to_javascript, to_latex, to_mathml, to_text

__all__ = [
    "Arithmetic",
    "Compare",
    "Const",
    "Domain",
    "Expr",
    "Log",
    "NamedFormula",
    "Param",
    "Var",
    "Where",
    "equal",
    "log",
    "maximum",
    "parameters",
    "substitute",
    "to_javascript",
    "to_latex",
    "to_mathml",
    "to_numpy",
    "to_text",
    "walk",
    "where",
]

_RENDERERS = ("to_javascript", "to_latex", "to_mathml", "to_text")
show_public_names(__name__, **{name: f"{__name__}.renderers:{name}" for name in _RENDERERS})
