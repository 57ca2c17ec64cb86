"""Measures of tensors: the numbers of NumPy, on the strict array API and on JAX."""

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from tensor_cases import cases, check_tensors

import gainful
from gainful.errors import BadShape, BadValue, NoIdeal, Tied, WrongType

strict = array_api_strict.asarray
GRADES, SCORES = [[3.0, 2, 3, 0], [0, 1, 0, 2]], [[0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2]]


ONE_SHAPE = st.just((3, 6))  # JAX compiles every operation anew for every shape


@pytest.fixture
def _x64():
    with jax.enable_x64(new_val=True):
        yield


@examples(100)
@given(cases())
def test_the_strict_array_api_has_the_numbers_and_mistakes_of_numpy(case):
    check_tensors(case, strict, 1e-12)


@examples(6)
@given(cases(ONE_SHAPE))
def test_jax_has_them_in_64_and_32_bit(case):
    check_tensors(case, jnp.asarray, 1e-6)
    with jax.enable_x64(new_val=True):
        check_tensors(case, jnp.asarray, 1e-12)


@pytest.mark.parametrize("ties", ["input", "average", "best", "mean_rank"])
@pytest.mark.parametrize("k", [None, 7])
def test_long_rankings_agree_to_the_precision_of_their_numbers(ties, k):
    rng = np.random.default_rng(7)
    grades, scores = rng.integers(0, 5, (20, 700)), rng.integers(0, 300, (20, 700))
    options = {"ties": ties, "k": k}
    expected = gainful.ndcg(grades.astype(float), scores.astype(float), **options)
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-6)):
        kind = getattr(array_api_strict, dtype)
        values = gainful.ndcg(strict(grades, dtype=kind), strict(scores, dtype=kind), **options)
        assert values.dtype == kind
        np.testing.assert_allclose(np.asarray(values), expected, rtol=tolerance)


def test_every_function_takes_tensors_of_any_batch_axes():
    grades = strict(np.tile(GRADES, (3, 1, 1)))
    for function in (
        *(gainful.ndcg, gainful.dcg, gainful.idcg, gainful.cg, gainful.ncg, gainful.precision),
        *(gainful.recall, gainful.reciprocal_rank, gainful.average_precision),
    ):
        values = function(grades, k=2)
        assert values.shape == (3, 2)
        np.testing.assert_allclose(np.asarray(values)[0], function(GRADES, k=2))
        assert function(grades[0, 0, :], k=2).shape == ()


@pytest.mark.parametrize(
    ("measure", "grades", "options"),
    [
        ("ERR", GRADES, {}),
        ("nDCG", GRADES, {"k": 6, "short": "minimum", "discount": "zipf"}),
        ("RR", GRADES, {"scores": SCORES}),
        ("nDCG", GRADES[0], {"group": [2, 2]}),
        ("Rprec", GRADES[1], {}),
    ],
)
def test_what_is_computed_by_numpy_comes_back_as_a_tensor(measure, grades, options):
    tensor = strict(grades, dtype=array_api_strict.float64)
    values = gainful.compute(measure, tensor, **options)
    assert values.dtype == tensor.dtype
    np.testing.assert_allclose(np.asarray(values), gainful.compute(measure, grades, **options))


def test_without_array_api_compat_tensors_are_read_into_numpy(run_python):
    code = """if 1:
        import sys; sys.modules["array_api_compat"] = None
        import array_api_strict, gainful
        print(type(gainful.ndcg(array_api_strict.asarray([[1.0, 0.0]]))).__name__)
    """
    assert run_python(code) == "ndarray"


def test_gainful_loads_no_tensor_library(run_python):
    code = "import gainful, sys; gainful.ndcg([1]); print({'torch', 'jax', 'array_api_compat'} & {*sys.modules})"
    assert run_python(code) == "set()"


@pytest.mark.parametrize("trace", [jax.jit, lambda function: jax.jit(jax.vmap(function))])
@pytest.mark.usefixtures("_x64")
def test_jax_traces_every_measure(trace):
    grades, scores = jnp.asarray(GRADES), jnp.asarray(SCORES)
    for measure in ("nDCG@3", "DCG", "P@2", "R@2", "RR", "AP"):
        traced = trace(lambda *tensors, name=measure: gainful.compute(name, *tensors))
        np.testing.assert_allclose(traced(grades, scores), gainful.compute(measure, GRADES, SCORES))


@pytest.mark.usefixtures("_x64")
def test_jax_traces_some_tensors_and_takes_others_as_they_are():
    grades, scores, mask = jnp.asarray(GRADES), jnp.asarray(SCORES), jnp.ones((2, 4), dtype=bool)
    calls = (
        lambda: jax.jit(lambda traced: gainful.ndcg(grades, traced))(scores),
        lambda: jax.jit(lambda traced: gainful.ndcg(traced, scores))(grades),
        lambda: jax.jit(lambda *traced: gainful.ndcg(*traced, mask=mask))(grades, scores),
        lambda: jax.value_and_grad(
            lambda weight: (weight, gainful.ndcg(grades, weight * scores)), has_aux=True
        )(1.0)[0][1],
    )
    for call in calls:
        np.testing.assert_allclose(call(), gainful.ndcg(GRADES, SCORES))
    by_row = jax.vmap(gainful.ndcg, in_axes=(None, 0))(grades[0], scores)
    np.testing.assert_allclose(by_row, gainful.ndcg([GRADES[0]] * 2, SCORES))
    slopes = jax.grad(lambda traced: gainful.dcg(traced, scores, k=1).sum())(grades)
    np.testing.assert_allclose(slopes, np.asarray(SCORES) == np.max(SCORES, axis=1, keepdims=True))


