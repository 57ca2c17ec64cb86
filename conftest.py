"""What all tests share: the command, which workers run what, and the examples of documents.

Every example in Python in the README and in docs/ is run; the commands, by `python -m tools.docs
--check` in `make check`.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

if (folder := os.environ.get("COVERAGE")) and (
    "PYTEST_XDIST_WORKER" in os.environ or "-n" not in sys.argv
):  # where tests run, and before gainful is imported: what only hands them out would load it all
    from tools.coverage import Coverage

    COVERAGE = Coverage(folder)

from tools.commands import Outcome, call_gainful, forget_registered

REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"

gc.disable()  # until all modules are loaded, which stay

# Spark's workers are to be this very Python, whatever python3 is on the path.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def pytest_configure(config: pytest.Config) -> None:
    """Coverage is written at the end, where it is measured."""
    if "COVERAGE" in globals():
        config.pluginmanager.register(COVERAGE)


# Large packages that no one has to have, not even CI; what needs them is named as not run.
OPTIONAL = {"torch"}
collect_ignore = (
    ["src/gainful/torch.py", "src/gainful/measure/counting_kernel.py"]
    if find_spec("torch") is None
    else []
)

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


@pytest.hookimpl(optionalhook=True)  # xdist need not be installed
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Parts in the order of the tests, one after the other, for `-n … --dist loadfile`."""
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415  (only with -n)

    class PartScheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return find_part(nodeid)

    config.option.loadscopereorder = False
    return PartScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@cache
def find_missing(page: Path) -> frozenset[str]:
    """The packages that examples of a page import and that are not installed."""
    imports = re.findall(
        r"^\s*(?:>>> )?(?:import|from) (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    return frozenset(package for package in imports if find_spec(package) is None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest parts first; the order within a part stays.

    Pages whose packages are not all installed are named as not run, unless everything is required.
    """
    for item in items:
        missing = find_missing(item.path) if item.path.suffix == ".md" else frozenset()
        if missing and not (REQUIRE_ALL and missing - OPTIONAL):
            needs = f"{item.path.name} (needs {', '.join(sorted(missing))})"
            item.add_marker(pytest.mark.skip(reason=needs))
    order = {name: place for place, name in enumerate(PARTS)}
    items.sort(key=lambda item: order.get(find_part(item.nodeid), len(order)))


def pytest_collection_finish() -> None:
    """What is loaded by now is never garbage: a tenth of the time went into looking through it."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """What a test registers is forgotten after it; what a page does, at its end."""
    yield
    forget_registered()


@pytest.fixture(scope="session")
def run_gainful() -> Callable[..., Outcome]:
    """The command, called in this process: `run_gainful("eval", "qrels", "run").out`.

    It must end with `status` (0 unless told otherwise; None for any). Other options are those of
    `tools.commands.call_gainful`: `stdin`, `tty`, `width`, `encoding`, `folder`.
    """

    def run(*words: object, status: int | None = 0, **options: Any) -> Outcome:
        outcome = call_gainful(*words, **options)
        assert status is None or outcome.status == status, outcome
        return outcome

    return run


@pytest.fixture(scope="session")
def run_python() -> Callable[[str], str]:
    """What a new Python prints: for what depends on which modules are loaded."""

    def run(code: str) -> str:
        words = [sys.executable, "-c", code]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    return run


def check_java(names: dict[str, Any]) -> None:
    """Pages may leave out what needs Java; where everything is required, nothing is left out."""
    names["java"] = REQUIRE_ALL or shutil.which("java") is not None


def forget_page(names: dict[str, Any]) -> None:
    """At the end of a page, forget its names and what it registered."""
    names.clear()
    forget_registered()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["*.md"],
    excludes=["api.md", "api/*.md"],  # built with the site; its examples are those of docstrings
    setup=check_java,
    teardown=forget_page,
).pytest()
