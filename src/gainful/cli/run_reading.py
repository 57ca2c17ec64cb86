"""How commands read runs: their names, and the results of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from gainful.cli.options import Decorator, habit_options, like_option, plugin_option
from gainful.cli.output import values_options
from gainful.cli.progress import progress
from gainful.convention import HABITS, Convention
from gainful.measure.evaluate import of_run
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.formats import FORMATS, read_run
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run

AsRead = Run | Nested | Elsewhere
_INPUTS = click.Choice(list(FORMATS))


def format_options() -> Decorator:
    """`--judgments-format` and `--run-format`."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        judgments = click.option(
            "--judgments-format", type=_INPUTS, help="How judgments are written. [found out]"
        )
        run = click.option("--run-format", type=_INPUTS, help="How runs are written. [found out]")
        return judgments(run(command))

    return decorated


def printing_runs() -> Decorator:
    """What commands share that print values of runs: form, file, quiet, formats, habits."""
    quiet = click.option(
        "-q", "--quiet", is_flag=True, help="No notes on stderr beside TSV, CSV and JSON lines."
    )
    options = (
        *(values_options(), quiet, format_options()),
        *(plugin_option(), like_option(), habit_options(*HABITS)),
    )

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def measures_option() -> Decorator:
    """`-m`: the measures asked for."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help="Such as nDCG@10, nDCG@1,3,5, AP, P_5, ndcg_cut.5,10; may be repeated. "
        "[nDCG@10, AP, RR]",
    )


def refuse_two_pipes(*paths: str | None) -> None:
    """Only one thing can come through the pipe."""
    if paths.count("-") > 1:
        raise click.UsageError("only one file can be - (standard input)")


def names_of(runs: tuple[str, ...]) -> list[str]:
    """Runs by the names of their files, as short as they can be told apart."""
    short = ["stdin" if run == "-" else Path(run).name for run in runs]
    plain = [name.split(".")[0] or name for name in short]
    for names in (plain, short, list(runs)):
        if len(set(names)) == len(runs):
            return names
    raise click.UsageError("the same RUN is named twice")


def evaluated(
    qrels: Judgments | Nested,
    runs: tuple[str, ...],
    run_format: str | None,
    recipes: Mapping[str, Recipe],
    base: Convention,
) -> Iterator[tuple[Results, AsRead]]:
    """The results of each run, one after the other, and the run as it was read."""
    with progress(runs) as advanced:
        for name, path in zip(names_of(runs), runs, strict=True):
            advanced(path)
            read = read_run(path, run_format)
            yield of_run(qrels, read, recipes, base, name), read
