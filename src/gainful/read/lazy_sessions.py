"""Sessions in lazy polars, DuckDB or Spark: what measures can ask for is found there.

A log has far more results than judgments. So the engine counts the results of each query, and gives
only those of documents that somebody judged, that were clicked, or that the searcher graded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput
from gainful.read.column_names import (
    DOC,
    RANK,
    SESSION_ROLES,
    ColumnMapping,
    restore_name,
)
from gainful.read.engines import POLARS, Engine, report_engine_errors
from gainful.read.lazy import open_columns
from gainful.read.lazy_run import as_narwhals
from gainful.read.lazy_session_problems import (
    HIGHEST,
    LARGEST,
    LENGTH,
    LOWEST,
    MISSING_POSITIONS,
    POSITIONS,
    POWERS,
    ROWS,
    TOPICS,
    TOTAL,
    describe_mistake,
    find_bad_sessions,
    query_defects,
    sum_powers,
)
from gainful.read.named_columns import Header
from gainful.read.sessions import (
    OPTIONAL_COLUMNS,
    POSITION,
    RESULT_COLUMNS,
    SESSION,
    UNGROUPABLE_COLUMNS,
    BadPolicy,
    Sessions,
)
from gainful.read.spill import KEY
from gainful.text import count_noun, join_words, quote

_KEY = ("session", "query")
_COUNTED_RANK, _JUDGED, _QUERIES = "gainful_rank", "gainful_judged", "gainful_queries"
_KINDS = {"text": nw.String(), "number": nw.Float64(), "flag": nw.Boolean()}


@frozen(eq=False)
class LazySessions:
    """Sessions whose rows stay in the engine of their owner."""

    rows: nw.LazyFrame[Any]  # session, query, rank, doc; what else was told
    engine: Engine
    name: str
    query_columns: Sequence[str]  # that should be the same for all results of a query
    result_columns: Sequence[str]  # clicked, grade, seconds, as far as they are there
    notes: Sequence[str] = ()  # what one should know of how they were made
    reasons: Sequence[nw.Expr] = ()  # for which a result is fetched that nobody judged or clicked
    rows_as_told: nw.LazyFrame[Any] | None = None  # where an empty text may stand for no document
    folder: Any = None  # in which rows are, as long as anybody asks for them

    def describe_queries(self) -> nw.LazyFrame[Any]:
        """A row for each query: how many results it has, their ranks, and what is told of it."""
        has_doc = ~nw.col("doc").is_null()
        rank = nw.when(has_doc).then(nw.col("rank"))
        columns = self.query_columns
        return self.rows.group_by(*_KEY).agg(
            has_doc.cast(nw.Int64).sum().alias(LENGTH),
            rank.min().alias(LOWEST),
            rank.max().alias(HIGHEST),
            rank.sum().alias(TOTAL),
            sum_powers(rank).alias(POWERS),
            nw.len().alias(ROWS),
            *(nw.col(name).min().alias(name) for name in columns),
            *(nw.col(name).max().alias(LARGEST + name) for name in columns),
            *(nw.col(name).count().alias(TOPICS) for name in columns if name == "topic"),
        )

    def find_rows(self, judged_docs: pl.Series | None) -> nw.LazyFrame[Any]:
        """The rows of both in one frame; those of queries have a list length, results have none."""
        queries, results = self.describe_queries(), self.find_results(judged_docs)
        kinds = dict(queries.collect_schema()) | dict(results.collect_schema())
        return nw.concat(
            [
                rows.with_columns(
                    nw.lit(None).cast(kind).alias(name)
                    for name, kind in kinds.items()
                    if name not in own
                ).select(*kinds)
                for rows, own in (
                    (queries, queries.collect_schema()),
                    (results, results.collect_schema()),
                )
            ]
        )

    def find_results(
        self, judged_docs: pl.Series | None, *, shown_again: bool = True
    ) -> nw.LazyFrame[Any]:
        """The results whose documents are judged by anyone, and those that were clicked.

        Args:
            judged_docs: each once; None where searchers judged by themselves.
            shown_again: of what searchers judged, also where the topic or, without topics, the
                session has these documents and nobody did?
        """
        rows = self.rows.filter(~nw.col("doc").is_null())
        reasons = [*self.reasons]
        if judged_docs is not None:
            frame = judged_docs.to_frame("doc").with_columns(pl.lit(1).alias(_JUDGED))
            with report_engine_errors(self.engine, self.name):
                native: Any = self.engine.send(frame, self.rows.to_native())
                rows = rows.join(as_narwhals(native), on="doc", how="left")
            reasons.append(~nw.col(_JUDGED).is_null())
        if "clicked" in self.result_columns:
            reasons.append(nw.col("clicked"))
        if "grade" in self.result_columns:
            reasons.append(~nw.col("grade").is_null())
        wanted = rows.filter(nw.any_horizontal(*reasons, ignore_nulls=True)) if reasons else rows
        if judged_docs is None and reasons and shown_again:
            key = ["topic" if "topic" in self.query_columns else "session", "doc"]
            wanted = rows.join(wanted.select(*key).unique(), on=key, how="semi")
        return wanted.select(*_KEY, "rank", "doc", *self.result_columns)

    def refuse_bad_sessions(self) -> list[str]:
        """The columns that sessions can be grouped by; what is not sound is refused, in its engine.

        Nothing is collected but one row for each kind of mistake.
        """
        queries = self.describe_queries()
        for flags, words, expected in query_defects(self.query_columns).values():
            self._refuse_first(queries.filter(flags).select(*_KEY), words, expected)
        columns = [name for name in self.query_columns if name not in UNGROUPABLE_COLUMNS]
        by_session = queries.group_by("session").agg(
            nw.col("query").max(),
            nw.len().alias(_QUERIES),
            *(nw.col(name).min() for name in columns),
            *(nw.col(LARGEST + name).max() for name in columns),
        )
        gaps = by_session.filter(nw.col("query") > nw.col(_QUERIES)).select(*_KEY)
        self._refuse_first(gaps, MISSING_POSITIONS, POSITIONS)
        if not columns:
            return []
        varying = by_session.select(
            (nw.col(name) != nw.col(LARGEST + name)).cast(nw.Int64).sum().alias(name)
            for name in columns
        )
        counts = self.engine.collect(varying.to_native()).row(0, named=True)
        return [name for name in columns if not counts[name]]

    def _refuse_first(self, bad: nw.LazyFrame[Any], words: str, expected: str) -> None:
        rows = self.engine.collect(bad.head(1).to_native())
        if len(rows):
            session, query = rows.row(0)
            raise describe_mistake(self.name, session, query, words, expected)


def as_lazy_sessions(
    native: Any, engine: Engine, name: str, columns: ColumnMapping
) -> LazySessions | None:
    """Sessions from a frame of an engine; None if it has not the columns of sessions."""
    with report_engine_errors(engine, name):
        frame, _ = open_columns(native, engine, columns, SESSION_ROLES, name)
        schema = dict(frame.collect_schema())
        header = Header(list(schema), name)
        session, query, doc = (header.find_column(names) for names in (SESSION, POSITION, DOC))
        if session is None or query is None or doc is None:
            return None
        if engine is POLARS and schema[query] == nw.String:  # a log, which is read event by event
            return None
        rank = header.find_column(RANK)
        _refuse_other_kinds(schema, [query, *([] if rank is None else [rank])], name)
        chosen = {"session": session, "query": query, "rank": rank or _COUNTED_RANK, "doc": doc}
        if rank is None:
            frame = _count_ranks(frame, chosen, engine, name)
        known = _find_known_columns(header, schema, {*chosen.values()})
        doc_text = nw.col(doc).cast(nw.String)
        rows = frame.select(
            nw.col(session).cast(nw.String).alias("session"),
            nw.col(query).cast(nw.Int64).alias("query"),
            nw.col(chosen["rank"]).cast(nw.Int64).alias("rank"),
            doc_text.alias("doc"),
            *(
                nw.col(column) if kind is None else nw.col(column).cast(kind).alias(role)
                for role, (column, kind) in known.items()
            ),
        )
    results = [role for role in known if role in RESULT_COLUMNS]
    if "clicked" in results:
        rows = rows.with_columns(nw.col("clicked").fill_null(value=False))
    queries = [role for role in known if role not in RESULT_COLUMNS]
    with_docs = rows.with_columns(nw.when(nw.col("doc") != "").then(nw.col("doc")).alias("doc"))
    return LazySessions(with_docs, engine, name, queries, results, rows_as_told=rows)


def _refuse_other_kinds(schema: Mapping[str, Any], numbers: Sequence[str], name: str) -> None:
    for column in numbers:
        if not schema[column].is_integer():
            hint = " (the text of a query is the column text)" if column == numbers[0] else ""
            raise BadInput(
                name, f"column {quote(column)} holds {schema[column]}", f"whole numbers{hint}"
            )


def _count_ranks(
    frame: nw.LazyFrame[Any], chosen: Mapping[str, str], engine: Engine, name: str
) -> nw.LazyFrame[Any]:
    """The frame with ranks by the order of rows, where rows have one."""
    if engine is not POLARS:
        allowed = f"a column rank: rows in {engine.name} have no order"
        raise BadInput(name, "there is no column for the rank", allowed)
    row = "gainful_row"
    numbered = nw.from_native(frame.to_native().with_row_index(row))
    position = nw.col(row).cum_count().over(chosen["session"], chosen["query"], order_by=row)
    has_doc = ~nw.col(chosen["doc"]).is_null()
    ranked = numbered.with_columns(nw.when(has_doc).then(position).alias(_COUNTED_RANK))
    without_rows: nw.LazyFrame[Any] = ranked.drop(row)
    return without_rows


def _find_known_columns(
    header: Header, schema: Mapping[str, Any], taken: set[str]
) -> dict[str, tuple[str, Any]]:
    """What else is told, by role or by its own name: its column, and what it is cast to."""
    known: dict[str, tuple[str, Any]] = {}
    for role, (aliases, kind) in OPTIONAL_COLUMNS.items():
        free = tuple(name for name in aliases if header.find_column((name,)) not in taken)
        column = header.find_column(free)
        if column is not None:
            known[role] = (column, _KINDS[kind])
            taken.add(column)
    for column, kind in schema.items():
        if column not in taken and column not in known and has_order(kind):
            known[column] = (column, None)
    return known


def has_order(kind: Any) -> bool:
    """Can values of this kind be compared, so that a query can be asked for its only one?"""
    others = (nw.String, nw.Boolean, nw.Date, nw.Datetime)
    return bool(kind.is_numeric() or any(kind == other for other in others))


def collect_sessions(
    sessions: LazySessions, judged_docs: pl.Series | None, bad: BadPolicy = "error"
) -> Sessions:
    """Sessions here, of which only the results that matter are rows; all are counted.

    Args:
        sessions: in their engine.
        judged_docs: the documents that anyone judged, each once; None if searchers did.
        bad: refuse sessions that are not as they should be, or leave them out and say so.
    """
    with report_engine_errors(sessions.engine, sessions.name):
        queries = sessions.engine.collect(sessions.describe_queries().to_native())
        results = sessions.engine.collect(sessions.find_results(judged_docs).to_native())
    if not len(queries):
        raise BadInput(sessions.name, "there is not one session in it")
    bad_sessions, first = find_bad_sessions(queries, results, sessions.name, sessions.query_columns)
    if first is not None and bad == "error":
        raise first
    varying = [
        name
        for name in sessions.query_columns
        if queries.select((pl.col(name) != pl.col(LARGEST + name)).any()).item()
    ]
    built = build_sessions(
        queries.join(bad_sessions, on="session", how="anti", nulls_equal=True),
        results.join(bad_sessions, on="session", how="anti", nulls_equal=True),
        [name for name in sessions.query_columns if name not in varying],
        sessions.name,
    )
    notes = [
        *sessions.notes,
        f"its rows stay in {sessions.engine.name}: what was judged or clicked was fetched",
    ]
    if varying:
        names = join_words([quote(restore_name(name)) for name in varying])
        notes.append(f"not kept, for results of one query differ in it: {names}")
    if first is None:
        return evolve(built, notes=notes)
    if not len(built.frame):
        raise BadInput(
            sessions.name, f"not one sound session is left; {first.where}: {first.problem}"
        )
    notes.append(f"{count_noun(len(bad_sessions), 'session')} left out: {first.problem}")
    return evolve(built, notes=notes, dropped_count=len(bad_sessions))


def build_sessions(
    queries: pl.DataFrame, results: pl.DataFrame, query_columns: Sequence[str], name: str
) -> Sessions:
    """Sessions of sound rows: one without a document for each query, then its results.

    Args:
        queries: the rows of `describe_queries`.
        results: the rows of `find_results`.
        query_columns: what is told of queries and kept.
        name: what the sessions are called.
    """
    heads = queries.select(*_KEY, LENGTH, *query_columns)
    rows = results.join(heads.select(*_KEY, *query_columns), on=list(_KEY), how="left")
    frame = pl.concat([heads, rows], how="diagonal").sort(*_KEY, "rank", nulls_last=False)
    if "clicked" in frame.columns:
        frame = frame.with_columns(pl.col("clicked").fill_null(value=False))
    others = [column for column in frame.columns if column not in (*_KEY, "rank", "doc")]
    frame = frame.select(*_KEY, "rank", "doc", *others)
    return Sessions(frame.rename(restore_name), name)


def split_rows(table: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of queries and those of results, of rows that `find_rows` gave."""
    is_query = pl.col(LENGTH).is_not_null()
    of_results = ("rank", "doc", *RESULT_COLUMNS)
    of_queries = [name for name in table.columns if name not in (*_KEY, KEY, *of_results)]
    return (
        table.filter(is_query).drop(of_results, strict=False),
        table.filter(~is_query).drop(of_queries),
    )
