"""`gainful figure`: a picture that answers a question, or the tidy data behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from gainful.api.figures import FIGURES, draw_files, find_figure
from gainful.api.sessions import holds_systems
from gainful.cli.command import PATH, Group, command as build_command
from gainful.cli.declare import Decorator, own_option
from gainful.cli.inputs import name_runs, parse_reading, refuse_two_pipes
from gainful.cli.options import (
    CONVENTION,
    READ_LOG,
    READ_RUNS,
    READ_SESSIONS,
    SESSION_CONVENTION,
    SWEEP_GRID,
    option,
    options as take_options,
)
from gainful.cli.output import deliver, deliver_document, is_stdout, refuse_overwriting
from gainful.page.page import Page, Section
from gainful.page.render import SUFFIXES
from gainful.page.table import Table
from gainful.show.figures.drawing import Drawing
from gainful.show.figures.figure import Figure, Look
from gainful.show.picture import WRITERS

_TABLES = {SUFFIXES[form]: form for form in ("csv", "tsv")}
_SUFFIXES = (*WRITERS, *_TABLES)
_LOOK_OPTIONS = ("title", "width", "height", "dark")

# The options of single figures; each has those that its data take.
_FIGURE_OPTIONS: dict[str, Decorator] = {
    "by": option("by", help="A line for each group: --by system."),
    "non_last": option("non_last"),
    "cost": option("cost", required=True, help="Numbers, or columns: query=50,result=tokens."),
    "at_least": own_option(
        "--at-least", type=int, metavar="N", help="Sessions of N queries are drawn apart. [4]"
    ),
    "queries": own_option(
        "--queries", type=int, metavar="N", help="Draw the first N queries only. [all]"
    ),
    "query": own_option("--query", metavar="ID", help="Of this query alone. [mean over queries]"),
    "interval": option("interval"),
    "resamples": option("interval.resamples"),
    "seed": option("interval.seed"),
}
_DRAWING_OPTIONS: tuple[Decorator, ...] = (
    option("output", group="", help="Ends in .svg, .png, .pdf, .html, .json; or .csv."),
    own_option(
        *("--data", "wants_data"),
        group="Output",
        is_flag=True,
        help="Print the tidy data as CSV instead.",
    ),
    option("title", group="Output"),
    own_option("--width", group="Output", type=int, metavar="PIXELS", help="Of the plot."),
    own_option("--height", group="Output", type=int, metavar="PIXELS", help="Of the plot."),
    own_option("--dark", group="Output", is_flag=True, help="On a dark background."),
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
    """Draw a figure: the paper's four of sessions, those of single rankings, who wins for whom.

    Without a name: which figures there are, and what question each answers. The caption of a figure
    says what produced it; --data gives what it is made of.

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
        more = Section(lines=["gainful figure NAME --help tells what each takes."])
        deliver(Page(sections=[Section(table=Table(("", ""), rows)), more]), "table")


def _build_command(figure: Figure) -> click.Command:
    """The command of a figure: what it is made of, its own options, how it is drawn."""
    inputs = _INPUTS[figure.input_kind]

    def draw(**options: Any) -> None:
        request = _take_request(figure, options)
        files = inputs.take(figure, options, request.options)
        drawing = draw_files(
            figure.name, *files, options=request.options, look=request.look, **options
        )
        _deliver(drawing, request)

    command: Callable[..., Any] = draw
    decorators = (
        *inputs.arguments,
        *_measure_options(figure),
        *_own_options(figure),
        *inputs.options,
        *_DRAWING_OPTIONS,
    )
    for decorate in reversed(decorators):
        command = decorate(command)
    help_text = f"{figure.question}\n\n\b\nExample:\n  gainful figure {figure.example}"
    return build_command(figure.name, help=help_text, short_help=figure.question)(command)


def _own_options(figure: Figure) -> list[Decorator]:
    """The options that only this figure has."""
    names = signature(figure.data).parameters
    return [_FIGURE_OPTIONS[name] for name in names if name in _FIGURE_OPTIONS]


def _measure_options(figure: Figure) -> list[Decorator]:
    """`-m`, where the figure is of measures that can be named."""
    if not figure.usual_measures:
        return []
    repeated = "May be repeated. " if figure.several_measures else ""
    return [option("measures", help=f"{repeated}[{', '.join(figure.usual_measures)}]")]


def _take_measures(figure: Figure, options: dict[str, Any]) -> list[str]:
    """The measures that were named; only some figures are of several."""
    measures = list(options.pop("measures", ()))
    if len(measures) > 1 and not figure.several_measures:
        raise click.UsageError("one measure at a time")
    return measures


def _take_sessions(figure: Figure, options: dict[str, Any], _: dict[str, Any]) -> tuple[Any, ...]:
    inputs = options.pop("files"), options.pop("qrels"), _take_measures(figure, options) or None
    options |= parse_reading(options)
    return inputs


