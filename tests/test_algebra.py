"""The vector algebra of the 2008 appendix; two orders of averaging, two names."""

import numpy as np
import pytest
from refusals import refuses

import gainful

A = gainful.dcg_curve([3, 2, 0], discount="jk2008", b=2)
B = gainful.dcg_curve([0, 1, 1], discount="jk2008", b=2)
IDEAL_A = gainful.idcg_curve([3, 2, 0], discount="jk2008", b=2)
IDEAL_B = gainful.idcg_curve([0, 1, 1], discount="jk2008", b=2)


def test_sums_scaling_and_averages_by_hand():
    assert A.tolist() == [3, 4, 4]
    assert gainful.vectors.add([A, B]).tolist() == pytest.approx(
        [3, 4.5, 4.5 + 1 / (1 + np.log2(3))]
    )
    assert gainful.vectors.scale(A, 0.5).tolist() == [1.5, 2, 2]
    assert gainful.vectors.average([A, B]) == pytest.approx(
        gainful.vectors.scale(gainful.vectors.add([A, B]), 0.5)
    )


def test_normalising_then_averaging_is_not_averaging_then_normalising():
    ratios = gainful.vectors.average_of_normalised([A, B], [IDEAL_A, IDEAL_B])
    of_means = gainful.vectors.normalised_average([A, B], [IDEAL_A, IDEAL_B])
    assert ratios[0] == pytest.approx((1 + 0) / 2)
    assert of_means[0] == pytest.approx((3 + 0) / (3 + 1))
    assert gainful.vectors.normalise(A, IDEAL_A) == pytest.approx(
        gainful.ndcg_curve([3, 2, 0], discount="jk2008", b=2)
    )


def test_zero_over_zero_is_what_one_says():
    assert gainful.vectors.normalise([0, 1], [0, 2]).tolist() == [0, 0.5]
    assert gainful.vectors.normalise([0, 1], [0, 2], empty=1).tolist() == [1, 0.5]
    assert gainful.vectors.normalise([0, 1], [0, 2], empty="skip").tolist() == [None, 0.5]
    skipped = gainful.vectors.average_of_normalised([[0], [1]], [[0], [2]], empty="skip")
    assert skipped.tolist() == [0.5]
    with refuses(gainful.errors.BadValue, "ideal[0]"):
        gainful.vectors.normalise([0, 1], [0, 2], empty="error")


def test_an_average_of_huge_numbers_is_no_overflow():
    assert gainful.vectors.average([[1e308], [1e308]]).tolist() == [1e308]


def test_many_vectors_are_normalised_by_one_ideal():
    assert gainful.vectors.normalise([[1, 2], [3, 4]], [4, 4]).tolist() == [[0.25, 0.5], [0.75, 1]]


@pytest.mark.parametrize(
    ("call", "error", "about"),
    [
        (lambda: gainful.vectors.normalise([1, 2, 3], [1, 2]), gainful.errors.BadShape, "ideal"),
        (lambda: gainful.vectors.normalise([1, 2, 3], [2]), gainful.errors.BadShape, "ideal"),
        (lambda: gainful.vectors.normalise([1], [1, 2, 3]), gainful.errors.BadShape, "ideal"),
        (lambda: gainful.vectors.normalise(1, 0), gainful.errors.BadShape, "ideal"),
        (
            lambda: gainful.vectors.normalise([[1], [2]], [[1], [2], [3]]),
            gainful.errors.BadShape,
            "ideal",
        ),
        (
            lambda: gainful.vectors.normalised_average([[1], [1]], [[1], [2], [3]]),
            gainful.errors.BadShape,
            "ideals",
        ),
        (
            lambda: gainful.vectors.average_of_normalised([[1, 2]], [[1]]),
            gainful.errors.BadShape,
            "ideals",
        ),
        (lambda: gainful.vectors.add([[1e308], [1e308]]), gainful.errors.BadValue, "sum"),
        (lambda: gainful.vectors.scale([1e308], 10), gainful.errors.BadValue, "product"),
        (lambda: gainful.vectors.average([[1, 2], [1]]), gainful.errors.BadShape, "vectors"),
        (lambda: gainful.vectors.average([]), gainful.errors.BadShape, "vectors"),
        (lambda: gainful.vectors.add([1, 2]), gainful.errors.BadShape, "vectors"),
        (lambda: gainful.vectors.scale(["a"], 2), gainful.errors.WrongType, "vector"),
        (lambda: gainful.vectors.scale([1], float("nan")), gainful.errors.BadValue, "by"),
        (lambda: gainful.vectors.scale([1], [1, 2]), gainful.errors.BadShape, "by"),
        (lambda: gainful.vectors.normalise([1], [1], empty="no"), gainful.errors.BadValue, "empty"),
    ],
)
def test_vectors_that_do_not_fit(call, error, about):
    with refuses(error, about):
        call()


def test_what_was_left_out_stays_out_of_sums_and_averages():
    curves = gainful.ndcg_curve([[3, 0], [0, 1], [0, 0]], empty="skip")
    assert gainful.vectors.average(curves).tolist() == pytest.approx(curves.mean(axis=0).tolist())
    assert gainful.vectors.average(list(curves)).tolist() == pytest.approx(
        [0.5, (1 + 0.6309) / 2], abs=1e-4
    )
    assert gainful.vectors.add(curves).tolist() == pytest.approx([1, 1.6309], abs=1e-4)
    assert gainful.vectors.scale(curves, 2)[2].tolist() == [None, None]
    assert gainful.vectors.normalise(curves[2], [1, 1]).tolist() == [None, None]
