"""What sessions cost, gain per cost, and the systems that none other beats."""

import json

import numpy as np
import polars as pl
import pytest
from refusals import refuses
from scipy import stats
from written_files import write_qrels

import gainful
from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.show.figures.frontier import find_frontier

QRELS = {"a1": {"x": 1}, "a2": {"x": 1}, "b1": {"x": 1}}


def make_sessions(**columns):
    return pl.DataFrame(
        {
            "session": ["a1", "a1", "a1", "a2", "b1"],
            "query": [1, 2, 2, 1, 1],
            "rank": [1, 1, 2, 1, 1],
            "doc": ["y", "x", "z", "x", "x"],
            "system": ["a", "a", "a", "a", "b"],
            "tokens": [10, 20, 30, 40, 300],
            **columns,
        }
    )


def test_a_session_costs_its_queries_and_its_results():
    results = gainful.sessions.evaluate(make_sessions(), QRELS, "sDCG@3", cost="query=50,result=2")
    costs = dict(zip(results.per_session["session"], results.per_session[:, -1], strict=True))
    assert costs == {"a1": 2 * 50 + 3 * 2, "a2": 50 + 2, "b1": 50 + 2}
    by_tokens = gainful.sessions.evaluate(make_sessions(), QRELS, "sDCG@3", cost="result=tokens")
    assert by_tokens.per_session[:, -1].to_list() == [60, 40, 300]
    asked = gainful.sessions.evaluate(make_sessions(), QRELS, ["sDCG@3", "Cost"])
    assert asked["Cost"] == pytest.approx((2 + 1 + 1) / 3)


def test_an_empty_list_costs_its_query_alone():
    columns = {"rank": [None, 1], "doc": [None, "x"], "tokens": [None, 7]}
    shown = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], **columns})
    cost = "query=5,result=tokens"
    results = gainful.sessions.evaluate(shown, {"s": {"x": 1}}, "sDCG@3", cost=cost)
    assert results.mean["Cost(per_query=5, per_result=tokens)"] == 2 * 5 + 7


def test_gain_per_cost_is_the_one_mean_over_the_other():
    results = gainful.sessions.evaluate(make_sessions(), QRELS, "sDCG@3", cost={"result": "tokens"})
    a, b = results.groups("system")
    gain = (1 / 1.5 + 1) / 2  # the second query at its first rank counts 1 / (1 + log4 2)
    assert a["per_cost"]["sDCG@3"] == pytest.approx(gain / 50)
    assert b["per_cost"]["sDCG@3"] == pytest.approx(1 / 300)
    text = results.to_text(by="system")
    assert "costs least (50)" in text
    assert "highest in Cost" not in text
    assert "sDCG@3 per 100 cost" in text


@pytest.mark.parametrize(
    ("cost", "error", "about"),
    [
        ("query", BadValue, "cost"),
        ("query=1,query=2", BadValue, "cost"),
        ("tokens=1", UnknownName, "tokens"),
        ("result=-1", BadValue, "price"),
        ("result=words", UnknownName, "words"),
        ({}, BadValue, "cost"),
        (5, WrongType, "cost"),
        ("result=system", BadInput, ("session 'a1'", "'a'")),
    ],
)
def test_prices_that_are_none_are_refused(cost, error, about):
    with refuses(error, about):
        gainful.sessions.evaluate(make_sessions(), QRELS, "sDCG@3", cost=cost)


def test_the_frontier_is_what_none_other_beats():
    """By a straight loop over all pairs."""
    random = np.random.default_rng(1)
    cost, gain = random.integers(1, 9, 40).astype(float), random.integers(1, 9, 40).astype(float)
    expected = [
        not any(
            c <= cost[at] and g >= gain[at] and (c < cost[at] or g > gain[at])
            for c, g in zip(cost, gain, strict=True)
        )
        for at in range(40)
    ]
    assert find_frontier(cost, gain).tolist() == expected


def test_the_figure_has_a_dot_for_each_system_and_says_which_are_on_the_frontier(
    tmp_path, run_gainful
):
    make_sessions().write_csv(tmp_path / "agents.csv")
    write_qrels(tmp_path / "qrels.txt", QRELS)
    files = (tmp_path / "agents.csv", "--qrels", tmp_path / "qrels.txt")
    words = ("figure", "frontier", *files, "-m", "sDCG@3", "--cost", "result=tokens")
    frame = pl.read_csv(run_gainful(*words, "--data").out.encode())
    assert frame["group"].to_list() == ["system a", "system b"]
    assert frame["cost"].to_list() == [50, 300]
    assert frame["frontier"].to_list() == [True, True]
    run_gainful(*words, "-o", tmp_path / "f.svg")
    assert "system a" in (tmp_path / "f.svg").read_text(encoding="utf-8")
    words = ("sessions", *files, "--cost", "query=1", "--by", "system", "--format", "json")
    assert json.loads(run_gainful(*words).out)["groups"][1]["per_cost"]["nsDCG@10"] == 1.0


