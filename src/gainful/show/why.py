"""Why two tools disagree: the answer in a line, the causes, and their worst queries spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve

from gainful.errors import counted, shown
from gainful.evidence.reasons.causes import CAUSES, lenient
from gainful.evidence.reasons.why import Effect, Why
from gainful.measure.recipe import Recipe
from gainful.show import convention as conventions, rank_by_rank, table as tables
from gainful.show.rank_by_rank import SEEN, Block, decimals
from gainful.show.table import PLAIN, Table, Terminal

# The subject is the title of the cause: queries without judgments … are left out of the mean.
_ANSWERS: dict[str, dict[Any, str]] = {
    "missing": {"zero": "count as 0", "skip": "are left out of the mean"},
    "extra": {
        "ignore": "are left out of the mean",
        "empty": "count as queries with nothing relevant",
        "zero": "count as 0",
    },
    "empty": {0: "score 0", 1: "score 1", "skip": "are left out of the mean"},
}
_PARTNERS = 3  # causes that another is said to interact with, one by one
_PRECISION = {"score_bits": "scores in", "grade_bits": "grades in"}


def to_text(why: Why, *, cause: str | None = None, terminal: Terminal = PLAIN) -> str:
    """For a terminal."""
    parts = [tables.wrapped(headline(why), terminal)]
    parts += ["\n".join(_causes(why, terminal))] if why.causes else []
    remarks = "\n".join(tables.wrapped(line, terminal, "  ") for line in _remarks(why, cause))
    parts += [remarks] if remarks else []
    for one in _chosen(why, cause):
        parts += [_bold(_heading(one), terminal)]
        parts += [
            rank_by_rank.to_text(block, terminal) for block in _worst(why, one, terminal.width)
        ]
    return "\n\n".join(parts)


def to_markdown(why: Why, *, cause: str | None = None) -> str:
    """For a page or a pull request."""
    parts = [headline(why)]
    parts += [tables.to_markdown(causes_table(why))] if why.causes else []
    parts += _remarks(why, cause)
    for one in _chosen(why, cause):
        parts += [f"**{_heading(one)}**"]
        parts += [rank_by_rank.to_markdown(block) for block in _worst(why, one)]
    return "\n\n".join(parts)


def to_dict(why: Why, *, cause: str | None = None) -> dict[str, Any]:
    """The same as data."""
    data = why.to_dict()
    for one in data["causes"]:
        if cause is not None and one["cause"] != cause:
            one["worst"] = None
    return data


def headline(why: Why) -> str:
    """The question answered."""
    (mine, theirs), (a, b) = why.names, why.means
    if why.like == why.unlike:
        return f"{why.measure} is {a:.4f} in both: {mine} and {theirs} have the same habits."
    if not why.causes:
        return f"{why.measure} is {a:.4f} in both: {mine} and {theirs} agree on these data."
    precise = decimals(why.difference)
    found = f"{why.measure} is {a:.{precise}f} like {mine}, {b:.{precise}f} like {theirs}: "
    found += signed(why.difference) if why.difference else "no difference"
    if why.counted[0] != why.counted[1]:
        found += f" ({mine} counts {counted(why.counted[0], 'query')}, {theirs} {why.counted[1]})"
    return found


def signed(value: float) -> str:
    """A change with its sign, in as many decimals as it takes to see it."""
    if value == 0:
        return "0"
    return f"{value:+.{decimals(value)}f}" if abs(value) >= 1e-9 else f"{value:+.0e}"


def causes_table(why: Why) -> Table:
    """The causes, the largest first."""
    columns = ("cause", *why.names, "queries", "effect", "share", "alone", "interacts with")
    rows = [
        (
            one.cause.title,
            *answers(why, one),
            str(one.queries),
            signed(one.effect),
            _share(one),
            signed(one.alone),
            ", ".join(_partners(one)),
        )
        for one in why.causes
    ]
    return Table(columns, rows)


def answers(why: Why, one: Effect) -> tuple[str, str]:
    """What both tools do, in words."""
    mine, theirs = (
        "; ".join(_answer(how, habit) for habit in one.habits if not _implied(how, habit))
        for how in why.sides
    )
    return mine, theirs


def _implied(recipe: Recipe, habit: str) -> bool:
    """The base comes with its discount, and what is relevant with a gain that asks for it."""
    return habit == "b" or (habit == "rel" and "rel" not in recipe.measure.entry.takes)


def _answer(recipe: Recipe, habit: str) -> str:
    refuses = getattr(recipe.convention, habit) == "error"
    recipe = evolve(recipe, convention=lenient(recipe.convention))
    value = getattr(recipe.convention, habit)
    if habit == "gain":
        text = recipe.gain.text()
    elif habit == "discount":
        text = recipe.discount.text()
    elif habit == "rel":
        text = f"relevant from grade {recipe.settings()['rel']:g} on"
    elif habit in _PRECISION:
        text = f"{_PRECISION[habit]} {conventions.words(recipe, habit)}"
    else:
        text = _ANSWERS.get(habit, {}).get(value) or conventions.words(recipe, habit)
    return f"{text} (it refuses them; see below)" if refuses else text


def _share(one: Effect) -> str:
    return "–" if one.share is None else f"{round(100 * one.share, 1) + 0.0:.1f} %"


def _partners(one: Effect) -> list[str]:
    """The causes without which it would do something else, as far as four decimals show it."""
    return [CAUSES[name].title for name, together in one.interacts.items() if abs(together) >= SEEN]


def _causes(why: Why, terminal: Terminal) -> Iterator[str]:
    """A line of numbers for each cause, and below it what both do."""
    rows = [
        (one.cause.title, signed(one.effect), _share(one), str(one.queries)) for one in why.causes
    ]
    table = Table(("cause", "effect", "share", "queries"), rows, numbers=True, words=1)
    head, *lines = tables.to_text(table, terminal=terminal).splitlines()
    yield head
    wide = max(map(len, why.names)) + 1
    for line, one in zip(lines, why.causes, strict=True):
        yield line
        for name, text in zip(why.names, answers(why, one), strict=True):
            yield tables.wrapped(f"  {name + ':':<{wide}} {text}", terminal, " " * (wide + 3))
        partners = _partners(one)
        if partners:
            told = f"  alone {signed(one.alone)}; interacts with {_listed(partners)}"
            yield tables.wrapped(told, terminal, "  ")


def _remarks(why: Why, cause: str | None) -> list[str]:
    """What else is to be said before the queries."""
    lines = []
    if cause is not None and not _chosen(why, cause):
        lines.append(
            f"Nothing to spell out: {CAUSES[cause].title}: no cause of any difference here."
        )
    if why.causes and all(one.share is None for one in why.causes):
        lines.append(
            "What changes cancels out in the mean, so there are no shares of the difference."
        )
    if why.idle:
        titles = ", ".join(cause.title for cause in why.idle)
        lines.append(f"Differ, but change nothing here: {titles}.")
    return [*lines, *(f"Note: {note}." for note in why.notes)]


def _chosen(why: Why, cause: str | None) -> list[Effect]:
    return [one for one in why.causes if one.worst is not None and cause in (None, one.cause.name)]


def _heading(one: Effect) -> str:
    """The cause, and the query that is spelled out below."""
    title, query = one.cause.title, shown(one.worst.query if one.worst else "")
    some = f"query {query}" if one.queries == 1 else f"{one.queries} queries, most of all {query}"
    return f"{title[0].upper()}{title[1:]}: {some}"


def _worst(why: Why, one: Effect, width: int | None = None) -> list[Block]:
    if one.worst is None:
        return []
    return rank_by_rank.blocks(one.worst, why.measure.entry, width)


def _listed(names: Sequence[str]) -> str:
    """The first few, which matter most, and how many others."""
    if len(names) > _PARTNERS + 1:
        names = [*names[:_PARTNERS], f"{len(names) - _PARTNERS} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _bold(text: str, terminal: Terminal) -> str:
    text = tables.wrapped(text, terminal)
    return f"\x1b[1m{text}\x1b[0m" if terminal.colour else text
