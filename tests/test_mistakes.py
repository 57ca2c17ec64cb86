"""Every mistake of a command is one line that names what is wrong, and writes nothing.

`mistakes.tsv` has a command and the words that the answer must name: the argument, its value, the
nearest right one. What the sentence is, the documents show.
"""

import shlex
from shutil import copytree

import gate_runs
import pytest
from example_files import EXAMPLES, read_table, spell_out

MISTAKES = read_table("mistakes.tsv")
SESSIONS = "session,query,rank,doc,topic,system\n"
FILES = {
    "one.txt": "n01 0 news-01-01 1\n",
    "two.txt": "n01 0 news-01-01 1\nn02 0 news-02-01 1\n",
    "twice.run": "n01 Q0 news-01-01 1 3 x\nn01 Q0 b 2 2 x\nn01 Q0 news-01-01 3 1 x\n",
    "graded.csv": "query,doc,y_true\nn01,b,0\nn01,a,3\n",
    "one.json": '{"queries": [{"query": "n01", "ratings": {"a": 3}}]}',
    "snapshot.csv": "Snapshot Name,Case ID,Query Text,Doc ID,Doc Position,Rating\ns,1,n01,a,1,3\n",
    "unrated.csv": "Query,DocID,Rating\nn01,a,3\nn01,b,\n",
    "bare.csv": "session,query,rank,doc\ns,1,1,a\n",
    "many.csv": "session,query,rank,doc,system,topic\n"
    + "".join(f"s{number},1,1,a,{number},t\n" for number in range(8)),
    "many-qrels.txt": "t 0 a 1\n",
    "q.html": "s 0 a 1\n",
    "bytes.json": "{\x00",
    "langfuse.json": '{"trace": {"id": "abc"}, "observations": [{"id": "1", "output": ["a"]}]}',
    "console.json": '{"context": {"trace_id": "t", "span_id": "s"}, "attributes": {"openinference.span.kind": "RETRIEVER", '
    '"input.value": "x", "retrieval.documents.0.document.id": "a"}, "events": [], "links": []}',
    "wrapped.json": '{"runs": [{"id": "1", "name": "x"}, {"id": "2", "name": "y"}]}',
    "nameless.json": '{"trace": {"id": 1}, "observations": [{"a": 1}]}',
    "cut.json": '[{"a": 1},\n{"b": 2}',
    "more.json": '[{"a": 1}] more',
    "cut.jsonl": '{"session": "s", "query": 1, "rank": 1, "doc": "a"}\n{"a": "' + "x" * 93,
    "deletes.ndjson": '{"delete": {"_index": "a", "_id": "1"}}\n',
    "named.csv": "search,product,stars\nn01,news-01-01,1\n",
    "visits.csv": "visitor,search_phrase,sku,position,clicked\nv,lamp,a,1,0\n",
    "six.csv": "n01,Q0,news-01-01,1,0.9,x\n",
    "four.csv": "n01,0,news-01-01,1\n",
    "cells.csv": 'query,retrieved,relevant\nn01,"[""a""]","[""a""]"\n',
    "headless.csv": "n01,news-01-01,1\nn01,b,0\n",
    "year.csv": "doc,query,2024\nnews-01-01,n01,1\n",
    "letor.txt": "2 qid:10 1:0.03 #docid = GX029\n",
    "empty.json": " [ ]\n",
    "lists.jsonl": '{"n01": ["news-01-01", "b"]}\n',
    "long.json": f'{{"n01": {{"a": {"9" * 5000}}}}}',
    "accents.txt": "caf\u00e9 0 a 1\n",
    "accents.run": "cafe\u0301 Q0 a 1 1 x\n",
    "nan.json": '{"n01": {"a": NaN}}',
    "ragas.jsonl": '{"user_input": "x", "retrieved_contexts": ["a text"], "reference": "y"}\n',
    "quepid.csv": "query,docid,rating\nlamp,a,3\n",
    "one.csv": f"{SESSIONS}s,1,1,a,t,one\n",
    "moved.csv": f"{SESSIONS}s,1,1,a,t,one\ns,2,1,b,t,two\n",
    "short.csv": f"{SESSIONS}s,1,1,a,t,one\ns,2,1\n",
    "zero.txt": "t 0 a 0\n",
    "gold.jsonl": '{"question": "x", "retrieved_ids": ["a"], "gold_ids": ["a"]}\n',
    "decimal.csv": "query_id;doc_id;score\nn01;a;4,2988\n",
    "single.csv": "session,query,rank,doc,topic,variant\ns,1,1,a,t,A\n",
    "mean.csv": "session,query,rank,doc,topic,mean\ns,1,1,a,t,m\n",
    "double.csv": "session,query,rank,doc,session\ns,1,1,a,b\n",
    "p_lacks.py": "import nowhere",
    "p_syntax.py": "x = (",
    "p_taken.py": "import gainful\ngainful.register('nDCG', lambda matched: 0)",
    "p_stops.py": "import gainful\ngainful.register('Odd', lambda matched: [1])\nraise ValueError('no')",
    "p_idle.py": "x = 1",
    "p_leaves.py": "import sys\nsys.exit(0)",
    "p_fails.py": "import gainful\n\n@gainful.register\ndef Bad(matched):\n    return matched.nothing\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, run_gainful):
    """The examples, the runs of the gate with a baseline, and files with something wrong."""
    folder = tmp_path_factory.mktemp("mistakes") / "examples"
    copytree(EXAMPLES, folder)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "latin.csv").write_bytes(b"query,doc,grade\nn01,\xe9,1\n")
    (folder / "folder" / "qrels").mkdir(parents=True)
    (folder / "folder" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n")
    (folder / "gate").mkdir()
    for name, text in {"qrels": gate_runs.QRELS, **gate_runs.RUNS}.items():
        (folder / "gate" / f"{name}.txt").write_text(text)
    measures = ("-m", "RR", "-m", "P@1", "-m", "num_rel_ret")
    words = ("gate", "gate/qrels.txt", "gate/best.txt", *measures)
    run_gainful(*words, "--save-baseline", "gate/base.json", folder=folder)
    return folder


def list_files(folder):
    files = ((path, path.stat()) for path in folder.rglob("*") if "__pycache__" not in str(path))
    return {(path, state.st_size, state.st_mtime_ns) for path, state in files}


@pytest.mark.parametrize("line", MISTAKES, ids=lambda line: line["command"])
def test_a_mistake_is_one_line_that_names_what_is_wrong(run_gainful, folder, line):
    before = list_files(folder)
    words = spell_out(shlex.split(line["command"]))
    done = run_gainful(*words, status=2, folder=folder)
    assert (done.out, done.err.count("\n")) == ("", 1)
    assert done.err.startswith("gainful: ")
    assert len(done.err) <= 600
    assert [word for word in line["named"].split(" | ") if word not in done.err] == [], done.err
    assert list_files(folder) == before
