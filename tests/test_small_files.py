"""Small TREC files are read without polars: to the same values, notes and messages."""

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from trec_files import assert_alike

import gainful
from gainful.read import small_trec
from gainful.read.small_trec import read_small_files

PIECES = (1, 100, 1 << 19)  # bytes; of 1 each line is one


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.randoms(use_true_random=False),
    st.sampled_from(("gainful", "trec_eval", "pytrec_eval", "ranx", "torchmetrics")),
    st.sampled_from(PIECES),
)
def test_values_notes_and_messages_are_those_of_the_full_reader(
    tmp_path_factory, monkeypatch, random, like, size
):
    monkeypatch.setattr(small_trec, "_PIECE_BYTES", size)
    usual = partial(monkeypatch.delenv, "GAINFUL_ENGINE", raising=False)
    full = partial(monkeypatch.setenv, "GAINFUL_ENGINE", "pure")
    assert_alike(tmp_path_factory.mktemp("files"), random, (usual, full), like)


QRELS, RUN = "1 0 a 1\n1 0 b 0\n2 0 a 2\n", "1 Q0 a 1 2.5 t\n1 Q0 c 2 -1e-3 t\n2 Q0 b 1 1 t\n"


@pytest.mark.parametrize(
    ("qrels", "run", "usual"),
    [
        (QRELS, RUN, True),
        (QRELS.rstrip(), RUN.rstrip(), True),
        (QRELS, "x" * 5000 + " Q0 a 1 2 t\n" + RUN, True),
        ("1 0 a 1\n1 0 b 2\n2 0 a 1\n", RUN, False),  # grades that count as ranks do
        ("1 0 a 1\n1 1 b 0\n", RUN, False),  # subtopics
        ("1 0 a 1\n2 0 a 1\n1 0 b 0\n", RUN, False),  # a query in two places
        ("1 0 a 1\n1 0 a 0\n", RUN, False),  # a document twice
        ("1 0 a 0\n1 0 all 3\n", RUN, False),
        ("1 0 a 0\n1 0 b 1001\n", RUN, False),
        (QRELS, RUN + "# a comment\n", False),
        (QRELS, RUN + "\n", False),
        (QRELS, RUN + "3 Q0  a 1 2 t\n", False),
        (QRELS, RUN + "3 Q0 a 1 2 t \n", False),
        (QRELS, RUN + "3 Q0 a 1 2 t more\n", False),
        (QRELS, RUN + "3 Q0 é 1 2 t\n", False),
        (QRELS, RUN + "3 Q0 a 1 1_0 t\n", False),
        (QRELS, RUN + "3 Q0 a 1 1e999 t\n", False),
        (QRELS, RUN + "3 Q0 a 1 1e t\n", False),
        (QRELS, RUN.replace("\n", "\r\n"), False),
        (QRELS, RUN.replace(" ", "\t"), False),
        (RUN, QRELS, False),
        (QRELS, "", False),
        (QRELS, '{"query": "1", "doc": "a", "score": 1}', False),
    ],
)
def test_only_usual_files_are_read_so(tmp_path, qrels, run, usual):
    files = [tmp_path / "qrels", tmp_path / "run"]
    for file, text in zip(files, (qrels, run), strict=True):
        file.write_bytes(text.encode())
    for size in PIECES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(small_trec, "_PIECE_BYTES", size)
            nested = read_small_files(files)
        assert bool(nested) == usual
    if usual:
        assert nested[0].mapping == {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
        assert nested[1].mapping["1"] == {"a": 2.5, "c": -0.001}


def test_files_are_small_by_their_sum(tmp_path):
    """Five runs of a megabyte are no small files, though each of them is one."""
    qrels, runs = tmp_path / "qrels", [tmp_path / f"run{number}" for number in range(5)]
    qrels.write_text("1 0 d1 1\n")
    for run in runs:
        run.write_text("".join(f"1 Q0 d{number} 1 {-number} t\n" for number in range(40_000)))
    assert len(read_small_files([qrels, *runs[:3]])) == 4
    assert read_small_files([qrels, *runs]) == []


def test_they_are_evaluated_without_polars(tmp_path, run_python):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(QRELS)
    answers = []
    for text, engine in ((RUN, ""), (RUN.replace(" ", "  "), "pure")):
        run.write_text(text)
        code = (
            f"import os, sys\nos.environ['GAINFUL_ENGINE'] = {engine!r}\n"
            "from gainful.cli.start import main\n"
            f"try:\n    main(['eval', {str(qrels)!r}, {str(run)!r}, '-q'])\n"
            "except SystemExit:\n    print(len([name for name in sys.modules if 'polars' in name]))"
        )
        answers.append(run_python(code).split("\n"))
    assert all(before[:-1] == after[:-1] for before, after in pairwise(answers))
    assert int(answers[0][-1]) == 1  # what stands in its place
    assert int(answers[1][-1]) > 50


@pytest.mark.parametrize("engine", ["", "Pure"])
def test_scores_that_rise_down_a_file_are_noted(tmp_path, monkeypatch, engine):
    if engine:
        monkeypatch.setenv("GAINFUL_ENGINE", engine)
    lines = {
        way: [f"q Q0 d{rank} {rank} {way * rank} x" for rank in range(1, 13)] for way in (1, -1)
    }
    for way, noted in ((1, True), (-1, False)):
        path = tmp_path / f"{way}.txt"
        path.write_text("\n".join(lines[way]) + "\n")
        (tmp_path / "qrels.txt").write_text("q 0 d1 1\n")
        notes = gainful.evaluate(tmp_path / "qrels.txt", path, "RR").notes
        assert any(str(path) in note for note in notes) == noted
