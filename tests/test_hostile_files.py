"""Small files made to break a reader: one line with the place, soon, and nothing taken silently."""

import csv
import gzip
import io
import json
import os
import time
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from example_files import EXAMPLES, SHARED_DATA
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import read_run, write_file, write_lines

import gainful
from gainful.errors import BadInput, BadShape, BadValue, GainfulError
from gainful.evidence.statistics.effect_size import effect_size
from gainful.measure.arrays import ncg_curve
from gainful.read import binary_tables, delimited
from gainful.read.binary_tables import check_parquet
from gainful.read.query_columns import read_texts
from gainful.read.session_inputs import as_sessions
from gainful.read.source import make_memory_source

QRELS = {"1": {"a": 1}}
SOON = 5.0  # seconds of a reader that is linear, with room for a busy machine


TABLES = {
    "a line break in the header": ("s.csv", 'query,doc,score,"size\nin cm"\n1,a,9,x\n', ("s.csv:1", r"'size\nin cm'")),
    "a quote in the header that is never closed": ("s.csv", 'query,doc,score,"size\n1,a,9,x\n', ("s.csv:1", "quote")),
    "an odd quote in the header": ("s.csv", 'query,doc,score,size 5" screen\n1,a,9,x\n1,b,8,x\n2,c,7,y" z\n1,d,6,x\n', ("s.csv:1", "quote")),
    "a quote that joins lines of a TSV": ("s.tsv", 'query\tdoc\tscore\n1\t"a\t9\n1\tb\t8\n1\tc"\t7\n', ("s.tsv:2", "quote", "'doc'")),
    "one below a comment": ("s.tsv", '# by hand\nquery\tdoc\tscore\n1\t"a\t9\n1\tb\t8\n1\tc"\t7\n', ("s.tsv:3", "quote", "'doc'")),
    "quotes that are not doubled, in two rows": ("s.csv", 'query,doc,score,title\n1,a,3,"5" screen"\n1,b,2,desk\n2,c,1,"6" screen"\n2,d,0.5,lamp\n', ("s.csv:2", "field 4", "doubled")),
    "quotes that are not doubled, in an id": ("s.csv", 'query,doc,score\n1,a,4\n1,"say "hi" now",3\n', ("s.csv:3", "field 2")),
    "those between semicolons": ("s.csv", 'query;doc;score\n1;"say "hi" now";3\n', ("s.csv:2", "field 2")),
    "those between tabs": ("s.tsv", 'query\tdoc\tscore\n1\t"say "hi" now"\t3\n', ("s.tsv:2", "field 2")),
    "a quote that closes too early": ("s.csv", 'query,doc,score,title\n1,a,3,"Alien" (1979)\n', ("s.csv:2", "field 4")),
    "one below other rows": ("s.csv", 'query,doc,score\n1,a,3\n1,b,2\n2,"c" x,1\n2,d,2\n', ("s.csv:4", "field 2")),
    "a quote that is never closed": ("s.csv", 'query,doc,score\n1,"a\nb",3\n\n1,"b,2\n2,d,2\n', ("s.csv:5", "field 2", "never closed")),
    "a quote that closes too early, lines later": ("s.csv", 'query,doc,score\n1,"a,3\n1,b,2\n1,"c",1\n', ("s.csv:2", "field 2", "on line 4")),
    "a header in Latin-1": ("s.csv", "query,doc,score,größe\n1,a,9,x\n".encode("latin-1"), ("s.csv:1", "UTF-8")),
    "a header of nothing": ("s.csv", ",,\n", ("s.csv:1", "header")),
    "a lone return in the header": ("s.csv", "query,doc,score,t\rx\n1,,1,1\n", ("s.csv:2", "doc")),
    "a lone return in a row": ("s.csv", "query,doc,score,t\n1,,1,1\n1,b,2,c\rd\n", ("s.csv:2", "doc")),
    "a key twice": ("s.jsonl", '{"query":"1","doc":"a","score":1,"score":9}\n', ("s.jsonl:1", "'score'", "twice")),
    "a key twice, once escaped": ("s.jsonl", '{"query":"1","doc":"a","score":1,"\\u0073core":9}\n', ("s.jsonl:1", "'score'", "twice")),
    "half a character": ("s.jsonl", '{"query":"1","doc":"a","score":1}\n{"query":"1","doc":"\\ud800","score":1}\n', ("s.jsonl:2", r"\ud800")),
    "half a character among mixed rows": ("s.jsonl", '{"query":"1","doc":"a","score":"1"}\n{"query":1,"doc":"\\udfff","score":1}\n', ("s.jsonl:2", r"\udfff")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "named"), TABLES.values(), ids=TABLES)
