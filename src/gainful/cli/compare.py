"""`gainful compare`: is one run, or one system, really better than another?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from gainful.cli.options import chance_options, refuse_idle
from gainful.cli.output import (
    delivered,
    refuse_overwriting,
    terminal,
    usual_form,
)
from gainful.cli.run_reading import (
    evaluated,
    measures_option,
    names_of,
    printing_runs,
    refuse_two_pipes,
)
from gainful.cli.session_reading import READING, sessions_from, study_reading
from gainful.convention import HABITS
from gainful.evidence.compare_runs import compare_results
from gainful.evidence.compare_sessions import STUDY_TESTS, SYSTEM, compare_groups
from gainful.evidence.comparison import Comparison
from gainful.evidence.moves.moved_docs import MostChanged, most_changed
from gainful.evidence.pairing import baseline_of
from gainful.evidence.significance_tests import NAMES
from gainful.evidence.statistics.correction import CORRECTIONS, correction_for
from gainful.evidence.statistics.resampling import How
from gainful.measure.evaluate import asked_for
from gainful.measure.sessions import evaluate as of_sessions
from gainful.read.formats import read_judgments
from gainful.read.inputs import as_columns
from gainful.show import compare as show, moved_docs as show_moved, rows as show_rows
from gainful.show.compare_latex import to_latex
from gainful.show.table import PLAIN

_TESTS = tuple(dict.fromkeys((*NAMES, *STUDY_TESTS)))


@click.command(short_help="Is one run really better than another?")
@click.argument("judgments", required=False)
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@measures_option()
@click.option("--baseline", metavar="NAME", help="What the others are set against. [the first]")
@click.option(
    "--test",
    type=click.Choice(_TESTS),
    help="How evidence is weighed. [randomisation; with --sessions permutation]",
)
@click.option(
    "--correct",
    type=click.Choice(list(CORRECTIONS)),
    help="How p is corrected across measures and pairs. [holm; with tukey bonferroni]",
)
@click.option(
    "--pairs",
    type=click.Choice(("all", "baseline")),
    default="all",
    show_default=True,
    help="Compare all pairs, or each with the baseline.",
)
@chance_options()
@click.option(
    "--per-query",
    is_flag=True,
    help="Also the queries that changed most by the first measure; in CSV only these.",
)
@click.option("--sessions", metavar="FILE", help="Compare systems over the sessions of a study.")
@click.option("--judgments", "qrels", metavar="QRELS", help="With --sessions: judgments by topic.")
@click.option("--by", metavar="COLUMN", help=f"With --sessions: what names the system. [{SYSTEM}]")
@click.option(
    "--block",
    multiple=True,
    metavar="COLUMN",
    help="With --sessions: whose effects are taken out; the first says whose assignments are "
    "exchanged. [searcher, scenario]",
)
@study_reading()
@printing_runs()
def compare(
    judgments: str | None,
    runs: tuple[str, ...],
    *,
    form: str | None,
    output: str | None,
    quiet: bool,
    alpha: float,
    seed: int,
    resamples: int,
    sessions: str | None,
    **more: Any,
) -> None:
    """Is one RUN really better than another, by these JUDGMENTS?

    Runs are paired by query. For each the mean, the difference to the baseline with its interval, p
    (as it is, and corrected), wins, ties and losses; letters name the runs that it beats. With
    --sessions systems are compared over whole sessions, and searchers exchange their assignments;
    what is to be set there goes into the measure: 'nsDCG(b=2, bq=4)@10'.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful compare qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP
      gainful compare qrels.txt *.run -m nDCG@10 --baseline bm25 --test tukey --format latex
      gainful compare qrels.txt a.txt b.txt c.txt --test t --correct bh -o compared.csv
      gainful compare qrels.txt old.txt new.txt -m nDCG@10 --per-query
      gainful compare --sessions study.csv --judgments qrels.txt --by system \\
          --block searcher --block scenario -m 'nsDCG(b=2, bq=4)@10'
    """
    how = How(alpha=alpha, resamples=resamples, seed=seed)
    if more["test"] == "t":
        refuse_idle(("seed", "resamples"), "does nothing: the t test leaves nothing to chance")
    form = form or usual_form(output)
    moved: list[MostChanged] = []
    if sessions is None:
        found, moved = _of_runs(judgments, runs, how, output, more)
    else:
        found = _of_study(sessions, (judgments, *runs), how, output, more)
    delivered(_text(found, moved, form, output), output)
    if form in ("tsv", "csv", "jsonl") and not quiet:
        for line in (*show.how(found), *show.said(found)):
            click.echo(f"gainful: {line}", err=True)


def _of_runs(
    judgments: str | None,
    runs: tuple[str, ...],
    resampling: How,
    output: str | None,
    more: dict[str, Any],
) -> tuple[Comparison, list[MostChanged]]:
    """Runs paired by query; of each the queries that changed most, if they are asked for."""
    _refuse(more, _OF_STUDIES, "is of sessions: name them with --sessions FILE")
    if judgments is None or len(runs) < 2:
        raise click.UsageError(
            "name JUDGMENTS and two runs or more: gainful compare JUDGMENTS RUN RUN… "
            "(or --sessions FILE)"
        )
    asked = {name: more.pop(name) for name in ("baseline", "test", "correct", "pairs")}
    test = asked.pop("test") or "randomisation"
    measures, like = more.pop("measures"), more.pop("like")
    formats = more.pop("judgments_format"), more.pop("run_format")
    base, recipes = asked_for(measures or None, like, {name: more[name] for name in HABITS})
    refuse_two_pipes(judgments, *runs)
    refuse_overwriting(output, (judgments, *runs))
    baseline_of(asked["baseline"], names_of(runs), "run")  # before anything is read
    correction_for(test, asked["correct"], NAMES)
    held = read_judgments(judgments, formats[0])
    found = list(evaluated(held, runs, formats[1], recipes, base))
    compared = compare_results([one for one, _ in found], test=test, resampling=resampling, **asked)
    if not more["per_query"]:
        return compared, []
    at = compared.systems.index(compared.baseline)
    first = next(iter(recipes.values()))
    others = [one for place, one in enumerate(found) if place != at]
    return compared, [
        most_changed(held, (found[at][1], run), first, (found[at][0], results))
        for results, run in others
    ]


def _of_study(
    file: str,
    words: tuple[str | None, ...],
    resampling: How,
    output: str | None,
    more: dict[str, Any],
) -> Comparison:
    """Systems by the sessions of a study."""
    given = [word for word in words if word is not None]
    if given:
        raise click.UsageError(
            f"{given[0]}: with --sessions there are no runs; judgments go behind --judgments"
        )
    if more["per_query"]:
        raise click.UsageError("--per-query is of runs; gainful sessions shows single sessions")
    only = [name for name in HABITS if name not in ("ties", "unjudged")]
    _refuse(more, (*only, "run_format"), "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'")
    qrels = more["qrels"]
    habits = {} if more["unjudged"] is None else {"unjudged": more["unjudged"]}
    base, recipes = of_sessions.asked_for(more["measures"] or None, more["like"], habits)
    refuse_two_pipes(file, qrels)
    refuse_overwriting(output, tuple(path for path in (file, qrels, more["topics"]) if path))
    held = sessions_from(file, **{name: more[name] for name in READING})
    judged = None
    if qrels is not None:
        judged = as_columns(read_judgments(qrels, more["judgments_format"]))
    return compare_groups(
        of_sessions.of_sessions(held, judged, recipes, base),
        by=SYSTEM if more["by"] is None else more["by"],
        block=more["block"] or None,
        baseline=more["baseline"],
        test=more["test"] or "permutation",
        correct=more["correct"],
        pairs=more["pairs"],
        resampling=resampling,
    )


_OF_STUDIES = ("qrels", "by", "block", *(name for name in READING if name != "ties"))


def _refuse(more: dict[str, Any], names: Sequence[str], why: str) -> None:
    """An option that does nothing here is a mistake, not a silence."""
    for name in names:
        if more[name] not in (None, (), False):
            option = "judgments" if name == "qrels" else name.replace("_", "-")
            raise click.UsageError(f"--{option} {why}")


def _text(found: Comparison, moved: list[MostChanged], form: str, output: str | None) -> str:
    page = terminal() if form == "table" and output in (None, "-") else PLAIN
    rows = show_moved.rows(moved) if moved else show.rows(found)
    writers: dict[str, Callable[[], str]] = {
        "table": lambda: _joined(
            show.to_text(found, terminal=page),
            *(show_moved.to_text(one, terminal=page) for one in moved),
        ),
        "markdown": lambda: _joined(show.to_markdown(found), *map(show_moved.to_markdown, moved)),
        "latex": lambda: _joined(
            to_latex(found), *([show_rows.to_latex(rows, ())] if moved else [])
        ),
        "tsv": lambda: show_rows.to_csv(rows, "\t"),
        "csv": lambda: show_rows.to_csv(rows),
        "jsonl": lambda: show_rows.to_json_lines(rows),
        "json": lambda: json.dumps(
            found.to_dict() | ({"most_changed": show_moved.to_dict(moved)} if moved else {}),
            indent=2,
            ensure_ascii=False,
            allow_nan=False,
        ),
    }
    return writers[form]()


def _joined(*parts: str) -> str:
    return "\n\n".join(parts)
