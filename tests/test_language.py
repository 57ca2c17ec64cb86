"""The measure language: what is written is what is meant, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import gainful
from gainful import parse
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS

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
    ("text", "error", "message"),
    [
        ("nDGC@10", UnknownName, r"no measure 'nDGC@10'; did you mean nDCG@10\?"),
        ("xyz", UnknownName, "known: nDCG, DCG, IDCG, nCG, CG"),
        ("nDCG(gian=exp)", UnknownName, r"no parameter of nDCG 'gian'; did you mean gain\?"),
        ("CG(discount=log2)", UnknownName, "no parameter of CG 'discount'"),
        ("nDCG(gain=exponential)", UnknownName, r"no gain 'exponential'; did you mean exp"),
        ("nDCG(discount=log3)", UnknownName, r"no discount 'log3'; did you mean log"),
        ("nDCG(discount=log2, b=3)", BadValue, "discount log2 has no parameter b"),
        ("nDCG(gain=exp, rel=1)", BadValue, "gain exp has no parameter rel"),
        ("nDCG(discount=log, b=1)", BadValue, "b is 1; allowed: b > 1"),
        ("nDCG(discount=log, b=two)", WrongType, "b is 'two'; allowed: a number, b > 1"),
        ("nDCG@0", BadValue, "k is 0; allowed: a whole number from 1 on"),
        ("nDCG@-3", BadValue, "k is -3; allowed: a whole number from 1 on"),
        ("nDCG@ten", WrongType, "k is 'ten'; allowed: a whole number from 1 on"),
        ("nDCG@10@5", BadValue, "allowed: NAME"),
        ("nDCG(gain)", BadValue, "allowed: NAME"),
        ("nDCG(gain=exp", BadValue, "allowed: NAME"),
        ("", BadValue, "allowed: NAME"),
        ("nDCG(gain=exp, gain=linear)", BadValue, "each parameter once"),
        ("nDCG(ties=random)", BadValue, "ties is 'random'; allowed: doc_descending"),
        ("nDCG(gain={0:0,0:1})", BadValue, "each grade once"),
        ("nDCG(gain='{0:0')", BadValue, "each grade once"),
        ("nDCG@1_0", WrongType, "k is '1_0'"),
        ("nDCG" + " " * 30000 + "!", BadValue, "allowed: NAME"),
        ("nDCG(gain={0=0})", BadValue, "each grade once with its weight"),
        ("nDCG(gain={})", BadValue, "each grade once with its weight"),
        (10, WrongType, "measure is 10"),
    ],
)
def test_a_misspelt_measure_is_answered_with_what_is_right(text, error, message):
    with pytest.raises(error, match=message):
        parse(text)


def test_a_measure_that_is_not_in_the_catalogue_cannot_be_made():
    with pytest.raises(UnknownName, match="no measure 'MRR'"):
        gainful.Measure("MRR")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("NDCG@10", "nDCG@10"), ("recall@5", "R@5"), ("Precision@5", "P@5"), ("MAP", "AP"), ("mrr@10", "RR@10"),
     ("hit_rate@3", "Success@3"), ("F1", "SetF"), ("bpref", "Bpref")],
)  # fmt: skip
def test_what_people_also_call_a_measure(typed, meant):
    assert str(parse(typed)) == meant


@pytest.mark.parametrize(
    ("typed", "message"),
    [("ndcg10", "did you mean nDCG@10?"), ("nDCG_10", "did you mean nDCG@10?"), ("ndcg_10", "a cutoff is ndcg_cut_10 or nDCG@10"),
     ("nDCG@10,AP", "one measure at a time"), ("nDCG@1..5000", "a range of at most 1000"), ("nDCG@5..1", "a range of at most"),
     ("nDCG@1,2", "one measure; this means 2"), ("IAP(points='2')", "levels of recall"), ("IAP(points='')", "levels of recall")],
)  # fmt: skip
def test_what_is_no_measure_is_answered_with_the_one_that_was_meant(typed, message):
    with pytest.raises(
        (BadValue, UnknownName), match=message.replace("?", r"\?").replace("(", r"\(")
    ):
        parse(typed)


def test_scaled_dcg_is_understood_as_ir_measures_spells_it():
    assert str(parse("SDCG(max_rel=3)@10")) == "scaledDCG(max_grade=3)@10"
    assert parse("sDCG@10").entry.session  # sDCG is that of sessions, just so
    with pytest.raises(UnknownName):  # and this could be either
        parse("sdcg@10")
