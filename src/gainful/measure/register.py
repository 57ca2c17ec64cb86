"""Measures and formulas of one's own, by name: in the language, in every call, in the command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, overload

import numpy as np
from attrs import evolve, fields
from numpy.typing import NDArray

from gainful.convention import HABITS
from gainful.errors import BadPlugin, BadValue, GainfulError, WrongType
from gainful.formula import Array, Expr, NamedFormula, Param, Var, walk
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS, i
from gainful.measure.entry import Cut, Entry
from gainful.measure.gain import GAINS, g
from gainful.measure.language import taken
from gainful.measure.parameters import PARAMETERS, translated
from gainful.measure.ranked_run import Seen

_NONE = inspect.Parameter("matched", inspect.Parameter.KEYWORD_ONLY)  # of a function of nothing
_FROM_CONVENTION = ("gain", "discount", "max_grade")  # what a function can only take as it is
Own = Callable[..., Any]
Formula = Expr | Callable[[Var], Expr]
_FORMULAS: Mapping[str, tuple[Var, dict[str, NamedFormula]]] = {
    "gain": (g, GAINS),
    "discount": (i, DISCOUNTS),
}


@overload
def register(name: Own, /, *, share: bool = False) -> Own: ...


@overload
def register(*, share: bool) -> Callable[[Own], Own]: ...


@overload
def register(
    name: str,
    function: Own | None = None,
    *,
    gain: Formula | None = None,
    discount: Formula | None = None,
    share: bool = False,
) -> Any: ...


def register(
    name: str | Own | None = None,
    function: Own | None = None,
    *,
    gain: Formula | None = None,
    discount: Formula | None = None,
    share: bool = False,
) -> Any:
    """Make a measure, a gain or a discount known by a name.

    A measure is a function over a `Matched` (all queries at once: `query`, `rank` and `grade` of
    every judged retrieved document, `size` queries) that gives one value per query. Its further
    parameters are what may stand in the brackets: numbers with their defaults; `gain`, `discount`
    and `max_grade` as the convention has them, and `k` for what stands behind @.

    Args:
        name: what to call it; or the function itself, by whose name it is called then.
        function: the function.
        gain: instead, what a grade is worth: an expression, or a function of g that gives one.
        discount: instead, what is left at rank i.
        share: does the function give two arrays, what was reached and what was possible?

    Returns:
        The function, so that `register` can stand above it as a decorator.

    Examples:
        >>> def Found(matched, *, rel=1, k=None):
        ...     '''How many relevant documents were found?'''
        ...     return matched.count(matched.relevant(rel, k))
        >>> _ = register(Found)
        >>> from gainful import evaluate, ndcg
        >>> evaluate({"1": {"a": 2, "b": 1}}, {"1": {"a": 3.0, "b": 2.0}}, "Found@1").mean
        {'Found@1': 1.0}
        >>> _ = register("squared", gain=lambda g: g**2)
        >>> round(ndcg([1, 2], gain="squared"), 4)
        0.7609
    """
    if name is None:
        return lambda own: register(own, share=share)
    if callable(name):
        function = name
        name = str(getattr(function, "__name__", ""))
    _refuse_name(name)
    given = {"gain": gain, "discount": discount}
    formulas = {kind: formula for kind, formula in given.items() if formula is not None}
    if len(formulas) + (function is not None) != 1:
        raise BadPlugin(f"{name}: give one thing, a function, gain=… or discount=…")
    for kind, formula in formulas.items():
        variable, known = _FORMULAS[kind]
        known[name] = _formula(kind, name, formula, variable)
    if function is not None:
        MEASURES[name] = _entry(name, function, share=share)
    return function


def _refuse_name(name: object) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise BadValue("name", name, "a letter, then letters, digits and _")
    if taken(name) or name in GAINS or name in DISCOUNTS:
        raise BadPlugin(f"{name!r} is the name of something else already; choose another")


def _formula(kind: str, name: str, formula: Formula, variable: Var) -> NamedFormula:
    """The expression, with no other variable in it than the grade or the rank."""
    try:
        found = formula if isinstance(formula, Expr) else formula(variable)
    except (Exception, SystemExit) as failure:  # noqa: BLE001  (whatever a user's function does)
        raise BadPlugin(f"{kind} {name}: no expression comes of it ({_told(failure)})") from None
    if not isinstance(found, Expr):
        raise WrongType(f"{kind} {name}", found, f"an expression in {variable.symbol}")
    others = {node.symbol for node in walk(found) if isinstance(node, Var)} - {variable.symbol}
    if others:
        raise BadPlugin(f"{kind} {name}: {', '.join(sorted(others))} is not {variable.symbol}")
    return NamedFormula(kind, name, found, "one's own")


def _entry(name: str, function: Own, *, share: bool) -> Entry:
    """What the catalogue says of a measure, read off its function."""
    try:
        first, *rest = inspect.signature(function).parameters.values() or (_NONE,)
    except (TypeError, ValueError):
        raise WrongType(f"measure {name}", function, "a function over a Matched") from None
    if first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        raise BadPlugin(f"measure {name}: its first parameter takes what was matched")
    cut: Cut = "none"
    usual: dict[str, float] = {}
    takes: list[str] = []
    for parameter in rest:
        if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise BadPlugin(f"measure {name}: {parameter} could be anything; name what it takes")
        if parameter.name == "k":
            cut = _cut(name, parameter)
            continue
        takes.append(parameter.name)
        usual |= _usual(name, parameter)
    question = (inspect.getdoc(function) or "").split("\n", maxsplit=1)[0]
    return Entry(
        name=name,
        question=question or f"What is {name}?",
        value=f"computed by {function.__module__}.{getattr(function, '__qualname__', name)}",
        function=_guarded(name, function, share=share),
        takes=tuple(takes),
        usual=usual,
        normalised=share,
        bounded=share,
        cut=cut,
        cite=f"registered by {function.__module__}",
        own=True,
    )


def _cut(name: str, k: inspect.Parameter) -> Cut:
    if k.default is k.empty:
        return "needed"
    if k.default is not None:
        raise BadPlugin(f"measure {name}: k is what stands behind @; give it None, or no default")
    return "optional"


def _usual(name: str, parameter: inspect.Parameter) -> dict[str, float]:
    """A number that may be chosen, with the function's own default."""
    symbol, default = parameter.name, parameter.default
    if symbol in _FROM_CONVENTION:
        if default not in (None, parameter.empty):
            raise BadPlugin(f"measure {name}: {symbol} comes from the convention, not {default!r}")
        return {}
    if (symbol in HABITS and symbol not in PARAMETERS) or {*translated({symbol: 1})} != {symbol}:
        raise BadPlugin(f"measure {name}: {symbol} means something else here; call it otherwise")
    if isinstance(default, bool) or not isinstance(default, (int, float)):
        raise BadPlugin(f"measure {name}: parameter {symbol} needs a number as its default")
    try:
        number = float(default)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise BadPlugin(f"measure {name}: parameter {symbol} needs a finite number as its default")
    known = PARAMETERS.setdefault(symbol, Param(symbol, "a number of one's own", default=number))
    try:
        return {symbol: known.check(number)}
    except GainfulError as refused:
        raise BadPlugin(f"measure {name}: {refused}; call the parameter otherwise") from None


