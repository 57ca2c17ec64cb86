"""Colour and small bars on a terminal; plain text in a pipe, where colour is not wanted or no room."""

import io
import os
import pty
import re
import subprocess
import sys

import pytest
from example_files import EXAMPLES, NEWS_QRELS, NEWS_RUNS
from hypothesis import given, strategies as st

import gainful
from gainful.cli.main import main
from gainful.cli.streams import find_terminal
from gainful.measure.results import results_page
from gainful.page.formats.latex import table_to_latex
from gainful.page.formats.markdown import table_to_markdown
from gainful.page.formats.text import draw_bar, table_to_text as to_text
from gainful.page.render import render
from gainful.page.table import Table, bar_fractions
from gainful.page.terminal import PLAIN, Terminal

RUNS = {name: NEWS_RUNS[name] for name in ("bm25", "dense")}
BLOCKS = set("▏▎▍▌▋▊▉█")
ESCAPE = re.compile(r"\x1b\[[\d;]*m")
WIDE = Terminal(width=160, colour=True, blocks=True)


@pytest.fixture(scope="module")
def results():
    return list(gainful.evaluate(NEWS_QRELS, measures=["nDCG@10", "AP"], runs=RUNS).values())


@pytest.fixture(scope="module")
def compared(results):
    return gainful.compare(results)


def _run_on_terminal(words, width=100, **environment):
    """What a command prints to a real terminal."""
    ours, theirs = pty.openpty()
    code = "import sys; from gainful.cli.start import main; main(sys.argv[1:])"
    settings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    settings |= {"COLUMNS": str(width), "PYTHONIOENCODING": "utf-8"} | environment
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=theirs,
        stdin=theirs,
        stderr=subprocess.DEVNULL,
        env=settings,
    ) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            printed += part
        assert process.wait(timeout=30) == 0
    os.close(ours)
    return printed.decode("utf-8").replace("\r\n", "\n")


EVAL = ("eval", NEWS_QRELS, *RUNS.values(), "-m", "nDCG@10", "-m", "AP")


def test_a_real_terminal_gets_bars_and_colour_and_no_color_takes_the_colour_away():
    shown = _run_on_terminal(EVAL)
    assert "\x1b[36m█" in shown
    plain = _run_on_terminal(EVAL, NO_COLOR="1")
    assert "\x1b" not in plain
    assert plain == ESCAPE.sub("", shown)
    assert set(plain) & BLOCKS


def test_a_pipe_gets_neither(run_gainful):
    for form in ("table", "tsv"):
        out = run_gainful(*EVAL, "--format", form).out
        assert "\x1b" not in out
        assert not set(out) & BLOCKS


def test_a_terminal_without_these_characters_gets_no_bars(monkeypatch):
    class Old(io.StringIO):
        encoding = "latin-1"

        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdout", Old())
    assert not find_terminal().blocks
    Old.encoding = "UTF-8"
    assert find_terminal().blocks
    monkeypatch.setenv("NO_COLOR", "1")
    assert not find_terminal().colour


def _render_views(run_results, comparison):
    study = gainful.sessions.evaluate(
        EXAMPLES / "sessions.csv", EXAMPLES / "sessions-qrels.txt", ["sDCG@10", "nsDCG@10"]
    )
    return {
        "eval": lambda page: render(results_page(run_results), "table", page),
        "queries": lambda page: render(results_page(run_results, per_query=True), "table", page),
        "compare": lambda page: render(comparison.page(), "table", page),
        "sessions": lambda page: render(study.page(by="system"), "table", page),
        "all sessions": lambda page: render(study.page(), "table", page),
    }


@pytest.mark.parametrize("view", ["eval", "queries", "compare", "sessions", "all sessions"])
def test_bars_are_drawn_where_there_is_room_and_change_no_number(results, compared, view):
    show = _render_views(results, compared)[view]
    shown = show(WIDE)
    assert set(shown) & BLOCKS
    assert "\x1b[36m" in shown
    without = ESCAPE.sub("", shown)
    bare = re.sub(f"[{''.join(BLOCKS)}]", "", without)
    assert bare.split() == show(PLAIN).split()
    for width in range(20, 160, 10):
        lines = ESCAPE.sub("", show(Terminal(width=width, colour=True, blocks=True))).splitlines()
        drawn = [line for line in lines if set(line) & BLOCKS]
        assert all(len(line) <= width for line in drawn)
    assert show(Terminal(width=30, blocks=True)) == show(Terminal(width=30))  # no room


