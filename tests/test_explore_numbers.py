"""The script of the live page computes what Python computes, whatever the sessions are."""

import json

import numpy as np
import polars as pl
import pytest
from browser_pages import read_data
from conftest import Node
from hypothesis import given, strategies as st
from profiles import examples
from session_tables import make_sessions, session_frame
from strategies import sessions_and_qrels

import gainful
from gainful.evidence.statistics.outcome import UnitSums
from gainful.formula import Const, Param, Var, log, maximum, where
from gainful.formula.renderers import to_mathml
from gainful.measure.sessions.session_values import curve_terms
from gainful.show.html_page import _FOLDER

LOOP = """
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  const {data, set} = JSON.parse(line), result = Curves.computeCurves(Curves.prepareStudy(data), set);
  console.log(JSON.stringify({
    groups: result.groups.map((group) => ({
      code: group.code, sessions: group.sessions, queries: group.queries, mean: group.mean,
      curve: [...group.curve], errors: [...result.standardErrors(group)], last: [...group.last], others: group.others && [...group.others],
    })),
    difference: result.groups.length === 2 && [...result.standardErrors(...result.groups)],
    values: [...result.values],
    added: result.sessions.map((s) => result.explain(s).map((query) => query.added)),
  }));
});
"""


@pytest.fixture(scope="module")
def script():
    """The script of the page, in node."""
    code = (_FOLDER / "explore_curves.js").read_text(encoding="utf-8") + LOOP
    engine = Node("the live page's script", code)

    def compute(data, **changed):
        start, weights = data["start"], data["gains"][0]["weights"]
        controls = {**start, "weights": weights, "where": {}, "minQueries": 1, **changed}
        return json.loads(engine.ask({"data": data, "set": controls}))

    yield compute
    engine.close()


SETTINGS = st.fixed_dictionaries(
    {
        "b": st.floats(1.05, 50),
        "bq": st.floats(1.05, 50),
        "x": st.integers(1, 5),
        "weights": st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0]), min_size=4, max_size=4),
        "discount": st.sampled_from(["jk2008", "jk2002", "log2", "log", "shifted", "zipf", "none"]),
        "query_discount": st.sampled_from(["jk2008", "jk2002", "shifted", "log2", "none", "zipf"]),
        "duplicates": st.sampled_from(["every", "first", "clicked", "judged"]),
        "ideal": st.sampled_from(["paired", "repeated", "once", "best_slots"]),
        "hold": st.sampled_from(["held", "growing"]),
        "normalised": st.booleans(),
    }
)


def to_measure_and_options(setting):
    """The measure and the options that say the same to Python."""
    names = ["b", "bq", "discount", "query_discount", "duplicates", "ideal", "hold"]
    options = {name: setting[name] for name in names}
    if setting["discount"] in ("log2", "zipf", "none"):
        del options["b"]
    if setting["query_discount"] in ("log2", "zipf", "none"):
        del options["bq"]
    if not setting["normalised"]:
        del options["ideal"], options["hold"]
    return f"{'nsDCG' if setting['normalised'] else 'sDCG'}@{setting['x']}", options


