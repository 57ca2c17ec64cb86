"""Turns of conversations with what was retrieved for each, as RAG pipelines log them.

`{"conversation": "c1", "turn": 2, "query": …, "retrieved": […]}`, a record for each turn. Every
turn has judgments of its own: those of its `id` if it has one, else of conversation_turn, such as
c1_2.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl
from attrs import evolve, field, frozen

from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import (
    CONVERSATION,
    DOC_LISTS,
    QUERY_TEXT,
    RETRIEVED,
    TURN,
    TURN_IDS,
    ColumnMapping,
)
from gainful.read.json_records import Unreadable, read_records
from gainful.read.path_finder import PathFinder
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import UNREADABLE, Flaw, Retrievals
from gainful.read.search_results import BadResults, ResultPaths, read_documents, read_results
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.source import Source
from gainful.text import quote

_TEXT = ("query", *QUERY_TEXT, "text", "utterance")
_LISTS = (*RETRIEVED, *DOC_LISTS)
_SHAPE = '{"conversation": …, "turn": 1, "query": …, "retrieved": […]}'
_NO_CONVERSATION = Flaw("conversation", _SHAPE)
_NO_TURN = Flaw("turn", "turns 1, 2, 3 … of each conversation, each once")
_NO_LIST = Flaw("retrieved", "retrieved: […], which is empty where nothing was retrieved")
_NUMBER = "\0number"  # of a turn: a column of our own
_TURN_NUMBER = re.compile(r"(?:.*_)?([0-9]{1,15})")


@frozen
class Turn:
    """One turn: whose, which, where it stands, and what was retrieved or is wrong."""

    record: int
    session: str | None
    number: int = 0
    docs: Sequence[str] | BadResults = ()
    values: dict[str, Any] = field(factory=dict)  # text and labels: topic and system


def is_turns(records: Sequence[dict[str, Any]]) -> bool:
    """Tells each record a conversation, a turn of it and what was retrieved?"""
    return bool(records) and all(
        any(name in record for name in CONVERSATION)
        and any(name in record for name in TURN)
        and any(isinstance(record.get(name), (list, dict)) for name in _LISTS)
        for record in records
    )


def read_turns(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions.

    Args:
        source: JSON lines, JSON or Parquet.
        reading: `columns` says where conversations, turns, texts, lists and ids stand, as paths.
    """
    file = read_records(source)
    retrievals = Retrievals(source.name, file.locate, labels=("topic", "system"))
    reader = _TurnReader(reading.columns)
    turns = (
        Turn(number, None, docs=BadResults(UNREADABLE, record.problem))
        if isinstance(record, Unreadable)
        else reader.read_turn(number, record)
        for number, record in file.records
    )
    return build_conversations(turns, retrievals, reading.policy, _SHAPE)


def build_conversations(
    turns: Iterable[Turn], retrievals: Retrievals, bad: BadPolicy, expected: str
) -> Sessions:
    """Conversations of turns in whatever order; every turn has judgments of its own."""
    numbers = array("q")
    for turn in turns:
        numbers.append(turn.number)
        if isinstance(turn.docs, BadResults):
            retrievals.add_flaw(turn.record, turn.docs.flaw, turn.docs.words, turn.session)
            continue
        retrievals.add(
            turn.record,
            session=turn.session,
            query_id=f"{turn.session}_{turn.number}",
            docs=turn.docs,
            **turn.values,
        )
    lists = retrievals.to_lists()
    frame = lists.frame.with_columns(pl.Series(_NUMBER, numbers, dtype=pl.Int64))
    frame = _refuse_repeats(frame.sort(_NUMBER, maintain_order=True), retrievals)
    lists = evolve(lists, frame=frame.drop(_NUMBER))
    sessions = build_sessions(retrievals.to_events(expected, lists), bad=bad)
    return evolve(sessions, per_turn=True)


def _refuse_repeats(frame: pl.DataFrame, retrievals: Retrievals) -> pl.DataFrame:
    """Turns by number; one that its conversation has already is told as wrong."""
    sound = frame.with_row_index("row").filter(pl.col("flaw").is_null())
    again = sound.filter(~pl.struct("session", _NUMBER).is_first_distinct())
    if not len(again):
        return frame
    flaws = frame["flaw"].to_list()
    for row, number in again.select("row", _NUMBER).iter_rows():
        flaws[row] = retrievals.name_flaw(_NO_TURN, f"turn {number} comes a second time")
    return frame.with_columns(pl.Series("flaw", flaws, dtype=pl.Int64))


