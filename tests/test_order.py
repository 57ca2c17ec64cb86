"""Do measures agree on the order of runs, and which tells them apart?"""

import csv
import io
import json
from functools import partial
from itertools import chain, combinations, permutations, product

import numpy as np
import pytest
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from scipy.stats import kendalltau, ttest_rel
from written_files import write_qrels, write_run

import gainful
from gainful.errors import BadValue, CannotCompare, UnknownName, WrongType
from gainful.evidence.orders.order import order_means, order_results
from gainful.evidence.statistics.correlation import kendall_tau, rbo, tau_ap

values = st.integers(0, 6).map(lambda grade: grade / 8)


@st.composite
def two_orders(draw):
    names = "abcdefgh"[: draw(st.integers(2, 8))]
    return [{name: draw(values) for name in names} for _ in range(2)]


def number_scores(numbers):
    return dict(enumerate(numbers))


# Documentation of the R package ircor 1.0 (Urbano & Marrero), with what R printed.
IRCOR_X = (0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54)
IRCOR_Y = (0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84)
IRCOR_X_TIED = (0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5)  # R rounds 0.45 and 0.75 so
IRCOR_Y_TIED = (0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8)
README_X = (0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94)
README_Y = (0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94)


def round_to_fifths(numbers):
    return tuple(round(5 * number) / 5 for number in numbers)


@pytest.mark.parametrize(
    ("coefficient", "x", "y", "published", "digits"),
    [
        (partial(tau_ap, reference="first"), README_X, README_Y, 0.7491182, 6),
        (partial(tau_ap, reference="first"), IRCOR_X, IRCOR_Y, 0.3928571, 6),
        (tau_ap, IRCOR_X, IRCOR_Y_TIED, 0.3317019, 7),
        (tau_ap, IRCOR_X_TIED, IRCOR_Y_TIED, 0.339418, 6),
        (tau_ap, round_to_fifths(README_X), round_to_fifths(README_Y), 0.6269841, 7),
        (kendall_tau, round_to_fifths(README_X), round_to_fifths(README_Y), 0.75, 7),
        (kendall_tau, README_X, README_Y, 0.7777778, 7),
        # the README of the Scala library rankmeasures: 1 to 5 against 2, 3, 4, 1, 5
        (partial(rbo, p=0.9), (5, 4, 3, 2, 1), (2, 5, 4, 3, 1), 0.828, 3),
    ],
)
def test_coefficients_are_what_others_publish(coefficient, x, y, published, digits):
    value = coefficient(number_scores(x), number_scores(y))
    assert value == pytest.approx(published, abs=0.51 * 10**-digits)


def test_tau_ap_weighs_the_top_and_tau_does_not():
    truth = list("abcd")
    top, bottom = list("bacd"), list("abdc")
    assert kendall_tau(top, truth) == pytest.approx(kendall_tau(bottom, truth))
    # By hand: shares 0/1, 2/2, 3/3 and 1/1, 2/2, 2/3 of those above.
    assert tau_ap(top, truth, reference="second") == pytest.approx(2 * (0 + 1 + 1) / 3 - 1)
    assert tau_ap(bottom, truth, reference="second") == pytest.approx(2 * (1 + 1 + 2 / 3) / 3 - 1)


@given(two_orders())
def test_tau_is_scipys(orders):
    a, b = orders
    tau = kendall_tau(a, b)
    if len({*a.values()}) == 1 or len({*b.values()}) == 1:
        assert tau is None
        assert tau_ap(a, b) is None
    else:
        expected = kendalltau(list(a.values()), list(b.values())).statistic
        assert tau == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ties", [1, 3, 100])
