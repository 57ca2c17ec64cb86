"""User Behavior Insights: queries and events of UBI 1.x become sessions with what was clicked."""

import json
from functools import partialmethod

import polars as pl
import pytest
from example_files import EXAMPLES
from facts import find_notes
from refusals import refuses
from written_files import write_file, write_lines

import gainful
from gainful.errors import BadInput
from gainful.match.behaviour_gains import estimate_propensities
from gainful.read.formats import find_session_format
from gainful.read.session_inputs import as_sessions
from gainful.read.source import Source, open_source
from gainful.read.ubi import parse_hits
from gainful.sessions import evaluate


def query(number, client="c1", text="laptop", hits=("a", "b", "c"), **more):
    """A query as version 1.3.0 of the specification has it."""
    return {
        "application": "shop",
        "query_id": f"q{number}",
        "client_id": client,
        "user_query": text,
        "timestamp": f"2026-03-01T10:{number:02d}:00.000Z",
        "query_response_id": f"r{number}",
        "query_response_hit_ids": list(hits),
        "query_attributes": {"experiment_id": "A"},
    } | more


def event(number, doc, action="click", seconds=20, **more):
    """An event as version 1.3.0 of the specification has it."""
    return {
        "application": "shop",
        "action_name": action,
        "query_id": f"q{number}",
        "session_id": "s1",
        "client_id": "c1",
        "timestamp": f"2026-03-01T10:{number:02d}:{seconds:02d}.000Z",
        "message_type": "CLICK",
        "message": doc,
        "event_attributes": {
            "object": {"object_id": doc, "object_id_field": "sku"},
            "position": {"ordinal": 1},
        },
    } | more


def list_results(sessions, *columns):
    return sessions.frame.select("session", "query", "rank", "doc", *columns).rows()


@pytest.fixture
def log(tmp_path):
    queries = write_lines(
        tmp_path / "queries.jsonl",
        query(1),
        query(2, text="laptop bag", hits=["d", "b"]),
        query(3, client="c2", text="nothing", hits=[]),
    )
    events = write_lines(
        tmp_path / "events.jsonl",
        event(1, "b"),
        event(1, "b", "add_to_cart", 30),
        event(2, "d", "purchase"),
        event(2, None, "page_exit", 50, event_attributes={"position": {}, "object": {"idle": 5}}),
    )
    return queries, events


RESULTS = [
    ("s1", 1, 1, "a", "laptop", False),
    ("s1", 1, 2, "b", "laptop", True),
    ("s1", 1, 3, "c", "laptop", False),
    ("s1", 2, 1, "d", "laptop bag", False),
    ("s1", 2, 2, "b", "laptop bag", False),
    ("c2#1", 1, None, None, "nothing", False),
]


def join_files(paths, folder):
    path = write_file(folder / "ubi.jsonl", "".join(part.read_text() for part in paths))
    return [path]


def write_parquet(paths, folder):
    for path in paths:
        pl.read_ndjson(path).write_parquet(folder / f"{path.stem}.parquet")
    return [folder / f"{path.stem}.parquet" for path in paths]


def export_index(paths, folder):
    files = []
    for path in paths:
        records = [json.loads(line) for line in path.read_text().splitlines()]
        wrapped = [{"_index": "ubi", "_id": "1", "_source": record} for record in records]
        files.append(write_lines(folder / f"dump-{path.name}", *wrapped))
    return files


@pytest.mark.parametrize(
    "change",
    [
        lambda paths, _: paths,
        lambda paths, _: paths[::-1],
        *(join_files, write_parquet, export_index),
    ],
    ids=["two files", "in the other order", "one file", "parquet", "exports of an index"],
)
def test_queries_and_events_in_every_form_of_files(log, tmp_path, change):
    paths = change(log, tmp_path)
    assert find_session_format(open_source(paths[0])).name == "ubi"
    sessions = as_sessions(list(paths))
    results = list_results(sessions, "text", "clicked")
    assert sorted(results, key=str) == sorted(RESULTS, key=str)
    assert "system" not in sessions.frame.columns  # they are no systems


