"""Sessions for tests: from lists of documents, from rows, from the line of an example."""

import numpy as np
import polars as pl
import pytest

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


def session_frame(rows):
    """Rows of a strategy as a table."""
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def make_sessions(**sessions):
    """Sessions by name, each a list of lists of documents; `*` marks a clicked one."""
    rows = []
    for name, queries in sessions.items():
        for query, docs in enumerate(queries, 1):
            results = [(name, query, rank, doc) for rank, doc in enumerate(docs, 1)]
            rows += results or [(name, query, None, None)]
    types = {name: SCHEMA[name] for name in ("session", "query", "rank", "doc")}
    sessions_frame = pl.DataFrame(rows, schema=types, orient="row")
    return sessions_frame.with_columns(
        pl.col("doc").str.strip_suffix("*"), clicked=pl.col("doc").str.ends_with("*")
    )


def session_value(sessions, qrels, measure, **options):
    """The value of the only session."""
    results = gainful.sessions.evaluate(sessions, qrels, measure, **options)
    (values,) = results.values.values()
    return float(values[0])


def session_values(sessions, qrels, measure, **options):
    """A value by the name of each session."""
    results = gainful.sessions.evaluate(sessions, qrels, measure, **options)
    (column,) = results.values.values()
    return dict(zip(results.ids, column.tolist(), strict=True))


def values_by_session(results):
    """The values of each session, and how many queries it has; None where there is no value."""
    columns = (np.ma.asarray(values).tolist() for values in results.values.values())
    numbers = zip(*columns, results.columns["queries"], strict=True)
    return dict(zip(results.ids, numbers, strict=True))


def assert_same_sessions(results, expected):
    """Every session has the same values, wherever it stands."""
    ours, theirs = values_by_session(results), values_by_session(expected)
    assert sorted(ours) == sorted(theirs)
    for session, numbers in theirs.items():
        assert ours[session] == pytest.approx(numbers, abs=1e-12), session


def parse_example(text, *, subtopics):
    """The session and the judgments that an example tells in one line."""
    retrieved, _, missed = text.partition("|")
    lists = [part.split() for part in retrieved.split("/")]
    doc_lists = [[f"d{q}_{r}" for r in range(len(grade))] for q, grade in enumerate(lists)]
    docs = [
        (doc, grade)
        for names, grades in zip(doc_lists, lists, strict=True)
        for doc, grade in zip(names, grades, strict=True)
        if grade != "-"
    ]
    docs += [(f"m{place}", grade) for place, grade in enumerate(missed.split())]
    if not subtopics:
        return make_sessions(s=doc_lists), {"s": {doc: float(grade) for doc, grade in docs}}
    rows = [("s", doc, aspect, 1) for doc, grade in docs for aspect in grade]
    columns = ["query", "doc", "subtopic", "grade"]
    return make_sessions(s=doc_lists), pl.DataFrame(rows, schema=columns, orient="row")
