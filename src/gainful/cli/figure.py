"""`gainful figure`: a picture that answers a question, or the tidy data behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import click

from gainful.api.sessions import evaluate_sessions
from gainful.api.sweep import sweep as run_sweep
from gainful.cli.figure_output import deliver_figure, figure_form
from gainful.cli.options import (
    Decorator,
    like_option,
    plugin_option,
    session_setting_options,
    setting_options,
)
from gainful.cli.output import refuse_overwriting, write_stdout
from gainful.cli.run_reading import format_options, name_runs, refuse_two_pipes
from gainful.cli.session_reading import (
    READING_PARAMETERS,
    load_sessions,
    parse_reading,
    session_reading_options,
)
from gainful.convention import SETTINGS
from gainful.errors import OneGroup
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.measure.sessions.sweep_grid import USUAL_RANGE
from gainful.read.formats import read_qrels, read_run
from gainful.show.figures.catalogue import FIGURES, build_data, find_figure
from gainful.show.figures.figure import Figure, Look
from gainful.show.figures.winner_map import no_winner_data

_LOOK_OPTIONS = ("title", "width", "height", "dark")
_RESAMPLING_OPTIONS = ("interval", "resamples", "seed")

# The options of single figures; each has those that its data take.
_FIGURE_OPTIONS: dict[str, Decorator] = {
    "by": click.option("--by", metavar="COLUMN,…", help="A line for each group: --by system."),
    "non_last": click.option(
        "--non-last",
        type=click.Choice(("pooled", "within")),
        help="Queries before the last: pooled, or averaged within each session first. [pooled]",
    ),
    "at_least": click.option(
        "--at-least", type=int, metavar="N", help="Sessions of N queries are drawn apart. [4]"
    ),
    "queries": click.option(
        "--queries", type=int, metavar="N", help="Draw the first N queries only. [all]"
    ),
    "query": click.option("--query", metavar="ID", help="Of this query alone. [mean over queries]"),
    "interval": click.option(
        "--interval", type=float, metavar="LEVEL", help="How sure? At LEVEL per cent, such as 95."
    ),
    "resamples": click.option(
        "--resamples", type=int, metavar="N", help=f"Of --interval. [{RESAMPLES}]"
    ),
    "seed": click.option("--seed", type=int, metavar="N", help=f"Of --interval. [{SEED}]"),
}
_STUDY_EXAMPLE = "study.csv --qrels qrels.txt"
_EXAMPLES = {
    "last": f"last {_STUDY_EXAMPLE} -m 'sDCG(b=2,bq=4)@100' --by system -o figure1.svg",
    "sessions": f"sessions {_STUDY_EXAMPLE} --by system --interval 95 -o figure2.svg",
    "scenario": f"scenario {_STUDY_EXAMPLE} --where scenario=D --by system --at-least 4 "
    "-o figure3.svg",
    "individual": f"individual {_STUDY_EXAMPLE} --where scenario=D --where system=1 -o figure4.svg",
    "map": f"map {_STUDY_EXAMPLE} --by system -o map.svg",
    "curves": "curves qrels.txt bm25.txt dense.txt -m nDCG@20 -o curves.svg",
    "differences": "differences qrels.txt bm25.txt dense.txt -m nDCG@10 -o differences.png",
    "precision-recall": "precision-recall qrels.txt bm25.txt dense.txt -o recall.pdf",
    "dots": "dots qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP -o runs.html",
}
_DRAWING_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "-o", "--output", metavar="FILE", help="Ends in .svg, .png, .pdf, .html, .json; or .csv."
    ),
    click.option("--data", "wants_data", is_flag=True, help="Print the tidy data as CSV instead."),
    click.option("--title", help="Instead of its own."),
    click.option("--width", type=int, metavar="PIXELS", help="Of the plot."),
    click.option("--height", type=int, metavar="PIXELS", help="Of the plot."),
    click.option("--dark", is_flag=True, help="On a dark background."),
)


class Figures(click.Group):
    """The figures by name; a misspelt one is answered as every misspelt name is."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All of them, in the order of the table."""
        return list(FIGURES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        """The command of a figure, made from its entry in the table."""
        figure = find_figure(cmd_name)
        return _COMMANDS[figure.input_kind](figure)


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
      gainful figure sessions study.csv --qrels qrels.txt --by system --interval 95 -o f2.svg
      gainful figure individual study.csv --qrels qrels.txt --where scenario=D -o f4.pdf
      gainful figure map study.csv --qrels qrels.txt -o map.svg
      gainful figure differences qrels.txt bm25.txt dense.txt -m nDCG@10 -o differences.png
      gainful figure dots qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP -o runs.html
    """
    if context.invoked_subcommand is None:
        width = max(map(len, FIGURES))
        lines = [f"{entry.name:<{width}}  {entry.question}" for entry in FIGURES.values()]
        write_stdout("\n".join((*lines, "", "gainful figure NAME --help tells what each takes.")))


def _build_command(
    figure: Figure, function: Callable[..., None], decorators: Sequence[Decorator]
) -> click.Command:
    for decorate in reversed((*decorators, *_DRAWING_OPTIONS)):
        function = decorate(function)
    help_text = f"{figure.question}\n\n\b\nExample:\n  gainful figure {_EXAMPLES[figure.name]}"
    return click.command(figure.name, help=help_text, short_help=figure.question)(function)


def _own_options(figure: Figure) -> list[Decorator]:
    """The options that only this figure has."""
    return [
        _FIGURE_OPTIONS[name]
        for name in signature(figure.data).parameters
        if name in _FIGURE_OPTIONS
    ]


def _measure_option(*usual: str, repeated: bool = False) -> Decorator:
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"{'May be repeated. ' if repeated else ''}[{', '.join(usual)}]",
    )


def _single_measure(measures: tuple[str, ...]) -> tuple[str, ...]:
    if len(measures) > 1:
        raise click.UsageError("one measure at a time")
    return measures


def _build_session_command(figure: Figure) -> click.Command:
    def command(
        file: str,
        *,
        qrels: str | None,
        measures: tuple[str, ...],
        qrels_format: str | None,
        like: str | None,
        **options: Any,
    ) -> None:
        look, figure_options, output = _take_options(figure, options)
        refuse_two_pipes(file, qrels)
        form = _check_output(
            output, tuple(path for path in (file, qrels, options["topics"]) if path)
        )
        results = evaluate_sessions(
            file,
            qrels,
            _single_measure(measures) or None,
            like=like,
            qrels_format=qrels_format,
            **parse_reading(options),
            **options,
        )
        deliver_figure(
            figure,
            build_data(figure.name, results, **_split_by(figure_options)),
            look,
            form,
            output[0],
        )

    usual = "nsDCG@10" if figure.name == "sessions" else "sDCG@10"
    decorators: tuple[Decorator, ...] = (
        click.argument("file"),
        click.option("--qrels", metavar="QRELS", help="By topic. [the column grade of FILE]"),
        _measure_option(usual),
        *_own_options(figure),
        session_reading_options(),
        session_setting_options(),
    )
    return _build_command(figure, command, decorators)


def _build_run_command(figure: Figure) -> click.Command:
    def command(
        qrels: str,
        runs: tuple[str, ...],
        *,
        qrels_format: str | None,
        run_format: str | None,
        like: str | None,
        measures: tuple[str, ...] = (),
        **options: Any,
    ) -> None:
        look, figure_options, output = _take_options(figure, options)
        refuse_two_pipes(qrels, *runs)
        form = _check_output(output, (qrels, *runs))
        if figure.name == "dots":
            figure_options |= {"measures": list(measures)} if measures else {}
        else:
            figure_options |= dict(zip(("measure",), _single_measure(measures), strict=False))
        loaded_qrels = read_qrels(qrels, qrels_format)
        loaded_runs = {
            name: read_run(path, run_format)
            for name, path in zip(name_runs(runs), runs, strict=True)
        }
        settings = {name: value for name, value in options.items() if value is not None}
        data = build_data(
            figure.name, loaded_qrels, loaded_runs, like=like, **figure_options, **settings
        )
        deliver_figure(figure, data, look, form, output[0])

    usual = {
        "curves": [_measure_option("DCG@10")],
        "differences": [_measure_option("nDCG@10")],
        "dots": [_measure_option("nDCG@10", "AP", "RR", repeated=True)],
    }
    decorators: tuple[Decorator, ...] = (
        click.argument("qrels"),
        click.argument("runs", nargs=-1, required=True, metavar="RUN..."),
        *usual.get(figure.name, []),
        *_own_options(figure),
        format_options(),
        plugin_option(),
        like_option(),
        setting_options(*SETTINGS),
    )
    return _build_command(figure, command, decorators)


def _build_sweep_command(figure: Figure) -> click.Command:
    def command(
        file: str,
        *,
        qrels: str | None,
        measures: tuple[str, ...],
        qrels_format: str | None,
        by: str,
        like: str | None,
        **options: Any,
    ) -> None:
        look, _, output = _take_options(figure, options)
        reading = {name: options.pop(name) for name in READING_PARAMETERS}
        refuse_two_pipes(file, qrels)
        inputs = (file, qrels, reading["topics"])
        form = _check_output(output, tuple(path for path in inputs if path))
        loaded_qrels = None if qrels is None else read_qrels(qrels, qrels_format)
        weights = list(options.pop("weights")) or None
        chosen_sessions = load_sessions(file, **reading)
        measure = _single_measure(measures) or ("nsDCG",)
        try:
            result = run_sweep(
                chosen_sessions,
                loaded_qrels,
                *measure,
                by=by.split(","),
                like=like,
                weights=weights,
                **options,
            )
        except OneGroup as error:
            data = no_winner_data(error.problem)
        else:
            data = build_data(figure.name, result)
        deliver_figure(figure, data, look, form, output[0])

    decorators: tuple[Decorator, ...] = (
        click.argument("file"),
        click.option("--qrels", metavar="QRELS", help="By topic. [the column grade of FILE]"),
        _measure_option("nsDCG"),
        click.option("--by", default="system", show_default=True, help="Who is compared."),
        click.option(
            "--b", default=USUAL_RANGE, show_default=True, help="Bases of the rank discount."
        ),
        click.option("--bq", default=USUAL_RANGE, show_default=True, help="Of the query discount."),
        click.option("--points", type=int, default=40, show_default=True, help="How many of each."),
        click.option("--depth", metavar="X", help="How many results of a query count. [10]"),
        click.option("--weights", multiple=True, help="What grades are worth. [linear]"),
        click.option("--like", metavar="NAME", help="Whose habits to follow. [jk2008]"),
        session_reading_options(),
    )
    return _build_command(figure, command, decorators)


_COMMANDS: dict[str, Callable[[Figure], click.Command]] = {
    "sessions": _build_session_command,
    "runs": _build_run_command,
    "sweep": _build_sweep_command,
}
_Output = tuple[str | None, bool]


def _take_options(figure: Figure, options: dict[str, Any]) -> tuple[Look, dict[str, Any], _Output]:
    """How it looks, the options of this figure that were named, and where it goes."""
    look = Look(**{name: options.pop(name) for name in _LOOK_OPTIONS})
    names = [name for name in _FIGURE_OPTIONS if name in options and figure.input_kind != "sweep"]
    figure_options = {name: options.pop(name) for name in names}
    figure_options = {name: value for name, value in figure_options.items() if value is not None}
    if "interval" not in figure_options and figure.name != "dots":
        for name in figure_options.keys() & {"resamples", "seed"}:
            raise click.UsageError(f"--{name} needs --interval")
    return look, figure_options, (options.pop("output"), options.pop("wants_data"))


def _split_by(figure_options: dict[str, Any]) -> dict[str, Any]:
    """The columns that --by names."""
    if "by" not in figure_options:
        return figure_options
    return figure_options | {"by": [part.strip() for part in figure_options["by"].split(",")]}


def _check_output(output: _Output, inputs: tuple[str, ...]) -> str:
    """The form that is asked for; what is read is not written over."""
    refuse_overwriting(output[0], inputs)
    return figure_form(*output)
