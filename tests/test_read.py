"""Reading judgments and runs: every format, every spelling of it, and every way it can be wrong."""

import bz2
import gzip
import io
import json
import lzma
import pathlib
import sys
from contextlib import suppress

import polars as pl
import pytest
from facts import find_notes, list_facts
from lz4 import frame as lz4
from refusals import refuses
from written_files import read_qrels, read_run, write_file

import gainful
from gainful.errors import BadInput, BadValue
from gainful.read import qrels_and_run
from gainful.read.column_names import read_column_names
from gainful.read.formats import FORMATS, RUN_FORMATS, find_format, find_session_format, read_rows
from gainful.read.session_inputs import as_sessions
from gainful.read.source import open_source

zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
ROWS = [("1", "a", 0.5), ("1", "b", 0.25), ("2", "ä/c", -1.0)]
GRADES = [("1", "a", 2.0), ("1", "b", 0.0), ("2", "ä/c", -1.0)]
RUN = "1 Q0 a 1 0.5 mine\n1 Q0 b 2 0.25 mine\n2 Q0 ä/c 1 -1 mine\n"
QRELS = "1 0 a 2\n1 0 b 0\n2 0 ä/c -1\n"


@pytest.fixture
def put(tmp_path):
    def write(content, name="file"):
        return str(write_file(tmp_path / name, content))

    return write


TREC_SPELLINGS = {
    "as it is": RUN,
    "tabs": RUN.replace(" ", "\t"),
    "runs of blanks": RUN.replace(" ", "  \t "),
    "blanks around": "".join(f"  {line}  \n" for line in RUN.splitlines()),
    "CRLF": RUN.replace("\n", "\r\n"),
    "comments": "# first\n" + RUN.replace("2 Q0", "  # between\n2 Q0"),
    "empty lines": "\n" + RUN.replace("\n", "\n\n"),
    "a byte-order mark": "\ufeff" + RUN,
    "no newline at the end": RUN.rstrip("\n"),
    "words after the name": RUN.replace("mine", "mine and more"),
    "a plus sign": RUN.replace(" 0.5", " +0.5"),
    "exponents": RUN.replace(" 0.5", " 5e-1"),
}


@pytest.mark.parametrize("text", TREC_SPELLINGS.values(), ids=TREC_SPELLINGS)
def test_trec_runs_in_every_spelling(put, text):
    run = read_run(put(text))
    assert run.frame.rows() == ROWS
    assert run.tag == "mine"


@pytest.mark.parametrize("change", [str, lambda t: t.replace(" ", "\t"), lambda t: t.replace("\n", "\r\n"),
                                    lambda t: "\ufeff# c\n\n" + t.replace(" ", "  ")])  # fmt: skip
def test_trec_judgments_in_every_spelling(put, change):
    assert read_qrels(put(change(QRELS))).frame.rows() == GRADES


