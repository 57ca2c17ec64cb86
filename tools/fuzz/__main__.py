"""`python -m tools.fuzz`: so many cases of every fuzzer, by a seed that is printed.

A finding is printed with what it takes to see it again, kept in the folder that --keep names, and
makes the status 1. Copied into tests/findings/ it is replayed by every run of the tests.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tools.fuzz import (
    arrays,
    columns,
    commands,
    engines,
    files,
    language,
    pages,
    parquet,
    sessions,
    signals,
)
from tools.fuzz.finding import Finding, Fuzzer, Payload

FUZZERS = {
    "language": Fuzzer(language.make, language.check, 0.40),
    "arrays": Fuzzer(arrays.make, arrays.check, 0.40),
    "files": Fuzzer(files.make, files.check, 0.14),
    "commands": Fuzzer(commands.make, commands.check, 0.04),
    "engines": Fuzzer(engines.make, engines.check, 0.0195),
    "pages": Fuzzer(pages.make, pages.check, 0.0005),
    "columns": Fuzzer(columns.make, columns.check, 0.001),
    "parquet": Fuzzer(parquet.make, files.check, 0.001),
    "fields": Fuzzer(files.make_long, files.check, 0.0007),
    "transcripts": Fuzzer(sessions.make_transcript, sessions.check_transcript, 0.0007),
    "topics": Fuzzer(sessions.make_topics, sessions.check_topics, 0.0007),
    "signals": Fuzzer(signals.make, signals.check, 0.0003),
}
_LONGEST = 10  # seconds of a case
_MAX_FINDINGS = 20


@contextmanager
def _limit_time() -> Iterator[None]:
    """A case that takes longer is a finding; where no alarm can stop it, once it has ended."""

    def stop(*_: object) -> None:
        raise Finding(f"it takes more than {_LONGEST} s")

    if not hasattr(signal, "SIGALRM"):  # Windows
        begin = time.monotonic()
        yield
        if time.monotonic() - begin > _LONGEST:
            stop()
        return
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(_LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)


def check_case(kind: str, payload: Payload) -> str | None:
    """What is wrong with what gainful does; None if nothing is."""
    try:
        with warnings.catch_warnings(), _limit_time():
            warnings.simplefilter("error")
            FUZZERS[kind].check(payload)
    except Finding as finding:
        return str(finding)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a trace of any kind; a panic of polars is no Exception)
        return f"{type(error).__name__}: {error}"
    return None


def run_cases(seed: int, count: int, kinds: list[str]) -> Iterator[tuple[str, Payload, str | None]]:
    """Each case with its kind and what is wrong, if anything."""
    weights = [FUZZERS[kind].weight for kind in kinds]
    for number in range(count):
        rng = Random(f"{seed}/{number}")  # noqa: S311  (to find faults, not to keep secrets)
        kind = rng.choices(kinds, weights)[0]
        payload = FUZZERS[kind].make(rng)
        yield kind, payload, check_case(kind, payload)


def main() -> int:
    """Run so many cases; 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--only", choices=FUZZERS, action="append")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.cases} cases")
    begin, counts, problems = time.monotonic(), Counter[str](), 0
    for kind, payload, problem in run_cases(
        options.seed, options.cases, options.only or list(FUZZERS)
    ):
        counts[kind] += 1
        if problem is None:
            continue
        problems += 1
        finding = {"kind": kind, "payload": payload, "problem": problem}
        print(json.dumps(finding)[:2000], flush=True)
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            name = f"{kind}-{options.seed}-{counts[kind]}.json"
            (options.keep / name).write_text(json.dumps(finding, indent=1), encoding="utf-8")
        if problems >= _MAX_FINDINGS:
            break
    minutes = (time.monotonic() - begin) / 60
    by_kind = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(
        f"{problems} findings in {counts.total()} cases ({by_kind}); {counts.total() / minutes:.0f} a minute"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
