"""Commands of runs that take whole sessions too: `--sessions FILE...`, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click
from attrs import frozen
from click.core import ParameterSource

from gainful.cli.command import PATH
from gainful.cli.declare import Decorator, own_option
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import CHOOSE_SESSIONS
from gainful.cli.output import refuse_overwriting
from gainful.convention import SETTINGS
from gainful.evidence.comparisons.study_tests import STUDY_TESTS
from gainful.evidence.statistics.paired_tests import TEST_NAMES

ALL_TESTS = tuple(dict.fromkeys((*TEST_NAMES, *STUDY_TESTS)))
BLOCK = own_option(
    *("--block",),
    group="Statistics",
    multiple=True,
    metavar="COLUMN",
    help="With --sessions: whose effects are taken out; the first says whose assignments are "
    "exchanged. [searcher, scenario]",
)
SESSION_QRELS = own_option(
    *("--qrels", "session_qrels"),
    metavar="FILE",
    type=PATH,
    help="With --sessions, instead of QRELS: judgments by topic.",
)
_STUDY_OPTIONS = ("session_qrels", "by", "block", *CHOOSE_SESSIONS)
_IN_THE_MEASURE = (*(name for name in SETTINGS if name not in ("ties", "unjudged")), "run_format")
_READ_WITH_RUNS = ("baseline", "alpha", "like", "qrels_format", "columns", "unjudged")


def declare_sessions(help_text: str) -> Decorator:
    """`--sessions FILE...`; further files follow it, where runs would stand."""
    return own_option(*("--sessions",), metavar="FILE...", type=PATH, help=help_text)


@frozen
class StudyInputs:
    """What is read of sessions: files, their judgments, and options by name for a call."""

    files: list[str]
    qrels: str | None
    measures: tuple[str, ...] | None
    options: dict[str, Any]


def take_study(
    sessions: str,
    words: tuple[str | None, ...],
    outputs: Mapping[str, str | None],
    options: Mapping[str, Any],
) -> StudyInputs:
    """The sessions that a command was given; what belongs to runs alone is refused.

    Args:
        sessions: the first file.
        words: what else was named, where runs would stand.
        outputs: what is written, by what it is called in a message.
        options: all that were given.
    """
    files = [sessions, *(word for word in words if word is not None)]
    if len(files) == 1:
        refuse_options(options, ("cluster",), "is of runs: a session is taken whole")
    refuse_options(options, _IN_THE_MEASURE, "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'")
    qrels = options["session_qrels"]
    if qrels is None:
        refuse_options(options, ("qrels_format",), "is of judgments: name them with --qrels FILE")
    refuse_two_pipes(*files, qrels)
    for flag, output in outputs.items():
        refuse_overwriting(output, (*files, qrels, options["topics"]), flag)
    shared = {
        "by": options["by"],
        "block": options["block"] or None,
        **{name: options[name] for name in _READ_WITH_RUNS},
        **parse_reading(dict(options)),
    }
    return StudyInputs(files, qrels, options["measures"] or None, shared)


def refuse_study_options(options: Mapping[str, Any], shared: Iterable[str] = ()) -> None:
    """What is of sessions alone does nothing without them."""
    names = [name for name in _STUDY_OPTIONS if name not in shared]
    refuse_options(options, names, "is of sessions: name them with --sessions FILE")


def refuse_options(options: Mapping[str, Any], names: Iterable[str], why: str) -> None:
    """An option that does nothing here is a mistake, not a silence."""
    source = click.get_current_context().get_parameter_source
    for name in names:
        if (
            options[name] not in (None, (), False)
            and source(name) is not ParameterSource.ENVIRONMENT
        ):
            option = "qrels" if name == "session_qrels" else name.replace("_", "-")
            raise click.UsageError(f"--{option} {why}")