HALVES = [RUN[: RUN.index("2 Q0")].encode(), RUN[RUN.index("2 Q0") :].encode()]
AB = [("1", "a", 1.0), ("1", "b", 2.0)]
READ_ROWS = {  # the name of a file, what is in it, how it is read, and the rows
    "fractional grades": ("q", "1 0 a 0.5\n", read_qrels, [("1", "a", 0.5)]),
    "no quotes in TREC files": ("q", '1 0 "a 1\n1 0 b" 1\n', read_qrels, [("1", '"a', 1), ("1", 'b"', 1)]),
    "gzip in parts": ("r", b"".join(map(gzip.compress, HALVES)), read_run, ROWS),
    "zstd in parts": ("r", b"".join(map(zstd.compress, HALVES)), read_run, ROWS),
    "lines of an old Macintosh": ("r", RUN.replace("\n", "\r"), read_run, ROWS),
    "much that is empty at first": ("r", "\n" * 70_000 + RUN, read_run, ROWS),
    "what looks compressed": ("r", "x^2 Q0 a 1 0.5 mine\n", read_run, [("x^2", "a", 0.5)]),
    "ranks for scores": ("r.csv", "query,doc,rank\n1,b,2\n1,a,1\n", read_run, [("1", "b", -2), ("1", "a", -1)]),
    "numbers as ids": ("r", '{"query": 1, "doc": 7, "score": 1}\n', read_run, [("1", "7", 1)]),
    "kinds that change unasked": ("r", '{"query": "1", "doc": "a", "score": 1, "x": 1}\n{"query": "1", "doc": "b", "score": 2, "x": [1]}', read_run, AB),
    "blanks after commas": ("r", "# by hand\n\nquery, doc, score\n1, a, 0.9\n\n#1, b, 0.8\n", read_run, [("1", "a", 0.9), ("#1", "b", 0.8)]),
    "semicolons": ("r", 'query;doc;score\n1;"a;b";0.9\n', read_run, [("1", "a;b", 0.9)]),
    "TREC in a table": ("trec.tsv", "1\t0\ta\t2\n", read_qrels, [("1", "a", 2)]),
    "TREC in a table, blanks": ("trec.csv", "1 0 a 2\n", read_qrels, [("1", "a", 2)]),
    "a query of two words, tabs": ("blanks.tsv", "star wars\ta\t2\n", read_qrels, [("star wars", "a", 2)]),
    "a query of two words, commas": ("blanks.csv", "star wars,a,2\n", read_qrels, [("star wars", "a", 2)]),
    "dicts": ("r", '{"1": {"a": 0.5}}', read_run, [("1", "a", 0.5)]),
    "dicts and lists": ("q.json", '{\n"1": {"a": 2}, "2":\n["b"]}', read_qrels, [("1", "a", 2), ("2", "b", 1)]),
    "graded objects": ("q", '{"query": "1", "retrieved": ["a"], "relevant": [{"id": "a", "relevance": 2}, {"id": "b"}]}', read_qrels, [("1", "a", 2), ("1", "b", 1)]),
    "objects that repeat": ("r", '{"query": "1", "retrieved": [{"id": "a", "score": 1}, {"id": "b", "score": 3}, {"id": "b", "score": 2}]}', read_run, [("1", "a", 1), ("1", "b", 3), ("1", "b", 2)]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "read", "rows"), READ_ROWS.values(), ids=READ_ROWS)
def test_what_files_say(put, name, content, read, rows):
    assert read(put(content, name)).frame.rows() == rows


@pytest.mark.parametrize("name", [name for name, entry in FORMATS.items() if entry.example])
def test_the_example_of_a_format_is_of_that_format(put, name):
    entry = FORMATS[name]
    path = put(entry.example + "\n", "file")
    if "sessions" in entry.holds:
        assert find_session_format(open_source(path)).name == name
    if "sessions" in entry.holds and name != "trec-session":  # a session without a query
        assert len(as_sessions(path).frame)
    if "run" in entry.holds:
        assert find_format(open_source(path)).name == name
        read = read_qrels if name in ("ratings", "json") else read_run
        assert len(read(path).frame)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress, bz2.compress, lzma.compress, lz4.compress],
                         ids=["gz", "zst", "bz2", "xz", "lz4"])  # fmt: skip
@pytest.mark.parametrize("name", ["run", "run.txt.gz", "run.zst", "run.xz"])
def test_compressed_files_are_known_by_their_content(put, pack, name):
    assert read_run(put(pack(RUN.encode()), name)).frame.rows() == ROWS


@pytest.mark.parametrize("write", [pl.DataFrame.write_ipc, pl.DataFrame.write_ipc_stream])
@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("name", ["run.arrow", "run.feather", "run.arrows", "run"])
def test_files_and_streams_of_arrow_are_known_by_their_content(put, write, compression, name):
    for number, rows, read in (("score", ROWS, read_run), ("grade", GRADES, read_qrels)):
        buffer, names = io.BytesIO(), ["query", "doc", number]
        write(pl.DataFrame(rows, schema=names, orient="row"), buffer, compression=compression)
        assert read(put(buffer.getvalue(), name)).frame.rows() == rows
        with refuses(BadInput, name, "Arrow"):
            read(put(buffer.getvalue()[:60], name))


@pytest.mark.parametrize("text", ["1 a 2\n1 b 0\n", "1\ta\t2\n1\tb\t0\n", " 1  a 2\n\n1 b 0.0 \n"])
def test_judgments_of_three_fields_are_query_document_grade(put, text):
    qrels = read_qrels(put(text))
    assert qrels.frame.rows() == [("1", "a", 2.0), ("1", "b", 0.0)]
    assert find_notes(qrels.notes[:1], "query", "document", "grade")


