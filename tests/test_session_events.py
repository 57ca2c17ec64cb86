"""Events of searches as one shape, and the sessions that are made of them."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from facts import list_facts
from refusals import refuses

import gainful
from gainful.errors import BadInput
from gainful.read.build_sessions import build_sessions
from gainful.read.session_events import make_events


def clock(minute, second=0):
    return datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(minutes=minute, seconds=second)


def events_of(*rows, names):
    frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
    return make_events(frame, "log", lambda row: f"log:{row + 1}")


def test_events_of_a_log_become_sessions():
    """Two queries of one session, told apart by their text; a click belongs to its list."""
    events = events_of(
        ("s", clock(0), "soup", "shown", 1, "a"),
        ("s", clock(0), "soup", "shown", 2, "b"),
        ("s", clock(1), "lentil soup", "shown", 1, "b"),
        ("s", clock(1), "lentil soup", "shown", 2, "c"),
        ("s", clock(2), "lentil soup", "clicked", None, "c"),
        ("s", clock(3), "soup", "clicked", None, "b"),
        ("t", clock(0), "bread", "query", None, None),
        names=["session", "time", "text", "event", "rank", "doc"],
    )
    sessions = build_sessions(events)
    rows = sessions.frame.select("session", "query", "rank", "doc", "text", "clicked").rows()
    assert rows == [
        ("s", 1, 1, "a", "soup", False),
        ("s", 1, 2, "b", "soup", True),
        ("s", 2, 1, "b", "lentil soup", False),
        ("s", 2, 2, "c", "lentil soup", True),
        ("t", 1, None, None, "bread", False),
    ]
    judged = {"s": {"b": 1}, "t": {"b": 1}}
    values = gainful.sessions.evaluate(sessions, judged, "sDCG(b=2, bq=4)@2").per_session
    # b at rank 2 of the first query, and at rank 1 of the second: 1 / 2 + 1 / (1 + log4 2)
    assert values["sDCG(b=2, bq=4)@2"].to_list() == pytest.approx([1 / 2 + 2 / 3, 0])


def test_a_click_on_what_was_never_shown_is_told_with_its_place():
    events = events_of(
        ("s", "1", "shown", "a"),
        ("s", "1", "clicked", "z"),
        ("s", "2", "shown", "z"),
        ("s", "1", "clicked", "z"),
        names=["session", "query_id", "event", "doc"],
    )
    with refuses(BadInput, "log:2", "'s'", "'clicked'", "'z'", "line 4", "--bad skip"):
        build_sessions(events)
    sessions = build_sessions(events, bad="skip")
    assert sessions.frame["clicked"].to_list() == [False, False]
    (note,) = sessions.notes
    assert list_facts(note) == ["2", "log:2", "'s'", "'clicked'", "'z'", "4"]


def test_users_and_a_gap_make_sessions():
    events = events_of(
        ("ann", clock(0), "x", "a"),
        ("bob", clock(1), "x", "a"),
        ("ann", clock(29), "y", "b"),
        ("ann", clock(60), "z", "c"),
        names=["user", "time", "text", "doc"],
    )
    sessions = build_sessions(events)
    assert sessions.frame.select("session", "query", "doc", "searcher").rows() == [
        ("ann#1", 1, "a", "ann"),
        ("ann#1", 2, "b", "ann"),
        ("bob#1", 1, "a", "bob"),
        ("ann#2", 1, "c", "ann"),
    ]
    assert [list_facts(note) for note in sessions.notes] == [["30"]]
    hour = build_sessions(events, gap=timedelta(hours=1))
    assert hour.frame["session"].to_list() == ["ann#1", "ann#1", "ann#1", "bob#1"]
