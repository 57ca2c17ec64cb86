"""How many files must one read to follow a command? No more than it took yesterday."""

import sys
from collections import Counter
from importlib import import_module
from math import log2

import polars as pl
import pytest
from tools.walk import count_lines, walk

import gainful
from gainful.match.rank_order import RankOrder
from gainful.measure import measure
from gainful.measure.catalogue import find_entry
from gainful.measure.ranked_run import rank_run
from gainful.measure.worked_ranking import rank_queries

KERNEL_LINES = 15_000


@pytest.mark.parametrize(
    ("command", "entered_files", "loaded_files"),
    [
        ("eval", 46, 72),
        ("compare", 63, 158),
        ("gate", 60, 108),
        ("report", 76, 176),
        ("sessions", 62, 138),
    ],
)
def test_a_command_enters_and_loads_few_files(command, entered_files, loaded_files):
    entered, loaded = walk(command)
    assert 1 < len(entered) <= entered_files
    assert len(entered) < len(loaded) <= loaded_files
    if command == "eval":
        assert count_lines(loaded) <= KERNEL_LINES


def test_the_name_of_a_measure_is_looked_up_once(monkeypatch):
    looked_up = []

    def look_up(name):
        looked_up.append(name)
        return find_entry(name)

    monkeypatch.setattr(measure, "find_entry", look_up)
    results = gainful.evaluate({"1": ["a"]}, {"1": ["b", "a"]}, "nDCG@10")
    assert results["nDCG@10"] == pytest.approx(1 / log2(3))
    assert str(results.measures["nDCG@10"]) == "nDCG@10"
    assert looked_up == ["nDCG"]
    looked_up.clear()
    gainful.gate({"1": ["a"]}, {"1": ["b", "a"]}, floors={"nDCG@10": 0.1})
    assert looked_up == ["nDCG"]


@pytest.mark.parametrize("ties", ["doc_descending", "best", "worst", "average"])
def test_a_report_ranks_a_run_as_often_with_many_queries(monkeypatch, ties):
    calls = []

    def rank(matched, convention):
        calls.append("rank_run")
        return rank_run(matched, convention)

    def rank_rows(*args):
        calls.append("rank_rows")
        return rank_rows_unchanged(*args)

    def rank_named(*args):
        calls.append("rank_queries")
        return rank_queries(*args)

    rank_rows_unchanged = RankOrder.rank_rows
    import_module("gainful.api.report")  # which loads all that a report is made of
    monkeypatch.setattr(RankOrder, "rank_rows", rank_rows)
    for module in [*sys.modules.values()]:  # wherever it is called
        if module.__name__ == __name__:
            continue
        for known, counted in ((rank_run, rank), (rank_queries, rank_named)):
            if getattr(module, known.__name__, None) is known:
                monkeypatch.setattr(module, known.__name__, counted)
    counts = []
    for count in (10, 40):
        queries = [str(number) for number in range(count)]
        qrels = pl.DataFrame({"query": queries, "doc": "a", "grade": 1})
        runs = [
            pl.DataFrame(
                [(query, doc, -place) for query in queries for place, doc in enumerate(docs)],
                schema=["query", "doc", "score"],
                orient="row",
            )
            for docs in ("ba", "bca", "ab")
        ]
        gainful.report(qrels, runs, "nDCG@10", resamples=99, ties=ties)
        counts.append(Counter(calls))
        calls.clear()
    # Of each of three runs: once for its values, and for the queries that are shown or changed;
    # rows where the run meets its judgments, and once more those of the queries that are shown.
    assert counts == [{"rank_run": 3, "rank_rows": 6, "rank_queries": 3}] * 2