def test_other_actions_are_known_by_their_names(log):
    frame = as_sessions(list(log)).frame
    assert frame.filter(pl.col("add_to_cart"))["doc"].to_list() == ["b"]
    assert frame.filter(pl.col("purchased"))["doc"].to_list() == ["d"]
    notes = as_sessions(list(log)).notes
    assert find_notes(notes, 1, "page_exit", "not", "used")


def test_sessions_are_known_from_events_of_no_result_too(tmp_path):
    """q1 and q5 have no click; their client left a page of session s7 two minutes after q1. Of the
    others, nothing but a page that was left is known, once with their query and once without."""
    asked = (query(1), query(5), query(6, client="c3"), query(50, client="c2"))
    queries = write_lines(tmp_path / "queries.jsonl", *asked)
    left = {"position": {}, "object": {}}
    last = {"client_id": "c2", "query_id": None}
    events = write_lines(
        tmp_path / "events.jsonl",
        event(3, None, "page_exit", session_id="s7", query_id=None, event_attributes=left),
        event(6, None, "page_exit", session_id="s9", client_id="c3", event_attributes=left),
        event(50, None, "page_exit", session_id="s8", event_attributes=left, **last),
    )
    sessions = as_sessions([queries, events])
    asked = sessions.frame.unique(["session", "query"], maintain_order=True)
    expected = [("s7", 1), ("s7", 2), ("s9", 1), ("s8", 1)]
    assert asked.select("session", "query").rows() == expected
    assert find_notes(sessions.notes, 3, "queries", "session_id")


def test_queries_without_session_ids_are_placed_by_client_and_time(tmp_path):
    """q2 has no event: it is near q1 of the same client; q40 is too far from both."""
    queries = write_lines(
        tmp_path / "queries.jsonl", query(1), query(2, text="bag"), query(40, text="later")
    )
    events = write_lines(tmp_path / "events.jsonl", event(1, "a"))
    sessions = as_sessions([queries, events])
    texts = sessions.frame.unique(["session", "text"], maintain_order=True)
    assert texts.select("session", "text").rows() == [
        ("s1", "laptop"),
        ("s1", "bag"),
        ("c1#1", "later"),
    ]
    assert len(find_notes(sessions.notes, 1, "query", "without", "session_id")) == 2


def test_without_any_session_id_a_gap_ends_a_session(tmp_path):
    queries = write_lines(
        tmp_path / "queries.jsonl", query(1), query(5, text="bag"), query(40, text="later")
    )
    sessions = as_sessions(queries)
    assert sessions.frame["session"].unique(maintain_order=True).to_list() == ["c1#1", "c1#2"]
    sessions = as_sessions(queries, gap="2m")
    assert sessions.frame["session"].n_unique() == 3


@pytest.mark.parametrize("position", [{"ordinal": 2}, {"ordinal": {"index": 2}}, {"index": 2}])
def test_impressions_are_the_list_where_no_hits_are_told(tmp_path, position):
    """Positions are those of every version."""
    records = [
        event(1, doc, "impression", event_attributes={"object": {"object_id": doc}, "position": at})
        for doc, at in (("y", position), ("x", {"ordinal": 1}))
    ]
    click = event(1, "y", user_query="laptop", seconds=40)
    sessions = as_sessions(write_lines(tmp_path / "events.jsonl", *records, click))
    assert list_results(sessions, "clicked") == [("s1", 1, 1, "x", False), ("s1", 1, 2, "y", True)]
    assert find_notes(sessions.notes, "impressions", "order", "position")


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
@pytest.mark.parametrize("field", ["store", "event", "wrong"])
def test_fields_beside_those_of_ubi_may_be_named(tmp_path, suffix, field):
    records = [query(1) | {field: "x"}, query(2) | {field: {"id": "y"}}]
    path = tmp_path / f"q.{suffix}"
    if suffix == "parquet":
        pl.DataFrame([query(1) | {field: {"id": "y"}}]).write_parquet(path)
    else:
        lines = map(json.dumps, records)
        path.write_text("\n".join(lines) if suffix == "jsonl" else json.dumps(records))
    if suffix != "parquet":
        topics = as_sessions(path, columns={"topic": field}).frame["topic"].unique()
        assert "x" in topics.to_list()
    topics = as_sessions(path, columns={"system": f"{field}.id"}).frame["system"].unique()
    assert "y" in topics.to_list()


