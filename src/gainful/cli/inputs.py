"""What commands are given: runs by the names of their files, sessions by the options of reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gainful.api.measures import is_measure
from gainful.cli.options import CHOOSE_SESSIONS, refuse_idle_options
from gainful.errors import BadValue
from gainful.text import name_files


def refuse_two_pipes(*paths: str | None) -> None:
    """Only one thing can come through the pipe."""
    if paths.count("-") > 1:
        raise click.UsageError("only one file can be - (standard input)")


def name_runs(runs: tuple[str, ...]) -> dict[str, str]:
    """Runs by the names of their files, as short as they can be told apart."""
    for run in runs:
        refuse_measure(run)
    names = name_files(runs)
    if len(set(names)) < len(runs):
        raise click.UsageError("the same RUN is named twice")
    return dict(zip(names, runs, strict=True))


def refuse_measure(run: str | None) -> None:
    """A measure where a run belongs was meant for -m."""
    if run not in (None, "-") and not Path(run).exists() and is_measure(run):
        raise click.UsageError(
            f"{run}: there is no such file, but a measure of that name; write -m {run}"
        )


def parse_reading(options: dict[str, Any]) -> dict[str, Any]:
    """What options of reading mean to `sessions.evaluate`; they are taken out of `options`."""
    names = (*CHOOSE_SESSIONS, "ties")
    reading = {name: options.pop(name) for name in names if name in options}
    reading["bad"] = reading["bad"] or "error"
    reading["tool"] = list(reading["tool"]) or None
    salt = reading.pop("salt")
    if salt is not None and not reading["anonymise"]:
        refuse_idle_options(["salt"], "is of --anonymise, which is not there")
    reading["anonymise"] = reading["anonymise"] and (True if salt is None else salt)
    reading["where"] = _parse_conditions(reading["where"])
    return reading


def _parse_conditions(where: tuple[str, ...]) -> dict[str, str]:
    conditions = {}
    for condition in where:
        column, equals, value = condition.partition("=")
        if not equals:
            raise BadValue("where", condition, "COLUMN=VALUE, such as scenario=D")
        if column.strip() in conditions:
            raise BadValue("where", condition, f"one condition on {column.strip()}")
        conditions[column.strip()] = value.strip()
    return conditions
