"""What is wrong with events of a log: counted, told with the first places, and left out if asked.

Unlike a session, which is left out whole, only the event itself is: the others still say what was
shown and done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from gainful.errors import BadInput, BadValue
from gainful.read.session_events import ASKED, SHOWN
from gainful.read.session_layout import RowIndices
from gainful.read.session_problems import Problem, flag_problem, list_problems
from gainful.read.sessions import BadPolicy
from gainful.text import count_noun, join_words, quote

MAX_PLACES = 3  # that are named beside the first
SKIP = "or --bad skip (bad='skip'), which leaves these out"
OWNER_EXPECTED = {
    "session": "a session in every row",
    "user": "a user in every row, of whom sessions are",
}


def find_event_problems(
    frame: pl.DataFrame, owner: str, reported: Sequence[Problem] = ()
) -> list[Problem]:
    """Events that cannot be placed: of nobody, of no time, of no query, of no document.

    Args:
        frame: the events, as they stood in the file.
        owner: the column that says whose they are, session or user.
        reported: what the reader has found already, which is not told again.
    """
    fresh = np.ones(len(frame), dtype=bool)
    for problem in reported:
        fresh[problem.rows] = False
    placed = pl.Series(fresh)
    opens = frame["event"].is_in([SHOWN, ASKED])
    known = [frame[name].is_not_null() for name in ("query_id", "position", "text")]
    by_id = frame["query_id"].is_null() & opens
    problems = [
        flag_problem(
            frame,
            placed & frame[owner].is_null(),
            lambda _: f"the {owner} is null",
            OWNER_EXPECTED[owner],
        ),
        flag_problem(
            frame,
            placed & opens & ~(known[0] | known[1] | known[2]),
            lambda _: "an event without a query",
        ),
        flag_problem(
            frame,
            placed & ~opens & frame["doc"].is_null(),
            lambda row: f"the event {quote(frame['event'][row])} has no document",
            "the document that it was done to",
        ),
        flag_problem(
            frame,
            placed
            & (frame["event"] == SHOWN)
            & frame["doc"].is_null()
            & frame["rank"].is_not_null(),
            lambda _: "there is a rank, but no document",
            "neither, where a query returned nothing",
        ),
    ]
    if not by_id.all() and known[0].any() and not known[1].any():
        problems.append(
            flag_problem(
                frame,
                placed & by_id & known[2],
                lambda _: "there is no query id, though others have one",
                "an id of the query in every row, or no such column",
            )
        )
    if frame["time"].null_count() < len(frame):
        untimed = placed & frame["time"].is_null()
        words = "there is no time, though others have one"
        problems.append(flag_problem(frame, untimed, lambda _: words, "a time in every row"))
    if owner == "session":
        problems += find_shared_sessions(frame)
    return [problem for problem in problems if len(problem.rows)]


def find_shared_sessions(frame: pl.DataFrame) -> list[Problem]:
    """Events of sessions that two users have: one of their ids is not what it says."""
    users = frame.lazy().group_by("session").agg(pl.col("user").drop_nulls().unique().sort())
    shared = users.filter(pl.col("user").list.len() > 1).collect()
    if not len(shared):
        return []
    names = dict(shared.iter_rows())
    flags = frame["session"].is_in(shared["session"].implode())
    return [
        flag_problem(
            frame,
            flags,
            lambda row: (
                f"it has {_count_users(names[frame['session'][row]])}, "
                f"{join_users(names[frame['session'][row]][:2])}"
            ),
            "one user for a session",
        )
    ]


def join_users(users: Sequence[str]) -> str:
    """Users in words, each called that, so that `anonymise` finds them."""
    return join_words([f"user {quote(name)}" for name in users])


def _count_users(users: Sequence[str]) -> str:
    return "two users" if len(users) == 2 else f"{len(users)} users, such as"


def describe_overlaps(frame: pl.DataFrame, row: str, locate: Callable[[int], str]) -> list[str]:
    """Sessions of one user at the same time: perhaps they are one, perhaps there were two tabs.

    Args:
        frame: the events.
        row: the column that says which row of the file each was.
        locate: the place of a row, for messages.
    """
    if frame["user"].null_count() == len(frame) or frame["time"].null_count() == len(frame):
        return []
    spans = (
        frame.lazy()
        .filter(pl.col("user").is_not_null())
        .group_by("user", "session")
        .agg(
            pl.col("time").min().alias("start"),
            pl.col("time").max().alias("end"),
            pl.col(row).min().alias("row"),
        )
        .sort("user", "start", "end", "session")
        .with_columns(last=pl.col("end").cum_max().shift(1).over("user"))
        .filter(pl.col("start") < pl.col("last"))
        .sort("start", "session")
        .collect()
    )
    if not len(spans):
        return []
    session, user, first_row = (spans[name][0] for name in ("session", "user", "row"))
    return [describe_overlap(len(spans), locate(first_row), session, user)]


def describe_overlap(count: int, place: str, session: str, user: str) -> str:
    """How many sessions overlap another of the same user, and the first of them."""
    number = "1 session overlaps" if count == 1 else f"{count:,} sessions overlap"
    first = "" if count == 1 else "first "
    words = f"{first}{place}: session {quote(session)} of user {quote(user)}"
    return f"{number} another of the same user in time, and counts as one of its own: {words}"


def leave_out_events(
    problems: Sequence[Problem], locate: Callable[[int], str], bad: BadPolicy
) -> tuple[RowIndices, list[str], list[tuple[str, str]]]:
    """The rows to leave out, what is to be said of them, and each in words; or an error.

    A row with several problems is told for the first of them.
    """
    if bad not in ("error", "skip"):
        raise BadValue("bad", bad, "error or skip")
    if not problems:
        return np.empty(0, dtype=np.intp), [], []
    if bad == "error":
        raise _as_error(problems, locate)
    notes: list[str] = []
    dropped: set[int] = set()
    for problem in problems:
        fresh = [number for number, row in enumerate(problem.rows.tolist()) if row not in dropped]
        if fresh:
            dropped.update(problem.rows[fresh].tolist())
            words = _describe_all(problem, fresh, locate)
            notes.append(f"{count_noun(len(fresh), 'event')} left out: {words}")
    rows = np.array(sorted(dropped), dtype=np.intp)
    return rows, notes, list_problems(problems, locate)


def _as_error(problems: Sequence[Problem], locate: Callable[[int], str]) -> BadInput:
    """The kind of mistake that comes first in the file, how often, and where else."""
    first = min(problems, key=lambda problem: int(problem.rows.min()))
    where, _, words = _describe_all(first, range(len(first.rows)), locate).partition(": ")
    expected = "; ".join(part for part in (first.expected, SKIP) if part)
    return BadInput(where, words, expected)


def _describe_all(problem: Problem, numbers: Sequence[int], locate: Callable[[int], str]) -> str:
    """The first of some mistakes in words, and where the next of them are."""
    order = sorted(numbers, key=lambda number: int(problem.rows[number]))
    first = f"{locate(int(problem.rows[order[0]]))}: {problem.describe(order[0])}"
    if len(order) == 1:
        return first
    places = [_shorten_place(locate(int(problem.rows[n]))) for n in order[1 : MAX_PLACES + 1]]
    rest = len(order) - 1 - len(places)
    more = [f"{rest:,} more"] if rest else []
    return f"{first}; so in {join_words([*places, *more])}"


def _shorten_place(place: str) -> str:
    file, colon, line = place.rpartition(":")
    if colon and file and line.isdigit():
        return f"line {line}"
    return place.rpartition(", ")[2]
