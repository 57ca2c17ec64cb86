"""`gainful compare`: its table in every form, and what it says to a mistake."""

import csv
import io
import json
from pathlib import Path

import pytest
from example_files import NEWS_QRELS as QRELS, NEWS_RUNS
from facts import find_notes, list_facts
from scipy import stats

from gainful import evaluate
from gainful.sessions import simulate_study

BM25, DENSE, HYBRID = NEWS_RUNS.values()
ALL = (QRELS, BM25, DENSE, HYBRID)
NAMES = (*NEWS_RUNS,)


@pytest.fixture
def run(run_gainful):
    return lambda *words, **options: run_gainful("compare", *words, **options).answer


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    simulate_study(5).write(folder)
    return "--sessions", str(folder / "sessions.csv"), "--qrels", str(folder / "qrels.txt")


@pytest.fixture(scope="module")
def values():
    """nDCG@10 of each query, by run."""
    results = evaluate(QRELS, NEWS_RUNS, "nDCG@10")
    return {name: result.per_query["nDCG@10"].to_numpy() for name, result in results.items()}


def test_files_that_hold_their_judgments_are_compared_without_qrels(run_gainful, tmp_path):
    rows = [{"query": query, "retrieved": ["a", "b"], "relevant": [query]} for query in "ab"]
    other = [{**row, "retrieved": ["x", row["query"]]} for row in rows]
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for file, records in zip(files, (rows, other), strict=True):
        file.write_text("\n".join(map(json.dumps, records)))
    out = run_gainful("compare", *map(str, files), "-m", "RR").out
    (row,) = csv.DictReader(io.StringIO(out), delimiter="\t")
    assert (row["system"], row["other"], row["mean"], row["ties"]) == ("two", "one", "0.5", "1")


# ── forms ────────────────────────────────────────────────────────────────────────────────────


def test_the_table_answers_first_and_then_says_how_it_knows(run):
    out = run(*ALL, "-m", "nDCG@10", "-m", "AP", "--format", "table")
    answer, rest = out.split("\n\n", 1)
    assert list_facts(answer, *NAMES)[:4] == ["hybrid", "dense", "nDCG@10", "bm25"]
    assert list_facts(answer)[-1] == "AP"  # of which the same holds
    assert rest.startswith("nDCG@10, 40 queries\n")
    lines = rest.splitlines()
    hybrid = next(line for line in lines if line.startswith("c  hybrid")).split()
    assert hybrid[2:4] == ["0.8748", "a"]
    alike = [line.replace("–", " ") for line in lines if line.startswith("No significant")]
    assert [list_facts(line, *NAMES) for line in alike] == [["dense", "hybrid"]] * 2
    assert find_notes(out.splitlines(), "max-T", "3")
    assert "resamples" not in out
    assert "ideal" not in out
    assert list_facts(out.splitlines()[-1]) == ["40", "24–28", "10"]
    assert max(map(len, lines[:12])) <= 100
    verbose = run(*ALL, "-m", "nDCG@10", "-m", "AP", "-v", "--format", "table")
    assert "10000 resamples, seed 2008" in verbose
    assert "ideal" in verbose
    assert find_notes(verbose.splitlines(), "Detectable", "80")
    assert "needed" not in verbose  # no observed power


def test_the_numbers_of_the_answer_are_those_of_scipy(run, values):
    out = run(*ALL, "-m", "nDCG@10", "--test", "t", "--correct", "none", "--format", "table")
    theirs = stats.ttest_rel(values["dense"], values["bm25"])
    low, high = theirs.confidence_interval(0.95)
    difference = (values["dense"] - values["bm25"]).mean()
    numbers = [f"{number:.3f}" for number in (difference, low, high, theirs.pvalue)]
    expected = ["hybrid", "dense", "nDCG@10", "bm25", "dense", numbers[0], "95", *numbers[1:]]
    assert list_facts(out.splitlines()[0], *NAMES) == expected
    words = ("-m", "nDCG@10", "--test", "t", "--correct", "none", "--format", "json")
    data = json.loads(run(*ALL, *words))  # which has all pairs at full precision
    assert (len(data["pairs"]), data["alpha"], data["convention"]["discount"]) == (3, 0.05, "log2")
    for pair in data["pairs"]:
        theirs = stats.ttest_rel(values[pair["system"]], values[pair["other"]])
        assert pair["p"] == pytest.approx(theirs.pvalue, rel=1e-9)


