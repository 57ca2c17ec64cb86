"""Logs of searches as sessions: any table, times, events, gaps; what is wrong is told."""

import json
import math
from contextlib import suppress
from datetime import UTC, datetime

import polars as pl
import pytest
from engines import FRAME_MAKERS
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from written_files import write_file, write_lines, write_table

import gainful
from gainful.api.evaluate import holds_qrels_and_run
from gainful.errors import (
    BadInput,
    BadValue,
    GainfulError,
    NoColumn,
    Swapped,
    UnknownName,
    WrongType,
)
from gainful.progress import watch
from gainful.read.event_times import parse_times
from gainful.read.inputs import as_qrels
from gainful.read.session_inputs import as_sessions

CLICK_LOG = """session_id,user_id,timestamp,query,position,doc_id,clicked,variant
s1,u1,2026-01-31T12:00:00Z,soup,1,a,0,old
s1,u1,2026-01-31T12:00:00Z,soup,2,b,0,old
s1,u1,2026-01-31T12:01:00Z,lentil soup,1,c,1,old
s1,u1,2026-01-31T12:01:00Z,lentil soup,2,d,0,old
s2,u2,2026-01-31T12:01:00Z,bread,1,e,0,new
s2,u2,2026-01-31T12:01:00Z,bread,2,f,1,new
"""
PLACES = [
    *(("s1", 1, 1, "a"), ("s1", 1, 2, "b"), ("s1", 2, 1, "c"), ("s1", 2, 2, "d")),
    *(("s2", 1, 1, "e"), ("s2", 1, 2, "f")),
]
PAIRS = (  # of a column there and what it is here
    *("session_id as session", "user_id as searcher", "timestamp as time", "query as text"),
    *("position as rank", "doc_id as doc"),
)
EVENTS = """session,time,event,query,rank,doc,seconds
s,1,search,soup,,,
s,1,impression,soup,1,a,
s,1,impression,soup,2,b,
s,2,click,soup,,b,
s,5,dwell,soup,,b,45
s,9,search,nothing like it,,,
s,12,impression,lentils,1,c,
s,13,add_to_cart,lentils,,c,
s,90,buy,,,b,
"""


def places(sessions, *more):
    return sessions.frame.select("session", "query", "rank", "doc", *more).rows()


# --- what logs look like --------------------------------------------------------------------


def test_a_click_log_is_read_as_it_is(tmp_path):
    """The log that was refused four times: text queries, clicks, no judgments."""
    path = write_file(tmp_path / "log.csv", CLICK_LOG)
    assert places(as_sessions(path)) == PLACES
    results = gainful.sessions.evaluate(path, measures="sDCG(b=2, bq=4)@2")
    new, old = (group["mean"]["sDCG(b=2, bq=4)@2"] for group in results.groups("variant"))
    assert new == pytest.approx(1 / 2)  # clicked at rank 2: 1 / (1 + log2 2)
    assert old == pytest.approx(2 / 3)  # at rank 1 of the second query: 1 / (1 + log4 2)
    assert [pair for pair in PAIRS if pair not in results.notes[0]] == []
    assert list_facts(results.notes[1], "clicked") == ["1", "clicked"]


@pytest.mark.parametrize("form", ["tsv", "jsonl", "parquet", "csv.gz", "csv.zst", "jsonl.zst"])
def test_the_same_log_in_every_form(tmp_path, form):
    sessions = as_sessions(write_table(tmp_path / f"log.{form}", pl.read_csv(CLICK_LOG.encode())))
    assert places(sessions) == PLACES
    assert sessions.frame["clicked"].to_list() == [False, False, True, False, False, True]


def test_frames_and_lists_of_dicts_are_logs_too():
    frame = pl.read_csv(CLICK_LOG.encode())
    values = [
        gainful.sessions.evaluate(log, measures="sDCG@2").values["sDCG@2"].tolist()
        for log in (frame, frame.lazy(), frame.to_dicts(), frame.to_arrow())
    ]
    assert all(value == values[0] for value in values)


