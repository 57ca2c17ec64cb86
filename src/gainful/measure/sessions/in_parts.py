"""Sessions that are too many for one memory: some whole ones at a time are matched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, Self, TypeVar

import polars as pl
from attrs import define, evolve, field, frozen

from gainful.errors import BadInput, BadValue, GainfulError
from gainful.match.behaviour_gains import GainEvent, describe_no_gain, find_gains
from gainful.match.packed_sessions import PackedPart, UnsoundSessions, match_packed, pack_sessions
from gainful.match.pools import build_pools
from gainful.match.sessions import (
    MatchedSessions,
    Unjudged,
    describe_unjudged,
    find_best_grades,
    match_sessions,
    nothing_judged,
)
from gainful.measure.entry import SessionRecipe
from gainful.measure.sessions.session_values import note_opened
from gainful.read.engine_sessions import EngineSessions
from gainful.read.engines import SPARK
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import SessionChoice, Sessions, count_actions, nothing_chosen
from gainful.threads import map_ahead

# Of a part in which no searcher judged anything: no session is called so.
_NO_JUDGMENTS = Qrels(pl.DataFrame({"query": [""], "doc": [""], "grade": [0.0]}))


class Summer(Protocol):
    """What adds up sessions, part by part."""

    def visit(self, sessions: MatchedSessions) -> None:
        """Take some whole sessions."""

    def merge(self, other: Self) -> None:
        """Take what another has added up of other sessions."""


AnySummer = TypeVar("AnySummer", bound=Summer)


@define(eq=False)
class PartTotals:
    """What is known of matching when all parts have been seen."""

    sessions: int = 0  # that were matched
    unjudged_queries: int = 0
    lost_sessions: int | None = None  # with them; None if they are worth nothing
    gained: int | None = None  # results, where gain is what searchers did
    actions: Counter[str] = field(factory=Counter)  # to how many results each was done
    graded: bool | None = None  # is anything?
    unjudged: Unjudged | None = None  # the first of its queries whose topic nobody judged
    failure: GainfulError | None = None  # of a group or a measure
    notes: list[str] = field(factory=list)

    def merge(self, other: PartTotals) -> None:
        """Take what is known of other sessions."""
        if other.gained is not None:
            self.gained = (self.gained or 0) + other.gained
        self.actions.update(other.actions)
        if other.graded is not None:
            self.graded = bool(self.graded) or other.graded
        refused = [each.unjudged for each in (self, other) if each.unjudged is not None]
        if refused:
            some, none = (
                min((getattr(each, name) for each in refused), key=str) for name in ("some", "none")
            )
            self.unjudged = Unjudged(some, none, is_none=all(each.is_none for each in refused))
        failures = [each.failure for each in (self, other) if each.failure is not None]
        self.failure = min(failures, key=_order_failure, default=None)
        self.sessions += other.sessions
        self.unjudged_queries += other.unjudged_queries
        if other.lost_sessions is not None:
            self.lost_sessions = (self.lost_sessions or 0) + other.lost_sessions
        self.notes = list(dict.fromkeys((*self.notes, *other.notes)))

    def refuse(self, name: str) -> None:
        """Say what is wrong, in the order in which that is found in memory."""
        if self.graded is False:
            raise BadInput(name, "it has no judgments")
        if self.unjudged is not None:
            some, none = self.unjudged.some, self.unjudged.none
            raise Unjudged(some, none, is_none=self.unjudged.is_none and not self.sessions)
        if self.failure is not None:
            raise self.failure
        if not self.sessions:
            raise nothing_judged(name) if self.unjudged_queries else nothing_chosen(name)

    def list_notes(self) -> list[str]:
        """What one should know before believing a value."""
        notes = [describe_no_gain(self.actions)] if self.gained == 0 else []
        if self.unjudged_queries:
            notes.append(describe_unjudged(self.unjudged_queries, self.lost_sessions))
        return [*self.notes, *notes]


def _order_failure(mistake: GainfulError) -> tuple[bool, str]:
    """Sessions are grouped before anything is measured."""
    return not isinstance(mistake, BadInput), str(mistake)


@frozen(eq=False, kw_only=True)
class PartMatcher:
    """How parts of sessions become matched sessions."""

    qrels: Qrels | None  # None where each session is judged by its own searcher alone
    recipes: Sequence[SessionRecipe]
    choice: SessionChoice = field(factory=SessionChoice)
    gains: Sequence[GainEvent] = ()  # what was done to a result, where that is what gains
    gain_event: str = ""  # and in words, such as clicked

    def __attrs_post_init__(self) -> None:
        for recipe in self.recipes:
            _refuse_whole(recipe, is_judged=self.qrels is not None)

    @property
    def needs_judgments_alone(self) -> bool:
        """Are the places of judgments and the lengths of lists all that is asked for?"""
        return (
            self.qrels is not None
            and self.qrels.frame.columns == ["query", "doc", "grade"]
            and not self.gains
            and "session" not in self.choice.where
            and not any(map(_reads_rows, self.recipes))
        )

    def choose(self, sessions: Sessions) -> Sessions:
        """The sessions that were asked for, with what searchers did for grades if that gains."""
        chosen = self.choice.choose(sessions)
        if not self.gains:
            return chosen
        gain = (
            find_gains(chosen, self.gains) if len(chosen.frame) else pl.Series([], dtype=pl.Float64)
        )
        frame = chosen.frame.with_columns(grade=pl.when(gain > 0).then(gain))
        return evolve(chosen, frame=frame, gain_event=self.gain_event)

    def match(self, sessions: Sessions) -> tuple[MatchedSessions | None, PartTotals]:
        """What was matched of a part, if any session is left, and what is known of it."""
        chosen, convention = self.choose(sessions), self.recipes[0].convention
        totals = PartTotals()
        if not len(chosen.frame):
            return None, totals
        qrels, layout = self.qrels, chosen.layout
        if qrels is None and not self.gains and "grade" in chosen.frame.columns:
            qrels = None if chosen.frame["grade"].count() else _NO_JUDGMENTS
        totals.graded = bool(self.gains) or qrels is None or bool(qrels.frame["doc"][0])
        queries, session_count = len(layout.query_starts), len(layout.session_starts)
        if convention.unjudged == "drop" and qrels is not None:
            topic = chosen.frame["topic" if "topic" in chosen.frame.columns else "session"]
            if not topic.is_in(qrels.queries.implode()).any():
                totals.unjudged_queries, totals.lost_sessions = queries, session_count
                return None, totals
        try:
            matched = match_sessions(chosen, qrels, convention.unjudged, convention.subtopic_grades)
        except Unjudged as mistake:
            totals.unjudged = mistake
            return None, totals
        totals.sessions = matched.size
        if convention.unjudged == "drop":
            totals.unjudged_queries = queries - len(matched.position)
            totals.lost_sessions = session_count - matched.size
        elif self.gains:
            totals.gained = int((matched.judged.grade > 0).sum())
            totals.actions.update(count_actions(chosen.frame))
        else:
            totals.unjudged_queries = int((matched.judged.base < 0).sum())
        totals.notes = [] if qrels is None else [*qrels.notes]
        totals.notes += note_opened(matched, {recipe.label: recipe for recipe in self.recipes})
        return matched, totals


def collect_searcher_qrels(sessions: EngineSessions, matcher: PartMatcher) -> Qrels:
    """The highest grade that any searcher gave a document of a topic, or that it gained."""
    parts = sessions.map_parts(partial(_collect_grades, matcher=matcher))
    best = pl.concat(parts).group_by("query", "doc").agg(pl.col("grade").max())
    return Qrels(best.sort("query", "doc"), sessions.name) if len(best) else _NO_JUDGMENTS


def _collect_grades(sessions: Sessions, matcher: PartMatcher) -> pl.DataFrame:
    return find_best_grades(matcher.choose(sessions).frame, "topic")


def sum_part(
    sessions: Sessions, matcher: PartMatcher, new_summer: Callable[[], AnySummer]
) -> tuple[AnySummer, PartTotals]:
    """What some whole sessions add up to."""
    summer = new_summer()
    matched, totals = matcher.match(sessions)
    if matched is not None:
        try:
            summer.visit(matched)
        except GainfulError as mistake:
            totals.failure = mistake
    return summer, totals


@frozen(eq=False, kw_only=True)
class PreparedParts:
    """Sessions in their engine, and how some whole ones at a time are matched."""

    sessions: EngineSessions
    matcher: PartMatcher
    by: tuple[str, ...]
    notes: Sequence[str]

    def visit(self, new_summer: Callable[[], AnySummer]) -> tuple[AnySummer, list[str]]:
        """What all sessions add up to, and what one should know of it.

        Some whole sessions are added up at a time; in Spark on its workers.
        """
        matcher, sessions, added = self.matcher, self.sessions, None
        is_log, is_here = bool(sessions.reader.owner), sessions.engine is not SPARK
        if matcher.needs_judgments_alone and is_here and not is_log:
            # Seldom they are not sound: then all that is told is looked at, and said in words.
            with suppress(GainfulError):
                added = self._visit_packed(new_summer)
        if added is None:
            compute = partial(sum_part, matcher=matcher, new_summer=new_summer)
            added = new_summer(), PartTotals()
            for part_summer, of_part in sessions.map_parts(compute):
                added[0].merge(part_summer)
                added[1].merge(of_part)
        summer, totals = added
        totals.refuse(sessions.name)
        return summer, [*sessions.notes, *self.notes, *totals.list_notes()]

    def _visit_packed(self, new_summer: Callable[[], AnySummer]) -> tuple[AnySummer, PartTotals]:
        """Sound sessions of which judgments are all that is asked for, as rows of numbers."""
        matcher = self.matcher
        if matcher.qrels is None:
            raise UnsoundSessions
        pools, totals = build_pools(matcher.qrels), PartTotals(notes=list(matcher.qrels.notes))
        repeats_count = all(recipe.convention.duplicates == "every" for recipe in matcher.recipes)

        def add_up(part: PackedPart) -> tuple[AnySummer, int]:
            summer = new_summer()
            matched = match_packed(part, pools, matcher.choice)
            if matched is None:
                return summer, 0
            if not repeats_count and not matched.has_single_base:
                raise UnsoundSessions  # what others judge may have been shown before
            summer.visit(matched)
            return summer, matched.size

        summer = new_summer()
        columns = [*dict.fromkeys((*self.by, *matcher.choice.where))]
        bases = matcher.qrels.queries.to_frame("topic").with_row_index("base")
        parts = pack_sessions(self.sessions, matcher.qrels, bases, columns)
        for part_summer, size in map_ahead(add_up, parts):
            totals.sessions += size
            summer.merge(part_summer)
        return summer, totals


def _refuse_whole(recipe: SessionRecipe, *, is_judged: bool) -> None:
    """Refuse a measure that needs the longest or the best of all sessions."""
    convention = recipe.convention
    if (
        recipe.entry.has_vectors
        and (convention.statistic, convention.average_over) == ("average", "common")
        and recipe.queries is None
    ):
        allowed = f"own, or sessions.evaluate: {recipe.label} needs the longest session of all"
        raise BadValue("average_over", "common", allowed)
    own = recipe if recipe.of is None else recipe.of
    names = recipe.entry.params if recipe.of is None else own.entry.arguments
    if not is_judged and "max_grade" in names and own.setting("max_grade") is None:
        allowed = f"a number: {recipe.label} needs the highest grade of all sessions"
        raise BadValue("max_grade", None, allowed)


def _reads_rows(recipe: SessionRecipe) -> bool:
    """Does a measure ask for what was clicked, read or shown, beside what was judged?"""
    prices = [recipe.setting(name) for name in ("per_query", "per_result") if recipe.entry.is_cost]
    return (
        recipe.of is not None
        or "opened" in recipe.entry.params
        or recipe.convention.duplicates not in ("every", "first")
        or any(isinstance(price, str) for price in prices)
    )
