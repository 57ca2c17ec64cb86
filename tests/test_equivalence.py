"""Practically the same? Two one-sided tests and posterior probabilities, against print and loops."""

import json

import numpy as np
import pytest
from example_files import NEWS_QRELS, NEWS_RUNS
from facts import find_notes
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

import gainful
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.evidence.statistics.paired_tests import posterior_t, tost_p


def describe(d):
    return d.mean(axis=0), d.std(axis=0, ddof=1) / np.sqrt(len(d)), len(d) - 1


@examples(50)
@given(st.integers(0, 10_000), st.integers(3, 40), st.floats(0.01, 2))
def test_tost_is_statsmodels(seed, n, margin):
    d = np.random.default_rng(seed).normal(0.3, 1, (n, 1))
    theirs = DescrStatsW(d[:, 0]).ttost_mean(-margin, margin)[0]
    assert tost_p(*describe(d), margin)[0] == pytest.approx(theirs, rel=1e-9)


def test_the_posterior_is_students_t_about_the_mean():
    """baycomp's Posterior(mean, variance / n, n - 1, rope).probs(), of these differences."""
    d = np.random.default_rng(3).normal(0.15, 0.4, (20, 1))
    mean, error, degrees = describe(d)
    better, same, worse = posterior_t(mean, error, degrees, 0.1)
    about = stats.t(degrees, mean[0], error[0])
    assert worse[0] == pytest.approx(about.cdf(-0.1), rel=1e-9)
    assert better[0] == pytest.approx(about.sf(0.1), rel=1e-9)
    assert better + same + worse == pytest.approx(1)


def test_differences_that_do_not_vary_are_decided():
    mean, error = np.array([0.0, 0.3, 0.1]), np.zeros(3)
    assert tost_p(mean, error, 9, 0.1).tolist() == [0.0, 1.0, 0.5]
    _, same, _ = posterior_t(mean, error, 9, 0.1)
    assert same.tolist() == [1.0, 0.0, 0.5]


def test_tost_rejects_in_five_per_cent_at_the_margin():
    """A true difference of just the margin is called equivalent in alpha of cases, at most."""
    d = np.random.default_rng(1).normal(0.5, 1, (100, 4000))
    p = tost_p(*describe(d), 0.5)
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.011)


# ── compare ──────────────────────────────────────────────────────────────────────────────────


def compare(**options):
    return gainful.compare(NEWS_QRELS, NEWS_RUNS, ["nDCG@10", "AP"], **options)


def read_differences(system, other, measure="nDCG@10"):
    values = [
        gainful.evaluate(NEWS_QRELS, NEWS_RUNS[name], measure).per_query[measure]
        for name in (system, other)
    ]
    return (values[0] - values[1]).to_numpy()[:, None]


def test_compare_says_which_runs_are_practically_the_same():
    comparison = compare(equivalent={"ndcg@10": 0.06})
    pair = comparison.pair("nDCG@10", "hybrid", "dense")
    d = read_differences("hybrid", "dense")
    assert pair.equivalence.margin == 0.06
    assert pair.equivalence.p == pytest.approx(tost_p(*describe(d), 0.06)[0])
    assert comparison.is_equivalent(pair)
    better, *_ = posterior_t(*describe(d), 0.06)
    assert pair.equivalence.better == pytest.approx(better[0])
    turned = comparison.pair("nDCG@10", "dense", "hybrid").equivalence
    assert (turned.better, turned.worse) == (pair.equivalence.worse, pair.equivalence.better)
    assert comparison.pair("AP", "hybrid", "dense").equivalence is None
    ps = [pair.equivalence.p for pair in comparison.pairs if pair.equivalence is not None]
    corrected = [
        pair.equivalence.p_corrected for pair in comparison.pairs if pair.equivalence is not None
    ]
    smallest = int(np.argmin(ps))
    assert corrected[smallest] == pytest.approx(min(1, 3 * ps[smallest]))  # Holm over three pairs
    lines = comparison.to_text().splitlines()
    heads = next(at for at, line in enumerate(lines) if "TOST p" in line)
    assert lines[heads - 1].split() == ["corrected"]
    assert f"{corrected[smallest]:.4f}" in " ".join(lines[heads + 1 : heads + 4])


def test_one_margin_is_for_all_measures_whatever_the_test():
    comparison = compare(equivalent=0.06, test="wilcoxon", correct="none")
    assert all(pair.equivalence is not None for pair in comparison.pairs)
    pair = comparison.pair("nDCG@10", "hybrid", "dense")
    _, same, _ = posterior_t(*describe(read_differences("hybrid", "dense")), 0.06)
    assert pair.equivalence.same == pytest.approx(same[0])
    assert pair.equivalence.p_corrected == pair.equivalence.p


def test_skewed_differences_are_said_to_make_tost_lenient():
    judged = {f"q{at}": {"good": 1} for at in range(30)}
    runs = {
        name: {
            query: [*(f"x{n}" for n in range(rank - 1)), "good"]
            for query, rank in zip(judged, ranks, strict=True)
        }
        for name, ranks in {
            "a": [4] * 29 + [1],
            "b": [4] * 15 + [3] * 14 + [10],
            "c": [4] * 14 + [3, 5] * 7 + [3, 1],
        }.items()
    }
    skewed, even = (
        gainful.compare(judged, {name: runs[name] for name in names}, "RR", equivalent=0.2).notes
        for names in ("ab", "ac")
    )
    assert find_notes(skewed, "RR", "b", "a", "skewed", "TOST")
    assert not any("skewed" in note for note in even)


@pytest.mark.parametrize(
    ("margin", "error", "about"),
    [
        (0, BadValue, "equivalent"),
        (-0.1, BadValue, "equivalent"),
        (float("nan"), BadValue, "equivalent"),
        (float("inf"), BadValue, "equivalent"),
        ("much", WrongType, "equivalent"),
        ({"AP": 0}, BadValue, "equivalent"),
        ({"RR": 0.1}, UnknownName, "RR"),
    ],
)
def test_margins_that_are_none(margin, error, about):
    with refuses(error, about):
        compare(equivalent=margin)


def test_the_command_answers_and_lists(run_gainful):
    words = ("compare", NEWS_QRELS, NEWS_RUNS["bm25"], NEWS_RUNS["dense"], "-m", "nDCG@10")
    out = run_gainful(*words, "--equivalent", "nDCG@10=0.2", "--format", "table").out
    flat = " ".join(out.split())
    assert "practically" in flat
    assert "within 0.2 (TOST" in flat
    assert "P(better) P(same) P(worse)" in flat
    near = run_gainful(*words, "--equivalent", "nDCG@10=0.01", "--format", "table").out
    assert "not shown" in " ".join(near.split())
    data = json.loads(run_gainful(*words, "--equivalent", "0.2", "--format", "json").out)
    pair = data["pairs"][0]
    assert pair["margin"] == 0.2
    assert pair["equivalent"] is True
    assert pair["p_better"] + pair["p_same"] + pair["p_worse"] == pytest.approx(1)
    csv = run_gainful(*words, "--equivalent", "0.2", "--format", "csv").out
    assert csv.splitlines()[0].endswith(
        "margin,equivalence_p,equivalence_p_corrected,equivalent,p_better,p_same,p_worse"
    )


def test_a_study_is_asked_by_searcher():
    study = gainful.sessions.simulate_study(2008)
    comparison = gainful.sessions.compare(
        study.sessions, study.qrels, "nsDCG(b=2,bq=4)@10", equivalent=0.2, resamples=999
    )
    equivalence = comparison.pairs[0].equivalence
    assert equivalence.p < 0.05
    assert equivalence.same > 0.95