CLICK_HEAD, *CLICK_ROWS = CLICK_LOG.splitlines(keepends=True)
TABLES = {  # what is read of it, and words of a note
    "rows in any order are ordered by time": (
        "".join([CLICK_HEAD, *CLICK_ROWS[2:], *CLICK_ROWS[:2]]),
        PLACES,
        "",
    ),
    "the same text again is another query when its list begins anew; a further page goes on": (
        "session,time,query,rank,doc\ns,1,x,1,a\ns,1,x,2,b\ns,5,x,1,a\ns,5,x,2,c\ns,6,x,3,d\n",
        [
            ("s", 1, 1, "a"),
            ("s", 1, 2, "b"),
            *(("s", 2, at, doc) for at, doc in enumerate("acd", 1)),
        ],
        "",
    ),
    "ids of queries tell them apart": (
        "session,time,query,query_id,rank,doc\ns,2,x,q2,1,a\ns,1,x,q1,1,a\ns,3,x,q1,2,b\n",
        [("s", 1, 1, "a"), ("s", 1, 2, "b"), ("s", 2, 1, "a")],
        "",
    ),
    "an event that was logged twice counts once": (
        "session,time,query,rank,doc\ns,1,x,1,a\ns,1,x,1,a\ns,1,x,2,b\n",
        [("s", 1, 1, "a"), ("s", 1, 2, "b")],
        "1 event twice once",
    ),
    "ranks from 0 are counted from 1": (
        "session,query,rank,doc\ns,x,0,a\ns,x,1,b\n",
        [("s", 1, 1, "a"), ("s", 1, 2, "b")],
        "rank 0 1",
    ),
    "without positions the order of rows is the list": (
        "session,query,doc,clicked\ns,x,a,0\ns,x,b,1\ns,y,a,0\n",
        [("s", 1, 1, "a"), ("s", 1, 2, "b"), ("s", 2, 1, "a")],
        "no positions row",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_what_a_table_says_of_lists(tmp_path, case):
    text, expected, note = TABLES[case]
    sessions = as_sessions(write_file(tmp_path / "log.csv", text))
    assert places(sessions) == expected
    assert not note or find_notes(sessions.notes, *note.split())


def test_a_row_for_each_event(tmp_path):
    """Clicks, dwell and purchases find their list; a search without results is an empty query."""
    sessions = as_sessions(write_file(tmp_path / "log.csv", EVENTS))
    assert places(sessions, "clicked", "add_to_cart", "purchased", "seconds") == [
        ("s", 1, 1, "a", False, False, False, None),
        ("s", 1, 2, "b", True, False, True, 45.0),
        ("s", 2, None, None, False, False, False, None),
        ("s", 3, 1, "c", False, True, False, None),
    ]
    columns, event = sessions.notes
    assert find_notes([columns], "time", "seconds", "query", "text")
    assert list_facts(event) == ["1"]


def test_columns_are_mapped_and_then_not_told(tmp_path):
    text = "visit,words,item,shown_at\nv,red shoes,a,2026-01-31\nv,blue shoes,b,2026-02-01\n"
    columns = {"session": "visit", "query": "words", "doc": "item", "time": "shown_at"}
    sessions = as_sessions(write_file(tmp_path / "log.csv", text), columns=columns)
    assert places(sessions, "text") == [
        ("v", 1, 1, "a", "red shoes"),
        ("v", 2, 1, "b", "blue shoes"),
    ]
    (note,) = sessions.notes
    assert find_notes([note], "shown_at", "time", "UTC")


def test_numbered_queries_by_other_names_are_told_as_well():
    frame = pl.DataFrame({"session_id": ["s"], "qno": [1], "position": [1], "docno": ["a"]})
    (note,) = as_sessions(frame).notes
    pairs = ["session_id as session", "qno as query", "position as rank", "docno as doc"]
    assert [pair for pair in pairs if pair not in note] == []


def test_words_for_events_are_mapped():
    rows = [("s", "x", "view", "a"), ("s", "x", "open", "a")]
    frame = pl.DataFrame(rows, ["session", "query", "action", "doc"], orient="row")
    shows = "shown, show, impression, impressions"
    with refuses(BadInput, "sessions", "open and view", shows, "--events shown=WORD"):
        as_sessions(frame)
    sessions = as_sessions(frame, events={"shown": "view"})
    assert sessions.frame["clicked"].to_list() == [True]
    cart = frame.with_columns(pl.col("action").str.replace("open", "add_to_cart"))
    renamed = cart.rename({"action": "event_name"})
    with refuses(BadInput, "sessions", "add_to"):
        as_sessions(renamed)
    results = gainful.sessions.evaluate(renamed, measures="sDCG@3", events={"shown": "view"})
    assert find_notes(results.notes[-1:], "nothing", "add_to_cart", "1", "--gain-from")
    with refuses(UnknownName, "seen"):
        as_sessions(frame, events={"seen": "view"})
    for word in (5, None, [], [5]):
        with refuses(WrongType, "events['shown']"):
            as_sessions(frame, events={"shown": word})


# --- times and gaps -------------------------------------------------------------------------


FORMS = ("UTC", "seconds", "milliseconds", "microseconds", "nanoseconds")


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("2026-01-31T13:00:00+01:00", ""),
        ("2026-01-31T12:00:00Z", ""),
        ("2026-01-31 12:00:00.000", "UTC"),
        ("2026-01-31 12:00", "UTC"),
        ("2026-01-31 12:00:00 UTC", ""),
        ("2026/01/31 12:00:00,000", "UTC"),
        ("31/Jan/2026:13:00:00 +0100", ""),
        ("Sat, 31 Jan 2026 12:00:00 GMT", ""),
        ("31.01.2026 12:00:00", "UTC"),
        ("31/01/2026 12:00:00", "UTC"),
        ("01/31/2026 12:00:00 PM", "UTC"),
        ("Jan 31, 2026 @ 12:00:00.000", "UTC"),
        ("20260131120000", "UTC"),
        ("1769860800", "seconds"),
        (1769860800.0, "seconds"),
        (1769860800000, "milliseconds"),
        (1769860800000000, "microseconds"),
        (1769860800000000000, "nanoseconds"),
    ],
)
def test_a_moment_in_the_forms_that_logs_have(value, form):
    parsed = parse_times(pl.Series([value, None]), "log")
    assert parsed.times.dt.epoch("s").to_list() == [1769860800, None]  # date -d …Z +%s
    assert parsed.wrong.to_list() == [False, False]
    assert form == next((word for word in parsed.form.split() if word in FORMS), "")


