"""`gainful.testing`: ranking quality as a test of one's own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from facts import find_notes
from gate_runs import QUERIES
from refusals import refuses

from gainful import evaluate, gate
from gainful.errors import BadInput, BadValue, CannotCompare, UnknownName
from gainful.evidence.gates.apply_rules import apply_rules as judge
from gainful.evidence.gates.rules import Rules
from gainful.read.baseline import read_baseline
from gainful.read.inputs import as_qrels
from gainful.testing import assert_ranking_quality, save_baseline

# ── from Python ──────────────────────────────────────────────────────────────────────────────

JUDGED = {query: {"good": 1} for query in QUERIES}
GOOD = {query: ["good", "x"] for query in QUERIES}
BAD = {query: ["x", "good"] for query in QUERIES}


def test_an_assertion_passes_and_gives_the_verdict_or_fails_with_it_as_its_message():
    verdict = assert_ranking_quality(JUDGED, GOOD, floors={"RR": 1.0}, measures="AP")
    assert verdict.passed
    assert verdict.results.mean == {"AP": 1.0, "RR": 1.0}
    with refuses(AssertionError, "0.5000"):
        assert_ranking_quality(JUDGED, BAD, floors={"RR": 0.9})


def test_a_gate_says_what_an_assertion_raises(tmp_path):
    saved = tmp_path / "b.json"
    verdict = gate(JUDGED, GOOD, floors={"RR": 0.9}, save_to=saved)
    assert verdict.passed
    assert find_notes(verdict.notes[-1:], "saved", saved)
    assert read_baseline(saved).mean == {"RR": 1.0}
    failed = gate(JUDGED, BAD, baseline=saved, max_drop={"RR": 0.1}, save_to=saved)
    assert not failed.passed
    assert read_baseline(saved).mean == {"RR": 1.0}
    with pytest.raises(AssertionError) as raised:
        assert_ranking_quality(JUDGED, BAD, baseline=saved, max_drop={"RR": 0.1})
    assert str(raised.value).splitlines()[0] == failed.to_text().splitlines()[0]


@pytest.mark.parametrize(
    ("rules", "error", "about"),
    [
        ({}, BadValue, "rules"),
        ({"max_drop": {"RR": 0.1}}, BadValue, "baseline"),
        ({"max_drop": {"RR": 0.1}, "baseline": "no.json"}, BadInput, "no.json"),
        ({"floors": {"RR": 0.1}, "allow": "all"}, UnknownName, "all"),
        ({"floors": {"RR": 0.1}, "test": "chi2"}, UnknownName, "chi2"),
        ({"floors": {"RR": "high"}}, BadValue, "floor of RR"),
        ({"floors": {"RR": float("nan")}}, BadValue, "floor of RR"),
        (
            {"max_drop": {"RR": 0.1}, "baseline": "b.json", "measures": "DCG", "gain": "exp"},
            *(CannotCompare, ""),
        ),
    ],
)
def test_a_mistake_is_no_failed_assertion(tmp_path, monkeypatch, rules, error, about):
    monkeypatch.chdir(tmp_path)
    save_baseline(JUDGED, GOOD, tmp_path / "b.json", "RR")
    with refuses(error, about):
        assert_ranking_quality(JUDGED, GOOD, **rules)


def test_the_logic_refuses_what_the_doors_would_have_refused(tmp_path):
    results = evaluate(JUDGED, GOOD, "RR", cutoff=3)
    with refuses(BadValue, "floor"):
        judge(results, Rules(floors={"AP": 0.5}))
    save_baseline(JUDGED, GOOD, tmp_path / "b.json", "RR")
    old = read_baseline(tmp_path / "b.json")
    with refuses(BadValue, "judgments"):
        judge(results, Rules(max_drop={"RR": 0.5}), baseline=old)
    with refuses(CannotCompare, "3"):
        judge(results, Rules(max_drop={"RR": 0.5}), baseline=old, qrels=as_qrels(JUDGED))
    deep = evaluate(JUDGED, GOOD, "RR", rel=0.5)
    with refuses(CannotCompare, "0.5"):
        judge(deep, Rules(max_drop={"RR": 0.5}), baseline=old, qrels=as_qrels(JUDGED))


def test_a_baseline_saved_in_python_is_the_commands_own(gate, gate_folder):
    save_baseline("qrels.txt", "best.txt", "mine.json", ["RR", "P@1"])
    gate("best.txt", "-m", "RR", "-m", "P@1", "--save-baseline", "base.json")
    mine, theirs = (json.loads(Path(name).read_text()) for name in ("mine.json", "base.json"))
    assert mine == theirs
    with pytest.raises(AssertionError):
        assert_ranking_quality("qrels.txt", "worse.txt", baseline="mine.json", significant=0.05,
                               measures="RR", seed=1, resamples=999)  # fmt: skip


def test_ids_that_are_numbers_are_paired_with_those_of_the_file(tmp_path):
    judged, run = {1: {7: 1}, 2: {8: 1}}, {1: {7: 0.5}, 2: {8: 0.5}}
    save_baseline(judged, run, tmp_path / "b.json", "RR")
    worse = {1: {9: 0.9, 7: 0.5}, 2: {8: 0.5}}
    with refuses(AssertionError, "0.2500"):
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
    assert "AssertionError: FAILED: RR 0.7500" in done.stdout
    assert "test_search.py:6" in done.stdout
    assert "testing.py" not in done.stdout  # the trace ends at the line that was typed


def test_the_helper_is_light_to_import(run_python):
    code = (
        "import sys, gainful.testing; "
        "print(sorted({'polars', 'scipy', 'click', 'pytest'} & set(sys.modules)))"
    )
    assert run_python(code) == "[]"