@pytest.mark.parametrize("size", [255, 256, 257, 5000])
def test_tau_of_long_orders_is_scipys(size, ties):
    a, b = np.random.default_rng(size + ties).integers(0, max(2, size // ties), (2, size))
    tau = kendall_tau(dict(enumerate(a.tolist())), dict(enumerate(b.tolist())))
    assert tau == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)


@given(st.permutations("abcdef"), st.permutations("abcdef"))
def test_tau_ap_without_ties_by_its_definition(items, other):
    """Σ C(i)/(i-1), C(i) those above rank i that the reference has above it too."""
    total = 0.0
    for i in range(1, len(items)):
        above = [name for name in items[:i] if other.index(name) < other.index(items[i])]
        total += len(above) / i
    expected = 2 * total / (len(items) - 1) - 1
    assert tau_ap(items, other, reference="second") == pytest.approx(expected)
    assert tau_ap(other, items, reference="first") == pytest.approx(expected)


@given(two_orders())
def test_both_directions_are_averaged_and_the_sides_can_be_exchanged(orders):
    a, b = orders
    tau = tau_ap(a, b)
    if tau is None:
        return
    each = tau_ap(a, b, reference="first"), tau_ap(a, b, reference="second")
    assert tau == pytest.approx(sum(each) / 2)
    assert tau_ap(b, a) == pytest.approx(tau)
    assert kendall_tau(b, a) == pytest.approx(kendall_tau(a, b))
    assert rbo(b, a) == pytest.approx(rbo(a, b))


@given(two_orders())
def test_only_the_order_matters(orders):
    a, b = orders
    bent = {name: 3 * value**3 - 5 for name, value in a.items()}
    assert kendall_tau(bent, b) == kendall_tau(a, b)
    assert tau_ap(bent, b) == tau_ap(a, b)
    assert rbo(bent, b) == rbo(a, b)


@given(two_orders())
def test_an_order_is_wholly_like_itself_and_unlike_its_reverse(orders):
    a, _ = orders
    turned = {name: -value for name, value in a.items()}
    assert rbo(a, a) == pytest.approx(1)
    if len({*a.values()}) > 1:
        assert kendall_tau(a, a) == pytest.approx(1)
        assert tau_ap(a, a) == pytest.approx(1)
        assert kendall_tau(a, turned) == pytest.approx(-1)
        assert tau_ap(a, turned) == pytest.approx(-1)


def test_rbo_of_the_papers_example_follows_from_its_overlaps():
    """Webber, Moffat & Zobel 2010, the lists of their table of overlaps at depths 1 to 7."""
    agreement = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    for p in (0.5, 0.9, 0.98):
        base = (1 - p) * sum(a * p**d for d, a in enumerate(agreement))
        expected = base + agreement[-1] * p**7
        assert rbo(list("abcdefg"), list("zcavwxy"), p) == pytest.approx(expected)


def tie_breakings(order):
    """All ways to break the ties of an order."""
    groups = [
        [name for name in order if order[name] == value]
        for value in sorted({*order.values()}, reverse=True)
    ]
    return [[*chain(*way)] for way in product(*map(permutations, groups))]


@examples(30)
@given(st.lists(values, min_size=5, max_size=5), st.lists(values, min_size=5, max_size=5))
def test_tied_items_count_in_rbo_as_they_are_expected_over_all_ways_to_break_the_ties(first, other):
    """RBO^b by brute force: cosines between the chances of the items to be within each depth."""
    a, b = dict(zip("abcde", first, strict=True)), dict(zip("abcde", other, strict=True))

    def chances(order, depth):
        ways = tie_breakings(order)
        return np.array([np.mean([name in way[:depth] for way in ways]) for name in "abcde"])

    agreement = []
    for depth in range(1, 6):
        x, y = chances(a, depth), chances(b, depth)
        agreement.append(x @ y / np.linalg.norm(x) / np.linalg.norm(y))
    p = 0.8
    expected = (1 - p) * sum(g * p**d for d, g in enumerate(agreement)) + p**5 * agreement[-1]
    assert rbo(a, b, p) == pytest.approx(expected)


def test_means_that_differ_by_rounding_tie():
    a = {"x": 0.1 + 0.2, "y": 0.3, "z": 0.0}
    assert a["x"] != a["y"]
    assert kendall_tau(a, a) == pytest.approx(1)
    assert tau_ap({"x": 0.3, "y": 0.3, "z": 0.0}, a) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "error", "about"),
    [
        (lambda: kendall_tau(["a", "b"], ["a", "c"]), BadValue, "b"),
        (lambda: kendall_tau(["a", "a"], ["a", "b"]), BadValue, "a"),
        (lambda: kendall_tau(["a"], ["a"]), BadValue, ("a", "2")),
        (lambda: kendall_tau("ab", "ba"), WrongType, "a"),
        (lambda: kendall_tau({"a": "x", "b": 1}, ["a", "b"]), WrongType, ("a['a']", "'x'")),
        (lambda: tau_ap({"a": float("nan"), "b": 1}, ["a", "b"]), BadValue, ("a['a']", "nan")),
        (
            lambda: tau_ap(["a", "b"], ["b", "a"], reference="left"),
            BadValue,
            ("reference", "first"),
        ),
        (lambda: rbo([], []), BadValue, "a"),
        (lambda: rbo({}, {}), BadValue, "a"),
        (lambda: rbo(["a"], ["a", "b"]), BadValue, ("b", "2", "1")),
        (lambda: rbo(["a"], ["a"], 1), BadValue, ("p", "1")),
        (lambda: rbo(["a"], ["a"], "x"), WrongType, ("p", "'x'")),
    ],
)
def test_what_is_no_order_is_refused(call, error, about):
    with refuses(error, about):
        call()


