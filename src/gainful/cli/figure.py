"""`gainful figure`: a picture that answers a question, or the tidy data behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import click

from gainful.cli.figure_output import delivered, form_of
from gainful.cli.options import (
    Decorator,
    habit_options,
    like_option,
    plugin_option,
    session_options,
)
from gainful.cli.output import refuse_overwriting, written
from gainful.cli.run_reading import format_options, names_of, refuse_two_pipes
from gainful.cli.session_reading import READING, session_reading, sessions_from
from gainful.convention import HABITS
from gainful.errors import OneGroup
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.measure.sessions.evaluate import asked_for, of_sessions
from gainful.measure.sessions.sweep import sweep as swept
from gainful.measure.sessions.sweep_grid import USUAL
from gainful.read.formats import read_judgments, read_run
from gainful.read.inputs import as_columns
from gainful.show.figures.catalogue import FIGURES, data_of, named
from gainful.show.figures.figure import Figure, Look
from gainful.show.figures.winner_map import no_winner

_LOOK = ("title", "width", "height", "dark")
_CHANCE = ("interval", "resamples", "seed")

# The options of single figures; each has those that its data take.
_OWN: dict[str, Decorator] = {
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
_STUDY = "study.csv --judgments qrels.txt"
_EXAMPLES = {
    "last": f"last {_STUDY} -m 'sDCG(b=2,bq=4)@100' --by system -o figure1.svg",
    "sessions": f"sessions {_STUDY} --by system --interval 95 -o figure2.svg",
    "scenario": f"scenario {_STUDY} --where scenario=D --by system --at-least 4 -o figure3.svg",
    "individual": f"individual {_STUDY} --where scenario=D --where system=1 -o figure4.svg",
    "map": f"map {_STUDY} --by system -o map.svg",
    "curves": "curves qrels.txt bm25.txt dense.txt -m nDCG@20 -o curves.svg",
    "differences": "differences qrels.txt bm25.txt dense.txt -m nDCG@10 -o differences.png",
    "precision-recall": "precision-recall qrels.txt bm25.txt dense.txt -o recall.pdf",
    "dots": "dots qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP -o runs.html",
}
_DRAWN: tuple[Decorator, ...] = (
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
        found = named(cmd_name)
        return _COMMANDS[found.takes](found)


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
      gainful figure sessions study.csv --judgments qrels.txt --by system --interval 95 -o f2.svg
      gainful figure individual study.csv --judgments qrels.txt --where scenario=D -o f4.pdf
      gainful figure map study.csv --judgments qrels.txt -o map.svg
      gainful figure differences qrels.txt bm25.txt dense.txt -m nDCG@10 -o differences.png
      gainful figure dots qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP -o runs.html
    """
    if context.invoked_subcommand is None:
        wide = max(map(len, FIGURES))
        lines = [f"{one.name:<{wide}}  {one.question}" for one in FIGURES.values()]
        written("\n".join((*lines, "", "gainful figure NAME --help tells what each takes.")))


def _command(
    found: Figure, function: Callable[..., None], options: Sequence[Decorator]
) -> click.Command:
    for option in reversed((*options, *_DRAWN)):
        function = option(function)
    told = f"{found.question}\n\n\b\nExample:\n  gainful figure {_EXAMPLES[found.name]}"
    return click.command(found.name, help=told, short_help=found.question)(function)


def _own(found: Figure) -> list[Decorator]:
    """The options that only this figure has."""
    return [_OWN[name] for name in signature(found.data).parameters if name in _OWN]


def _measure(*usual: str, repeated: bool = False) -> Decorator:
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"{'May be repeated. ' if repeated else ''}[{', '.join(usual)}]",
    )


def _one(measures: tuple[str, ...]) -> tuple[str, ...]:
    if len(measures) > 1:
        raise click.UsageError("one measure at a time")
    return measures


def _of_sessions(found: Figure) -> click.Command:
    def command(
        file: str,
        *,
        judgments: str | None,
        measures: tuple[str, ...],
        judgments_format: str | None,
        like: str | None,
        **more: Any,
    ) -> None:
        look, own, output = _taken(found, more)
        reading = {name: more.pop(name) for name in READING}
        base, recipes = asked_for(_one(measures) or None, like, more)
        refuse_two_pipes(file, judgments)
        inputs = (file, judgments, reading["topics"])
        form = _settled(output, tuple(path for path in inputs if path))
        held = sessions_from(file, **reading)
        judged = None
        if judgments is not None:
            judged = as_columns(read_judgments(judgments, judgments_format))
        results = of_sessions(held, judged, recipes, base)
        delivered(found, data_of(found.name, results, **_listed(own)), look, form, output[0])

    usual = "nsDCG@10" if found.name == "sessions" else "sDCG@10"
    options: tuple[Decorator, ...] = (
        click.argument("file"),
        click.option("--judgments", metavar="QRELS", help="By topic. [the column grade of FILE]"),
        _measure(usual),
        *_own(found),
        session_reading(),
        session_options(),
    )
    return _command(found, command, options)


