"""Runs as commands name them."""

from __future__ import annotations

from pathlib import Path

import click


def refuse_two_pipes(*paths: str | None) -> None:
    """Only one thing can come through the pipe."""
    if paths.count("-") > 1:
        raise click.UsageError("only one file can be - (standard input)")


def name_runs(runs: tuple[str, ...]) -> list[str]:
    """Runs by the names of their files, as short as they can be told apart."""
    short = ["stdin" if run == "-" else Path(run).name for run in runs]
    plain = [name.split(".")[0] or name for name in short]
    for names in (plain, short, list(runs)):
        if len(set(names)) == len(runs):
            return names
    raise click.UsageError("the same RUN is named twice")
