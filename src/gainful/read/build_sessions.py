"""Events of searches → `Sessions`: whose session, which query, what was done to which result.

Sessions are those of the log, or a user's events without a pause longer than the gap. Queries are
told apart by their ids, or else begin where the text changes or a list begins anew. What was done
belongs to the last list before it that showed the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadInput
from gainful.read.durations import format_duration
from gainful.read.event_lists import (
    RESULT,
    ROW,
    attach_actions,
    number_queries,
    order_events,
    spread_lists,
)
from gainful.read.event_problems import describe_overlaps, find_event_problems, leave_out_events
from gainful.read.session_events import ASKED, DWELL, EVENT_COLUMNS, SHOWN, SessionEvents
from gainful.read.session_layout import mark_changes
from gainful.read.session_problems import Problem
from gainful.read.sessions import BadPolicy, Sessions, check_sessions
from gainful.text import count_noun, quote

SHOWING = "rows of results that were shown"
GAP = timedelta(minutes=30)  # a pause after which most logs begin another session


def build_sessions(
    events: SessionEvents, *, bad: BadPolicy = "error", gap: timedelta | None = None
) -> Sessions:
    """Sessions from events, in order and found to be sound.

    Args:
        events: what happened.
        bad: refuse events and sessions that are not as they should be, or leave them out, count
            them and say so.
        gap: a new session begins after a pause of more than this; without one, where events name
            no session, after 30 minutes.
    """
    if not len(events.frame):
        raise BadInput(events.name, "there is not one row in it", SHOWING)
    owner, notes = choose_owner(_list_known(events.frame), events.name, gap)
    problems = [*events.problems, *find_event_problems(events.frame, owner, events.problems)]
    dropped, dropped_notes, descriptions = leave_out_events(problems, events.locate, bad)
    kept = np.ones(len(events.frame), dtype=bool)
    kept[dropped] = False
    frame = events.frame.with_row_index(ROW).filter(pl.Series(kept))
    if not len(frame) and dropped_notes:
        raise BadInput(events.name, f"not one event is left; {dropped_notes[0]}", SHOWING)
    notes = [*events.notes, *notes, *dropped_notes]
    if gap is not None or owner == "user":
        frame = _split_at_gaps(frame, owner, gap or GAP)
    else:
        notes += describe_overlaps(frame, ROW, events.locate)
    frame = order_events(frame, pl.col("event").is_in([SHOWN, ASKED]))
    frame, repeat_notes = _drop_repeats(frame)
    opening = frame.filter(pl.col("event").is_in([SHOWN, ASKED]))
    if not len(opening):
        raise BadInput(events.name, "not one event is left that shows a result", SHOWING)
    opening = number_queries(opening)
    if events.docs is None:
        notes += _describe_order(opening)
    else:
        opening = spread_lists(opening, events.docs)
    results, action_notes, more = _fold_actions(frame, opening, events, bad)
    rows = _keep_results(results)

    if bad == "error":
        _refuse_clicks_alone(rows, events.name)

    def locate(row: int) -> str:
        return events.locate(int(rows[ROW][row]))

    sessions = check_sessions(
        _name_columns(rows),
        events.name,
        locate,
        bad=bad,
        ranked=rows["rank"].null_count() < len(rows),
        notes=[*notes, *repeat_notes, *action_notes],
    )
    return evolve(sessions, problems=[*descriptions, *more, *sessions.problems])


def _list_known(frame: pl.DataFrame) -> dict[str, bool]:
    return {name: frame[name].null_count() < len(frame) for name in EVENT_COLUMNS}


def choose_owner(
    has: Mapping[str, bool], name: str, gap: timedelta | None
) -> tuple[str, list[str]]:
    """The column that says whose events are, session or user, and what is to be said of it.

    Args:
        has: are sessions, users and times told?
        name: of the log, for messages.
        gap: the pause after which a session ends, if the user said so.
    """
    if not has["session"] and not has["user"]:
        raise BadInput(name, "there is neither a session nor a user", "one of them in every row")
    if has["session"] and gap is None:
        return "session", []
    if not has["time"]:
        allowed = "a time in every row, by which sessions of users are told apart"
        raise BadInput(name, "there are users and a gap, but no times", allowed)
    owner = "user" if has["user"] else "session"
    pause = format_duration(gap or GAP)
    ids = "; the session ids of the log are not used" if has["session"] else ""
    note = f"a session is what a {owner} did without a pause of more than {pause}{ids}"
    return owner, [note]


def _describe_order(opening: pl.DataFrame) -> list[str]:
    """How lists were told apart and ranked, where the log says neither."""
    untold = all(
        opening[name].null_count() == len(opening) for name in ("rank", "position", "query_id")
    )
    if not untold or not opening.select("session", "query").is_duplicated().any():
        return []
    order = "no positions: results rank as their rows stand"
    return [f"{order}, and a list ends where the text changes or a document comes again"]


def _refuse_clicks_alone(rows: pl.DataFrame, name: str) -> None:
    """Rows of nothing but clicks, with holes between their ranks, are not what was shown."""
    if rows.schema.get("clicked") != pl.Boolean or not rows["clicked"].all(ignore_nulls=False):
        return
    lists = rows.group_by("session", "query").agg(pl.len(), pl.col("rank").max())
    if bool((lists["rank"] > lists["len"]).any()):
        problem = "every row was clicked: what was shown and not clicked is missing"
        raise BadInput(name, problem, SHOWING)


def _split_at_gaps(frame: pl.DataFrame, owner: str, gap: timedelta) -> pl.DataFrame:
    """A session for each stretch of a user's events without a long pause: ann#1, ann#2."""
    ordered = frame.sort(owner, "time", ROW)
    pause = pl.col("time") - pl.col("time").shift(1)
    begins = (pl.col(owner) != pl.col(owner).shift(1)) | (pause > gap)
    number = begins.fill_null(value=False).cast(pl.Int64).cum_sum().over(owner) + 1
    return ordered.with_columns(session=pl.format("{}#{}", pl.col(owner), number))


