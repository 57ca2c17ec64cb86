"""Cumulated gain on plain arrays: shapes, ideals, and laws that must hold for any ranking."""

import tracemalloc
from inspect import getsource, signature
from types import SimpleNamespace
from typing import get_overloads

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses

import gainful
from gainful.errors import BadShape, BadValue, NothingToAverage, Tied, UnknownName
from gainful.formula import Const, NamedFormula
from gainful.measure.arrays import ValueFunction
from gainful.measure.discount import DISCOUNTS

grade = st.integers(0, 4)
rankings = st.lists(grade, min_size=1, max_size=12)
formulas = st.fixed_dictionaries(
    {
        "gain": st.sampled_from(["linear", "exp", "binary"]),
        "discount": st.sampled_from(["log2", "log", "jk2002", "jk2008", "shifted", "zipf", "none"]),
    }
)
FUNCTIONS = [
    *(gainful.cg, gainful.ncg, gainful.dcg, gainful.idcg, gainful.ndcg),
    *(gainful.precision, gainful.recall, gainful.reciprocal_rank, gainful.average_precision),
    *(gainful.err, gainful.rbp),
]
CURVES = [getattr(gainful, f"{name}_curve") for name in ("cg", "ncg", "dcg", "idcg", "ndcg")]


# ── laws ─────────────────────────────────────────────────────────────────────────────────────


@given(rankings, rankings, formulas)
def test_normalised_values_lie_between_0_and_1_at_every_rank(ranking, others, settings):
    curve = gainful.ndcg_curve(ranking, judged=ranking + others, **settings)
    assert ((curve >= 0) & (curve <= 1 + 1e-12)).all()


@given(rankings, formulas)
def test_the_best_order_scores_1_unless_nothing_is_relevant(ranking, settings):
    wanted = 1 if max(ranking) > 0 else 0
    assert gainful.ndcg(sorted(ranking, reverse=True), **settings) == pytest.approx(wanted)


@given(rankings, formulas, st.data())
def test_moving_a_better_document_up_never_lowers_dcg(ranking, settings, data):
    assume(len(ranking) > 1)
    at = data.draw(st.integers(0, len(ranking) - 2))
    better = list(ranking)
    better[at : at + 2] = sorted(better[at : at + 2], reverse=True)
    for function in (gainful.dcg, gainful.ndcg):
        assert function(better, **settings) >= function(ranking, **settings) - 1e-12
    assert gainful.cg(better) == gainful.cg(ranking)


@given(rankings, st.floats(0.1, 50))
def test_linear_gain_scales_and_its_normalised_value_does_not(ranking, factor):
    scaled = [factor * value for value in ranking]
    assert gainful.dcg(scaled) == pytest.approx(factor * gainful.dcg(ranking))
    assert gainful.ndcg(scaled) == pytest.approx(gainful.ndcg(ranking))


@given(rankings, st.integers(1, 15), formulas)
def test_curves_end_in_the_value_at_that_cutoff(ranking, k, settings):
    for function, curve in ((gainful.dcg, gainful.dcg_curve), (gainful.ndcg, gainful.ndcg_curve)):
        vector = curve(ranking, k=k, **settings)
        assert len(vector) == k
        by_cutoff = [function(ranking, k=at, **settings) for at in range(1, k + 1)]
        assert vector == pytest.approx(by_cutoff, abs=1e-12)


@given(rankings)
def test_no_discount_is_cg_and_dcg_never_exceeds_it(ranking):
    assert gainful.dcg(ranking, discount="none") == gainful.cg(ranking)
    assert gainful.ndcg(ranking, discount="none") == pytest.approx(gainful.ncg(ranking))
    assert gainful.dcg(ranking) <= gainful.cg(ranking) + 1e-12


@given(rankings, st.floats(1.01, 100), st.floats(1.01, 100))
def test_a_more_patient_searcher_gains_no_less(ranking, first, other):
    low, high = sorted((first, other))
    for discount in ("jk2002", "jk2008"):
        less = gainful.dcg(ranking, discount=discount, b=low)
        assert gainful.dcg(ranking, discount=discount, b=high) >= less - 1e-12


