"""`gainful explain`: one ranking, worked out rank by rank."""

from __future__ import annotations

from typing import Any

from gainful.api.explain import explain as explain_ranking
from gainful.cli.answer import argument, command
from gainful.cli.options import GRADES_SETTINGS, PRINT_TEXT, Row, parse_numbers
from gainful.page.page import Page

_SETTINGS = (
    *("gain", "rel", "discount", "b"),
    *("ideal", "ideal_depth", "negative", "fractional", "empty", "short"),
)


@command(
    argument("GRADES..."),
    "judged",
    Row("-k", "K", "Look at the first K documents only.", type=int),
    *(*PRINT_TEXT, "verbose", "like", *_SETTINGS, "plugin"),
    piped="table",
    context_settings=GRADES_SETTINGS,
)
def explain(*, grades: tuple[str, ...], judged: str | None, verbose: bool, **options: Any) -> Page:
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
    chosen: Any = {name: value for name, value in options.items() if value is not None}
    pool = None if judged is None else parse_numbers([judged], "judged")
    ranking = parse_numbers(grades, "grades")
    return explain_ranking(ranking, judged=pool, **chosen).page(verbose=verbose)
