"""The native engine: equal to the pure one in every value, note and message, or not used at all."""

import gzip
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from conftest import require_command
from example_files import ROOT
from hypothesis import HealthCheck, given, settings, strategies as st
from refusals import refuses
from trec_files import assert_alike, write_trec_files
from written_files import write_file

import gainful
from gainful.errors import BadInput, BadValue, Changed
from gainful.match import native, parts
from gainful.match.frames import match_frames
from gainful.match.matched import Matched
from gainful.read import trec_files
from gainful.read.inputs import as_qrels, as_qrels_columns, as_run

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror")
CUTS = (4096, 5000, 10_376, 14_000)  # of a library of some 20,000 bytes
SMALL_CHUNKS = ("-DCHUNK=64", "-DWINDOW=16")  # that every file has many


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder with the package, compiled with small chunks (or as the environment says)."""
    require_command("the native engine", "cc")
    folder = Path(os.environ.get("NATIVE_PACKAGE") or tmp_path_factory.mktemp("native"))
    if "NATIVE_PACKAGE" not in os.environ:
        build(folder, *SMALL_CHUNKS)
    return folder


def build(folder: Path, *options: str) -> None:
    package = folder / "gainful_native"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    sys.path.insert(0, str(ROOT / "native"))
    try:
        from build_library import compile_library
    finally:
        del sys.path[0]
    compile_library(package / "match.so", *options)


@pytest.fixture(autouse=True)
def engine(package, monkeypatch):
    """A function that switches between the engines."""
    monkeypatch.syspath_prepend(str(package))
    return partial(monkeypatch.setenv, "GAINFUL_ENGINE")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.sampled_from(("gainful", "trec_eval", "pytrec_eval")))
def test_values_notes_and_messages_are_those_of_the_pure_engine(
    tmp_path_factory, engine, random, like
):
    readers = [partial(engine, name) for name in ("native", "pure")]
    assert_alike(tmp_path_factory.mktemp("files"), random, readers, like)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.sampled_from((64, 32)))
def test_what_is_matched_is_the_same_to_the_last_number(tmp_path_factory, random, bits):
    qrels_file, run_file = write_trec_files(tmp_path_factory.mktemp("files"), random)
    try:
        qrels = as_qrels(qrels_file)
        native_match = native.match_run_file(qrels, run_file, None, bits)
    except BadInput:  # before the engine is asked; the test above has its words
        return
    if native_match is None or qrels.subtopics is not None:  # whose values the test above compares
        return
    expected = match_frames(qrels, as_run(run_file), score_bits=bits)
    for name in {*Matched.__slots__} - {"qrels", "run", "views"}:
        ours, theirs = getattr(native_match, name, None), getattr(expected, name, None)
        assert np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == theirs, (
            name
        )


def test_usual_files_are_read_by_it_and_unusual_ones_are_not(tmp_path):
    qrels = as_qrels({"1": {"a": 1}, "2": {"b": 2}})
    columns = as_qrels_columns(qrels)
    run = tmp_path / "run.txt"
    for text, ours in (
        ("1 Q0 a 1 2.5 t\n1 Q0 c 2 1 t\n2 Q0 b 1 1 t\n", True),
        ("1\tQ0  a 1 2.5 t\r\n\n  2 Q0 b 1 -1e-3 t", True),  # untidy, and no end of the last line
        ("1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n1 Q0 c 2 1 t\n", False),  # a query in two places
        ("3 Q0 a 1 2 t\n1 Q0 b 1 1 t\n3 Q0 c 2 1 t\n", False),  # even one that nobody judged
        ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", False),  # a document twice
        ("# c\n1 Q0 a 1 2 t\n", False),
    ):
        run.write_text(text)
        assert (native.match_run_file(columns, run, None, 64) is not None) == ours, text


def test_a_mark_of_byte_order_within_a_file_is_a_letter(tmp_path, monkeypatch):
    """It is at the start of a run after a blank, or where a piece of it begins."""
    text = " \ufeff1\tQ0\tc5\t1\t-3\tt\n\ufeff1\tQ0\tc6\t2\t-4\tt\n1\tQ0\ta0\t1\t-0\tt\n"
    run = tmp_path / "run.txt"
    run.write_text(text, "utf-8")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 a0 1\n")
    monkeypatch.setattr(trec_files, "_PIECE_BYTES", 20)
    assert as_run(run).frame["query"].to_list() == ["\ufeff1", "\ufeff1", "1"]
    counts = {}
    for engine in ("native", "pure"):
        monkeypatch.setenv("GAINFUL_ENGINE", engine)
        counts[engine] = gainful.evaluate(qrels, run, "NumRet").mean["NumRet"]
    assert counts == {"native": 1, "pure": 1}


def test_large_judgments_beside_a_run_are_read_without_polars(tmp_path, package, run_python):
    """Dicts of 5 MB take half of the memory of polars, which is not loaded for them."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    names = [f"msmarco_passage_01_{number:020}" for number in range(120_000)]
    qrels.write_text("".join(f"{at // 10} 0 {name} 1\n" for at, name in enumerate(names)))
    assert qrels.stat().st_size > 4 << 20
    run.write_text(f"0 Q0 {names[1]} 1 1.5 t\n")
    code = (
        f"import sys\nsys.path.insert(0, {str(package)!r})\n"
        "from gainful.cli.start import main\n"
        f"try:\n    main(['eval', {str(qrels)!r}, {str(run)!r}, '-m', 'NumRelRet'])\n"
        "except SystemExit:\n    print('polars.dataframe' in sys.modules)"
    )
    assert run_python(code).split("\n")[1:] == ["run\t1.0", "False"]