STRIKING = {
    "one": {"a": 0.9, "b": 0.5, "c": 0.45, "d": 0.1},
    "other": {"a": 0.2, "b": 8.0, "c": 8.1, "d": 0.0},
}


def test_discordant_pairs_are_told_the_most_striking_first():
    order = order_means(STRIKING)
    (row,) = order.agreement
    assert row.discordant == 3
    assert [pair.runs for pair in row.discordant_pairs] == [("a", "c"), ("a", "b"), ("b", "c")]
    assert row.discordant_pairs[0].differences == pytest.approx((0.45, -7.9))
    assert row.discordant_pairs[0].significant == (None, None)
    assert row.tau == pytest.approx(0)  # 3 of the 6 pairs alike
    assert order.power == ()
    assert order.discordant_pairs[("one", "other")] == row.discordant_pairs


def test_a_discordant_pair_that_both_measures_find_significant_comes_first():
    sure = np.array([pair == ("b", "c") for pair in combinations("abcd", 2)])
    order = order_means(STRIKING, significant={"one": sure, "other": sure})
    assert order.agreement[0].discordant_pairs[0].runs == ("b", "c")
    assert order.agreement[0].discordant_pairs[0].significant == (True, True)
    half = order_means(STRIKING, significant={"one": sure, "other": np.zeros(6, bool)})
    assert half.agreement[0].discordant_pairs[0].runs == ("a", "c")


@given(two_orders())
def test_discordant_pairs_are_those_of_opposite_sign(orders):
    a, b = orders
    if len(a) < 3:
        return
    row = order_means({"one": a, "other": b}).agreement[0]
    expected = {
        frozenset(pair)
        for pair in combinations(a, 2)
        if (a[pair[0]] - a[pair[1]]) * (b[pair[0]] - b[pair[1]]) < 0
    }
    assert row.discordant == len(expected)
    assert {frozenset(pair.runs) for pair in row.discordant_pairs} <= expected
    assert len(row.discordant_pairs) == min(5, len(expected))
    for pair in row.discordant_pairs:
        assert pair.differences[0] > 0 > pair.differences[1]


def test_an_order_in_which_all_tie_has_no_tau_and_says_so():
    order = order_means({"flat": dict.fromkeys("abc", 0.5), "other": {"a": 3, "b": 2, "c": 1}})
    row = order.agreement[0]
    assert (row.tau, row.tau_ap, row.tau_ap_to) == (None, None, (None, None))
    (note,) = order.notes
    assert find_notes([note], "flat", "same", "tau_AP")
    assert order.agreement_frame["tau"].to_list() == [None]
    assert "tau –" in repr(order)


