"""Functions that pass their options on: `help` shows them, and other tools' names are answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import TypeVar

from gainful.errors import UnknownName

_Function = TypeVar("_Function", bound=Callable[..., object])


def show_options(function: _Function, options_of: Callable[..., object]) -> _Function:
    """Let `help` and notebooks show by name what another function takes by name.

    Grades by another tool's name for them, such as y_true, are answered with the name they have.
    """
    own = signature(function)
    positional = [value for value in own.parameters.values() if value.name != "options"]
    options = [
        value
        for value in signature(options_of).parameters.values()
        if value.kind in {Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD}
    ]
    parameters = {value.name: value for value in (*positional, *options)}
    required = [value.name for value in positional if value.default is Parameter.empty]

    @wraps(function)
    def call(*arguments: object, **named: object) -> object:
        if len(arguments) < len(required) and not named.keys() >= {*required[len(arguments) :]}:
            for name in named:
                if name not in parameters:
                    raise UnknownName(f"option of {function.__name__}", name, parameters)
        return function(*arguments, **named)

    vars(call)["__signature__"] = own.replace(parameters=list(parameters.values()))
    return call  # type: ignore[return-value]  # it takes and returns just the same
