"""What engines and exporters put around records of JSON comes off, wherever JSON is read."""

import gzip
import json

import pytest
from example_files import TESTS
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import write_file, write_lines

import gainful
from gainful.errors import BadInput, GainfulError, NoColumn, Swapped
from gainful.read.json_text import decode_json, unwrap
from gainful.read.session_inputs import as_sessions

TRACES = TESTS / "traces"
RECORDS = [
    {
        "query_id": f"q{number}",
        "client_id": "c1",
        "user_query": text,
        "timestamp": f"2026-03-01T10:0{number}:00Z",
        "query_response_hit_ids": hits,
    }
    for number, text, hits in [(1, "soup", ["a", "b"]), (2, "leek } { soup", ["c"])]
]


def write_bulk(action, record):
    inner = {"doc": record} if action == "update" else record
    return f'{{"{action}": {{"_index": "ubi", "_id": "7"}}}}\n{json.dumps(inner)}\n'


def write_response(records, **layout):
    hits = [{"_index": "ubi", "_id": "7", "_score": 1.0, "_source": record} for record in records]
    return json.dumps({"took": 3, "hits": {"total": {"value": 2}, "hits": hits}}, **layout)


ENVELOPES = {
    "index": lambda records: "".join(write_bulk("index", record) for record in records),
    "create": lambda records: "".join(write_bulk("create", record) for record in records),
    "update": lambda records: "".join(write_bulk("update", record) for record in records),
    "delete": lambda records: (
        '{"delete": {"_id": "1"}}\n' + "".join(write_bulk("index", record) for record in records)
    ),
    "response": write_response,
    "indented response": lambda records: write_response(records, indent=2),
    "pages": lambda records: (
        "\n".join(write_response([record]) for record in [*records]) + "\n" + write_response([])
    ),
    "indented pages": lambda records: "\n".join(
        write_response([record], indent=1) for record in records
    ),
    "list of responses": lambda records: (
        "[" + ",".join(write_response([record]) for record in records) + "]"
    ),
    "msearch": lambda records: json.dumps(
        {"took": 3, "responses": [json.loads(write_response([record])) for record in records]}
    ),
    "hits": lambda records: json.dumps([{"_source": record} for record in records], indent=1),
    "dump": lambda records: "".join(
        f"{json.dumps({'_id': '1', '_source': record})}\n" for record in records
    ),
    "indented": lambda records: "\n".join(json.dumps(record, indent=4) for record in records),
    "indented but the first": lambda records: "\n".join(
        json.dumps(record, indent=2 if row else None) for row, record in enumerate(records)
    ),
    "on one line": lambda records: "".join(json.dumps(record) for record in records),
    "sequence": lambda records: "".join(f"\x1e{json.dumps(record)}\n" for record in records),
    "indented sequence": lambda records: "".join(
        f"\x1e{json.dumps(record, indent=2)}\n" for record in records
    ),
    "indented list": lambda records: json.dumps(records, indent=2),
}


@pytest.mark.parametrize("suffix", [".json", ".ndjson", ".json.gz"])
@pytest.mark.parametrize("name", ENVELOPES)
def test_records_in_an_envelope_are_read_as_if_there_were_none(tmp_path, name, suffix):
    plain = write_lines(tmp_path / "plain.jsonl", *RECORDS)
    path = tmp_path / f"log{suffix}"
    text = ENVELOPES[name](RECORDS).encode()
    path.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    expected, unwrapped = as_sessions(plain), as_sessions(path)
    assert unwrapped.frame.equals(expected.frame)
    assert expected.frame["doc"].to_list() == ["a", "b", "c"]
    assert list(unwrapped.notes) == list(expected.notes)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from(["}{", "} {", "\u2028"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)


@given(
    st.lists(st.fixed_dictionaries({"query": VALUES}), min_size=2, max_size=4),
    st.sampled_from(sorted(ENVELOPES)),
)
def test_nothing_of_a_record_is_lost_with_its_envelope(records, name):
    text = ENVELOPES[name](records).encode()
    inner = unwrap(text, lambda: text, "log")
    inner = text if inner is None else inner
    lines = [line for line in inner.split(b"\n") if line.strip()]
    unwrapped = decode_json(inner) if inner.lstrip()[:1] == b"[" else list(map(decode_json, lines))
    assert unwrapped == records


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "}{"}\n{"a": "} {"}\n',  # an object a line
        '{"index": {"d1": 1, "d2": 0}}\n',  # judgments of a query of that name
        '{"index": {"_id": 1}, "more": 2}\n{"a": 1}\n',
        '{\n "q1": {"d1": 1},\n "}{": {"d2": 0}\n}\n',  # one object
        '{"hits": {"hits": [{"_id": "d1"}]}}',  # nothing but ids
        '{"hits": {"hits": [{"_id": "d1", "_source": {"title": "leek"}}]}}',  # documents
        '{"a": 1,\n{"b": 2}\n{"c": 3}\n',  # a first line that is cut off
        "q1 0 d1 1\n",
        '{"a": "' + "x" * (1 << 16) + '"}{"b": 1}',  # too long to be taken apart on suspicion
    ],
)
def test_what_is_no_envelope_stays_as_it_is(text):
    assert unwrap(text.encode(), text.encode, "log") is None