def _guarded(name: str, function: Own, *, share: bool) -> Callable[..., Any]:
    """The function; what it raises and what it gives back wrongly is told in one line."""

    def guarded(ranked: Seen, /, **settings: Any) -> Any:
        try:
            found = function(_protected(ranked), **settings)
        except GainfulError:
            raise
        except (Exception, SystemExit) as failure:
            told = f"measure {name} ({function.__module__}) failed: {_told(failure)}"
            raise BadPlugin(told) from failure
        if share:
            if not isinstance(found, tuple) or len(found) != 2:
                raise BadPlugin(f"measure {name}: not two arrays, but {type(found).__name__}")
            return tuple(_values(name, part, ranked) for part in found)
        return _values(name, found, ranked)

    return guarded


def _protected(ranked: Seen) -> Seen:
    """The same, not to be written to: other measures look at it too."""
    known = {one.name: getattr(ranked, one.name) for one in fields(Seen) if one.init}
    changed: dict[str, Any] = {"queries": tuple(ranked.queries)}
    for name, held in known.items():
        if isinstance(held, np.ndarray):
            changed[name] = held.view()
            changed[name].setflags(write=False)
    return evolve(ranked, **changed)


def _values(name: str, found: object, ranked: Seen) -> Array:
    """One finite number for each query; what is masked is left out of the mean."""
    try:
        values: NDArray[Any] = np.ma.asarray(found) if np.ma.isMA(found) else np.asarray(found)
    except (TypeError, ValueError, OverflowError):
        values = np.array(None)
    if values.dtype.kind not in "biuf" and values.size:
        raise BadPlugin(f"measure {name}: {type(found).__name__} is no array of numbers")
    if values.shape != (ranked.size,):
        wanted = f"one value for each query, ({ranked.size},)"
        raise BadPlugin(f"measure {name}: an array of shape {values.shape}, not {wanted}")
    values = values.astype(np.float64)
    wild = np.flatnonzero(~np.isfinite(np.ma.filled(values, 0.0)))
    if wild.size:
        query = ranked.queries[int(wild[0])]
        raise BadPlugin(f"measure {name}: {values[wild[0]]} for query {query!r}, not a number")
    return values


def _told(failure: BaseException) -> str:
    return " ".join(f"{type(failure).__name__}: {failure}".split())
