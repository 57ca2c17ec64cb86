"""Conversations: TREC runs whose query ids carry the turn, as those of CAsT and iKAT do.

106_3 is the third turn of conversation 106; each turn has judgments of its own.
"""

from __future__ import annotations

import polars as pl

from gainful.errors import BadInput, BadValue
from gainful.read import trec_files
from gainful.read.qrels_and_run import RUN
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.session_problems import flag_problem
from gainful.read.sessions import Sessions, check_sessions
from gainful.read.source import Source
from gainful.text import quote

TIES = ("doc_descending", "input")  # as trec_eval breaks them, or in the order of the file
TURN = r"^(.+)_([0-9]{1,15})$"
_EXPECTED = (
    "ids of conversation_turn, such as 106_3 or 9-1_2; a run of single queries is for gainful eval"
)


def read_conversations(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """The turns of conversations as queries of sessions."""
    ties, bad = reading.ties, reading.policy
    if ties not in (None, *TIES):
        raise BadValue("ties", ties, " or ".join(TIES))
    run = trec_files.read_rows(source, RUN).build()
    frame = _rank_turns(split_turns(run.frame), by_id=ties != "input")

    def locate(row: int) -> str:
        return run.locate(int(frame["row"][row]))

    columns = frame.select("session", "query", "rank", "doc", pl.col("id").alias("topic"))
    if run.tag:  # what the run calls itself
        columns = columns.with_columns(system=pl.lit(run.tag))
    without_turn = flag_problem(
        columns,
        frame["number"].is_null(),
        lambda index: _describe_bad_id(frame["id"][index]),
        _EXPECTED,
    )
    if len(without_turn.rows) and bad == "error":
        first = min(frame["row"].gather(without_turn.rows).to_list())  # of the file
        raise BadInput(run.locate(first), _describe_bad_id(run.frame["query"][first]), _EXPECTED)
    repeated_turns = (
        frame.group_by("session", "number")
        .agg(pl.col("id").unique())
        .filter(pl.col("id").list.len() > 1)
    )
    same = frame.join(repeated_turns, on=["session", "number"], how="left", maintain_order="left")
    ambiguous_turn = flag_problem(
        columns,
        same["id_right"].is_not_null() & frame["number"].is_not_null(),
        lambda index: (
            f"query position repeated: {' and '.join(sorted(map(quote, same['id_right'][index])))} "
            "are the same turn"
        ),
        "one id for each turn",
    )
    problems = [problem for problem in (without_turn, ambiguous_turn) if len(problem.rows)]
    return check_sessions(
        columns,
        source.name,
        locate,
        bad=bad,
        per_turn=True,
        notes=run.notes,
        reader_problems=problems,
    )


def _describe_bad_id(query_id: str) -> str:
    return f"query id {quote(query_id)} names no turn"


def split_turns(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of a run with their conversation (or the whole id) and the number of their turn."""
    parts = pl.col("query").str.extract_groups(TURN).struct
    return frame.with_row_index("row").select(
        "row",
        "doc",
        "score",
        pl.col("query").alias("id"),
        parts.field("1").fill_null(pl.col("query")).alias("session"),
        parts.field("2").cast(pl.Int64).alias("number"),
    )


def _rank_turns(frame: pl.DataFrame, *, by_id: bool) -> pl.DataFrame:
    """By conversation, as they first appear, turn and rank."""
    first = frame["session"].unique(maintain_order=True).to_frame().with_row_index("order")
    keys = {"order": False, "number": False, "score": True} | ({"doc": True} if by_id else {})
    return (
        frame.join(first, on="session", how="left", maintain_order="left")
        .sort(*keys, descending=list(keys.values()), maintain_order=True)
        .with_columns(
            rank=pl.int_range(1, pl.len() + 1).over("session", "number"),
            query=pl.col("number").rank("dense").over("session").cast(pl.Int64),
        )
        .with_columns(pl.col("query").fill_null(1))
    )


def is_conversation(source: Source) -> bool:
    """Is it a TREC run? Whether its ids name turns is found, and told, by reading it."""
    lines = [line.split() for line in source.first_lines]
    return all(len(fields) >= 6 for fields in lines) and _is_number(lines[0][4])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
