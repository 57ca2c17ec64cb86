"""What ranks add: the terms of the papers, sums that are the measure, for every entry."""

import json
from math import log2

import polars as pl
import pytest
from example_files import EXAMPLES, read_golden
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from session_tables import make_sessions, parse_example, session_value
from strategies import qrels_and_runs

import gainful
from gainful.errors import BadValue, UnknownName
from gainful.measure.catalogue import MEASURES
from gainful.measure.catalogue.sessions import SESSION_MEASURES

GOLDEN = read_golden("sessions")
CASE = GOLDEN["session"]
SESSION, JUDGMENTS = make_sessions(s=CASE["queries"]), {"s": CASE["grades"]}
MEASURE = "sDCG(b=2, bq=4)@3"
rankings = st.lists(st.integers(-1, 3), min_size=1, max_size=7)


def spell(entry):
    return str(gainful.Measure(entry.name) @ {"needed": 3, "recall": 0.5}.get(entry.cutoff_kind))


def add_up(explained):
    """The sum of what was explained: nDCG and nCG tell the DCG of each rank and the ideal."""
    if hasattr(explained, "lines"):
        return explained.lines[-1].ndcg
    return explained.start + sum(step.contribution for step in explained.steps)


def list_added(explained):
    return [round(step.contribution, 4) for step in explained.steps]


@pytest.mark.parametrize("entry", MEASURES.values(), ids=lambda entry: entry.name)
@examples(10)
@given(ranking=rankings, missed=st.one_of(st.none(), rankings))
def test_what_grades_add_is_the_measure(entry, ranking, missed):
    measure, judged = spell(entry), None if missed is None else ranking + missed
    explained = gainful.explain(ranking, measure=measure, judged=judged)
    value = gainful.compute(measure, ranking, judged=judged)
    assert explained.value == pytest.approx(value, abs=1e-12)
    assert add_up(explained) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("entry", MEASURES.values(), ids=lambda entry: entry.name)
@examples(5)
@given(data=qrels_and_runs())
def test_what_documents_add_is_the_measure(entry, data):
    qrels, run = data
    measure, query = spell(entry), next(iter(run))
    (values,) = gainful.evaluate(qrels, run, measure).per_query.select(measure)
    queries = gainful.evaluate(qrels, run, measure).ids
    explained = gainful.explain_query(qrels, run, query, measure)
    assert explained.value == pytest.approx(values[list(queries).index(query)], abs=1e-12)
    assert add_up(explained) == pytest.approx(explained.value, abs=1e-12)


@pytest.mark.parametrize("ties", ["doc_descending", "doc_ascending", "input", "best", "worst"])
@examples(40)
@given(data=qrels_and_runs())
def test_the_unjudged_that_have_a_grade_are_explained_with_it_and_the_judged_with_theirs(
    ties, data
):
    qrels, run = data
    for query in qrels.keys() & run.keys():
        judged = qrels[query]
        explained = gainful.explain_query(qrels, run, query, "DCG", ties=ties, unjudged_grade=1)
        for step in explained.steps:
            assert step.gain == max(0, judged.get(step.doc, 1)), (step.doc, judged)
            if ties not in ("best", "worst"):  # there each term depends on the judged beside it
                assert step.contribution == pytest.approx(step.gain * step.discount, abs=1e-9)
        total = sum(step.gain * step.discount for step in explained.steps)
        assert not explained.steps or total == pytest.approx(explained.value, abs=1e-9)
        assert not explained.steps or explained.start == 0
        assert add_up(explained) == pytest.approx(explained.value, abs=1e-9)


@pytest.mark.parametrize("entry", SESSION_MEASURES.values(), ids=lambda entry: entry.name)
def test_what_results_of_a_session_add_is_the_measure(entry):
    data, judgments = parse_example(entry.example.ranking, subtopics=entry.needs_subtopics)
    explained = gainful.sessions.explain(data, None, judgments, entry.example.measure)
    value = session_value(data, judgments, entry.example.measure)
    assert add_up(explained) == pytest.approx(value, abs=1e-12)
    assert explained.value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "added"),
    [
        ("AP", [1 / 3, 0, 2 / 3 / 3, 0]),
        ("RR", [1, 0, 0, 0]),
        ("P", [1 / 4, 0, 1 / 4, 0]),
        ("R", [1 / 3, 0, 1 / 3, 0]),
        ("RBP(p=0.5)", [0.5, 0, 0.125, 0]),
        ("ERR(max_grade=2)", [1 / 4, 0, 3 / 4 * 3 / 4 / 3, 0]),
        ("Q", [2 / 3 / 3, 0, (2 + 3) / (3 + 4) / 3, 0]),
        ("bpref", [1 / 3, 0, 1 / 2 / 3, 0]),
        ("DCG", [1, 0, 2 / log2(4), 0]),
    ],
)
def test_terms_by_hand(measure, added):
    """Grades 1 0 2 0, and a 1 that was not retrieved: R = 3, two useless ones."""
    explained = gainful.explain([1, 0, 2, 0], measure=measure, judged=[2, 1, 1, 0, 0])
    assert list_added(explained) == [round(term, 4) for term in added]


