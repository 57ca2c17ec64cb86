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

from gainful.convention import Convention, SettingValue, like as like_whom
from gainful.errors import BadValue, CannotCompare, GainfulError, WrongType
from gainful.evidence.reasons.causes import ALL_FACTS, CAUSES, Cause
from gainful.evidence.reasons.mixtures import Mixtures, build_mixtures, computation_error, refusals
from gainful.evidence.reasons.rank_by_rank import RankByRank, describe_rank_by_rank
from gainful.evidence.reasons.session_why import SessionWhy, explain_session_difference
from gainful.evidence.shapley import NEGLIGIBLE, interactions, shapley_values
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.notes import note_id_types, note_no_overlap
from gainful.measure.recipe import Recipe, build_recipe
from gainful.measure.sessions.recipe import build_session_recipe
from gainful.read.inputs import (
    AnyQrels,
    AnyRun,
    as_qrels,
    as_qrels_columns,
    as_qrels_dict,
    as_run,
    as_run_columns,
    rag_path,
)
from gainful.read.lazy import LazyRun, collect_run
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.session_inputs import as_sessions
from gainful.types import Array

_CANCEL = 0.01  # shares of a difference smaller than this part of an effect say nothing


@frozen(eq=False)
class Effect:
    """What one cause does: how much of the difference, to how many queries, with which others."""

    cause: Cause
    settings: Mapping[
        str, tuple[SettingValue, SettingValue]
    ]  # the answers of both, as they were compared
    effect: float
    share: float | None  # of the difference; None where the causes cancel one another out
    alone: float  # switched by itself, starting from the first tool
    last: float  # switched last, ending at the second
    queries: int  # whose value changes, or whether they count
    interacts: Mapping[str, float]  # what it changes only together with another cause
    worst: RankByRank | None  # the query that changes most

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "habits": {name: list(answers) for name, answers in self.settings.items()},
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
    query_counts: tuple[int, int]  # queries
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
        return convention_names(self.sides)

    @property
    def difference(self) -> float:
        """How much more the second tool says than the first."""
        return self.means[1] - self.means[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": str(self.measure),
            "run": self.run,
            "like": {"name": self.names[0], "mean": self.means[0], "queries": self.query_counts[0]},
            "unlike": {
                "name": self.names[1],
                "mean": self.means[1],
                "queries": self.query_counts[1],
            },
            "difference": self.difference,
            "causes": [effect.to_dict() for effect in self.causes],
            "idle": [cause.name for cause in self.idle],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        (mine, theirs), (a, b) = self.names, self.means
        head = f"{self.measure} is {a:.4f} like {mine}, {b:.4f} like {theirs}: "
        width = max((len(effect.cause.title) for effect in self.causes), default=0)
        lines = [
            f"{effect.cause.title:<{width}}  {_format_change(effect.effect)}"
            for effect in self.causes
        ]
        return "\n".join((head + _format_change(self.difference), *lines, *self.notes))


def _format_change(change: float) -> str:
    return f"{change:+.4f}" if abs(change) >= 5e-5 or not change else f"{change:+.1e}"


def why(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    like: str | Convention | None = None,
    unlike: str | Convention,
) -> Why | SessionWhy:
    """Why do two tools disagree on these data?

    Args:
        qrels: whatever `evaluate` takes.
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
    if _parse_single_measure(measure).entry.session:
        return explain_session_sides(qrels, run, _parse_single_measure(measure), like, unlike)
    sides = build_sides(measure, like, unlike)
    if run is None:
        run = rag_path(qrels)
        if run is None:
            raise BadValue("run", None, "a run beside the judgments")
    return explain_sides(as_qrels(qrels), as_run(run), sides)


def explain_session_sides(
    qrels: AnyQrels | None,
    sessions: Any,
    measure: Measure,
    like: Any = None,
    unlike: Any = None,
) -> SessionWhy:
    """Why two session conventions disagree; the sessions stand in the place of the run."""
    sides = build_session_recipe(measure, like=like), build_session_recipe(measure, like=unlike)
    own_qrels = None if qrels is None else as_qrels_columns(as_qrels(qrels))
    return explain_session_difference(as_sessions(sessions), own_qrels, sides, measure)


def build_sides(
    measure: str | Measure, like: str | Convention | None, unlike: str | Convention
) -> tuple[Recipe, Recipe]:
    """One measure as both tools compute it; what it says itself wins over both."""
    parsed = _parse_single_measure(measure)
    return _build_recipe(parsed, like_whom(like)), _build_recipe(parsed, like_whom(unlike))


def _parse_single_measure(measure: str | Measure) -> Measure:
    if not isinstance(measure, (str, Measure)):
        raise WrongType("measure", measure, "one measure, such as nDCG@10")
    measures = list(expand(measure).values())
    if len(measures) != 1:
        raise BadValue("measure", measure, "one measure, such as nDCG@10")
    return measures[0]


def _build_recipe(measure: Measure, convention: Convention) -> Recipe:
    try:
        return build_recipe(measure, like_whom=convention)
    except GainfulError as error:
        raise computation_error(measure, convention, error) from error


def explain_sides(
    qrels: Qrels | NestedDict, run: Run | NestedDict | LazyRun, sides: tuple[Recipe, Recipe]
) -> Why:
    """The same, everything being read and settled; a run that is elsewhere is brought here."""
    if isinstance(run, LazyRun):
        run = collect_run(run)
    if isinstance(run, NestedDict) and sides[0].measure.entry.needs_subtopics:
        run = as_run_columns(run)
    own_qrels = as_qrels_columns(qrels) if isinstance(run, Run) else as_qrels_dict(qrels)
    mixtures = build_mixtures(own_qrels, run, sides[0].measure, sides)
    end_values = mixtures.values(0), mixtures.values(mixtures.all)
    for side, values in zip(sides, end_values, strict=True):
        if np.isnan(values).all():
            raise CannotCompare(f"like {side.convention.name} not one query counts: no mean")
    shares, notes = shapley_values(mixtures)
    cause_effects = _find_effects(mixtures, shares, convention_names(sides))
    side_refusals = [refusals(mixtures, side.convention) for side in sides]
    refused_causes = {
        cause.name
        for cause in CAUSES.values()
        for by_setting in side_refusals
        if by_setting.keys() & {*cause.settings}
    }
    return Why(
        measure=sides[0].measure,
        run=run.name,
        sides=sides,
        means=(mixtures.mean(0), mixtures.mean(mixtures.all)),
        query_counts=(int((~np.isnan(end_values[0])).sum()), int((~np.isnan(end_values[1])).sum())),
        causes=tuple(sorted(cause_effects, key=lambda effect: -abs(effect.effect))),
        idle=_find_idle_causes(
            sides, refused_causes | {effect.cause.name for effect in cause_effects}
        ),
        notes=(
            *getattr(run, "notes", ()),
            *note_id_types(qrels, run),
            *note_no_overlap(qrels, run, mixtures.view(mixtures.sides[0]).matched),
            *dict.fromkeys(note for by_setting in side_refusals for note in by_setting.values()),
            *notes,
        ),
    )


def convention_names(sides: tuple[Recipe, Recipe]) -> tuple[str, str]:
    """What two conventions are called, so that they can be told apart."""
    mine, theirs = (side.convention for side in sides)
    changed = mine.name == theirs.name and mine != theirs
    return mine.name, f"{theirs.name} (changed)" if changed else theirs.name


def _find_idle_causes(sides: tuple[Recipe, Recipe], busy: set[str]) -> tuple[Cause, ...]:
    """The causes in which the two differ, and which the measure would feel if there were any."""
    differing = sides[0].convention.differences(sides[1].convention).keys()
    return tuple(
        cause
        for cause in CAUSES.values()
        if differing & {*cause.settings}
        and cause.matters(ALL_FACTS, sides[0])
        and cause.name not in busy
    )


def _find_effects(mixtures: Mixtures, shares: list[float], names: tuple[str, str]) -> list[Effect]:
    """Each cause that changes anything, with all there is to tell of it."""
    difference = mixtures.mean(mixtures.all) - mixtures.mean(0)
    largest = max(map(abs, shares), default=0.0)
    cancel = abs(difference) <= max(NEGLIGIBLE, _CANCEL * largest)
    joint = interactions(mixtures)
    differences = mixtures.sides[0].differences(mixtures.sides[1])
    cause_effects = []
    for at, cause in enumerate(mixtures.causes):
        bit = 1 << at
        changes = _query_changes(mixtures, bit, shares[at])
        if not changes:
            continue
        cause_effects.append(
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
                queries=int(np.any([change > 0 for change in changes.values()], axis=0).sum()),
                interacts=joint[at],
                worst=_find_worst_query(mixtures, bit, changes, names),
            )
        )
    return cause_effects


def _query_changes(mixtures: Mixtures, bit: int, effect: float) -> dict[int, Array]:
    """How much each query changes when a cause is switched, by the mixture it is switched in.

    It is switched first, starting from the one tool, and last, ending at the other. What does
    nothing in either place and yet has an effect does it somewhere between the two.
    """
    by_start = {
        before: _value_changes(mixtures.values(before), mixtures.values(before | bit))
        for before in dict.fromkeys((0, mixtures.all ^ bit))
    }
    nonzero = {before: change for before, change in by_start.items() if change.any()}
    if nonzero or abs(effect) < NEGLIGIBLE:
        return nonzero
    between = mixtures.find_largest_switch(bit)
    return {between: _value_changes(mixtures.values(between), mixtures.values(between | bit))}


def _value_changes(before: Array, after: Array) -> Array:
    """How much the value of each query changes; one that comes or goes, as far as it pulls."""
    counts = ~np.isnan(before), ~np.isnan(after)
    mean = before[counts[0]].mean() if counts[0].any() else 0.0
    changed = np.abs(np.nan_to_num(after) - np.nan_to_num(before))
    changed[changed < NEGLIGIBLE * (1 + np.abs(np.nan_to_num(before)))] = 0.0
    comes_or_goes = counts[0] ^ counts[1]
    value = np.where(counts[0], np.nan_to_num(before), np.nan_to_num(after))
    # Also a query that is just average counts as changed when it comes or goes.
    changed[comes_or_goes] = np.maximum(np.abs(value - mean), NEGLIGIBLE)[comes_or_goes]
    return changed


def _find_worst_query(
    mixtures: Mixtures, bit: int, changes: Mapping[int, Array], names: tuple[str, str]
) -> RankByRank:
    """The query that changes most, starting from the first tool if it changes any there."""
    before, change = next(iter(changes.items()))
    labels = _side_labels(mixtures, before, bit, names)
    return describe_rank_by_rank(mixtures, int(np.argmax(change)), (before, before | bit), labels)


def _side_labels(
    mixtures: Mixtures, before: int, bit: int, names: tuple[str, str]
) -> tuple[str, str]:
    mine, theirs = names
    if before == 0:
        return f"like {mine}", f"like {mine}, with {_make_possessive(theirs)} habit"
    if before | bit == mixtures.all:
        return f"like {theirs}, with {_make_possessive(mine)} habit", f"like {theirs}"
    others = [cause.title for at, cause in enumerate(mixtures.causes) if before >> at & 1]
    mixed = f"like {mine}, but {', '.join(others)} like {theirs}"
    return mixed, f"{mixed}, and this too"


def _make_possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
