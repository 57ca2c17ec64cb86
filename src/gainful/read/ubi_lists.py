"""The lists of a log of UBI: hits of queries, or impressions, and what was done to them.

Where a query lists no hits, its impressions in the order of their positions are its list.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl
from attrs import frozen

from gainful.read.session_events import ASKED, FIRST, LENGTH, SHOWN, SHOWN_TWICE
from gainful.read.session_layout import has_repeats
from gainful.text import count_noun, join_words

_SCROLLING = timedelta(seconds=1)  # between impressions of what is seen at once there is less
_UNNAMED = pl.format("\0{}", pl.col("row"))


@frozen(eq=False)
class UbiLog:
    """Queries and events of all files together; `row` says where each stands."""

    queries: pl.DataFrame
    events: pl.DataFrame


def split_queries(log: UbiLog) -> tuple[UbiLog, list[str]]:
    """The log with a `query_id` for each text under a `logged_id`; and notes of what it did.

    An event is of the search with its text, or else of one that lists its document; of several,
    of the latest before it.
    """
    named = log.queries.filter(pl.col("query_id").is_not_null())
    texts = named.select("query_id", "text").drop_nulls().unique()
    retyped = texts.filter(pl.col("query_id").is_duplicated())["query_id"]
    searches = named.filter(
        pl.col("query_id").is_in(retyped.implode()) & pl.col("text").is_not_null()
    ).select(
        "query_id",
        pl.format("{}\0{}", "query_id", "text").alias("own_id"),
        pl.col("text", "hits", "time").name.suffix("_asked"),
    )

    def name_searches(rows: pl.DataFrame) -> pl.DataFrame:
        is_listed = pl.col("hits_asked").list.contains(pl.col("doc")).fill_null(value=False)
        chosen = (
            rows.select("row", "query_id", "text", "doc", "time")
            .join(searches, on="query_id")
            .sort(
                pl.col("row"),
                pl.col("text") != pl.col("text_asked"),
                ~is_listed,
                pl.col("time") < pl.col("time_asked"),
                (pl.col("time") - pl.col("time_asked")).abs(),
                nulls_last=True,
            )
            .unique("row", keep="first", maintain_order=True)
        )
        rows = rows.join(
            chosen.select("row", "own_id"), on="row", how="left", maintain_order="left"
        )
        query_id = pl.coalesce("own_id", "query_id")
        return rows.with_columns(logged_id="query_id", query_id=query_id).drop("own_id")

    log = UbiLog(name_searches(log.queries), name_searches(log.events))
    others = len(retyped) - retyped.n_unique()
    repeats = len(named) - log.queries["query_id"].drop_nulls().n_unique()
    notes = []
    if others:
        words = count_noun(others, "query has", "queries have")
        notes.append(f"{words} the query_id of another text, as if retyped: counted separately")
    if repeats:
        words = count_noun(repeats, "query record repeats", "query records repeat")
        notes.append(f"{words} the query_id and text of another (pages, facets): merged")
    return log, notes


def build_lists(log: UbiLog) -> tuple[pl.DataFrame, pl.Series | None, list[str]]:
    """Rows of what was shown, and of what was done; and what is to be said of them.

    Where every query has its hits, and each once, a row is a whole list, and all documents stand
    beside the rows.
    """
    listed = log.queries.filter(pl.col("hits").list.len() > 0)["query_id"].unique()
    is_listed = pl.col("query_id").is_in(listed.implode())
    impressions = log.events.filter((pl.col("event") == SHOWN) & pl.col("doc").is_not_null())
    unlisted, seen = impressions.filter(~is_listed), impressions.filter(is_listed)
    docs: pl.Series | None = None
    notes: list[str] = []
    whole = None if len(unlisted) else _keep_whole_lists(log.queries)
    if whole is not None:
        shown, docs = whole
    else:
        shown, notes = _spread_hits(log.queries, unlisted)
    if len(seen):
        shown, more = _fill_scanned(shown, docs, seen, log.events)
        notes += more
    actions, action_notes = _choose_actions(log.events, shown)
    return pl.concat([shown, actions], how="diagonal"), docs, [*notes, *action_notes]


def _fill_scanned(
    shown: pl.DataFrame, docs: pl.Series | None, seen: pl.DataFrame, events: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """Lists with how deep searchers looked, if impressions fire when a result comes into view.

    They do if some of a list come a second after others, and some lists have results without one.
    What was seen, or anything was done to, must run from rank 1 without a gap.
    """
    times = seen.group_by("query_id").agg(pl.col("time").max() - pl.col("time").min())["time"]
    ranked = shown.select("query_id", "doc", "rank") if docs is None else _rank_docs(shown, docs)
    touched = events.filter(pl.col("doc").is_not_null()).select("query_id", "doc").unique()
    depths = (
        ranked.join(touched, on=["query_id", "doc"])
        .join(seen.select("query_id").unique(), on="query_id", how="semi")
        .group_by("query_id")
        .agg(pl.col("rank").max().alias("scanned"), pl.len())
        .filter(pl.col("scanned") == pl.col("len"))
        .select("query_id", pl.col("scanned").cast(pl.Float64))
    )
    lengths = ranked.group_by("query_id").agg(pl.col("rank").max())
    is_short = depths.join(lengths, on="query_id").select(pl.col("scanned") < pl.col("rank"))
    if not (times >= _SCROLLING).any() or not is_short.to_series().any():
        return shown, []
    number = shown["query_id"].n_unique() - len(depths)
    note = f"how deep searchers looked (scanned): impressions show it for {len(depths)}"
    note += f" of {count_noun(len(depths) + number, 'query')}"
    return shown.join(depths, on="query_id", how="left", maintain_order="left"), [note]


def _rank_docs(lists: pl.DataFrame, docs: pl.Series) -> pl.DataFrame:
    rows = lists.filter(pl.col(LENGTH) > 0)
    counts = pl.col(LENGTH).cast(pl.UInt32)
    return rows.select(
        pl.col("query_id").repeat_by(counts).explode(),
        pl.int_ranges(1, pl.col(LENGTH) + 1).explode().alias("rank"),
    ).with_columns(doc=docs)


def _keep_whole_lists(queries: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series] | None:
    """A row for each query, and the documents of all; None if one comes twice, or its hits do."""
    named = queries["query_id"].drop_nulls()
    if not len(queries) or named.n_unique() < len(named):
        return None
    lengths = queries["hits"].list.len().fill_null(0).cast(pl.Int64)
    docs = queries["hits"].filter(lengths > 0).explode()
    if has_repeats(docs, lengths.filter(lengths > 0).to_numpy()):
        return None
    lists = queries.drop("doc", "hits").with_columns(
        pl.lit(ASKED).alias("event"),
        pl.col("query_id").fill_null(_UNNAMED),
        (lengths.cum_sum() - lengths).alias(FIRST),
        lengths.alias(LENGTH),
    )
    return lists, docs


def _spread_hits(
    queries: pl.DataFrame, impressions: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """A row for each result of hits, and of impressions where a query lists no hits."""
    hits = _explode_hits(queries.sort("time", nulls_last=True, maintain_order=True))
    lists = impressions.sort("query_id", "ordinal", "time", "row", nulls_last=True)
    shown, notes = _rank_lists(pl.concat([hits, lists.select(hits.columns)]))
    if len(impressions):
        number = count_noun(impressions["query_id"].n_unique(), "query")
        words = "impressions in order of position form the list"
        notes.insert(0, f"{number} without hits: {words}")
    return shown, notes


def _explode_hits(queries: pl.DataFrame) -> pl.DataFrame:
    lists = queries.drop("doc").rename({"hits": "doc"})
    rows = lists.explode("doc", empty_as_null=True)
    asked = pl.when(pl.col("doc").is_null()).then(pl.lit(ASKED)).otherwise(pl.lit(SHOWN))
    return rows.with_columns(event=asked)


def _rank_lists(shown: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Each list in its order; of a query that was logged several times, page after page."""
    shown = shown.with_columns(pl.col("query_id").fill_null(_UNNAMED))
    first = shown.select(
        (pl.struct("query_id", "doc").is_first_distinct() | pl.col("doc").is_null()).alias("first")
    ).to_series()
    repeats = len(shown) - int(first.sum())
    notes = [count_noun(repeats, *SHOWN_TWICE.split("|"))] if repeats else []
    ranked = shown.filter(first).with_columns(
        *(
            pl.col(name).fill_null(pl.col(name).drop_nulls().first().over("query_id"))
            for name in ("text", "topic", "system", "scenario")
            if name in shown.columns
        ),
        rank=pl.when(pl.col("doc").is_not_null()).then(
            pl.col("doc").cum_count().over("query_id").cast(pl.Int64)
        ),
    )
    return ranked, notes


