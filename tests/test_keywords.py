"""What Python takes by name, the command takes, and the other way round, but for one list."""

from __future__ import annotations

import inspect

import click
import pytest

import gainful
from gainful.cli.main import gainful as commands
from gainful.convention import SETTINGS
from gainful.convention.session import SESSION_SETTINGS

FUNCTIONS = {
    "eval": (gainful.evaluate,),
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
    "explain": (gainful.explain,),
    "which": (gainful.which,),
    "correlate": (gainful.evaluate, gainful.sessions.evaluate, gainful.stats.correlate),
}
# Pages about gainful itself, another tool's interface, and figures, which take what their data take.
WITHOUT_FUNCTION = {"measures", "conventions", "help", "completion", "trec_eval", "figure"}
# How a result is printed and where to: in Python its methods and attributes.
OUTPUT = {"form", "output", "quiet", "verbose", "full", "per_query", "first", "figure", "plugin"}
OUTPUT |= {"by", "per_session", "curve", "last", "lengths", "non_last", "reformulations"}
OUTPUT |= {"best_query", "summary", "write_qrels"}
# Files by another name: of several commands in one, or of both in one argument.
FILES = {
    "files": "sessions",
    "session_qrels": "qrels",
    "save_baseline": "save_to",
    "salt": "anonymise",
    "column": "against",
}
# Only in Python: objects, and what a command finds out by itself.
PYTHON = {"run", "sessions", "log", "name", "save_to", "values_file", "command", "results"}
PYTHON |= {"texts"}  # --topics of a report
PYTHON |= {"cost", "last_run"}  # of sessions; the commands that print one study have them
PYTHON |= {"interval"}  # of evaluate; correlations have intervals anyway


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_command_and_its_function_take_the_same(name):
    command = commands.get_command(click.Context(commands), name)
    taken = {FILES.get(option.name, option.name) for option in command.params} - OUTPUT
    parameters = [
        value
        for function in FUNCTIONS[name]
        for value in inspect.signature(function).parameters.values()
    ]
    no_names = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    asked = {value.name for value in parameters if value.kind not in no_names}
    if any(value.kind is inspect.Parameter.VAR_KEYWORD for value in parameters):
        asked |= {*SETTINGS, *SESSION_SETTINGS} & taken
    assert taken - asked - PYTHON == set()
    assert asked - taken - OUTPUT == asked & PYTHON - taken


def test_the_list_of_exceptions_has_no_idle_entry():
    commands_have, functions_have = set(), set()
    for name, functions in FUNCTIONS.items():
        command = commands.get_command(click.Context(commands), name)
        commands_have |= {option.name for option in command.params}
        functions_have |= {
            n for function in functions for n in inspect.signature(function).parameters
        }
    assert OUTPUT - {"plugin"} <= commands_have | functions_have
    assert {*FILES} <= commands_have
    assert functions_have >= PYTHON


def test_every_command_is_held_against_its_function():
    assert {*commands.list_commands(click.Context(commands))} - WITHOUT_FUNCTION == {*FUNCTIONS}
