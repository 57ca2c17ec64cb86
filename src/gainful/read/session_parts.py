"""Sessions in an engine, read in parts of whole sessions, so that memory holds one part at a time.

The engine makes a row for each query and finds the results that matter; both are written to files
in a temporary folder, and read again part by part. Where nothing is wrong with sessions, and
judgments are all that is asked for, `record_sessions` is quicker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput
from gainful.progress import report_work
from gainful.read.column_names import protect_name, restore_name
from gainful.read.engines import report_engine_errors
from gainful.read.lazy_session_problems import LARGEST, LENGTH, ROWS, TOTAL, find_bad_sessions
from gainful.read.lazy_sessions import LazySessions, build_sessions
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.spill import KEY, Spill, choose_parts
from gainful.text import quote

_QUERY = ("session", "query")


@frozen(eq=False)
class SessionPart:
    """Some whole sessions: a row for each query, and the results that matter, in any order."""

    queries: pl.DataFrame
    results: pl.DataFrame

    def filter(self, choice: SessionChoice, name: str) -> SessionPart:
        """Only the sessions that were asked for, or the beginning of each."""
        if choice == SessionChoice():
            return self
        queries = self.queries
        for column, value in choice.where.items():
            text = str(value).encode(errors="backslashreplace").decode()  # polars takes UTF-8 only
            values = pl.col(protect_name(column)).cast(pl.String)
            fits = (values == text).fill_null(value=False)
            flags = queries.select(fits.alias("fits"), fits.all().over(KEY).alias("all"))
            if (flags["fits"] & ~flags["all"]).any():
                problem = f"some sessions have more than one {column}"
                allowed = "a column that is the same for a whole session"
                raise BadInput(name, problem, allowed)
            queries = queries.filter(flags["fits"])
        if choice.min_queries is not None:
            queries = queries.filter(pl.col("query").max().over(KEY) >= choice.min_queries)
        results = self.results.join(queries.select(KEY).unique(), on=KEY, how="semi")
        if choice.first_queries is not None:
            beginning = pl.col("query") <= choice.first_queries
            queries, results = queries.filter(beginning), results.filter(beginning)
        return SessionPart(queries, results)


@frozen
class SessionChoice:
    """Which sessions are asked for: with these values, of so many queries; and how much of each."""

    where: Mapping[str, str] = {}
    min_queries: int | None = None
    first_queries: int | None = None


ALL_SESSIONS = SessionChoice()


def choose_rows(sessions: LazySessions, choice: SessionChoice) -> LazySessions:
    """The rows of sessions that were asked for, in their engine; each of one value, it is hoped."""
    rows = sessions.rows
    for column, value in choice.where.items():
        rows = rows.filter(nw.col(protect_name(column)).cast(nw.String) == str(value))
    if choice.min_queries is not None:
        lengths = rows.group_by("session").agg(nw.col("query").max().alias("queries"))
        long = lengths.filter(nw.col("queries") >= choice.min_queries).select("session")
        rows = rows.join(long, on="session", how="semi")
    if choice.first_queries is not None:
        rows = rows.filter(nw.col("query") <= choice.first_queries)
    return evolve(sessions, rows=rows)


@frozen(eq=False)
class SessionParts:
    """Sessions on disk, of which each part is some whole sessions."""

    queries: Spill
    results: Spill
    longest: int  # queries of a session

    def read(self, max_rows: int) -> Iterator[SessionPart]:
        """One part after the other, none of many more rows than that."""
        counts = self.queries.counts + self.results.counts
        for part in choose_parts(counts, max_rows):
            yield SessionPart(self.queries.read(part), self.results.read(part))
            report_work("sessions", float(counts[: part.stop].sum() / counts.sum()))


@contextmanager
def split_sessions(
    sessions: LazySessions,
    judged_docs: pl.Series | None,
    columns: Sequence[str],
    *,
    shown_again: bool = True,
) -> Iterator[SessionParts]:
    """Sessions of an engine, on disk until the end of the block.

    Args:
        sessions: in their engine.
        judged_docs: those that anyone judged, each once; None if only what was clicked or graded
            matters.
        columns: what is asked for of queries, as far as it is told.
        shown_again: of what searchers judged, also where nobody did?
    """
    narrow = evolve(
        sessions, query_columns=[name for name in sessions.query_columns if name in columns]
    )
    queries, results = Spill(sessions.name), Spill(sessions.name)
    longest = 0
    key = pl.col("session").hash(1).alias(KEY)
    with report_engine_errors(sessions.engine, sessions.name):
        for rows in sessions.engine.stream(_describe_queries(narrow).to_native()):
            longest = max(longest, int(rows["query"].max() or 0))  # type: ignore[arg-type]
            queries.add(rows.with_columns(key))
        wanted = narrow.find_results(judged_docs, shown_again=shown_again)
        for rows in sessions.engine.stream(wanted.to_native()):
            results.add(rows.with_columns(key))
    queries.finish()
    results.finish()
    if not queries.counts.sum():
        raise BadInput(sessions.name, "there is not one session in it")
    yield SessionParts(queries, results, longest)


def _describe_queries(sessions: LazySessions) -> nw.LazyFrame[Any]:
    described = sessions.describe_queries()
    sums = (LENGTH, TOTAL, ROWS)
    return described.with_columns(*(nw.col(name).cast(nw.Int64) for name in sums))


@frozen(eq=False)
class SoundSessions:
    """The sound sessions of a part, if there are any, and how many are not."""

    sessions: Sessions | None
    dropped_count: int = 0
    first_mistake: BadInput | None = None


def build_with_care(
    part: SessionPart, name: str, query_columns: Sequence[str], bad: BadPolicy
) -> SoundSessions:
    """Sessions of a part; bad ones are refused in words, or left out and counted.

    Args:
        part: all that is told of queries, and the results that matter.
        name: what the sessions are called in an error.
        query_columns: what is told of queries.
        bad: refuse sessions that are not as they should be, or leave them out.
    """
    queries, results = part.queries.drop(KEY), part.results.drop(KEY)
    bad_sessions, first = find_bad_sessions(queries, results, name, query_columns)
    if first is not None and bad == "error":
        raise first
    queries, results = (
        rows.join(bad_sessions, on="session", how="anti", nulls_equal=True)
        for rows in (queries, results)
    )
    for column in query_columns:
        varying = queries.filter(pl.col(column).ne_missing(pl.col(LARGEST + column)))
        if len(varying):
            session, own = quote(varying["session"][0]), restore_name(column)
            problem = f"session {session} has more than one {own}"
            raise BadInput(name, problem, "one for all rows of a session")
    sessions = build_sessions(queries, results, query_columns, name)
    return SoundSessions(sessions if len(queries) else None, len(bad_sessions), first)
