"""`gainful explain`: a ranking, query or session, worked out; `gainful which`: whose nDCG is it?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gainful.api import explain as api, which as which_api
from gainful.cli.answer import argument, command
from gainful.cli.command import PATH, unknown_option
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    CONVENTION,
    GRADES_SETTINGS,
    PRINT_TEXT,
    READ_RUNS,
    Row,
    option,
    parse_numbers,
    refuse_idle_options,
)
from gainful.cli.study import ask
from gainful.convention import SETTINGS
from gainful.page.shown import Shown

_OF_GRADES = ("k", "judged")


@command(
    argument("GRADES...", required=False, type=PATH, metavar="GRADES... | QRELS RUN QUERY"),
    option("measure", "One measure. [nDCG; for a run nDCG@10, for a session sDCG@10]"),
    "judged",
    Row("-k K", "Look at the first K documents only.", type=int),
    Row("--sessions FILE", "Explain a session of this file, instead of a ranking."),
    Row("--session ID", "Which session. [the only one]"),
    *("session_qrels", *PRINT_TEXT, "verbose", *READ_RUNS, *CONVENTION, *CHOOSE_SESSIONS),
    piped="table",
    context_settings=GRADES_SETTINGS,
)
def explain(*, grades: tuple[str, ...], **options: Any) -> Shown:
    """How is the nDCG of a ranking, or another measure, computed?

    Prints what each rank adds, and the formula with its numbers. Takes GRADES in rank order (- is a
    pipe), a QUERY of a RUN with its QRELS, or a session.

    gainful measures NAME explains the values of an option, such as gainful measures negative.

    \b
    Examples:
      gainful explain 3 2 3 0 1 2
      gainful explain 3 2 3 0 1 2 --like wikipedia
      gainful explain 3 2 3 0 1 2 --judged 3,3,3,2,2,2,1 -k 5 --gain exp
      gainful explain -m AP 1 0 1 0 --judged 1,1,1
      gainful explain 1 0 -1 --gain penalised
      gainful explain 3 2 3 0 1 2 --discount jk2008 --b 4 --format latex
      gainful explain qrels.txt run.txt 31 -m nDCG@10
      gainful explain --sessions study.csv --session s12 --qrels qrels.txt
      cut -f4 graded.tsv | gainful explain - --format json
    """
    options |= {"qrels": None, "runs": {}, "measures": options["measure"]}
    if options["sessions"] is not None:
        if grades:
            raise click.UsageError(
                f"{grades[0]}: with --sessions there are no GRADES, QRELS or RUN"
            )
        refuse_idle_options(_OF_GRADES, "applies to GRADES only; set a depth: -m sDCG@5")
        return ask(_explain_query, _explain_session, options, (), session=options["session"])
    refuse_idle_options(("session", "session_qrels", *CHOOSE_SESSIONS), "needs --sessions FILE")
    if not grades:
        raise click.UsageError("name GRADES, or QRELS RUN QUERY, or --sessions FILE")
    if _names_file(grades):
        for flag in (word for word in grades if word.startswith("--")):
            raise unknown_option(click.get_current_context().command, flag)
        if len(grades) != 3:
            wanted = "name a QUERY" if len(grades) < 3 else "name one QUERY only"
            raise click.UsageError(f"{wanted}: gainful explain QRELS RUN QUERY")
        refuse_idle_options(_OF_GRADES, "applies to GRADES only; set a cutoff: -m nDCG@5")
        options |= {"qrels": grades[0], "runs": {"": grades[1]}}
        return ask(_explain_query, _explain_session, options, (), query=grades[2])
    refuse_idle_options(READ_RUNS, "applies to files only: gainful explain QRELS RUN QUERY")
    names = ("measure", *_OF_GRADES, "like", *SETTINGS)
    given: Any = {name: options[name] for name in names if options[name] is not None}
    if "judged" in given:
        given["judged"] = parse_numbers([given["judged"]], "judged")
    return api.explain(parse_numbers(grades, "grades"), **given)


def _names_file(words: tuple[str, ...]) -> bool:
    try:
        float(words[0].strip("[(").partition(",")[0])
    except ValueError:
        return words[0] != "-" and (len(words) == 3 or Path(words[0]).exists())
    return False


def _explain_query(
    qrels: str, runs: Mapping[str, str], measure: str | None, **options: Any
) -> Shown:
    return api.explain_query(qrels, runs[""], measure=measure or "nDCG@10", **options)


def _explain_session(
    files: list[str], qrels: str | None, measure: str | None, **options: Any
) -> Shown:
    from gainful.api.sessions import explain as explain_session  # noqa: PLC0415  (slow to load)

    return explain_session(files[0], qrels=qrels, measure=measure or "sDCG@10", **options)


@command(
    argument("VALUE"),
    argument("GRADES..."),
    *("judged", *PRINT_TEXT),
    option("verbose", "List all matches, not only the ten best."),
    piped="table",
    context_settings=GRADES_SETTINGS,
)
def which(*, value: str, grades: tuple[str, ...], judged: str | None) -> tuple[Shown, int]:
    """Which formula gives this nDCG? Lists all formulas that give VALUE for GRADES.

    Tries gains, discounts, bases, ideals, cutoffs and the settings of all known tools. VALUE is
    matched to the precision you type; a value above 1 may be a DCG or CG. A tool keeps its own
    settings: an ideal from the list ignores --judged. Exit status 1 if nothing matches.

    \b
    Examples:
      gainful which 0.932 3 2 3 0 1 2
      gainful which 0.7562 3 2 3 0 1 2 --judged 3,3,3,2,2,2,1,0
      gainful which 8.10 3 2 3 0 1 2 --format json
    """
    pool = None if judged is None else parse_numbers([judged], "judged")
    formulations = which_api.which(value, parse_numbers(grades, "grades"), judged=pool)
    return formulations, 0 if formulations.matches else 1
