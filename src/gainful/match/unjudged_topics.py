"""Queries of sessions whose topic nobody judged: refused, left out, or worth nothing."""

from __future__ import annotations

import numpy as np
import polars as pl

from gainful.errors import BadInput
from gainful.read.session_layout import SessionLayout
from gainful.read.sessions import Sessions
from gainful.text import count_noun, quote


def handle_unjudged_topics(  # noqa: PLR0917  (all of one step of matching)
    frame: pl.DataFrame,
    layout: SessionLayout,
    base: pl.Series,
    sessions: Sessions,
    policy: str,
    judged: str | None,
) -> tuple[pl.DataFrame, list[str]]:
    """Queries whose topic nobody judged: refused, left out or worth nothing, as was asked for.

    Where not one was judged, `judged` is a topic that was, for the message.
    """
    missing = base.is_null().to_numpy()
    of_others = f", as there are of {quote(judged)}" if missing.all() and judged else ""
    policy = ("drop" if sessions.per_turn else "error") if policy == "auto" else policy
    if policy == "error":
        row = int(layout.query_starts[np.flatnonzero(missing)[0]])
        topic, session = frame["topic"][row], frame["session"][row]
        problem = "it has no topic" if topic is None else f"topic {quote(topic)} has no judgments"
        raise BadInput(
            sessions.name,
            f"session {quote(session)}: {problem}",
            f"judgments of every topic{of_others}; or unjudged=drop or zero",
        )
    count = int(missing.sum())
    if policy == "zero":
        return frame, [describe_unjudged(count)]
    if missing.all():
        raise nothing_judged(sessions.name, str(frame["topic"][0]), judged)
    frame = frame.filter(pl.Series(np.repeat(~missing, layout.query_lengths)))
    lost = len(layout.session_starts) - frame["session"].n_unique()
    return frame, [describe_unjudged(count, lost)]


def nothing_judged(name: str, topic: str | None = None, judged: str | None = None) -> BadInput:
    """Of sessions none of which has a topic that was judged; with an example of either."""
    problem, allowed = "not one query has judgments", "topics that were judged"
    if topic is not None and judged is not None:
        problem = f"{problem}: theirs are of topics such as {quote(topic)}"
        allowed = f"{allowed}, such as {quote(judged)}"
    return BadInput(name, problem, allowed)


def judged_by_text(name: str, topic: str | None, text: str) -> BadInput:
    """Of sessions whose judgments are of what was asked, and not of their topics."""
    return BadInput(
        name,
        f"not one topic, such as {quote(topic)}, has judgments: they are of questions, such as "
        f"{quote(text)}",
        "--columns topic=input.value for traces, topic= and the column of the text for tables",
    )


def describe_unjudged(queries: int, lost_sessions: int | None = None) -> str:
    """What became of queries whose topic nobody judged; None if they are worth nothing."""
    words = f"{count_noun(queries, 'query')} without judgments"
    if lost_sessions is None:
        return f"{words} gain nothing"
    lost = f", {count_noun(lost_sessions, 'session')} with them" if lost_sessions else ""
    return f"{words} left out{lost}; positions count the others"
