"""Tied scores: every policy against all orders there are, and against scikit-learn itself."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from sklearn.metrics import dcg_score, ndcg_score

import gainful
from gainful.errors import NotExact, Tied
from gainful.measure.build_recipes import build_recipe
from gainful.measure.catalogue import MEASURES

grades_and_scores = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(-1, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
    )
)
options = st.fixed_dictionaries(
    {
        "k": st.one_of(st.none(), st.integers(1, 8)),
        "gain": st.sampled_from(["linear", "exp", "penalised"]),
        "discount": st.sampled_from(["log2", "jk2008", "zipf", "none"]),
        "negative": st.sampled_from(["zero", "keep"]),
    }
)


def _orders(scores):
    """Every order of the documents that the scores allow."""
    for order in permutations(range(len(scores))):
        ranked = [scores[at] for at in order]
        if ranked == sorted(ranked, reverse=True):
            yield list(order)


@given(grades_and_scores, options)
def test_average_best_and_worst_are_those_over_all_orders(data, conventions):
    grades, scores = data
    values = [gainful.dcg([grades[at] for at in order], **conventions) for order in _orders(scores)]
    for ties, wanted in (
        ("average", np.mean(values)),
        ("best", max(values)),
        ("worst", min(values)),
    ):
        ours = gainful.dcg(grades, scores=scores, ties=ties, **conventions)
        assert ours == pytest.approx(wanted, abs=1e-12), ties


@given(grades_and_scores, options)
def test_input_and_reversed_order(data, conventions):
    grades, scores = data
    first = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    last = sorted(range(len(scores)), key=lambda at: (-scores[at], -at))
    for ties, order in (("input", first), ("reversed", last)):
        ours = gainful.ndcg(grades, scores=scores, ties=ties, **conventions)
        wanted = gainful.ndcg([grades[at] for at in order], judged=grades, **conventions)
        assert ours == pytest.approx(wanted, abs=1e-12), ties


@given(grades_and_scores)
def test_mean_rank_puts_tied_documents_at_one_rank(data):
    grades, scores = data
    above = [sum(other > own for other in scores) for own in scores]
    same = [sum(other == own for other in scores) for own in scores]
    ranks = [a + (1 + s) // 2 for a, s in zip(above, same, strict=True)]
    wanted = sum(max(g, 0) / np.log2(r + 1) for g, r in zip(grades, ranks, strict=True))
    assert gainful.dcg(grades, scores=scores, ties="mean_rank") == pytest.approx(wanted, abs=1e-12)


@given(
    grades_and_scores,
    st.sampled_from(["average", "best", "worst", "input", "reversed", "mean_rank"]),
)
def test_few_and_many_documents_of_worth_are_ranked_alike(data, ties):
    """Few are counted, many are sorted: documents of no worth at the end change no rank."""
    grades, scores = data
    padded = grades + [0] * 100
    low = scores + [-1 - at for at in range(100)]
    ours = gainful.dcg_curve(padded, scores=low, ties=ties)[: len(grades)]
    wanted = gainful.dcg_curve(grades, scores=scores, ties=ties)
    assert ours == pytest.approx(wanted, abs=1e-12)


@examples(400)
@given(
    st.integers(1, 4),
    st.integers(2, 30),
    st.integers(1, 6),
    st.one_of(st.none(), st.integers(1, 35)),
    st.integers(0, 2**32 - 1),
)
def test_scikit_learn_agrees_with_ties(rows, size, distinct, k, seed):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (rows, size)) * rng.choice([1.0, 0.5], (rows, size))
    scores = rng.integers(0, distinct, (rows, size)).astype(float)
    ours = gainful.ndcg(grades, scores=scores, k=k, like="sklearn")
    assert np.mean(ours) == pytest.approx(ndcg_score(grades, scores, k=k), abs=1e-12)
    dcg = gainful.dcg(grades, scores=scores, k=k, like="sklearn")
    assert np.mean(dcg) == pytest.approx(dcg_score(grades, scores, k=k), abs=1e-12)
    distinct_scores = rng.permuted(np.tile(np.arange(float(size)), (rows, 1)), axis=1)
    ours = gainful.ndcg(grades, scores=distinct_scores, k=k, ties="input")
    theirs = ndcg_score(grades, distinct_scores, k=k, ignore_ties=True)
    assert np.mean(ours) == pytest.approx(theirs, abs=1e-12)


@given(st.integers(2, 16), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_scikit_learn_ignoring_ties_reverses_short_lists(size, distinct, seed):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (1, size)).astype(float)
    scores = np.zeros((1, size)) if distinct == 1 else rng.permuted(np.arange(size))[None, :] * 1.0
    ours = gainful.ndcg(grades, scores=scores, like="sklearn_ignore_ties")
    assert np.mean(ours) == pytest.approx(ndcg_score(grades, scores, ignore_ties=True), abs=1e-12)


@given(grades_and_scores)
def test_the_last_value_of_an_averaged_curve_is_the_averaged_value(data):
    grades, scores = data
    curve = gainful.ndcg_curve(grades, scores=scores, ties="average")
    value = gainful.ndcg(grades, scores=scores, ties="average")
    assert curve[-1] == pytest.approx(value, abs=1e-12)


def test_ties_need_a_policy_and_distinct_scores_do_not():
    assert gainful.ndcg([0, 1], scores=[0.1, 0.9]) == 1
    with refuses(Tied, "1", "0", "0.5"):
        gainful.ndcg([[0, 1], [1, 0]], scores=[[0.1, 0.9], [0.5, 0.5]])
    with pytest.raises(Tied):
        gainful.ndcg([0, 1], scores=[1, 1], like="trec_eval")


def test_ties_whose_order_does_not_matter_need_no_policy():
    assert gainful.ndcg([2, 0, 0], scores=[3, 1, 1]) == 1
    assert gainful.ndcg([1, 1], scores=[1, 1]) == 1
    assert gainful.ndcg([1, 0, 2], scores=[3, 1, 1], k=1) == 0.5
    with pytest.raises(Tied):
        gainful.ndcg([1, 2], scores=[1, 1])


def test_average_is_refused_where_it_would_not_be_exact(monkeypatch):
    """Reciprocal rank, say, is not linear in where documents stand."""
    from attrs import evolve

    monkeypatch.setitem(MEASURES, "DCG", evolve(MEASURES["DCG"], linear=False))
    with pytest.raises(NotExact):
        build_recipe(gainful.Measure("DCG"), options={"ties": "average"})
