"""Results as people use them: a mapping of means, frames, equality, pickles, pictures."""

import pickle

import polars as pl
import pytest
from refusals import refuses

import gainful
from gainful.errors import BadValue, NoTruthValue, UnknownName, WrongType

JUDGED = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"d": 1}}
GOOD = {"1": ["a", "b"], "2": ["c"], "3": ["d"]}
BAD = {"1": ["x", "a"], "2": ["x", "y", "c"], "3": ["d"]}
MEASURES = ["RR", "P@1"]
# RR of BAD is 1/2, 1/3 and 1; its P@1 is 0, 0 and 1.
NAMES = [str(number) for number in range(6)]
LOWER = {name: [*"xyz"[: int(name) % 3], "a"] for name in NAMES}
SIX = ({name: {"a": 1} for name in NAMES}, {"high": {name: ["a"] for name in NAMES}, "low": LOWER})


def send(value):
    """To another process, and back."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  (it is our own)


@pytest.fixture(scope="module")
def results():
    return gainful.evaluate(JUDGED, BAD, MEASURES)


@pytest.fixture(scope="module")
def study():
    return gainful.sessions.simulate_study(7)


@pytest.fixture(scope="module")
def of_sessions(study):
    return gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")


@pytest.fixture(scope="module")
def runs():
    return gainful.evaluate(JUDGED, {"good": GOOD, "bad": BAD}, MEASURES)


def test_a_result_is_a_mapping_of_means_by_measure(results):
    assert results["RR"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    assert isinstance(results["P@1"], float)
    assert (len(results), list(results)) == (2, MEASURES)
    assert "RR" in results
    assert "AP" not in results
    assert dict(results) == results.mean


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda: gainful.gate(JUDGED, BAD, floors={"RR": 0.9}), False),
        (lambda: gainful.gate(JUDGED, BAD, floors={"RR": 0.6}), True),
        (lambda: all(gainful.gate(JUDGED, BAD, floors={"RR": 0.9}).checks), False),
        (lambda: gainful.check(JUDGED, {"1": ["a", "a"]}), False),
        (lambda: gainful.which("0.123", [3, 2, 3, 0, 1, 2]), False),
        (lambda: gainful.which("0.961", [3, 2, 3, 0, 1, 2]), True),
        (lambda: gainful.evaluate(JUDGED, BAD, "RR"), True),
        (lambda: gainful.compare(*SIX, "RR", equivalent=0.1), "comparison.is_significant(pair)"),
        (
            lambda: gainful.compare(*SIX, "RR", equivalent=0.1).pairs[0],
            "comparison.is_significant(pair)",
        ),
        (
            lambda: gainful.compare(*SIX, "RR", equivalent=0.1).pairs[0].equivalence,
            "comparison.is_equivalent(pair)",
        ),
        (lambda: gainful.reproduce(JUDGED, GOOD, BAD, "RR"), "reproduction.orders"),
        (lambda: gainful.plan(*SIX, "RR"), "plan.pairs"),
    ],
)
def test_what_answers_yes_or_no_is_true_or_false_and_nothing_else_is_taken_for_it(ask, answer):
    if isinstance(answer, bool):
        assert bool(ask()) is answer
    else:
        with refuses(NoTruthValue, answer):
            assert ask()


def test_a_measure_is_found_by_itself_however_it_was_spelt():
    results = gainful.evaluate(JUDGED, BAD, "recip_rank")
    (name,) = results
    assert results[gainful.RR] == results[name]
    assert gainful.RR in results
    assert gainful.AP not in results


@pytest.mark.parametrize("name", ["rr@5", "P@10", "p@2"])
def test_a_measure_that_was_not_asked_for_says_which_were(results, name):
    with refuses(UnknownName, name, "RR, P@1") as raised:
        results[name]
    assert str(send(raised.value)) == str(raised.value)


def test_a_measure_is_found_by_any_of_its_spellings(results):
    assert results["p@1"] == results["P_1"] == results["P@1"]
    assert results["recip_rank"] == results["RR"]
    assert "recip_rank" in results
    named_otherwise = gainful.evaluate(JUDGED, BAD, ["p@1", "ndcg_cut_10"])
    assert named_otherwise["P@1"] == results["P@1"]
    assert "nDCG@10" in named_otherwise
    assert "nDCG@5" not in named_otherwise
    assert 7 not in named_otherwise


def test_several_runs_are_compared_with_more_and_nothing_else_is_taken_for_a_test(runs, results):
    assert runs.compare(results, resamples=99).systems == ("good", "bad", "run")
    assert results.compare(runs, resamples=99).systems == ("run", "good", "bad")
    assert gainful.compare([runs["good"], runs["bad"]], "RR").measures == ("RR",)
    for wrong in ("bad", BAD):
        with refuses(WrongType, "other"):
            runs.compare(wrong)


def test_means_are_a_dict_that_travels(results):
    assert results.items() == list(results.mean.items())
    assert send(results.mean) == results.mean == dict(results)


def test_tables_show_their_names_and_not_all_that_they_hold():
    shown = repr(gainful.CONVENTIONS)
    assert shown.startswith(f"{len(gainful.CONVENTIONS)} conventions:\ngainful, ")
    assert "trec_eval" in shown
    assert max(map(len, repr(gainful.MEASURES).splitlines())) <= 80
    assert repr(gainful.MEASURES).startswith(f"{len(gainful.MEASURES)} measures:\n")
    assert send(gainful.CONVENTIONS) == gainful.CONVENTIONS


def test_the_lowest_queries_of_each_run_are_shown_by_run(runs):
    assert runs.worst(1).rows() == [("good", "1", 1.0, 1.0), ("bad", "2", 1 / 3, 0.0)]
    assert runs.worst(2, "P@1").select("run", "query").rows()[2:] == [("bad", "1"), ("bad", "2")]


def test_the_lowest_queries_come_first_in_worst(results):
    assert results.worst(2)["query"].to_list() == ["2", "1"]
    assert results.worst(1, "P@1")["query"].to_list() == ["1"]  # of equal ones the first
    assert results.worst("P@1").equals(results.worst(10, "P@1"))


def test_a_query_that_is_left_out_is_not_the_worst():
    judged = {**JUDGED, "4": {"e": 0}}
    results = gainful.evaluate(judged, {**BAD, "4": ["e"]}, "AP", empty="skip")
    assert results.per_query["AP"].null_count() == 1
    assert results.worst(9)["query"].to_list() == ["1", "2", "3"]  # 1/4, 1/3, 1


def test_frames_have_a_row_for_each_query_unless_means_are_asked_for(results):
    frame = results.to_polars()
    assert frame.columns == ["run", "query", "RR", "P@1"]
    assert frame["RR"].to_list() == pytest.approx([1 / 2, 1 / 3, 1])
    assert results.to_pandas()["P@1"].tolist() == [0, 0, 1]
    assert results.to_pandas(per_query=False)["P@1"].tolist() == pytest.approx([1 / 3])


def test_pandas_frames_need_no_pyarrow(run_python):
    pytest.importorskip("pandas")
    code = """
