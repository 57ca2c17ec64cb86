"""Runs in files that memory might not hold: read in parts, with the values of the whole."""

import gzip
import json
import math

import polars as pl
import pytest
from refusals import refuses
from written_files import write_file

import gainful
from gainful.errors import BadInput, BadValue, GainfulError
from gainful.progress import watch
from gainful.read import lazy, source, spill
from gainful.text import quote

MEASURES = ["nDCG@3", "AP", "RR", "P@2", "infAP"]
QRELS = "".join(
    f"q{query} 0 d{doc} {(query + doc) % 4}\n" for query in range(9) for doc in range(5)
)
LINES = [
    f"q{query} Q0 d{doc} {doc} {(7 * doc + query) % 5} tag\n"
    for query in range(9)
    for doc in range(8)
]
RUNS = {
    "tidy": LINES,
    "in no order": LINES[::2] + LINES[1::2],
    "comments and blank lines": ["# by hand\n", "\n", *LINES[:40], "\n", "# more\n", *LINES[40:]],
    "tabs and text behind": [line.replace(" Q0 ", "\tQ0 ") + "" for line in LINES[:-1]]
    + [LINES[-1].replace("tag", "tag and more")],
    "no end of line": [*LINES[:-1], LINES[-1].rstrip()],
}
MISTAKES = {
    "a line too short": "q3 Q0 d1 4\n",
    "a score that is none": "q3 Q0 d99 9 high tag\n",
    "an infinite score": "q3 Q0 d99 9 inf tag\n",
    "a document twice": LINES[0],
}


@pytest.fixture(autouse=True)
def tiny_pieces(monkeypatch):
    monkeypatch.setenv("GAINFUL_ENGINE", "pure")
    monkeypatch.setattr(lazy, "_PIECE_BYTES", 300)
    monkeypatch.setattr(spill, "_MAX_HELD", 20)
    monkeypatch.setattr(spill, "_MAX_KEPT", 0)


def write_files(folder, lines):
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "run.txt").write_text("".join(lines))
    return folder / "qrels.txt", folder / "run.txt"


def evaluate_both(files, monkeypatch, **options):
    """The file as a whole, and in parts: what comes of it, or what is wrong."""
    monkeypatch.setattr(source, "_MAX_HELD", 0)  # of compressed files
    answers = []
    for memory in ("1000", "0"):
        monkeypatch.setenv("GAINFUL_MEMORY", memory)
        try:
            answers.append(gainful.evaluate(*files, MEASURES, **options))
        except GainfulError as mistake:
            answers.append(mistake)
    return answers


@pytest.mark.parametrize("like", [None, "trec_eval", "ranx"])
@pytest.mark.parametrize("name", RUNS)
def test_values_are_those_of_the_whole(name, like, tmp_path, monkeypatch):
    files = write_files(tmp_path, RUNS[name])
    whole, parts = evaluate_both(files, monkeypatch, like=like)
    assert parts.per_query.equals(whole.per_query)
    assert parts.mean == whole.mean
    assert parts.counts == whole.counts
    assert [note for note in parts.notes if note in whole.notes] == [*whole.notes]
    assert len(parts.notes) == len(whole.notes) + 1  # which says how it was read


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_wrong_is_told_with_its_line(name, tmp_path, monkeypatch):
    files = write_files(tmp_path, ["# by hand\n", *LINES[:60], MISTAKES[name], *LINES[60:]])
    whole, parts = evaluate_both(files, monkeypatch)
    assert isinstance(whole, GainfulError)
    assert type(parts) is type(whole)
    if name == "a document twice":  # of which no part knows the lines
        assert "'d0' of query 'q0'" in str(parts)
    else:
        assert str(parts) == str(whole)
        assert "run.txt:62" in str(parts)


def test_progress_comes_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setenv("GAINFUL_MEMORY", "0")
    files, shares = write_files(tmp_path, LINES), []
    with watch(reading=lambda name, _, share: shares.append((name, share))):
        gainful.evaluate(*files, "nDCG@3")
    own = [share for name, share in shares if name.endswith("run.txt")]
    assert len(own) > 3
    assert own == sorted(own)
    assert own[-1] == 1.0


