"""The worked table: right at every rank, and its formula with the numbers put in."""

import json

import numpy as np
import pytest
from facts import find_notes, list_facts
from hypothesis import given, strategies as st

import gainful
from gainful.measure import explanation as show

rankings = st.lists(st.integers(-1, 4), min_size=1, max_size=8)
pools = st.one_of(st.none(), rankings)
settings_of = st.fixed_dictionaries(
    {
        "k": st.one_of(st.none(), st.integers(1, 10)),
        "gain": st.sampled_from(["linear", "exp", "binary", "penalised"]),
        "discount": st.sampled_from(["log2", "jk2002", "jk2008", "none", "zipf"]),
        "negative": st.sampled_from(["zero", "keep", "in_ideal"]),
        "ideal_depth": st.sampled_from(["k", "all", "retrieved"]),
        "empty": st.sampled_from([0, 1]),
    }
)


@given(rankings, pools, settings_of)
def test_the_table_agrees_with_the_functions_and_adds_up(ranking, pool, settings):
    table = gainful.explain(ranking, judged=pool, **settings)
    value = gainful.ndcg(ranking, judged=pool, **settings)
    assert table.value == pytest.approx(value, abs=1e-12)
    assert table.lines[-1].ndcg == pytest.approx(value, abs=1e-12)
    total = 0.0
    for line in table.lines:
        total += line.contribution
        assert line.contribution == pytest.approx(line.gain * line.discount)
        assert line.dcg == pytest.approx(total, abs=1e-12)
        at = {**settings, "k": line.rank}
        assert line.idcg == pytest.approx(
            gainful.idcg(ranking, judged=pool, **{n: v for n, v in at.items() if n != "empty"}),
            abs=1e-12,
        )
    assert [line.rank for line in table.lines] == list(range(1, len(table.lines) + 1))
    shown = min(len(ranking), settings["k"] or len(ranking))
    assert [line.grade for line in table.lines[:shown]] == ranking[:shown]


@given(rankings, pools, settings_of)
def test_every_format_can_show_every_table(ranking, pool, settings):
    table = gainful.explain(ranking, judged=pool, **settings)
    for text in (table.to_text(), table.to_markdown(), table.to_latex()):
        assert "nDCG" in text
        assert "nan" not in text
    assert json.loads(json.dumps(table.to_dict(), allow_nan=False))["value"] == table.value


def test_the_formula_with_its_numbers_put_in():
    sums = dict(show.format_sums(gainful.explain([3, 2, 3, 0, 1, 2], gain="exp")))
    assert sums == {
        "nDCG": "DCG/IDCG = 13.8483/14.5954 = 0.9488",
        "DCG": "(2^3-1)/log2(1+1) + (2^2-1)/log2(2+1) + (2^3-1)/log2(3+1) + … "
        "+ (2^2-1)/log2(6+1) = 13.8483",
        "IDCG": "(2^3-1)/log2(1+1) + (2^3-1)/log2(2+1) + (2^2-1)/log2(3+1) + … "
        "+ (2^0-1)/log2(6+1) = 14.5954",
    }
    zipf = dict(show.format_sums(gainful.explain([3], discount="zipf")))
    assert zipf["DCG"] == "3/1 = 3.0000"
    clipped = dict(show.format_sums(gainful.explain([1, -1])))
    assert clipped["DCG"] == "1/log2(1+1) + 0/log2(2+1) = 1.0000"
    binary = dict(show.format_sums(gainful.explain([3, 0], gain="binary", discount="none")))
    assert binary["DCG"] == "1 + 0 = 1.0000"


def test_an_ideal_of_zero_is_explained():
    sums = dict(show.format_sums(gainful.explain([0, 0], empty=1)))
    assert sums["nDCG"].startswith("DCG/IDCG = 0.0000/0.0000 = 1.0000 (")
    assert "empty=1" in sums["nDCG"]
    left_out = gainful.explain([0, 0], like="evidently")
    assert left_out.value is None
    assert left_out.lines[0].ndcg is None
    assert "left out" in left_out.to_text()
    assert "left out" in left_out.to_latex()
    assert repr(left_out) == left_out.to_text()
    assert "IDCG" in repr(gainful.explain([1, 0], k=1)) == str(gainful.explain([1, 0], k=1))


def test_rows_go_on_as_long_as_the_ideal_does():
    table = gainful.explain([1], judged=[3, 2, 1])
    assert [(line.grade, line.ideal_grade) for line in table.lines] == [
        (1, 3),
        (None, 2),
        (None, 1),
    ]
    assert "–" in table.to_text()
    filled = gainful.explain([1], judged=[1, -2], k=3, short="minimum", gain="penalised")
    assert [line.gain for line in filled.lines] == [1, -3, -3]