class _TurnReader:
    """How a record becomes a turn."""

    def __init__(self, columns: ColumnMapping) -> None:
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

    def read_turn(self, number: int, record: dict[str, Any]) -> Turn:
        """One record as a turn."""
        session, turn, retrieved, topic, system, text = self._finder.find_each(record)
        if session is None or not str(session):
            flaw = BadResults(_NO_CONVERSATION, "the conversation is null")
            return Turn(number, None, docs=flaw)
        match = _TURN_NUMBER.fullmatch(str(turn))
        if match is None or isinstance(turn, float):
            what = "the turn is null" if turn is None else f"turn {quote(turn)} is no whole number"
            return Turn(number, str(session), docs=BadResults(_NO_TURN, what))
        if retrieved is None:
            docs: list[str] | BadResults = BadResults(
                _NO_LIST, f"turn {turn} has no list of documents"
            )
        elif isinstance(retrieved, dict):
            docs = rank_by_score(retrieved)
        else:
            docs = read_results(retrieved, self._paths)
        labels = (
            f"{session}_{match[1]}" if topic is None else str(topic),
            None if system is None else str(system),
        )
        values = {"text": None if text is None else str(text), "labels": labels}
        return Turn(number, str(session), int(match[1]), docs, values)


def rank_by_score(scores: dict[str, Any]) -> list[str] | BadResults:
    """Documents with scores, the best first; those of one score as they came."""
    for doc, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or score != score:  # noqa: PLR0124
            words = f"score {quote(score)} of document {quote(doc)} is not a number"
            return BadResults(_NO_LIST, words)
    return sorted(scores, key=lambda doc: -scores[doc])


_TURN_ID = re.compile(r"(.+)_([0-9]{1,15})")
_PROVENANCE = ("passage_provenance", "provenance")
_IKAT_SHAPE = "turns with a turn_id such as 9-1_2, and passages in passage_provenance or references"
_NO_TURN_ID = Flaw("turn", "a turn_id of conversation_turn, such as 9-1_2")
_NO_PASSAGES = Flaw("passages", _IKAT_SHAPE)
_PATHS = ResultPaths()


def is_ikat(records: Sequence[dict[str, Any]]) -> bool:
    """Is it a run of iKAT, of whichever year?"""
    return any(
        _is_run(record) or ("turn_id" in record and isinstance(record.get("references"), dict))
        for record in records
    )


def read_ikat(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions, judged turn by turn."""
    file = read_records(source)
    retrievals = Retrievals(source.name, file.locate, labels=("topic", "system"))

    def iterate_turns() -> Iterator[Turn]:
        for number, record in file.records:
            if isinstance(record, Unreadable):
                yield Turn(number, None, docs=BadResults(UNREADABLE, record.problem))
            elif isinstance(record.get("turns"), list):
                name = str(record.get("run_name") or "")
                for entry in record["turns"]:
                    yield _read_turn(number, entry, name)
            else:
                metadata = record.get("metadata")
                run_id = metadata.get("run_id") if isinstance(metadata, dict) else None
                yield _read_turn(number, record, str(run_id or ""))

    return build_conversations(iterate_turns(), retrievals, reading.policy, _IKAT_SHAPE)


def _is_run(record: dict[str, Any]) -> bool:
    turns = record.get("turns")
    return isinstance(turns, list) and any(
        isinstance(turn, dict) and "turn_id" in turn and "responses" in turn for turn in turns
    )


def _read_turn(number: int, turn: Any, run_name: str) -> Turn:
    """One turn of a run."""
    turn_id = turn.get("turn_id") if isinstance(turn, dict) else None
    match = _TURN_ID.fullmatch(str(turn_id))
    if match is None:
        what = (
            "the turn_id is null" if turn_id is None else f"turn_id {quote(turn_id)} names no turn"
        )
        return Turn(number, None, docs=BadResults(_NO_TURN_ID, what))
    docs = _read_passages(turn)
    if isinstance(docs, BadResults):
        docs = BadResults(docs.flaw, f"turn {match[0]}: {docs.words}")
    labels = (match[0], run_name or None)
    return Turn(number, match[1], int(match[2]), docs, {"labels": labels})


def _read_passages(turn: dict[str, Any]) -> list[str] | BadResults:
    """The passages of a turn in rank order."""
    references = turn.get("references")
    if isinstance(references, dict):
        return rank_by_score(references)
    if isinstance(references, list):
        return read_documents(references, _PATHS)
    responses = turn.get("responses")
    if not isinstance(responses, list):
        return BadResults(_NO_PASSAGES, "it has no responses")
    passages: list[Any] = []
    for response in responses:
        lists = [response.get(name) for name in _PROVENANCE] if isinstance(response, dict) else []
        chosen = next((entries for entries in lists if isinstance(entries, list)), None)
        if chosen is None:
            return BadResults(_NO_PASSAGES, "a response has no passage_provenance")
        passages += chosen
    docs = read_documents(passages, _PATHS)
    return docs if isinstance(docs, BadResults) else list(dict.fromkeys(docs))
