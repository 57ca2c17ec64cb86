"""The searchers of a log: estimates, intervals, which discount fits, and what is said of it."""

import json
from itertools import product
from math import log

import numpy as np
import polars as pl
import pytest
from facts import find_notes, list_facts
from refusals import refuses

import gainful
from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.evidence.searchers.calibration import read_calibration
from gainful.evidence.searchers.fit import (
    CLICKED,
    STOPPING_MODELS,
    collect_stops,
    count_stops,
    fit_model,
    hold_out,
)
from gainful.evidence.searchers.observe import expect_shares, observe_searchers, observe_shares
from gainful.read.session_inputs import as_sessions
from gainful.sessions import simulate_log

JK2008, GEOMETRIC = STOPPING_MODELS["jk2008"], STOPPING_MODELS["geometric"]


def jk2008_share(base, at):
    return 1 / (1 + log(at) / log(base))


def draw_counts(share, size, most, random):
    """How far searchers get, by a straight loop over uniform draws; cut off at the most."""
    reached = np.ones(size, dtype=np.intp)
    draws = 1 - random.random(size)
    for at in range(2, most + 1):
        reached += draws <= share(at)
    return count_stops(reached, reached >= most, np.arange(size))


def test_models_are_the_discounts_as_shares_of_searchers():
    point = log(log(4))
    assert JK2008.survival(point, 3) == pytest.approx([jk2008_share(4, at) for at in (1, 2, 3, 4)])
    assert GEOMETRIC.survival(0.0, 2) == pytest.approx([1, 0.5, 0.25])
    assert STOPPING_MODELS["insq"].survival(0.0, 2) == pytest.approx(
        [1, (2 / 3) ** 2, (2 / 4) ** 2]
    )
    assert STOPPING_MODELS["zipf"].survival(0.0, 2) == pytest.approx([1, 1 / 2, 1 / 3])
    for model in STOPPING_MODELS.values():
        survival = model.survival(0.5, 9)
        assert survival[0] == 1
        assert (np.diff(survival) <= 0).all()


def test_likelihoods_of_depths_are_those_of_stopping_and_of_getting_there():
    stops = count_stops(np.array([1, 3, 3]), np.array([False, False, True]), np.arange(3))
    survival = np.array([1, 0.6, 0.5, 0.2])
    values = stops.log_likelihoods(survival)[stops.kind]
    assert values == pytest.approx(np.log([1 - 0.6, 0.5 - 0.2, 0.5]))


def clicks_by_hand(pattern, survival, click):
    """How likely these clicks are: over every depth, of those who look so far."""
    length, total = len(pattern), 0.0
    for depth in range(1, length + 1):
        here = survival[depth - 1] - (survival[depth] if depth < length else 0.0)
        for at, clicked in enumerate(pattern, start=1):
            if at <= depth:
                here *= click if clicked else 1 - click
            elif clicked:
                here = 0.0
        total += here
    return total


def test_a_last_click_is_a_lower_bound_of_depth():
    survival, click = np.array([1, 0.7, 0.4, 0.3, 0.1]), 0.35
    patterns = [p for length in (1, 2, 4) for p in product((0, 1), repeat=length)]
    rows = [
        (CLICKED, max((at for at, c in enumerate(p, 1) if c), default=0), sum(p), len(p))
        for p in patterns
    ]
    stops = collect_stops(np.array(rows, dtype=np.intp), np.arange(len(rows)))
    likely = np.exp(stops.log_likelihoods(survival, click)[stops.kind])
    assert likely == pytest.approx([clicks_by_hand(p, survival, click) for p in patterns])
    assert likely[:2].sum() == pytest.approx(1)  # all that can happen in a list of one


def test_geometric_has_its_closed_form():
    """Of everyone who could go on, the share who did; with its standard error on log odds."""
    reached = np.array([1] * 40 + [2] * 30 + [3] * 30)
    stops = count_stops(reached, reached == 3, np.arange(100))
    went_on, could = 30 + 2 * 30, 40 + 2 * 60
    fit = fit_model(GEOMETRIC, stops)
    assert fit.value == pytest.approx(went_on / could, abs=1e-6)
    assert fit.low < went_on / could < fit.high
    share = went_on / could
    reach = 1.96 * (1 / (could * share * (1 - share))) ** 0.5
    odds = [log(end / (1 - end)) for end in (fit.low, fit.high)]
    assert odds[1] - odds[0] == pytest.approx(2 * reach, rel=0.1)


