"""`gainful sweep`: which system is better for which searcher?"""

from __future__ import annotations

from typing import Any

from gainful.api.sweep import sweep as run_sweep
from gainful.cli.answer import argument, command
from gainful.cli.options import READ_SESSIONS, SWEEP_GRID, Row, option
from gainful.errors import BadValue
from gainful.page.shown import Shown


@command(
    argument("FILE..."),
    "qrels",
    option("measure", "Such as 'nsDCG(duplicates=first)'. [nsDCG; by clicks sDCG]"),
    option("by", "Column that names the groups.", default="system"),
    *SWEEP_GRID,
    option("points", default=20),
    Row("--reference b=2,bq=4", "The searcher to compare others with. [b=2,bq=4]"),
    *("text_form", "output", "verbose", *READ_SESSIONS, "like_sessions"),
    piped="table",
)
def sweep(
    *, files: tuple[str, ...], qrels: str | None, measure: str | None, **options: Any
) -> Shown:
    """Which system is better for which searcher, by the sessions in FILE?

    Several files are several systems.

    Tries every b and bq: a small b is a searcher who soon stops reading a list, a small bq one who
    rarely reformulates. Values from 1.5 to 10 are reasonable (Järvelin et al. 2008). Shows which
    system wins for which searcher and where the winner changes; CSV and JSON have every setting.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful sweep sessions.csv --qrels qrels.txt
      gainful sweep sessions.csv --qrels qrels.txt --b 2 --bq 1.5:100
      gainful sweep sessions.csv --qrels qrels.txt --weights 0:0,1:1,2:10,3:100
      gainful sweep sessions.csv --qrels qrels.txt -m sDCG -o settings.csv
    """
    options["reference"] = _parse_reference(options["reference"])
    return run_sweep(files, qrels, measure, **options)


def _parse_reference(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    try:
        pairs = [part.partition("=") for part in text.split(",")]
        return {name.strip(): float(value) for name, _, value in pairs}
    except ValueError:
        raise BadValue("reference", text, "b and bq, such as b=2,bq=4") from None
