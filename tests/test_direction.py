"""Measures of which less is better: every reader of results asks which way is up."""

import csv
import json
import math

import numpy as np
import polars as pl
import pytest
from facts import find_notes, list_facts
from refusals import refuses
from written_files import write_qrels, write_run

import gainful
from gainful.errors import BadValue, UnknownName
from gainful.evidence.orders.order import order_means
from gainful.measure.catalogue import MEASURES
from gainful.measure.catalogue.sessions import SESSION_MEASURES

NUMBER = 12
# Of each query one document is relevant and one judged useless: who finds the useless one first
# has the higher Fallout@1 and the lower P@1.
QRELS = {str(q): {"good": 1, "bad": 0} for q in range(NUMBER)}
GOOD = {str(q): ["good", "bad"] for q in range(NUMBER)}
BAD = {str(q): ["bad", "good"] for q in range(NUMBER)}
MIXED = {str(q): (BAD if q < 3 else GOOD)[str(q)] for q in range(NUMBER)}
RUNS = {"bad": BAD, "good": GOOD}


def words(page):
    return " ".join(str(page).split())


def test_the_catalogue_says_of_which_measures_less_is_better(run_gainful):
    lower = {
        name for name, entry in (MEASURES | SESSION_MEASURES).items() if entry.direction.is_lower
    }
    assert lower == {"Fallout", "ARP", "NumNonRelRet", "Unjudged", "RBPResid", "Cost"}
    assert "lower is better" in run_gainful("measures", "Fallout").out
    listed = run_gainful("measures", "--format", "json").out
    assert json.loads(listed)["measures"]["Cost"]["better"] == "lower"


def test_tables_mark_the_lowest_and_json_says_which_way_is_up():
    results = gainful.evaluate(QRELS, RUNS, ["P@1", "Fallout@1"])
    assert list_facts(results.page().answer, *RUNS) == [
        *("good", "P@1", "1.000", "bad", "0.000"),
        *("good", "Fallout@1", "0.000", "bad", "1.000"),
    ]
    latex = results.to_latex()
    assert r"good & \textbf{1.0000} & \textbf{0.0000}" in latex
    assert find_notes(latex.splitlines(), "Fallout@1", "lowest", "bold.}")
    assert "| good | **1.0000** | **0.0000** |" in results.to_markdown()
    mixed = gainful.evaluate(QRELS, MIXED, "Fallout@1")
    assert mixed.to_dict()["convention"]["better"] == {"Fallout@1": "lower"}
    assert mixed.worst(3)["query"].to_list() == ["0", "1", "2"]  # those where it is 1


def test_comparisons_call_the_lower_better():
    compared = gainful.compare(QRELS, RUNS, ["Fallout@1", "P@1"], equivalent=0.1)
    assert list_facts(compared.page().answer, *RUNS)[:4] == ["good", "bad", "Fallout@1", "1.000"]
    for data in compared.to_dict()["measures"]:
        assert data["beaten"] == {"bad": [], "good": ["bad"]}
        assert data["better"] == ("lower" if data["measure"] == "Fallout@1" else "higher")
    pair = compared.pair("Fallout@1", "good", "bad")
    assert pair.difference == -1
    assert (pair.effect.wins, pair.effect.losses) == (NUMBER, 0)
    rows = list(csv.DictReader(compared.to_csv().splitlines()))
    assert [(row["measure"], row["better"]) for row in rows] == [
        ("Fallout@1", "lower"),
        ("P@1", "higher"),
    ]
    assert "better" not in gainful.compare(QRELS, RUNS, "P@1").to_csv().splitlines()[0].split(",")
    assert r"\textbf{0.0000}" in compared.to_latex()
    assert find_notes(compared.to_latex().splitlines(), "Fallout@1", "lowest")
    three = gainful.compare(QRELS, {**RUNS, "mixed": MIXED}, "Fallout@1", baseline="bad")
    assert list_facts(three.page().answer, "good", "mixed")[:3] == ["good", "mixed", "Fallout@1"]


def test_probabilities_of_being_better_are_of_the_lower():
    other = {str(q): (BAD if q < 5 else GOOD)[str(q)] for q in range(NUMBER)}
    runs = {"few": MIXED, "more": other}
    fallout = gainful.compare(QRELS, runs, "Fallout@1", equivalent=0.05)
    precision = gainful.compare(QRELS, runs, "P@1", equivalent=0.05)
    low = fallout.pair("Fallout@1", "few", "more").equivalence
    high = precision.pair("P@1", "few", "more").equivalence
    assert low.better == pytest.approx(high.better)  # Fallout@1 is 1 − P@1 here
    assert low.better > 0.5 > low.worse