def test_intervals_of_the_frontier_draw_whole_searchers():
    """Of searchers with as many sessions each, it is the t interval of their means."""
    grades = [1, 2, 3, 3, 2, 0, 1, 1]
    columns = {"session": [f"s{at}" for at in range(8)], "grade": grades, "tokens": grades}
    columns |= {"searcher": ["ann", "ann", "bo", "bo", "cy", "cy", "di", "di"]}
    frame = pl.DataFrame(columns).with_columns(query=1, doc=pl.lit("a"), system=pl.lit("one"))
    results = gainful.sessions.evaluate(frame, measures="sDCG@10")
    (row,) = gainful.figures.figure_data("frontier", results, cost="result=tokens").to_dicts()
    by_searcher = [1.5, 3.0, 1.0, 1.0]
    low, high = stats.t.interval(0.95, 3, np.mean(by_searcher), stats.sem(by_searcher))
    for part in ("gain", "cost"):
        ends = row[part], row[f"{part}_low"], row[f"{part}_high"]
        assert ends == pytest.approx((np.mean(grades), max(low, 0), high))


def test_a_figure_of_costs_needs_prices():
    results, with_cost = (
        gainful.sessions.evaluate(make_sessions(), QRELS, "sDCG@3", **cost)
        for cost in ({}, {"cost": "query=1"})
    )
    with refuses(BadValue, "cost"):
        gainful.figures.figure_data("frontier", results)
    assert gainful.figures.figure_data("frontier", with_cost)["cost"].to_list() == [1.5, 1]


def test_costs_and_times_are_the_same_where_sessions_stay_in_an_engine():
    shown = make_sessions().drop("tokens")
    measures = ["sTBG(query_seconds=3)", "sTBG@1", "sU(L=3000)", "Cost(per_query=5, per_result=2)"]
    eager = gainful.sessions.evaluate(shown, QRELS, measures)
    lazy = gainful.sessions.evaluate(shown.lazy(), QRELS, measures)
    for name in measures:
        assert lazy[name] == pytest.approx(eager[name], rel=1e-12)
    with refuses(BadValue, "per_result"):
        gainful.sessions.evaluate(make_sessions().lazy(), QRELS, "Cost(per_result=tokens)")


def test_searchers_are_the_same_where_a_log_stays_in_an_engine():
    log = gainful.sessions.simulate_log(200, seed=4).frame
    for source in ("scanned", "clicked"):
        eager = gainful.calibrate(log, query_limit=20, depth_from=source)
        lazy = gainful.calibrate(log.lazy(), query_limit=20, depth_from=source)
        for symbol, estimate in eager.estimates.items():
            ends = (estimate.value, estimate.low, estimate.high)
            other = lazy.estimates[symbol]
            assert (other.value, other.low, other.high) == pytest.approx(ends)


def test_who_costs_less_is_cheaper_and_who_costs_more_dearer(tmp_path):
    agents = gainful.sessions.simulate_agents(12, seed=5)
    once, until_found, _, always, qrels = map(str, agents.write_traces(tmp_path))
    compared = gainful.sessions.compare([once, always], qrels, ["IR", "Cost"])
    better = {name: compared.systems_beaten(name) for name in ("IR", "Cost")}
    assert better == {
        "IR": {"one-shot": [], "all-budget": ["one-shot"]},
        "Cost": {"one-shot": ["all-budget"], "all-budget": []},  # 1 query, not 8
    }
    assert "cheaper" in str(compared)
    files, only = [once, until_found, always], {"pairs": "baseline", "baseline": "all-budget"}
    beaten = gainful.sessions.compare(files, qrels, "Cost", **only).systems_beaten("Cost")
    assert beaten["one-shot"] == beaten["until-found"] == ["all-budget"]


@pytest.mark.parametrize("function", ["sweep", "explain"])
def test_what_computes_no_cost_does_not_take_one_silently(function):
    with refuses(UnknownName, "cost"):
        getattr(gainful.sessions, function)(make_sessions(), qrels=QRELS, cost="query=1")
