"""Events of searches → `Sessions`: sessions, queries, and the actions on each result.

Sessions are those of the log, or a user's events without a pause longer than the gap. Queries are
separated by their ids, or else where the text changes or a list begins again. An action belongs to
the last list before it that showed the document.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

import numpy as np
import polars as pl
from attrs import define, evolve, field
from numpy.typing import NDArray

from gainful.errors import BadInput
from gainful.read.event_times import format_duration
from gainful.read.session_events import (
    ASKED,
    DWELL,
    FIRST,
    LENGTH,
    SHOWN,
    SessionEvents,
    describe_overlaps,
    find_event_problems,
    find_spans,
)
from gainful.read.session_layout import (
    BadPolicy,
    Problem,
    Tally,
    drop_repeated_docs,
    find_layout,
    flag_problem,
    flag_rows,
    has_repeats,
    list_problems,
    mark_changes,
    note_shown_twice,
    tally_problems,
    tell_left_out,
)
from gainful.read.sessions import Sessions, check_sessions, tell_bad_sessions
from gainful.text import count_noun, quote

SHOWING = "rows of results that were shown"
GAP = timedelta(minutes=30)  # a pause after which most logs begin another session


_SUMS = (
    *("events", "kept", "opening", "repeats", "shown_twice", "untold", "unclicked"),
    *("sound", "dropped"),
)


@define(eq=False)
class ReadReport:
    """What is to be said of sessions when all parts of them, or of their log, have been read."""

    events: int = 0
    kept: int = 0  # events that could be placed
    opening: int = 0  # of these, such that show results or ask a query
    left_out: list[Tally] = field(factory=list)
    lost: list[Tally] = field(factory=list)  # what was done to results that were never shown
    ties: list[Tally] = field(factory=list)  # where rows have no order
    repeats: int = 0
    shown_twice: int = 0  # results whose document stands further up in their list
    untold: int = 0  # events without a query
    unclicked: int = 0  # results
    holes: bool = False  # are there ranks without a result?
    in_row_order: bool = False  # do ranks and lists follow from the order of rows alone?
    spans: pl.DataFrame | None = None  # of sessions of users, which may overlap
    notes: list[str] = field(factory=list)  # what was taken for what
    sound: int = 0  # sessions
    dropped: int = 0  # sessions that were left out
    # Of the mistakes in sessions, the first: its order, and words.
    first: tuple[tuple[str, int], BadInput] | None = None

    def add(self, other: ReadReport) -> None:
        """Take what is known of another part."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.holes |= other.holes
        self.in_row_order |= other.in_row_order
        for name in ("left_out", "lost", "ties"):
            mine, theirs = getattr(self, name), getattr(other, name)
            for tally, more in zip(mine, theirs, strict=False):
                tally.add(more)
            mine += theirs[len(mine) :]
        frames = [spans for spans in (self.spans, other.spans) if spans is not None]
        self.spans = pl.concat(frames) if frames else None
        # They differ in the forms of times that a part has: the longest tells of all of them.
        self.notes = max(self.notes, other.notes, key=lambda notes: sum(map(len, notes)))
        known = [first for first in (self.first, other.first) if first is not None]
        self.first = min(known, key=lambda mistake: mistake[0], default=None)

    def renumber(self, rows: pl.Series) -> None:
        """Take rows of a part for those of the whole log, by their numbers in it."""
        for tally in (*self.left_out, *self.lost, *self.ties):
            tally.examples = [(int(rows[at]), *rest) for at, *rest in tally.examples]  # type: ignore[misc]
        if self.spans is not None:
            self.spans = self.spans.with_columns(rows.gather(self.spans["row"]).alias("row"))

    def tell_sessions(self, bad: BadPolicy, name: str) -> list[str]:
        """What is to be said of sessions; an error, if one is wrong and not to be left out."""
        notes = [] if self.events else note_shown_twice(self.shown_twice)
        if self.first is None:
            return notes
        is_any_sound = self.sound > 0
        return [
            *notes,
            tell_bad_sessions(self.first[1], self.dropped, name, bad, is_any_sound=is_any_sound),
        ]

    def tell_events(
        self, bad: BadPolicy, name: str, owner_notes: Sequence[str], locate: Callable[[int], str]
    ) -> list[str]:
        """What is to be said of a log; an error, if something is wrong and not to be left out."""
        if not self.events:
            raise BadInput(name, "it has no rows", SHOWING)
        dropped = tell_left_out(self.left_out, bad)
        if not self.kept:
            raise BadInput(name, f"no event is left; {dropped[0]}", self.left_out[0].expected)
        ties = tell_left_out(self.ties, bad)
        if not self.opening and ties:
            raise BadInput(name, f"no event is left; {ties[0]}", self.ties[0].expected)
        if not self.opening:
            raise BadInput(name, "no event is left that shows a result", SHOWING)
        notes = [*self.notes, *owner_notes, *dropped]
        notes += [] if self.spans is None else describe_overlaps(self.spans, locate)
        notes += [_IN_ROW_ORDER] if self.in_row_order else []
        if self.repeats:
            repeats = count_noun(self.repeats, "event")
            notes.append(f"{repeats} logged twice to the same time counted once")
        notes += [*note_shown_twice(self.shown_twice), *ties, *tell_left_out(self.lost, bad)]
        if self.untold:
            notes.append(
                f"{count_noun(self.untold, 'event')} without a query counted in the latest list "
                "that showed its document"
            )
        if bad == "error" and self.holes and not self.unclicked:
            problem = "every row was clicked: results shown without a click are missing"
            raise BadInput(name, problem, SHOWING)
        return notes


