"""Sessions from tables, TREC's XML, conversations and Dynamic Domain; what is wrong is told."""

import math

import numpy as np
import polars as pl
import pytest
from example_files import SHARED_DATA
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import read_qrels, write_file, write_table

import gainful
from gainful.errors import BadInput, BadValue, UnknownName
from gainful.read.formats import FORMATS, SESSION_FORMATS
from gainful.read.session_inputs import as_sessions
from gainful.read.sessions import Sessions, check_rows

CAST = SHARED_DATA / "cast2021"
NAMES = ["session", "query", "rank", "doc"]
FINE = [("s", 1, 1, "a"), ("s", 1, 2, "b"), ("s", 2, 1, "a"), ("t", 1, 1, "c")]


def session_frame(rows, names=None):
    return pl.DataFrame(rows, schema=names or NAMES, orient="row")


def select_rows(sessions, *names):
    return sessions.frame.select(*(names or NAMES)).rows()


# --- tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_the_same_table_in_every_form(tmp_path, form):
    path = write_table(tmp_path / f"sessions.{form}", session_frame(FINE))
    assert select_rows(as_sessions(path)) == FINE


@pytest.mark.parametrize(
    ("rows", "names", "expected"),
    [
        ([FINE[2], FINE[3], FINE[1], FINE[0]], "session query rank doc", FINE),  # in any order
        ([FINE[0], FINE[3], *FINE[1:3]], "session query rank doc", FINE),  # sessions alternate
        ([(s, q, d) for s, q, _, d in FINE], "session query doc", FINE),  # the order is the ranking
        ([("s", 1, "jaguar", "a")], "session qno query doc", [("s", 1, 1, "a", "jaguar")]),
    ],
)
def test_what_a_table_says_of_lists(rows, names, expected):
    sessions = as_sessions(session_frame(rows, names.split()))
    assert select_rows(sessions, *NAMES, *["text"][: len(expected[0]) - 4]) == expected


def test_a_query_that_returned_nothing_is_a_row_without_a_document():
    sessions = as_sessions(session_frame([("s", 1, None, None), ("s", 2, 1, "a")]))
    assert select_rows(sessions, "query", "doc") == [(1, None), (2, "a")]
    assert gainful.sessions.evaluate(sessions, {"s": {"a": 3}}, "sDCG(b=2,bq=4)@10").mean == {
        "sDCG(b=2,bq=4)@10": pytest.approx(2.0)  # 3 / (1 + log4 2)
    }


def test_a_frame_of_pandas_says_nan_where_there_is_nothing():
    pandas = pytest.importorskip("pandas")
    nan = float("nan")
    given = {"session": [1, 1], "query": [1.0, 2.0], "rank": [1.0, nan], "doc": ["a", None]}
    sessions = as_sessions(pandas.DataFrame(given | {"grade": [nan, nan]}))
    assert select_rows(sessions, *NAMES, "grade") == [
        ("1", 1, 1, "a", None),
        ("1", 2, None, None, None),
    ]


@pytest.mark.parametrize("query", [[True], [[1]], [None], [{"a": 1}], [2**63]])
def test_positions_of_no_use_are_refused(query):
    frame = pl.DataFrame({"session": ["s"], "query": query, "doc": ["a"]}, strict=False)
    with pytest.raises(BadInput):
        as_sessions(frame)


def test_columns_by_other_names_and_others_are_kept():
    names = ["session_id", "qno", "position", "docno", "user_id", "click", "mood"]
    sessions = as_sessions(session_frame([("s", 1, 1, "a", 7, "yes", "calm")], names))
    assert select_rows(sessions, *NAMES, "searcher", "clicked", "mood") == [
        ("s", 1, 1, "a", "7", True, "calm")
    ]
    assert sessions.columns == ["searcher", "mood"]


