"""Past findings stay mended, and some new cases of every fuzzer find nothing."""

import json
import signal

import pytest
from example_files import TESTS
from tools.commands import call_gainful
from tools.fuzz import files, parquet
from tools.fuzz.__main__ import FUZZERS, check_case, run_cases

FINDINGS = sorted((TESTS / "findings").glob("*.json"))
CASES = {
    "language": 400,
    "arrays": 400,
    "files": 120,
    "commands": 40,
    "engines": 40,
    "pages": 2,
    "columns": 25,
    "parquet": 30,
    "fields": 30,
    "transcripts": 20,
    "topics": 30,
    "signals": 10,
}


@pytest.mark.parametrize("path", FINDINGS, ids=[path.stem for path in FINDINGS])
def test_what_was_found_stays_mended(path):
    finding = json.loads(path.read_text(encoding="utf-8"))
    assert check_case(finding["kind"], finding["payload"]) is None


@pytest.mark.parametrize("kind", FUZZERS)
def test_some_cases_find_nothing(kind):
    cases = run_cases(2026, CASES[kind], [kind])
    assert [(payload, problem) for _, payload, problem in cases if problem] == []


def test_a_trace_is_a_finding(monkeypatch):
    broken = FUZZERS["language"]._replace(check=lambda _: {}["a"])
    monkeypatch.setitem(FUZZERS, "language", broken)
    assert check_case("language", {}) == "KeyError: 'a'"


def test_a_panic_is_a_finding_and_ctrl_c_is_none(monkeypatch):
    def fail(error):
        raise error

    class PanicError(BaseException):
        """What polars raises where Rust panics: no Exception."""

    monkeypatch.setitem(FUZZERS, "language", FUZZERS["language"]._replace(check=fail))
    assert check_case("language", PanicError("rust")) == "PanicError: rust"
    with pytest.raises(KeyboardInterrupt):
        check_case("language", KeyboardInterrupt())


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="hangs of fuzzed cases need an alarm")
def test_a_hang_is_a_finding(monkeypatch):
    monkeypatch.setattr("tools.fuzz.__main__._LONGEST", 1)
    endless = FUZZERS["language"]._replace(check=lambda _: [None for _ in iter(int, 1)])
    monkeypatch.setitem(FUZZERS, "language", endless)
    assert "1 s" in check_case("language", {})


@pytest.mark.parametrize("words", [words for _, words in parquet.COMMANDS], ids=" ".join)
def test_every_command_reads_the_damaged_table(words, tmp_path):
    for name, text in {**files.BESIDE, "bad.parquet": "PAR1"}.items():
        (tmp_path / name).write_text(text)
    assert "bad.parquet" in call_gainful(*words, folder=tmp_path).answer
