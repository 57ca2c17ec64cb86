"""Non-inferiority, bounds by query, drift along a chain of baselines, and the error rates of rules."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from by_hand import flip_signs
from facts import find_notes, list_facts
from gate_runs import QUERIES, make_run, sign_baseline
from refusals import refuses
from scipy.stats import norm, t
from written_files import write_qrels, write_run

from gainful import gate as judge
from gainful.errors import BadValue, GainfulError, WrongType
from gainful.evidence.gates.error_rates import Spread, stop_chance
from gainful.evidence.gates.rules import Check, Rules
from gainful.testing import assert_ranking_quality

VARIED = np.array([1 / (2 + at) - 1 for at in range(8)])  # RR of varied.txt less that of best.txt

# ── worse by less than a margin ──────────────────────────────────────────────────────────────


def test_the_limit_by_t_is_the_one_sided_one(gate, base, decide):
    limit = VARIED.mean() - t.isf(0.05, 7) * VARIED.std(ddof=1) / 8**0.5
    words = (*base, "--test", "t", "--no-worse-than")
    passed = decide("varied.txt", *words, f"RR={-limit + 1e-6}")["checks"][0]
    assert passed["limit"] == pytest.approx(limit)
    assert passed["level"] == 0.05
    assert passed["rule"] == "no_worse_than"
    gate("varied.txt", *words, f"RR={-limit - 1e-6}", status=1)


@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_the_limit_inverts_the_one_sided_randomisation_test(base, alpha, decide):
    words = (*base, "--no-worse-than", "RR=0.9", "--alpha", alpha)
    limit = decide("varied.txt", *words)["checks"][0]["limit"]
    below, above = (flip_signs(VARIED - (limit + step), "greater") for step in (-1e-6, 1e-6))
    assert below <= alpha < above


def judge_changes(folder, before, after, **rules):
    """The gate on queries whose RR is known, before and after: 1 / rank of the relevant document."""
    judged = {f"q{at}": {"good": 1} for at in range(len(before))}
    runs = [
        {query: [*(f"x{n}" for n in range(rank - 1)), "good"] for query, rank in zip(judged, ranks)}  # noqa: B905
        for ranks in (before, after)
    ]
    baseline = str(folder / "ranks.json")
    saved = judge(judged, runs[0], measures="RR", save_to=baseline)
    return saved, judge(judged, runs[1], measures="RR", baseline=baseline, **rules)


SKEWED = ([4] * 29 + [1], [4] * 15 + [3] * 14 + [10])  # 14 gain 1/12, one loses 9/10


def test_where_losses_are_rare_and_large_the_limit_is_said_to_be_lenient(gate_folder):
    rules = {"no_worse_than": {"RR": 0.08}}
    _, far = judge_changes(gate_folder, *SKEWED, no_worse_than={"RR": 0.5})
    _, verdict = judge_changes(gate_folder, *SKEWED, **rules)
    assert verdict.passed
    (note,) = find_notes(verdict.notes, "RR", "skewed", "losses")
    assert "--per-query RR=DROP:COUNT" in note
    _, turned = judge_changes(gate_folder, *SKEWED[::-1], **rules)
    _, even = judge_changes(gate_folder, [4] * 30, [4] * 14 + [3, 5] * 8, **rules)
    _, failed = judge_changes(gate_folder, *SKEWED, no_worse_than={"RR": 0.001})
    assert turned.passed
    assert even.passed
    assert not failed.passed
    for other in (turned, even, failed, far):
        assert not any("skewed" in text for text in other.notes)


def test_saving_a_baseline_suggests_a_margin_and_a_bound_by_query_together(gate_folder):
    saved, verdict = judge_changes(gate_folder, *SKEWED, per_query={"RR": (0.5, 1)})
    (note,) = [text for text in saved.notes if "--no-worse-than" in text]
    assert "--per-query" in note
    assert not any("--no-worse-than" in text for text in verdict.notes)


@pytest.mark.parametrize("test", ["bca", "randomisation"])
def test_a_bootstrap_of_few_queries_that_differ_is_said_to_be_liberal(gate_folder, test):
    _, verdict = judge_changes(gate_folder, *SKEWED, significant=0.05, test=test)
    notes = find_notes(verdict.notes, "only", "15", "queries")
    assert len(notes) == (test == "bca")


def test_what_is_not_shown_fails_even_if_the_mean_hardly_fell(gate, base):
    out = gate("once.txt", *base, "--no-worse-than", "RR=0.1", "--test", "t", status=1)
    assert list_facts(out.splitlines()[0], "not")[:5] == ["FAILED", "RR", "not", "0.1", "-0.0625"]
    assert find_notes(out.splitlines(), "RR", "0.1", "BROKEN")
    assert find_notes(out.splitlines(), "one-sided", "95", "t")
    gate("once.txt", *base, "--no-worse-than", "RR=0.2", "--test", "t")


def test_a_run_that_is_shown_to_be_better_is_said_to_be_better(gate_folder):
    even = [4] * 14 + [3, 5] * 8
    _, verdict = judge_changes(gate_folder, even, [2] * 30, no_worse_than={"RR": 0.1})
    (check,) = verdict.checks
    assert check.limit > 0
    assert list_facts(check.message)[1:] == [
        f"{check.value - check.baseline:.4f}", f"{check.limit:.4f}".rstrip("0"), "95",
    ]  # fmt: skip
    assert "worse" not in check.message


def test_the_same_run_is_shown_to_be_no_worse(gate, base):
    for test in ("randomisation", "t", "bca", "wilcoxon"):
        out = gate("best.txt", *base, "--no-worse-than", "RR=0.001", "--test", test)
        assert list_facts(out.splitlines()[0], "passed")[:3] == ["passed", "RR", "0.001"]


@pytest.mark.parametrize("rule", ["max_drop", "no_worse_than"])
def test_what_rounding_changes_is_no_change(gate_folder, rule):
    rules = {"test": "t", rule: {"RR": 1}}
    _, verdict = judge_changes(gate_folder, [3, 3, 3, 1], [1, 3, 3, 3], **rules)
    (check,) = verdict.checks
    assert check.value != check.baseline  # in the last digit
    assert not re.search(r"e-\d", verdict.to_text())


@pytest.mark.parametrize("bound", [0.1, (0.1,), (0.1, 1.5), "0.1:2", (True, 2)])
def test_a_bound_by_query_is_a_drop_and_a_count(bound):
    with refuses(WrongType, "per_query of RR"):
        Rules(per_query={"RR": bound})
    with pytest.raises(BadValue):
        Rules(per_query={"RR": (0.1, -1)})


# ── queries that fall ────────────────────────────────────────────────────────────────────────


def test_more_queries_than_may_must_fall_by_more_than_the_bound(gate, base, decide):
    out = gate("once.txt", *base, "--per-query", "RR=0.4:0", status=1)
    assert list_facts(out.splitlines()[0], "none") == ["FAILED", "1", "0.4", "RR", "none"]
    assert find_notes(out.splitlines(), "RR", "0", "0.4", "BROKEN")
    assert ["q3", "1.0000", "0.5000", "-0.5000"] in [line.split() for line in out.splitlines()]
    gate("once.txt", *base, "--per-query", "RR=0.4:1")
    gate("once.txt", *base, "--per-query", "RR=0.5:0")  # it fell by just as much
    verdict = decide("varied.txt", *base, "--per-query", "RR=0.7:4", status=1)
    assert (verdict["checks"][0]["fallen"], verdict["checks"][0]["most"]) == (6, 4)  # RR 1/4 … 1/9


def test_python_and_pytest_have_the_new_rules(gate_folder, gate, base):
    data = {"qrels": "qrels.txt", "run": "varied.txt", "baseline": "base.json"}
    rules = {"no_worse_than": {"RR": 0.9}, "per_query": {"RR": (0.7, 4)}}
    verdict = judge(**data, **rules, error_rates=True)
    assert [check.ok for check in verdict.checks] == [False, True]
    assert [list_facts(rate.rule) for rate in verdict.error_rates] == [["4", "0.7"], ["0.9"]]
    with refuses(AssertionError, "6", "0.7"):
        assert_ranking_quality(**data, **rules)


# ── which measures are tested ────────────────────────────────────────────────────────────────


def test_a_rule_about_one_measure_takes_no_other_out_of_the_test(base, decide):
    words = (*base, "--significant", "0.05", "--max-drop", "RR=0.9")
    verdict = decide("varied.txt", *words, status=1)
    tested = [check["measure"] for check in verdict["checks"] if check["rule"] == "significant"]
    assert tested == ["RR", "P@1"]
    asked = decide("varied.txt", "-m", "RR", *words, status=1)
    assert [c["measure"] for c in asked["checks"] if c["rule"] == "significant"] == ["RR"]
    assert find_notes(asked["notes"], "not", "tested", "P@1")


def test_sums_of_the_baseline_are_not_tested_and_that_is_said(gate, decide):
    gate("best.txt", "-m", "RR", "-m", "num_rel_ret", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--significant", "0.05")
    verdict = decide("varied.txt", *words, status=1)
    assert [check["measure"] for check in verdict["checks"]] == ["RR"]
    assert find_notes(verdict["notes"], "not", "tested", "num_rel_ret")


# ── the chain of baselines ───────────────────────────────────────────────────────────────────


@pytest.fixture
def chain(gate):
    """best (RR 1) and worse (RR 1/2) were saved one after the other; third has RR 1/3."""
    Path("third.txt").write_text(make_run(**dict.fromkeys(QUERIES, 3)))
    gate("best.txt", "-m", "RR", "--save-baseline", "base.json")
    words = ("--baseline", "base.json", "--max-drop", "RR=0.5")
    gate("worse.txt", *words, "--save-baseline", "base.json")
    return words


def test_a_baseline_saved_again_remembers_its_anchor_and_its_history(gate, chain):
    data = json.loads(Path("base.json").read_text())
    assert data["anchor"] == {"RR": {"run": "best", "values": dict.fromkeys(QUERIES, 1.0)}}
    assert [(save["run"], save["mean"]) for save in data["history"]] == [
        ("best", {"RR": 1.0}),
        ("worse", {"RR": 0.5}),
    ]
    assert [save["spread"] for save in data["history"]] == [{}, {"RR": 0.0}]


def test_a_decline_in_steps_that_each_pass_is_stopped_by_the_anchor(gate, chain, decide):
    out = gate("third.txt", *chain, status=1)
    # of 256 ways to flip signs one is as low
    expected = ["FAILED", "RR", "anchor", "1.0000", "0.3333", "0.0039", "0.05"]
    assert list_facts(out.splitlines()[0], "anchor") == expected
    broken, kept = (find_notes(out.splitlines(), "RR", word) for word in ("BROKEN", "holds"))
    assert ("drift" in broken[0], "0.5" in kept[0]) == (True, True)
    assert find_notes(out.splitlines(), "anchor", "best", "2", "baselines")
    flat = " ".join(out.split())
    assert "one-sided" in flat.partition("drift: ")[2]
    assert "resamples" not in flat  # all ways were looked at
    verdict = decide("third.txt", *chain, "--allow", "drift")
    assert [check["rule"] for check in verdict["checks"]] == ["max_drop"]
    assert find_notes(verdict["notes"], "RR", "anchor", "0.3333", "let", "through")


def test_a_run_that_drifted_is_not_saved(gate, chain):
    before = Path("base.json").read_text()
    out = gate("third.txt", "--baseline", "base.json", "--save-baseline", "base.json", status=1)
    assert find_notes(out.splitlines(), "base.json", "not", "written")
    assert Path("base.json").read_text() == before
    gate("best.txt", *chain, "--save-baseline", "base.json")
    assert len(json.loads(Path("base.json").read_text())["history"]) == 3


def test_floors_alone_do_not_test_drift(gate, chain):
    out = gate("third.txt", "--floor", "RR=0.3", "--baseline", "base.json")
    assert out.startswith("passed")
    assert "anchor" not in out


def test_a_measure_that_joins_later_has_its_anchor_from_then_on(gate, chain):
    words = ("--baseline", "base.json", "--save-baseline", "base.json")
    gate("best.txt", "-m", "RR", "-m", "P@1", *words)
    assert "P@1" not in json.loads(Path("base.json").read_text())["anchor"]
    gate("best.txt", "-m", "RR", "-m", "P@1", *words)
    anchor = json.loads(Path("base.json").read_text())["anchor"]
    assert anchor["RR"]["run"] == "best"
    assert anchor["P@1"]["values"] == dict.fromkeys(QUERIES, 1.0)


def test_other_judgments_or_no_baseline_begin_a_new_chain_and_that_is_said(gate, chain):
    Path("more.txt").write_text(Path("qrels.txt").read_text() + "q0 0 other 0\n")
    words = (*chain, "--save-baseline", "new.json", "--allow", "judgments", "--allow", "drift")
    out = gate("worse.txt", *words, qrels="more.txt")
    assert "a new chain" in " ".join(out.split())
    data = json.loads(Path("new.json").read_text())
    assert data["anchor"] == {}
    assert len(data["history"]) == 1
    out = gate("third.txt", "-m", "RR", "--save-baseline", "base.json")
    assert find_notes(out.splitlines(), "chain", "2", "base.json", "ends")
    out = gate("third.txt", "-m", "RR", "--save-baseline", "base.json")
    assert not find_notes(out.splitlines(), "chain", "ends")


def test_queries_too_few_to_show_a_drift_are_said(gate):
    write_qrels(Path("four.txt"), {q: {"good": 1} for q in QUERIES[:4]})
    gate("best.txt", "-m", "RR", "--save-baseline", "b.json", qrels="four.txt")
    words = ("--baseline", "b.json", "--max-drop", "RR=0.5", "--save-baseline", "b.json")
    gate("worse.txt", *words, qrels="four.txt")
    out = gate("worse.txt", *words, qrels="four.txt")
    assert find_notes(out.splitlines(), "4", "drift", "not", "tested", "-0.5000")


def test_a_baseline_of_the_first_version_is_read_and_goes_on(gate, base):
    data = json.loads(Path("base.json").read_text()) | {"version": 1}
    old = {name: value for name, value in data.items() if name not in ("anchor", "history")}
    Path("base.json").write_text(sign_baseline(old))
    gate("once.txt", *base, "--max-drop", "RR=0.1", "-m", "P@1", "--save-baseline", "base.json")
    new = json.loads(Path("base.json").read_text())
    assert new["version"] == 2
    assert [save["run"] for save in new["history"]] == ["best", "once"]
    assert new["anchor"]["RR"]["run"] == "best"


# ── error rates ──────────────────────────────────────────────────────────────────────────────


def stop_rate(rule, bound, n, drop=0.0, spread=0.0822, **more):
    check = Check(rule, "M", 0.5, bound, ok=True, **more)
    known = Spread(measure="M", queries=n, value=spread, source="seen")
    return stop_chance(check, known, Rules())(drop)


@pytest.mark.parametrize(
    ("n", "drop", "by_drop", "by_test"),
    [
        (50, 0.0, 0.19, 0.053),
        (50, 0.02, 0.79, 0.51),
        (100, 0.0, 0.105, 0.053),
        (100, 0.02, 0.88, 0.76),
        (200, 0.0, 0.037, 0.045),
        (200, 0.01, 0.48, 0.51),
        (500, 0.01, 0.50, 0.85),
    ],
)
def test_error_rates_are_those_of_an_independent_simulation(n, drop, by_drop, by_test):
    """30 % of the queries change, by N(·, 0.15): simulated builds, of an audit of the gate."""
    spread = (0.3 * (0.15**2 + (drop / 0.3) ** 2) - drop**2) ** 0.5
    assert stop_rate("max_drop", 0.01, n, drop, spread) == pytest.approx(by_drop, abs=0.025)
    assert stop_rate("significant", 0.05, n, drop, spread) == pytest.approx(by_test, abs=0.035)


@pytest.mark.parametrize("drop", [0.0, 0.02, 0.04])
def test_rates_of_margins_and_of_queries_are_those_of_simulated_builds(drop):
    n, spread, trials = 40, 0.1, 20_000
    changes = np.random.default_rng(3).normal(-drop, spread, (trials, n))
    limits = changes.mean(1) - t.isf(0.05, n - 1) * changes.std(1, ddof=1) / n**0.5
    assert stop_rate("no_worse_than", 0.04, n, drop, spread) == pytest.approx(
        (limits <= -0.04).mean(), abs=0.015
    )
    fell = (changes < -0.2).sum(axis=1)
    assert stop_rate("per_query", 0.2, n, drop, spread, most=1) == pytest.approx(
        (fell > 1).mean(), abs=0.015
    )


def test_a_floor_stops_by_how_far_the_run_is_above_it():
    assert stop_rate("floor", 0.48, 50, 0.01, 0.1) == pytest.approx(norm.sf(0.01 / 0.1 * 50**0.5))


def test_saving_tells_the_error_rates_of_usual_rules(gate, decide):
    verdict = decide("varied.txt", "-m", "RR", "--save-baseline", "base.json")
    spread = VARIED.std(ddof=1) / 4
    drop, fitting, tested = verdict["error_rates"]
    assert drop["rule"] == "drop at most 0.01"
    assert drop["spread"] == pytest.approx(spread)
    assert drop["spread_source"] == "assumed"
    error = spread / 8**0.5
    assert drop["neutral_stopped"] == pytest.approx(norm.sf(0.01 / error))
    assert drop["caught_drop"] == pytest.approx(0.01 + norm.isf(0.2) * error)
    assert fitting["neutral_stopped"] == pytest.approx(0.05, abs=0.005)
    assert tested["neutral_stopped"] == pytest.approx(0.05)
    out = gate("varied.txt", "-m", "RR", "--save-baseline", "base.json")
    assert ("How often" in out, "no change" in out) == (True, True)
    out = gate("best.txt", "-m", "RR", "--save-baseline", "base.json")  # whose RR does not vary
    assert find_notes(out.splitlines(), "no", "rates", "RR")
    assert "How often" not in out


def test_rates_of_rules_are_told_on_request_from_the_changes_that_were_seen(base, decide):
    words = (*base, "--max-drop", "RR=0.1", "--significant", "0.05", "-m", "RR", "--error-rates")
    verdict = decide("varied.txt", *words, status=1)
    drop, tested = verdict["error_rates"]
    error = VARIED.std(ddof=1) / 8**0.5
    assert drop["spread_source"] == "seen"
    assert drop["neutral_stopped"] == pytest.approx(norm.sf(0.1 / error))
    assert drop["caught_drop"] == pytest.approx(0.1 + norm.isf(0.2) * error)
    assert tested["rule"] == "not worse at 0.05"


def test_a_test_that_can_never_be_significant_catches_nothing():
    known = Spread(measure="M", queries=4, value=0.1, source="seen")
    chance = stop_chance(Check("significant", "M", 0.5, 0.05, ok=True), known, Rules())
    assert chance(0.5) == 0.0
    by_t = stop_chance(Check("significant", "M", 0.5, 0.05, ok=True), known, Rules(test="t"))
    assert by_t(0.5) > 0.9


def test_a_spread_of_the_chain_is_remembered(gate, decide):
    gate("best.txt", "-m", "RR", "--save-baseline", "base.json")
    save = ("--baseline", "base.json", "--save-baseline", "base.json")
    gate("varied.txt", *save, "--allow", "drift")
    for name in ("RR", "recip_rank"):  # however the measure is spelt
        verdict = decide("varied.txt", "-m", name, *save, "--allow", "drift")
        rate = verdict["error_rates"][0]
        assert rate["spread_source"] == "history"
        assert rate["spread"] == pytest.approx(VARIED.std(ddof=1))


def test_a_wrong_alpha_is_an_error_in_python_too():
    for alpha in (0, 0.5, 1, "x", float("nan")):
        with refuses(GainfulError, "alpha"):
            Rules(alpha=alpha)


def test_turns_of_conversations_are_said_to_be_no_independent_queries(gate):
    turns = [f"{conversation}_{turn}" for conversation in range(4) for turn in range(3)]
    for name, docs in (("turns.txt", "ab"), ("changed.txt", "ba")):
        write_run(Path(name), {turn: "ab" if turn.endswith("_0") else docs for turn in turns})
    write_qrels(Path("qrels.txt"), {turn: {"a": 1} for turn in turns})
    gate("turns.txt", "-m", "RR", "--save-baseline", "turns.json")
    words = ("changed.txt", "--baseline", "turns.json")
    tested = " ".join(gate(*words, "--significant", "0.05", status=1).split())
    assert re.search(r"turns \(0_0, 0_1\).* 4 clusters", tested)
    assert "turns (" not in gate("changed.txt", "--floor", "RR=0.1")