@given(st.lists(rankings, min_size=1, max_size=5), formulas)
def test_a_batch_gives_what_its_rankings_give_alone(batch, settings):
    together = gainful.ndcg(batch, **settings)
    assert together == pytest.approx([gainful.ndcg(ranking, **settings) for ranking in batch])
    curves = gainful.ndcg_curve(batch, **settings)
    for curve, ranking in zip(curves, batch, strict=True):
        assert curve == pytest.approx(gainful.ndcg_curve(ranking, **settings))


@given(st.lists(rankings, min_size=1, max_size=4), st.integers(0, 9))
def test_ragged_scores_rank_each_list_by_itself(batch, seed):
    rng = np.random.default_rng(seed)
    scores = [rng.permutation(len(ranking)) - 5.0 for ranking in batch]
    together = gainful.ndcg(batch, scores=scores)
    alone = [gainful.ndcg(r, scores=s) for r, s in zip(batch, scores, strict=True)]
    assert together == pytest.approx(alone)


# ── shapes ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_ranking_gives_a_number_and_batch_axes_stay(function):
    assert isinstance(function([3, 2, 1], k=2), float)
    assert function(np.ones((2, 3, 4)), k=2).shape == (2, 3)
    assert function([[1, 2], [3, 4]], k=2).shape == (2,)


@pytest.mark.parametrize("curve", CURVES)
def test_a_curve_is_as_long_as_the_ranking_or_the_cutoff(curve):
    assert curve([3, 2, 1]).shape == (3,)
    assert curve(np.ones((2, 3, 4))).shape == (2, 3, 4)
    assert curve([3, 2, 1], k=2).shape == (2,)
    assert curve([3, 2, 1], k=5).shape == (5,)
    assert [len(vector) for vector in curve([[1], [1, 2]])] == [1, 2]
    assert curve([[1], [1, 2]], k=3).shape == (2, 3)


@pytest.mark.parametrize(
    "grades",
    [
        (3, 2, 1),
        np.array([3, 2, 1], dtype=np.int8),
        np.array([3, 2, 1], dtype=np.float32),
        np.array([9, 3, 9, 2, 9, 1])[1::2],
        range(3, 0, -1),
    ],
)
def test_any_sequence_of_numbers_is_a_ranking(grades):
    assert gainful.dcg(grades) == pytest.approx(gainful.dcg([3, 2, 1]))


def test_arrays_of_objects_may_be_ragged():
    ragged = np.empty(2, dtype=object)
    ragged[:] = [np.array([1, 2]), np.array([3])]
    assert gainful.cg(ragged).tolist() == [3, 3]


def test_inputs_are_not_changed():
    grades, scores = np.array([1.0, 3.0]), np.array([0.2, 0.1])
    gainful.ndcg(grades, scores=scores, ties="input")
    assert (grades.tolist(), scores.tolist()) == ([1, 3], [0.2, 0.1])


# ── the ideal ────────────────────────────────────────────────────────────────────────────────


def test_the_ideal_comes_from_the_list_unless_judged_documents_are_given():
    assert gainful.ndcg([3, 2]) == 1
    expected = (3 + 2 / np.log2(3)) / (3 + 3 / np.log2(3) + 2 / 2)
    for like in (None, "sklearn"):  # which has an ideal of the list by itself
        judged = gainful.ndcg([3, 2], judged=[3, 3, 2], like=like)
        assert judged == pytest.approx(expected)
    assert gainful.explain([3, 2]).recipe.convention.ideal == "list"
    assert gainful.explain([3, 2], judged=[3]).recipe.convention.ideal == "judged"
    assert gainful.explain([3, 2], judged=[3], ideal="list").value == 1


SECOND = 1 / np.log2(3)  # what is left of a gain at rank 2; at rank 3 a half
POOL = [3, 2, 1]
FULL, TWO = 3 + 2 * SECOND + 0.5, 3 + 2 * SECOND
CLOSE = [1.0, 1.0 + 1e-9]
PENALTY = {-1: -5, 1: 1, 2: 2}
WIKI = [3, 2, 3, 0, 1, 2]


