"""What the TREC Session Track has beside its XML: topics of sessions, and runs for last queries."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue, WrongType
from gainful.read.qrels_and_run import Run
from gainful.read.sessions import RESULT_COLUMNS, BadPolicy, Sessions, check_sessions
from gainful.read.source import open_source
from gainful.read.trec_files import number_lines
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
        raise BadInput(str(path), f"it has no topic for any session of {sessions.name}")
    if missing and bad == "error":
        problem = f"it has no topic for session {quote(lacking[0])}"
        raise BadInput(str(path), problem, "a topic for every session, or --bad skip (bad='skip')")
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
    topics: dict[str, str] = {}
    skipped = 0
    rows = [(number, line.split()) for number, line in number_lines(source).iter_rows()]
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


_ORDER = "\0order"  # of sessions, beside the user's columns


def join_last_query(sessions: Sessions, run: Run) -> Sessions:
    """Sessions with one more query each: the results of a run, by score, equal scores as given.

    A session that the run does not have got nothing for its last query.
    """
    known = sessions.frame["session"].unique(maintain_order=True)
    unknown = run.frame.filter(~pl.col("query").is_in(known.implode()))
    if len(unknown):
        session = quote(unknown["query"][0])
        problem = f"session {session} is not in {sessions.name}"
        raise BadInput(run.name, problem, "session ids in place of query ids")
    rows = _last_queries(sessions).join(
        _rank_run(run), on="session", how="left", maintain_order="left_right"
    )
    order = known.to_frame().with_row_index(_ORDER)
    frame = (
        pl.concat([sessions.frame, rows], how="diagonal_relaxed")
        .join(order, on="session", maintain_order="left")
        .sort(_ORDER, "query", "rank", maintain_order=True)
        .drop(_ORDER, "current_query", strict=False)
    )
    if "clicked" in frame.columns:
        frame = frame.with_columns(pl.col("clicked").fill_null(value=False))
    missing = int(np.sum(~known.is_in(run.frame["query"].unique().implode()).to_numpy()))
    notes = [f"the last query of each session is answered by {run.name}"]
    if missing:
        notes.append(f"{count_noun(missing, 'session')} not in {run.name}: nothing was returned")
    joined = check_sessions(
        frame,
        sessions.name,
        lambda row: f"{sessions.name} with {run.name}, row {row + 1}",
        per_turn=sessions.per_turn,
        notes=(*sessions.notes, *notes),
    )
    return evolve(joined, problems=sessions.problems, dropped_count=sessions.dropped_count)


def _last_queries(sessions: Sessions) -> pl.DataFrame:
    """A row for each session: the position of its next query, and what is told of the session."""
    heads = sessions.frame.group_by("session", maintain_order=True).agg(
        pl.col("query").max() + 1, pl.exclude("query", "rank", "doc").first()
    )
    blank = [name for name in (*RESULT_COLUMNS, "scanned") if name in heads.columns]
    text = "current_query" if "current_query" in heads.columns else None
    if "text" in heads.columns or text is not None:
        heads = heads.with_columns(text=pl.lit(None, pl.String) if text is None else pl.col(text))
    return heads.drop(blank)


def _rank_run(run: Run) -> pl.DataFrame:
    ordered = run.frame.sort("score", descending=True, maintain_order=True)
    rank = pl.int_range(1, pl.len() + 1).over("query")
    return ordered.select(pl.col("query").alias("session"), "doc", rank=rank)
