"""What can be wrong with sessions in an engine: found by sums there, and said in words here."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals.stable.v2 as nw
import polars as pl

from gainful.errors import BadInput
from gainful.text import quote

_KEY = ("session", "query")
# Columns of our own beside the user's, of which none is called so: see `protect_name`.
LENGTH, ROWS, TOPICS = "gainful_list_length", "gainful_rows", "gainful_topics"
LOWEST, HIGHEST = "gainful_lowest", "gainful_highest"  # of the ranks
TOTAL, POWERS = "gainful_total", "gainful_powers"
LARGEST = "gainful_largest_"  # before the name of a column: the largest of its values in a query
POSITIONS = "query positions 1, 2, 3 …, each once"
MISSING_POSITIONS = "there are queries up to {query}, but some before it are missing"
_SESSION_COLUMNS = "session, query (from 1), rank, doc"


def describe_mistake(
    name: str, session: str | None, query: int | None, words: str, expected: str
) -> BadInput:
    """An error about one query of a session."""
    where = "" if session is None else f"session {quote(session)}: "
    return BadInput(name, where + words.format(query=query), expected)


def sum_powers(rank: nw.Expr) -> nw.Expr:
    """The sum of ranks to the power of 5, which beside their sum tells 1, 2, 3 … from others."""
    number = rank.cast(nw.Float64)
    return (number * number * number * number * number).sum()


def add_up_to_ranks(list_length: nw.Expr) -> nw.Expr:
    """Are the columns TOTAL and POWERS the sums of ranks 1, 2, 3 … of such a list?

    Of up to 10 ranks no others have the same sums.
    """
    n = list_length.cast(nw.Float64)
    powers = n * n * (n + 1) * (n + 1) * (n * n * 2 + n * 2 - 1) / 12
    distance = (nw.col(POWERS) - powers).abs()
    return (nw.col(TOTAL) * 2 == n * (n + 1)) & (distance <= powers * 1e-12)


def query_defects(columns: Sequence[str]) -> dict[str, tuple[nw.Expr, str, str]]:
    """What can be wrong with a row of `describe_queries`: where, in words, and what is right."""
    length = nw.col(LENGTH)
    ranked = (nw.col(LOWEST) == 1) & (nw.col(HIGHEST) == length) & add_up_to_ranks(length)
    defects = {
        "session": (
            nw.col("session").is_null() | (nw.col("session") == ""),
            "there is no session",
            _SESSION_COLUMNS,
        ),
        "query": (nw.col("query").is_null(), "there is no query position", _SESSION_COLUMNS),
        "first": (nw.col("query") < 1, "query position {query} is below 1", POSITIONS),
        "ranks": (
            (length > 0) & ~ranked.fill_null(value=False),
            "the ranks of query {query} are not 1, 2, 3 …, each once",
            "ranks 1, 2, 3 …, each once",
        ),
    }
    if "topic" in columns:
        defects["topic"] = (
            (nw.col(TOPICS) < nw.col(ROWS)) | (nw.col("topic") == ""),
            "there is no topic, though others have one",
            "a topic in every row, or no such column",
        )
        defects["topics"] = (
            nw.col("topic") != nw.col(f"{LARGEST}topic"),
            "query {query} has more than one topic",
            "one topic for all rows of a query",
        )
    return defects


def find_bad_sessions(
    queries: pl.DataFrame, results: pl.DataFrame, name: str, query_columns: Sequence[str]
) -> tuple[pl.DataFrame, BadInput | None]:
    """The sessions that are not as they should be, each once, and the first mistake in words."""
    found: list[pl.DataFrame] = []
    first: BadInput | None = None
    lazy_queries = nw.from_native(queries.lazy())
    mistakes = [
        (lazy_queries.filter(flags).select(*_KEY).to_native().collect(), words, expected)
        for flags, words, expected in query_defects(query_columns).values()
    ]
    counted = queries.group_by("session").agg(pl.col("query").max(), pl.len().alias("queries"))
    gaps = counted.filter(pl.col("query") > pl.col("queries")).select(*_KEY)
    mistakes.append((gaps, MISSING_POSITIONS, POSITIONS))
    repeats = results.filter(pl.struct(*_KEY, "doc").is_duplicated()).select(*_KEY)
    mistakes.append((repeats, "a document stands twice in query {query}", "each document once"))
    for rows, words, expected in mistakes:
        if not len(rows):
            continue
        session, query = rows.sort(*_KEY).row(0)
        first = first or describe_mistake(name, session, query, words, expected)
        found.append(rows.select("session"))
    empty = queries.select("session").clear()
    return pl.concat([empty, *found]).unique(maintain_order=True), first
