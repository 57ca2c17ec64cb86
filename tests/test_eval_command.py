"""`gainful eval` and `gainful check`, as a person or a script calls them."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from facts import find_notes, list_facts
from written_files import write_file, write_lines

import gainful

QRELS = "1 0 a 2\n1 0 b 1\n2 0 c 1\n3 0 d 1\n"
RUN = "1 Q0 b 1 0.9 x\n1 Q0 y 2 0.8 x\n1 Q0 a 3 0.7 x\n2 Q0 c 1 0.5 x\n9 Q0 z 1 1 x\n"
OTHER = "1 Q0 a 1 0.9 x\n2 Q0 c 1 0.5 x\n3 Q0 d 1 0.5 x\n3 Q0 e 2 0.5 x\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "dense.run").write_text(OTHER)
    return tmp_path


@pytest.fixture
def call(folder, run_gainful):
    return run_gainful


def test_a_table_of_runs_and_measures(call):
    words = ("qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "-m", "AP", "--format", "table")
    answer, table, notes = call("eval", *words).out.split("\n\n")
    expected = ["dense", "nDCG@10", "0.797", "bm25", "0.587", "AP"]
    assert list_facts(answer, "bm25", "dense") == expected
    assert table.splitlines() == [
        "run    nDCG@10      AP",
        "bm25    0.5867  0.6111",
        "dense   0.7970  0.6667",
    ]
    counts = ["3", "gainful", "bm25", "1", "bm25", "1", "25", "10", "2", "dense"]
    assert list_facts(notes, "bm25", "dense", "gainful")[:10] == counts
    verbose = call("eval", *words, "-v").out.split("\n\n")
    assert verbose[:2] == [answer, table]
    convention, bm25, dense = verbose[2].splitlines()[:3]  # an engine may follow
    assert [part in convention for part in ("gain g", "1/log2(i+1)", "grade 1")] == [True] * 3
    assert list_facts(bm25) == ["bm25", "1", "1", "25.0", "10", "0", "0"]
    assert list_facts(dense, "dense") == ["dense", "0", "25.0", "10", "2", "0"]


def test_runs_with_the_same_counts_are_one_line(call, folder):
    (folder / "again.run").write_text((folder / "bm25.run").read_text())
    words = ("qrels.txt", "bm25.run", "again.run", "dense.run", "-v", "--format", "table")
    lines = call("eval", *words).out.splitlines()
    counted = [list_facts(line, "again", "dense")[:3] for line in lines]
    assert ["bm25", "again", "1"] in counted
    assert ["dense", "0", "25.0"] in counted


def test_runs_that_share_the_lead_are_said_to(call, folder):
    (folder / "again.run").write_text((folder / "dense.run").read_text())
    words = ("qrels.txt", "bm25.run", "dense.run", "again.run", "-m", "RR", "--format", "table")
    # dense: 1, 1 and 1/2; bm25: 1, 1 and nothing
    first, _ = call("eval", *words).out.split(" gainful compare")
    assert list_facts(first, "dense", "again", "bm25") == ["dense", "again", "RR", "0.833"]
    equal = call("eval", "qrels.txt", "again.run", "dense.run", "-m", "RR", "--format", "table").out
    assert list_facts(equal, "dense", "again")[:4] == ["again", "dense", "RR", "0.833"]


def test_latex_of_several_runs_is_the_table_of_a_paper(call):
    words = ("qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "-m", "AP", "--format", "latex")
    lines = call("eval", *words).out.splitlines()
    plain = [line for line in lines if not line.startswith(("%", r"\caption"))]
    assert len(plain) == len([line for line in lines if not line.startswith("%")]) - 1
    assert plain == [
        r"\begin{table}",
        r"\centering",
        r"\label{tab:results}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"run & nDCG@10 & AP \\",
        r"\midrule",
        r"bm25 & 0.5867 & 0.6111 \\",
        r"dense & \textbf{0.7970} & \textbf{0.6667} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_a_pipe_gets_tabs_and_a_terminal_a_table_that_fits(call):
    piped = call("eval", "qrels.txt", "bm25.run", "-m", "AP")
    rows = list(csv.reader(io.StringIO(piped.out), delimiter="\t"))
    assert rows[0] == ["run", "AP"]
    assert float(rows[1][1]) == pytest.approx(11 / 18, abs=1e-15)
    assert "3 queries" in piped.err
    shown = call("eval", "qrels.txt", "bm25.run", "-m", "nDCG@1..6", tty=True, width=50)
    assert shown.err == ""  # a short file has no bar
    assert "\t" not in shown.out
    assert "nDCG@6" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 50


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["-q"], ""),
        (["-q", "-m", "map"], "--per-query"),
        (["--quiet", "-m", "map"], ""),
        (["-q", "-m", "map", "--per-query"], ""),
    ],
)
def test_quiet_says_nothing_beside_the_numbers_but_what_trec_eval_would_print(call, words, note):
    message = call("eval", "qrels.txt", "bm25.run", *words).err
    assert note in message if note else message == ""


def test_the_shape_of_json(call):
    words = ("qrels.txt", "bm25.run", "dense.run", "-m", "RR", "--format", "json")
    data = json.loads(call("eval", *words).out)
    assert list(data) == ["runs", "convention", "counts"]
    assert [run["name"] for run in data["runs"]] == ["bm25", "dense"]
    assert data["runs"][0]["mean"] == {"RR": pytest.approx(2 / 3)}
    assert data["runs"][1]["per_query"] == {"1": {"RR": 1}, "2": {"RR": 1}, "3": {"RR": 0.5}}
    assert data["convention"]["like"] == "gainful"
    counts = {name: data["counts"][name] for name in ("queries", "missing", "tied")}
    assert counts == {"queries": 3, "missing": 1, "tied": 2}


def test_every_form(call):
    base = ("eval", "qrels.txt", "bm25.run", "-m", "RR", "-m", "num_ret", "--per-query", "--format")
    rows = [line.split(",") for line in call(*base, "csv").out.splitlines()]
    assert rows == [
        ["run", "query", "RR", "num_ret"],
        ["bm25", "1", "1.0", "3.0"],
        ["bm25", "2", "1.0", "1.0"],
        ["bm25", "3", "0.0", "0.0"],
    ]
    assert [line.split("\t") for line in call(*base, "tsv").out.splitlines()] == rows
    lines = [json.loads(line) for line in call(*base, "jsonl").out.splitlines()]
    assert lines[2] == {"run": "bm25", "query": "3", "RR": 0.0, "num_ret": 0.0}
    assert "| bm25 | 1 | 1.0000 | 3 |" in call(*base, "markdown").out
    latex = call(*base, "latex").out
    assert r"bm25 & all & 0.6667 & 4 \\" in latex
    # RR is 1, 1 and, for the query that the run lacks, 0
    answer, counts = latex.splitlines()[:2]
    expected = ["bm25", "RR", "0.667", "3", "0.000", "3", "1.000", "1"]
    assert list_facts(answer) == expected
    assert list_facts(counts)[:2] == ["3", "1"]  # queries, missing
    assert "bm25  all    0.6667        4" in call(*base, "table").out
    mean = call("eval", "qrels.txt", "bm25.run", "-m", "RR", "--format", "jsonl").out
    assert json.loads(mean) == {"run": "bm25", "RR": pytest.approx(2 / 3)}


def test_many_measures_stand_below_one_another(call):
    words = ("qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@1..9", "--format", "table")
    answer, table = call("eval", *words).out.split("\n\n")[:2]
    expected = ["dense", "nDCG@1", "0.667", "bm25", "0.500", "nDCG@2", "nDCG@3"]
    assert list_facts(answer, "bm25", "dense")[:7] == expected
    heads, first = (line.split() for line in table.splitlines()[:2])
    assert heads == ["measure", "bm25", "dense"]
    assert first == ["nDCG@1", "0.5000", "0.6667"]


def test_conventions_by_name_and_by_field(call):
    def run_eval(run, *words):
        return call("eval", "qrels.txt", run, "-v", "--format", "table", *words).out

    like = run_eval("dense.run", "-m", "RR", "--like", "trec_eval_9").split("·")
    assert find_notes(like, "like", "trec_eval_9")
    assert find_notes(like, "missing", "left", "out")
    best, worst = (
        call("eval", "qrels.txt", "dense.run", "-m", "nDCG", "--format", "csv", "--ties", ties).out
        for ties in ("best", "worst")
    )
    assert best.splitlines()[1] > worst.splitlines()[1]
    assert "nDCG" in run_eval("bm25.run", "-m", "nDCG", "--gain", "0:0,1:1,2:10", "--empty", "1")
    changed = run_eval("bm25.run", "-m", "P@1", "--rel", "2")
    assert "rel=2 " in changed
    assert find_notes(changed.split("·"), "grade", "2")
    discounted = run_eval("bm25.run", "-m", "DCG", "--discount", "jk2008", "--b", "4")
    assert "discount 1/(1+log4(i))" in discounted


def test_a_value_above_one_is_flagged(call, folder):
    (folder / "twice.run").write_text("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n")
    words = ("eval", "qrels.txt", "twice.run", "-m", "nDCG@2", "--like", "quepid", "--format")
    printed = call(*words, "table").out
    assert find_notes(printed.splitlines(), "Note", "nDCG@2", "above", "1")
    assert "1 duplicate" in printed
    data = json.loads(call(*words, "json").out)
    assert list_facts(data["runs"][0]["notes"][0])[:3] == ["nDCG@2", "1", "1"]


def test_output_to_a_file(call, folder):
    def write(name, *words):
        call("eval", "qrels.txt", "bm25.run", "-m", "RR", "-o", name, *words)
        return (folder / name).read_text()

    assert write("out.csv") == "run,RR\nbm25,0.6666666666666666\n"
    assert json.loads(write("out.json"))["runs"]
    assert "3 queries · like gainful" in write("out.txt")
    assert "3 queries · like gainful" in write("t.txt", "--format", "table")


def test_names_of_runs_as_short_as_they_can_be(call, folder):
    (folder / "bm25.txt").write_text(RUN)
    (folder / "sub").mkdir()
    (folder / "sub" / "bm25.run").write_text(RUN)
    out = call("eval", "qrels.txt", "bm25.run", "bm25.txt", "-m", "RR").out
    assert [line.split("\t")[0] for line in out.splitlines()] == ["run", "bm25.run", "bm25.txt"]
    out = call("eval", "qrels.txt", "bm25.run", "sub/bm25.run", "-m", "RR").out
    assert "sub/bm25.run" in out


@contextmanager
def pipe(content):
    """The name of a pipe that holds some bytes, as bash names one for `<(command)`."""
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    yield f"/dev/fd/{reader}"
    os.close(reader)


def run_shell(folder, line):
    """What bash says of a line, in which GAINFUL is the command."""
    line = line.replace("GAINFUL", f"{sys.executable} -m gainful")
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("line", "status", "begin"),
    [
        ("-m nDCG@1..900 --per-query | head -1", 0, "run\tquery\tnDCG@1\t"),
        ("-m RR --format csv -q -o /dev/stdout | cat", 0, "run,RR"),
        ("-m RR >&-", 2, ""),
        ("-m RR 2>&-", 0, "run\tRR"),
    ],
)
def test_output_into_a_pipe_or_a_closed_stream(folder, line, status, begin):
    done = run_shell(folder, f"GAINFUL eval qrels.txt bm25.run {line}")
    assert done.stdout.startswith(begin), done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert done.returncode == status


def test_check_as_a_function_says_what_the_command_says(call):
    report = gainful.check(["qrels.txt", "bm25.run"])
    assert report.ok
    assert f"{report}\n" == call("check", "qrels.txt", "bm25.run").out
    assert [finding.kind for finding in report.findings][-1] == "together"
    assert not gainful.check("nowhere").ok
    assert report.to_csv().startswith("about,kind,what,text\n")
    assert "**qrels.txt (judgments, trec)**" in report.to_markdown()


@pytest.mark.parametrize(
    "judgments",
    [
        {"1": {"a": "high", "b": 1}, "2": {"a": "low"}},
        [{"query": "1", "doc": "a", "grade": "high"}, {"query": "2", "doc": "a", "grade": "low"}],
        pl.DataFrame({"query": ["1", "2"], "doc": ["a", "a"], "grade": ["high", "low"]}),
    ],
)
def test_check_lists_all_that_is_wrong_in_memory(judgments):
    (finding,) = gainful.check(judgments).findings
    assert all(any(word in line for line in finding.problems) for word in ("'high'", "'low'"))


def _list_shares(printed: str, name: str) -> list[int]:
    return [int(share) for share in re.findall(rf"reading {name} \[[#-]*\] +(\d+)%", printed)]


def test_progress_is_shown_to_people_only_and_moves_within_a_file(call, folder, monkeypatch):
    monkeypatch.setattr("gainful.api.evaluate.find_spec", lambda _: None)  # the pure engine
    monkeypatch.setattr("gainful.cli.streams._LONG", 0)
    monkeypatch.setattr("gainful.read.trec_files._PIECE_BYTES", 20)
    (folder / "bm25.run.gz").write_bytes(gzip.compress(RUN.encode()))
    words = ("eval", "qrels.txt", "bm25.run", "bm25.run.gz", "-m", "RR")
    assert "reading" not in call(*words).err
    printed = call(*words, tty=True).err
    shares = _list_shares(printed, "bm25.run")
    assert len(shares) > 2
    assert shares == sorted(set(shares))
    assert _list_shares(printed, "bm25.run.gz")
    assert printed.endswith("\r\x1b[K")  # nothing is left of it


def test_a_pipe_is_read_once(call):
    printed = call("eval", "qrels.txt", "-", "-m", "RR", stdin=RUN).out
    assert printed.startswith("run\tRR\nstdin\t0.66")
    with pipe(gzip.compress(RUN.encode())) as run:
        assert "\t0.66" in call("eval", "qrels.txt", run, "-m", "RR").out
    assert "together" in call("check", "qrels.txt", "-", stdin=RUN).out
    with pipe(QRELS.encode()) as qrels, pipe(RUN.encode()) as run:
        assert "together" in call("check", qrels, run).out


def test_check_finds_nothing_wrong(call):
    printed = call("check", "qrels.txt", "bm25.run", "--format", "json").out
    judgments, run, together = json.loads(printed)["findings"]
    facts = [list_facts(note) for note in judgments["notes"]]
    assert ["4", "3", "1", "2"] in facts  # judgments of queries, from 1 to 2 each
    assert ["1", "3×", "2", "1×"] in facts  # grades
    assert run["kind"] == "run, trec"
    assert [list_facts(warning) for warning in together["warnings"]] == [["1", "'3'"], ["1", "'9'"]]
    assert ["25", "10"] in [list_facts(note) for note in together["notes"]]  # unjudged
    printed = call("check", "qrels.txt", "bm25.run").out
    assert printed.count("  warning: ") == int(list_facts(printed)[0]) == 2
    assert "warning: " not in call("check", "qrels.txt").out


def test_check_says_what_is_odd_and_never_that_nothing_is_wrong_then(call, folder):
    (folder / "less.run").write_text("1 Q0 a 1 2 x\n3 Q0 b 1 2 x\n")
    first = call("check", "qrels.txt", "less.run").out.splitlines()[0]
    assert list_facts(first) == ["1", "'2'"]
    findings = json.loads(call("check", "qrels.txt", "less.run", "--format", "json").out)
    assert findings["ok"] is True
    (missing,) = findings["findings"][-1]["warnings"]
    assert missing in first
    assert missing in findings["findings"][-1]["notes"]


RANKS = "".join(f"{query}\td{rank}\t{rank}\n" for query in (1, 2, 3) for rank in range(1, 6))
ODD_JUDGMENTS = {
    "MovieLens u.data": (
        "1\t242\ta\t881250949\n1\t302\tb\t891717742\n2\t377\tc\t878887116\n",
        ["3", "1000", "891717742"],
    ),
    "a run of MS MARCO": (RANKS, ["1", "2", "3"]),
    "output of trec_eval": (
        "map                   \tall\t0.25\nndcg_cut_5            \tall\t0.0848\n",
        ["'all'"],
    ),
    "output of trec_eval by query": (
        "map\t1\t0.2\nP_5\t1\t0.2\nmap\tall\t0.2\nP_5\tall\t0.2\n",
        ["'all'"],
    ),
}


@pytest.mark.parametrize(("text", "look"), ODD_JUDGMENTS.values(), ids=ODD_JUDGMENTS)
def test_judgments_that_look_like_something_else(call, folder, text, look):
    (folder / "odd.tsv").write_text(text)
    printed = call("check", "odd.tsv").out
    if text == RANKS:  # which is a run, if nothing else is one
        assert "odd.tsv (run, trec)" in printed
    else:
        assert look in [list_facts(line) for line in printed.splitlines() if "warning: " in line]
    (folder / "any.run").write_text("1 Q0 a 1 2 x\nmap Q0 all 1 2 x\n")
    notes = call("eval", "odd.tsv", "any.run", "-m", "RR").err.splitlines()
    assert look in [list_facts(note) for note in notes]


def test_judgments_that_count_up_may_be_a_run_and_those_that_do_not_are_none_to_look_at(
    call, folder
):
    (folder / "q.tsv").write_text("1\ta\t1\n1\tb\t2\n1\tc\t3\n2\ta\t1\n2\tb\t2\n")
    (folder / "ones.tsv").write_text("".join(f"{query} a 1\n" for query in range(50)))
    for name in ("q.tsv", "ones.tsv"):
        printed = call("check", name).out
        assert ("warning: " in printed) == (name == "q.tsv")
        assert f"{name} (judgments, trec)" in printed


BOTH = '{"query": "1", "retrieved": ["a"], "relevant": ["a"]}\n'
BEIR = "query-id\tcorpus-id\tscore\n1\ta\t1\n"
BROKEN = '{"query":"1","doc":"a","score":0.9}\n{"query":"1","doc":"a","score":"x"}\n{"query"'
CHECKED = {  # files in the order they are named, the status, and what is said of them
    "three fields beside judgments": (
        {"qrels": "1 0 a 1\n1 0 b 0\n", "short.tsv": "1\tb\t1\n1\ta\t2\n"},
        0,
        ["short.tsv (run, trec)"],
    ),
    "three fields beside a run": (
        {"judged.tsv": "1\ta\t1\n1\tb\t0\n", "trec.run": "1 Q0 a 1 2 x\n"},
        0,
        ["judged.tsv (judgments, trec)"],
    ),
    "JSON beside judgments": (
        {"qrels.txt": QRELS, "scores.json": '{"1": {"a": 3, "x": 2}}'},
        0,
        ["scores.json (run, json)"],
    ),
    "BEIR beside a run": ({"beir.tsv": BEIR, "bm25.run": RUN}, 0, ["beir.tsv (judgments, tsv)"]),
    "an id of many characters": (
        {"long.run": f"1 Q0 {'x' * 10**5} 1 1 r\n"},
        0,
        ["long.run (run, trec)"],
    ),
    "every format": (
        {
            "q.csv": "query,doc,grade\n1,a,1\n",
            "r.csv": "query,doc,score\n1,a,1\n1,a,2\n",
            "rag.jsonl": BOTH,
            "r.json": '{"1": {"a": 0.5}}',
            "q.json": '{"1": {"a": 1}}',
            "set": BEIR,
        },
        1,
        [
            *("q.csv (judgments, csv)", "r.csv (run, csv)", "rag.jsonl (judgments, rag)"),
            *("rag.jsonl (run, rag)", "r.json (run, json)", "q.json (judgments, json)"),
            "set (judgments, beir)",
        ],
    ),
    "a broken file and the next": (
        {"y.jsonl": BROKEN, "qrels.txt": QRELS},
        1,
        ["qrels.txt (judgments, trec)"],
    ),
    "nothing in common": ({"qrels.txt": QRELS, "other.run": "7 Q0 a 1 1 x\n"}, 1, ["in common"]),
}


@pytest.mark.parametrize("case", CHECKED)
def test_what_check_takes_files_for(call, folder, case):
    files, status, words = CHECKED[case]
    for name, text in files.items():
        write_file(folder / name / "qrels/test.tsv" if name == "set" else folder / name, text)
    printed = call("check", *files, status=status).out
    assert [part for part in words if part not in printed] == []


def test_ranks_in_the_place_of_documents_are_told_with_the_columns_of_a_run(call, folder):
    """RR is 1: the first document is relevant, once columns are named as the warning says."""
    lines = "1\ta\t1\t0.9\n1\tb\t2\t0.8\n2\ta\t1\t0.9\n2\tc\t2\t0.5\n"
    (folder / "ranking.tsv").write_text(lines)
    (folder / "q.txt").write_text("1 0 a 1\n2 0 a 1\n")
    printed = call("check", "ranking.tsv").out
    named = ("--columns", "run.query=1,run.doc=2,run.rank=3")
    assert printed.count("the third field counts 1, 2, 3, … in every query") == 1
    assert " ".join(named) in printed
    assert "ranking.tsv (run, tsv)" in call("check", "ranking.tsv", *named).out
    measured = call("eval", "q.txt", "ranking.tsv", "-m", "RR", *named, "--format", "json").out
    assert "1.0" in measured
    (folder / "aspects.txt").write_text(lines.replace("\t2\t0", "\t3\t0"))  # 3 follows 1
    assert "third field" not in call("check", "aspects.txt").out


@pytest.mark.parametrize(
    ("scores", "columns"), [("5.0 4.5", ()), ("50 49", ("--columns", "run.score=3")), ("2 1", ())]
)
def test_of_tables_without_names_judgments_come_first(call, folder, scores, columns):
    (folder / "q.csv").write_text("1,a,0\n1,b,2\n")
    best, other = scores.split()
    (folder / "r.csv").write_text(f"1,a,{best}\n1,b,{other}\n")
    printed = call("check", "q.csv", "r.csv", *columns).out
    assert "q.csv (judgments, csv)" in printed
    kind = "judgments" if scores == "2 1" else "run"  # which nothing tells apart
    assert f"r.csv ({kind}, csv)" in printed


def test_check_reports_everything_in_one_pass(call, folder):
    (folder / "bad.q").write_text("1 0 a 1\n1 0 a 2\n1 0 b x\n1 0 c\n2 0 d 0\n3 0 e -1\n")
    dirty = "1 Q0 a 1 0.5 x\n1 Q0 b 2 0.9 x\n1 Q0 a 3 0.1 x\n1 Q0 c 4 nan x\nfoo\n1 Q0 d 5 0.1 x\n"
    (folder / "bad.run").write_text(dirty)
    data = json.loads(call("check", "bad.q", "bad.run", "--format", "json", status=1).out)
    judgments, run, _ = data["findings"]
    wrong = [list_facts(problem) for problem in judgments["wrong"]]
    assert wrong == [
        ["2"],  # malformed lines
        ["3", "'x'"],
        ["4", "'1 0 c'", "3"],
        ["1"],  # document more than once
        ["'a'", "'1'", "1", "2"],
    ]
    assert [list_facts(warning)[0] for warning in judgments["warnings"]] == ["2", "1"]
    wrong = [list_facts(problem) for problem in run["wrong"]]
    assert wrong[1:] == [
        ["4", "'nan'"],
        ["5", "'foo'", "1"],
        ["1"],
        ["'a'", "'1'", "1", "3"],
        ["1", "1", "2", "2"],  # scores contradict ranks once, in one query, in line 2: rank 2
    ]
    printed = call("check", "bad.q", "bad.run", status=1).out
    assert list_facts(printed.splitlines()[0]) == ["5", "3"]  # things that are wrong, to look at
    assert data["ok"] is False
    kinds = [finding["kind"] for finding in data["findings"]]
    assert kinds == ["judgments, trec", "run, trec", "together"]


def test_check_names_at_most_ten(call, folder):
    (folder / "many.run").write_text(
        "x\n" * 12 + "1 Q0 a 1 1 r\n" * 2 + "".join(f"1 Q0 d{n} 1 1 r\n" * 2 for n in range(12))
    )
    (finding,) = json.loads(call("check", "many.run", "--format", "json", status=1).out)["findings"]
    facts = [list_facts(line) for line in finding["wrong"]]
    assert facts[0] == ["12", "Q0"]  # malformed lines
    assert facts[11:13] == [["2"], ["13"]]  # so many more; documents that come twice
    assert facts[23:] == [["3"]]
    assert ["13", "100.0"] in [list_facts(note) for note in finding["notes"]]  # tied


RAG = """{"query": "1", "retrieved": ["a", "b"], "relevant": ["a"]}
{"query": "2", "retrieved": "b", "relevant": []}
{"query": "3", "retrieved": ["a",
{"retrieved": ["b"]}
{"query": "4", "retrieved": ["c"], "relevant": ["c", "c"]}
"""
JSON_ROWS = """{"query": "1", "doc": "a", "score": 0.5}
{"query": "1", "doc": "b", "score": 0.4
{"query": "1", "doc": "c", "score": "x"}
[1]
{"query": "1", "doc": "d", "score": 0.3}
"""
REPEATED_KEY = (
    '{"query": "1", "doc": "a", "score": 1}\n{"query": "1", "doc": "b", "doc": "c", "score": 1}\n'
)
FAULTS = {  # a file; of each kind in it the places and words of what is wrong, and how many count
    ("rag.jsonl", RAG): [
        ("judgments", [("line 3", "truncated"), ("line 4", "query"), ("line 5", "twice")], 1),
        ("run", [("line 2", "'b'"), ("line 3", "truncated"), ("line 4", "query")], 3),
    ],
    ("rows.jsonl", JSON_ROWS): [
        ("run", [("line 2", "truncated"), ("line 3", "'x'"), ("line 4", "[1]")], 2)
    ],
    ("none.jsonl", '{"query": "1", "doc": \n{"doc": 1}}\n'): [
        ("judgments", [("line 1", "JSON"), ("line 2", "follows")], 0)
    ],
    ("keys.jsonl", REPEATED_KEY): [("run", [("line 2", "twice")], 1)],
    ("nested.json", '{"1": {"a": 0.5, "b": "x"}, "2": {"a": null, "c": 0.2}}'): [
        ("run", [("nested.json['1']['b']", "'x'"), ("nested.json['2']['a']", "None")], 2)
    ],
    ("lists.json", '{"1": ["a", true], "2": ["a"], "3": "b", "4": {"c": "x"}, "5": []}'): [
        (
            "run",
            [
                ("lists.json['1']", "True"),
                ("lists.json['3']", "'b'"),
                ("lists.json['4']['c']", "'x'"),
            ],
            2,
        )
    ],
    ("rows.json", '[{"query": "1", "doc": "a", "score": 1}, 5, {"query": 1, "doc": 2}, 7]'): [
        (
            "run",
            [("rows.json[1]", "5"), ("rows.json[2]", "score"), ("rows.json[3]", "7")],
            1,
        )
    ],
    ("answers.json", '{"1": {"hits": [{"id": "a"}]}, "2": {"error": "no"}, "3": {"error": "!"}}'): [
        ("run", [("answers.json['2']", "'no'"), ("answers.json['3']", "'!'")], 1)
    ],
    (
        "quepid.json",
        """{"queries": [{"query": "lamp", "ratings": {"a": 3, "b": "x", "c": null}},
        {"ratings": {"a": 1}}, 7, {"query": "lamp", "ratings": {"a": 1}},
        {"query": "desk", "ratings": [{"docId": "a", "rating": 1}, {"rating": 2}]}]}""",
    ): [
        (
            "judgments",
            [
                ("quepid.json, queries[0]['ratings']['b']", "'x'"),
                ("quepid.json, queries[1]", "query"),
                ("quepid.json, queries[2]", "7"),
                ("quepid.json, queries[3]", "twice"),
                ("quepid.json, queries[4]", "document"),
            ],
            2,
        )
    ],
    ("letor.txt", "1 qid:1 1:3 # a\n1 qid:1 1:2\n0 qid:2 # b\nx qid:2 # c\n"): [
        ("judgments", [("line 2", "qid:1"), ("line 4", "'x")], 2)
    ],
}


@pytest.mark.parametrize("file", FAULTS, ids=lambda file: file[0])
def test_check_lists_all_that_readers_find_and_eval_says_the_first(call, folder, file):
    name, text = file
    (folder / name).write_text(text)
    printed = json.loads(call("check", name, "--format", "json", status=1).out)["findings"]
    findings = [finding for finding in printed if finding["kind"] != "together"]
    for finding, (kind, faults, count) in zip(findings, FAULTS[file], strict=True):
        assert finding["kind"].startswith(kind)
        head, *lines = finding["wrong"]
        assert list_facts(head)[0] == str(len(faults))
        for line, (place, word) in zip(lines, faults, strict=True):
            assert line.startswith(place)
            assert word in line
        assert [list_facts(note)[0] for note in finding["notes"][:1]] == [str(count)] * (count > 0)
        (folder / "other.txt").write_text("1 0 a 1\n" if kind == "run" else "1 Q0 a 1 1 x\n")
        files = ("other.txt", name) if kind == "run" else (name, "other.txt")
        place, word = faults[0]
        error = call("eval", *files, status=2).err
        assert error.startswith(f"gainful: {place.replace('line ', f'{name}:')}")
        assert word in error


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\0\0\0", "binary"),
        (b"1 Q0 \xff 1 1 r\n", "0xff"),
        (b"query,doc,grade\n1,a,x\n", "'x'"),
        (b'{"query": "1", "passage": 3}\n', "passage"),
        (b"# nothing\n", "empty"),
        (b'{"1": \n', "JSON"),
    ],
)
def test_check_exits_with_1_where_nothing_can_be_read(call, folder, content, named):
    (folder / "file").write_bytes(content)
    assert find_notes(call("check", "file", status=1).out.splitlines(), named)
    assert "no such file" in call("check", "nowhere", status=1).out


def test_what_a_measure_says_of_itself_is_said_of_it(call):
    words = ("-m", "AP(rel=2)", "-m", "nDCG(ties=best)@3", "-m", "nDCG@3", "-m", "nDCG(gain=exp)@3")
    printed = call("eval", "qrels.txt", "bm25.run", *words, "-v", "--format", "table").out
    parts = [part.split(":") for part in printed.split("·")]
    facts = {
        tuple(list_facts(part[0])): " ".join(list_facts(part[-1], "g", "best")) for part in parts
    }
    assert "grade 2" in printed
    assert facts["nDCG(ties=best)@3", "nDCG@3"] == "g"
    assert facts["nDCG(gain=exp)@3",] == "2^g-1"
    assert find_notes(printed.split("·"), "nDCG(ties=best)@3", "ties", "first")


def test_documents_with_other_ids_are_a_note_and_wrong(call, folder):
    (folder / "strange.run").write_text("1 Q0 doc:a 1 1 x\n2 Q0 doc:c 1 1 x\n")
    printed, data = (
        call("eval", "qrels.txt", "strange.run", "--format", form).out for form in ("table", "json")
    )
    (note,) = json.loads(data)["runs"][0]["notes"]
    assert list_facts(note) == ["'doc:a'", "'doc:c'", "'a'", "'b'"]
    assert f"Note: {note}" in printed
    assert note[1:] in printed.splitlines()[0]
    assert f"wrong: {note}" in call("check", "qrels.txt", "strange.run", status=1).out


def test_a_query_for_which_nothing_was_retrieved_is_not_missing(call, folder):
    nothing = {"query": "a", "retrieved": [], "relevant": ["x"]}
    write_lines(
        folder / "rag.jsonl", nothing, {"query": "b", "retrieved": ["x"], "relevant": ["x"]}
    )
    assert "rag\t0.5\n" in call("eval", "rag.jsonl", "-m", "RR", "--missing", "skip").out
    assert gainful.evaluate("rag.jsonl", measures="RR").mean == {"RR": 0.5}


def test_what_is_written_to_keeps_what_it_is(call, folder):
    (folder / "target.csv").write_text("old")
    (folder / "target.csv").chmod(0o600)
    (folder / "link.csv").symlink_to("target.csv")
    call("eval", "qrels.txt", "bm25.run", "-m", "RR", "-o", "link.csv")
    assert (folder / "link.csv").is_symlink()
    assert (folder / "target.csv").read_text().startswith("run,RR")
    assert (folder / "target.csv").stat().st_mode & 0o777 == 0o600
    call("eval", "qrels.txt", "bm25.run", "--format", "csv", "-o", "/dev/null")
    assert not Path("/dev/null").is_file()


def test_ids_cannot_steer_a_terminal(call, folder):
    (folder / "esc.q").write_text("\x1b[31m1 0 a 1\n")
    (folder / "esc.run").write_text("\x1b[31m1 Q0 a 1 1 x\n")
    for form in ("table", "markdown", "latex"):
        assert "\x1b" not in call("eval", "esc.q", "esc.run", "--per-query", "--format", form).out


def test_check_of_a_table_reports_everything_too(call, folder):
    (folder / "r.csv").write_text(
        "query,doc,rank,score\n1,a,1,0.5\n1,b,2,0.9\n1,c,3,x\n1,a,4,0.1\n1,d,5,y\n"
    )
    printed = call("check", "r.csv", status=1).out
    wrong = [list_facts(line) for line in printed.splitlines()]
    expected = [["4", "'x'"], ["6", "'y'"], ["'a'", "'1'", "2", "5"], ["1", "1", "3", "2"]]
    assert [facts for facts in expected if facts not in wrong] == []
    (folder / "ranks.csv").write_text("query,doc,rank\n1,a,1\n1,b,2\n")
    assert call("check", "ranks.csv", "qrels.txt").out.count("warning: ") == 1


def test_the_best_grade_is_that_of_all_judgments(call, folder):
    (folder / "s.q").write_text("a 0 x 1\na 0 y 2\nb 0 z 4\n")
    (folder / "s1.r").write_text("a Q0 y 1 2 r\na Q0 x 2 1 r\n")
    (folder / "s2.r").write_text("a Q0 y 1 2 r\na Q0 x 2 1 r\nb Q0 z 1 1 r\n")
    words = ("s.q", "s1.r", "s2.r", "-m", "ERR", "--missing", "skip", "--per-query", "--format")
    lines = call("eval", *words, "csv").out.splitlines()
    values = {tuple(line.split(",")[:2]): line.split(",")[2] for line in lines}
    assert values["s1", "a"] == values["s2", "a"]
    assert "best grade 4" in call("eval", *words, "table", "-v").out
    assert "best grade 2.5" in call("eval", *words, "table", "-v", "--max-grade", "2.5").out