def test_the_convention_says_whose_it_is_and_what_was_set():
    text = gainful.explain([3, 1], like="sklearn", gain="exp").to_text(verbose=True)
    assert find_notes(text.splitlines(), "like", "sklearn", "scikit-learn", "ndcg_score")
    assert "set here: gain" in text
    own = gainful.explain([3, 1])
    assert own.to_text().splitlines()[-1].startswith("Convention: ")
    for render in (own.to_text, own.to_markdown, own.to_latex):
        assert "list itself" in render(verbose=True)


@pytest.mark.parametrize(
    ("ranking", "options", "facts"),
    [
        ([3, 2, 3, 0, 1, 2], {}, "nDCG 0.961 1 3 3 2 2 6 4"),  # the 3 at rank 3 to rank 2, …
        ([0, 0, 0, 1, 2, 3], {"k": 5}, "nDCG@5 0.253 1 3 6 1 2 5 2 1"),  # and one more
        ([1, 2], {"gain": "binary"}, "nDCG 1"),
        ([0, 1, 2], {"gain": "binary"}, "nDCG 0.693 1 1 2 1 2 3 2"),
        ([2, 0], {"judged": [3, 2, 0]}, "nDCG 0.469 1 3 missing 1"),
        ([0, 0], {}, "nDCG 0.000"),
        ([0, 0], {"empty": "skip"}, "nDCG left out"),
        ([3], {"judged": [1, 0]}, "nDCG 3.000 above 1"),
    ],
)
def test_the_answer_says_why_it_is_not_1(ranking, options, facts):
    """By hand: [0, 1, 2] gains 1/log2(3) + 1/2 of 1 + 1/log2(3); [2, 0] 2 of 3 + 2/log2(3).

    [0, 0, 0, 1, 2, 3] down to rank 5: 1/log2(5) + 2/log2(6) of 3 + 2/log2(3) + 1/2.
    """
    answer = gainful.explain(ranking, **options).page().answer
    assert " ".join(list_facts(answer, "missing", "left", "out", "above")) == facts


@given(rankings)
def test_a_ranking_is_told_to_be_the_best_just_if_it_is_sorted(ranking):
    """By the gain g and without judged documents: what is not sorted could be better."""
    answer = gainful.explain(ranking).page().answer
    best = sorted(ranking, reverse=True) == ranking
    if max(ranking, default=0) > 0 and min(ranking) >= 0:
        assert ("no ranking" in answer) == best


@given(rankings, pools, settings_of, st.booleans())
def test_the_printed_sums_add_up(ranking, pool, settings, fill):
    """What stands in the formula, read by Python, is what stands behind the equals sign."""
    if fill:
        settings = {**settings, "k": settings["k"] or 5, "short": "minimum"}
    table = gainful.explain(ranking, judged=pool, **settings)
    for name, line in show.format_sums(table)[1:]:
        terms, _, result = line.rpartition(" = ")
        if "…" in terms:
            continue
        code = terms.replace("^", "**").replace("log2(", "np.log2(")
        assert eval(code, {"np": np, "max": max}) == pytest.approx(float(result), abs=6e-5), (  # noqa: S307
            name
        )


def test_a_note_tells_when_judged_documents_are_incomplete():
    text = gainful.explain([3, 3], judged=[3]).to_text()
    (note,) = find_notes(text.splitlines(), "Note", "judged", "3")
    assert list_facts(note) == ["3", "nDCG", "1"]
    many = gainful.explain([3] * 500, judged=[3]).to_text()
    assert "(3, 3, 3, 3, …)" in many
    assert "Note" not in gainful.explain([3, 0, 0], judged=[3]).to_text()
    listed = gainful.explain([3], judged=[3, 3], like="sklearn").to_text(verbose=True)
    assert find_notes(listed.splitlines(), "ndcg_score", "itself", "list")
    assert "set here: judged" in listed


def test_gains_are_shown_as_they_are_and_not_as_differences():
    assert [line.gain for line in gainful.explain([0.1, 0.2, 0.3]).lines] == [0.1, 0.2, 0.3]
    assert gainful.explain([60, 1], gain="exp").lines[1].gain == 1
    assert "1234567" in gainful.explain([1234567]).to_text()
    assert str(gainful.explain([-0.5, 1], fractional="truncate").lines[0].gain) == "0.0"


def test_a_measure_with_parameters_has_the_length_of_the_ranking_for_its_cutoff():
    for measure, k, cutoff in (("P", None, 4), ("P(rel=2)", None, 4), ("P(rel=2)", 2, 2)):
        table = gainful.explain([3, 1, 2, 0], measure=measure, k=k)
        assert table.value == gainful.explain([3, 1, 2, 0], measure=f"{measure}@{cutoff}").value


@pytest.mark.parametrize("measure", ["nDCG", "nCG"])
def test_a_grade_that_nobody_judged_is_told_of_the_measure_that_was_asked_for(measure):
    text = gainful.explain([3, 1], judged=[1], measure=f"{measure}@2").to_text()
    assert f"{measure} can exceed 1" in " ".join(text.split())
