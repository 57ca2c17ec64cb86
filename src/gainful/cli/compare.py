"""`gainful compare`: is one run, or one system, really better than another?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from gainful.cli.options import refuse_idle_options, resampling_options
from gainful.cli.output import (
    deliver_text,
    refuse_overwriting,
    terminal,
    usual_form,
)
from gainful.cli.run_reading import (
    evaluate_runs,
    measures_option,
    name_runs,
    refuse_two_pipes,
    run_options,
)
from gainful.cli.session_reading import READING_PARAMETERS, load_sessions, study_reading_options
from gainful.convention import SETTINGS
from gainful.evidence.compare_runs import compare_results
from gainful.evidence.compare_sessions import STUDY_TESTS, SYSTEM, compare_groups
from gainful.evidence.comparison import Comparison
from gainful.evidence.moves.moved_docs import LargestChanges, find_largest_changes
from gainful.evidence.pairing import TEST_NAMES, choose_baseline
from gainful.evidence.statistics.correction import CORRECTIONS, correction_for
from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.evaluate import build_recipes
from gainful.measure.sessions import evaluate as session_evaluation
from gainful.read.formats import read_qrels
from gainful.read.inputs import as_qrels_columns
from gainful.show import compare as show, moved_docs as show_moved, rows as show_rows
from gainful.show.compare_latex import to_latex
from gainful.show.table import PLAIN

_TESTS = tuple(dict.fromkeys((*TEST_NAMES, *STUDY_TESTS)))


@click.command(short_help="Is one run really better than another?")
@click.argument("qrels", required=False)
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
@resampling_options()
@click.option(
    "--per-query",
    is_flag=True,
    help="Also the queries that changed most by the first measure; in CSV only these.",
)
@click.option("--sessions", metavar="FILE", help="Compare systems over the sessions of a study.")
@click.option(
    "--qrels", "session_qrels", metavar="QRELS", help="With --sessions: judgments by topic."
)
@click.option("--by", metavar="COLUMN", help=f"With --sessions: what names the system. [{SYSTEM}]")
@click.option(
    "--block",
    multiple=True,
    metavar="COLUMN",
    help="With --sessions: whose effects are taken out; the first says whose assignments are "
    "exchanged. [searcher, scenario]",
)
@study_reading_options()
@run_options()
def compare(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    form: str | None,
    output: str | None,
    quiet: bool,
    alpha: float,
    seed: int,
    resamples: int,
    sessions: str | None,
    **options: Any,
) -> None:
    """Is one RUN really better than another, by these QRELS?

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
      gainful compare --sessions study.csv --qrels qrels.txt --by system \\
          --block searcher --block scenario -m 'nsDCG(b=2, bq=4)@10'
    """
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    if options["test"] == "t":
        refuse_idle_options(
            ("seed", "resamples"), "does nothing: the t test leaves nothing to chance"
        )
    form = form or usual_form(output)
    moved: list[LargestChanges] = []
    if sessions is None:
        comparison, moved = _compare_runs(qrels, runs, resampling, output, options)
    else:
        comparison = _compare_study(sessions, (qrels, *runs), resampling, output, options)
    deliver_text(_render(comparison, moved, form, output), output)
    if form in ("tsv", "csv", "jsonl") and not quiet:
        for line in (*show.describe_test(comparison), *show.list_footnotes(comparison)):
            click.echo(f"gainful: {line}", err=True)


def _compare_runs(
    qrels: str | None,
    runs: tuple[str, ...],
    resampling: Resampling,
    output: str | None,
    options: dict[str, Any],
) -> tuple[Comparison, list[LargestChanges]]:
    """Runs paired by query; of each the queries that changed most, if they are asked for."""
    _refuse_options(options, _STUDY_OPTIONS, "is of sessions: name them with --sessions FILE")
    if qrels is None or len(runs) < 2:
        raise click.UsageError(
            "name QRELS and two runs or more: gainful compare QRELS RUN RUN… (or --sessions FILE)"
        )
    comparison_options = {
        name: options.pop(name) for name in ("baseline", "test", "correct", "pairs")
    }
    test = comparison_options.pop("test") or "randomisation"
    measures, like = options.pop("measures"), options.pop("like")
    formats = options.pop("qrels_format"), options.pop("run_format")
    convention, recipes = build_recipes(
        measures or None, like, {name: options[name] for name in SETTINGS}
    )
    refuse_two_pipes(qrels, *runs)
    refuse_overwriting(output, (qrels, *runs))
    choose_baseline(
        comparison_options["baseline"], name_runs(runs), "run"
    )  # before anything is read
    correction_for(test, comparison_options["correct"], TEST_NAMES)
    loaded_qrels = read_qrels(qrels, formats[0])
    evaluations = list(evaluate_runs(loaded_qrels, runs, formats[1], recipes, convention))
    comparison = compare_results(
        [evaluation for evaluation, _ in evaluations],
        test=test,
        resampling=resampling,
        **comparison_options,
    )
    if not options["per_query"]:
        return comparison, []
    baseline_index = comparison.systems.index(comparison.baseline)
    first_recipe = next(iter(recipes.values()))
    others = [evaluation for index, evaluation in enumerate(evaluations) if index != baseline_index]
    return comparison, [
        find_largest_changes(
            loaded_qrels,
            (evaluations[baseline_index][1], run),
            first_recipe,
            (evaluations[baseline_index][0], results),
        )
        for results, run in others
    ]


def _compare_study(
    file: str,
    words: tuple[str | None, ...],
    resampling: Resampling,
    output: str | None,
    options: dict[str, Any],
) -> Comparison:
    """Systems by the sessions of a study."""
    extra_words = [word for word in words if word is not None]
    if extra_words:
        raise click.UsageError(
            f"{extra_words[0]}: with --sessions there are no runs; judgments go behind --qrels"
        )
    if options["per_query"]:
        raise click.UsageError("--per-query is of runs; gainful sessions shows single sessions")
    run_settings = [name for name in SETTINGS if name not in ("ties", "unjudged")]
    _refuse_options(
        options, (*run_settings, "run_format"), "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'"
    )
    qrels_path = options["session_qrels"]
    settings = {} if options["unjudged"] is None else {"unjudged": options["unjudged"]}
    convention, recipes = session_evaluation.build_session_recipes(
        options["measures"] or None, options["like"], settings
    )
    refuse_two_pipes(file, qrels_path)
    refuse_overwriting(
        output, tuple(path for path in (file, qrels_path, options["topics"]) if path)
    )
    chosen_sessions = load_sessions(file, **{name: options[name] for name in READING_PARAMETERS})
    qrels_columns = None
    if qrels_path is not None:
        qrels_columns = as_qrels_columns(read_qrels(qrels_path, options["qrels_format"]))
    return compare_groups(
        session_evaluation.measure_sessions(chosen_sessions, qrels_columns, recipes, convention),
        by=SYSTEM if options["by"] is None else options["by"],
        block=options["block"] or None,
        baseline=options["baseline"],
        test=options["test"] or "permutation",
        correct=options["correct"],
        pairs=options["pairs"],
        resampling=resampling,
    )


_STUDY_OPTIONS = (
    *("session_qrels", "by", "block"),
    *(name for name in READING_PARAMETERS if name != "ties"),
)


def _refuse_options(options: dict[str, Any], names: Sequence[str], why: str) -> None:
    """An option that does nothing here is a mistake, not a silence."""
    for name in names:
        if options[name] not in (None, (), False):
            option = "qrels" if name == "session_qrels" else name.replace("_", "-")
            raise click.UsageError(f"--{option} {why}")


def _render(
    comparison: Comparison, moved: list[LargestChanges], form: str, output: str | None
) -> str:
    page = terminal() if form == "table" and output in (None, "-") else PLAIN
    rows = show_moved.build_rows(moved) if moved else show.build_rows(comparison)
    writers: dict[str, Callable[[], str]] = {
        "table": lambda: _join_parts(
            show.to_text(comparison, terminal=page),
            *(show_moved.to_text(changes, terminal=page) for changes in moved),
        ),
        "markdown": lambda: _join_parts(
            show.to_markdown(comparison), *map(show_moved.to_markdown, moved)
        ),
        "latex": lambda: _join_parts(
            to_latex(comparison), *([show_rows.to_latex(rows, ())] if moved else [])
        ),
        "tsv": lambda: show_rows.to_csv(rows, "\t"),
        "csv": lambda: show_rows.to_csv(rows),
        "jsonl": lambda: show_rows.to_json_lines(rows),
        "json": lambda: json.dumps(
            comparison.to_dict() | ({"most_changed": show_moved.to_dict(moved)} if moved else {}),
            indent=2,
            ensure_ascii=False,
            allow_nan=False,
        ),
    }
    return writers[form]()


def _join_parts(*parts: str) -> str:
    return "\n\n".join(parts)
