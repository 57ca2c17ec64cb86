"""Why two session conventions disagree, for a terminal or a page."""

from __future__ import annotations

from gainful.convention.session import SESSION_SETTINGS
from gainful.evidence.reasons.session_why import SESSION_CAUSES, SessionEffect, SessionWhy
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.show import table as tables
from gainful.show.table import PLAIN, Table, Terminal
from gainful.show.why import format_change
from gainful.text import quote


def to_text(why: SessionWhy, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal."""
    parts = [tables.wrap_text(format_headline(why), terminal)]
    if why.causes:
        parts.append("\n".join(_list_causes(why, terminal)))
    parts += [tables.wrap_text(line, terminal, "  ") for line in _list_remarks(why)]
    return "\n\n".join(parts)


def to_markdown(why: SessionWhy) -> str:
    """For a page or a pull request."""
    columns = ("cause", *why.names, "sessions", "effect", "share", "alone", "most changed")
    rows = [
        (
            effect.cause.title,
            *_describe_sides(why, effect),
            str(effect.sessions),
            format_change(effect.effect),
            _format_share(effect),
            format_change(effect.alone),
            _format_worst_session(effect),
        )
        for effect in why.causes
    ]
    table = [tables.to_markdown(Table(columns, rows))] if rows else []
    return "\n\n".join((format_headline(why), *table, *_list_remarks(why)))


def format_headline(why: SessionWhy) -> str:
    """The question answered."""
    (mine, theirs), (first_mean, second_mean) = why.names, why.means
    if not why.causes:
        return f"{why.measure} is {first_mean:.4f} in both: {mine} and {theirs} agree on these sessions."
    text = f"{why.measure} is {first_mean:.4f} like {mine}, {second_mean:.4f} like {theirs}: "
    return text + (format_change(why.difference) if why.difference else "no difference")


def _list_causes(why: SessionWhy, terminal: Terminal) -> list[str]:
    rows = [
        (
            effect.cause.title,
            format_change(effect.effect),
            _format_share(effect),
            str(effect.sessions),
        )
        for effect in why.causes
    ]
    table = Table(("cause", "effect", "share", "sessions"), rows, numeric=True, label_columns=1)
    head, *lines = tables.to_text(table, terminal=terminal).splitlines()
    cause_lines = [head]
    name_width = max(map(len, why.names)) + 1
    for line, effect in zip(lines, why.causes, strict=True):
        cause_lines.append(line)
        for name, text in zip(why.names, _describe_sides(why, effect), strict=True):
            detail = f"  {name + ':':<{name_width}} {text}"
            cause_lines.append(tables.wrap_text(detail, terminal, " " * (name_width + 3)))
        partners = [SESSION_CAUSES[name].title for name in effect.interacts]
        if partners:
            detail = f"  alone {format_change(effect.alone)}; interacts with {', '.join(partners)}"
            cause_lines.append(tables.wrap_text(detail, terminal, "  "))
        cause_lines.append(f"  {_format_worst_session(effect)}")
    return cause_lines


def _describe_sides(why: SessionWhy, effect: SessionEffect) -> tuple[str, str]:
    """What both do, in words."""
    mine, theirs = (
        "; ".join(_describe_setting(recipe, setting) for setting in effect.settings)
        for recipe in why.sides
    )
    return mine, theirs


def _describe_setting(recipe: SessionRecipe, setting: str) -> str:
    formulas = {
        "gain": recipe.gain,
        "discount": recipe.discount,
        "query_discount": recipe.query_discount,
    }
    if setting in formulas:
        return formulas[setting].text()
    value = getattr(recipe.convention, setting)
    if setting in ("b", "bq", "rel"):
        return f"{setting} = {'none' if value is None else f'{value:g}'}"
    return SESSION_SETTINGS[setting].describe(value)


def _format_worst_session(effect: SessionEffect) -> str:
    session, before, after = effect.worst
    values = ["left out" if value is None else f"{value:.4f}" for value in (before, after)]
    return f"most of all session {quote(session)}: {values[0]} → {values[1]}"


def _format_share(effect: SessionEffect) -> str:
    return "–" if effect.share is None else f"{round(100 * effect.share, 1) + 0.0:.1f} %"


def _list_remarks(why: SessionWhy) -> list[str]:
    lines = []
    if why.idle:
        titles = ", ".join(cause.title for cause in why.idle)
        lines.append(f"Differ, but change nothing here: {titles}.")
    return [*lines, *(f"Note: {note}." for note in why.notes)]
