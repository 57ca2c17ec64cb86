"""The options of the commands: one table, from which each command takes what it needs.

An option that only one command has stands in that command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.core import ParameterSource

from gainful.api.register import load_plugin
from gainful.cli.command import PATH, complete_names
from gainful.cli.declare import SETTING_OPTIONS, Decorator, declare, parse_pairs
from gainful.cli.log_options import LOG_OPTIONS
from gainful.convention import CONVENTIONS, SETTINGS
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_SETTINGS
from gainful.evidence.statistics.correction import CORRECTIONS, FAMILIES
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED
from gainful.measure.build_recipes import USUAL_MEASURES
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import USUAL_RANGE
from gainful.page.render import RENDERERS

PLUGINS = "gainful.plugins"  # where a command finds what plug-ins were named


def _load_plugins(context: click.Context, _: object, modules: tuple[str, ...]) -> None:
    for module in modules:
        load_plugin(module)
    context.meta[PLUGINS] = modules


class _Formats(click.Choice[str]):
    """The names of tables of file formats, which are loaded when a command needs them."""

    def __init__(self, *tables: tuple[str, str]) -> None:
        names = [getattr(import_module(module), table) for module, table in tables]
        super().__init__([name for table in names for name in table])


_RUN_TABLE = ("gainful.read.formats", "FORMATS")
_SESSION_TABLE = ("gainful.read.session_formats", "SESSION_FORMATS")
_RUN_FORMATS = partial(_Formats, _RUN_TABLE)
_SESSION_FORMATS = partial(_Formats, _SESSION_TABLE)
RUN_OR_SESSION_FORMATS = partial(_Formats, _RUN_TABLE, _SESSION_TABLE)


def _complete_measure(_: click.Context, __: click.Parameter, text: str) -> Any:
    return complete_names(MEASURES, text)


def _declare_form(default: str) -> Callable[..., Decorator]:
    """`--format`: all that there are, in every command."""
    return declare(
        *("--format", "form"),
        group="Output",
        type=click.Choice(tuple(RENDERERS)),
        help=f"How to print it. [{default}]",
    )


_FEW_CONVENTIONS = "trec_eval, sklearn, quepid, wikipedia"

OPTIONS: Mapping[str, Callable[..., Decorator]] = {
    # what is asked
    "measures": declare(
        *("-m", "--measure", "measures"),
        multiple=True,
        metavar="MEASURE",
        help="Such as nDCG@10, nDCG@1,3,5, AP, P_5, ndcg_cut.5,10; may be repeated. "
        f"[{', '.join(USUAL_MEASURES)}]",
        shell_complete=_complete_measure,
    ),
    "measure": declare(
        "-m", "--measure", metavar="MEASURE", show_default=True, shell_complete=_complete_measure
    ),
    "per_query": declare("--per-query", is_flag=True, help="A line for each query."),
    "judged": declare(
        "--judged",
        metavar="G,G,…",
        help="Every judged grade of the query, those of the ranking too: the ideal.",
    ),
    "qrels": declare(
        "--qrels", metavar="QRELS", type=PATH, help="Judgments by topic. [the column grade of FILE]"
    ),
    "cost": declare(
        "--cost",
        metavar="query=N,result=N",
        help="What searching costs: numbers, or columns (result=tokens). Adds gain per cost.",
    ),
    "baseline": declare(
        "--baseline", metavar="NAME", help="What the others are set against. [the first]"
    ),
    "by": declare("--by", metavar="COLUMN,…", help="Groups, such as --by system,scenario."),
    "title": declare("--title", metavar="TEXT", help="Instead of its own."),
    "non_last": declare(
        "--non-last",
        type=click.Choice(("pooled", "within")),
        help="Queries before the last: pooled, or averaged within each session first. [pooled]",
    ),
    # which searchers are tried
    "sweep.b": declare(
        "--b",
        metavar="RANGE",
        default=USUAL_RANGE,
        show_default=True,
        help="Bases of the rank discount.",
    ),
    "sweep.bq": declare(
        "--bq",
        metavar="RANGE",
        default=USUAL_RANGE,
        show_default=True,
        help="Bases of the query discount.",
    ),
    "points": declare(
        "--points", type=int, metavar="N", show_default=True, help="How many bases of a range."
    ),
    "depth": declare(
        "--depth", metavar="X", help="How many results of a query count: 10, or 5,10,20. [10]"
    ),
    "weights": declare(
        "--weights",
        multiple=True,
        metavar="WEIGHTS",
        help="What grades are worth: linear, exp, 0:0,1:1,2:10,3:100; may be repeated. [linear]",
    ),
    # chance
    "test": declare(
        "--test",
        group="Statistics",
        type=click.Choice(TEST_NAMES),
        default="randomisation",
        show_default=True,
        help="How evidence is weighed.",
    ),
    "correct": declare(
        "--correct",
        group="Statistics",
        type=click.Choice(list(CORRECTIONS)),
        help="How p is corrected. [max-t; of other tests than randomisation holm]",
    ),
    "family": declare(
        "--family",
        group="Statistics",
        type=click.Choice(list(FAMILIES)),
        default="measure",
        show_default=True,
        help="Correct over the pairs of one measure, or of all measures.",
    ),
    "cluster": declare(
        "--cluster",
        group="Statistics",
        metavar="PATTERN|COLUMN",
        help=r"What queries belong to that are not independent: '^(.+)_\d+$', or a column.",
    ),
    "alpha": declare(
        "--alpha",
        group="Statistics",
        type=float,
        metavar="P",
        default=ALPHA,
        show_default=True,
        help="Level of significance.",
    ),
    "seed": declare(
        "--seed",
        group="Statistics",
        type=int,
        metavar="N",
        default=SEED,
        show_default=True,
        help="Seed of the random numbers.",
    ),
    "resamples": declare(
        "--resamples",
        group="Statistics",
        type=int,
        metavar="N",
        default=RESAMPLES,
        show_default=True,
        help="Number of resamples.",
    ),
    "family.resamples": declare(
        "--resamples",
        group="Statistics",
        type=int,
        metavar="N",
        help=f"Number of resamples. [{RESAMPLES}; more where holm needs them]",
    ),
    "interval": declare(
        "--interval",
        type=float,
        metavar="LEVEL",
        help="How sure is each mean? Its interval at LEVEL per cent, such as 95.",
    ),
    "interval.resamples": declare(
        "--resamples",
        group="Statistics",
        type=int,
        metavar="N",
        help=f"Of --interval: number of resamples. [{RESAMPLES}]",
    ),
    "interval.seed": declare(
        "--seed",
        group="Statistics",
        type=int,
        metavar="N",
        help=f"Of --interval: seed of the random numbers. [{SEED}]",
    ),
    # what is printed, and where
    "form": _declare_form("table on a terminal, tsv in a pipe, or by the suffix of -o"),
    "text_form": _declare_form("table, or by the suffix of -o"),
    "output": declare(
        *("-o", "--output"),
        group="Output",
        metavar="FILE",
        type=PATH,
        help="Write to FILE instead.",
    ),
    "quiet": declare(
        *("-q", "--quiet"),
        group="Output",
        is_flag=True,
        help="No notes on stderr beside TSV, CSV and JSON lines.",
    ),
    "verbose": declare(
        *("-v", "--verbose"),
        group="Output",
        is_flag=True,
        help="The whole convention, and everything that was counted.",
    ),
    # how files are read
    "qrels_format": declare(
        "--qrels-format",
        group="Files",
        type=_RUN_FORMATS,
        help="How judgments are written. [found out]",
    ),
    "run_format": declare(
        "--run-format", group="Files", type=_RUN_FORMATS, help="How runs are written. [found out]"
    ),
    "columns": declare(
        "--columns",
        group="Files",
        metavar="ROLE=NAME,…",
        multiple=True,
        callback=partial(parse_pairs, "ROLE=NAME, such as query=user,doc=item"),
        help="How columns are called: query=user,doc=item. [the usual names]",
    ),
    "sessions_format": declare(
        "--sessions-format",
        group="Files",
        type=_SESSION_FORMATS,
        help="How sessions are written. [found out]",
    ),
    "where": declare(
        "--where", group="Files", multiple=True, metavar="COLUMN=VALUE", help="Only these sessions."
    ),
    "min_queries": declare(
        "--min-queries",
        group="Files",
        type=int,
        metavar="N",
        help="Only sessions of at least N queries.",
    ),
    "first_queries": declare(
        "--first-queries",
        group="Files",
        type=int,
        metavar="N",
        help="Only the first N queries of each.",
    ),
    "topics": declare(
        "--topics",
        group="Files",
        metavar="FILE",
        type=PATH,
        help="Lines of session and topic, whose judgments count.",
    ),
    "pages": declare(
        "--pages",
        group="Files",
        type=click.Choice(("merge", "count")),
        help="Of Session Track XML: does a further page continue the list, or count? [merge]",
    ),
    "tool": declare(
        "--tool",
        group="Files",
        metavar="NAME",
        multiple=True,
        help="Of traces and transcripts: a tool whose calls are searches; may be repeated.",
    ),
    "bad": declare(
        "--bad",
        group="Files",
        type=click.Choice(("error", "skip")),
        help="Malformed sessions and events: refuse them, or leave them out and count them. "
        "[error]",
    ),
    "session_ties": declare(
        "--ties",
        group="Files",
        type=click.Choice(("doc_descending", "input")),
        help="Of conversations: how are equal scores ranked? [doc_descending]",
    ),
    # whose convention, and what of it is otherwise
    "plugin": declare(  # known before any other option is looked at
        "--plugin",
        group="Convention",
        metavar="MODULE",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_load_plugins,
        help="A module or file.py that registers measures of your own; may be repeated.",
    ),
    "like": declare(
        "--like",
        group="Convention",
        metavar="NAME",
        help=f"Compute as a tool or source does: {_FEW_CONVENTIONS}, … "
        f"({len(CONVENTIONS)} are known; gainful conventions lists them).",
        shell_complete=lambda _, __, text: complete_names(CONVENTIONS, text),
    ),
    "like_sessions": declare(
        "--like",
        group="Convention",
        metavar="NAME",
        help=f"Whose settings to follow: {', '.join(SESSION_CONVENTIONS)}. [jk2008]",
        shell_complete=lambda _, __, text: complete_names(SESSION_CONVENTIONS, text),
    ),
    **LOG_OPTIONS,
    **SETTING_OPTIONS,
}

# Options that go together.
RESAMPLING = ("alpha", "seed", "family.resamples")
INTERVAL = ("interval", "interval.resamples", "interval.seed")
SWEEP_GRID = ("sweep.b", "sweep.bq", "depth", "weights")
CONVENTION = ("like", *SETTINGS, "plugin")
READ_RUNS = ("qrels_format", "run_format", "columns")
PRINT_RUNS = ("form", "output", "quiet", "verbose", *READ_RUNS, *CONVENTION)
PRINT_TEXT = ("text_form", "output")
SESSION_CONVENTION = ("like_sessions", *(f"sessions.{name}" for name in SESSION_SETTINGS))
CHOOSE_SESSIONS = (
    *("where", "min_queries", "first_queries", "sessions_format", "topics", "pages", "bad"),
    *("tool", "gap", "events", "gain_from", "propensity", "anonymise", "salt"),
)
READ_SESSIONS = (*CHOOSE_SESSIONS, "columns", "qrels_format", "session_ties")
# Of a log that nobody judges: nothing gains.
READ_LOG = tuple(
    name for name in READ_SESSIONS if name not in ("qrels_format", "gain_from", "propensity")
)


def options(*names: str | Decorator) -> Decorator:
    """The options of the table by these names, in this order; others may stand among them."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            decorator = OPTIONS[name]() if isinstance(name, str) else name
            command = decorator(command)
        return command

    return decorate


def option(name: str, **changes: Any) -> Decorator:
    """An option of the table with other attributes, such as its help."""
    return OPTIONS[name](**changes)


def refuse_idle_options(names: Iterable[str], why: str) -> None:
    """An option that was typed and does nothing is a mistake, not a silence."""
    context = click.get_current_context()
    flags = {parameter.name: parameter.opts[-1] for parameter in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{flags[name]} {why}")
