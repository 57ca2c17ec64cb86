"""Why do two tools disagree on these data? The difference, taken apart into its causes.

Each cause gets its Shapley value: what switching it changes, averaged over all orders in which
the causes can be switched one after the other. So the effects add up to the difference, and
what two causes do only together is shared between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from gainful.convention import Convention, Setting, like as like_whom
from gainful.errors import BadValue, CannotCompare, GainfulError, WrongType
from gainful.evidence.reasons.causes import CAUSES, EVERYTHING, Cause
from gainful.evidence.reasons.mixtures import Mixtures, mixtures, not_computed, refusals
from gainful.evidence.reasons.rank_by_rank import Spelled, spelled
from gainful.evidence.reasons.session_why import SessionWhy, session_why
from gainful.evidence.shapley import NOTHING, effects, interactions
from gainful.formula import Array
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.notes import mixed_ids, strangers
from gainful.measure.recipe import Recipe, recipe
from gainful.measure.sessions.recipe import session_recipe
from gainful.read.inputs import (
    AnyJudgments,
    AnyRun,
    as_columns,
    as_judgments,
    as_nested,
    as_run,
    as_run_columns,
    path_of_both,
)
from gainful.read.lazy import Elsewhere, brought
from gainful.read.qrels_and_run import Judgments, Nested, Run
from gainful.read.session_inputs import as_sessions

_CANCEL = 0.01  # shares of a difference smaller than this part of an effect say nothing


@frozen(eq=False)
class Effect:
    """What one cause does: how much of the difference, to how many queries, with which others."""

    cause: Cause
    habits: Mapping[str, tuple[Setting, Setting]]  # the answers of both, as they were compared
    effect: float
    share: float | None  # of the difference; None where the causes cancel one another out
    alone: float  # switched by itself, starting from the first tool
    last: float  # switched last, ending at the second
    queries: int  # whose value changes, or whether they count
    interacts: Mapping[str, float]  # what it changes only together with another cause
    worst: Spelled | None  # the query that changes most

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "habits": {name: list(answers) for name, answers in self.habits.items()},
            "effect": self.effect,
            "share": self.share,
            "alone": self.alone,
            "last": self.last,
            "queries": self.queries,
            "interacts": dict(self.interacts),
            "worst": None if self.worst is None else self.worst.to_dict(),
        }


@frozen(eq=False, repr=False)
class Why:
    """Why two tools disagree: the mean under both, and the causes, the largest first.

    `causes` add up to `difference`; `idle` are those that differ and change nothing here.
    """

    measure: Measure
    run: str
    sides: tuple[Recipe, Recipe]  # as the two tools have it
    means: tuple[float, float]
    counted: tuple[int, int]  # queries
    causes: tuple[Effect, ...]
    idle: tuple[Cause, ...]
    notes: tuple[str, ...]

    @property
    def like(self) -> Convention:
        """The first tool's convention."""
        return self.sides[0].convention

    @property
    def unlike(self) -> Convention:
        """The second tool's."""
        return self.sides[1].convention

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called."""
        return names_of(self.sides)

    @property
    def difference(self) -> float:
        """How much more the second tool says than the first."""
        return self.means[1] - self.means[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": str(self.measure),
            "run": self.run,
            "like": {"name": self.names[0], "mean": self.means[0], "queries": self.counted[0]},
            "unlike": {"name": self.names[1], "mean": self.means[1], "queries": self.counted[1]},
            "difference": self.difference,
            "causes": [one.to_dict() for one in self.causes],
            "idle": [cause.name for cause in self.idle],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        (mine, theirs), (a, b) = self.names, self.means
        head = f"{self.measure} is {a:.4f} like {mine}, {b:.4f} like {theirs}: "
        wide = max((len(one.cause.title) for one in self.causes), default=0)
        lines = [f"{one.cause.title:<{wide}}  {_signed(one.effect)}" for one in self.causes]
        return "\n".join((head + _signed(self.difference), *lines, *self.notes))


def _signed(change: float) -> str:
    return f"{change:+.4f}" if abs(change) >= 5e-5 or not change else f"{change:+.1e}"


def why(
    qrels: AnyJudgments,
    run: AnyRun | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    like: str | Convention | None = None,
    unlike: str | Convention,
) -> Why | SessionWhy:
    """Why do two tools disagree on these data?

    Args:
        judgments: whatever `evaluate` takes.
        run: whatever `evaluate` takes; or sessions, if the measure is one of sessions.
        measure: one measure, such as "nDCG@10".
        like: the tool to start from, by name or as a `Convention`; gainful itself if none.
        unlike: the tool that says something else.

    Returns:
        `Why`: the mean under both, and how much of the difference each cause explains.

    Examples:
        >>> judged = {"1": {"a": 3, "b": 1, "c": 2}}
        >>> why(judged, {"1": ["b", "a"]}, "nDCG@2", like="trec_eval", unlike="quepid_cut")
        nDCG@2 is 0.6788 like trec_eval, 0.6091 like quepid_cut: -0.0697
        gain  -0.0697
    """
    if _one(measure).entry.session:
        return of_session_sides(qrels, run, _one(measure), like, unlike)
    sides = sides_of(measure, like, unlike)
    if run is None:
        run = path_of_both(qrels)
        if run is None:
            raise BadValue("run", None, "a run beside the judgments")
    return of_sides(as_judgments(qrels), as_run(run), sides)


def of_session_sides(
    qrels: AnyJudgments | None,
    sessions: Any,
    measure: Measure,
    like: Any = None,
    unlike: Any = None,
) -> SessionWhy:
    """Why two session conventions disagree; the sessions stand in the place of the run."""
    sides = session_recipe(measure, like=like), session_recipe(measure, like=unlike)
    judged = None if qrels is None else as_columns(as_judgments(qrels))
    return session_why(as_sessions(sessions), judged, sides, measure)


def sides_of(
    measure: str | Measure, like: str | Convention | None, unlike: str | Convention
) -> tuple[Recipe, Recipe]:
    """One measure as both tools compute it; what it says itself wins over both."""
    asked = _one(measure)
    return _settled(asked, like_whom(like)), _settled(asked, like_whom(unlike))


def _one(measure: str | Measure) -> Measure:
    if not isinstance(measure, (str, Measure)):
        raise WrongType("measure", measure, "one measure, such as nDCG@10")
    found = list(expand(measure).values())
    if len(found) != 1:
        raise BadValue("measure", measure, "one measure, such as nDCG@10")
    return found[0]


def _settled(measure: Measure, convention: Convention) -> Recipe:
    try:
        return recipe(measure, like_whom=convention)
    except GainfulError as error:
        raise not_computed(measure, convention, error) from error


def of_sides(
    qrels: Judgments | Nested, run: Run | Nested | Elsewhere, sides: tuple[Recipe, Recipe]
) -> Why:
    """The same, everything being read and settled; a run that is elsewhere is brought here."""
    if isinstance(run, Elsewhere):
        run = brought(run)
    if isinstance(run, Nested) and sides[0].measure.entry.subtopics:
        run = as_run_columns(run)
    held_judgments = as_columns(qrels) if isinstance(run, Run) else as_nested(qrels)
    held = mixtures(held_judgments, run, sides[0].measure, sides)
    ends = held.values(0), held.values(held.all)
    for how, values in zip(sides, ends, strict=True):
        if np.isnan(values).all():
            raise CannotCompare(f"like {how.convention.name} not one query counts: no mean")
    shared, notes = effects(held)
    found = _found(held, shared, names_of(sides))
    refused = [refusals(held, how.convention) for how in sides]
    told = {
        cause.name for cause in CAUSES.values() for one in refused if one.keys() & {*cause.habits}
    }
    return Why(
        measure=sides[0].measure,
        run=run.name,
        sides=sides,
        means=(held.mean(0), held.mean(held.all)),
        counted=(int((~np.isnan(ends[0])).sum()), int((~np.isnan(ends[1])).sum())),
        causes=tuple(sorted(found, key=lambda one: -abs(one.effect))),
        idle=_idle(sides, told | {one.cause.name for one in found}),
        notes=(
            *getattr(run, "notes", ()),
            *mixed_ids(qrels, run),
            *strangers(qrels, run, held.view(held.sides[0]).found),
            *dict.fromkeys(note for one in refused for note in one.values()),
            *notes,
        ),
    )


def names_of(sides: tuple[Recipe, Recipe]) -> tuple[str, str]:
    """What two conventions are called, so that they can be told apart."""
    mine, theirs = (how.convention for how in sides)
    changed = mine.name == theirs.name and mine != theirs
    return mine.name, f"{theirs.name} (changed)" if changed else theirs.name


def _idle(sides: tuple[Recipe, Recipe], busy: set[str]) -> tuple[Cause, ...]:
    """The causes in which the two differ, and which the measure would feel if there were any."""
    differing = sides[0].convention.differences(sides[1].convention).keys()
    return tuple(
        cause
        for cause in CAUSES.values()
        if differing & {*cause.habits}
        and cause.matters(EVERYTHING, sides[0])
        and cause.name not in busy
    )


def _found(held: Mixtures, shared: list[float], names: tuple[str, str]) -> list[Effect]:
    """Each cause that changes anything, with all there is to tell of it."""
    difference = held.mean(held.all) - held.mean(0)
    largest = max(map(abs, shared), default=0.0)
    cancel = abs(difference) <= max(NOTHING, _CANCEL * largest)
    together = interactions(held)
    differing = held.sides[0].differences(held.sides[1])
    found = []
    for at, cause in enumerate(held.causes):
        bit = 1 << at
        changes = _changes(held, bit, shared[at])
        if not changes:
            continue
        found.append(
            Effect(
                cause=cause,
                habits={habit: differing[habit] for habit in cause.habits if habit in differing},
                effect=shared[at],
                share=None if cancel else shared[at] / difference,
                alone=held.mean(bit) - held.mean(0),
                last=held.mean(held.all) - held.mean(held.all ^ bit),
                queries=int(np.any([change > 0 for change in changes.values()], axis=0).sum()),
                interacts=together[at],
                worst=_worst(held, bit, changes, names),
            )
        )
    return found


def _changes(held: Mixtures, bit: int, effect: float) -> dict[int, Array]:
    """How much each query changes when a cause is switched, by the mixture it is switched in.

    It is switched first, starting from the one tool, and last, ending at the other. What does
    nothing in either place and yet has an effect does it somewhere between the two.
    """
    found = {
        before: _change(held.values(before), held.values(before | bit))
        for before in dict.fromkeys((0, held.all ^ bit))
    }
    some = {before: change for before, change in found.items() if change.any()}
    if some or abs(effect) < NOTHING:
        return some
    between = held.most(bit)
    return {between: _change(held.values(between), held.values(between | bit))}


def _change(before: Array, after: Array) -> Array:
    """How much the value of each query changes; one that comes or goes, as far as it pulls."""
    counts = ~np.isnan(before), ~np.isnan(after)
    mean = before[counts[0]].mean() if counts[0].any() else 0.0
    changed = np.abs(np.nan_to_num(after) - np.nan_to_num(before))
    changed[changed < NOTHING * (1 + np.abs(np.nan_to_num(before)))] = 0.0
    moved = counts[0] ^ counts[1]
    value = np.where(counts[0], np.nan_to_num(before), np.nan_to_num(after))
    # Also a query that is just average counts as changed when it comes or goes.
    changed[moved] = np.maximum(np.abs(value - mean), NOTHING)[moved]
    return changed


def _worst(
    held: Mixtures, bit: int, changes: Mapping[int, Array], names: tuple[str, str]
) -> Spelled:
    """The query that changes most, starting from the first tool if it changes any there."""
    before, change = next(iter(changes.items()))
    labels = _labels(held, before, bit, names)
    return spelled(held, int(np.argmax(change)), (before, before | bit), labels)


def _labels(held: Mixtures, before: int, bit: int, names: tuple[str, str]) -> tuple[str, str]:
    mine, theirs = names
    if before == 0:
        return f"like {mine}", f"like {mine}, with {_possessive(theirs)} habit"
    if before | bit == held.all:
        return f"like {theirs}, with {_possessive(mine)} habit", f"like {theirs}"
    others = [one.title for at, one in enumerate(held.causes) if before >> at & 1]
    mixed = f"like {mine}, but {', '.join(others)} like {theirs}"
    return mixed, f"{mixed}, and this too"


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
