"""p of resamples is stated with its Monte Carlo error, and where chance decides, that is said."""

import json

import numpy as np
import polars as pl
import pytest
from facts import find_notes, list_facts

import gainful

QUERIES = [str(query) for query in range(40)]
JUDGED = {query: {f"r{n}": 1 for n in range(10)} for query in QUERIES}


def make_runs(shift, spread, runs=2):
    """Runs of P@10 near 0.5, the others better by so much than the first."""
    random = np.random.default_rng(5)
    hits = np.clip(
        np.rint(random.normal(5, spread, (40, runs)) + shift * (np.arange(runs) > 0)), 0, 10
    )
    return {
        f"run{at}": {
            query: [f"r{n}" for n in range(int(hits[row, at]))] + ["x"]
            for row, query in enumerate(QUERIES)
        }
        for at in range(runs)
    }


@pytest.mark.parametrize("runs", [2, 4])
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_the_error_is_the_deviation_over_seeds(runs, test):
    """Of the p and of the corrected p, by 60 seeds."""
    data = [
        gainful.compare(
            JUDGED, make_runs(1.1, 2, runs), "P@10", test=test, resamples=999, seed=seed
        ).to_dict()["pairs"][0]
        for seed in range(60)
    ]
    assert_errors_are_the_deviations_of(data)


@pytest.mark.parametrize(
    ("systems", "options"),
    [
        ("ABC", {"correct": "max-t"}),
        ("ABC", {"correct": "holm"}),
        ("ABC", {"test": "tukey"}),
        ("AC", {"test": "tukey"}),
    ],
)
def test_the_error_of_a_study_is_the_deviation_over_seeds(systems, options):
    """By max-T, and tukey of several systems, p counts both sides, else twice the smaller one."""
    random = np.random.default_rng(5)
    rows = [
        {"session": f"{searcher}{system}", "query": 1, "rank": 1, "doc": "d"}
        | {"searcher": f"p{searcher}", "system": system, "grade": 5 + random.normal() + better}
        for searcher in range(30)
        for system, better in (("A", 0), ("B", 0), ("C", 0.3))
        if system in systems
    ]
    data = [
        gainful.sessions.compare(
            pl.DataFrame(rows), measures="sDCG@1", **options, resamples=999, seed=seed
        ).to_dict()["pairs"][len(systems) - 2]
        for seed in range(60)
    ]
    assert_errors_are_the_deviations_of(data)


def assert_errors_are_the_deviations_of(data):
    for name, error in (("p", "p_error"), ("p_corrected", "p_corrected_error")):
        observed = np.std([pair[name] for pair in data])
        stated = np.mean([pair[error] for pair in data])
        assert stated == pytest.approx(observed, rel=0.35)  # a deviation of 60 is sure to 9 %


def test_what_leaves_nothing_to_chance_has_no_error():
    exact = gainful.compare(JUDGED, make_runs(0.6, 2), "P@10", test="t").to_dict()["pairs"][0]
    assert (exact["p_error"], exact["p_corrected_error"]) == (None, None)
    few = {name: {q: run[q] for q in QUERIES[:8]} for name, run in make_runs(0.6, 2).items()}
    judged = {query: JUDGED[query] for query in QUERIES[:8]}
    assert gainful.compare(judged, few, "P@10").to_dict()["pairs"][0]["p_error"] is None
    assert "simulated" not in gainful.compare(judged, few, "P@10").to_text()


def test_a_decision_that_another_seed_could_turn_is_said_to_be_none():
    notes, ps = [], []
    for shift in np.linspace(0.5, 1.9, 15):
        comparison = gainful.compare(JUDGED, make_runs(shift, 2), "P@10", resamples=199)
        ps.append(comparison.pairs[0].p_corrected)
        notes.append(bool(find_notes(comparison.notes, "close", "0.05", "decide")))
        assert notes[-1] == comparison.is_undecided(comparison.pairs[0])
        assert notes[-1] == ("simulation error of 0.05" in comparison.page().answer)
    error = np.sqrt(np.array(ps) * (1 - np.array(ps)) / 199)
    assert notes == (np.abs(np.array(ps) - 0.05) < 2 * error).tolist()
    assert 0 < sum(notes) < len(notes)


def test_the_page_tells_the_error_at_the_level():
    text = gainful.compare(JUDGED, make_runs(0.6, 2), "P@10").to_text()
    (line,) = (line for line in text.splitlines() if "simulated" in line)
    assert list_facts(line)[-2:] == ["0.0022", "0.05"]
    assert json.dumps(gainful.compare(JUDGED, make_runs(0.6, 2), "P@10").to_dict())