def test_power_is_told_in_the_words_of_the_field(run, values):
    """At 80 % power, a t test at alpha / 3 with 39 degrees of freedom; scipy's noncentral t."""
    out = run(*ALL, "-m", "nDCG@10", "--format", "table")
    line = next(line for line in out.splitlines() if line.startswith("Detectable"))
    detectable = dict(
        part.rstrip(").").split(" (")[::-1] for part in line.removeprefix(
            "Detectable difference at 80 % power: ").split(", ")
    )  # fmt: skip
    for name in ("dense", "hybrid"):
        deviation = (values[name] - values["bm25"]).std(ddof=1) / 40**0.5
        limit = stats.t.ppf(1 - 0.05 / 3 / 2, 39)
        shift = float(detectable[name]) / deviation
        power = stats.nct.sf(limit, 39, shift) + stats.nct.cdf(-limit, 39, shift)
        assert power == pytest.approx(0.8, abs=0.01)  # of a difference expected with three decimals


def test_csv_has_a_row_for_each_pair_and_measure(run):
    out = run(*ALL, "-m", "nDCG@10", "-m", "RR", "--format", "csv", "--baseline", "dense")
    rows = list(csv.DictReader(io.StringIO(out)))
    pairs = [(row["system"], row["other"]) for row in rows if row["measure"] == "nDCG@10"]
    assert pairs == [("bm25", "dense"), ("hybrid", "dense"), ("hybrid", "bm25")]
    assert len(rows) == 6
    assert rows[2]["significant"] == "true"
    assert float(rows[0]["mean"]) - float(rows[0]["other_mean"]) == pytest.approx(
        float(rows[0]["difference"])
    )


