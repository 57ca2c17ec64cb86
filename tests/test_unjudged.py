"""Documents that nobody judged: how far they could move a value, and a comparison."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gainful
from gainful.compare import limits
from gainful.measure import MEASURES

DOCS = [f"d{number}" for number in range(9)]
MORE = {
    "P": ("P@3",),
    "R": ("R", "R@2"),
    "AP": ("AP", "AP@3", "AP(rel=2)"),
    "nDCG": ("nDCG", "nDCG@2", "nDCG@4", "nDCG(gain=exp)@3", "nDCG(ideal=list)@3"),
    "nCG": ("nCG", "nCG@3"),
    "IPrec": ("IPrec@0.5", "IPrec@0.2"),
    "relP": ("relP@3",),
    "Success": ("Success@2",),
    "Unjudged": ("Unjudged@3",),
    "scaledDCG": ("scaledDCG@3",),
    "BPM": ("BPM@3",),
    "P_IA": ("P_IA@3",),
    "Judged": ("Judged", "Judged@2"),
}
SPELLED = [one for name in MEASURES for one in MORE.get(name, (name,))]


@st.composite
def queries(draw, *, lowest=0):
    """A query: grades of some documents, scores of some, not too many of them unjudged."""
    judged = draw(
        st.dictionaries(st.sampled_from(DOCS[:6]), st.integers(lowest, 3), min_size=1, max_size=5)
    )
    scores = st.integers(0, 4).map(float)  # with ties
    ranked = draw(st.dictionaries(st.sampled_from(DOCS), scores, min_size=1, max_size=7))
    open_ = [doc for doc in ranked if doc not in judged]
    for doc in open_[3:]:
        del ranked[doc]
    return judged, ranked


def brute_force(judged, ranked, measures, grades=None, **habits):
    """The values under every grading there is: each is a query of its own."""
    grades = sorted({0, *judged.values()}) if grades is None else grades
    open_ = [doc for doc in ranked if doc not in judged]
    every = list(product(grades, repeat=len(open_)))
    judgments = {
        str(at): judged | dict(zip(open_, one, strict=True)) for at, one in enumerate(every)
    }
    runs = {str(at): ranked for at in range(len(every))}
    found = gainful.evaluate(judgments, runs, measures, **habits)
    return {
        name: [value for value in np.ma.asarray(values).tolist() if value is not None]
        for name, values in found.values.items()
    }


def held_to(found, every):
    """Exact bounds are those of brute force, outer ones contain them."""
    rows = {row["measure"]: row for row in found.per_query.to_dicts()}
    for name, values in every.items():
        low, high = rows[name]["low"], rows[name]["high"]
        if not values:
            assert (low, high) == (None, None) or not found.exact[name], name
        elif found.exact[name]:
            assert low == pytest.approx(min(values), abs=1e-12), name
            assert high == pytest.approx(max(values), abs=1e-12), name
        else:
            assert low is None or low <= min(values) + 1e-12, name
            assert high is None or high >= max(values) - 1e-12, name


@settings(max_examples=40)
@given(queries())
def test_every_measure_has_the_bounds_of_brute_force(query):
    judged, ranked = query
    found = gainful.unjudged({"q": judged}, {"q": ranked}, SPELLED)
    held_to(found, brute_force(judged, ranked, SPELLED))
    assert all(found.exact.values())  # so few gradings can all be tried


ARGUED = [  # what is exact however many gradings there are
    *("nDCG", "nDCG@2", "nDCG(gain=exp)@3", "nDCG(ideal=list)@3", "nCG@3", "DCG", "IDCG", "CG"),
    *("AP", "AP@3", "R@2", "RR", "Rprec", "Bpref", "infAP", "RBP", "gRBP", "ERR", "SetF", "binG"),
]


@settings(max_examples=40)
@given(queries())
def test_where_not_all_gradings_are_tried_bounds_are_exact_or_contain_all_values(query):
    judged, ranked = query
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "_MOST", 0)
        found = gainful.unjudged({"q": judged}, {"q": ranked}, SPELLED)
    held_to(found, brute_force(judged, ranked, SPELLED))
    assert all(found.exact[name] for name in ARGUED)


HABITS = {
    "empty": [0, 1, "skip"],
    "ideal_depth": ["k", "all", "retrieved"],
    "short": ["as_is", "minimum"],
    "negative": ["zero", "keep", "remove", "in_ideal"],
    "unjudged": ["zero", "remove"],
    "ties": ["doc_descending", "doc_ascending", "input", "best", "worst"],
    "fractional": ["keep", "truncate"],
    "decimals": [None, 3],
}
SOME = [*ARGUED, "P@3", "IPrec@0.5", "SetP", "Utility", "nERR@3", "Compat"]


@settings(max_examples=60)
@given(
    queries(lowest=-1),
    st.fixed_dictionaries({name: st.sampled_from(answers) for name, answers in HABITS.items()}),
    st.sampled_from([None, (0, 1), (0.5, 2), (1, 3), (0,), (-1, 0, 2)]),
    st.booleans(),
)
def test_bounds_hold_under_every_habit_and_with_any_grades(query, habits, grades, all_tried):
    judged, ranked = query
    filled = habits["short"] == "minimum"  # which needs a cutoff
    measures = [name for name in SOME if not filled or "CG" not in name or "@" in name]
    with pytest.MonkeyPatch.context() as patch:
        if not all_tried:
            patch.setattr(limits, "_MOST", 0)
        found = gainful.unjudged(
            {"q": judged}, {"q": ranked}, measures, grades=grades, max_grade=3, **habits
        )
    held_to(found, brute_force(judged, ranked, measures, grades, max_grade=3, **habits))


@settings(max_examples=40)
@given(queries(), st.sampled_from(["average", "mean_rank", "best", "worst"]))
def test_cumulated_gain_has_exact_bounds_where_ties_share_their_ranks(query, ties):
    judged, ranked = query
    measures = ["nDCG", "nDCG@2", "DCG@3", "nCG@3", "CG@2"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "_MOST", 0)
        found = gainful.unjudged({"q": judged}, {"q": ranked}, measures, ties=ties)
    held_to(found, brute_force(judged, ranked, measures, ties=ties))
    open_ = any(doc not in judged for doc in ranked)
    assert all(found.exact.values()) == (ties not in ("best", "worst") or not open_)


@st.composite
def comparisons(draw):
    """Judgments and two runs of one or two queries, with a few unjudged documents in all."""
    judgments, runs, left = {}, {"a": {}, "b": {}}, 4
    for query in ("1", "2")[: draw(st.integers(1, 2))]:
        docs = st.sampled_from(DOCS[:5])
        judgments[query] = draw(st.dictionaries(docs, st.integers(0, 2), min_size=1))
        open_ = DOCS[6 : 6 + min(left, draw(st.integers(0, 3)))]
        left -= len(open_)
        for run in runs.values():
            there = draw(st.permutations([*judgments[query], *open_]))
            run[query] = there[: draw(st.integers(1, 6))]
    return judgments, runs


def differences(judgments, runs, measure, known=()):
    """The difference of the means under every grading, some documents being worth nothing."""
    grades = sorted({0, *(grade for judged in judgments.values() for grade in judged.values())})
    pairs = dict.fromkeys(
        (query, doc)
        for run in runs.values()
        for query, docs in run.items()
        for doc in docs
        if doc not in judgments[query]
    )
    open_ = [pair for pair in pairs if pair not in known]
    found = []
    for given_ in product(grades, repeat=len(open_)):
        judged = {query: dict(inner) for query, inner in judgments.items()}
        for (query, doc), grade in [*zip(open_, given_, strict=True), *((one, 0) for one in known)]:
            judged[query][doc] = grade
        means = gainful.evaluate(judged, runs=runs, measures=measure)
        found.append(means["a"].mean[measure] - means["b"].mean[measure])
    return found, open_


@settings(max_examples=25)
@given(comparisons(), st.sampled_from(["P@3", "DCG@3", "RBP", "SetP"]))
def test_settling_a_sum_over_documents_equals_brute_force(comparison, measure):
    judgments, runs = comparison
    found = gainful.settle(judgments, runs, measure)
    every, open_ = differences(judgments, runs, measure)
    assert found.exact
    assert found.low == pytest.approx(min(every), abs=1e-12)
    assert found.high == pytest.approx(max(every), abs=1e-12)
    sign = np.sign(found.difference) if abs(found.difference) > 1e-12 else 0
    if not sign:
        assert found.leader is found.needed is None
        return
    assert found.settled == all(sign * one > 1e-12 for one in every)
    enough = next(
        size
        for size in range(len(open_) + 1)
        for some in combinations(open_, size)
        if all(sign * one > 1e-12 for one in differences(judgments, runs, measure, some)[0])
    )
    assert found.needed == enough


@settings(max_examples=25)
@given(comparisons(), st.sampled_from(["nDCG@3", "AP", "RR", "Bpref", "ERR", "nERR"]))
def test_what_is_said_of_other_measures_is_never_wrong(comparison, measure):
    judgments, runs = comparison
    found = gainful.settle(judgments, runs, measure)
    every, _ = differences(judgments, runs, measure)
    assert found.low - 1e-12 <= min(every)
    assert found.high + 1e-12 >= max(every)
    if found.leader and found.settled is not None:
        sign = np.sign(found.difference)
        assert found.settled == all(sign * one > 1e-12 for one in every)
