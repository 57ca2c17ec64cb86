"""Whose nDCG is this? Found by value, told in the measure language."""

import pytest
from facts import list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses

import gainful
from gainful.measure.which import MISPRINTS

WIKI = [3, 2, 3, 0, 1, 2]


def _best_formulation(value, *grades, **options):
    best = gainful.which(value, list(grades) or WIKI, **options).matches[0]
    return str(best.measure), best.tools


def test_three_famous_values_of_one_ranking():
    assert _best_formulation("0.932") == (
        "nDCG(discount=jk2002, b=2)",
        ("jk2002", "wikipedia", "ntcireval"),
    )
    measure, tools = _best_formulation("0.9488")
    assert measure == "nDCG(gain=exp)"
    assert {"burges2005", "lightgbm", "xgboost", "quepid"} <= set(tools)
    rounded = [match for match in gainful.which("0.94881", WIKI).matches if "gdeval" in match.tools]
    assert [match.value for match in rounded] == [0.94881]
    measure, tools = _best_formulation("0.961")
    assert measure == "nDCG"
    assert {"gainful", "trec_eval", "sklearn", "catboost"} <= set(tools)
    assert "pyndeval" not in tools  # which has no nDCG


def test_judged_documents_tell_tools_apart():
    pool = [*WIKI, 3, 2]
    measure, tools = _best_formulation("0.7562", judged=pool)
    assert measure == "nDCG"
    assert "trec_eval" in tools
    assert "sklearn" not in tools
    measure, tools = _best_formulation("0.960808", judged=pool)
    assert measure == "nDCG(ideal=list)"
    assert "sklearn" in tools
    by_measure = {
        str(m.measure): m.tools for m in gainful.which("0.6602", WIKI, judged=pool).matches
    }
    assert "quepid" in by_measure["nDCG(gain=exp, ideal_depth=all)@3"]


def test_negative_and_fractional_grades_tell_tools_apart():
    assert "torchmetrics" in _best_formulation("0.3575", -1, 2, 1)[1]
    assert "trec_eval" in _best_formulation("0.6697", -1, 2, 1)[1]
    by_measure = {str(m.measure): m.tools for m in gainful.which("0.00", [0.5, 0.9]).matches}
    assert {"trec_eval", "ranx"} <= set(by_measure["nDCG(fractional=truncate)"])
    assert _best_formulation("1.0", 0, 0) == ("nDCG(empty=1)", ("xgboost_linear", "catboost"))


def test_values_above_one_are_looked_for_among_dcg_and_cg():
    assert _best_formulation("8.10") == (
        "DCG(discount=jk2002, b=2)",
        ("jk2002", "wikipedia", "ntcireval"),
    )
    assert "CG" in {str(match.measure) for match in gainful.which("11", WIKI).matches}
    assert _best_formulation("8.69")[0] == "IDCG(discount=jk2002, b=2)"
    natural = {str(m.measure) for m in gainful.which("19.9788", WIKI).matches}
    assert "DCG(gain=exp, discount=log, b=e)" in natural


def test_every_match_gives_the_value_when_computed_again():
    answer = gainful.which("0.93", WIKI, judged=[*WIKI, 1])
    assert len(answer.matches) > 3
    functions = {"nDCG": gainful.ndcg}
    for match in answer.matches:
        if any(gainful.like(tool).decimals for tool in match.tools):
            continue  # rounded by its tool
        options = dict(match.measure.params)
        again = functions[match.measure.name](WIKI, judged=[*WIKI, 1], k=match.measure.k, **options)
        assert again == pytest.approx(match.value, abs=1e-12)
        assert abs(again - 0.93) <= 0.005 + 1e-12


@examples(25)
@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=7).filter(any),
    st.sampled_from(["jk2002", "jk2008", "shifted"]),
    st.sampled_from([3, 4, 5, 10]),
    st.sampled_from(["linear", "exp"]),
)
def test_what_was_computed_is_found(grades, discount, b, gain):
    value = gainful.ndcg(grades, gain=gain, discount=discount, b=b)
    matches = gainful.which(f"{value:.9f}", grades).matches
    wanted = gainful.nDCG(discount=discount, b=b)
    assert (wanted(gain=gain) if gain != "linear" else wanted) in {m.measure for m in matches}


def test_nothing_fits():
    answer = gainful.which("0.123", WIKI)
    assert answer.matches == ()
    distances = [abs(match.value - 0.123) for match in answer.nearest]
    assert distances == sorted(distances)
    assert len(distances) == 5


@pytest.mark.parametrize("value", ["abc", "", "nan", "inf", "0.9.3"])
def test_a_value_must_be_a_number(value):
    with refuses(gainful.errors.BadValue, "value"):
        gainful.which(value, WIKI)


