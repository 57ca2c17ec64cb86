"""What measures, gains and discounts there are; all of it read off the tables."""

from __future__ import annotations

from typing import Any

from gainful.convention import GAINFUL, HABITS, Habit
from gainful.errors import UnknownName
from gainful.formula import NamedFormula, Param, to_latex, to_text as as_text
from gainful.measure import DISCOUNTS, GAINS, MEASURES, REFERENCES, Entry, of_queries
from gainful.show import table as tables
from gainful.show.table import PLAIN, Table, Terminal


def definition(entry: Entry) -> str:
    """What a measure computes, in terms of gain and discount."""
    cumulated = "Σ gain(i)·discount(i)" if entry.discounted else "Σ gain(i)"
    over = " over ranks i ≤ k"
    if entry.of == "ideal":
        return cumulated + over + " of the ideal ranking"
    return (
        f"({cumulated}){over} / the same of the ideal ranking"
        if entry.normalised
        else (cumulated + over)
    )


def measures() -> Table:
    """All measures, a line each."""
    rows = [(name, definition(entry), entry.question) for name, entry in MEASURES.items()]
    return Table(("measure", "value", "question"), rows)


def formulas(kind: str) -> Table:
    """All gains or all discounts, a line each."""
    known = GAINS if kind == "gain" else DISCOUNTS
    rows = [
        (name, as_text(formula.expr), ", ".join(p.symbol for p in formula.params), formula.meaning)
        for name, formula in known.items()
    ]
    return Table((kind, "formula", "parameters", "meaning"), rows)


def to_text(name: str | None, *, terminal: Terminal = PLAIN) -> str:
    """All measures, gains and discounts, or all about one name, for a terminal."""
    if name is None:
        return "\n\n".join(tables.to_text(table, terminal=terminal) for table in _overview())
    head, table = _one(name)
    body = tables.to_text(table, terminal=terminal) if table.rows else ""
    return "\n\n".join(part for part in ("\n".join(head), body) if part)


def to_markdown(name: str | None) -> str:
    """All measures, gains and discounts, or all about one name, as Markdown."""
    if name is None:
        return "\n\n".join(tables.to_markdown(table) for table in _overview())
    head, table = _one(name)
    body = tables.to_markdown(table) if table.rows else ""
    return "\n\n".join(part for part in (*head, body) if part)


def to_dict(name: str | None) -> dict[str, Any]:
    """All measures, gains and discounts, or all about one name, as data."""
    if name is None:
        return {
            "measures": {name: _entry_dict(entry) for name, entry in MEASURES.items()},
            "gains": {name: _formula_dict(formula) for name, formula in GAINS.items()},
            "discounts": {name: _formula_dict(formula) for name, formula in DISCOUNTS.items()},
        }
    found = _find(name)
    if isinstance(found, Habit):
        return _habit_dict(found)
    return _entry_dict(found) if isinstance(found, Entry) else _formula_dict(found)


def _overview() -> tuple[Table, ...]:
    return measures(), formulas("gain"), formulas("discount")


def _find(name: str) -> Entry | NamedFormula | Habit:
    known: dict[str, Entry | NamedFormula | Habit] = {
        **HABITS,
        **MEASURES,
        **GAINS,
        **DISCOUNTS,
    }
    by_lower = {key.lower(): key for key in known}
    found = name if name in known else by_lower.get(name, "")
    if not found:
        raise UnknownName("measure", name, known, "gainful measures lists them all")
    return known[found]


def _one(name: str) -> tuple[list[str], Table]:
    found = _find(name)
    if isinstance(found, Habit):
        answers = [(str(answer), meaning) for answer, meaning in found.answers.items()]
        head = [f"{found.name}: {found.question}", f"Default: {_default(found.name)}"]
        if not answers:
            head.append(f"Allowed: {_habit_allowed(found)}")
        return head, Table(("value", "meaning"), answers)
    source = f"Source: {REFERENCES[found.cite]}"
    if isinstance(found, NamedFormula):
        head = [
            f"{found.name} ({found.kind}): {found.meaning}",
            f"Formula: {as_text(found.expr)}",
            f"LaTeX: {to_latex(found.expr)}",
            source,
        ]
        return head, Table(
            ("parameter", "default", "allowed", "typical", "meaning"),
            [_param_row(param) for param in found.params],
        )
    head = [
        f"{found.name}: {found.question}",
        f"Value: {definition(found)}",
        f"Spelling: {found.name}@10, {found.name}(gain=exp)@10",
        source,
    ]
    rows = [(name, _allowed(name), _default(name), _asked(name)) for name in found.params]
    return head, Table(("parameter", "allowed", "default", "meaning"), rows)


def _param_row(param: Param) -> tuple[str, ...]:
    typical = "" if param.typical is None else f"{param.typical[0]:g} to {param.typical[1]:g}"
    allowed = param.domain.describe(param.symbol)
    return param.symbol, f"{param.default:g}", allowed, typical, param.meaning


def all_params() -> dict[str, Param]:
    """Every parameter a gain or a rank or query discount can have, by its symbol."""
    formulas = (*GAINS.values(), *DISCOUNTS.values(), *map(of_queries, DISCOUNTS.values()))
    return {param.symbol: param for formula in formulas for param in formula.params}


def _habit_allowed(habit: Habit) -> str:
    """What may be said in answer to a habit that has no table of answers."""
    known = {"gain": f"{', '.join(GAINS)}; or weights by grade", "discount": ", ".join(DISCOUNTS)}
    return known.get(habit.name, habit.allowed)


def _allowed(name: str) -> str:
    if name == "gain":
        return ", ".join(GAINS) + ", or a table such as {0:0,1:1,2:10,3:100}"
    if name == "discount":
        return ", ".join(DISCOUNTS)
    if name in all_params():
        return all_params()[name].domain.describe(name)
    return ", ".join(str(answer) for answer in HABITS[name].answers)


def _default(name: str) -> str:
    own = getattr(GAINFUL, name)
    if own is None and name in all_params():
        return f"{all_params()[name].default:g}"
    return "none" if own is None else str(own)


def _asked(name: str) -> str:
    return all_params()[name].meaning if name in all_params() else HABITS[name].question


def _entry_dict(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "question": entry.question,
        "value": definition(entry),
        "parameters": {name: _allowed(name) for name in entry.params},
        "source": REFERENCES[entry.cite],
    }


def _habit_dict(habit: Habit) -> dict[str, Any]:
    return {
        "name": habit.name,
        "question": habit.question,
        "default": getattr(GAINFUL, habit.name),
        "answers": {str(answer): meaning for answer, meaning in habit.answers.items()},
    }


def _formula_dict(formula: NamedFormula) -> dict[str, Any]:
    return {
        "name": formula.name,
        "meaning": formula.meaning,
        "formula": as_text(formula.expr),
        "latex": to_latex(formula.expr),
        "parameters": {
            param.symbol: {
                "default": param.default,
                "allowed": param.domain.describe(param.symbol),
                "typical": param.typical,
                "meaning": param.meaning,
            }
            for param in formula.params
        },
        "source": REFERENCES[formula.cite],
    }