@pytest.mark.parametrize(
    "other", [{"messages": [{"role": "user", "content": "x"}]}, {"trace_id": "t", "span_id": "s"}]
)
def test_a_record_of_another_kind_of_log_is_called_so(tmp_path, other):
    path = write_lines(tmp_path / "log.jsonl", query(1), other)
    with refuses(BadInput, "log.jsonl:2", "no field of UBI"):
        as_sessions(path)
    assert as_sessions(path, bad="skip").frame["doc"].to_list() == ["a", "b", "c"]


def test_whole_numbers_are_ids_too(tmp_path):
    queries = write_lines(tmp_path / "q.jsonl", query(1, hits=[17, 18]))
    events = write_lines(tmp_path / "e.jsonl", event(1, 18))
    assert list_results(as_sessions([queries, events]), "clicked") == [
        ("s1", 1, 1, "17", False),
        ("s1", 1, 2, "18", True),
    ]


def test_a_click_before_its_query_by_another_clock_still_counts(tmp_path):
    queries = write_lines(tmp_path / "q.jsonl", query(2))
    early = event(2, "a", timestamp="2026-03-01T10:01:58.000Z")
    events = write_lines(tmp_path / "e.jsonl", early)
    sessions = as_sessions([queries, events])
    assert sessions.frame["clicked"].to_list() == [True, False, False]
    assert any("by other clocks" in note for note in sessions.notes)


def test_pages_of_one_query_continue_its_list(tmp_path):
    second = query(1, hits=["c", "d"], timestamp="2026-03-01T10:01:30Z")
    path = write_lines(tmp_path / "q.jsonl", query(1), second)
    sessions = as_sessions(path)
    assert [row[1:] for row in list_results(sessions)] == [*zip([1] * 4, range(1, 5), "abcd")]  # noqa: B905


@pytest.mark.parametrize(
    ("events", "cut", "named", "left_out"),
    [
        (
            [event(1, "zzz"), event(1, "a"), event(2, "yyy")],
            *(0, ("events.jsonl:1", "'zzz'", "line 3"), "2 events"),
        ),
        (
            [event(1, "a"), event(1, "b", timestamp="soon")],
            *(0, ("events.jsonl:2", "'soon'"), "1 event"),
        ),
        ([event(1, "a"), event(1, "b")], 30, ("events.jsonl:2",), "1 "),
    ],
    ids=["not shown", "no time", "cut off"],
)
def test_bad_events_are_told_with_their_line_and_can_be_left_out(log, events, cut, named, left_out):
    text = "".join(f"{json.dumps(record)}\n" for record in events)
    log[1].write_text(text[: len(text) - cut])
    with refuses(BadInput, named):
        as_sessions(list(log))
    sessions = as_sessions(list(log), bad="skip")
    assert sessions.frame["clicked"].sum() == 1
    assert any(note.startswith(left_out) for note in sessions.notes)


def test_what_is_not_enough_for_sessions_is_told(log, tmp_path):
    with refuses(BadInput, "events.jsonl"):  # events do not say what was shown
        as_sessions(log[1])
    with refuses(BadInput, "q.jsonl:2"):  # no client, and no session
        as_sessions(write_lines(tmp_path / "q.jsonl", query(1), query(2, client=None)))


def test_clicks_gain_without_judgments_and_judgments_are_by_the_query(log):
    results = evaluate(list(log), measures="sDCG(b=2, bq=4)@3")
    values = dict(results.per_session.select("session", pl.last()).iter_rows())
    assert values["s1"] == pytest.approx(1 / (1 + 1))  # the click on b, at rank 2
    qrels = {"laptop": {"a": 3}, "laptop bag": {"b": 1}, "nothing": {"x": 1}}
    judged = evaluate(list(log), qrels, "sDCG(b=2, bq=4)@3")
    values = dict(judged.per_session.select("session", pl.last()).iter_rows())
    assert values["s1"] == pytest.approx(3 + (1 / 2) / 1.5)


