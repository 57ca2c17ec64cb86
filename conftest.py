"""One way to call the command; every example in the README and in docs/ is run by it.

Python blocks run by their prompt and console blocks by theirs. A command is a call of `main` in
this very process; a shell is started only for what needs one (a pipe, another program).
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser
from xdist.scheduler import LoadFileScheduling

if folder := os.environ.get("COVERAGE"):  # before gainful is imported, that it is seen
    from tools.coverage import Coverage

    COVERAGE = Coverage(folder)

from gainful.cli import main
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS
from gainful.measure.parameters import PARAMETERS

# Spark's workers are to be this very Python, whatever python3 is on the path.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
TABLES: list[dict[str, Any]] = [MEASURES, GAINS, DISCOUNTS, PARAMETERS]
BUILT_IN = [{*table} for table in TABLES]


def pytest_configure(config: pytest.Config) -> None:
    """Coverage is written at the end, where it is measured."""
    if "COVERAGE" in os.environ:
        config.pluginmanager.register(COVERAGE)


# What is run on one worker: all of Spark (one Java machine), all of the browser, or one file. The
# longest parts go first, so that at the end no worker waits for another.
PARTS = {
    "Spark": ("Spark", "docs/frames.md"),
    "browser": ("test_explore.py", "test_report.py", "test_a_page_opens_", "test_panels_stand_"),
    "why": ("test_why.py",),
    "unjudged": ("test_unjudged.py",),
    "calibration": ("test_calibration.py",),
}


def find_part(nodeid: str) -> str:
    """The part of a test: one of the table, or its file."""
    names = (name for name, marks in PARTS.items() if any(mark in nodeid for mark in marks))
    return next(names, nodeid.partition("::")[0])


class PartScheduling(LoadFileScheduling):
    """A worker gets one part after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return find_part(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> PartScheduling | None:
    """Parts in the order of the tests, for `-n … --dist loadfile`."""
    config.option.loadscopereorder = False
    return PartScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest parts first; the order within a part stays."""
    order = {name: place for place, name in enumerate(PARTS)}
    items.sort(key=lambda item: order.get(find_part(item.nodeid), len(order)))


def forget(names: dict[str, Any] | None = None, kept: list[set[str]] = BUILT_IN) -> None:
    """Forget the measures and formulas that were registered, and the names of a page."""
    if names is not None:
        names.clear()
    for table, kept_names in zip(TABLES, kept, strict=True):
        for name in table.keys() - kept_names:
            del table[name]


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """What a test registers is forgotten after it; what a page does, at its end."""
    yield
    forget()


class Outcome(NamedTuple):
    """How a command ended, and what it wrote to standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> str:
        """What a person reads: the message of a mistake, else what was printed."""
        return self.err if self.status == 2 else self.out


class Stream(io.TextIOWrapper):
    """A standard stream that keeps what is written to it, on a terminal or not."""

    def __init__(self, content: bytes = b"", encoding: str = "utf-8", *, tty: bool = False) -> None:
        super().__init__(io.BytesIO(content), encoding, newline="", write_through=True)
        self.tty = tty

    def isatty(self) -> bool:
        """Whether a person sits at the other end."""
        return self.tty

    def text(self) -> str:
        """All that was written."""
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)  # noqa: S101
        return buffer.getvalue().decode(self.encoding)


def call_gainful(
    *words: object,
    status: int | None = 0,
    stdin: str | bytes | None = None,
    tty: bool = False,
    encoding: str = "utf-8",
    folder: Path | None = None,
) -> Outcome:
    """Call the command in this process, in a folder; it must end with a status, or with any (None).

    As after a process, what it registered is forgotten.
    """
    content = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = Stream(encoding=encoding, tty=tty), Stream(encoding=encoding)
    registered = [{*table} for table in TABLES]
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(folder) if folder else nullcontext(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        if content is not None:
            patch.setattr(sys, "stdin", Stream(content))
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
    forget(kept=registered)
    outcome = Outcome(int(ended.value.code or 0), out.text(), err.text())
    assert status is None or outcome.status == status, outcome  # noqa: S101
    return outcome


@pytest.fixture(scope="session")
def run_gainful() -> Callable[..., Outcome]:
    """The command, called in this process: `run_gainful("eval", "qrels", "run").out`."""
    return call_gainful


@pytest.fixture(scope="session")
def run_python() -> Callable[[str], str]:
    """What a new Python prints: for what depends on which modules are loaded."""

    def run(code: str) -> str:
        words = [sys.executable, "-c", code]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    return run


def run_command(command: str) -> str:
    """What a command of a document prints; one that needs a shell gets one."""
    words = shlex.split(command)
    if words[0] == "gainful" and not set(command) & set("|&;<>$`*?~#\n"):
        return "".join(call_gainful(*words[1:], status=None)[1:])
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=environment
    )
    return done.stdout + done.stderr


def run_console(example: Example) -> str | None:
    """Run each `$ command` of a console block and compare what it prints with what follows it."""
    for block in ("\n" + example.parsed).split("\n$ ")[1:]:
        command, _, expected = block.partition("\n")
        printed = run_command(command).strip("\n")
        if printed != expected.strip("\n"):
            return f"$ {command}\nprinted:\n{printed}\nbut the document says:\n{expected}"
    return None


def check_java(names: dict[str, Any]) -> None:
    """Pages may leave out what needs Java; where everything is required, nothing is left out."""
    names["java"] = os.environ.get("REQUIRE_ALL") == "1" or shutil.which("java") is not None


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser("console", run_console), SkipParser()],
    patterns=["*.md"],
    setup=check_java,
    teardown=forget,
).pytest()