@given(sessions_and_qrels(), SETTINGS, st.sampled_from([0, 1, "skip"]), st.integers(1, 2))
@examples(40)
def test_curves_values_and_last_queries_are_those_of_python(script, drawn, setting, empty, least):
    rows, judgments = drawn
    shown = session_frame(rows)
    judgments = {**judgments, "other": {"z": 0, "y": 1, "x": 2, "w": 3}}  # all four grades
    parity = pl.col("session").str.tail(1).cast(pl.Int64) % 2
    shown = shown.with_columns(system=pl.concat_str(pl.lit("y"), parity))
    data = read_data(gainful.explore(shown, judgments, "nsDCG@5", empty=empty))
    grouped = any(column["name"] == "system" for column in data["columns"])
    if least > max(data["sessions"]["allQueries"]):
        least = 1
    measure, options = to_measure_and_options(setting)
    table_ = dict(zip(data["grades"]["values"], setting["weights"], strict=True))
    page = script(data, **setting, minQueries=least, by="system" if grouped else None)
    if setting["normalised"]:
        options["empty"] = empty
    truth = gainful.sessions.evaluate(
        shown, judgments, measure, gain=table_, min_queries=least, **options
    )
    by = "system" if grouped else ()
    curve = truth.curve(by=by)
    script_curve = [value for group in page["groups"] for value in group["curve"]]
    assert script_curve == pytest.approx(curve["mean"].to_list(), abs=1e-9)
    values = [v for v in page["values"] if v is not None] if empty != "skip" else None
    if values is not None:
        assert values == pytest.approx(truth.per_session[measure].to_list(), abs=1e-9)
    groups = truth.groups(by) if by else [{"mean": truth.mean}]
    for page_group, other in zip(page["groups"], groups, strict=True):
        expected = other["mean"][measure]
        if expected is None or np.isnan(expected):
            assert page_group["mean"] is None
        else:
            assert page_group["mean"] == pytest.approx(expected, abs=1e-9)
    last = truth.last_queries(by=by).vectors
    for which in ("last", "others"):
        own = last.filter(pl.col("which") == ("last" if which == "last" else "non_last"))
        mean = own["mean"].to_list()
        size = setting["x"]
        for number, group in enumerate(page["groups"]):
            part = mean[number * size : (number + 1) * size]
            assert (group[which] or [None] * size) == pytest.approx(part, abs=1e-9)


def test_turns_with_judgments_of_their_own_have_ideals_of_their_own(script):
    shown = pl.DataFrame(
        {
            "session": ["c"] * 4 + ["d"],
            "query": [1, 1, 2, 2, 1],
            "doc": ["a", "b", "b", "a", "a"],
            "topic": ["c_1", "c_1", "c_2", "c_2", "d_1"],
        }
    )
    judgments = {"c_1": {"a": 1, "x": 3}, "c_2": {"b": 2, "a": 1}, "d_1": {"a": 2}}
    data = read_data(gainful.explore(shown, judgments, "nsDCG@2"))
    assert list(data["answers"]["duplicates"]) == ["every"]
    assert list(data["answers"]["ideal"]) == ["paired", "repeated"]
    assert list(data["answers"]["hold"]) == ["held"]
    truth = gainful.sessions.evaluate(shown, judgments, "nsDCG@2")
    page = script(data)
    assert page["groups"][0]["curve"] == pytest.approx(truth.curve()["mean"].to_list())


@pytest.mark.parametrize("hold", ["held", "growing"])
@pytest.mark.parametrize("measure", ["sDCG", "nsDCG"])
def test_the_standard_errors_of_every_rank_are_those_of_python(script, measure, hold):
    study = gainful.sessions.simulate_study(2008)
    data = read_data(gainful.explore(study.sessions, study.qrels, f"{measure}@10"))
    page = script(data, hold=hold, normalised=measure == "nsDCG", by="system")
    options = {"hold": hold} if measure == "nsDCG" else {}
    truth = gainful.sessions.evaluate(study.sessions, study.qrels, f"{measure}@10", **options)
    terms = curve_terms(truth.matched_sessions, *truth.recipes.values())
    systems = truth.columns["system"].to_numpy()
    searcher = np.unique(truth.columns["searcher"].to_numpy(), return_inverse=True)[1]
    parts = []
    for system, group in zip(("1", "2"), page["groups"], strict=True):
        own = systems == system
        values = terms.upper[own].reshape(own.sum(), -1)
        units = UnitSums.from_values(values, searcher[own], searcher.max() + 1)
        size = len(group["errors"])
        assert group["errors"] == pytest.approx(units.standard_errors()[:size], rel=1e-9)
        parts.append(units.deviations() / units.sizes.sum())
    count = len(parts[0])
    squares = ((parts[0] - parts[1]) ** 2).sum(axis=0)
    expected = np.sqrt(squares * count / (count - 1))
    both = min(len(group["errors"]) for group in page["groups"])  # a group grows to its own end
    assert page["difference"][:both] == pytest.approx(expected[:both], rel=1e-9)


