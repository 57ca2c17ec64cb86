"""What a table is: `check`, `sessions` and `eval` agree, and never call it what it is not."""

import re

import pandas as pd
import polars as pl
import pytest
from refusals import refuses
from written_files import write_file, write_lines

import gainful
from gainful import sessions
from gainful.errors import BadInput, GainfulError, NoColumn, Swapped
from gainful.read.inputs import as_qrels, as_run
from gainful.read.query_columns import read_document_texts
from gainful.read.session_inputs import as_sessions

# By name: the header, a row, and what names its columns, if they are unlike those of any table.
UNKNOWN = {
    "a log of a newcomer's": (
        "when,who,what_they_typed,shown_item,slot,did_click",
        "2024-05-01T10:00:00Z,u1,lamp,a,1,0",
        {"user": "who", "time": "when", "text": "what_they_typed", "rank": "slot", "doc": "shown_item", "clicked": "did_click"},
    ),
    "a log whose user is unknown": (
        "visitor,search_phrase,sku,position,clicked,at",
        "v1,lamp,a,1,0,2024-05-01 10:00:00",
        {"user": "visitor", "time": "at"},
    ),
    "a log whose session is unknown": (
        "ts,sess,q,result,pos,evt",
        "1714557600,s1,lamp,a,1,impression",
        {"session": "sess", "event": "evt"},
    ),
    "judgments": ("search,product,stars", "lamp,a,3", {"query": "search", "doc": "product", "grade": "stars"}),
    "a run": ("search,product,bm25", "lamp,a,0.5", {"query": "search", "doc": "product", "score": "bm25"}),
    "a run with ranks": (
        "srch_id,date_time,site_id,prop_id,position,click_bool",
        "1,2013-04-04 08:32:15,12,893,27,0",
        {"query": "srch_id", "doc": "prop_id"},
    ),
    "views without queries": ("session_id,timestamp,item_id,category", "1,2014-04-07T10:51:09Z,a,0", None),
    "orders": ("order_id,product_id,price", "1,a,3.5", None),
    "people": ("name,age,city", "ann,3,rome", None),
    "texts of queries": ("query_id,text", "1,lamp", None),
    "texts of documents": ("doc_id,title,body", "a,Lamp,bright", None),
}  # fmt: skip
EVENTS_WITH_LISTS = {
    "event": "view_item_list",
    "time": "2024-05-01",
    "user_id": "u",
    "items": ["a"],
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_table_is_nothing_that_it_is_not(name, tmp_path):
    header, row, columns = UNKNOWN[name]
    path = write_file(tmp_path / "t.csv", f"{header}\n{row}\n")
    (finding,) = gainful.check(path).findings
    assert finding.kind == "csv"
    (problem,) = finding.problems
    assert all(column in problem for column in header.split(","))
    suggested = re.search(r"--columns (\S+?),? if", problem)
    typed = None if suggested is None else dict(pair.split("=") for pair in suggested[1].split(","))
    assert typed == columns
    if columns is not None:
        report = gainful.check(path, columns=columns)
        assert report.ok
        assert report.findings[0].kind.startswith(("judgments", "run", "sessions"))


def test_an_unknown_table_of_json_lines_is_described_as_one_of_csv(tmp_path):
    path = write_lines(tmp_path / "t.jsonl", {"who": "u", "keyword": "lamp", "sku": "a", "pos": 1})
    (finding,) = gainful.check(path).findings
    assert finding.kind == "jsonl"
    assert "gainful sessions" in finding.problems[0]
    assert "--columns user=who," in finding.problems[0]


@pytest.mark.parametrize(
    ("name", "names"), [("judgments", "query=1,doc=3,grade=4"), ("run", "query=1,doc=3,score=5")]
)
def test_lines_of_trec_between_commas_have_columns_by_number(name, names, tmp_path):
    fields = {"judgments": "7,0,a,2", "run": "7,Q0,a,7,0.5,bm25"}[name]
    path = write_file(tmp_path / "t.csv", f"{fields}\n")
    assert f"--columns {names}, if" in gainful.check(path).findings[0].problems[0]
    columns = dict(pair.split("=") for pair in names.split(","))
    assert gainful.check(path, columns=columns).findings[0].kind.startswith(name)


def test_names_with_blanks_are_one_word_for_a_shell(tmp_path):
    path = write_file(tmp_path / "t.csv", "search phrase,sku nr,stars\nlamp,a,3\n")
    with refuses(NoColumn, "t.csv", "--columns 'query=search phrase,doc=sku nr,grade=stars'"):
        as_qrels(path)


LISTS = {"query": ["1"], "hits_list": [["a"]], "truth": [["a"]]}


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "jsonl"])
def test_lists_with_unknown_names_are_said_to_be_such_in_every_format(suffix, tmp_path):
    path = tmp_path / f"t.{suffix}"
    frame = pl.DataFrame(LISTS)
    {"parquet": frame.write_parquet, "arrow": frame.write_ipc, "jsonl": frame.write_ndjson}[suffix](
        path
    )
    (finding,) = gainful.check(path).findings
    assert "--columns retrieved=hits_list,relevant=truth" in finding.problems[0]


