"""What people type before they have read anything: it works, or the answer names the right spelling.

`guesses.tsv` has guesses by users of ranx, ir_measures, pytrec_eval, scikit-learn, pandas and notebooks:
what is typed in Python, as a measure or in a shell, and what it must give (by hand) or the words it
must say.
"""

import json
import pickle
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from example_files import read_table
from refusals import refuses
from written_files import write_file, write_lines

import gainful
from gainful.errors import NoColumn

QRELS = {"q1": {"a": 3, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.7, "c": 0.6}}
BETTER = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"c": 0.7, "x": 0.6}}

# By hand: q1 has its documents in the wrong order, (1 + 3/log2 3) / (3 + 1/log2 3) = 0.7967; q2 has the
# only one at rank 2, 1/log2 3 = 0.6309. AP is (1, 1/2), RR too. Of P, R and Success both documents of q1 stand
# on top, of q2 the second one is relevant. Arrays: 3 2 3 0 1 2 has 6.8611 of 7.1410 (docs/cumulated-gain.md), its
# first three 5.7619 of 5.8928.
NDCG = (0.796707 + 0.630930) / 2
MEANS = {"nDCG@10": NDCG, "AP": 0.75, "RR": 0.75}


@pytest.fixture(scope="module")
def results():
    both, measures = {"a": RUN, "b": BETTER}, ["nDCG@10", "AP", "RR"]
    return gainful.evaluate(QRELS, RUN, measures), gainful.evaluate(QRELS, both, measures)


@pytest.fixture
def names(tmp_path, monkeypatch, results):
    """What stands in the notebook already."""
    monkeypatch.chdir(tmp_path)
    rag = [
        {"query": "q1", "retrieved": ["b", "a"], "relevant": ["a", "b"]},
        {"query": "q2", "retrieved": ["x", "c"], "relevant": ["c"]},
    ]
    write_lines(tmp_path / "rag.jsonl", *rag)
    (tmp_path / "qrels.txt").write_text("q1 0 a 3\nq1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "run.txt").write_text(
        "q1 Q0 b 1 0.9 x\nq1 Q0 a 2 0.8 x\nq2 Q0 x 1 0.7 x\nq2 Q0 c 2 0.6 x\n"
    )
    return {
        "gainful": gainful,
        "Path": Path,
        "json": json,
        "pickle": pickle,
        "np": np,
        "pd": pd,
        "pl": pl,
        "pa": pa,
        "SimpleNamespace": SimpleNamespace,
        "qrels": QRELS,
        "run": RUN,
        "better": BETTER,
        "rag": rag,
        "results": results[0],
        "runs": results[1],
        "compared": gainful.compare(results[1], measures="RR"),
        "mean": lambda *inputs, **options: gainful.evaluate(*inputs, **options).mean,
        "Hit": lambda doc, score: SimpleNamespace(id=doc, score=score),
    }


GUESSES = read_table("guesses.tsv")
MEASURES = [guess for guess in GUESSES if guess["where"] == "measure"]
COMMANDS = [guess for guess in GUESSES if guess["where"] == "command"]
IN_PYTHON = [guess for guess in GUESSES if guess["where"] not in ("measure", "command")]


def is_close(value: object, expected: object) -> bool:
    """Equal, numbers to the digits in which they are written here."""
    if isinstance(expected, (bool, str)) or (
        isinstance(expected, list) and not is_numeric(expected)
    ):
        return value == expected
    return value == pytest.approx(expected, abs=1e-6)


def is_numeric(values: list) -> bool:
    return all(isinstance(value, (int, float)) for value in values)


def assert_answers(typed: str, guess: dict, names: dict) -> None:
    """What is typed gives the value of the table, or says its words: as a value, or as an error
    of ours or of Python's.
    """
    if guess["kind"] == "gives":
        expected = eval(guess["answer"], {"NDCG": NDCG, "MEANS": MEANS})  # noqa: S307
        assert is_close(eval(typed, names), expected)  # noqa: S307
        return
    try:
        answer = str(eval(typed, names))  # noqa: S307
    except (gainful.errors.GainfulError, AttributeError, LookupError, TypeError) as error:
        answer = str(error)
    assert [word for word in guess["answer"].split(" | ") if word not in answer] == [], answer


@pytest.mark.parametrize("guess", IN_PYTHON, ids=lambda guess: guess["typed"])
def test_what_is_typed_in_python_works_or_is_answered(guess, names):
    assert_answers(guess["typed"], guess, names)


@pytest.mark.parametrize("guess", MEASURES, ids=lambda guess: guess["typed"])
def test_measures_by_the_names_that_other_tools_have(guess, names):
    value = f"[{guess['typed']!r}]" if guess["kind"] == "gives" else ""
    assert_answers(f"mean(qrels, run, {guess['typed']!r}){value}", guess, names)


@pytest.mark.parametrize("guess", COMMANDS, ids=lambda guess: guess["typed"])
@pytest.mark.usefixtures("names")
def test_what_is_typed_in_a_shell_works_or_is_answered(guess, run_gainful):
    outcome = run_gainful(*shlex.split(guess["typed"]), status=None)
    assert guess["answer"] in outcome.answer
    assert "Traceback" not in outcome.err


def test_there_are_many_guesses():
    assert len(GUESSES) >= 470


def test_a_table_without_a_header_takes_numbers_and_no_names(tmp_path):
    """RR is 1/2 with the grades, 1 where each judged document counts as 1."""
    qrels, run = tmp_path / "q.csv", tmp_path / "r.csv"
    qrels.write_text("1,a,1\n1,b,0\n")
    run.write_text("query,url,score\n1,b,0.5\n1,a,0.4\n")
    columns = {"doc": "url"}  # which the run alone has
    assert gainful.evaluate(qrels, run, "RR", columns=columns)["RR"] == 0.5
    assert gainful.evaluate(qrels, run, "RR", columns={**columns, "grade": None})["RR"] == 1
    sessions = write_file(tmp_path / "s.csv", "s,1,1,a\ns,1,2,b\n")
    numbers = {"session": "1", "query": "2", "rank": "3", "doc": "4"}
    results = gainful.sessions.evaluate(sessions, {"s": {"a": 1}}, "sDCG@5", columns=numbers)
    assert results["sDCG@5"] == 1
    with refuses(NoColumn, "s.csv"):
        gainful.sessions.evaluate(
            sessions, {"s": {"a": 1}}, "sDCG@5", columns={**numbers, "topic": "nope"}
        )
