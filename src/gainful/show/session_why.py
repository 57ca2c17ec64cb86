"""Why two session conventions disagree, for a terminal or a page."""

from __future__ import annotations

from gainful.convention.session import SESSION_HABITS
from gainful.errors import shown
from gainful.evidence.reasons.session_why import SESSION_CAUSES, SessionEffect, SessionWhy
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.show import table as tables
from gainful.show.table import PLAIN, Table, Terminal
from gainful.show.why import signed


def to_text(why: SessionWhy, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal."""
    parts = [tables.wrapped(headline(why), terminal)]
    if why.causes:
        parts.append("\n".join(_causes(why, terminal)))
    parts += [tables.wrapped(line, terminal, "  ") for line in _remarks(why)]
    return "\n\n".join(parts)


def to_markdown(why: SessionWhy) -> str:
    """For a page or a pull request."""
    columns = ("cause", *why.names, "sessions", "effect", "share", "alone", "most changed")
    rows = [
        (
            one.cause.title,
            *_answers(why, one),
            str(one.sessions),
            signed(one.effect),
            _share(one),
            signed(one.alone),
            _worst(one),
        )
        for one in why.causes
    ]
    table = [tables.to_markdown(Table(columns, rows))] if rows else []
    return "\n\n".join((headline(why), *table, *_remarks(why)))


def headline(why: SessionWhy) -> str:
    """The question answered."""
    (mine, theirs), (a, b) = why.names, why.means
    if not why.causes:
        return f"{why.measure} is {a:.4f} in both: {mine} and {theirs} agree on these sessions."
    found = f"{why.measure} is {a:.4f} like {mine}, {b:.4f} like {theirs}: "
    return found + (signed(why.difference) if why.difference else "no difference")


def _causes(why: SessionWhy, terminal: Terminal) -> list[str]:
    rows = [
        (one.cause.title, signed(one.effect), _share(one), str(one.sessions)) for one in why.causes
    ]
    table = Table(("cause", "effect", "share", "sessions"), rows, numbers=True, words=1)
    head, *lines = tables.to_text(table, terminal=terminal).splitlines()
    found = [head]
    wide = max(map(len, why.names)) + 1
    for line, one in zip(lines, why.causes, strict=True):
        found.append(line)
        for name, text in zip(why.names, _answers(why, one), strict=True):
            told = f"  {name + ':':<{wide}} {text}"
            found.append(tables.wrapped(told, terminal, " " * (wide + 3)))
        partners = [SESSION_CAUSES[name].title for name in one.interacts]
        if partners:
            told = f"  alone {signed(one.alone)}; interacts with {', '.join(partners)}"
            found.append(tables.wrapped(told, terminal, "  "))
        found.append(f"  {_worst(one)}")
    return found


def _answers(why: SessionWhy, one: SessionEffect) -> tuple[str, str]:
    """What both do, in words."""
    mine, theirs = ("; ".join(_answer(how, habit) for habit in one.habits) for how in why.sides)
    return mine, theirs


def _answer(recipe: SessionRecipe, habit: str) -> str:
    formulas = {
        "gain": recipe.gain,
        "discount": recipe.discount,
        "query_discount": recipe.query_discount,
    }
    if habit in formulas:
        return formulas[habit].text()
    value = getattr(recipe.convention, habit)
    if habit in ("b", "bq", "rel"):
        return f"{habit} = {'none' if value is None else f'{value:g}'}"
    return SESSION_HABITS[habit].words(value)


def _worst(one: SessionEffect) -> str:
    session, before, after = one.worst
    told = ["left out" if value is None else f"{value:.4f}" for value in (before, after)]
    return f"most of all session {shown(session)}: {told[0]} → {told[1]}"


def _share(one: SessionEffect) -> str:
    return "–" if one.share is None else f"{round(100 * one.share, 1) + 0.0:.1f} %"


def _remarks(why: SessionWhy) -> list[str]:
    lines = []
    if why.idle:
        titles = ", ".join(cause.title for cause in why.idle)
        lines.append(f"Differ, but change nothing here: {titles}.")
    return [*lines, *(f"Note: {note}." for note in why.notes)]
