"""The columns of all tables for programs, in one list: `columns.tsv`, which a renamed one breaks.

A line has a command (in the folder of examples) or an expression of Python, its columns, and those
that may be empty from top to bottom, with the reason.
"""

import csv
import io
import json
from contextlib import chdir
from shutil import copy

import click
import polars as pl
import pytest
from example_files import EXAMPLES, NEWS, read_table, spell_out

import gainful
from gainful.api.figures import FIGURES
from gainful.cli.main import gainful as command
from gainful.page.shown import INTERNAL_NAMES, Shown

WITHOUT_TABLE = {"report", "explore", "trec_eval", "help", "completion"}
LINES = read_table("columns.tsv")


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What lines call by name; a baseline for the gate among it."""
    baseline = tmp_path_factory.mktemp("gate") / "base.json"
    study = gainful.sessions.simulate_study(1)
    judged, bm25 = (str(EXAMPLES / path) for path in NEWS[:2])
    gainful.testing.save_baseline(judged, bm25, baseline, ["nDCG@10"])
    collections = tmp_path_factory.mktemp("collections")
    for name in ("a", "b"):
        (collections / name).mkdir()
        copy(judged, collections / name)
        copy(bm25 if name == "a" else EXAMPLES / NEWS[2], collections / name / "run.txt")
    return {
        "COLLECTIONS": str(collections),
        **{name: getattr(gainful, name) for name in (*gainful.__all__, "sessions", "stats")},
        "QRELS": NEWS[0],
        "BM25": NEWS[1],
        "RUNS": NEWS[1:],
        "BASE": str(baseline),
        "STUDY": (study.sessions, study.qrels),
        "LAZY": study.sessions.frame.lazy(),
    }


def read_answer(asked, names, run_gainful):
    """The columns that a command writes or an expression gives, with their values."""
    if not asked.startswith("gainful "):
        with chdir(EXAMPLES):
            frame = eval(asked, names)  # noqa: S307  (it is our own)
        assert isinstance(frame, pl.DataFrame)
        return frame.to_dict(as_series=False)
    made = ("BASE", "COLLECTIONS")
    words = [names[word] if word in made else word for word in asked.split()[1:]]
    words = spell_out(words)
    words += [] if {"--data", "--format"} & {*words} else ["--format", "csv"]
    status, text, message = run_gainful(*words, status=None, folder=EXAMPLES)
    assert status in (0, 1), message
    if "jsonl" in words:
        rows = [json.loads(line) for line in text.splitlines()]
        return {name: [row[name] for row in rows] for name in rows[0]}
    heads, *rows = csv.reader(io.StringIO(text))
    return {name: [row[at] for row in rows] for at, name in enumerate(heads)}


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["asked"])
def test_a_table_has_these_columns_and_none_is_empty_without_a_reason(line, names, run_gainful):
    table = read_answer(line["asked"], names, run_gainful)
    assert ",".join(table) == line["columns"]
    empty = [name for name, values in table.items() if all(v in (None, "") for v in values)]
    assert ",".join(empty) == (line["may be empty"] or "").partition(":")[0]


def test_every_command_figure_and_frame_stands_in_the_list(names):  # these load all results
    asked = [line["asked"] for line in LINES]
    commands = {*command.list_commands(click.Context(command))} - WITHOUT_TABLE
    assert commands == {words.split()[1] for words in asked if words.startswith("gainful ")}
    assert {*FIGURES} == {words.split()[2] for words in asked if words.startswith("gainful figure")}
    frames = find_frames(Shown) - INTERNAL_NAMES
    assert {name for name in frames if not any(f".{name}" in words for words in asked)} == set()


def find_frames(kind):
    """The attributes and methods of results that are frames of polars."""
    frames = {
        name
        for base in kind.__mro__
        for name, member in dict(vars(base)).items()
        if "pl.DataFrame"
        in (
            getattr(base, "__annotations__", {}).get(name),
            getattr(getattr(member, "fget", member), "__annotations__", {}).get("return"),
        )
        and not name.startswith("_")
    }
    return frames.union(*(find_frames(child) for child in kind.__subclasses__()))