def make_runs(values_by_run):
    """Judgments and runs whose P@10 are these values, in tenths."""
    queries = range(len(next(iter(values_by_run.values()))))
    judged = {str(q): {f"r{n}": 1 for n in range(10)} for q in queries}
    runs = {
        name: {str(q): [f"r{n}" for n in range(round(10 * tenths[q]))] + ["x"] for q in queries}
        for name, tenths in values_by_run.items()
    }
    return judged, runs


def make_three_runs(number=12):
    random = np.random.default_rng(6)
    base = random.integers(2, 7, number)
    return make_runs(
        {
            "low": base / 10,
            "middle": (base + random.integers(0, 2, number)) / 10,
            "high": (base + random.integers(1, 4, number)) / 10,
        }
    )


def test_power_is_the_share_of_significant_pairs():
    judged, runs = make_three_runs()
    order = gainful.order(judged, runs, ["P@10", "RR"], test="t", correct="bonferroni")
    results = gainful.evaluate(judged, runs=runs, measures=["P@10"])
    column = {name: result.per_query["P@10"].to_numpy() for name, result in results.items()}
    assert order.power[0].pairs == 3
    p = {pair: ttest_rel(column[pair[0]], column[pair[1]]).pvalue for pair in combinations(runs, 2)}
    significant = {pair for pair, value in p.items() if min(1, 3 * value) <= 0.05}
    assert order.power[0].significant == len(significant)
    means = {name: values.mean() for name, values in column.items()}
    smallest = min(abs(means[a] - means[b]) for a, b in significant)
    assert order.power[0].smallest == pytest.approx(smallest)
    assert order.power[0].share == pytest.approx(len(significant) / 3)
    assert order.power[1].significant == 0
    assert order.power[1].smallest is None


def test_corrections_make_fewer_pairs_significant():
    judged, runs = make_three_runs()
    results = gainful.evaluate(judged, runs=runs, measures="P@10")
    column = [result.per_query["P@10"].to_numpy() for result in results.values()]
    p = sorted(ttest_rel(a, b).pvalue for a, b in combinations(column, 2))
    alpha = 2 * p[2]  # the largest p is below it, and three times the largest above
    plain = gainful.order(judged, runs, "P@10", test="t", correct="none", alpha=alpha)
    assert plain.power[0].significant == 3
    assert plain.criterion.correction == "none"
    stern = gainful.order(judged, runs, "P@10", test="t", correct="bonferroni", alpha=alpha)
    assert stern.power[0].significant == sum(3 * p_value <= alpha for p_value in p) < 3


def test_tukeys_pairs_are_those_of_all_ways_to_deal_the_values():
    """Every one of the 6^6 ways to deal the values of a query to the runs is looked at."""
    judged, runs = make_three_runs(6)
    results = gainful.evaluate(judged, runs=runs, measures="P@10")
    table = np.stack([result.per_query["P@10"].to_numpy() for result in results.values()], axis=1)
    ways = np.array(list(permutations(range(3))))
    sums = np.zeros((1, 3))
    for row in table:
        sums = (sums[:, None, :] + row[ways][None]).reshape(-1, 3)
    ranges = np.ptp(sums, axis=1)
    total = table.sum(axis=0)
    p = [np.mean(ranges >= abs(total[a] - total[b]) - 1e-9) for a, b in combinations(range(3), 2)]
    alpha = sorted(p)[1] + 0.02  # well away from every p, so that chance does not matter
    assert all(abs(alpha - p_value) > 0.015 for p_value in p)
    order = gainful.order(judged, runs, "P@10", test="tukey", alpha=alpha)
    assert order.power[0].significant == sum(p_value <= alpha for p_value in p)
    assert order.agreement == ()