import sys
sys.modules["pyarrow"] = None
import gainful
print(gainful.evaluate({"1": ["a"]}, {"1": ["b", "a"]}, "RR").to_pandas()["RR"].tolist())
"""
    assert run_python(code) == "[0.5]"


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("altair", "plot")])
def test_what_needs_a_package_that_is_missing_says_what_to_install(run_python, package, method):
    code = f"""
import sys
sys.modules["{package}"] = None
import gainful
try:
    gainful.evaluate({{"1": ["a"]}}, {{"1": ["b", "a"]}}, "RR").{method}()
except gainful.errors.NotInstalled as refused:
    print(refused)
"""
    assert f"pip install {package}" in run_python(code)


def test_flat_names_are_those_that_trackers_accept(runs):
    odd = gainful.evaluate(
        JUDGED, BAD, ["nDCG@10", "ndcg_cut_10", "nDCG(gain=exp)@5", "P(rel=2)@1"]
    )
    assert set(odd.to_flat()) >= {"ndcg_at_10", "ndcg_gain_exp_at_5", "p_rel_2_at_1"}
    assert len(odd.to_flat()) == len(odd)
    assert list(runs.to_flat()) == ["good_rr", "good_p_at_1", "bad_rr", "bad_p_at_1"]


def test_results_are_equal_by_their_values(results):
    assert results == gainful.evaluate(JUDGED, BAD, MEASURES)
    assert results != gainful.evaluate(JUDGED, GOOD, MEASURES)
    assert results != gainful.evaluate(JUDGED, BAD, ["RR"])
    assert results != gainful.evaluate(JUDGED, BAD, MEASURES, missing="skip")
    assert results != results.mean
    assert hash(results) == hash(gainful.evaluate(JUDGED, BAD, MEASURES))


def test_several_runs_are_one_object(runs):
    assert list(runs) == ["good", "bad"]
    assert runs["bad"]["P@1"] == runs.mean["bad"]["P@1"] == pytest.approx(1 / 3)
    assert runs.per_query.columns == ["run", "query", "RR", "P@1"]
    assert len(runs.per_query) == 6
    assert runs.to_pandas()["run"].tolist() == ["good", "bad"]
    text = str(runs)
    assert text.index("good") < text.index("bad")
    assert "1.0000" in text
    with refuses(UnknownName, "god", "good"):
        runs["god"]
    with refuses(UnknownName, "RR"):
        runs["RR"]
    bounds = gainful.unjudged(JUDGED, {"good": GOOD, "bad": BAD}, "RR")
    with refuses(UnknownName, "god", "good"):
        bounds["god"]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"one": GOOD, "two": BAD}, ["one", "two"]),
        ([GOOD, BAD], ["run 1", "run 2"]),
        ([pl.DataFrame({"query": ["1"], "doc": ["a"], "score": [1.0]}), BAD], ["run 1", "run 2"]),
    ],
)
def test_runs_come_by_name_or_in_a_list_in_either_place(given, names):
    assert list(gainful.evaluate(JUDGED, given, "RR")) == names
    assert list(gainful.evaluate(JUDGED, runs=given, measures="RR")) == names
    assert gainful.evaluate(JUDGED, given, "RR")[names[-1]]["RR"] == pytest.approx(11 / 18)


def test_files_in_a_list_are_named_for_themselves(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.txt").write_text("1 Q0 a 1 2.0 x\n")
    (tmp_path / "a" / "dense.txt").write_text("1 Q0 a 1 2.0 x\n")
    two = [tmp_path / "a" / "bm25.txt", tmp_path / "a" / "dense.txt"]
    assert list(gainful.evaluate(JUDGED, two, "RR")) == ["bm25", "dense"]
    twice = [str(tmp_path / folder / "bm25.txt") for folder in ("a", "b")]
    assert list(gainful.evaluate(JUDGED, twice, "RR")) == twice


def test_attributes_that_people_guess_are_answered(results):
    for guess, answer in {
        "rr": 'results["RR"]',
        "df": ".to_polars()",
        "by_query": ".per_query",
        "means": ".mean",
        "to_excel": ".to_csv()",
        "plt": ".plot",
        "item": ".items",
    }.items():
        with pytest.raises(AttributeError) as refused:
            getattr(results, guess)
        assert (refused.value.name, refused.value.obj) == (guess, results)
        assert f"{answer}?" in str(refused.value)


def test_sessions_have_the_same_protocol():
    shown = pl.DataFrame({"session": ["s", "s", "t"], "query": [1, 2, 1], "doc": ["x", "a", "a"]})
    qrels = {"s": {"a": 3}, "t": {"a": 3}}
    results = gainful.sessions.evaluate(shown, qrels, "sDCG(b=2, bq=4)@10")
    (name,) = results
    assert results[name] == pytest.approx((3 / 1.5 + 3) / 2)  # bq=4: 1 + log4 2 = 1.5
    assert results == gainful.sessions.evaluate(shown, qrels, "sDCG(b=2, bq=4)@10")
    assert send(results) == results
    assert results.worst(1)["session"].to_list() == ["s"]
    assert results.to_flat() == {"sdcg_b_2_bq_4_at_10": results[name]}
    assert results.to_pandas()["session"].tolist() == ["s", "t"]


def test_sessions_that_are_evaluated_are_compared_as_they_are(study, of_sessions):
    data = study.sessions, study.qrels
    several = gainful.sessions.evaluate(*data, ["nsDCG@10", "sDCG@10"])
    expected = gainful.sessions.compare(*data, "sDCG@10", resamples=99).to_dict()
    for comparison in (
        of_sessions.compare(resamples=99),
        gainful.compare(of_sessions, resamples=99),
        gainful.sessions.compare(of_sessions, resamples=99),
        gainful.compare(several, measures="sDCG@10", resamples=99),
        gainful.compare(several, "sDCG@10", resamples=99),
    ):
        assert comparison.to_dict() == expected
    blocked = {"by": "system", "block": "searcher", "resamples": 99}
    by_searcher = gainful.sessions.compare(*data, "sDCG@10", **blocked)
    assert gainful.compare(of_sessions, **blocked).to_dict() == by_searcher.to_dict()


def test_plots_are_drawn_in_a_notebook_without_network(results, runs):
    for chart in (results.plot(resamples=99), runs.plot(resamples=99, title="Both")):
        bundle = chart._repr_mimebundle_()
        assert set(bundle) == {"image/svg+xml", "text/plain"}
        assert bundle["image/svg+xml"].startswith("<svg")
        assert "<script" not in bundle["image/svg+xml"]
    assert runs.plot(resamples=99).to_dict() == gainful.figures.dots(runs, resamples=99).to_dict()
    assert "jsdelivr" not in str(bundle)


def test_names_of_runs_stay_apart_from_those_that_are_numbered():
    a, b = (gainful.evaluate(JUDGED, run, "RR") for run in (GOOD, BAD))
    named = gainful.evaluate(JUDGED, {"run 1": GOOD}, "RR")["run 1"]
    assert gainful.compare([a, named, b]).systems == ("run 2", "run 1", "run 3")
    assert gainful.figures.figure_data("dots", [a, b], resamples=99)["run"].to_list() == [
        *("run 1", "run 2")
    ]


def test_figures_take_results(results, runs):
    frame = gainful.figures.figure_data("dots", results, "RR", resamples=99)
    assert frame["mean"].to_list() == pytest.approx([11 / 18])
    rows = gainful.figures.figure_data("differences", runs, "P@1").rows()
    assert rows == [("3", 1.0, 1.0, 0.0), ("1", 1.0, 0.0, -1.0), ("2", 1.0, 0.0, -1.0)]
    assert gainful.figures.figure_data("differences", runs["good"], runs["bad"]).height == 3
    for name in ("curves", "precision-recall"):
        with refuses(BadValue, "results"):
            gainful.figures.figure_data(name, runs)


def test_a_convention_is_written_as_it_would_be_made():
    convention = gainful.like("sklearn")
    assert eval(repr(convention), {"Convention": gainful.Convention}) == convention  # noqa: S307
    assert repr(gainful.Convention()) == "Convention()"
    assert repr(gainful.like("ir_measures")).endswith(", by_measure=…)")
    assert all(len(repr(known)) < 250 for known in gainful.CONVENTIONS.values())
    assert "averaged" in convention.to_text()


def test_results_of_sessions_are_results_but_for_what_only_queries_have(of_sessions):
    assert isinstance(of_sessions, gainful.Results)
    assert of_sessions.per_session.equals(of_sessions.tabulate())
    for name in ("queries", "per_query", "values_by_query"):
        assert not hasattr(of_sessions, name)
        assert name not in dir(of_sessions)


@pytest.mark.parametrize(
    ("ask", "error", "about"),
    [
        (lambda r, *_: r.mean(), WrongType, "a dict by measure"),
        (lambda r, *_: r.values(), WrongType, "a dict by measure"),
        (lambda r, *_: r.save(5), WrongType, "path"),
        (lambda r, *_: r.plot(widht=300), UnknownName, ("widht", "width")),
        (lambda r, *_: r.worst(0), BadValue, "n"),
        (lambda r, *_: r.worst(1, "AP"), UnknownName, "AP"),
        (lambda r, *_: r.compare("bad"), WrongType, "other"),
        (lambda r, *_: r.compare(BAD), WrongType, "other"),
        (lambda r, of_sessions, _: r.compare(of_sessions), WrongType, "other"),
        (lambda _, of_sessions, __: of_sessions.compare(of_sessions), WrongType, "by"),
        (lambda _, of_sessions, __: gainful.stats.mean_intervals(of_sessions), WrongType, "results"),
        (lambda *_: gainful.compare(JUDGED, GOOD, BAD, "RR", measures="P@1"), BadValue, "measures"),
        (lambda *_: gainful.compare(JUDGED, GOOD, BAD, "RR", by="system"), BadValue, "by"),
        (lambda *_: gainful.compare(JUDGED, GOOD, BAD, "RR", block="x"), BadValue, "block"),
        (lambda _, of_sessions, __: gainful.compare(of_sessions, runs=GOOD), BadValue, "runs"),
        (lambda _, of_sessions, __: gainful.compare(of_sessions, per_query=True), BadValue, "per_query"),
        (lambda _, of_sessions, __: gainful.compare(of_sessions, like="trec_eval"), BadValue, "like"),
        (lambda _, s, study: gainful.sessions.compare(s, study.qrels), BadValue, "qrels"),
        (lambda _, __, s: gainful.sessions.evaluate(s.qrels, s.sessions), WrongType, "sessions"),
    ],
)  # fmt: skip
def test_what_results_cannot_do_is_refused(request, ask, error, about):
    given = map(request.getfixturevalue, ("results", "of_sessions", "study"))
    with refuses(error, about):
        ask(*given)