def test_both_files_are_checked_together(log):
    report = gainful.check(*log)
    assert report.ok
    assert "2 sessions, 3 queries, 5 results" in str(report)
    write_lines(log[1], event(1, "zzz"))
    assert "'zzz'" in str(gainful.check(*log))


def test_the_command_takes_both_files(run_gainful, log):
    done = run_gainful("sessions", *map(str, log), "-m", "sDCG@10", "--format", "table")
    assert "2 sessions · 3 queries" in done.out
    assert find_notes(done.out.split("·"), "gain", "clicked")


@pytest.mark.parametrize(
    "hits",
    [
        *([True, "b"], [1.5], ["a", 1e999], '["\\ud800"]', [["a"]], [None], ["a", None]),
        *([{"id": "a"}], {"a": 1}),
    ],
)
def test_hits_that_are_no_ids_are_told_and_not_made_texts(tmp_path, hits):
    path = write_lines(tmp_path / "q.jsonl", query(1), query(2) | {"query_response_hit_ids": hits})
    with refuses(BadInput, "q.jsonl:2"):
        as_sessions(path)
    assert len(as_sessions(path, bad="skip").frame) == 3


def test_ids_with_control_characters_are_ids():
    values = pl.Series(['["a\x1b", "b\x00c"]', '["x, true", "7"]'])
    assert parse_hits(values).to_list() == [["a\x1b", "b\x00c"], ["x, true", "7"]]


def test_a_log_in_pieces_is_read_as_one(tmp_path, monkeypatch):
    """Lines that end a piece, and one that is cut off, are told by their lines."""
    queries = [query(n, text="x" * (n % 7), hits=[f"d{n}", "b"]) for n in range(50)]
    lines = [json.dumps(query) for query in queries]
    path = write_file(tmp_path / "queries.jsonl", "\n\n".join(lines))
    whole = as_sessions(path, "ubi").frame
    monkeypatch.setattr(Source, "iterate_pieces", partialmethod(Source.iterate_pieces, 300))
    assert as_sessions(path, "ubi").frame.equals(whole)
    lines[40] = lines[40][:-5]
    path.write_text("\n\n".join(lines), encoding="utf-8")
    with refuses(BadInput, "queries.jsonl:81"):
        as_sessions(path, "ubi")
    assert as_sessions(path, "ubi", bad="skip").frame["query_id"].n_unique() == 49


def test_a_field_that_stands_twice_is_told_and_one_of_the_same_name_within_is_none(tmp_path):
    path = tmp_path / "queries.jsonl"
    within = query(1, query_attributes={"query_id": "other"})
    path.write_text(f"{json.dumps(within)}\n{json.dumps(query(2))}", encoding="utf-8")
    assert as_sessions(path).frame["query_id"].unique().sort().to_list() == ["q1", "q2"]
    twice = json.dumps(query(2)).replace('"query_id"', '"query_id": "q9", "query_id"', 1)
    path.write_text(f"{json.dumps(within)}\n{twice}", encoding="utf-8")
    with refuses(BadInput, "queries.jsonl:2", "'query_id'"):
        as_sessions(path)


def read_retyped(tmp_path, *records):
    """Session, number and text of each query, its documents, and those that were clicked."""
    sessions = as_sessions(write_lines(tmp_path / "ubi.jsonl", *records))
    lists = sessions.frame.group_by("session", "query", "text", maintain_order=True).agg(
        pl.col("doc").str.join(""), pl.col("doc").filter("clicked").str.join("").alias("clicked")
    )
    return lists.rows(), sessions.notes


def make_query(seconds, text, hits=(), **more):
    return query(1, text=text, hits=hits, timestamp=f"2026-03-01T10:01:{seconds:02d}Z", **more)