@pytest.mark.parametrize("day", ["2026-01-31", "20260131"])
@pytest.mark.parametrize("clock", ["T12:00:05.25", "T120005", "T12:00", "T12", " 12:00:05", " 12"])
@pytest.mark.parametrize("zone", ["", "Z", "+01:00", "-0530", "+01"])
def test_times_of_iso_8601_are_those_of_python(day, clock, zone):
    expected = datetime.fromisoformat(day + clock + zone)
    parsed = parse_times(pl.Series([day + clock + zone]), "log")
    assert parsed.times.to_list() == [expected if zone else expected.replace(tzinfo=UTC)]


def test_a_date_that_can_be_read_in_two_ways_is_refused():
    with refuses(BadInput, "log", "'03/04/2026 12:00'"):
        parse_times(pl.Series(["03/04/2026 12:00"]), "log")


MOMENTS = [
    *("2026-01-31T12:00:00Z", "2026-01-31 12:00", "31/Jan/2026:13:00:00 +0100", "20260131120000"),
    *("1769860800", "1769860800000", "1769860800000000", " 1769860800.0 ", "31/01/2026 12:00:00"),
]


@given(st.lists(st.sampled_from(MOMENTS), min_size=1), st.integers(1, 1500))
def test_every_row_is_read_in_the_form_it_has(values, times):
    parsed = parse_times(pl.Series([values[0]] * times + values), "log")
    assert parsed.times.dt.epoch("s").unique().to_list() == [1769860800]
    assert not parsed.wrong.any()


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ([1769860800000, 1769860800001, 1769860800], []),
        ([1769860800, 1769860801, 7, -1], [2, 3]),  # 7 s is no time of day
        ([0.5, 3, 1769860800], [2]),  # seconds since the log began
        (["0.5", "3", "2026-01-31T12:00:00Z"], [2]),
        (["soon"] * 3000 + ["1769860800", "nan", "inf"], [*range(3000), 3001, 3002]),
    ],
)
def test_small_numbers_are_seconds_where_most_are(values, wrong):
    parsed = parse_times(pl.Series(values), "log")
    assert parsed.wrong.arg_true().to_list() == wrong


def test_units_of_one_column_are_all_named():
    numbers = parse_times(pl.Series([1769860800000, 1769860800, 1769860800]), "log")
    assert numbers.form.count("since 1970") == 1
    assert find_notes([numbers.form], "milliseconds", "seconds")
    texts = ["2026-01-31T12:00:00Z", "1769860800", "1769860800000000"]
    assert find_notes([parse_times(pl.Series(texts), "log").form], "microseconds", "a", "zone")
    texts[0] = texts[0][:-1]
    assert find_notes([parse_times(pl.Series(texts), "log").form], "microseconds", "no", "zone")


@pytest.mark.parametrize(
    ("gap", "sessions"), [("30m", 3), ("29m59s", 4), (1800, 3), ("2h", 2), (None, 3)]
)
def test_sessions_of_users_end_with_a_pause(gap, sessions):
    rows = [("u", 0, "x"), ("u", 1800, "y"), ("u", 5400, "z"), ("v", 0, "x")]
    frame = pl.DataFrame(rows, ["user", "time", "query"], orient="row").with_columns(
        doc=pl.lit("a")
    )
    assert as_sessions(frame, gap=gap).frame["session"].n_unique() == sessions


@pytest.mark.parametrize(
    ("columns", "gap", "error", "about"),
    [
        *(({"user": "u"}, gap, BadValue, "gap") for gap in ("soon", "30", "-1m", "", 0, "1e999s")),
        ({"user": "u", "query": "x"}, None, BadInput, "sessions"),  # a gap needs times
        ({"query": "x"}, None, NoColumn, "sessions"),
        ({"session": "x"}, None, NoColumn, "sessions"),
        ({"session": "x", "query": "a", "doc": None}, None, NoColumn, "sessions"),
        (
            {"user_id": "u", "time": 1772355600, "query": "x", "results": ["a", "b"], "doc": None},
            *(None, BadInput, ("sessions", "'results'")),
        ),
    ],
)
def test_a_log_without_what_it_needs_is_refused(columns, gap, error, about):
    columns = {"doc": "a"} | columns
    frame = pl.DataFrame({name: [value] for name, value in columns.items() if value is not None})
    with refuses(error, about):
        as_sessions(frame, gap=gap)


