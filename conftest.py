"""Every example in the README and in docs/ is run: Python by its prompt, commands by theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from gainful.measure import DISCOUNTS, GAINS, MEASURES, PARAMETERS

# Spark's workers are to be this very Python, whatever python3 is on the path.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
TABLES = [(table, {*table}) for table in (MEASURES, GAINS, DISCOUNTS, PARAMETERS)]


def forget(names: dict[str, Any] | None = None) -> None:
    """Forget the measures and formulas that were registered, and the names of a page."""
    if names is not None:
        names.clear()
    for table, builtin_names in TABLES:
        for name in table.keys() - builtin_names:
            del table[name]


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """What a test registers is forgotten after it; what a page does, at its end."""
    yield
    forget()


def run_console(example: Example) -> str | None:
    """Run each `$ command` of a console block and compare what it prints with what follows it."""
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    for block in ("\n" + example.parsed).split("\n$ ")[1:]:
        command, _, expected = block.partition("\n")
        done = subprocess.run(
            command, shell=True, capture_output=True, text=True, check=False, env=environment
        )
        printed = (done.stdout + done.stderr).strip("\n")
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