@pytest.mark.parametrize(
    ("ask", "value"),
    [
        (lambda: gainful.cg([True, False, True]), 2),
        (lambda: gainful.cg([0.5, 1.9]), 2.4),
        (lambda: gainful.cg([0.5, 1.9], fractional="truncate"), 1),
        (lambda: gainful.err([2, 0, 1], max_grade=2), 3 / 4 + 1 / 4 * 1 / 4 / 3),
        (lambda: gainful.rbp([[1, 0, 1], [0, 1, 0]], p=0.5), [0.625, 0.25]),
        # negative grades
        (lambda: gainful.dcg([-1, 2, 1]), 2 * SECOND + 0.5),
        (lambda: gainful.dcg([-1, 2, 1], negative="keep"), -1 + 2 * SECOND + 0.5),
        (lambda: gainful.idcg([-1, 2, 1], negative="keep"), 2 + SECOND),
        (lambda: gainful.idcg([-1, 2, 1], negative="in_ideal"), 2 + SECOND - 0.5),
        (lambda: gainful.dcg([-1, 2, 1], gain=PENALTY), -5 + 2 * SECOND + 0.5),
        (lambda: gainful.ndcg([-1, 2, 1], negative="remove"), 1),  # the others move up
        (lambda: gainful.dcg([-1, 2], scores=[1, 0], negative="remove"), 2),
        (lambda: gainful.ndcg([[-1, -1], [0, 1]], negative="remove"), [0, SECOND]),
        # the depth of the ideal
        (lambda: gainful.ndcg([3, 0], judged=POOL, k=1), 1),
        (lambda: gainful.ndcg([3, 0], judged=POOL, k=1, ideal_depth="all"), 3 / FULL),
        (lambda: gainful.ndcg([3, 0], judged=POOL), 3 / FULL),
        (lambda: gainful.ndcg([3, 0], judged=POOL, ideal_depth="retrieved"), 3 / TWO),
        (lambda: gainful.ndcg_curve([3, 0], judged=POOL, k=3, ideal_depth="all"), [3 / FULL] * 3),
        (
            lambda: gainful.idcg_curve([3, 0], judged=POOL, k=3, ideal_depth="retrieved"),
            [3, TWO, TWO],
        ),
        # judged documents: one list for all, or one for each
        (lambda: gainful.idcg([[3, 0], [0, 3]], judged=[3, 3]), [3 + 3 * SECOND] * 2),
        (lambda: gainful.idcg([[3, 0], [0, 3]], judged=[[3], [3, 1, 1]]), [3, 3 + SECOND + 0.5]),
        # the ideal does not care about ties
        (lambda: gainful.idcg([1, 0], scores=[1, 1]), 1),
        (lambda: gainful.idcg_curve([0, 2], scores=[1, 1]), [2, 2]),
        # rounding is a setting; grades of 32 bit are found in a table of weights
        (lambda: gainful.ndcg(WIKI, like="opensearch_workbench"), 0.95),
        (lambda: gainful.explain(WIKI, like="opensearch_workbench").value, 0.95),
        (
            lambda: gainful.ndcg([0.1, 1], gain={0.1: 1, 1: 2}, like="rax"),
            (1 + 2 * SECOND) / (2 + SECOND),
        ),
        # scores are as precise as the convention has them, and belong to documents
        (lambda: gainful.ndcg([0, 3], scores=CLOSE), 1),
        (lambda: gainful.ndcg([1, 0], scores=[-1e39, 1], like="torchmetrics"), SECOND),
        (
            lambda: gainful.ndcg(
                [[1, 0], [1, 0, 0, 0]], scores=[[-1e39, 1], [4, 3, 2, 1]], like="torchmetrics"
            ),
            [SECOND, 1],
        ),
        *(
            (lambda b=b: gainful.dcg([1], discount="shifted", b=b), 1)
            for b in (1 + 1e-15, 1.0000001, 1.5, 10)
        ),
    ],
)
def test_values_by_hand(ask, value):
    assert np.asarray(ask()).tolist() == pytest.approx(value)


