"""Rankings and settings for tensors: whatever NumPy's way says, tensors must say."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gainful
from gainful.errors import GainfulError

MEASURES = ("nDCG", "DCG", "IDCG", "nCG", "CG", "P", "R", "RR", "AP")
SETTINGS = {
    "like": (
        "sklearn",
        "torchmetrics",
        "rax",
        "lightgbm",
        "catboost",
        "evidently",
        "xgboost_linear",
    ),
    "ties": ("input", "reversed", "best", "worst", "average", "mean_rank", "doc_descending"),
    "negative": ("zero", "keep", "remove", "in_ideal", "error"),
    "fractional": ("keep", "truncate", "error"),
    "empty": (0, 1, "skip", "error"),
    "gain": ("linear", "exp", "binary", "penalised", "exp_above", {0: 0, 1: 1, 2: 5, 3: 9}),
    "discount": ("log2", "jk2002", "jk2008", "shifted", "zipf", "none"),
    "ideal_depth": ("k", "all", "retrieved"),
    "negative_ideal": ("empty", "divide", "divide_or_dcg"),
    "divisor": ("relevant", "reachable", "k", "found"),
    "rel": (1, 2),
}


@st.composite
def cases(draw, shapes=st.tuples(st.integers(1, 4), st.integers(1, 8))):  # noqa: B008  (immutable)
    """A measure, its tensors and its options."""
    shape = draw(shapes)
    lowest = draw(st.sampled_from((0, 0, -1)))
    grade = draw(
        st.sampled_from((st.integers(lowest, 3), st.integers(2 * lowest, 6).map(lambda x: x / 2)))
    )
    score = draw(st.sampled_from((st.integers(0, 3), st.integers(-50, 50))))
    measure = gainful.Measure(draw(st.sampled_from(MEASURES)))
    pool = draw(st.sampled_from((None, None, (5,), (shape[0], 5))))
    tensors = {
        "grades": draw(arrays(np.float64, shape, elements=grade.map(float))),
        "scores": draw(st.none() | arrays(np.float64, shape, elements=score.map(float))),
        "judged": None
        if pool is None
        else draw(arrays(np.float64, pool, elements=grade.map(float))),
        "mask": draw(st.none() | arrays(np.bool_, shape)),
    }
    options = {
        name: draw(st.sampled_from(values))
        for name, values in SETTINGS.items()
        if (name == "like" or name in measure.entry.params) and draw(st.integers(0, 2)) == 0
    }
    if measure.name == "P" or draw(st.booleans()):
        options["k"] = draw(st.integers(1, 10))
    return measure, tensors, options


@st.composite
def kernel_cases(draw):
    """The first ranks of cumulated gain, in settings that the kernel for CUDA has."""
    width = draw(st.integers(1, 20) | st.integers(65, 140))  # in several rows of groups
    shape = (draw(st.integers(1, 3)), width)
    measure = gainful.Measure(draw(st.sampled_from(("nDCG", "DCG", "IDCG", "nCG"))))
    options = {
        "ties": draw(st.sampled_from(("input", "average", "doc_descending"))),
        "negative": draw(st.sampled_from(("zero", "keep"))),
        "gain": draw(st.sampled_from(("linear", "linear", "exp", "penalised", "{2:-3,else:g}"))),
        "empty": draw(st.sampled_from(SETTINGS["empty"])),
        "k": draw(st.integers(1, 10)),
    }
    options = {
        name: value for name, value in options.items() if name in {*measure.entry.params, "k"}
    }
    numbers = st.sampled_from((0.0, 1.0, 2.0, 2.0, 3.0, -1.0, 0.5))
    tensors = {
        "grades": draw(arrays(np.float64, shape, elements=numbers)),
        "scores": draw(arrays(np.float64, shape, elements=st.integers(-9, 99).map(float))),
        "judged": None,
        "mask": draw(st.none() | arrays(np.bool_, shape)),
    }
    if draw(st.integers(0, 9)) == 0:
        tensors["scores"][0, 0] = np.nan
    return measure, tensors, options


def compute_or_refuse(measure, tensors, options):
    """The values, those left out as NaN; or the mistake, by its type and words."""
    try:
        values = gainful.compute(measure, **tensors, **options)
    except GainfulError as mistake:
        return type(mistake), str(mistake)
    return values


def check_tensors(case, make_tensor, tolerance):
    """The same values as NumPy has, in a tensor; or the same mistake."""
    measure, tensors, options = case
    expected = compute_or_refuse(measure, tensors, options)
    made = {name: None if array is None else make_tensor(array) for name, array in tensors.items()}
    values = compute_or_refuse(measure, made, options)
    if isinstance(expected, tuple):
        assert values == expected
        return
    assert type(values) is type(made["grades"])
    expected = np.ma.filled(np.ma.asarray(expected, dtype=float), np.nan)
    np.testing.assert_allclose(np.asarray(values), expected, rtol=tolerance, atol=tolerance)