def test_b_bq_and_p_are_recovered_from_20_000_sessions():
    for seed, b, bq in ((1, 2, 4), (2, 1.5, 2)):
        simulated = simulate_log(20_000, b=b, bq=bq, seed=seed, most_queries=12)
        calibration = gainful.calibrate(simulated, query_limit=12)
        assert calibration["b"].value == pytest.approx(b, rel=0.05)
        assert calibration["bq"].value == pytest.approx(bq, rel=0.05)
        assert calibration.searchers.reading.best == "jk2008"
        assert calibration.searchers.asking.best == "jk2008"
        assert calibration.measure.startswith("nsDCG(b=")


@pytest.mark.parametrize("depth_from", ["scanned", "clicked"])
def test_the_searcher_of_srbp_is_recovered(depth_from):
    simulated = simulate_log(3000, p=0.9, balance=0.8, seed=3)
    calibration = gainful.calibrate(simulated, query_limit=20, depth_from=depth_from)
    assert calibration["p"].value == pytest.approx(0.9 * 0.8, rel=0.03)
    p, balance = calibration.searchers.srbp
    assert p.value == pytest.approx(0.9, rel=0.03)
    assert balance.value == pytest.approx(0.8, rel=0.03)
    assert p.low < 0.9 < p.high
    assert calibration.measure.startswith("sRBP(p=0.")
    assert gainful.sessions.evaluate(
        pl.DataFrame({"session": ["s"], "query": [1], "doc": ["a"]}),
        {"s": {"a": 1}},
        calibration.measure,
    ).mean


def test_b_is_recovered_from_clicks_alone():
    simulated = simulate_log(1000, b=3, bq=2, click=0.4, seed=4)
    calibration = gainful.calibrate(simulated, query_limit=20, depth_from="clicked")
    assert calibration["b"].low < 3 < calibration["b"].high
    assert calibration.searchers.reading.fits["jk2008"].click == pytest.approx(0.4, abs=0.02)


def coverage(model, share, truth, trials):
    random = np.random.default_rng(trials)
    fits = [fit_model(model, draw_counts(share, 300, 10, random)) for _ in range(trials)]
    return np.mean([fit.low <= truth <= fit.high for fit in fits])


@pytest.mark.parametrize(
    ("model", "share", "truth"),
    [
        (JK2008, lambda at: jk2008_share(2, at), 2),
        (JK2008, lambda at: jk2008_share(4, at), 4),
        (GEOMETRIC, lambda at: 0.8 ** (at - 1), 0.8),
    ],
)
def test_intervals_cover(model, share, truth):
    """100 trials here, 95 % ± 3 standard errors; benchmarks/searchers.py has 1,000 of whole logs."""
    assert 0.885 <= coverage(model, share, truth, 100) <= 1


def test_searchers_who_differ_widen_the_interval():
    """Each of 200 searchers does one thing ten times over: there are 200 pieces of evidence."""
    random = np.random.default_rng(8)
    once = np.minimum(random.geometric(0.3, 200), 10)
    stops = count_stops(
        np.repeat(once, 10), np.repeat(once, 10) >= 10, np.repeat(np.arange(200), 10)
    )
    alone = count_stops(once, once >= 10, np.arange(200))
    fits = [fit_model(GEOMETRIC, observed) for observed in (stops, alone)]
    assert fits[0].value == pytest.approx(fits[1].value, abs=1e-6)
    widths = [fit.high - fit.low for fit in fits]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)
    assert fits[0].inflation == pytest.approx(10, rel=0.35)


def test_stopping_by_success_makes_bq_too_low_and_clicks_bound_it():
    simulated = simulate_log(6000, b=2, bq=4, success=0.2, click=0.0, seed=5)
    calibration = gainful.calibrate(simulated, query_limit=20)
    assert calibration["bq"].high < 3
    success = calibration.searchers.success_bq
    assert success.low < 4 < success.high  # here a click in the last query is success and no other
    facts = list_facts(calibration.to_text(), "bq")
    assert f"{success.value:.2f}" in facts[facts.index("bq") + 1 :]


def test_held_out_likelihood_finds_the_discount_and_the_seed_says_which_split():
    random = np.random.default_rng(6)
    stops = draw_counts(lambda at: 1 / at, 3000, 15, random)
    results = hold_out(stops, 1)
    assert results["zipf"].is_close
    assert results["log2"].behind > 10 * results["log2"].error
    assert results == hold_out(stops, 1)
    assert results["jk2008"] != hold_out(stops, 2)["jk2008"]


def test_a_discount_that_cannot_be_is_said_to_be_impossible():
    """By jk2002 nobody stops before b: one who does, where all others do not, rules it out."""
    reached = np.array([3] * 60 + [1])
    stops = count_stops(reached, np.zeros(61, dtype=bool), np.arange(61))
    assert hold_out(stops, 1)["jk2002"].mean == -np.inf