def test_removed_documents_are_not_in_the_table():
    assert [line.grade for line in gainful.explain([-1, 2, 1], negative="remove").lines] == [2, 1]


@pytest.mark.parametrize(("empty", "value"), [(0, 0), (1, 1)])
def test_an_ideal_of_zero_is_what_the_convention_says(empty, value):
    assert gainful.ndcg([0, 0], empty=empty) == value
    assert gainful.ndcg_curve([[0, 0], [1, 0]], empty=empty).tolist() == [[value] * 2, [1, 1]]


def test_a_skipped_query_is_masked_and_left_out_of_the_mean():
    values = gainful.ndcg([[1, 0], [0, 0]], empty="skip")
    assert values.tolist() == [1, None]
    assert values.mean() == 1


def test_short_lists_are_filled_with_the_lowest_grade_there_is():
    curve = gainful.cg_curve([2, -1], k=4, gain="penalised", short="minimum")
    assert curve.tolist() == [3, 2, 1, 0]
    assert gainful.cg([2, -1], k=4, gain="penalised", short="minimum") == 0
    table = {1: -1, 2: 5}
    assert gainful.cg([[2], [2, 2, 2]], k=3, gain=table, short="minimum").tolist() == [3, 15]


def test_explicit_wins_over_like_and_like_over_default():
    ranking = [0, 1, 2]
    assert gainful.dcg(ranking, like="jk2002", b=10) == gainful.dcg(
        ranking, discount="jk2002", b=10
    )
    assert gainful.dcg(ranking, like="burges2005", discount="jk2002") == gainful.dcg(
        ranking, gain="exp", discount="jk2002", b=2
    )
    own = gainful.like("quepid").with_settings(gain="linear")
    assert gainful.dcg(ranking, like=own) == gainful.dcg(ranking)


def test_a_formula_of_ones_own_takes_the_place_of_a_gain_or_discount():
    from gainful.measure.discount import i
    from gainful.measure.gain import g

    squared = NamedFormula("gain", "squared", g**2, "the square of the grade")
    halved = NamedFormula("discount", "halved", 0.5 ** (i - 1), "half at each rank")
    assert gainful.dcg([3, 2], gain=squared, discount=halved) == 9 + 4 / 2
    table = gainful.explain([3, 2], gain=squared, discount=halved)
    assert table.recipe.gain.text() == "g^2"
    assert table.recipe.gain.latex() == "g^{2}"
    assert table.to_dict()["convention"]["gain"] == "squared"


def test_any_measure_of_the_language_can_be_computed():
    ranking = [3, 2, 3, 0, 1, 2]
    measure = gainful.nDCG(gain="exp") @ 3
    assert gainful.compute(measure, ranking) == gainful.ndcg(ranking, gain="exp", k=3)
    assert gainful.compute("CG@2", [ranking, ranking]).tolist() == [5, 5]
    explicit = gainful.compute("nDCG(gain=linear)", ranking, gain="exp", like="quepid")
    assert explicit == pytest.approx(gainful.ndcg(ranking))
    assert gainful.compute("IDCG", ranking, judged=[3]) == 3


def test_a_session_is_a_list_for_each_query():
    """By hand: 3 + 2/2 + 1/1.5 with b = 2 and bq = 4; ideal 3 + 2/2 + 1/(1 + log2 3), and again."""
    session, bases = [[3, 2, 0], [1, 0]], {"b": 2, "bq": 4}
    best = (3 + 2 / 2 + 1 / (1 + np.log2(3))) * (1 + 1 / 1.5)
    assert gainful.sdcg(session, **bases) == pytest.approx(4 + 1 / 1.5)
    assert gainful.compute("sDCG(b=2, bq=4)@1", session) == pytest.approx(3 + 1 / 1.5)
    assert gainful.nsdcg(session, **bases) == pytest.approx((4 + 1 / 1.5) / best)
    assert gainful.nsdcg(session, **bases, k=1, judged=[3, 3, 2, 1]) == pytest.approx(
        (3 + 1 / 1.5) / (3 + 3 / 1.5)
    )
    padded = np.array([[3, 2, 0], [1, 0, 0]])
    assert gainful.sdcg(padded, **bases) == pytest.approx(4 + 1 / 1.5)
    assert gainful.sdcg([[], [3]], **bases) == pytest.approx(3 / 1.5)