def test_a_significant_difference_has_a_colour_and_another_has_none():
    judged = {str(query): {"a": 1} for query in range(10)}
    good = {str(query): ["a", "x"] for query in range(10)}
    bad = {str(query): ["x", "a"] for query in range(10)}
    nearly = {**good, "0": ["x", "a"]}
    comparison = gainful.compare(judged, {"bad": bad, "good": good, "nearly": nearly}, "RR")
    shown = render(comparison.page(), "table", WIDE)
    assert "\x1b[1;36m+0.5000\x1b[0m" in shown
    other = gainful.compare(judged, {"good": good, "bad": bad, "nearly": nearly}, "RR")
    shown = render(other.page(), "table", WIDE)
    assert "\x1b[1;33m-0.5000\x1b[0m" in shown
    assert "-0.0500" in shown
    assert "m-0.0500" not in shown


def test_no_colour_is_left_on_at_the_end_of_a_line(results, compared):
    for show in _render_views(results, compared).values():
        for line in show(WIDE).splitlines():
            assert line.count("\x1b[0m") * 2 == line.count("\x1b[")
            assert not ESCAPE.sub("", line).endswith(" ")


def test_measures_below_one_another_have_bars_too():
    narrow = Terminal(width=28, colour=False, blocks=True)
    many = list(gainful.evaluate(NEWS_QRELS, measures="nDCG@1,2,3,4,5", runs=RUNS).values())
    assert "\n\nmeasure" in render(results_page(many), "table", narrow)
    shown = render(results_page(many), "table", Terminal(width=44, blocks=True))
    assert "\n\nmeasure" in shown
    assert set(shown) & BLOCKS


def test_markdown_and_latex_know_no_bars():
    table = Table(
        ("a", "b"),
        [("x", "1")],
        numeric=True,
        label_columns=1,
        bars={1: [1.0]},
        colours={(0, 1): "1"},
    )
    for text in (table_to_markdown(table), table_to_latex(table), to_text(table)):
        assert not set(text) & BLOCKS
        assert "\x1b" not in text


@given(st.floats(0, 1), st.integers(1, 20))
def test_a_bar_is_as_long_as_its_fraction_to_an_eighth_of_a_character(fraction, width):
    eighths = {block: at for at, block in enumerate("▏▎▍▌▋▊▉█", start=1)}
    drawn = sum(eighths[block] for block in draw_bar(fraction, width))
    assert len(draw_bar(fraction, width)) <= width
    if fraction:
        assert abs(drawn - 8 * width * fraction) <= max(0.5, 1 - 8 * width * fraction) + 1e-9
    else:
        assert drawn == 0


def test_what_is_above_1_is_the_measure_of_what_is_bounded():
    assert bar_fractions([0.5, 2.0], bounded=True) == [0.25, 1.0]
    assert bar_fractions([0.5, 0.25], bounded=True) == [0.5, 0.25]
    assert bar_fractions([0.0, -1.0]) == [None, None]
    assert bar_fractions([]) == []


RUN_FILES = ("qrels.txt", "bm25.txt", "dense.txt")
SESSION_FILES = ("sessions.csv", "--qrels", "sessions-qrels.txt")


@pytest.mark.parametrize(
    "words",
    [
        ("eval", *RUN_FILES),
        ("compare", *RUN_FILES, "--resamples", "100"),
        ("order", *RUN_FILES, "hybrid.txt", "-m", "AP", "-m", "RR", "--resamples", "100"),
        ("unjudged", *RUN_FILES[:2], "-m", "RR"),
        ("gate", *RUN_FILES[:2], "--floor", "RR=0.1"),
        ("why", *RUN_FILES[:2], "-m", "nDCG@3", "--unlike", "sklearn"),
        ("sessions", *SESSION_FILES, "-m", "nsDCG@3"),
        ("sweep", *SESSION_FILES, "--depth", "3", "--b", "1.5,2,4", "--bq", "2,4"),
    ],
    ids=lambda words: words[0],
)
def test_a_dash_is_standard_output_with_its_colours_and_bars_for_every_command(
    words, capsys, monkeypatch
):
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    printed = []
    for more in ((), ("-o", "-")):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        with pytest.raises(SystemExit) as done:
            main([*words, *more])
        assert done.value.code == 0, capsys.readouterr().err
        printed.append(capsys.readouterr().out)
    assert "\x1b[1m" in printed[0]
    assert printed[0] == printed[1]