def test_another_text_under_one_query_id_is_another_query(tmp_path):
    """As Chorus' front end logs it, which keeps the id while the user retypes."""
    records = [
        make_query(0, "wall mount", "abc"),
        make_query(1, "wall mount"),  # facets, with size 0
        make_query(2, "wall mount", "cd"),  # its second page
        make_query(20, "wallmount", "bx"),
        event(1, "a", seconds=25),  # only the first list has it
        event(1, "b", seconds=26),  # both have it, and the second is the latest
        event(1, "x", seconds=10),  # by another clock
        event(2, None, "page_exit", 50, event_attributes={}),
    ]
    lists, notes = read_retyped(tmp_path, *records)
    assert lists == [("s1", 1, "wall mount", "abcd", "a"), ("s1", 2, "wallmount", "bx", "bx")]
    assert find_notes(notes, 1, "query", "query_id", "another")
    assert find_notes(notes, 2, "records", "query_id", "merged")


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (  # typed back: the third search is the first again, and has the click
            [
                make_query(0, "a", "ab"),
                make_query(9, "b", "ab"),
                make_query(15, "a", "ab"),
                event(1, "b"),
            ],
            [("a", "ab", "b"), ("b", "ab", "")],
        ),
        (  # an event that names its text
            [make_query(0, "a", "ab"), make_query(9, "b", "ab"), event(1, "b", user_query="a")],
            [("a", "ab", "b"), ("b", "ab", "")],
        ),
        (  # a record without a text is of the search before it
            [
                make_query(0, "a", "a"),
                make_query(9, "b", "b"),
                make_query(12, None, "c"),
                event(1, "c"),
            ],
            [("a", "a", ""), ("b", "bc", "c")],
        ),
        (  # impressions where no hits are logged
            [
                *(make_query(0, "a"), event(1, "a", "impression", 2), event(1, "a", seconds=3)),
                *(make_query(9, "b"), event(1, "b", "impression", 10), event(1, "b", seconds=11)),
            ],
            [("a", "a", "a"), ("b", "b", "b")],
        ),
    ],
)
def test_events_belong_to_the_latest_search_of_their_id_that_lists_the_document(
    tmp_path, records, expected
):
    for order in (records, records[::-1]):
        lists, _ = read_retyped(tmp_path, *order)
        assert [row[2:] for row in lists] == expected
        assert {row[0] for row in lists} == {"s1"}


def test_each_text_under_one_query_id_has_its_own_judgments(tmp_path):
    path = write_lines(
        tmp_path / "q.jsonl", make_query(0, "wall mount", "ab"), make_query(20, "wallmount", "c")
    )
    qrels = {"wall mount": {"b": 1}, "wallmount": {"c": 3}}
    values = evaluate(path, qrels, "sDCG(b=2, bq=4)@3").per_session
    assert values.row(0)[-1] == pytest.approx(1 / 2 + 3 / 1.5)


# --- how deep searchers looked ---------------------------------------------------------------


def see(number, doc, second):
    """An impression, some seconds after the query."""
    return event(number, doc, "impression", second)


VIEWED = [
    *(see(1, doc, second) for doc, second in (("a", 1), ("b", 1), ("c", 4))),  # and scrolled
    event(1, "b", seconds=9),
    *(see(2, doc, 1) for doc in ("a", "c")),  # a gap
    *(see(3, doc, 1) for doc in ("a", "b")),
    event(3, "c", seconds=9),  # what was clicked was seen
]


@pytest.mark.parametrize("facets", [False, True])
def test_impressions_that_fire_when_a_result_comes_into_view_tell_how_deep_searchers_looked(
    tmp_path, facets
):
    queries = [query(number, hits="abcde") for number in (1, 2, 3, 4)]
    if facets:  # requests for facets under the id of the search, which bring no hits
        queries += [query(number, hits=[]) for number in (1, 1, 3)]
    path = write_lines(tmp_path / "log.jsonl", *queries, *VIEWED)
    sessions = as_sessions(path)
    firsts = sessions.frame.filter(pl.col("rank") == 1)
    assert firsts["scanned"].to_list() == [3, None, 3, None]
    assert any("2 of 4 queries" in note for note in sessions.notes)
    assert any("3 query records" in note for note in sessions.notes) == facets