# --- what is wrong --------------------------------------------------------------------------

HEAD = "session,user,time,event,query,rank,doc\n"
FINE = "s,u,2026-01-31T12:00:00Z,shown,x,1,a\n"


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("s,u,yesterday,shown,x,2,b\n", ("'s'", "'yesterday'")),
        ("s,u,,shown,x,2,b\n", ("'s'", "no", "time")),
        ("s,u,2026-01-31T12:00:01Z,shown,,2,b\n", ("'s'", "without", "query")),
        ("s,u,2026-01-31T12:00:01Z,click,x,,z\n", ("'s'", "'clicked'", "'z'", "no", "earlier")),
        ("s,u,2026-01-31T11:00:01Z,click,x,,a\n", ("'s'", "'clicked'", "'a'", "no", "earlier")),
        (",u,2026-01-31T12:00:01Z,shown,x,2,b\n", ("session", "null")),
        ("s,u,2026-01-31T12:00:01Z,shown,x,2,\n", ("'s'", "rank", "no", "document")),
        ("s,u,2026-01-31T12:00:01Z,click,x,,\n", ("'s'", "'clicked'", "no", "document")),
        ("s,u,2026-01-31T12:00:01Z,,x,2,b\n", ("'s'", "no", "event")),
        ("s,u,2026-01-31T12:00:01Z,shown,x,second,b\n", ("rank", "'second'", "whole")),
    ],
)
def test_bad_events_are_counted_told_and_left_out(tmp_path, row, named):
    path = write_file(tmp_path / "log.csv", HEAD + FINE + row + row.replace(":01Z", ":02Z"))
    with pytest.raises(BadInput) as refused:
        as_sessions(path)
    assert refused.value.where == f"{path}:3"
    assert find_notes([str(refused.value)], *named, "line", 4, "--bad", "skip")
    sessions = as_sessions(path, bad="skip")
    assert places(sessions) == [("s", 1, 1, "a")]
    assert find_notes(sessions.notes, 2, "left", "out", f"{path}:3", *named, "line", 4)


TWO_USERS = "t,u,2026-01-31T12:00:00Z,shown,x,1,a\nt,v,2026-01-31T12:00:00Z,shown,x,2,b\n"
THREE_USERS = TWO_USERS + "t,w,2026-01-31T12:00:00Z,shown,x,3,c\n"
GAP = "session,query,rank,doc,clicked\nt,x,1,a,1\nt,x,3,b,0\ns,x,1,a,1\n"
NO_QUERY = "session,query,rank,doc,event\ns,x,1,a,click\ns,,1,a,impression\n"


@pytest.mark.parametrize(
    ("text", "named", "left"),
    [
        (HEAD + FINE + TWO_USERS, ("log.csv:3", "'t'", "two users, user 'u' and user 'v'"), ["s"]),
        (HEAD + FINE + THREE_USERS, ("log.csv:3", "'t'", "3 users, such as user 'u' and"), ["s"]),
        (GAP, ("log.csv:3", "rank 2", "--bad skip"), ["s"]),
        (NO_QUERY, ("log.csv:3",), None),
    ],
    ids=[
        "two users",
        "three users",
        "a list with a gap",
        "a click beside an impression without its query",
    ],
)
def test_a_bad_session_is_refused_or_left_out(tmp_path, text, named, left):
    path = write_file(tmp_path / "log.csv", text)
    with refuses(BadInput, named):
        as_sessions(path)
    if left is None:
        with refuses(BadInput, "log.csv"):
            as_sessions(path, bad="skip")
    else:
        assert as_sessions(path, bad="skip").frame["session"].to_list() == left


@pytest.mark.parametrize(("rank", "words"), [(10**29, "too large"), (1.5, "not a whole number")])
def test_a_rank_that_no_list_has_is_told_as_it_is(tmp_path, rank, words):
    row = {"session": "s", "query": 1, "rank": rank, "doc": "a"}
    with refuses(BadInput, "log.jsonl:1", words):
        as_sessions(write_lines(tmp_path / "log.jsonl", row))


def test_json_values_of_other_kinds_are_told(tmp_path):
    rows = [{"session": "s", "query": "x", "doc": "a"}, {"session": None, "query": "x", "doc": "b"}]
    with refuses(BadInput, "log.jsonl:2"):
        as_sessions(write_lines(tmp_path / "log.jsonl", *rows))


