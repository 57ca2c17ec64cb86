"""Conventions: complete, distinct, told in words, and found by name."""

from __future__ import annotations

from typing import get_args, get_type_hints

import attrs
import pytest

import gainful
from gainful.convention import CONVENTIONS, SETTINGS
from gainful.measure.catalogue import MEASURES
from gainful.measure.convention_page import build_table, format_heading
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS
from gainful.measure.references import REFERENCES


def test_every_field_is_in_the_table_of_settings_and_the_other_way_round():
    about = {"name", "title", "note", "by_measure", "measures", "need_useless", "unstable_ties"}
    assert [f.name for f in attrs.fields(gainful.Convention) if f.name not in about] == list(
        SETTINGS
    )


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_can_be_computed_with_and_told_in_words(name):
    convention = gainful.like(name)
    assert gainful.ndcg([3, 2, 3, 0, 1, 2], like=name) > 0.9
    rows = build_table(convention).rows
    assert len(rows) == len(SETTINGS) - 2  # base and threshold are told with their formula
    assert all(answer.strip() for _, answer in rows)
    assert format_heading(convention).startswith(f"{name}: {convention.title}")


def test_the_types_of_the_fields_are_the_answers_in_the_table():
    hints = get_type_hints(gainful.Convention)
    for setting in SETTINGS.values():
        if setting.answers:
            assert set(get_args(hints[setting.name])) == set(setting.answers), setting.name


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("cutoff", 0, "a whole number from 1 on"),
        ("cutoff", -5, "a whole number from 1 on"),
        ("cutoff", 2.5, "a whole number from 1 on"),
        ("cutoff", True, "a whole number from 1 on"),
        ("cutoff", "5", "a whole number from 1 on"),
        ("decimals", -1, "a whole number from 0 to 15"),
        ("decimals", 400, "a whole number from 0 to 15"),
        ("decimals", "x", "a whole number from 0 to 15"),
        ("b", 1, "b > 1"),
        ("b", "2", "b > 1"),
        ("rel", float("nan"), "any finite number"),
        ("gain", 42, "the name of a gain"),
        ("discount", None, "the name of a discount"),
        ("score_bits", 16, "64, 32"),
    ],
)
def test_a_convention_is_validated_when_it_is_built(field, value, allowed):
    with pytest.raises(gainful.errors.BadValue, match=f"{field} is .*; allowed: {allowed}"):
        gainful.Convention(**{field: value})


def test_every_tool_of_the_research_that_can_be_expressed_is_there():
    wanted = """jk2002 jk2008 burges2005 wikipedia trec_eval trec_eval_9 pytrec_eval ir_measures
        gdeval ranx ntcireval trectools beir sklearn torchmetrics tensorflow_ranking rax lightgbm
        xgboost catboost spark recbole recommenders cornac elliot evidently quepid elasticsearch
        opensearch opensearch_workbench vespa mlflow spark_ml trec_eval_c trec_eval_j
        ranx_comparable vespa_binary"""
    assert set(wanted.split()) <= set(CONVENTIONS)


def test_names_are_found_in_any_case_and_by_their_other_spelling():
    assert gainful.like("Scikit-Learn") is gainful.like("sklearn")
    assert gainful.like(None) == gainful.Convention()
    with pytest.raises(
        gainful.errors.UnknownName, match=r"no convention 'trec_evall'; did you mean trec_eval\?"
    ):
        gainful.like("trec_evall")
    with pytest.raises(gainful.errors.WrongType, match="like is 3"):
        gainful.like(3)


def test_a_difference_tells_only_what_differs():
    differing = build_table(gainful.like("sklearn"), gainful.like("sklearn_ignore_ties"))
    assert [row[0] for row in differing.rows] == ["ties"]
    assert build_table(gainful.like("ranx"), gainful.like("ranx")).rows == []
    fields = gainful.like("quepid").differences(gainful.like("quepid_cut"))
    assert fields == {"ideal_depth": ("all", "k")}


def test_a_changed_setting_is_checked():
    with pytest.raises(
        gainful.errors.UnknownName, match=r"no convention field 'tie'; did you mean ties\?"
    ):
        gainful.like("ranx").with_settings(tie="input")
    with pytest.raises(gainful.errors.BadValue, match="empty is 2; allowed: 0, 1, skip, error"):
        gainful.like("ranx").with_settings(empty=2)
    with pytest.raises(gainful.errors.BadValue, match="ties is \\['input'\\]"):
        gainful.like("ranx").with_settings(ties=["input"])


def test_a_convention_allows_the_bases_and_thresholds_that_formulas_allow():
    params = {p.symbol: p for f in (*GAINS.values(), *DISCOUNTS.values()) for p in f.params}
    assert set(params) == {"b", "rel"}
    for symbol, param in params.items():
        assert SETTINGS[symbol].allowed == param.domain.describe(symbol)
        for value in (-1, 0, 1, 1.0001, 2, 1e9, float("inf"), float("nan")):
            refused = False
            try:
                param.check(value)
            except gainful.errors.BadValue:
                refused = True
            assert SETTINGS[symbol].fits(value) is not refused, (symbol, value)


def test_every_formula_and_measure_names_its_source():
    for entry in (*GAINS.values(), *DISCOUNTS.values(), *MEASURES.values()):
        assert entry.cite in REFERENCES


def test_parameters_describe_themselves():
    for formula in (*GAINS.values(), *DISCOUNTS.values()):
        for param in formula.params:
            assert param.meaning
            assert param.typical is not None
            assert param.check(param.default) == param.default
            assert all(param.check(edge) for edge in param.typical)