def test_the_standard_error_at_the_first_rank_is_that_of_single_sessions(script):
    clicked = [["a*", "b"], ["a", "b*"], ["a*", "b"], ["a", "b"]]
    shown = make_sessions(**{f"s{n}": [query, ["c", "d*"]] for n, query in enumerate(clicked)})
    page = script(read_data(gainful.explore(shown, measure="sDCG@2")))
    error = np.std([1, 0, 1, 0], ddof=1) / np.sqrt(4)
    assert page["groups"][0]["errors"][0] == pytest.approx(error)


def test_what_each_query_added_is_what_python_says_it_gained(script):
    study = gainful.sessions.simulate_study(2008)
    data = read_data(gainful.explore(study.sessions, study.qrels, "sDCG@10"))
    page = script(data)
    truth = gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")
    totals = [sum(queries) for queries in page["added"]]
    assert totals == pytest.approx(truth.per_session["sDCG@10"].to_list())


def test_filters_choose_the_sessions_that_python_chooses(script):
    study = gainful.sessions.simulate_study(2008)
    data = read_data(gainful.explore(study.sessions, study.qrels, "nsDCG@10"))
    scenario = next(column for column in data["columns"] if column["name"] == "scenario")
    chosen = {"scenario": scenario["values"].index("D")}
    page = script(data, where=chosen, minQueries=3)
    truth = gainful.sessions.evaluate(
        study.sessions, study.qrels, "nsDCG@10", where={"scenario": "D"}, min_queries=3
    )
    expected = [(group["sessions"], group["queries"]) for group in truth.groups("system")]
    assert [(group["sessions"], group["queries"]) for group in page["groups"]] == expected
    means = [group["mean"]["nsDCG@10"] for group in truth.groups("system")]
    assert [group["mean"] for group in page["groups"]] == pytest.approx(means)


def test_columns_that_tell_the_same_are_offered_once_and_many_values_not_for_groups():
    study = gainful.sessions.simulate_study(2008)
    columns = read_data(gainful.explore(study.sessions, study.qrels))["columns"]
    assert [column["name"] for column in columns] == ["system", "searcher", "scenario", "order"]
    assert [column["groups"] for column in columns] == [True, False, True, True]


def test_a_document_beyond_the_depth_of_the_page_that_was_clicked_still_counts_as_known(script):
    many = [f"x{n}" for n in range(60)]
    shown = make_sessions(s=[[*many, "good*"], ["good"]])
    data = read_data(gainful.explore(shown, {"s": {"good": 1}}, "sDCG(duplicates=clicked)@5"))
    assert data["start"]["deepest"] == 50
    assert script(data)["groups"][0]["mean"] == 0
    assert script(data, duplicates="every")["groups"][0]["mean"] > 0


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (1 / (1 + log(Param("b", "", default=2), Var("i", ""))), "<mfrac><mn>1</mn><mrow><mn>1</mn><mo>+</mo><mrow><msub><mi>log</mi><mi data-param=\"b\">b</mi></msub><mspace width='0.15em'/><mi>i</mi></mrow></mrow></mfrac>"),
        (2 * (Var("i", "") + 1), "<mrow><mn>2</mn><mo>·</mo><mrow><mo>(</mo><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow><mo>)</mo></mrow></mrow>"),
        (-Var("g", ""), "<mrow><mo>−</mo><mi>g</mi></mrow>"),
        ((Var("g", "") + 1) ** 2, "<msup><mrow><mo>(</mo><mrow><mi>g</mi><mo>+</mo><mn>1</mn></mrow><mo>)</mo></mrow><mn>2</mn></msup>"),
        (maximum(1, Var("i", "")), "<mrow><mi>max</mi><mo>(</mo><mn>1</mn><mo>,</mo><mi>i</mi><mo>)</mo></mrow>"),
        (log(np.e, Var("i", "") + 1), "<mrow><mi>ln</mi><mrow><mo>(</mo><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow><mo>)</mo></mrow></mrow>"),
        (where(Var("g", "") < 1, Const(-1), 2), "<mrow><mn>−1</mn><mtext> if </mtext><mrow><mi>g</mi><mo>&lt;</mo><mn>1</mn></mrow><mtext> else </mtext><mn>2</mn></mrow>"),
    ],
)  # fmt: skip
def test_formulas_as_mathml(expression, expected):
    assert to_mathml(expression) == expected
