"""A log of events in lazy polars, DuckDB or Spark → `LazySessions`, some whole sessions at a time.

The rows of a user or a session are brought together, and go to the same functions as a log in
memory: by way of a temporary folder, or on Spark's workers.
"""

from __future__ import annotations

import pickle
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput
from gainful.progress import report_work
from gainful.read.build_sessions import LogReport, build_part, choose_owner, name_columns
from gainful.read.column_names import (
    SESSION_ROLES,
    protect_name,
    restore_name,
)
from gainful.read.engines import POLARS, SPARK, Engine, report_engine_errors
from gainful.read.event_table import (
    assign_log_columns,
    assign_others,
    extract_events,
    is_event_log,
)
from gainful.read.event_words import LOG_COLUMNS, EventWords, read_event_words
from gainful.read.lazy import open_columns
from gainful.read.lazy_run import as_narwhals
from gainful.read.lazy_sessions import LazySessions, as_lazy_sessions, has_order
from gainful.read.log_facts import LogFacts, find_facts, find_known
from gainful.read.named_columns import Header, InputTable
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.session_events import ASKED, DWELL, SHOWN
from gainful.read.sessions import OPTIONAL_COLUMNS, POSITION, RESULT_COLUMNS, BadPolicy, check_bad
from gainful.read.spill import KEY, Spill, choose_parts

_ROW = "\0row"  # the number of a row, where rows have an order
_REPORT = "gainful_report"  # of a part, in Spark
_MAX_ROWS = 1_000_000  # of a part
_KINDS = {"text": pl.String(), "number": pl.Float64(), "flag": pl.Boolean()}


@frozen(eq=False, kw_only=True)
class LogReader:
    """How some whole sessions of a log are read."""

    header: Header
    kinds: Mapping[str, pl.DataType]  # what its columns hold
    engine_name: str
    ordered: bool
    key: str  # the column by which rows are brought together
    gap: timedelta | None
    words: EventWords | None
    facts: LogFacts

    def choose_owner(self) -> tuple[str, list[str]]:
        """The column that says whose events are, and what is to be said of it."""
        known = find_known(self.facts, self._taken, self._list_shown_words)
        if not self.ordered:
            self._refuse_without_order(known)
        return choose_owner(lambda role: known.get(role, False), self.header.name, self.gap)

    @property
    def _taken(self) -> dict[str, str]:
        return assign_log_columns(self.header, self.facts, read_event_words(self.words))

    @property
    def _list_shown_words(self) -> set[str]:
        kinds = read_event_words(self.words).items()
        return {word for word, kind in kinds if kind in (SHOWN, ASKED)}

    @property
    def actions(self) -> list[str]:
        """What searchers did, as rows of its own."""
        words, event = read_event_words(self.words), self._taken.get("event")
        kinds = {words.get(kind, kind) for kind in self.facts.words.get(event or "", ())}
        return sorted(kinds - {SHOWN, ASKED})

    def _refuse_without_order(self, known: Mapping[str, bool]) -> None:
        """Refuse what only the order of rows could tell, where they have none."""
        unordered = f"rows in {self.engine_name} have no order"
        if not known.get("rank"):
            problem, allowed = "there is no column for the rank", f"a column rank: {unordered}"
            raise BadInput(self.header.name, problem, allowed)
        if not known.get("time") and (self.actions or not known.get("position")):
            allowed = f"a column of times: {unordered}"
            raise BadInput(self.header.name, "there is no time", allowed)

    def list_columns(self) -> dict[str, pl.DataType]:
        """The columns of the sessions that come out, and what they hold."""
        taken, given = self._taken, self.facts.given
        own = assign_others(self.header, taken)
        flags = [name for name in self.actions if name != DWELL]
        flags += ["clicked"] if "event" in taken else []
        columns = {"session": pl.String(), "query": pl.Int64(), "rank": pl.Int64()}
        columns |= {"doc": pl.String(), **dict.fromkeys(flags, pl.Boolean())}
        columns |= {"seconds": pl.Float64()} if DWELL in self.actions or "dwell_ms" in given else {}
        for role in ("user", "text", "clicked", "purchased", "seconds"):
            if role in taken and given[taken[role]]:
                column = "searcher" if role == "user" else role
                columns[column] = _KINDS[OPTIONAL_COLUMNS[column][1]]
        for own_name, (own_column, kind) in own.items():
            if given[own_column]:
                columns[own_name] = self.kinds[own_column] if kind is None else _KINDS[kind]
        return columns

    def read_part(self, rows: pl.DataFrame, report: LogReport) -> pl.DataFrame:
        """The results of some whole sessions; what is to be said of them goes to the report."""
        owner, _ = self.choose_owner()
        table = InputTable(
            rows.drop(_ROW, KEY, strict=False),
            self.header.name,
            self.locate_in(rows),
            padded=False,
            own_names=self.header.own_names,
        )
        events = extract_events(table, self.words, self.facts)
        events = evolve(events, unordered="" if self.ordered else self.engine_name)
        of_part = LogReport()
        results, _ = build_part(events, owner, self.gap, of_part)
        if self.ordered:
            of_part.renumber(rows[_ROW])
        report.add(of_part)
        if len(results) and not events.tells("rank"):
            results = _rank_by_rows(results)
        named = name_columns(results, {*self.list_columns()}) if len(results) else results.clear()
        return named.select(
            (pl.col(name) if name in named.columns else pl.lit(None)).cast(kind).alias(name)
            for name, kind in self.list_columns().items()
        ).with_columns(pl.col(pl.Boolean).fill_null(value=False))

    def locate_in(self, rows: pl.DataFrame) -> Callable[[int], str]:
        """The place of a row, for messages; where rows have no order, they have none."""
        name = self.header.name
        return (lambda row: f"{name}, row {rows[_ROW][row]}") if self.ordered else lambda _: name

    def tell(self, report: LogReport, bad: BadPolicy) -> list[str]:
        """What is to be said of all parts."""
        name = self.header.name
        place = (lambda row: f"{name}, row {row}") if self.ordered else lambda _: name
        return report.tell(bad, name, self.choose_owner()[1], place)

    def make_sessions(
        self, rows: Any, engine: Engine, notes: list[str], folder: Any
    ) -> LazySessions:
        """What came out, as sessions that stay where they are."""
        columns = [
            protect_name(name)
            for name in self.list_columns()
            if name not in ("session", "query", "rank", "doc")
        ]
        results = [
            name for name in columns if restore_name(name) in (*RESULT_COLUMNS, *self.actions)
        ]
        queries = [name for name in columns if name not in results]
        return LazySessions(
            as_narwhals(rows), engine, self.header.name, queries, results, notes, folder=folder
        )


