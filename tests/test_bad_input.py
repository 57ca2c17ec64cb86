"""A mistake gets one typed error that names the argument, the value and what is allowed."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import gainful
from gainful.errors import BadShape, BadValue, UnknownName, WrongType
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS

GOOD = [3, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([],), BadValue, r"grades is \[\]; allowed: at least one document"),
        ((np.empty((3, 0)),), BadValue, "at least one document"),
        (([[1, 2], []],), BadValue, r"grades\[1\] is \[\]; allowed: at least one document"),
        (([1, math.nan],), BadValue, r"grades\[1\] is nan; allowed: finite numbers"),
        (([[1, 2], [3, math.inf]],), BadValue, r"grades\[1\]\[1\] is inf; allowed: finite"),
        (([[1], [3, -math.inf]],), BadValue, r"grades\[1\]\[1\] is -inf"),
        (([3, "2", 1],), WrongType, r"grades\[1\] is '2'; allowed: finite numbers"),
        ((np.array(["3", "2"]),), WrongType, r"grades\[0\] is '3'"),
        (([3, "two", 1],), WrongType, r"grades\[1\] is 'two'; allowed: finite numbers"),
        (([[1, 2], ["x"]],), WrongType, r"grades\[1\]\[0\] is 'x'"),
        (([3, None],), WrongType, r"grades\[1\] is None"),
        (([1j],), WrongType, "grades"),
        (("321",), WrongType, "grades is '321'"),
        ((3,), WrongType, "grades is 3; allowed: a ranking"),
        (({1: 2},), WrongType, "grades"),
        (([1, [2, 3]],), BadShape, r"grades\[0\] is 1; allowed: either numbers or lists"),
        (([[[1], [2, 3]], [[4], [5]]],), BadShape, r"grades\[0\].*one list of numbers per ranking"),
    ],
)
@pytest.mark.parametrize("function", [gainful.ndcg, gainful.dcg_curve, gainful.cg, gainful.idcg])
def test_rankings_that_are_none(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 0}, BadValue, "k is 0; allowed: a whole number from 1 on"),
        ({"k": -1}, BadValue, "k is -1; allowed: a whole number from 1 on"),
        ({"k": 2.5}, WrongType, "k is 2.5; allowed: a whole number from 1 on"),
        ({"k": "10"}, WrongType, "k is '10'; allowed: a whole number from 1 on"),
        ({"k": True}, WrongType, "k is True"),
        ({"discount": "log", "b": 1}, BadValue, "b is 1; allowed: b > 1"),
        ({"discount": "jk2002", "b": -2}, BadValue, "b is -2; allowed: b > 1"),
        ({"discount": "jk2008", "b": math.inf}, BadValue, "b is inf; allowed: b > 1"),
        ({"discount": "jk2008", "b": "2"}, WrongType, "b is '2'; allowed: a number, b > 1"),
        ({"b": 3}, BadValue, "b is 3; allowed: nothing: discount log2 has no parameter b"),
        ({"rel": 2}, BadValue, "rel is 2; allowed: nothing: gain linear has no parameter rel"),
        (
            {"gain": {0: 0, 1: 1}},
            BadValue,
            r"grades\[0\] is 3; allowed: grades in the gain table: 0, 1",
        ),
        ({"gain": {}}, BadValue, "gain is 'a table of 0 grades'; allowed: 1 to 256 grades"),
        ({"gain": {"a": 1}}, WrongType, "grade of the gain table is 'a'; allowed: a number"),
        ({"gain": {1: math.nan}}, BadValue, "weight of the gain table is nan"),
        ({"gain": 2}, WrongType, "gain is 2; allowed: linear, exp"),
        ({"gain": "expo"}, UnknownName, r"no gain 'expo'; did you mean exp\?"),
        ({"discount": 2}, WrongType, "discount is 2; allowed: log2"),
        ({"discount": "jk2003"}, UnknownName, "no discount 'jk2003'; did you mean jk200"),
        (
            {"discuont": "log2"},
            UnknownName,
            r"no option of nDCG 'discuont'; did you mean discount\?",
        ),
        ({"like": "sklaern"}, UnknownName, r"no convention 'sklaern'; did you mean sklearn\?"),
        ({"ties": "random"}, BadValue, "ties is 'random'; allowed: doc_descending"),
        ({"short": "minimum"}, BadValue, "k is None; allowed: a cutoff"),
        ({"empty": "nan"}, BadValue, "empty is 'nan'; allowed: 0, 1, skip, error"),
        ({"scores": [1, 2]}, BadShape, "scores is '2'; allowed: as many as grades: 3"),
        ({"scores": [[1, 2, 3]]}, BadShape, "scores is '1 × 3'; allowed: as many as grades: 3"),
        ({"scores": [1, math.nan, 2]}, BadValue, r"scores\[1\] is nan; allowed: finite numbers"),
        ({"scores": [1, math.inf, 2]}, BadValue, r"scores\[1\] is inf"),
        ({"scores": ["a", "b", "c"]}, WrongType, r"scores\[0\] is 'a'"),
        ({"judged": []}, BadValue, r"judged is \[\]"),
        ({"judged": [[1], [2]]}, BadShape, "judged is '2 lists'; allowed: one list"),
        ({"judged": [math.nan]}, BadValue, r"judged\[0\] is nan"),
    ],
)
def test_options_that_are_wrong(options, error, message):
    with pytest.raises(error, match=message) as caught:
        gainful.ndcg(GOOD, **options)
    assert isinstance(caught.value, gainful.errors.GainfulError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("grades", "options", "message"),
    [
        (
            [1, -1],
            {"like": "sklearn"},
            r"grades\[1\] is -1; allowed: grades from 0 on \(negative=error, like sklearn\)",
        ),
        (
            [1, 0.5],
            {"like": "lightgbm"},
            r"grades\[1\] is 0.5; allowed: whole numbers \(fractional=error, like lightgbm\)",
        ),
        ([0, 0], {"empty": "error"}, r"ideal\[0\] is 0; allowed: an ideal above zero"),
        ([5000], {"gain": "exp"}, r"grades\[0\] is 5000; allowed: grades whose exp gain is finite"),
        (
            [1e300],
            {"like": "rax"},
            r"grades\[0\] is 1e\+300; allowed: grades whose exp gain is finite",
        ),
        ([1], {"judged": [-1], "negative": "error"}, r"judged\[0\] is -1"),
    ],
)
def test_grades_that_the_convention_refuses(grades, options, message):
    with pytest.raises(BadValue, match=message):
        gainful.ndcg(grades, **options)


@pytest.mark.parametrize("bq", [1, 0.5, 1000, 5000, -1, math.nan])
def test_base_of_the_query_discount(bq):
    with pytest.raises(BadValue, match=r"bq is .*; allowed: 1 < bq < 1000"):
        gainful.vectors.query_discount(2, bq=bq)


@pytest.mark.parametrize(
    ("position", "error"), [(0, BadValue), (1.5, BadValue), ("a", WrongType), ([1, -1], BadValue)]
)
def test_position_of_a_query(position, error):
    with pytest.raises(error, match=r"position is .*; allowed: whole numbers from 1 on"):
        gainful.vectors.query_discount(position)


def test_query_discount_by_every_other_discount():
    assert gainful.vectors.query_discount([1, 2, 3], discount="none").tolist() == [1, 1, 1]
    assert gainful.vectors.query_discount(3, discount="zipf") == pytest.approx(1 / 3)
    with pytest.raises(BadValue, match="query discount zipf has no parameter bq"):
        gainful.vectors.query_discount(3, discount="zipf", bq=4)


def test_a_single_ranking_is_asked_for():
    with pytest.raises(BadShape, match="grades is '2 lists'; allowed: one list"):
        gainful.explain([[1], [2, 3]])
    with pytest.raises(BadShape, match="judged is '2 lists'; allowed: one list"):
        gainful.which("0.5", [1, 2], judged=[[1], [2]])


def test_long_values_are_cut_in_messages():
    with pytest.raises(UnknownName) as caught:
        gainful.parse("nDCG(gain=" + "x" * 50 + ")")
    assert "known: linear, exp" in str(caught.value)
    with pytest.raises(WrongType) as caught:
        gainful.ndcg("9" * 1000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("function", [gainful.ndcg, gainful.dcg, gainful.cg, gainful.ndcg_curve])
@pytest.mark.parametrize("grades", [[1e308] * 3, [0, 1e308, 1e308, 1e308]])
def test_sums_beyond_all_bounds_are_refused(function, grades):
    options = {} if function is gainful.cg else {"discount": "none"}
    with pytest.raises(BadValue, match="cumulated gain is inf; allowed: a finite sum"):
        function(grades, **options)


def test_a_huge_gain_over_a_tiny_ideal_is_refused():
    with pytest.raises(BadValue, match="ideal is 1e-308; allowed: a larger ideal"):
        gainful.ndcg([1e308], judged=[1e-308])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gainful.ndcg(np.ma.array([3.0, 9.0], mask=[0, 1])), BadValue, r"grades\[1\] is 'masked'"),
        (lambda: gainful.ndcg([0, 3], scores=np.array([2**53, 2**53 + 2])), BadValue, r"up to 2\^53"),
        (lambda: gainful.ndcg([10**400]), BadValue, "grades is 'a huge number'; allowed: finite"),
        (lambda: gainful.ndcg([1], discount="log", b=10**400), BadValue, "b is .*; allowed: b > 1"),
        (lambda: gainful.ndcg([1], k=-(10**5000)), BadValue, "k is a huge number"),
        (lambda: gainful.ndcg([1], gain={1: 10**400}), BadValue, "weight of the gain table"),
        (lambda: gainful.ndcg([1], gain={i: i for i in range(300)}), BadValue, "1 to 256 grades"),
        (lambda: gainful.ndcg([1], gain={2**53: 1, 2**53 + 1: 2}), BadValue, "each grade once"),
        (lambda: gainful.ndcg([1], discuont=None), UnknownName, "did you mean discount"),
        (lambda: gainful.dcg([1], gain=DISCOUNTS["zipf"]), WrongType, "gain is 'zipf'; allowed: a gain"),
        (lambda: gainful.dcg([1], discount=GAINS["exp"]), WrongType, "discount is 'exp'; allowed: a discount"),
        (lambda: gainful.ndcg_curve([1], k=10**12), BadValue, "k is 1000000000000; allowed: at most"),
        (lambda: gainful.vectors.query_discount("2"), WrongType, "position is '2'"),
        (lambda: gainful.vectors.query_discount([True]), WrongType, "position is .True"),
        (lambda: gainful.vectors.query_discount(math.inf), BadValue, "position is inf"),
        (lambda: gainful.vectors.query_discount([]), BadValue, r"position is \[\]"),
        (lambda: gainful.Measure(5), WrongType, "measure is 5"),
        (lambda: gainful.ndcg(GOOD, k=2.0), WrongType, "k is 2.0; allowed: a whole number"),
        (lambda: gainful.ndcg([[1]] * 20000 + [[1] * 20000]), BadShape, "split the batch by length"),
        (lambda: gainful.ndcg([-3], negative="in_ideal", empty="error"), BadValue, r"ideal\[0\] is -3"),
    ],
)  # fmt: skip
def test_odd_things(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_discount_of_ones_own_must_be_finite():
    from gainful.formula import NamedFormula, log
    from gainful.measure.discount import i

    with pytest.raises(BadValue, match="discount is 'inv'; allowed: a discount that is finite"):
        gainful.dcg([1, 2], discount=NamedFormula("discount", "inv", 1 / log(2, i), ""))


def test_errors_travel_between_processes():
    for error in (
        BadValue("k", 0, "more"),
        UnknownName("gain", "x", ["exp"]),
        WrongType("k", "", ""),
    ):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert (type(again), str(again)) == (type(error), str(error))


def test_numbers_of_any_kind_are_numbers():
    from fractions import Fraction

    assert gainful.cg([Fraction(1, 2), 1]) == 1.5
    assert gainful.cg([10**30, 1]) == pytest.approx(1e30)
    assert gainful.cg(np.array([3, 2], dtype=object)) == 5
    with pytest.raises(BadValue, match=r"grades\[0\] is nan"):
        gainful.cg(np.array([math.nan, 1], dtype=object))
