"""`Check`: one rule of a gate, held against one measure, and what was found in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from attrs import frozen

from gainful.measure.direction import HIGHER, Direction
from gainful.page.plain_data import to_plain_data
from gainful.rounding import ROUNDING
from gainful.text import count_noun, format_change, format_distinct, format_exact

Rule = Literal["floor", "ceiling", "max_drop", "no_worse_than", "per_query", "significant", "drift"]
_SMALLEST_P = 1e-4  # p that is told as such


@frozen
class Check:
    """One rule, held against one measure."""

    rule: Rule
    measure: str
    value: float  # the mean of the run
    bound: float
    ok: bool
    baseline: float | None = (
        None  # its mean there (for drift: at the anchor), over the same queries
    )
    p: float | None = None  # of this measure by itself
    p_corrected: float | None = None  # for the number of measures
    limit: float | None = None  # one-sided, of the change: it is not worse than that
    level: float | None = None  # of that limit
    fallen: int | None = None  # queries that dropped by more than the bound
    most: int | None = None  # queries that may
    direction: Direction = HIGHER  # is more of the measure better, or less?

    def __bool__(self) -> bool:
        return self.ok

    @property
    def message(self) -> str:
        """What was found, in a sentence."""
        return _RULES[self.rule][1](self)

    @property
    def rule_words(self) -> str:
        """The rule in a few words."""
        return _RULES[self.rule][0](self)

    def to_dict(self) -> dict[str, Any]:
        """The rule, what was found and the sentence about it, as plain data."""
        plain = to_plain_data(self)
        del plain["direction"]
        return plain | {"better": self.direction.better_is, "message": self.message}


def rounding_slack(value: float) -> float:
    """By how much a number may differ from this one, and be the same but for rounding."""
    return ROUNDING * abs(value)


def _tell_floor(check: Check) -> str:
    verb = "reaches" if check.ok else "is below"
    value = format_distinct(check.value, check.bound)
    return f"{check.measure} {value} {verb} its floor {format_exact(check.bound)}"


def _tell_ceiling(check: Check) -> str:
    verb = "stays within" if check.ok else "is above"
    value = format_distinct(check.value, check.bound)
    return f"{check.measure} {value} {verb} its ceiling {format_exact(check.bound)}"


def _tell_drop(check: Check) -> str:
    before, direction = check.baseline or 0.0, check.direction
    drop = direction.sign * (before - check.value)
    if drop <= rounding_slack(before):
        verb = "rise" if direction.is_lower else "drop"
        return f"{check.measure} did not {verb}: from {_format_means(check)}"
    dropped = f"{check.measure} {direction.decline_verb} by {format_distinct(drop, check.bound)}"
    allowed = f"at most {format_exact(check.bound)} is allowed"
    return f"{dropped}, from {_format_means(check)}; {allowed}"


def _tell_margin(check: Check) -> str:
    change, limit = check.value - (check.baseline or 0.0), check.limit or 0.0
    shown, if_at_all = ("is", ", if at all") if check.ok else ("is not shown to be", "")
    confidence = f"{100 * (1 - (check.level or 0.0)):g} %"
    return (
        f"{check.measure} {shown} worse than the baseline by less than "
        f"{format_exact(check.bound)}{if_at_all}: it changed by {format_change(change)}, "
        f"and with {confidence} confidence by {format_change(limit)} at worst"
    )


def _tell_fallen(check: Check) -> str:
    fallen = count_noun(check.fallen or 0, "query")
    allowed = (
        "none is"
        if not check.most
        else f"at most {check.most} {'is' if check.most == 1 else 'are'}"
    )
    return (
        f"{fallen} {check.direction.decline_verb} by more than {format_exact(check.bound)} in "
        f"{check.measure}; {allowed} allowed to"
    )


def _tell_test(check: Check) -> str:
    p, name = check.p_corrected or 0.0, "p" if check.p == check.p_corrected else "corrected p"
    other = "the anchor" if check.rule == "drift" else "the baseline"
    worse = f"is {'not ' if check.ok else ''}significantly worse than {other}"
    p_text = "< 0.0001" if p < _SMALLEST_P else f"= {format_distinct(p, check.bound)}"
    level = f"{name} {p_text} at {format_exact(check.bound)}"
    return f"{check.measure} {worse}: from {_format_means(check)}, {level}"


def _format_means(check: Check) -> str:
    before = check.baseline or 0.0
    return f"{format_distinct(before, check.value)} to {format_distinct(check.value, before)}"


def _bound_words(words: str) -> Callable[[Check], str]:
    return lambda check: f"{words} {format_exact(check.bound)}"


def _fallen_words(check: Check) -> str:
    queries = count_noun(check.most or 0, "query")
    way = "up" if check.direction.is_lower else "down"
    return f"at most {queries} {way} by {format_exact(check.bound)}"


def _drop_words(check: Check) -> str:
    verb = "rise" if check.direction.is_lower else "drop"
    return f"{verb} at most {format_exact(check.bound)}"


# Of each rule: what it is in a few words, and what was found in a sentence.
_RULES: Mapping[str, tuple[Callable[[Check], str], Callable[[Check], str]]] = {
    "floor": (_bound_words("floor"), _tell_floor),
    "ceiling": (_bound_words("ceiling"), _tell_ceiling),
    "max_drop": (_drop_words, _tell_drop),
    "no_worse_than": (_bound_words("worse by less than"), _tell_margin),
    "per_query": (_fallen_words, _tell_fallen),
    "significant": (_bound_words("not worse at"), _tell_test),
    "drift": (_bound_words("no drift at"), _tell_test),
}
