"""Every name of a column in the one table of columns is found where it is looked for."""

from types import SimpleNamespace

import polars as pl
import pytest
from refusals import refuses
from written_files import write_lines

import gainful
from gainful.errors import BadInput, NoColumn
from gainful.read.chat import read_chat
from gainful.read.column_names import (
    CHAT_COLUMNS,
    COLUMNS,
    QRELS_ROLES,
    RUN_ROLES,
    SESSION_ROLES,
)
from gainful.read.inputs import as_qrels, as_qrels_columns, as_run, as_run_columns
from gainful.read.search_results import (
    ResultPaths,
    find_id,
    find_list,
    read_entries,
    read_query,
    read_results,
)
from gainful.read.session_inputs import as_sessions
from gainful.read.source import open_source


def _list_names(*tables):
    """Every name of every column that is looked for in one of these tables."""
    return [
        pytest.param(table, column, name, id=f"{table}: {name} is the {column.role}")
        for table in tables
        for column in COLUMNS
        for name in (column.names if table in column.tables else ())
        if (table, name) != ("log", "query_position")  # a text only where the user names it query
    ]


_EXAMPLES = {
    "judgments": {"query": "1", "doc": "a", "grade": 2, "subtopic": "x"},
    "run": {"query": "1", "doc": "a", "score": 0.5},
    "sessions": {
        "session": "s",
        "query": 1,
        "rank": 1,
        "doc": "a",
        "topic": "t",
        "system": "x",
        "searcher": "u",
        "scenario": "w",
        "text": "lamp",
        "clicked": 1,
        "purchased": 0,
        "scanned": 1,
        "grade": 2,
        "seconds": 5,
    },
    "log": {
        "session": "s",
        "user": "u",
        "time": 1714557600,
        "query_id": "q",
        "text": "lamp",
        "event": "impression",
        "rank": 1,
        "doc": "a",
        "clicked": 1,
        "purchased": 0,
        "seconds": 5,
    },
}


@pytest.mark.parametrize(
    ("table", "column", "name"), _list_names("judgments", "run", "sessions", "log")
)
def test_a_column_is_known_by_every_name_in_the_table(table, column, name):
    usual = {each.role: each.names[0] for each in COLUMNS if table in each.tables}
    values = _EXAMPLES[table]
    if column.role == "milliseconds":
        values = {role: value for role, value in values.items() if role != "seconds"} | {
            "milliseconds": 500
        }
    elif column.kind == "list":
        values = {"query": "1", column.role: [["a", "b"]]}
    elif column.role == "rank" and table == "run":
        values = {"query": "1", "doc": "a", "rank": 1}
    rows = pl.DataFrame({usual[role]: value for role, value in values.items()})
    named = rows.rename({usual[column.role]: name})
    read = {"judgments": as_qrels, "run": as_run}.get(table, as_sessions)
    expected = read(rows).frame
    assert read(named).frame.select(expected.columns).equals(expected)


@pytest.mark.parametrize(("_", "column", "name"), _list_names("lists"))
def test_a_list_is_known_by_every_name_in_the_table(_, column, name):
    # By hand: document b has the better number, in whichever column that is.
    number = column.role if column.kind == "numbers" else "rank"
    record = {"query": "1", "doc": ["a", "b"], number: [2, 1] if number == "rank" else [1, 2]}
    named = {name if role == column.role else role: value for role, value in record.items()}
    for value in ([named], pl.DataFrame([named])):
        is_graded = number == "grade"
        frame = (
            as_qrels_columns(as_qrels(value)).frame
            if is_graded
            else as_run_columns(as_run(value)).frame
        )
        rows = frame.sort(frame.columns[-1]).select("query", "doc").rows()
        assert rows == [("1", "a"), ("1", "b")]


@pytest.mark.parametrize(("_", "column", "name"), _list_names("turns"))
def test_a_turn_is_known_by_every_name_in_the_table(_, column, name, tmp_path):
    record = {
        "conversation": "c",
        "turn": 2,
        "retrieved": ["a"],
        "id": "t",
        "system": "x",
        "query": "lamp",
    }
    usual = {each.role: each.names[0] for each in COLUMNS if "turns" in each.tables}
    named = {name if key == usual[column.role] else key: value for key, value in record.items()}
    frames = [
        as_sessions(write_lines(tmp_path / f"{at}.jsonl", each), "turns").frame
        for at, each in enumerate((record, named))
    ]
    assert frames[1].select(frames[0].columns).equals(frames[0])
    assert frames[0].select("session", "doc", "topic", "system", "text").row(0) == (
        "c",
        "a",
        "t",
        "x",
        "lamp",
    )


