"""Sessions of several systems as one: each says which system it is of, and what it is paired with.

Systems that were tried on the same conversations, or agents on the same tasks, have sessions of
the same names in their files. Together these are separated by the system, and the column
`conversation` has the name that they share.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from gainful.errors import BadInput
from gainful.read.sessions import LIST_LENGTH, Sessions
from gainful.text import count_noun, join_words

CONVERSATION, SYSTEM = "conversation", "system"
_SEPARATORS = ("/", ":", "|", "\x1f")  # the first that no name of a system has


def combine_systems(systems: Mapping[str, Sessions]) -> Sessions:
    """The sessions of several systems, by their names, as one.

    Examples:
        >>> first = pl.DataFrame({"session": ["s"], "query": [1], "rank": [1], "doc": ["a"]})
        >>> both = combine_systems({"bm25": Sessions(first), "dense": Sessions(first)})
        >>> both.frame.select("session", "system", "conversation").rows()
        [('bm25/s', 'bm25', 's'), ('dense/s', 'dense', 's')]
    """
    _refuse_mixtures(systems)
    separator = next(mark for mark in _SEPARATORS if not any(mark in name for name in systems))
    own = pl.col("session")
    parts = [
        sessions.frame.with_columns(
            own.alias(CONVERSATION),
            pl.lit(name).alias(SYSTEM),
            session=pl.concat_str(pl.lit(f"{name}{separator}"), own),
        )
        for name, sessions in systems.items()
    ]
    if any(LIST_LENGTH in part.columns for part in parts):  # of some, not all results are rows
        count = pl.col("doc").count().over("session", "query").cast(pl.Int64).alias(LIST_LENGTH)
        parts = [
            part if LIST_LENGTH in part.columns else part.with_columns(count) for part in parts
        ]
    frame = pl.concat(parts, how="diagonal_relaxed")
    notes = [f"{name}: {note}" for name, entry in systems.items() for note in entry.notes]
    missing = _count_missing(frame, len(systems))
    judged_by = next(iter(systems.values())).judged_by
    if missing is None:
        is_own = judged_by == "session" and "topic" not in frame.columns
        topic = [pl.col(CONVERSATION).alias("topic")] if is_own else []
        frame = frame.with_columns(topic).drop(CONVERSATION)
    else:
        notes += [missing] if missing else []
        judged_by = CONVERSATION if judged_by == "session" else judged_by
    return Sessions(
        frame,
        join_words(list(systems)),
        per_turn=all(sessions.per_turn for sessions in systems.values()),
        notes=notes,
        problems=[problem for sessions in systems.values() for problem in sessions.problems],
        dropped_count=sum(sessions.dropped_count for sessions in systems.values()),
        judged_by=judged_by,
    )


def _count_missing(frame: pl.DataFrame, number: int) -> str | None:
    """What is to be said of conversations that not all systems have; None if none is shared."""
    pairs = frame.select(CONVERSATION, SYSTEM).unique()
    counts = pairs.group_by(CONVERSATION).len()["len"]
    if int(counts.max() or 0) < 2:  # type: ignore[arg-type]
        return None
    partial = int((counts < number).sum())
    if partial:
        return f"{count_noun(partial, 'conversation')} occurred in only some of {number} systems"
    return ""


def _refuse_mixtures(systems: Mapping[str, Sessions]) -> None:
    """Sessions that are judged otherwise cannot be set beside others."""
    kinds = {sessions.per_turn for sessions in systems.values()}
    if len(kinds) > 1:
        name = next(name for name, sessions in systems.items() if not sessions.per_turn)
        problem = "its sessions are judged as a whole, those of another file turn by turn"
        raise BadInput(name, problem, "files of one kind")
    has_topics = {"topic" in sessions.frame.columns for sessions in systems.values()}
    if len(has_topics) > 1:
        name = next(name for name, entry in systems.items() if "topic" not in entry.frame.columns)
        raise BadInput(name, "it has no topics, though another file has", "files of one kind")