@pytest.mark.parametrize(
    ("some", "named"),
    [
        ([("s", 1, 1, "a"), ("s", 3, 1, "b")], "'s' query 2 missing 1 3"),
        ([("s", 2, 1, "a")], "'s' query 1 missing 2"),
        ([("s", 0, 1, "a")], "query 0 below 1"),
        ([("s", None, None, None)], "'s' no query"),
        ([("s", None, 1, "a")], "'s' no query position"),
        ([(None, 1, 1, "a")], "no session"),
        ([("", 1, 1, "a")], "no session"),
        ([("s", 1, None, "a")], "no rank"),
        ([("s", 1, 0, "a")], "rank 0 below 1"),
        ([("s", 1, 1, "a"), ("s", 1, 3, "b")], "query 1 rank 2 missing 3"),
        ([("s", 1, 2, "a")], "query 1 rank missing 2"),
        ([("s", 1, 1, "a"), ("s", 1, 1, "b")], "query 1 rank twice"),
        ([("s", 1, 1, "a"), ("s", 1, 2, "a")], "query 1 'a' twice"),
        ([("s", 1, 1, "a"), ("s", 1, None, None)], "row without document"),
        ([("s", 1, 1, "a"), ("s", 1, 2, "")], "rank no document"),
        ([("s", 1, 1, "a"), ("s", 2, 1, "b"), ("s", 1, 1, "c")], "query 1 repeated"),
    ],
)
def test_what_is_wrong_is_told_or_left_out(tmp_path, some, named):
    fine = ("fine", 1, 1, "a")
    frame = session_frame([fine, *some])
    path = tmp_path / "s.csv"
    frame.write_csv(path)
    for log in (frame, path):
        with pytest.raises(BadInput) as refused:
            as_sessions(log)
        assert find_notes([str(refused.value)], *named.split())
        assert "\n" not in str(refused.value)
    assert refused.value.where == f"{path}:{2 + len(some)}"  # the last row, below a head
    left = as_sessions(frame, bad="skip")
    assert select_rows(left) == [fine]
    assert find_notes(left.notes, 1, "session", "left", "out", "row")
    with refuses(BadInput, "sessions"):
        as_sessions(frame[1:], bad="skip")


