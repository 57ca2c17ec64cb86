"""Turns of conversations with what was retrieved for each, as RAG pipelines log them.

`{"conversation": "c1", "turn": 2, "query": …, "retrieved": […]}`, a record for each turn. Every
turn has judgments of its own: those of its `id` if it has one, else of conversation_turn, such as
c1_2.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
from attrs import evolve, frozen

from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import (
    CONVERSATION,
    DOC_LISTS,
    QUERY_TEXT,
    RETRIEVED,
    TURN,
    TURN_IDS,
    TURN_QUERY,
)
from gainful.read.json_records import Unreadable, read_records
from gainful.read.path_finder import PathFinder, find_first
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import UNREADABLE, Retrievals
from gainful.read.search_results import BadResults, ResultPaths, read_documents, read_results
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.text import quote

_LISTS = (*RETRIEVED, *DOC_LISTS)
_ROLES = {  # what a record tells of a turn, and where it stands
    "session": CONVERSATION,
    "query": TURN,
    "retrieved": _LISTS,
    "topic": TURN_IDS,
    "system": ("system",),
    "text": ("query", *QUERY_TEXT, "text", "utterance"),
}
_TOPIC = [*_ROLES].index("topic")
_SHAPE = '{"conversation": …, "turn": 1, "query": …, "retrieved": […]}'
_NO_TURN = "turns 1, 2, 3 … of each conversation, each once"
_NO_LIST = "retrieved: […], which is empty where nothing was retrieved"
_NUMBER = "\0number"  # of a turn: a column of our own
_TURN_NUMBER = re.compile(r"(?:.*_)?([0-9]{1,15})")


@frozen
class Turn:
    """One turn: whose, which, and what was retrieved or is wrong."""

    session: str | None
    docs: Sequence[str] | BadResults
    number: int = 0
    topic: str | None = None
    system: str | None = None
    text: str | None = None


TurnsOfRecord = Callable[[dict[str, Any]], Sequence[Turn]]


def is_turns(records: Sequence[dict[str, Any]]) -> bool:
    """Tells each record a conversation, a turn of it and what was retrieved?"""
    return bool(records) and all(
        any(name in record for name in CONVERSATION)
        and any(name in record for name in TURN)
        and any(isinstance(record.get(name), (list, dict)) for name in _LISTS)
        for record in records
    )


def read_turns(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions."""
    columns, has_topics = reading.columns, False
    finder = PathFinder(*(columns.names.get(role, usual) for role, usual in _ROLES.items()))
    paths = ResultPaths.from_columns(columns)

    def read_record(record: dict[str, Any]) -> list[Turn]:
        nonlocal has_topics
        values = finder.find_each(record)
        has_topics = has_topics or values[_TOPIC] is not None
        return [_read_values(values, paths)]

    sessions = _read_conversations(source, reading, read_record, _SHAPE)
    columns.refuse_absent({"topic": has_topics}, source.name)
    return sessions


def _read_conversations(
    source: Source, reading: ReadOptions, read_record: TurnsOfRecord, expected: str
) -> Sessions:
    """Conversations of turns in whatever order; every turn has judgments of its own."""
    file = read_records(source)
    retrievals = Retrievals(source.name, file.locate, labels=("topic", "system"))
    numbers = array("q")
    for record_number, record in file.records:
        if isinstance(record, Unreadable):
            retrievals.add_flaw(record_number, UNREADABLE, record.problem)
            numbers.append(0)
            continue
        for turn in read_record(record):
            numbers.append(turn.number)
            if isinstance(turn.docs, BadResults):
                flaw = turn.docs
                retrievals.add_flaw(record_number, flaw.expected, flaw.words, turn.session)
                continue
            retrievals.add(
                record_number,
                session=turn.session,
                query_id=f"{turn.session}_{turn.number}",
                docs=turn.docs,
                text=turn.text,
                topic=turn.topic,
                system=turn.system,
            )
    lists = retrievals.to_lists()
    frame = lists.frame.with_columns(pl.Series(_NUMBER, numbers, dtype=pl.Int64))
    frame = _refuse_repeats(frame.sort(_NUMBER, maintain_order=True), retrievals)
    lists = evolve(lists, frame=frame.drop(_NUMBER))
    events = retrievals.to_events(expected, reading.columns, lists)
    return evolve(build_sessions(events, bad=reading.policy), per_turn=True)


