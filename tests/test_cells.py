"""CSV and TSV: nothing in them is run by a spreadsheet, and numbers stay numbers."""

import csv
from io import StringIO

import pytest
from hypothesis import given, strategies as st

import gainful
from gainful.page.formats.csv import format_csv_cell, write_csv


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "-"]
)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert format_csv_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((-0.5, "-0.5"), (-3, "-3"), (1e-300, "1e-300"), ("-0.5", "-0.5"), ("+7", "+7")),
        *(("a=b", "a=b"), ("'=1", "'=1"), (None, ""), (float("nan"), ""), (True, "True")),
    ],
)
def test_numbers_and_other_texts_stay_as_they_are(value, written):
    assert format_csv_cell(value) == written


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), min_size=1), st.sampled_from(",\t"))
def test_what_is_read_back_is_what_was_written_but_for_apostrophes(rows, separator):
    written = StringIO(write_csv(rows, separator), newline="")
    read = list(csv.reader(written, delimiter=separator))
    assert [[cell.removeprefix("'") for cell in row] for row in read] == [
        [cell.removeprefix("'") for cell in row] for row in rows
    ]
    assert not any(cell.startswith(("=", "@", "\t", "\r")) for row in read for cell in row)


def test_commands_write_no_formula(tmp_path, run_gainful):
    (tmp_path / "qrels").write_text("=1+1 0 a 1\nq 0 b 1\n", encoding="utf-8")
    (tmp_path / "@run").write_text("=1+1 Q0 a 1 -0.5 x\nq Q0 c 1 1 x\n", encoding="utf-8")
    (tmp_path / "run").write_text("=1+1 Q0 b 1 -0.5 x\nq Q0 b 1 1 x\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("qrels", "@run", "run")]
    for words in (
        ["eval", *files, "-m", "RR", "--per-query", "--format", "csv"],
        ["compare", *files, "-m", "RR", "--per-query", "--format", "tsv"],
    ):
        out = run_gainful(*words).out
        mark = "\t" if "tsv" in words else ","
        cells = [cell for line in out.splitlines() for cell in line.split(mark)]
        assert "'=1+1" in cells
        assert not any(cell.startswith(("=", "@")) for cell in cells)
    assert "-1.0" in cells  # the change of a query is a number


def test_a_run_by_another_name_is_written_as_it_is():
    results = gainful.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "RR")
    assert results.to_csv(per_query=True) == "run,query,RR\nrun,1,1.0"