def test_a_value_that_starts_above_nothing_and_one_below_its_cutoff():
    unjudged = gainful.explain([1, 0], measure="Unjudged@2")
    assert (unjudged.start, list_added(unjudged)) == (1.0, [-0.5, -0.5])
    ideal = gainful.explain([1, 0, 2], measure="IDCG", judged=[2, 2, 1])
    assert (ideal.start, ideal.steps) == (pytest.approx(2 + 2 / log2(3) + 1 / 2), ())
    assert "2 2 1" in ideal.to_text()
    assert gainful.explain([1, 0], measure="NumRet").steps == ()
    beyond = gainful.explain([1, 0, 1], measure="MCC@2")
    assert [step.rank for step in beyond.steps][-1] == 3


def test_sdcg_query_by_query_as_the_golden_values_have_it():
    explained = gainful.sessions.explain(SESSION, "s", JUDGMENTS, MEASURE)
    golden = GOLDEN["jk2008"]
    by_place = {(step.query, step.rank): step.value for step in explained.steps}
    places = [(query, rank) for query in (1, 2, 3) for rank in (1, 2, 3) if (query, rank) != (2, 3)]
    vector = [value for at, value in enumerate(golden["vector"]) if at != 5]
    assert [by_place[place] for place in places] == pytest.approx(vector)
    for query in (1, 2, 3):
        steps = [step for step in explained.steps if step.query == query]
        dcg = sum(step.gain * step.discount for step in steps)
        assert dcg == pytest.approx(golden["per_query_dcg"][query - 1])
        sdcg = sum(step.contribution for step in steps)
        assert sdcg == pytest.approx(golden["per_query_sdcg"][query - 1])
    normalised = gainful.sessions.explain(SESSION, "s", JUDGMENTS, f"n{MEASURE}")
    assert normalised.share == pytest.approx((golden["final"], golden["ideal_vector"][-1]))


def test_the_example_of_the_paper_without_its_slips():
    """Järvelin et al. 2008, DCG' with b = 4; at ranks 2 and 8 the printed terms are wrong."""
    grades = {f"d{place}": grade for place, grade in enumerate([3, 2, 3, 0, 0, 1, 2, 2, 3, 0])}
    explained = gainful.sessions.explain(
        make_sessions(s=[list(grades)]), "s", {"s": grades}, "sDCG(b=4, bq=4)@10"
    )
    right = [3, 1.3333, 1.6737, 0, 0, 0.4362, 0.8321, 0.8, 1.1606, 0]
    assert list_added(explained) == right


def test_a_session_is_named_if_there_are_several():
    several = pl.concat([SESSION, SESSION.with_columns(session=pl.lit("t"))])
    judgments = JUDGMENTS | {"t": CASE["grades"]}
    assert gainful.sessions.explain(several, "t", judgments, MEASURE).owner == "session t"
    with refuses(BadValue, "session"):
        gainful.sessions.explain(several, None, judgments, MEASURE)
    with refuses(UnknownName, "u"):
        gainful.sessions.explain(several, "u", judgments, MEASURE)


def test_a_query_that_is_not_there_and_a_value_that_is_left_out():
    with refuses(UnknownName, "2"):
        gainful.explain_query({"1": {"a": 1}}, {"1": ["a"]}, "2")
    left_out = gainful.explain([0, 0], measure="AP", empty="skip")
    assert (left_out.value, left_out.steps) == (None, ())
    assert "empty=skip" in left_out.to_text()


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html", "csv", "json"])
def test_a_session_in_every_format(run_gainful, form):
    sessions = ("--sessions", str(EXAMPLES / "sessions.csv"), "--session", "s1")
    judged = ("--qrels", str(EXAMPLES / "sessions-qrels.txt"))
    shown = run_gainful("explain", *sessions, *judged, "--format", form).out
    assert all(word in shown for word in ("minestrone", "lentil-soup"))


def test_a_query_of_a_run_and_its_ranks_that_add_nothing(run_gainful, tmp_path):
    run = [f"1 Q0 d{rank} {rank} {-rank} x" for rank in range(1, 31)]
    (tmp_path / "run.txt").write_text("\n".join(run))
    (tmp_path / "qrels.txt").write_text("1 0 d2 1\n1 0 d20 1\n")
    words = ("explain", "qrels.txt", "run.txt", "1", "-m", "AP")
    shown = run_gainful(*words, folder=tmp_path).out
    assert "d20" in shown
    assert "d19" not in shown
    assert "d19" in run_gainful(*words, "-v", folder=tmp_path).out
    data = json.loads(run_gainful(*words, "--format", "json", folder=tmp_path).out)
    assert data["value"] == pytest.approx((1 / 2 + 2 / 20) / 2)
    assert (data["reached"], data["possible"]) == (pytest.approx(0.6), 2)
    assert len(data["rows"]) == 30


def test_clicks_are_explained_as_clicks_and_not_as_judgments():
    log = pl.DataFrame({"session": "s", "query": 1, "rank": [1, 2], "doc": ["a", "b"]})
    explanation = gainful.sessions.explain(log.with_columns(clicked=pl.Series([1, 0])), "s")
    text = str(explanation)
    assert "1 of them clicked" in text
    assert "judged" not in text
    assert "grade" not in text
