"""Room `formula`: an expression goes in, NumPy comes out; `renderers` writes it for readers."""

from gainful.formula.named_formula import NamedFormula, to_numpy
from gainful.formula.tree import (
    Arithmetic,
    Const,
    Domain,
    Expr,
    Param,
    Var,
    Where,
    equal,
    log,
    maximum,
    substitute,
    walk,
    where,
)

__all__ = [
    "Arithmetic",
    "Const",
    "Domain",
    "Expr",
    "NamedFormula",
    "Param",
    "Var",
    "Where",
    "equal",
    "log",
    "maximum",
    "substitute",
    "to_numpy",
    "walk",
    "where",
]
