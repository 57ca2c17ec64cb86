"""Turns of conversations with what was retrieved for each, as RAG pipelines log them.

`{"conversation": "c1", "turn": 2, "query": …, "retrieved": […]}`, a record for each turn. Every
turn has judgments of its own: those of its `id` if it has one, else of conversation_turn, such as
c1_2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
from attrs import evolve

from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import TURN_COLUMNS, TURN_QUERY
from gainful.read.json_records import read_records
from gainful.read.json_text import Unreadable
from gainful.read.path_finder import PathFinder, find_first
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import Retrievals
from gainful.read.search_results import USUAL_PATHS, ResultPaths, read_documents, read_results
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.text import quote

_LABELS = ("topic", "system", "text")
_ROLES = ("session", "query", "retrieved", *_LABELS)
_SHAPE = '{"conversation": …, "turn": 1, "query": …, "retrieved": […]}'
_NO_TURN = "turns 1, 2, 3 … of each conversation"
_REPEATED = "each turn of a conversation once"
_NO_SCORE = "a number for each document"
_NO_LIST = "retrieved: […], which is empty where nothing was retrieved"
_NUMBER = "\0number"  # of a turn: a column of our own
_TURN_NUMBER = re.compile(r"(?:.*_)?([0-9]{1,15})")


# The documents of a turn, or what is wrong with it; and what else there is to know of it.
Turn = tuple[Sequence[str] | Unreadable, dict[str, str | None]]
TurnsOfRecord = Callable[[dict[str, Any]], Sequence[Turn]]


def is_turns(records: Sequence[dict[str, Any]]) -> bool:
    """Tells each record a conversation, a turn of it and what was retrieved?"""
    session, turn, lists = (TURN_COLUMNS[role].names for role in ("session", "query", "retrieved"))
    return bool(records) and all(
        any(name in record for name in session)
        and any(name in record for name in turn)
        and any(isinstance(record.get(name), (list, dict)) for name in lists)
        for record in records
    )


def read_turns(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions."""
    names, paths = reading.columns.names, ResultPaths(reading.columns)
    finder = PathFinder(*(names.get(role, TURN_COLUMNS[role].names) for role in _ROLES))

    def read_record(record: dict[str, Any]) -> list[Turn]:
        return [_read_values(finder.find_each(record), paths)]

    return _read_conversations(source, reading, read_record, _SHAPE)


def _read_conversations(
    source: Source, reading: ReadOptions, read_record: TurnsOfRecord, expected: str
) -> Sessions:
    """Conversations of turns in whatever order; every turn has judgments of its own."""
    retrievals = Retrievals(read_records(source), reading.columns, ("topic", "system", _NUMBER))
    for number, record in retrievals.read_records():
        for docs, values in read_record(record):
            retrievals.add(number, docs, values)
    events = retrievals.to_events(expected, _order_turns(retrievals))
    named = events.frame.with_columns(pl.coalesce("topic", "query_id").alias("topic"))
    events = evolve(events, frame=named)
    return evolve(build_sessions(events, bad=reading.policy), per_turn=True)


def _order_turns(retrievals: Retrievals) -> pl.DataFrame:
    """Turns by number; a repeated one is reported."""
    number = pl.col(_NUMBER).cast(pl.Int64)
    frame = retrievals.to_frame().sort(number, maintain_order=True)
    sound = pl.col("flaw").is_null()
    again = frame.select(sound & ~pl.struct("session", _NUMBER, sound).is_first_distinct())
    flaws = {
        row: Unreadable(f"turn {frame[_NUMBER][row]} comes twice", _REPEATED)
        for row in again.to_series().arg_true()
    }
    return (retrievals.mark_flaws(frame, flaws) if flaws else frame).drop(_NUMBER)


def _name_turn(session: str, number: str) -> dict[str, str | None]:
    return {"session": session, "query_id": f"{session}_{number}", _NUMBER: str(int(number))}


