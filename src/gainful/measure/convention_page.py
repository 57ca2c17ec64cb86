"""The page of conventions: what each does in every situation, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gainful.convention import CONVENTIONS, SETTINGS, Convention, Setting
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_SETTINGS, SessionConvention
from gainful.errors import UnknownName
from gainful.measure.build_recipes import build_recipe
from gainful.measure.entry import FORMULA_PARAMS
from gainful.measure.formulas import find_formula
from gainful.measure.measure import nDCG
from gainful.measure.notes import describe_setting
from gainful.page.page import Page, Section
from gainful.page.table import Table
from gainful.text import count_noun

# The settings that matter for one list of grades without ids, scores or other queries.
SINGLE_LIST_SETTINGS = (
    *("gain", "discount", "cutoff", "ideal", "ideal_depth"),
    *("negative", "fractional", "empty", "negative_ideal", "short", "grade_bits", "decimals"),
)
# Those come with their formula
_LISTED_SETTINGS = [setting for setting in SETTINGS if setting not in ("b", "rel")]


def convention_page(name: str | None = None, other: str | None = None) -> Page:
    """All conventions, one of them by its name, or what two do differently."""
    tables = build_tables(name, other)
    sections = []
    for heading, table in tables:
        sections.append(Section(lines=[heading]))
        sections += [Section(table=table)] if table.rows else []
    return Page(sections=sections, rows=lambda: tables[0][1], data=lambda: to_dict(name, other))


def build_tables(first_name: str | None, second_name: str | None) -> list[tuple[str, Table]]:
    """Tables with their headings: of single rankings, and of sessions where there is one."""
    if first_name is None:
        advice = "gainful conventions NAME explains one in plain words."
        return [
            (f"{len(CONVENTIONS)} conventions; {advice}", _build_overview()),
            (
                f"{len(SESSION_CONVENTIONS)} conventions of whole sessions.",
                Table(
                    ("name", "paper or track", "note"),
                    [(name, each.title, each.note) for name, each in SESSION_CONVENTIONS.items()],
                    expendable=("note",),
                ),
            ),
        ]
    names = [first_name, *([] if second_name is None else [second_name])]
    tables = []
    if all(name in CONVENTIONS for name in names):
        tables.append(tell_tools([CONVENTIONS[name] for name in names]))
    if all(name in SESSION_CONVENTIONS for name in names):
        tables.append(tell_sessions([SESSION_CONVENTIONS[name] for name in names]))
    if not tables:
        raise UnknownName("session convention", str(second_name), SESSION_CONVENTIONS)
    return tables


def tell_tools(tools: Sequence[Convention]) -> tuple[str, Table]:
    """One tool in plain words, or what two do differently, under a heading."""
    first = tools[0]
    own = ", ".join(name.replace("@", "@k") for name in first.measures or ())
    numbers = f"\nIts own numbers: {own}; other measures are gainful's." if own else ""
    recipes = [build_recipe(nDCG, like=tool) for tool in tools]
    words = {
        setting: [describe_setting(recipe, setting) for recipe in recipes]
        for setting in _LISTED_SETTINGS
    }
    if len(tools) > 1:
        words = {setting: answers for setting, answers in words.items() if len({*answers}) > 1}
    return _build_table(tools, f"{first.name}: {first.title}", numbers, SETTINGS, words)


def tell_sessions(tools: Sequence[SessionConvention]) -> tuple[str, Table]:
    """One convention of sessions in plain words, or what two do differently, under a heading."""
    first = tools[0]
    names = first.differences(tools[1]) if len(tools) > 1 else SESSION_SETTINGS
    words = {name: [_describe_session_setting(tool, name) for tool in tools] for name in names}
    title = f"{first.name}, of whole sessions: {first.title}"
    heading, table = _build_table(tools, title, "", SESSION_SETTINGS, words)
    return (heading if len(tools) == 1 else f"{heading[:-1]} of whole sessions."), table


def _build_table(
    tools: Sequence[Convention] | Sequence[SessionConvention],
    title: str,
    more: str,
    settings: Mapping[str, Setting],
    words: Mapping[str, Sequence[str]],
) -> tuple[str, Table]:
    """One convention in plain words, or what two do differently: the heading, and the answers."""
    if len(tools) == 1:
        note = f"\nNote: {tools[0].note}." if tools[0].note else ""
        rows = [(settings[name].question, *answers) for name, answers in words.items()]
        return f"{title}{note}{more}", Table(("question", "answer"), rows)
    first, second = (tool.name for tool in tools)
    count = count_noun(len(words), "setting") if words else "nothing"
    rows = [(name, settings[name].question, *answers) for name, answers in words.items()]
    table = Table(("field", "question", first, second), rows)
    return f"{first} and {second} differ in {count}.", table


def _describe_session_setting(convention: SessionConvention, name: str) -> str:
    value = getattr(convention, name)
    if name in FORMULA_PARAMS:
        formula, param = find_formula(name, value), FORMULA_PARAMS[name]
        param_value = getattr(convention, param)
        takes_value = param_value is not None and param in formula.param_values
        return (formula.with_values({param: param_value}) if takes_value else formula).text()
    return SESSION_SETTINGS[name].describe(value)


def to_dict(first_name: str | None = None, second_name: str | None = None) -> dict[str, Any]:
    """All conventions, one, or the differences of two, as plain data."""
    tables: tuple[Mapping[str, Any], ...] = (CONVENTIONS, SESSION_CONVENTIONS)
    if first_name is None:
        rankings, sessions = (
            {name: _convention_to_dict(convention) for name, convention in table.items()}
            for table in tables
        )
        return {**rankings, "sessions": sessions}
    if second_name is None:
        both = [_convention_to_dict(table[first_name]) for table in tables if first_name in table]
        return both[0] if len(both) == 1 else both[0] | {"sessions": both[1]}
    return {
        name: {first_name: first_value, second_name: second_value}
        for table in tables
        if first_name in table and second_name in table
        for name, (first_value, second_value) in table[first_name]
        .differences(table[second_name])
        .items()
    }


def _convention_to_dict(convention: Any) -> dict[str, Any]:
    description = {"name": convention.name, "title": convention.title, "note": convention.note}
    own = getattr(convention, "measures", None)
    measures = {} if own is None else {"measures": list(own)}
    return {**description, **convention.settings(), **measures}


def _build_overview() -> Table:
    depth_words = {"k": "", "all": ", never cut", "retrieved": ", cut at the retrieved"}
    rows = []
    for name, convention in CONVENTIONS.items():
        ndcg_recipe = build_recipe(nDCG, like=convention)
        setting_cells = (
            ndcg_recipe.gain.text(),
            ndcg_recipe.discount.text(),
            convention.ideal + depth_words[convention.ideal_depth],
            str(convention.ties),
            str(convention.negative),
            str(convention.empty),
        )
        rows.append((name, convention.title, *setting_cells))
    columns = ("name", "tool or source", "gain", "discount", "ideal", "ties", "negative", "empty")
    return Table(columns, rows, expendable=columns[:1:-1])
