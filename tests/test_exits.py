"""How a command ends: its status and its last line, whatever happens to it."""

import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from shutil import copyfile

import polars as pl
import pytest
from example_files import EXAMPLES
from refusals import refuses
from written_files import write_qrels, write_run

import gainful
from gainful.api import evaluate as evaluate_module
from gainful.cli.start import main
from gainful.errors import BadInput
from gainful.page.render import RENDERERS, write_together
from gainful.read import binary_tables
from gainful.read.source import make_memory_source

GAINFUL = [sys.executable, "-m", "gainful"]
EVAL = ("eval", "qrels.txt", "bm25.txt", "-m", "RR")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and devices of POSIX")


def break_evaluation(monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(evaluate_module, "match_run", fail)


def spawn(*words, **options):
    """The command in a process of its own, in the folder of the examples."""
    usual = {"cwd": EXAMPLES, "text": True, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.run([*GAINFUL, *words], check=False, **usual | options)


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (ZeroDivisionError("nobody foresaw this"), "ZeroDivisionError: nobody foresaw"),
        (pl.exceptions.PanicException("index out of bounds"), "PanicException: index out"),
    ],
)
def test_a_fault_of_our_own_is_neither_a_no_nor_a_mistake(run_gainful, monkeypatch, error, named):
    break_evaluation(monkeypatch, error)
    words = ("gate", "qrels.txt", "bm25.txt", "--floor", "RR=0.1")
    done = run_gainful(*words, status=70, folder=EXAMPLES)
    assert done.out == ""
    assert named in done.err
    assert "GAINFUL_DEBUG=1" in done.err
    assert done.err.count("\n") == 1
    monkeypatch.setenv("GAINFUL_DEBUG", "1")
    done = run_gainful(*words, status=70, folder=EXAMPLES)
    assert ("Traceback" in done.err, "in fail" in done.err) == (True, True)


DIGITS, LONG = "9" * 300, "x" * 5000


@pytest.mark.parametrize(
    ("words", "length"),
    [
        (("eval", "qrels.txt", "bm25.txt", "-m", f"nDCG@{DIGITS}"), 300),
        (("eval", "qrels.txt", "bm25.txt", "-m", f"RBP(p={DIGITS})"), 300),
        (("eval", "qrels.txt", "bm25.txt", "-m", LONG), 5000),
        (("eval", LONG, "bm25.txt"), 5000),
        (("eval", "qrels.txt", "bm25.txt", "--like", LONG), 5000),
        (("eval", "qrels.txt", "bm25.txt", "--format", LONG), r"500\d"),  # in quotes
        (("eval", "qrels.txt", "w " * 2500), r"5\d{3}"),  # and what is said of it
        (("trec_eval", LONG, "bm25.txt"), 5000),
        ((LONG,), 5000),
        (
            ("correlate", "qrels.txt", "bm25.txt", "--column", "a", "--labels", "labels.csv"),
            r"6\d{3}",
        ),
    ],
)
def test_no_message_is_endless_and_what_is_cut_tells_its_length(
    run_gainful, tmp_path, words, length
):
    for name in ("qrels.txt", "bm25.txt"):
        copyfile(EXAMPLES / name, tmp_path / name)
    (tmp_path / "labels.csv").write_text(f"query,{'b c ' * 1500}\n1,2\n")
    done = run_gainful(*words, status=2, folder=tmp_path)
    assert len(done.err) <= 600
    assert done.err.count("\n") == 1
    assert re.search(rf"\({length} characters\)", done.err)


@pytest.mark.parametrize(
    "call",
    [
        lambda: gainful.evaluate(LONG, {"1": ["a"]}, "RR"),
        lambda: gainful.evaluate({"1": {"a": 1}}, LONG, "RR"),
        lambda: gainful.evaluate(LONG),
        lambda: gainful.compare({"1": {"a": 1}}, LONG, f"{LONG}y"),
        lambda: gainful.compare({"1": {"a": 1}}, {"a": LONG, "b": LONG}, cluster="user"),
        lambda: gainful.sessions.evaluate(LONG),
    ],
)
def test_a_path_that_is_too_long_is_a_typed_error_in_python(call):
    with pytest.raises(gainful.errors.GainfulError) as refused:
        call()
    assert len(str(refused.value)) <= 600
    assert not gainful.check(LONG)


