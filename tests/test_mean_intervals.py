"""How sure is a mean: its interval over queries, and what a single query does to it."""

import csv
import io
import json
from time import process_time

import numpy as np
import pytest
from example_files import NEWS_QRELS, NEWS_RUNS
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from scipy.stats import bootstrap, ttest_1samp
from written_files import write_qrels, write_run

import gainful
from gainful.errors import BadValue, WrongType
from gainful.evidence.intervals import Averaged, find_intervals
from gainful.evidence.statistics.outcome import Resampling
from gainful.progress import watch

tenths = st.lists(st.integers(0, 10), min_size=2, max_size=12)


def evaluate_hits(hits, measures="P@10", **options):
    """Results of a run that finds so many of ten relevant documents in its queries."""
    judged = {f"q{at}": {f"r{n}": 1 for n in range(10)} for at in range(len(hits))}
    run = {
        f"q{at}": [f"r{n}" for n in range(number)] + ["x"] * (number < 10)
        for at, number in enumerate(hits)
    }
    return gainful.evaluate(judged, run, measures, **options)


def scipy_interval(values, level=95, resamples=10_000, seed=2008):
    result = bootstrap(
        (np.asarray(values),),
        np.mean,
        n_resamples=resamples,
        confidence_level=level / 100,
        method="BCa",
        rng=np.random.Generator(np.random.PCG64(seed)),
    )
    return tuple(result.confidence_interval)


def t_interval(values, level=95):
    return tuple(ttest_1samp(values, 0).confidence_interval(level / 100))


HITS = (1, 3, 3, 4, 7, 9, 2, 5)
MANY = HITS * 3 + (6,)  # 25 queries: from so many on they are drawn again


@pytest.mark.parametrize(("level", "seed"), [(95, 2008), (50, 1), (99.9, 7)])
def test_from_25_queries_on_the_interval_is_scipys_bca(level, seed):
    run_intervals = gainful.stats.mean_intervals(evaluate_hits(MANY), level, seed=seed)
    interval = run_intervals.intervals["P@10"]
    whole = scipy_interval(MANY, level, seed=seed)  # of whole numbers, so that ties are ties
    assert (10 * interval.low, 10 * interval.high) == pytest.approx(whole)
    assert 10 * interval.mean == pytest.approx(np.mean(MANY))
    assert run_intervals.method == interval.method == "bootstrap, BCa"


def draw_averaged(number, measures):
    entry = evaluate_hits(HITS).recipes["P@10"].entry
    columns = np.random.default_rng(1).beta(0.5, 1, (measures, number))
    return [Averaged(values, range(number), entry) for values in columns]


def test_intervals_of_100_000_queries_take_20_seconds_of_the_processor_for_three_measures():
    averaged = draw_averaged(100_000, 3)
    start = process_time()
    find_intervals(averaged, Resampling(resamples=1000))  # a tenth of the default
    assert process_time() - start < 2


def test_measures_are_drawn_together_as_each_would_be_alone_and_progress_is_reported():
    averaged, shares = draw_averaged(2000, 3), []
    resampling = Resampling(resamples=999)
    with watch(work=lambda name, share: shares.append((name, share))):
        together = find_intervals([*averaged, *draw_averaged(90, 1)], resampling)
    assert together[:3] == [find_intervals([item], resampling)[0] for item in averaged]
    assert [share for _, share in shares].count(1) == 2  # 2000 queries once, 90 once
    assert len(shares) > 20


def test_a_terminal_sees_how_far_drawing_is(run_gainful, monkeypatch):
    words = ("eval", NEWS_QRELS, NEWS_RUNS["bm25"], "-m", "AP", "--interval", "95")
    monkeypatch.setattr("gainful.cli.streams._LONG_WORK", -1)
    assert "resampling [" in run_gainful(*words, tty=True).err
    assert "resampling [" not in run_gainful(*words).err


@pytest.mark.parametrize("level", [50, 95])
@pytest.mark.parametrize("hits", [HITS, MANY[:24]])
def test_below_25_queries_the_interval_is_students(hits, level):
    run_intervals = gainful.stats.mean_intervals(evaluate_hits(hits), level)
    interval = run_intervals.intervals["P@10"]
    expected = t_interval([number / 10 for number in hits], level)
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert run_intervals.method == interval.method == "t"