def test_precision_is_that_of_the_last_printed_digit():
    assert gainful.which("0.93", WIKI).tolerance == pytest.approx(0.005)
    assert gainful.which(0.9315, WIKI).tolerance == pytest.approx(0.00005)
    assert gainful.which("1", WIKI).tolerance == pytest.approx(0.5)
    assert gainful.which("9.3e-1", WIKI).tolerance == pytest.approx(0.005)


def test_a_tool_is_named_only_for_what_it_computes():
    """Quepid cuts at 10 and XGBoost at 32 by themselves."""
    long = [0] * 34 + [1] + [0] * 5
    whole = [m for m in gainful.which("0.193426", long).matches if m.measure.k is None]
    tools = {tool for match in whole for tool in match.tools}
    assert "lightgbm" in tools
    assert not {"quepid", "quepid_cut", "xgboost", "elasticsearch"} & tools
    zero = gainful.which("0.000000", long).matches
    cut = {str(m.measure): m.tools for m in zero if m.tools}
    assert "xgboost" in cut["nDCG(gain=exp)@32"]
    assert "quepid_cut" in cut["nDCG(gain=exp)@10"]


def test_every_tool_that_is_named_gives_the_value_itself():
    grades, pool = [3, 0, 2, 1], [3, 3, 2, 1, 1, 0]
    for match in gainful.which("0.8", grades, judged=pool).matches:
        for tool in match.tools:
            options = {"like": tool, "ideal": gainful.like(tool).ideal}
            own = gainful.ndcg(grades, judged=pool, k=match.measure.k, **options)
            assert own == pytest.approx(match.value, abs=1e-12), tool


def test_cutoffs_beyond_the_list_count_where_more_is_judged():
    value = gainful.ndcg([3, 2], judged=[3, 3, 3, 2, 2], k=4)
    matches = gainful.which(f"{value:.6f}", [3, 2], judged=[3, 3, 3, 2, 2]).matches
    assert "nDCG@4" in {str(match.measure) for match in matches}


def test_a_tool_that_leaves_the_query_out_is_not_named():
    tools = {t for match in gainful.which("0", [0.5, 0.9]).matches for t in match.tools}
    assert "recbole" in tools
    assert not {"elliot", "cornac"} & tools


def test_a_rounded_value_says_who_rounds():
    from gainful.measure.which import format_answer

    answer = gainful.which("0.94881", WIKI)
    assert "rounds to 5 decimals" in " ".join(answer.to_markdown().split())
    precise = format_answer(gainful.which("0.94881000000000000", WIKI))
    assert "(± 0.000000000000000005)" in precise


def test_an_ideal_that_negative_grades_make_zero_follows_empty():
    for match in gainful.which("1", [0, -2, 1, -1]).matches:
        options = dict(match.measure.params)
        again = gainful.ndcg([0, -2, 1, -1], k=match.measure.k, **options)
        assert again == pytest.approx(match.value, abs=1e-12)


APPENDIX = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]  # of Järvelin, Price, Delcambre & Nielsen 2008, b = 4


@pytest.mark.parametrize(
    ("printed", "grades", "words"),
    [
        ("9.30", APPENDIX, ("ranks 9 and 10", "9.2358", "rank 2")),
        ("4", APPENDIX, ("rank 2", "4.3333")),
        ("8.14", APPENDIX, ("rank 8", "8.0753", "gain 3")),
        ("0.387", [3, 2, 3, 0, 1, 2, 0, 1, 0, 2], ("rank 7", "0.3333", "third grade 3")),
        ("1.892", WIKI, ("rank 3", "1.8928", "truncated")),
    ],
)
def test_a_value_that_a_source_misprints_is_known(printed, grades, words, run_gainful):
    (sentence,) = gainful.which(printed, grades).misprints
    assert all(part in sentence for part in ("a misprint", *words))
    out = run_gainful("which", printed, *grades, status=None).out
    assert sentence in " ".join(out.split())
    assert gainful.which(printed, [*grades, 1]).misprints == ()  # another ranking


def test_what_a_source_prints_rightly_is_no_misprint():
    assert gainful.which("3", APPENDIX).misprints == ()
    assert gainful.which("9.24", APPENDIX).misprints == ()
    assert gainful.which("8.10", WIKI).misprints == ()
    answer = gainful.which("9.30", APPENDIX)
    first = answer.page().answer
    assert list_facts(first)[:2] == ["9.30", "0.005"]
    assert "misprint" in first


def test_misprints_are_those_that_were_found_by_hand(seeds):
    """The errors of the sources, as tests/golden/seeds.json has them: ranks, and what is right."""
    appendix, answer, _ = MISPRINTS
    wrong = {rank: right for rank, _, right in appendix.list_errors()}
    assert [*wrong] == list(range(2, 11))
    expected = seeds["jarvelin_2008_appendix"]["dcg_jk2008_b4"][1:]
    assert [*wrong.values()] == pytest.approx(expected)
    wrong = {rank: right for rank, _, right in answer.list_errors()}
    assert [*wrong.values()] == pytest.approx(seeds["chat_answer"]["ideal_terms"][1:8])
