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
from gainful.cli.numbers import parse_base
from gainful.convention import CONVENTIONS, SETTINGS, Setting
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_SETTINGS
from gainful.errors import BadValue
from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS
from gainful.page.render import RENDERERS

VALUE_FORMS = tuple(form for form in RENDERERS if form != "html")
PLUGINS = "gainful.plugins"  # where a command finds what plug-ins were named
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _load_plugins(context: click.Context, _: object, modules: tuple[str, ...]) -> None:
    for module in modules:
        load_plugin(module)
    context.meta[PLUGINS] = modules


def _parse_columns(
    _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """Roles with the columns that may have them: query=user,doc=item."""
    columns: dict[str, tuple[str, ...]] = {}
    for pair in (part for text in texts for part in text.split(",")):
        role, _, name = (word.strip() for word in pair.partition("="))
        if not role or not name:
            raise BadValue(parameter.opts[0], pair, "ROLE=NAME, such as query=user,doc=item")
        columns[role] = (*columns.get(role, ()), name)
    return columns or None


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


def _declare(*flags: str, **attributes: Any) -> Callable[..., Decorator]:
    """An option of the table; a command may have some of its attributes otherwise."""

    def build(**changes: Any) -> Decorator:
        chosen = attributes | changes
        if isinstance(chosen.get("type"), partial):  # made only where it is needed
            chosen["type"] = chosen["type"]()
        return click.option(*flags, **chosen)

    return build


def _declare_setting(setting: Setting, **attributes: Any) -> Callable[..., Decorator]:
    """The option of a setting: its answers, or what the table says of it otherwise."""
    if setting.answers:
        answers = {str(answer): answer for answer in setting.answers}
        attributes = {
            "metavar": "|".join(answers),
            "callback": lambda _, __, text: text if text is None else answers.get(text, text),
        }
    flag = "--" + setting.name.replace("_", "-")
    return _declare(flag, setting.name, **{"help": setting.question} | attributes)


_SETTING_ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "gain": {"metavar": "NAME", "help": f"{', '.join(GAINS)}, or weights: 0:0,1:1,2:10,3:100."},
    "discount": {"metavar": "NAME", "help": f"{', '.join(DISCOUNTS)}."},
    "b": {
        "metavar": "BASE",
        "callback": parse_base,
        "help": "Base of the discount's logarithm, or e.",
    },
    "rel": {"metavar": "G", "type": float},
    "max_grade": {"metavar": "G", "type": float},
}
_SESSION_ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "b": {
        "metavar": "BASE",
        "callback": parse_base,
        "help": "Base of the rank discount's logarithm.",
    },
    "bq": {"metavar": "BASE", "callback": parse_base, "help": "Base of the query discount's."},
    "rel": {"metavar": "G", "type": float},
    "lists": {"metavar": "padded|as_is|minimum(m)"},
}
_FEW_CONVENTIONS = "trec_eval, sklearn, quepid, wikipedia"