@pytest.mark.parametrize("wrong", [[3, 2], [], 3, "3 2", {"a": 1}, [[1], 2], [["a"]], [[]]])
def test_what_is_no_session_is_refused(wrong):
    with pytest.raises(gainful.errors.WrongType) as refused:
        gainful.sdcg(wrong, b=2, bq=4)
    assert refused.value.argument.startswith("grades")


def test_a_short_list_is_filled_by_its_own_lowest_grade_whatever_stands_beside_it():
    settings = {"k": 5, "short": "minimum", "negative": "keep"}
    alone = [gainful.ndcg(ranking, **settings) for ranking in ([1, 1], [-2, 3])]
    assert gainful.ndcg([[1, 1], [-2, 3]], **settings).tolist() == pytest.approx(alone)
    pool = [1, -1, 0, 3]
    options = {"k": 3, "gain": "penalised", "judged": pool}
    ratio = gainful.dcg([2], **options, short="minimum") / gainful.idcg([2], **options)
    assert gainful.ndcg([2], **options, short="minimum") == pytest.approx(ratio)


def test_a_value_chosen_in_a_formula_wins_over_that_of_a_preset():
    patient = DISCOUNTS["jk2008"].with_values({"b": 4})
    assert gainful.dcg([1, 2], discount=patient, like="jk2008") == pytest.approx(1 + 2 / 1.5)
    assert gainful.vectors.query_discount(2, discount=patient) == pytest.approx(2 / 3)
    assert str(gainful.nDCG(discount=patient)) == "nDCG(discount=jk2008, b=4)"


def test_perfect_rankings_score_exactly_1():
    rng = np.random.default_rng(1)
    for size in (3, 10, 100, 1000):
        perfect = np.sort(rng.integers(0, 5, (50, size)), axis=1)[:, ::-1]
        for options in ({}, {"k": 7}, {"judged": perfect}, {"scores": perfect, "ties": "average"}):
            assert (gainful.ndcg(perfect, **options) == 1).all()


def test_ties_deep_down_are_averaged_precisely():
    grades = np.zeros(100_000)
    grades[-2] = 1
    scores = -np.arange(100_000.0)
    scores[-1] = scores[-2]
    values = gainful.dcg(grades, scores=scores, ties="average", discount="zipf")
    assert values == pytest.approx((1 / 99_999 + 1 / 100_000) / 2, rel=1e-12)


def test_columns_of_data_frames_are_rankings():
    class Column:
        """What pandas, polars and Arrow have in common: a length, and an array on request."""

        def __init__(self, *values):
            self.values = np.array(values)

        def __len__(self):
            return len(self.values)

        def __array__(self, dtype=None, copy=None):
            return self.values

    assert gainful.cg(Column(1, 2)) == 3
    assert gainful.cg([Column(1, 2), Column(3, 2, 1)]).tolist() == [3, 6]


def test_what_is_returned_may_be_changed():
    for function in (gainful.idcg, gainful.ndcg, gainful.idcg_curve, gainful.cg_curve):
        values = function([[1, 2], [3, 4]])
        values[...] = 7
        assert (values == 7).all()