@pytest.mark.parametrize(
    ("rows", "names", "about"),
    [
        # without ranks a query whose rows stand apart is repeated
        ([("s", 1, "a"), ("s", 2, "b"), ("s", 1, "c")], "session query doc", ("sessions, row 2", "'s'")),
        # of two mistakes, the first of the file
        ([("t", 1, 1, "a"), ("t", 1, 1, "b"), ("s", 2, 1, "a")], "session query rank doc", ("sessions, row 1", "'t'")),
        # a query has one topic, a session may have several
        ([("t", 1, 1, "a", "x"), ("t", 2, 1, "a", "y"), ("s", 1, 1, "a", "x"), ("s", 1, 2, "b", "y")],
         "session query rank doc topic", ("sessions, row 3", "'s'", "'x'", "'y'")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_rows_together(rows, names, about):
    with refuses(BadInput, about):
        as_sessions(session_frame(rows, names.split()))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("query", "jaguar cars"),
        ("query", "1.5"),
        ("rank", "first"),
        ("rank", "inf"),
        ("grade", "good"),
        ("clicked", "perhaps"),
        ("topic", ""),
    ],
)
def test_fields_that_are_not_of_their_kind(tmp_path, column, value):
    fields = {"session": "s", "query": "1", "rank": "1", "doc": "a", "grade": "1", "clicked": "no"}
    fields["topic"] = "7"
    bad = fields | {"session": "t", column: value}
    path = tmp_path / "s.csv"
    pl.DataFrame([fields, bad]).write_csv(path)
    with refuses(BadInput, "s.csv:3", "'t'", f"{column} '{value}'" if value else column):
        as_sessions(path)
    assert select_rows(as_sessions(path, bad="skip"), "session", "topic") == [("s", "7")]


@pytest.mark.parametrize("length", [3, 32, 33, 200])
def test_a_document_twice_is_found_in_lists_of_any_length(length):
    fine = [("s", q, rank, f"d{rank}") for q in (1, 2) for rank in range(1, length + 1)]
    assert select_rows(as_sessions(session_frame(fine))) == fine
    bad = [*fine[:-1], ("s", 2, length, "d1")]
    with refuses(BadInput, f"sessions, row {2 * length - 1}", "'d1'"):
        as_sessions(session_frame(bad))


ROWS = st.tuples(
    st.sampled_from("st"), st.integers(1, 3), st.integers(1, 3), st.sampled_from("abc")
)


@given(st.lists(ROWS, min_size=1, max_size=8))
def test_sessions_are_left_out_if_queries_or_ranks_do_not_count_on_or_a_document_repeats(made):
    def count_on(numbers):
        return sorted(numbers) == [*range(1, len(numbers) + 1)]

    sound = []
    for session in dict.fromkeys(row[0] for row in made):
        rows = sorted(row for row in made if row[0] == session)
        lists = [[row for row in rows if row[1] == query] for query in {row[1] for row in rows}]
        ranks = [[row[2] for row in rows_of_query] for rows_of_query in lists]
        docs = [[row[3] for row in rows_of_query] for rows_of_query in lists]
        unique = all(len(some) == len({*some}) for some in docs)
        if count_on({row[1] for row in rows}) and all(map(count_on, ranks)) and unique:
            sound += rows
    checked = check_rows(session_frame(made))
    assert select_rows(Sessions(checked.frame)) == sound
    assert checked.bad_sessions == {row[0] for row in made} - {row[0] for row in sound}


def test_many_sessions_match_as_few_do():
    """Over the stretches in which rows are looked at, against a sum by hand of each session."""
    rng = np.random.default_rng(5)
    size = 20_000
    docs = rng.integers(0, 50, (size, 2))
    docs[:, 1] = np.where(docs[:, 0] == docs[:, 1], docs[:, 1] + 50, docs[:, 1])
    grades = {f"d{number}": number % 4 for number in range(100)}
    frame = pl.DataFrame(
        {
            "session": np.repeat([f"s{number}" for number in range(size // 2)], 4),
            "query": np.tile([1, 1, 2, 2], size // 2),
            "rank": np.tile([1, 2], size),
            "doc": [f"d{number}" for number in docs.ravel()],
            "topic": "t",
        }
    )
    results = gainful.sessions.evaluate(frame, {"t": grades}, "sDCG(b=2,bq=4)@10")
    gain = (docs % 4) / [1, 2]
    expected = gain.sum(axis=1).reshape(-1, 2) @ [1, 1 / 1.5]
    np.testing.assert_allclose(results.per_session["sDCG(b=2,bq=4)@10"].to_numpy(), expected)


def test_options_and_formats_that_do_not_exist(tmp_path):
    path = tmp_path / "s.csv"
    session_frame(FINE).write_csv(path)
    with refuses(UnknownName, "tabel", "table"):
        as_sessions(path, "tabel")
    with refuses(BadValue, "bad"):
        as_sessions(path, bad="ignore")
    with refuses(BadValue, "ties"):
        as_sessions(path, ties="input")
    with refuses(BadValue, "pages"):
        as_sessions(session_frame(FINE), pages="merge")
    logs = {"ubi", "openinference", "chat", "turns", "ikat"}
    assert set(SESSION_FORMATS) == {"table", "trec-session", "conversation", "dd", *logs}


# --- TREC Session Track ---------------------------------------------------------------------

XML = """<?xml version="1.0" encoding="UTF-8"?>
<sessiontrack2014>
<session num="1" starttime="0" userid="u7">
<topic num="12"><title>cats & dogs</title><desc>all of them</desc></topic>
<interaction num="1" starttime="1.5" type="reformulate">
<query>cats & dogs</query>
<results>
<result rank="1"><url>http://x/?a=1&b=2</url><clueweb12id>d1</clueweb12id><title/><snippet/></result>
<result rank="2"><url/><clueweb12id>d2</clueweb12id><title>AT&amp;T</title></result>
</results>
<clicked>
<click num="1" starttime="3.0" endtime="7.5"><rank>2</rank><docno>d2</docno></click>
<click num="2" starttime="9" endtime="10"><rank>9</rank></click>
</clicked>
</interaction>
<interaction num="2" starttime="20" type="page">
<query>cats & dogs</query>
<results>
<result rank="11"><clueweb12id>d2</clueweb12id></result>
<result rank="12"><clueweb12id>d3</clueweb12id></result>
</results>
<clicked><click num="1"><rank>12</rank></click></clicked>
</interaction>
<interaction num="3" starttime="30" type="reformulate">
<query>only cats</query>
<results></results>
</interaction>
<currentquery starttime="40"><query>cat food</query></currentquery>
</session>
<session num="2" starttime="0">
<topic num="12"/>
<interaction num="1"><query>q</query>
<results><result rank="1"><other>d9</other></result></results></interaction>
</session>
</sessiontrack2014>
"""


def test_sessions_of_the_session_track(tmp_path):
    sessions = as_sessions(write_file(tmp_path / "sessions.txt", XML))
    assert select_rows(sessions, *NAMES, "topic", "searcher", "text", "clicked", "seconds") == [
        ("1", 1, 1, "d1", "12", "u7", "cats & dogs", False, None),
        ("1", 1, 2, "d2", "12", "u7", "cats & dogs", True, 4.5),
        ("1", 1, 3, "d3", "12", "u7", "cats & dogs", True, None),
        ("1", 2, None, None, "12", "u7", "only cats", False, None),
        ("2", 1, 1, "d9", "12", None, "q", False, None),
    ]
    assert sessions.frame["current_query"].to_list() == ["cat food"] * 4 + [None]
    click, page, result = sorted(sessions.notes)
    assert find_notes([click], 1, "click", "beyond")
    assert find_notes([page], 1, "page", "continues")
    assert find_notes([result], 1, "result", "before", "left", "out")
    assert sessions.columns == ["topic", "searcher"]


@pytest.mark.parametrize("first", [11, 1])
def test_pages_can_count_as_queries_wherever_their_ranks_begin(tmp_path, first):
    text = XML.replace('rank="11"', f'rank="{first}"').replace('rank="12"', f'rank="{first + 1}"')
    sessions = as_sessions(write_file(tmp_path / "sessions.txt", text), pages="count")
    assert select_rows(sessions)[:5] == [
        *(("1", 1, 1, "d1"), ("1", 1, 2, "d2"), ("1", 2, 1, "d2"), ("1", 2, 2, "d3")),
        ("1", 3, None, None),
    ]
    with refuses(BadValue, "pages"):
        as_sessions(tmp_path / "sessions.txt", pages="both")


def test_sessions_of_2011_have_times_of_the_clock_and_topics_without_numbers(tmp_path):
    text = (
        '<sessiontrack2011><session num="5" starttime="23:59:50.5"><topic><title> peace\n process '
        "</title></topic><interaction num='1' starttime='23:59:51'><query>q</query><results>"
        "<result rank='1'><clueweb09id>c1</clueweb09id></result></results><clicked>"
        "<click num='1' starttime='23:59:58.000000' endtime='00:00:03.500000'><rank>1</rank></click>"
        "</clicked></interaction></session></sessiontrack2011>"
    )
    sessions = as_sessions(write_file(tmp_path / "sessions.txt", text))
    assert select_rows(sessions, "session", "doc", "topic", "clicked", "seconds") == [
        ("5", "c1", "peace process", True, 5.5)
    ]


def test_topics_from_a_mapping(tmp_path):
    path = write_file(tmp_path / "sessions.txt", XML)
    mapping = write_file(tmp_path / "map.txt", "session topic\n1 3 2\n1 3 4\n2 N/A\n")
    sessions = as_sessions(path, topics=mapping)
    assert sessions.frame["topic"].to_list() == ["3"] * 4
    assert sessions.dropped_count == 1
    assert find_notes(sessions.notes, 2, mapping, "skipped")
    assert find_notes(sessions.notes, 1, "session", "left", "out", mapping)
    for bad in (None, "skip"):
        results = gainful.sessions.evaluate(
            path, {"3": {"d1": 1}}, "sDCG@10", topics=mapping, bad=bad
        )
        assert results.mean == {"sDCG@10": 1.0}
    with refuses(BadInput, "map.txt", "'2'"):
        as_sessions(path, topics=mapping, bad="error")
    twice = write_file(tmp_path / "twice.txt", "1 3\n1 4\n")
    with refuses(BadInput, "twice.txt:2", "'1'"):
        as_sessions(path, topics=twice)
    none = write_file(tmp_path / "none.txt", "9 3\n")
    with refuses(BadInput, "none.txt"):
        as_sessions(path, topics=none)


def test_judgments_of_the_session_track_have_subtopics(tmp_path):
    path = write_file(tmp_path / "qrels.txt", "12 1 d1 1\n12 2 d1 3\n12 1 d9 -2\n")
    judged = read_qrels(path)
    assert judged.frame.rows() == [("12", "d1", 3.0), ("12", "d9", -2.0)]
    results = gainful.sessions.evaluate(
        write_file(tmp_path / "sessions.txt", XML), judged, "sDCG@10"
    )
    assert results.per_session.rows() == [("1", 3.0), ("2", 0.0)]


BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY a "lol">\n<!ENTITY b "&a;&a;&a;&a;">\n]>\n'
    "<sessiontrack2012><session num='1'>&b;</session></sessiontrack2012>"
)


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        (BOMB, 2, ("DTD",)),
        ("<!DOCTYPE x SYSTEM 'file:///etc/passwd'>\n<x/>", 1, ("DTD",)),
        (XML[: XML.index("<clueweb12id>d3")], 20, ("truncated", "<result>")),
        (XML[: XML.index("clueweb12id>d3")], 20, ("truncated",)),
        (XML.replace("</query>", "</quarry>", 1), 6, ("mismatched tag",)),
        ("<a>\n" + "<b>" * 100 + "</b>" * 100 + "</a>", 2, ("32",)),
        (XML.replace('num="3"', 'num="2"', 1), 24, ("'1'", "query", "repeated")),
        (XML.replace('num="3"', 'num="5"', 1), 24, ("'1'", "query", "missing")),
        (XML.replace('rank="2"', 'rank="3"'), 9, ("'1'", "query 1", "rank 2", "missing")),
        (XML.replace('rank="2"', 'rank="1"'), 9, ("'1'", "query 1", "rank 1", "twice")),
        (XML.replace(">d2<", ">d1<", 1), 9, ("'1'", "query 1", "'d1'", "twice")),
        (XML.replace("<other>d9</other>", ""), 32, ("'2'", "line 33")),
        (XML.replace('<session num="2"', "<session"), 30, ("number",)),
    ],
)
def test_bad_xml(tmp_path, text, line, named):
    path = write_file(tmp_path / "s.xml", text)
    with refuses(BadInput, f"s.xml:{line}", *named) as refused:
        as_sessions(path)
    assert "\n" not in str(refused.value)


def test_a_session_without_a_query_is_refused_or_left_out(tmp_path):
    text = XML.replace("</sessiontrack2014>", '<session num="3"></session></sessiontrack2014>')
    path = write_file(tmp_path / "sessions.txt", text)
    with refuses(BadInput, "sessions.txt:35", "'3'"):
        as_sessions(path)
    sessions = as_sessions(path, bad="skip")
    assert sessions.frame["session"].unique(maintain_order=True).to_list() == ["1", "2"]
    assert find_notes(sessions.notes, 1, "session", "left", "out")


@pytest.mark.parametrize("text", ["<a></a>", XML])
def test_xml_without_sessions_or_with_too_much(tmp_path, monkeypatch, text):
    monkeypatch.setattr("gainful.read.safe_xml.LARGEST", 100)
    with refuses(BadInput, "sessions.txt"):
        as_sessions(write_file(tmp_path / "sessions.txt", text))


# --- conversations --------------------------------------------------------------------------

TURNS = """9-1_10 Q0 c 1 5.0 r
9-1_2 Q0 a 1 3.0 r
9-1_2 Q0 b 2 3.0 r
9-1_2 Q0 z 3 4.0 r
106_3 Q0 x 1 1.0 r
"""


def test_turns_are_the_queries_of_a_conversation(tmp_path):
    path = write_file(tmp_path / "sessions.txt", TURNS)
    sessions = as_sessions(path)
    assert sessions.per_turn
    assert select_rows(sessions, *NAMES, "topic") == [
        ("9-1", 1, 1, "z", "9-1_2"),
        ("9-1", 1, 2, "b", "9-1_2"),  # of equal scores the higher id first
        ("9-1", 1, 3, "a", "9-1_2"),
        ("9-1", 2, 1, "c", "9-1_10"),
        ("106", 1, 1, "x", "106_3"),
    ]
    assert select_rows(as_sessions(path, "conversation", ties="input"), "doc")[:3] == [
        *(("z",), ("a",), ("b",))
    ]
    with refuses(BadValue, "ties"):
        as_sessions(path, ties="average")
    with refuses(BadValue, "topics"):
        as_sessions(path, topics=write_file(tmp_path / "map.txt", "106 3\n"))


@pytest.mark.parametrize("turn", ["107", "107_", "_3", "107_x", "107-1"])
def test_turns_that_do_not_parse(tmp_path, turn):
    path = write_file(tmp_path / "sessions.txt", f"{TURNS}{turn} Q0 y 1 1.0 r\n0 Q0 y 1 1.0 r\n")
    with refuses(BadInput, "sessions.txt:6", f"'{turn}'"):
        as_sessions(path)
    sessions = as_sessions(path, "conversation", bad="skip")
    assert sessions.frame["session"].n_unique() == 2
    assert sessions.dropped_count == 2


@pytest.mark.parametrize(
    ("line", "named"), [("106_03 Q0 y 1 1.0 r\n", "'106_03'"), ("106_3 Q0 x 2 0.5 r\n", "'x'")]
)
def test_turns_that_are_repeated(tmp_path, line, named):
    with refuses(BadInput, "sessions.txt:6", "'106'", named):
        as_sessions(write_file(tmp_path / "sessions.txt", TURNS + line))


@pytest.mark.parametrize(
    ("run", "ties", "expected"),
    [
        ("org_manual_bm25", None, (18.9406, 15.3715, 0.3791)),
        ("org_convdr_bert", None, (21.2907, 17.5755, 0.4381)),
        ("org_convdr_bert", "input", (21.2752, 17.5580, 0.4379)),
    ],
)
def test_conversations_of_2021(run, ties, expected):
    if not CAST.exists():
        pytest.skip("sessions of CAsT 2021 (needs ../shared/data)")
    names = ["sDCG(b=2,bq=4)@10", "sDCG(b=2,bq=4,duplicates=first)@10", "nsDCG(b=2,bq=4)@10"]
    results = gainful.sessions.evaluate(
        CAST / f"{run}.run", CAST / "qrels.txt", names, sessions_format="conversation", ties=ties
    )
    assert tuple(round(results.mean[name], 4) for name in names) == expected
    assert results.counts["sessions"] == 19


# --- Dynamic Domain -------------------------------------------------------------------------

DD = (
    "DD15-1\t0\tebola-1\t9.5\t1\tDD15-1.1:2|DD15-1.3:4\n"
    "DD15-1\t0\tebola-2\t9.0\t0\t\n"
    "DD15-1\t2\tebola-1\t8.0\t0\n"
    "DD15-2\t0\tx\t1\t1\tDD15-2.1:1\n"
)


def test_iterations_of_dynamic_domain_are_queries(tmp_path):
    sessions = as_sessions(write_file(tmp_path / "sessions.txt", DD))
    assert select_rows(sessions, "session", "query", "doc") == [
        *(("DD15-1", 1, "ebola-1"), ("DD15-1", 1, "ebola-2"), ("DD15-1", 2, None)),
        *(("DD15-1", 3, "ebola-1"), ("DD15-2", 1, "x")),
    ]
    assert sessions.frame["rank"].to_list()[:2] == [1, 2]
    assert list(sessions.notes) == ["1 iteration without results"]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("DD15-3\tone\tx\t1\t0\n", ("'DD15-3'", "iteration 'one'")),
        ("DD15-3\t-1\tx\t1\t0\n", ("'DD15-3'", "iteration '-1'")),
        ("DD15-3\t0\n", ("'DD15-3'", "2 fields")),
        ("DD15-3\t0\t\t1\t0\n", ("'DD15-3'", "no document")),
        ("DD15-2\t0\tx\t1\t0\n", ("'DD15-2'", "query 1", "'x'", "twice")),
        ("DD15-1\t0\ty\t1\t0\n", ("'DD15-1'", "1", "repeated")),
    ],
)
def test_bad_lines_of_dynamic_domain(tmp_path, line, named):
    path = write_file(tmp_path / "sessions.txt", DD + line)
    with refuses(BadInput, "sessions.txt:5", *named):
        as_sessions(path, "dd")
    assert as_sessions(path, "dd", bad="skip").dropped_count == 1


