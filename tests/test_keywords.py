"""What Python takes by name, the command takes, and the other way round, but for one table."""

import inspect

import click
import pytest

import gainful
from gainful.cli.main import gainful as commands
from gainful.convention import SETTINGS
from gainful.convention.session import SESSION_SETTINGS

FUNCTIONS = {
    "eval": (gainful.evaluate, gainful.evaluate_collections),
    "compare": (gainful.compare, gainful.sessions.compare),
    "gate": (gainful.gate,),
    "plan": (gainful.plan,),
    "order": (gainful.order,),
    "report": (gainful.report, gainful.sessions.report),
    "unjudged": (gainful.unjudged,),
    "reproduce": (gainful.reproduce,),
    "why": (gainful.why,),
    "sessions": (gainful.sessions.evaluate, gainful.sessions.judge_by_clicks),
    "sweep": (gainful.sessions.sweep,),
    "calibrate": (gainful.calibrate,),
    "explore": (gainful.explore,),
    "check": (gainful.check,),
    "explain": (gainful.explain, gainful.explain_query, gainful.sessions.explain),
    "which": (gainful.which,),
    "judges": (gainful.compare_judges,),
    "correlate": (gainful.evaluate, gainful.sessions.evaluate, gainful.stats.correlate),
}
# Pages about gainful itself, another tool's interface, and figures, which take what their data take.
WITHOUT_FUNCTION = {"measures", "conventions", "help", "completion", "trec_eval", "figure"}
# Which settings a function takes by **options.
TAKEN_SETTINGS = {
    **dict.fromkeys(("eval", "compare", "gate", "plan", "order", "report"), SETTINGS),
    **dict.fromkeys(("unjudged", "reproduce", "correlate", "explain", "judges"), SETTINGS),
    **dict.fromkeys(("sessions", "explore"), SESSION_SETTINGS),
}
PRINTED = dict.fromkeys(("form", "output"), "output")
PRINTED_TEXT = PRINTED | dict.fromkeys(("quiet", "verbose"), "output")
PLUGIN = {"plugin": "import"}
OF_SESSIONS = {"salt": "anonymise"}
OF_BOTH = OF_SESSIONS | {"session_qrels": "qrels", "cost": "sessions", "last_run": "sessions"}
# What a command has and its function lacks, or the other way round, and why in a word: how a
# result is printed and where to, which in Python are methods and attributes; another name, or the
# command for it; an object that only Python has.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "eval": PRINTED_TEXT
    | PLUGIN
    | {"per_query": "attribute", "run": "runs", "collections": "folder", "folder": "collections"},
    "compare": PRINTED_TEXT | PLUGIN | OF_BOTH | {"full": "output", "values": "read_values"},
    "gate": PRINTED
    | PLUGIN
    | {"verbose": "output", "save_baseline": "save_to", "save_to": "save_baseline", "name": "file"},
    "plan": PRINTED_TEXT | PLUGIN,
    "order": PRINTED_TEXT | PLUGIN,
    "report": PLUGIN | OF_BOTH | {"output": "output", "values_file": "output"},
    "unjudged": PRINTED_TEXT
    | PLUGIN
    | {"first": "output", "per_query": "attribute", "run": "runs"},
    "reproduce": PRINTED_TEXT | PLUGIN,
    "why": PRINTED | PLUGIN,
    "sessions": PRINTED_TEXT
    | OF_SESSIONS
    | {"files": "sessions", "sessions": "files"}
    | dict.fromkeys(("best_query", "by", "curve", "last", "lengths", "non_last"), "method")
    | dict.fromkeys(("group", "queries"), "by")
    | dict.fromkeys(("per_session", "reformulations", "summary", "write_qrels"), "method"),
    "sweep": PRINTED
    | OF_SESSIONS
    | {"verbose": "output", "files": "sessions", "sessions": "files", "last_run": "sessions"},
    "calibrate": PRINTED
    | OF_SESSIONS
    | {"verbose": "output", "figure": "method", "files": "log", "log": "files"},
    "explore": OF_SESSIONS
    | {"output": "output", "files": "sessions", "sessions": "files"}
    | {"command": "object", "last_run": "sessions"},
    "check": PRINTED | {"files": "positional"},
    "explain": PRINTED
    | PLUGIN
    | OF_SESSIONS
    | {"verbose": "output", "session_qrels": "qrels", "last_run": "sessions"}
    | dict.fromkeys(("qrels", "run", "query"), "grades"),
    "judges": PRINTED_TEXT | PLUGIN | {"qrels": "judges", "judges": "qrels"},
    "which": PRINTED | {"verbose": "output"},
    "correlate": PRINTED_TEXT
    | PLUGIN
    | OF_BOTH
    | {"column": "against", "against": "column", "results": "object", "run": "runs"}
    | {"interval": "always"}
    | dict.fromkeys(("group", "queries", "items", "interactions"), "eval"),
}


def list_options(name):
    params = commands.get_command(click.Context(commands), name).params
    return [param.name for param in params if param.name != "help_all"]


def list_keywords(name):
    no_names = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    keywords = {
        value.name
        for function in FUNCTIONS[name]
        for value in inspect.signature(function).parameters.values()
        if value.kind not in no_names
    }
    return keywords | {*TAKEN_SETTINGS.get(name, ())}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_command_and_its_function_take_the_same(name):
    assert {*list_options(name)} ^ list_keywords(name) == {*EXCEPTIONS[name]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_signature_shows_further_inputs(name):
    for function in FUNCTIONS[name]:
        shown, own = inspect.signature(function), inspect.signature(inspect.unwrap(function))
        assert {*own.parameters} - {"options"} <= {*shown.parameters}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_settings_if_its_command_does(name):
    takes_more = any(
        value.kind is inspect.Parameter.VAR_KEYWORD
        for function in FUNCTIONS[name]
        for value in inspect.signature(function).parameters.values()
    )
    assert takes_more or name not in TAKEN_SETTINGS


def test_every_command_is_held_against_its_function():
    assert {*commands.list_commands(click.Context(commands))} - WITHOUT_FUNCTION == {*FUNCTIONS}