def build_sessions(
    events: SessionEvents, *, bad: BadPolicy = "error", gap: timedelta | None = None
) -> Sessions:
    """Sessions from events in memory, in order and found to be sound."""
    report = ReadReport()
    owner, owner_notes = (
        choose_owner(events.tells, events.name, gap) if len(events.frame) else ("", [])
    )
    rows, problems = build_part(events, owner, gap, report) if owner else (events.frame, [])
    notes = report.tell_events(bad, events.name, owner_notes, events.locate)

    def locate(row: int) -> str:
        return events.locate(int(rows[ROW][row]))

    has_stays = (events.frame["event"] == DWELL).any()  # though all may have been left out
    sessions = check_sessions(
        select_columns(rows, {"seconds"} if has_stays else ()),
        events.name,
        locate,
        bad=bad,
        ranked=rows["rank"].null_count() < len(rows),
        notes=notes,
    )
    mistakes = [*list_problems(problems, events.locate), *sessions.problems]
    return evolve(sessions, problems=mistakes, judged_by=events.judged_by)


def build_part(
    events: SessionEvents, owner: str, gap: timedelta | None, report: ReadReport
) -> tuple[pl.DataFrame, list[Problem]]:
    """The results of some whole sessions with their actions; and what is wrong with events."""
    ordered = not events.unordered
    problems = [*events.problems, *find_event_problems(events, owner)]
    kept = ~flag_rows(problems, len(events.frame))
    frame = events.frame.with_row_index(ROW).filter(kept)
    part = ReadReport(len(events.frame), len(frame), notes=[*events.notes])
    part.left_out = tally_problems(problems, events.locate, ordered=ordered)
    if gap is not None or owner == "user":
        in_order = frame.sort(owner, "time", ROW)
        frame = in_order.with_columns(session=split_at_pauses(owner, gap or GAP))
    elif events.tells("user") and events.tells("time"):
        part.spans = find_spans(frame, ROW)
    opens = pl.col("event").is_in([SHOWN, ASKED])
    first_row = pl.col(ROW).min().over("session").alias(SESSION)
    ordered_events = frame.with_columns(first_row, (~opens).alias(ORDER)).sort(
        SESSION,
        "time",
        ORDER,  # at one time first what was shown, then what was done
        *(() if ordered else ("rank",)),
        ROW,
    )
    frame = ordered_events.with_columns(pl.int_range(pl.len()).alias(ORDER))
    frame, part.repeats = _drop_repeats(frame)
    if not ordered:
        ties = find_ties(frame.filter(opens), events)
        words = f"several of its lists have the same time, and rows in {events.unordered} have"
        expected = "times that differ, or a column of the query's position (query)"
        is_tied = frame["session"].is_in(ties.implode())
        problem = flag_problem(frame, is_tied, lambda _: f"{words} no order", expected)
        part.ties = tally_problems([problem], events.locate, ordered=False)
        frame = frame.filter(~is_tied)
    opening = frame.filter(opens)
    part.opening = len(opening)
    if frame.is_empty():
        report.add(part)
        return opening, problems
    opening = number_queries(opening, events)
    if events.docs is None:
        shown = find_layout(opening.filter(pl.col("doc").is_not_null()))
        if has_repeats(shown.doc_hashes, shown.query_starts):
            opening, part.shown_twice = drop_repeated_docs(opening, ORDER)
        untold = not any(events.tells(name) for name in ("rank", "position", "query_id"))
        several = opening.select("session", "query").is_duplicated()
        part.in_row_order = untold and bool(several.any())
    else:
        opening = spread_lists(opening, events.docs, events.grades)
    results, lost = _fold_actions(frame, opening, events, part)
    results = _keep_results(results)
    part.unclicked = len(results)
    if results.schema.get("clicked") == pl.Boolean:
        part.unclicked -= int(results["clicked"].sum())
    if not part.unclicked:  # else holes do not matter
        lists = results.group_by("session", "query").agg(pl.len(), pl.col("rank").max())
        part.holes = bool((lists["rank"] > lists["len"]).any())
    report.add(part)
    return results, [*problems, *lost]


