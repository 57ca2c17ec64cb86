"""Documents by name at the ranks a convention gives them, and the one tie table behind it."""

import random
import re
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from attrs import evolve
from strategies import to_frame

import gainful
from gainful.convention import SETTINGS, Convention
from gainful.evidence.unjudged.gradable_run import build_gradable_run
from gainful.match.match import match
from gainful.match.rankings import rank_documents
from gainful.match.ties import TIE_POLICIES
from gainful.measure.ranked_run import rank_run
from gainful.read.inputs import as_qrels, as_qrels_columns, as_run, as_run_columns

SOURCE = Path(gainful.__file__).parent


def random_case(seed):
    """Judgments and a run full of ties, duplicates of scores and documents named like a query."""
    chance = random.Random(seed)  # noqa: S311
    docs = [*(f"d{number}" for number in range(9)), "1", "2"]
    qrels = {
        query: {doc: chance.randint(-1, 3) for doc in chance.sample(docs, 6)} for query in "12"
    }
    run = {
        query: {doc: float(chance.randint(0, 2)) for doc in chance.sample(docs, 8)}
        for query in "12"
    }
    return qrels, run


def match_value(qrels, run, convention):
    loaded = as_qrels(qrels), as_run(run)
    return evolve(match(*loaded, convention), qrels=loaded[0], run=loaded[1])


@pytest.mark.parametrize("ties", TIE_POLICIES)
@pytest.mark.parametrize("seed", range(4))
def test_documents_stand_where_the_measures_see_them(ties, seed):
    qrels, run = random_case(seed)
    for unjudged, negative, namesake in product(
        ("zero", "remove"), ("zero", "remove"), ("count", "remove")
    ):
        convention = Convention(ties=ties, unjudged=unjudged, negative=negative, namesake=namesake)
        rankings = rank_documents(match_value(qrels, run, convention), convention, ["1", "2"])
        for query in "12":
            ranked = rank_run(rankings.matched.select_query(query), convention)
            names = rankings.name_docs(query, ranked.by_id)
            spread = TIE_POLICIES[ties].spreads
            expected = {
                doc: (first, last, grade) if spread else (rank, rank, grade)
                for doc, rank, first, last, grade in zip(
                    names, ranked.rank, ranked.first, ranked.last, ranked.grade, strict=True
                )
            }
            rows = rankings.rank_docs(query, qrels[query])
            judged = {row.doc: (row.rank, row.until, row.grade) for row in rows if row.doc in names}
            if TIE_POLICIES[ties].needs == "grades":  # those of one grade may change places, and
                both = (judged, expected)  # what is worth nothing stands in the middle
                seen = [sorted(place for place in side.values() if place[2]) for side in both]
                assert seen[0] == seen[1], convention
            else:
                assert judged == expected, convention
            assert {doc: qrels[query][doc] for doc in names} == {
                doc: grade for doc, (*_, grade) in expected.items()
            }
            assert len(rows) == ranked.retrieved[0]
            assert [row.rank for row in rows] == sorted(row.rank for row in rows)


@pytest.mark.parametrize("ties", ["doc_ascending", "input", "best", "average"])
def test_rankings_are_the_same_wherever_a_run_is(ties):
    qrels, run = random_case(7)
    frames = to_frame(qrels, "grade"), to_frame(run, "score")
    convention = Convention(ties=ties)
    forms = [(qrels, run), frames, (frames[0], frames[1].lazy()), (qrels, frames[1])]
    rows = [
        rank_documents(match_value(*form, convention), convention, ["2"]).rank_docs("2", qrels["2"])
        for form in forms
    ]
    assert all(other == rows[0] for other in rows)


def test_a_query_that_the_run_lacks_has_judgments_and_no_ranking():
    convention = Convention()
    matched = match_value({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 0.5}}, convention)
    rankings = rank_documents(matched, convention, ["1", "2"])
    assert set(rankings.by_query) == {"1"}
    assert rankings.grades["2"] == {"b": 1}
    assert rankings.rank_docs("2", {}) == []


def test_a_document_that_stands_twice_is_there_as_often_as_it_counts():
    run = pl.DataFrame({"query": ["1"] * 3, "doc": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
    for duplicates, docs in (
        ("count", ["a", "b", "a"]),
        ("last", ["b", "a"]),
        ("first", ["a", "b"]),
    ):
        convention = Convention(duplicates=duplicates)
        rankings = rank_documents(match_value({"1": {"a": 1}}, run, convention), convention, ["1"])
        assert [row.doc for row in rankings.rank_docs("1", {})] == docs


def test_every_document_has_a_row_and_those_nobody_judged_no_grade():
    qrels, run = as_qrels({"1": {"a": 2}}), as_run({"1": {"x": 2.0, "a": 1.0}, "9": {"z": 1.0}})
    every = build_gradable_run(as_qrels_columns(qrels), as_run_columns(run), Convention())
    assert every.names.rows() == [("1", "a"), ("1", "x")]
    assert every.matched.by_id.tolist() == [2, 1]


def test_the_tie_table_has_every_policy_of_the_conventions():
    assert set(TIE_POLICIES) == set(SETTINGS["ties"].answers)


def test_ties_are_broken_in_one_file_and_rounding_is_told_in_another():
    names = "|".join(TIE_POLICIES)
    for file in SOURCE.rglob("*.py"):
        text, name = file.read_text(encoding="utf-8"), file.relative_to(SOURCE).as_posix()
        if name.split("/")[0] in ("match", "measure", "evidence", "show", "api"):
            assert not re.search(rf'\(\s*"({names})",\s*"({names})"', text), name
        if name != "rounding.py":
            assert not re.search(r"^_?[A-Z_]*(ROUNDING|NEGLIGIBLE) = 1e-", text, re.MULTILINE), name