# --- gainful check --------------------------------------------------------------------------


@pytest.fixture
def checked(run_gainful):
    def command(*words):
        outcome = run_gainful("check", *words, status=None)
        return outcome.status, outcome.out + outcome.err

    return command


def test_check_reports_sessions_and_their_topics(tmp_path, checked):
    path = write_file(tmp_path / "s.xml", XML)
    qrels = write_file(tmp_path / "qrels.txt", "12 0 d1 1\n12 0 d7 1\n")
    code, text = checked(path, qrels)
    assert code == 0
    lines = [list_facts(line, "clicked", "beyond", "unjudged") for line in text.splitlines()]
    assert f"{path} (sessions, trec-session)" in text
    for facts in (
        ["2", "3", "4"],  # sessions, queries, results
        ["1", "1×", "2", "1×", "1.50"],  # queries a session
        ["0", "3"],  # results a query
        ["0.0"],  # % of the results show a document again
        ["2", "clicked"],
        ["1", "beyond"],
        ["75.0", "10", "unjudged"],
    ):
        assert facts in lines
    assert find_notes(text.splitlines(), 1, "query", "nothing")
    assert "1 topic in common" in text
    code, text = checked(path, write_file(tmp_path / "other.txt", "13 0 d1 1\n"))
    assert code == 1
    assert find_notes(text.splitlines(), "no", "topic", "'12'", "'13'")


