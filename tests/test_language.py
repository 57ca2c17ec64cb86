"""The measure language: what is written is what is meant, both ways."""

import pytest
from hypothesis import given, strategies as st
from refusals import refuses

import gainful
from gainful import Measure, parse
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.measure import catalogue_page
from gainful.measure.catalogue import MEASURES, session_measures
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS
from gainful.measure.language import expand
from gainful.measure.names import NICKNAMES, TREC_NAMES

finite = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0)
tables = st.dictionaries(st.integers(-3, 9), finite, min_size=1, max_size=5)
values = {
    "gain": st.one_of(st.sampled_from(sorted(GAINS)), tables),
    "discount": st.sampled_from(sorted(DISCOUNTS)),
    "ideal": st.sampled_from(["judged", "list"]),
    "ideal_depth": st.sampled_from(["k", "all", "retrieved"]),
    "ties": st.sampled_from(["input", "average", "doc_descending"]),
    "negative": st.sampled_from(["zero", "keep", "in_ideal", "error"]),
    "fractional": st.sampled_from(["keep", "truncate"]),
    "empty": st.sampled_from([0, 1, "skip", "error"]),
    "short": st.sampled_from(["as_is", "minimum"]),
    "unjudged": st.sampled_from(["zero", "remove"]),
    "p": st.floats(0.001, 0.999),
    "beta": st.floats(0.001, 1e6),
    "times": st.floats(0.001, 1e6),
    "hit": finite,
    "points": st.lists(st.floats(0, 1), min_size=1, max_size=4),
}


@st.composite
def measures(draw):
    name = draw(st.sampled_from(sorted(MEASURES)))
    allowed_params = [param for param in MEASURES[name].params if param in values]
    param_names = (
        draw(st.lists(st.sampled_from(allowed_params), unique=True, max_size=4))
        if allowed_params
        else []
    )
    params = {param: draw(values[param]) for param in param_names}
    if params.get("discount") in ("log", "jk2002", "jk2008", "shifted") and draw(st.booleans()):
        params["b"] = draw(st.floats(1.001, 1e6))
    if params.get("gain") in ("binary", "exp_above") and draw(st.booleans()):
        params["rel"] = draw(finite)
    measure = gainful.Measure(name)(**params)
    cut = MEASURES[name].cutoff_kind
    if cut == "recall":
        return measure @ draw(st.floats(0, 1))
    deep = cut == "needed" or (cut == "optional" and draw(st.booleans()))
    return measure @ draw(st.integers(1, 10**6)) if deep else measure


@given(measures())
def test_a_measure_is_read_back_as_it_was_written(measure):
    again = parse(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)


def test_the_spellings_of_the_design():
    weights = parse("nDCG(gain={0:0,1:1,2:10,3:100}, discount=jk2008, b=2)@100")
    assert weights == gainful.nDCG(gain={0: 0, 1: 1, 2: 10, 3: 100}, discount="jk2008", b=2) @ 100
    assert str(weights) == "nDCG(gain={0:0,1:1,2:10,3:100}, discount=jk2008, b=2)@100"
    assert parse("nDCG@10") == gainful.nDCG @ 10
    assert parse(" nDCG ( gain = 'exp' ) @ 10 ") == parse("ndcg(gain=exp)@10")
    assert parse(gainful.CG) is gainful.CG


def test_measures_are_equal_by_their_fields_and_usable_as_keys():
    first, other = gainful.nDCG(b=2, discount="log"), gainful.nDCG(discount="log", b=2.0)
    assert first == other
    assert {first: 1}[other] == 1
    assert first != gainful.nDCG(discount="log", b=3)
    assert gainful.nDCG @ 10 != gainful.nDCG @ 5
    assert gainful.nDCG(gain="exp")(gain="linear") == gainful.nDCG(gain="linear")


