"""What is wrong with events of a log: counted, told with the first places, and left out if asked.

Unlike a session, which is left out whole, only the event itself is: the others still say what was
shown and done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from attrs import define, field

from gainful.errors import BadInput
from gainful.read.session_events import ASKED, SHOWN, SessionEvents
from gainful.read.session_layout import RowIndices
from gainful.read.session_problems import Problem, flag_problem
from gainful.read.sessions import BadPolicy
from gainful.text import count_noun, join_words, quote

MAX_PLACES = 3  # that are named beside the first
SKIP = "or --bad skip (bad='skip'), which leaves these out"
OWNER_EXPECTED = {
    "session": "a session in every row",
    "user": "a user in every row",
}


def find_event_problems(events: SessionEvents, owner: str) -> list[Problem]:
    """Events that cannot be placed: of nobody, of no time, of no query, of no document.

    Those that the reader has found already are not told again.

    Args:
        events: as they stood in the file.
        owner: the column that says whose they are, session or user.
    """
    frame = events.frame
    fresh = np.ones(len(frame), dtype=bool)
    for problem in events.problems:
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
            "the document of the event",
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
    if events.tells("query_id") and not events.tells("position"):
        problems.append(
            flag_problem(
                frame,
                placed & by_id & known[2],
                lambda _: "there is no query id, though others have one",
                "an id of the query in every row, or no such column",
            )
        )
    if events.tells("time"):
        untimed = placed & frame["time"].is_null()
        words = "there is no time, though others have one"
        problems.append(flag_problem(frame, untimed, lambda _: words, "a time in every row"))
    if owner == "session":
        problems += find_shared_sessions(frame)
    return problems


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


def find_spans(frame: pl.DataFrame, row: str) -> pl.DataFrame:
    """From when to when each session of a user lasted, and where it first appears."""
    lasts = (pl.col("time").min().alias("start"), pl.col("time").max().alias("end"))
    timed = frame.lazy().filter(pl.col("user").is_not_null() & pl.col("time").is_not_null())
    return timed.group_by("user", "session").agg(*lasts, pl.col(row).min().alias("row")).collect()


def describe_overlaps(spans: pl.DataFrame, locate: Callable[[int], str]) -> list[str]:
    """Sessions of one user at the same time: perhaps they are one, perhaps there were two tabs."""
    overlapping = (
        spans.sort("user", "start", "end", "session")
        .with_columns(last=pl.col("end").cum_max().shift(1).over("user"))
        .filter(pl.col("start") < pl.col("last"))
        .sort("start", "session")
    )
    if not len(overlapping):
        return []
    session, user, first_row = (overlapping[name][0] for name in ("session", "user", "row"))
    count = len(overlapping)
    number = "1 session overlaps" if count == 1 else f"{count:,} sessions overlap"
    first = "" if count == 1 else "first "
    words = f"{first}{locate(first_row)}: session {quote(session)} of user {quote(user)}"
    return [f"{number} another of the same user in time, and counts separately: {words}"]


@define(eq=False)
class Tally:
    """Mistakes of one kind, in all parts of a log: how many, and the first of them."""

    expected: str
    count: int = 0
    examples: list[tuple[int, str, str, str]] = field(
        factory=list
    )  # row, place, short place, words

    def add(self, other: Tally) -> None:
        """Take the same mistakes in another part."""
        self.count += other.count
        self.examples = sorted(self.examples + other.examples)[: MAX_PLACES + 1]

    def describe(self) -> str:
        """The first of them in words, and where the next are."""
        (_, place, _, words), *rest = self.examples
        if self.count == 1:
            return f"{place}: {words}"
        places = [*dict.fromkeys(short for _, _, short, _ in rest if short)]
        places = places if len(places) == len(rest) else []
        others = self.count - 1 - len(places)
        more = [f"{others:,} more"] if others else []
        return f"{place}: {words}; also in {join_words([*places, *more])}"


def tally_problems(
    problems: Sequence[Problem], locate: Callable[[int], str], *, ordered: bool = True
) -> tuple[RowIndices, list[Tally]]:
    """The rows that something is wrong with; a row counts for the first of its problems."""
    dropped: set[int] = set()
    tallies = []
    for problem in problems:
        rows = problem.rows.tolist()
        fresh = [number for number, row in enumerate(rows) if row not in dropped]
        dropped.update(rows)
        examples = []
        for number in sorted(fresh, key=rows.__getitem__)[: MAX_PLACES + 1]:
            place, session = locate(rows[number]), problem.session_at(number)
            short = _shorten_place(place) if ordered else f"session {quote(session)}"
            short = short if session or ordered else ""
            row = rows[number] if ordered else 0
            examples.append((row, place, short, problem.describe(number)))
        tallies.append(Tally(problem.expected, len(fresh), examples))
    return np.array(sorted(dropped), dtype=np.intp), tallies


def tell_left_out(tallies: Sequence[Tally], bad: BadPolicy) -> list[str]:
    """What is to be said of events that are left out; an error, if that was not asked for."""
    tallied = [tally for tally in tallies if tally.count]
    if tallied and bad == "error":
        first = min(tallied, key=lambda tally: tally.examples[0][0])
        where, _, words = first.describe().partition(": ")
        expected = "; ".join(part for part in (first.expected, SKIP) if part)
        raise BadInput(where, words, expected)
    return [f"{count_noun(tally.count, 'event')} left out: {tally.describe()}" for tally in tallied]


def _shorten_place(place: str) -> str:
    file, colon, line = place.rpartition(":")
    if colon and file and line.isdigit():
        return f"line {line}"
    return place.rpartition(", ")[2]
