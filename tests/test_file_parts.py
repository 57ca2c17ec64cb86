"""Large TREC files are read in pieces and matched in parts: as if they were read at once."""

from functools import partial
from threading import current_thread, main_thread

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from refusals import refuses
from trec_files import assert_alike, write_trec_files
from written_files import write_file

import gainful
from gainful.convention import like
from gainful.errors import BadInput, Changed
from gainful.match.match import match
from gainful.match.parts import match_large_file
from gainful.progress import watch
from gainful.read.inputs import as_qrels, as_qrels_columns

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "3": {"c": 1}}
RUN = "1 Q0 a 1 2.5 t\n1 Q0 c 2 2.5 t\n2 Q0 b 1 1 t\n9 Q0 b 1 1 t\n"


@pytest.fixture
def small_parts(monkeypatch):
    """A function that makes files of any size large, and parts and pieces small; or not."""

    def choose(*, small: bool) -> None:
        monkeypatch.setattr("gainful.match.parts.MIN_BYTES", 0 if small else 1 << 40)
        monkeypatch.setattr("gainful.match.parts.PART_ROWS", 3)
        monkeypatch.setattr("gainful.read.trec_files._PIECE_BYTES", 64 if small else 1 << 23)

    monkeypatch.setenv("GAINFUL_ENGINE", "pure")
    return choose


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.randoms(use_true_random=False),
    st.sampled_from(("gainful", "trec_eval", "pytrec_eval", "ranx", "torchmetrics")),
)
def test_values_notes_and_messages_are_those_of_one_part(
    tmp_path_factory, small_parts, random, like
):
    readers = [partial(small_parts, small=small) for small in (True, False)]
    assert_alike(tmp_path_factory.mktemp("files"), random, readers, like)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_check_finds_in_pieces_what_it_finds_line_by_line(tmp_path_factory, small_parts, random):
    files = write_trec_files(tmp_path_factory.mktemp("files"), random)
    small_parts(small=True)
    in_pieces = gainful.check(*files).to_dict()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gainful.read.trec_files.scan_lines", lambda *_, **__: None)
        assert in_pieces == gainful.check(*files).to_dict()


@pytest.mark.parametrize(
    ("run", "in_parts"),
    [
        (RUN, True),
        (RUN.replace(" ", "\t  ").replace("\n", "\r\n\r\n"), True),
        ("\n  \n" + RUN.rstrip(), True),
        ("# a comment\n" + RUN, False),
        (RUN + "1 Q0 e 3 0 t\n", False),  # a query in two places
        (RUN + "9 Q0 b 1 0 t\n", False),  # a document twice
        (RUN + "9 Q0 d 1 x t\n", False),
        (RUN + "9 Q0 d 1 0 t more\n", False),
        ("7 Q0 a 1 1 t\n", False),  # nothing in common
        ("1 a 0.5\n2 b 0.25\n", False),  # three fields
        ("query,doc,score\n1,a,2\n", False),
    ],
)
def test_what_needs_all_rows_is_read_whole(tmp_path, small_parts, run, in_parts):
    small_parts(small=True)
    path = write_file(tmp_path / "run.txt", run.encode())
    matched = match_large_file(
        as_qrels_columns(as_qrels(QRELS)), path, None, like("gainful"), match
    )
    assert (matched is not None) == in_parts
    if matched is not None:
        assert matched.query_names(matched.judged) == ["1", "2", "3"]
        assert matched.retrieved[matched.judged].tolist() == [2, 1, 0]
        assert (matched.first.tolist(), matched.last.tolist()) == ([1], [2])
        assert matched.by_id.tolist() == [2]  # c stands before a, as trec_eval has it
        assert matched.tied_count == 2


@pytest.mark.parametrize("change", ["cut", "grown"])
def test_a_file_that_changes_while_it_is_read_is_an_error(
    tmp_path, small_parts, monkeypatch, change
):
    small_parts(small=True)
    monkeypatch.setattr("gainful.match.parts.PART_ROWS", 1)
    path = write_file(tmp_path / "run.txt", "".join(f"{n} Q0 d{n} 1 1 t\n" for n in range(50)))
    half = path.read_bytes().index(b"20 Q0")

    def match_and_change(*arguments):
        with path.open("r+b") as stream:
            if change == "cut":
                stream.truncate(half)
            else:
                stream.seek(0, 2)
                stream.write(b"99 Q0 x 1 1 t\n")
        return match(*arguments)

    qrels = as_qrels_columns(as_qrels(QRELS))
    with refuses(Changed, str(path)):
        match_large_file(qrels, path, None, like("gainful"), match_and_change)


def test_large_runs_are_matched_side_by_side_as_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.setenv("GAINFUL_ENGINE", "pure")
    qrels = write_file(tmp_path / "qrels.txt", "1 0 a 1\n2 0 a 2\n3 0 c 1\n")
    lines = [f"{query} Q0 {doc} 1 {ord(doc) - query} t\n" for query in (1, 2, 3) for doc in "abcd"]
    texts = {"sound": "".join(lines), "tied": RUN, "shuffled": "".join(lines[::2] + lines[1::2])}
    runs = {name: write_file(tmp_path / f"{name}.run", text) for name, text in texts.items()}
    expected, in_order = gainful.evaluate(qrels, runs, ["nDCG@10", "RR"]), []
    threads = set()

    def match_and_note(*arguments, **options):
        threads.add(current_thread())
        return match(*arguments, **options)

    monkeypatch.setattr("gainful.api.evaluate._MIN_BYTES", 0)
    monkeypatch.setattr("gainful.api.evaluate.match", match_and_note)
    with watch(reading=lambda name, _, share: in_order.append((name, share))):
        actual = gainful.evaluate(qrels, runs, ["nDCG@10", "RR"])
    assert main_thread() not in threads
    assert {name for name, share in in_order if share == 1} >= {*map(str, runs.values())}
    assert actual.mean == expected.mean
    assert [run.notes for run in actual.values()] == [run.notes for run in expected.values()]
    monkeypatch.setenv("GAINFUL_MEMORY", "0")  # which holds no two of them
    threads.clear()
    assert gainful.evaluate(qrels, runs, ["nDCG@10", "RR"]).mean == expected.mean
    assert main_thread() in threads
    monkeypatch.delenv("GAINFUL_MEMORY")
    runs["tied"].write_text("1 Q0 a 1 x t\n")
    runs["shuffled"].unlink()
    with refuses(BadInput, "tied.run:1"):  # the first in order, however long others take
        gainful.evaluate(qrels, runs, "RR")
