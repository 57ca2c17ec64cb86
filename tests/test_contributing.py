"""The recipes of CONTRIBUTING are carried out, word for word, on a copy of the package."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from math import log2, sqrt
from textwrap import indent

import pytest
from example_files import TESTS
from facts import list_facts
from scipy.stats import norm

PACKAGE = TESTS.parent / "src" / "gainful"
BLOCK = re.compile(r"^```python\n# (\S+), ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# What is asked of the copy, in one process: a package is imported once. Each answer is a number
# or a text that is worked out by hand below.
QUESTIONS = r"""
import contextlib, io, json, sys, warnings
from pathlib import Path
import polars as pl
import gainful
from gainful.cli.main import main
from gainful.measure.discount import DISCOUNTS

folder = Path(sys.argv[1])
answers = {}

def say(*words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main(list(words))
    return out.getvalue()

answers["measure"] = gainful.compute("Useless@4", [1, 0, 1, 0])
answers["measure in help"] = "found useless" in say("measures", "Useless")
sessions = pl.DataFrame({"session": ["s"] * 4, "query": [1, 1, 2, 2], "doc": list("abcd")})
answers["session measure"] = gainful.sessions.evaluate(sessions, {"s": {"b": 2}}, "Gaining@2").mean
answers["discount"] = gainful.dcg([1, 1, 1, 1], discount="root")
answers["discount in LaTeX"] = "i^{0.5}" in DISCOUNTS["root"].latex()
answers["convention"] = gainful.ndcg([0, 2, 1, 0, 0, 3], like="our_trainer")
answers["convention in words"] = "our trainer" in say("conventions", "our_trainer")
qrels = {str(n): {"a": 1} for n in range(6)}
runs = {
    "first": {str(n): {"a": 1.0} if n % 2 else {"b": 2.0, "a": 1.0} for n in range(6)},
    "second": {str(n): {"b": 2.0, "a": 1.0} for n in range(6)},
}
comparison = gainful.compare(qrels, runs, "RR", test="z", correct="none")
answers["test"] = comparison.pairs[0].p
noted = gainful.compare(qrels, runs, "RR", test="z", correct="none", noticeable=0.3)
answers["option"] = [note for note in noted.notes if "noticed" in note]
answers["option in help"] = "--noticeable D" in say("compare", "--help")
study = gainful.sessions.simulate_study(7)
both = {"resamples": 99, "noticeable": 9.0}
answers["option of sessions"] = gainful.sessions.compare(study.sessions, study.qrels, "sDCG@10", **both).notes[-1]
(folder / "qrels").write_text("q1|d1|1\nq1|d2|0\n")
(folder / "run").write_text("q1|d2|2.5\nq1|d1|1.5\n")
answers["format"] = gainful.evaluate(str(folder / "qrels"), str(folder / "run"), "RR").mean["RR"]
from gainful.read.session_inputs import as_sessions
priced = sessions.with_columns(cost=pl.Series(["9.5", "", "3", "1"]))
answers["column"] = as_sessions(priced).frame["price"].to_list()
import pandas as pd
frame = pd.DataFrame({"query": ["1", "1"], "doc": ["b", "a"], "score": [2.0, 1.0]})
answers["engine"] = gainful.evaluate({"1": {"a": 1}}, frame, "RR").mean["RR"]
from gainful.read.engines import find_engine
answers["engine's name"] = find_engine(frame).name
answers["output"] = say("eval", str(folder / "qrels"), str(folder / "run"), "-m", "RR", "--format", "org")
results = gainful.sessions.evaluate(sessions, {"s": {"b": 2}}, "sDCG@2")
answers["figure"] = gainful.figures.figure_data("lengths", results).rows()
sessions.write_csv(folder / "sessions.csv")
(folder / "judged").write_text("s 0 b 2\n")
picture = folder / "lengths.svg"
say("figure", "lengths", str(folder / "sessions.csv"), "--qrels", str(folder / "judged"), "-m", "sDCG@2", "-o", str(picture))
answers["figure's picture"] = picture.read_text()[:4]
json.dump(answers, sys.stdout)
"""


def insert(text: str, place: str, code: str) -> str:
    """The text of a file with some code at the place that a recipe names."""
    if place == "at the end":
        return f"{text}\n\n{code}"
    if place == "with the imports":
        first = re.search(r"^from gainful\.", text, re.MULTILINE).start()
        return text[:first] + code + text[first:]
    if line := find_line(text, place):
        lines = text.splitlines(keepends=True)
        return "".join([*lines[:line], indent(code, "    "), *lines[line:]])
    where, _, name = place.rpartition(" ")
    (target,) = [node for node in ast.parse(text).body if assigns(node, name)]
    lines = text.splitlines(keepends=True)
    if where == "before":
        return "".join([*lines[: target.lineno - 1], code, "\n\n", *lines[target.lineno - 1 :]])
    table = target.value
    if isinstance(table, (ast.DictComp, ast.SetComp)):
        table = table.generators[0].iter
    if where == "first in":
        at = offset(lines, table.lineno, table.col_offset) + 1
        return text[:at] + "\n" + code + text[at:]
    at = offset(lines, table.end_lineno, table.end_col_offset) - 1
    comma = "" if text[:at].rstrip().endswith((",", "(", "{", "[")) else ","
    return text[:at].rstrip() + comma + "\n" + code + text[at:]


def find_line(text: str, place: str) -> int:
    """After how many lines the code of an option goes: into a function, a class or a command."""
    named = {getattr(node, "name", ""): node for node in ast.parse(text).body}
    match place.replace(",", "").split():
        case ["in", function, "before", "its", "last", "line"]:
            return named[function].body[-1].lineno - 1
        case ["in", "class", name]:
            return max(
                node.end_lineno for node in named[name].body if isinstance(node, ast.AnnAssign)
            )
        case ["in", "the", "rows", "of", command]:
            return named[command].decorator_list[-1].args[-1].lineno - 1
    return 0


def assigns(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def offset(lines: list[str], line: int, column: int) -> int:
    """Where in the text a place of the syntax tree is; trees count bytes."""
    before = lines[line - 1].encode()[:column].decode()
    return sum(map(len, lines[: line - 1])) + len(before)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the copy says once all recipes are carried out."""
    folder = tmp_path_factory.mktemp("recipes")
    copy = folder / "src" / "gainful"
    shutil.copytree(PACKAGE, copy)  # with what is compiled, which stays valid where nothing changes
    recipes = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path, place, code in BLOCK.findall(recipes):
        file = copy / path
        if place == "a new file":
            assert not file.exists()
            file.write_text(code, encoding="utf-8")
        else:
            file.write_text(insert(file.read_text(encoding="utf-8"), place, code), encoding="utf-8")
    for package in ("pandas", "pyarrow"):
        pytest.importorskip(package)
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS, str(folder)],
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    answers["option"] = [list_facts(note) for note in answers["option"]]
    answers["option of sessions"] = list_facts(answers["option of sessions"])[-1]
    return answers