def test_sessions_of_a_user_that_overlap_are_told(tmp_path):
    rows = (
        "s,u,2026-01-31T12:00:00Z,shown,x,1,a\n"
        "s,u,2026-01-31T12:10:00Z,shown,y,1,a\n"
        "t,u,2026-01-31T12:05:00Z,shown,x,1,a\n"
        "w,u,2026-01-31T12:10:00Z,shown,x,1,a\n"
    )
    path = write_file(tmp_path / "log.csv", HEAD + rows)
    sessions = as_sessions(path)
    assert sessions.frame["session"].n_unique() == 3
    assert list_facts(sessions.notes[-1]) == ["1", f"{path}:4", "'t'", "'u'"]


def test_progress_of_a_log_is_reported(tmp_path):
    shares = []
    path = write_file(tmp_path / "log.csv", CLICK_LOG)
    with watch(reading=lambda _, size, share: shares.append((size, share))):
        as_sessions(path)
    assert {size for size, _ in shares} == {len(CLICK_LOG)}
    assert [share for _, share in shares] == sorted(share for _, share in shares)
    assert shares[0][1] == 0
    assert shares[-1][1] == 1
    assert len(shares) > 2


def test_a_tsv_may_have_quotes_in_it(tmp_path):
    rows = ['s\t"red shoes" size 5\t1\ta', 's\t5" pipe\t1\tb', 's\t"unclosed\t1\tc', "s\tx\t1\td"]
    path = write_file(tmp_path / "log.tsv", "session\tquery\trank\tdoc\n" + "\n".join(rows) + "\n")
    sessions = as_sessions(path)
    assert sessions.frame["text"].to_list() == ['"red shoes" size 5', '5" pipe', '"unclosed', "x"]
    path.write_text(path.read_text(encoding="utf-8") + "s\ty\tfirst\td\n", encoding="utf-8")
    with refuses(BadInput, "log.tsv:6", "'first'"):
        as_sessions(path)
    quoted = 'session\tquery\trank\tdoc\ns\t"red ""best"" shoes"\t1\ta\n'
    assert as_sessions(write_file(tmp_path / "q.tsv", quoted)).frame["text"].to_list() == [
        'red "best" shoes'
    ]


@pytest.mark.parametrize("separator", [*",;|", "\t"])
def test_a_table_is_checked_whatever_separates_its_fields(tmp_path, separator):
    rows = {"log": "session,query,rank,doc\ns,1,1,a\n", "run": "query,doc,score\n1,a,0.5\n"}
    for name, text in rows.items():
        path = write_file(tmp_path / f"{name}.txt", text.replace(",", separator))
        (finding,) = gainful.check(path).findings
        assert finding.kind.startswith({"log": "sessions", "run": "run"}[name])
        assert not finding.problems


def test_a_log_alone_is_no_judgments(tmp_path, run_gainful):
    path = write_file(tmp_path / "log.csv", CLICK_LOG)
    assert "gainful sessions" in run_gainful("eval", path, status=2).err
    with refuses(Swapped, "log.csv"):
        holds_qrels_and_run(str(path))


def test_names_of_columns_are_not_those_of_their_roles(tmp_path):
    path = write_file(tmp_path / "log.csv", CLICK_LOG)
    for name, role in {"item": "doc", "timestamp": "time"}.items():
        with refuses(UnknownName, name, f"mean {role}?"):
            as_sessions(path, columns={name: "x"})


def test_a_log_with_its_own_names_is_checked_as_it_is_read(tmp_path):
    text = "who,time,query,rank,article,clicked\nu,2024-01-01T00:00:00Z,lamp,1,a,1\n"
    columns = {"searcher": "who", "doc": "article"}
    (finding,) = gainful.check(write_file(tmp_path / "log.csv", text), columns=columns).findings
    assert (finding.kind, finding.problems) == ("sessions, table", ())


def test_a_log_is_checked_by_what_is_said_of_reading_it(tmp_path):
    log = "user,time,query,event,doc,rank\nu,0,soup,seen,a,1\nu,900,soup,opened,a,1\nu,960,bun,seen,b,1\n"
    path = write_file(tmp_path / "log.csv", log)
    assert not gainful.check(path).ok
    events = {"shown": "seen", "clicked": "opened"}
    (whole,) = gainful.check(path, events=events).findings
    assert whole.notes[0].startswith("1 session, 2 queries")
    (parts,) = gainful.check(path, events=events, gap="10m").findings
    assert parts.notes[0].startswith("2 sessions, 2 queries")
    topics = dict.fromkeys(as_sessions(path, events=events).frame["session"], "t")
    (judged,) = gainful.check(path, events=events, topics=topics).findings
    assert find_notes(judged.notes, "topic")
    assert not find_notes(whole.notes, "topic")
    with refuses(BadValue, "gap"):
        gainful.check(path, gap="soon")