def _rank_by_rows(results: pl.DataFrame) -> pl.DataFrame:
    """Results that rank as their rows stand; a document that stands twice has no rank."""
    is_new = pl.col("doc").is_not_null() & pl.struct("session", "query", "doc").is_first_distinct()
    place = pl.int_range(1, pl.len() + 1).over("session", "query")
    return results.with_columns(rank=pl.when(is_new).then(place))


def find_lazy_sessions(
    native: Any,
    engine: Engine,
    name: str,
    reading: ReadOptions = AS_USUAL,
) -> LazySessions | None:
    """Sessions from a frame of an engine, whether it has numbered queries or is a log of events.

    Args:
        native: the frame.
        engine: whose it is.
        name: what it is called in messages.
        reading: how columns are called, what a log means, and what is done with what is wrong.
    """
    columns, gap, asked = reading.columns, reading.gap, reading.asks_for_events
    check_bad(reading.policy)
    with report_engine_errors(engine, name):
        frame, own_names = open_columns(native, engine, columns, SESSION_ROLES, name)
        schema = {restore_name(own): kind for own, kind in frame.collect_schema().items()}
        texts = {column for column, kind in schema.items() if str(kind) == "String"}
        header = Header(
            [column for column in schema if str(schema[column]) != "Unknown"], name, own_names
        )
        if not asked and _is_numbered(header, texts):
            return as_lazy_sessions(native, engine, name, columns)
        kept = [column for column in header.columns if has_order(schema[column])]
        reader = LogReader(
            header=Header(kept, name, own_names),
            kinds={},
            engine_name=engine.name,
            ordered=engine.ordered,
            key=_choose_key(header, gap),
            gap=gap,
            words=reading.events,
            facts=LogFacts(),
        )
        read = _read_in_spark if engine is SPARK else _read_by_disk
        report_work("events", 0.0)
        sessions = read(
            frame.select(*map(protect_name, kept)).to_native(),
            engine,
            reader,
            reading.policy,
            asked=asked,
        )
        return as_lazy_sessions(native, engine, name, columns) if sessions is None else sessions


def _is_numbered(header: Header, texts: set[str]) -> bool:
    """Is it plain, before any row is read, that queries are numbered within sessions?"""
    position, session = header.find_column(POSITION), header.find_column(LOG_COLUMNS["session"])
    events = {header.find_column((alias,)) for alias in LOG_COLUMNS["event"]}
    return (
        session is not None
        and position is not None
        and position not in texts
        and not events & texts
    )


def _choose_key(header: Header, gap: timedelta | None) -> str:
    """The column by which rows are brought together: users, where sessions are made of them."""
    session, user = (header.find_column(LOG_COLUMNS[role]) for role in ("session", "user"))
    first = user if gap is not None and user is not None else session
    return first or user or header.require_column(LOG_COLUMNS["session"], "session or user")