def test_texts_in_place_of_lists_are_said_to_be_such_in_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"query": ["1"], "retrieved": ["a b"], "relevant": ["a"]}).write_parquet(path)
    (finding,) = gainful.check(path).findings
    assert "'retrieved'" in finding.problems[0]
    assert "not a known table" not in finding.problems[0]


def test_only_columns_that_can_be_named_are_suggested(tmp_path):
    path = write_file(tmp_path / "docs.csv", "doc,query\na,lamp\n")
    with pytest.raises(NoColumn) as error:
        read_document_texts(path, ["a"])
    assert "text=query" not in str(error.value)


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_table_is_refused_by_each_reader(name, tmp_path):
    header, row, _ = UNKNOWN[name]
    path = write_file(tmp_path / "t.csv", f"{header}\n{row}\n")
    with pytest.raises(NoColumn):
        as_qrels(path)
    with pytest.raises(NoColumn):
        as_sessions(path)


def test_columns_that_were_named_stay_in_what_is_to_be_typed(tmp_path):
    path = write_file(tmp_path / "t.csv", "search,product,stars\nlamp,a,3\n")
    with refuses(NoColumn, "t.csv", "query=search,doc=product,grade=stars"):
        as_qrels(path, columns={"query": "search"})


def test_events_with_lists_are_no_judgments(tmp_path):
    path = write_lines(tmp_path / "t.jsonl", EVENTS_WITH_LISTS)
    (finding,) = gainful.check(path).findings
    assert finding.kind == "sessions, table"
    assert "items" in finding.problems[0]
    with pytest.raises(Swapped):
        as_qrels(path)
    with pytest.raises(Swapped):
        as_qrels(pl.DataFrame([EVENTS_WITH_LISTS]))
    with pytest.raises(Swapped):
        as_qrels([EVENTS_WITH_LISTS])
    with refuses(BadInput, "t.jsonl", "items"):
        as_sessions(path)


@pytest.mark.parametrize(
    "row",
    ["session,query,results", "user,query,time,results", "session,query,docs", "query,results"],
)
def test_lists_of_json_in_a_cell_are_told_alike_by_each_reader(tmp_path, row):
    cells = {"time": "2024-01-01", "results": '"[""a"", ""b""]"', "docs": '"[""a"", ""b""]"'}
    values = ",".join(cells.get(name, "1") for name in row.split(","))
    path = write_file(tmp_path / "t.csv", f"{row}\n{values}\n")
    (finding,) = gainful.check(path).findings
    name = row.rpartition(",")[2]
    assert f"{name!r} holds" in finding.problems[0]
    for columns in (None, {"doc": name}):  # the lists are no ids
        with refuses(BadInput, "t.csv", f"{name!r} holds a list"):
            as_sessions(path, columns=columns)


def test_json_lines_with_unknown_columns_are_told_as_csv_is(tmp_path):
    row = {"foo": "1", "bar": "a", "baz": 2}
    write_lines(tmp_path / "t.jsonl", row)
    pl.DataFrame([row]).write_csv(tmp_path / "t.csv")
    findings = [gainful.check(tmp_path / f"t.{form}").findings[0] for form in ("csv", "jsonl")]
    problems = [finding.problems[0].replace(finding.subject, "") for finding in findings]
    assert problems[0] == problems[1]


@pytest.mark.parametrize(
    "row",
    [
        {"_id": "1", "text": "a b", "metadata": {}},
        {"docno": "1", "contents": "a b"},
        {"qid": "1", "title": "x"},
    ],
)
def test_check_says_what_texts_are_for(tmp_path, row):
    paths = [write_lines(tmp_path / "t.jsonl", row), tmp_path / "t.csv"]
    pl.DataFrame([row]).select(pl.exclude("metadata")).write_csv(paths[1])
    for path in paths:
        (finding,) = gainful.check(path).findings
        assert "--queries FILE or --documents FILE" in finding.problems[0]


LOG = "user,query,url,rank,clicked\nu,lamp,a,1,0\n"


def test_a_log_is_no_judgments_wherever_they_are_read(tmp_path):
    log = write_file(tmp_path / "log.csv", LOG)
    with refuses(Swapped, "log.csv", "gainful sessions"):
        as_qrels(log)
    assert gainful.check(log).findings[0].kind == "sessions, table"
    with refuses(Swapped, "judgments", "gainful.sessions"):
        as_qrels(pl.read_csv(log))
    assert gainful.check(pl.read_csv(log)).findings[0].kind == "sessions, in memory"