def test_latex_is_systems_by_measures_with_letters_and_the_highest_bold(run):
    caption = (
        r"Means over 40 queries, the highest of each measure bold. Letters name the runs that are "
        r"significantly worse (two-sided sign-flip randomisation test, p corrected by step-down "
        r"max-T over the 3 pairs of each measure, $\alpha$ = 0.05)."
    )
    text = run(*ALL, "-m", "nDCG@10", "-m", "AP", "--format", "latex")
    assert [line for line in text.splitlines() if not line.startswith("%")] == [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        r"\label{tab:comparison}",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r" & run & nDCG@10 & AP \\",
        r"\midrule",
        r"a & bm25 & 0.7750 & 0.6278 \\",
        r"b & dense & 0.8484$^{a}$ & 0.7169$^{a}$ \\",
        r"c & hybrid & \textbf{0.8748}$^{a}$ & \textbf{0.7357}$^{a}$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_names_cannot_break_out_of_a_latex_table(run, tmp_path):
    names = ["[05]_&%$#", "*{x}", "a\\b~^"]
    for name, source in zip(names, (BM25, DENSE, HYBRID), strict=True):
        (tmp_path / f"{name}.run").write_text(Path(source).read_text("utf-8"), encoding="utf-8")
    words = [str(tmp_path / f"{name}.run") for name in names]
    text = run(QRELS, *words, "-m", "AP", "--format", "latex")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    cells = [row.removesuffix(r" \\").replace(r"\&", "").split(" & ") for row in rows]
    assert {len(row) for row in cells} == {3}
    assert cells[1][1] == r"{[}05]\_\%\$\#"
    assert cells[2][1] == r"{*}\{x\}"
    assert cells[3][1] == r"a\textbackslash{}b\textasciitilde{}\textasciicircum{}"
    bare = text.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")


def test_full_latex_is_a_booktabs_table_for_each_measure(run, tmp_path):
    target = tmp_path / "table.tex"
    names = [tmp_path / name for name in ("a_b%.txt", "x&y.txt")]
    for path, source in zip(names, (BM25, HYBRID), strict=True):
        path.write_text(Path(source).read_text("utf-8"), encoding="utf-8")
    run(QRELS, *map(str, names), "-m", "nDCG@10", "-m", "AP", "--full", "-o", str(target))
    text = target.read_text("utf-8")
    assert [text.count(part) for part in (r"\toprule", r"\midrule", r"\bottomrule")] == [2, 2, 2]
    assert r"x\&y & 0.8748 & a & " in text
    assert r"a\_b\%" in text
    assert r"x\&y" in text
    assert text.count("{") == text.count("}")
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len({line.replace(r"\&", "").count("&") for line in body}) == 1
    captions = [line for line in text.splitlines() if line.startswith(r"\caption")]
    for caption, measure in zip(captions, ("nDCG@10", "AP"), strict=True):
        assert [word in caption for word in (measure, "40 queries", r"a\_b\%")] == [True] * 3
    assert len({line for line in text.splitlines() if line.startswith(r"\label")}) == 2


def test_markdown_is_systems_by_measures_and_in_full_a_table_for_each_measure(run):
    out = run(*ALL, "-m", "nDCG@10", "-m", "AP", "--format", "markdown")
    assert "|  | run | nDCG@10 | AP |\n" in out
    rows = [line.replace(" ", "") for line in out.splitlines()]
    assert "|b|dense|0.8484<sup>a</sup>|0.7169<sup>a</sup>|" in rows
    assert "|c|hybrid|**0.8748**<sup>a</sup>|**0.7357**<sup>a</sup>|" in rows
    full = run(*ALL, "-m", "nDCG@10", "-m", "AP", "--format", "markdown", "--full")
    assert full.count("|  | run | mean |") == 2
    assert "**AP, 40 queries**" in full


def test_json_lines_and_tsv_are_rows_too(run):
    lines = run(*ALL, "-m", "AP", "--format", "jsonl").splitlines()
    assert [json.loads(line)["system"] for line in lines] == ["dense", "hybrid", "hybrid"]
    assert run(*ALL, "-m", "AP").splitlines()[0].split("\t")[:3] == ["measure", "system", "other"]


# ── choices ──────────────────────────────────────────────────────────────────────────────────


def test_the_seed_and_the_number_of_resamples_are_taken(run):
    words = (*ALL, "-m", "AP", "--format", "json", "--resamples", "500")
    first, again, other = (run(*words, "--seed", seed) for seed in ("1", "1", "2"))
    assert first == again != other
    assert json.loads(first)["resamples"] == 500


def test_the_level_is_taken_for_letters_and_intervals(run):
    words = (*ALL, "-m", "AP", "--test", "t", "--format", "json")
    strict, loose = (json.loads(run(*words, "--alpha", alpha)) for alpha in ("0.0001", "0.2"))
    assert strict["measures"][0]["beaten"]["hybrid"] == []
    assert loose["measures"][0]["beaten"]["hybrid"] == ["bm25"]
    assert strict["pairs"][0]["low"] < loose["pairs"][0]["low"]


def test_per_query_tells_what_moved_and_adds_up(run):
    words = (QRELS, BM25, DENSE, "-m", "nDCG@10", "-m", "AP", "--per-query")
    data = json.loads(run(*words, "--format", "json"))["most_changed"]
    assert [change["measure"] for change in data] == ["nDCG@10"]
    assert len(data[0]["queries"]) == 10
    for query in data[0]["queries"]:
        shares = sum(doc["share"] for doc in query["documents"])
        assert shares + query["rest"] == pytest.approx(query["change"], abs=1e-9)
    text = run(*words, "--format", "table")
    heads = [list_facts(line, *NAMES) for line in text.splitlines()]
    assert ["dense", "bm25", "nDCG@10"] in heads
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv"))))
    assert rows[0]["query"] == data[0]["queries"][0]["query"]
    assert "rank before" in run(*words, "--format", "markdown")
    assert run(*words, "--format", "latex").count(r"\toprule") == 2


def test_a_run_can_come_through_a_pipe(run, monkeypatch):
    pipe = io.TextIOWrapper(io.BytesIO(Path(DENSE).read_bytes()))
    monkeypatch.setattr("sys.stdin", pipe)
    data = json.loads(run(QRELS, BM25, "-", "-m", "AP", "--format", "json", "--baseline", "stdin"))
    assert data["baseline"] == "stdin"


# ── studies ──────────────────────────────────────────────────────────────────────────────────


def test_a_study_is_compared_with_searchers_and_scenarios_as_blocks(run, study):
    words = (*study, "--by", "system", "-m", "nsDCG(b=2,bq=4)@10")
    blocked = ("--block", "searcher", "--block", "scenario")
    out = run(*words, *blocked, "-v", "--format", "table")
    assert "nsDCG(b=2,bq=4)@10, 30 searchers" in out
    assert find_notes(out.splitlines(), "searchers'", "two-sided", "10000")
    assert "inverted permutation test" in out
    assert find_notes(out.splitlines(), "dz", "searcher")
    usual = json.loads(run(*words, "--format", "json"))
    named = json.loads(run(*words, *blocked, "--format", "json"))
    assert usual["pairs"] == named["pairs"]
    assert usual["measures"][0]["sessions"] == 120
    assert "Means over 120 sessions, " in run(*words, "--format", "latex")


def test_a_part_of_a_study_is_chosen_as_elsewhere(run, study):
    words = ("-m", "sDCG@10", "--format", "json", "--where", "scenario=D")
    assert json.loads(run(*study, *words))["measures"][0]["sessions"] == 30


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_p_of_ranks_and_signs_is_said_to_be_none_of_the_mean(run, test):
    notes = json.loads(run(*ALL, "-m", "AP", "--test", test, "--format", "json"))["notes"]
    assert len(find_notes(notes, "p", "not", "mean")) == len(notes) == 1
    (note,) = json.loads(run(*ALL, "-m", "AP", "--test", "t", "--format", "json"))["notes"]
    assert find_notes([note], "p", "pairs")  # Holm, by the mean
