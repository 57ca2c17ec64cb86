"""Every worked number of the source documents, right where they are right, errata as errata."""

from math import e

import numpy as np
import pytest

import gainful

approx = pytest.approx

TO_12 = {"rel": 0, "abs": 1e-12}


# ── Järvelin, Price, Delcambre & Nielsen 2008, appendix ─────────────────────────────────────


@pytest.fixture
def appendix(seeds):
    return seeds["jarvelin_2008_appendix"]


def test_appendix_cumulated_gain(appendix):
    assert gainful.cg_curve(appendix["grades"]).tolist() == appendix["cg"]


def test_appendix_discounted_gain_with_its_two_slips_corrected(appendix):
    ours = gainful.dcg_curve(appendix["grades"], discount="jk2008", b=4)
    assert ours == approx(appendix["dcg_jk2008_b4"], **TO_12)
    assert ours == approx(
        [3, 4.3333, 6.0070, 6.0070, 6.0070, 6.4432, 7.2753, 8.0753, 9.2358, 9.2358], abs=5e-5
    )


def test_the_two_slips_explain_every_printed_figure_of_the_appendix(appendix):
    """Rank 2 was divided by 2 instead of 1.5, rank 8 counted a 3 instead of a 2."""
    gains = np.array(appendix["grades"], dtype=float)
    gains[1] *= 1.5 / 2
    gains[7] = 3
    slipped = gainful.dcg_curve(gains, discount="jk2008", b=4)
    assert slipped == approx(appendix["printed_in_paper"], abs=0.005)
    right = gainful.dcg_curve(appendix["grades"], discount="jk2008", b=4)
    wrong = np.abs(right - appendix["printed_in_paper"]) > 0.005
    assert wrong.tolist() == [False] + [True] * 9


def test_appendix_ideal_and_normalised_vector(appendix):
    ideal = gainful.idcg_curve(appendix["grades"], like="jk2008", b=4)
    assert ideal == approx(appendix["ideal_from_own_list_b4"], **TO_12)
    normalised = gainful.ndcg_curve(appendix["grades"], like="jk2008", b=4)
    printed = [1, 0.8667, 0.9001, 0.7828, 0.6986, 0.6803, 0.7358, 0.8167, 0.9341, 0.9341]
    assert normalised == approx(printed, abs=5e-5)


def test_second_query_of_a_session_is_discounted_by_its_position(appendix):
    vector = gainful.dcg_curve(appendix["grades"], like="jk2008", b=4)
    ours = gainful.vectors.scale(vector, gainful.vectors.query_discount(2, bq=4))
    assert ours == approx(appendix["sdcg_query2_b4_bq4"], **TO_12)


@pytest.mark.parametrize("b", [4, 2])
def test_appendix_with_the_weights_of_the_paper(appendix, b):
    ours = gainful.dcg_curve(
        appendix["grades"], gain={0: 0, 1: 1, 2: 10, 3: 100}, discount="jk2008", b=b
    )
    assert ours == approx(appendix[f"weighted_0_1_10_100_b{b}"], **TO_12)


@pytest.mark.parametrize(
    ("base", "factors"),
    [
        (2, [1, 0.5, 0.3869, 0.3333, 0.3010, 0.2789, 0.2626, 0.25, 0.2398, 0.2314, 0.2242]),
        (4, [1, 0.6667, 0.5579, 0.5, 0.4628, 0.4362, 0.4160, 0.4, 0.3869, 0.3758, 0.3663]),
        (10, [1, 0.7686, 0.6770, 0.6242, 0.5886, 0.5624, 0.5420, 0.5255, 0.5117, 0.5, 0.4899]),
    ],
)
def test_query_discount_factors(base, factors):
    assert gainful.vectors.query_discount(range(1, 12), bq=base) == approx(factors, abs=5e-5)


def test_table_2_of_the_paper_adds_up(seeds):
    table = seeds["jarvelin_2008_table2"]
    queries = [
        gainful.cg([count * length for length, count in enumerate(table[system], start=1)])
        for system in ("system1", "system2")
    ]
    assert [*queries, sum(queries)] == table["queries"]
    assert [q / sum(table[s]) for q, s in zip(queries, ("system1", "system2"), strict=True)] == (
        approx(table["mean_queries"], **TO_12)
    )


# ── the lecture slides ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("function", "key"),
    [
        (gainful.cg_curve, "cg"),
        (gainful.dcg_curve, "dcg_jk2002_b2"),
        (gainful.idcg_curve, "idcg_jk2002_b2"),
        (gainful.ndcg_curve, "ndcg_jk2002_b2"),
    ],
)
def test_lecture_to_the_last_digit(seeds, function, key):
    lecture = seeds["lecture"]
    assert function(lecture["grades"], like="jk2002") == approx(lecture[key], **TO_12)


