"""Conversations: TREC runs whose query ids carry the turn, as those of CAsT and iKAT do.

106_3 is the third turn of conversation 106; each turn has judgments of its own.
"""

from __future__ import annotations

import polars as pl

from gainful.errors import BadInput, BadValue, shown
from gainful.read import trec_files
from gainful.read.session_problems import given
from gainful.read.sessions import Bad, Sessions, checked
from gainful.read.source import Source

TIES = ("doc_descending", "input")  # as trec_eval breaks them, or in the order of the file
_TURN = r"^(.+)_([0-9]{1,15})$"
_EXPECTED = "ids of conversation_turn, such as 106_3 or 9-1_2"


def read(source: Source, bad: Bad = "error", ties: str | None = None) -> Sessions:
    """The turns of conversations as queries of sessions.

    Args:
        source: a TREC run.
        bad: refuse conversations that are not as they should be, or leave them out and say so.
        ties: how results of equal score are ordered: by document id, descending
            (`doc_descending`, the default, as trec_eval does), or as they came (`input`).
    """
    if ties not in (None, *TIES):
        raise BadValue("ties", ties, " or ".join(TIES))
    run = trec_files.run(source)
    frame = _ranked(turns(run.frame), by_id=ties != "input")

    def where(row: int) -> str:
        return run.place(int(frame["row"][row]))

    columns = frame.select("session", "query", "rank", "doc", pl.col("id").alias("topic"))
    if run.tag:  # what the run calls itself
        columns = columns.with_columns(system=pl.lit(run.tag))
    lost = given(columns, frame["number"].is_null(), lambda at: _told(frame["id"][at]), _EXPECTED)
    if len(lost.rows) and bad == "error":
        first = min(frame["row"].gather(lost.rows).to_list())  # of the file
        raise BadInput(run.place(first), _told(run.frame["query"][first]), _EXPECTED)
    twice = (
        frame.group_by("session", "number")
        .agg(pl.col("id").unique())
        .filter(pl.col("id").list.len() > 1)
    )
    same = frame.join(twice, on=["session", "number"], how="left", maintain_order="left")
    repeated = given(
        columns,
        same["id_right"].is_not_null() & frame["number"].is_not_null(),
        lambda at: (
            f"query position repeated: {' and '.join(sorted(map(shown, same['id_right'][at])))} "
            "are the same turn"
        ),
        "one id for each turn",
    )
    wrong = [one for one in (lost, repeated) if len(one.rows)]
    return checked(
        columns, source.name, where, bad=bad, per_turn=True, notes=run.notes, wrong=wrong
    )


def _told(turn: str) -> str:
    return f"query id {shown(turn)} names no turn"


def turns(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of a run with their conversation (or the whole id) and the number of their turn."""
    parts = pl.col("query").str.extract_groups(_TURN).struct
    return frame.with_row_index("row").select(
        "row",
        "doc",
        "score",
        pl.col("query").alias("id"),
        parts.field("1").fill_null(pl.col("query")).alias("session"),
        parts.field("2").cast(pl.Int64).alias("number"),
    )


def _ranked(frame: pl.DataFrame, *, by_id: bool) -> pl.DataFrame:
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


def fits(source: Source) -> bool:
    """Is it a TREC run? Whether its ids name turns is found, and told, by reading it."""
    lines = [line.split() for line in source.first_lines()]
    return all(len(fields) >= 6 for fields in lines) and _is_number(lines[0][4])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