def test_runs_and_judgments_come_out_of_envelopes_too(tmp_path):
    rows = [{"query": "q1", "doc": doc, "score": score} for doc, score in (("a", 2), ("b", 1))]
    run = write_file(tmp_path / "run.json", ENVELOPES["index"](rows))
    qrels = tmp_path / "qrels.json"
    graded = [{"query": "q1", "doc": doc, "grade": grade} for doc, grade in (("a", 0), ("b", 1))]
    qrels.write_text(ENVELOPES["response"](graded), encoding="utf-8")
    assert gainful.evaluate(qrels, run, "RR").mean["RR"] == 0.5


CUT_OFF = {  # and where it is
    ENVELOPES["indented"](RECORDS)[:-30]: ":11",
    ENVELOPES["index"](RECORDS)[:-30]: ":4",
    ENVELOPES["response"](RECORDS)[:-30]: "",
    ENVELOPES["indented response"](RECORDS)[:-30]: "",
    ENVELOPES["index"]([RECORDS[0], RECORDS[1] | {"timestamp": "soon"}]): ":4",
}
DAMAGED = {  # of which three documents are left
    ENVELOPES["index"](RECORDS) + '{"index": {}}\n': ":5",
    '{"create": {}}\n' + ENVELOPES["index"](RECORDS): ":1",
    ENVELOPES["index"](RECORDS) + '{"index": {"_ind\n': None,
    ENVELOPES["index"](RECORDS).replace('"_index": "ubi", "_id": "7"}}', '"_in', 1): None,
    ENVELOPES["msearch"](RECORDS)[:-2] + ', {"error": {"type": "gone"}, "status": 404}]}': None,
    ENVELOPES["index"](RECORDS) + '{"query_id": "q3"} and more\n': None,
    '{\n "query_id" "q3"\n}\n'.join(
        ENVELOPES["indented"]([record]) + "\n" for record in RECORDS
    ): ":11",
}


@pytest.mark.parametrize(("text", "place"), [*CUT_OFF.items(), *DAMAGED.items()])
def test_what_is_damaged_in_an_envelope_is_told_with_its_place(tmp_path, text, place, run_gainful):
    path = write_file(tmp_path / "log.json", text)
    with pytest.raises(BadInput) as refused:
        as_sessions(path)
    assert place is None or refused.value.where == f"{path}{place}"
    assert run_gainful("sessions", path, status=2).err.count("\n") == 1
    if text in DAMAGED:
        sessions = as_sessions(path, bad="skip")
        assert sessions.frame["doc"].to_list() == ["a", "b", "c"]
        assert len(sessions.problems) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"query_id": "q3"} and more', "'and more' follows"),
        ('{"query_id": "q3"},', "',' follows"),
        ('{"query_id": "q3", "user', "truncated"),
        ('{"query_id": q3}', "is not JSON"),
        ('{"query_id": "q3", "user_query": "caf\udce9"}', "is not UTF-8"),
        ('{"query_id": ' + "[" * 5000 + "]" * 5000 + "}", "nested too deeply"),
    ],
)
def test_a_line_that_is_no_json_is_told_for_what_it_is(tmp_path, line, words):
    text = f"{json.dumps(RECORDS[0])}\n{line}\n"
    path = write_file(tmp_path / "log.jsonl", text.encode(errors="surrogateescape"))
    with refuses(BadInput, "log.jsonl:2", words) as refused:
        as_sessions(path)
    assert ("truncated" in refused.value.problem) == (words == "truncated")


