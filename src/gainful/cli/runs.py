"""Runs that are named on a command line, read and evaluated one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from gainful.cli.progress import progress
from gainful.convention import Convention
from gainful.measure.evaluate import of_run
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.formats import read_judgments, read_run


def evaluated(
    judgments: str,
    runs: tuple[str, ...],
    asked: tuple[Convention, Mapping[str, Recipe]],
    judgments_format: str | None,
    run_format: str | None,
) -> list[Results]:
    """The results of each run, by what was asked for."""
    base, recipes = asked
    names = names_of(runs)
    held = read_judgments(judgments, judgments_format)
    found: list[Results] = []
    with progress(runs) as advanced:
        for name, path in zip(names, runs, strict=True):
            advanced(path)
            found.append(of_run(held, read_run(path, run_format), recipes, base, name))
    return found


def names_of(runs: tuple[str, ...]) -> list[str]:
    """Runs by the names of their files, as short as they can be told apart."""
    short = ["stdin" if run == "-" else Path(run).name for run in runs]
    plain = [name.split(".")[0] or name for name in short]
    for names in (plain, short, list(runs)):
        if len(set(names)) == len(runs):
            return names
    raise click.UsageError("the same RUN is named twice")