ROWS = [(line.split()[0], line.split()[2], float(line.split()[4])) for line in LINES]
HEADER = "query,doc,score\n"
COMMAS = [f"{query},{doc},{score}\n" for query, doc, score in ROWS]
RECORDS = [dict(zip(("query", "doc", "score"), row, strict=True)) for row in ROWS]
TABLES = {
    "run.csv": "".join(["# by hand\n", HEADER, *COMMAS]),
    "quoted.csv": "".join(
        [HEADER, *COMMAS, *(f'q1,"two\nlines, and ""more"" {n}",0.5\n' for n in range(40))]
    ),
    "inches.csv": "".join(
        ["query,doc,score,title\n", 'q1,d_first,9,5" wide\n', 'q1,"two\nlines",0.5,"of ""text"""\n']
        + [line.replace("\n", ",plain\n") for line in COMMAS]
        + [f"q1,e{n},0.1,plain\n" for n in range(80)]
    ),
    "run.tsv": "".join([HEADER, *COMMAS]).replace(",", "\t"),
    "ranks.csv": "query,doc,rank\n" + "".join(f"q{n % 9},d{n % 8},{n}\n" for n in range(1, 72)),
    "run.jsonl": "".join(json.dumps(record) + "\n" for record in RECORDS),
    "lists.jsonl": "".join(
        json.dumps({"query": f"q{n}", "retrieved": [f"d{n}", "d1"], "relevant": ["d1"]}) + "\n"
        for n in range(2, 9)
    ),
    "run.txt": "".join(LINES[::2] + LINES[1::2]),
}


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("name", TABLES)
def test_values_of_tables_and_of_compressed_files_are_those_of_the_whole(
    name, packed, tmp_path, monkeypatch
):
    qrels, _ = write_files(tmp_path, LINES)
    text = TABLES[name].encode()
    (tmp_path / f"{name}{packed}").write_bytes(gzip.compress(text) if packed else text)
    whole, parts = evaluate_both((qrels, tmp_path / f"{name}{packed}"), monkeypatch)
    assert parts.mean == whole.mean
    assert parts.counts == whole.counts
    assert len(parts.notes) == len(whole.notes) + (name != "lists.jsonl")  # which is read whole


def test_columns_of_a_large_table_have_the_names_a_user_gives(tmp_path, monkeypatch):
    qrels, _ = write_files(tmp_path, LINES)
    (tmp_path / "run.csv").write_text("".join(["a,b,c\n", *COMMAS]))
    columns = {"run.query": "a", "run.doc": "b", "run.score": "c"}
    whole, parts = evaluate_both((qrels, tmp_path / "run.csv"), monkeypatch, columns=columns)
    assert (parts.mean, len(parts.notes)) == (whole.mean, len(whole.notes) + 1)
    misfit = {"run.query": "a", "run.doc": "b", "run.score": "nope"}
    whole, parts = evaluate_both((qrels, tmp_path / "run.csv"), monkeypatch, columns=misfit)
    assert isinstance(whole, GainfulError)
    assert (type(parts), str(parts)) == (type(whole), str(whole))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.csv", HEADER + "".join(COMMAS) + "q8,d0,high\n"),
        ("run.csv", HEADER + "".join(COMMAS) + 'q8,"d0,1.5\n'),  # a quote that is not closed
        ("run.csv", "".join(COMMAS)),  # without a header: read whole
        ("run.csv", "topic,url\n" + "".join(COMMAS)),
        ("run.jsonl", TABLES["run.jsonl"] + '{"query": "q1", "doc": "d7"}\n'),
        ("run.jsonl", TABLES["run.jsonl"] + '{"query": "q1", "do'),
        ("run.gz", gzip.compress("".join(LINES).encode())[:-9]),  # cut off
    ],
)
def test_what_is_wrong_with_a_large_table_is_told_as_of_a_small_one(
    name, content, tmp_path, monkeypatch
):
    qrels, _ = write_files(tmp_path, LINES)
    write_file(tmp_path / name, content)
    whole, parts = (str(answer) for answer in evaluate_both((qrels, tmp_path / name), monkeypatch))
    assert parts == whole


