r"""What a measure computes, in LaTeX: its formula where gain is cumulated, else in words.

Gains and discounts are rendered from the formulas themselves: none is typed here.
"""

from __future__ import annotations

from gainful.formula import Arithmetic, Const, Expr, NamedFormula, Var, substitute
from gainful.formula.to_latex import to_latex
from gainful.measure.build_recipes import build_recipe
from gainful.measure.build_session_recipes import build_session_recipe
from gainful.measure.measure import Measure
from gainful.page.to_latex import escape_latex


def measure_latex(measure: Measure) -> str:
    r"""The measure between dollar signs, and words behind them where there is no formula.

    Examples:
        >>> print(measure_latex(Measure("DCG") @ 10))
        $\mathrm{DCG}@10 = \sum_{i=1}^{10} \frac{g_{i}}{\log_{2}(i + 1)}$
    """
    if measure.needs_cutoff:
        return _describe(measure)
    if measure.entry.session:
        return _session_formula(measure) or _describe(measure)
    if not measure.entry.cumulated:
        return _describe(measure)
    recipe = build_recipe(measure)
    summed = (
        rf"\sum_{{i=1}}^{{{recipe.k or 'n'}}} {to_latex(_term(recipe.gain, recipe.discount, 'gi'))}"
    )
    label = _label(measure.name, measure.k)
    if measure.entry.gain_of == "ideal":
        return rf"${label} = \max_{{\text{{rankings}}}} {summed}$"
    if not measure.entry.normalised:
        return f"${label} = {summed}$"
    return _ratio(label, _label(measure.name.removeprefix("n"), measure.k), summed)


def _session_formula(measure: Measure) -> str:
    """The formula of sDCG as the paper has it; nothing where a convention has it otherwise."""
    if not measure.entry.has_vectors:
        return ""
    recipe = build_session_recipe(measure)
    convention = recipe.convention
    if (convention.rank_discount, convention.statistic, convention.normalise) != (
        "restart",
        "final",
        "session",
    ):
        return ""
    gain = to_latex(_term(recipe.gain, recipe.discount, "gqi"))
    query_discount = recipe.query_discount.latex()
    summed = rf"\sum_{{q=1}}^{{m}} {query_discount} \sum_{{i=1}}^{{{recipe.k or 'n'}}} {gain}"
    label = _label(measure.name, measure.k)
    if not measure.entry.normalised:
        return f"${label} = {summed}$"
    return _ratio(label, _label(measure.name.removeprefix("n"), measure.k), summed)


def _ratio(label: str, whole: str, summed: str) -> str:
    best = rf"\text{{ideal }}{whole}"
    return rf"${label} = \frac{{{whole}}}{{{best}}}, \quad {whole} = {summed}$"


def _label(name: str, k: float | None) -> str:
    return rf"\mathrm{{{escape_latex(name)}}}" + ("" if k is None else f"@{k:g}")


def _term(gain: NamedFormula, discount: NamedFormula, grade: str) -> Expr:
    """What the document at rank i brings."""
    gain_expr = substitute(gain.expr_with_values, {"g": Var(grade, "the grade at rank i")})
    match discount.expr_with_values:
        case Arithmetic("/", Const(1), divisor):
            return gain_expr / divisor
        case Const(1):
            return gain_expr
        case factor:
            return gain_expr * factor


def _describe(measure: Measure) -> str:
    label = (
        rf"\text{{{escape_latex(str(measure))}}}"
        if measure.params
        else _label(measure.name, measure.k)
    )
    return f"${label}$: {escape_latex(measure.entry.definition)}"
