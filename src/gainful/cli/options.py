"""The options of the commands: a row for each, from which a command takes what it needs.

A row has the flags, what stands behind them (or the choices there are), and what it means. An
option that only one command has stands in that command, as a row of the same kind.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from math import e
from typing import Any

import click
from click.core import ParameterSource

from gainful.cli.command import OUTPUT, PATH, Option, complete_names, unknown_option
from gainful.convention import SETTINGS, Setting
from gainful.defaults import ALPHA, RESAMPLES, SEED
from gainful.errors import BadValue, WrongType
from gainful.measure.build_recipes import USUAL_MEASURES
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS, USUAL_RANGE
from gainful.measure.gain import GAINS
from gainful.page.render import RENDERERS
from gainful.text import NUMBER_PATTERN, join_words, split_numbers

# nan and inf are numbers to a person who types them; why they are refused is said further in.
_NUMBER = re.compile(rf"{NUMBER_PATTERN}|[+-]?(nan|inf)", re.ASCII | re.IGNORECASE)

# A word that begins with a dash may be a negative grade, so click must not refuse it.
GRADES_SETTINGS = {"ignore_unknown_options": True}


def parse_numbers(words: Iterable[str], argument: str) -> list[float]:
    """The numbers in some words; a word that is none is an error that says so."""
    words = list(words)
    if words == ["-"]:
        words = _read_stdin(argument).split()
    parsed = []
    for word in split_numbers(" ".join(words)):
        if not _NUMBER.fullmatch(word.strip()):
            raise _number_error(word.strip(), argument)
        parsed.append(float(word))
    return parsed


def _read_stdin(argument: str) -> str:
    if sys.stdin is None:
        raise BadValue(argument, "-", "numbers, or - with input from a pipe")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise BadValue(argument, "no text", "numbers in UTF-8 text") from None


def _number_error(word: str, argument: str) -> Exception:
    if word.startswith("--") and argument == "grades":
        command = click.get_current_context().command
        if any(word in param.opts for param in command.params):
            return click.UsageError(f"{word} comes after --; options go before it")
        return unknown_option(command, word)
    from gainful.api.measures import is_measure  # noqa: PLC0415  (only once there is a mistake)

    if argument == "grades" and is_measure(word):
        return click.UsageError(f"{word} is a measure: name it with -m {word}")
    return WrongType(argument, word, "numbers, such as 3 2 3 0 1 2")


def parse_base(_: object, parameter: click.Parameter, text: str | None) -> float | None:
    """The base of a logarithm: a number, or e."""
    if text is None:
        return None
    if text != "e" and not _NUMBER.fullmatch(text):
        raise WrongType(str(parameter.name), text, "a number above 1, or e")
    return e if text == "e" else float(text)


Bounds = list[tuple[str, float]]


def split_bounds(
    parameter: click.Parameter, texts: Iterable[str], pattern: str, allowed: str
) -> Iterator[tuple[str, re.Match[str]]]:
    """MEASURE=VALUE: split at the last =, as a measure may hold others."""
    for text in texts:
        measure, _, value = (part.strip() for part in text.rpartition("="))
        number = re.fullmatch(pattern, value, re.ASCII)
        if measure[-1:] in ("", "<", ">") or number is None:
            raise BadValue(parameter.opts[0], text, allowed)
        yield measure, number


def parse_bounds(_: object, parameter: click.Parameter, texts: tuple[str, ...]) -> Bounds:
    """A number for each measure."""
    example = "MEASURE=VALUE, such as nDCG@10=0.45"
    bounds = split_bounds(parameter, texts, NUMBER_PATTERN, example)
    return [(measure, float(value[0])) for measure, value in bounds]


def parse_differences(
    _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> float | dict[str, float] | None:
    """One number for all measures, or MEASURE=VALUE for some."""
    if len(texts) == 1 and re.fullmatch(NUMBER_PATTERN, texts[0].strip(), re.ASCII):
        return float(texts[0])
    return dict(parse_bounds(_, parameter, texts)) or None


def parse_pairs(
    allowed: str, _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """What is mine, and the names that may be meant by it: query=user,doc=item."""
    pairs: dict[str, tuple[str, ...]] = {}
    for pair in (part for text in texts for part in text.split(",")):
        role, equals, name = (word.strip() for word in pair.partition("="))
        if not role or not (name or (equals and role == "grade")):  # judgments may have none
            raise BadValue(parameter.opts[0], pair, allowed)
        pairs[role] = (*pairs.get(role, ()), *filter(None, [name]))
    return pairs or None


def _parse_conditions(_: object, __: object, where: tuple[str, ...]) -> dict[str, str]:
    """COLUMN=VALUE, one of each column."""
    conditions = {}
    for condition in where:
        column, equals, value = (part.strip() for part in condition.partition("="))
        if not equals:
            raise BadValue("where", condition, "COLUMN=VALUE, such as scenario=D")
        if column in conditions:
            raise BadValue("where", condition, f"one condition on {column}")
        conditions[column] = value
    return conditions


def _split_columns(_: object, __: object, given: str | tuple[str, ...] | None) -> list[str]:
    """The names in --by a,b --by c."""
    texts = [given] if isinstance(given, str) else given or ()
    return [part.strip() for text in texts for part in text.split(",")]


def _list_or_none(_: object, __: object, values: tuple[str, ...]) -> list[str] | None:
    return list(values) or None


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PLUGINS = "gainful.plugins"  # where a command finds the files of plug-ins
_TYPES: Mapping[str, Any] = {"N": int, "P": float, "G": float, "LEVEL": float, "FILE": PATH}


class Row:
    """An option: how it is typed, and what it means; made where it is needed."""

    def __init__(self, usage: str, text: Any = "", *, choices: Any = None, **more: Any) -> None:
        """`usage` has the flags, the name in Python if it is another, and a word for the value."""
        words = usage.split()
        self.flags = [
            word for word in words if word[0] == "-" or (word.islower() and word.isidentifier())
        ]
        self.attributes: dict[str, Any] = {"help": text, **more}
        value = " ".join(word for word in words if word not in self.flags)
        if choices is not None:
            self.attributes["type"] = choices if callable(choices) else click.Choice(list(choices))
        elif value:
            self.attributes = {"metavar": value, "type": _TYPES.get(value)} | self.attributes
        elif "metavar" not in more:
            self.attributes["is_flag"] = True
        if "default" in more:
            self.attributes.setdefault("show_default", True)

    def __call__(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Give a command this option."""
        attributes = dict(self.attributes)
        if isinstance(attributes.get("type"), partial):
            attributes["type"] = attributes["type"]()
        if attributes.pop("once", False):  # a second one would silently replace the first
            attributes |= {"multiple": True, "callback": _take_one}
            attributes |= {"default": [attributes["default"]]} if "default" in attributes else {}
        return click.option(*self.flags, cls=Option, **attributes)(command)


