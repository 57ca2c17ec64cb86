"""Sessions of an engine in memory: of their results, those that matter; the others are counted.

A log has far more results than judgments. So rows are those of documents that somebody judged, that
were clicked, or that the searcher graded; beside them stands one for each query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl
from attrs import frozen

from gainful.read.engine_sessions import EngineSessions
from gainful.read.session_events import find_behaviour
from gainful.read.sessions import LIST_LENGTH, NO, RESULT_COLUMNS, Sessions, count_results
from gainful.text import join_words, quote
from gainful.types import Ranks

Behaviour = Mapping[str, float | None]  # what was done → of dwell, for so many seconds at least
_KEY = ("session", "query", "rank", "doc")
_ORDER = "\0order"


@frozen(eq=False)
class FetchedPart:
    """Of some whole sessions, a row for each query, and the results that matter."""

    frame: pl.DataFrame
    varying: frozenset[str]  # what is not kept, for results of one query differ in it


def fetch_sessions(
    sessions: EngineSessions, judged_docs: pl.Series | None, behaviour: Behaviour
) -> Sessions:
    """Sessions here, of which only the results that matter are rows; all are counted."""
    if judged_docs is None and "topic" in sessions.reader.columns:  # what others say of a topic
        find = partial(find_wanted_docs, behaviour=behaviour)
        judged_docs = pl.concat(sessions.map_parts(find)).unique()
    fetch = partial(
        fetch_part,
        judged_docs=judged_docs,
        behaviour=behaviour,
        result_columns=(*RESULT_COLUMNS, *sessions.reader.actions),
    )
    parts = [*sessions.map_parts(fetch)]
    varying = sorted({name for part in parts for name in part.varying})
    frame = pl.concat([part.frame for part in parts], how="diagonal")
    flags = dict.fromkeys(("clicked", "purchased", *sessions.reader.actions))
    frame = frame[[name for name in frame.columns if name not in varying]].with_columns(
        frame[name].fill_null(value=False) for name in flags if frame.schema.get(name) == pl.Boolean
    )
    notes = [
        *sessions.notes,
        f"its rows stay in {sessions.engine.name}: only judged or clicked results were fetched",
    ]
    if varying:
        names = join_words(list(map(quote, varying)))
        notes.append(f"not kept, as results of one query differ: {names}")
    ordered = frame.sort("session", maintain_order=True)
    return Sessions(ordered, sessions.name, notes=notes, dropped_count=sessions.dropped_count)


def find_wanted_docs(sessions: Sessions, behaviour: Behaviour) -> pl.Series:
    """The documents that searchers judged, or did something to."""
    return sessions.frame["doc"].filter(_find_wanted(sessions.frame, behaviour)).unique()


def fetch_part(
    sessions: Sessions,
    judged_docs: pl.Series | None,
    behaviour: Behaviour,
    result_columns: Sequence[str],
) -> FetchedPart:
    """What matters of some whole sessions."""
    frame, layout = sessions.frame, sessions.layout
    wanted = _find_wanted(frame, behaviour)
    if judged_docs is None:  # also where the session has these documents and nobody did
        docs = frame.select("session", "doc")
        shown = docs.filter(wanted).unique().with_columns(pl.lit(value=True).alias(_ORDER))
        joined = docs.join(shown, on=["session", "doc"], how="left", maintain_order="left")
        wanted = joined[_ORDER].fill_null(value=False)
    else:
        wanted |= frame["doc"].is_in(judged_docs.implode()).fill_null(value=False)
    own = {*_KEY, *result_columns}
    own.update(_find_column(frame, name, seconds) or name for name, seconds in behaviour.items())
    number = np.repeat(np.arange(len(layout.query_starts)), layout.query_lengths)
    of_queries = [name for name in frame.columns if name not in own or name in _KEY[:2]]
    heads, varying = _find_query_values(frame[of_queries], number)
    heads = heads.with_columns(
        pl.Series(LIST_LENGTH, count_results(frame, layout)),
        pl.Series(_ORDER, 2 * layout.query_starts),
    )
    chosen = wanted.arg_true().to_numpy()
    rows = heads.drop(LIST_LENGTH)[number[chosen]].with_columns(
        *frame[[name for name in frame.columns if name in own]][chosen],
        pl.Series(_ORDER, 2 * chosen + 1),
    )
    both = pl.concat([heads, rows], how="diagonal_relaxed").sort(_ORDER).drop(_ORDER)
    rest = [name for name in both.columns if name not in _KEY]
    return FetchedPart(both[[*_KEY, *rest]], varying)


def _find_wanted(frame: pl.DataFrame, behaviour: Behaviour) -> pl.Series:
    """The results that were clicked or graded, or that something else was done to."""
    wanted = pl.Series([False]).new_from_index(0, len(frame))
    if "clicked" in frame.columns:
        wanted |= frame["clicked"].alias("")
    if "grade" in frame.columns:
        wanted |= frame["grade"].is_not_null().alias("")
    for name, seconds in behaviour.items():
        column = _find_column(frame, name, seconds)
        if column is not None:
            wanted |= _was_done(frame[column], seconds).alias("")
    return wanted.fill_null(value=False) & frame["doc"].is_not_null()


def _find_column(frame: pl.DataFrame, name: str, seconds: float | None) -> str | None:
    column = find_behaviour(name, frame.columns) if seconds is None else "seconds"
    return column if column in frame.columns else None


def _was_done(values: pl.Series, seconds: float | None) -> pl.Series:
    """Was it done? A word that is neither yes nor no is fetched, and then told."""
    if seconds is not None:
        return values >= seconds
    if values.dtype == pl.Boolean:
        return values
    if values.dtype.is_numeric():
        return values > 0
    plain = values.cast(pl.String).str.strip_chars().str.to_lowercase()
    return ~plain.is_in([*NO[:3], ""])


def _find_query_values(frame: pl.DataFrame, number: Ranks) -> tuple[pl.DataFrame, frozenset[str]]:
    """What is told of each query; and the columns in which results of one differ."""
    is_first = np.diff(number, prepend=-1) > 0
    changed = pl.all().ne_missing(pl.all().shift()) & ~pl.lit(pl.Series(is_first))
    flags = frame.select(changed.any()).row(0, named=True)
    changing = [name for name in frame.columns if flags[name]]
    numbered = frame.with_columns(pl.Series(_ORDER, number))[[_ORDER, *changing]]
    ends = numbered.group_by(_ORDER, maintain_order=True)
    low, high = ends.min(), ends.max()
    varying = frozenset(name for name in changing if (low[name] != high[name]).any())
    values = frame.filter(is_first).with_columns(low[name] for name in changing)
    return values[[name for name in frame.columns if name not in varying]], varying
