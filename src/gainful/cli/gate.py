"""`gainful gate`: is this run good enough to ship?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from attrs import fields

from gainful.api.evaluate import holds_qrels_and_run
from gainful.api.gate import judge_run
from gainful.cli.answer import (
    argument,
    command,
    deliver,
    is_same_file,
    is_stdout,
    name_runs,
    refuse_overwriting,
)
from gainful.cli.command import OUTPUT, PATH
from gainful.cli.options import (
    CONVENTION,
    GROUPS,
    READ_RUNS,
    Row,
    option,
    parse_bounds,
    refuse_idle_options,
    split_bounds,
)
from gainful.cli.streams import say
from gainful.evidence.gates.rules import ALLOWANCES, Rules
from gainful.evidence.gates.verdict import Verdict
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.measure.build_recipes import USUAL_MEASURES
from gainful.page.render import SUFFIXES
from gainful.page.table import to_one_line
from gainful.text import NUMBER_PATTERN, count_noun

_OWN_SUFFIXES = {"junit": ".xml"}  # of a form that only a verdict has
_RULES = tuple(attribute.name for attribute in fields(Rules))
_SUMMARY = "GITHUB_STEP_SUMMARY"  # the file whose Markdown GitHub shows on the page of a build
_BOUNDS: dict[str, Any] = {"multiple": True, "callback": parse_bounds}


class _Level(click.types.FloatParamType):
    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            return float(super().convert(value, param, ctx))
        except click.BadParameter:
            problem = f"{value!r} is not a level, such as 0.05; -m names measures"
            return self.fail(problem, param, ctx)


def _parse_query_bounds(
    _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> list[tuple[str, tuple[float, int]]]:
    pattern = rf"({NUMBER_PATTERN})\s*:\s*(\d+)"
    bounds = split_bounds(parameter, texts, pattern, "MEASURE=DROP:COUNT, such as nDCG@10=0.3:2")
    return [(measure, (float(value[1]), int(value[2]))) for measure, value in bounds]


@command(
    argument("QRELS"),
    argument("[RUN]"),
    option(
        "measures",
        "Such as nDCG@10; may be repeated. [those with a rule; else the baseline's; else "
        f"{', '.join(USUAL_MEASURES)}]",
    ),
    Row(
        "--floor floors M=V",
        "The mean of measure M must not be below V; may be repeated. With --group, GROUP:M=V "
        "applies to one group, *:M=V to each; also in --ceiling, --max-drop.",
        **_BOUNDS,
    ),
    Row(
        "--ceiling ceilings M=V",
        "The mean of M (lower is better) must not be above V; may be repeated.",
        **_BOUNDS,
    ),
    *GROUPS,
    option("baseline", "Values of an earlier run to compare with.", metavar="FILE", type=PATH),
    Row(
        "--max-drop M=V",
        "M must not be worse than the baseline by more than V: drop, or rise where lower is "
        "better; may be repeated.",
        **_BOUNDS,
    ),
    Row(
        "--significant ALPHA",
        "No measure may be significantly worse than the baseline (one-sided, Holm-corrected).",
        type=_Level(),
    ),
    Row(
        "--no-worse-than M=V",
        "M must be shown to be worse than the baseline by less than V (non-inferiority, one-sided "
        "interval); may be repeated.",
        **_BOUNDS,
    ),
    Row(
        "--per-query M=V:N",
        "At most N queries may become worse by more than V in M; may be repeated.",
        multiple=True,
        callback=_parse_query_bounds,
    ),
    Row(
        "--error-rates",
        "Print how often these rules stop a build that is no worse, and which drop they catch. "
        "Always printed when a baseline is saved.",
    ),
    Row(
        "--save-baseline FILE",
        "Save the run as a baseline, if it passes; FILE may be that of --baseline.",
        type=OUTPUT,
        replaces="baseline",
    ),
    Row(
        "--allow",
        "What may differ from the baseline; may be repeated.",
        choices=ALLOWANCES,
        multiple=True,
    ),
    option(
        "test",
        "Test for --significant, drift and the limits of --no-worse-than.",
        type=click.Choice(list(TESTS)),
    ),
    option("alpha", "Level of the limits of --no-worse-than, and of drift."),
    *("cluster", "seed", "resamples"),
    option("text_form", type=click.Choice((*SUFFIXES, *_OWN_SUFFIXES))),
    *("output", "verbose", *READ_RUNS, *CONVENTION),
    piped="table",
    own_suffixes=_OWN_SUFFIXES,
)
def gate(
    *,
    qrels: str,
    run: str | None,
    baseline: str | None,
    save_baseline: str | None,
    form: str,
    output: str | None,
    verbose: bool,
    **options: Any,
) -> int:
    """Is this RUN good enough to ship, by these QRELS?

    For builds. The gate fails if a mean is below its floor. Against a baseline it also fails if a
    measure drops by more than its bound, or significantly, if it is not shown to be within a margin
    (--no-worse-than), or if too many queries drop. It lists the queries to look at first.
    A baseline stores the value of each query; one with another convention or other judgments is
    refused. A baseline that replaces another one keeps the first of them as an anchor: a run that
    is significantly worse than the anchor fails too.
    If GITHUB_STEP_SUMMARY names a file, the verdict is added to it.

    Exit status: 0 passed, 1 failed, 2 invalid input or options.

    \b
    Examples:
      gainful gate qrels.txt run.txt --floor nDCG@10=0.45
      gainful gate answers.jsonl --floor '*:R@5=0.6' --group category
      gainful gate qrels.txt run.txt -m nDCG@10 --save-baseline base.json
      gainful gate qrels.txt run.txt --baseline base.json --max-drop nDCG@10=0.01
      gainful gate qrels.txt run.txt --baseline base.json --significant 0.05
      gainful gate qrels.txt run.txt --baseline b.json --no-worse-than AP=0.02
      gainful gate qrels.txt run.txt --baseline b.json --per-query AP=0.3:2
      gainful gate qrels.txt run.txt --floor 'nDCG(gain=exp)@10=0.4' -o gate.xml
    """
    rules = Rules(**{name: options.pop(name) for name in _RULES})
    if baseline is None or not (rules.needs_baseline or save_baseline):
        refuse_idle_options(
            ("test", "alpha", "cluster", "seed", "resamples"), "needs tests against a baseline"
        )
    if run is None and not holds_qrels_and_run(qrels, options["columns"]):
        raise click.UsageError("name a RUN: gainful gate QRELS RUN --floor nDCG@10=0.45")
    run = run or qrels
    if save_baseline == "-":
        raise click.UsageError("--save-baseline needs a FILE; the verdict is printed")
    if baseline is not None and any(is_same_file(baseline, path) for path in (qrels, run)):
        raise click.UsageError(f"--baseline {baseline} is also an input: name another file")
    if os.environ.get(_SUMMARY):
        refuse_overwriting(os.environ[_SUMMARY], _SUMMARY)
    (name,) = name_runs((run,))
    verdict = judge_run(
        *(qrels, run, rules), baseline=baseline, save_to=save_baseline, name=name, **options
    )
    deliver(verdict.page(verbose=verbose), form, output, beside=verdict.files_to_save())
    if not verdict.passed and not is_stdout(output):
        first, *others = verdict.broken_checks
        more = f" (and {count_noun(len(others), 'other rule')})" if others else ""
        say(to_one_line(f"FAILED: {first.message}{more}; wrote {output}"))
    _append_summary(verdict)
    return 0 if verdict.passed else 1


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
        say(f"warning: {_SUMMARY} cannot be written: {reason}")