def test_where_nobody_or_everybody_goes_on_the_estimate_is_at_its_end():
    alone = count_stops(np.ones(50, dtype=np.intp), np.zeros(50, dtype=bool), np.arange(50))
    fit = fit_model(JK2008, alone)
    assert fit.value == fit.low == 1
    assert 1 < fit.high < 2
    everyone = count_stops(np.full(50, 10), np.ones(50, dtype=bool), np.arange(50))
    fit = fit_model(JK2008, everyone)
    assert fit.value == fit.high == np.inf
    assert fit.low > 10


def tabulate_log(**columns):
    return pl.DataFrame({"session": ["a", "a", "b", "b"], "query": [1, 2, 1, 1], "rank": [1, 1, 1, 2],
                         "doc": ["x", "y", "x", "z"], **columns})  # fmt: skip


def list_stops(stops, columns=2):
    return sorted(map(tuple, stops.kinds[stops.kind, :columns].tolist()))


def test_depths_clicks_limits_and_current_queries_are_read_from_the_log():
    def observe(frame, *options):
        return observe_searchers(as_sessions(frame), *options)

    observed = observe(tabulate_log(scanned=[1, 1, 1, 1], clicked=[0, 1, 1, 0]), None, 2)
    assert list_stops(observed.depths) == [(0, 1), (1, 1), (1, 1)]
    assert list_stops(observed.queries) == [(0, 1), (1, 2)]
    assert observed.depth_from == "scanned"
    by_clicks = observe(tabulate_log(clicked=[0, 1, 0, 1]))
    expected = [(CLICKED, 0, 0, 1), (CLICKED, 1, 1, 1), (CLICKED, 2, 1, 2)]
    assert list_stops(by_clicks.depths, 4) == expected
    assert by_clicks.clicked_last.tolist() == [True, True]
    current = tabulate_log(clicked=[0, 1, 0, 1], current_query=["soup", "soup", None, None])
    assert list_stops(observe(current).queries) == [(0, 1), (1, 3)]  # the current query is asked
    unknown = tabulate_log(clicked=[0, 1, 0, 1], scanned=[0, 1, None, None])
    observed = observe(unknown)
    assert list_stops(observed.depths, 4) == [(1, 1, 0, 0), (CLICKED, 2, 1, 2)]
    assert [list_facts(note) for note in observed.notes] == [["1"]]
    named = tabulate_log(scanned=[1, 1, 1, 1], searcher=["u", "u", "v", "v"])
    assert observe(named).cluster_name == "searcher"
    assert observe(named.with_columns(searcher=pl.lit("u"))).cluster_name == "session"


def test_queries_beyond_the_first_are_cut_off():
    first = gainful.calibrate(tabulate_log(scanned=[1, 1, 1, 1]), first_queries=1)
    assert first.searchers.asking.cut == 2


def test_without_depths_and_clicks_only_asking_is_measured():
    calibration = gainful.calibrate(tabulate_log())
    assert list(calibration.estimates) == ["bq"]
    assert find_notes(calibration.to_text().splitlines(), "b", "p", "not")
    with pytest.raises(KeyError):
        calibration["b"]


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"depth_from": "scanned"}, BadValue, "depth_from"),
        ({"depth_from": "views"}, BadValue, "depth_from"),
        ({"query_limit": 0}, BadValue, "query_limit"),
        ({"query_limit": 1}, BadInput, ("sessions", "2", "1")),
        ({"level": 200}, BadValue, "level"),
        ({"by": "device"}, UnknownName, "device"),
    ],
)
def test_what_cannot_be_is_refused_in_words(options, error, about):
    with refuses(error, about):
        gainful.calibrate(tabulate_log(clicked=[0, 1, 0, 1]), **options)


def test_a_log_that_says_nothing_is_refused():
    single = pl.DataFrame({"session": ["a", "b"], "query": [1, 1], "doc": ["x", "y"]})
    with refuses(BadInput, "sessions"):
        gainful.calibrate(single)


def test_groups_have_estimates_of_their_own():
    parts = [simulate_log(1500, b=b, bq=4, seed=9).frame.with_columns(
        device=pl.lit(name), session=pl.lit(name) + pl.col("session"))
        for name, b in (("desk", 5), ("phone", 1.5))]  # fmt: skip
    calibration = gainful.calibrate(pl.concat(parts), by="device", query_limit=20)
    desk, phone = calibration.groups
    assert desk.keys == {"device": "desk"}
    assert phone.find("b").low < 1.5 < phone.find("b").high < desk.find("b").low < 5
    assert phone.find("b").value < calibration["b"].value < desk.find("b").value
    assert calibration.to_dict()["groups"][1]["device"] == "phone"
    assert calibration.to_polars()["parameter"].to_list()[:3] == ["b", "bq", "p"]


