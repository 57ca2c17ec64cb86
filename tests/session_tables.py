"""Sessions for tests: from lists of documents, from rows, from the line of an example."""

from __future__ import annotations

import polars as pl

import gainful

SCHEMA = {
    "session": pl.String,
    "query": pl.Int64,
    "rank": pl.Int64,
    "doc": pl.String,
    "clicked": pl.Boolean,
    "scanned": pl.Int64,
    "grade": pl.Float64,
}


def frame(rows):
    """Rows of a strategy as a table."""
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def table(**sessions):
    """Sessions by name, each a list of lists of documents; `*` marks a clicked one."""
    rows = []
    for name, queries in sessions.items():
        for query, docs in enumerate(queries, 1):
            shown = [(name, query, rank, doc) for rank, doc in enumerate(docs, 1)]
            rows += shown or [(name, query, None, None)]
    types = {name: SCHEMA[name] for name in ("session", "query", "rank", "doc")}
    found = pl.DataFrame(rows, schema=types, orient="row")
    return found.with_columns(
        pl.col("doc").str.strip_suffix("*"), clicked=pl.col("doc").str.ends_with("*")
    )


def value(data, judgments, measure, **options):
    """The value of the only session."""
    found = gainful.evaluate_sessions(data, judgments, measure, **options)
    (values,) = found.values.values()
    return float(values[0])


def values(data, judgments, measure, **options):
    """A value by the name of each session."""
    found = gainful.evaluate_sessions(data, judgments, measure, **options)
    (column,) = found.values.values()
    return dict(zip(found.sessions, column.tolist(), strict=True))


def example(text, *, subtopics):
    """The session and the judgments that an example tells in one line."""
    shown, _, missed = text.partition("|")
    lists = [part.split() for part in shown.split("/")]
    named = [[f"d{q}_{r}" for r in range(len(told))] for q, told in enumerate(lists)]
    docs = [
        (doc, told)
        for names, grades in zip(named, lists, strict=True)
        for doc, told in zip(names, grades, strict=True)
        if told != "-"
    ]
    docs += [(f"m{place}", told) for place, told in enumerate(missed.split())]
    if not subtopics:
        return table(s=named), {"s": {doc: float(told) for doc, told in docs}}
    rows = [("s", doc, aspect, 1) for doc, told in docs for aspect in told]
    columns = ["query", "doc", "subtopic", "grade"]
    return table(s=named), pl.DataFrame(rows, schema=columns, orient="row")
