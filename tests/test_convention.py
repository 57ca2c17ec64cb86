"""Conventions: complete, distinct, told in words, and found by name."""

from typing import get_args, get_type_hints

import attrs
import pytest
from refusals import refuses

import gainful
from gainful.convention import CONVENTIONS, SETTINGS
from gainful.measure.catalogue import MEASURES
from gainful.measure.catalogue_page import tell_tools
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
    rows = tell_tools([convention])[1].rows
    assert len(rows) == len(SETTINGS) - 2  # base and threshold are told with their formula
    assert all(answer.strip() for _, answer in rows)
    assert tell_tools([convention])[0].startswith(f"{name}: {convention.title}")


def test_the_types_of_the_fields_are_the_answers_in_the_table():
    hints = get_type_hints(gainful.Convention)
    for setting in SETTINGS.values():
        if setting.answers:
            assert set(get_args(hints[setting.name])) == set(setting.answers), setting.name


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("cutoff", 0), ("cutoff", -5), ("cutoff", 2.5), ("cutoff", True), ("cutoff", "5")),
        *(("decimals", -1), ("decimals", 400), ("decimals", "x"), ("b", 1), ("b", "2")),
        *(("rel", float("nan")), ("gain", 42), ("discount", None), ("score_bits", 16)),
    ],
)
def test_a_convention_is_validated_when_it_is_built(field, value):
    with refuses(gainful.errors.BadValue, field):
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
    with refuses(gainful.errors.UnknownName, "trec_evall", "trec_eval"):
        gainful.like("trec_evall")
    with refuses(gainful.errors.WrongType, "like"):
        gainful.like(3)


def test_no_note_of_a_tool_has_a_mark_that_markdown_escapes():
    notes = {name: convention.note for name, convention in CONVENTIONS.items()}
    assert [name for name, note in notes.items() if set("`*$|[]") & set(note)] == []


def test_a_difference_tells_only_what_differs():
    differing = tell_tools([gainful.like("sklearn"), gainful.like("sklearn_ignore_ties")])[1]
    assert [row[0] for row in differing.rows] == ["ties"]
    assert tell_tools([gainful.like("ranx"), gainful.like("ranx")])[1].rows == []
    fields = gainful.like("quepid").differences(gainful.like("quepid_cut"))
    assert fields == {"ideal_depth": ("all", "k")}


def test_a_changed_setting_is_checked():
    with refuses(gainful.errors.UnknownName, "tie", "ties"):
        gainful.like("ranx").with_settings(tie="input")
    with refuses(gainful.errors.BadValue, "empty"):
        gainful.like("ranx").with_settings(empty=2)
    with refuses(gainful.errors.BadValue, "ties"):
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
