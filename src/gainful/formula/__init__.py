"""Room `formula`: an expression goes in, NumPy comes out; `renderers` writes it for readers."""

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
    "to_numpy",
    "walk",
    "where",
]