def _drop_repeats(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Events that were logged twice, to the same time, count once."""
    if frame["time"].null_count():
        return frame, []
    same = ("session", "time", "event", "query_id", "position", "text", "rank", "doc")
    first = frame.select(pl.struct(same).is_first_distinct()).to_series()
    repeats = len(frame) - int(first.sum())
    if not repeats:
        return frame, []
    return frame.filter(first), [
        f"{count_noun(repeats, 'event')} logged twice to the same time counted once"
    ]


def _fold_actions(
    frame: pl.DataFrame, opening: pl.DataFrame, events: SessionEvents, bad: BadPolicy
) -> tuple[pl.DataFrame, list[str], list[tuple[str, str]]]:
    """Results with what was done to them; notes, and what was done to results never shown."""
    actions = frame.filter(~pl.col("event").is_in([SHOWN, ASKED]))
    if not len(actions):
        return opening, [], []
    shown = opening.with_row_index(RESULT).filter(pl.col("doc").is_not_null())
    attached = attach_actions(actions, shown)
    lost = attached.filter(pl.col(RESULT).is_null()).sort(ROW)
    never = Problem(
        lost[ROW].to_numpy().astype(np.intp),
        lambda number: str(lost["session"][number]),
        lambda number: (
            f"the event {quote(lost['event'][number])} is of document "
            f"{quote(lost['doc'][number])}, which was not shown before it"
        ),
        "an earlier row that shows it in the list of the query",
    )
    problems = [never] if len(lost) else []
    _, notes, descriptions = leave_out_events(problems, events.locate, bad)
    attached = attached.filter(pl.col(RESULT).is_not_null())
    untold = len(attached) - int(attached["has_query"].sum())
    if untold:
        notes.append(
            f"{count_noun(untold, 'event')} without a query counted in the last list before it "
            "that showed its document"
        )
    kinds = [kind for kind in actions["event"].unique(maintain_order=True) if kind != DWELL]
    outcomes = _merge_outcomes(attached, opening, kinds)
    return opening.with_columns(outcomes), notes, descriptions


def _merge_outcomes(
    attached: pl.DataFrame, opening: pl.DataFrame, kinds: list[str]
) -> list[pl.Series]:
    """What a row says itself, and what later events say of it."""
    outcomes = []
    for kind in kinds:
        done = np.zeros(len(opening), dtype=bool)
        done[attached.filter(pl.col("event") == kind)[RESULT].to_numpy()] = True
        flags = pl.Series(kind, done)
        if opening.schema.get(kind) == pl.Boolean:
            flags |= opening[kind].fill_null(value=False)
        outcomes.append(flags)
    timed = attached.filter(pl.col("seconds").is_not_null())
    number = timed[RESULT].to_numpy()
    stayed = np.zeros(len(opening))
    np.add.at(stayed, number, timed["seconds"].to_numpy())
    seconds = opening["seconds"] if "seconds" in opening.columns else None
    if seconds is None and not len(timed):
        return outcomes
    is_timed = np.bincount(number, minlength=len(opening)) > 0
    if seconds is not None:
        stayed += seconds.fill_null(0.0).to_numpy()
        is_timed |= seconds.is_not_null().to_numpy()
    known = pl.select(pl.when(pl.Series(is_timed)).then(pl.Series(stayed)).alias("seconds"))
    return [*outcomes, known.to_series()]


def _keep_results(rows: pl.DataFrame) -> pl.DataFrame:
    """The results of each list; of one without any, a row without a document."""
    empty = rows["doc"].is_null().to_numpy()
    if not empty.any():
        return rows
    begins = mark_changes(rows["session"]) | mark_changes(rows["query"])
    number = np.cumsum(begins) - 1
    results = np.bincount(number, ~empty)
    without_any = np.zeros(len(rows), dtype=bool)
    first_rows = np.flatnonzero(begins)
    without_any[first_rows[results == 0]] = True
    return rows.filter(pl.Series(~empty | without_any)).with_columns(
        rank=pl.when(pl.col("doc").is_not_null()).then(pl.col("rank"))
    )


def _name_columns(rows: pl.DataFrame) -> pl.DataFrame:
    """The columns that sessions have, where something is known in them."""
    rows = rows.drop("position", "event", strict=False)
    rows = rows.rename({"user": "searcher"}, strict=False)
    own = {"session", "query", "rank", "doc"}
    rest = [
        name
        for name in rows.columns
        if name not in own and not name.startswith("\0") and rows[name].null_count() < len(rows)
    ]
    flags = [name for name in ("clicked", "purchased") if name in rest]
    rows = rows.with_columns(pl.col(name).fill_null(value=False) for name in flags)
    return rows[["session", "query", "rank", "doc", *rest]]