@pytest.mark.parametrize("text", ["query,doc,grade\n1,a,2\n", "query,doc,score\n1,a,0.5\n"])
def test_judgments_and_runs_are_no_sessions(text, tmp_path):
    with refuses(Swapped, "t.csv", "--qrels"):
        as_sessions(write_file(tmp_path / "t.csv", text))


TAGGED = {"query": "1", "relevant": ["a"], "tags": ["new"]}


def test_a_further_list_beside_judgments_is_no_mistake_where_a_run_is_given(tmp_path):
    run = {"1": {"a": 1.0}}
    path = write_lines(tmp_path / "q.jsonl", TAGGED)
    assert gainful.check([TAGGED]).ok
    assert gainful.check([TAGGED], run).ok
    assert gainful.evaluate([TAGGED], run, ["RR"]).mean == {"RR": 1.0}
    assert gainful.evaluate(path, run, ["RR"]).mean == {"RR": 1.0}
    for judged, name in (([TAGGED], "judgments"), (path, "q.jsonl")):
        with refuses(NoColumn, name, "retrieved=tags"):
            gainful.evaluate(judged)


def test_check_says_of_records_in_memory_what_their_lists_may_be():
    report = gainful.check([{"query": "1", "found": ["a"], "gold": ["a"]}])
    assert "retrieved=found,relevant=gold" in report.findings[0].problems[0]


def test_a_list_in_place_of_a_query_is_not_what_is_relevant():
    with pytest.raises(GainfulError) as error:
        gainful.evaluate([{"query": ["1"], "retrieved": ["a"]}])
    assert "relevant=query" not in str(error.value)


def test_flags_are_no_list_where_another_column_may_have_the_documents(tmp_path):
    path = write_file(tmp_path / "t.csv", "search,product,relevant\nlamp,a,1\n")
    with refuses(NoColumn, "t.csv", "--columns query=search,doc=product"):
        as_qrels(path)
    assert "query=search,doc=product" in gainful.check(path).findings[0].problems[0]


@pytest.mark.parametrize("topic", ["query", "text"])
def test_check_knows_a_log_and_its_topics_as_sessions_does(tmp_path, topic):
    header, shown = "user,time,query,doc,rank,clicked", "u,2024-01-01T10:00:00,lamp,a,1,1"
    path = write_file(tmp_path / "log.csv", f"{header}\n{shown}\n")
    qrels, columns = write_file(tmp_path / "qrels.txt", "lamp 0 a 1\n"), {"topic": topic}
    log, _, together = gainful.check(path, qrels, columns=columns).findings
    assert log.kind.startswith("sessions")
    assert not together.problems
    assert sessions.evaluate(path, qrels, "sDCG@1", columns=columns).mean == {"sDCG@1": 1}


SEARCH = {"name": "search", "arguments": '{"query": "lamp"}'}
IN_MEMORY = {
    "a log": [{"user": "u", "time": "2024-05-01", "query": "lamp", "rank": 1, "doc": "a", "clicked": 1}],
    "numbered sessions": [{"session": "s", "query": 1, "rank": 1, "doc": "a"}],
    "a trace": [
        {
            "context": {"trace_id": "t", "span_id": "s"},
            "attributes": {
                "openinference.span.kind": "RETRIEVER",
                "session.id": "c",
                "input.value": "lamp",
                "retrieval.documents.0.document.id": "a",
            },
        }
    ],
    "messages": [
        {"role": "assistant", "tool_calls": [{"id": "1", "function": SEARCH}]},
        {"role": "tool", "tool_call_id": "1", "content": '[{"id": "a"}]'},
    ],
    "turns": [{"conversation": "c", "turn": 1, "query": "lamp", "retrieved": ["a"]}],
}  # fmt: skip
TABLES = ("a log", "numbered sessions")
MAKES = {
    "records": list,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": lambda records: pl.DataFrame(records).to_arrow(),
    "a stream": lambda records: pl.DataFrame(records).to_arrow().to_reader(),
    "read already": as_sessions,
}


@pytest.mark.parametrize(
    ("name", "make"),
    [(name, make) for name in IN_MEMORY for make in MAKES if make != "lazy" or name in TABLES],
)
def test_check_knows_sessions_in_memory_as_sessions_does(name, make):
    records = MAKES[make](IN_MEMORY[name])
    (finding,) = gainful.check(records).findings
    assert (finding.subject, finding.kind.partition(",")[0]) == ("sessions", "sessions")
    assert not finding.problems
    assert "1 session, 1 query, 1 result" in finding.notes