def _choose_actions(events: pl.DataFrame, shown: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """What was done to results; an event without an object was done to none."""
    actions = events.filter(~pl.col("event").is_in([SHOWN, ASKED])).drop("hits", "ordinal")
    other = actions.filter(pl.col("doc").is_null())
    notes = []
    if len(other):
        kinds = other["event"].unique(maintain_order=True).to_list()
        words = join_words(kinds[:4] + (["others"] if len(kinds) > 4 else []))
        notes.append(f"{count_noun(len(other), 'event')} of no result ({words}) not used")
    actions = actions.filter(pl.col("doc").is_not_null())
    is_logged = pl.col("query_id").is_in(shown["query_id"].unique().implode())
    others = actions.filter(~is_logged)  # and not those that name none
    if 0 < len(others) < len(actions):
        words = count_noun(len(others), "event names a query", "events name queries")
        notes.append(f"{words} that the log does not have: not used")
        actions = actions.filter(is_logged | pl.col("query_id").is_null())
    asked = shown.group_by("query_id").agg(pl.col("time").min().alias("asked"))
    actions = actions.join(asked, on="query_id", how="left", maintain_order="left")
    early = int((actions["time"] < actions["asked"]).sum())
    if early:
        notes.append(
            f"{count_noun(early, 'event')} before the query they name, by other clocks: counted as "
            "after it"
        )
    later = pl.max_horizontal("time", "asked")
    return actions.with_columns(time=pl.when(pl.col("time").is_not_null()).then(later)).drop(
        "asked"
    ), notes