def test_check_tells_every_mistake_of_a_file(tmp_path, checked):
    code, text = checked(write_file(tmp_path / "s.xml", XML[:900]))
    assert (code, "truncated" in text) == (1, True)
    bad = [("x", 2, 1, "a"), ("y", 1, 1, "a"), ("y", 1, 1, "b"), ("z", 1, 1, "a"), ("z", 1, 2, "a")]
    path = tmp_path / "s.csv"
    session_frame([*FINE, *bad]).write_csv(path)
    code, text = checked(path)
    assert code == 1
    lines = text.splitlines()
    assert find_notes(lines, 3, "mistakes")
    assert find_notes(lines, "line", 6, "'x'", "query", 1, "missing")
    assert find_notes(lines, "line", 8, "'y'", "query", 1, "rank", "twice")
    assert find_notes(lines, "line", 10, "'z'", "query", 1, "'a'", "twice")
    assert ["2", "3", "4"] in [list_facts(line) for line in lines]


def test_check_says_once_why_no_event_is_left(tmp_path, checked):
    rows = ["user,time,text,rank,doc,clicked", "u,noon,x,1,a,0", "u,noon,x,2,b,1"]
    code, text = checked(write_file(tmp_path / "log.csv", "\n".join(rows)))
    assert (code, text.count("is not a time")) == (1, 1)