def test_every_printed_figure_of_the_lecture(seeds):
    grades = seeds["lecture"]["grades"]
    lines = gainful.explain(grades, like="jk2002").lines
    logs = [0, 1, 1.58, 2, 2.32, 2.58, 2.81, 3, 3.17, 3.32, 3.46, 3.58, 3.70, 3.81]
    assert [1 / line.discount for line in lines[1:]] == approx(logs[1:], abs=0.00501)
    dcg = [1, 1.6, 1.6, 2, 2, *[2.39] * 7, 2.44, 2.44]
    idcg = [1, 2, 2.5, 2.8, *[2.89] * 10]
    ndcg = [1, 0.8, 0.64, 0.71, 0.69, *[0.83] * 7, 0.84, 0.84]
    assert [line.dcg for line in lines] == approx(dcg, abs=0.00501)
    assert [line.idcg for line in lines] == approx(idcg, abs=0.00501)
    assert [line.ndcg for line in lines] == approx(ndcg, abs=0.00501)
    ideal = [1.0, 1.0, 0.8, 0.6, 0.2, *[0.0] * 9]
    assert [line.ideal_grade for line in lines] == ideal
    assert [line.cg for line in lines] == approx(seeds["lecture"]["cg"])


# ── Wikipedia ────────────────────────────────────────────────────────────────────────────────

WIKI = [3, 2, 3, 0, 1, 2]
FORMS = {"jk2002_b2": {"like": "wikipedia"}, "exp_log2": {"gain": "exp"}, "linear_log2": {}}


@pytest.mark.parametrize("form", FORMS)
def test_wikipedia_in_three_formulations(seeds, form):
    golden = seeds["wikipedia"][form]
    assert gainful.cg(WIKI) == seeds["wikipedia"]["cg6"]
    assert gainful.dcg(WIKI, **FORMS[form]) == approx(golden["dcg"], **TO_12)
    assert gainful.idcg(WIKI, **FORMS[form]) == approx(golden["idcg"], **TO_12)
    assert gainful.ndcg(WIKI, **FORMS[form]) == approx(golden["ndcg"], **TO_12)


def test_every_printed_figure_of_wikipedia_except_two_that_were_truncated():
    lines = gainful.explain(WIKI, like="wikipedia").lines
    logs = [1 / line.discount for line in lines]
    assert logs[1:5] == approx([1, 1.585, 2.0, 2.322], abs=5.01e-4)
    assert [lines[at].contribution for at in (1, 3, 4, 5)] == approx(
        [2, 0, 0.431, 0.774], abs=5.01e-4
    )
    assert (round(lines[-1].dcg, 2), round(lines[-1].idcg, 2)) == (8.10, 8.69)
    assert round(lines[-1].ndcg, 3) == 0.932
    assert [line.ideal_grade for line in lines] == [3, 3, 2, 2, 1, 0]
    # Errata: printed 2.584 for log2 6 and 1.892 for 3/log2 3, cut off instead of rounded.
    assert (round(logs[5], 3), round(lines[2].contribution, 3)) == (2.585, 1.893)


def test_the_base_changes_ndcg_under_jk2002_and_not_under_log(seeds):
    golden = seeds["wikipedia"]["ndcg_jk2002_by_base"]
    for base, value in golden.items():
        ours = gainful.ndcg(WIKI, discount="jk2002", b=float(base))
        assert ours == approx(value, **TO_12)
    assert len({round(value, 6) for value in golden.values()}) == len(golden)
    by_log = [gainful.ndcg(WIKI, discount="log", b=b) for b in (1.5, 2, e, 4, 10, 100)]
    assert by_log == approx([gainful.ndcg(WIKI)] * 6, **TO_12)
    assert len({round(gainful.dcg(WIKI, discount="log", b=b), 6) for b in (2, e, 4, 10)}) == 4


def test_one_relevant_document_at_rank_2_scores_1_and_0_6309(seeds):
    golden = seeds["wikipedia"]["one_relevant_at_rank_2"]
    assert gainful.ndcg([0, 1], discount="jk2002", b=2) == approx(golden["jk2002_b2"], **TO_12)
    assert gainful.ndcg([0, 1]) == approx(golden["log2"], **TO_12)