def test_a_gate_stops_what_rises_where_less_is_better(tmp_path):
    base = tmp_path / "base.json"
    gainful.testing.save_baseline(QRELS, MIXED, base, "Fallout@1")
    assert gainful.gate(QRELS, MIXED, ceilings={"Fallout@1": 0.25}).passed
    over = gainful.gate(QRELS, MIXED, ceilings={"Fallout@1": 0.2})
    assert list_facts(over.checks[0].message, "above") == ["Fallout@1", "0.2500", "above", "0.2"]
    assert over.look_at[0].now == 1  # the highest first
    risen = gainful.gate(QRELS, BAD, baseline=base, max_drop={"Fallout@1": 0.1})
    expected = ["Fallout@1", "rose", "0.7500", "0.2500", "1.0000", "0.1"]
    assert list_facts(risen.checks[0].message, "rose") == expected
    assert "rose most" in words(risen)
    assert risen.to_dict()["checks"][0]["better"] == "lower"
    fallen = gainful.gate(QRELS, GOOD, baseline=base, max_drop={"Fallout@1": 0.1})
    expected = ["Fallout@1", "not", "rise", "0.2500", "0.0000"]
    assert list_facts(fallen.checks[0].message, "not", "rise") == expected
    assert not gainful.gate(QRELS, BAD, baseline=base, significant=0.05).passed
    assert gainful.gate(QRELS, GOOD, baseline=base, significant=0.05).passed
    some = gainful.gate(QRELS, BAD, baseline=base, per_query={"Fallout@1": (0.5, 2)})
    assert list_facts(some.checks[0].message, "rose") == ["9", "rose", "0.5", "Fallout@1", "2"]
    shown = gainful.gate(QRELS, GOOD, baseline=base, no_worse_than={"Fallout@1": 0.1}, test="t")
    assert shown.passed
    assert shown.checks[0].limit < 0  # it has surely fallen
    assert not gainful.gate(
        QRELS, BAD, baseline=base, no_worse_than={"Fallout@1": 0.1}, test="t"
    ).passed
    with refuses(BadValue, "floor"):
        gainful.gate(QRELS, MIXED, floors={"Fallout@1": 0.25})
    with refuses(BadValue, "ceiling"):
        gainful.gate(QRELS, MIXED, ceilings={"P@1": 0.25})


def test_error_rates_of_a_ceiling_are_those_of_a_floor():
    """Of 1 − Fallout@1, which P@1 is, a floor as far away stops as many neutral builds."""
    ceiling = gainful.gate(QRELS, MIXED, ceilings={"Fallout@1": 0.35}, error_rates=True)
    floor = gainful.gate(QRELS, MIXED, floors={"P@1": 0.65}, error_rates=True)
    (by_ceiling,), (by_floor,) = ceiling.error_rates, floor.error_rates
    assert by_ceiling.neutral_stopped == pytest.approx(by_floor.neutral_stopped)
    assert by_ceiling.caught_drop == pytest.approx(by_floor.caught_drop)
    from_above = gainful.gate(QRELS, BAD, ceilings={"Fallout@1": 0.35}, measures="P@1")
    assert not from_above.passed


@pytest.mark.parametrize(
    ("rule", "status", "word"),
    [
        ("--ceiling Fallout@1=0.25", 0, "within"),
        ("--ceiling Fallout@1=0.2", 1, "above"),
        ("--floor Fallout@1=0.2", 2, "ceiling"),
    ],
)
def test_the_command_has_ceilings(tmp_path, run_gainful, rule, status, word):
    files = write_qrels(tmp_path / "qrels.txt", QRELS), write_run(tmp_path / "run.txt", MIXED)
    assert word in run_gainful("gate", *files, *rule.split(), status=status).answer


def test_orders_begin_with_the_lowest():
    runs = {"bad": BAD, "mixed": MIXED, "good": GOOD}
    ordered = gainful.order(QRELS, runs, ["P@1", "Fallout@1"])
    assert list(ordered.places("Fallout@1")) == ["good", "mixed", "bad"]
    (agreement,) = ordered.agreement
    assert (agreement.tau, agreement.discordant) == (1.0, 0)
    assert ordered.to_dict()["better"] == {"P@1": "higher", "Fallout@1": "lower"}
    assert find_notes(ordered.to_text().splitlines(), "lower", "Fallout@1")
    means = {"gain": {"a": 3.0, "b": 2.0, "c": 1.0}, "cost": {"a": 1.0, "b": 2.0, "c": 4.0}}
    assert order_means(means).agreement[0].tau == -1
    assert order_means(means, lower_is_better=["cost"]).agreement[0].tau == 1
    with refuses(UnknownName, "costs", "cost"):
        order_means(means, lower_is_better=["costs"])


def test_what_users_say_agrees_with_low_values():
    stars = {str(q): 1 + (q % 2 if q < 3 else 3 + q % 2) for q in range(NUMBER)}
    results = gainful.evaluate(QRELS, MIXED, ["Fallout@1", "P@1"])
    correlations = gainful.stats.correlate(results, "stars", stars, resamples=999)
    fallout, precision = (
        next(item for item in correlations.correlations if item.measure == name)
        for name in ("Fallout@1", "P@1")
    )
    assert fallout.estimate == pytest.approx(precision.estimate)
    assert (fallout.better, precision.better) == ("lower", "higher")
    assert find_notes(correlations.to_text().splitlines(), "lower", "Fallout@1")
    other = gainful.stats.correlate(results, "Fallout@1", resamples=999)
    assert other.best.estimate == pytest.approx(1)


