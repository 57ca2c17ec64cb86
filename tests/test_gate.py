"""`gainful gate`: every rule, every refusal, and never a pass by accident."""

import io
import json
import sys
from pathlib import Path

import pytest
from defusedxml import ElementTree
from facts import find_notes, list_facts
from gate_runs import QUERIES, RUNS, make_run, sign_baseline
from written_files import write_qrels, write_run

from gainful import evaluate
from gainful.evidence.gates.apply_rules import apply_rules as judge
from gainful.evidence.gates.rules import Rules
from gainful.page.render import render
from gainful.page.terminal import Terminal

# ── floors ───────────────────────────────────────────────────────────────────────────────────


def tell(out):
    """What the first line of a verdict says."""
    return list_facts(out.splitlines()[0], "passed")


BASE = "--baseline base.json"  # of the best run, whose RR is 1 in every query


@pytest.mark.parametrize(
    ("run", "words", "facts"),
    [
        ("once", "--floor RR=0.9", "passed RR 0.9375 0.9"),
        ("once", "--floor RR=0.95", "FAILED RR 0.9375 0.95"),
        ("once", "--floor RR=0.9375", "passed"),
        ("once", "--floor RR=0.93750000001", "FAILED"),
        ("once", "--floor RR=0.9375000000000005", "passed"),  # but for rounding
        ("once", "--floor RR=0.937500001", "FAILED RR 0.937500000 0.937500001"),
        ("best", "--floor RR=0.5 --floor RR=0.50", "passed"),
        ("once", f"{BASE} --max-drop RR=0.0625", "passed RR 0.0625 1.0000 0.9375"),
        ("once", f"{BASE} --max-drop RR=0.06", "FAILED RR 0.0625 1.0000 0.9375 0.06"),
        ("worse", f"{BASE} --max-drop RR=0.5", "passed"),
        ("worse", f"{BASE} --max-drop RR=0.4999999", "FAILED RR"),
        ("lost", f"{BASE} --max-drop RR=0.1", "FAILED RR 0.1250"),  # a missing query counts as 0
        ("worse", f"{BASE} -m RR --significant 0.05", "FAILED RR 1.0000 0.5000 0.0039 0.05"),
        ("worse", f"{BASE} -m RR --significant {1 / 256}", "FAILED RR"),  # p itself
        *(
            ("varied", f"{BASE} -m RR --significant 0.05 --test {test}", "FAILED RR")
            for test in ("randomisation", "t", "wilcoxon", "sign", "bootstrap", "bca")
        ),
    ],
)
def test_a_rule_is_kept_up_to_its_bound(gate, base, run, words, facts):
    out = gate(f"{run}.txt", *words.split(), status=int(facts.startswith("FAILED")))
    assert tell(out)[: len(facts.split())] == facts.split()


def test_a_floor_that_no_run_can_reach_is_refused(gate):
    assert list_facts(gate("best.txt", "--floor", "RR=80", status=2))[-3:] == ["1", "80", "0.8"]
    gate("best.txt", "--floor", "NumRel=80", status=1)  # a count has no highest value
    gate("best.txt", "--floor", "RR=1")


def test_a_level_that_no_p_can_reach_is_refused(gate, base):
    words = ("-m", "RR", *base, "--significant", str(1 / 256 - 1e-9))
    assert "0.003906" in gate("worse.txt", *words, status=2)


@pytest.mark.parametrize(("floor", "status"), [("0.5", 1), ("0", 0)])
def test_where_nothing_matches_the_first_line_says_so(gate, floor, status, tmp_path):
    path = tmp_path / "other.txt"
    write_run(path, {"q0": ["elsewhere"]})
    first, second, *_ = gate(str(path), "--floor", f"RR={floor}", status=status).splitlines()
    assert first.strip().startswith("No retrieved document is judged; the run has 'elsewhere'")
    assert second.strip().startswith("FAILED" if status else "passed")