def _refuse_repeats(frame: pl.DataFrame, retrievals: Retrievals) -> pl.DataFrame:
    """Turns by number; a repeated one is reported."""
    sound = frame.with_row_index("row").filter(pl.col("flaw").is_null())
    again = sound.filter(~pl.struct("session", _NUMBER).is_first_distinct())
    repeated = again.select("row", _NUMBER).iter_rows()
    flaws = {row: f"turn {number} comes twice" for row, number in repeated}
    return retrievals.mark_flaws(frame, _NO_TURN, flaws) if flaws else frame


def _read_values(values: Sequence[Any], paths: ResultPaths) -> Turn:
    """The turn of a record, from what stands at the paths of `_ROLES`."""
    session, turn, retrieved, topic, system, text = values
    if session is None or not str(session):
        return Turn(None, BadResults(_SHAPE, "the conversation is null"))
    match = _TURN_NUMBER.fullmatch(str(turn))
    if match is None or isinstance(turn, float):
        what = "the turn is null" if turn is None else f"turn {quote(turn)} is not an integer"
        return Turn(str(session), BadResults(_NO_TURN, what))
    if retrieved is None:
        docs: list[str] | BadResults = BadResults(_NO_LIST, f"turn {turn} has no list of documents")
    elif isinstance(retrieved, dict):
        docs = rank_by_score(retrieved)
    else:
        docs = read_results(retrieved, paths)
    topic = f"{session}_{match[1]}" if topic is None else str(topic)
    system, text = (None if value is None else str(value) for value in (system, text))
    return Turn(str(session), docs, int(match[1]), topic, system, text)


def rank_by_score(scores: dict[str, Any]) -> list[str] | BadResults:
    """Documents with scores, the best first; those of one score as they came."""
    for doc, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or score != score:  # noqa: PLR0124
            words = f"score {quote(score)} of document {quote(doc)} is not a number"
            return BadResults(_NO_LIST, words)
    return sorted(scores, key=lambda doc: -scores[doc])


_PROVENANCE = ("passage_provenance", "provenance")
_IKAT_SHAPE = "turns with a turn_id such as 9-1_2, and passages in passage_provenance or references"
_NO_TURN_ID = "a turn_id of conversation_turn, such as 9-1_2"
_PATHS = ResultPaths()


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
        return Turn(None, BadResults(_NO_TURN_ID, what))
    docs = _read_passages(turn)
    if isinstance(docs, BadResults):
        docs = BadResults(docs.expected, f"turn {match[0]}: {docs.words}")
    return Turn(match[1], docs, int(match[2]), match[0], run_name)


def _read_passages(turn: dict[str, Any]) -> list[str] | BadResults:
    references = turn.get("references")
    if isinstance(references, dict):
        return rank_by_score(references)
    if isinstance(references, list):
        return read_documents(references, _PATHS)
    responses = turn.get("responses")
    if not isinstance(responses, list):
        return BadResults(_IKAT_SHAPE, "it has no responses")
    passages: list[Any] = []
    for response in responses:
        lists = [response.get(name) for name in _PROVENANCE] if isinstance(response, dict) else []
        chosen = next((entries for entries in lists if isinstance(entries, list)), None)
        if chosen is None:
            return BadResults(_IKAT_SHAPE, "a response has no passage_provenance")
        passages += chosen
    docs = read_documents(passages, _PATHS)
    return docs if isinstance(docs, BadResults) else list(dict.fromkeys(docs))