def test_an_answer_without_records_of_a_log_is_called_so(tmp_path):
    path = tmp_path / "answer.json"
    empty = json.dumps({"responses": [json.loads(write_response([]))] * 2})
    for text in (write_response([]), empty, write_response([{"title": "leek"}])):
        path.write_text(text, encoding="utf-8")
        with refuses(NoColumn, "answer.json", "search response"):
            as_sessions(path)


@pytest.mark.parametrize("layout", [{}, {"indent": 2}])
@pytest.mark.parametrize("as_list", [False, True])
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_json_that_is_no_known_log_is_called_so_with_its_keys(tmp_path, layout, as_list, suffix):
    trace = {"trace": {"id": "t1"}, "observations": []}  # as Langfuse exports
    path = write_file(
        tmp_path / f"trace{suffix}", json.dumps([trace] if as_list else trace, **layout)
    )
    with refuses(NoColumn, path.name, "trace, observations", "openinference"):
        as_sessions(path)


@pytest.mark.parametrize(
    ("name", "docs"),
    [
        ("llama_index", ["d1", "d3", "d2", "d1", "d3"]),  # as its retriever returns them
        ("langchain", ["d1", "d3", "d2", "d1", "d3"]),  # of what it returned: it lists no ids
        ("haystack", ["d1", "d2", "d2", "d1"]),  # BM25 finds "soup" in two
    ],
)
def test_dumps_of_the_console_exporter_are_read_as_they_are(name, docs):
    frame = as_sessions(TRACES / f"{name}.json").frame
    assert frame["session"].to_list() == ["s1"] * len(docs) + ["s2"]
    assert frame["doc"].to_list() == [*docs, None]  # nothing is found for beer


@pytest.mark.parametrize("name", ["llama_index", "langchain"])
def test_what_a_tool_returned_is_taken_out_of_what_the_library_puts_around_it(name):
    frame = as_sessions(TRACES / f"{name}.json", tool=["kb_search"]).frame
    called = frame.filter(session="s3")
    assert called.select("text", "doc").rows() == [("leek soup", "d1"), ("leek soup", "d3")]


def test_ids_of_langchain_may_be_those_of_its_metadata():
    sessions = as_sessions(TRACES / "langchain.json", columns={"doc": "metadata.source"})
    assert sessions.frame["doc"].to_list()[:2] == ["d1.txt", "d3.txt"]
    assert not any("without ids" in note for note in sessions.notes)


@pytest.mark.parametrize("output", [None, '{"documents": [{"id": "d1"}]}', "two soups"])
def test_documents_without_ids_are_refused_where_what_was_returned_does_not_help(tmp_path, output):
    text = (TRACES / "langchain.json").read_text(encoding="utf-8")
    span = json.loads(text[: text.index("\n{")])
    span["attributes"]["output.value"] = output
    path = write_file(tmp_path / "spans.json", json.dumps(span))
    with refuses(BadInput, "spans.json:1", "metadata.source"):
        as_sessions(path)


@pytest.mark.parametrize("name", ["langchain", "llama_index", "haystack"])
def test_judgments_of_questions_are_told_how_to_be_met(name):
    path = TRACES / f"{name}.json"
    judged = {text: {"d1": 1, "d2": 1} for text in as_sessions(path).frame["text"].unique()}
    with refuses(BadInput, path.name, "--columns topic=text"):
        gainful.sessions.evaluate(path, judged, "nsDCG@5")
    results = gainful.sessions.evaluate(path, judged, "nsDCG@1", columns={"topic": "text"})
    assert results.mean["nsDCG@1"] == 0.5  # both soups stand first, and there is no beer


def test_records_of_a_program_come_out_of_source_too():
    wrapped = [{"_index": "ubi", "_source": record} for record in RECORDS]
    assert as_sessions(wrapped).frame["doc"].to_list() == ["a", "b", "c"]


def test_a_list_of_rows_is_a_table_of_sessions(tmp_path):
    rows = [
        {"session": "s", "query": 1, "rank": rank, "doc": doc} for rank, doc in ((1, "a"), (2, "b"))
    ]
    path = write_file(tmp_path / "sessions.json", json.dumps(rows, indent=1))
    assert as_sessions(path).frame["doc"].to_list() == ["a", "b"]
    path.write_text(json.dumps([*rows, 7]), encoding="utf-8")
    with refuses(BadInput, "sessions.json[2]"):
        as_sessions(path)


