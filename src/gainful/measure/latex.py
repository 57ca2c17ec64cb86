r"""What a measure computes, in LaTeX: its formula where gain is cumulated, else in words.

Gains and discounts are rendered from the formulas themselves: none is typed here.
"""

from __future__ import annotations

from gainful.formula import (
    Arithmetic,
    Const,
    Expr,
    NamedFormula,
    Var,
    latex_words,
    substitute,
    to_latex,
)
from gainful.measure.measure import Measure
from gainful.measure.recipe import recipe
from gainful.measure.sessions.recipe import session_recipe

_SESSIONS = ("sDCG", "nsDCG")


def measure_latex(measure: Measure) -> str:
    r"""The measure between dollar signs, and words behind them where there is no formula.

    Examples:
        >>> print(measure_latex(Measure("DCG") @ 10))
        $\mathrm{DCG}@10 = \sum_{i=1}^{10} \frac{g_{i}}{\log_{2}(i + 1)}$
    """
    if measure.unfinished:
        return _in_words(measure)
    if measure.entry.session:
        return _of_sessions(measure) or _in_words(measure)
    if not measure.entry.cumulated:
        return _in_words(measure)
    how = recipe(measure)
    summed = rf"\sum_{{i=1}}^{{{how.k or 'n'}}} {to_latex(_term(how.gain, how.discount, 'gi'))}"
    named = _named(measure.name, measure.k)
    if measure.entry.of == "ideal":
        return rf"${named} = \max_{{\text{{rankings}}}} {summed}$"
    if not measure.entry.normalised:
        return f"${named} = {summed}$"
    return _divided(named, _named(measure.name.removeprefix("n"), measure.k), summed)


def _of_sessions(measure: Measure) -> str:
    """The formula of sDCG as the paper has it; nothing where a convention has it otherwise."""
    if measure.name not in _SESSIONS:
        return ""
    how = session_recipe(measure)
    habits = how.convention
    if (habits.rank_discount, habits.statistic, habits.normalise) != (
        "restart",
        "final",
        "session",
    ):
        return ""
    earned = to_latex(_term(how.gain, how.discount, "gqi"))
    left = how.query_discount.latex()
    summed = rf"\sum_{{q=1}}^{{m}} {left} \sum_{{i=1}}^{{{how.k or 'n'}}} {earned}"
    named = _named(measure.name, measure.k)
    if measure.name == "sDCG":
        return f"${named} = {summed}$"
    return _divided(named, _named("sDCG", measure.k), summed)


def _divided(named: str, whole: str, summed: str) -> str:
    best = rf"\text{{ideal }}{whole}"
    return rf"${named} = \frac{{{whole}}}{{{best}}}, \quad {whole} = {summed}$"


def _named(name: str, k: float | None) -> str:
    return rf"\mathrm{{{latex_words(name)}}}" + ("" if k is None else f"@{k:g}")


def _term(gain: NamedFormula, discount: NamedFormula, grade: str) -> Expr:
    """What the document at rank i brings."""
    worth = substitute(gain.filled, {"g": Var(grade, "the grade at rank i")})
    match discount.filled:
        case Arithmetic("/", Const(1), divisor):
            return worth / divisor
        case Const(1):
            return worth
        case left:
            return worth * left


def _in_words(measure: Measure) -> str:
    named = (
        rf"\text{{{latex_words(str(measure))}}}"
        if measure.params
        else _named(measure.name, measure.k)
    )
    return f"${named}$: {latex_words(measure.entry.value)}"
