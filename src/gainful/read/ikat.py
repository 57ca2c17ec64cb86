"""Runs of TREC iKAT (and CAsT 2022) as JSON: turns with their responses and provenance.

2023 and 2024: one object with `run_name` and `turns`, each with `turn_id` and `responses`, whose
`passage_provenance` (in CAsT `provenance`) lists passages; as the track does, the lists of a
turn's responses follow one another, and a passage counts where it comes first. 2025: a line for
each turn, with `references` (passage: score) and `metadata.run_id`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gainful.read.json_records import Unreadable, read_records
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.retrievals import UNREADABLE, Flaw, Retrievals
from gainful.read.search_results import BadResults, ResultPaths, read_documents
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.read.turns import Turn, build_conversations, rank_by_score
from gainful.text import quote

_TURN_ID = re.compile(r"(.+)_([0-9]{1,15})")
_PROVENANCE = ("passage_provenance", "provenance")
_SHAPE = "turns with a turn_id such as 9-1_2, and passages in passage_provenance or references"
_NO_TURN = Flaw("turn", "a turn_id of conversation_turn, such as 9-1_2")
_NO_PASSAGES = Flaw("passages", _SHAPE)
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

    return build_conversations(iterate_turns(), retrievals, reading.policy, _SHAPE)


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
        return Turn(number, None, docs=BadResults(_NO_TURN, what))
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
