"""What is wrong with events of a log in an engine: counted there, told with examples, left out.

As of a log in memory, only the event itself is left out. Where rows have no order, an example is
told by its session instead of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
from attrs import frozen

from gainful.errors import BadInput
from gainful.read.event_problems import (
    MAX_PLACES,
    OWNER_EXPECTED,
    SKIP,
    describe_overlap,
    join_users,
)
from gainful.read.lazy_events import OPENS, ROW, LazyEvents, LazyMistake, LazyTable
from gainful.read.session_events import SHOWN
from gainful.read.session_problems import COLUMNS
from gainful.read.sessions import BadPolicy
from gainful.text import count_noun, join_words, quote

_KIND, _COUNT = "gainful_kind", "gainful_count"
_USERS = ("gainful_first_user", "gainful_last_user")


@frozen(eq=False)
class SoundEvents:
    """Events without those that were left out, and what is to be said of these."""

    rows: nw.LazyFrame[Any]
    count: int
    notes: Sequence[str]


def find_mistakes(events: LazyEvents, owner: str) -> list[LazyMistake]:
    """Events that cannot be read or placed: of nobody, of no time, of no query, of no document.

    Args:
        events: in their engine.
        owner: the column that says whose they are, session or user.
    """
    opens = nw.col(OPENS)
    no_doc = nw.col("doc").is_null()
    known = [role for role in ("query_id", "position", "text") if events.has(role)]
    mistakes = [
        *events.mistakes,
        LazyMistake(
            nw.col(owner).is_null(), lambda _: f"the {owner} is null", OWNER_EXPECTED[owner]
        ),
        LazyMistake(
            nw.all_horizontal(
                opens, *(nw.col(role).is_null() for role in known), ignore_nulls=True
            ),
            lambda _: "an event without a query",
            COLUMNS,
        ),
        LazyMistake(
            ~opens & no_doc,
            lambda row: f"the event {quote(row['event'])} has no document",
            "the document that it was done to",
        ),
    ]
    if events.has("rank"):
        alone = (nw.col("event") == SHOWN) & no_doc & ~nw.col("rank").is_null()
        mistakes.append(
            LazyMistake(
                alone,
                lambda _: "there is a rank, but no document",
                "neither, where a query returned nothing",
            )
        )
    if events.has("query_id") and events.has("text") and not events.has("position"):
        mistakes.append(
            LazyMistake(
                opens & nw.col("query_id").is_null(),
                lambda _: "there is no query id, though others have one",
                "an id of the query in every row, or no such column",
            )
        )
    if events.has("time"):
        mistakes.append(
            LazyMistake(
                nw.col("time").is_null(),
                lambda _: "there is no time, though others have one",
                "a time in every row",
            )
        )
    return mistakes


def leave_out_mistakes(events: LazyEvents, owner: str, bad: BadPolicy) -> SoundEvents:
    """The events that can be placed; an error about others, or how many were left out."""
    mistakes = find_mistakes(events, owner)
    rows = events.rows
    if owner == "session" and events.has("user"):
        rows, shared = _flag_shared_sessions(events)
        mistakes += shared
    return leave_out(rows, events.table, mistakes, bad, events.row_count)


def leave_out(
    rows: nw.LazyFrame[Any],
    table: LazyTable,
    mistakes: Sequence[LazyMistake],
    bad: BadPolicy,
    row_count: int,
) -> SoundEvents:
    """Rows in which nothing is wrong; a row with several mistakes is told for the first of them.

    Args:
        rows: of events.
        table: where they come from.
        mistakes: what can be wrong.
        bad: refuse what is wrong, or leave it out.
        row_count: how many rows there are.
    """
    kind: Any = nw.lit(-1)
    for number, mistake in reversed([*enumerate(mistakes)]):
        kind = nw.when(mistake.flags).then(nw.lit(number)).otherwise(kind)
    flagged = rows.with_columns(kind.cast(nw.Int64).alias(_KIND))
    first = [nw.col(ROW).min()] if ROW in rows.columns else []
    counted = table.collect(
        flagged.filter(nw.col(_KIND) >= 0).group_by(_KIND).agg(nw.len().alias(_COUNT), *first)
    ).sort(ROW if first else _KIND)
    if not len(counted):
        return SoundEvents(rows, row_count, [])
    counts = dict(counted.select(_KIND, _COUNT).iter_rows())
    order = [*counts] if bad == "error" else sorted(counts)
    notes = [
        refuse_or_describe(
            flagged.filter(nw.col(_KIND) == number), table, mistakes[number], bad, counts[number]
        )
        for number in order
    ]
    sound = flagged.filter(nw.col(_KIND) < 0).drop(_KIND)
    return SoundEvents(sound, row_count - sum(counts.values()), notes)


def refuse_or_describe(
    wrong: nw.LazyFrame[Any], table: LazyTable, mistake: LazyMistake, bad: BadPolicy, count: int
) -> str:
    """What is to be said of some rows that are left out; an error, if that was not asked for."""
    description = _describe_examples(wrong, table, mistake.words, count)
    if bad == "error":
        where, _, words = description.partition(": ")
        expected = "; ".join(part for part in (mistake.expected, SKIP) if part)
        raise BadInput(where, words, expected)
    return f"{count_noun(count, 'event')} left out: {description}"


def _describe_examples(
    wrong: nw.LazyFrame[Any],
    table: LazyTable,
    words: Callable[[Mapping[str, Any]], str],
    count: int,
) -> str:
    """The first of some mistakes in words, and where the next of them are."""
    names = wrong.collect_schema().names()
    order = [ROW] if ROW in names else [name for name in ("session", "time") if name in names]
    examples = table.collect(wrong.sort(*(order or ["doc"])).head(MAX_PLACES + 1))
    first, *rest = examples.iter_rows(named=True)
    if ROW in names:
        where, places = f"{table.name}, row {first[ROW]}", [f"row {row[ROW]}" for row in rest]
    else:
        own = dict.fromkeys(row.get("session") for row in rest)
        where, places = table.name, [f"session {quote(session)}" for session in own if session]
        places = places if len(places) == len(rest) else []
    session = first.get("session")
    owner = f"session {quote(session)}: " if session else ""
    description = f"{where}: {owner}{words(first)}"
    others = count - 1 - len(places)
    more = [f"{others:,} more"] if others else []
    return f"{description}; so in {join_words([*places, *more])}" if count > 1 else description


def _flag_shared_sessions(events: LazyEvents) -> tuple[nw.LazyFrame[Any], list[LazyMistake]]:
    """Rows beside what users their session has, if some sessions have several."""
    lowest, highest = (nw.col("user").min().alias(_USERS[0]), nw.col("user").max().alias(_USERS[1]))
    by_session = events.rows.filter(~nw.col("session").is_null()).group_by("session")
    shared = by_session.agg(lowest, highest).filter(nw.col(_USERS[0]) != nw.col(_USERS[1]))
    if not len(events.table.collect(shared.head(1))):
        return events.rows, []
    several = LazyMistake(
        ~nw.col(_USERS[0]).is_null(),
        lambda row: f"it has several users, such as {join_users([row[at] for at in _USERS])}",
        "one user for a session",
    )
    return events.rows.join(shared, on="session", how="left"), [several]


def describe_lazy_overlaps(rows: nw.LazyFrame[Any], table: LazyTable) -> list[str]:
    """Sessions of one user at the same time: perhaps they are one, perhaps there were two tabs."""
    first = [nw.col(ROW).min()] if ROW in rows.columns else []
    spans = (
        rows.filter(~nw.col("user").is_null())
        .group_by("user", "session")
        .agg(nw.col("time").min().alias("start"), nw.col("time").max().alias("end"), *first)
    )
    order = ["start", "end", "session"]
    later = nw.col("end").cum_max().over("user", order_by=order).alias("latest")
    before = nw.col("latest").shift(1).over("user", order_by=order)
    overlapping = (
        spans.with_columns(later).with_columns(last=before).filter(nw.col("start") < nw.col("last"))
    )
    count = int(table.collect(overlapping.select(count=nw.len())).item())
    if not count:
        return []
    row: dict[str, Any] = table.collect(overlapping.sort("start", "session").head(1)).row(
        0, named=True
    )
    place = f"{table.name}, row {row[ROW]}" if first else table.name
    return [describe_overlap(count, place, row["session"], row["user"])]
