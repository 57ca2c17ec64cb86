"""Which lines and branches the tests run, measured by slipcover in every worker of pytest.

`COVERAGE=FOLDER pytest …` measures; `python tools/coverage.py FOLDER [PERCENT]` then adds up what
the workers wrote, prints it, and fails where it is less than so many per cent. slipcover takes its
probes out once they were hit: it costs a tenth of the time of the tests, a tracer as much again.
"""

from __future__ import annotations

import copyreg
import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import slipcover
from slipcover.importer import SlipcoverLoader

SOURCE = str(Path(__file__).parent.parent / "src" / "gainful")


class Loader(SlipcoverLoader):
    """slipcover's loader, which forgets that a package has data too: `gainful` reads its stub."""

    def get_data(self, path: str) -> bytes:
        """The bytes of a file of the package."""
        return self.orig_loader.get_data(path)  # type: ignore[attr-defined,no-any-return]


def let_probes_travel() -> None:
    """Let functions with probes be pickled, as Spark does: a probe arrives as one that sees nothing."""
    from slipcover import probe  # noqa: PLC0415  (before Python 3.12, which needs none)

    def reduce(_: object) -> tuple[Any, ...]:
        return probe.new, (SimpleNamespace(newly_seen=defaultdict(set)), "", 0, 2**31 - 1)

    copyreg.pickle(type(probe.new(None, "", 0, 0)), reduce)


class Coverage:
    """What one process runs of gainful, from here on; modules that were loaded before are not seen."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.cover = slipcover.Slipcover(branch=True, source=[SOURCE], exclude_also=["@overload"])
        slipcover.importer.SlipcoverLoader = Loader
        if sys.version_info < (3, 12):
            let_probes_travel()
        slipcover.ImportManager(self.cover, slipcover.FileMatcher(sources=[SOURCE])).__enter__()

    def pytest_sessionfinish(self) -> None:
        """Write what was seen; the name is that of the worker, so that none writes over another's."""
        self.folder.mkdir(exist_ok=True)
        name = os.environ.get("PYTEST_XDIST_WORKER", "main")
        (self.folder / f"{name}.json").write_text(json.dumps(self.cover.get_coverage()))


def report(folder: str, least: float) -> bool:
    """Print the coverage of all workers together; whether it is enough."""
    parts = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    total = parts[0]
    for part in parts[1:]:
        slipcover.merge_coverage(total, part)
    slipcover.print_coverage(total, skip_covered=True, missing_width=60)
    summary = total["summary"]
    shares = {
        "branches": (summary["covered_branches"], summary["missing_branches"]),
        "lines": (summary["covered_lines"], summary["missing_lines"]),
    }
    for name, (covered, missing) in shares.items():
        print(f"{name}: {100 * covered / (covered + missing):.1f} % of {covered + missing}")
    percent: float = summary["percent_covered"]
    print(f"branch coverage: {percent:.1f} % of lines and branches together")
    return percent >= least


if __name__ == "__main__":
    words = sys.argv[1:]
    if not report(words[0], float(words[1]) if words[1:] else 0):
        sys.exit(f"branch coverage is below {words[1]} %")
