"""The worked table of one ranking, the formula with the numbers put in, and the convention."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.convention import CONVENTIONS
from gainful.formula import (
    Arithmetic,
    Const,
    Expr,
    Where,
    substitute,
    to_latex as as_latex,
    to_text as as_text,
    walk,
)
from gainful.measure import Recipe, Worked
from gainful.show import table as tables
from gainful.show.convention import OF_ONE_LIST, described, number
from gainful.show.table import Table

_COLUMNS = (
    *("rank", "grade", "gain", "discount", "gain × discount", "CG", "DCG"),
    *("ideal grade", "IDCG", "nDCG"),
)
_SHOWN = 4  # terms of a sum that are written out


def worked_table(worked: Worked) -> Table:
    """The numbers at every rank."""
    rows = [
        (
            str(line.rank),
            number(line.grade),
            number(line.gain),
            f"{line.discount:.4f}",
            f"{line.contribution:.4f}",
            number(line.cg),
            f"{line.dcg:.4f}",
            number(line.ideal_grade),
            f"{line.idcg:.4f}",
            "–" if line.ndcg is None else f"{line.ndcg:.4f}",
        )
        for line in worked.lines
    ]
    return Table(_COLUMNS, rows, numbers=True)


def to_text(worked: Worked, *, colour: bool = False) -> str:
    """For a terminal: table, formulas, convention."""
    answers = Table(("", ""), [(habit, answer) for habit, _, answer in _answers(worked)])
    parts = (
        tables.to_text(worked_table(worked), colour=colour),
        "\n".join(f"{name:<4} = {sum_}" for name, sum_ in sums(worked)),
        f"Convention: {_title(worked)}",
        tables.to_text(answers).lstrip("\n"),
    )
    return "\n\n".join(parts)


def to_markdown(worked: Worked) -> str:
    """For a page or a pull request."""
    formulas = "\n".join(f"{name:<4} = {sum_}" for name, sum_ in sums(worked))
    answers = "\n".join(f"- {habit}: {answer}" for habit, _, answer in _answers(worked))
    table = tables.to_markdown(worked_table(worked))
    return f"{table}\n\n```text\n{formulas}\n```\n\nConvention: {_title(worked)}\n\n{answers}"


def to_latex(worked: Worked) -> str:
    """For a paper: a booktabs table, the formulas, the convention as a sentence."""
    answers = "; ".join(f"{habit}: {answer}" for habit, _, answer in _answers(worked))
    formulas = [rf"\mathrm{{{name}}} &= {sum_} \\" for name, sum_ in sums(worked, latex=True)]
    return "\n".join(
        (
            tables.to_latex(worked_table(worked)),
            "",
            r"\begin{align*}",
            *formulas,
            r"\end{align*}",
            tables.latex_escaped(f"Convention: {_title(worked)}; {answers}."),
        )
    )


def _answers(worked: Worked) -> Sequence[Sequence[str]]:
    return described(worked.recipe, OF_ONE_LIST).rows


def _title(worked: Worked) -> str:
    """Whose convention it is, and what was set otherwise."""
    convention = worked.recipe.convention
    own = CONVENTIONS.get(convention.name, convention)
    changed = [name for name in convention.differences(own) if name != "ideal"]
    named = "" if convention.name == "gainful" else f"like {convention.name}: "
    note = f" ({convention.note})" if convention.note else ""
    return (
        named + convention.title + note + (f"; set here: {', '.join(changed)}" if changed else "")
    )


def sums(worked: Worked, *, latex: bool = False) -> list[tuple[str, str]]:
    """nDCG, DCG and IDCG with the numbers put in."""
    last = worked.lines[-1]
    dcg, idcg = f"{last.dcg:.4f}", f"{last.idcg:.4f}"
    quotient = rf"\frac{{{dcg}}}{{{idcg}}}" if latex else f"DCG/IDCG = {dcg}/{idcg}"
    mine = [(line.rank, line.grade, line.gain) for line in worked.lines if line.grade is not None]
    best = [(rank, grade, None) for rank, grade in enumerate(worked.ideal, start=1)]
    return [
        ("nDCG", f"{quotient} = {_outcome(worked, latex=latex)}"),
        ("DCG", f"{_sum(worked.recipe, mine, latex=latex)} = {dcg}"),
        ("IDCG", f"{_sum(worked.recipe, best, latex=latex)} = {idcg}"),
    ]


def _outcome(worked: Worked, *, latex: bool) -> str:
    empty = worked.lines[-1].idcg <= 0
    value = "left out" if worked.value is None else f"{worked.value:.4f}"
    said = f" (the ideal is not above 0: empty={worked.recipe.convention.empty})" if empty else ""
    return rf"\text{{{value}{said}}}" if latex and (empty or worked.value is None) else value + said


def _sum(how: Recipe, terms: Sequence[tuple[int, float, float | None]], *, latex: bool) -> str:
    """The first terms of a sum and its last one."""
    written = [_term(how, *term) for term in terms]
    render = as_latex if latex else as_text
    shown = [render(term) for term in written]
    if len(shown) > _SHOWN:
        shown = [*shown[: _SHOWN - 1], r"\dots" if latex else "…", shown[-1]]
    return " + ".join(shown) or "0"


def _term(how: Recipe, rank: int, grade: float, gain: float | None) -> Expr:
    """Gain × discount of one document, written as the formula with its numbers put in."""
    worth = substitute(how.gain.filled, {"g": grade})
    value = float(how.gain.at([grade])[0])
    if any(isinstance(node, Where) for node in walk(worth)) or gain not in (None, value):
        worth = Const(value if gain is None else gain)
    match substitute(how.discount.filled, {"i": rank}):
        case Arithmetic("/", Const(1), divisor):
            return worth / divisor
        case Const(1):
            return worth
        case left:
            return worth * left
