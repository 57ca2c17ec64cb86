"""Conventions: complete, distinct, told in words, and found by name."""

from __future__ import annotations

import attrs
import pytest

import gainful
from gainful.convention import CONVENTIONS, HABITS
from gainful.measure import DISCOUNTS, GAINS, MEASURES, REFERENCES, nDCG, recipe
from gainful.show.convention import described, difference, one_line


def test_every_field_is_in_the_table_of_habits_and_the_other_way_round():
    about = {"name", "title", "note"}
    assert [f.name for f in attrs.fields(gainful.Convention) if f.name not in about] == list(HABITS)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_can_be_computed_with_and_told_in_words(name):
    convention = gainful.like(name)
    assert gainful.ndcg([3, 2, 3, 0, 1, 2], like=name) > 0.9
    table = described(recipe(nDCG, like_whom=name))
    assert len(table.rows) == len(HABITS) - 2  # base and threshold are told with their formula
    assert all(answer.strip() for _, _, answer in table.rows)
    assert convention.title
    assert recipe(nDCG, like_whom=name).gain.text() in one_line(recipe(nDCG, like_whom=name))


def test_every_tool_of_the_research_that_can_be_expressed_is_there():
    wanted = """jk2002 jk2008 burges2005 wikipedia trec_eval trec_eval_9 pytrec_eval ir_measures
        gdeval ranx ntcireval trectools beir sklearn torchmetrics tensorflow_ranking rax lightgbm
        xgboost catboost spark recbole recommenders cornac elliot evidently quepid elasticsearch
        opensearch opensearch_workbench vespa mlflow"""
    assert set(wanted.split()) <= set(CONVENTIONS)


def test_names_are_found_in_any_case_and_by_their_other_spelling():
    assert gainful.like("Scikit-Learn") is gainful.like("sklearn")
    assert gainful.like(None) == gainful.Convention()
    with pytest.raises(
        gainful.UnknownName, match=r"no convention 'trec_evall'; did you mean trec_eval\?"
    ):
        gainful.like("trec_evall")
    with pytest.raises(gainful.WrongType, match="like is 3"):
        gainful.like(3)


def test_a_difference_tells_only_what_differs():
    table = difference(gainful.like("sklearn"), gainful.like("sklearn_ignore_ties"))
    assert [row[0] for row in table.rows] == ["ties"]
    assert difference(gainful.like("ranx"), gainful.like("ranx")).rows == []
    fields = gainful.like("quepid").differences(gainful.like("quepid_cut"))
    assert fields == {"ideal_depth": ("all", "k")}


def test_a_changed_habit_is_checked():
    with pytest.raises(
        gainful.UnknownName, match=r"no convention field 'tie'; did you mean ties\?"
    ):
        gainful.like("ranx").changed(tie="input")
    with pytest.raises(gainful.BadValue, match="empty is 2; allowed: 0, 1, skip, error"):
        gainful.like("ranx").changed(empty=2)
    with pytest.raises(gainful.BadValue, match="ties is \\['input'\\]"):
        gainful.like("ranx").changed(ties=["input"])


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