@pytest.mark.parametrize(
    ("text", "error", "about"),
    [
        ("nDGC@10", UnknownName, ("nDGC@10", "nDCG@10")),
        ("xyz", UnknownName, "xyz"),
        ("nDCG(gian=exp)", UnknownName, ("gian", "gain")),
        ("CG(discount=log2)", UnknownName, "discount"),
        ("nDCG(gain=exponential)", UnknownName, ("exponential", "exp")),
        ("nDCG(discount=log3)", UnknownName, ("log3", "log")),
        ("nDCG(discount=log2, b=3)", BadValue, "b"),
        ("nDCG(gain=exp, rel=1)", BadValue, "rel"),
        ("nDCG(discount=log, b=1)", BadValue, "b"),
        ("nDCG(discount=log, b=two)", WrongType, "b"),
        ("nDCG@0", BadValue, "k"),
        ("nDCG@-3", BadValue, "k"),
        ("nDCG@ten", WrongType, "k"),
        ("nDCG@10@5", BadValue, "measure"),
        ("nDCG(gain)", BadValue, "measure"),
        ("nDCG(gain=exp", BadValue, "measure"),
        ("", BadValue, "measure"),
        ("nDCG(gain=exp, gain=linear)", BadValue, "parameter gain"),
        ("nDCG(ties=random)", BadValue, "ties"),
        ("nDCG(gain={0:0,0:1})", BadValue, "gain"),
        ("nDCG(gain='{0:0')", BadValue, "gain"),
        ("nDCG@1_0", WrongType, "k"),
        ("nDCG" + " " * 30000 + "!", BadValue, "measure"),
        ("nDCG(gain={0=0})", BadValue, "gain"),
        ("nDCG(gain={})", BadValue, "gain"),
        (10, WrongType, "measure"),
        ("ndcg10", UnknownName, ("ndcg10", "nDCG@10")),
        ("nDCG_10", UnknownName, ("nDCG_10", "nDCG@10")),
        ("ndcg_10", BadValue, ("ndcg", "ndcg_cut_10", "nDCG@10")),
        ("nDCG@10,AP", BadValue, ("measure", "2")),
        ("nDCG@1..5000", BadValue, ("k", "1000")),
        ("nDCG@5..1", BadValue, "k"),
        ("nDCG@1,2", BadValue, ("measure", "2")),
        ("IAP(points='2')", BadValue, "points"),
        ("IAP(points='')", BadValue, "points"),
        ("sdcg@10", UnknownName, "sdcg@10"),  # sDCG of sessions, or SDCG of ir_measures
    ],
)
def test_a_misspelt_measure_is_answered_with_what_is_right(text, error, about):
    with refuses(error, about):
        parse(text)


@pytest.mark.parametrize(("name", "error"), [("MRR", UnknownName), ("nDCG@10", BadValue)])
def test_a_measure_that_is_not_in_the_catalogue_cannot_be_made(name, error):
    with refuses(error, "MRR" if error is UnknownName else "measure"):
        Measure(name)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("NDCG@10", "nDCG@10"), ("recall@5", "R@5"), ("Precision@5", "P@5"), ("MAP", "AP"), ("mrr@10", "RR@10"),
     ("hit_rate@3", "Success@3"), ("F1", "SetF"), ("bpref", "Bpref"),
     ("P+", "Pplus"), ("P+(beta=2)", "Pplus(beta=2)"), ("filtered_dcg", "FilteredDCG"),
     ("HR@10", "Success@10"), ("R_cap@10", "relP@10"), ("rbp.5", "RBP(p=0.5)"),
     ("SDCG(max_rel=3)@10", "scaledDCG(max_grade=3)@10")],
)  # fmt: skip
def test_what_people_also_call_a_measure(typed, meant):
    assert str(parse(typed)) == meant


def test_sdcg_is_a_measure_of_sessions():
    assert parse("sDCG@10").entry.session


def _spellings(name):
    """A name in the cases in which people type it, with a cutoff where it needs one."""
    return {name, name.lower(), name.upper(), name.capitalize()}


def test_no_two_measures_are_called_alike_but_for_the_case_of_letters():
    """Whatever was typed, the name in the result tells which measure was computed."""
    names = {*MEASURES, *session_measures(), *TREC_NAMES, *NICKNAMES, "SDCG"}
    typed = [case + at for name in names for case in _spellings(name) for at in ("", "@10", "@0.5")]
    computed = {}
    for text in typed:
        try:
            measures = expand(text)
        except (BadValue, UnknownName):
            continue
        for label, measure in measures.items():
            computed.setdefault(label.lower(), set()).add(str(measure))
    assert len(computed) > 200
    assert {label: both for label, both in computed.items() if len(both) > 1} == {}


@pytest.mark.parametrize(
    "name", [*TREC_NAMES, *NICKNAMES, *MEASURES, "SDCG", "alpha-nDCG", "α-nDCG", "ERR-IA"]
)
def test_measures_documents_the_measure_that_a_name_computes(name):
    for text in (name, f"{name}@10", f"{name}@0.5"):
        try:
            measure = next(iter(expand(text).values()))
        except (BadValue, UnknownName, StopIteration):
            continue
        assert catalogue_page.to_dict(name)["name"] == measure.name
        return


