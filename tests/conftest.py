"""What tests share: the golden numbers, node, a browser, and a list of what did not run."""

import json
import os
import shutil
import subprocess
import warnings

import pytest
from browser_pages import shown  # noqa: F401  (a fixture)
from example_files import TESTS, read_golden
from gate_runs import base, decide, gate, gate_folder  # noqa: F401  (fixtures)
from installed import OPTIONAL, find_missing
from profiles import load_profiles

from gainful.errors import NotInstalled

REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"

# ranx is the same code uncompiled; compiling it takes a minute and more, running it no second.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

load_profiles()


@pytest.fixture(scope="session")
def seeds():
    return read_golden("seeds")


@pytest.fixture(scope="session")
def study():
    """Two systems, 30 searchers, 4 scenarios."""
    from gainful.sessions import simulate_study

    return simulate_study(2008)


def require_command(feature: str, command: str) -> str:
    """The path of a command that a test needs; where it is missing the test is named as not run."""
    path = shutil.which(command)
    if path is None:
        if REQUIRE_ALL:
            pytest.fail(f"{feature} needs {command}, and REQUIRE_ALL=1 forbids to leave it out")
        pytest.skip(f"{feature} (needs {command})")
    return path


class Node:
    """A JavaScript engine that answers each line of JSON in one."""

    def __init__(self, feature: str, code: str) -> None:
        words = [require_command(feature, "node"), "-e", code]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question: object) -> str:
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()


EVALUATE = """
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const {code, values} = JSON.parse(line), names = Object.keys(values);
  const result = new Function(...names, 'return ' + code)(...names.map(n => values[n]));
  console.log(String(result));
});
"""


@pytest.fixture(scope="session")
def node():
    """The number of an expression with values."""
    engine = Node("formulas in JavaScript", EVALUATE)

    def compute(code: str, values: dict[str, float]) -> float:
        answer = engine.ask({"code": code, "values": values})
        return float(answer.strip().replace("Infinity", "inf"))

    yield compute
    engine.close()


@pytest.fixture
def run(run_gainful):
    """What a person reads of a command: what it prints, or the message of a mistake."""
    return lambda *words, **options: run_gainful(*words, **options).answer


@pytest.fixture(scope="session")
def ranx():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ranx")


@pytest.fixture(scope="session")
def browser():
    """One browser for all pages; what is opened in it is closed by the test."""
    path = require_command("pages in a browser", "chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield instance
        instance.close()


def pytest_ignore_collect(collection_path):
    """A file whose packages are not all installed is left out, unless everything is required."""
    if collection_path.suffix != ".py":
        return None
    missing = find_missing(collection_path)
    return True if missing and not (REQUIRE_ALL and missing - OPTIONAL) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that meets a package that is not installed is named as not run."""
    report = yield
    failure = call.excinfo.value if call.excinfo else None
    if isinstance(failure, ModuleNotFoundError | NotInstalled) and not REQUIRE_ALL:
        report.outcome = "skipped"
        path, line, _ = item.location
        report.longrepr = (path, line, f"Skipped: {item.nodeid} ({failure})")
    return report


def pytest_terminal_summary(terminalreporter):
    for path in sorted(TESTS.glob("test_*.py")):
        if missing := find_missing(path):
            names = ", ".join(sorted(missing))
            terminalreporter.write_line(f"not run: tests/{path.name} (needs {names})")
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = (report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for part in dict.fromkeys(reasons):
        terminalreporter.write_line(f"not run: {part}")