@pytest.mark.parametrize("text", [CLICK_LOG, EVENTS], ids=["results", "events"])
def test_a_log_is_checked_as_sessions(tmp_path, text):
    report = gainful.check(write_file(tmp_path / "log.csv", text))
    assert report.ok
    assert "(sessions, table)" in report.to_text()
    bad = text + text.splitlines()[-1].replace("2026-01-31", "never").replace("s,90", "s,often")
    report = gainful.check(write_file(tmp_path / "bad.csv", bad))
    assert not report.ok
    assert "is not a time" in report.to_text()


VALUES = {
    "session": st.sampled_from(["s", "t", None]),
    "user": st.sampled_from(["u", "v", None, 3]),
    "time": st.sampled_from([1769860800, 1769861800, 1769865800, None, -1]),
    "query": st.sampled_from(["x", "y", None]),
    "query_id": st.sampled_from(["q1", "q2", None]),
    "event": st.sampled_from(["impression", "click", "search", "buy", "dwell", "zoom"]),
    "rank": st.sampled_from([0, 1, 2, None]),
    "doc": st.sampled_from(["a", "b", None]),
    "clicked": st.sampled_from([0, 1, None]),
    "seconds": st.sampled_from([10, 45.5, None]),
    "list_length": st.sampled_from(["long", 3]),
}


@examples(25)
@given(
    st.lists(st.sampled_from(sorted(VALUES)), min_size=4, unique=True).flatmap(
        lambda names: st.lists(
            st.fixed_dictionaries({name: VALUES[name] for name in names}), min_size=1, max_size=8
        )
    ),
    st.sampled_from(["error", "skip"]),
    st.sampled_from([None, "10m"]),
    st.sampled_from([None, "purchased", "dwell>=30s"]),
)
def test_any_table_is_answered_or_refused(rows, bad, gap, rule):
    with suppress(GainfulError):  # whose message is one line, whatever it quotes
        results = gainful.sessions.evaluate(
            rows, measures="sDCG@3", bad=bad, gap=gap, gain_from=rule
        )
        assert results.mean["sDCG@3"] >= 0


def test_clicks_alone_are_not_what_was_shown(tmp_path):
    text = "session,query,rank,doc,clicked\ns,x,1,a,1\ns,x,4,b,1\n"
    with refuses(BadInput, "log.csv"):
        as_sessions(write_file(tmp_path / "log.csv", text))
    whole = text.replace("x,4", "x,2")  # two results, both clicked
    assert len(as_sessions(write_file(tmp_path / "log.csv", whole)).frame) == 2


def test_a_log_in_which_nobody_clicked_is_answered_so(tmp_path):
    text = "session,query,rank,doc,clicked,variant\ns,x,1,a,,A\nt,x,1,a,,B\nt,y,1,b,,B\n"
    path = write_file(tmp_path / "log.csv", text)
    results = gainful.sessions.evaluate(path, measures="sDCG@3")
    assert list_facts(results.page(by="variant").answer) == ["0", "3"]
    calibration = gainful.calibrate(path)
    assert "b" not in calibration.estimates
    assert find_notes(calibration.notes, "no", "clicked")
    with refuses(BadInput, "log.csv"):
        gainful.calibrate(path, depth_from="clicked")


def test_one_session_says_nothing_of_how_searchers_differ(tmp_path):
    text = "session,query,rank,doc,clicked\ns,x,1,a,1\ns,x,2,b,0\ns,y,1,b,1\n"
    calibration = gainful.calibrate(write_file(tmp_path / "log.csv", text))
    assert calibration.searchers.srbp is None
    assert find_notes(calibration.notes, "1", "session", "few")


