"""What measures, gains and discounts there are; all of it read off the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.convention import GAINFUL, HABITS, Convention, Habit
from gainful.convention.session import JK2008, SESSION_HABITS, SessionConvention
from gainful.errors import UnknownName
from gainful.formula import NamedFormula, Param, to_latex, to_text as as_text
from gainful.measure import (
    CHOICES,
    DISCOUNTS,
    GAINS,
    MEASURES,
    PARAMETERS,
    REFERENCES,
    SESSION_MEASURES,
    TREC_NAMES,
    Entry,
    of_queries,
)
from gainful.show import table as tables
from gainful.show.table import PLAIN, Table, Terminal


def measures() -> Table:
    """All measures, a line each."""
    every = MEASURES | SESSION_MEASURES
    rows = [(name, entry.value, entry.question) for name, entry in every.items()]
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
            "measures": {
                name: _entry_dict(entry) for name, entry in (MEASURES | SESSION_MEASURES).items()
            },
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
        **SESSION_HABITS,
        **HABITS,
        **SESSION_MEASURES,
        **MEASURES,
        **GAINS,
        **DISCOUNTS,
    }
    by_lower = {key.lower(): key for key in known}
    found = name if name in known else by_lower.get(name.lower(), "")
    if not found and name in TREC_NAMES:
        found = TREC_NAMES[name].measure
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
    source = f"Source: {_source(found.cite)}"
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
        f"Value: {found.value}",
        f"Spelling: {_spelling(found)}",
        *_example(found),
        source,
    ]
    usual = {
        name: value if isinstance(value, str) else f"{value:g}"
        for name, value in found.usual.items()
    }
    habits, base = (SESSION_HABITS, JK2008) if found.session else (HABITS, GAINFUL)
    rows = [
        (name, _allowed(name, habits), usual.get(name, _default(name, base)), _asked(name, habits))
        for name in found.params
    ]
    return head, Table(("parameter", "allowed", "default", "meaning"), rows)


def _source(cite: str) -> str:
    """The reference, or whoever registered it."""
    return REFERENCES.get(cite, cite or "registered by a plug-in")


def _spelling(entry: Entry) -> str:
    """How it is written here, and how trec_eval writes it."""
    cut = {"optional": "@10", "needed": "@10", "recall": "@0.1", "none": ""}[entry.cut]
    first = f"({entry.params[0]}={_some(entry.params[0])})" if entry.params else ""
    own = [f"{entry.name}{cut}", f"{entry.name}{first}{cut}"]
    theirs = [known.name for known in TREC_NAMES.values() if known.measure == entry.name]
    return ", ".join(dict.fromkeys(own)) + (f"; in trec_eval {', '.join(theirs)}" if theirs else "")


def _some(name: str) -> str:
    known = {"gain": "exp", "rel": "2", "p": "0.5", "ties": "average", "of": "'AP'"}
    return known.get(name) or _default(name)


def _example(entry: Entry) -> list[str]:
    example = entry.example
    if example is None:
        return []
    retrieved, _, missed = example.ranking.partition("|")
    what = "documents on the subtopics" if entry.subtopics else "grades"
    told = f"{what} {retrieved.strip()} in rank order"
    told += " (- is unjudged)" if "-" in retrieved.split() else ""
    told += f", {missed.strip()} not retrieved" if missed else ""
    return [f"Example: {told}: {example.measure} = {example.working}"]


def _param_row(param: Param) -> tuple[str, ...]:
    typical = "" if param.typical is None else f"{param.typical[0]:g} to {param.typical[1]:g}"
    allowed = param.domain.describe(param.symbol)
    return param.symbol, f"{param.default:g}", allowed, typical, param.meaning


def all_params() -> dict[str, Param]:
    """Every parameter a gain or a rank or query discount can have, by its symbol."""
    formulas = (*GAINS.values(), *DISCOUNTS.values(), *map(of_queries, DISCOUNTS.values()))
    return {param.symbol: param for formula in formulas for param in formula.params} | {
        **PARAMETERS
    }


def _habit_allowed(habit: Habit) -> str:
    """What may be said in answer to a habit that has no table of answers."""
    known = {"gain": f"{', '.join(GAINS)}; or weights by grade", "discount": ", ".join(DISCOUNTS)}
    return known.get(habit.name, habit.allowed)


def _allowed(name: str, habits: Mapping[str, Habit] = HABITS) -> str:
    if name == "gain":
        return ", ".join(GAINS) + ", or a table such as {0:0,1:1,2:10,3:100}"
    if name == "discount":
        return ", ".join(DISCOUNTS)
    if name == "points":
        return "levels of recall from 0 to 1, such as '0,0.5,1'"
    if name in all_params():
        return all_params()[name].domain.describe(name)
    if name == "of":
        return "a measure of single rankings, in quotes"
    habit = CHOICES[name] if name in CHOICES else habits[name]
    return ", ".join(str(answer) for answer in habit.answers) or habit.allowed


def _default(name: str, base: Convention | SessionConvention = GAINFUL) -> str:
    if name == "points":
        return "0, 0.1, …, 1"
    own = getattr(base, name, None)
    if own is None and name in all_params():
        return f"{all_params()[name].default:g}"
    return "none" if own is None else str(own)


def _asked(name: str, habits: Mapping[str, Habit] = HABITS) -> str:
    if name == "points":
        return "the levels of recall that are averaged over"
    if name == "of":
        return "the measure that is computed for each query"
    if name in all_params():
        return all_params()[name].meaning
    return (CHOICES[name] if name in CHOICES else habits[name]).question


def _entry_dict(entry: Entry) -> dict[str, Any]:
    habits = SESSION_HABITS if entry.session else HABITS
    return {
        "name": entry.name,
        "question": entry.question,
        "value": entry.value,
        "trec_eval": [known.name for known in TREC_NAMES.values() if known.measure == entry.name],
        "parameters": {name: _allowed(name, habits) for name in entry.params},
        "example": {"ranking": entry.example.ranking, "value": entry.example.working}
        if entry.example
        else None,
        "source": _source(entry.cite),
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
        "source": _source(formula.cite),
    }