def test_first_rows_are_as_many_as_notes_look_at(tmp_path, engine, monkeypatch):
    """The scores of the first hundred lines look like grades, and those behind them do not."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("1 0 d1 1.5\n1 0 d2 1\n")
    lines = [f"1 Q0 d{n} {n} {3 - n // 50} t\n" for n in range(100)]
    for last, noted in (("-2.5", False), ("0", True)):
        run.write_text("".join((*lines, f"1 Q0 d100 100 {last} t\n")))
        for choice, size in (("native", 1), ("pure", parts.MIN_BYTES), ("pure", 1)):
            engine(choice)
            monkeypatch.setattr(parts, "MIN_BYTES", size)
            notes = gainful.evaluate(qrels, run, "RR").notes
            assert any("swapped" in note for note in notes) == noted


@pytest.mark.parametrize("blank", ["\xa0", "\x1f", "\u3000"])
def test_only_ascii_blanks_end_a_field_of_the_first_lines(tmp_path, engine, blank):
    """A query or a name of such a letter alone is neither dropped nor moves the score."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(f"{blank} 0 d1 1.5\n{blank} 0 d2 1\n", "utf-8")
    run.write_text(f"{blank} Q0 d1 1 2 {blank}\n{blank} Q0 d2 2 1 {blank}\n", "utf-8")
    for choice in ("native", "pure"):
        engine(choice)
        results = gainful.evaluate(qrels, run, "RR", qrels_format="trec", run_format="trec")
        assert results["RR"] == 1
        assert any("swapped" in note for note in results.notes)


def make_equal_hashes(blocks: int) -> Iterator[str]:
    """2^blocks ids of one hash: a difference that the first half of a block makes, the second undoes."""

    def mix(value: int) -> int:
        value = value * 0x9E3779B97F4A7C15 % 2**64
        return value ^ value >> 32

    letters = random.Random(1)  # noqa: S311
    state, pairs = 16 * blocks, []
    for _ in range(blocks):
        ends: list[list[int]] = []
        while not ends or not all(ends):
            left, right = (bytes(letters.choices(range(33, 127), k=8)) for _ in range(2))
            first, second = (mix(state ^ int.from_bytes(half, "little")) for half in (left, right))
            mask = (first ^ second).to_bytes(8, "little")
            ends = [[c for c in range(33, 127) if 33 <= c ^ bit < 127] for bit in mask]
        end = bytes(options[0] for options in ends)
        twin = bytes(c ^ bit for c, bit in zip(end, mask, strict=True))
        pairs.append(((left + end).decode(), (right + twin).decode()))
        state = mix(first ^ int.from_bytes(end, "little"))
    return map("".join, itertools.product(*pairs))


def test_ids_with_equal_hashes_are_told_apart_unless_they_are_very_many(tmp_path):
    run = tmp_path / "run.txt"
    for blocks, ours in ((2, True), (11, False)):  # 2,048 would make it slow, more very slow
        ids = [*make_equal_hashes(blocks)]
        run.write_text("".join(f"1 Q0 {name} {n} {-n} t\n" for n, name in enumerate(ids)))
        columns = as_qrels_columns(as_qrels({"1": {ids[3]: 1, ids[1]: 2}}))
        matched = native.match_run_file(columns, run, None, 64)
        assert (matched is not None) == ours
        if matched is not None:
            assert matched.by_id.tolist() == [4, 2]


def test_more_queries_without_judgments_than_there_is_room_for(tmp_path, monkeypatch):
    columns, run = as_qrels_columns(as_qrels({"1": {"a": 1}})), tmp_path / "run.txt"
    run.write_text("1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n3 Q0 c 1 1 t\n")
    for room, ours in ((2, True), (1, False)):
        monkeypatch.setattr(native, "_MAX_OTHERS", room)
        assert (native.match_run_file(columns, run, None, 64) is not None) == ours


@pytest.mark.parametrize(("size", "byte"), [(1000, 1000), (99_999, 21_469)])
def test_a_file_that_is_cut_or_grows_while_it_is_read_is_an_error(
    tmp_path, monkeypatch, size, byte
):
    run = tmp_path / "run.txt"
    run.write_text("".join(f"{n // 20} Q0 d{n} {n} {-n} t\n" for n in range(1000)))
    library, name = native.load_library()

    class ChangingLibrary:
        def gainful_match(self, *arguments):
            os.truncate(run, size)
            return library.gainful_match(*arguments)

    monkeypatch.setattr(native, "load_library", lambda: (ChangingLibrary(), name))
    with refuses(Changed, "run.txt", f"at byte {byte}"):
        native.match_run_file(as_qrels_columns(as_qrels({"1": {"d21": 1}})), run, "trec", 64)


