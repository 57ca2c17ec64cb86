"""How commands read runs: their names, and the results of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gainful.cli.options import Decorator, like_option, plugin_option, setting_options
from gainful.cli.output import values_options
from gainful.convention import SETTINGS
from gainful.read.formats import FORMATS

_INPUT_FORMATS = click.Choice(list(FORMATS))


def format_options() -> Decorator:
    """`--qrels-format` and `--run-format`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        qrels_option = click.option(
            "--qrels-format", type=_INPUT_FORMATS, help="How judgments are written. [found out]"
        )
        run_option = click.option(
            "--run-format", type=_INPUT_FORMATS, help="How runs are written. [found out]"
        )
        return qrels_option(run_option(command))

    return decorate


def run_options() -> Decorator:
    """What commands share that print values of runs: form, file, quiet, formats, habits."""
    quiet = click.option(
        "-q", "--quiet", is_flag=True, help="No notes on stderr beside TSV, CSV and JSON lines."
    )
    options = (
        *(values_options(), quiet, format_options()),
        *(plugin_option(), like_option(), setting_options(*SETTINGS)),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


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


def name_runs(runs: tuple[str, ...]) -> list[str]:
    """Runs by the names of their files, as short as they can be told apart."""
    short = ["stdin" if run == "-" else Path(run).name for run in runs]
    plain = [name.split(".")[0] or name for name in short]
    for names in (plain, short, list(runs)):
        if len(set(names)) == len(runs):
            return names
    raise click.UsageError("the same RUN is named twice")