OPTIONS: Mapping[str, Callable[..., Decorator]] = {
    # what is asked
    "measures": _declare(
        *("-m", "--measure", "measures"),
        multiple=True,
        metavar="MEASURE",
        help="Such as nDCG@10, nDCG@1,3,5, AP, P_5, ndcg_cut.5,10; may be repeated. "
        "[nDCG@10, AP, RR]",
    ),
    "measure": _declare("-m", "--measure", metavar="MEASURE"),
    "per_query": _declare("--per-query", is_flag=True, help="A line for each query."),
    "judged": _declare(
        "--judged",
        metavar="G,G,…",
        help="Every judged grade of the query, those of the ranking too: the ideal.",
    ),
    "qrels": _declare(
        "--qrels", metavar="QRELS", help="Judgments by topic. [the column grade of FILE]"
    ),
    "baseline": _declare(
        "--baseline", metavar="NAME", help="What the others are set against. [the first]"
    ),
    "correct": _declare(
        *("--correct",),
        type=click.Choice(list(CORRECTIONS)),
        help="How p is corrected across measures and pairs. [holm; with tukey bonferroni]",
    ),
    # chance
    "alpha": _declare(
        "--alpha", type=float, default=ALPHA, show_default=True, help="Level of significance."
    ),
    "seed": _declare(
        "--seed", type=int, default=SEED, show_default=True, help="Seed of the random numbers."
    ),
    "resamples": _declare(
        *("--resamples",),
        type=int,
        default=RESAMPLES,
        show_default=True,
        help="Number of resamples.",
    ),
    # what is printed, and where
    "form": _declare(
        *("--format", "form"),
        type=click.Choice(VALUE_FORMS),
        help="How to print it. [table on a terminal, tsv in a pipe, or by the suffix of -o]",
    ),
    "output": _declare("-o", "--output", metavar="FILE", help="Write to FILE instead."),
    "quiet": _declare(
        *("-q", "--quiet"),
        is_flag=True,
        help="No notes on stderr beside TSV, CSV and JSON lines.",
    ),
    # how files are read
    "qrels_format": _declare(
        "--qrels-format", type=_RUN_FORMATS, help="How judgments are written. [found out]"
    ),
    "run_format": _declare(
        "--run-format", type=_RUN_FORMATS, help="How runs are written. [found out]"
    ),
    "columns": _declare(
        *("--columns",),
        metavar="ROLE=NAME,…",
        multiple=True,
        callback=_parse_columns,
        help="How columns are called: query=user,doc=item. [the usual names]",
    ),
    "sessions_format": _declare(
        *("--sessions-format",),
        type=_SESSION_FORMATS,
        help="How sessions are written. [found out]",
    ),
    "where": _declare(
        "--where", multiple=True, metavar="COLUMN=VALUE", help="Only these sessions."
    ),
    "min_queries": _declare(
        "--min-queries", type=int, metavar="N", help="Only sessions of at least N queries."
    ),
    "first_queries": _declare(
        "--first-queries", type=int, metavar="N", help="Only the first N queries of each."
    ),
    "topics": _declare(
        "--topics", metavar="FILE", help="Lines of session and topic, whose judgments count."
    ),
    "pages": _declare(
        *("--pages",),
        type=click.Choice(("merge", "count")),
        help="Of Session Track XML: does a further page continue the list, or count? [merge]",
    ),
    "skip_bad": _declare(
        "--skip-bad", is_flag=True, help="Leave malformed sessions out, and count them."
    ),
    "session_ties": _declare(
        *("--ties",),
        type=click.Choice(("doc_descending", "input")),
        help="Of conversations: how are equal scores ranked? [doc_descending]",
    ),
    # whose convention, and what of it is otherwise
    "plugin": _declare(  # known before any other option is looked at
        *("--plugin",),
        metavar="MODULE",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_load_plugins,
        help="A module or file.py that registers measures of your own; may be repeated.",
    ),
    "like": _declare(
        *("--like",),
        metavar="NAME",
        help=f"Compute as a tool or source does: {_FEW_CONVENTIONS}, … "
        f"({len(CONVENTIONS)} are known; gainful conventions lists them).",
    ),
    "like_sessions": _declare(
        "--like", metavar="NAME", help=f"Whose habits: {', '.join(SESSION_CONVENTIONS)}."
    ),
    **{
        name: _declare_setting(
            setting, **_SETTING_ATTRIBUTES.get(name, {"type": int, "metavar": "N"})
        )
        for name, setting in SETTINGS.items()
    },
    **{
        f"sessions.{name}": _declare_setting(
            setting, **_SESSION_ATTRIBUTES.get(name, {"metavar": "NAME"})
        )
        for name, setting in SESSION_SETTINGS.items()
    },
}

# Options that go together.
RESAMPLING = ("alpha", "seed", "resamples")
CONVENTION = ("plugin", "like", *SETTINGS)
READ_RUNS = ("qrels_format", "run_format", "columns")
PRINT_RUNS = ("form", "output", "quiet", *READ_RUNS, *CONVENTION)
SESSION_CONVENTION = ("like_sessions", *(f"sessions.{name}" for name in SESSION_SETTINGS))
CHOOSE_SESSIONS = (
    *("where", "min_queries", "first_queries", "sessions_format", "topics", "pages", "skip_bad"),
)
READ_SESSIONS = (*CHOOSE_SESSIONS, "columns", "qrels_format", "session_ties")


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


def format_option(*forms: str) -> Decorator:
    """`--format` of a command that has these forms, the first being the default."""
    return option(
        "form",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="How to print it.",
    )


def refuse_idle_options(names: Iterable[str], why: str) -> None:
    """An option that was typed and does nothing is a mistake, not a silence."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} {why}")