def test_seen_shares_are_those_of_kaplan_and_meier_and_models_are_beside_them():
    reached = np.array([1, 1, 2, 3, 3, 3, 2, 4, 4, 4, 4, 4])
    cut = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1], dtype=bool)
    reached, cut = np.repeat(reached, 3), np.repeat(cut, 3)
    shares = observe_shares(count_stops(reached, cut, np.arange(36)), 0.95)
    assert shares.share[:3] == pytest.approx([1, 10 / 12, 10 / 12 * 8 / 9])
    assert (shares.low <= shares.share).all()
    assert (shares.share <= shares.high).all()
    survival, click = [1, 0.5, 0.25], 0.5
    rows = np.array([(CLICKED, 0, 0, 3)] * 20, dtype=np.intp)
    stops = collect_stops(rows, np.arange(20))
    fit = fit_model(GEOMETRIC, stops, None)
    fit = type(fit)(GEOMETRIC, 0.0, click, 0.0, 20)
    expected = [
        sum(clicks_by_hand(p, survival, click) for p in product((0, 1), repeat=3) if any(p[at:]))
        for at in range(3)
    ]
    assert expect_shares(fit, stops, 3) == pytest.approx(expected)


def test_the_command_prints_writes_and_draws(tmp_path, run_gainful):
    simulated = simulate_log(300, b=2, bq=4, seed=7)
    simulated.frame.write_csv(tmp_path / "log.csv")
    arguments = ("calibrate", tmp_path / "log.csv", "--query-limit", "20")
    printed = run_gainful(*arguments, "--figure", tmp_path / "figure.svg").out
    assert list_facts(printed, "b")[0] == "b"
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8").startswith("<svg")
    data = json.loads(run_gainful(*arguments, "--format", "json").out)
    assert data["all"]["estimates"]["b"]["value"] == pytest.approx(2, rel=0.2)
    assert data["measures"]["nsDCG"].startswith("nsDCG(b=")
    assert ".svg" in run_gainful(*arguments, "--figure", tmp_path / "figure.gif", status=2).err
    drawn = gainful.figures.figure_data("searchers", gainful.calibrate(simulated, query_limit=20))
    assert set(drawn["behaviour"]) == {"reading", "asking"}
    assert "seen" in set(drawn["line"])


def test_simulated_logs_do_what_they_say():
    simulated = simulate_log(4000, b=2, bq=4, click=0.3, success=1, seed=1).frame
    assert simulated["query"].max() == 1  # everyone has what was wanted at once
    deep = simulate_log(4000, b=4, seed=2).frame.filter(query=1, rank=1)["scanned"]
    assert (deep >= 2).mean() == pytest.approx(jk2008_share(4, 2), abs=0.03)
    lengths = simulate_log(4000, bq=4, seed=3).frame.group_by("session").agg(pl.col("query").max())
    assert (lengths["query"] >= 3).mean() == pytest.approx(jk2008_share(4, 3), abs=0.03)
    with refuses(BadValue, "click"):
        simulate_log(10, click=2)
    with refuses(BadValue, "sessions"):
        simulate_log(0)


def test_a_page_begins_with_the_searcher_and_refuses_what_is_none(tmp_path):
    study = gainful.sessions.simulate_study(1)
    calibration = gainful.calibrate(study.sessions)
    pages = [
        gainful.explore(study.sessions, study.qrels, calibrated=made)
        for made in (calibration, calibration.to_dict())
    ]
    assert pages[0] == pages[1]
    estimate = calibration["b"]
    assert f'"b":{float(f"{estimate.value:.4g}")}' in pages[0].replace(" ", "")
    own = gainful.explore(study.sessions, study.qrels, calibrated=calibration, b=3)
    assert '"b":3' in own.replace(" ", "")
    (tmp_path / "other.json").write_text('{"b": 2}', encoding="utf-8")
    with refuses(BadInput, "other.json"):
        gainful.explore(study.sessions, study.qrels, calibrated=tmp_path / "other.json")
    with refuses(WrongType, "calibrated"):
        gainful.explore(study.sessions, study.qrels, calibrated=2)


def test_bases_that_no_measure_has_are_brought_near():
    data = {"log": "log", "level": 0.95, "all": {"estimates": {
        "b": {"value": 1.0, "low": 1.0, "high": 1.2}, "bq": {"value": None, "low": 500, "high": None}}}}  # fmt: skip
    searcher = read_calibration(data)
    assert searcher.settings() == {"b": 1.001, "bq": 999}
    assert searcher.bq.high == np.inf
