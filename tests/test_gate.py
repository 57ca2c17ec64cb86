"""`gainful gate`: every rule, every refusal, and never a pass by accident."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest
from defusedxml import ElementTree
from hypothesis import given, strategies as st

from gainful import BadInput, BadValue, CannotCompare, UnknownName, evaluate
from gainful.cli.main import main
from gainful.compare.baseline import read_baseline
from gainful.compare.fingerprint import fingerprint
from gainful.compare.gate import gate as judge
from gainful.compare.rules import Rules
from gainful.convention import CONVENTIONS
from gainful.read.formats import read_judgments
from gainful.read.inputs import as_judgments
from gainful.show.gate import to_text
from gainful.show.table import Terminal
from gainful.testing import assert_ranking_quality, save_baseline

QUERIES = [f"q{number}" for number in range(8)]
QRELS = "".join(f"{q} 0 good 1\n{q} 0 bad 0\n" for q in QUERIES)


def ranked(**ranks):
    """A run that puts the one relevant document of each query at a rank: its RR is 1/rank."""
    lines = []
    for query in QUERIES:
        rank = ranks.get(query, 1)
        if rank is None:
            continue
        docs = [f"x{place}" for place in range(1, 11)]
        docs[rank - 1] = "good"
        lines += [f"{query} Q0 {d} {i} {-i} r" for i, d in enumerate(docs, 1)]
    return "\n".join(lines) + "\n"


# RR: 8 × 1 = 1; 7 × 1 and 1/2 = 0.9375; 8 × 1/2 = 0.5.
RUNS = {
    "best": ranked(),
    "once": ranked(q3=2),
    "worse": ranked(**dict.fromkeys(QUERIES, 2)),
    "lost": ranked(q5=None),
    "varied": ranked(**{q: 2 + at for at, q in enumerate(QUERIES)}),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("qrels.txt").write_text(QRELS)
    for name, text in RUNS.items():
        Path(f"{name}.txt").write_text(text)
    return tmp_path


@pytest.fixture
def gate(folder, capsys):
    def command(run, *words, status=0, judgments="qrels.txt"):
        with pytest.raises(SystemExit) as ended:
            main(["gate", judgments, *([run] if run else []), *words])
        printed = capsys.readouterr()
        assert ended.value.code == status, printed.out + printed.err
        if status == 2:
            assert printed.out == ""
            assert printed.err.count("\n") == 1
            assert printed.err.startswith("gainful: ")
            return printed.err
        return printed.out

    return command


@pytest.fixture
def base(gate):
    """A baseline of the best run."""
    gate("best.txt", "-m", "RR", "-m", "P@1", "--save-baseline", "base.json")
    return ("--baseline", "base.json")


def verdict(text):
    return json.loads(text)


# ── floors ───────────────────────────────────────────────────────────────────────────────────


def test_a_floor_that_is_reached_passes_and_one_that_is_not_fails(gate):
    assert gate("once.txt", "--floor", "RR=0.9").startswith(
        "passed: RR 0.9375 reaches its floor 0.9\n"
    )
    out = gate("once.txt", "--floor", "RR=0.95", status=1)
    assert out.startswith("FAILED: RR 0.9375 is below its floor 0.95\n")
    assert "RR       0.9375  floor 0.95  BROKEN" in out


@pytest.mark.parametrize(
    ("floor", "status"), [("0.9375", 0), ("0.93750000001", 1), ("0.9375000000000005", 0)]
)
def test_the_floor_itself_is_reached_and_rounding_breaks_nothing(gate, floor, status):
    gate("once.txt", "--floor", f"RR={floor}", status=status)


def test_a_value_just_below_its_floor_is_printed_in_as_many_decimals_as_it_takes(gate):
    out = gate("once.txt", "--floor", "RR=0.937500001", status=1)
    assert out.startswith("FAILED: RR 0.937500000 is below its floor 0.937500001")


def test_a_floor_names_its_measure_so_that_none_need_be_asked_for(gate):
    found = verdict(gate("best.txt", "--floor", "P_1=0.5", "--format", "json"))
    assert found["mean"] == {"P_1": 1.0}
    found = verdict(gate("best.txt", "-m", "AP", "--floor", "RR=0.5", "--format", "json"))
    assert list(found["mean"]) == ["AP", "RR"]
    assert [check["measure"] for check in found["checks"]] == ["RR"]


def test_a_rule_finds_its_measure_under_whatever_name_it_was_asked_for(gate):
    words = ("-m", "recip_rank", "--floor", "RR=0.5", "--floor", "mrr=0.5", "--format", "json")
    found = verdict(gate("best.txt", *words))
    assert list(found["mean"]) == ["recip_rank"]
    assert len(found["checks"]) == 1


def test_a_measure_with_equal_signs_is_split_at_the_last_one(gate):
    out = gate("best.txt", "--floor", "nDCG(gain=exp)@10=0.4", "--format", "json")
    assert verdict(out)["checks"][0]["measure"] == "nDCG(gain=exp)@10"


@pytest.mark.parametrize(
    "text",
    ["RR", "RR=", "=0.5", "RR=high", "RR=0,5", "RR=45%", "RR=nan", "RR=inf", "RR=1_0", "", "=", "nDCG(gain=exp)@10"],
)
@pytest.mark.parametrize("option", ["--floor", "--max-drop"])
def test_what_is_no_measure_and_value_is_refused(gate, option, text):
    said = gate("best.txt", option, text, status=2)
    assert f"{option} is {text!r}; allowed: MEASURE=VALUE, such as nDCG@10=0.45" in said


def test_numbers_that_are_none_and_measures_that_are_none_are_refused(gate):
    assert "a finite number" in gate("best.txt", "--floor", "RR=1e999", status=2)
    assert "did you mean RR" in gate("best.txt", "--floor", "RRR=0.5", status=2)
    assert "one measure; this means 2" in gate("best.txt", "--floor", "P@1,2=0.5", status=2)
    assert "of sessions" in gate("best.txt", "--floor", "sDCG@10=0.5", status=2)


def test_two_values_for_one_rule_are_refused_and_the_same_twice_is_not(gate):
    said = gate("best.txt", "--floor", "RR=0.5", "--floor", "recip_rank=0.6", status=2)
    assert "floor of RR is '0.5 and 0.6'; allowed: one value for each measure" in said
    gate("best.txt", "--floor", "RR=0.5", "--floor", "RR=0.50")


def test_without_a_rule_nothing_passes(gate, base):
    assert "a gate without a rule" in gate("best.txt", status=2)
    assert "a gate without a rule" in gate("best.txt", "-m", "RR", *base, status=2)


def test_without_a_baseline_the_lowest_queries_are_shown(gate):
    found = verdict(gate("varied.txt", "--floor", "RR=0.9", "--format", "json", status=1))
    assert [look["query"] for look in found["look_at"]] == QUERIES[::-1]
    assert found["look_at"][0] == {"measure": "RR", "query": "q7", "now": 1 / 9, "before": None}
    out = gate("varied.txt", "--floor", "RR=0.9", status=1)
    assert "Look first at the lowest queries by RR:\n\nquery      RR\nq7     0.1111\n" in out


# ── drops ────────────────────────────────────────────────────────────────────────────────────


def test_a_drop_passes_up_to_its_bound(gate, base):
    assert "dropped by 0.0625, from 1.0000 to 0.9375" in gate(
        "once.txt", *base, "--max-drop", "RR=0.0625"
    )
    out = gate("once.txt", *base, "--max-drop", "RR=0.06", status=1)
    assert out.startswith(
        "FAILED: RR dropped by 0.0625, from 1.0000 to 0.9375; at most 0.06 is allowed\n"
    )
    assert "query  baseline     run   change\nq3       1.0000  0.5000  -0.5000\n" in out


def test_what_rises_or_stays_passes_a_bound_of_zero(gate):
    gate("once.txt", "-m", "RR", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=0")
    assert gate("once.txt", *words).startswith("passed: RR did not drop: from 0.9375 to 0.9375")
    assert gate("best.txt", *words).startswith("passed: RR did not drop: from 0.9375 to 1.0000")
    gate("worse.txt", *words, status=1)


def test_a_negative_bound_is_refused(gate, base):
    said = gate("best.txt", *base, "--max-drop", "RR=-0.01", status=2)
    assert "max_drop of RR is -0.01; allowed: a finite number from 0 on" in said


@pytest.mark.parametrize("rule", [("--max-drop", "RR=0.1"), ("--significant", "0.05")])
def test_a_rule_about_a_drop_needs_a_baseline(gate, rule):
    assert "need --baseline FILE" in gate("best.txt", *rule, status=2)
    assert "need --baseline FILE" in gate(
        "best.txt", *rule, "--save-baseline", "new.json", status=2
    )


def test_a_missing_query_counts_as_0_and_is_the_first_to_look_at(gate, base):
    out = gate("lost.txt", *base, "--max-drop", "RR=0.1", status=1)
    assert "dropped by 0.1250" in out
    assert "q5       1.0000  0.0000  -1.0000" in out
    assert "1 missing" in out


def test_queries_that_one_side_lacks_are_said_and_the_others_compared(gate):
    gate("once.txt", "-m", "RR", "--missing", "skip", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=0", "--missing", "skip")
    found = verdict(gate("lost.txt", *words, "--format", "json"))
    check = found["checks"][0]
    assert check["value"] == 1
    assert check["baseline"] == pytest.approx(6.5 / 7)  # q5 is in the baseline only
    assert "1 query counts in the baseline only: 'q5' (RR)" in found["notes"]
    Path("lost3.txt").write_text(ranked(q3=None))
    gate("lost3.txt", "-m", "RR", "--missing", "skip", "--save-baseline", "base.json")
    found = verdict(gate("once.txt", *words, "--floor", "RR=0.9", "--format", "json"))
    assert [check["value"] for check in found["checks"]] == [0.9375, 1]  # the drop: without q3
    assert "1 query counts in this run only: 'q3' (RR)" in found["notes"]


def test_runs_without_a_query_in_common_cannot_be_compared(gate):
    Path("one.txt").write_text(ranked(**dict.fromkeys(QUERIES[1:])))
    Path("two.txt").write_text(ranked(**dict.fromkeys(QUERIES[:-1])))
    gate("one.txt", "-m", "RR", "--missing", "skip", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=1", "--missing", "skip")
    assert "no query in common" in gate("two.txt", *words, status=2)


def test_a_sum_over_queries_can_drop_too(gate):
    gate("best.txt", "-m", "num_rel_ret", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop")
    gate("lost.txt", *words, "num_rel_ret=1")
    gate("lost.txt", *words, "num_rel_ret=0.5", status=1)


# ── significance ─────────────────────────────────────────────────────────────────────────────


def test_a_drop_in_every_query_is_significant(gate, base):
    found = verdict(gate("worse.txt", "-m", "RR", *base, "--significant", "0.05", "--format",
                         "json", status=1))  # fmt: skip
    check = found["checks"][0]
    assert check["p"] == pytest.approx(1 / 2**8)  # of 256 ways to flip signs only one is as low
    assert check["rule"] == "significant"
    out = gate("worse.txt", "-m", "RR", *base, "--significant", "0.05", status=1)
    assert out.startswith(
        "FAILED: RR is significantly worse than the baseline: from 1.0000 to 0.5000, "
        "p = 0.0039 at 0.05\n"
    )
    assert "p is one-sided: sign-flip randomisation test over 8 queries" in out


def test_the_level_itself_is_not_below_the_level(gate, base):
    words = ("-m", "RR", *base, "--significant")
    gate("worse.txt", *words, str(1 / 256 + 1e-9), status=1)
    said = gate("worse.txt", *words, str(1 / 256), status=2)
    assert "no p can be below 0.003906" in said


def test_a_drop_in_one_query_is_not_significant(gate, base):
    found = verdict(
        gate("once.txt", "-m", "RR", *base, "--significant", "0.05", "--format", "json")
    )
    assert found["checks"][0]["p"] == 0.5


def test_a_better_run_is_not_significantly_worse(gate):
    gate("worse.txt", "-m", "RR", "--save-baseline", "base.json")
    words = ("-m", "RR", "--baseline", "base.json", "--significant", "0.05", "--format", "json")
    assert verdict(gate("best.txt", *words))["checks"][0]["p"] == 1


def test_p_is_corrected_over_the_measures_and_that_is_said(gate, base):
    words = ("-m", "RR", "-m", "P@1", *base, "--significant", "0.05")
    found = verdict(gate("worse.txt", *words, "--format", "json", status=1))
    assert [check["raw_p"] for check in found["checks"]] == [1 / 256, 1 / 256]
    assert [check["p"] for check in found["checks"]] == [2 / 256, 2 / 256]
    assert "Holm-corrected over 2 measures" in gate("worse.txt", *words, status=1)


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign", "bootstrap", "bca"])
def test_every_test_sees_a_clear_drop(gate, base, test):
    words = ("-m", "RR", *base, "--significant", "0.05", "--test", test)
    gate("varied.txt", *words, status=1)


@pytest.mark.parametrize("test", ["t", "bootstrap", "bca"])
def test_differences_that_are_all_alike_are_refused_by_tests_that_need_others(gate, base, test):
    words = ("-m", "RR", *base, "--significant", "0.05", "--test", test)
    said = gate("worse.txt", *words, status=2)
    assert "RR differs by -0.5 in every query" in said
    assert "--test randomisation" in said


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign", "bootstrap", "bca"])
def test_identical_runs_pass_with_p_1_and_a_word(gate, base, test):
    words = ("-m", "RR", *base, "--significant", "0.05", "--max-drop", "RR=0", "--test", test)
    out = gate("best.txt", *words)
    assert out.startswith("passed: all 2 rules hold\n")
    assert "the run scores as the baseline does in every query (RR)" in out
    found = verdict(gate("best.txt", *words, "--format", "json"))
    assert found["checks"][1]["p"] == 1


def test_rounding_that_always_goes_one_way_is_no_evidence(gate, base):
    content = json.loads(Path("base.json").read_text())
    for row in content["values"].values():
        row["RR"] += 4e-16
    Path("base.json").write_text(signed(content))
    words = ("-m", "RR", *base, "--significant", "0.05", "--max-drop", "RR=0", "--format", "json")
    found = verdict(gate("best.txt", *words))
    assert [check["p"] for check in found["checks"]] == [None, 1]
    assert found["look_at"] == []


def test_one_query_cannot_be_tested_and_does_not_pass(gate):
    Path("one.txt").write_text("q0 0 good 1\n")
    gate("best.txt", "-m", "RR", "--save-baseline", "b.json", judgments="one.txt")
    for run in ("best.txt", "worse.txt"):
        words = ("-m", "RR", "--baseline", "b.json", "--significant", "0.05")
        assert "only one query" in gate(run, *words, status=2, judgments="one.txt")


def test_a_drop_that_too_few_queries_could_never_show_does_not_pass(gate):
    Path("four.txt").write_text("".join(f"{q} 0 good 1\n" for q in QUERIES[:4]))
    gate("best.txt", "-m", "RR", "--save-baseline", "b.json", judgments="four.txt")
    words = ("-m", "RR", "--baseline", "b.json", "--significant", "0.05")
    said = gate("worse.txt", *words, status=2, judgments="four.txt")
    assert "with 4 queries the sign-flip randomisation test cannot say" in said
    assert "no p can be below 0.0625" in said
    gate("best.txt", *words, judgments="four.txt")  # what did not drop needs no test


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--significant", "0"), "significant is 0; allowed: a number between 0 and 1"),
        (("--significant", "1"), "significant is 1"),
        (("--significant", "nan"), "significant is nan"),
        (("--significant", "five"), "'five' is not a valid float"),
        (("--significant", "0.05", "--resamples", "0"), "resamples is 0; allowed: 99 to"),
        (("--significant", "0.05", "--seed", "-1"), "seed is -1"),
        (("--significant", "0.05", "--test", "chi2"), "'chi2' is not one of"),
        (("--significant", "0.05", "-m", "num_rel_ret"), "a mean over queries"),
    ],
)
def test_a_test_that_cannot_be_is_refused(gate, words, expected):
    gate("best.txt", "-m", "RR", "-m", "num_rel_ret", "--save-baseline", "base.json")
    said = gate("best.txt", "-m", "RR", "--baseline", "base.json", *words, status=2)
    assert expected in said


def test_monte_carlo_is_reproducible_and_says_its_seed(gate):
    many = [f"m{number}" for number in range(40)]
    Path("many.txt").write_text("".join(f"{q} 0 good 1\n" for q in many))
    for name, step in (("a", 5), ("b", 3)):
        lines = []
        for at, query in enumerate(many):
            good = 1 + at % step
            lines += [f"{query} Q0 {'good' if i == good else i} {i} {-i} r" for i in range(1, 7)]
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")
    gate("b.txt", "-m", "RR", "--save-baseline", "base.json", judgments="many.txt")
    words = ("-m", "RR", "--baseline", "base.json", "--significant", "0.0005", "--format", "json")
    one, two, other = (
        verdict(gate("a.txt", *words, "--seed", seed, judgments="many.txt"))
        for seed in ("7", "7", "8")
    )
    assert one == two
    assert one["checks"][0]["p"] != other["checks"][0]["p"]
    assert "10000 resamples, seed 7" in one["notes"][0]


# ── the baseline file ────────────────────────────────────────────────────────────────────────


def signed(content):
    """The file of a content whose checksum fits, as a forger would write it."""
    held = {name: value for name, value in content.items() if name != "checksum"}
    text = json.dumps(held, sort_keys=True, separators=(",", ":"))
    return json.dumps(held | {"checksum": f"sha256:{sha256(text.encode()).hexdigest()}"})


def test_a_baseline_alone_is_saved_and_holds_what_it_should(gate, base):
    held = json.loads(Path("base.json").read_text())
    assert held["format"] == "gainful baseline"
    assert held["version"] == 1
    assert held["run"] == "best"
    assert held["queries"] == 8
    assert held["measures"] == {"RR": "RR", "P@1": "P@1"}
    assert held["mean"] == {"RR": 1.0, "P@1": 1.0}
    assert held["values"]["q3"] == {"RR": 1.0, "P@1": 1.0}
    assert held["convention"]["ties"] == "doc_descending"
    assert held["convention"]["like"] == "gainful"
    assert signed(held) == json.dumps(held)


def test_saving_says_so_and_prints_the_means(gate):
    out = gate("once.txt", "-m", "RR", "--save-baseline", "base.json")
    assert out.startswith(
        "saved: once is the baseline in base.json\n\nmeasure     run\nRR       0.9375"
    )
    found = verdict(gate("once.txt", "--save-baseline", "base.json", "--format", "json"))
    assert found["saved"] == "base.json"
    assert list(found["mean"]) == ["nDCG@10", "AP", "RR"]


def test_values_are_kept_at_full_precision(gate):
    Path("third.txt").write_text(ranked(q0=3))
    gate("third.txt", "-m", "RR", "--save-baseline", "base.json")
    assert json.loads(Path("base.json").read_text())["values"]["q0"]["RR"] == 1 / 3


def test_a_run_that_fails_is_not_saved(gate, base):
    before = Path("base.json").read_bytes()
    words = (*base, "--max-drop", "RR=0.1", "--save-baseline", "base.json")
    out = gate("worse.txt", *words, status=1)
    assert "base.json is not written, as the run failed" in out
    assert Path("base.json").read_bytes() == before
    gate("worse.txt", "--floor", "RR=0.9", "--save-baseline", "new.json", status=1)
    assert not Path("new.json").exists()


def test_a_run_that_passes_may_replace_the_baseline_it_was_held_against(gate, base):
    out = gate("once.txt", *base, "--max-drop", "RR=0.1", "--save-baseline", "base.json")
    assert "saved as a baseline in base.json" in out
    assert json.loads(Path("base.json").read_text())["run"] == "once"


def test_a_query_that_is_left_out_is_null(gate):
    Path("empty.txt").write_text(QRELS + "none 0 good 0\n")
    words = ("-m", "RR", "-m", "nDCG", "--empty", "skip")
    gate("best.txt", *words, "--save-baseline", "base.json", judgments="empty.txt")
    assert json.loads(Path("base.json").read_text())["values"]["none"]["nDCG"] is None
    again = ("--baseline", "base.json", "--max-drop", "nDCG=0")
    gate("best.txt", *words, *again, judgments="empty.txt")


def test_a_mean_over_nothing_is_an_error_and_no_pass(gate):
    Path("none.txt").write_text("q0 0 good 0\n")
    for words in (("--floor", "nDCG=0"), ("-m", "nDCG", "--save-baseline", "new.json")):
        said = gate("best.txt", *words, "--empty", "skip", status=2, judgments="none.txt")
        assert "nDCG has no mean, as not one query counts" in said
    assert not Path("new.json").exists()


def test_a_file_cut_short_anywhere_is_refused(base):
    whole = Path("base.json").read_bytes().rstrip()
    for length in range(len(whole)):
        Path("cut.json").write_bytes(whole[:length])
        with pytest.raises(BadInput, match=r"^cut.json: .*--save-baseline FILE\)$"):
            read_baseline("cut.json")
    Path("cut.json").write_bytes(whole)
    assert read_baseline("cut.json").queries == 8


@pytest.mark.parametrize("field", ["run", "queries", "mean", "judgments", "gainful", "checksum"])
def test_a_file_that_was_edited_by_hand_is_refused(gate, base, field):
    content = json.loads(Path("base.json").read_text())
    content[field] = {"RR": 0.5, "P@1": 0.5} if field == "mean" else "edited"
    Path("base.json").write_text(json.dumps(content))
    said = gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)
    assert said.startswith(
        "gainful: base.json: it does not fit its checksum: it was edited by hand"
    )


def test_one_value_of_one_query_cannot_be_edited(gate, base):
    text = Path("base.json").read_text()
    for old, new in (('"RR": 1.0', '"RR": 0.9'), ('"ties": "doc_d', '"ties": "doc_a')):
        assert old in text
        Path("base.json").write_text(text.replace(old, new, 1))
        assert "checksum" in gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)


def test_how_lines_end_and_how_it_is_indented_does_not_count(gate, base):
    content = json.loads(Path("base.json").read_text())
    for text in (
        json.dumps(content),
        json.dumps(content, indent=4).replace("\n", "\r\n"),
        "\ufeff" + json.dumps(dict(reversed(content.items()))),
    ):
        Path("base.json").write_text(text, encoding="utf-8")
        gate("best.txt", *base, "--max-drop", "RR=0.1")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"format": "other"}, "this is no baseline"),
        (
            {"version": 2},
            "version 2 of the format (a newer gainful wrote it); this gainful reads 1",
        ),
        ({"version": 0}, "version 0 of the format; this gainful reads 1"),
        ({"version": "1"}, "version '1' of the format"),
        ({"version": True}, "version True of the format"),
        ({"queries": "8"}, "'queries' is '8', not a whole number"),
        ({"queries": True}, "'queries' is True"),
        ({"queries": 7}, "'queries' is 7, but there are values of 8"),
        ({"run": None}, "'run' is None, not a text"),
        ({"gainful": 1}, "'gainful' is 1"),
        ({"judgments": []}, "'judgments' is []"),
        ({"measures": ["RR"]}, "'measures' is ['RR']"),
        ({"measures": {"RR": 1}}, "'measures' is {'RR': 1}"),
        ({"measures": {"RR": "RR"}}, "not of the same measures"),
        ({"mean": {"RR": None, "P@1": 1.0}}, "'mean' is"),
        ({"mean": {"RR": 1.0}}, "not of the same measures"),
        ({"values": {"q0": {"RR": "1", "P@1": 1}}}, "'values' is"),
        ({"values": {"q0": 1.0}}, "'values' is"),
        ({"values": []}, "'values' is []"),
        ({"convention": {"ties": ["a"]}}, "'convention' is"),
        ({"convention": "gainful"}, "'convention' is 'gainful'"),
        ({"more": 1}, "there is 'more' in it, which is unknown"),
        ({"measures": {}, "mean": {}, "values": {}, "queries": 0}, "there is no measure in it"),
    ],
)
def test_a_file_whose_fields_are_wrong_is_refused_even_if_its_checksum_fits(
    gate, base, change, expected
):
    content = json.loads(Path("base.json").read_text()) | change
    Path("base.json").write_text(signed(content))
    said = gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)
    assert said.startswith("gainful: base.json: ")
    assert expected in said
    assert "--save-baseline FILE" in said


@pytest.mark.parametrize(
    "field", ["run", "queries", "measures", "mean", "values", "convention", "judgments", "gainful"]
)
def test_a_file_that_lacks_a_field_is_refused(gate, base, field):
    content = json.loads(Path("base.json").read_text())
    del content[field]
    Path("base.json").write_text(signed(content))
    said = gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)
    assert f"there is no '{field}' in it" in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the file is empty"),
        ("no JSON", "this is not JSON"),
        ("[]", "this is no baseline"),
        ("{}", "this is no baseline"),
        ("null", "this is no baseline"),
        ('{"format": "gainful baseline", "format": 1}', "the key 'format' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "this is not JSON"),
    ],
)
def test_what_is_no_baseline_is_refused(gate, base, text, expected):
    Path("base.json").write_text(text)
    said = gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)
    assert expected in said
    assert "save a new one with --save-baseline FILE" in said


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_value_that_is_no_finite_number_is_refused(gate, base, word):
    text = Path("base.json").read_text()
    Path("base.json").write_text(text.replace('"RR": 1.0', f'"RR": {word}', 1))
    said = gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)
    assert "there is a value that is no finite number" in said


def test_files_that_are_not_there_or_none_are_refused(gate):
    words = ("--max-drop", "RR=0.1", "--baseline")
    assert "there is no such file" in gate("best.txt", *words, "absent.json", status=2)
    Path("folder").mkdir()
    assert "this is a directory" in gate("best.txt", *words, "folder", status=2)
    Path("bytes.json").write_bytes(b"{\x00\xff")
    assert "this is a binary file" in gate("best.txt", *words, "bytes.json", status=2)


def test_a_measure_that_the_baseline_lacks_is_named_with_those_it_has(gate, base):
    said = gate("best.txt", *base, "--max-drop", "AP=0.1", status=2)
    assert "base.json: it has no values of AP, but of RR, P@1" in said
    assert "-m 'AP' --save-baseline FILE" in said
    said = gate("best.txt", *base, "-m", "RR", "-m", "AP", "--significant", "0.05", status=2)
    assert "no values of AP" in said
    out = gate("best.txt", *base, "-m", "AP", "--max-drop", "RR=0.1")  # AP has no rule
    assert "not in the baseline: AP" in out


def test_a_measure_is_found_in_the_baseline_by_what_it_is_not_by_its_name(gate, base):
    out = gate("once.txt", *base, "--max-drop", "recip_rank=0.01", "--format", "json", status=1)
    assert verdict(out)["checks"][0]["baseline"] == 1


# ── conventions and judgments ────────────────────────────────────────────────────────────────


def test_another_convention_is_refused_and_its_habits_named(gate, base):
    words = (*base, "--max-drop", "RR=1")
    said = gate("best.txt", *words, "--ties", "input", "--missing", "skip", status=2)
    assert "ties is doc_descending in the baseline and input now" in said
    assert "missing is zero in the baseline and skip now" in said
    assert "--allow convention" in said
    out = gate("best.txt", *words, "--ties", "input", "--allow", "convention")
    assert "ties is doc_descending in the baseline and input now; compared all the same" in out
    gate("best.txt", *words, "--ties", "input", "--allow", "judgments", status=2)


def test_the_same_habits_under_another_name_are_the_same(gate, base):
    out = gate("best.txt", *base, "--max-drop", "RR=0", "--ties", "doc_descending")
    assert "compared all the same" not in out


def test_ties_that_a_tool_breaks_otherwise_for_one_measure_are_part_of_the_convention(gate):
    tool = next(name for name, habits in CONVENTIONS.items() if habits.ties_of)
    words = ("-m", "P@1", "--like", tool)
    gate("best.txt", *words, "--save-baseline", "base.json")
    again = (*words, "--baseline", "base.json", "--max-drop", "P@1=0")
    gate("best.txt", *again)
    content = json.loads(Path("base.json").read_text())
    own = [name for name in content["convention"] if name.startswith("ties of ")]
    del content["convention"][own[0]]
    Path("base.json").write_text(signed(content))
    assert f"{own[0]} is not told in the baseline" in gate("best.txt", *again, status=2)


def test_changed_judgments_are_refused(gate, base):
    Path("other.txt").write_text(QRELS.replace("q1 0 bad 0", "q1 0 bad 1"))
    words = (*base, "--max-drop", "RR=1")
    said = gate("best.txt", *words, status=2, judgments="other.txt")
    assert "the judgments have changed since the baseline was saved" in said
    assert "--allow judgments" in said
    out = gate("best.txt", *words, "--allow", "judgments", judgments="other.txt")
    assert "the judgments have changed since the baseline was saved; compared all the same" in out


def test_both_changes_are_said_at_once_and_allowed_by_themselves(gate, base):
    Path("other.txt").write_text(QRELS + "q1 0 new 1\n")
    words = (*base, "--max-drop", "RR=1", "--ties", "input")
    said = gate("best.txt", *words, status=2, judgments="other.txt")
    assert "--allow convention --allow judgments" in said
    both = ("--allow", "convention", "--allow", "judgments")
    gate("best.txt", *words, *both, judgments="other.txt")
    gate("best.txt", *words, *both[:2], status=2, judgments="other.txt")


def test_another_version_of_gainful_is_said(gate, base):
    content = json.loads(Path("base.json").read_text()) | {"gainful": "0.0.1"}
    Path("base.json").write_text(signed(content))
    assert "gainful '0.0.1' saved the baseline" in gate("best.txt", *base, "--max-drop", "RR=0")


def test_the_fingerprint_does_not_depend_on_order_format_or_compression(tmp_path):
    rows = [("q1", "a", 2.0), ("q1", "b", 0.0), ("é 2", "c,d", 0.5), ("q3", "e", -1.0)]
    trec = [f"{q.replace(' ', '_')} 0 {d} {g:g}" for q, d, g in rows]
    rows[2] = ("é_2", "c,d", 0.5)
    frame = pl.DataFrame(rows, schema=["query", "doc", "grade"], orient="row")
    (tmp_path / "a.txt").write_text("\n".join(trec) + "\n", encoding="utf-8")
    (tmp_path / "b.txt.gz").write_bytes(
        gzip.compress(("# words\n" + "\n".join(reversed(trec))).encode())
    )
    frame.write_csv(tmp_path / "c.csv")
    frame.reverse().write_parquet(tmp_path / "d.parquet")
    nested: dict[str, dict[str, float]] = {}
    for query, doc, grade in reversed(rows):
        nested.setdefault(query, {})[doc] = grade
    (tmp_path / "e.json").write_text(json.dumps(nested), encoding="utf-8")
    found = {fingerprint(read_judgments(path)) for path in sorted(tmp_path.iterdir())}
    found |= {fingerprint(as_judgments(nested)), fingerprint(as_judgments(frame.reverse()))}
    assert len(found) == 1


NESTED = st.dictionaries(
    st.sampled_from(["1", "2", "12", "1:1"]),
    st.dictionaries(st.sampled_from(["a", "b", "ab", "1", "-", ":"]), st.sampled_from([0, 1, 0.5])),
    min_size=1,
).filter(lambda judged: any(judged.values()))


@given(NESTED, NESTED)
def test_judgments_have_the_same_fingerprint_if_and_only_if_they_are_the_same(one, other):
    same = fingerprint(as_judgments(one)) == fingerprint(as_judgments(other))
    assert same == (one == other)


def test_subtopics_are_part_of_the_fingerprint_and_a_constant_column_is_not(tmp_path):
    texts = {
        "plain": "1 0 a 1\n1 0 b 2\n",
        "other": "1 Q a 1\n1 Q b 2\n",
        "topics": "1 1 a 1\n1 2 b 2\n",
        "turned": "1 2 b 2\n1 1 a 1\n",
        "swapped": "1 2 a 1\n1 1 b 2\n",
    }
    found = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        found[name] = fingerprint(read_judgments(tmp_path / name))
    assert found["plain"] == found["other"]
    assert found["topics"] == found["turned"]
    assert len(set(found.values())) == 3


# ── what is printed ──────────────────────────────────────────────────────────────────────────


def test_markdown_has_the_answer_first_and_tables(gate, base):
    out = gate("once.txt", *base, "--max-drop", "RR=0.01", "--format", "markdown", status=1)
    assert out.startswith("**FAILED: RR dropped by 0.0625")
    assert "| RR | 0.9375 | 1.0000 | -0.0625 | drop at most 0.01 | BROKEN |" in out
    assert "| q3 | 1.0000 | 0.5000 | -0.5000 |" in out


def test_junit_has_a_case_for_each_rule(gate, base):
    words = (*base, "--max-drop", "RR=0.01", "--floor", "P@1=0.5", "-o", "gate.xml")
    assert gate("once.txt", *words, status=1) == ""
    root = ElementTree.parse("gate.xml").getroot()
    suite = root.find("testsuite")
    assert suite.attrib["tests"] == "2"
    assert suite.attrib["failures"] == "1"
    good, bad = suite.findall("testcase")
    assert good.attrib["name"] == "P@1: floor 0.5"
    assert good.find("failure") is None
    assert bad.attrib == {"classname": "gainful.gate.once", "name": "RR: drop at most 0.01"}
    assert bad.find("failure").attrib["message"].startswith("RR dropped by 0.0625")
    assert "q3" in suite.find("system-out").text


def test_junit_holds_names_that_xml_cannot(gate, folder):
    query = 'q<&>"\x1b\x00]]>'.replace("\x00", "\x01")
    Path("odd.json").write_text(json.dumps({query: {"a": 1}}))
    Path("odd<&\"'\x07.json").write_text(json.dumps({query: {"b": 1}}))
    out = gate('odd<&"\'\x07.json', "--floor", "RR=1", "--format", "junit", status=1,
               judgments="odd.json")  # fmt: skip
    suite = ElementTree.fromstring(out).find("testsuite")
    assert suite.find("testcase").attrib["classname"] == "gainful.gate.odd<&\"'\ufffd"
    assert "]]>" in suite.find("system-out").text


def test_what_would_steer_a_terminal_is_shown_instead(gate):
    Path("odd.json").write_text(json.dumps({"q\x1b[31m": {"a": 1}}))
    Path("run\x1b[2J.json").write_text(json.dumps({"q\x1b[31m": {"b": 1}}))
    words = ("--floor", "RR=1", "--save-baseline", "b\x1b.json")
    out = gate("run\x1b[2J.json", *words, status=1, judgments="odd.json")
    assert "\x1b" not in out


def test_the_format_follows_the_suffix(gate):
    for name, begins in (
        ("a.txt", "passed"),
        ("a.md", "**passed"),
        ("a.json", "{"),
        ("a.xml", "<?"),
    ):
        gate("best.txt", "--floor", "RR=0.5", "-o", name)
        assert Path(name).read_text().startswith(begins)
    assert "what format is .pdf" in gate("best.txt", "--floor", "RR=0.5", "-o", "a.pdf", status=2)


def test_a_terminal_gets_colours_and_lines_that_fit(gate, base):
    found = judge(evaluate("qrels.txt", "once.txt", "RR"), Rules(floors={"RR": 0.99}))
    text = to_text(found, terminal=Terminal(width=60, colour=True))
    assert text.startswith("\x1b[1m\x1b[31mFAILED")
    assert max(len(line) for line in text.splitlines()[3:]) <= 60


def test_the_page_of_a_build_at_github_gets_the_verdict_added(gate, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    gate("once.txt", "--floor", "RR=0.99", status=1)
    gate("once.txt", "--floor", "RR=0.5", "--format", "json")
    text = Path("summary.md").read_text()
    assert text.startswith("before\n**FAILED: RR 0.9375")
    assert "**passed: RR 0.9375" in text


def test_a_summary_that_cannot_be_written_is_said_and_changes_nothing(folder, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "absent" / "summary.md"))
    for floor, status in (("0.5", 0), ("0.99", 1)):
        with pytest.raises(SystemExit) as ended:
            main(["gate", "qrels.txt", "once.txt", "--floor", f"RR={floor}"])
        printed = capsys.readouterr()
        assert ended.value.code == status
        assert "warning: GITHUB_STEP_SUMMARY cannot be written: No such file" in printed.err
        assert "0.9375" in printed.out


# ── files ────────────────────────────────────────────────────────────────────────────────────


def test_files_that_would_be_overwritten_or_are_two_things_are_refused(gate, base):
    floor = ("--floor", "RR=0.5")
    for words, expected in (
        (("--save-baseline", "best.txt"), "--save-baseline best.txt would overwrite what is read"),
        (("--save-baseline", "qrels.txt"), "would overwrite what is read"),
        (("-o", "best.txt"), "-o best.txt would overwrite what is read"),
        ((*base, "-o", "base.json"), "-o base.json would overwrite what is read"),
        (("--baseline", "./best.txt"), "--baseline ./best.txt is what is judged"),
        (("--save-baseline", "x.json", "-o", "./x.json"), "--save-baseline and -o are both"),
        (("--save-baseline", "-"), "--save-baseline needs a FILE"),
        (("--baseline", "-"), "only one file can be -"),
    ):
        run = "-" if "only one" in expected else "best.txt"
        assert expected in gate(run, *floor, *words, status=2)
    assert Path("best.txt").read_text() == RUNS["best"]


def test_a_baseline_that_cannot_be_written_is_an_error(gate):
    said = gate("best.txt", "-m", "RR", "--save-baseline", "absent/base.json", status=2)
    assert "absent/base.json: cannot be written: No such file or directory" in said
    Path("folder").mkdir()
    assert "cannot be written" in gate("best.txt", "--save-baseline", "folder", status=2)


def test_nothing_is_left_behind_beside_a_baseline(gate, base, folder):
    assert not [path for path in folder.iterdir() if path.name.startswith(".gainful")]


def test_a_run_can_come_through_a_pipe(gate, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUNS["once"].encode())))
    found = verdict(gate("-", "--floor", "RR=0.9", "--format", "json"))
    assert found["run"] == "stdin"


def test_a_file_with_both_needs_no_run_beside_it(gate):
    Path("rag.jsonl").write_text('{"query": "1", "retrieved": ["a", "b"], "relevant": ["b"]}\n')
    assert "0.5000" in gate(None, "--floor", "RR=0.5", judgments="rag.jsonl")
    assert "name a RUN" in gate(None, "--floor", "RR=0.5", status=2)


def test_a_measure_of_ones_own_has_rules_too(gate):
    Path("mine.py").write_text(
        "import gainful\n\n"
        "@gainful.register\n"
        "def Two(matched):\n"
        '    """Two for every query."""\n'
        "    return matched.retrieved * 0 + 2.0\n"
    )
    out = gate("best.txt", "--plugin", "mine.py", "--floor", "Two=2.5", status=1)
    assert out.startswith("FAILED: Two 2.0000 is below its floor 2.5\n")


def test_habits_and_formats_are_those_of_eval(gate):
    table = "query,doc,score\nq0,x,0.5\nq0,good,0.5\n"
    Path("tied.txt").write_text(table)
    words = ("--floor", "RR=0.05", "--run-format", "csv", "--format", "json")
    means = [
        verdict(gate("tied.txt", *words, "--ties", ties))["mean"]["RR"]
        for ties in ("doc_ascending", "doc_descending")
    ]
    assert means == [1 / 8, 0.5 / 8]
    like = verdict(
        gate("best.txt", "--floor", "nDCG@10=0.9", "--like", "quepid", "--format", "json")
    )
    assert like["convention"]["like"] == "quepid"


# ── from Python ──────────────────────────────────────────────────────────────────────────────

JUDGED = {query: {"good": 1} for query in QUERIES}
GOOD = {query: ["good", "x"] for query in QUERIES}
BAD = {query: ["x", "good"] for query in QUERIES}


def test_an_assertion_passes_and_gives_the_verdict():
    found = assert_ranking_quality(JUDGED, GOOD, floors={"RR": 1.0}, measures="AP")
    assert found.passed
    assert found.results.mean == {"AP": 1.0, "RR": 1.0}


def test_an_assertion_fails_with_the_verdict_as_its_message():
    with pytest.raises(AssertionError, match=r"^FAILED: RR 0.5000 is below its floor 0.9\n"):
        assert_ranking_quality(JUDGED, BAD, floors={"RR": 0.9})


def test_a_mistake_is_no_failed_assertion(tmp_path):
    with pytest.raises(BadValue, match="rules is 'none'"):
        assert_ranking_quality(JUDGED, GOOD)
    with pytest.raises(BadValue, match="baseline is None"):
        assert_ranking_quality(JUDGED, GOOD, max_drop={"RR": 0.1})
    with pytest.raises(BadInput, match="no such file"):
        assert_ranking_quality(JUDGED, GOOD, max_drop={"RR": 0.1}, baseline=tmp_path / "no.json")
    with pytest.raises(UnknownName, match="no allowance 'all'"):
        assert_ranking_quality(JUDGED, GOOD, floors={"RR": 0.1}, allow="all")
    with pytest.raises(UnknownName, match="no test 'chi2'"):
        assert_ranking_quality(JUDGED, GOOD, floors={"RR": 0.1}, test="chi2")
    with pytest.raises(BadValue, match="floor of RR is 'high'"):
        assert_ranking_quality(JUDGED, GOOD, floors={"RR": "high"})
    with pytest.raises(BadValue, match="floor of RR is nan"):
        assert_ranking_quality(JUDGED, GOOD, floors={"RR": float("nan")})
    save_baseline(JUDGED, GOOD, tmp_path / "b.json", "RR")
    with pytest.raises(CannotCompare, match="gain is linear in the baseline and exp now"):
        assert_ranking_quality(JUDGED, GOOD, baseline=tmp_path / "b.json", gain="exp",
                               max_drop={"RR": 0.1}, measures="DCG")  # fmt: skip


def test_the_logic_refuses_what_the_doors_would_have_refused(tmp_path):
    found = evaluate(JUDGED, GOOD, "RR", cutoff=3)
    with pytest.raises(BadValue, match="floor is 'AP'; allowed: a measure that was evaluated: RR"):
        judge(found, Rules(floors={"AP": 0.5}))
    save_baseline(JUDGED, GOOD, tmp_path / "b.json", "RR")
    old = read_baseline(tmp_path / "b.json")
    with pytest.raises(BadValue, match="judgments is None"):
        judge(found, Rules(max_drop={"RR": 0.5}), baseline=old)
    with pytest.raises(CannotCompare, match="cutoff is none in the baseline and 3 now"):
        judge(found, Rules(max_drop={"RR": 0.5}), baseline=old, judgments=as_judgments(JUDGED))
    deep = evaluate(JUDGED, GOOD, "RR", rel=0.5)
    with pytest.raises(CannotCompare, match="rel is none in the baseline and 0.5 now"):
        judge(deep, Rules(max_drop={"RR": 0.5}), baseline=old, judgments=as_judgments(JUDGED))


def test_a_baseline_saved_in_python_is_the_commands_own(gate, folder):
    save_baseline("qrels.txt", "best.txt", "mine.json", ["RR", "P@1"])
    gate("best.txt", "-m", "RR", "-m", "P@1", "--save-baseline", "base.json")
    mine, theirs = (json.loads(Path(name).read_text()) for name in ("mine.json", "base.json"))
    differ = {name for name in mine if mine[name] != theirs[name]}
    assert differ == {"run", "checksum"}  # the command names a run shorter
    with pytest.raises(AssertionError, match="significantly worse"):
        assert_ranking_quality("qrels.txt", "worse.txt", baseline="mine.json", significant=0.05,
                               measures="RR", seed=1, resamples=999)  # fmt: skip


def test_ids_that_are_numbers_are_paired_with_those_of_the_file(tmp_path):
    judged, run = {1: {7: 1}, 2: {8: 1}}, {1: {7: 0.5}, 2: {8: 0.5}}
    save_baseline(judged, run, tmp_path / "b.json", "RR")
    worse = {1: {9: 0.9, 7: 0.5}, 2: {8: 0.5}}
    with pytest.raises(AssertionError, match="dropped by 0.2500"):
        assert_ranking_quality(judged, worse, baseline=tmp_path / "b.json", max_drop={"RR": 0.1})


def test_a_test_that_fails_is_readable(tmp_path):
    (tmp_path / "test_search.py").write_text(
        "from gainful.testing import assert_ranking_quality\n\n"
        "def test_search():\n"
        "    judged = {'1': {'a': 1}, '2': {'b': 1}}\n"
        "    found = {'1': ['x', 'a'], '2': ['b']}\n"
        "    assert_ranking_quality(judged, found, floors={'RR': 0.8})\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_search.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "AssertionError: FAILED: RR 0.7500 is below its floor 0.8" in done.stdout
    assert "test_search.py:6" in done.stdout
    assert "testing.py" not in done.stdout  # the trace ends at the line that was typed


def test_the_helper_is_light_to_import():
    code = (
        "import sys, gainful.testing; "
        "print(sorted({'polars', 'scipy', 'click', 'pytest'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