@pytest.mark.parametrize(
    ("text", "name"),
    [("1,a,2\n1,b,0\n", "q.csv"), ("1;a;2\n1;b;0\n", "q.csv"), ("1\ta\t2\n1\tb\t0\n", "q.tsv"),
     ('# judged\n"1","a","2"\n\n"1","b","0"\n', "q.csv")],
)  # fmt: skip
def test_tables_without_a_header_are_query_document_grade(put, text, name):
    qrels = read_qrels(put(text, name))
    assert qrels.frame.rows() == [("1", "a", 2.0), ("1", "b", 0.0)]
    assert "three fields per line" in qrels.notes[0]
    with refuses(BadInput, f"{name}:{1 + text.count(chr(10))}", "'x'"):
        read_qrels(put(text + text.splitlines()[-1].replace("0", "x"), name))


@pytest.mark.parametrize(
    ("text", "name"),
    [("query,doc,2024\n1,a,2\n", "q.csv"), ('"Topic ID";"docno";"1"\n1;a;2\n', "q.csv"),
     ("user\titem\t-1e3\n1\ta\t2\n", "q.tsv")],
)  # fmt: skip
def test_names_of_queries_and_documents_are_a_header_before_a_number_too(put, text, name):
    with refuses(BadInput, name, "grade"):
        read_qrels(put(text, name))
    third = text.split("\n")[0].replace(";", ",").replace("\t", ",").split(",")[2].strip('"')
    qrels = read_qrels(put(text, name), columns=read_column_names({"grade": third}))
    assert (qrels.frame.rows(), [*qrels.notes]) == ([("1", "a", 2.0)], [])


def test_judgments_are_looked_at_for_duplicates_once(put, monkeypatch):
    calls = []

    def count_calls(*given):
        calls.append(given)
        return find_duplicates(*given)

    find_duplicates = qrels_and_run.find_duplicates
    monkeypatch.setattr(qrels_and_run, "find_duplicates", count_calls)
    with_subtopics = "query,doc,grade,subtopic\n1,a,2,x\n1,a,1,y\n"
    for text, name, keys in ((QRELS, "q.txt", [[]]), (with_subtopics, "q.csv", [["subtopic"], []])):
        calls.clear()
        read_qrels(put(text, name))
        assert [more for _, *more in calls] == keys


SHORT_RUNS = {  # query, document, and what the third field is if nobody says it
    "scores": (["7.5", "7", "3"], "score"),
    "scores that rise": (["0.5", "1", "1"], "score"),
    "ranks": (["1", "2", "1"], "rank"),
    "whole scores": (["7", "2", "1"], None),
    "ranks from 0": (["0", "1", "0"], None),
    "ranks with a gap": (["1", "3", "1"], None),
    "grades": (["1", "0", "1"], None),
}
SHAPES = {"csv": ("r.csv", ","), "semicolons": ("r.csv", ";"), "bars": ("r.csv", "|"), "tsv": ("r.tsv", "\t"),
          "text, tabs": ("r.txt", "\t"), "text, blanks": ("r.run", " ")}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("case", SHORT_RUNS)
def test_runs_of_three_fields(put, shape, case):
    numbers, role = SHORT_RUNS[case]
    name, separator = SHAPES[shape]
    ids = [("1", "a"), ("1", "b"), ("2", "a")]
    rows = zip(ids, numbers, strict=True)
    path = put("".join(f"{separator.join((*pair, n))}\n" for pair, n in rows), name)
    expected = {"score": [*map(float, numbers)], "rank": [-float(number) for number in numbers]}
    for number in ("score", "rank"):
        run = read_run(path, columns=read_column_names({number: "3"}))
        assert run.frame["score"].to_list() == expected[number]
        assert gainful.evaluate({"1": {"a": 1}}, path, "RR", columns={f"run.{number}": "3"}).mean
    if role is None:
        with refuses(BadInput, path, "run.score=3", "run.rank=3"):
            read_run(path)
        judged = put(f"1{separator}a{separator}1\n", f"judged_{name}")
        for line in ({"run.score": "3"}, {"run.rank": "3"}):  # as the message says
            assert gainful.evaluate(judged, path, "P@1", columns=line).mean
        return
    run = read_run(path)
    assert run.frame.select("query", "doc").rows() == ids
    assert run.frame["score"].to_list() == expected[role]
    assert [note.endswith(role) for note in run.notes] == [True]


