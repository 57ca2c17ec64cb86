"""Which topic a session is about: the mapping files of the TREC Session Track.

Lines of session, topic and perhaps a subtopic; where topics are numbers, other lines are headings.
"""

from __future__ import annotations

from os import PathLike

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue
from gainful.read.sessions import Sessions
from gainful.read.source import open_source
from gainful.read.trec_files import utf8_error
from gainful.text import count_noun, quote


def with_topics(sessions: Sessions, path: str | PathLike[str]) -> Sessions:
    """Sessions with the topics that a file names; those it does not name have none."""
    if sessions.per_turn:
        raise BadValue("topics", str(path), "nothing: each turn of a conversation is its own topic")
    topics, skipped = _read_topics(path)
    topic_frame = pl.DataFrame(
        {"session": list(topics), "topic": list(topics.values())},
        schema={"session": pl.String, "topic": pl.String},
    )
    frame = sessions.frame.drop("topic", strict=False)
    frame = frame.join(topic_frame, on="session", how="left", maintain_order="left")
    missing = frame.filter(pl.col("topic").is_null())["session"].n_unique()
    if missing == frame["session"].n_unique():
        raise BadInput(str(path), f"it names the topic of no session of {sessions.name}")
    notes = list(sessions.notes)
    if skipped:
        notes.append(f"{count_noun(skipped, 'line')} of {path} without a topic number skipped")
    if missing:
        notes.append(f"{count_noun(missing, 'session')} without a topic in {path}")
    return evolve(sessions, frame=frame, notes=notes)


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
