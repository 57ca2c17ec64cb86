"""A run joined to sessions: what a system returned for the last query, which their log only names.

Participants of the TREC Session Track ranked the current query of each session, in a run by the
numbers of sessions. With what the searcher was shown before, that is the whole session.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadInput
from gainful.read.qrels_and_run import Run
from gainful.read.sessions import RESULT_COLUMNS, Sessions, check_sessions
from gainful.text import count_noun, quote

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
        raise BadInput(run.name, problem, "the ids of sessions in place of those of queries")
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
    """The results of a run by session and rank: by score, equal scores as given."""
    ordered = run.frame.sort("score", descending=True, maintain_order=True)
    rank = pl.int_range(1, pl.len() + 1).over("query")
    return ordered.select(pl.col("query").alias("session"), "doc", rank=rank)
