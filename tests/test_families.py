"""Families of comparisons: max-T, corrections and their intervals, against code in loops."""

import json
import math
import tracemalloc

import numpy as np
import pytest
from attrs import evolve
from by_hand import draw_signs
from example_files import NEWS_QRELS, NEWS_RUNS
from facts import find_notes, list_facts
from refusals import refuses
from written_files import write_qrels, write_run

import gainful
from gainful.errors import BadValue
from gainful.evidence.method import Method, test_pairs as apply_tests
from gainful.evidence.pairing import PairedValues
from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.evidence.statistics.max_t import flip_families, step_down_max_t
from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.progress import watch

RNG = np.random.default_rng(16)
PAIRS_OF_THREE = np.array([[1, 0], [2, 0], [2, 1]])
ALL_PAIRS = np.array([[1, 0], [2, 0], [3, 0], [2, 1], [3, 1], [3, 2]])


def step_down_by_loops(observed, resampled, added):
    """Westfall and Young's p, one comparison and one resample at a time."""
    ranked = sorted(range(len(observed)), key=lambda at: -observed[at])
    corrected, last = [0.0] * len(observed), 0.0
    for place, at in enumerate(ranked):
        count = 0
        for row in resampled:
            largest = max(row[other] for other in ranked[place:])
            count += largest >= observed[at]
        last = max(last, (count + added) / (len(resampled) + added))
        corrected[at] = last
    return corrected


@pytest.mark.parametrize("exact", [False, True])
def test_step_down_max_t_equals_loops_whatever_the_chunks(exact):
    observed = np.abs(RNG.normal(size=7)) * 2
    resampled = np.abs(RNG.normal(size=(200, 7)))
    resampled[0] = observed
    own, among = step_down_max_t(observed, np.array_split(resampled, 7), exact=exact)
    added = 0 if exact else 1
    assert among.tolist() == step_down_by_loops(observed, resampled.tolist(), added)
    counts = [(resampled[:, at] >= observed[at]).sum() for at in range(7)]
    assert own.tolist() == [(count + added) / (200 + added) for count in counts]
    assert (among >= own).all()


def sums_over_roots(columns, signs):
    """|Σ ±d| / √Σd² of each column, which grows as t does; 0 where nothing differs."""
    roots = [math.sqrt(sum(d * d for d in column)) for column in columns]
    return [
        abs(sum(s * d for s, d in zip(signs, column, strict=True))) / root if root else 0.0
        for column, root in zip(columns, roots, strict=True)
    ]


def max_t_by_loops(differences, signs, added):
    """The p of each pair by itself, and by step-down, from the same signs for all pairs."""
    columns = differences.T.tolist()
    observed = [value * (1 - 1e-9) for value in sums_over_roots(columns, [1] * len(differences))]
    resampled = [sums_over_roots(columns, row) for row in signs]
    own = [
        (sum(row[at] >= observed[at] for row in resampled) + added) / (len(signs) + added)
        for at in range(len(observed))
    ]
    return own, step_down_by_loops(observed, resampled, added)


def reach_by_loops(differences, signs, alpha, added):
    """What the largest |t| of all pairs reaches in alpha of the flips of centred differences."""
    number = len(differences)
    centred = (differences - differences.mean(axis=0)).T.tolist()
    largest = []
    for row in signs:
        ts = []
        for column in centred:
            flipped = [s * d for s, d in zip(row, column, strict=True)]
            mean = sum(flipped) / number
            spread = math.sqrt(sum((d - mean) ** 2 for d in flipped) / (number - 1))
            ts.append(abs(mean) / (spread / math.sqrt(number)) if spread else 0.0)
        largest.append(max(ts))
    return sorted(largest)[-math.floor(alpha * (len(signs) + added))]


