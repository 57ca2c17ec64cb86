"""`Why`: the difference between two tools, by its causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.convention.convention import SettingValue, describe_rel
from gainful.convention.session import SessionConvention
from gainful.errors import CannotCompare
from gainful.evidence.reasons.causes import ALL_FACTS, Cause, find_cause, make_lenient
from gainful.evidence.reasons.credit import interactions, shapley_values
from gainful.evidence.reasons.mixtures import Change, Mixtures, RunScores, SessionChange
from gainful.evidence.side_by_side import RankByRank, build_sections
from gainful.measure.entry import FORMULA_PARAMS, MeasureRecipe, Recipe
from gainful.measure.measure import Measure
from gainful.measure.notes import describe_setting
from gainful.measure.values import name_units
from gainful.page.formats.text import table_to_text
from gainful.page.page import Page, Section, brief_page
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.page.terminal import Terminal, wrap_text
from gainful.rounding import ROUNDING
from gainful.text import (
    VISIBLE_CHANGE,
    choose_decimals,
    count_noun,
    format_change,
    join_words,
    name_count,
    pluralise,
    quote,
)
from gainful.types import Array

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
_BITS_WORDS = {"score_bits": "scores in ", "grade_bits": "grades in "}
_FORMULAS = {param: formula for formula, param in FORMULA_PARAMS.items()}


def _describe_sides(why: Why, effect: Effect) -> list[str]:
    """What each tool does in the settings of a cause; a formula includes its parameter."""
    texts = []
    for side in why.sides:
        own = side.entry.arguments  # these mean something to the measure itself
        names = [name if name in own else _FORMULAS.get(name, name) for name in effect.settings]
        text = "; ".join(_describe_setting(side, name) for name in dict.fromkeys(names))
        texts.append(name_units(text, why.unit))
    return texts


def _describe_setting(recipe: MeasureRecipe[Any], setting: str) -> str:
    if setting in FORMULA_PARAMS:
        return str(getattr(recipe, setting).text())
    if setting == "rel":
        return describe_rel(recipe.function_arguments()["rel"])
    if not isinstance(recipe, Recipe):
        return str(recipe.convention.describe(setting))
    refuses = getattr(recipe.convention, setting) == "error"
    recipe = evolve(recipe, convention=make_lenient(recipe.convention))
    words = _SETTING_WORDS.get(setting, {}).get(getattr(recipe.convention, setting))
    text = words or _BITS_WORDS.get(setting, "") + describe_setting(recipe, setting)
    return f"{text} (it rejects them; see below)" if refuses else text


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
        worst = self.worst.to_dict()
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "habits": {name: list(answers) for name, answers in self.settings.items()},
            "effect": self.effect,
            "share": self.share,
            "alone": self.alone,
            "last": self.last,
            name_count(unit): self.changed,
            "interacts": dict(self.interacts),
            "worst": {"found" if name == "in_run" else name: worst[name] for name in worst},
        }


@frozen(eq=False, repr=False)
class Why(Shown):
    """Why two tools disagree: the mean under both, and the causes, the largest first.

    `causes` add up to `difference`; `idle` are those that differ and change nothing here.
    """

    measure: Measure
    name: str  # of the run, or of the sessions
    unit: str  # query, user or session
    all_causes: Mapping[str, Cause]  # that there are, of queries or of sessions
    sides: Sides  # as the two tools have it
    names: tuple[str, str]  # distinct, of the two
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
    def difference(self) -> float:
        """How much more the second tool says than the first."""
        return self.means[1] - self.means[0]

    def to_dict(self, cause: str | None = None) -> dict[str, Any]:
        """All of it as plain data; with one `cause` the worst query of that alone."""
        units = name_count(self.unit)
        effects = [effect.to_dict(self.unit) for effect in self.causes]
        for effect in effects:
            if cause not in (None, effect["cause"]):
                effect["worst"] = None
        like, unlike = (
            {"name": name, "mean": mean, units: count}
            for name, mean, count in zip(self.names, self.means, self.counts, strict=True)
        )
        return {
            "measure": str(self.measure),
            units if self.unit == "session" else "run": self.name,
            "like": like,
            "unlike": unlike,
            "difference": self.difference,
            "causes": effects,
            "idle": [cause.name for cause in self.idle],
            "notes": list(self.notes),
        }

    def page(self, cause: str | None = None) -> Page:
        """All of it; of one cause only, the worst query rank by rank."""
        cause_name = None if cause is None else find_cause(cause, self.all_causes).name
        sections: list[Any] = [lambda width: [_list_causes(self, width)]] if self.causes else []
        if self.causes:
            sections.append(Section(table=_build_cause_table(self), forms=_NOT_TERMINAL))
        sections.append(Section(lines=_list_remarks(self, cause_name), indent="  "))
        sections.append(lambda width: _spell_out(self, cause_name, width))
        return Page(
            answer=_format_headline(self),
            sections=sections,
            rows=lambda: _list_rows(self),
            data=lambda: self.to_dict(cause_name),
        )

    def brief(self) -> Page:
        """The causes in a line each."""
        (mine, theirs), (a, b) = self.names, self.means
        change = _format_short_change(self.difference)
        head = f"{self.measure} is {a:.4f} like {mine}, {b:.4f} like {theirs}: {change}"
        width = max((len(effect.cause.title) for effect in self.causes), default=0)
        lines = [
            f"{effect.cause.title:<{width}}  {_format_short_change(effect.effect)}"
            for effect in self.causes
        ]
        return brief_page(head, lines, _build_cause_table(self), self.notes)


def _list_rows(why: Why) -> Table:
    columns = ("cause", *why.names, pluralise(why.unit), "effect", "share", "alone", "last")
    rows = [
        (
            *(effect.cause.name, *_describe_sides(why, effect), effect.changed),
            *(effect.effect, effect.share, effect.alone, effect.last),
        )
        for effect in why.causes
    ]
    return Table(columns, rows)


def _format_short_change(change: float) -> str:
    return f"{change:+.4f}" if abs(change) >= VISIBLE_CHANGE or not change else f"{change:+.1e}"


def _format_headline(why: Why) -> str:
    (mine, theirs), (first_mean, second_mean) = why.names, why.means
    if not why.causes:
        data = "sessions" if why.unit == "session" else "data"
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
    largest, *others = why.causes
    if not others:
        return f"The only cause: {largest.cause.title}."
    if len({effect.effect > 0 for effect in why.causes}) > 1:
        effects = [f"{e.cause.title} {format_change(e.effect)}" for e in why.causes]
        return f"Its causes offset each other: {join_words(_shorten_list(effects))}."
    share = f"{_format_share(largest)} of the difference"
    number = count_noun(len(why.causes), "cause")
    return f"The largest of {number} is {largest.cause.title} ({share})."


def _build_cause_table(why: Why) -> Table:
    columns = ["cause", *why.names, pluralise(why.unit), "effect", "share", "alone"]
    columns += ["interacts with", *(["most changed"] if why.unit == "session" else [])]
    rows = [
        (
            effect.cause.title,
            *_describe_sides(why, effect),
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
        (item.cause.title, format_change(item.effect), _format_share(item), str(item.changed))
        for item in why.causes
    ]
    columns = ("cause", "effect", "share", pluralise(why.unit))
    table = Table(columns, rows, numeric=True, label_columns=1)
    head, *numbers = table_to_text(table).splitlines()
    name_width, terminal = max(map(len, why.names)) + 1, Terminal(width)
    lines = []
    for line, effect in zip(numbers, why.causes, strict=True):
        lines.append(line)
        words = _describe_sides(why, effect)
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
    return [
        why.all_causes[name].title
        for name, interaction in effect.interacts.items()
        if abs(interaction) >= VISIBLE_CHANGE
    ]


def _shorten_list(names: Sequence[str]) -> Sequence[str]:
    if len(names) <= _MAX_PARTNERS + 1:
        return names
    return [*names[:_MAX_PARTNERS], f"{len(names) - _MAX_PARTNERS} others"]


def _describe_worst_session(effect: Effect) -> list[str]:
    worst = effect.worst
    if not isinstance(worst, SessionChange):
        return []
    before, after = (
        "left out" if value is None else f"{value:.4f}" for value in (worst.before, worst.after)
    )
    return [f"most of all session {quote(worst.session)}: {before} → {after}"]


def _list_remarks(why: Why, cause: str | None) -> list[str]:
    lines = []
    if cause is not None and cause not in {effect.cause.name for effect in why.causes}:
        title = why.all_causes[cause].title
        lines.append(f"Nothing to show: {title} causes no difference here.")
    if why.causes and all(effect.share is None for effect in why.causes):
        lines.append(
            "The changes cancel out in the mean, so there are no shares of the difference."
        )
    if why.idle:
        titles = ", ".join(idle.title for idle in why.idle)
        lines.append(f"Different settings without effect here: {titles}.")
    return [*lines, *(f"Note: {note}." for note in why.notes)]


def _spell_out(why: Why, cause: str | None, width: int | None) -> list[Section]:
    """The worst query of each cause, rank by rank; sessions have been told above."""
    sections = []
    for effect in why.causes:
        worst = effect.worst
        if isinstance(worst, RankByRank) and cause in (None, effect.cause.name):
            title, query = effect.cause.title, quote(worst.query)
            several = f"{effect.changed} {pluralise(why.unit)}, most of all {query}"
            units = f"{why.unit} {query}" if effect.changed == 1 else several
            heading = f"{title[0].upper()}{title[1:]}: {units}"
            sections.append(Section(heading, style="1", strong=True))
            sections += build_sections(worst, why.measure.entry, width)
    return sections


_CANCEL = 0.01  # shares of a difference smaller than this part of an effect say nothing


def explain_difference(mixtures: Mixtures, sides: Sides) -> Why:
    """The difference between the ends of some mixtures, taken apart into its causes."""
    source = mixtures.source
    end_values = mixtures.values(0), mixtures.values(mixtures.all)
    counts = [int((~np.isnan(values)).sum()) for values in end_values]
    for at, count in enumerate(counts):
        if not count:
            tool = sides[at].convention.name
            raise CannotCompare(f"like {tool} no {source.unit} counts: no mean")
    shares, notes = shapley_values(len(mixtures.causes), mixtures.means)
    mine, theirs = (side.convention for side in sides)
    changed = mine.name == theirs.name and mine != theirs
    names = mine.name, f"{theirs.name} (changed)" if changed else theirs.name
    effects = _find_effects(mixtures, shares, names)
    refusals = source.find_refusals() if isinstance(source, RunScores) else []  # of no sessions
    refusals = [(name, name_units(note, source.unit)) for name, note in refusals]
    settings = {*mine.differences(theirs)}
    explained = {name for name, _ in refusals} | {
        name for effect in effects for name in effect.cause.settings
    }
    idle = (
        cause
        for cause in source.all_causes.values()
        if settings & {*cause.settings}
        and not explained & {*cause.settings}
        and cause.matters(ALL_FACTS, sides[0])
    )
    return Why(
        measure=source.measure,
        name=source.name,
        unit=source.unit,
        all_causes=source.all_causes,
        sides=sides,
        names=names,
        means=(mixtures.mean(0), mixtures.mean(mixtures.all)),
        counts=(counts[0], counts[1]),
        causes=tuple(sorted(effects, key=lambda effect: -abs(effect.effect))),
        idle=tuple(idle),
        notes=(*source.notes, *dict.fromkeys(note for _, note in refusals), *notes),
    )


def _find_effects(mixtures: Mixtures, shares: list[float], names: tuple[str, str]) -> list[Effect]:
    difference = mixtures.mean(mixtures.all) - mixtures.mean(0)
    largest = max(map(abs, shares), default=0.0)
    cancel = abs(difference) <= max(ROUNDING, _CANCEL * largest)
    joint = interactions([cause.name for cause in mixtures.causes], mixtures.means)
    differences = mixtures.sides[0].differences(mixtures.sides[1])
    effects = []
    for at, cause in enumerate(mixtures.causes):
        bit = 1 << at
        changes = _unit_changes(mixtures, bit, shares[at])
        if not changes:
            continue
        effects.append(
            Effect(
                cause=cause,
                settings={
                    name: differences[name] for name in cause.settings if name in differences
                },
                effect=shares[at],
                share=None if cancel else shares[at] / difference,
                alone=mixtures.mean(bit) - mixtures.mean(0),
                last=mixtures.mean(mixtures.all) - mixtures.mean(mixtures.all ^ bit),
                changed=int(np.any([change > 0 for change in changes.values()], axis=0).sum()),
                interacts=joint[at],
                worst=_find_worst(mixtures, bit, changes, names),
            )
        )
    return effects


def _unit_changes(mixtures: Mixtures, bit: int, effect: float) -> dict[int, Array]:
    """How much each query or session changes by a switch, by the mixture it is switched in.

    It is switched first, starting from the one tool, and last, ending at the other. What does
    nothing in either place and yet has an effect does it somewhere between the two.
    """
    by_start = {
        before: _value_changes(mixtures.values(before), mixtures.values(before | bit))
        for before in dict.fromkeys((0, mixtures.all ^ bit))
    }
    nonzero = {before: change for before, change in by_start.items() if change.any()}
    if nonzero or abs(effect) < ROUNDING:
        return nonzero
    between = mixtures.find_largest_switch(bit)
    return {between: _value_changes(mixtures.values(between), mixtures.values(between | bit))}


def _value_changes(before: Array, after: Array) -> Array:
    """How much each value changes; one that comes or goes, as far as it pulls the mean."""
    counts = ~np.isnan(before), ~np.isnan(after)
    mean = before[counts[0]].mean() if counts[0].any() else 0.0
    changed = np.abs(np.nan_to_num(after) - np.nan_to_num(before))
    changed[changed < ROUNDING * (1 + np.abs(np.nan_to_num(before)))] = 0.0
    comes_or_goes = counts[0] ^ counts[1]
    value = np.where(counts[0], np.nan_to_num(before), np.nan_to_num(after))
    # Also one that is just average counts as changed when it comes or goes.
    changed[comes_or_goes] = np.maximum(np.abs(value - mean), ROUNDING)[comes_or_goes]
    return changed


def _find_worst(
    mixtures: Mixtures, bit: int, changes: Mapping[int, Array], names: tuple[str, str]
) -> Change:
    """The query or session that changes most, from the first tool on if it changes any there."""
    before, change = next(iter(changes.items()))
    after, row, (mine, theirs) = before | bit, int(np.argmax(change)), names
    if before == 0:
        labels = f"like {mine}", f"like {mine}, with {_make_possessive(theirs)} setting"
    elif after == mixtures.all:
        labels = f"like {theirs}, with {_make_possessive(mine)} setting", f"like {theirs}"
    else:
        others = [cause.title for at, cause in enumerate(mixtures.causes) if before >> at & 1]
        mixed = f"like {mine}, but {', '.join(others)} like {theirs}"
        labels = mixed, f"{mixed}, and this too"
    return mixtures.source.describe_change(
        row,
        (mixtures.convention(before), mixtures.convention(after)),
        (mixtures.values(before)[row], mixtures.values(after)[row]),
        labels,
    )


def _make_possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
