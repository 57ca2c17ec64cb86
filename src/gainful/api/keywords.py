"""Arguments by a name that is another tool's: the answer says what they are called here."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import Any, TypeVar

from gainful.convention import SETTINGS
from gainful.errors import UnknownName, WrongType

Function = TypeVar("Function", bound=Callable[..., Any])


class _LeftOut:
    """What stands in a signature for an option that may be left out."""

    def __repr__(self) -> str:
        return "…"


_LEFT_OUT = _LeftOut()
_ENTRY = re.compile(r"^ {4}(?:\*\*)?(\w+): .*(?:\n {5,}.*)*", re.MULTILINE)  # of a docstring
_NO_NAMES = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)


def answer_keywords(function: Function) -> Function:
    """Let a function answer a name that it does not take with the one that is meant.

    Where it takes single settings by name too, only what is nearly a name of its own is answered
    here: what is no setting is found out where settings are read.

    Examples:
        >>> @answer_keywords
        ... def evaluate(qrels, run, measures=None): ...
        >>> evaluate(judgments={}, run={})
        Traceback (most recent call last):
        gainful.errors.UnknownName: unknown option of evaluate 'judgments'; did you mean qrels?
    """
    kinds = [parameter.kind for parameter in signature(function).parameters.values()]
    return _answer(function, (), open_ended=Parameter.VAR_KEYWORD in kinds)


def answer_options(
    options: type, described_by: Sequence[type], settings: Container[str]
) -> Callable[[Function], Function]:
    """`answer_keywords` for a function whose last keywords are a set of typed options.

    `help` shows the options in its signature, and what each one is below its own arguments.

    Args:
        options: a `TypedDict`.
        described_by: sets whose docstrings tell what its options are, and maybe of others.
        settings: which of them are single settings, told elsewhere.
    """
    shared = [name for name in options.__annotations__ if name not in settings]
    has_settings = len(shared) < len(options.__annotations__)
    listed = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=_LEFT_OUT,
            annotation=str(getattr(kind, "__forward_arg__", kind)),
        )
        for name, kind in options.__annotations__.items()
        if name in shared
    ]
    listed += [Parameter("settings", Parameter.VAR_KEYWORD)] if has_settings else []
    keywords = {*shared, *(["settings"] if has_settings else [])}
    descriptions: dict[str, str] = {}
    for described in described_by:
        for entry in _ENTRY.finditer(cleandoc(described.__doc__ or "").partition("\nArgs:\n")[2]):
            if entry[1] in keywords:
                descriptions.setdefault(entry[1], entry[0])

    def answer(function: Function) -> Function:
        call = _answer(function, shared, open_ended=has_settings)
        own = signature(function)
        parameters = [p for p in own.parameters.values() if p.kind != Parameter.VAR_KEYWORD]
        vars(call)["__signature__"] = own.replace(parameters=[*parameters, *listed])
        vars(call)["typed_options"] = options
        head, arguments, rest = cleandoc(function.__doc__ or "").partition("\nArgs:\n")
        own_arguments, blank, others = rest.partition("\n\n")
        listed_arguments = "\n".join((own_arguments, *descriptions.values()))
        call.__doc__ = f"{head}{arguments}{listed_arguments}{blank}{others}"
        return call

    return answer


def _answer(function: Function, shared: Sequence[str], *, open_ended: bool) -> Function:
    kinds = {name: parameter.kind for name, parameter in signature(function).parameters.items()}
    names = [*(name for name, kind in kinds.items() if kind not in _NO_NAMES), *shared]
    places = [*kinds.values()].count(Parameter.POSITIONAL_OR_KEYWORD)
    takes_any = Parameter.VAR_POSITIONAL in kinds.values()

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the line that calls
        if len(arguments) > places and not takes_any:
            from gainful.synonyms import MORE_ARGUMENTS  # noqa: PLC0415  (of a mistake only)

            allowed = MORE_ARGUMENTS.get(function.__name__, "no value without a name")
            place = f"argument {places + 1} of {function.__name__}"
            raise WrongType(place, arguments[places], allowed)
        for name in options:
            if name not in names and (not open_ended or is_meant(name, names)):
                raise UnknownName(f"option of {function.__name__}", name, names)
        return function(*arguments, **options)

    return call  # type: ignore[return-value]  # it takes and returns just the same


def is_meant(name: str, names: list[str]) -> bool:
    """Is it another tool's name for one of these, or one of them misspelt?"""
    from gainful.convention.session import SESSION_SETTINGS  # noqa: PLC0415
    from gainful.synonyms import find_nearest, list_meant  # noqa: PLC0415

    settings = [*SETTINGS, *SESSION_SETTINGS]
    if name in settings:
        return False
    synonym = any(meant in names for meant in list_meant(name))
    return synonym or find_nearest(name, [*names, *settings], whole=True) in names