def test_groups_are_called_as_their_column():
    rows = [
        (f"s{at}", "x", 1, "a", int(at % 2 == 0 or at > 9), "A" if at % 2 == 0 else "B")
        for at in range(12)
    ]
    columns = ["session", "query", "rank", "doc", "clicked", "variant"]
    frame = pl.DataFrame(rows, columns, orient="row")
    compared = gainful.sessions.compare(frame, measures="sDCG@3", by="variant")
    leader = list_facts(compared.page().answer, "Variant", "variant", "A", "B")[:5]
    assert leader == ["Variant", "A", "variant", "B", "sDCG@3"]
    assert "variant" in compared.to_markdown().splitlines()[2]


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame])
def test_of_a_document_that_a_list_shows_twice_the_first_counts(make):
    rows = [
        ("s", "x", 1, "ad", 0, None),
        ("s", "x", 2, "b", 0, 3.0),
        ("s", "x", 3, "ad", 1, 4.0),  # an advertisement that is a result as well
        ("s", "x", 4, "c", 1, None),
        ("t", "x", 1, "ad", 0, None),
        ("t", "x", 1, "ad", 0, None),  # scrolled back to
    ]
    names = ["session", "query", "rank", "doc", "clicked", "seconds"]
    log = pl.DataFrame(rows, names, orient="row").with_columns(query_id=pl.col("session"))
    sessions = as_sessions(make(log))
    assert sessions.frame.select("session", "rank", "doc", "clicked", "seconds").rows() == [
        ("s", 1, "ad", True, 4.0),
        ("s", 2, "b", False, 3.0),
        ("s", 3, "c", True, None),
        ("t", 1, "ad", False, None),
    ]
    assert any(note.startswith("2 results repeat documents") for note in sessions.notes)


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, FRAME_MAKERS["DuckDB"]])
def test_in_a_table_of_numbered_queries_that_tells_clicks_the_first_counts_too(make):
    rows = [("s", 1, 1, "ad", 0), ("s", 1, 2, "b", 0), ("s", 1, 3, "ad", 1), ("s", 1, 4, "c", 1)]
    rows += [("s", 2, 1, "ad", 0)]  # in another list
    log = pl.DataFrame(rows, ["session", "query", "rank", "doc", "clicked"], orient="row")
    judged = pl.DataFrame({"query": "s", "doc": ["ad", "b", "c"], "grade": [1.0, 0.0, 4.0]})
    qrels = as_qrels(judged)
    sessions = as_sessions(make(log), qrels=qrels, whole=False)
    assert sessions.frame.drop_nulls("doc").select("query", "rank", "doc", "clicked").rows() == [
        (1, 1, "ad", True),
        (1, 2, "b", False),
        (1, 3, "c", True),
        (2, 1, "ad", False),
    ]
    expected = 1 / 1 + 4 / (1 + math.log(3, 4)) + 1 / (1 + math.log(2, 4))
    results = gainful.sessions.evaluate(make(log), judged, "sDCG(b=4, bq=4)@10")
    assert results["sDCG(b=4, bq=4)@10"] == pytest.approx(expected)
    notes = [*sessions.notes, *results.notes]
    if make is not pl.DataFrame:
        summary = gainful.sessions.summarise(make(log), judged, "sDCG(b=4, bq=4)@10")
        assert summary["sDCG(b=4, bq=4)@10"] == pytest.approx(expected)
        notes += summary.notes
    count = sum(note.startswith("1 result repeats a document") for note in notes)
    assert count == (2 if make is pl.DataFrame else 3)
    odd = pl.concat([log, log.tail(1).with_columns(session=pl.lit("t"))])  # whose query 1 is lost
    plain = log.drop("clicked")  # nothing tells that this is a log
    for wrong, words in ((odd, ("'t'", "query", 1)), (plain, ("'s'", "'ad'", "twice"))):
        with pytest.raises(BadInput) as refused:
            as_sessions(make(wrong), qrels=qrels, whole=False)
        assert find_notes([str(refused.value)], *words)


def test_a_list_with_a_gap_is_no_better_for_a_document_that_stands_twice():
    rows = [("s", "x", rank, doc) for rank, doc in ((1, "a"), (2, "a"), (5, "b"))]
    log = pl.DataFrame(rows, ["session", "query", "rank", "doc"], orient="row")
    with refuses(BadInput, "sessions, row 2", "rank 2"):
        as_sessions(log)


def test_topics_that_were_not_judged_are_told_with_those_that_were(tmp_path):
    shown = pl.DataFrame({"session": ["s7"], "query": [1], "doc": ["a"]})
    with refuses(BadInput, "sessions", "'s7'", "'7'"):
        gainful.sessions.evaluate(shown, {"7": {"a": 1}}, "sDCG@3")
    turn = {"conversation": "c", "turn": 1, "query": "x", "retrieved": ["a"]}
    path = write_lines(tmp_path / "turns.jsonl", turn)
    with refuses(BadInput, "turns.jsonl", "'c_1'", "'c'"):
        gainful.sessions.evaluate(path, {"c": {"a": 1}}, "sDCG@3")


def test_names_of_columns_are_found_however_they_are_written(tmp_path):
    header = "sessionId, Query , resultPosition,productId, wasClicked , variant "
    path = write_file(tmp_path / "log.csv", f"{header}\ns,x,1,a,1,A\ns,x,2,b,0,A\n")
    sessions = as_sessions(path)
    assert places(sessions, "clicked", "variant") == [
        ("s", 1, 1, "a", True, "A"),
        ("s", 1, 2, "b", False, "A"),
    ]
    assert any("productId as doc" in note for note in sessions.notes)
    with refuses(BadInput, "log.csv"):
        as_sessions(write_file(tmp_path / "log.csv", "user_id,timestamp,query,rank,doc\n"))