def choose_owner(
    tells: Callable[[str], bool], name: str, gap: timedelta | None
) -> tuple[str, list[str]]:
    """The column that says whose events are, session or user, and what is to be said of it."""
    if not tells("session") and not tells("user"):
        expected = "one of them in every row; --columns user=NAME names another column (columns=)"
        raise BadInput(name, "no row has a session or a user", expected)
    if tells("session") and gap is None:
        return "session", []
    if not tells("time"):
        allowed = "a time in every row, to split users into sessions"
        raise BadInput(name, "there are users and a gap, but no times", allowed)
    owner = "user" if tells("user") else "session"
    minutes, seconds = divmod((gap or GAP).total_seconds(), 60)
    pause = format_duration(gap or GAP) if seconds else count_noun(int(minutes), "minute")
    ids = "; the session ids of the log are not used" if tells("session") else ""
    return owner, [f"sessions split at pauses over {pause}{ids}"]


_IN_ROW_ORDER = (
    "no positions: results rank in row order, and a list ends where the text changes or a document "
    "repeats"
)


def split_at_pauses(owner: str, gap: timedelta) -> pl.Expr:
    """The sessions of each owner, whose rows are in order of time: ann#1, ann#2, …."""
    pause = pl.col("time") - pl.col("time").shift(1)
    number = (pause > gap).fill_null(value=False).cum_sum().over(owner) + 1
    return pl.format("{}#{}", pl.col(owner), number)