@pytest.mark.parametrize(
    ("words", "measured", "checked"),
    [
        ("--floor P_1=0.5", ["P_1"], ["P_1"]),  # none need be asked for
        ("-m AP --floor RR=0.5", ["AP", "RR"], ["RR"]),
        ("-m recip_rank --floor RR=0.5 --floor mrr=0.5", ["recip_rank"], ["recip_rank"]),
        ("--floor nDCG(gain=exp)@10=0.4", ["nDCG(gain=exp)@10"], ["nDCG(gain=exp)@10"]),
    ],
)
def test_a_floor_names_its_measure_by_any_of_its_names(decide, words, measured, checked):
    verdict = decide("best.txt", *words.split())
    assert list(verdict["mean"]) == measured
    assert [check["measure"] for check in verdict["checks"]] == checked


def test_without_a_baseline_the_lowest_queries_are_shown(gate, decide):
    verdict = decide("varied.txt", "--floor", "RR=0.9", status=1)
    assert [look["query"] for look in verdict["look_at"]] == QUERIES[::-1]
    assert verdict["look_at"][0] == {"measure": "RR", "query": "q7", "now": 1 / 9, "before": None}
    out = gate("varied.txt", "--floor", "RR=0.9", status=1)
    heads, first = out.split("\n\n")[3].splitlines()[:2]
    assert (heads.split(), first.split()) == (["query", "RR"], ["q7", "0.1111"])


# ── drops ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("run", "row"), [("once", "q3 1.0000 0.5000 -0.5000"), ("lost", "q5 1.0000 0.0000 -1.0000")]
)
def test_queries_that_fell_most_are_the_first_to_look_at(gate, base, run, row):
    out = gate(f"{run}.txt", *base, "--max-drop", "RR=0.06", status=1)
    rows = [line.split() for line in out.splitlines()]
    heads = rows.index(["query", "baseline", "run", "change"])
    assert rows[heads + 1] == row.split()
    assert ("1 query missing" in out) == (run == "lost")


