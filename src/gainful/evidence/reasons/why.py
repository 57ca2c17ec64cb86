"""`Why`: the difference between two tools, by its causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from gainful.convention import Convention, SettingValue
from gainful.convention.session import SessionConvention
from gainful.evidence.reasons.causes import Cause, find_cause
from gainful.evidence.reasons.describe_sides import describe_sides
from gainful.evidence.reasons.mixtures import Change
from gainful.evidence.reasons.rank_by_rank import RankByRank
from gainful.evidence.reasons.rank_by_rank_page import build_sections
from gainful.evidence.reasons.session_scores import SessionChange
from gainful.measure.measure import Measure
from gainful.measure.recipe import MeasureRecipe
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.page.terminal import Terminal, wrap_text
from gainful.page.to_text import table_to_text
from gainful.text import (
    VISIBLE_CHANGE,
    choose_decimals,
    count_noun,
    format_change,
    join_words,
    pluralise,
    quote,
)

Sides = tuple[MeasureRecipe[Any], MeasureRecipe[Any]]  # a measure as both tools have it
_MAX_PARTNERS = 3  # causes that another is said to interact with, one by one
_NOT_TERMINAL = ("markdown", "latex", "html")


@frozen(eq=False)
class Effect:
    """What one cause does: how much of the difference, to how many, together with which others."""

    cause: Cause
    settings: Mapping[str, tuple[SettingValue, SettingValue]]  # of both, as they were compared
    effect: float
    share: float | None  # of the difference; None where the causes cancel one another out
    alone: float  # switched by itself, starting from the first tool
    last: float  # switched last, ending at the second
    changed: int  # queries or sessions whose value changes, or whether they count
    interacts: Mapping[str, float]  # what it changes only together with another cause
    worst: Change  # the query, rank by rank, or the session that changes most

    def to_dict(self, unit: str = "query") -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "habits": {name: list(answers) for name, answers in self.settings.items()},
            "effect": self.effect,
            "share": self.share,
            "alone": self.alone,
            "last": self.last,
            pluralise(unit): self.changed,
            "interacts": dict(self.interacts),
            "worst": self.worst.to_dict(),
        }


@frozen(eq=False, repr=False)
class Why(Shown):
    """Why two tools disagree: the mean under both, and the causes, the largest first.

    `causes` add up to `difference`; `idle` are those that differ and change nothing here.
    """

    measure: Measure
    name: str  # of the run, or of the sessions
    unit: str  # query or session
    all_causes: Mapping[str, Cause]  # that there are, of queries or of sessions
    sides: Sides  # as the two tools have it
    means: tuple[float, float]
    counts: tuple[int, int]  # of queries or sessions
    causes: tuple[Effect, ...]
    idle: tuple[Cause, ...]
    notes: tuple[str, ...]

    @property
    def like(self) -> Convention | SessionConvention:
        """The convention of the first tool."""
        convention: Convention | SessionConvention = self.sides[0].convention
        return convention

    @property
    def unlike(self) -> Convention | SessionConvention:
        """The convention of the second tool."""
        convention: Convention | SessionConvention = self.sides[1].convention
        return convention

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called, so that they can be told apart."""
        return convention_names(self.sides)

    @property
    def difference(self) -> float:
        """How much more the second tool says than the first."""
        return self.means[1] - self.means[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        units = pluralise(self.unit)
        like, unlike = (
            {"name": name, "mean": mean, units: count}
            for name, mean, count in zip(self.names, self.means, self.counts, strict=True)
        )
        return {
            "measure": str(self.measure),
            "run" if self.unit == "query" else units: self.name,
            "like": like,
            "unlike": unlike,
            "difference": self.difference,
            "causes": [effect.to_dict(self.unit) for effect in self.causes],
            "idle": [cause.name for cause in self.idle],
            "notes": list(self.notes),
        }

    def page(self, cause: str | None = None) -> Page:
        """All of it; of one cause only, the worst query rank by rank."""
        return why_page(self, cause)

    def brief(self) -> Page:
        """The causes in a line each."""
        return summary_page(self)


def convention_names(sides: Sides) -> tuple[str, str]:
    """What two conventions are called, so that they can be told apart."""
    mine, theirs = (side.convention for side in sides)
    changed = mine.name == theirs.name and mine != theirs
    return mine.name, f"{theirs.name} (changed)" if changed else theirs.name


def why_page(why: Why, cause: str | None = None) -> Page:
    """The whole answer; with a cause, only its worst query is spelled out."""
    cause_name = None if cause is None else find_cause(cause, why.all_causes).name
    sections: list[Any] = [lambda width: [_list_causes(why, width)]] if why.causes else []
    if why.causes:
        sections.append(Section(table=_build_cause_table(why), forms=_NOT_TERMINAL))
    sections.append(Section(lines=_list_remarks(why, cause_name), indent="  "))
    sections.append(lambda width: _spell_out(why, cause_name, width))
    return Page(
        answer=_format_headline(why),
        sections=sections,
        rows=lambda: _list_rows(why),
        data=lambda: _to_dict(why, cause_name),
    )


def summary_page(why: Why) -> Page:
    """The causes in a line each, for a prompt; their table for a notebook."""
    (mine, theirs), (a, b) = why.names, why.means
    change = _format_short_change(why.difference)
    head = f"{why.measure} is {a:.4f} like {mine}, {b:.4f} like {theirs}: {change}"
    width = max((len(effect.cause.title) for effect in why.causes), default=0)
    lines = [
        f"{effect.cause.title:<{width}}  {_format_short_change(effect.effect)}"
        for effect in why.causes
    ]
    return Page(
        sections=[
            Section(lines=(head, *lines, *why.notes), forms=("table",)),
            Section(head, _build_cause_table(why), why.notes, forms=("html",)),
        ]
    )


def _to_dict(why: Why, cause: str | None) -> dict[str, Any]:
    data = why.to_dict()
    for effect in data["causes"]:
        if cause not in (None, effect["cause"]):
            effect["worst"] = None
    return data


def _list_rows(why: Why) -> Table:
    """A row for each cause, at full precision."""
    columns = ("cause", *why.names, pluralise(why.unit), "effect", "share", "alone", "last")
    rows = [
        (
            effect.cause.name,
            *describe_sides(why.sides, [*effect.settings]),
            effect.changed,
            *(effect.effect, effect.share, effect.alone, effect.last),
        )
        for effect in why.causes
    ]
    return Table(columns, rows)


def _format_short_change(change: float) -> str:
    return f"{change:+.4f}" if abs(change) >= VISIBLE_CHANGE or not change else f"{change:+.1e}"


def _format_headline(why: Why) -> str:
    """The question answered."""
    (mine, theirs), (first_mean, second_mean) = why.names, why.means
    if not why.causes:
        data = "data" if why.unit == "query" else "sessions"
        same = "have the same settings" if why.like == why.unlike else f"agree on these {data}"
        return f"{why.measure} is {first_mean:.4f} in both: {mine} and {theirs} {same}."
    digits = choose_decimals(why.difference)
    values = f"{first_mean:.{digits}f} like {mine}, {second_mean:.{digits}f} like {theirs}"
    change = format_change(why.difference) if why.difference else "no difference"
    text = f"{why.measure} is {values}: {change}"
    if why.counts[0] != why.counts[1]:
        text += f" ({mine} counts {count_noun(why.counts[0], why.unit)}, {theirs} {why.counts[1]})"
    return f"{text}. {_describe_main_cause(why)}"


def _describe_main_cause(why: Why) -> str:
    """What most of the difference comes from, in a sentence."""
    largest = why.causes[0]
    if len(why.causes) == 1:
        return f"The only cause: {largest.cause.title}."
    if len({effect.effect > 0 for effect in why.causes}) > 1:
        effects = [f"{e.cause.title} {format_change(e.effect)}" for e in why.causes]
        return f"Its causes work against each other: {join_words(_shorten_list(effects))}."
    others = count_noun(len(why.causes) - 1, "other cause")
    share = f"{_format_share(largest)} of the difference"
    return f"The largest cause is {largest.cause.title} ({share}), beside {others}."


def _build_cause_table(why: Why) -> Table:
    """The causes, the largest first."""
    columns = ["cause", *why.names, pluralise(why.unit), "effect", "share", "alone"]
    columns += ["interacts with", *(["most changed"] if why.unit == "session" else [])]
    rows = [
        (
            effect.cause.title,
            *describe_sides(why.sides, [*effect.settings]),
            str(effect.changed),
            format_change(effect.effect),
            _format_share(effect),
            format_change(effect.alone),
            ", ".join(_list_partners(why, effect)),
            *_describe_worst_session(effect),
        )
        for effect in why.causes
    ]
    return Table(columns, rows)


def _list_causes(why: Why, width: int | None) -> Section:
    """A line of numbers for each cause, and below it what both do."""
    rows = [
        (
            effect.cause.title,
            format_change(effect.effect),
            _format_share(effect),
            str(effect.changed),
        )
        for effect in why.causes
    ]
    columns = ("cause", "effect", "share", pluralise(why.unit))
    table = Table(columns, rows, numeric=True, label_columns=1)
    head, *numbers = table_to_text(table).splitlines()
    name_width, terminal = max(map(len, why.names)) + 1, Terminal(width)
    lines = []
    for line, effect in zip(numbers, why.causes, strict=True):
        lines.append(line)
        words = describe_sides(why.sides, [*effect.settings])
        for name, text in zip(why.names, words, strict=True):
            side = f"  {name + ':':<{name_width}} {text}"
            lines.append(wrap_text(side, terminal, " " * (name_width + 3)))
        partners = _shorten_list(_list_partners(why, effect))
        if partners:
            alone = f"  alone {format_change(effect.alone)}; interacts with {join_words(partners)}"
            lines.append(wrap_text(alone, terminal, "  "))
        lines += [f"  {text}" for text in _describe_worst_session(effect)]
    return Section(head, lines=lines, style="1", indent="  ", forms=("table",))


def _format_share(effect: Effect) -> str:
    return "–" if effect.share is None else f"{round(100 * effect.share, 1) + 0.0:.1f} %"


def _list_partners(why: Why, effect: Effect) -> list[str]:
    """The causes without which it would do something else, as far as four decimals show it."""
    return [
        why.all_causes[name].title
        for name, interaction in effect.interacts.items()
        if abs(interaction) >= VISIBLE_CHANGE
    ]


def _shorten_list(names: Sequence[str]) -> Sequence[str]:
    """The first few, which matter most, and how many others."""
    if len(names) <= _MAX_PARTNERS + 1:
        return names
    return [*names[:_MAX_PARTNERS], f"{len(names) - _MAX_PARTNERS} others"]


def _describe_worst_session(effect: Effect) -> list[str]:
    worst = effect.worst
    if not isinstance(worst, SessionChange):
        return []
    values = ["left out" if value is None else f"{value:.4f}" for value in worst.values]
    return [f"most of all session {quote(worst.session)}: {values[0]} → {values[1]}"]


def _list_remarks(why: Why, cause: str | None) -> list[str]:
    """What else is to be said before the queries."""
    lines = []
    if cause is not None and cause not in {effect.cause.name for effect in why.causes}:
        title = why.all_causes[cause].title
        lines.append(f"Nothing to spell out: {title}: no cause of any difference here.")
    if why.causes and all(effect.share is None for effect in why.causes):
        lines.append(
            "What changes cancels out in the mean, so there are no shares of the difference."
        )
    if why.idle:
        titles = ", ".join(idle.title for idle in why.idle)
        lines.append(f"Differ, but change nothing here: {titles}.")
    return [*lines, *(f"Note: {note}." for note in why.notes)]


def _spell_out(why: Why, cause: str | None, width: int | None) -> list[Section]:
    """The worst query of each cause, rank by rank; sessions have been told above."""
    sections = []
    for effect in why.causes:
        worst = effect.worst
        if isinstance(worst, RankByRank) and cause in (None, effect.cause.name):
            title, query = effect.cause.title, quote(worst.query)
            several = f"{effect.changed} queries, most of all {query}"
            queries = f"query {query}" if effect.changed == 1 else several
            heading = f"{title[0].upper()}{title[1:]}: {queries}"
            sections.append(Section(heading, style="1", strong=True))
            sections += build_sections(worst, why.measure.entry, width)
    return sections
