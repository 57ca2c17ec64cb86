"""`gainful figure`: a picture that answers a question, or the tidy data behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from gainful.api.figures import FIGURES, draw_files, find_figure, refuse_several
from gainful.api.sessions import evaluate as evaluate_sessions, holds_systems
from gainful.cli.answer import (
    argument,
    command as build_command,
    deliver,
    deliver_document,
    is_stdout,
)
from gainful.cli.command import PATH, Group
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    CONVENTION,
    READ_LOG,
    READ_RUNS,
    READ_SESSIONS,
    SWEEP_GRID,
    Decorator,
    Row,
    option,
    refuse_idle_options,
    session_convention,
)
from gainful.cli.study import ask
from gainful.page.page import Page, Section
from gainful.page.render import SUFFIXES
from gainful.page.table import Table
from gainful.show.figures.figure import CAPTIONS, PAPER_SIZES, Figure, Look
from gainful.show.picture import WRITERS

_TABLES = {SUFFIXES[form]: form for form in ("csv", "tsv")}
_SUFFIXES = (*WRITERS, *_TABLES)
_LOOK_OPTIONS = ("title", "caption", "size", "width", "height", "dark")

# The options of single figures; each has those that its data take.
_FIGURE_OPTIONS: dict[str, Decorator] = {
    "by": option("by", "A line for each group: --by system."),
    "non_last": option("non_last"),
    "cost": option("cost", "Numbers, or columns: query=50,result=tokens.", required=True),
    "at_least": Row("--at-least N", "Draw sessions of N queries separately. [4]"),
    "queries": Row("--queries N", "Draw the first N queries only. [all]"),
    "query": Row("--query ID", "Draw this query only. [mean over queries]"),
    "interval": option("interval"),
    "resamples": option("interval.resamples"),
    "seed": option("interval.seed"),
}
_SIZE: dict[str, Any] = {"group": "Output", "type": int}
_DRAWING_OPTIONS: tuple[Decorator, ...] = (
    option("output", "Ends in .svg, .png, .pdf, .html, .json; or .csv.", group=""),
    Row("--data wants_data", "Print the tidy data as CSV instead.", group="Output"),
    option("title", group="Output"),
    Row("--caption", "Length of the caption.", choices=CAPTIONS, default="short", group="Output"),
    Row("--size", "Width for a paper: 85 or 180 mm.", choices=PAPER_SIZES, group="Output"),
    Row("--width PIXELS", "Width of the plot.", **_SIZE),
    Row("--height PIXELS", "Height of the plot.", **_SIZE),
    Row("--dark", "Use a dark background.", group="Output"),
)


class Figures(Group):
    """The figures by name; a misspelt one is answered as every misspelt name is."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All of them, in the order of the table."""
        return list(FIGURES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a figure, made from its entry in the table."""
        if ctx.resilient_parsing and cmd_name not in FIGURES:  # a shell that completes asks
            return None
        return _build_command(find_figure(cmd_name))


@click.group(
    "figure", cls=Figures, invoke_without_command=True, short_help="Pictures of sessions and runs."
)
@click.pass_context
def figure(context: click.Context) -> None:
    """Draw a figure of runs or sessions.

    Without a name, lists the figures and the question that each one answers. The caption of a
    figure says how it was made; --data prints its data.

    \b
    Examples:
      gainful figure
      gainful figure sessions study.csv --qrels q.txt --by system -o f2.svg
      gainful figure map study.csv --qrels qrels.txt -o map.svg
      gainful figure differences qrels.txt bm25.txt dense.txt -o differences.png
      gainful figure dots qrels.txt bm25.txt dense.txt -m nDCG@10 -o runs.html
    """
    if context.invoked_subcommand is None:
        rows = [(entry.name, entry.question) for entry in FIGURES.values()]
        more = Section(lines=["gainful figure NAME --help lists the options of each."])
        deliver(Page(sections=[Section(table=Table(("", ""), rows)), more]), "table")


def _build_command(figure: Figure) -> click.Command:
    """The command of a figure: what it is made of, its own options, how it is drawn."""
    inputs = _INPUTS[figure.input_kind]

    def draw(*, output: str | None, **options: Any) -> None:
        look = Look(**{name: options.pop(name) for name in _LOOK_OPTIONS})
        suffix = _choose_suffix(output, options.pop("wants_data"))
        _prepare_options(figure, options)
        refuse_several(options.get("measure"))
        files = inputs.take(options)
        drawing = draw_files(figure.name, *files, look=look, **options)
        if suffix in _TABLES:
            deliver(drawing.page(), _TABLES[suffix], output)
            return
        deliver_document(drawing.to_picture(suffix), str(output))

    draw.__doc__ = f"{figure.question}\n\n\b\nExample:\n  gainful figure {figure.example}"
    names = signature(figure.data).parameters
    rows = [_FIGURE_OPTIONS[name] for name in names if name in _FIGURE_OPTIONS]
    if figure.usual_measures:
        first = figure.usual_measures[0]
        by_clicks = f"; by clicks {first.removeprefix('n')}" if first.startswith("nsDCG") else ""
        usual = f"[{', '.join(figure.usual_measures)}{by_clicks}]"
        several = option("measures", f"May be repeated. {usual}")
        rows.insert(0, several if figure.several_measures else option("measure", usual))
    rows += [*inputs.options, *_DRAWING_OPTIONS]
    words: Any = {"name": figure.name, "short_help": figure.question}
    return build_command(*inputs.arguments, *rows, piped="picture", **words)(draw)


def _take_inputs(options: dict[str, Any]) -> list[Any]:
    """Judgments and runs; sessions, their judgments and the measure; or one of these alone."""
    names = ("files", "qrels", "measure") if "files" in options else ("qrels", "runs")
    return [options.pop(name) for name in names if name in options]


def _take_groups(options: dict[str, Any]) -> tuple[Any, ...]:
    """Judgments and runs, or the results of sessions; options of the other are refused."""
    given = {**options, "measures": options["measure"]}
    options.clear()
    files, reading = ask(
        lambda *inputs, **reading: (inputs, reading),
        lambda *files, **reading: ((evaluate_sessions(*files, **reading),), {}),
        given,
        (),
    )
    options |= reading
    return tuple(files)


@frozen
class _Inputs:
    """What figures are made of: arguments, options of reading, and how both become a call."""

    arguments: tuple[Any, ...]
    options: tuple[Any, ...]
    take: Callable[[dict[str, Any]], Sequence[Any]] = _take_inputs


_SESSION_ARGUMENTS: tuple[Any, ...] = (argument("FILE..."), "qrels")
_INPUTS: Mapping[str, _Inputs] = {
    "sessions": _Inputs(_SESSION_ARGUMENTS, (*READ_SESSIONS, *session_convention())),
    "sweep": _Inputs(
        _SESSION_ARGUMENTS,
        (
            option("by", "Groups to compare.", default="system"),
            *SWEEP_GRID,
            option("points", default=40),
            *(*READ_SESSIONS, "like_sessions"),
        ),
    ),
    "log": _Inputs(_SESSION_ARGUMENTS[:1], READ_LOG),
    "judges": _Inputs((argument("QRELS QRELS..."),), ("qrels_format", "columns")),
    "groups": _Inputs(
        (argument("[QRELS]"), argument("RUN...")),
        (
            option("group", required=True),
            "queries",
            Row("--sessions FILE...", "Draw systems by group of sessions. [sDCG@10]", type=PATH),
            *("session_qrels", *READ_RUNS, *CONVENTION, *CHOOSE_SESSIONS),
        ),
        _take_groups,
    ),
    "runs": _Inputs(
        (argument("QRELS"), argument("RUN...", required=True)), (*READ_RUNS, *CONVENTION)
    ),
}


def _prepare_options(figure: Figure, options: dict[str, Any]) -> None:
    if options.get("interval") is None and not figure.always_resamples:
        refuse_idle_options(options.keys() & {"resamples", "seed"}, "needs --interval")
    if "by" in options and not options["by"]:
        is_of_systems = holds_systems(options["files"], options["sessions_format"])
        options["by"] = ["system"] if is_of_systems else None


def _choose_suffix(output: str | None, wants_data: bool) -> str:
    """The suffix that says what is asked for; without a file only data can be printed."""
    if is_stdout(output):
        if wants_data:
            return SUFFIXES["csv"]
        raise click.UsageError("name a file with -o, such as -o figure.svg, or use --data")
    suffix = Path(str(output)).suffix.lower()
    if suffix not in _SUFFIXES:
        raise click.UsageError(f"-o {output}: FILE must end in {', '.join(_SUFFIXES)}")
    if wants_data and suffix not in _TABLES:
        raise click.UsageError(f"--data is a table: FILE must end in .csv or .tsv, not in {suffix}")
    return suffix