def test_an_answer_that_is_cut_off_is_neither_judgments_nor_a_run(tmp_path):
    text = write_response([{"query_id": "q", "user_query": "lamp"}])
    path = write_file(tmp_path / "answer.json", text[:-20])
    (finding,) = gainful.check(path).findings
    assert finding.kind == "json"
    assert "the JSON is truncated" in finding.problems[0]


@pytest.mark.parametrize("text", ['{"1": {"a": 1}}', '{"1": ["a", "b"], "2": ["c"]}'])
def test_judgments_as_json_are_called_so_where_sessions_are_read(tmp_path, text):
    path = write_file(tmp_path / "q.json", text)
    with refuses(Swapped, "q.json", "judgments or a run, not sessions"):
        as_sessions(path)


def test_json_that_is_no_known_log_is_called_so_by_every_command(tmp_path):
    path, text = tmp_path / "unknown.jsonl", tmp_path / "text.json"
    path.write_text('{"foo": 1, "bar": "x"}\n{"foo": 2, "bar": "y"}\n', encoding="utf-8")
    text.write_text('"just text"', encoding="utf-8")
    for read in (as_sessions, lambda file: gainful.evaluate({"1": {"a": 1}}, file, "RR")):
        with refuses(NoColumn, str(path), "JSON", "foo, bar", "openinference"):
            read(path)
        with pytest.raises(NoColumn) as refused:
            read(path)
        words = str(refused.value).partition(": ")[2]
        (finding,) = gainful.check(path).findings
        assert finding.problems == (words,)
        assert "query and document" in words
    with refuses(NoColumn, str(text), "JSON", "openinference"):
        as_sessions(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_what_is_nested_too_deeply_is_no_bug(tmp_path, text):
    path = write_file(tmp_path / "deep.json", text)
    for read in (as_sessions, lambda file: gainful.evaluate({"1": {"a": 1}}, file, "RR")):
        with refuses(BadInput, path.name):
            read(path)
    assert not gainful.check(path).ok


@pytest.mark.parametrize(("cut", "words"), [(3, "not JSON"), (40, "follows the object")])
def test_records_after_a_first_line_that_is_cut_off_are_still_known(tmp_path, cut, words):
    dump = (TRACES / "llama_index.json").read_bytes()
    lines = [line for line in unwrap(dump, lambda: dump, "dump").decode().split("\n") if line]
    path = write_file(tmp_path / "spans.jsonl", "\n".join([lines[0][cut:], *lines]))
    with refuses(BadInput, f"{path.name}:1", words):
        as_sessions(path)
    assert as_sessions(path, bad="skip").notes


@pytest.mark.parametrize("text", ["var x = [{}];", "// why\n{}"])
def test_a_file_that_is_json_only_by_its_name_is_called_so(tmp_path, text):
    path = write_file(tmp_path / "log.json", text)
    for read in (as_sessions, lambda run: gainful.evaluate({"1": {"a": 1}}, run, "RR")):
        with refuses(BadInput, "log.json", "not JSON"):
            read(path)


def test_queries_with_what_was_retrieved_are_no_sessions(tmp_path):
    rag = '{"query": "1", "retrieved": ["a"], "relevant": ["a"]}\n'
    answer = '{"query": "1", "response": {"hits": {"hits": [{"_id": "a"}]}}}\n'
    for text in (rag, answer):
        path = write_file(tmp_path / "rag.jsonl", text)
        with refuses(Swapped, path.name, f"gainful eval {path};"):
            as_sessions(path)


def test_texts_of_deepeval_are_no_ids_and_its_ids_may_be_named(tmp_path):
    case = {"input": "x", "context": ["a"], "retrieval_context": ["a text", "b"]}
    path = tmp_path / "cases.json"
    for docs, words in (
        (["a text", "b"], "retrieval_context"),
        (["a", "b"], "retrieved=retrieval_context,relevant=context"),
    ):
        write_file(path, json.dumps([{**case, "retrieval_context": docs}]))
        with refuses(GainfulError, "cases.json", words):
            gainful.evaluate({"x": {"a": 1}}, path, "RR")


def test_texts_of_ragas_are_no_ids(tmp_path):
    record = {"question": "x", "contexts": ["a text", "another text"], "ground_truth": "y"}
    path = write_file(tmp_path / "ragas.jsonl", json.dumps(record) + "\n")
    with refuses(BadInput, path.name, "contexts", "without ids"):
        gainful.evaluate({"x": {"a": 1}}, path, "RR")