@pytest.mark.parametrize("name", ["nDCG@10", "ndcg_cut_10", "nDCG(gain=exp)@5"])
def test_measures_documents_a_measure_with_its_cutoff_and_parameters(name):
    assert catalogue_page.to_dict(name)["name"] == "nDCG"


@pytest.mark.parametrize("name", [*MEASURES, *session_measures()])
def test_the_examples_that_gainful_measures_prints_can_be_typed(name):
    """Those of all parameters; `ERR(max_grade=none)` and `Cost(per_query=none)` could not be."""
    params = catalogue_page.to_dict(name)["parameters"]
    tables = [catalogue_page.catalogue_page(param).sections[-1].table for param in params]
    tables = [table for table in tables if table is not None]
    typed = [row[2] for table in tables for row in table.rows if table.columns[2:] == ("example",)]
    spelling = catalogue_page.catalogue_page(name).sections[0].lines
    (line,) = [line for line in spelling if line.startswith("Spelling: ")]
    typed += line.removeprefix("Spelling: ").partition("; ")[0].split(", ")
    assert all(parse(text).name for text in typed)


@pytest.mark.parametrize(("name", "default"), [("b", 2), ("rel", 1), ("gain", "linear")])
def test_the_default_of_a_setting_is_the_same_in_words_and_in_data(name, default):
    """Of b and rel, which follow from the formula, the data said null."""
    lines = catalogue_page.catalogue_page(name).sections[0].lines
    assert f"Default: {default}" in lines
    assert catalogue_page.to_dict(name)["default"] == default


def test_the_rbp_of_trec_eval_is_named_for_what_it_is():
    assert list(expand(["rbp", "RBP"])) == ["gRBP(p=0.9)", "RBP"]
    assert list(expand(["rbp@10", "rbp(p=0.8)"])) == ["RBP@10", "RBP(p=0.8)"]
    assert list(expand("SDCG@10")) == ["scaledDCG@10"]


def test_several_measures_may_stand_in_one_text():
    assert list(expand("ndcg,map")) == ["ndcg", "map"]
    assert list(expand("nDCG(gain=exp, discount=log2)@5,10, P@5")) == [
        "nDCG(gain=exp, discount=log2)@5",
        "nDCG(gain=exp, discount=log2)@10",
        "P@5",
    ]


@pytest.mark.parametrize("typed", ["Diversity@10", "Accuracy@1", "context_recall"])
def test_what_is_no_measure_here_is_answered_and_nothing_silly_suggested(typed):
    with refuses(UnknownName, typed) as caught:
        parse(typed)
    assert "did you mean" not in str(caught.value)


def test_the_persistence_of_ranx_is_what_follows_the_dot():
    """ranx 0.3.21 printed 0.140125 for rbp.95: 0.05 * (2 * 0.95 + 1 * 0.95²)."""
    qrels, run = {"1": {"a": 2, "b": 1, "c": 0}}, {"1": ["c", "a", "b"]}
    results = gainful.evaluate(qrels, run, ["rbp.95", "rbp.5"], like="ranx")
    assert results.mean["rbp.95"] == pytest.approx(0.140125)


def test_f1_at_a_cutoff_is_the_harmonic_mean_of_precision_and_recall_there():
    """Two of three relevant documents in the first four of five: P@4 = 1/2, R@4 = 2/3."""
    results = gainful.evaluate(
        {"1": ["a", "b", "c"]}, {"1": ["a", "x", "b", "y", "c"]}, ["F1@4", "F1"]
    )
    assert results.mean == {
        "F1@4": pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3)),
        "F1": pytest.approx(2 * (3 / 5) / (3 / 5 + 1)),
    }


def test_a_formula_brings_the_value_of_its_parameter():
    discount = DISCOUNTS["jk2008"].with_values({"b": 3})
    assert str(Measure("nDCG")(discount=discount)) == "nDCG(discount=jk2008, b=3)"
    assert str(Measure("nDCG")(discount=discount, b=2)) == "nDCG(discount=jk2008, b=2)"
    both = Measure("nsDCG")(discount=DISCOUNTS["jk2002"], query_discount=discount)
    assert str(both) == "nsDCG(discount=jk2002, query_discount=jk2008, bq=3)"
    with refuses(BadValue, "bq"):
        parse("nsDCG(query_discount=none, bq=2)@10")