ANSWERS = {  # of the recipes, by hand
    "measure": 2 / 4,
    "measure in help": True,
    "session measure": {"Gaining@2": 1 / 2},
    "discount": 1 + 1 / sqrt(2) + 1 / sqrt(3) + 1 / 2,
    "discount in LaTeX": True,
    # 2^g - 1 of the first five, over that of the best five of the list itself
    "convention": (3 / log2(3) + 1 / 2) / (7 + 3 / log2(3) + 1 / 2),
    "convention in words": True,
    # RR 1 against 1/2 in three of six queries: mean 1/4, deviation sqrt(3/40)
    "test": 2 * norm.sf(0.25 / (sqrt(3 / 40) / sqrt(6))),
    "option": [["1", "0.3"]],  # the difference of RR is 1/4, and significant
    "option in help": True,
    "option of sessions": "9",
    "format": 1 / 2,
    "column": [9.5, None, 3.0, 1.0],
    "engine": 1 / 2,
    "engine's name": "pandas",
    "output": "| run | RR |\n| run | 0.5000 |\n",
    "figure": [[1, 0], [2, 1]],
    "figure's picture": "<svg",
}


@pytest.mark.parametrize("recipe", ANSWERS)
def test_a_recipe_gives_what_it_is_for(answers, recipe):
    expected = ANSWERS[recipe]
    close = pytest.approx(expected, abs=1e-12) if isinstance(expected, float) else expected
    assert answers[recipe] == close
    assert answers.keys() == ANSWERS.keys()