@pytest.mark.parametrize("queries", [9, 40])
def test_max_t_of_all_pairs_and_its_intervals_equal_loops(queries):
    values = np.round(RNG.random((queries, 4)) * np.array([1, 1, 0.2, 2]), 2)
    values[:, 1] = values[:, 0]  # two runs that are alike
    resampling = Resampling(resamples=199, seed=4)
    outcome = flip_families([UnitSums.from_values(values)], ALL_PAIRS, resampling)
    differences = values[:, ALL_PAIRS[:, 0]] - values[:, ALL_PAIRS[:, 1]]
    signs, added = draw_signs(queries, resampling), int(queries > 16)
    own, among = max_t_by_loops(differences, signs, added)
    assert outcome.p[0] == pytest.approx(own, abs=1e-12)
    assert outcome.p_corrected[0] == pytest.approx(among, abs=1e-12)
    assert outcome.exact is (queries == 9)
    assert outcome.p_corrected[0][0] == 1.0  # nothing differs there
    reach = reach_by_loops(differences, signs, 0.05, added)
    mean = differences.mean(axis=0)
    margin = reach * differences.std(axis=0, ddof=1) / math.sqrt(queries)
    insignificant = outcome.p_corrected[0] > 0.05
    assert outcome.low[0] == pytest.approx(
        np.where(insignificant, np.minimum(mean - margin, 0), mean - margin)
    )
    assert outcome.high[0] == pytest.approx(
        np.where(insignificant, np.maximum(mean + margin, 0), mean + margin)
    )


def test_max_t_over_all_measures_takes_the_same_sign_for_a_query_in_each():
    """Two measures, the second of which lacks some queries; pairs of both in one family."""
    first, second = RNG.random((30, 4)), RNG.random((24, 4)) * 5
    second[:, 3] += 1
    queries = [f"q{at}" for at in range(30)]
    paired = [
        PairedValues("A", queries, first, [0] * 4),
        PairedValues("B", queries[6:], second, [6] * 4),
    ]
    resampling = Resampling(resamples=199)
    outcome = apply_tests(
        paired, ALL_PAIRS, Method("randomisation", "max-t", "all", resampling), list("abcd")
    )
    padded = np.concatenate([np.zeros((6, 4)), second])
    both = np.concatenate(
        [v[:, ALL_PAIRS[:, 0]] - v[:, ALL_PAIRS[:, 1]] for v in (first, padded)], 1
    )
    own, among = max_t_by_loops(both, draw_signs(30, resampling), 1)
    assert outcome.p.ravel() == pytest.approx(own, abs=1e-12)
    assert outcome.p_corrected.ravel() == pytest.approx(among, abs=1e-12)
    alone = apply_tests(
        paired[:1], ALL_PAIRS, Method("randomisation", "max-t", "measure", resampling), list("abcd")
    )
    assert (outcome.p_corrected[0] >= alone.p_corrected[0]).all()


def make_graded_runs(number, queries=50):
    """Runs of which each finds more than the one before: means from about 1/21 to 20/21."""
    random = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(10)} for q in range(queries)}
    runs = {
        f"run{r:02d}": {
            q: [f"d{i}" if random.random() < (r + 1) / 21 else f"x{i}" for i in range(10)]
            for q in qrels
        }
        for r in range(number)
    }
    return qrels, runs


def test_twenty_runs_are_told_apart_by_the_default():
    """Holm over 570 comparisons could find nothing: the smallest p was too large (the t test: 396)."""
    qrels, runs = make_graded_runs(20)
    results = gainful.evaluate(qrels, runs=runs, measures=["P@10", "AP"])
    comparison = gainful.compare(results)
    by_t = gainful.compare(results, test="t")
    significant, significant_by_t = (
        sum(map(each.is_significant, each.pairs)) for each in (comparison, by_t)
    )
    assert significant >= significant_by_t > 250
    assert comparison.evidence.correction == "max-t"
    assert find_notes(str(comparison).splitlines(), "max-T", "190")
    together = gainful.compare(results, family="all")
    assert together.evidence.family == 380
    assert find_notes(str(together).splitlines(), "max-T", "380")


def test_holm_takes_the_resamples_it_needs_or_names_them():
    qrels, runs = make_graded_runs(20, queries=20)
    results = gainful.evaluate(qrels, runs=runs, measures="P@10")
    # 190 comparisons: the smallest p is 1 / (resamples + 1), so 3799 are the fewest.
    with refuses(BadValue, "resamples"):
        gainful.compare(results, correct="holm", resamples=3798)
    fewest = gainful.compare(results, correct="holm", resamples=3799)
    assert min(pair.p_corrected for pair in fewest.pairs) == pytest.approx(0.05)
    ample = gainful.compare(results, correct="holm")
    assert ample.evidence.method.resampling.resamples == 37_999
    ordered = gainful.order(qrels, runs, "P@10", correct="holm")
    assert ordered.to_dict()["test"]["resamples"] == 37_999
    assert min(pair.p_corrected for pair in ample.pairs) < 0.01


