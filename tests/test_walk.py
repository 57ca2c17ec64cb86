"""How many files must one read to follow a command? No more than it took yesterday."""

from __future__ import annotations

from math import log2

import pytest
from tools.walk import count_lines, walk

import gainful
from gainful.evidence import worked_ranking
from gainful.measure import measure
from gainful.measure.catalogue import find_entry
from gainful.measure.ranked_run import rank_run

KERNEL_LINES = 15_000


@pytest.mark.parametrize(
    ("command", "entered_files", "loaded_files"),
    [
        ("eval", 50, 84),
        ("compare", 66, 165),
        ("gate", 59, 116),
        ("report", 76, 190),
        ("sessions", 64, 152),
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


def test_a_report_ranks_a_run_as_often_with_many_queries(monkeypatch):
    ranked = []

    def rank(matched, convention):
        ranked.append(len(matched.queries))
        return rank_run(matched, convention)

    monkeypatch.setattr(worked_ranking, "rank_run", rank)
    for count in (3, 30):
        queries = [str(number) for number in range(count)]
        runs = [dict.fromkeys(queries, docs) for docs in (["b", "a"], ["b", "c", "a"])]
        gainful.report({query: ["a"] for query in queries}, runs, "nDCG@10", resamples=99)
        assert len(ranked) == 4  # of each run the queries that are shown, and those that changed
        ranked.clear()