def test_the_interval_does_not_go_beyond_what_the_measure_can_be():
    low = gainful.stats.mean_intervals(evaluate_hits([0, 0, 0, 1])).intervals["P@10"]
    assert t_interval([0, 0, 0, 0.1])[0] < 0 == low.low
    high = gainful.stats.mean_intervals(evaluate_hits([10, 10, 10, 9])).intervals["P@10"]
    assert t_interval([1, 1, 1, 0.9])[1] > 1 == high.high


@pytest.mark.parametrize("level", [95, 99.99])  # at 99.99 % it overflowed
def test_a_geometric_mean_of_shares_is_no_larger_than_1(level):
    results = gainful.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": ["a"], "2": ["b"]}, "GMAP")
    intervals = gainful.stats.mean_intervals(results, level)
    assert intervals.intervals["GMAP"].high == 1
    assert intervals.to_json()


def test_a_correlation_may_be_below_zero():
    """MCC has no end at 0; values above it say nothing of other queries."""
    judged = {q: {"a": 1} for q in "123"}
    run = {"1": ["a", "x"], "2": ["a", "x"], "3": ["x", "y", "a"]}
    results = gainful.evaluate(judged, run, "MCC(docs=9)@2")
    values = results.per_query["MCC(docs=9)@2"].to_numpy()
    interval = gainful.stats.mean_intervals(results).intervals["MCC(docs=9)@2"]
    assert (interval.low, interval.high) == pytest.approx(t_interval(values))


@pytest.mark.parametrize(("hits", "expected"), [(HITS, t_interval), (MANY, scipy_interval)])
def test_a_geometric_mean_has_the_interval_of_its_logarithms(hits, expected):
    results = evaluate_hits(hits, ["GMAP", "AP"])
    interval = gainful.stats.mean_intervals(results).intervals["GMAP"]
    logs = np.log(np.maximum(results.per_query["AP"].to_numpy(), 1e-5))  # trec_eval's floor
    low, high = np.exp(expected(logs))
    # scipy takes means that differ by rounding alone for different ones
    assert (interval.low, interval.high) == pytest.approx((low, min(high, 1.0)), rel=2e-3)
    without = [np.exp(np.delete(logs, at).mean()) for at in range(len(logs))]
    assert (interval.loo_low, interval.loo_high) == pytest.approx((min(without), max(without)))


def test_a_sum_has_an_interval_and_no_range():
    run_intervals = gainful.stats.mean_intervals(evaluate_hits(HITS, ["NumRelRet", "NumQ"]))
    interval = run_intervals.intervals["NumRelRet"]
    assert interval.mean == sum(HITS)
    low, high = t_interval(HITS)
    assert (interval.low, interval.high) == pytest.approx((8 * low, 8 * high))
    assert (interval.loo_low, interval.query_low, interval.influential_query) == (None, None, None)
    assert find_notes(run_intervals.notes[:1], "NumRelRet", "sum", "no", "range")
    assert run_intervals.intervals["NumQ"].low == run_intervals.intervals["NumQ"].high == 8


@examples(25)
@given(tenths)
def test_leaving_out_each_query_by_brute_force(hits):
    results = evaluate_hits(hits)
    interval = gainful.stats.mean_intervals(results, resamples=99).intervals["P@10"]
    values = np.array(hits) / 10
    without = {f"q{at}": np.delete(values, at).mean() for at in range(len(values))}
    assert interval.loo_low == pytest.approx(min(without.values()))
    assert interval.loo_high == pytest.approx(max(without.values()))
    assert without[interval.query_low] == pytest.approx(interval.loo_low)
    assert without[interval.query_high] == pytest.approx(interval.loo_high)
    moved = {query: abs(mean - values.mean()) for query, mean in without.items()}
    if len({*hits}) == 1:
        assert interval.influential_query is None
    else:
        assert moved[interval.influential_query] == pytest.approx(max(moved.values()))
    assert 0 <= interval.low <= interval.high <= 1


def test_the_interval_does_not_depend_on_what_else_is_asked():
    alone, beside = (
        gainful.stats.mean_intervals(evaluate_hits(HITS, measures)).intervals["AP"]
        for measures in ("AP", ["P@5", "AP", "NumRet"])
    )
    assert alone == beside