def _read_values(values: Sequence[Any], paths: ResultPaths) -> Turn:
    """The turn of a record, from what it says of each role."""
    session, turn, retrieved, *labels = values
    if session is None or not str(session):
        return Unreadable("the conversation is null", _SHAPE), {}
    match = _TURN_NUMBER.fullmatch(str(turn))
    if match is None or isinstance(turn, float):
        what = "the turn is null" if turn is None else f"turn {quote(turn)} is not an integer"
        return Unreadable(what, _NO_TURN), {"session": str(session)}
    docs: list[str] | Unreadable
    if retrieved is None:
        docs = Unreadable(f"turn {turn} has no list of documents", _NO_LIST)
    elif isinstance(retrieved, dict):
        docs = rank_by_score(retrieved)
    else:
        docs = read_results(retrieved, paths)
    texts = (None if value is None else str(value) for value in labels)
    names = _name_turn(str(session), match[1])
    return docs, {**names, **dict(zip(_LABELS, texts, strict=True))}


def rank_by_score(scores: dict[str, Any]) -> list[str] | Unreadable:
    """Documents with scores, the best first; those of one score as they came."""
    for doc, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or score != score:  # noqa: PLR0124
            words = f"score {quote(score)} of document {quote(doc)} is not a number"
            return Unreadable(words, _NO_SCORE)
    return sorted(scores, key=lambda doc: -scores[doc])


_PROVENANCE = ("passage_provenance", "provenance")
_IKAT_SHAPE = "turns with a turn_id such as 9-1_2, and passages in passage_provenance or references"
_NO_TURN_ID = "a turn_id of conversation_turn, such as 9-1_2"


def is_ikat(records: Sequence[dict[str, Any]]) -> bool:
    """Is it a run of iKAT, of whichever year?"""
    return any(
        _is_run(record) or ("turn_id" in record and isinstance(record.get("references"), dict))
        for record in records
    )


def read_ikat(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions, judged turn by turn."""
    return _read_conversations(source, reading, _read_run, _IKAT_SHAPE)


def _read_run(record: dict[str, Any]) -> list[Turn]:
    turns = record.get("turns")
    name = find_first(record, ("run_name", "metadata.run_id"))
    some = turns if isinstance(turns, list) else [record]
    return [_read_turn(turn, str(name or "") or None) for turn in some]


def _is_run(record: dict[str, Any]) -> bool:
    turns = record.get("turns")
    return isinstance(turns, list) and any(
        isinstance(turn, dict) and "turn_id" in turn and "responses" in turn for turn in turns
    )


def _read_turn(turn: Any, run_name: str | None) -> Turn:
    turn_id = turn.get("turn_id") if isinstance(turn, dict) else None
    match = re.fullmatch(TURN_QUERY, str(turn_id))
    if match is None:
        what = "the turn_id is null" if turn_id is None else f"turn_id {quote(turn_id)} has no turn"
        return Unreadable(what, _NO_TURN_ID), {}
    docs = _read_passages(turn)
    docs = docs.prefix(f"turn {match[0]}") if isinstance(docs, Unreadable) else docs
    return docs, {**_name_turn(match[1], match[2]), "system": run_name}


def _read_passages(turn: dict[str, Any]) -> list[str] | Unreadable:
    references = turn.get("references")
    if isinstance(references, dict):
        return rank_by_score(references)
    if isinstance(references, list):
        return read_documents(references, USUAL_PATHS)
    responses = turn.get("responses")
    if not isinstance(responses, list):
        return Unreadable("it has no responses", _IKAT_SHAPE)
    passages: list[Any] = []
    for response in responses:
        lists = [response.get(name) for name in _PROVENANCE] if isinstance(response, dict) else []
        chosen = next((entries for entries in lists if isinstance(entries, list)), None)
        if chosen is None:
            return Unreadable("a response has no passage_provenance", _IKAT_SHAPE)
        passages += chosen
    docs = read_documents(passages, USUAL_PATHS)
    return docs if isinstance(docs, Unreadable) else list(dict.fromkeys(docs))