@pytest.mark.parametrize(("_", "column", "name"), _list_names("answers"))
def test_what_a_search_returned_is_known_by_every_name_in_the_table(_, column, name):
    if column.role == "text":
        assert read_query({name: "lamp", "k": 5}, ResultPaths()) == "lamp"
        return
    if column.role == "retrieved":
        *outer, last = name.split(".")
        answer = {last: [{"id": "a"}, {"id": "b"}]}
        for key in reversed(outer):
            answer = {key: answer}
        assert read_results(answer, ResultPaths()) == ["a", "b"]
        return
    own = {"doc": "a", "score": 0.5, "grade": 2}
    hit = {"id": "a"} | {name: own[column.role]}
    if column.role == "doc":
        hit = {name: "a"}
    number = "grade" if column.role == "grade" else "score"
    problems = []
    assert read_entries([hit], "", "1", number, problems) == [
        ("a", own[number] if column.role == number else None)
    ]
    assert not problems


@pytest.mark.parametrize(("_", "column", "name"), _list_names("objects"))
def test_an_object_is_known_by_every_attribute_in_the_table(_, column, name):
    if column.role == "doc":
        assert find_id(SimpleNamespace(**{name: "a"})) == "a"
    else:
        assert find_list(SimpleNamespace(**{name: ["a", "b"]})) == ["a", "b"]


@pytest.mark.parametrize(("_", "column", "name"), _list_names("chats"))
def test_a_transcript_is_known_by_every_name_in_the_table(_, column, name, tmp_path):
    call = {"id": "1", "function": {"name": "search", "arguments": '{"query": "lamp"}'}}
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '["a"]'},
    ]
    own = {"messages": messages, "session": "s", "time": "2026-03-02T09:00:00Z"}
    usual = {role: names.names[0] for role, names in CHAT_COLUMNS.items()} | {column.role: name}
    path = write_lines(tmp_path / "chat.jsonl", {usual[role]: own[role] for role in usual})
    assert as_sessions(path).frame.select("session", "text", "doc").row(0) == ("s", "lamp", "a")
    events = read_chat(open_source(path)).frame
    assert events["time"].dt.hour().to_list() == [9]


@pytest.mark.parametrize(("_", "column", "name"), _list_names("refused"))
def test_a_log_with_lists_is_refused_under_every_name_in_the_table(_, column, name):
    rows = pl.DataFrame({"session": ["s"], "query": ["lamp"], "doc": ["a"], name: [["a", "b"]]})
    with refuses(BadInput, "sessions", name, "a row for each result"):
        as_sessions(rows)


def test_roles_of_columns_are_named_as_they_are_looked_for():
    kinds = {"judgments": QRELS_ROLES, "run": RUN_ROLES}
    kinds |= dict.fromkeys(("sessions", "log"), SESSION_ROLES)
    for column in COLUMNS:
        roles = kinds.get(column.tables[0], {column.role: column.names[0]})  # else none has roles
        assert roles[column.role] == column.names[0]


@pytest.mark.parametrize("order", [("usual", "own"), ("own", "usual")])
def test_a_column_of_one_run_need_not_be_in_the_others_before(order):
    rows = {"query": ["1", "1"], "doc": ["b", "a"], "score": [0.9, 0.8]}
    runs = {"usual": pl.DataFrame(rows), "own": pl.DataFrame(rows).rename({"doc": "url"})}
    chosen = {name: runs[name] for name in order}
    results = gainful.evaluate({"1": {"a": 1}}, runs=chosen, measures="RR", columns={"doc": "url"})
    assert [results[name]["RR"] for name in order] == [0.5, 0.5]
    with refuses(NoColumn, order[0], "nope"):
        gainful.evaluate({"1": {"a": 1}}, runs=chosen, measures="RR", columns={"doc": "nope"})
    with refuses(NoColumn, "run", "nope"):
        gainful.evaluate({"1": {"a": 1}}, runs["usual"], "RR", columns={"doc": "nope"})