def test_impressions_of_all_that_is_on_a_page_do_not_tell_how_deep_searchers_looked(tmp_path):
    queries = [query(number, hits="abc") for number in (1, 2)]
    at_once = [see(number, doc, 1) for number in (1, 2) for doc in "ab"]
    whole = [see(number, doc, second) for number in (1, 2) for second, doc in enumerate("abc")]
    for events in (at_once, whole):
        path = write_lines(tmp_path / "log.jsonl", *queries, *events)
        assert "scanned" not in as_sessions(path).frame.columns


def test_depth_and_propensities_are_those_that_impressions_tell(tmp_path):
    queries = [query(number, hits="abcde") for number in (1, 2, 3, 4)]
    seen = {1: "ab", 2: "abcd", 3: "a"}
    impressions = [
        see(number, doc, 2 * place) for number in seen for place, doc in enumerate(seen[number])
    ]
    path = write_lines(tmp_path / "log.jsonl", *queries, *impressions, event(2, "d", seconds=30))
    propensities = estimate_propensities(as_sessions(path))
    # Kaplan and Meier: 3 of 3 lists, then 2 of these 3, 1 of these 2, 1 of this 1, 0 of this 1.
    assert propensities.values == pytest.approx([1, 2 / 3, 1 / 3, 1 / 3, 0], abs=1e-6)
    assert "3 of 4 queries" in propensities.source
    measures = ["IR@5", "IR(depth=scanned)@5"]
    without = write_lines(tmp_path / "seen.jsonl", *queries[:3], *impressions)
    judged = {"laptop": {"b": 1, "e": 1}}  # e came into nobody's view
    assert list(evaluate(without, judged, measures).mean.values()) == [1, 0.5]
    assert list(evaluate(path, judged, measures).mean.values()) == [1, 1]  # of one nothing is told


def test_events_of_queries_that_are_not_logged_are_counted_and_not_used(tmp_path):
    path = write_lines(tmp_path / "log.jsonl", query(1), event(1, "a"), event(7, "z"))
    sessions = as_sessions(path)
    assert sessions.frame["clicked"].to_list() == [True, False, False]
    assert any("1 event names a query" in note for note in sessions.notes)
    with pytest.raises(BadInput):  # of which there is nothing else
        as_sessions(write_lines(tmp_path / "none.jsonl", query(1), event(7, "z")))


def test_check_of_actions_alone_names_the_bad_record_too(tmp_path):
    lines = (EXAMPLES / "logs" / "ubi-events.jsonl").read_text("utf-8").splitlines()
    last = json.loads(lines[-1])
    del last["action_name"], last["timestamp"]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join([*lines[:-1], json.dumps(last)]), "utf-8")
    (finding,) = gainful.check(path).findings
    assert any(line.startswith(f"line {len(lines)}") for line in finding.problems)
    assert len(finding.problems) == 2


def test_queries_of_solr_list_their_hits_in_one_text(tmp_path):
    """As UBIComponent of Solr writes ubi_queries.jsonl: no client, and commas between the ids."""
    record = {"query_id": "q1", "user_query": "laptop", "timestamp": "2026-03-01T10:01:00Z"}
    path = write_lines(tmp_path / "log.jsonl", record | {"doc_ids": "a,b,c"}, event(1, "b"))
    sessions = as_sessions(path)
    assert sessions.frame["doc"].to_list() == ["a", "b", "c"]
    assert sessions.frame["clicked"].to_list() == [False, True, False]


@pytest.mark.parametrize("make", [query, lambda number: event(number, "a")])
def test_a_log_in_csv_is_refused_whose_lists_and_objects_are_texts(tmp_path, make):
    """A list such as "a, b" would be the id of one document."""
    frame = pl.DataFrame([{name: str(value) for name, value in make(1).items()}])
    path = tmp_path / "log.csv"
    frame.write_csv(path)
    with refuses(BadInput, "log.csv", "UBI in CSV"):
        as_sessions(path)
    (finding,) = gainful.check(path).findings
    assert "doc=query_response_hit_ids" not in finding.problems[0]