def test_bh_is_refused_only_resamples_with_which_nothing_could_be_significant():
    """Three differences of one sign in 40 queries have the smallest p, 1/100, and keep it."""
    judged = {f"q{query}": {"a": 1} for query in range(40)}
    runs = {
        f"run{run}": {
            query: [f"x{rank}" for rank in range(5 * run + at % 3)] + ["a"]
            for at, query in enumerate(judged)
        }
        for run in range(3)
    }
    options = {"measures": "RR", "correct": "bh", "resamples": 99}
    comparison = gainful.compare(judged, runs, **options, alpha=0.01)
    assert [pair.p_corrected for pair in comparison.pairs] == [0.01, 0.01, 0.01]
    with refuses(BadValue, "resamples"):
        gainful.compare(judged, runs, **options, alpha=0.009)


def test_few_enough_queries_need_no_resamples_for_holm():
    qrels, runs = make_graded_runs(5, queries=12)
    comparison = gainful.compare(qrels, runs, "P@10", correct="holm", resamples=99)
    assert comparison.evidence.exact


@pytest.mark.parametrize(
    ("queries", "runs", "options", "smallest"),
    [
        (6, 3, {"correct": "holm"}, 3 * 2 / 2**6),
        (6, 3, {"correct": "bh"}, None),  # all three have 2 of 64, so all are significant
        (4, 2, {"test": "tukey"}, 2 / 2**4),  # of two runs, the signs of differences are flipped
    ],
)
def test_that_no_p_can_be_small_enough_is_said_just_where_it_is_so(
    queries, runs, options, smallest
):
    judged = {str(q): {"a": 1} for q in range(queries)}
    rankings = {
        f"run{run}": {query: [f"x{rank}" for rank in range(3 * run)] + ["a"] for query in judged}
        for run in range(runs)
    }
    rankings["run0"]["0"] = ["x0", "a"]  # so that differences vary
    comparison = gainful.compare(judged, rankings, "RR", **options)
    assert bool(comparison.systems_beaten("RR")["run0"]) == (smallest is None)
    notes = [note for note in comparison.notes if "nothing can be significant" in note]
    assert len(notes) == len(find_notes(comparison.notes, f"{smallest or 0:.4g}"))
    assert bool(notes) == (smallest is not None)


TESTS_AND_CORRECTIONS = [
    (test, correct)
    for test in ("randomisation", "t", "sign", "bca")
    for correct in CORRECTIONS
    if correct != "max-t" or test == "randomisation"
]


@pytest.mark.parametrize(("test", "correct"), TESTS_AND_CORRECTIONS)
@pytest.mark.parametrize("family", ["measure", "all"])
def test_no_interval_leaves_out_0_where_p_is_above_alpha(test, correct, family):
    random = np.random.default_rng(8)
    kinds = (random.normal(0.25, 1, (20, 4)), random.exponential(1, (20, 4)) ** 2)
    paired = [
        PairedValues(name, [str(at) for at in range(20)], values, [0] * 4)
        for name, values in zip("AB", kinds, strict=True)
    ]
    method = Method(test, correct, family, Resampling(resamples=1999, alpha=0.2))
    method = method.fit_to_queries(paired, ALL_PAIRS)
    outcome = apply_tests(paired, ALL_PAIRS, method, list("abcd"))
    excludes = (outcome.low > 0) | (outcome.high < 0)
    assert not (excludes & (outcome.p_corrected > 0.2)).any()
    if correct in ("bh", "bonferroni", "none") and test in ("randomisation", "t"):
        assert (excludes == (outcome.p_corrected <= 0.2)).all()  # the interval inverts the test


def test_where_p_steps_down_and_the_interval_holds_0_a_line_says_why():
    random = np.random.default_rng(3)
    base = random.normal(size=(60, 1))
    near = base + 0.4 + random.normal(0, 1, (60, 1))
    far = [base + shift + random.normal(0, 0.1, (60, 1)) for shift in (3, 4, 5, 6)]
    values = np.concatenate([base, near, *far], axis=1)
    qrels = {f"q{at}": {"d": 1} for at in range(60)}
    measured = [
        gainful.evaluate(qrels, {q: ["d"] for q in qrels}, "RR") for _ in range(values.shape[1])
    ]
    results = {
        f"r{at}": evolve(result, values={"RR": values[:, at]}) for at, result in enumerate(measured)
    }
    comparison = gainful.compare(results)
    pair = comparison.pair("RR", "r1", "r0")
    assert comparison.is_significant(pair)
    assert pair.low < 0 < pair.high
    (note,) = find_notes(comparison.notes, "RR", "r1", "r0", "interval", "0")
    assert "significant" in note
    rows = [row for row in comparison.to_text().splitlines() if "†" in row]
    assert [row.split()[1] for row in rows[:-1]] == ["r1"]
    against = gainful.compare(results, pairs="baseline")
    assert against.is_at_odds(against.pair("RR", "r1", "r0"))
    *_, evidence = against.page().answer.split("r1 by")
    assert evidence.index("p") < evidence.index("interval")  # p decides, and is said first


