"""Does `gainful trec_eval` print what a real trec_eval prints, for random files and flags?

    python -m tools.agree_trec_eval --binary PATH --as 10 --cases 1000 --seed 1

Both print the same bytes and exit with the same status, or the difference has a cause that
docs/trec-eval.md lists. Prints a table of causes, and the first cases without one. Ends with
status 1 if there is such a case.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner
from tools.trec_eval_cases import Case, make_case

from gainful.cli.trec_eval import trec_eval as trec_eval_command
from gainful.measure.names import TREC_NAMES

GAIN_MEASURES = tuple(name for name, entry in TREC_NAMES.items() if entry.kind == "gains")
MAX_SHOWN = 20


class Printed(NamedTuple):
    """What a command printed, and its exit status (below 0: killed by a signal)."""

    stdout: bytes
    status: int
    stderr: str = ""


class Cause(NamedTuple):
    """A difference that docs/trec-eval.md lists: its heading there, and how it is known."""

    heading: str
    explains: Callable[[Case, Printed, Printed], bool]


def differs_in(real: Printed, ours: Printed, *names: str) -> bool:
    """Are all lines that differ lines of these measures?"""
    real_lines, our_lines = real.stdout.split(b"\n"), ours.stdout.split(b"\n")
    if len(real_lines) != len(our_lines) or real.status != ours.status:
        return False
    pairs = zip(real_lines, our_lines, strict=True)
    wrong = [line.decode("latin-1") for line, other in pairs if line != other]
    starts = [line.removeprefix("Z") for line in wrong]
    return all(line.startswith(names) for line in starts)


def refuses_word(ours: Printed) -> bool:
    """Did we refuse a text that is no number?"""
    phrases = ("is not a number", "gains by grade", "numbers, separated by commas")
    return ours.status == 2 and any(phrase in ours.stderr for phrase in phrases)


def has_fractional_gain(case: Case) -> bool:
    """Is there a gain such as 2.5?"""
    return any("." in measure.partition("=")[2] for measure in case.measures)


CAUSES = (
    Cause("Crashes", lambda _case, real, _ours: real.status < 0),
    Cause("Words for numbers", lambda _case, _real, ours: refuses_word(ours)),
    Cause("rbp", lambda _case, real, ours: differs_in(real, ours, "rbp ", "rbp_", "rbp:")),
    Cause(
        "Gains that differ by less than 1",
        lambda case, real, ours: (
            has_fractional_gain(case) and differs_in(real, ours, *GAIN_MEASURES, "rbp")
        ),
    ),
)


def run_real(binary: str, flags: list[str]) -> Printed:
    """What the real one prints in this folder."""
    words = [binary, *flags, "qrels", "run"]
    done = subprocess.run(words, capture_output=True, check=False, timeout=60)  # noqa: S603
    return Printed(done.stdout, done.returncode)


def run_ours(version: int, flags: list[str]) -> Printed:
    """What ours prints in this folder."""
    words = [*(["--as", "9"] if version == 9 else []), *flags, "qrels", "run"]
    done = CliRunner().invoke(trec_eval_command, words, standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return Printed(f"{done.exception!r}".encode(), 70)
    return Printed(done.stdout_bytes, done.return_value, done.stderr)


def write_case(case: Case, folder: Path) -> None:
    """The files of a case, and its flags for a reader."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("qrels", "run", "zscores"):
        (folder / name).write_bytes(getattr(case, name))
    (folder / "flags").write_text(repr(case.flags), encoding="utf-8")


def explain(case: Case, real: Printed, ours: Printed) -> str:
    """Why they differ, by its heading in the docs; empty if nobody knows."""
    return next((cause.heading for cause in CAUSES if cause.explains(case, real, ours)), "")


def show_difference(number: int, case: Case, real: Printed, ours: Printed) -> None:
    """A case that nobody explains, in a few lines."""
    flags = " ".join(case.flags)
    print(f"case {number}: {flags}: status {real.status}, ours {ours.status} {ours.stderr.strip()}")
    pairs = zip(real.stdout.split(b"\n"), ours.stdout.split(b"\n"), strict=False)
    for line, other in [pair for pair in pairs if pair[0] != pair[1]][:2]:
        print(f"    {line!r}\n    {other!r}")


def compare_cases(arguments: argparse.Namespace) -> Counter[str]:
    """How many cases are the same, or why they are not."""
    counts: Counter[str] = Counter()
    binary = str(Path(arguments.binary).resolve())
    kept = Path(arguments.keep).resolve() if arguments.keep else None
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for number in range(arguments.cases):
            case = make_case(f"{arguments.seed}/{number}", arguments.version)
            write_case(case, Path(folder))
            real, ours = run_real(binary, case.flags), run_ours(arguments.version, case.flags)
            same = real[:2] == ours[:2]
            cause = "the same" if same else explain(case, real, ours) or "NOT EXPLAINED"
            counts[cause] += 1
            if cause == "NOT EXPLAINED" and counts[cause] <= MAX_SHOWN:
                show_difference(number, case, real, ours)
                if kept is not None:
                    write_case(case, kept / str(number))
    return counts


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compare gainful trec_eval with a real trec_eval.")
    parser.add_argument("--binary", default=os.environ.get("TREC_EVAL"), help="path of trec_eval")
    parser.add_argument("--as", dest="version", type=int, choices=(9, 10), default=10)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the cases that nobody explains")
    return parser.parse_args()


def main() -> int:
    """Compare case by case, and print a table."""
    arguments = parse_arguments()
    if not arguments.binary:
        print("no trec_eval: set TREC_EVAL or --binary")
        return 2
    counts = compare_cases(arguments)
    print(f"trec_eval {arguments.version}: {arguments.cases} cases, seed {arguments.seed}")
    for name, count in counts.most_common():
        print(f"{count:8} {name}")
    return 1 if counts["NOT EXPLAINED"] else 0


if __name__ == "__main__":
    sys.exit(main())