def _take_log(_: Figure, options: dict[str, Any], __: dict[str, Any]) -> tuple[Any, ...]:
    files = options.pop("files")
    options |= parse_reading(options)
    return (files,)


def _take_sweep(
    figure: Figure, options: dict[str, Any], figure_options: dict[str, Any]
) -> tuple[Any, ...]:
    options["by"] = options["by"].split(",")
    options["weights"] = list(options["weights"]) or None
    files, qrels, measures = _take_sessions(figure, options, figure_options)
    return files, qrels, *(measures or figure.usual_measures)


def _take_runs(
    figure: Figure, options: dict[str, Any], figure_options: dict[str, Any]
) -> tuple[Any, ...]:
    measures = _take_measures(figure, options)
    if measures:
        several = figure.several_measures
        figure_options |= {"measures": measures} if several else {"measure": measures[0]}
    return options.pop("qrels"), name_runs(options.pop("runs"))


@frozen
class _Inputs:
    """What figures are made of: arguments, options of reading, and how both become a call."""

    arguments: tuple[Decorator, ...]
    options: tuple[Decorator, ...]
    take: Callable[[Figure, dict[str, Any], dict[str, Any]], tuple[Any, ...]]


_SESSION_ARGUMENTS = (
    click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH),
    take_options("qrels"),
)
_INPUTS: Mapping[str, _Inputs] = {
    "sessions": _Inputs(
        _SESSION_ARGUMENTS, (take_options(*READ_SESSIONS, *SESSION_CONVENTION),), _take_sessions
    ),
    "sweep": _Inputs(
        _SESSION_ARGUMENTS,
        (
            option("by", default="system", show_default=True, help="Who is compared."),
            take_options(*SWEEP_GRID),
            option("points", default=40),
            take_options(*READ_SESSIONS, "like_sessions"),
        ),
        _take_sweep,
    ),
    "log": _Inputs(
        _SESSION_ARGUMENTS[:1],
        (take_options(*READ_LOG),),
        _take_log,
    ),
    "runs": _Inputs(
        (
            click.argument("qrels", type=PATH),
            click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH),
        ),
        (take_options(*READ_RUNS, *CONVENTION),),
        _take_runs,
    ),
}


@frozen
class _Request:
    """What is to be drawn: the options of the figure, how it looks, as what, and where it goes."""

    options: dict[str, Any]
    look: Look
    suffix: str  # that says as what
    output: str | None


def _take_request(figure: Figure, options: dict[str, Any]) -> _Request:
    """What is to be drawn, taken out of `options`; nothing that is read is written over."""
    look = Look(**{name: options.pop(name) for name in _LOOK_OPTIONS})
    names = [name for name in _FIGURE_OPTIONS if name in options and figure.input_kind != "sweep"]
    figure_options = {name: options.pop(name) for name in names}
    figure_options = {name: value for name, value in figure_options.items() if value is not None}
    if "interval" not in figure_options and not figure.always_resamples:
        for name in figure_options.keys() & {"resamples", "seed"}:
            raise click.UsageError(f"--{name} needs --interval")
    if "by" in names and holds_systems(options.get("files", ()), options.get("sessions_format")):
        figure_options.setdefault("by", "system")
    if "by" in figure_options:
        figure_options["by"] = [part.strip() for part in figure_options["by"].split(",")]
    output, wants_data = options.pop("output"), options.pop("wants_data")
    inputs = [options.get(name) for name in ("qrels", "topics")]
    inputs += [*options.get("files", ()), *options.get("runs", ())]
    refuse_two_pipes(*inputs)
    refuse_overwriting(output, inputs)
    return _Request(figure_options, look, _choose_suffix(output, wants_data), output)


def _choose_suffix(output: str | None, wants_data: bool) -> str:
    """The suffix that says what is asked for; without a file only data can be printed."""
    if is_stdout(output):
        if wants_data:
            return SUFFIXES["csv"]
        raise click.UsageError("name a file with -o, such as -o figure.svg, or ask for --data")
    suffix = Path(str(output)).suffix.lower()
    if suffix not in _SUFFIXES:
        raise click.UsageError(
            f"-o {output}: what format is {suffix or 'that'}? End FILE in {', '.join(_SUFFIXES)}"
        )
    if wants_data and suffix not in _TABLES:
        raise click.UsageError(f"--data is a table; end FILE in .csv or .tsv, not in {suffix}")
    return suffix


def _deliver(drawing: Drawing, request: _Request) -> None:
    """Put the picture into its file, or the data there or on the terminal."""
    if request.suffix in _TABLES:
        deliver(drawing.page(), _TABLES[request.suffix], request.output)
        return
    picture = drawing.to_picture(request.suffix)
    content = picture.encode() if isinstance(picture, str) else picture
    deliver_document(content, str(request.output))
