"""Sessions that are too many for one memory: some whole ones at a time are matched and summed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import polars as pl
from attrs import Factory, define, evolve, field, frozen

from gainful.errors import BadInput, BadValue, GainfulError
from gainful.match.packed_sessions import match_packed
from gainful.match.session_groups import number_groups
from gainful.match.sessions import (
    MatchedSessions,
    build_pools,
    describe_unjudged,
    match_sessions,
    nothing_judged,
)
from gainful.measure.entry import SessionRecipe
from gainful.measure.functions.sessions.sdcg import sum_by_index
from gainful.measure.ranked_run import normalise_by
from gainful.measure.sessions.session_values import (
    compute_session_values,
    joint_terms,
    mean_terms,
    needs_joint_mean,
    note_opened,
    session_value_vectors,
)
from gainful.read.column_names import restore_name
from gainful.read.engines import SPARK, as_spark_arrow, report_engine_errors
from gainful.read.lazy_sessions import LazySessions, build_sessions, split_rows
from gainful.read.packed_sessions import PackedPart, UnsoundSessions, pack_sessions
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_parts import SessionChoice, SessionPart, build_with_care, split_sessions
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.spill import KEY
from gainful.text import count_noun
from gainful.threads import map_ahead
from gainful.types import Array, Ranks

COUNTS = ("sessions", "queries", "results", "judged")
Keys = tuple[Any, ...]  # the values of the columns that a group is named by


@define(eq=False)
class ValueSums:
    """How many values there are, their mean, and their squared distances from it."""

    n: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, other: ValueSums) -> None:
        """Take the values of another part (Chan, Golub & LeVeque 1979)."""
        n = self.n + other.n
        if not other.n:
            return
        difference = other.mean - self.mean
        self.squares += other.squares + difference**2 * self.n * other.n / n
        self.mean += difference * other.n / n
        self.n = n

    @property
    def standard_error(self) -> float | None:
        """Of the mean; None of fewer than two values."""
        return None if self.n < 2 else float(np.sqrt(self.squares / (self.n - 1) / self.n))


@define(eq=False)
class CurveSums:
    """What the mean vector of a group is made of, queries × ranks."""

    upper: Array  # over
    lower: Array
    n: Array  # sessions that count
    searching: Array  # per query: how many sessions have it

    def add(self, other: CurveSums) -> None:
        """Take another part; where its sessions have ended, what they reached is held."""
        queries = max(len(self.searching), len(other.searching))
        mine, theirs = self.hold(queries), other.hold(queries)
        self.upper = mine.upper + theirs.upper
        self.lower = mine.lower + theirs.lower
        self.n = mine.n + theirs.n
        self.searching = mine.searching + theirs.searching

    def hold(self, queries: int) -> CurveSums:
        """The sums to so many queries."""
        more = queries - len(self.searching)
        if not more:
            return self
        upper, lower, n = (
            np.concatenate([sums, np.full((more, sums.shape[1]), sums[-1, -1])])
            for sums in (self.upper, self.lower, self.n)
        )
        return CurveSums(upper, lower, n, np.append(self.searching, np.zeros(more)))


@define(eq=False)
class GroupSums:
    """What one group adds up to, so far."""

    counts: Ranks = Factory(lambda: np.zeros(len(COUNTS), dtype=np.int64))
    values: dict[str, ValueSums] = Factory(dict)  # by measure
    joint: dict[str, Array] = Factory(dict)  # gains and ideals, where these are averaged first
    curves: dict[str, CurveSums] = Factory(dict)

    def add(self, other: GroupSums) -> None:
        """Take another part of the group."""
        self.counts = self.counts + other.counts
        for name, values in other.values.items():
            self.values.setdefault(name, ValueSums()).add(values)
        for name, terms in other.joint.items():
            self.joint[name] = self.joint.get(name, np.zeros(2)) + terms
        for name, curve in other.curves.items():
            if name in self.curves:
                self.curves[name].add(curve)
            else:
                self.curves[name] = evolve(curve)  # which stays as it is

    def mean(self, name: str, recipe: SessionRecipe) -> float:
        """The mean of a measure, as the convention averages; not a number where nothing counts."""
        if name in self.joint:
            gain, best = self.joint[name][:, None] / max(float(self.counts[0]), 1.0)
            return float(np.ma.filled(normalise_by(gain, best, recipe.convention.empty), np.nan)[0])
        sums = self.values[name]
        return sums.mean if sums.n else float("nan")


Sums = dict[Keys, GroupSums]


def add_sums(sums: Sums, others: Mapping[Keys, GroupSums]) -> None:
    """Take what other sessions add up to."""
    for keys, group in others.items():
        sums.setdefault(keys, GroupSums()).add(group)


def sum_sessions(
    sessions: MatchedSessions,
    recipes: Mapping[str, SessionRecipe],
    by: Sequence[str],
    name: str,
    *,
    curves: bool,
) -> Sums:
    """What the groups of these sessions add up to.

    Args:
        sessions: those that were matched.
        recipes: the measures, by the names that were asked for.
        by: the columns that groups are named by.
        name: what the sessions are called in an error.
        curves: mean vectors, too?
    """
    keys, group = number_groups(sessions, by, name, recipes)
    size = len(keys)
    counted = sessions.judged.query
    if sessions.observed:  # what was done, and not what others did to the document
        counted = counted[sessions.judged.grade > 0]
    judged = np.bincount(counted, minlength=len(sessions.position))
    per_query = np.stack([sessions.retrieved, judged])
    per_session = [np.bincount(sessions.session, each, sessions.size) for each in per_query]
    counts = [np.ones(sessions.size), sessions.query_counts, *per_session]
    totals = np.stack([np.bincount(group, each, size) for each in counts]).astype(np.int64)
    sums = {key: GroupSums(totals[:, at].copy()) for at, key in enumerate(keys)}
    for measure, recipe in recipes.items():
        _sum_values(sums, sessions, measure, recipe, group)
        if curves and recipe.entry.has_vectors:
            _sum_curves(sums, sessions, measure, recipe, group)
    return sums


def _sum_values(
    sums: Sums, sessions: MatchedSessions, measure: str, recipe: SessionRecipe, group: Ranks
) -> None:
    size = len(sums)
    if needs_joint_mean(recipe):
        first_queries = sessions.keep_first_queries(recipe.queries)
        terms = [sum_by_index(group, each, size) for each in joint_terms(first_queries, recipe)]
        for at, part in enumerate(sums.values()):
            part.joint[measure] = np.array([term[at] for term in terms])
    values = np.ma.asarray(compute_session_values(sessions, recipe))
    kept = ~np.ma.getmaskarray(values)
    own, at_group = values.data[kept].astype(np.float64), group[kept]
    n = np.bincount(at_group, minlength=size)
    mean = sum_by_index(at_group, own, size) / np.maximum(n, 1)
    squares = sum_by_index(at_group, (own - mean[at_group]) ** 2, size)
    for at, part in enumerate(sums.values()):
        part.values[measure] = ValueSums(float(n[at]), float(mean[at]), float(squares[at]))


def _sum_curves(
    sums: Sums, sessions: MatchedSessions, measure: str, recipe: SessionRecipe, group: Ranks
) -> None:
    """Each group as far as the vectors go: ideals may go on where all of a part have stopped."""
    upper, lower = mean_terms(sessions, recipe)
    counted = lower
    if _averages_first(recipe):
        counted = (~np.isnan(session_value_vectors(sessions, recipe))).astype(np.float64)
    counts = sessions.keep_first_queries(recipe.queries).query_counts
    for at, part in enumerate(sums.values()):
        own = group == at
        searching = (counts[own][:, None] >= np.arange(1, upper.shape[1] + 1)).sum(axis=0)
        above, below, n = (terms[own].sum(axis=0) for terms in (upper, lower, counted))
        part.curves[measure] = CurveSums(above, below, n, searching.astype(np.float64))


def _averages_first(recipe: SessionRecipe) -> bool:
    """Is the mean that of gains over that of ideals?"""
    return recipe.entry.normalised and recipe.convention.average == "vectors"


def tabulate_curve(sums: CurveSums, recipe: SessionRecipe, keys: Mapping[str, Any]) -> pl.DataFrame:
    """The mean vector of a group to the end of its longest session, as `SessionResults.curve`."""
    queries, x = np.count_nonzero(sums.searching), sums.upper.shape[1]
    upper, lower, n = (terms[:queries].ravel() for terms in (sums.upper, sums.lower, sums.n))
    empty = recipe.convention.empty if _averages_first(recipe) else "skip"
    mean = np.ma.filled(normalise_by(upper, lower, empty), np.nan)
    return pl.DataFrame(
        {
            **{name: [value] * (queries * x) for name, value in keys.items()},
            "query": np.repeat(np.arange(1, queries + 1), x),
            "rank": np.tile(np.arange(1, x + 1), queries),
            "position": np.arange(1, queries * x + 1),
            "mean": pl.Series(mean).fill_nan(None),
            "n": n.astype(np.int64),
            "searching": np.repeat(sums.searching[:queries].astype(np.int64), x),
        }
    )


_MAX_PACKED = 1_500_000  # rows of queries and results, matched together
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
            return _visit_packed(sessions, matcher, matcher.qrels, new_summer, vector_ranks)
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


def _visit_packed(
    sessions: LazySessions,
    matcher: PartMatcher,
    qrels: Qrels,
    new_summer: Callable[[], AnySummer],
    vector_ranks: int,
) -> tuple[AnySummer, PartTotals]:
    """Sound sessions of which judgments are all that is asked for, as rows of numbers."""
    pools, totals = build_pools(qrels), PartTotals(notes=list(qrels.notes))
    repeats_count = all(recipe.convention.duplicates == "every" for recipe in matcher.recipes)

    def sum_part(part: PackedPart) -> tuple[AnySummer, int]:
        summer = new_summer()
        matched = match_packed(part, pools, matcher.choice)
        if matched is None:
            return summer, 0
        if not repeats_count and not matched.has_single_base:
            raise UnsoundSessions  # what others judge may have been shown before
        summer.visit(matched)
        return summer, matched.size

    summer = new_summer()
    parts = pack_sessions(
        *(sessions, qrels, pools.topics, matcher.group_columns),
        lambda longest: _choose_size(_MAX_PACKED, longest, vector_ranks),
    )
    for part_summer, size in map_ahead(sum_part, parts):
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
        names = ["session", *map(restore_name, self.group_columns)]
        heads = matched.rows[names][matched.layout.session_starts]
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
    rows = pl.DataFrame(frame).with_columns(pl.col("session").hash(1).alias(KEY))
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


def visit_workers(
    sessions: LazySessions, matcher: PartMatcher, new_summer: Callable[[], AnySummer]
) -> tuple[AnySummer, PartTotals]:
    """Add up sessions on the workers; what comes to the driver is one sum from each part.

    Args:
        sessions: in Spark.
        matcher: how some whole sessions are matched.
        new_summer: makes what adds them up, which has seen none.
    """
    narrow = evolve(sessions, query_columns=matcher.query_columns)
    with report_engine_errors(SPARK, sessions.name):
        table, part = part_rows(narrow, matcher.docs_that_matter)
        worker = _make_summing_worker(matcher, new_summer)
        rows = table.groupBy(part).applyInArrow(worker, "sums binary").toLocalIterator()
        summer, totals = new_summer(), PartTotals()
        for row in rows:
            part_summer, part_totals, mistake = pickle.loads(row["sums"])  # noqa: S301  (our own)
            if mistake is not None:
                raise mistake
            summer.merge(part_summer)
            totals.merge(part_totals)
    totals.refuse_nothing(matcher.name)
    return summer, totals


def part_rows(sessions: LazySessions, docs: pl.Series | None) -> tuple[Any, Any]:
    """The rows of queries and of results that matter, and by what they are split into parts."""
    from pyspark.sql.functions import lit, pmod, xxhash64  # noqa: PLC0415

    table = sessions.find_rows(docs).to_native()
    parts = int(table.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return table, pmod(xxhash64("session"), lit(parts))  # a session is never cut in two


def _make_summing_worker(
    matcher: PartMatcher, new_summer: Callable[[], AnySummer]
) -> Callable[[Any], Any]:
    """What a worker does with some whole sessions."""

    def sum_part(table: Any) -> Any:

        return sum_arrow(table, matcher, new_summer())

    return sum_part