def test_discordant_pairs_know_what_is_significant():
    """P@10 and RR order the runs the other way round, and both in every query."""
    judged = {str(q): {f"r{n}": 1 for n in range(10)} for q in range(12)}
    many = {q: ["x", *(f"r{n}" for n in range(9))] for q in judged}
    few = {q: ["r0", "x"] for q in judged}
    none = {q: ["x"] for q in judged}
    order = gainful.order(judged, {"many": many, "few": few, "none": none}, ["P@10", "RR"])
    (pair,) = order.agreement[0].discordant_pairs
    assert pair.runs == ("many", "few")
    assert pair.differences == pytest.approx((0.8, -0.5))
    assert pair.significant == (True, True)
    assert [row.significant for row in order.power] == [3, 3]
    # Of P@10, dealing 0.9, 0.1 and 0 at random sets the runs further apart than few and none are.
    runs = {"many": many, "few": few, "none": none}
    by_tukey = gainful.order(judged, runs, ["P@10", "RR"], test="tukey")
    assert [row.significant for row in by_tukey.power] == [2, 3]
    assert [row.smallest for row in order.power] == pytest.approx([0.1, 0.5])
    assert [row.smallest for row in by_tukey.power] == pytest.approx([0.8, 0.5])
    text = by_tukey.to_text()
    assert [line for line in text.splitlines() if "0.8000*" in line and "0.5000*" in line]
    assert "\n* " in text
    assert list_facts(by_tukey.page().answer)[:6] == ["RR", "3", "3", "P@10", "RR", "1"]


def test_order_holds_what_its_parts_say_and_frames_of_it():
    judged, runs = make_three_runs()
    order = gainful.order(judged, runs, ["P@10", "P@5", "RR"], p=0.7, seed=1)
    data = order.to_dict()
    assert json.loads(json.dumps(data)) == data
    low = gainful.evaluate(judged, runs["low"], "P@10")["P@10"]
    assert data["means"]["P@10"]["low"] == pytest.approx(low)
    assert list(data["order"]["P@10"]) == ["high", "middle", "low"]
    assert data["agreement"][0]["rbo"] == rbo(data["means"]["P@10"], data["means"]["P@5"], 0.7)
    assert data["test"] == {
        "name": "randomisation", "correct": "max-t", "alpha": 0.05, "resamples": 10_000, "seed": 1}  # fmt: skip
    assert order.agreement_frame.shape == (3, 8)
    assert order.agreement_frame["first"].to_list() == ["P@10", "P@10", "P@5"]
    assert order.power_frame["power"].to_list() == [row.share for row in order.power]
    assert find_notes(data["notes"], "RR", "same", "mean")
    assert list_facts(repr(order))[:5] == ["3", "P@10", "P@5", "RR", "P@10"]


def test_the_same_seed_gives_the_same_and_queries_may_come_in_any_order():
    judged, runs = make_three_runs()
    turned = {name: dict(reversed(run.items())) for name, run in runs.items()}
    order = gainful.order(judged, runs, "P@10", seed=4)
    assert gainful.order(judged, turned, "P@10", seed=4).to_dict() == order.to_dict()


def test_queries_that_not_all_runs_have_are_left_out_and_said():
    judged, runs = make_three_runs()
    del runs["low"]["0"]
    order = gainful.order(judged, runs, "P@10", missing="skip")
    whole = gainful.evaluate(judged, runs["high"], "P@10").per_query["P@10"].to_list()
    assert order.means["P@10"]["high"] == pytest.approx(np.mean(whole[1:]))
    assert ["P@10", "1", "high", "'0'"] in [list_facts(note, *runs) for note in order.notes]


def test_sums_and_geometric_means_are_ordered_by_but_not_tested():
    judged, runs = make_three_runs()
    order = gainful.order(judged, runs, ["NumRet", "GMAP", "P@10"])
    assert [row.share is None for row in order.power] == [True, True, False]
    assert [list_facts(note)[0] for note in order.notes] == ["NumRet", "GMAP"]
    assert order.agreement[0].tau == pytest.approx(1)
    means = gainful.evaluate(judged, runs["low"], ["GMAP", "NumRet"]).mean
    assert order.means["GMAP"]["low"] == pytest.approx(means["GMAP"])
    assert order.means["NumRet"]["low"] == means["NumRet"]


