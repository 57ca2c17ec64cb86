"""Arguments by a name that is another tool's: the answer says what they are called here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from gainful.convention import SETTINGS
from gainful.convention.session import SESSION_SETTINGS
from gainful.errors import SYNONYMS, UnknownName

Function = TypeVar("Function", bound=Callable[..., Any])


def answer_keywords(function: Function) -> Function:
    """Let a function answer a name that it does not take with the one that is meant.

    Where it takes single settings by name too, only what is nearly a name of its own is answered
    here: what is no setting is found out where settings are read.

    Examples:
        >>> @answer_keywords
        ... def evaluate(qrels, run, measures=None): ...
        >>> evaluate(judgments={}, run={})
        Traceback (most recent call last):
        gainful.errors.UnknownName: no option of evaluate 'judgments'; did you mean qrels?
    """
    parameters = signature(function).parameters.values()
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
    no_names = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    names = [parameter.name for parameter in parameters if parameter.kind not in no_names]

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the line that calls
        for name in options:
            if name not in names and (not open_ended or _is_meant(name, names)):
                raise UnknownName(f"option of {function.__name__}", name, names)
        return function(*arguments, **options)

    return call  # type: ignore[return-value]  # it takes and returns just the same


def _is_meant(name: str, names: list[str]) -> bool:
    """Is it another tool's name for one of these, or one of them misspelt?"""
    if name in SETTINGS or name in SESSION_SETTINGS:
        return False
    from difflib import get_close_matches  # noqa: PLC0415  (only once something is misspelt)

    synonym = any(meant in names for meant in SYNONYMS.get(name, ()))
    nearest = get_close_matches(name, [*names, *SETTINGS, *SESSION_SETTINGS], n=1, cutoff=0.75)
    return synonym or any(near in names for near in nearest)
