"""Commands of runs that take whole sessions too: `--sessions FILE...`, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gainful.cli.answer import parse_reading
from gainful.cli.command import PATH
from gainful.cli.options import CHOOSE_SESSIONS, Row, option, refuse_idle_options
from gainful.convention import SETTINGS
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.read.several_systems import SYSTEM

_OF_STUDIES = ("session_qrels", "by", "block", *CHOOSE_SESSIONS)
IN_THE_MEASURE = (*(name for name in SETTINGS if name not in ("ties", "unjudged")), "run_format")
_READ_WITH_RUNS = ("baseline", "alpha", "like", "qrels_format", "columns", "unjudged")


def SESSIONS(text: str) -> tuple[Row, ...]:  # noqa: N802  (a row of the table but for its help)
    """`--sessions FILE...`, its judgments and systems; further files stand where runs would."""
    return (
        Row("--sessions", "FILE...", text, type=PATH),
        option("session_qrels"),
        option("by", f"With --sessions: what names the system. [{SYSTEM}]", metavar="COLUMN"),
    )


def take_study(options: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Sessions, judgments and measures, and options of reading; what is of runs is refused."""
    files = [options["sessions"], options["qrels"], *options["runs"].values()]
    files = [path for path in files if path is not None]
    if len(files) == 1:
        refuse_idle_options(("cluster",), "is of runs: a session is taken whole")
    refuse_idle_options(IN_THE_MEASURE, "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'")
    qrels = options["session_qrels"]
    if qrels is None:
        refuse_idle_options(("qrels_format",), "is of judgments: name them with --qrels FILE")
    shared = select(options, _READ_WITH_RUNS) | parse_reading(dict(options))
    shared |= {"by": options["by"], "block": options["block"] or None}
    return (files, qrels, options["measures"]), shared


def refuse_study_options(shared: Iterable[str] = ()) -> None:
    """What is of sessions alone does nothing without them."""
    names = [name for name in _OF_STUDIES if name not in shared]
    refuse_idle_options(names, "is of sessions: name them with --sessions FILE")


def refuse_certain(test: str | None) -> None:
    """A test that leaves nothing to chance has no seed."""
    if test is not None and test in TESTS and not TESTS[test].resampled:
        why = f"does nothing: the {TESTS[test].words} leaves nothing to chance"
        refuse_idle_options(("seed", "resamples"), why)


def select(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Some of the options."""
    return {name: options[name] for name in names}
