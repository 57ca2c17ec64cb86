"""Room `formula`: an expression goes in, NumPy, JavaScript, LaTeX, MathML or text comes out.

One renderer, one file: `to_numpy`, `to_javascript`, `to_latex`, `to_mathml`, `to_text`; all but the
first are for readers, and imported from their files.
"""

from gainful.formula.named_formula import NamedFormula, to_numpy
from gainful.formula.tree import (
    ANY_NUMBER,
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
    "ANY_NUMBER",
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