def test_exchanging_documents_3_and_4_lowers_dcg_and_not_cg(seeds):
    golden = seeds["wikipedia"]["swap_3_and_4"]
    swapped = [3, 2, 0, 3, 1, 2]
    assert gainful.cg(swapped) == golden["cg"]
    assert gainful.dcg(swapped, like="wikipedia") == approx(golden["dcg_jk2002_b2"], **TO_12)
    assert gainful.dcg(swapped, like="wikipedia") < gainful.dcg(WIKI, like="wikipedia")


@pytest.mark.parametrize(("key", "options"), [("jk2002_b2", {"discount": "jk2002"}), ("log2", {})])
def test_three_of_five_relevant_filled_up_with_the_lowest_grade(seeds, key, options):
    golden = seeds["wikipedia"]["padded_11100_of_five"][key]
    short = gainful.ndcg([1, 1, 1], judged=[1] * 5, k=5, short="minimum", **options)
    assert short == approx(golden, **TO_12)
    assert gainful.ndcg([1, 1, 1, 0, 0], judged=[1] * 5, **options) == approx(golden, **TO_12)
    assert [gainful.ndcg(own) for own in ([1, 1, 1], [1, 1, 1, 0], [1] * 5)] == [1, 1, 1]


def test_penalised_gain_of_excellent_fair_bad(seeds):
    assert "1, 0, -1" in seeds["wikipedia"]["penalised_gain"]
    lines = gainful.explain([1, 0, -1], gain="penalised").lines
    assert [line.gain for line in lines] == [1, 0, -1]
    assert gainful.cg_curve([3, -2], gain="penalised").tolist() == [7, 4]


# ── the chat answer ──────────────────────────────────────────────────────────────────────────


def test_chat_answer_with_its_errors_corrected(seeds):
    chat = seeds["chat_answer"]
    table = gainful.explain(chat["grades"], gain="exp")
    assert [line.contribution for line in table.lines] == approx(chat["terms"], **TO_12)
    assert [line.ideal_grade for line in table.lines] == chat["ideal"]
    ideal_terms = np.diff([line.idcg for line in table.lines], prepend=0)
    assert ideal_terms == approx(chat["ideal_terms"], **TO_12)
    last = table.lines[-1]
    assert (last.dcg, last.idcg) == approx((chat["dcg"], chat["idcg"]), **TO_12)
    assert table.value == approx(chat["ndcg"], **TO_12)


def test_chat_answer_errata():
    """The printed ideal has a third 3, and terms 2, 4, 5 and 7 stand at the wrong rank."""
    printed_ideal = [3, 3, 3, 2, 2, 2, 1, 1, 0, 0]
    printed_terms = [7, 3.5, 3.5, 1.89, 1.07, 1.07, 0.387, 0.316]
    right = np.diff(gainful.dcg_curve(printed_ideal, gain="exp"), prepend=0)
    wrong = np.abs(right[:8] - printed_terms) > 0.005
    assert (np.nonzero(wrong)[0] + 1).tolist() == [2, 4, 5, 7]
    own = [3, 2, 3, 0, 1, 2, 0, 1, 0, 2]
    assert [line.ideal_grade for line in gainful.explain(own).lines] != printed_ideal
    printed = [line.contribution for line in gainful.explain(own, gain="exp").lines[:4]]
    assert printed == approx([7, 1.89, 3.5, 0], abs=0.005)


# ── the textbook ─────────────────────────────────────────────────────────────────────────────


def test_textbook_takes_its_ideal_from_the_recall_base(seeds):
    book = seeds["textbook"]
    known = book["known_grades_1_to_5"]
    assert gainful.cg(known, k=4) == book["cg4"]
    assert gainful.dcg(known, like="jk2002") == approx(book["dcg5_jk2002_b2"], **TO_12)
    ideal = gainful.idcg_curve(known, judged=book["ideal_grades"], like="jk2002", k=10)
    assert ideal[4] == approx(book["idcg5_jk2002_b2"], **TO_12)
    assert ideal[9] == approx(book["idcg10_jk2002_b2"], **TO_12)
    assert gainful.ndcg(known, judged=book["ideal_grades"], like="jk2002", k=5) == approx(
        0.6947, abs=5e-5
    )
    table = gainful.explain(known, judged=book["ideal_grades"], like="jk2002", k=10)
    assert [line.ideal_grade for line in table.lines] == book["ideal_grades"]
    assert [line.grade for line in table.lines] == [*known, *[None] * 5]
    raised = gainful.dcg([3, 3, 1, 1, 2], like="jk2002") - gainful.dcg(known, like="jk2002")
    assert raised == approx(0.5693, abs=5e-5)
