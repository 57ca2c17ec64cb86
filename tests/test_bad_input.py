"""A mistake gets one typed error that names the argument, the value and what is allowed."""

import math
import pickle

import numpy as np
import pytest
from refusals import refuses

import gainful
from gainful.errors import BadShape, BadValue, UnknownName, WrongType
from gainful.formula import NamedFormula, log
from gainful.measure.discount import DISCOUNTS, i
from gainful.measure.gain import GAINS

GOOD = [3, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "about"),
    [
        (([],), BadValue, "grades"),
        ((np.empty((3, 0)),), BadValue, "grades"),
        (([[1, 2], []],), BadValue, "grades[1]"),
        (([1, math.nan],), BadValue, "grades[1]"),
        (([[1, 2], [3, math.inf]],), BadValue, "grades[1][1]"),
        (([[1], [3, -math.inf]],), BadValue, "grades[1][1]"),
        (([3, "2", 1],), WrongType, "grades[1]"),
        ((np.array(["3", "2"]),), WrongType, "grades[0]"),
        (([3, "two", 1],), WrongType, "grades[1]"),
        (([[1, 2], ["x"]],), WrongType, "grades[1][0]"),
        (([3, None],), WrongType, "grades[1]"),
        (([1j],), WrongType, "grades[0]"),
        (("321",), WrongType, "grades"),
        ((3,), WrongType, "grades"),
        (({1: 2},), WrongType, "grades"),
        (([1, [2, 3]],), BadShape, "grades[0]"),
        (([[[1], [2, 3]], [[4], [5]]],), BadShape, "grades[0]"),
    ],
)
@pytest.mark.parametrize("function", [gainful.ndcg, gainful.dcg_curve, gainful.cg, gainful.idcg])
def test_rankings_that_are_none(function, arguments, error, about):
    with refuses(error, about):
        function(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"k": 0}, BadValue, "k"),
        ({"k": -1}, BadValue, "k"),
        ({"k": 2.5}, WrongType, "k"),
        ({"k": "10"}, WrongType, "k"),
        ({"k": True}, WrongType, "k"),
        ({"discount": "log", "b": 1}, BadValue, "b"),
        ({"discount": "jk2002", "b": -2}, BadValue, "b"),
        ({"discount": "jk2008", "b": math.inf}, BadValue, "b"),
        ({"discount": "jk2008", "b": "2"}, WrongType, "b"),
        ({"b": 3}, BadValue, "b"),
        ({"rel": 2}, BadValue, "rel"),
        ({"gain": {0: 0, 1: 1}}, BadValue, "grades[0]"),
        ({"gain": {}}, BadValue, "gain"),
        ({"gain": {"a": 1}}, WrongType, "grade of the gain table"),
        ({"gain": {1: math.nan}}, BadValue, "weight of the gain table"),
        ({"gain": 2}, WrongType, "gain"),
        ({"gain": "expo"}, UnknownName, ("expo", "exp")),
        ({"discount": 2}, WrongType, "discount"),
        ({"discount": "jk2003"}, UnknownName, ("jk2003", "jk2008")),
        ({"discuont": "log2"}, UnknownName, ("discuont", "discount")),
        ({"like": "sklaern"}, UnknownName, ("sklaern", "sklearn")),
        ({"ties": "random"}, BadValue, "ties"),
        ({"short": "minimum"}, BadValue, "k"),
        ({"empty": "nan"}, BadValue, "empty"),
        ({"scores": [1, 2]}, BadShape, "scores"),
        ({"scores": [[1, 2, 3]]}, BadShape, "scores"),
        ({"scores": [1, math.nan, 2]}, BadValue, "scores[1]"),
        ({"scores": [1, math.inf, 2]}, BadValue, "scores[1]"),
        ({"scores": ["a", "b", "c"]}, WrongType, "scores[0]"),
        ({"judged": []}, BadValue, "judged"),
        ({"judged": [[1], [2]]}, BadShape, "judged"),
        ({"judged": [math.nan]}, BadValue, "judged[0]"),
        # grades that the convention refuses
        ({"grades": [1, -1], "like": "sklearn"}, BadValue, "grades[1]"),
        ({"grades": [1, 0.5], "like": "lightgbm"}, BadValue, "grades[1]"),
        ({"grades": [0, 0], "empty": "error"}, BadValue, "ideal[0]"),
        ({"grades": [5000], "gain": "exp"}, BadValue, "grades[0]"),
        ({"grades": [1e300], "like": "rax"}, BadValue, "grades[0]"),
        ({"grades": [1], "judged": [-1], "negative": "error"}, BadValue, "judged[0]"),
    ],
)
def test_options_that_are_wrong(options, error, about):
    with refuses(error, about) as caught:
        gainful.ndcg(**{"grades": GOOD} | options)
    assert isinstance(caught.value, gainful.errors.GainfulError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", [gainful.ndcg, gainful.dcg, gainful.cg, gainful.ndcg_curve])
@pytest.mark.parametrize("grades", [[1e308] * 3, [0, 1e308, 1e308, 1e308]])
def test_sums_beyond_all_bounds_are_refused(function, grades):
    options = {} if function is gainful.cg else {"discount": "none"}
    with refuses(BadValue, "cumulated gain"):
        function(grades, **options)


def test_query_discount_by_every_other_discount():
    assert gainful.vectors.query_discount([1, 2, 3], discount="none").tolist() == [1, 1, 1]
    assert gainful.vectors.query_discount(3, discount="zipf") == pytest.approx(1 / 3)


def test_long_values_are_cut_in_messages():
    with pytest.raises(UnknownName) as caught:
        gainful.parse("nDCG(gain=" + "x" * 50 + ")")
    assert "known: linear, exp" in str(caught.value)
    with pytest.raises(WrongType) as caught:
        gainful.ndcg("9" * 1000)
    assert len(str(caught.value)) < 200


INFINITE = NamedFormula("discount", "inv", 1 / log(2, i), "")
query_discount = gainful.vectors.query_discount


@pytest.mark.parametrize(
    ("call", "error", "about"),
    [
        (lambda: gainful.ndcg(np.ma.array([3.0, 9.0], mask=[0, 1])), BadValue, "grades[1]"),
        (lambda: gainful.ndcg([0, 3], scores=np.array([2**53, 2**53 + 2])), BadValue, "scores"),
        (lambda: gainful.ndcg([10**400]), BadValue, "grades"),
        (lambda: gainful.ndcg([1], discount="log", b=10**400), BadValue, "b"),
        (lambda: gainful.ndcg([1], k=-(10**5000)), BadValue, "k"),
        (lambda: gainful.ndcg([1], gain={1: 10**400}), BadValue, "weight of the gain table"),
        (lambda: gainful.ndcg([1], gain={i: i for i in range(300)}), BadValue, "gain"),
        (lambda: gainful.ndcg([1], gain={2**53: 1, 2**53 + 1: 2}), BadValue, "gain"),
        (lambda: gainful.ndcg([1], discuont=None), UnknownName, ("discuont", "discount")),
        (lambda: gainful.dcg([1], gain=DISCOUNTS["zipf"]), WrongType, "gain"),
        (lambda: gainful.dcg([1], discount=GAINS["exp"]), WrongType, "discount"),
        (lambda: gainful.dcg([1, 2], discount=INFINITE), BadValue, "discount"),
        (lambda: gainful.ndcg_curve([1], k=10**12), BadValue, "k"),
        (lambda: gainful.Measure(5), WrongType, "measure"),
        (lambda: gainful.ndcg(GOOD, k=2.0), WrongType, "k"),
        (lambda: gainful.ndcg([-3], negative="in_ideal", empty="error"), BadValue, "ideal[0]"),
        (lambda: gainful.ndcg([1e308], judged=[1e-308]), BadValue, "ideal"),
        (lambda: gainful.cg(np.array([math.nan, 1], dtype=object)), BadValue, "grades[0]"),
        (lambda: gainful.explain([[1], [2, 3]]), BadShape, "grades"),
        (lambda: gainful.which("0.5", [1, 2], judged=[[1], [2]]), BadShape, "judged"),
        *((lambda bq=bq: query_discount(2, bq=bq), BadValue, "bq") for bq in (1, 0.5, 1000, 5000)),
        *((lambda bq=bq: query_discount(2, bq=bq), BadValue, "bq") for bq in (-1, math.nan)),
        (lambda: query_discount(3, discount="zipf", bq=4), BadValue, "bq"),
        *((lambda at=at: query_discount(at), BadValue, "position") for at in (0, 1.5, [1, -1])),
        *((lambda at=at: query_discount(at), BadValue, "position") for at in (math.inf, [])),
        *((lambda at=at: query_discount(at), WrongType, "position") for at in ("a", "2", [True])),
    ],
)  # fmt: skip
def test_odd_things(call, error, about):
    with refuses(error, about):
        call()


def test_errors_travel_between_processes():
    errors = BadValue("k", 0, "more"), UnknownName("gain", "x", ["exp"]), WrongType("k", "", "")
    for error in errors:
        again = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert (type(again), str(again)) == (type(error), str(error))


def test_numbers_of_any_kind_are_numbers():
    from fractions import Fraction

    assert gainful.cg([Fraction(1, 2), 1]) == 1.5
    assert gainful.cg([10**30, 1]) == pytest.approx(1e30)
    assert gainful.cg(np.array([3, 2], dtype=object)) == 5


_JUDGED, _RANKED = {"1": {"a": 1}}, {"1": ["a"]}


@pytest.mark.parametrize(
    ("argument", "ask"),
    [
        ("grades", lambda huge: gainful.unjudged(_JUDGED, _RANKED, "RR", grades=[huge])),
        ("difference", lambda huge: gainful.plan(_JUDGED, [_RANKED] * 2, difference=huge)),
        ("a['a']", lambda huge: gainful.stats.kendall_tau({"a": huge}, {"a": 1})),
        ("floor of RR", lambda huge: gainful.gate(_JUDGED, _RANKED, floors={"RR": huge})),
        ("weight of the gain table", lambda huge: gainful.dcg([1], gain={0: 0, 1: huge})),
        ("alpha", lambda huge: gainful.compare(_JUDGED, [_RANKED] * 2, "RR", alpha=huge)),
    ],
)
@pytest.mark.parametrize("huge", [10**400, float("inf"), float("nan")])
def test_numbers_beyond_all_floats_are_refused(argument, ask, huge):
    with refuses(BadValue, argument):
        ask(huge)


def test_whole_numbers_that_cannot_count_are_refused_but_as_a_seed():
    bounds = gainful.unjudged(_JUDGED, {"1": ["b", "a"]}, "RR")
    for wanted in (0, 10**20):
        with refuses(BadValue, "first"):
            bounds.to_text(first=wanted)
    with refuses(BadValue, "comparisons"):
        gainful.plan(_JUDGED, [_RANKED] * 2, comparisons=10**20)
    seeds = [gainful.stats.Resampling(seed=seed).seed for seed in (0, 10**20)]
    assert seeds == [0, 10**20]