@pytest.mark.parametrize(
    "function", [*FUNCTIONS, *CURVES, gainful.compute, gainful.vectors.compute_curve]
)
def test_help_shows_the_options_of_arrays_by_name(function):
    names = list(signature(function).parameters)
    assert names[-8:] == ["scores", "judged", "group", "qid", "mask", "k", "like", "options"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_type_checker_knows_that_one_list_has_one_value(function):
    module, name = ValueFunction.__module__, "ValueFunction.__call__"
    overloads = get_overloads(SimpleNamespace(__module__=module, __qualname__=name))
    assert [overload.__annotations__["return"] for overload in overloads] == ["float", "Values"]
    assert getsource(function).startswith("@_value_function\n")  # which makes it one of these


@given(
    arrays(np.float64, (5, 40), elements=st.integers(0, 4).map(float)),
    arrays(np.float64, (5, 40), elements=st.integers(0, 60).map(float)),
    st.sampled_from(("input", "best", "worst", "average")),
    st.sampled_from(("k", "all", "retrieved")),
)
def test_the_first_ranks_of_many_are_those_of_a_full_sort(grades, scores, ties, ideal_depth):
    """Selection (few ranks of long rows) and sorting (a curve to the end) give the same values."""
    assume((grades.max(axis=1) > 0).all())
    curve, ideal = gainful.dcg_curve(grades, scores, ties=ties), gainful.idcg_curve(grades)
    for k in (1, 3, 4):
        first = gainful.dcg(grades, scores, k=k, ties=ties)
        np.testing.assert_allclose(first, curve[:, k - 1], rtol=1e-12)
        best = ideal[:, -1 if ideal_depth == "all" else k - 1]
        share = gainful.ndcg(grades, scores, k=k, ties=ties, ideal_depth=ideal_depth)
        np.testing.assert_allclose(share, first / best, rtol=1e-12)


# ── relevant or not ──────────────────────────────────────────────────────────────────────────


_NEAR = st.sampled_from([0.0, -0.0, 5e-324, 1.0, np.nextafter(1, 2), -1.0, -np.nextafter(1, 2)])


@given(st.lists(_NEAR | st.floats(-1e6, 1e6), min_size=1, max_size=40), st.data())
def test_scores_that_differ_by_their_last_bit_rank_apart_and_zeros_are_equal(scores, data):
    grades = data.draw(st.lists(st.integers(1, 9), min_size=len(scores), max_size=len(scores)))
    ordered = [grades[i] for i in sorted(range(len(scores)), key=lambda i: -scores[i])]
    for k in (1, 3, None):
        value = gainful.ndcg(grades, scores, k=k, ties="input")
        assert value == pytest.approx(gainful.ndcg(ordered, k=k), rel=1e-12)


@given(rankings, st.integers(1, 15), st.integers(1, 4))
def test_precision_recall_and_reciprocal_rank_count_relevant_documents(ranking, k, rel):
    relevant = [grade >= rel for grade in ranking]
    found_count = sum(relevant[:k])
    ranks = [rank for rank, is_one in enumerate(relevant, 1) if is_one]
    options = {"k": k, "rel": rel}
    assert gainful.precision(ranking, **options) == pytest.approx(found_count / k)
    share = found_count / len(ranks) if ranks else 0
    assert gainful.recall(ranking, **options) == pytest.approx(share)
    first = 1 / ranks[0] if found_count else 0
    assert gainful.reciprocal_rank(ranking, **options) == pytest.approx(first)


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(1, 15), st.integers(0, 5))
def test_average_precision_is_the_mean_of_precisions(relevant, k, missed):
    judged = [*relevant, *[True] * missed]
    precisions = [
        gainful.precision(relevant, k=rank) for rank, is_one in enumerate(relevant, 1) if is_one
    ]
    mean = sum(precisions) / max(1, sum(judged))
    assert gainful.average_precision(relevant, judged=judged) == pytest.approx(mean)
    at_k = sum(precisions[: sum(relevant[:k])]) / max(1, min(k, sum(judged)))
    value = gainful.average_precision(relevant, judged=judged, k=k, divisor="reachable")
    assert value == pytest.approx(at_k)


def test_binary_measures_take_batches_scores_and_groups():
    grades, scores = [0, 1, 1, 0], [0.2, 0.9, 0.3, 0.8]
    assert gainful.reciprocal_rank(grades, scores, group=[2, 2]).tolist() == [1, 0.5]
    assert gainful.precision([[1, 0], [1]], k=2).tolist() == [0.5, 0.5]
    assert gainful.recall(grades, scores, k=2) == 0.5


JUDGED = [[1, 2], [1], [1], [2], [3], [1]]