def test_check_takes_runs_with_turns_for_sessions_if_told_so(tmp_path, checked):
    path = write_file(tmp_path / "turns.run", TURNS)
    qrels = write_file(tmp_path / "qrels.txt", "106_3 0 x 1\n")
    assert "(run, trec)" in checked(path, qrels)[1]
    code, text = checked(path, qrels, "--sessions-format", "conversation")
    assert code == 0
    assert "(sessions, conversation)" in text
    assert ["2", "'9-1_2'", "'9-1_10'"] in [list_facts(line) for line in text.splitlines()]
    code, text = checked(path, "--sessions-format", "dialogue")
    assert code == 2
    assert "'dialogue'" in text


def test_a_run_answers_the_last_query_of_sessions(tmp_path):
    """Participants of the track ranked the current query; with it the session is whole."""
    (tmp_path / "track.xml").write_text(XML, encoding="utf-8")
    run = "1 Q0 d7 1 5 r\n1 Q0 d1 2 7 r\n1 Q0 d8 3 5 r\n"
    (tmp_path / "my.run").write_text(run, encoding="utf-8")
    qrels = {"12": {"d1": 1, "d8": 2}}
    results = gainful.sessions.evaluate(
        tmp_path / "track.xml",
        qrels,
        ["sDCG(b=2, bq=4)@3", "RL(of='DCG(discount=jk2008, b=2)@3')"],
        last_run=tmp_path / "my.run",
    )
    rows = results.matched_sessions.rows
    last = rows.filter(session="1", query=3)
    assert last["doc"].to_list() == ["d1", "d7", "d8"]  # by score; equal scores as given
    assert last["text"].to_list() == ["cat food"] * 3
    assert last["clicked"].to_list() == [False] * 3
    assert "current_query" not in rows.columns
    assert rows.filter(session="2", query=2)["doc"].to_list() == [None]
    weight = 1 / (1 + math.log(3) / math.log(4))
    by_hand = 1 + weight * (1 + 2 / (1 + math.log2(3)))
    values = {row["session"]: row for row in results.per_session.iter_rows(named=True)}
    assert values["1"]["sDCG(b=2, bq=4)@3"] == pytest.approx(by_hand)
    assert any("1 session not in" in note for note in results.notes)
    (tmp_path / "other.run").write_text("9 Q0 d7 1 5 r\n", encoding="utf-8")
    with refuses(BadInput, "other.run", "'9'"):
        gainful.sessions.evaluate(
            tmp_path / "track.xml", qrels, "sDCG@3", last_run=tmp_path / "other.run"
        )


