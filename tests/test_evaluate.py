"""`gainful.evaluate`: what goes in, what comes out, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest
from example_files import SHARED_DATA
from facts import find_notes, list_facts
from refusals import refuses
from tool_rows import CASES, OBSERVED, ROWS
from written_files import read_qrels, read_run

import gainful
import gainful.pytrec_eval as ours
from gainful.errors import BadInput, BadValue, NotExact, UnknownName, WrongType

JUDGED = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"d": 1}}
RUN = {"1": {"b": 0.9, "x": 0.8, "a": 0.7}, "2": {"c": 0.5}, "9": {"z": 1}}
NOTHING_RELEVANT = JUDGED | {"2": {"c": 0}}
UTILITY = "Utility(hit=1e308, noise=1e308)"


def test_what_comes_out():
    results = gainful.evaluate(JUDGED, RUN, ["nDCG@10", "AP"])
    ndcg = (1 + 2 / np.log2(4)) / (2 + 1 / np.log2(3))
    assert results.mean == pytest.approx({"nDCG@10": (ndcg + 1) / 3, "AP": (5 / 6 + 1) / 3})
    assert list(results.mean) == ["nDCG@10", "AP"]
    assert results.per_query.columns == ["query", "nDCG@10", "AP"]
    assert results.per_query["AP"].to_list() == pytest.approx([5 / 6, 1, 0])
    data = results.to_dict()
    assert list(data) == ["mean", "per_query", "convention", "counts"]
    assert data["per_query"]["1"]["AP"] == pytest.approx(5 / 6)
    assert data["convention"]["like"] == "gainful"
    assert data["convention"]["ties"] == "doc_descending"
    assert data["counts"] == {
        "queries": 3, "missing": 1, "extra": 1, "retrieved": 5, "judged": 4,
        "unjudged_at_10": pytest.approx(1 / 4), "tied": 0, "duplicates": 0,
    }  # fmt: skip
    json.dumps(data, allow_nan=False)
    expected = ["3", "nDCG@10", "0.5867", "AP", "0.6111", "1", "1", "25", "10"]
    assert list_facts(repr(results)) == expected
    html = results._repr_html_()
    assert ">nDCG@10</td>" in html
    assert str(results.measures["AP"]) == "AP"


def test_keys_are_the_callers_spelling():
    results = gainful.evaluate(
        JUDGED, RUN, ["ndcg_cut.5,10", "nDCG@1,3", "P_5", "map", gainful.nDCG @ 2]
    )
    names = "ndcg_cut_5 ndcg_cut_10 nDCG@1 nDCG@3 P_5 map nDCG@2"
    assert list(results.mean) == names.split()
    assert list(gainful.evaluate(JUDGED, RUN, "nDCG@1..3").mean) == ["nDCG@1", "nDCG@2", "nDCG@3"]


def test_several_runs():
    results = gainful.evaluate(JUDGED, runs={"one": RUN, "two": {"1": ["a"]}}, measures=["RR"])
    assert list(results) == ["one", "two"]
    assert results["two"].mean == {"RR": pytest.approx(1 / 3)}
    assert results["two"].name == "two"


def test_missing_and_extra_queries():
    assert gainful.evaluate(JUDGED, RUN, "RR").mean["RR"] == pytest.approx(2 / 3)
    assert gainful.evaluate(JUDGED, RUN, "RR", missing="skip").mean["RR"] == 1
    for extra, value in (("zero", 0), ("empty", 1)):
        results = gainful.evaluate(JUDGED, RUN, "nDCG", extra=extra, empty=1).values_by_query()
        assert (results["9"]["nDCG"], results["3"]["nDCG"]) == (value, 0)


def test_a_query_with_nothing_relevant():
    for empty, value in ((0, 0), (1, 1), ("skip", None)):
        results = gainful.evaluate(NOTHING_RELEVANT, RUN, ["nDCG", "AP", "P@1"], empty=empty)
        assert results.values_by_query()["2"] == {"nDCG": value, "AP": value, "P@1": 0}
    assert results.per_query["AP"].to_list()[1] is None
    assert results.mean["AP"] == pytest.approx((5 / 6 + 0) / 2)
    alone = gainful.evaluate({"2": {"c": 0}}, RUN, "AP", empty="skip")
    assert np.isnan(alone.mean["AP"])
    assert alone.to_dict()["mean"] == {"AP": None}


def test_options_reach_the_measures_they_concern():
    assert gainful.evaluate(JUDGED, RUN, ["P@1", "nDCG"], rel=2).mean["P@1"] == 0
    weights = gainful.evaluate(JUDGED, RUN, ["DCG@1", "AP"], gain={0: 0, 1: 10, 2: 100})
    assert weights.mean["DCG@1"] == pytest.approx(20 / 3)
    assert weights.convention.gain == "{0:0,1:10,2:100}"
    jk = gainful.evaluate(JUDGED, RUN, "DCG", discount="jk2008", b=4).mean["DCG"]
    assert jk == pytest.approx((1 + 2 / (1 + np.log(3) / np.log(4)) + 1) / 3)
    inner = gainful.evaluate(JUDGED, RUN, ["DCG(gain=exp)@3", "DCG@3"], gain="binary").mean
    assert inner["DCG(gain=exp)@3"] == pytest.approx((1 + 3 / 2 + 1) / 3)
    assert inner["DCG@3"] == pytest.approx((1 + 1 / 2 + 1) / 3)


NAMESAKE = pl.DataFrame({"query": ["a", "a"], "doc": ["a", "b"], "score": [3, 2]})
ONE_EACH = pl.DataFrame({"query": ["1", "2"], "doc": ["a", "b"], "score": [1.0, 1.0]})
NUMBERED = pl.DataFrame({"qid": [1], "docno": [7], "rel": [1]})


@pytest.mark.parametrize(
    ("judgments", "run", "options", "mean"),
    [
        # ids may be numbers, and lists stand for dicts
        ({1: [7]}, {1: [5, 7]}, {}, {"RR": 0.5}),
        ({1: {7}}, {1: {5: 1.0, 7: 1.0}}, {}, {"RR": 1.0}),  # 7 before 5
        ({"1": {"a": 1}}, {"1": ["a"], "2": {"b": 1}}, {}, {"RR": 1.0}),
        (NUMBERED, {"1": {"7": 1}}, {}, {"RR": 1.0}),
        # queries that were judged and have nothing relevant count
        ({"1": ["a"], "2": []}, {"1": ["a"], "2": ["b"]}, {}, {"AP": 0.5}),
        ({"1": {"a": 1}, "2": {}}, ONE_EACH, {}, {"AP": 0.5}),
        ({"1": {"a": 1}, "2": {}}, {"1": ["a"]}, {"missing": "skip"}, {"AP": 1.0}),
        # of BEIR, documents named like their query are taken out
        ({"a": {"b": 1}}, {"a": {"a": 3, "b": 2}}, {}, {"RR": 0.5}),
        ({"a": {"b": 1}}, {"a": {"a": 3, "b": 2}}, {"like": "beir"}, {"RR": 1.0}),
        ({"a": {"b": 1}}, NAMESAKE, {"like": "beir"}, {"RR": 1.0}),
        # short lists are filled up to k, and every measure is rounded
        (
            *({"1": {"a": 3, "b": -1}}, {"1": {"a": 1}}, {"short": "minimum", "negative": "keep"}),
            {"DCG@3": 3 - 1 / np.log2(3) - 1 / 2},
        ),
        (
            *({"1": {"a": 1}}, {"1": ["x", "y", "a"]}, {"decimals": 2}),
            {"P@3": 0.33, "DCG": 0.5, "AP": 0.33},
        ),
        # ERR on scales of any height
        *(
            ({"q": {"a": top, "b": top - 10}}, {"q": ["a", "b"]}, {}, {"ERR": 1.0, "nERR": 1.0})
            for top in (60, 100, 1000)
        ),
    ],
)
def test_means_by_hand(judgments, run, options, mean):
    assert gainful.evaluate(judgments, run, [*mean], **options).mean == pytest.approx(mean)


def test_an_ideal_of_the_list_itself_ends_with_its_negatives():
    judged = {"1": {"a": 2, "b": -1, "c": 3}}
    run = {"1": {"b": 3, "x": 2, "a": 1}}
    results = gainful.evaluate(judged, run, ["nDCG", "IDCG"], ideal="list", negative="in_ideal")
    ideal = 2 - 1 / np.log2(4)  # a, then what is unjudged, then b
    assert results.mean["IDCG"] == pytest.approx(ideal)
    assert results.mean["nDCG"] == pytest.approx((-1 + 2 / np.log2(4)) / ideal)


@pytest.mark.parametrize(
    ("judgments", "run", "about"),
    [
        ({}, RUN, "judgments"),
        (JUDGED, {}, "run"),
        ({"1": 5}, RUN, "judgments['1']"),
        (JUDGED, {"1": 5}, "run['1']"),
        (JUDGED, {"1": [["a"]]}, "1"),  # a run called 1
        (JUDGED, {"1": ["a"], "2": 3}, "run['2']"),
        (JUDGED, {"1": {"a": float("nan")}}, "run['1']['a']"),
        (JUDGED, {"1": {"a": 10**400}}, "run['1']['a']"),
        (JUDGED, {"1": {"a": "high"}}, ("run['1']['a']", "'high'")),
        (JUDGED, {"1": {"a": "2"}}, "run['1']['a']"),
        (JUDGED, {"1": {"a": b"2"}}, "run['1']['a']"),
        (JUDGED, {"1": {"a": None}}, "run['1']['a']"),
        ({"1": {"a": "good"}}, RUN, ("judgments['1']['a']", "'good'")),
        ({"1": {"a": "2"}}, RUN, "judgments['1']['a']"),
        ({"1": {"a": b"2"}}, RUN, "judgments['1']['a']"),
        (JUDGED, {"7": {"a": 1}}, ("run", "'7'", "'1'", "'2'")),
        (JUDGED, {"1": {7: 1.0}}, "run"),
        ({1: {"a": 1}, "1": {"b": 1}}, RUN, "judgments"),
        (JUDGED, {1: {"a": 1.0}}, "run"),
        ({"1": ["a", "a"]}, RUN, "judgments['1']"),
        (JUDGED, {"1": {"a"}}, "run['1']"),
    ],
)
def test_what_cannot_be_evaluated_is_said(judgments, run, about):
    with refuses(BadInput, about):
        gainful.evaluate(judgments, run, "AP")


@pytest.mark.parametrize(
    ("data", "measures", "options", "error", "about"),
    [
        ((JUDGED, 5), "AP", {}, WrongType, "run"),
        ((5, RUN), "AP", {}, WrongType, "judgments"),
        ((JUDGED,), "AP", {}, BadValue, "run"),
        ((JUDGED, RUN), "AP", {"runs": {"a": RUN}}, BadValue, "run"),
        ((JUDGED,), "AP", {"runs": {}}, BadValue, "runs"),
        ((JUDGED, RUN), [], {}, BadValue, "measures"),
        ((JUDGED, RUN), 5, {}, WrongType, "measure"),
        ((JUDGED, RUN), ["AP", 5], {}, WrongType, "measure"),
        ((JUDGED, RUN), gainful.Measure("P"), {}, BadValue, "k"),
        ((JUDGED, RUN), "RR", {"missing": "error"}, BadInput, ("run", "'3'")),
        ((JUDGED, RUN), "RR", {"extra": "error"}, BadInput, ("run", "'9'")),
        ((JUDGED, RUN), ["AP"], {"b": 3}, BadValue, "b"),
        ((JUDGED, RUN), ["nDCG"], {"rel": 3}, BadValue, "rel"),
        ((JUDGED, RUN), "AP", {"tie": "input"}, UnknownName, ("tie", "ties")),
        ((JUDGED, RUN), "AP", {"ties": "random"}, BadValue, "ties"),
        ((JUDGED, RUN), "AP", {"ties": "mean_rank"}, NotExact, "ties=mean_rank"),
        ((JUDGED, RUN), "AP", {"rel": 10**400}, BadValue, "rel"),
        ((JUDGED, RUN), "nDCG(gain=linear)", {"gain": "exp"}, BadValue, "gain"),
        ((JUDGED, RUN), "nDCG@3", {"cutoff": 1}, BadValue, "cutoff"),
        ((JUDGED, RUN), "INST(T=0.1)", {}, BadValue, "T"),
        ((JUDGED, RUN), "scaledDCG@1000000000000", {}, BadValue, "k"),
        ((NOTHING_RELEVANT, RUN), "AP", {"empty": "error"}, BadValue, "the ideal of query '2'"),
        ((JUDGED, RUN), UTILITY, {}, BadValue, "Utility(hit=1e+308, noise=1e+308) of query '1'"),
    ],
)
def test_wrong_arguments_are_said(data, measures, options, error, about):
    with refuses(error, about):
        gainful.evaluate(*data, measures=measures, **options)


def test_values_that_were_read_can_be_passed_again(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")

    (tmp_path / "r").write_text("1 Q0 a 1 1 x\n")
    pair = read_qrels(tmp_path / "q"), read_run(tmp_path / "r")
    assert gainful.evaluate(*pair, "RR").mean == {"RR": 1.0}
    assert isinstance(pair[0], gainful.Qrels)
    assert isinstance(pair[1], gainful.Run)


# What the tools printed on seventeen cases, now with ids, ties by them, and several queries.
EMPTY = "an empty list of documents is refused there; here it scores 0"
BEYOND = {
    "recommenders": {"C14": "its join repeats the ideal as well", "C17": EMPTY},
    "recommenders_raw": {"C14": "its join repeats the ideal as well", "C17": EMPTY},
    "recommenders_exp": {"C14": "its join repeats the ideal as well", "C17": EMPTY},
    "ntcireval": {"C11": "a negative grade reads its gain table from the end", "C17": EMPTY},
    "ntcireval_ms": {"C11": "a negative grade reads its gain table from the end", "C17": EMPTY},
    "cornac": {"C09": "not a number there", "C13": "not a number there", "C16": "any grade counts"},
    "recbole": {"C03": "k is the length of the list", "C16": "any grade counts", "C17": EMPTY},
    "spark": {"C08": "no label, no schema", "C16": "any grade counts", "C17": EMPTY},
    "gdeval": {"C17": EMPTY},
    "trectools": {"C17": "not a number there"},
    "trectools_exp": {"C17": "not a number there"},
    **{tool: {"C17": EMPTY} for tool in ("ranx", "ranx_comparable", "ranx_burges")},
    **{tool: {"C17": EMPTY} for tool in ("trec_eval", "trec_eval_c", "trec_eval_j", "trec_eval_9")},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("row", [row for row in ROWS if row.mode == "judged"], ids=lambda r: r.tool)
def test_like_a_tool_gives_the_value_the_tool_printed_on_runs(row, case):
    if case in BEYOND.get(row.like, {}):
        return
    k = CASES[case]["k"] if row.function == "ndcg" else None
    name = {"ndcg": "nDCG", "dcg": "DCG", "idcg": "IDCG"}[row.function]
    measure = gainful.Measure(name) @ k
    rows = [(q, d, s) for q, ranking in CASES[case]["run"].items() for d, s in ranking]
    schema = {"query": pl.String, "doc": pl.String, "score": pl.Float64}
    run = pl.DataFrame(rows, schema=schema, orient="row") if rows else {"1": {}}

    printed = OBSERVED[row.tool][case].removeprefix("1:")
    try:
        expected = float(printed)
    except ValueError:  # an exception, an exit status, or no row at all
        expected = float("nan")
    try:
        options = {"like": row.like} | row.options
        results = gainful.evaluate(CASES[case]["judgments"], run, measure, **options)
        value = results.mean[str(measure)]
    except gainful.errors.GainfulError:
        value = float("nan")
    assert value == pytest.approx(expected, abs=0.5001 * 10.0**-row.digits, nan_ok=True)


def test_pytrec_evals_interface():
    qrel = ours.parse_qrel(["1 0 a 2\n", "1 0 b 0\n", "2 0 a 1\n"])
    run = ours.parse_run(["1 Q0 b 1 0.5 x\n", "1 Q0 a 2 0.25 x\n"])
    assert qrel == {"1": {"a": 2, "b": 0}, "2": {"a": 1}}
    assert run == {"1": {"b": 0.5, "a": 0.25}}
    evaluator = ours.RelevanceEvaluator(qrel, {"map", "ndcg_cut.1,2", "num_ret", "gm_map"})
    values = evaluator.evaluate(run)
    assert values == {"1": pytest.approx(
        {"map": 0.5, "ndcg_cut_1": 0, "ndcg_cut_2": 1 / np.log2(3), "num_ret": 2, "gm_map": np.log(0.5)}
    )}  # fmt: skip
    assert evaluator.evaluate({}) == {}
    assert ours.RelevanceEvaluator(qrel, ["P_1"], relevance_level=3).evaluate(run)["1"] == {
        "P_1": 0
    }
    judged = ours.RelevanceEvaluator(qrel, ["num_ret"], judged_docs_only_flag=True)
    assert judged.evaluate({"1": {"x": 1, "a": 0}})["1"] == {"num_ret": 1}
    assert ours.compute_aggregated_measure("num_ret", [1, 2]) == 3
    assert ours.compute_aggregated_measure("gm_map", [np.log(1), np.log(4)]) == pytest.approx(2)
    assert ours.compute_aggregated_measure("map", [1, 2]) == 1.5


def test_pytrec_evals_interface_names_what_pytrec_eval_names():
    import pytrec_eval

    assert ours.supported_measures == set(pytrec_eval.supported_measures)
    for name, members in ours.supported_nicknames.items():
        assert members == pytrec_eval.supported_nicknames[name]
    judged, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    for measures in ({"official"}, {"all_trec"}, {"set_F.0.5", "runid", "P_5"}, set(), {"runid"}):
        theirs = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)
        by_query = ours.RelevanceEvaluator(judged, measures).evaluate(run)
        assert by_query == {query: pytest.approx(values) for query, values in theirs.items()}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(run) == {}
    for name in ("__init__", "evaluate"):
        theirs = getattr(pytrec_eval.RelevanceEvaluator, name).__code__
        mine = getattr(ours.RelevanceEvaluator, name).__code__
        assert mine.co_varnames[: mine.co_argcount] == theirs.co_varnames[: theirs.co_argcount]


def test_cutoffs_that_are_named_replace_the_usual_ones_as_in_pytrec_eval():
    import pytrec_eval

    judged, run = {"q": {"a": 1, "b": 2}}, {"q": {"b": 2.0, "x": 1.0}}
    for measures in (
        {"ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "ndcg_cut_15"},
        {"P", "P_3", "map"},
        {"official", "P_3"},
        {"set_F", "set_F_0.5"},
        {"set_F_2.0", "set_F_0.5"},
        {"iprec_at_recall", "iprec_at_recall_0.30"},
    ):
        theirs = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)
        computed = ours.RelevanceEvaluator(judged, measures).evaluate(run)
        assert computed["q"] == pytest.approx(theirs["q"], abs=1e-12), measures


@pytest.mark.parametrize(
    "judged", [{"a": 1}, {"a": 0}, {"a": -1, "b": 1}, dict.fromkeys("abcde", 1)]
)
def test_what_is_no_number_in_pytrec_eval_is_none_here(judged):
    """Only judged documents count and none was retrieved: 0 of 0."""
    import pytrec_eval

    measures = {"all_trec", "iprec_at_recall_0.0,0.05,0.2", "11pt_avg.0.5,1.0"}
    theirs = pytrec_eval.RelevanceEvaluator({"q": judged}, measures, judged_docs_only_flag=True)
    mine = ours.RelevanceEvaluator({"q": judged}, measures, judged_docs_only_flag=True)
    for run in ({"q": {"x": 1.0}}, {"q": {"x": 1.0, "a": 0.5}}):
        expected = theirs.evaluate(run)["q"]
        assert mine.evaluate(run)["q"] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert any(value != value for value in theirs.evaluate({"q": {"x": 1.0}})["q"].values())  # noqa: PLR0124


@pytest.mark.parametrize(
    ("ask", "error", "about"),
    [
        (lambda: ours.RelevanceEvaluator(JUDGED, ["mapp"]), UnknownName, ("mapp", "map")),
        (lambda: ours.RelevanceEvaluator(JUDGED, "map"), BadValue, "measures"),
        (lambda: ours.parse_run(["1 Q0"]), BadInput, ("line 1", "'1 Q0'")),
        (lambda: ours.parse_run(["1 Q0 a 1 x r"]), BadInput, ("line 1", "'x'")),
        (lambda: ours.parse_qrel(["1 0 a 1"] * 2), BadInput, ("line 2", "'a'", "'1'")),
        (lambda: ours.parse_qrel(["1 0 a 0.5"]), BadInput, ("line 1", "'0.5'")),
    ],
)
def test_pytrec_evals_interface_refuses_what_is_wrong(ask, error, about):
    with refuses(error, about):
        ask()


def test_conversations_of_2021():
    """CAsT 2021: the two runs, against pytrec_eval on the same files."""
    data = SHARED_DATA / "cast2021"
    if not data.exists():
        pytest.skip("CAsT 2021 (needs ../shared/data)")
    import pytrec_eval

    names = ["ndcg_cut_3", "ndcg_cut_500", "map", "recip_rank", "recall_100"]
    with (data / "qrels.txt").open() as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    for run in sorted(data.glob("*.run")):
        with run.open() as lines:
            theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(
                pytrec_eval.parse_run(lines)
            )
        by_query = gainful.evaluate(
            data / "qrels.txt", run, names, like="pytrec_eval"
        ).values_by_query()
        assert by_query.keys() == theirs.keys()
        for query, values in theirs.items():
            assert by_query[query] == pytest.approx(values, abs=1e-9)


def test_a_huge_gain_in_one_query_does_not_touch_the_next():
    names = ["nDCG_rel", "Rndcg", "G", "gRBP", "nDCG", "nCG@2"]
    judged = {"a": {"x": 3, "y": 2, "z": 1}, "b": {"x": 1}}
    run = {"a": ["y", "n", "x", "z"], "b": ["x"]}
    alone = gainful.evaluate(judged, run, names).values_by_query()["a"]
    for huge in (1e9, 1e16, 1e100):
        beside = gainful.evaluate(
            {"0": {"x": huge, "y": 1}} | judged, {"0": ["y", "x"]} | run, names
        )
        assert beside.values_by_query()["a"] == pytest.approx(alone, abs=1e-12)
        assert not beside.notes


def test_numbers_of_every_kind_are_numbers(tmp_path):
    from decimal import Decimal
    from fractions import Fraction

    (tmp_path / "r").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    for number in (np.int64(2), np.float32(2), Decimal(2), Fraction(2), True):
        for run in ({"1": {"a": number, "b": 0}}, tmp_path / "r"):
            assert gainful.evaluate({"1": {"a": number}}, run, "RR").mean == {"RR": 1.0}
    assert gainful.evaluate({"1": np.array(["a"])}, {"1": np.array(["b", "a"])}, "RR").mean == {
        "RR": 0.5
    }
    for text in ("2", b"2"):
        with refuses(BadInput, "judgments['1']['a']"):
            gainful.evaluate({"1": {"a": text}}, tmp_path / "r", "RR")


def test_what_is_left_out_is_said():
    results = gainful.evaluate(JUDGED, RUN, ["AP", "P@1"], rel=2, empty="skip")
    assert [list_facts(note) for note in results.notes] == [["AP", "2"]]


def test_a_cutoff_is_that_of_the_measure():
    cut = gainful.evaluate(JUDGED, RUN, "nDCG", cutoff=1).mean["nDCG"]
    assert cut == gainful.evaluate(JUDGED, RUN, "nDCG@1").mean["nDCG@1"]


def test_measures_that_a_convention_cannot_average_are_not_usual():
    assert list(gainful.evaluate(JUDGED, RUN, like="sklearn").mean) == ["nDCG@10"]
    assert list(gainful.evaluate(JUDGED, RUN).mean) == ["nDCG@10", "AP", "RR"]
    assert gainful.evaluate(JUDGED, RUN, ["AP", "nDCG@5"], short="minimum").mean["nDCG@5"] > 0


def test_many_ties_take_no_time():
    docs = {f"d{n}": 1 for n in range(20_000)}
    results = gainful.evaluate({"q": docs}, {"q": dict.fromkeys(docs, 0.5)}, ["AP", "NumRelRet"])
    assert results.mean == {"AP": 1.0, "NumRelRet": 20_000}
    judged = {str(q): {f"d{d}": 1 for d in range(5)} for q in range(30_000)}
    run = {q: {f"d{d}": float(d % 2) for d in range(8)} for q in judged}
    assert gainful.evaluate(judged, run, "NumRelRet").mean == {"NumRelRet": 150_000}


def test_a_document_that_is_listed_again_and_again_leaves_a_number():
    judged = {"q": {"a": 3, "c": 3, "d": 3, "b": 2}}
    four = gainful.evaluate(judged, {"q": ["b"] * 4}, "Compat", duplicates="count")
    assert np.isfinite(four.mean["Compat"])


def test_namesakes_are_the_same_in_dicts_and_frames():
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    for run in ({"q1": {"q1": 1.0}, "q2": {"a": 1.0}}, {"q1": {"q1": 1.0}, "q2": {"q2": 1.0}}):
        rows = [(q, d, s) for q, inner in run.items() for d, s in inner.items()]
        frame = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
        by_dict, by_frame = (gainful.evaluate(judged, r, "RR", like="beir") for r in (run, frame))
        assert by_dict.values_by_query() == by_frame.values_by_query()


SMALL = {"1": {"a": 0, "b": 0.33, "c": 0.67, "d": 1}, "2": {"b": 0.5}}
ORDER = {"1": {"b": 3.5, "c": 2.5, "d": 1.5}, "2": {"b": 0.5}}


@pytest.mark.parametrize(
    ("measures", "settings", "named"),
    [
        (["nDCG@10", "AP", "RR"], {}, "AP, RR"),
        (["P@5", "AP", "RR", "R@5", "Success@1"], {}, "P@5, AP, RR and 2 more"),
        (["AP"], {"like": "trec_eval"}, "AP"),
    ],
)
def test_grades_below_1_that_do_not_count_are_told(measures, settings, named):
    """Of 0.33, 0.67, 1 and 0.5 only 1 is relevant: AP of the first query is 1/3."""
    results = gainful.evaluate(SMALL, ORDER, measures, **settings)
    (note,) = find_notes(results.notes, 3, 4, "grades", "--rel")
    assert f" {named}; " in note
    assert results.mean.get("AP", 1 / 6) == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("qrels", "measures", "settings"),
    [
        (SMALL, ["nDCG@10", "ERR"], {}),
        (SMALL, ["AP"], {"rel": 0.5}),
        (SMALL, ["AP(rel=0.1)"], {}),
        (SMALL, ["AP@10"], {"like": "recommenders"}),
        ({"1": {"b": 0, "d": 1.5}}, ["AP"], {}),
    ],
)
def test_grades_that_count_or_are_not_asked_for_are_no_note(qrels, measures, settings):
    assert not any(
        "positive" in note for note in gainful.evaluate(qrels, ORDER, measures, **settings).notes
    )


def test_a_mean_near_zero_is_not_told_as_zero_and_a_whole_setting_has_no_decimals():
    """One query of 3,000 has its relevant document among the first ten, and that at rank 1."""
    qrels = {str(number): {"a": 4} for number in range(3000)}
    run = {number: ["a" if number == "7" else "b"] for number in qrels}
    text = gainful.evaluate(qrels, run, "P@1", rel=4.0).to_text()
    assert "P@1 of 0.0003 over" in text
    assert "rel=4 " in text