def _of_runs(found: Figure) -> click.Command:
    def command(
        judgments: str,
        runs: tuple[str, ...],
        *,
        judgments_format: str | None,
        run_format: str | None,
        like: str | None,
        measures: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        look, own, output = _taken(found, more)
        refuse_two_pipes(judgments, *runs)
        form = _settled(output, (judgments, *runs))
        if found.name == "dots":
            own |= {"measures": list(measures)} if measures else {}
        else:
            own |= dict(zip(("measure",), _one(measures), strict=False))
        judged = read_judgments(judgments, judgments_format)
        read = {
            name: read_run(path, run_format)
            for name, path in zip(names_of(runs), runs, strict=True)
        }
        habits = {name: value for name, value in more.items() if value is not None}
        data = data_of(found.name, judged, read, like=like, **own, **habits)
        delivered(found, data, look, form, output[0])

    usual = {
        "curves": [_measure("DCG@10")],
        "differences": [_measure("nDCG@10")],
        "dots": [_measure("nDCG@10", "AP", "RR", repeated=True)],
    }
    options: tuple[Decorator, ...] = (
        click.argument("judgments"),
        click.argument("runs", nargs=-1, required=True, metavar="RUN..."),
        *usual.get(found.name, []),
        *_own(found),
        format_options(),
        plugin_option(),
        like_option(),
        habit_options(*HABITS),
    )
    return _command(found, command, options)


def _of_sweep(found: Figure) -> click.Command:
    def command(
        file: str,
        *,
        judgments: str | None,
        measures: tuple[str, ...],
        judgments_format: str | None,
        by: str,
        like: str | None,
        **more: Any,
    ) -> None:
        look, _, output = _taken(found, more)
        reading = {name: more.pop(name) for name in READING}
        refuse_two_pipes(file, judgments)
        inputs = (file, judgments, reading["topics"])
        form = _settled(output, tuple(path for path in inputs if path))
        judged = None if judgments is None else read_judgments(judgments, judgments_format)
        weights = list(more.pop("weights")) or None
        held = sessions_from(file, **reading)
        asked = _one(measures) or ("nsDCG",)
        try:
            given = swept(
                held, judged, *asked, by=by.split(","), like=like, weights=weights, **more
            )
        except OneGroup as alone:
            data = no_winner(alone.problem)
        else:
            data = data_of(found.name, given)
        delivered(found, data, look, form, output[0])

    options: tuple[Decorator, ...] = (
        click.argument("file"),
        click.option("--judgments", metavar="QRELS", help="By topic. [the column grade of FILE]"),
        _measure("nsDCG"),
        click.option("--by", default="system", show_default=True, help="Who is compared."),
        click.option("--b", default=USUAL, show_default=True, help="Bases of the rank discount."),
        click.option("--bq", default=USUAL, show_default=True, help="Of the query discount."),
        click.option("--points", type=int, default=40, show_default=True, help="How many of each."),
        click.option("--depth", metavar="X", help="How many results of a query count. [10]"),
        click.option("--weights", multiple=True, help="What grades are worth. [linear]"),
        click.option("--like", metavar="NAME", help="Whose habits to follow. [jk2008]"),
        session_reading(),
    )
    return _command(found, command, options)


_COMMANDS: dict[str, Callable[[Figure], click.Command]] = {
    "sessions": _of_sessions,
    "runs": _of_runs,
    "sweep": _of_sweep,
}
_Output = tuple[str | None, bool]


def _taken(found: Figure, more: dict[str, Any]) -> tuple[Look, dict[str, Any], _Output]:
    """How it looks, the options of this figure that were named, and where it goes."""
    look = Look(**{name: more.pop(name) for name in _LOOK})
    names = [name for name in _OWN if name in more and found.takes != "sweep"]
    own = {name: more.pop(name) for name in names}
    own = {name: value for name, value in own.items() if value is not None}
    if "interval" not in own and found.name != "dots":
        for name in own.keys() & {"resamples", "seed"}:
            raise click.UsageError(f"--{name} needs --interval")
    return look, own, (more.pop("output"), more.pop("wants_data"))


def _listed(own: dict[str, Any]) -> dict[str, Any]:
    """The columns that --by names."""
    if "by" not in own:
        return own
    return own | {"by": [part.strip() for part in own["by"].split(",")]}


def _settled(output: _Output, inputs: tuple[str, ...]) -> str:
    """The form that is asked for; what is read is not written over."""
    refuse_overwriting(output[0], inputs)
    return form_of(*output)