@pytest.mark.parametrize(
    ("ask", "error", "about"),
    [
        (lambda: gainful.ndcg([[1, 2], [3]], scores=[[1], [1, 2]]), BadShape, "scores"),
        (lambda: gainful.ndcg(np.ones((2, 3, 2)), judged=JUDGED), BadShape, "judged"),
        (lambda: gainful.ndcg([0, 0], empty="skip"), NothingToAverage, "empty=skip"),
        (lambda: gainful.nsdcg([[0]], empty="skip"), NothingToAverage, "empty=skip"),
        (lambda: gainful.sdcg([[3]], bb=2), UnknownName, "bb"),
        (lambda: gainful.compute("sDCG@1", [[3]], [1]), BadValue, "scores"),
        (lambda: gainful.average_precision([1, 0], [1, 1]), Tied, ""),
        (lambda: gainful.ndcg([0, 3], scores=CLOSE, like="trec_eval_9"), Tied, ""),
        (lambda: gainful.precision([1, 0]), BadValue, "k"),
        (lambda: gainful.nDCG(gain=NamedFormula("gain", "exp", Const(1), "x")), BadValue, "gain"),
    ],
)
def test_what_cannot_be_computed_is_refused(ask, error, about):
    with refuses(error, about):
        ask()


# ── many rankings, a few at a time ───────────────────────────────────────────────────────────

MANY = np.random.default_rng(26)


@pytest.mark.parametrize("options", [{}, {"k": 3}, {"k": 3, "empty": "skip"}, {"ties": "average"}])
def test_long_batches_are_those_of_their_rankings(options):
    grades = MANY.integers(0, 4, (700, 600)) * (MANY.random((700, 1)) < 0.9)
    scores = MANY.integers(0, 5000, grades.shape).astype(float)
    options = {"ties": "input", **options}
    together = gainful.ndcg(grades, scores, **options)
    apart = np.ma.concatenate(
        [gainful.ndcg(grades[[row]], scores[[row]], **options) for row in range(len(grades))]
    )
    np.testing.assert_array_equal(np.ma.getmaskarray(together), np.ma.getmaskarray(apart))
    np.testing.assert_allclose(np.ma.filled(together, 0), np.ma.filled(apart, 0), rtol=1e-12)


def test_lists_of_any_lengths_need_no_padding():
    lists = [[1], [0, 1]] * 10_000 + [[1] * 20_000]
    values, curves = gainful.ndcg(lists), gainful.ndcg_curve(lists)
    assert (values.round(4) == [1, 0.6309] * 10_000 + [1]).all()
    assert [len(curve) for curve in curves] == [1, 2] * 10_000 + [20_000]
    assert gainful.reciprocal_rank(lists).tolist() == [1, 0.5] * 10_000 + [1]


@pytest.mark.parametrize("depth", [5, None])
def test_32_bit_arrays_are_not_copied_and_give_the_same_values(depth):
    grades = MANY.integers(0, 5, (8000, 500)).astype(np.float32)
    scores = MANY.random(grades.shape).astype(np.float32)
    options = {"ties": "average", "k": depth}
    wide = gainful.ndcg(grades.astype(np.float64), scores.astype(np.float64), **options)
    tracemalloc.start()
    values = gainful.ndcg(grades, scores, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(values, wide, rtol=1e-12)
    assert peak < grades.nbytes + scores.nbytes


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"negative": "error"}, BadValue, "grades[999][3]"),
        ({"empty": "error"}, gainful.errors.NoIdeal, "ideal[998]"),
        ({"fractional": "error"}, BadValue, "grades[997][0]"),
    ],
)
def test_what_is_wrong_far_down_a_batch_is_named_by_its_place(options, error, about):
    grades = np.ones((1000, 400))
    grades[999, 3], grades[998], grades[997, 0] = -1, 0, 0.5
    with refuses(error, about):
        gainful.ndcg(grades, **options)


def test_tied_scores_far_down_a_batch_are_named_by_their_place():
    grades, scores = np.zeros((1000, 400)), np.tile(np.arange(400.0), (1000, 1))
    grades[990, 7], scores[990, 7] = 1, 8
    with refuses(Tied, "ranking 990, document 7"):
        gainful.ndcg(grades, scores)
