"""Sessions that are too many for one memory: some whole ones at a time are matched and summed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import polars as pl
from attrs import define, evolve, field, frozen

from gainful.errors import BadInput, BadValue, GainfulError
from gainful.match.session_pools import build_pools
from gainful.match.session_records import match_records
from gainful.match.sessions import (
    MatchedSessions,
    match_sessions,
)
from gainful.match.unjudged_topics import describe_unjudged, nothing_judged
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.evaluate import compute_session_values
from gainful.measure.sessions.session_values import note_opened
from gainful.read.engines import as_spark_arrow
from gainful.read.lazy_sessions import LazySessions, build_sessions, split_rows
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_parts import (
    SessionChoice,
    SessionPart,
    build_with_care,
    split_sessions,
)
from gainful.read.session_records import RecordPart, UnsoundSessions, record_sessions
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.spilled_rows import hash_sessions
from gainful.text import count_noun
from gainful.threads import map_ahead

_MAX_RECORDS = 1_500_000  # of queries and results, matched together
_MAX_ROWS = 400_000  # which tell more of them
_MAX_CELLS = 20_000_000  # sessions × queries × ranks of vectors


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
    """What is known of sessions when all parts have been seen."""

    sessions: int = 0  # that were matched
    left_out: int = 0  # that are not as they should be
    first_mistake: BadInput | None = None
    unjudged_queries: int = 0
    lost_sessions: int | None = None  # with them; None if they are worth nothing
    notes: list[str] = field(factory=list)

    def merge(self, other: PartTotals) -> None:
        """Take what is known of other sessions."""
        self.sessions += other.sessions
        self.left_out += other.left_out
        self.first_mistake = self.first_mistake or other.first_mistake
        self.unjudged_queries += other.unjudged_queries
        if other.lost_sessions is not None:
            self.lost_sessions = (self.lost_sessions or 0) + other.lost_sessions
        self.notes = list(dict.fromkeys((*self.notes, *other.notes)))

    def refuse_nothing(self, name: str) -> None:
        """If no session is left, say why."""
        if self.sessions:
            return
        first = self.first_mistake
        if first is not None:
            words = f"not one sound session is left; {first.where}: {first.problem}"
            raise BadInput(name, words)
        if self.unjudged_queries:
            raise nothing_judged(name)
        raise BadInput(name, "no session is left", "a wider choice of sessions")

    def list_notes(self) -> list[str]:
        """What one should know before believing a value."""
        notes = list(self.notes)
        if self.unjudged_queries:
            notes.append(describe_unjudged(self.unjudged_queries, self.lost_sessions))
        if self.first_mistake is not None:
            left_out = count_noun(self.left_out, "session")
            notes.append(f"{left_out} left out: {self.first_mistake.problem}")
        return notes


@frozen(eq=False, kw_only=True)
class PartMatcher:
    """How parts of sessions become matched sessions."""

    name: str  # of the sessions
    query_columns: Sequence[str]  # what is told of queries and asked for
    qrels: Qrels | None
    recipes: Sequence[SessionRecipe]
    choice: SessionChoice = field(factory=SessionChoice)
    bad: BadPolicy = "error"
    observed: str = ""  # where grades are what was done to a result: what, such as clicked

    def __attrs_post_init__(self) -> None:
        """Refuse what no part alone can tell."""
        _refuse_longest(self.recipes)
        if self.qrels is None:
            _refuse_highest(self.recipes)

    @property
    def needs_judgments_alone(self) -> bool:
        """Are the places of judgments and the lengths of lists all that is asked for?"""
        return (
            self.qrels is not None
            and self.qrels.frame.columns == ["query", "doc", "grade"]
            and not self.observed
            and "session" not in self.choice.where
            and not any(map(_reads_rows, self.recipes))
        )

    @property
    def gains_alone(self) -> bool:
        """Are results that gained, by what was done to them, all that is asked for?"""
        plain = (
            recipe.entry.has_vectors and recipe.convention.duplicates == "every"
            for recipe in self.recipes
        )
        return bool(self.observed) and all(plain)

    @property
    def docs_that_matter(self) -> pl.Series | None:
        """The documents whose results matter, whoever judged them; None if searchers did."""
        if self.qrels is None or self.gains_alone:
            return None
        return self.qrels.frame["doc"].unique()

    @property
    def group_columns(self) -> list[str]:
        """The columns whose values tell groups of sessions apart."""
        return [name for name in self.query_columns if name not in ("topic", "scanned")]

    def match_with_care(self, part: SessionPart) -> tuple[MatchedSessions | None, PartTotals]:
        """What was matched of a part, if any session is left, and what is known of it."""
        chosen = part.filter(self.choice, self.name)
        sound = build_with_care(chosen, self.name, self.query_columns, self.bad)
        totals = PartTotals(left_out=sound.dropped_count, first_mistake=sound.first_mistake)
        if sound.sessions is None:
            return None, totals
        sessions, convention = sound.sessions, self.recipes[0].convention
        qrels = _find_qrels(self.qrels, sessions, self.observed)
        layout = sessions.layout
        queries, session_count = len(layout.query_starts), len(layout.session_starts)
        if convention.unjudged == "drop" and qrels is not None and _judges_none(qrels, sessions):
            totals.unjudged_queries, totals.lost_sessions = queries, session_count
            return None, totals
        matched = match_sessions(
            evolve(sessions, observed=self.observed),
            qrels,
            convention.unjudged,
            convention.subtopic_grades,
        )
        totals.sessions = matched.size
        if convention.unjudged == "drop":
            totals.unjudged_queries = queries - len(matched.position)
            totals.lost_sessions = session_count - matched.size
        elif not self.observed:
            totals.unjudged_queries = int((matched.judged.base < 0).sum())
        totals.notes = [note for note in matched.notes if "without judgments" not in note]
        totals.notes += note_opened(matched, {recipe.label: recipe for recipe in self.recipes})
        return matched, totals


def _find_qrels(qrels: Qrels | None, sessions: Sessions, observed: str) -> Qrels | None:
    """The judgments; those of nobody, where searchers were to judge and none of a part did."""
    graded = "grade" not in sessions.frame.columns or sessions.frame["grade"].count()
    return qrels if qrels is not None or observed or graded else _NO_JUDGMENTS


def _judges_none(qrels: Qrels, sessions: Sessions) -> bool:
    """Has no query of these sessions judgments?"""
    topic = "topic" if "topic" in sessions.frame.columns else "session"
    return not sessions.frame[topic].is_in(qrels.queries.implode()).any()


def visit_parts(
    sessions: LazySessions,
    matcher: PartMatcher,
    new_summer: Callable[[], AnySummer],
    vector_ranks: int = 0,
) -> tuple[AnySummer, PartTotals]:
    """Add up all sessions of an engine, some whole ones at a time.

    Args:
        sessions: in their engine.
        matcher: how they are matched.
        new_summer: makes what adds them up, which has seen none.
        vector_ranks: how many ranks of each query the vectors have that are added up, if any.
    """
    if matcher.needs_judgments_alone and matcher.qrels is not None:
        try:
            return _visit_records(sessions, matcher, matcher.qrels, new_summer, vector_ranks)
        except (UnsoundSessions, GainfulError):
            pass  # seldom: then all that is told of sessions is looked at, and said in words
    summer, totals = new_summer(), PartTotals()
    with split_sessions(
        sessions,
        matcher.docs_that_matter,
        matcher.query_columns,
        shown_again=not matcher.gains_alone,
    ) as parts:
        for part in parts.read(_choose_size(_MAX_ROWS, parts.longest, vector_ranks)):
            matched, of_part = matcher.match_with_care(part)
            totals.merge(of_part)
            if matched is not None:
                summer.visit(matched)
    totals.refuse_nothing(matcher.name)
    return summer, totals


def _visit_records(
    sessions: LazySessions,
    matcher: PartMatcher,
    qrels: Qrels,
    new_summer: Callable[[], AnySummer],
    vector_ranks: int,
) -> tuple[AnySummer, PartTotals]:
    """Sound sessions of which judgments are all that is asked for, as short records."""
    pools, totals = build_pools(qrels), PartTotals(notes=list(qrels.notes))
    repeats_count = all(recipe.convention.duplicates == "every" for recipe in matcher.recipes)

    def sum_part(part: RecordPart) -> tuple[AnySummer, int]:
        summer = new_summer()
        matched = match_records(part, pools, matcher.choice)
        if matched is None:
            return summer, 0
        if not repeats_count and not matched.has_single_base:
            raise UnsoundSessions  # what others judge may have been shown before
        summer.visit(matched)
        return summer, matched.size

    summer = new_summer()
    with record_sessions(sessions, qrels, pools.topics, matcher.group_columns) as parts:
        records = parts.read(_choose_size(_MAX_RECORDS, parts.longest, vector_ranks))
        for part_summer, size in map_ahead(sum_part, records):
            totals.sessions += size
            summer.merge(part_summer)
    totals.refuse_nothing(matcher.name)
    return summer, totals


def _choose_size(most: int, longest: int, vector_ranks: int) -> int:
    """How many rows of a part: few where vectors are long."""
    if not vector_ranks:
        return most
    return max(1, min(most, _MAX_CELLS // max(1, longest * vector_ranks)))


@frozen(eq=False)
class PartEvaluation:
    """All that is needed to evaluate some whole sessions."""

    qrels: Qrels | None
    recipes: Mapping[str, SessionRecipe]
    query_columns: Sequence[str]  # what is told of queries
    group_columns: Sequence[str]  # of these, what is the same for a whole session
    observed: str = ""  # where grades are what was done to a result: what, such as clicked

    def __attrs_post_init__(self) -> None:
        """Refuse what no part alone can tell."""
        _refuse_longest(self.recipes.values())
        if self.qrels is None:
            _refuse_highest(self.recipes.values())

    def evaluate(self, table: pl.DataFrame) -> pl.DataFrame:
        """A row for each session of a part: what it can be grouped by, queries, and its values.

        Args:
            table: the rows of these sessions, as `LazySessions.find_rows` gives them.
        """
        queries, results = split_rows(table)
        sessions = build_sessions(queries, results, self.query_columns, "sessions")
        matching = next(iter(self.recipes.values())).convention
        matched = match_sessions(
            evolve(sessions, observed=self.observed),
            _find_qrels(self.qrels, sessions, self.observed),
            matching.unjudged,
            matching.subtopic_grades,
        )
        heads = matched.rows.select("session", *self.group_columns)[matched.layout.session_starts]
        columns = {"queries": pl.Series(matched.query_counts, dtype=pl.Int64)}
        for name, recipe in self.recipes.items():
            values = np.ma.asarray(compute_session_values(matched, recipe))
            present = pl.Series(~np.ma.getmaskarray(values))
            series = pl.Series(np.ma.filled(values, 0.0).astype(np.float64))
            columns[name] = pl.select(pl.when(present).then(series)).to_series()
        return heads.with_columns(**columns)


def _refuse_longest(recipes: Iterable[SessionRecipe]) -> None:
    """Refuse averages over the positions of the longest session, which may be in another part."""
    for recipe in recipes:
        convention = recipe.convention
        if (
            recipe.entry.has_vectors
            and (convention.statistic, convention.average_over) == ("average", "common")
            and recipe.queries is None
        ):
            allowed = f"own, or sessions.evaluate: no part knows the longest for {recipe.label}"
            raise BadValue("average_over", "common", allowed)


def _refuse_highest(recipes: Iterable[SessionRecipe]) -> None:
    """Refuse measures that scale by the highest grade, where each part has grades of its own."""
    for recipe in recipes:
        if _scales_by_highest(recipe):
            allowed = f"a number for {recipe.label}: no part knows the highest grade of all"
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


def _scales_by_highest(recipe: SessionRecipe) -> bool:
    """Does it scale grades by the highest that was given, wherever that is?"""
    of_sessions = "max_grade" in recipe.entry.params and recipe.setting("max_grade") is None
    if recipe.of is None:
        return of_sessions
    return "max_grade" in recipe.of.entry.arguments and recipe.of.setting("max_grade") is None


def sum_arrow(table: Any, matcher: PartMatcher, summer: Summer) -> Any:
    """What some whole sessions add up to: a table of Arrow in, one with a single value out.

    A mistake in them is told where the sums are read, in the words that it has.
    """
    import pyarrow as pa  # noqa: PLC0415  (Spark's)

    frame = pl.from_arrow(table)
    rows = hash_sessions(frame if isinstance(frame, pl.DataFrame) else frame.to_frame())
    totals, mistake = PartTotals(), None
    try:
        matched, totals = matcher.match_with_care(SessionPart(*split_rows(rows)))
        if matched is not None:
            summer.visit(matched)
    except GainfulError as error:
        mistake = error
    return pa.table({"sums": pa.array([pickle.dumps((summer, totals, mistake))], pa.binary())})


def evaluate_arrow(table: Any, evaluation: PartEvaluation) -> Any:
    """The values of some whole sessions: a table of Arrow in, a table of Arrow out."""
    return as_spark_arrow(evaluation.evaluate(pl.DataFrame(pl.from_arrow(table))))