@pytest.mark.parametrize(
    ("hits", "mean", "end", "words"),
    [
        ([3], 0.3, None, "single query no interval"),
        ([3, 3, 3], 0.3, 0.3, "same point"),
        ([0, 0, 0], 0, 0, "same point"),
    ],
)
def test_one_query_has_no_interval_and_constant_values_a_point(hits, mean, end, words):
    run_intervals = gainful.stats.mean_intervals(evaluate_hits(hits))
    interval = run_intervals.intervals["P@10"]
    assert interval.mean == pytest.approx(mean)
    ends = [interval.low, interval.high, interval.loo_low, interval.loo_high]
    assert ends == [end if end is None else pytest.approx(end)] * 4
    assert interval.influential_query is None
    (note,) = run_intervals.notes
    assert find_notes([note], "P@10", *words.split())


def test_queries_that_do_not_count_are_left_out():
    judged = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}, "empty": {"x": 0}}
    run = {"a": ["x"], "b": ["y", "x"], "c": ["y", "z", "x"], "empty": ["x"]}
    results = gainful.evaluate(judged, run, "nDCG", empty="skip")
    interval = gainful.stats.mean_intervals(results).intervals["nDCG"]
    assert interval.mean == pytest.approx(results.mean["nDCG"])
    assert {interval.query_low, interval.query_high} == {"a", "c"}
    values = [1, 1 / np.log2(3), 1 / 2]
    assert (interval.low, interval.high) == pytest.approx((max(0, t_interval(values)[0]), 1.0))
    nothing = gainful.evaluate({"q": {"x": 0}}, {"q": ["x"]}, "nDCG", empty="skip")
    run_intervals = gainful.stats.mean_intervals(nothing)
    assert run_intervals.intervals["nDCG"].mean is None
    (note,) = run_intervals.notes
    assert find_notes([note], "nDCG", "no", "query", "mean")


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"level": 100}, BadValue, ("the level of the interval", "100", "1 to 99.99")),
        ({"level": 0.95}, BadValue, ("the level of the interval", "95")),
        ({"level": "95"}, WrongType, ("the level of the interval", "'95'")),
        ({"level": True}, WrongType, "the level of the interval"),
        ({"resamples": 0}, BadValue, "resamples"),
        ({"seed": -1}, BadValue, "seed"),
        ({"seed": 0.5}, WrongType, "seed"),
    ],
)
def test_wrong_options_are_refused(options, error, about):
    with refuses(error, about):
        gainful.stats.mean_intervals(evaluate_hits(HITS), **options)


@pytest.mark.parametrize("option", ["resamples", "seed"])
def test_chance_without_an_interval_is_refused(option):
    with refuses(BadValue, (option, "interval")):
        gainful.evaluate({"1": ["a"]}, {"x": {"1": ["a"]}}, "RR", **{option: 99})
    gainful.evaluate({"1": ["a"]}, {"x": {"1": ["a"]}}, "RR", **{option: None})


