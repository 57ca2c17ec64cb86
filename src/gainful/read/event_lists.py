"""Which list of results an event of a log belongs to: queries in order, and what was done."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gainful.read.session_events import ASKED, FIRST, LENGTH, SessionEvents
from gainful.read.session_layout import has_repeats, mark_changes

# Columns of our own beside the user's: no text can have such a name.
ROW, ORDER, LIST, SESSION = "\0row", "\0order", "\0list", "\0session"
RESULT = "\0result"  # which of the rows that were shown something was done to


def order_events(frame: pl.DataFrame, opens: pl.Expr) -> pl.DataFrame:
    """Events by session as each first appears, time and row; first what was shown, then done."""
    return (
        frame.with_columns(pl.col(ROW).min().over("session").alias(SESSION), (~opens).alias(ORDER))
        .sort(SESSION, "time", ORDER, ROW)
        .with_columns(pl.int_range(pl.len()).alias(ORDER))
    )


def find_ties(opening: pl.DataFrame, events: SessionEvents) -> pl.Series:
    """The sessions of which times do not tell the order of lists, where rows have none."""
    if events.tells("position") or not (events.tells("time") and events.tells("rank")):
        return opening["session"].clear()
    if events.tells("query_id"):
        firsts = opening.group_by("session", "query_id").agg(pl.col("time").min())
        return firsts.filter(pl.struct("session", "time").is_duplicated())["session"].unique()
    ranked = opening.filter(pl.col("rank").is_not_null())
    twice = ranked.filter(pl.struct("session", "time", "rank").is_duplicated())["session"]
    texts = opening.group_by("session", "time").agg(pl.col("text").n_unique().alias("texts"))
    return pl.concat([twice, texts.filter(pl.col("texts") > 1)["session"]]).unique()


def number_queries(opening: pl.DataFrame, events: SessionEvents) -> pl.DataFrame:
    """Rows that show results or ask a query, by session and query, with the number of each.

    A position that is given counts. Else queries are in the order in which they began: those of one
    id, or those of one text until another comes or the list begins anew.
    """
    if events.tells("position"):
        return opening.with_columns(query=pl.col("position")).sort(
            SESSION, "query", ORDER, maintain_order=True
        )
    if events.tells("query_id"):
        first = pl.col(ORDER).min().over("session", "query_id")
        opening = opening.with_columns(first.alias(LIST)).sort(SESSION, LIST, ORDER)
    else:
        place = "rank" if events.tells("rank") else "doc"
        opening = opening.with_columns(pl.Series(LIST, _split_lists(opening, place)))
    new_session = mark_changes(opening["session"])
    number = np.cumsum(new_session | mark_changes(opening[LIST]))
    before = number[new_session] - 1
    query: NDArray[np.int64] = number - np.repeat(
        before, np.diff(np.flatnonzero(new_session), append=len(number))
    )
    return opening.with_columns(query=pl.Series(query, dtype=pl.Int64))


def drop_repeated_docs(opening: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Lists with each document once, where it stands first; and how many results are left out.

    What was done to any of them was done to the document. Ranks behind a result that is left out
    are one less, as if it had not been shown.
    """
    shown = opening.filter(pl.col("doc").is_not_null())
    begins = mark_changes(shown["session"]) | mark_changes(shown["query"])
    lengths = np.diff(np.flatnonzero(begins), append=len(shown))
    if not has_repeats(shown["doc"], lengths):
        return opening, 0
    a_list, of_doc = ["session", "query"], ["session", "query", "doc"]
    flags = [name for name, kind in opening.schema.items() if kind == pl.Boolean]
    first = pl.col(ORDER).sort_by("rank", ORDER).first().over(of_doc)
    is_first = (pl.col(ORDER) == first) | pl.col("doc").is_null()
    marked = opening.with_columns(is_first.alias(RESULT)).with_columns(
        *(pl.col(name).max().over(of_doc).alias(name) for name in flags),
        pl.when(pl.col("seconds").count().over(of_doc) > 0).then(
            pl.col("seconds").sum().over(of_doc)
        ),
    )
    is_gone = ~pl.col(RESULT).any().over(*a_list, "rank")
    is_gone &= pl.struct(*a_list, "rank").is_first_distinct()
    missing = is_gone.cast(pl.Int64).cum_sum().over(a_list, order_by="rank")
    kept = marked.with_columns(pl.col("rank") - missing).filter(RESULT).drop(RESULT)
    return kept, len(opening) - len(kept)


