"""Why two tools disagree: the answer in a line, the causes, and their worst queries spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve

from gainful.evidence.reasons.causes import CAUSES, make_lenient
from gainful.evidence.reasons.why import Effect, Why
from gainful.measure.recipe import Recipe
from gainful.show import convention as conventions, rank_by_rank, table as tables
from gainful.show.rank_by_rank import VISIBLE_CHANGE, Block, choose_decimals
from gainful.show.table import PLAIN, Table, Terminal
from gainful.text import count_noun, quote

# The subject is the title of the cause: queries without judgments … are left out of the mean.
_SETTING_WORDS: dict[str, dict[Any, str]] = {
    "missing": {"zero": "count as 0", "skip": "are left out of the mean"},
    "extra": {
        "ignore": "are left out of the mean",
        "empty": "count as queries with nothing relevant",
        "zero": "count as 0",
    },
    "empty": {0: "score 0", 1: "score 1", "skip": "are left out of the mean"},
}
_MAX_PARTNERS = 3  # causes that another is said to interact with, one by one
_BITS_WORDS = {"score_bits": "scores in", "grade_bits": "grades in"}


def to_text(why: Why, *, cause: str | None = None, terminal: Terminal = PLAIN) -> str:
    """For a terminal."""
    parts = [tables.wrap_text(format_headline(why), terminal)]
    parts += ["\n".join(_list_causes(why, terminal))] if why.causes else []
    remarks = "\n".join(
        tables.wrap_text(line, terminal, "  ") for line in _list_remarks(why, cause)
    )
    parts += [remarks] if remarks else []
    for effect in _select_effects(why, cause):
        parts += [_make_bold(_format_heading(effect), terminal)]
        parts += [
            rank_by_rank.to_text(block, terminal)
            for block in _build_worst_blocks(why, effect, terminal.width)
        ]
    return "\n\n".join(parts)


def to_markdown(why: Why, *, cause: str | None = None) -> str:
    """For a page or a pull request."""
    parts = [format_headline(why)]
    parts += [tables.to_markdown(build_cause_table(why))] if why.causes else []
    parts += _list_remarks(why, cause)
    for effect in _select_effects(why, cause):
        parts += [f"**{_format_heading(effect)}**"]
        parts += [rank_by_rank.to_markdown(block) for block in _build_worst_blocks(why, effect)]
    return "\n\n".join(parts)


def to_dict(why: Why, *, cause: str | None = None) -> dict[str, Any]:
    """The same as data."""
    data = why.to_dict()
    for cause_data in data["causes"]:
        if cause is not None and cause_data["cause"] != cause:
            cause_data["worst"] = None
    return data


def format_headline(why: Why) -> str:
    """The question answered."""
    (mine, theirs), (first_mean, second_mean) = why.names, why.means
    if why.like == why.unlike:
        return (
            f"{why.measure} is {first_mean:.4f} in both: {mine} and {theirs} have the same habits."
        )
    if not why.causes:
        return (
            f"{why.measure} is {first_mean:.4f} in both: {mine} and {theirs} agree on these data."
        )
    digits = choose_decimals(why.difference)
    text = f"{why.measure} is {first_mean:.{digits}f} like {mine}, {second_mean:.{digits}f} like {theirs}: "
    text += format_change(why.difference) if why.difference else "no difference"
    if why.query_counts[0] != why.query_counts[1]:
        text += f" ({mine} counts {count_noun(why.query_counts[0], 'query')}, {theirs} {why.query_counts[1]})"
    return text


def format_change(value: float) -> str:
    """A change with its sign, in as many decimals as it takes to see it."""
    if value == 0:
        return "0"
    return f"{value:+.{choose_decimals(value)}f}" if abs(value) >= 1e-9 else f"{value:+.0e}"


def build_cause_table(why: Why) -> Table:
    """The causes, the largest first."""
    columns = ("cause", *why.names, "queries", "effect", "share", "alone", "interacts with")
    rows = [
        (
            effect.cause.title,
            *describe_sides(why, effect),
            str(effect.queries),
            format_change(effect.effect),
            _format_share(effect),
            format_change(effect.alone),
            ", ".join(_list_partners(effect)),
        )
        for effect in why.causes
    ]
    return Table(columns, rows)


def describe_sides(why: Why, effect: Effect) -> tuple[str, str]:
    """What both tools do, in words."""
    mine, theirs = (
        "; ".join(
            _describe_setting(recipe, setting)
            for setting in effect.settings
            if not _is_redundant(recipe, setting)
        )
        for recipe in why.sides
    )
    return mine, theirs


def _is_redundant(recipe: Recipe, setting: str) -> bool:
    """The base comes with its discount, and what is relevant with a gain that asks for it."""
    return setting == "b" or (setting == "rel" and "rel" not in recipe.measure.entry.arguments)


def _describe_setting(recipe: Recipe, setting: str) -> str:
    refuses = getattr(recipe.convention, setting) == "error"
    recipe = evolve(recipe, convention=make_lenient(recipe.convention))
    value = getattr(recipe.convention, setting)
    if setting == "gain":
        text = recipe.gain.text()
    elif setting == "discount":
        text = recipe.discount.text()
    elif setting == "rel":
        text = f"relevant from grade {recipe.function_arguments()['rel']:g} on"
    elif setting in _BITS_WORDS:
        text = f"{_BITS_WORDS[setting]} {conventions.describe_setting(recipe, setting)}"
    else:
        text = _SETTING_WORDS.get(setting, {}).get(value) or conventions.describe_setting(
            recipe, setting
        )
    return f"{text} (it refuses them; see below)" if refuses else text


def _format_share(effect: Effect) -> str:
    return "–" if effect.share is None else f"{round(100 * effect.share, 1) + 0.0:.1f} %"


def _list_partners(effect: Effect) -> list[str]:
    """The causes without which it would do something else, as far as four decimals show it."""
    return [
        CAUSES[name].title
        for name, interaction in effect.interacts.items()
        if abs(interaction) >= VISIBLE_CHANGE
    ]


def _list_causes(why: Why, terminal: Terminal) -> Iterator[str]:
    """A line of numbers for each cause, and below it what both do."""
    rows = [
        (
            effect.cause.title,
            format_change(effect.effect),
            _format_share(effect),
            str(effect.queries),
        )
        for effect in why.causes
    ]
    table = Table(("cause", "effect", "share", "queries"), rows, numeric=True, label_columns=1)
    head, *lines = tables.to_text(table, terminal=terminal).splitlines()
    yield head
    name_width = max(map(len, why.names)) + 1
    for line, effect in zip(lines, why.causes, strict=True):
        yield line
        for name, text in zip(why.names, describe_sides(why, effect), strict=True):
            yield tables.wrap_text(
                f"  {name + ':':<{name_width}} {text}", terminal, " " * (name_width + 3)
            )
        partners = _list_partners(effect)
        if partners:
            detail = (
                f"  alone {format_change(effect.alone)}; interacts with {_join_names(partners)}"
            )
            yield tables.wrap_text(detail, terminal, "  ")


def _list_remarks(why: Why, cause: str | None) -> list[str]:
    """What else is to be said before the queries."""
    lines = []
    if cause is not None and not _select_effects(why, cause):
        lines.append(
            f"Nothing to spell out: {CAUSES[cause].title}: no cause of any difference here."
        )
    if why.causes and all(effect.share is None for effect in why.causes):
        lines.append(
            "What changes cancels out in the mean, so there are no shares of the difference."
        )
    if why.idle:
        titles = ", ".join(cause.title for cause in why.idle)
        lines.append(f"Differ, but change nothing here: {titles}.")
    return [*lines, *(f"Note: {note}." for note in why.notes)]


def _select_effects(why: Why, cause: str | None) -> list[Effect]:
    return [
        effect
        for effect in why.causes
        if effect.worst is not None and cause in (None, effect.cause.name)
    ]


def _format_heading(effect: Effect) -> str:
    """The cause, and the query that is spelled out below."""
    title, query = effect.cause.title, quote(effect.worst.query if effect.worst else "")
    query_text = (
        f"query {query}"
        if effect.queries == 1
        else f"{effect.queries} queries, most of all {query}"
    )
    return f"{title[0].upper()}{title[1:]}: {query_text}"


def _build_worst_blocks(why: Why, effect: Effect, width: int | None = None) -> list[Block]:
    if effect.worst is None:
        return []
    return rank_by_rank.build_blocks(effect.worst, why.measure.entry, width)


def _join_names(names: Sequence[str]) -> str:
    """The first few, which matter most, and how many others."""
    if len(names) > _MAX_PARTNERS + 1:
        names = [*names[:_MAX_PARTNERS], f"{len(names) - _MAX_PARTNERS} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _make_bold(text: str, terminal: Terminal) -> str:
    text = tables.wrap_text(text, terminal)
    return f"\x1b[1m{text}\x1b[0m" if terminal.colour else text
