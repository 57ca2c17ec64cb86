"""`gainful explain`: one ranking, worked out rank by rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gainful.cli.arguments import GRADES_SETTINGS, base, format_option, like_option, numbers
from gainful.cli.output import printed, terminal
from gainful.convention import HABITS
from gainful.measure import DISCOUNTS, GAINS, explain as worked_out
from gainful.show import worked as show

_HABITS = ("ideal", "ideal_depth", "negative", "fractional", "empty", "short")


def _habit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each habit that matters to one list, from the table of habits."""
    for name in reversed(_HABITS):
        habit = HABITS[name]
        answers = [str(answer) for answer in habit.answers]
        option = "--" + name.replace("_", "-")
        command = click.option(option, name, metavar="|".join(answers), help=habit.question)(
            command
        )
    return command


@click.command(
    context_settings=GRADES_SETTINGS, short_help="How does this ranking come by its nDCG?"
)
@click.argument("grades", nargs=-1, required=True)
@click.option(
    "--judged",
    metavar="G,G,…",
    help="Every judged grade of the query, those of the ranking too: the ideal.",
)
@click.option("-k", type=int, metavar="K", help="Look at the first K documents only.")
@click.option(
    "--gain",
    metavar="NAME",
    help=f"{', '.join(GAINS)}, or weights by grade: 0:0,1:1,2:10,3:100.",
)
@click.option("--rel", type=float, metavar="G", help="Lowest relevant grade, for gain binary.")
@click.option("--discount", metavar="NAME", help=f"{', '.join(DISCOUNTS)}.")
@click.option(
    "--b", callback=base, metavar="BASE", help="Base of the discount's logarithm: above 1, or e."
)
@_habit_options
@like_option()
@format_option("table", "markdown", "latex", "json")
def explain(
    grades: tuple[str, ...],
    judged: str | None,
    k: int | None,
    like: str | None,
    form: str,
    **options: Any,
) -> None:
    """How does a ranking come by its nDCG? GRADES in rank order, or - to read them.

    What the values of an option mean: gainful measures NAME, such as gainful measures negative.

    \b
    Examples:
      gainful explain 3 2 3 0 1 2
      gainful explain 3 2 3 0 1 2 --like wikipedia
      gainful explain 3 2 3 0 1 2 --judged 3,3,3,2,2,2,1 -k 5 --gain exp
      gainful explain 1 0 -1 --gain penalised
      gainful explain 3 2 3 0 1 2 --gain 0:0,1:1,2:10,3:100
      gainful explain 3 2 3 0 1 2 --discount jk2008 --b 4 --format latex
      cut -f4 graded.tsv | gainful explain - --format json
    """
    if options.get("empty") in ("0", "1"):
        options["empty"] = int(options["empty"])
    chosen: Any = {name: value for name, value in options.items() if value is not None}
    pool = None if judged is None else numbers([judged], "judged")
    table = worked_out(numbers(grades, "grades"), judged=pool, k=k, like=like, **chosen)
    printed(
        form,
        table=lambda: show.to_text(table, terminal=terminal()),
        markdown=lambda: show.to_markdown(table),
        latex=lambda: show.to_latex(table),
        data=table.to_dict,
    )