def test_judgments_follow_sessions_in_memory_and_systems_have_their_names():
    shown, judged = pl.DataFrame(IN_MEMORY["numbered sessions"]), {"s": {"a": 1}}
    for files in ((shown, judged), (judged, shown)):
        report = gainful.check(*files)
        assert {finding.subject for finding in report.findings} == {
            *("sessions", "judgments", "judgments + sessions")
        }
        assert "1 topic in common" in str(report)
    report = gainful.check({"old": shown, "new": shown}, judged)
    assert [finding.subject for finding in report.findings][:3] == ["old", "new", "judgments"]
    assert "run" not in [finding.kind.partition(",")[0] for finding in report.findings]


def test_every_mistake_of_sessions_in_memory_is_told():
    rows = [("s", 1, 1, "a"), ("t", 2, 1, "a"), ("u", 1, 1, "a"), ("u", 1, 2, "a")]
    shown = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
    (finding,) = gainful.check(shown, {"s": {"a": 1}}).findings[:1]
    assert finding.problems[0] == "2 mistakes"
    assert "sessions, row 1: " in finding.problems[1]


def test_judgments_and_run_in_one_value_are_named_as_what_they_are():
    both = [{"query": "1", "retrieved": ["b", "a"], "relevant": ["a"]}]
    report = gainful.check({"1": {"a": 1}}, both)
    named = [(finding.subject, finding.kind) for finding in report.findings[:3]]
    assert named == [
        ("judgments 1", "judgments, in memory"),
        ("judgments 2", "judgments, in memory"),
        ("run", "run, in memory"),
    ]


def test_what_is_asked_of_reading_holds_for_logs_in_memory():
    times = ["2024-01-01T10:00:00", "2024-01-01T11:00:00"]
    log = pl.DataFrame({"uid": ["u", "u"], "time": times, "query": ["x", "y"], "doc": ["a", "b"]})
    for gap, count in (("2h", "1 session"), ("30m", "2 sessions")):
        asked = {"columns": {"user": "uid"}, "gap": gap, "sessions_format": "table"}  # of files
        (finding,) = gainful.check(log, **asked).findings
        assert finding.notes[0].startswith(count)


@pytest.mark.parametrize("orient", ["index", "split", "table", "columns", "records"])
def test_tables_that_pandas_writes_as_json_are_what_they_hold(orient, tmp_path):
    path = tmp_path / "t.json"
    for name in TABLES:
        pd.DataFrame(IN_MEMORY[name] * 2).assign(rank=[1, 2], doc=["a", "b {"]).to_json(
            path, orient=orient
        )
        (finding,) = gainful.check(path).findings
        assert finding.kind == "sessions, table"
        assert "1 session, 1 query, 2 results" in finding.notes
        assert as_sessions(path).frame["doc"].to_list() == ["a", "b {"]
    run = pd.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "score": [0.5, 1.5]})
    run.to_json(path, orient=orient)
    assert gainful.check(path).findings[0].kind.startswith("run")
    assert as_run(path).frame.rows() == [("1", "a", 0.5), ("1", "b", 1.5)]


TREC_LINES = {  # beside what names the columns
    "1,Q0,a,1,0.9,bm25\n1,Q0,b,2,0.8,bm25\n": "query=1,doc=3,score=5",
    "7;Q0;a;1;0.9;bm25\n": "query=1,doc=3,score=5",
    "1,0,a,1\n1,0,b,0\n": "query=1,doc=3,grade=4",
}


@pytest.mark.parametrize("text", TREC_LINES)
def test_lines_of_trec_between_commas_are_said_to_have_no_header(text, tmp_path):
    path = write_file(tmp_path / "t.csv", text)
    names, read = TREC_LINES[text], as_qrels if "grade" in TREC_LINES[text] else as_run
    with refuses(NoColumn, "t.csv", "no header", f"--columns {names}"):
        read(path)
    with refuses(NoColumn, "t.csv", "no header"):
        as_sessions(path)
    problem = gainful.check(path).findings[0].problems[0]
    assert "no header" in problem
    assert f"--columns {names}" in problem
    columns = dict(pair.split("=") for pair in names.split(","))
    assert read(path, columns=columns).frame["doc"][0] == "a"


def test_lines_of_trec_may_have_commas_in_their_documents(tmp_path):
    run = write_file(tmp_path / "run.csv", "1 Q0 a,b 1 0.9 bm25\n1 Q0 c,d 2 0.8 bm25\n")
    assert as_run(run).frame["doc"].to_list() == ["a,b", "c,d"]
    qrels = write_file(tmp_path / "qrels.csv", "1 0 a,b 1\n")
    assert as_qrels(qrels).frame["doc"].to_list() == ["a,b"]
    assert gainful.check(qrels, run).ok