def test_no_difference_is_detectable_where_no_p_can_be_significant():
    for number, is_detectable in ((4, False), (12, True)):
        judged = {f"q{at}": {"a": 1} for at in range(number)}
        worse = {query: [*"xyz"[: 1 + at % 3], "a"] for at, query in enumerate(judged)}
        runs = {"worse": worse, "better": {query: ["a"] for query in judged}}
        (line,) = [
            line
            for line in gainful.compare(judged, runs, "RR").to_text().splitlines()
            if "80 % power" in line
        ]
        assert ("better" in line) == is_detectable
        assert (list_facts(line) == ["80", "4", "0.05"]) != is_detectable


def test_with_too_few_queries_it_is_said_that_nothing_can_be_significant():
    qrels = {f"q{at}": {"a": 1} for at in range(5)}
    runs = {"up": {q: ["a"] for q in qrels}, "down": {q: ["x", "a"] for q in qrels}}
    expected = ["RR", "5", "0.0625", "0.05"]
    for test in ("randomisation", "sign"):
        notes = gainful.compare(qrels, runs, "RR", test=test).notes
        assert expected in [list_facts(note) for note in notes]
    assert not find_notes(gainful.compare(qrels, runs, "RR", alpha=0.1).notes, "no", "p", "below")
    third = {"other": {q: ["x", "x2", "a"] for q in qrels}}
    shared = gainful.compare(qrels, runs | third, "RR", alpha=0.1, correct="holm").notes
    assert find_notes(shared, "no", "p", "0.1875")  # three times 0.0625


def test_tukey_is_by_name_and_says_what_it_cannot_do():
    qrels, runs = make_graded_runs(3, queries=20)
    by_tukey = gainful.compare(qrels, runs, "P@10", test="tukey")
    assert find_notes(by_tukey.notes, "tukey", "level")
    assert not find_notes(gainful.compare(qrels, runs, "P@10").notes, "tukey")
    ordered = gainful.order(qrels, runs, "P@10")
    assert (ordered.criterion.test, ordered.criterion.correction) == ("randomisation", "max-t")
    assert find_notes(gainful.order(qrels, runs, "P@10", test="tukey").notes, "tukey", "level")


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({"test": "t", "correct": "max-t"}, ("correct", "'max-t'", "randomisation")),
        ({"family": "pairs"}, ("pairs", "measure, all")),
        ({"correct": "max-T"}, ("max-T", "max-t")),
    ],
)
def test_what_does_not_go_together_is_refused(options, about):
    qrels, runs = make_graded_runs(3, queries=20)
    with refuses(gainful.errors.GainfulError, about):
        gainful.compare(qrels, runs, "P@10", **options)


def test_the_command_says_and_writes_which_family(run_gainful, tmp_path):
    qrels, runs = make_graded_runs(3, queries=20)
    paths = [write_run(tmp_path / f"{name}.txt", run) for name, run in runs.items()]
    judged = write_qrels(tmp_path / "qrels.txt", qrels)
    words = ("compare", judged, *paths, "-m", "P@10", "-m", "AP")
    data = json.loads(run_gainful(*words, "--family", "all", "--format", "json").out)
    assert (data["family"], data["family_scope"], data["correction"]) == (6, "all", "max-t")
    text = run_gainful(*words, "--format", "table").out
    assert find_notes(text.splitlines(), "max-T", "3")
    refused = run_gainful(
        *words, "--correct", "holm", "--resamples", "99", "--alpha", "0.01", status=2
    )
    assert "299" in refused.err


@pytest.mark.parametrize("spread", ["equal", "unequal"])
def test_any_mistake_among_runs_without_effect_is_made_in_one_of_twenty(spread):
    """300 trials at .05: more than 26 mistakes happen by chance in one of 1,000."""
    random = np.random.default_rng(5)
    scales = np.ones(6) if spread == "equal" else np.array([0.1, 0.1, 0.1, 0.1, 1, 2])
    pairs = np.stack(np.triu_indices(6, 1), axis=1)
    mistakes = uncovered = 0
    for trial in range(300):
        values = random.normal(size=(25, 1)) + random.normal(size=(25, 6)) * scales
        resampling = Resampling(resamples=199, seed=trial)
        outcome = flip_families([UnitSums.from_values(values)], pairs, resampling)
        mistakes += (outcome.p_corrected <= 0.05).any()
        uncovered += ((outcome.low > 0) | (outcome.high < 0)).any()
    assert 3 < mistakes <= 26
    assert uncovered <= mistakes