def _drop_repeats(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    if frame["time"].null_count():
        return frame, 0
    same = ("session", "time", "event", "query_id", "position", "text", "rank", "doc")
    first = frame.select(pl.struct(same).is_first_distinct()).to_series()
    repeats = len(frame) - int(first.sum())
    return (frame.filter(first), repeats) if repeats else (frame, 0)


def _fold_actions(
    frame: pl.DataFrame, opening: pl.DataFrame, events: SessionEvents, part: ReadReport
) -> tuple[pl.DataFrame, list[Problem]]:
    """Results with their actions; and actions on results that were never shown."""
    actions = frame.filter(~pl.col("event").is_in([SHOWN, ASKED]))
    if not len(actions):
        return opening, []
    shown = opening.with_row_index(RESULT).filter(pl.col("doc").is_not_null())
    attached = attach_actions(actions, shown, events)
    lost = attached.filter(pl.col(RESULT).is_null()).sort(ROW)
    never = Problem(
        lost[ROW].to_numpy().astype(np.intp),
        lambda number: str(lost["session"][number]),
        lambda number: (
            f"the event {quote(lost['event'][number])} is of document "
            f"{quote(lost['doc'][number])}, which no earlier row shows"
        ),
        "an earlier row that shows it in the list of the query",
    )
    part.lost = tally_problems([never], events.locate, ordered=not events.unordered)
    attached = attached.filter(pl.col(RESULT).is_not_null())
    part.untold = len(attached) - int(attached["has_query"].sum())
    kinds = actions["event"].unique(maintain_order=True).to_list()
    return opening.with_columns(_merge_outcomes(attached, opening, kinds)), [never]


def _merge_outcomes(
    attached: pl.DataFrame, opening: pl.DataFrame, kinds: list[str]
) -> list[pl.Series]:
    """What a row says itself, and what later events say of it."""
    outcomes = []
    for kind in kinds:
        if kind == DWELL:
            continue
        done = np.zeros(len(opening), dtype=bool)
        done[attached.filter(pl.col("event") == kind)[RESULT].to_numpy()] = True
        flags = pl.Series(kind, done)
        if opening.schema.get(kind) == pl.Boolean:
            flags |= opening[kind].fill_null(value=False)
        outcomes.append(flags)
    timed = attached.filter(pl.col("seconds").is_not_null())
    if DWELL not in kinds and not len(timed) and "seconds" not in opening.columns:
        return outcomes
    number = timed[RESULT].to_numpy()
    stayed = np.zeros(len(opening))
    np.add.at(stayed, number, timed["seconds"].to_numpy())
    is_timed = np.bincount(number, minlength=len(opening)) > 0
    if "seconds" in opening.columns:
        stayed += opening["seconds"].fill_null(0.0).to_numpy()
        is_timed |= opening["seconds"].is_not_null().to_numpy()
    known = pl.select(pl.when(pl.Series(is_timed)).then(pl.Series(stayed)).alias("seconds"))
    return [*outcomes, known.to_series()]


def _keep_results(rows: pl.DataFrame) -> pl.DataFrame:
    """The results of each list; of one without any, a row without a document."""
    empty = rows["doc"].is_null().to_numpy()
    if not empty.any():
        return rows
    begins = mark_changes(rows["session"]) | mark_changes(rows["query"])
    number = np.cumsum(begins) - 1
    has_none = np.bincount(number, ~empty) == 0
    return rows.filter(~empty | (begins & has_none[number])).with_columns(
        rank=pl.when(pl.col("doc").is_not_null()).then(pl.col("rank"))
    )


def select_columns(rows: pl.DataFrame, known: Collection[str] = ()) -> pl.DataFrame:
    """The columns of sessions: those that are known, or that have values."""
    rows = rows.drop("position", "event", strict=False)
    rows = rows.rename({"user": "searcher"}, strict=False)
    own = {"session", "query", "rank", "doc"}
    rest = [
        name
        for name in rows.columns
        if name not in own
        and not name.startswith("\0")
        and (name in known or rows[name].null_count() < len(rows))
    ]
    flags = [name for name in ("clicked", "purchased") if name in rest]
    rows = rows.with_columns(pl.col(name).fill_null(value=False) for name in flags)
    return rows[["session", "query", "rank", "doc", *rest]]


# Columns of our own beside the user's: no text can have such a name.
ROW, ORDER, LIST, SESSION = "\0row", "\0order", "\0list", "\0session"
RESULT = "\0result"  # which of the rows that were shown something was done to


def find_ties(opening: pl.DataFrame, events: SessionEvents) -> pl.Series:
    """The sessions of which times do not tell the order of lists, where rows have none."""
    if events.tells("position") or not (events.tells("time") and events.tells("rank")):
        return opening["session"].clear()
    if events.tells("query_id"):
        firsts = opening.group_by("session", "query_id").agg(pl.col("time").min())
        return firsts.filter(pl.struct("session", "time").is_duplicated())["session"].unique()
    ranked = opening.filter(pl.col("rank").is_not_null())
    twice = ranked.filter(pl.struct("session", "time", "rank").is_duplicated())["session"]
    texts = opening.group_by("session", "time").agg(pl.col("text").n_unique().alias("texts"))
    return pl.concat([twice, texts.filter(pl.col("texts") > 1)["session"]]).unique()


def number_queries(opening: pl.DataFrame, events: SessionEvents) -> pl.DataFrame:
    """Rows that show results or ask a query, by session and query, with the number of each.

    A position that is given counts. Else queries are in the order in which they began: those of one
    id, or those of one text until another comes or the list begins anew.
    """
    if events.tells("position"):
        return opening.with_columns(query=pl.col("position")).sort(
            SESSION, "query", ORDER, maintain_order=True
        )
    if events.tells("query_id"):
        first = pl.col(ORDER).min().over("session", "query_id")
        opening = opening.with_columns(first.alias(LIST)).sort(SESSION, LIST, ORDER)
    else:
        place = "rank" if events.tells("rank") else "doc"
        opening = opening.with_columns(pl.Series(LIST, _split_lists(opening, place)))
    new_session = mark_changes(opening["session"])
    number = np.cumsum(new_session | mark_changes(opening[LIST]))
    query = number - number[new_session][np.cumsum(new_session) - 1] + 1
    return opening.with_columns(query=pl.Series(query, dtype=pl.Int64))


def _split_lists(opening: pl.DataFrame, place: str) -> NDArray[np.int64]:
    """A number for each list: another begins with another text, or where a rank comes again."""
    block = np.cumsum(mark_changes(opening["session"]) | mark_changes(opening["text"]))
    hashes = opening[place].hash(1).to_numpy().copy()
    hashes[(opening["event"] == ASKED).to_numpy()] = 0
    codes = np.unique(hashes, return_inverse=True)[1]
    again = _count_before(block * (int(codes.max(initial=0)) + 1) + codes)
    if not again.any():
        return np.asarray(block, dtype=np.int64)
    step = int(again.max()) + 1  # blocks stand one after the other: one running maximum for all
    latest = np.maximum.accumulate(block * step + again)
    return np.cumsum(np.diff(latest, prepend=-1) != 0)


def _count_before(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.argsort(keys, kind="stable")
    begins = np.diff(keys[order], prepend=-1) != 0
    starts = np.flatnonzero(begins)
    counts = np.empty(len(keys), dtype=np.int64)
    counts[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))
    return counts


def attach_actions(
    actions: pl.DataFrame, results: pl.DataFrame, events: SessionEvents
) -> pl.DataFrame:
    """The actions, each with the number of its result; null if none was shown.

    It is the last before it in its session with the same document, of the same query where the
    event says which; `has_query` is false where it does not.
    """
    key = "query_id" if events.tells("query_id") else "text"
    actions = actions.with_columns(has_query=pl.col(key).is_not_null())
    used = actions.select("session", "doc")
    shown = (
        results.select("session", key, "doc", ORDER, RESULT)
        .join(used, on=["session", "doc"], how="semi")
        .sort(ORDER)
    )
    by = {True: ["session", key, "doc"], False: ["session", "doc"]}
    parts = [
        actions.filter(pl.col("has_query") == has_query)
        .sort(ORDER)
        .join_asof(
            shown.select(*by[has_query], ORDER, RESULT),
            on=ORDER,
            by=by[has_query],
            check_sortedness=False,
        )
        for has_query in (True, False)
    ]
    return pl.concat(parts)


def spread_lists(
    lists: pl.DataFrame, docs: pl.Series, grades: pl.Series | None = None
) -> pl.DataFrame:
    """A row for each result of whole lists; one without a document for a list that is empty."""
    first, length = (lists[name].to_numpy() for name in (FIRST, LENGTH))
    row_counts = np.maximum(length, 1)
    number = np.repeat(np.arange(len(lists), dtype=np.uint32), row_counts)
    rank = np.arange(1, len(number) + 1) - np.repeat(np.cumsum(row_counts) - row_counts, row_counts)
    place = np.repeat(first, row_counts) + rank - 1
    shown = pl.Series(np.repeat(length > 0, row_counts))

    def gather(values: pl.Series, name: str) -> pl.Series:
        padded = values if length.all() else values.extend_constant(None, 1)  # for lists at the end
        chosen = pl.when(shown).then(padded.gather(place))
        return pl.select(chosen.alias(name)).to_series()

    rest = lists.drop("rank", "doc", FIRST, LENGTH, SESSION, LIST, strict=False)
    keys = ("query_id", "text")  # by which what was done is joined
    known = [
        name
        for name in rest.columns
        if name in keys or not len(rest) or rest[name].null_count() < len(rest)
    ]
    ranks = pl.select(pl.when(shown).then(pl.Series(rank)).alias("rank")).to_series()
    columns = [gather(docs, "doc"), ranks]
    columns += [] if grades is None else [gather(grades, "grade")]
    return rest[known][number].with_columns(columns)