def test_one_query_is_not_enough_to_test():
    judged, runs = make_runs({"a": [0.1], "b": [0.5], "c": [0.9]})
    order = gainful.order(judged, runs, ["P@10", "R@10"])
    assert order.power[0].share is None
    assert find_notes(order.notes, "P@10", "one", "query")
    assert order.agreement[0].tau == pytest.approx(1)


def test_identical_runs_tie_and_are_not_told_apart():
    judged, runs = make_runs({"a": [0.1, 0.5], "b": [0.1, 0.5], "c": [0.1, 0.5]})
    for test in ("tukey", "t", "bca", "wilcoxon", "sign", "randomisation", "bootstrap"):
        order = gainful.order(judged, runs, ["P@10", "R@5"], test=test)
        assert [row.significant for row in order.power] == [0, 0]
        assert order.agreement[0].tau is None
        assert len(order.notes) == 2 + (test == "tukey")


def evaluate_three_runs(*names, measures="P@10"):
    judged, runs = make_three_runs()
    return [gainful.evaluate(judged, runs[name], measures) for name in names]


@pytest.mark.parametrize(
    ("call", "error", "about"),
    [
        (lambda j, r: gainful.order(j, dict(list(r.items())[:2])), BadValue, ("the number of runs", "3")),
        (lambda j, r: gainful.order(j, list(r.values())[:2]), BadValue, ("the number of runs", "3")),
        (lambda j, r: gainful.order(j, r, test="tuckey"), UnknownName, ("tuckey", "tukey")),
        (lambda j, r: gainful.order(j, r, test="t", correct="hol"), UnknownName, ("hol", "holm")),
        (lambda j, r: gainful.order(j, r, test="tukey", correct="holm"), BadValue, ("correct", "tukey")),
        (lambda j, r: gainful.order(j, r, alpha=5), BadValue, "alpha"),
        (lambda j, r: gainful.order(j, r, resamples=0), BadValue, "resamples"),
        (lambda j, r: gainful.order(j, r, p=1.0), BadValue, "p"),
        (lambda j, r: gainful.order(j, r, tie="best"), UnknownName, ("tie", "ties")),
        (lambda j, r: gainful.order(j, r, family="all"), UnknownName, "family"),
        (lambda *_: order_results(evaluate_three_runs("low", "high", "low")), BadValue, "runs"),
        (lambda *_: order_means({}), WrongType, ("means", "{measure: {system: mean}}")),
        (lambda *_: order_means({"a": {"x": 1, "y": 2, "z": 3}, "b": {"x": 1}}), BadValue, "means['b']"),
        (lambda *_: order_means({"a": {"x": 1, "y": 2}}), BadValue, ("the number of runs", "3")),
        (lambda *_: order_means({"a": {"x": 1, "y": 2, "z": None}}), WrongType, "means['a']['z']"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(call, error, about):
    with refuses(error, about):
        call(*make_three_runs(4))


def test_differences_that_are_all_alike_are_refused_by_tests_of_how_they_vary():
    judged, runs = make_runs({"a": [0.1, 0.5, 0.3], "b": [0.3, 0.7, 0.5], "c": [0.1, 0.4, 0.9]})
    for test in ("t", "bootstrap", "bca"):
        with refuses(CannotCompare, "-0.2"):
            gainful.order(judged, runs, "P@10", test=test)
    assert gainful.order(judged, runs, "P@10", test="wilcoxon").power[0].significant == 0


def test_runs_that_share_no_query_or_convention_are_refused():
    judged, runs = make_three_runs(4)
    runs["low"] = {"0": runs["low"]["0"]}
    runs["high"] = {"1": runs["high"]["1"]}
    with refuses(CannotCompare, "P@10"):
        gainful.order(judged, runs, "P@10", missing="skip")
    judged, runs = make_three_runs(4)
    both = gainful.evaluate(judged, runs=runs, measures="P@10")
    other = gainful.evaluate(judged, runs={"other": runs["low"]}, measures="P@10", ties="best")
    with pytest.raises(CannotCompare):
        order_results([*both.values(), *other.values()])
    more = gainful.evaluate(judged, runs={"other": runs["low"]}, measures=["P@10", "AP"])
    with pytest.raises(CannotCompare):
        order_results([*both.values(), *more.values()])


@pytest.fixture
def call(tmp_path, run_gainful, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged, runs = make_three_runs()
    write_qrels(tmp_path / "qrels.txt", judged)
    for name, run in runs.items():
        write_run(tmp_path / f"{name}.txt", run)

    return lambda *words, **options: run_gainful("order", *words, **options)


FILES = ("qrels.txt", "low.txt", "middle.txt", "high.txt")
MEASURE_OPTIONS = ("-m", "P@10", "-m", "P@5", "-m", "RR")


def test_the_command_answers_and_then_shows_two_tables(call):
    printed = call(*FILES, *MEASURE_OPTIONS, "--format", "table").out
    parts = printed.split("\n\n")
    assert "significant differences" in parts[0]
    rows = [line.split() for line in parts[1].splitlines()]
    assert rows[2][0] == "P@10"
    assert parts[1].splitlines()[2].endswith("high > middle > low")
    assert parts[1].splitlines()[4].endswith("low = middle = high")
    assert parts[2].split()[:3] == ["measures", "tau", "tau_AP"]
    assert find_notes(parts[3].splitlines(), "0.05", "max-T")
    assert find_notes(parts[3].splitlines(), "Note", "RR", "same", "mean")


def test_the_command_says_what_python_says_in_every_form(call, tmp_path):
    judged, runs = make_three_runs()
    expected = gainful.order(judged, runs, ["P@10", "P@5", "RR"], test="t", correct="bh", p=0.8)
    options = (*MEASURE_OPTIONS, "--test", "t", "--correct", "bh", "--p", "0.8")
    data = json.loads(call(*FILES, *options, "--format", "json").out)
    assert data["agreement"] == expected.to_dict()["agreement"]
    assert data["power"] == expected.to_dict()["power"]
    piped = call(*FILES, *options)
    rows = list(csv.DictReader(io.StringIO(piped.out), delimiter="\t"))
    value = {(row["what"], row["measure"], row["other"], row["run"]): row["value"] for row in rows}
    assert float(value["tau", "P@10", "P@5", ""]) == expected.agreement[0].tau
    assert value["tau", "P@10", "RR", ""] == ""
    assert float(value["mean", "P@5", "", "low"]) == expected.means["P@5"]["low"]
    assert float(value["power", "P@10", "", ""]) == expected.power[0].share
    assert "paired t test" in piped.err
    assert "resamples" not in piped.err
    assert call(*FILES, *options, "--quiet").err == ""
    lines = call(*FILES, *options, "--format", "jsonl").out.splitlines()
    assert len([*map(json.loads, lines)]) == len(rows)
    assert "| P@10 | P@5 |" in call(*FILES, *options, "--format", "markdown").out
    assert "high $>$ middle $>$ low" in call(*FILES, *options, "--format", "latex").out
    call(*FILES, *options, "-o", "order.json")
    assert json.loads((tmp_path / "order.json").read_text()) == data


def test_many_runs_are_told_by_the_first_few(call, tmp_path):
    many = []
    for number in range(9):
        many.append(f"run{number}.txt")
        (tmp_path / many[-1]).write_text((tmp_path / "low.txt").read_text())
    printed = call("qrels.txt", *many, "-m", "P@10", "--format", "table").out
    assert "run3 … and 5 more" in printed
    assert list_facts(printed.splitlines()[0], "No") == ["No", "36"]