def test_a_run_answers_the_last_query_of_a_table_too():
    shown = pl.DataFrame(
        {"session": ["s", "t"], "query": [1, 1], "doc": ["a", "b"], "system": ["x", "y"]}
    )
    results = gainful.sessions.evaluate(
        shown,
        {"s": {"c": 1}, "t": {"c": 1}},
        "sDCG(b=2, bq=4)@3",
        last_run={"s": ["c"], "t": {"z": 1.0, "c": 2.0}},
    )
    assert results["sDCG(b=2, bq=4)@3"] == pytest.approx(1 / 1.5)
    assert [group["queries"] for group in results.groups("system")] == [2, 2]


CLICKS = "session,query,rank,doc,topic,clicked\ns1,1,1,a,t,1\ns2,1,1,b,u,1\ns3,1,1,a,t,0\n"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("missing", ["s1", "s2", "s3"])
@pytest.mark.parametrize("measure", ["sDCG@5", "nsDCG@5", "sRBP", "Session(of='nDCG@5')"])
def test_a_session_whose_topic_no_file_names_changes_no_other(tmp_path, missing, measure):
    """It gained 0, or its null was cast to whatever number a machine makes of it."""
    path = write_file(tmp_path / "log.csv", CLICKS)
    topics = {"s1": "t", "s2": "u", "s3": "t"}
    del topics[missing]
    lines = "".join(f"{session} {topic}\n" for session, topic in topics.items())
    named = write_file(tmp_path / "topics.txt", lines)
    others = "".join(
        line for line in CLICKS.splitlines(keepends=True) if not line.startswith(missing)
    )
    expected = gainful.sessions.evaluate(write_file(tmp_path / "others.csv", others), None, measure)
    for either in (named, topics):  # a file, and a dict
        results = gainful.sessions.evaluate(path, None, measure, topics=either)
        assert (results.ids, results.mean) == (expected.ids, expected.mean)
    with pytest.raises(gainful.errors.WrongType):
        gainful.sessions.evaluate(path, None, measure, topics=7)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("rows", ["clicked", "grade"])
