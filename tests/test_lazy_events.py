"""Logs of events in lazy polars, DuckDB and Spark give the sessions that they give in memory."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import polars as pl
import pytest
from engines import FRAME_MAKERS
from hypothesis import given, strategies as st
from profiles import examples

import gainful
from gainful.errors import BadInput

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
MEASURES = ["sDCG(b=2, bq=4)@3", "nsDCG@10", "sRBP"]
ENGINES = ("lazy polars", "DuckDB")
QRELS = {
    f"{user}{number}": {"a": 2, "c": 1}
    for user in range(100)
    for number in ("", "#1", "#2", "#3", "#4")
}
KINDS = {
    **dict.fromkeys(("user", "session", "query_id", "text", "event", "doc"), pl.String),
    "minute": pl.Int64,
    "rank": pl.Int64,
    "clicked": pl.Boolean,
    "seconds": pl.Float64,
}
FORMS = {
    "point": pl.col("time"),
    "text": pl.col("time").dt.to_string("iso:strict"),
    "seconds": pl.col("time").dt.epoch("s"),
    "ms": pl.col("time").dt.epoch("ms"),
}


def show_lists(draw, user, *, events):
    """The rows of one user's queries, in the order of time."""
    minute = draw.randint(0, 5)
    for query in range(draw.randint(1, 4)):
        base = {"user": f"{user}", "session": f"{user}", "query_id": f"{user}-{query}"}
        base |= {"text": draw.choice(["soup", "bread"]), "event": "impression"}
        shown = draw.sample("abcd", draw.randint(0 if events else 1, 4))
        if events and (not shown or draw.random() < 0.5):
            yield base | {"minute": minute, "event": "search"}
        for rank, doc in enumerate(shown, start=1):
            clicked, seconds = draw.random() < 0.3, draw.choice([None, 5.0])
            place = {"minute": minute, "rank": rank, "doc": doc}
            yield base | place | {"clicked": clicked, "seconds": seconds}
        for doc in draw.choices(shown, k=draw.randint(0, 3)) if shown and events else ():
            minute += draw.randint(0, 2)
            kind = draw.choice(["click", "buy", "dwell", "add_to_cart"])
            seconds = 30.0 if kind == "dwell" else None
            did = base | {"minute": minute, "event": kind, "doc": doc, "seconds": seconds}
            yield did if draw.random() < 0.7 else did | {"query_id": None, "text": None}
        minute += draw.choice([1, 2, 29, 31, 90])


def make_log(seed, *, events, form, without=()):
    """A log of some users, without some columns."""
    draw = Random(seed)  # noqa: S311
    rows = [row for user in range(30) for row in show_lists(draw, user, events=events)]
    frame = pl.DataFrame(rows, schema=KINDS, orient="row")
    time = pl.lit(START) + pl.duration(minutes=pl.col("minute"))
    frame = frame.with_columns(time=time, variant="v" + pl.col("user").str.tail(1)).drop("minute")
    return frame.with_columns(FORMS[form].alias("time")).drop(*without)


def values_of(results):
    """The values of each session, and how many queries it has."""
    numbers = zip(*results.values.values(), results.columns["queries"], strict=True)
    return dict(zip(results.ids, numbers, strict=True))


def assert_same(engine, frame, qrels=None, *, moved=True, **options):
    """A frame of an engine gives what it gives in memory, though its rows stand elsewhere."""
    expected = gainful.sessions.evaluate(frame, qrels, MEASURES, **options)
    there = frame.sample(fraction=1.0, shuffle=True, seed=3) if moved else frame
    results = gainful.sessions.evaluate(FRAME_MAKERS[engine](there), qrels, MEASURES, **options)
    ours, theirs = values_of(results), values_of(expected)
    assert sorted(ours) == sorted(theirs)
    for session, numbers in theirs.items():
        assert ours[session] == pytest.approx(numbers, abs=1e-12)
    return results, expected


CHOICES = {
    "seed": st.integers(0, 1 << 32),
    "form": st.sampled_from([*FORMS]),
    "owner": st.sampled_from(["session", "user", "variant"]),
    "qrels": st.sampled_from([None, QRELS]),
}


