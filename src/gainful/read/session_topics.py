"""Which topic a session is about: the mapping files of the TREC Session Track.

Lines of session, topic and perhaps a subtopic; where topics are numbers, other lines are headings.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue, WrongType
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.source import open_source
from gainful.read.trec_files import utf8_error
from gainful.text import count_noun, quote

AnyTopics = str | PathLike[str] | Mapping[str, str]


def with_topics(sessions: Sessions, given: AnyTopics, bad: BadPolicy | None = None) -> Sessions:
    """Sessions with the topics that a file names; others are left out, or by "error" refused."""
    path = "topics" if isinstance(given, Mapping) else given
    if sessions.per_turn:
        raise BadValue("topics", str(path), "nothing: each turn of a conversation is its own topic")
    if isinstance(given, Mapping):
        topics, skipped = {str(session): str(topic) for session, topic in given.items()}, 0
    elif isinstance(given, (str, PathLike)):
        topics, skipped = _read_topics(given)
    else:
        raise WrongType("topics", given, "a file of lines `session topic`, or {session: topic}")
    topic_frame = pl.DataFrame(
        {"session": list(topics), "topic": list(topics.values())},
        schema={"session": pl.String, "topic": pl.String},
    )
    frame = sessions.frame.drop("topic", strict=False)
    frame = frame.join(topic_frame, on="session", how="left", maintain_order="left")
    lacking = frame.filter(pl.col("topic").is_null())["session"]
    missing = lacking.n_unique()
    if len(lacking) == len(frame):
        raise BadInput(str(path), f"it names the topic of no session of {sessions.name}")
    if missing and bad == "error":
        problem = f"it has no topic of session {quote(lacking[0])}"
        raise BadInput(str(path), problem, "a topic of every session, or --bad skip (bad='skip')")
    notes = list(sessions.notes)
    if skipped:
        notes.append(f"{count_noun(skipped, 'line')} of {path} without a topic number skipped")
    if missing:
        notes.append(f"{count_noun(missing, 'session')} left out: no topic in {path}")
    return evolve(
        sessions,
        frame=frame.filter(pl.col("topic").is_not_null()),
        notes=notes,
        dropped_count=sessions.dropped_count + missing,
        known_layout=None if missing else sessions.known_layout,
    )


def _read_topics(path: str | PathLike[str]) -> tuple[dict[str, str], int]:
    """The topic of each session, and how many lines were skipped."""
    source = open_source(path)
    try:
        lines = source.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise utf8_error(source) from None
    topics: dict[str, str] = {}
    skipped = 0
    rows = [
        (number, fields)
        for number, fields in enumerate(map(str.split, lines), start=1)
        if fields and not fields[0].startswith("#")
    ]
    numbered = any(len(fields) > 1 and fields[1].isdecimal() for _, fields in rows)
    for number, fields in rows:
        if len(fields) < 2 or (numbered and not fields[1].isdecimal()):
            skipped += 1
            continue
        session, topic = fields[:2]
        if topics.setdefault(session, topic) != topic:
            problem = f"session {quote(session)} has two topics, {topics[session]} and {topic}"
            raise BadInput(f"{source.name}:{number}", problem, "one topic for each session")
    if not topics:
        raise BadInput(source.name, "it names no topic", "lines of session topic [subtopic]")
    return topics, skipped
