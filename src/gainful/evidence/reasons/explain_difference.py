"""The difference between two conventions on the same data, taken apart into its causes.

Each cause gets its Shapley value: what switching it changes, averaged over all orders in which
the causes can be switched one after the other. So the effects add up to the difference, and
what two causes do only together is shared between them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gainful.errors import CannotCompare
from gainful.evidence.reasons.causes import ALL_FACTS, Cause
from gainful.evidence.reasons.mixtures import Change, Mixtures
from gainful.evidence.reasons.why import Effect, Sides, Why, convention_names
from gainful.evidence.shapley import interactions, shapley_values
from gainful.rounding import ROUNDING
from gainful.types import Array

_CANCEL = 0.01  # shares of a difference smaller than this part of an effect say nothing


def explain_difference(mixtures: Mixtures, sides: Sides) -> Why:
    """The difference between the ends of some mixtures, taken apart into its causes."""
    source = mixtures.source
    end_values = mixtures.values(0), mixtures.values(mixtures.all)
    counts = [int((~np.isnan(values)).sum()) for values in end_values]
    for at, count in enumerate(counts):
        if not count:
            tool = sides[at].convention.name
            raise CannotCompare(f"like {tool} not one {source.unit} counts: no mean")
    shares, notes = shapley_values(mixtures)
    effects = _find_effects(mixtures, shares, convention_names(sides))
    refusals = source.find_refusals()
    return Why(
        measure=source.measure,
        name=source.name,
        unit=source.unit,
        all_causes=source.all_causes,
        sides=sides,
        means=(mixtures.mean(0), mixtures.mean(mixtures.all)),
        counts=(counts[0], counts[1]),
        causes=tuple(sorted(effects, key=lambda effect: -abs(effect.effect))),
        idle=_find_idle_causes(source.all_causes, sides, {name for name, _ in refusals}, effects),
        notes=(*source.notes, *dict.fromkeys(note for _, note in refusals), *notes),
    )


def _find_idle_causes(
    all_causes: Mapping[str, Cause], sides: Sides, refused: set[str], effects: list[Effect]
) -> tuple[Cause, ...]:
    """The causes in which the two differ, and which the measure would feel if there were any."""
    mine, theirs = (side.convention.settings() for side in sides)
    differing = {name for name in mine if mine[name] != theirs[name]}
    busy = {effect.cause.name for effect in effects}
    return tuple(
        cause
        for cause in all_causes.values()
        if differing & {*cause.settings}
        and not refused & {*cause.settings}
        and cause.name not in busy
        and cause.matters(ALL_FACTS, sides[0])
    )


def _find_effects(mixtures: Mixtures, shares: list[float], names: tuple[str, str]) -> list[Effect]:
    """Each cause that changes anything, with all there is to tell of it."""
    difference = mixtures.mean(mixtures.all) - mixtures.mean(0)
    largest = max(map(abs, shares), default=0.0)
    cancel = abs(difference) <= max(ROUNDING, _CANCEL * largest)
    joint = interactions(mixtures)
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
                    setting: differences[setting]
                    for setting in cause.settings
                    if setting in differences
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
    switch, row = (before, before | bit), int(np.argmax(change))
    return mixtures.source.describe_change(
        row,
        (mixtures.convention(before), mixtures.convention(before | bit)),
        (mixtures.values(switch[0])[row], mixtures.values(switch[1])[row]),
        _side_labels(mixtures, before, bit, names),
    )


def _side_labels(
    mixtures: Mixtures, before: int, bit: int, names: tuple[str, str]
) -> tuple[str, str]:
    mine, theirs = names
    if before == 0:
        return f"like {mine}", f"like {mine}, with {_make_possessive(theirs)} setting"
    if before | bit == mixtures.all:
        return f"like {theirs}, with {_make_possessive(mine)} setting", f"like {theirs}"
    others = [cause.title for at, cause in enumerate(mixtures.causes) if before >> at & 1]
    mixed = f"like {mine}, but {', '.join(others)} like {theirs}"
    return mixed, f"{mixed}, and this too"


def _make_possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
