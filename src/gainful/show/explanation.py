"""The worked table of one ranking, the formula with the numbers put in, and the convention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gainful.convention import CONVENTIONS
from gainful.formula import (
    Arithmetic,
    Const,
    Expr,
    Where,
    substitute,
    to_latex as as_latex,
    to_numpy,
    to_text as as_text,
    walk,
)
from gainful.measure import Recipe, Worked
from gainful.show import table as tables
from gainful.show.convention import OF_ONE_LIST, words
from gainful.show.table import PLAIN, Table, Terminal, number

_COLUMNS = (
    *("rank", "grade", "gain", "discount", "gain ×\ndiscount", "CG", "DCG"),
    *("ideal\ngrade", "IDCG", "nDCG"),
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


def to_text(worked: Worked, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal: table, formulas, convention."""
    answers = Table(("", ""), _answers(worked))
    parts = (
        tables.to_text(worked_table(worked), terminal=terminal),
        "\n".join(f"{name:<4} = {sum_}" for name, sum_ in sums(worked)),
        *(f"Note: {note}" for note in notes(worked)),
        f"Convention: {_title(worked)}",
        tables.to_text(answers, terminal=terminal),
    )
    return "\n\n".join(parts)


def to_markdown(worked: Worked) -> str:
    """For a page or a pull request."""
    formulas = "\n".join(f"{name:<4} = {sum_}" for name, sum_ in sums(worked))
    parts = (
        tables.to_markdown(worked_table(worked)),
        f"```text\n{formulas}\n```",
        *(f"Note: {note}" for note in notes(worked)),
        f"Convention: {_title(worked)}",
        "\n".join(f"- {habit}: {answer}" for habit, answer in _answers(worked)),
    )
    return "\n\n".join(parts)


def to_latex(worked: Worked) -> str:
    """For a paper: a booktabs table, the formulas, the convention as a sentence."""
    answers = "; ".join(f"{habit}: {answer}" for habit, answer in _answers(worked))
    formulas = [rf"\mathrm{{{name}}} &= {sum_} \\" for name, sum_ in sums(worked, latex=True)]
    return "\n".join(
        (
            r"% needs \usepackage{amsmath,booktabs}",
            tables.to_latex(worked_table(worked)),
            "",
            r"\begin{align*}",
            *formulas,
            r"\end{align*}",
            *(tables.latex_escaped(f"Note: {note}.") for note in notes(worked)),
            tables.latex_escaped(f"Convention: {_title(worked)}; {answers}."),
        )
    )


def notes(worked: Worked) -> list[str]:
    """What a reader might stumble over."""
    if worked.judged is None:
        return []
    lacking = Counter(grade for grade in worked.grades if grade > 0) - Counter(worked.judged)
    if not lacking:
        return []
    grades = [number(grade) for grade in sorted(lacking.elements(), reverse=True)]
    missing = ", ".join(grades[:_SHOWN] + ["…"] * (len(grades) > _SHOWN))
    return [f"the ranking has grades that the judged documents lack ({missing}): nDCG can pass 1"]


def _answers(worked: Worked) -> list[tuple[str, str]]:
    """The habits that matter for one list, as they came out for this one."""
    how = worked.recipe
    answers = {habit: words(how, habit) for habit in OF_ONE_LIST}
    own = CONVENTIONS.get(how.convention.name, how.convention)
    if worked.judged is None and own.ideal == "judged":
        answers["ideal"] += ", as no judged documents were given"
    if worked.judged is not None and own.ideal == "list" and how.convention.ideal == "judged":
        answers["ideal"] += f", as they were given; {own.title} itself knows only the list"
    if how.k is None and how.convention.ideal_depth == "k":
        count = len(worked.ideal)
        answers["ideal_depth"] = f"not cut, as no k is set: {count} document{'s' * (count != 1)}"
    return list(answers.items())


def _title(worked: Worked) -> str:
    """Whose convention it is, and what was set otherwise."""
    how = worked.recipe
    named = "" if how.convention.name == "gainful" else f"like {how.convention.name}: "
    note = f" ({how.convention.note})" if how.convention.note else ""
    cut = ["k"] if how.measure.k is not None else []
    pool = ["judged"] if worked.judged is not None else []
    chosen = [*how.asked, *cut, *pool]
    return (
        named + how.convention.title + note + (f"; set here: {', '.join(chosen)}" if chosen else "")
    )


def sums(worked: Worked, *, latex: bool = False) -> list[tuple[str, str]]:
    """nDCG, DCG and IDCG with the numbers put in."""
    last = worked.lines[-1]
    dcg, idcg = f"{last.dcg:.4f}", f"{last.idcg:.4f}"
    quotient = rf"\frac{{{dcg}}}{{{idcg}}}" if latex else f"DCG/IDCG = {dcg}/{idcg}"
    mine = [(line.rank, line.grade, line.gain) for line in worked.lines if line.grade is not None]
    best = [(rank, grade, gain) for rank, (grade, gain) in enumerate(worked.ideal, start=1)]
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


def _sum(recipe: Recipe, terms: Sequence[tuple[int, float, float]], *, latex: bool) -> str:
    """The first terms of a sum and its last one."""
    render = as_latex if latex else as_text
    long = len(terms) > _SHOWN
    kept = [*terms[: _SHOWN - 1], terms[-1]] if long else terms
    shown = [render(_term(recipe, *term)) for term in kept]
    if long:
        shown.insert(-1, r"\dots" if latex else "…")
    return " + ".join(shown) or "0"


def _term(recipe: Recipe, rank: int, grade: float, gain: float) -> Expr:
    """Gain × discount of one document, written as the formula with its numbers put in."""
    worth = substitute(recipe.gain.filled, {"g": grade})
    if any(isinstance(node, Where) for node in walk(worth)) or to_numpy(worth, {}) != gain:
        worth = Const(gain)  # a choice among cases, or a grade that the convention changed
    match substitute(recipe.discount.filled, {"i": rank}):
        case Arithmetic("/", Const(1), divisor):
            return worth / divisor
        case Const(1):
            return worth
        case left:
            return worth * left
