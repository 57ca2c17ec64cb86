"""The page of conventions: what each does in every situation, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gainful.convention import CONVENTIONS, SETTINGS, Convention
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_SETTINGS, SessionConvention
from gainful.errors import UnknownName
from gainful.measure.build_recipes import build_recipe
from gainful.measure.entry import FORMULA_PARAMS
from gainful.measure.formulas import find_formula
from gainful.measure.measure import nDCG
from gainful.measure.notes import describe_setting
from gainful.page.page import Page, Section
from gainful.page.table import Table

# The settings that matter for one list of grades without ids, scores or other queries.
SINGLE_LIST_SETTINGS = (
    *("gain", "discount", "cutoff", "ideal", "ideal_depth"),
    *("negative", "fractional", "empty", "negative_ideal", "short", "grade_bits", "decimals"),
)
_LISTED_SETTINGS = [
    setting for setting in SETTINGS if setting not in ("b", "rel")
]  # those come with their formula


def convention_page(name: str | None = None, other: str | None = None) -> Page:
    """All conventions, one of them by its name, or what two do differently."""
    tables = build_tables(name, other)
    sections = []
    for heading, table in tables:
        sections.append(Section(lines=[heading]))
        sections += [Section(table=table)] if table.rows else []
    return Page(sections=sections, rows=lambda: tables[0][1], data=lambda: to_dict(name, other))


def format_heading(convention: Convention | None, other: Convention | None = None) -> str:
    """What the table below is about."""
    if convention is None:
        return f"{len(CONVENTIONS)} conventions; gainful conventions NAME tells one in plain words."
    if other is None:
        note = f"\nNote: {convention.note}." if convention.note else ""
        own = ", ".join(name.replace("@", "@k") for name in convention.measures or ())
        numbers = f"\nIts own numbers: {own}; other measures are gainful's." if own else ""
        return f"{convention.name}: {convention.title}{note}{numbers}"
    count = len(build_table(convention, other).rows)
    difference_text = "nothing" if not count else f"{count} setting{'s' * (count > 1)}"
    return f"{convention.name} and {other.name} differ in {difference_text}."


def build_table(convention: Convention | None = None, other: Convention | None = None) -> Table:
    """All conventions, one in plain words, or only what two do differently."""
    if convention is None:
        return _build_overview()
    ndcg_recipe = build_recipe(nDCG, like=convention)
    if other is None:
        rows = [
            (SETTINGS[setting].question, describe_setting(ndcg_recipe, setting))
            for setting in _LISTED_SETTINGS
        ]
        return Table(("question", "answer"), rows)
    pairs = [
        (
            setting,
            describe_setting(ndcg_recipe, setting),
            describe_setting(build_recipe(nDCG, like=other), setting),
        )
        for setting in _LISTED_SETTINGS
    ]
    differing = [
        (setting, SETTINGS[setting].question, own_words, other_words)
        for setting, own_words, other_words in pairs
        if own_words != other_words
    ]
    return Table(("field", "question", convention.name, other.name), differing)


def build_tables(first_name: str | None, second_name: str | None) -> list[tuple[str, Table]]:
    """Tables with their headings: of single rankings, and of sessions where there is one."""
    if first_name is None:
        session_rows = [
            (name, convention.title, convention.note)
            for name, convention in SESSION_CONVENTIONS.items()
        ]
        session_heading = f"{len(session_rows)} conventions of whole sessions."
        columns = ("name", "paper or track", "note")
        session_table = Table(columns, session_rows, expendable=("note",))
        return [(format_heading(None), build_table()), (session_heading, session_table)]
    tables = []
    conventions = [CONVENTIONS.get(name) for name in (first_name, second_name) if name is not None]
    if all(conventions):
        first, second = conventions[0], conventions[1] if len(conventions) > 1 else None
        tables.append((format_heading(first, second), build_table(first, second)))
    session_conventions = [
        SESSION_CONVENTIONS.get(key) for key in (first_name, second_name) if key is not None
    ]
    if all(session_conventions):
        tables.append(
            build_session_table(
                *[convention for convention in session_conventions if convention is not None]
            )
        )
    if not tables:
        raise UnknownName("session convention", str(second_name), SESSION_CONVENTIONS)
    return tables


def build_session_table(
    convention: SessionConvention, other: SessionConvention | None = None
) -> tuple[str, Table]:
    """One session convention in plain words, or only what two do differently."""
    if other is None:
        note = f"\nNote: {convention.note}." if convention.note else ""
        rows = [
            (setting.question, _describe_session_setting(convention, name))
            for name, setting in SESSION_SETTINGS.items()
        ]
        heading_text = f"{convention.name}, of whole sessions: {convention.title}{note}"
        return heading_text, Table(("question", "answer"), rows)
    differences = convention.differences(other)
    differing_rows = [
        (
            name,
            SESSION_SETTINGS[name].question,
            _describe_session_setting(convention, name),
            _describe_session_setting(other, name),
        )
        for name in differences
    ]
    difference_text = (
        f"{len(differing_rows)} setting{'s' * (len(differing_rows) != 1)}"
        if differing_rows
        else "nothing"
    )
    heading_text = (
        f"{convention.name} and {other.name} differ in {difference_text} of whole sessions."
    )
    return heading_text, Table(("field", "question", convention.name, other.name), differing_rows)


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
    if first_name is None:
        ranking_dicts = {
            name: _convention_to_dict(convention) for name, convention in CONVENTIONS.items()
        }
        session_dicts = {
            name: _convention_to_dict(convention)
            for name, convention in SESSION_CONVENTIONS.items()
        }
        return {**ranking_dicts, "sessions": session_dicts}
    catalogues: tuple[Mapping[str, Any], ...] = (CONVENTIONS, SESSION_CONVENTIONS)
    if second_name is None:
        ranking_convention, session_convention = (
            conventions.get(first_name) for conventions in catalogues
        )
        if ranking_convention is None:
            return _convention_to_dict(session_convention)
        return _convention_to_dict(ranking_convention) | (
            {}
            if session_convention is None
            else {"sessions": _convention_to_dict(session_convention)}
        )
    differences: dict[str, Any] = {}
    for conventions in catalogues:
        if first_name in conventions and second_name in conventions:
            settings = conventions[first_name].differences(conventions[second_name])
            differences |= {
                name: {first_name: first_value, second_name: second_value}
                for name, (first_value, second_value) in settings.items()
            }
    return differences


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