@pytest.fixture
def call(tmp_path, run_gainful, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_qrels(tmp_path / "qrels.txt", {q: {f"r{n}": 1 for n in range(10)} for q in range(5)})
    for name, numbers in (("good", (9, 8, 4, 7, 6)), ("bad", (1, 2, 2, 5, 0))):
        run = {
            q: [f"{'r' if n < many else 'x'}{n}" for n in range(10)]
            for q, many in enumerate(numbers)
        }
        write_run(tmp_path / f"{name}.txt", run)

    return lambda *words, **options: run_gainful("eval", "qrels.txt", *words, **options)


EVAL_OPTIONS = ("good.txt", "bad.txt", "-m", "P@10", "-m", "NumRelRet")


def test_a_program_finds_the_same_columns_and_more_behind_them(call):
    plain = list(csv.reader(io.StringIO(call(*EVAL_OPTIONS, "--format", "csv").out)))
    piped = call(*EVAL_OPTIONS, "--interval", "90", "--seed", "3", "-v", "--format", "csv")
    rows = list(csv.reader(io.StringIO(piped.out)))
    assert [row[:3] for row in rows] == plain
    parts = ("low", "high", "loo_low", "loo_high", "query_low", "query_high")
    assert rows[0][3:] == [f"{name} {part}" for name in ("P@10", "NumRelRet") for part in parts]
    good = dict(zip(rows[0], rows[1], strict=True))
    low, high = t_interval((0.9, 0.8, 0.4, 0.7, 0.6), 90)
    assert float(good["P@10 low"]) == pytest.approx(low)
    assert float(good["P@10 high"]) == pytest.approx(high)
    assert float(good["P@10 loo_low"]) == pytest.approx(0.625)
    assert float(good["P@10 loo_high"]) == pytest.approx(0.75)
    assert (good["P@10 query_low"], good["P@10 query_high"]) == ("0", "2")
    assert good["NumRelRet loo_low"] == good["NumRelRet query_low"] == ""
    assert ["90", "25"] in [list_facts(line) for line in piped.err.splitlines()]


def test_people_get_a_second_table(call):
    printed = call(*EVAL_OPTIONS, "--interval", "95", "--format", "table").out
    answer, first, second, parts = printed.split("\n\n")
    assert [answer, first] == call(*EVAL_OPTIONS, "--format", "table").out.split("\n\n")[:2]
    lines = second.splitlines()
    assert lines[1].split() == ["run", "measure", "mean", "low", "high", "low", "high", "by"]
    low, high = t_interval((0.9, 0.8, 0.4, 0.7, 0.6))
    assert lines[2].split() == [
        "good", "P@10", "0.6800", f"{low:.4f}", f"{high:.4f}", "0.6250", "0.7500", "2"]  # fmt: skip
    assert lines[3].split()[:3] == ["good", "NumRelRet", "34"]
    assert find_notes(parts.splitlines(), "Note", "NumRelRet", "sum")  # of both runs
    markdown = call(*EVAL_OPTIONS, "--interval", "95", "--format", "markdown").out
    assert f"| good | P@10 | 0.6800 | {low:.4f} | {high:.4f} | 0.6250 | 0.7500 | 2 |" in markdown
    latex = call(*EVAL_OPTIONS, "--interval", "95", "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == 2
    assert rf"good & P@10 & 0.6800 & {low:.4f} & {high:.4f}" in latex


def test_json_has_it_by_run_and_measure(call):
    plain = json.loads(call(*EVAL_OPTIONS, "--format", "json").out)
    words = (*EVAL_OPTIONS, "--interval", "99", "--resamples", "500", "--format")
    data = json.loads(call(*words, "json").out)
    all_intervals = [run.pop("intervals") for run in data["runs"]]
    assert data == plain
    options = {name: all_intervals[0][name] for name in ("level", "resamples", "seed")}
    assert options == {"level": 99, "resamples": 500, "seed": 2008}
    interval = all_intervals[0]["measures"]["P@10"]
    low, high = t_interval((0.9, 0.8, 0.4, 0.7, 0.6), 99)
    assert high > 1
    assert (interval["low"], interval["high"]) == pytest.approx((low, 1))
    assert interval["method"] == all_intervals[0]["method"] == "t"
    assert interval["moved_by"] == "2"
    assert all_intervals[1]["measures"]["NumRelRet"]["loo_low"] is None
    assert json.loads(call(*words, "jsonl").out.splitlines()[0])["intervals"] == all_intervals[0]


def test_tables_by_query_may_have_intervals_below(call):
    printed = call(*EVAL_OPTIONS, "--interval", "95", "--per-query", "--format", "table").out
    assert "moved most" in printed.split("\n\n")[2]


def test_several_runs_have_intervals_each():
    judged = {"1": ["a"], "2": ["b"], "3": ["c"]}
    late = {"1": ["a"], "2": ["x", "b"], "3": ["x", "y", "c"]}
    runs = gainful.evaluate(judged, {"late": late, "first": judged}, "RR")
    all_intervals = gainful.stats.mean_intervals(runs, 90, resamples=99)
    assert list(all_intervals) == ["late", "first"]
    assert all_intervals["late"] == gainful.stats.mean_intervals(runs["late"], 90, resamples=99)
    assert all_intervals["late"].intervals["RR"].mean == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert all_intervals.to_polars()["run"].to_list() == ["late", "first"]
    with refuses(WrongType, "results"):
        gainful.stats.mean_intervals({})
