"""Commands of runs that take whole sessions too: `--sessions FILE...`, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from gainful.api.evaluate import holds_qrels_and_run
from gainful.cli.answer import name_runs
from gainful.cli.command import PATH
from gainful.cli.options import CHOOSE_SESSIONS, GROUPS, READ_RUNS, Row, option, refuse_idle_options
from gainful.convention import SETTINGS
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.read.sessions import SYSTEM

T = TypeVar("T")
_RUN_OPTIONS = ("like", *GROUPS, *READ_RUNS, *SETTINGS)
_SESSION_OPTIONS = (
    *("like", *GROUPS, "qrels_format", "columns", "unjudged", "ties", "by", "block"),
    *CHOOSE_SESSIONS,
)
_OF_SESSIONS = ("session_qrels", "by", "block", *CHOOSE_SESSIONS)
_OF_RUNS = {
    "per_query": "applies to runs only; gainful sessions shows single sessions",
    "interactions": "applies to runs only, for Novelty",
    "standardise": "applies to runs only, which all have the same queries",
    "run_format": "applies to runs only; for sessions use --sessions-format",
}
_NUMBERS = {1: "at least one run", 2: "at least two runs"}


def take_sessions(text: str) -> tuple[Row, ...]:
    """`--sessions FILE...`, its judgments and systems; further files stand where runs would."""
    return (
        Row("--sessions FILE...", text, type=PATH),
        option("session_qrels"),
        option("one_by", f"With --sessions: the column of systems. [{SYSTEM}]"),
    )


def ask(
    of_runs: Callable[..., T],
    of_sessions: Callable[..., T],
    options: Mapping[str, Any],
    own: Iterable[str],
    *,
    at_least: int = 1,
    **more: Any,
) -> T:
    """What api says of runs or, with `--sessions`, of sessions; options of the other are refused.

    Passed on are the inputs, the measures, how these are read, the `own` options, and `more`.
    """
    is_of_runs = options["sessions"] is None
    inputs, reading = _take_runs(options, at_least) if is_of_runs else _take_sessions(options)
    names = own if is_of_runs else [name for name in own if name not in _OF_RUNS]
    verb = of_runs if is_of_runs else of_sessions
    return verb(*inputs, options["measures"], **reading, **_select(options, names), **more)


def _take_runs(options: Mapping[str, Any], at_least: int) -> tuple[list[Any], dict[str, Any]]:
    idle = [name for name in _OF_SESSIONS if name in options]
    why = "applies to sessions only: pass them with --sessions FILE"
    refuse_idle_options(["by"], f"{why}; for groups of queries use --group COLUMN")
    refuse_idle_options(idle, why)
    qrels, runs = options["qrels"], options["runs"]
    if qrels is not None and len(runs) == at_least - 1:
        files = [qrels, *runs.values()]
        if all(holds_qrels_and_run(file, options["columns"]) for file in files):
            runs = name_runs(tuple(files))
    if qrels is None or len(runs) < at_least:
        usage = f"{click.get_current_context().command_path} QRELS {'RUN ' * (at_least - 1)}"
        raise click.UsageError(
            f"give QRELS and {_NUMBERS[at_least]}: {usage}RUN… (or --sessions FILE)"
        )
    return [qrels, runs], _select(options, _RUN_OPTIONS)


def _take_sessions(options: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    from gainful.convention.session import SESSION_SETTINGS  # noqa: PLC0415  (runs do without)

    for name, why in _OF_RUNS.items():
        refuse_idle_options((name,), why)
    files = [options["sessions"], options["qrels"], *options["runs"].values()]
    files = [path for path in files if path is not None]
    if len(files) == 1:
        refuse_idle_options(("cluster",), "applies to runs only: sessions stay whole")
    own = [name for name in SETTINGS if name not in _SESSION_OPTIONS]
    in_measures = [name for name in own if name in SESSION_SETTINGS]
    refuse_idle_options(in_measures, "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'")
    refuse_idle_options(own, "applies to runs only: it is no setting of sessions")
    qrels = options["session_qrels"]
    if qrels is None:
        refuse_idle_options(("qrels_format",), "needs judgments: name them with --qrels FILE")
    given = {name: value for name, value in options.items() if value not in (None, ())}
    return [files, qrels], _select(given, _SESSION_OPTIONS)


def refuse_certain(test: str | None) -> None:
    """A test that leaves nothing to chance has no seed."""
    if test is not None and test in TESTS and not TESTS[test].resampled:
        why = f"has no effect: the {TESTS[test].words} uses no random numbers"
        refuse_idle_options(("seed", "resamples"), why)


def _select(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: options[name] for name in names if name in options}