@pytest.mark.parametrize("engine", ENGINES)
@examples(3)
@given(
    st.fixed_dictionaries(CHOICES),
    st.sampled_from(["query_id", "text", "variant"]),
    st.sampled_from([None, "30m", "1h"]),
)
def test_rows_of_results(engine, choices, key, gap):
    without = {choices["owner"], key, "event"}
    frame = make_log(choices["seed"], events=False, form=choices["form"], without=without)
    assert_same(engine, frame, choices["qrels"], moved=engine == "DuckDB", gap=gap)


@pytest.mark.parametrize("engine", ENGINES)
@examples(3)
@given(st.fixed_dictionaries(CHOICES), st.sampled_from(["query_id", "variant"]))
def test_rows_of_events(engine, choices, key):
    without = {choices["owner"], key}
    frame = make_log(choices["seed"], events=True, form=choices["form"], without=without)
    results, _ = assert_same(engine, frame, choices["qrels"], moved=engine == "DuckDB", bad="skip")
    assert any("without a query counted in the last list" in note for note in results.notes)


SOUND = [
    ("ann", "s", "2026-03-01T12:00:00Z", "shown", "soup", "1", "a"),
    ("ann", "s", "2026-03-01T12:00:00Z", "shown", "soup", "2", "b"),
    ("ann", "s", "2026-03-01T12:01:00Z", "click", "soup", None, "b"),
    ("bob", "t", "2026-03-01T12:00:00Z", "shown", "bread", "1", "a"),
    ("bob", "t", "2026-03-01T12:02:00Z", "click", None, None, "a"),
]
NAMES = ["user", "session", "time", "event", "query", "rank", "doc"]
WRONG = {
    "time 'soon' is no time as others are": ("ann", "s", "soon", "click", "soup", None, "a"),
    "there is no time, though others have one": ("ann", "s", None, "click", "soup", None, "a"),
    "there is no event": ("ann", "s", "2026-03-01T12:03:00Z", None, "soup", None, "a"),
    "rank 'top' is not a whole number": (
        *("ann", "s", "2026-03-01T12:03:00Z", "click", "soup", "top", "a"),
    ),
    "the session is null": ("ann", None, "2026-03-01T12:03:00Z", "click", "soup", None, "a"),
    "an event without a query": ("ann", "s", "2026-03-01T12:03:00Z", "search", None, None, None),
    "the event 'clicked' has no document": (
        *("ann", "s", "2026-03-01T12:03:00Z", "click", "soup", None, None),
    ),
    "the event 'clicked' is of document 'z', which was not shown before it": (
        *("ann", "s", "2026-03-01T12:03:00Z", "click", "soup", None, "z"),
    ),
    "there is a rank, but no document": (
        *("ann", "s", "2026-03-01T12:03:00Z", "shown", "soup", "3", None),
    ),
}


def log_of(*rows, names=NAMES):
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_events_that_cannot_be_placed_are_counted_there(engine):
    later = [
        (*row[:2], row[2] and row[2].replace("03:00", "04:00"), *row[3:]) for row in WRONG.values()
    ]
    frame = log_of(*SOUND, *WRONG.values(), *later)
    results, expected = assert_same(engine, frame, bad="skip", moved=False)
    assert results.mean["sDCG(b=2, bq=4)@3"] == pytest.approx((1 / 2 + 1) / 2)  # b at 2, a at 1
    notes = [note for note in results.notes if "left out" in note]
    assert len(notes) == len(WRONG)
    for words in WRONG:
        (note,) = (note for note in notes if words in note)
        assert note.startswith("2 events left out: sessions")
    if engine == "lazy polars":  # whose rows have numbers
        assert notes == [note for note in expected.notes if "left out" in note]
    with pytest.raises(BadInput) as refused:
        gainful.sessions.evaluate(FRAME_MAKERS[engine](frame), measures="sDCG@3")
    assert "--bad skip (bad='skip'), which leaves these out" in str(refused.value)
    where = "sessions, row 5: session 's'" if engine == "lazy polars" else "sessions: session 's'"
    assert str(refused.value).startswith(f"{where}: time 'soon' is no time as others are; so in ")