def test_one_json_document_is_read_as_a_whole(tmp_path, monkeypatch):
    qrels, _ = write_files(tmp_path, LINES)
    (tmp_path / "run.json").write_text(json.dumps({"q1": {"d2": 1.0}}))
    whole, parts = evaluate_both((qrels, tmp_path / "run.json"), monkeypatch)
    assert parts.mean == whole.mean
    assert [*parts.notes] == [*whole.notes]


LISTS = [{"query": f"q{n}", "url": [f"d{n}", "d1"], "score": [n / 8, 0.5]} for n in range(2, 9)]


@pytest.mark.parametrize("name", ["lists.parquet", "lists.jsonl"])
def test_lists_are_read_in_parts_and_a_query_that_comes_again_is_refused(
    name, tmp_path, monkeypatch
):
    monkeypatch.setattr(lazy, "_QUERIES_PER_BATCH", 3)
    qrels, _ = write_files(tmp_path, LINES)

    def write(lists):
        is_parquet = name.endswith("parquet")
        frame = pl.DataFrame(lists)
        (frame.write_parquet if is_parquet else frame.write_ndjson)(tmp_path / name)
        return evaluate_both((qrels, tmp_path / name), monkeypatch, columns={"run.doc": "url"})

    whole, parts = write(LISTS)
    assert parts.per_query.equals(whole.per_query)
    assert parts.counts == whole.counts
    assert [*parts.notes[1:]] == [*whole.notes]
    whole, parts = write([*LISTS, {"query": "q0", "url": ["x"], "score": []}])
    assert isinstance(whole, BadInput)
    assert str(parts) == str(whole)
    nothing = {"query": "q1", "url": [], "score": []}
    for whole, parts in (write([nothing, *LISTS]), write([*LISTS, nothing])):
        assert parts.counts == whole.counts
        assert whole.counts["missing"] == write(LISTS)[0].counts["missing"] - 1
    again = [LISTS[0] | {"url": ["x", "y"]}]
    for query, lists in (("q2", [*LISTS, *again]), ("q1", [nothing, *LISTS, nothing])):
        for answer in write(lists):
            assert isinstance(answer, BadInput)
            assert quote(query) in str(answer)


def test_lists_without_a_row_have_no_results(tmp_path, monkeypatch):
    qrels, _ = write_files(tmp_path, LINES)
    path = tmp_path / "run.parquet"
    pl.DataFrame(LISTS).rename({"url": "doc"}).clear().write_parquet(path)
    whole, parts = evaluate_both((qrels, path), monkeypatch)
    assert isinstance(parts, BadInput)
    assert str(parts) == str(whole)


def test_parquet_is_read_in_parts(tmp_path, monkeypatch):
    qrels, _ = write_files(tmp_path, LINES)
    path = tmp_path / "run.parquet"
    pl.DataFrame(RECORDS).rename({"doc": "url"}).write_parquet(path)
    whole, parts = evaluate_both((qrels, path), monkeypatch, columns={"run.doc": "url"})
    assert parts.mean == whole.mean
    assert parts.counts == whole.counts
    assert [*parts.notes[1:]] == [*whole.notes]
    assert "read in parts" in parts.notes[0]
    odd = pl.DataFrame([*RECORDS, {"query": "q1", "doc": "d7", "score": math.nan}])
    odd.write_parquet(path)
    whole, parts = map(str, evaluate_both((qrels, path), monkeypatch))
    assert parts == whole