def test_figures_colour_the_lower_as_the_better():
    chart = gainful.figures.differences(QRELS, RUNS, "Fallout@1")
    text = json.dumps(chart.to_dict())
    assert "lower is better" in text
    assert f"on {NUMBER}, bad on 0" in text
    data = gainful.figures.figure_data("differences", QRELS, RUNS, "Fallout@1")
    assert data["difference"].to_list() == [-1.0] * NUMBER
    dots = json.dumps(gainful.figures.dots(QRELS, RUNS, ["P@1", "Fallout@1"]).to_dict())
    panels = [
        list_facts(row, "lower") for row in dots.split('"') if row.startswith(("P@1", "Fallout@1"))
    ]
    assert ["Fallout@1", "lower"] in panels
    assert ["P@1", "lower"] not in panels


def test_bounds_know_who_leads():
    qrels = {"1": {"x": 1, "n": 0, "m": 0}, "2": {"x": 1, "n": 0, "m": 0}}
    runs = {"a": {"1": ["n", "m"], "2": ["n", "x"]}, "b": {"1": ["x", "u"], "2": ["x", "n"]}}
    bounds = gainful.unjudged(qrels, runs, "Fallout@2")
    leader = ["b", "lowest", "Fallout@2"]
    assert list_facts(bounds.page().answer, "b", "lowest")[:3] == leader  # fewer useless ones


def test_the_best_query_of_a_session_is_the_one_with_least():
    shown = pl.DataFrame(
        {
            "session": ["s"] * 4,
            "query": [1, 1, 2, 2],
            "rank": [1, 2, 1, 2],
            "doc": ["n", "m", "x", "n"],
        }
    )
    qrels = {"s": {"x": 1, "n": 0, "m": 0}}
    results = gainful.sessions.evaluate(shown, qrels, "Session(of='Fallout@2', over=best)")
    assert next(iter(results.mean.values())) == 0.5
    assert results.to_dict()["convention"]["better"] == {
        "Session(of='Fallout@2', over=best)": "lower"
    }


def agents():
    """Two systems over twelve tasks: b takes two queries to find what a finds in one."""
    rows = [
        (f"{system}{task}", f"{task}", system, query, 1, "good" if query == last else "bad")
        for system, last in (("a", 1), ("b", 2))
        for task in range(NUMBER)
        for query in range(1, last + 1 + (task % 2))
    ]
    columns = ("session", "topic", "system", "query", "rank", "doc")
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(searcher=pl.col("topic"))


def test_sessions_that_cost_less_lead():
    results = gainful.sessions.evaluate(agents(), QRELS, ["nsDCG@1", "Cost"])
    answer = results.page(by="system").answer
    facts = list_facts(answer, "a", "b")
    assert facts[facts.index("1.5") - 1] == "a"  # 1 or 2 queries, not 2 or 3
    compared = results.compare()
    assert "cheaper" in words(compared)
    (cost,) = (data for data in compared.to_dict()["measures"] if data["measure"] == "Cost")
    assert cost["better"] == "lower"
    assert cost["beaten"] == {"a": ["b"], "b": []}
    latex = compared.to_latex()
    assert r"\textbf{1.5000}" in latex
    assert r"\textbf{2.5000}" not in latex
    assert results.to_dict()["convention"]["better"] == {"nsDCG@1": "higher", "Cost": "lower"}
    correlations = gainful.stats.correlate(results, "nsDCG@1", resamples=999)
    assert correlations.best.better == "lower"


def test_gain_per_cost_is_of_gains_alone():
    measures = ["nsDCG@1", "Session(of='Fallout@1', over=mean)", "Cost"]
    results = gainful.sessions.evaluate(agents(), QRELS, measures)
    assert list(results.groups("system")[0]["per_cost"]) == ["nsDCG@1"]
    heads = " ".join(results.to_text(by="system").split())
    assert "nsDCG@1 per 10 cost" in heads
    assert heads.count("per 10 cost") == 1
    frame = gainful.figures.figure_data("frontier", results, measure=measures[1])
    assert frame["per_cost"].null_count() == 2
    assert frame["frontier"].to_list() == [
        True,
        False,
    ]  # a: cheaper, and shows less that is useless


def test_a_measure_of_ones_own_may_be_lower_is_better():
    @gainful.register(lower_is_better=True)
    def FirstRank(matched, *, rel=1):
        """At which rank is the first relevant document?"""
        first = np.full(matched.size, math.inf)
        hit = matched.relevant(rel, None)
        np.minimum.at(first, matched.query[hit], matched.rank[hit])
        return first

    assert FirstRank is not None
    compared = gainful.compare(QRELS, RUNS, "FirstRank")
    expected = ["good", "bad", "FirstRank", "1.000"]
    assert list_facts(compared.page().answer, *RUNS)[:4] == expected


def test_a_report_colours_what_is_for_the_better():
    page = gainful.report(QRELS, RUNS, measures=["P@1", "Fallout@1"])
    assert '"lower":[false,true]' in page.replace(" ", "")