def test_every_column_of_users_is_hashed_however_it_is_written():
    row = {
        "user_id": "ann",
        "customerId": "c-17",
        "query": "x",
        "rank": 1,
        "doc": "a",
        "clicked": 1,
    }
    frame = pl.DataFrame([row | {"time": time} for time in (1772355600, 1772355660)])
    results = gainful.sessions.evaluate(frame, measures="sDCG@3", anonymise="salt")
    assert set(results.columns["customerId"]).isdisjoint({"c-17"})


@pytest.mark.parametrize(
    "word", ["rank", "doc", "session", "topic", "grade", "position", "time", "liked"]
)
@pytest.mark.parametrize("lazy", [False, True])
def test_an_event_may_be_called_like_a_column(word, lazy):
    """Gain 1 at rank 1 counts 1, at rank 2 it counts 1 / (1 + log2 2) = 0.5."""
    rows = [
        ("query", None, None),
        ("impression", "a", 1),
        ("impression", "b", 2),
        ("click", "b", 2),
        (word, "a", 1),
    ]
    log = pl.DataFrame(
        [{"user": "u", "time": f"2024-05-01T10:00:0{number}Z", "text": "lamp", "event": event, "doc": doc, "rank": rank}
         for number, (event, doc, rank) in enumerate(rows)]
    )  # fmt: skip
    for name, gain in ((word, 1.0), ("click", 0.5)):
        given_log = log.lazy() if lazy else log
        results = gainful.sessions.evaluate(given_log, None, "sDCG(b=2)@5", gain_from=name)
        assert results["sDCG(b=2)@5"] == pytest.approx(gain)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_columns_of_a_log_may_be_fields_of_objects(tmp_path, suffix):
    """As Segment and Amplitude write events: what was searched for is in `properties`."""
    rows = [
        {"user": "u", "time": f"2026-03-01T10:00:0{at}Z", "event": word, "properties": fields}
        for at, (word, fields) in enumerate(
            [
                ("view", {"query": "lamp", "sku": "a", "position": 1}),
                ("view", {"query": "lamp", "sku": "b", "position": 2}),
                ("click", {"query": "lamp", "sku": "b", "position": 2}),
            ]
        )
    ]
    names = {"text": "properties.query", "doc": "properties.sku", "rank": "properties.position"}
    path = tmp_path / f"log{suffix}"
    if suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) if suffix == ".jsonl" else json.dumps(rows), "utf-8")
    for log in (path, rows, pl.DataFrame(rows)):
        sessions = as_sessions(log, columns=names, events={"shown": "view"})
        assert sessions.frame.select("text", "doc", "clicked").rows() == [
            ("lamp", "a", False),
            ("lamp", "b", True),
        ]
        with pytest.raises(NoColumn) as refused:
            as_sessions(log, columns=names | {"text": "properties.no"}, events={"shown": "view"})
        assert "'properties.no'" in refused.value.problem
        with pytest.raises(BadInput) as refused:
            as_sessions(log, columns=names | {"text": "properties"}, events={"shown": "view"})
        assert "properties.query" in refused.value.expected
    assert not gainful.check(path, columns=names).findings[0].kind.startswith("run")


def test_a_log_with_lists_of_results_is_not_called_queries(tmp_path):
    record = {"session_id": "s", "query": "lamp", "results": ["a", "b"], "clicks": ["b"]}
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(record), encoding="utf-8")
    with refuses(BadInput, "log.jsonl", "'results' holds a list"):
        as_sessions(path)
    for log in (path, [record]):
        (finding,) = gainful.check(log).findings
        assert finding.kind.startswith("sessions")
        assert "'results' holds a list" in finding.problems[0]


def test_a_dict_of_columns_is_a_table_of_sessions():
    columns = {"session": ["s", "s"], "query": [1, 2], "rank": [1, 1], "doc": ["a", "b"]}
    assert gainful.check(columns).findings[0].kind == "sessions, in memory"
    assert as_sessions(columns).frame.rows() == [("s", 1, 1, "a"), ("s", 2, 1, "b")]
    with refuses(BadInput, "sessions", "different lengths"):
        as_sessions({**columns, "doc": ["a"]})


@pytest.mark.parametrize("form", ["polars", "lazy", "file"])
def test_where_a_user_is_not_told_another_column_of_users_is_named(form, tmp_path):
    """Segment and Snowplow have an anonymous id in every row, and that of a user who logged in."""
    shown = {"query": "lamp", "doc": "a", "rank": 1, "time": "2024-05-01T10:00:00Z"}
    rows = [shown | {"anonymous_id": "x"}, shown | {"anonymous_id": "y", "user_id": "u"}]
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "log.csv")
    log = {"polars": frame, "lazy": frame.lazy(), "file": tmp_path / "log.csv"}[form]
    with pytest.raises(BadInput) as refused:
        as_sessions(log)
    assert "--columns user=anonymous_id" in refused.value.expected
    assert len(as_sessions(log, columns={"user": "anonymous_id"}).frame) == 2