def test_a_topic_that_is_null_in_a_table(lazy, rows):
    frame = pl.read_csv(CLICKS.encode()).with_columns(
        topic=pl.when(pl.col("session") != "s2").then(pl.col("topic"))
    ).rename({"clicked": rows})  # fmt: skip
    log = frame.lazy() if lazy else frame
    with refuses(BadInput, "sessions, row 1", "topic"):
        gainful.sessions.evaluate(log, None, "sDCG@5")
    results = gainful.sessions.evaluate(log, None, "sDCG@5", bad="skip")
    assert (sorted(results.ids), results.mean) == (
        ["s1", "s3"],
        {"sDCG@5": 0.5 if rows == "clicked" else 1.0},
    )
    if lazy:
        summary = gainful.sessions.summarise(log, None, "sDCG@5", bad="skip")
        assert (summary.mean, summary.counts["sessions"]) == (results.mean, 2)


@pytest.mark.parametrize(
    ("text", "kind", "note"),
    [
        (
            "session_id,event,search_id,item,pos,ts\ns,impression,q,a,1,2024-05-01T10:00:00Z",
            *("sessions, table", "1 query, 1 result"),
        ),
        (
            "user_id,search_term,product_id,position,timestamp,is_click\nu,lamp,a,1,1714557600,1",
            *("sessions, table", "1 query, 1 result"),
        ),
        ("sid,query,url,clicked\ns,lamp,a,1", "sessions, table", "1 query, 1 result"),
        ("uid,q,sku,purchased,ts\nu,lamp,a,0,1714557600", "sessions, table", "1 query, 1 result"),
        *(
            (FORMATS[name].example, f"sessions, {name}", "1 query, 1 result")
            for name in ("ubi", "openinference", "chat", "ikat")
        ),
        (FORMATS["turns"].example, "sessions, turns", "1 query, 2 results"),
        # judgments and runs that name a user
        ("user,item,rating,timestamp\n1,a,1,1", "judgments, csv", ""),
        ("query,doc,grade,user,time\n1,a,1,1,1", "judgments, csv", ""),
        ("query_id,doc,score,user_id\n1,a,1,1", "run, csv", ""),
        ("user,item,rank\n1,a,1", "run, csv", ""),
        ("query,doc,rank,user\n1,a,1,1", "run, csv", ""),
    ],
)
def test_check_takes_a_file_for_what_it_is(tmp_path, text, kind, note):
    suffix = "jsonl" if text.startswith("{") else "csv"
    (finding,) = gainful.check(write_file(tmp_path / f"log.{suffix}", f"{text}\n")).findings
    assert (finding.kind, finding.problems) == (kind, ())
    assert not note or finding.notes[0].endswith(note)