def test_a_large_run_names_documents_where_none_is_judged(tmp_path, monkeypatch):
    _, run = write_files(tmp_path, LINES)
    qrels = write_file(tmp_path / "other.txt", "q1 0 x 1\nq2 0 y 2\n")
    whole, parts = evaluate_both((qrels, run), monkeypatch)
    assert [*parts.notes[1:]] == [*whole.notes]
    assert any("'d" in note for note in parts.notes)


def test_a_quote_that_is_never_closed_is_told_before_memory_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(lazy, "_PIECE_BYTES", 1 << 9)
    rows = [HEADER, 'q1,"d1,1\n', *COMMAS * 40]
    write_file(tmp_path / "run.csv", "".join(rows))
    qrels, _ = write_files(tmp_path, LINES)
    _, parts = evaluate_both((qrels, tmp_path / "run.csv"), monkeypatch)
    assert isinstance(parts, GainfulError)
    assert "quote" in str(parts)


def test_the_command_says_so(tmp_path, monkeypatch, run_gainful):
    qrels, run = write_files(tmp_path, LINES)
    (tmp_path / "other.txt").write_text(run.read_text())
    words = ("eval", qrels, run, tmp_path / "other.txt", "-m", "nDCG@3", "--format", "json")
    monkeypatch.setenv("GAINFUL_MEMORY", "1000")
    whole = json.loads(run_gainful(*words).out)
    monkeypatch.setenv("GAINFUL_MEMORY", "0")
    parts = json.loads(run_gainful(*words).out)
    assert [each["mean"] for each in parts["runs"]] == [each["mean"] for each in whole["runs"]]
    assert [len(each.get("notes", ())) for each in whole["runs"]] == [0, 0]
    assert [len(each["notes"]) for each in parts["runs"]] == [1, 1]


ROWS = [{"query": f"q{q}", "doc": f"d{d}", "score": d + 1} for q in range(9) for d in range(8)]


@pytest.mark.parametrize(
    "change",
    [
        lambda row: {"query": row["query"], "doc": row["doc"], "rank": row["score"]},
        lambda row: {"query_id": row["query"], "doc": row["doc"], "score": row["score"]},
        lambda row: row | {"score": True},
        lambda row: {"query": row["query"], "retrieved": [row["doc"]]},
        lambda _: [1, 2],
    ],
)
@pytest.mark.parametrize("rows", [40, 41, 42, 43, 44, 45, 46])
def test_lines_of_other_columns_are_refused_at_every_border(tmp_path, monkeypatch, change, rows):
    # A piece begins with every seventh line or so: one of these numbers is at a border.
    lines = [json.dumps(row if at < rows else change(row)) for at, row in enumerate(ROWS)]
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    for memory in ("1000", "0"):
        monkeypatch.setenv("GAINFUL_MEMORY", memory)
        with pytest.raises(BadInput) as refused:
            gainful.evaluate(tmp_path / "qrels.txt", tmp_path / "run.jsonl")
        assert refused.value.where.startswith(str(tmp_path / "run.jsonl"))


def test_true_beside_numbers_is_no_score(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.jsonl").write_text(
        "\n".join(json.dumps(row) for row in (*ROWS, ROWS[0] | {"doc": "x", "score": True}))
    )
    with pytest.raises(BadInput) as refused:
        gainful.evaluate(tmp_path / "qrels.txt", tmp_path / "run.jsonl")
    assert refused.value.where.endswith(":73")


@pytest.mark.parametrize(("name", "value"), [("ENGINE", "fast"), ("MEMORY", "2 GB")])
def test_variables_of_the_environment_are_refused_with_what_they_can_be(
    tmp_path, monkeypatch, run_gainful, name, value
):
    files = write_files(tmp_path, LINES)
    monkeypatch.setenv("GAINFUL_ENGINE", "pure")  # so that files are not read as small ones
    monkeypatch.setenv(f"GAINFUL_{name}", value)
    with refuses(BadValue, f"GAINFUL_{name}", f"'{value}'", "allowed"):
        gainful.evaluate(*files)
    assert f"'{value}'" in run_gainful("eval", *files, status=2).err
