"""Gains from what searchers did: clicks, time spent, purchases, by a rule that is told.

Where nobody judged documents, the gain of a result is the weight of what was done to it at its
place, the highest of several. What stands higher is clicked more, whatever it is worth: weights by
inverse propensity correct for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.match.propensities import Propensities, estimate_propensities
from gainful.read.event_times import parse_duration
from gainful.read.propensities import AnyPropensities, read_propensities
from gainful.read.session_events import find_behaviour
from gainful.read.sessions import LIST_LENGTH, Sessions
from gainful.text import count_noun, format_short, join_words
from gainful.types import is_number

GainRule = str | Mapping[str, float]
MAX_WEIGHT = 10.0  # of a click: a propensity below a tenth counts as a tenth
USUAL_RULE = "clicked"
ESTIMATE = "estimate"
_ALLOWED = "clicked, purchased, dwell>=30s, or weights such as clicked=1,purchased=5"
_DWELL = re.compile(r"(dwell|seconds)\s*>=\s*(.+)")
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}


@frozen
class GainEvent:
    """What a searcher can do to a result, and what it is worth."""

    name: str  # of the column, or dwell
    weight: float
    seconds: float | None = None  # of dwell: from so many on

    def __str__(self) -> str:
        stay = "" if self.seconds is None else f">={self.seconds:g}s"
        return f"{self.name}{stay} = {format_short(self.weight)}"


def parse_gain_rule(rule: GainRule) -> list[GainEvent]:
    """What was done, and what it is worth.

    Examples:
        >>> [str(event) for event in parse_gain_rule("clicked=1, dwell>=30s=2, purchased=5")]
        ['clicked = 1', 'dwell>=30s = 2', 'purchased = 5']
    """
    if isinstance(rule, str):
        pairs = [_split_weight(part.strip(), rule) for part in rule.split(",")]
    elif isinstance(rule, Mapping):
        pairs = [(str(name), weight) for name, weight in rule.items()]
    else:
        raise WrongType("gain_from", rule, _ALLOWED)
    if not pairs:
        raise BadValue("gain_from", rule, _ALLOWED)
    events = []
    for name, weight in pairs:
        if not is_number(weight) or not 0 < weight < float("inf"):
            raise BadValue("gain_from", weight, "a weight above 0")
        events.append(_parse_event(name, float(weight)))
    names = [(event.name, event.seconds) for event in events]
    if len({*names}) < len(names):
        raise BadValue("gain_from", rule, "each event once")
    return events


def list_behaviour(rule: GainRule) -> dict[str, float | None]:
    """What a rule asks for: of dwell, for how many seconds at least.

    Examples:
        >>> list_behaviour("clicked=1, dwell>=30s=2")
        {'dwell': 30.0, 'clicked': None}
    """
    events = sorted(parse_gain_rule(rule), key=lambda event: -(event.seconds or 0))
    return {event.name: event.seconds for event in events}


def _split_weight(part: str, rule: str) -> tuple[str, float]:
    match = re.fullmatch(r"(.+?)(?:(?<![<>=])=\s*([0-9.eE+-]+))?", part)
    if match is None:
        raise BadValue("gain_from", rule, _ALLOWED)
    try:
        return match[1].strip(), float(match[2] or 1)
    except ValueError:
        raise BadValue("gain_from", rule, _ALLOWED) from None


def _parse_event(name: str, weight: float) -> GainEvent:
    stay = _DWELL.fullmatch(name)
    if stay is not None:
        seconds = stay[2].strip()
        unit = "s" if re.fullmatch(r"[0-9.]+", seconds) else ""
        duration = parse_duration(seconds + unit, "gain_from")
        return GainEvent("dwell", weight, duration.total_seconds())
    if name in ("dwell", "seconds") or re.search(r"[<>=]", name) or not name:
        raise BadValue("gain_from", name, _ALLOWED)
    return GainEvent(name, weight)


def gain_from_behaviour(
    sessions: Sessions,
    rule: GainRule | None = None,
    propensity: AnyPropensities | None = None,
    max_weight: float = MAX_WEIGHT,
) -> Sessions:
    """Sessions whose grades are what the searchers did, and notes that say how.

    Args:
        sessions: with columns clicked, seconds, purchased or others of what was done.
        rule: what counts, and how much; clicks, if it is not said.
        propensity: `estimate`, or the propensities of ranks, from a file or as numbers.
        max_weight: weights by inverse propensity are at most this.
    """
    events = parse_gain_rule(USUAL_RULE if rule is None else rule)
    gain = find_gains(sessions, events)
    notes = [describe_gain_rule(events, asked=rule is not None)]
    if not float(gain.sum() or 0):
        fetched = LIST_LENGTH in sessions.frame.columns  # only what gains, from an engine
        notes.append("nothing gained" + ("" if fetched else f"; {_count_behaviour(sessions)}"))
    if propensity is not None:
        gain, note = _weigh_gains(sessions, gain, propensity, max_weight)
        notes.append(note)
    frame = sessions.frame.with_columns(
        grade=pl.when(pl.col("doc").is_not_null()).then(pl.Series(gain))
    )
    done_words = name_events(events)
    return evolve(sessions, frame=frame, observed=done_words, notes=(*sessions.notes, *notes))


def find_gains(sessions: Sessions, events: Sequence[GainEvent]) -> pl.Series:
    """What each result gains: the highest weight of what was done to it, or 0."""
    done = {event: _find_done(sessions, event) for event in events}
    return pl.select(
        pl.max_horizontal(
            pl.when(flags).then(event.weight).otherwise(0.0) for event, flags in done.items()
        )
    ).to_series()


def name_events(events: Sequence[GainEvent]) -> str:
    """What was done to results that gain, behind their number."""
    words = [
        event.name if event.seconds is None else f"with dwell>={event.seconds:g}s"
        for event in events
    ]
    return " or ".join(words)


def describe_gain_rule(events: Sequence[GainEvent], *, asked: bool) -> str:
    """How actions turn into gain, in words."""
    reason = "" if asked else "there are no judgments; "
    rule = f"the highest of {join_words(list(map(str, events)))}"
    if len(events) == 1:
        (event,) = events
        weight, stay = format_short(event.weight), event.seconds is not None
        rule = f"{weight} per {f'result {name_events(events)}' if stay else f'{event.name} result'}"
    return f"{reason}gain: {rule}"


def _find_done(sessions: Sessions, event: GainEvent) -> pl.Series:
    """To which results it was done."""
    frame = sessions.frame
    if event.seconds is not None:
        if "seconds" not in frame.columns:
            raise _no_behaviour(sessions, "seconds")
        return (frame["seconds"] >= event.seconds).fill_null(value=False)
    name = find_behaviour(event.name, frame.columns)
    if name is None:
        raise _no_behaviour(sessions, event.name)
    return _read_flags(frame[name].alias(""), name, sessions.name)


def _read_flags(values: pl.Series, name: str, source: str) -> pl.Series:
    """Yes or no: flags, counts, or words for them."""
    if values.dtype == pl.Boolean:
        return values.fill_null(value=False)
    if values.dtype.is_numeric():
        return (values > 0).fill_null(value=False)
    plain = values.cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
    if not plain.is_in([*_FLAGS]).all():
        example = plain.filter(~plain.is_in([*_FLAGS]))[0]
        raise BadInput(source, f"{name} {example!r} is neither yes nor no", "1 or 0")
    return plain.replace_strict(_FLAGS, return_dtype=pl.Boolean)


def _no_behaviour(sessions: Sessions, name: str) -> UnknownName:
    return UnknownName("event or column", name, _find_behaviour(sessions))


def _find_behaviour(sessions: Sessions) -> list[str]:
    columns = sessions.frame.schema.items()
    return [name for name, kind in columns if kind == pl.Boolean or name == "seconds"]


def _count_behaviour(sessions: Sessions) -> str:
    """What was done to how many results."""
    counts = [
        (name, int((sessions.frame[name].cast(pl.Float64) > 0).sum()))
        for name in _find_behaviour(sessions)
    ]
    done = [f"{name} ({count_noun(count, 'result')})" for name, count in counts if count]
    if not done:
        return "no result has an action"
    return f"actions: {join_words(done)} (--gain-from chooses which count)"


def _weigh_gains(
    sessions: Sessions, gain: pl.Series, propensity: AnyPropensities, max_weight: float
) -> tuple[pl.Series, str]:
    """Gains by inverse propensity, and what that leaves of them."""
    if isinstance(propensity, str) and propensity == ESTIMATE:
        propensities = estimate_propensities(sessions)
    else:
        values = read_propensities(propensity)
        propensities = Propensities(values, f"as given for ranks 1–{len(values)}")
    rank = sessions.frame["rank"].fill_null(1).to_numpy()
    gains = gain.to_numpy()
    gained = gains > 0
    deepest = int(rank[gained].max()) if gained.any() else 1
    if deepest > len(propensities.values):
        problem = f"there is a gain at rank {deepest}, without a propensity"
        raise BadInput(sessions.name, problem, "a propensity for every rank with a gain")
    weights = propensities.weights(rank, max_weight)
    some = weights[gained]
    effective = some.sum() ** 2 / np.square(some).sum() if some.size else 0.0
    clipped = int((some >= max_weight).sum())
    number = count_noun(some.size, "gain")
    note = (
        f"gains weighted by inverse propensity, {propensities.source}; weights clipped at "
        f"{max_weight:g} ({clipped} of {number}); effective sample size {effective:,.1f}"
    )
    return pl.Series(gains * weights), note