def test_under_tracing_nothing_is_checked():
    """Ties stay in the order given, and NaN stands for what would be refused."""
    traced = jax.jit(gainful.ndcg)
    tied = traced(jnp.asarray([[1.0, 3.0]]), jnp.asarray([[1.0, 1.0]]))
    assert float(tied[0]) == pytest.approx(gainful.ndcg([1, 3]), abs=1e-6)
    refused = jax.jit(lambda grades: gainful.ndcg(grades, empty="error"))(jnp.zeros((1, 2)))
    assert np.isnan(refused).all()


def test_sums_beyond_32_bit_are_added_in_64_and_beyond_these_refused():
    grades = jnp.asarray([[2e38, 1e38, 3e38]], dtype=jnp.float32)
    assert float(gainful.ndcg(grades)[0]) == pytest.approx(gainful.ndcg([2, 1, 3]), rel=1e-6)
    with jax.enable_x64(new_val=True), refuses(BadValue, "cumulated gain"):
        gainful.cg(jnp.asarray([[1.5e308] * 2]))


@pytest.mark.parametrize("kind", [jnp.bfloat16, jnp.float8_e4m3fn, jnp.float8_e5m2])
@pytest.mark.parametrize("measure", ["nDCG", "ERR"])
def test_narrow_floats_are_ranked_and_summed_in_32_bit(kind, measure):
    scores = jnp.asarray([[0.5, 2.0, 1.0]], dtype=kind)
    values = gainful.compute(measure, jnp.asarray([[1, 3, 2]], dtype=kind), scores)
    assert values.dtype == jnp.float32
    assert float(values[0]) == pytest.approx(gainful.compute(measure, [3, 2, 1]), rel=1e-6)


def test_one_pool_serves_all_rankings():
    values = gainful.idcg(strict(GRADES), judged=strict([3.0, 3, 3]))
    np.testing.assert_allclose(np.asarray(values), gainful.idcg(GRADES, judged=[3, 3, 3]))


nan = float("nan")


@pytest.mark.parametrize(
    ("changes", "options", "error", "about"),
    [
        ({"scores": [[0.4, nan, 0.2, 0.1], SCORES[1]]}, {}, BadValue, "scores[0][1]"),
        ({"grades": [[nan, 0, 0, 0], GRADES[1]]}, {}, BadValue, "grades[0][0]"),
        ({"grades": [GRADES[0], [0, 0, 0, -1.0]]}, {"negative": "error"}, BadValue, "grades[1][3]"),
        ({"grades": [[0.0] * 4] * 2}, {"empty": "error"}, NoIdeal, "ideal[0]"),
        ({"scores": [[0.5] * 4] * 2}, {}, Tied, "ranking 0"),
        ({"scores": [[1, 2, 3, 4]] * 2}, {}, WrongType, "scores"),
        ({"grades": [[1j] * 4] * 2}, {}, WrongType, "grades"),
        ({"scores": [[0.5] * 3] * 2}, {}, BadShape, "scores"),
        ({"mask": [[True] * 3] * 2}, {}, BadShape, "mask"),
        ({"mask": [[2] * 4] * 2}, {}, WrongType, "mask"),
        ({"judged": [[1.0]] * 3}, {}, BadShape, "judged"),
        ({"judged": 1.0}, {}, WrongType, "judged"),
        ({"grades": [[]]}, {}, BadShape, "scores"),
    ],
)
def test_bad_tensors_are_refused(changes, options, error, about):
    tensors = {"grades": GRADES, "scores": SCORES} | changes
    with refuses(error, about):
        gainful.ndcg(**{name: strict(value) for name, value in tensors.items()}, **options)


def test_tensors_on_another_device_are_refused():
    elsewhere = strict(SCORES, device=array_api_strict.Device("device1"))
    with refuses(WrongType, "scores"):
        gainful.ndcg(strict(GRADES), elsewhere)


def test_tensors_of_two_libraries_are_refused_but_lists_go_with_each():
    with refuses(WrongType, "scores"):
        gainful.ndcg(strict(GRADES), jnp.asarray(SCORES))
    assert isinstance(gainful.ndcg(jnp.asarray(GRADES), SCORES), jax.Array)
    assert isinstance(gainful.ndcg(jnp.asarray(GRADES), np.array(SCORES)), jax.Array)


def test_a_mask_leaves_out_whatever_stands_there():
    mask = [[True, True, True, False], [True] * 4]
    grades, scores = strict([[3, 2, 3, nan], GRADES[1]]), strict([[0.4, 0.3, 0.2, nan], SCORES[1]])
    values = gainful.ndcg(grades, scores, mask=strict(mask))
    np.testing.assert_allclose(
        np.asarray(values), [gainful.ndcg([3, 2, 3]), gainful.ndcg([1, 0, 2, 0])]
    )