def _take_one(_: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    if len(values) > 1:
        raise click.UsageError(f"one {option.name} at a time, not {join_words(values)}")
    return values[0] if values else None


def _load_plugins(context: click.Context, _: object, modules: tuple[str, ...]) -> None:
    for module in modules:
        from gainful.api.measures import load_plugin  # noqa: PLC0415  (few load one)

        load_plugin(module)
    files = (getattr(sys.modules.get(module), "__file__", None) for module in modules)
    context.meta[PLUGINS] = [file or module for file, module in zip(files, modules, strict=True)]


def _list_choices(*tables: tuple[str, str]) -> click.Choice[str]:
    names = [getattr(import_module(f"gainful.{module}"), table) for module, table in tables]
    return click.Choice(list(dict.fromkeys(name for table in names for name in table)))


def _completes(names: Iterable[str]) -> dict[str, Any]:
    return {"shell_complete": lambda _, __, text: complete_names(names, text)}


def _load_tools() -> Iterable[str]:
    from gainful.convention import CONVENTIONS  # noqa: PLC0415  (most commands name none)

    return CONVENTIONS


def _describe_tools() -> str:
    tools = "Compute as a tool or source does: trec_eval, sklearn, quepid, wikipedia, …"
    return f"{tools} ({len([*_load_tools()])} are known; gainful conventions lists them)."


def _setting(setting: Setting, **more: Any) -> Row:
    """The option of a setting: its answers, or what the table says of it otherwise."""
    usage = f"--{setting.name.replace('_', '-')} {setting.name}"
    if not setting.answers:
        more = {"metavar": "NAME", "text": setting.question} | more
        return Row(f"{usage} {more.pop('metavar')}", group="Convention", **more)
    answers = {str(answer): answer for answer in setting.answers}
    return Row(
        f"{usage} NAME",
        f"{setting.question} {', '.join(answers)}.",
        group="Convention",
        callback=lambda _, __, text: text if text is None else answers.get(text, text),
        **_completes(answers),
    )


_RUN_TABLE = ("read.formats", "RUN_FORMATS")
_SESSION_TABLE = ("read.formats", "SESSION_FORMATS")
_RUN_FORMATS = partial(_list_choices, _RUN_TABLE)
RUN_OR_SESSION_FORMATS = partial(_list_choices, _RUN_TABLE, _SESSION_TABLE)
_CORRECTION = "evidence.statistics.correction"
_TEST_TABLE = ("evidence.statistics.paired_tests", "TEST_NAMES")
_BASE: dict[str, Any] = {"metavar": "BASE", "callback": parse_base}
_SETTING_ROWS: Mapping[str, dict[str, Any]] = {
    "gain": {"text": f"{', '.join(GAINS)}, or weights: 0:0,1:1,2:10,3:100."},
    "discount": {"text": f"{', '.join(DISCOUNTS)}."},
    "b": _BASE | {"text": "Base of the discount's logarithm, or e."},
    "rel": {"metavar": "G"},
    "max_grade": {"metavar": "G"},
}
_SESSION_ROWS: Mapping[str, dict[str, Any]] = {
    "b": _BASE | {"text": "Base of the rank discount's logarithm."},
    "bq": _BASE | {"text": "Base of the query discount's."},
    "rel": {"metavar": "G"},
    "lists": {"metavar": "padded|as_is|minimum(m)"},
}
_FORM = "--format form"
_ROWS: Mapping[str, Mapping[str, Row]] = {
    "": {
        "measures": Row(
            "-m --measure measures MEASURE",
            "Such as nDCG@10, nDCG@1,3,5, AP, P_5, ndcg_cut.5,10; may be repeated. "
            f"[{', '.join(USUAL_MEASURES)}]",
            multiple=True,
            **_completes(MEASURES),
        ),
        "measure": Row(
            "-m --measure MEASURE", show_default=True, once=True, **_completes(MEASURES)
        ),
        "per_query": Row("--per-query", "Print a line for each query."),
        "interactions": Row(
            "--interactions FILE", "For Novelty: a table of users and items.", type=PATH
        ),
        "judged": Row(
            "--judged G,G,…",
            "All judged grades of the query, including those of the ranking: the ideal.",
        ),
        "qrels": Row("--qrels QRELS", "Judgments by topic. [the column grade of FILE]", type=PATH),
        "cost": Row(
            "--cost query=N,result=N",
            "Cost of searching: numbers, or columns (result=tokens). Adds gain per cost.",
        ),
        "baseline": Row("--baseline NAME", "Compare the others with this one. [the first]"),
        "by": Row(
            "--by COLUMN,…", "Groups, such as --by system,scenario.", callback=_split_columns
        ),
        "one_by": Row("--by COLUMN", "Groups to compare first. [system]"),
        "group": Row(
            "--group COLUMN",
            "Also by group of queries: a column of any input, text_length or relevant_docs.",
        ),
        "queries": Row("--queries FILE", "For --group: a table of queries (CSV, TSV, JSON lines)."),
        "title": Row("--title TEXT", "Title in place of the default one."),
        "non_last": Row(
            "--non-last",
            "Queries before the last: pooled, or averaged within each session first. [pooled]",
            choices=("pooled", "within"),
        ),
        "session_qrels": Row("--qrels session_qrels FILE", "With --sessions: judgments by topic."),
        "sweep.b": Row("--b RANGE", "Bases of the rank discount.", default=USUAL_RANGE),
        "sweep.bq": Row("--bq RANGE", "Bases of the query discount.", default=USUAL_RANGE),
        "points": Row("--points N", "Number of values in a range.", show_default=True),
        "depth": Row("--depth X", "Results per query that count: 10, or 5,10,20. [10]"),
        "weights": Row(
            "--weights WEIGHTS",
            "Gain of each grade: linear, exp, 0:0,1:1,2:10,3:100; may be repeated. [linear]",
            multiple=True,
            callback=_list_or_none,
        ),
        "interval": Row(
            "--interval LEVEL", "Confidence interval of each mean at LEVEL per cent, such as 95."
        ),
    },
    "Statistics": {
        "test": Row(
            "--test",
            "Significance test.",
            choices=partial(_list_choices, _TEST_TABLE),
            default="randomisation",
        ),
        "any_test": Row(
            "--test",
            "Significance test. [randomisation; with --sessions by the design]",
            choices=partial(_list_choices, _TEST_TABLE, (_CORRECTION, "STUDY_TESTS")),
        ),
        "correct": Row(
            "--correct",
            "Correction of p. [max-t; for other tests holm]",
            choices=partial(_list_choices, (_CORRECTION, "CORRECTIONS")),
        ),
        "family": Row(
            "--family",
            "Correct over the pairs of one measure, or of all measures.",
            choices=partial(_list_choices, (_CORRECTION, "FAMILIES")),
            default="measure",
        ),
        "cluster": Row(
            "--cluster PATTERN|COLUMN",
            r"Clusters of queries that are not independent: '^(.+)_\d+$', or a column.",
        ),
        "alpha": Row("--alpha P", "Level of significance.", default=ALPHA),
        "seed": Row("--seed N", "Seed of the random numbers.", default=SEED),
        "resamples": Row("--resamples N", "Number of resamples.", default=RESAMPLES),
        "family.resamples": Row(
            "--resamples N", f"Number of resamples. [{RESAMPLES}; more if holm needs them]"
        ),
        "interval.resamples": Row(
            "--resamples N", f"For --interval: number of resamples. [{RESAMPLES}]"
        ),
        "interval.seed": Row("--seed N", f"For --interval: random seed. [{SEED}]"),
        "block": Row(
            "--block COLUMN",
            "With --sessions: columns whose effects are removed. [searcher, scenario]",
            multiple=True,
        ),
    },
    "Output": {
        "form": Row(
            _FORM, "Output format. [table; tsv in a pipe; or by suffix of -o]", choices=RENDERERS
        ),
        "text_form": Row(
            _FORM, "Output format. [table, or by the suffix of -o]", choices=RENDERERS
        ),
        "output": Row("-o --output FILE", "Write to FILE.", type=OUTPUT),
        "quiet": Row("-q --quiet", "Print no notes on stderr with TSV, CSV and JSON lines."),
        "verbose": Row("-v --verbose", "Print the whole convention and all counts."),
    },
    "Files": {
        "qrels_format": Row(
            "--qrels-format", "Format of the judgments. [detected]", choices=_RUN_FORMATS
        ),
        "run_format": Row("--run-format", "Format of the runs. [detected]", choices=_RUN_FORMATS),
        "columns": Row(
            "--columns ROLE=NAME,…",
            "Names of columns: query=user,doc=item. [the usual names]",
            multiple=True,
            callback=partial(parse_pairs, "ROLE=NAME, such as query=user,doc=item"),
        ),
        "sessions_format": Row(
            "--sessions-format",
            "Format of the sessions. [detected]",
            choices=partial(_list_choices, _SESSION_TABLE),
        ),
        "where": Row(
            "--where COLUMN=VALUE",
            "Only these sessions.",
            multiple=True,
            callback=_parse_conditions,
        ),
        "min_queries": Row("--min-queries N", "Only sessions of at least N queries."),
        "first_queries": Row("--first-queries N", "Only the first N queries of each."),
        "topics": Row("--topics FILE", "Topic of each session: lines of session and topic."),
        "pages": Row(
            "--pages",
            "Session Track XML: further pages continue the list, or count as queries. [merge]",
            choices=("merge", "count"),
        ),
        "tool": Row(
            "--tool NAME",
            "Traces and transcripts: a tool whose calls are searches; may be repeated.",
            multiple=True,
            callback=_list_or_none,
        ),
        "bad": Row(
            "--bad",
            "Malformed sessions and events: stop with an error, or skip and count them. [error]",
            choices=("error", "skip"),
        ),
        "session_ties": Row(
            "--ties",
            "Conversations: order of equal scores. [doc_descending]",
            choices=("doc_descending", "input"),
        ),
    },
    "Logs": {
        "gap": Row(
            "--gap TIME",
            "Split sessions at pauses longer than this: 30m, 1h. [30m, if the log has no session "
            "ids]",
        ),
        "events": Row(
            "--events EVENT=WORD,…",
            "Names of the log's events: shown=view,clicked=open. [the usual words]",
            multiple=True,
            callback=partial(parse_pairs, "EVENT=WORD, such as shown=view; a log is another FILE"),
        ),
        "gain_from": Row(
            "--gain-from RULE",
            "Gain without judgments: clicked, purchased, dwell>=30s, or weights (the highest "
            "counts), clicked=1,purchased=5. [clicked]",
        ),
        "propensity": Row(
            "--propensity FILE|estimate",
            "Correct gains for position: a table of rank and propensity, or estimated from the "
            "clicks.",
            type=PATH,
        ),
        "anonymise": Row(
            "--anonymise", "Replace users and sessions with salted hashes in all output."
        ),
        "salt": Row(
            "--salt TEXT",
            "With --anonymise: makes hashes reproducible; GAINFUL_SALT hides it better. [random]",
            envvar="GAINFUL_SALT",
        ),
    },
    "Convention": {
        "plugin": Row(  # known before any other option is looked at
            "--plugin MODULE",
            "A module or file.py that registers measures of your own; may be repeated.",
            multiple=True,
            is_eager=True,
            expose_value=False,
            callback=_load_plugins,
        ),
        "like": Row(
            "--like NAME",
            _describe_tools,
            shell_complete=lambda _, __, text: complete_names(_load_tools(), text),
        ),
        **{
            name: _setting(setting, **_SETTING_ROWS.get(name, {"metavar": "N"}))
            for name, setting in SETTINGS.items()
        },
    },
}
OPTIONS: Mapping[str, tuple[str, Row]] = {
    name: (group, row) for group, rows in _ROWS.items() for name, row in rows.items()
}

# Options that go together.
RESAMPLING = ("alpha", "seed", "family.resamples")
INTERVAL = ("interval", "interval.resamples", "interval.seed")
SWEEP_GRID = ("sweep.b", "sweep.bq", "depth", "weights")
CONVENTION = ("like", *SETTINGS, "plugin")
GROUPS = ("group", "queries")
READ_RUNS = ("qrels_format", "run_format", "columns")
PRINT_RUNS = ("form", "output", "quiet", "verbose", *READ_RUNS, *CONVENTION)
PRINT_TEXT = ("text_form", "output")
CHOOSE_SESSIONS = (
    *("where", "min_queries", "first_queries", "sessions_format", "topics", "pages", "bad"),
    *("tool", "gap", "events", "gain_from", "propensity", "anonymise", "salt"),
)
READ_SESSIONS = (*CHOOSE_SESSIONS, "columns", "qrels_format", "session_ties")
# Of a log that nobody judges: nothing gains.
READ_LOG = tuple(
    name for name in READ_SESSIONS if name not in ("qrels_format", "gain_from", "propensity")
)


def session_convention() -> Mapping[str, Row]:
    """Whose settings to follow with sessions, and each of them by itself: loaded when asked for."""
    from gainful.convention.session import (  # noqa: PLC0415  (runs do without)
        SESSION_CONVENTIONS,
        SESSION_SETTINGS,
    )

    names = ", ".join(SESSION_CONVENTIONS)
    like = f"Whose settings to follow: {names}. [jk2008]"
    return {
        "like_sessions": Row("--like NAME", like, **_completes(SESSION_CONVENTIONS)),
        **{
            f"sessions.{name}": _setting(setting, **_SESSION_ROWS.get(name, {}))
            for name, setting in SESSION_SETTINGS.items()
        },
    }


def option(name: str, text: str | None = None, **changes: Any) -> Row:
    """An option of the table; a command may say otherwise what it means, or how it is taken."""
    group, row = OPTIONS[name] if name in OPTIONS else ("Convention", session_convention()[name])
    words = {} if text is None else {"help": text}
    attributes = {"group": group, **row.attributes, **words, **changes}
    if "default" in changes:
        attributes.setdefault("show_default", True)
    chosen = Row("")
    chosen.flags, chosen.attributes = row.flags, attributes
    return chosen


def refuse_idle_options(names: Iterable[str], why: str) -> None:
    """An option that was typed and does nothing is a mistake, not a silence."""
    context = click.get_current_context()
    flags = {parameter.name: parameter.opts[-1] for parameter in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{flags[name]} {why}")