@pytest.mark.parametrize("form", [*RENDERERS, "junit"])
def test_a_program_may_catch_what_is_printed_in_a_text_stream(form, monkeypatch):
    """`contextlib.redirect_stdout(io.StringIO())`, which has no bytes behind it."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr("sys.stdin", io.StringIO(Path("bm25.txt").read_text()))
    words = ["gate", "qrels.txt", "-", "--floor", "RR=0.1", "--format", form]
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    assert "0.1" in out.getvalue()
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit):
        main(["trec_eval", "qrels.txt", "bm25.txt", "-m", "num_q"])
    assert out.getvalue() == "num_q                 \tall\t4\n"


@needs_posix
def test_ctrl_c_while_modules_are_loaded():
    code = (
        "import sys, os, signal, types\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'gainful.cli.main': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from gainful.cli.start import main; main(['--help'])\n"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "gainful: stopped\n")


@pytest.fixture(scope="module")
def long_log(tmp_path_factory):
    """A log that takes a second or two to summarise."""
    path = tmp_path_factory.mktemp("long") / "log.parquet"
    row = pl.int_range(2_000_000, eager=True)
    pl.DataFrame({"row": row}).select(
        session=(pl.col("row") // 10).cast(pl.String),
        query=pl.col("row") // 5 % 2 + 1,
        rank=pl.col("row") % 5 + 1,
        doc=(pl.col("row") * 7919 % 100_003).cast(pl.String),
        clicked=pl.col("row") % 3 == 0,
    ).write_parquet(path)
    return path


def has_rows_in(folder, process):
    """Has a process written to a file in a folder, if only to one without a name?"""
    try:
        links = [*Path(f"/proc/{process.pid}/fd").iterdir()]
        own = [link for link in links if str(link.readlink()).startswith(str(folder))]
        return any(link.stat().st_size for link in own)
    except OSError:  # closed meanwhile
        return False


@needs_posix
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what files a process has open")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_temporary_is_left_by_a_signal(long_log, tmp_path, number):
    kill = number == signal.SIGKILL
    # nohup has it ignored, and children inherit that
    before = None if kill else signal.signal(number, signal.SIG_DFL)
    command = subprocess.Popen(
        [*GAINFUL, "sessions", long_log, "--summary"],
        env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if not kill:
        signal.signal(number, before)
    while not has_rows_in(tmp_path, command) and command.poll() is None:
        time.sleep(0.01)
    command.send_signal(number)
    _, err = command.communicate(timeout=60)
    stopped = (-number, "") if kill else (128 + number, "gainful: stopped\n")
    assert (command.returncode, err) == stopped
    assert list(tmp_path.iterdir()) == []


@needs_posix
@pytest.mark.parametrize("answer", ["signal.SIG_IGN", "lambda *_: None"])
def test_a_signal_that_does_not_raise_makes_no_other_numbers(long_log, run_python, answer):
    """polars ends its queries at SIGINT whatever the program makes of it."""
    code = f"""
import os, signal, threading
signal.signal(signal.SIGINT, {answer})
import gainful, polars as pl
from gainful.read.engines import POLARS
usual = POLARS.stream
def stream(native):
    for wait in (0.05, 0.1, 0.2):
        threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
    yield from usual(native)
object.__setattr__(POLARS, "stream", stream)
try:
    print(gainful.sessions.summarise(pl.scan_parquet({str(long_log)!r}), None, "sDCG@5").counts)
except gainful.errors.BadInput as error:
    print("SIGINT" in str(error))
