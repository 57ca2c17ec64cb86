"""One expression, four renderings that cannot drift apart."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from profiles import examples
from refusals import refuses

from gainful.errors import BadValue, WrongType
from gainful.formula import (
    Arithmetic,
    Compare,
    Const,
    Domain,
    Log,
    Param,
    Var,
    Where,
    equal,
    log,
    maximum,
    parameters,
    substitute,
    to_numpy,
    walk,
    where,
)
from gainful.formula.renderers import to_javascript, to_latex, to_text

i = Var("i", "rank")
g = Var("g", "grade")
b = Param("b", "base", 2, Domain(above=1))

numbers = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 7.0, 10.0, 2.718281828459045])
leaves = st.one_of(numbers.map(Const), st.sampled_from([i, g, b]))


def _combine_expressions(inner):
    compare = st.builds(Compare, st.sampled_from(["<", "<=", "==", ">=", ">"]), inner, inner)
    return st.one_of(
        st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "pow", "max"]), inner, inner),
        st.builds(Log, inner, inner),
        compare,
        st.builds(Where, compare, inner, inner),
    )


expressions = st.recursive(leaves, _combine_expressions, max_leaves=12)
values = st.fixed_dictionaries({"i": numbers, "g": numbers, "b": numbers})


def _is_unstable(expr, at) -> bool:
    """Would an error in the last digit of an input change the answer visibly?"""
    results = [
        float(to_numpy(expr, {name: value * (1 + shift) for name, value in at.items()}))
        for shift in (-1e-13, 0.0, 1e-13)
    ]
    same = [
        math.isclose(r, results[1], rel_tol=1e-10, abs_tol=1e-12) or math.isnan(r) for r in results
    ]
    return not all(same) or len({math.isnan(r) for r in results}) > 1


def _powers_are_finite(expr, at) -> bool:
    """IEEE 754 and JavaScript differ in 1^NaN and 1^Infinity, which no formula of ours needs."""
    powers = (n for n in walk(expr) if isinstance(n, Arithmetic) and n.op == "pow")
    return all(
        np.isfinite(to_numpy(part, at)).all()
        for power in powers
        for part in (power.left, power.right)
    )


@examples(600)
@given(expr=expressions, at=values)
def test_numpy_and_javascript_give_the_same_number(node, expr, at):
    assume(_powers_are_finite(expr, at) and not _is_unstable(expr, at))
    ours = float(to_numpy(expr, at))
    theirs = node(to_javascript(expr), at)
    assert (math.isnan(ours) and math.isnan(theirs)) or theirs == pytest.approx(
        ours, rel=1e-9, abs=1e-11
    )


@given(expr=expressions, at=values)
def test_putting_numbers_in_first_changes_nothing(expr, at):
    filled = substitute(expr, at)
    assert parameters(filled) == ()
    np.testing.assert_equal(to_numpy(filled, {}), to_numpy(expr, at))


@given(
    expr=st.recursive(
        leaves.filter(lambda leaf: leaf != Const(math.e)),  # which text rounds
        lambda inner: st.builds(
            Arithmetic, st.sampled_from(["+", "-", "*", "/", "pow", "max"]), inner, inner
        ),
        max_leaves=6,
    ),
    at=values,
)
def test_text_is_read_back_by_python_as_the_same_number(expr, at):
    """The brackets in plain text are right: Python's own precedence gives the same value."""
    code = to_text(expr).replace("^", "**").replace("·", "*")
    code = re.sub(r"(?<![\w.])(\d+\.?\d*)(?![\w.])", r"F(\1)", code)  # NumPy's numbers
    at = {name: 2.5 if value == math.e else value for name, value in at.items()}
    wanted = float(to_numpy(expr, at))
    assume(math.isfinite(wanted))
    with np.errstate(all="ignore"):
        names = {"max": np.maximum, "F": np.float64} | {k: np.float64(v) for k, v in at.items()}
        number = eval(code, names)  # noqa: S307
    assert float(number) == pytest.approx(wanted, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    ("expr", "text", "latex"),
    [
        (1 / log(2, i + 1), "1/log2(i+1)", r"\frac{1}{\log_{2}(i + 1)}"),
        (1 / maximum(1, log(b, i)), "1/max(1, log_b(i))", r"\frac{1}{\max(1, \log_{b}(i))}"),
        (1 / log(math.e, i + 1), "1/ln(i+1)", r"\frac{1}{\ln(i + 1)}"),
        (2**g - 1, "2^g-1", "2^{g} - 1"),
        ((g - 1) * 2, "(g-1)·2", r"\left(g - 1\right) \cdot 2"),
        (g - (i - 1), "g-(i-1)", r"g - \left(i - 1\right)"),
        (g / (i / 2), "g/(i/2)", r"\frac{g}{\frac{i}{2}}"),
        ((g + 1) ** 2, "(g+1)^2", r"\left(g + 1\right)^{2}"),
        (-g, "-g", "-g"),
        (g + Const(-2), "g+(-2)", r"g + \left(-2\right)"),
        (
            where(equal(g, 1), 10, where(g >= 2, 100, 0)),
            "10 if g = 1 else 100 if g ≥ 2 else 0",
            (
                r"\begin{cases} 10 & \text{if } g = 1 \\ 100 & \text{if } g \ge 2 \\ "
                r"0 & \text{otherwise} \end{cases}"
            ),
        ),
        (log(Param("bq", "base", 4), i), "log_bq(i)", r"\log_{b_{q}}(i)"),
    ],
)
def test_text_and_latex_are_what_a_person_would_write(expr, text, latex):
    assert to_text(expr) == text
    assert to_latex(expr) == latex


def test_a_comparison_counts_as_a_number():
    assert to_numpy((g > 1) + (g > 2), {"g": [1, 2, 3]}).tolist() == [0, 1, 2]


def test_logarithm_of_the_base_is_exactly_one():
    for base in (1.5, 2, math.e, 3, 7, 10, 999):
        assert to_numpy(log(b, i), {"b": base, "i": base}) == 1


@pytest.mark.parametrize("render", [to_text, to_latex, to_javascript, lambda x: to_numpy(x, {})])
def test_only_formula_nodes_can_be_rendered(render):
    with pytest.raises(TypeError):
        render("1 + 1")


def test_special_numbers_in_javascript():
    codes = [to_javascript(Const(v)) for v in (math.inf, -math.inf, math.nan, -2, 0.1, 1e30)]
    assert codes == ["Infinity", "(-Infinity)", "NaN", "(-2)", "0.1", "1e+30"]


@pytest.mark.parametrize(
    ("value", "error"),
    [(1, BadValue), (0, BadValue), (math.nan, BadValue), ("2", WrongType), (True, WrongType)],
)
def test_a_parameter_refuses_what_is_outside_its_domain(value, error):
    with refuses(error, "b"):
        b.check(value)
