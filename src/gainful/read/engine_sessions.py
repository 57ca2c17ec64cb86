"""Sessions in lazy polars, DuckDB or Spark: some whole ones at a time, read as in memory.

The rows of a session, or of the user whose sessions they make, are brought together and go to the
functions that read tables: by way of the disk, or on Spark's workers.

A log has far more results than judgments. So rows that are fetched are those of documents that
somebody judged, that were clicked, or that the searcher graded; one without a document for a query
that has none of them; and the others are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from attrs import define, evolve, field, frozen

from gainful.errors import BadInput, GainfulError
from gainful.progress import report_work
from gainful.read.build_sessions import (
    ROW,
    ReadReport,
    build_part,
    choose_owner,
    select_columns,
)
from gainful.read.column_names import (
    DOC,
    LOG_COLUMNS,
    OPTIONAL_COLUMNS,
    POSITION,
    RANK,
    SESSION,
    SESSION_COLUMNS,
    SESSION_ROLES,
    protect_name,
    restore_name,
    strip_name,
)
from gainful.read.engines import (
    PICKLED,
    SPARK,
    Engine,
    as_narwhals,
    collect_pickled,
    map_in_spark,
    pickle_result,
    report_engine_errors,
)
from gainful.read.lazy import open_columns
from gainful.read.named_columns import Header, InputTable, split_topic
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.session_events import (
    ASKED,
    DWELL,
    SHOWN,
    LogFacts,
    add_facts,
    assign_log_columns,
    assign_others,
    describe_names,
    extract_events,
    find_behaviour,
    find_done,
    find_facts,
    find_known,
    is_event_log,
    name_event,
    read_event_words,
    require_columns,
)
from gainful.read.session_layout import Problem, first_error
from gainful.read.sessions import (
    LENGTH_COLUMNS,
    LIST_LENGTH,
    RESULT_COLUMNS,
    UNGROUPABLE_COLUMNS,
    SessionChoice,
    Sessions,
    check_rows,
    choose_position,
    count_actions,
    count_results,
    extract_session_rows,
    name_columns,
    tells_actions,
)
from gainful.read.spill import (
    KEY,
    Spill,
    choose_parts,
    name_owners,
    refuse_large_owners,
    take_rows,
)
from gainful.text import join_words, quote
from gainful.threads import map_ahead
from gainful.types import Ranks

_NUMBER, _NUMBER_THERE = "\0number", "gainful_number"  # of a row, where rows have an order
_MAX_ROWS = 500_000  # of a part
_ALWAYS = ("topic", "scanned", *RESULT_COLUMNS)  # which measures may ask for
_TEXTS = (nw.String, nw.Categorical, nw.Enum)
_OTHERS = (*_TEXTS, nw.Boolean, nw.Date, nw.Datetime)  # that sessions can tell beside numbers
Value = TypeVar("Value")


@frozen(eq=False, kw_only=True)
class PartReader:
    """How the rows of some whole owners become sessions."""

    header: Header
    engine_name: str
    ordered: bool
    owners: Sequence[str]  # columns by which rows are brought together: the first that is told
    reading: ReadOptions
    first_row: int = 0  # its number, in messages
    facts: LogFacts = field(factory=LogFacts)
    owner: str = ""  # of a log: the column that says whose events are, session or user
    owner_notes: Sequence[str] = ()
    columns: Mapping[str, str] = field(factory=dict)  # what sessions tell besides, by its column
    actions: Sequence[str] = ()  # what searchers did, as rows of its own

    def read(self, rows: pl.DataFrame) -> tuple[Sessions | None, ReadReport]:
        """The sound sessions of these rows, if there are any, and what is to be said of them."""
        refuse_large_owners([rows], self.owners, len(rows), self.header.name)
        rows = rows.sort(self._order)
        numbers = rows[_NUMBER] if self.ordered else None
        table = InputTable(
            rows.drop(_NUMBER, KEY, strict=False),
            self.header.name,
            self._locate_in(rows, numbers),
            padded=False,
            own_names=self.header.own_names,
        )
        report = ReadReport()
        problems: list[Problem] = []
        if self.owner:
            events = extract_events(table, self.reading.events, self.facts)
            events = evolve(events, unordered="" if self.ordered else self.engine_name)
            results, _ = build_part(events, self.owner, self.reading.gap, report)
            if numbers is not None:
                report.renumber(numbers)
            if not len(results):
                return None, report
            own_rows, ranked = results[ROW], events.tells("rank")
            frame = select_columns(results, {*self.columns})
            others = {*self.columns}.intersection(self.actions).difference(frame.columns)
            frame = frame.with_columns(pl.lit(value=False).alias(name) for name in sorted(others))
        else:
            position = choose_position(self.header, self.facts.holds_texts)
            frame, problems, ranked = extract_session_rows(table, position)
            own_rows = pl.int_range(len(frame), eager=True)
        checked = check_rows(
            frame, ranked=ranked, first_counts=tells_actions(frame), reader_problems=problems
        )
        sessions = Sessions(checked.frame, self.header.name, known_layout=checked.layout)
        report.sound = len(checked.layout.session_starts)
        report.shown_twice += checked.shown_twice
        if checked.problems:
            report.dropped = len(checked.bad_sessions)
            names = None if self.ordered else frame["session"]
            row, mistake = first_error(
                checked.problems, lambda row: table.locate(int(own_rows[row])), names
            )
            whole_row = own_rows[row] if numbers is None else numbers[int(own_rows[row])]
            session = "" if self.ordered else (frame["session"][row] or "")
            report.first = (session, int(whole_row)), mistake
            if self.reading.policy == "error":
                return None, report
        return (sessions if report.sound else None), report

    @property
    def _order(self) -> list[pl.Expr]:
        """By which columns rows are sorted, so that it does not matter how they came."""
        if self.ordered:
            return [pl.col(_NUMBER)]
        find = self.header.find_column
        position = None if self.owner else choose_position(self.header, self.facts.holds_texts)
        of_log = [find(LOG_COLUMNS[role].names) for role in ("time", "rank")]
        numbers = of_log if self.owner else [position, find(RANK), find(DOC)]
        session = [] if self.owner else [name_owners(self.owners)]  # as its name is compared
        return [*session, *(pl.col(column) for column in numbers if column is not None)]

    def _locate_in(self, rows: pl.DataFrame, numbers: pl.Series | None) -> Callable[[int], str]:
        """The place of a row, for messages; where rows have no order, at most its user."""
        name = self.header.name
        if numbers is not None:
            return lambda row: f"{name}, row {numbers[row]}"
        column = self.header.find_column(LOG_COLUMNS["user"].names)
        if self.owner != "user" or column is None:
            return lambda _: name
        users = rows[column]
        return lambda row: f"{name}, user {quote(users[row])}" if users[row] is not None else name


@define(eq=False)
class EngineSessions:
    """Sessions whose rows stay in the engine of their owner."""

    engine: Engine
    frame: nw.LazyFrame[Any]  # all its columns by protected names
    reader: PartReader
    notes: Sequence[str] = ()  # what one should know; of a log, when it has been read
    dropped_count: int = 0  # sessions that were left out
    spill: Spill | None = None  # their rows, once they have been read

    @property
    def name(self) -> str:
        """What they are called in messages."""
        return self.reader.header.name

    def map_parts(self, compute: Callable[[Sessions], Value]) -> Iterator[Value]:
        """The result of each part, here or on the workers; then mistakes are raised.

        A mistake in the computation is raised only if nothing is wrong with the rows.
        """
        report, failure = ReadReport(), None
        visit = self._visit_workers if self.engine is SPARK else self._visit_disk
        for value, of_part, mistake in visit(compute):
            if of_part is None and mistake is not None:
                raise mistake
            report.add(of_part)
            failure = min(filter(None, (failure, mistake)), key=str, default=None)
            if value is not None and failure is None:
                yield value
        reader, notes = self.reader, [*self.notes]
        name, bad = self.name, reader.reading.policy
        if reader.owner:
            place = (lambda row: f"{name}, row {row}") if reader.ordered else lambda _: name
            notes += report.tell_events(bad, name, reader.owner_notes, place)
        self.notes = [*dict.fromkeys((*notes, *report.tell_sessions(bad, name)))]
        self.dropped_count = report.dropped
        if failure is not None:
            raise failure

    def _visit_disk(self, compute: Callable[[Sessions], Any]) -> Iterator[Any]:
        if self.spill is None:
            self.reader, self.spill = spill_rows(self.frame.to_native(), self.engine, self.reader)
        counts = self.spill.counts
        if not counts.sum():
            raise BadInput(self.name, "it has no sessions")
        parts = [*choose_parts(counts, _MAX_ROWS)]
        work = partial(compute_part, reader=self.reader, compute=compute)
        for part, outcome in zip(parts, map_ahead(work, map(self.spill.read, parts)), strict=True):
            yield outcome
            report_work("sessions", float(counts[: part.stop].sum() / counts.sum()))

    def _visit_workers(self, compute: Callable[[Sessions], Any]) -> Iterator[Any]:
        reader = self.reader

        def work(rows: pl.DataFrame) -> pl.DataFrame:
            return pickle_result(lambda: compute_part(rows, reader, compute))

        with report_engine_errors(self.engine, self.name):
            parts = collect_pickled(self.work_in_spark(work, PICKLED))
        yield from parts

    def work_in_spark(
        self, work: Callable[[pl.DataFrame], pl.DataFrame | None], schema: str
    ) -> Any:
        """A Spark frame of what is made of the rows of some whole owners at a time.

        Spark decides how many they are: rows are cut by the hash of their owner, and adaptive
        execution joins parts that are small. Rows of one frame need no `applyInArrow`, by which
        runs are matched with judgments: that sorts the rows of every group first, and has as many
        groups as we say. Nor could a run do without: judged queries that it lacks are in no part
        of its rows, so that both frames have to be brought together (`cogroup`).
        """
        from pyspark.sql.functions import coalesce, col, lit, when  # noqa: PLC0415

        native: Any = self.frame.to_native()
        names = [col(protect_name(owner)).cast("string") for owner in self.reader.owners]
        known = [when(name != "", name) for name in names]
        parts = native.repartition(coalesce(*known, lit("")))

        def work_on(batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
            rows = [*batches]
            return work(pl.concat(rows, rechunk=True)) if rows else None

        return map_in_spark(parts, work_on, schema)


def compute_part(
    rows: pl.DataFrame, reader: PartReader, compute: Callable[[Sessions], Value]
) -> tuple[Value | None, ReadReport | None, GainfulError | None]:
    """What is computed of the sessions of these rows, what is to be said of them, and a mistake.

    There is no report if the rows cannot be read at all.
    """
    report = None
    try:
        sessions, report = reader.read(rows)
        return (None if sessions is None else compute(sessions)), report, None
    except GainfulError as mistake:
        return None, report, mistake


def open_sessions(
    native: Any,
    engine: Engine,
    name: str,
    reading: ReadOptions = AS_USUAL,
    needed: Collection[str] | None = None,
    *,
    first_row: int = 0,
) -> EngineSessions:
    """Sessions of a frame of an engine, whether it has numbered queries or is a log of events."""
    asked = reading.asks_for_events
    with report_engine_errors(engine, name):
        columns, topic = split_topic(reading.columns, as_narwhals(native).collect_schema().names())
        frame, own_names = open_columns(native, engine, columns, SESSION_ROLES, name)
        if topic is not None:
            called = {own: new for new, own in own_names.items()}.get(topic, topic)
            frame = frame.with_columns(nw.col(protect_name(called)).alias("topic"))
        schema = {restore_name(own): kind for own, kind in frame.collect_schema().items()}
        for known in (*LOG_COLUMNS.values(), *OPTIONAL_COLUMNS.values()):
            column = Header([*schema], name).find_column(known.names)
            if column is not None and schema[column] == nw.Unknown:  # of nulls alone
                as_text = nw.col(protect_name(column)).cast(nw.String)
                frame, schema[column] = frame.with_columns(as_text), nw.String()
        kept = [each for each, kind in schema.items() if kind.is_numeric() or kind in _OTHERS]
        header = Header(kept, name, own_names)
        texts = {column for column in kept if schema[column] in _TEXTS}
        is_numbered = not asked and _is_numbered(header, texts)
        flags = [column for column in kept if schema[column] == nw.Boolean]  # which may gain
        wanted = None if needed is None else {*needed, *flags}
        needed_columns = _choose_columns(header, wanted, is_log=not is_numbered)
        own = {column: nw.col(protect_name(column)) for column in needed_columns}
        selected = [
            column.cast(nw.String) if name in texts and schema[name] != nw.String else column
            for name, column in own.items()
        ]
        reader = PartReader(
            header=Header(needed_columns, name, own_names),
            engine_name=engine.name,
            ordered=engine.ordered,
            owners=_choose_owners(header, reading.gap, is_log=not is_numbered),
            reading=reading,
            first_row=first_row,
        )
        sessions = EngineSessions(engine, frame.select(*selected), reader)
        if is_numbered:
            return _number_sessions(sessions, header, header.find_column(POSITION))
        report_work("events", 0.0)
        rows = sessions.frame.to_native()
        if engine is SPARK:
            facts = _find_spark_facts(rows, reader)
        else:
            reader, sessions.spill = spill_rows(rows, engine, reader)
            facts = reader.facts
        sessions.reader = reader = evolve(reader, facts=facts)
    if not facts.rows:
        raise BadInput(name, "it has no sessions")
    if asked or is_event_log(reader.header, facts):
        reader = _assign_roles(reader)
        others = {column: column for column in kept if column not in needed_columns}
        sessions.reader = evolve(reader, columns={**others, **reader.columns})
        return sessions
    return _number_sessions(sessions, header, choose_position(header, facts.holds_texts))


def _number_sessions(
    sessions: EngineSessions, header: Header, position: str | None
) -> EngineSessions:
    """Sessions of numbered queries, and what they tell besides."""
    reader = sessions.reader
    taken = name_columns(header, position)
    for role in ("session", "query", "doc"):
        header.require(SESSION_COLUMNS[role])
    if "rank" not in taken and not reader.ordered:
        allowed = f"a column rank: rows in {reader.engine_name} have no order"
        raise BadInput(header.name, "there is no column for the rank", allowed)
    columns = {role: column for role, column in taken.items() if role in OPTIONAL_COLUMNS}
    usual = {"session", "query", "rank", "doc", *taken}
    free = (name for name in header.columns if name not in (*taken.values(), *usual))
    sessions.reader = evolve(reader, columns=columns | {name: name for name in free})
    note = describe_names(header, taken)
    sessions.notes = [note] if note else []
    return sessions


def _assign_roles(reader: PartReader) -> PartReader:
    """How a log is read, by all that is known of it."""
    header, facts = reader.header, reader.facts
    words = read_event_words(reader.reading.events)
    taken = assign_log_columns(header, facts, words)
    known = find_known(facts, taken, words)
    kinds = {name_event(kind, words) for kind in facts.words.get(taken.get("event", ""), ())}
    actions = sorted(kinds - {SHOWN, ASKED})
    if not reader.ordered:
        _refuse_without_order(reader, known, has_actions=bool(actions))
    gap = reader.reading.gap
    owner, notes = choose_owner(lambda role: known.get(role, False), header.name, gap)
    columns = {name: "" for name in actions if name != DWELL}
    columns |= {"clicked": ""} if "event" in taken else {}
    has_stay = DWELL in actions or "milliseconds" in taken
    columns |= {"seconds": ""} if has_stay else {}
    for role in ("user", "text", "clicked", "purchased", "seconds"):
        if known.get(role):
            columns["searcher" if role == "user" else role] = taken[role]
    others = assign_others(header, dict(taken))
    columns |= {name: column for name, (column, _) in others.items() if facts.given[column]}
    return evolve(
        reader, owner=owner, owner_notes=notes, columns=columns, actions=["clicked", *actions]
    )


def _refuse_without_order(
    reader: PartReader, known: Mapping[str, bool], *, has_actions: bool
) -> None:
    """Refuse what only the order of rows could tell, where they have none."""
    unordered = f"rows in {reader.engine_name} have no order"
    if not known.get("rank"):
        problem, allowed = "there is no column for the rank", f"a column rank: {unordered}"
        raise BadInput(reader.header.name, problem, allowed)
    if not known.get("time") and (has_actions or not known.get("position")):
        allowed = f"a column of times: {unordered}"
        raise BadInput(reader.header.name, "there is no time", allowed)


def _is_numbered(header: Header, texts: Collection[str]) -> bool:
    position, session = map(header.find_column, (POSITION, LOG_COLUMNS["session"].names))
    events = {header.find_column((alias,)) for alias in LOG_COLUMNS["event"].names}
    has_ids = session is not None and position is not None
    return has_ids and position not in texts and events.isdisjoint(texts)


def _choose_columns(header: Header, needed: Collection[str] | None, *, is_log: bool) -> list[str]:
    if needed is None:
        return [*header.columns]
    wanted = [each for role, each in OPTIONAL_COLUMNS.items() if role in (*needed, *_ALWAYS)]
    wanted += LOG_COLUMNS.values() if is_log else ()
    aliases = [*SESSION, *POSITION, *RANK, *DOC]
    aliases += [alias for each in wanted for alias in each.names]
    known = {strip_name(alias) for alias in aliases}
    return [
        column
        for column in header.columns
        if strip_name(column) in known or column in needed or f"{column}_column" in needed
    ]


def _choose_owners(header: Header, gap: timedelta | None, *, is_log: bool) -> list[str]:
    roles = ("user", "session") if gap is not None else ("session", "user")
    columns = [
        header.find_column(LOG_COLUMNS[role].names) for role in (roles if is_log else roles[:1])
    ]
    owners = [column for column in columns if column is not None]
    if not owners:
        require_columns(header, {"position", "doc"})  # which says what is missing
    return owners


def spill_rows(native: Any, engine: Engine, reader: PartReader) -> tuple[PartReader, Spill]:
    """The rows of a frame by their owners, and how they are read, with the facts of all of them."""
    spill, facts = Spill(reader.header.name, reader.owners), LogFacts()

    def take(batch: pl.DataFrame) -> None:
        rows = batch.rename(restore_name)
        facts.add(find_facts(rows.drop(_NUMBER, strict=False), reader.header))
        spill.add(rows.with_columns(name_owners(reader.owners).hash(1).alias(KEY)))

    first_row = reader.first_row
    numbered = native.with_row_index(_NUMBER_THERE, first_row) if engine.ordered else native
    take_rows(engine, reader.header.name, numbered, take)
    spill.finish()
    return evolve(reader, facts=facts), spill


def _find_spark_facts(native: Any, reader: PartReader) -> LogFacts:
    header = reader.header

    def find(batches: Iterator[pl.DataFrame]) -> pl.DataFrame:
        return pickle_result(lambda: add_facts(find_facts(rows, header) for rows in batches))

    return add_facts(collect_pickled(map_in_spark(native, find, PICKLED)))


Behaviour = Mapping[str, float | None]  # what was done → of dwell, for so many seconds at least
_KEY = ("session", "query", "rank", "doc")
_ORDER = "\0order"
_FILLED = ("topic", *UNGROUPABLE_COLUMNS)  # rows of a query that say nothing do not differ in them


def fetch_sessions(
    sessions: EngineSessions,
    judged_docs: pl.Series | None,
    behaviour: Behaviour,
    choice: SessionChoice,
) -> Sessions:
    """Sessions here, of which only the results that matter are rows; all are counted.

    They have the values that are chosen; how many of their queries count is still to be seen.
    """
    if judged_docs is None and "topic" in sessions.reader.columns:  # what others say of a topic
        find = partial(find_wanted_docs, behaviour=behaviour, choice=choice)
        judged_docs = pl.concat(sessions.map_parts(find)).unique()
    fetch = partial(
        fetch_part,
        judged_docs=judged_docs,
        behaviour=behaviour,
        choice=choice,
        result_columns=(*RESULT_COLUMNS, *LENGTH_COLUMNS, *sessions.reader.actions),
    )
    frames: list[pl.DataFrame] = []
    varying: dict[str, str] = {}
    action_counts: Counter[str] = Counter()
    for frame, of_part, counts in sessions.map_parts(fetch):
        frames.append(frame)
        varying |= {name: min(own, varying.get(name, own)) for name, own in of_part.items()}
        action_counts.update(counts)
    frame = pl.concat(frames, how="diagonal")
    flags = dict.fromkeys(("clicked", "purchased", *sessions.reader.actions))
    frame = frame[[name for name in frame.columns if name not in varying]].with_columns(
        frame[name].fill_null(value=False) for name in flags if frame.schema.get(name) == pl.Boolean
    )
    notes = [
        *sessions.notes,
        f"its rows stay in {sessions.engine.name}: only judged or clicked results were fetched",
    ]
    if varying:
        names = join_words(list(map(quote, sorted(varying))))
        notes.append(f"not kept, as results of one query differ: {names}")
    ordered = frame.sort("session", maintain_order=True)
    return Sessions(
        ordered,
        sessions.name,
        notes=notes,
        dropped_count=sessions.dropped_count,
        not_fetched=varying,
        action_counts=action_counts,
    )


def find_wanted_docs(sessions: Sessions, behaviour: Behaviour, choice: SessionChoice) -> pl.Series:
    """The documents that searchers judged, or did something to."""
    chosen = SessionChoice(choice.where).choose(sessions)
    return chosen.frame["doc"].filter(_find_wanted(chosen, behaviour)).unique()


def fetch_part(
    sessions: Sessions,
    judged_docs: pl.Series | None,
    behaviour: Behaviour,
    choice: SessionChoice,
    result_columns: Sequence[str],
) -> tuple[pl.DataFrame, dict[str, str], dict[str, int]]:
    """Of some whole sessions the results that matter, or a row without one for a query.

    Beside it, columns that are not kept, for results of one query differ in them, each with such a
    session; and how many results there are of each action.
    """
    action_counts = count_actions(choice.choose(sessions).frame)
    sessions = SessionChoice(choice.where).choose(sessions)
    frame, layout = sessions.frame, sessions.layout
    if not len(frame):
        return frame, {}, {}
    wanted = _find_wanted(sessions, behaviour)
    if judged_docs is None:  # also where the session has these documents and nobody did
        docs = frame.select("session", "doc")
        shown = docs.filter(wanted).unique().with_columns(pl.lit(value=True).alias(_ORDER))
        joined = docs.join(shown, on=["session", "doc"], how="left", maintain_order="left")
        wanted = joined[_ORDER].fill_null(value=False)
    else:
        wanted |= frame["doc"].is_in(judged_docs.implode()).fill_null(value=False)
    own = {"rank", "doc", *result_columns}
    own.update(find_behaviour(name, frame.columns) or name for name in behaviour)
    number = np.repeat(np.arange(len(layout.query_starts)), layout.query_lengths)
    of_queries = [name for name in frame.columns if name not in own]
    values, varying = _find_query_values(frame[of_queries], number)
    values = values.with_columns(pl.Series(LIST_LENGTH, count_results(frame, layout)))
    is_wanted = wanted.to_numpy()
    kept = is_wanted.copy()
    kept[layout.query_starts[np.bincount(number, is_wanted) == 0]] = True
    of_results = frame[[name for name in frame.columns if name in own]].filter(kept)
    fits = pl.Series(is_wanted[kept])
    both = values[number[kept]].with_columns(pl.when(fits).then(each) for each in of_results)
    rows = both[[*_KEY, *(name for name in both.columns if name not in _KEY)]]
    starts = frame["session"].gather(layout.query_starts)
    examples = {name: str(starts.filter(own).min()) for name, own in varying.items()}
    return rows, examples, action_counts


def _find_wanted(sessions: Sessions, behaviour: Behaviour) -> pl.Series:
    """The results that were clicked or graded, or that something else was done to."""
    frame = sessions.frame
    wanted = pl.Series([False]).new_from_index(0, len(frame))
    if "clicked" in frame.columns:
        wanted |= frame["clicked"].alias("")
    if "grade" in frame.columns:
        wanted |= frame["grade"].is_not_null().alias("")
    for name, seconds in behaviour.items():
        done = find_done(sessions, name, seconds)
        wanted = wanted if done is None else wanted | done
    return wanted.fill_null(value=False) & frame["doc"].is_not_null()


def _find_query_values(
    frame: pl.DataFrame, number: Ranks
) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """The attributes of each query; and the columns in which results of these queries differ."""
    is_first = np.diff(number, prepend=-1) > 0
    changed = pl.all().ne_missing(pl.all().shift()) & ~pl.lit(pl.Series(is_first))
    flags = frame.select(changed.any()).row(0, named=True)
    changing = [name for name in frame.columns if flags[name]]
    numbered = frame.with_columns(pl.Series(_ORDER, number))[[_ORDER, *changing]]
    ends = numbered.group_by(_ORDER, maintain_order=True)
    low, high, given = ends.min(), ends.max(), ends.agg(pl.all().count())
    sizes = ends.len()["len"]
    differ = {name: low[name].alias("").ne_missing(high[name].alias("")) for name in changing}
    for name in differ.keys() - {*_FILLED}:
        differ[name] |= given[name].alias("").is_between(1, sizes - 1)
    varying = {name: queries for name, queries in differ.items() if queries.any()}
    values = frame.filter(is_first).with_columns(low[name] for name in changing)
    return values[[name for name in frame.columns if name not in varying]], varying
