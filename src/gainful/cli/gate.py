"""`gainful gate`: is this run good enough to ship?"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

from gainful.api.evaluate import holds_qrels_and_run
from gainful.api.gate import judge_run
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.options import CONVENTION, READ_RUNS, option, options, refuse_idle_options
from gainful.cli.output import deliver, refuse_overwriting, usual_form
from gainful.errors import BadValue
from gainful.evidence.gates.rules import ALLOWANCES, Rules
from gainful.evidence.gates.verdict import Verdict
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.text import NUMBER_PATTERN

_FORMATS = ("table", "markdown", "json", "junit")
_SUMMARY = "GITHUB_STEP_SUMMARY"  # the file whose Markdown GitHub shows on the page of a build


Bounds = list[tuple[str, float]]


def _parse_bounds(_: object, parameter: click.Parameter, texts: tuple[str, ...]) -> Bounds:
    """MEASURE=VALUE: split at the last =, as a measure may hold others."""
    bounds: Bounds = []
    for text in texts:
        measure, _, value = (part.strip() for part in text.rpartition("="))
        if not measure or not re.fullmatch(NUMBER_PATTERN, value, re.ASCII):
            example = "MEASURE=VALUE, such as nDCG@10=0.45"
            raise BadValue(parameter.opts[0], text, example)
        bounds.append((measure, float(value)))
    return bounds


@click.command(short_help="Is this run good enough to ship?")
@click.argument("qrels")
@click.argument("run", required=False)
@option(
    "measures",
    help="Such as nDCG@10; may be repeated. [those that have a rule; else the baseline's; else "
    "nDCG@10, AP, RR]",
)
@click.option(
    "--floor",
    "floors",
    multiple=True,
    metavar="M=V",
    callback=_parse_bounds,
    help="The mean of measure M must not be below V; may be repeated.",
)
@click.option("--baseline", metavar="FILE", help="What an earlier run scored, to hold it against.")
@click.option(
    "--max-drop",
    multiple=True,
    metavar="M=V",
    callback=_parse_bounds,
    help="M must not drop by more than V from the baseline; may be repeated.",
)
@click.option(
    "--significant",
    type=float,
    metavar="ALPHA",
    help="No measure may be significantly worse than the baseline (one-sided, Holm-corrected).",
)
@click.option("--save-baseline", metavar="FILE", help="Save the run as a baseline, if it passes.")
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(list(ALLOWANCES)),
    help="Compare although this is not the baseline's; may be repeated.",
)
@click.option(
    "--test",
    type=click.Choice(list(TESTS)),
    default="randomisation",
    show_default=True,
    help="How --significant tests.",
)
@option("seed", help="Where chance begins.")
@option("resamples", help="How often it is drawn.")
@option(
    "form",
    type=click.Choice(("text", *_FORMATS[1:])),
    help="How to print it. [text, or by the suffix of -o]",
)
@options("output", *READ_RUNS, *CONVENTION)
def gate(
    qrels: str,
    run: str | None,
    measures: tuple[str, ...],
    *,
    floors: Bounds,
    baseline: str | None,
    max_drop: Bounds,
    significant: float | None,
    save_baseline: str | None,
    form: str | None,
    output: str | None,
    allow: tuple[str, ...],
    test: str,
    seed: int,
    resamples: int,
    **options: Any,
) -> int:
    """Is this RUN good enough to ship, by these QRELS?

    For builds: fails when a mean is below its floor or, against a baseline, when a measure drops by
    more than its bound or significantly. Says which queries to look at first. The baseline
    keeps the values of each query; one of another convention or of other judgments is refused.
    Where GITHUB_STEP_SUMMARY names a file, the verdict is added to it.

    Exit status: 0 passed, 1 failed, 2 something is wrong with what was given.

    \b
    Examples:
      gainful gate qrels.txt run.txt --floor nDCG@10=0.45
      gainful gate qrels.txt run.txt -m nDCG@10 -m AP --save-baseline baseline.json
      gainful gate qrels.txt run.txt --baseline baseline.json --max-drop nDCG@10=0.01
      gainful gate qrels.txt run.txt -m nDCG@10 --baseline baseline.json --significant 0.05
      gainful gate qrels.txt run.txt --floor 'nDCG(gain=exp)@10=0.4' -o gate.xml
    """
    if significant is None:
        refuse_idle_options(("test", "seed", "resamples"), "is of --significant")
    _refuse_no_rule(
        needs_baseline=bool(max_drop) or significant is not None,
        has_rules=bool(floors or max_drop) or significant is not None,
        baseline=baseline,
        save_baseline=save_baseline,
    )
    form = "table" if form == "text" else form or usual_form(output, _FORMATS)
    if run is None and not holds_qrels_and_run(qrels, options["columns"]):
        raise click.UsageError("name a RUN: gainful gate QRELS RUN --floor nDCG@10=0.45")
    refuse_two_pipes(qrels, run, baseline)
    run = run or qrels
    _refuse_files(qrels, run, baseline, save_baseline, output)
    rules = Rules(
        floors=floors,
        max_drop=max_drop,
        significant=significant,
        test=test,
        seed=seed,
        resamples=resamples,
        allow=allow,
    )
    verdict = judge_run(
        qrels,
        run,
        rules,
        baseline=baseline,
        measures=measures or None,
        save_to=save_baseline,
        name=name_runs((run,))[0],
        **options,
    )
    deliver(verdict.page(), form, output, save=verdict.save_baseline)
    _append_summary(verdict)
    return 0 if verdict.passed else 1


def _refuse_no_rule(
    *, has_rules: bool, needs_baseline: bool, baseline: str | None, save_baseline: str | None
) -> None:
    if not has_rules and save_baseline is None:
        raise click.UsageError(
            "a gate without a rule lets everything through: name --floor, --max-drop or "
            "--significant, or --save-baseline"
        )
    if needs_baseline and baseline is None:
        raise click.UsageError("--max-drop and --significant need --baseline FILE")


def _refuse_files(
    qrels: str, run: str, baseline: str | None, save_baseline: str | None, output: str | None
) -> None:
    """Each file is one thing: what is read is not written over, and a baseline is no input."""
    if save_baseline == "-":
        raise click.UsageError("--save-baseline needs a FILE; the verdict is printed")
    inputs = (qrels, run)
    refuse_overwriting(output, (*inputs, *([baseline] if baseline else [])))
    refuse_overwriting(save_baseline, inputs, "--save-baseline")
    for path in inputs:
        if baseline is not None and _is_same_file(baseline, path):
            raise click.UsageError(f"--baseline {baseline} is what is judged")
    if save_baseline is not None and output is not None and _is_same_file(save_baseline, output):
        raise click.UsageError(f"--save-baseline and -o are both {output}")


def _is_same_file(first: str, second: str) -> bool:
    return first != "-" and os.path.realpath(first) == os.path.realpath(second)


def _append_summary(verdict: Verdict) -> None:
    """Add the verdict to the page of the build; that this fails must not change it."""
    path = os.environ.get(_SUMMARY)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(verdict.to_markdown() + "\n\n")
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        click.echo(f"gainful: warning: {_SUMMARY} cannot be written: {reason}", err=True)
