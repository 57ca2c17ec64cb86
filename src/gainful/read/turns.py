"""Turns of conversations with what was retrieved for each, as RAG pipelines log them.

`{"conversation": "c1", "turn": 2, "query": …, "retrieved": […]}`, a record for each turn. Every
turn has judgments of its own: those of its `id` if it has one, else of conversation_turn, such as
c1_2.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    ColumnMapping,
)
from gainful.read.json_records import Unreadable, read_records
from gainful.read.path_finder import PathFinder, find_first
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import UNREADABLE, Retrievals
from gainful.read.search_results import BadResults, ResultPaths, read_documents, read_results
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.text import quote

_TEXT = ("query", *QUERY_TEXT, "text", "utterance")
_LISTS = (*RETRIEVED, *DOC_LISTS)
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
    labels: tuple[str | None, ...] = ()  # topic and system
    text: str | None = None


TurnsOfRecord = Callable[[dict[str, Any]], Iterable[Turn]]


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
    reader = _TurnReader(reading.columns)
    sessions = _read_conversations(source, reading, reader.read_record, _SHAPE)
    reading.columns.refuse_absent({"topic": reader.has_topics}, source.name)
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
                retrievals.add_flaw(
                    record_number, turn.docs.expected, turn.docs.words, turn.session
                )
                continue
            retrievals.add(
                record_number,
                session=turn.session,
                query_id=f"{turn.session}_{turn.number}",
                docs=turn.docs,
                text=turn.text,
                **dict(zip(("topic", "system"), turn.labels, strict=False)),
            )
    lists = retrievals.to_lists()
    frame = lists.frame.with_columns(pl.Series(_NUMBER, numbers, dtype=pl.Int64))
    frame = _refuse_repeats(frame.sort(_NUMBER, maintain_order=True), retrievals)
    lists = evolve(lists, frame=frame.drop(_NUMBER))
    sessions = build_sessions(
        retrievals.to_events(expected, reading.columns, lists), bad=reading.policy
    )
    return evolve(sessions, per_turn=True)


def _refuse_repeats(frame: pl.DataFrame, retrievals: Retrievals) -> pl.DataFrame:
    """Turns by number; a repeated one is reported."""
    sound = frame.with_row_index("row").filter(pl.col("flaw").is_null())
    again = sound.filter(~pl.struct("session", _NUMBER).is_first_distinct())
    repeated = again.select("row", _NUMBER).iter_rows()
    flaws = {row: f"turn {number} comes twice" for row, number in repeated}
    return retrievals.mark_flaws(frame, _NO_TURN, flaws) if flaws else frame


class _TurnReader:
    """How a record becomes a turn."""

    def __init__(self, columns: ColumnMapping) -> None:
        self.has_topics = False  # of their own
        names = columns.names
        usual = {
            "session": CONVERSATION,
            "query": TURN,
            "retrieved": _LISTS,
            "topic": TURN_IDS,
            "system": ("system",),
            "text": _TEXT,
        }
        self._finder = PathFinder(*(names.get(role, paths) for role, paths in usual.items()))
        self._paths = ResultPaths.from_columns(columns)

    def read_record(self, record: dict[str, Any]) -> Iterator[Turn]:
        """The turn that a record is."""
        session, turn, retrieved, topic, system, text = self._finder.find_each(record)
        if session is None or not str(session):
            yield Turn(None, BadResults(_SHAPE, "the conversation is null"))
            return
        match = _TURN_NUMBER.fullmatch(str(turn))
        if match is None or isinstance(turn, float):
            what = "the turn is null" if turn is None else f"turn {quote(turn)} is not an integer"
            yield Turn(str(session), BadResults(_NO_TURN, what))
            return
        if retrieved is None:
            docs: list[str] | BadResults = BadResults(
                _NO_LIST, f"turn {turn} has no list of documents"
            )
        elif isinstance(retrieved, dict):
            docs = rank_by_score(retrieved)
        else:
            docs = read_results(retrieved, self._paths)
        self.has_topics = self.has_topics or topic is not None
        labels = (
            f"{session}_{match[1]}" if topic is None else str(topic),
            None if system is None else str(system),
        )
        words = None if text is None else str(text)
        yield Turn(str(session), docs, int(match[1]), labels, words)


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


def _read_run(record: dict[str, Any]) -> Iterator[Turn]:
    turns = record.get("turns")
    name = find_first(record, ("run_name", "metadata.run_id"))
    for turn in turns if isinstance(turns, list) else [record]:
        yield _read_turn(turn, str(name or "") or None)


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
    return Turn(match[1], docs, int(match[2]), (match[0], run_name))


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