def test_what_rises_or_stays_passes_a_bound_of_zero(gate):
    gate("once.txt", "-m", "RR", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=0")
    assert tell(gate("once.txt", *words)) == ["passed", "RR", "0.9375", "0.9375"]
    assert tell(gate("best.txt", *words)) == ["passed", "RR", "0.9375", "1.0000"]
    gate("worse.txt", *words, status=1)


def test_queries_that_one_side_lacks_are_said_and_the_others_compared(gate, decide):
    gate("once.txt", "-m", "RR", "--missing", "skip", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=0", "--missing", "skip")
    message = gate("lost.txt", *words, status=2)
    assert "1 query" in message
    verdict = decide("lost.txt", *words, "--allow", "queries")
    check = verdict["checks"][0]
    assert check["value"] == 1
    assert check["baseline"] == pytest.approx(6.5 / 7)  # q5 is in the baseline only
    assert ["1", "baseline", "'q5'", "RR"] in [list_facts(n, "baseline") for n in verdict["notes"]]
    Path("lost3.txt").write_text(make_run(q3=None))
    gate("lost3.txt", "-m", "RR", "--missing", "skip", "--save-baseline", "base.json")
    verdict = decide("once.txt", *words, "--floor", "RR=0.9")
    assert [check["value"] for check in verdict["checks"]] == [0.9375, 1]  # the drop: without q3
    assert ["1", "'q3'", "RR"] in [list_facts(note, "baseline") for note in verdict["notes"]]


def test_runs_without_a_query_in_common_cannot_be_compared(gate):
    Path("one.txt").write_text(make_run(**dict.fromkeys(QUERIES[1:])))
    Path("two.txt").write_text(make_run(**dict.fromkeys(QUERIES[:-1])))
    gate("one.txt", "-m", "RR", "--missing", "skip", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=1", "--missing", "skip")
    assert "in common" in gate("two.txt", *words, status=2)


def test_without_a_measure_those_of_the_baseline_are_tested(gate, decide):
    gate("best.txt", "-m", "P@1", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--significant", "0.05")
    assert [check["measure"] for check in decide("once.txt", *words)["checks"]] == ["P@1"]


def test_a_run_that_lost_queries_is_not_passed_by_those_that_are_left(gate):
    Path("one.txt").write_text(make_run(**dict.fromkeys(QUERIES[1:])))
    words = ("--floor", "RR=0.1", "--missing", "skip")
    message = gate("one.txt", *words, status=2)
    assert "7 queries" in message
    assert "--allow queries" in message
    gate("one.txt", *words, "--allow", "queries")
    gate("one.txt", "--floor", "RR=0.2", status=1)  # missing queries count as 0


def test_small_numbers_have_small_rounding(gate):
    words = ("--gain", "0:0,1:1e-13", "-m", "DCG@10")
    gate("best.txt", *words, "--save-baseline", "base.json")
    rules = ("--baseline", "base.json", "--max-drop", "DCG@10=0", *words)
    assert gate("worse.txt", *rules, status=1).startswith("FAILED: DCG@10")


def test_a_verdict_that_cannot_be_written_saves_no_baseline(gate):
    words = ("--floor", "RR=0.1", "--save-baseline", "new.json", "-o", "nowhere/verdict.json")
    gate("best.txt", *words, status=2)
    assert not Path("new.json").exists()


def test_a_sum_over_queries_can_drop_too(gate):
    gate("best.txt", "-m", "num_rel_ret", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop")
    assert gate("lost.txt", *words, "num_rel_ret=1").startswith("passed")
    failed = gate("lost.txt", *words, "num_rel_ret=0.5", status=1)
    assert failed.startswith("FAILED: num_rel_ret")


# ── significance ─────────────────────────────────────────────────────────────────────────────


def test_how_a_drop_is_tested_is_said(gate, base):
    out = gate("worse.txt", "-m", "RR", *base, "--significant", "0.05", status=1)
    assert find_notes(out.splitlines(), "one-sided", "8", "queries")


@pytest.mark.parametrize(
    ("before", "after", "p"),
    [
        ("best", "worse", 1 / 2**8),  # of 256 ways to flip signs only one is as low
        ("best", "once", 0.5),
        ("worse", "best", 1),
    ],
)
def test_p_is_one_sided(gate, decide, before, after, p):
    gate(f"{before}.txt", "-m", "RR", "--save-baseline", "base.json")
    words = ("-m", "RR", "--baseline", "base.json", "--significant", "0.05")
    (check,) = decide(f"{after}.txt", *words, status=int(p < 0.05))["checks"]
    assert (check["rule"], check["p"]) == ("significant", pytest.approx(p))


def test_p_is_corrected_over_the_measures_and_that_is_said(gate, base, decide):
    words = ("-m", "RR", "-m", "P@1", *base, "--significant", "0.05")
    verdict = decide("worse.txt", *words, status=1)
    assert [check["p"] for check in verdict["checks"]] == [1 / 256, 1 / 256]
    assert [check["p_corrected"] for check in verdict["checks"]] == [2 / 256, 2 / 256]
    text, junit = gate("worse.txt", *words, status=1), ("--format", "junit")
    assert find_notes(text.splitlines(), "Holm-corrected", "2")
    assert list_facts(verdict["checks"][0]["message"])[-2:] == ["0.0078", "0.05"]  # 2 of 256 signs
    assert verdict["checks"][0]["message"] in gate("worse.txt", *words, *junit, status=1)
    heads, row = text.splitlines()[4:6]
    assert heads.split() == ["measure", "run", "baseline", "change", "p", "p", "rule"]
    assert row.split()[4:6] == ["0.0039", "0.0078"]


@pytest.mark.parametrize("test", ["t", "bootstrap", "bca"])
def test_differences_that_are_all_alike_are_refused_by_tests_that_need_others(gate, base, test):
    words = ("-m", "RR", *base, "--significant", "0.05", "--test", test)
    message = gate("worse.txt", *words, status=2)
    assert [word in message for word in ("RR", "-0.5", "--test randomisation")] == [True] * 3


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign", "bootstrap", "bca"])
def test_identical_runs_pass_with_p_1_and_a_word(gate, base, test, decide):
    words = ("-m", "RR", *base, "--significant", "0.05", "--max-drop", "RR=0", "--test", test)
    out = gate("best.txt", *words)
    assert out.startswith("passed: both")
    assert find_notes(out.splitlines(), "every", "query", "RR")
    verdict = decide("best.txt", *words)
    assert verdict["checks"][1]["p"] == 1


def test_rounding_that_always_goes_one_way_is_no_evidence(base, decide):
    content = json.loads(Path("base.json").read_text())
    for row in content["values"].values():
        row["RR"] += 4e-16
    Path("base.json").write_text(sign_baseline(content))
    words = ("-m", "RR", *base, "--significant", "0.05", "--max-drop", "RR=0")
    verdict = decide("best.txt", *words)
    assert [check["p"] for check in verdict["checks"]] == [None, 1]
    assert verdict["look_at"] == []


@pytest.mark.parametrize(
    ("queries", "measures", "run", "parts"),
    [
        (1, "RR", "best", "only one query"),
        (1, "RR", "worse", "only one query"),
        (4, "RR", "worse", "4 queries|0.0625"),
        (4, "RR", "best", "passed"),  # what did not drop needs no test
        (5, "RR", "worse", "FAILED"),  # p = 1/32
        (5, "RR,P@1", "worse", "5 queries and 2 measures|0.0625"),
    ],
)
def test_a_drop_that_too_few_queries_could_never_show_does_not_pass(
    gate, queries, measures, run, parts
):
    write_qrels(Path("few.txt"), {q: {"good": 1} for q in QUERIES[:queries]})
    gate("best.txt", "-m", "RR,P@1", "--save-baseline", "b.json", qrels="few.txt")
    words = ("-m", measures, "--baseline", "b.json", "--significant", "0.05")
    status = {"passed": 0, "FAILED": 1}.get(parts, 2)
    out = gate(f"{run}.txt", *words, status=status, qrels="few.txt")
    assert [part for part in parts.split("|") if part not in out] == []


def test_monte_carlo_is_reproducible_and_says_its_seed(gate, decide):
    many = [f"m{number}" for number in range(40)]
    write_qrels(Path("many.txt"), {q: {"good": 1} for q in many})
    for name, step in (("a", 5), ("b", 3)):
        run = {q: [*range(at % step), "good"] for at, q in enumerate(many)}
        write_run(Path(f"{name}.txt"), run)
    gate("b.txt", "-m", "RR", "--save-baseline", "base.json", qrels="many.txt")
    words = ("-m", "RR", "--baseline", "base.json", "--significant", "0.0005")
    first, two, other = (
        decide("a.txt", *words, "--seed", seed, qrels="many.txt") for seed in ("7", "7", "8")
    )
    assert first == two
    assert first["checks"][0]["p"] != other["checks"][0]["p"]
    assert list_facts(first["notes"][0])[-2:] == ["10000", "7"]


# ── what is printed ──────────────────────────────────────────────────────────────────────────


def test_markdown_has_the_answer_first_and_tables(gate, base):
    out = gate("once.txt", *base, "--max-drop", "RR=0.01", "--format", "markdown", status=1)
    assert list_facts(out.strip("*").splitlines()[0])[:3] == ["FAILED", "RR", "0.0625"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
    assert ["q3", "1.0000", "0.5000", "-0.5000"] in rows
    (broken,) = [row for row in rows if row[-1] == "BROKEN"]
    assert broken[:4] == ["RR", "0.9375", "1.0000", "-0.0625"]


def test_junit_has_a_case_for_each_rule(gate, base):
    words = (*base, "--max-drop", "RR=0.01", "--floor", "P@1=0.5", "-o", "gate.xml")
    assert gate("once.txt", *words, status=1) == ""
    root = ElementTree.parse("gate.xml").getroot()
    suite = root.find("testsuite")
    assert suite.attrib["tests"] == "2"
    assert suite.attrib["failures"] == "1"
    good, bad = suite.findall("testcase")
    assert list_facts(good.attrib["name"]) == ["P@1", "0.5"]
    assert good.find("failure") is None
    assert bad.attrib["classname"] == "gainful.gate.once"
    assert list_facts(bad.attrib["name"]) == ["RR", "0.01"]
    assert list_facts(bad.find("failure").attrib["message"])[:2] == ["RR", "0.0625"]
    assert "q3" in suite.find("system-out").text


def test_a_gate_that_fails_says_so_beside_its_file(gate_folder, run_gainful):
    words = ("--floor", "RR=0.99", "--floor", "P@1=0.99", "-o", "gate.xml")
    failed = run_gainful("gate", "qrels.txt", "once.txt", *words, status=1)
    assert list_facts(failed.err)[:4] == ["FAILED", "RR", "0.9375", "0.99"]
    assert run_gainful("gate", "qrels.txt", "best.txt", *words).err == ""


def test_junit_holds_names_that_xml_cannot(gate, gate_folder):
    query = 'q<&>"\x1b\x00]]>'.replace("\x00", "\x01")
    Path("odd.json").write_text(json.dumps({query: {"a": 1}}))
    Path("odd<&\"'\x07.json").write_text(json.dumps({query: {"b": 1}}))
    out = gate('odd<&"\'\x07.json', "--floor", "RR=1", "--format", "junit", status=1,
               qrels="odd.json")  # fmt: skip
    suite = ElementTree.fromstring(out).find("testsuite")
    assert suite.find("testcase").attrib["classname"] == "gainful.gate.odd<&\"'\ufffd"
    assert "]]>" in suite.find("system-out").text


def test_what_would_steer_a_terminal_is_shown_instead(gate):
    Path("odd.json").write_text(json.dumps({"q\x1b[31m": {"a": 1}}))
    Path("run\x1b[2J.json").write_text(json.dumps({"q\x1b[31m": {"b": 1}}))
    words = ("--floor", "RR=1", "--save-baseline", "b\x1b.json")
    out = gate("run\x1b[2J.json", *words, status=1, qrels="odd.json")
    assert "\x1b" not in out


def test_the_format_follows_the_suffix(gate):
    begins = {"a.txt": "passed", "a.md": "**passed", "a.json": "{", "a.xml": "<?"}
    for name, begin in begins.items():
        gate("best.txt", "--floor", "RR=0.5", "-o", name)
        assert Path(name).read_text().startswith(begin)


def test_a_terminal_gets_colours_and_lines_that_fit(gate, base):
    verdict = judge(evaluate("qrels.txt", "once.txt", "RR"), Rules(floors={"RR": 0.99}))
    text = render(verdict.page(), "table", Terminal(width=60, colour=True))
    assert text.startswith("\x1b[1m\x1b[31mFAILED")
    assert max(len(line) for line in text.splitlines()[3:]) <= 60


def test_the_page_of_a_build_at_github_gets_the_verdict_added(gate, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    gate("once.txt", "--floor", "RR=0.99", status=1)
    gate("once.txt", "--floor", "RR=0.5", "--format", "json")
    text = Path("summary.md").read_text()
    assert text.startswith("before\n**FAILED: RR")
    assert "**passed: RR" in text


def test_a_summary_that_cannot_be_written_is_said_and_changes_nothing(
    gate_folder, run_gainful, monkeypatch
):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(gate_folder / "absent" / "summary.md"))
    for floor, status in (("0.5", 0), ("0.99", 1)):
        words = ("gate", "qrels.txt", "once.txt", "--floor", f"RR={floor}")
        printed = run_gainful(*words, status=status)
        assert "GITHUB_STEP_SUMMARY" in printed.err
        assert "0.9375" in printed.out


# ── files ────────────────────────────────────────────────────────────────────────────────────


def test_a_run_can_come_through_a_pipe(monkeypatch, decide):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUNS["once"].encode())))
    verdict = decide("-", "--floor", "RR=0.9")
    assert verdict["run"] == "stdin"


def test_a_measure_of_ones_own_has_rules_too(gate):
    Path("mine.py").write_text(
        "import gainful\n\n"
        "@gainful.register\n"
        "def Two(matched):\n"
        '    """Two for every query."""\n'
        "    return matched.retrieved * 0 + 2.0\n"
    )
    out = gate("best.txt", "--plugin", "mine.py", "--floor", "Two=2.5", status=1)
    assert tell(out) == ["FAILED", "2.0000", "2.5"]


def test_settings_and_formats_are_those_of_eval(decide):
    table = "query,doc,score\nq0,x,0.5\nq0,good,0.5\n"
    Path("tied.txt").write_text(table)
    words = ("--floor", "RR=0.05", "--run-format", "csv")
    means = [
        decide("tied.txt", *words, "--ties", ties)["mean"]["RR"]
        for ties in ("doc_ascending", "doc_descending")
    ]
    assert means == [1 / 8, 0.5 / 8]
    like = decide("best.txt", "--floor", "nDCG@10=0.9", "--like", "quepid")
    assert like["convention"]["like"] == "quepid"