class _TemporaryFolder:
    """A folder that goes with the last who asks for it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="gainful-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _read_by_disk(
    native: Any, engine: Engine, reader: LogReader, bad: BadPolicy, *, asked: bool
) -> LazySessions | None:
    """Sessions by way of a temporary folder, which goes with them; None if queries are numbered."""
    folder = _TemporaryFolder()
    path = folder.path
    spilled, facts, kinds = Spill(reader.header.name, reader.key), LogFacts(), {}
    for batch in engine.stream(native.with_row_index("gainful_row") if engine.ordered else native):
        rows = batch.rename(restore_name)
        kinds = dict(rows.schema)
        if len(rows):
            facts.add(find_facts(rows.drop(_ROW, strict=False), reader.header))
            spilled.add(rows.with_columns(pl.col(reader.key).hash(1).alias(KEY)))
    spilled.finish()
    if not facts.rows:
        raise BadInput(reader.header.name, "there is not one session in it")
    if not asked and not is_event_log(reader.header, facts):
        return None
    reader, report = evolve(reader, facts=facts, kinds=kinds), LogReport()
    for number, part in enumerate(choose_parts(spilled.counts, _MAX_ROWS)):
        rows = spilled.read(part)
        order = [_ROW] if engine.ordered else _list_order(reader.header)
        reader.read_part(rows.sort(order), report).rename(protect_name).write_ipc(
            path / f"sessions{number}"
        )
        report_work("events", float(spilled.counts[: part.stop].sum() / facts.rows))
    notes = reader.tell(report, bad)
    sessions = pl.scan_ipc(path / "sessions*")
    return reader.make_sessions(sessions, evolve(POLARS, name=engine.name), notes, folder)


def _list_order(header: Header) -> list[str]:
    columns = (header.find_column(LOG_COLUMNS[role]) for role in ("time", "rank"))
    return [column for column in columns if column is not None]


def _read_in_spark(
    native: Any, engine: Engine, reader: LogReader, bad: BadPolicy, *, asked: bool
) -> LazySessions | None:
    """Sessions made on the workers; only facts and reports come to the driver."""
    from pyspark.sql.functions import col, lit, pmod, xxhash64  # noqa: PLC0415

    facts = LogFacts()
    for row in native.mapInArrow(_make_fact_finder(reader), "facts binary").collect():
        facts.add(pickle.loads(row["facts"]))  # noqa: S301  (our own)
    if not facts.rows:
        raise BadInput(reader.header.name, "there is not one session in it")
    if not asked and not is_event_log(reader.header, facts):
        return None
    kinds = dict(engine.collect(native.limit(0)).rename(restore_name).schema)
    reader = evolve(reader, facts=facts, kinds=kinds)
    own = {field.name: field.dataType.simpleString() for field in native.schema.fields}
    names = {pl.String: "string", pl.Int64: "bigint", pl.Float64: "double", pl.Boolean: "boolean"}
    schema = ", ".join(
        f"`{protect_name(name)}` {names.get(type(kind)) or own[protect_name(name)]}"
        for name, kind in reader.list_columns().items()
    )
    parts = int(native.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    part = pmod(xxhash64(protect_name(reader.key)), lit(parts))  # a session is never cut in two
    table = native.groupBy(part).applyInArrow(_make_worker(reader), f"{schema}, {_REPORT} binary")
    report = LogReport()
    for row in table.filter(col(_REPORT).isNotNull()).select(_REPORT).collect():
        report.add(pickle.loads(row[_REPORT]))  # noqa: S301  (our own)
    rows = table.filter(col(_REPORT).isNull()).drop(_REPORT)
    return reader.make_sessions(rows, engine, reader.tell(report, bad), None)


def _make_fact_finder(reader: LogReader) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def find(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415  (Spark's)

        for batch in batches:
            facts = find_facts(_as_rows(batch), reader.header)
            yield pa.RecordBatch.from_pydict({"facts": [pickle.dumps(facts)]})

    return find


def _make_worker(reader: LogReader) -> Callable[[Any], Any]:
    def read(table: Any) -> Any:
        from gainful.read.engines import as_spark_arrow  # noqa: PLC0415

        report, rows = LogReport(), _as_rows(table)
        order = _list_order(reader.header)
        results = reader.read_part(rows.sort(order) if order else rows, report).rename(protect_name)
        report_row = pl.DataFrame({_REPORT: [pickle.dumps(report)]})
        return as_spark_arrow(pl.concat([results, report_row], how="diagonal"))

    return read


def _as_rows(arrow: Any) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(arrow)).rename(restore_name)