def test_the_command_names_the_engine_and_figures_do_not(
    tmp_path, monkeypatch, engine, run_gainful
):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("1 0 a 1\n2 0 a 1\n")
    run.write_text("1 Q0 a 1 2.5 t\n2 Q0 a 1 2.5 t\n")
    run.with_suffix(".b").write_text("1 Q0 b 1 2.5 t\n2 Q0 a 1 2.5 t\n")
    monkeypatch.chdir(tmp_path)
    for choice, named in (("native", "gainful-native"), ("pure", "pure engine")):
        engine(choice)
        for command, *others in (["eval"], ["compare", run.with_suffix(".b")]):
            outcome = run_gainful(command, qrels, run, *others, "-v", tty=True)
            assert named in outcome.out + outcome.err
        run_gainful("figure", "heatmap", qrels, run, run.with_suffix(".b"), "-o", f"{choice}.svg")
    pictures = [Path(f"{choice}.svg").read_text() for choice in ("native", "pure")]
    assert pictures[0] == pictures[1]  # whatever is installed
    assert "gainful-native" not in run_gainful("--version").out
    engine("native")
    packed = write_file(tmp_path / "run.txt.gz", gzip.compress(run.read_bytes()))
    outcome = run_gainful("eval", qrels, packed, "-v", tty=True)
    assert "only plain" in outcome.out + outcome.err
    assert "gainful-native" in run_gainful("--version").out


def find_reason(folder, monkeypatch, content):
    package = folder / "gainful_native"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    if content is not None:
        (package / "match.so").write_bytes(content)
    monkeypatch.syspath_prepend(str(folder))
    library, reason = native.load_library()
    assert library is None
    return reason


def test_a_library_that_cannot_be_used_is_left_alone(tmp_path, monkeypatch):
    build(tmp_path)
    whole = (tmp_path / "gainful_native" / "match.so").read_bytes()
    contents = (None, b"", b"not a library", whole[:40], *(whole[:at] for at in CUTS))
    for number, content in enumerate(contents):
        reason = find_reason(tmp_path / str(number), monkeypatch, content)
        assert "cannot be loaded" in reason


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        (
            "int gainful_version(void) { return 3; } int gainful_match(void) { return 0; }",
            "version 3",
        ),
        ("int gainful_version(void) { return 4; }", "gainful_match"),
        ("int something_else(void) { return 4; }", "gainful_version"),
    ],
)
def test_a_library_of_another_version_is_left_alone(tmp_path, monkeypatch, functions, words):
    source = write_file(tmp_path / "match.c", functions)
    target = tmp_path / "other.so"
    subprocess.check_call(["cc", "-shared", "-fPIC", source, "-o", target])
    assert words in find_reason(tmp_path / "other", monkeypatch, target.read_bytes())


def test_a_compiler_that_fails_leaves_the_library_as_it_was(tmp_path, monkeypatch):
    build(tmp_path)
    package = tmp_path / "gainful_native"
    before = (package / "match.so").read_bytes()
    fails = write_file(tmp_path / "cc", 'for target; do :; done\nprintf half >"$target"\nexit 1\n')
    monkeypatch.setenv("CC", f"sh {fails}")
    with pytest.raises(subprocess.CalledProcessError):
        build(tmp_path)
    assert (package / "match.so").read_bytes() == before
    assert sorted(path.name for path in package.iterdir()) == ["__init__.py", "match.so"]


def test_the_library_runs_under_sanitizers(tmp_path):
    """The tests above, with its addresses and arithmetic watched, and without SSE2."""
    if "NATIVE_PACKAGE" in os.environ:
        pytest.skip("is being watched")
    if sys.platform != "linux":
        pytest.skip("libraries that watch are loaded first on Linux alone")
    build(tmp_path, *SMALL_CHUNKS, "-U__SSE2__", *SANITIZERS, *WARNINGS)
    compiler = require_command("the native engine", "cc")
    libraries = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",
        "NATIVE_PACKAGE": str(tmp_path),
    }
    environment.pop("COVERAGE", None)
    options = (
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-k",
        "last_number or usual or cut",
    )
    words = [sys.executable, "-m", "pytest", *options, __file__]
    outcome = subprocess.run(
        words, check=False, env=environment, capture_output=True, text=True, cwd=ROOT
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_the_name_of_an_engine_is_read_in_any_case(engine):
    engine("PURE")
    assert native.load_library() == (None, "GAINFUL_ENGINE=pure")
    engine("fast")
    with refuses(BadValue, "GAINFUL_ENGINE", "'fast'"):
        native.load_library()
