"""Which searches of traces count, and whose they are: none within another one, none twice.

A span names its trace and the span that called it. What spans say together is found for all of
them at once.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from attrs import evolve
from numpy.typing import NDArray

from gainful.read.retrievals import Flaw, Retrievals, RetrievedLists
from gainful.read.session_events import FIRST, LENGTH
from gainful.text import quote
from gainful.types import Flags

TRACE, SPAN, PARENT = "\0trace", "\0span", "\0parent"
KEYS = (TRACE, SPAN, PARENT)
OTHER_COLUMNS = {**dict.fromkeys((*KEYS, "session"), pl.String), "record": pl.Int64}
_OTHER_DOCUMENTS = Flaw("twice", "each span once")

_NESTED = (
    "retriever span within another search is part of it"
    "|retriever spans within other searches are part of them"
)
_CIRCLES = (
    "span calls itself, directly or not: it counts as a root"
    "|spans call themselves, directly or not: they count as roots"
)
_TRACES = (
    "search names no session: its trace counts as one"
    "|searches name no session: their traces count as sessions"
)
_DOUBLES = "span was exported twice, and counts once|spans were exported twice, and count once"


def choose_searches(
    retrievals: Retrievals, lists: RetrievedLists, others: pl.DataFrame
) -> RetrievedLists:
    """The searches that count, each with its session and its id.

    Args:
        retrievals: where what is found is noted.
        lists: all spans that are searches, with the columns of `KEYS`.
        others: trace, id, caller and session of spans that are none.
    """
    frame = lists.frame
    nested = _find_nested(frame, others, retrievals.notes)
    if nested.any():
        retrievals.notes[_NESTED] += int(nested.sum())
    frame = _name_sessions(frame, others).filter(pl.Series(~nested))
    frame = _drop_doubles(retrievals, evolve(lists, frame=frame))
    sound = pl.col("flaw").is_null()
    untold = len(frame.filter(sound & pl.col("session").is_null()))
    if untold:
        retrievals.notes[_TRACES] += untold
    frame = frame.with_columns(
        session=pl.coalesce("session", TRACE),
        query_id=pl.format("{}/{}", pl.col(TRACE).fill_null("None"), SPAN),
    )
    return evolve(lists, frame=frame.drop(KEYS))


def _find_nested(frame: pl.DataFrame, others: pl.DataFrame, notes: Counter[str]) -> Flags:
    """Which searches are called by another one, however indirectly?"""
    if frame[PARENT].null_count() == len(frame):
        return np.zeros(len(frame), dtype=bool)
    spans = (
        pl.concat(
            [
                frame.select(*KEYS, pl.lit(value=True).alias("searches")),
                others.select(*KEYS, pl.lit(value=False).alias("searches")),
            ]
        )
        .group_by(TRACE, SPAN, maintain_order=True)
        .agg(pl.col(PARENT).drop_nulls().last(), pl.col("searches").any())
        .filter(pl.col(SPAN).is_not_null())
        .with_row_index("caller")
    )
    callers = _number_callers(spans, spans)
    circles = _find_circles(callers)
    if len(circles):
        notes[_CIRCLES] += len(circles)
        callers[circles] = -1
    searches = np.append(spans["searches"].to_numpy(), [False])  # what none calls is called by it
    within = searches[callers]
    for _ in range(len(spans).bit_length()):
        if (callers < 0).all():
            break
        within |= np.append(within, [False])[callers]
        callers = np.append(callers, [-1])[callers]
    of_search = _number_callers(frame, spans)
    of_search[_find_own(frame, spans, circles)] = -1
    nested: Flags = searches[of_search] | np.append(within, [False])[of_search]
    return nested


def _number_callers(frame: pl.DataFrame, spans: pl.DataFrame) -> NDArray[np.int64]:
    """The number of the span that called each; -1 if it is not known."""
    named = spans.select(TRACE, pl.col(SPAN).alias(PARENT), "caller")
    joined = frame.select(TRACE, PARENT).join(
        named, on=[TRACE, PARENT], how="left", maintain_order="left", nulls_equal=True
    )
    is_called = joined[PARENT].is_not_null()
    numbers = pl.select(pl.when(is_called).then(joined["caller"])).to_series()
    return numbers.cast(pl.Int64).fill_null(-1).to_numpy().copy()


def _find_circles(callers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The spans that are called by themselves, however indirectly.

    After as many steps as there are spans only these are left: each step taken is as long as all
    before it together.
    """
    for _ in range(len(callers).bit_length()):
        if (callers < 0).all():
            break
        callers = np.append(callers, [-1])[callers]
    return np.unique(callers[callers >= 0])


def _find_own(
    frame: pl.DataFrame, spans: pl.DataFrame, numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows of searches that are some of the spans."""
    if not len(numbers):
        return np.empty(0, dtype=np.int64)
    chosen = spans[numbers].select(TRACE, SPAN, pl.lit(value=True).alias("chosen"))
    joined = frame.select(TRACE, SPAN).join(
        chosen, on=[TRACE, SPAN], how="left", maintain_order="left", nulls_equal=True
    )
    return joined["chosen"].fill_null(value=False).arg_true().to_numpy().astype(np.int64)


def _name_sessions(frame: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Searches with the session that they name, or the first that any span of their trace does."""
    if not frame["session"].null_count():
        return frame
    columns = [TRACE, "session", "record"]
    named = (
        pl.concat([others.select(columns), frame.select(columns)])
        .filter(pl.col(TRACE).is_not_null() & pl.col("session").is_not_null())
        .sort("record", maintain_order=True)
        .unique(TRACE, keep="first", maintain_order=True)
        .select(TRACE, pl.col("session").alias("named"))
    )
    joined = frame.join(named, on=TRACE, how="left", maintain_order="left")
    return joined.with_columns(session=pl.coalesce("session", "named")).drop("named")


def _drop_doubles(retrievals: Retrievals, lists: RetrievedLists) -> pl.DataFrame:
    """The searches, each once; one that comes again with other documents is told."""
    frame = lists.frame
    key = pl.struct(TRACE, SPAN)
    told_again = frame.select(
        (~key.is_first_distinct() & pl.col(SPAN).is_not_null()).alias("again")
    ).to_series()
    if not told_again.any():
        return frame
    rows = frame.with_row_index("row").filter(key.is_duplicated() & pl.col(SPAN).is_not_null())
    flaws = frame["flaw"].to_list()
    doubles: list[int] = []
    seen: dict[tuple[str | None, str], list[str] | None] = {}
    columns = ("row", TRACE, SPAN, FIRST, LENGTH, "flaw")
    for row, trace, span, first, length, flaw in rows.select(columns).iter_rows():
        docs = None if flaw is not None else lists.docs.slice(first, length).to_list()
        is_first = (trace, span) not in seen
        before = seen.setdefault((trace, span), docs)
        if is_first or before is None or docs is None:
            continue
        if before == docs:
            doubles.append(row)
        else:
            words = f"span {quote(span)}: it comes twice, with other documents"
            flaws[row] = retrievals.name_flaw(_OTHER_DOCUMENTS, words)
    if doubles:
        retrievals.notes[_DOUBLES] += len(doubles)
    kept = np.ones(len(frame), dtype=bool)
    kept[doubles] = False
    flaw = pl.Series("flaw", flaws, dtype=pl.Int64)
    return frame.with_columns(flaw).filter(pl.Series(kept))