def _split_lists(opening: pl.DataFrame, place: str) -> NDArray[np.int64]:
    """A number for each list: another begins with another text, or where a rank comes again."""
    block = np.cumsum(mark_changes(opening["session"]) | mark_changes(opening["text"]))
    hashes = opening[place].hash(1).to_numpy().copy()
    hashes[(opening["event"] == ASKED).to_numpy()] = 0
    codes = np.unique(hashes, return_inverse=True)[1]
    again = _count_before(block * (int(codes.max()) + 1) + codes)
    if not again.any():
        return np.asarray(block, dtype=np.int64)
    step = int(again.max()) + 1  # blocks stand one after the other: one running maximum for all
    latest = np.maximum.accumulate(block * step + again)
    return np.cumsum(np.diff(latest, prepend=-1) != 0)


def _count_before(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.argsort(keys, kind="stable")
    begins = np.diff(keys[order], prepend=-1) != 0
    starts = np.flatnonzero(begins)
    counts = np.empty(len(keys), dtype=np.int64)
    counts[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))
    return counts


def attach_actions(
    actions: pl.DataFrame, results: pl.DataFrame, events: SessionEvents
) -> pl.DataFrame:
    """What was done, each with the number of the result it was done to; null if none was shown.

    It is the last before it in its session with the same document, of the same query where the
    event says which; `has_query` is false where it does not.
    """
    key = "query_id" if events.tells("query_id") else "text"
    actions = actions.with_columns(has_query=pl.col(key).is_not_null())
    used = actions.select("session", "doc")
    shown = (
        results.select("session", key, "doc", ORDER, RESULT)
        .join(used, on=["session", "doc"], how="semi")
        .sort(ORDER)
    )
    by = {True: ["session", key, "doc"], False: ["session", "doc"]}
    parts = [
        actions.filter(pl.col("has_query") == has_query)
        .sort(ORDER)
        .join_asof(
            shown.select(*by[has_query], ORDER, RESULT),
            on=ORDER,
            by=by[has_query],
            check_sortedness=False,
        )
        for has_query in (True, False)
    ]
    return pl.concat(parts)


def spread_lists(
    lists: pl.DataFrame, docs: pl.Series, grades: pl.Series | None = None
) -> pl.DataFrame:
    """A row for each result of whole lists; one without a document for a list that is empty.

    Args:
        lists: a row for each, which says which of the documents are its results.
        docs: those of all lists together.
        grades: of these documents, if there are any.
    """
    first, length = (lists[name].to_numpy() for name in (FIRST, LENGTH))
    row_counts = np.maximum(length, 1)
    number = np.repeat(np.arange(len(lists), dtype=np.uint32), row_counts)
    rank = np.arange(1, len(number) + 1) - np.repeat(np.cumsum(row_counts) - row_counts, row_counts)
    place = np.repeat(first, row_counts) + rank - 1
    if length.all():
        doc, ranks = docs.gather(place), pl.Series(rank)
    else:
        shown = pl.Series(np.repeat(length > 0, row_counts))
        all_docs = pl.concat([docs, pl.Series([None], dtype=pl.String)])  # for lists at the end
        chosen = pl.select(
            pl.when(shown).then(all_docs.gather(place)).alias("doc"),
            pl.when(shown).then(pl.Series(rank)).alias("rank"),
        )
        doc, ranks = chosen["doc"], chosen["rank"]
    rest = lists.drop("rank", "doc", FIRST, LENGTH, SESSION, LIST, strict=False)
    keys = ("query_id", "text")  # by which what was done is joined
    known = [name for name in rest.columns if name in keys or rest[name].null_count() < len(rest)]
    columns = [doc.alias("doc"), ranks.alias("rank")]
    if grades is not None:
        all_grades = pl.concat([grades, pl.Series([None], dtype=pl.Float64)])
        of_docs = pl.when(doc.is_not_null()).then(all_grades.gather(place)).alias("grade")
        columns.append(pl.select(of_docs).to_series())
    return rest[known][number].with_columns(columns)