@pytest.mark.parametrize("judgments", ["1 0 a 1\n", "1\ta\t1\n"])
def test_only_a_mapping_that_fits_the_three_fields_of_a_run_is_taken(put, judgments):
    qrels, run = put(judgments, "qrels.txt"), put("1 a 1\n1 b 2\n", "run.txt")
    for columns in ({"run.query": "1"}, {"run.doc": "2"}, {"run.rank": "3"}):
        assert gainful.evaluate(qrels, run, "RR", columns=columns)["RR"] == 1
    for columns in ({"doc": "nope"}, {"run.doc": "7"}, {"run.query": "3"}, {"score": "rank"}):
        with refuses(BadValue, "columns", *columns):
            gainful.evaluate(qrels, run, "RR", columns=columns)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_fields_that_are_all_quoted(put, end, bom):
    rows = [("query_id", "doc_id", "score"), ("q0", "d1", "1"), ("q0", "d2", "0.5")]
    text = bom + "".join(",".join(f'"{field}"' for field in row) + end for row in rows)
    expected = [("q0", "d1", 1.0), ("q0", "d2", 0.5)]
    assert read_run(put(text, "all.csv")).frame.rows() == expected
    assert read_qrels(put(text.replace("score", "grade"), "q.csv")).frame.rows() == expected


@pytest.mark.parametrize("name", ["r.csv", "r.tsv"])
def test_a_quote_within_a_field_is_a_quote(put, name):
    text = 'query,doc,title,score,\n1,a,5" screen,2,x\n\n1,b"c,d "e" f,1\n2,c,,1'
    separator = "\t" if name == "r.tsv" else ","
    run = read_run(put(text.replace(",", separator), name))
    assert run.frame.rows() == [("1", "a", 2.0), ("1", 'b"c', 1.0), ("2", "c", 1.0)]
    assert run.locate(2).endswith(f"{name}:5")
    with refuses(BadInput, f"{name}:4", "6 fields"):
        read_run(put(text.replace("f,1", "f,1,2,3").replace(",", separator), name))


def test_fields_without_a_header_are_told_by_their_numbers(put):
    rows = [("a", "1", "x", "0.5"), ("b", "1", "x", "2"), ("a", "2", "x", "1")]
    columns = read_column_names({"query": "2", "doc": "1", "score": "4"})
    for name, separator in (("r.csv", ","), ("r.tsv", "\t"), ("r", ";")):
        path = put("".join(f"{separator.join(row)}\n" for row in rows), name)
        run = read_run(path, columns=columns)
        assert run.frame.rows() == [("1", "a", 0.5), ("1", "b", 2.0), ("2", "a", 1.0)]
    short = put("a,1,3\nb,1,0\n", "q.csv")
    qrels = read_qrels(short, columns=read_column_names({"query": "2", "doc": "1"}))
    assert qrels.frame.rows() == [("1", "a", 3.0), ("1", "b", 0.0)]
    with pytest.raises(gainful.errors.NoColumn):
        read_qrels(short, columns=read_column_names({"query": "2", "doc": "1", "grade": "4"}))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", "Suche,Seite,Note\n1,a,2\n"),
        ("two words.csv", "Such Text,Doc ID,Note\n1,a,2\n"),
        ("q.tsv", "Suche\tSeite\tNote\n1\ta\t2\n"),
    ],
)
def test_the_suffix_decides_against_trec(put, name, text):
    with refuses(gainful.errors.NoColumn, name):
        read_qrels(put(text, name))


@pytest.mark.parametrize("truth", ["true", "True", True])
def test_grades_may_be_true_and_false(put, truth):
    labels = [truth, not truth if truth is True else "false"]
    frame = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "label": labels})
    path = put("", "q.csv")
    frame.write_csv(path)
    for qrels in (frame, path):
        assert gainful.evaluate(qrels, {"1": ["b", "a"]}, "RR")["RR"] == 0.5
    unknown = frame.rename({"label": "useful"})
    with refuses(BadInput, "judgments", "'useful'"):
        gainful.evaluate(unknown, {"1": ["b", "a"]}, "RR")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert read_run("-").frame.rows() == ROWS