"""
    whole = {"sessions": 200_000, "queries": 400_000, "results": 2_000_000, "judged": 2_000_000}
    assert run_python(code) in ("True", str({**whole, "gained": 666_667}))


@needs_posix
def test_ctrl_c_at_any_time_is_one_line():
    for wait in (0.15, 0.3, 0.6):
        # a job in the background has it ignored, and children inherit that
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        command = subprocess.Popen(
            [*GAINFUL, "compare", "qrels.txt", "bm25.txt", "dense.txt", "--resamples", "5000000"],
            cwd=EXAMPLES / "news", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        signal.signal(signal.SIGINT, before)
        time.sleep(wait)
        command.send_signal(signal.SIGINT)
        _, err = command.communicate(timeout=60)
        if command.returncode == 130:
            assert err.splitlines()[-1:] == ["gainful: stopped"]
        else:  # before our first line, which loads nothing: Python's own
            assert "gainful/cli/main" not in err


@needs_posix
def test_output_is_not_cut_silently_where_python_does_not_buffer(tmp_path):
    write_run(tmp_path / "run", {query: [f"d{doc}" for doc in range(9)] for query in range(300)})
    write_qrels(tmp_path / "qrels", {query: {"d1": 1} for query in range(300)})
    with Path("/dev/full").open("wb") as full:
        unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
        words = ("eval", "qrels", "run", "--per-query")
        done = spawn(*words, cwd=tmp_path, stdout=full, env=unbuffered)
    assert done.returncode == 2
    assert os.strerror(errno.ENOSPC) in done.stderr


@needs_posix
@pytest.mark.parametrize(("floor", "status"), [("RR=0.01", 0), ("RR=1.0", 1)])
def test_a_verdict_counts_though_nobody_reads_it(floor, status):
    reader, writer = os.pipe()
    os.close(reader)
    done = spawn("gate", "qrels.txt", "bm25.txt", "--floor", floor, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (status, "")


@needs_posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_cannot_be_said_changes_nothing(unbuffered):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = spawn(*EVAL, stderr=full, env=environment)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "run\tRR")


@needs_posix
@pytest.mark.parametrize("megabytes", [150, 250, 400, 700])
def test_too_little_memory_is_said_in_a_line(megabytes):
    import resource

    limit = megabytes << 20
    done = spawn(*EVAL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert (done.returncode, done.stdout) == (2, "")
    assert "not enough memory" in done.stderr
    assert done.stderr.count("\n") == 1


@needs_posix
def test_a_package_that_is_missing_is_named(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['polars'] = None\n")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    done = spawn(*EVAL, env=os.environ | {"PYTHONPATH": paths})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "pip install polars" in done.stderr


@pytest.mark.parametrize(("encoding", "dot"), [("cp1252", "·"), ("ascii", "-")])
def test_a_page_spells_what_it_cannot_show(run_gainful, tmp_path, encoding, dot):
    """Two ids of another script stay two, in columns that stand below one another."""
    for name, text in (("q", "Σ1 0 日 1\nλ1 0 本 1\n"), ("r", "Σ1 Q0 日 1 1 t\nλ1 Q0 x 1 1 t\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = ("eval", "q", "r", "-m", "RR", "--per-query", "--format", "table")
    printed = run_gainful(*words, folder=tmp_path, encoding=encoding).out
    rows = printed.split("\n\n")[-2].splitlines()
    assert [row.split()[1] for row in rows] == ["query", r"\u03a31", r"\u03bb1", "all"]
    assert len({len(row) for row in rows}) == 1
    assert f"2 queries {dot} like gainful" in printed
    assert "?" not in printed


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "tsv"])
def test_data_are_utf_8_whatever_the_page_is(run_gainful, tmp_path, form):
    (tmp_path / "q").write_text("Σ 0 日本 1\n", encoding="utf-8")
    (tmp_path / "r").write_text("Σ Q0 日本 1 1 t\n", encoding="utf-8")
    words = ("eval", "q", "r", "-m", "RR", "--per-query", "--format", form)
    done = run_gainful(*words, folder=tmp_path, encoding="cp1252")
    printed = done.out.encode("cp1252", errors="surrogateescape")
    assert "Σ" in (json.dumps(json.loads(printed), ensure_ascii=False) if form == "json"
                   else printed.decode() if form != "jsonl" else str(json.loads(printed)))  # fmt: skip


@needs_posix
def test_files_that_belong_together_are_written_together_or_not_at_all(tmp_path):
    first, second = str(tmp_path / "first"), str(tmp_path / "nowhere" / "second")
    with refuses(BadInput, "second"):
        write_together({first: "1", second: "2"})
    assert list(tmp_path.iterdir()) == []


@needs_posix
def test_ctrl_c_finds_standard_error_as_it_was():
    """Whichever function of Python it comes in while polars reads a file.

    That is where Python notices it; what is said of it is said while the exception is there.
    """
    source, before = make_memory_source("run.parquet", ".parquet", b"PAR1"), os.fstat(2)
    binary_tables._read(source, "Parquet", pl.DataFrame)  # from now on its functions are the same
    for at in range(1, 100):
        calls, tracer = iter(range(at)), sys.gettrace()

        def interrupt(*_, calls=calls):
            if next(calls, None) is None:
                raise KeyboardInterrupt

        try:
            sys.settrace(interrupt)
            binary_tables._read(source, "Parquet", pl.DataFrame)
        except KeyboardInterrupt:
            sys.settrace(tracer)
            assert os.path.samestat(os.fstat(2), before), f"in function {at}"
        else:
            break
        finally:
            sys.settrace(tracer)
    assert at > 3