def test_a_table_is_refused_with_its_line(tmp_path, name, content, named):
    with refuses(BadInput, named):
        gainful.evaluate(QRELS, write_file(tmp_path / name, content), "RR")


PACKED_HEADS = ("x^", "x\x01", b"\x1f\x8b", b"(\xb5/\xfd")  # of zlib, gzip and zstandard


@pytest.mark.parametrize("head", PACKED_HEADS)
@pytest.mark.parametrize(
    ("name", "above", "below"),
    [
        ("run.txt", b"\n", b"1 Q0 a 1 1 t\n"),
        ("run.csv", b"# c\n", b",query,doc,score\n1,1,a,2\n"),
        ("run.tsv", b"# c\n", b"\tquery\tdoc\tscore\n1\t1\ta\t2\n"),
    ],
)
def test_text_below_the_first_line_that_begins_as_if_it_were_packed(
    tmp_path, head, name, above, below
):
    """Polars unpacks what begins so; it is an id, or no text."""
    is_text = isinstance(head, str)
    query = f"{head}1" if is_text and name == "run.txt" else "1"
    run = write_file(tmp_path / name, above + (head.encode() if is_text else head) + below)
    with nullcontext() if is_text else refuses(BadInput, f"{name}:2", "UTF-8"):
        assert gainful.evaluate({query: {"a": 1}}, run, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("line", ["1 0 Foo\xa0Bar\xa0Baz 1\n", "1 Foo\xa0Bar\xa0Baz 1\n"])
def test_only_ascii_blanks_end_a_field_of_judgments(tmp_path, line):
    """Titles as ids may have no-break spaces; such judgments are neither a run nor malformed."""
    qrels = write_file(tmp_path / "qrels.txt", line)
    run = write_file(tmp_path / "run.txt", "1 Q0 Foo\xa0Bar\xa0Baz 1 1 t\n")
    assert gainful.evaluate(qrels, run, "RR").mean == {"RR": 1.0}
    assert gainful.check(qrels, run).ok


CELLS = st.lists(st.sampled_from(['"', '""', ",", "\n", "a", "b c", "\r\n"]), max_size=25)


@given(CELLS.map("".join), st.sampled_from([1, 3, 1 << 16]))
def test_rows_with_quotes_are_those_of_the_csv_module_or_refused(body, size):
    text = f"query,doc,score\n{body}"

    def parse(*, strict):
        rows = csv.reader(io.StringIO(text, newline=""), strict=strict)
        return [row for row in rows if any(row)][1:]

    rows = None
    with pytest.MonkeyPatch.context() as patch, suppress(BadInput):
        patch.setattr(delimited, "_QUOTE_PIECE", size)
        source = make_memory_source("s.csv", ".csv", text.encode())
        rows = delimited.read(source, "csv")[0].fill_null("").rows()
    if rows is None:
        too_long = any(len(row) > 3 for row in parse(strict=False))
        with suppress(csv.Error) if too_long else pytest.raises(csv.Error):
            parse(strict=True)
        return
    filled = [[*row, "", ""] for row in parse(strict=True)]
    assert not any(any(row[3:]) for row in filled)  # nothing behind the last name
    expected = [tuple(row[:3]) for row in filled if any(row[:3])]
    assert rows == expected


PAGE = '"' + "x" * 200_000 + '"'  # csv takes 131,072 characters unless it is told otherwise
LONG_RUN = f"query,doc,score,text\n1,a,1,{PAGE}\n"
LONG_FIELDS = {  # what is in long.csv, a command, and what it says
    "eval, judgments": (LONG_RUN.replace("score", "grade") + "1,b,x,y\n", "eval long.csv a.run", "long.csv:3: grade 'x'"),
    "eval, run": (LONG_RUN + "1,b,x,y\n", "eval qrels.txt long.csv", "long.csv:3: score 'x'"),
    "check": (LONG_RUN + "1,b,x,y\n", "check long.csv", "line 3: score 'x'"),
    "sessions": (f"session,query,rank,doc,text\ns,1,1,a,{PAGE}\ns,1,x,b,y\n", "sessions long.csv --qrels qrels.txt", "long.csv:3: session 's': rank 'x'"),
    "more fields than names": (LONG_RUN + "1,b,1,y,z\n", "eval qrels.txt long.csv", "long.csv:3: 5 fields"),
    "a header": (f"query,doc,score,{PAGE},score\n1,a,1,y,1\n", "eval qrels.txt long.csv", "long.csv:1: column 'score'"),
    "report --queries": (f"query,text\n1,{PAGE}\n1,y\n", "report qrels.txt a.run b.run --queries long.csv -o o.html", "long.csv:3: query '1'"),
}  # fmt: skip


@pytest.fixture
def run_in_folder(tmp_path, monkeypatch, run_gainful):
    monkeypatch.chdir(tmp_path)
    lines = {"qrels.txt": "1 0 a 1", "a.run": "1 Q0 a 1 2 x", "b.run": "1 Q0 b 1 2 x"}
    for name, line in lines.items():
        write_file(tmp_path / name, f"{line}\n")
    limit = csv.field_size_limit(131_072)  # as Python has it
    yield run_gainful
    csv.field_size_limit(limit)


@pytest.mark.parametrize(("text", "words", "message"), LONG_FIELDS.values(), ids=LONG_FIELDS)
def test_a_field_of_a_whole_page_does_not_hide_the_mistake(run_in_folder, text, words, message):
    Path("long.csv").write_text(text)
    done = run_in_folder(*words.split(), status=1 if words.startswith("check") else 2)
    assert message in done.out + done.err


@pytest.mark.parametrize(
    ("lines", "docs"),
    [
        ('{"query":"1","doc":"\\ud83d\\ude00","score":1}\n', ["😀"]),  # in two halves
        ('{"query":"query","doc":"doc","score":1}\n{"query":"q","doc":"b","score":2}\n', ["doc", "b"]),
        (f'{{"query":"1","doc":"a","score":1,"n":{"9" * 40}}}\n{{"query":"1","doc":"b","score":0,"n":"x"}}\n', ["a", "b"]),
    ],
    ids=["two halves of a character", "values that are called like keys", "a huge number"],
)  # fmt: skip
def test_odd_json_lines_are_read(tmp_path, lines, docs):
    assert read_run(write_file(tmp_path / "s.jsonl", lines)).frame["doc"].to_list() == docs


SLOW_ONCE = {
    "CDATA that never ends": ("s.xml", b"<a>" + b"<![CDATA[" * 40_000 + b"</a>"),
    "text between comments": ("s.xml", b"<a>" + b"a<!---->" * 800_000 + b"</a>"),
    "text between instructions": ("s.xml", b"<a>" + b"a<?b?>" * 800_000 + b"</a>"),
    "many keys, the last twice": (
        "s.jsonl",
        "{" + "".join(f'"k{n}":1,' for n in range(100_000)) + '"k99999":1}\n',
    ),
    "many columns": ("s.csv", ",".join(f"c{n}" for n in range(40_000)) + "\n"),
    "iterations made up": ("s.txt", "".join(f"DD{n}\t9999\td\t1\t1\t1:2\n" for n in range(2_000))),
}


READERS = dict.fromkeys(("s.xml", "s.csv", "s.txt"), gainful.sessions.evaluate)
READERS["s.jsonl"] = lambda path: gainful.evaluate(QRELS, path)


@pytest.mark.parametrize(("name", "content"), SLOW_ONCE.values(), ids=SLOW_ONCE)
def test_a_small_file_takes_no_minutes(tmp_path, name, content):
    path = write_file(tmp_path / name, content)
    begin = time.process_time()
    with pytest.raises(GainfulError):
        READERS[name](path)
    assert time.process_time() - begin < SOON


def test_searches_that_all_have_one_id_are_read_soon(tmp_path):
    logged = [
        {"query_id": "q", "client_id": "c", "user_query": f"t{n}", "query_response_hit_ids": ["a"]}
        for n in range(6_000)
    ]
    clicks = [
        {"action_name": "click", "query_id": "q", "session_id": "s", "event_attributes": {}}
    ] * len(logged)
    records = [{**each, "timestamp": 1767225600 + n} for n, each in enumerate(logged + clicks)]
    begin = time.process_time()
    sessions = as_sessions(write_lines(tmp_path / "s.jsonl", *records))
    assert time.process_time() - begin < SOON
    assert len(sessions.layout.query_starts) == 6_000


def test_a_call_that_comes_again_and_again_is_read_soon(tmp_path):
    call = {"id": "c", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    answered = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": '["a"]'},
    ]
    path = write_lines(tmp_path / "s.jsonl", {"id": "s", "messages": answered * 40_000})
    begin = time.process_time()
    sessions = as_sessions(path)
    assert time.process_time() - begin < SOON
    assert len(sessions.layout.query_starts) == 40_000


def test_calls_that_all_have_one_id_are_read_soon(tmp_path):
    calls = [
        {"id": "c", "function": {"name": "search", "arguments": f'{{"query": "{n}"}}'}}
        for n in range(8_000)
    ]
    results = [{"role": "tool", "tool_call_id": "c", "content": '["a"]'}] * len(calls)
    messages = [{"role": "assistant", "tool_calls": calls}, *results]
    begin = time.process_time()
    sessions = as_sessions(write_lines(tmp_path / "s.jsonl", {"id": "s", "messages": messages}))
    assert time.process_time() - begin < SOON
    assert len(sessions.layout.query_starts) == 8_000


def test_a_table_of_very_many_columns_is_read_soon(tmp_path):
    names, cells = (",".join(f"{name}{n}" for n in range(40_000)) for name in "cx")
    path = write_file(
        tmp_path / "s.csv", f"query,doc,score,{names}\n1,a,2,{cells}\n,,,{',' * 39_999}\n"
    )
    begin = time.process_time()
    assert gainful.evaluate(QRELS, path, "RR").mean["RR"] == 1
    assert time.process_time() - begin < SOON
    with refuses(BadInput, "t.csv"):
        gainful.evaluate(QRELS, write_file(tmp_path / "t.csv", f"{names}\n{cells}\n"), "RR")


def test_digits_without_end_take_no_minutes(run_gainful):
    begin = time.process_time()
    run_gainful("explain", "1" * 60_000 + "x", status=2)
    assert time.process_time() - begin < SOON


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("gainful.read.source._ALWAYS_ALLOWED", 1 << 20)
    path = write_file(
        tmp_path / "run.gz", gzip.compress(b"1 Q0 a 1 1 t\n" * 10_000_000, compresslevel=1)
    )
    with refuses(BadInput, "run.gz"):
        read_run(path)


def test_an_interaction_of_five_thousand_digits(tmp_path):
    session = (
        '<sessiontrack2012><session num="1"><topic num="1"/><interaction num="' + "9" * 5_000 + '">'
        "<query>q</query><results/></interaction></session></sessiontrack2012>"
    )
    with refuses(BadInput, "s.xml:1"):
        gainful.sessions.evaluate(write_file(tmp_path / "s.xml", session), QRELS, "sDCG@10")


def test_a_column_called_as_ours_was(tmp_path):
    table = "session,query,rank,doc,_row,_session\ns,2,1,b,x,y\ns,1,1,a,x,y\n"
    results = gainful.sessions.evaluate(
        write_file(tmp_path / "s.csv", table), {"s": {"a": 1}}, "sDCG@1"
    )
    assert results.mean == {"sDCG@1": 1.0}


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_file_whose_name_is_no_utf8(tmp_path, run_gainful):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff.txt")
    with open(path, "w", encoding="utf-8") as stream:  # noqa: PTH123
        stream.write("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    assert gainful.evaluate(QRELS, path, "RR").mean == {"RR": 1.0}
    qrels = str(write_file(tmp_path / "q.txt", "1 0 a 1\n2 0 a 1\n"))
    other = str(write_file(tmp_path / "s.txt", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n"))
    for command, *options in (("eval",), ("compare",), ("gate", "--floor", "RR=0.1")):
        words = [command, qrels, path, *([other] if command == "compare" else []), *options]
        assert r"r\\udcff" in run_gainful(*words, "-m", "RR", "--format", "json").out
    table = path.replace("/r\udcff.txt", "/s\udcff.csv")
    with open(table, "w", encoding="utf-8") as stream:  # noqa: PTH123
        stream.write("session,query,rank,doc\n1,1,1,a\n2,1,1,a\n")
    page = str(tmp_path / "page.html")
    run_gainful("explore", table, "--qrels", qrels, "-o", page)
    assert r"s\\udcff.csv" in Path(page).read_text(encoding="utf-8")
    assert run_gainful("eval", qrels, "", status=2).err.count("\n") == 1


def test_values_that_no_file_could_hold_choose_nothing(tmp_path):
    table = write_file(tmp_path / "s.csv", "session,query,doc,system\ns,1,a,x\n")
    with refuses(BadInput, "s.csv"):
        gainful.sessions.evaluate(table, {"s": {"a": 1}}, where={"system": "\udcff"})


@pytest.mark.parametrize("option", ["min_queries", "first_queries"])
def test_more_queries_than_can_be_counted(tmp_path, option):
    table = write_file(tmp_path / "s.csv", "session,query,doc\ns,1,a\n")
    options = {option: 10**23}
    if option == "min_queries":
        with refuses(BadInput, "s.csv"):
            gainful.sessions.evaluate(table, {"s": {"a": 1}}, **options)
    else:
        results = gainful.sessions.evaluate(table, {"s": {"a": 1}}, "sDCG@1", **options)
        assert results.mean == {"sDCG@1": 1.0}


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c"])
def test_texts_of_queries_may_hold_odd_separators(tmp_path, separator):
    texts = write_file(tmp_path / "t.tsv", f"1\ta{separator}b\n2\tc\r\n")
    assert read_texts(texts) == {"1": f"a{separator}b", "2": "c"}


def test_a_message_is_one_line_and_steers_no_terminal(tmp_path):
    path = write_file(tmp_path / "r.csv", "query,doc,\x1b]0;pwned\x07\n1,a,1\n")
    with pytest.raises(GainfulError) as error:
        gainful.evaluate(QRELS, path, "RR")
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    "vectors", [[[1, 2], [[1, 2], [3, 4]]], [np.ma.array([1.0, 2.0]), np.ma.array([1.0])]]
)
def test_vectors_of_unlike_shapes(vectors):
    with pytest.raises(BadShape):
        gainful.vectors.add(vectors)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_numbers_of_every_make_are_vectors():
    assert gainful.vectors.scale(np.matrix([[1, 2], [3, 4]]), 2).tolist() == [
        [2.0, 4.0],
        [6.0, 8.0],
    ]
    wide = pl.Series([1, 2], dtype=pl.Int128)
    assert gainful.vectors.add([wide, [1, 2]]).tolist() == [2, 4]
    assert gainful.vectors.average_of_normalised([wide], [wide]).tolist() == [1, 1]
    assert gainful.vectors.scale(wide, 2).tolist() == [2.0, 4.0]
    assert gainful.ndcg(pl.Series([1, 1], dtype=pl.Int128)) == 1.0
    assert ncg_curve([wide]).tolist() == [[0.5, 1.0]]
    with pytest.raises(BadShape):
        gainful.vectors.query_discount([1, [2]])


class Unreadable:
    """Numbers of another library that cannot be had."""

    def __len__(self):
        return 2

    def __array__(self, *_, **__):
        raise RuntimeError("not on this\ndevice")


@pytest.mark.parametrize(
    "compute",
    [
        lambda: gainful.ndcg(Unreadable()),
        lambda: gainful.ndcg([[1, 2, 3], Unreadable()]),
        lambda: gainful.ndcg([1, 2], Unreadable()),
        lambda: gainful.ndcg([1, 2], mask=Unreadable()),
        lambda: gainful.ndcg(pl.DataFrame({"a": [1]}, schema={"a": pl.Int128})),
    ],
)
def test_numbers_that_cannot_be_had_are_one_typed_line(compute):
    with pytest.raises(BadValue) as failure:
        compute()
    assert "\n" not in str(failure.value)


def test_ids_and_grades_of_128_bit_are_read():
    frame = pl.DataFrame({"query": [1], "doc": [7], "grade": [3]}).cast(pl.Int128)
    assert gainful.evaluate(frame, {"1": ["7"]}, "CG@1").mean == {"CG@1": 3.0}


def test_an_effect_that_no_collection_could_show_is_no_mistake():
    # dz is 0.0010285: 10 million queries do not show it at a corrected alpha
    differences = np.array([1.0, -1.0] * 25) + 0.0010183
    assert effect_size(differences).dz == pytest.approx(0.00101, abs=1e-5)


def parquet_bytes():
    buffer = io.BytesIO()
    frame = pl.DataFrame({"query": ["1"] * 60, "doc": [f"d{n}" for n in range(60)]})
    frame.with_columns(score=pl.int_range(60).cast(pl.Float64)).write_parquet(buffer)
    return buffer.getvalue()


@given(st.lists(st.tuples(st.integers(4, 10_000), st.integers(1, 255)), min_size=1, max_size=3))
def test_damaged_parquet_is_refused_or_read_and_never_ends_the_process(changes):
    data = bytearray(parquet_bytes())
    for place, change in changes:
        data[place % len(data)] ^= change
    with suppress(BadInput):
        check_parquet(bytes(data), "run.parquet")


@pytest.mark.parametrize("change", [{312: 102, 1337: 13}, {438: 230, 314: 161}, {465: 36}])
def test_what_polars_prints_of_a_damaged_file_is_not_our_message(tmp_path, capfd, change):
    """These made threads of polars 2.1 panic, which print a trace each."""
    data = bytearray(parquet_bytes())
    for place, bits in change.items():
        data[place % len(data)] ^= bits
    with suppress(BadInput):
        read_run(write_file(tmp_path / "run.parquet", bytes(data)))
    assert capfd.readouterr().err == ""


def test_what_is_printed_while_a_sound_file_is_read_is_not_lost(capfd):
    def read():
        os.write(2, b"somebody else's\n")
        assert capfd.readouterr().err == ""
        return pl.DataFrame()

    assert binary_tables._hold_back_errors(read).is_empty()
    assert capfd.readouterr().err == "somebody else's\n"


@pytest.mark.parametrize("end", [4, 9, 40])
def test_a_parquet_file_cut_short(tmp_path, end):
    assert read_run(write_file(tmp_path / "run.parquet", parquet_bytes())).frame.height == 60
    path = write_file(tmp_path / "run.parquet", parquet_bytes()[:-end])
    with refuses(BadInput, "run.parquet"):
        read_run(path)


def test_a_sound_parquet_file_of_nulls_is_read(tmp_path):
    path = tmp_path / "run.parquet"
    nothing = pl.Series([None, None], dtype=pl.String)
    rows = {"query": ["q", "q"], "doc": ["a", "b"], "score": [2.0, 1.0], "note": nothing}
    pl.DataFrame(rows).write_parquet(path)
    assert gainful.evaluate({"q": {"b": 1}}, path, "RR").mean == {"RR": 0.5}


def test_a_parquet_file_of_arrow_without_rows_is_not_damaged(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    columns = {"query": pl.String, "doc": pl.String, "score": pl.Float64}
    parquet.write_table(pl.DataFrame(schema=columns).to_arrow(), path)
    with refuses(BadInput, "run.parquet") as refusal:
        read_run(path)
    assert "no results" in str(refusal.value)


def write_damaged(folder):
    """Tables of sessions whose pages cannot be unpacked, and one that made polars panic."""
    docs = [f"document {n * 7919 % 10_007}" for n in range(2000)]
    frame = pl.DataFrame({"session": docs, "query": 1, "rank": 1, "doc": docs, "clicked": True})
    for suffix, write_table in {
        "parquet": pl.DataFrame.write_parquet,
        "arrow": pl.DataFrame.write_ipc,
    }.items():
        path = folder / f"log.{suffix}"
        write_table(frame.with_columns(score=1.0), path, compression="zstd")
        data = path.read_bytes()
        path.write_bytes(data[:200] + bytes(800) + data[1000:])
    panics = SHARED_DATA / "attack" / "parquet" / "panic.parquet"
    return [folder / "log.parquet", folder / "log.arrow", *([panics] if panics.exists() else [])]


TABLE_DOORS = {
    "check": (1, "check {}"),
    "check sessions": (1, "check {} --sessions-format table"),
    "sessions": (2, "sessions {}"),
    "summary": (2, "sessions {} --summary"),
    "explore": (2, "explore {} -o page.html"),
    "sweep": (2, "sweep {}"),
    "calibrate": (2, "calibrate {}"),
    "compare sessions": (2, "compare --sessions {}"),
    "report sessions": (2, "report --sessions {} -o report.html"),
    "figure": (2, "figure sessions {} -o curves.svg"),
    "eval": (2, "eval {examples}/qrels.txt {}"),
    "eval by": (2, "eval {} {examples}/bm25.txt"),
    "compare": (2, "compare {examples}/qrels.txt {examples}/bm25.txt {}"),
    "gate": (2, "gate {examples}/qrels.txt {} --floor RR=0.1"),
    "report": (2, "report {examples}/qrels.txt {} -o report.html"),
    "why": (2, "why {examples}/qrels.txt {} --unlike sklearn"),
    "order": (2, "order {examples}/qrels.txt {} {examples}/bm25.txt {examples}/dense.txt"),
    "plan": (2, "plan {examples}/qrels.txt {examples}/bm25.txt {}"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "words"), TABLE_DOORS.values(), ids=TABLE_DOORS)
def test_every_command_refuses_a_damaged_table_in_a_line(
    tmp_path, capfd, run_gainful, status, words
):
    for path in write_damaged(tmp_path):
        asked = words.replace("{examples}", str(EXAMPLES)).replace("{}", str(path)).split()
        done = run_gainful(*asked, status=status, folder=tmp_path)
        message = done.err if status == 2 else done.out
        assert any(words in message for words in ("cannot be read", "Parquet", "have no"))
        assert done.err.count("\n") == (1 if status == 2 else 0)
        assert capfd.readouterr().err == ""


HUGE = "9" * 310
HUGE_NUMBERS = {
    "a level of recall": "eval qrels.txt bm25.txt -m IPrec@{}",
    "a cutoff": "eval qrels.txt bm25.txt -m RR@{} --format json",
    "a cutoff of a floor": "gate qrels.txt bm25.txt --floor RR@{}=0.1",
    "a cutoff of two tools": "why qrels.txt bm25.txt -m nDCG@{} --unlike sklearn",
    "points": "sweep sessions.csv --qrels sessions-qrels.txt --points {}",
    "an exponent": "which 1e-{} 3 2 1",
    "positions": "sessions sessions.csv --qrels sessions-qrels.txt -m nsDCG(lists=minimum({}))@5",
}


@pytest.mark.parametrize("words", HUGE_NUMBERS.values(), ids=HUGE_NUMBERS)
def test_a_number_of_hundreds_of_digits_is_refused_in_a_line(run_gainful, words):
    done = run_gainful(*words.format(HUGE).split(), status=2, folder=EXAMPLES)
    assert done.err.startswith("gainful: ")
    assert "999..." in done.err


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_itself_can_be_neither_written_nor_read(run_gainful, tmp_path):
    loop = tmp_path / "loop.tsv"
    loop.symlink_to(loop)
    done = run_gainful("eval", "qrels.txt", "bm25.txt", "-o", loop, status=2, folder=EXAMPLES)
    assert "loop.tsv: " in done.err


@pytest.mark.parametrize(("bad", "place"), [("error", "events.jsonl:2"), ("skip", "events.jsonl")])
def test_a_log_of_actions_whose_lists_are_elsewhere(tmp_path, bad, place):
    """A second kind of record hides that the file is the second half of a UBI log."""
    row = {"session_id": "s", "query_id": "q", "timestamp": "2026-03-02T09:01:12Z"}
    click = row | {"action_name": "click", "event_attributes": {"object": {"object_id": "a"}}}
    rest = {"session_id": "s", "query_id": "q"}
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in (click, rest)), "utf-8")
    with refuses(BadInput, place):
        gainful.sessions.evaluate(path, measures="sDCG@5", bad=bad)


def test_the_type_of_a_block_in_a_transcript_may_be_anything(tmp_path):
    messages = [
        {"role": "user", "content": [{"type": odd, "text": "hello"} for odd in ([], {}, None, 1)]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "search"}]},
    ]
    messages[1]["content"][0]["input"] = {"query": "soup"}
    block = {"type": "tool_result", "tool_use_id": "t", "content": '[{"id": "a"}]'}
    messages.append({"role": "user", "content": [block]})
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps({"id": "s", "messages": messages}) + "\n", "utf-8")
    results = gainful.sessions.evaluate(path, {"s": {"a": 1}}, "sDCG@5")
    assert results.mean["sDCG@5"] == 1