def encode_table(kind, columns, rows):
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    if kind == "parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    if kind == "jsonl":
        return frame.write_ndjson().encode()
    return frame.write_csv(separator="\t" if kind == "tsv" else ",").encode()


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("suffix", [True, False], ids=["named", "by content"])
@pytest.mark.parametrize(
    "columns",
    [("query", "doc", "grade"), ("query_id", "doc_id", "relevance"), ("qid", "docno", "rel"),
     ("Query-ID", "corpus-id", "score")],
)  # fmt: skip
def test_tables_with_named_columns(put, kind, suffix, columns):
    path = put(encode_table(kind, list(columns), GRADES), f"file.{kind}" if suffix else "file")
    assert read_qrels(path).frame.rows() == GRADES
    assert read_qrels(path, kind).frame.rows() == GRADES
    run = put(encode_table(kind, [*columns[:2], "score"], ROWS), f"run.{kind}" if suffix else "run")
    assert read_run(run).frame.rows() == ROWS


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_of_a_binary_table_are_no_line_ends(put, monkeypatch, packed):
    tables = [
        pl.DataFrame(
            [(str(n * 7919 // 3 % 3), f"d{n}", n * n // 5 % 3) for n in range(size)],
            schema=["query", "doc", "grade"],
            orient="row",
        )
        for size in range(1, 60)
    ]
    returns = 0
    for table in tables:
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        data = buffer.getvalue()
        if b"\r" not in data or b"\n" in data:
            continue
        returns += 1
        data = gzip.compress(data) if packed else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        for path in (put(data, "qrels.gz" if packed else "qrels"), "-"):
            assert read_qrels(path).frame.height == table.height
    assert returns


def test_beir_folders(put, tmp_path):
    put("query-id\tcorpus-id\tscore\n1\ta\t2\n", "set/qrels/test.tsv")
    put("query-id\tcorpus-id\tscore\n1\tb\t2\n", "set/qrels/train.tsv")
    assert read_qrels(tmp_path / "set").frame.rows() == [("1", "a", 2.0)]
    put("query-id\tcorpus-id\tscore\n1\tb\t2\n", "only/qrels/dev.tsv")
    assert read_qrels(tmp_path / "only").frame.rows() == [("1", "b", 2.0)]
    put("x", "two/qrels/dev.tsv")
    put("x", "two/qrels/train.tsv")
    with refuses(BadInput, "qrels"):
        read_qrels(tmp_path / "two")
    with refuses(BadInput, tmp_path.name):
        read_qrels(tmp_path)
    with refuses(BadInput, tmp_path.name):
        read_run(tmp_path)


RAG = [
    {"query": "why?", "retrieved": ["a", "b"], "relevant": ["b"]},
    {"id": "2", "query": "how?", "retrieved": {"c": 0.5, "d": 0.9}, "relevant": {"c": 3}},
    {"qid": 3, "retrieved": [{"id": "e", "score": 2}, {"id": "f", "score": 3}],
     "relevant": [{"doc_id": "e", "grade": 2}]},
]  # fmt: skip


def test_json_lines_of_the_rag_kind(put):
    path = put("\n".join(json.dumps(line) for line in RAG), "answers.jsonl")
    assert find_format(open_source(path)).name == "rag"
    assert read_qrels(path).frame.rows() == [("why?", "b", 1.0), ("2", "c", 3.0), ("3", "e", 2.0)]
    assert read_run(path).frame.rows() == [
        ("why?", "a", -1.0), ("why?", "b", -2.0), ("2", "c", 0.5), ("2", "d", 0.9),
        ("3", "e", 2.0), ("3", "f", 3.0),
    ]  # fmt: skip
    assert gainful.evaluate(path, path, ["RR"]).mean["RR"] == 0.5


def test_formats_are_a_table(put):
    names = "parquet arrow ratings rag json jsonl csv tsv trec"
    assert list(RUN_FORMATS) == names.split()
    with refuses(gainful.errors.UnknownName, "trek", "trec"):
        read_run(put(RUN), "trek")


def test_files_of_the_system_that_tell_no_size_are_read():
    path = pathlib.Path("/proc/version")
    if not path.exists():
        pytest.skip("no such system")
    with refuses(BadInput, "version:1", "is not a number"):
        read_run(path)


BAD_RUNS = {
    "a word for a score": (RUN.replace("0.25", "hihg"), ("file:2", "'hihg'", "query Q0 document rank score name")),
    "too few fields": (RUN + "3 Q0 d\n", ("file:4", "'3 Q0 d'", "3 fields")),
    "no name": (RUN + "3 Q0 d 1 5\n", ("file:4", "'3 Q0 d 1 5'", "5 fields")),
    "10^400": (RUN.replace("0.25", "1e400"), ("file:2", "'1e400'")),
    "a long number": (RUN.replace("0.25", "1" + "0" * 400), "file:2"),
    "nan": (RUN.replace("0.25", "NaN"), ("file:2", "'NaN'")),
    "infinite": (RUN.replace("0.25", "-inf"), ("file:2", "'-inf'")),
    "after a comment": ("# c\n\n" + RUN.replace("0.25", "x"), ("file:4", "'x'")),
    "not UTF-8": (RUN.encode().replace(b"b", b"\xff"), ("file:2", "0xff", "UTF-8")),
    "judgments": (QRELS, ("file", "judgments")),
    "empty": ("", "file"),
    "blank": (" \n\n", "file"),
    "only comments": ("# nothing\n", "file"),
    "binary": (b"\x7fELF\0\0\0", ("file", "binary")),
    "UTF-16": (RUN.encode("utf-16"), ("file", "UTF-16")),
    "UTF-32": (RUN.encode("utf-32"), ("file", "UTF-32")),
    "UTF-32, big-endian": ("\ufeff".encode("utf-32-be") + RUN.encode("utf-32-be"), ("file", "UTF-32")),
    "truncated gzip": (gzip.compress(RUN.encode())[:-12], ("file", "gzip", "truncated")),
    "damaged gzip": (b"\x1f\x8b\x08\0junk" + b"\xff" * 20, ("file", "gzip")),
    "truncated zstd": (zstd.compress(RUN.encode())[:-4], ("file", "zstd", "truncated")),
    "damaged zstd": (zstd.compress(RUN.encode() * 9)[:9] + b"\xff" * 40, ("file", "zstd", "damaged")),
    "damaged parquet": (b"PAR1 and nothing", ("file", "Parquet")),
    "a missing column": ("query,doc,grades\n1,a,2\n", ("file", "score", "query, doc, grades")),
    "grades in a table": ("query,doc,grade\n1,a,2\n", ("file", "judgments")),
    "no JSON": ('{"query": "1", "doc": "a", "score": 1}\n{"query": \n', ("file:2", "JSON")),
    "no object": ('{"query": "1", "doc": "a", "score": 1}\n[3]\n', ("file:2", "[3]")),
    "a bad cell": ("query,doc,score\n1,a,2\n1,b,x\n", ("file:3", "'x'")),
    "an empty cell": ("query,doc,score\n1,,2\n", ("file:2", "doc")),
    "no score in a line": ('{"query": "1", "doc": "a", "score": 1}\n{"query": "1", "doc": "b"}', ("file:2", "score")),
    "RAG without documents": ('{"query": "1", "retrieved": 5}', ("file:1", "5")),
    "RAG without ids": ('{"query": "1", "retrieved": [{"text": "x"}]}', ("file:1['1']", "id")),
    "RAG without a query": ('{"retrieved": ["a"]}', ("file:1", "'query'")),
    "RAG with a query twice": ('{"query": "1", "retrieved": ["a"]}\n{"query": "1", "retrieved": ["a"]}', ("file:2", "'1'")),
    "a run in an object": ('{"results": {"1": {"a": 0.5}}}', ("file:1", "without 'results'")),
    "an empty query of RAG": ('{"query": "", "retrieved": ["a"]}', ("file:1", "query")),
    "an empty document of RAG": ('{"query": "1", "retrieved": ["a", ""]}', ("file:1['1']", "doc")),
    "an empty scored document": ('{"query": "1", "retrieved": {"": 1}}', ("file:1['1']", "doc")),
    "an empty query of JSON": ('{\n"": {"a": 1}}', ("file['']", "query")),
    "an empty document of JSON": ('{\n"1": {"": 1}}', ("file['1']", "doc")),
    "an empty document in a list": ('{\n"1": ["a", ""]}', ("file['1']", "doc")),
    "half a JSON file": ('{"1": {"a": 1},\n', ("file", "JSON")),
    "JSON of numbers": ('{\n"1": 5}', "file['1']"),
    "JSON with a text": ('{\n"1": {"a": "x"}}', ("file['1']['a']", "'x'")),
    "damaged Arrow": (b"ARROW1\0\0" + b"\x07" * 200, "file"),
    "a blank in an id, tabs": ("1\tQ0\ta x\t1\t0.9\tt\n", ("file:1", "'x'")),
    "a blank in an id, blanks": ("1 Q0 c  1 9.0\n", ("file:1", "'1 Q0 c 1 9.0'")),
}  # fmt: skip


BAD_JUDGMENTS = {
    "a run": (RUN, ("file", "run")),
    "a run as a table": ("query,doc,rank,score\n1,a,1,0.5\n", ("file", "run")),
    "two grades": (QRELS + "1 0 a 1\n", ("file:4", "'a'", "'1'", "2 and 1")),
    "the same twice": (QRELS + "1 0 a 2\n1 0 a 2\n", ("file:4", "'a'", "'1'", "3 times")),
    "five fields": (QRELS + "3 0 d 1 x\n", ("file:4", "'3 0 d 1 x'", "5 fields")),
    "a word": (QRELS + "3 0 d good\n", ("file:4", "'good'")),
    "a million characters": ("1 0 " + "x" * 10**6 + " y\n", ("file:1", "'y'")),
    "RAG without relevant": ('{"query": "1", "retrieved": ["a"]}', ("file:1", "'relevant'")),
    "no judgment": ('{\n"1": {}}', "file"),
    "three fields, no grade": ("1 0 a\n1 0 b\n", ("file:1", "'1 0 a'")),
    "three fields and a word": ("1 a 2\n1 b 1\n1 c x\n", ("file:3", "'x'")),
    "a document twice in an object": ('{"query": "1", "relevant": [{"id": "a", "grade": 3}, {"id": "a", "grade": 1}]}', "file:1"),
}  # fmt: skip


BAD_TABLES = [  # and where
    ('query,doc,score\n1,"a\nb",0.9\n1,c,0.8\n1,d,bad\n', ("file:5", "'bad'")),
    ("# c\n\nquery,doc,score\n1,a,1\n\n1,b,bad\n", ("file:6", "'bad'")),
    ("query,doc,score\n1,a,1\n1,b,1,7\n", "file:3"),
    ('query,doc,score\n1,a,1\n1,"b,1\n', ("file:3", "never closed")),
    (b"query,doc,score\n1,a,1\n1,\xff,1\n", "file:3"),
    ("query,doc,score\n1, ,2\n", "file:2"),
    ('query,doc,score,text\n1,a,0.9,"x\u2028y"\n1,b,0.8,p\x85q\n1,c,bad,z\n', ("file:4", "'bad'")),
    ('query,doc,score\n1,a,0.9\n"","",""\n1,c,bad\n', ("file:4", "'bad'")),
    ("1 Q0 my doc 1 9.5 tag\n", ("file:1", "'doc'")),
    ('{"query": "1", "doc": "a", "score": 1}\n\n{"query": "1", "doc": "b", "score": "x"}', ("file:3", "'x'")),
    ('{"query": "1", "doc": ["a"], "score": 1}', ("file", "'doc'")),
    ('{"query": "1", "doc": "a", "score": true}', ("file", "'score'")),
    ('{"query": "1", "doc": 7, "score": 1}\n{"query": "1", "doc": 8.5, "score": 1}', ("file", "'doc'")),
    ('{"1": {"a": 1, "a": 2},\n"2": {}}', ("file", "'a'")),
    ('{"query": "1", "retrieved": ["a"], "retrieved": ["b"]}', ("file:1", "'retrieved'")),
    ('{"query": "1", "retrieved": [{"id": "a"}, "b"]}', ("file:1['1']", "'b'")),
    ('{\n"1": {"\\ud800": 1}}', "file"),
    ("[" * 100_000, "file"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("read", "content", "about"),
    [
        *((read_run, *case) for case in (*BAD_RUNS.values(), *BAD_TABLES)),
        *((read_qrels, *case) for case in BAD_JUDGMENTS.values()),
    ],
    ids=[*BAD_RUNS, *map(str, range(len(BAD_TABLES))), *BAD_JUDGMENTS],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(put, read, content, about):
    with refuses(BadInput, about):
        read(put(content))


def test_an_id_of_a_million_characters_is_an_id(put):
    long = "x" * 10**6
    run, qrels = put(f"1 Q0 {long} 1 0.5 r\n", "run"), put(f"1 0 {long} 1\n", "qrels")
    assert gainful.evaluate(qrels, run, "P@1").mean == {"P@1": 1.0}


def test_files_that_are_not_there_or_go_away(put, tmp_path):
    with refuses(BadInput, "nowhere"):
        read_run(tmp_path / "nowhere")
    source = open_source(put(RUN))
    (tmp_path / "file").unlink()
    with refuses(BadInput, "file"):
        read_rows(source, qrels_and_run.RUN).build()
    with refuses(BadInput, "run.gz"):
        read_run(put(RUN, "run.gz"))
    with refuses(gainful.errors.WrongType, "path"):
        open_source(b"bytes")


def test_text_behind_the_name_is_counted(put):
    (note,) = read_run(put(RUN.replace("mine", "mine too"))).notes
    assert list_facts(note) == ["3"]
    assert not read_run(put(RUN)).notes


def test_columns_that_hold_what_is_no_id_or_number():
    wrong = {"doc": (1.5, True), "score": (True, [1]), "query": (b"x",)}
    for column, value in ((name, value) for name in wrong for value in wrong[name]):
        frame = pl.DataFrame([{"query": "1", "doc": "a", "score": 1.0} | {column: value}])
        with refuses(BadInput, "run"):
            gainful.evaluate({"1": {"a": 1}}, frame, "AP")
    whole = pl.DataFrame({"query": [1.0], "doc": [7.0], "score": [1.0]})
    assert gainful.evaluate({"1": {"7": 1}}, whole, "AP").mean == {"AP": 1.0}


def test_a_rag_line_longer_than_what_is_first_looked_at(put):
    line = {"query": "1", "context": "x" * 100_000, "retrieved": ["a"], "relevant": ["a"]}
    assert find_format(open_source(put(json.dumps(line)))).name == "rag"


def test_damaged_parquet_never_panics(put):
    import random

    whole = encode_table("parquet", ["query", "doc", "score"], ROWS)
    rng = random.Random(7)  # noqa: S311
    fine = 0
    for _ in range(30):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[rng.randrange(4, len(damaged))] = rng.randrange(256)
        with suppress(BadInput):
            read_run(put(bytes(damaged)))
            fine += 1
    assert fine < 30  # most of it is refused, and nothing worse than that


def test_what_pandas_can_get_wrong():
    import pandas as pd

    doubled = pd.DataFrame([["1", "a", "b", 1.0]], columns=["query", "doc", "doc", "score"])
    for wrong in (doubled, pd.Series([1, 2])):
        with pytest.raises((BadInput, gainful.errors.WrongType)):
            gainful.evaluate({"1": {"a": 1}}, wrong, "AP")


def test_lines_that_are_taken_for_comments_are_told(tmp_path, run_gainful):
    """By eval and by check; a # within a line is none."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("# who judged\n1 0 a 1\n1 0 b#c 0\n", encoding="utf-8")
    run.write_text("1 Q0 a 1 2 r\n  # odd\n#2 Q0 a 1 2 r\n1 Q0 b#c 2 1 r\n", encoding="utf-8")
    results = gainful.evaluate(qrels, run, "AP")
    assert find_notes(results.notes, qrels, 1, "comment")
    assert find_notes(results.notes, run, 2, "comments")
    printed = run_gainful("check", qrels, run, status=None).out.splitlines()
    assert len(find_notes(printed, 1, "comment")) == len(find_notes(printed, 2, "comments")) == 1


@pytest.mark.parametrize("blank", ["\v", "\f", "\r"])
def test_odd_blanks_separate_fields_whatever_the_other_lines(tmp_path, blank):
    """With and without a line that has two blanks, which is read another way."""
    for other in ("1 Q0 b 2 1 r\n", "1  Q0  b  2  1  r\n"):
        run = write_file(tmp_path / "run", f"1 Q0 a{blank}1 3 r\n{other}".encode())
        assert list(read_run(run).frame["doc"]) == ["a", "b"]


def test_check_says_of_grades_that_count_as_ranks_do_what_they_look_like(put):
    judged, counted = put("1 a 0\n1 b 2\n", "judged"), put("1 a 1\n1 b 2\n2 a 1\n", "counted")
    findings = gainful.check(judged, counted).findings
    assert [finding.subject for finding in findings if finding.warnings] == [counted]