def test_max_t_keeps_its_power_beside_very_different_runs():
    """b - a of dz about .4, 50 queries: alone, and beside three clearly worse runs."""
    random = np.random.default_rng(6)
    pairs = np.stack(np.triu_indices(5, 1), axis=1)
    hits = {"alone": 0, "beside": 0}
    for trial in range(150):
        query = random.normal(size=(50, 1))
        values = query + random.normal(size=(50, 5)) + np.array([0, 0.55, -3, -3.5, -4])
        resampling = Resampling(resamples=199, seed=trial)
        for name, columns in (("alone", 2), ("beside", 5)):
            chosen = pairs[pairs.max(axis=1) < columns]
            units = UnitSums.from_values(values[:, :columns])
            outcome = flip_families([units], chosen, resampling)
            hits[name] += outcome.p_corrected[0][0] <= 0.05
    assert hits["alone"] > 90  # tukey: 72 % alone, 6 % beside
    assert hits["beside"] > hits["alone"] - 30


def test_resamples_are_worked_on_in_bounded_memory():
    values = RNG.random((300, 25))
    pairs = np.stack(np.triu_indices(25, 1), axis=1)
    tracemalloc.start()
    flip_families([UnitSums.from_values(values)], pairs, Resampling(resamples=20_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all statistics together would be 48 MB, three times over


def test_every_test_says_whether_it_takes_clusters():
    assert {name for name, test in TESTS.items() if test.takes_clusters} == {
        "randomisation",
        "t",
        "bootstrap",
        "bca",
    }


def test_long_work_is_told_of_as_it_goes():
    shares = []
    with watch(work=lambda name, share: shares.append((name, share))):
        flip_families([UnitSums.from_values(RNG.random((600, 3)))], PAIRS_OF_THREE, Resampling())
    assert {name for name, _ in shares} == {"resampling"}
    assert len(shares) > 5
    assert [share for _, share in shares] == sorted(share for _, share in shares)
    assert shares[-1][1] == 1


def test_a_terminal_sees_how_far_resampling_is(run_gainful, monkeypatch):
    words = ("compare", NEWS_QRELS, *NEWS_RUNS.values())
    monkeypatch.setattr("gainful.cli.streams._LONG_WORK", -1)
    assert "resampling [" in run_gainful(*words, "--resamples", "50000", tty=True).err
    assert run_gainful(*words, "--resamples", "50000").err.count("resampling [") == 0


def test_max_t_of_values_that_one_has_already():
    values = dict(zip("abcd", RNG.random((4, 30)), strict=True))
    frame = gainful.stats.max_t_test(values, resamples=199)
    pairs = np.array([[1, 0], [2, 0], [3, 0], [2, 1], [3, 1], [3, 2]])
    columns = np.stack(list(values.values()), axis=1)
    differences = columns[:, pairs[:, 0]] - columns[:, pairs[:, 1]]
    own, among = max_t_by_loops(differences, draw_signs(30, Resampling(resamples=199)), 1)
    assert frame["p"].to_list() == pytest.approx(
        [next(p for p, pair in zip(own, pairs, strict=True) if ("abcd"[pair[0]], "abcd"[pair[1]]) == row)
         for row in frame.select("system", "other").rows()]
    )  # fmt: skip
    assert sorted(frame["p_corrected"]) == pytest.approx(sorted(among))


@pytest.mark.parametrize(
    ("values", "clusters", "argument"),
    [
        ([1, 2], None, "values"),
        ({"a": [1, 2]}, None, "values"),
        ({"a": [1, 2], "b": [1]}, None, "values"),
        ({"a": [1, 2], "b": [1, float("nan")]}, None, "values"),
        ({"a": [1, 2], "b": [1, "x"]}, None, "values"),
        ({"a": [1, 2], "b": [1, 3]}, ["u"], "clusters"),
        ({"a": [1, 2], "b": [1, 3]}, ["u", "u"], "clusters"),
    ],
)
def test_values_that_cannot_be_compared_are_refused(values, clusters, argument):
    with refuses(BadValue, argument):
        gainful.stats.max_t_test(values, clusters)
