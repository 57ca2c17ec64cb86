"""Measures and formulas of one's own, by name: in the language, in every call, in the command.

A plug-in is a module that calls `gainful.register` when it is imported: named with `--plugin`, or
found by its entry point in the group `gainful.measures`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from math import isfinite
from pathlib import Path
from typing import Any, overload

import numpy as np
from attrs import evolve, fields_dict
from numpy.typing import NDArray

from gainful.convention import SETTINGS
from gainful.errors import BadPlugin, BadValue, GainfulError, WrongType
from gainful.formula import Expr, NamedFormula, Param, Var, walk
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS, i
from gainful.measure.entry import LOWER, CutoffKind, Entry
from gainful.measure.gain import GAINS, g
from gainful.measure.names import is_taken, translate_params
from gainful.measure.parameters import PARAMETERS
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, is_number, to_float

# Of a function of nothing
_NO_PARAMETER = inspect.Parameter("matched", inspect.Parameter.KEYWORD_ONLY)
_FROM_CONVENTION = ("gain", "discount", "max_grade")  # what a function can only take as it is
UserFunction = Callable[..., Any]
Formula = Expr | Callable[[Var], Expr]
_FORMULAS: Mapping[str, tuple[Var, dict[str, NamedFormula]]] = {
    "gain": (g, GAINS),
    "discount": (i, DISCOUNTS),
}


@overload
def register(
    name: UserFunction, /, *, share: bool = False, lower_is_better: bool = False
) -> UserFunction: ...


@overload
def register(
    *, share: bool = False, lower_is_better: bool = False
) -> Callable[[UserFunction], UserFunction]: ...


@overload
def register(
    name: str,
    function: UserFunction | None = None,
    *,
    gain: Formula | None = None,
    discount: Formula | None = None,
    share: bool = False,
    lower_is_better: bool = False,
) -> Any: ...


def register(
    name: str | UserFunction | None = None,
    function: UserFunction | None = None,
    *,
    gain: Formula | None = None,
    discount: Formula | None = None,
    share: bool = False,
    lower_is_better: bool = False,
) -> Any:
    """Make a measure, a gain or a discount known by a name.

    A measure is a function over a `Matched` (all queries at once: `query`, `rank` and `grade` of
    every judged retrieved document, `size` queries) that gives one value per query. Its other
    parameters can be set in brackets: numbers with their defaults; `gain`, `discount` and
    `max_grade` come from the convention, and `k` is the number after @.

    Args:
        name: the name; or the function itself, whose name is used then.
        function: the function.
        gain: instead, the gain of a grade: an expression, or a function of g that gives one.
        discount: instead, the discount at rank i.
        share: does the function give two arrays, what was reached and what was possible?
        lower_is_better: is a lower value better, as for a cost?

    Returns:
        The function, so `register` also works as a decorator.

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
        return lambda own: register(own, share=share, lower_is_better=lower_is_better)
    if callable(name):
        function = name
        name = str(getattr(function, "__name__", ""))
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise BadValue("name", name, "a letter, then letters, digits and _")
    if is_taken(name) or name in GAINS or name in DISCOUNTS:
        raise BadPlugin(f"{name!r} is already in use; choose another name")
    candidates = {"gain": gain, "discount": discount}
    formulas = {kind: formula for kind, formula in candidates.items() if formula is not None}
    if len(formulas) + (function is not None) != 1:
        raise BadPlugin(f"{name}: give one thing, a function, gain=… or discount=…")
    for kind, formula in formulas.items():
        variable, table = _FORMULAS[kind]
        table[name] = _build_formula(kind, name, formula, variable)
    if function is not None:
        entry = _build_entry(name, function, share=share)
        MEASURES[name] = evolve(entry, direction=LOWER) if lower_is_better else entry
    return function


def _build_formula(kind: str, name: str, formula: Formula, variable: Var) -> NamedFormula:
    """The expression, with no other variable in it than the grade or the rank."""
    try:
        expr = formula if isinstance(formula, Expr) else formula(variable)
    except (Exception, SystemExit) as failure:  # noqa: BLE001  (whatever a user's function does)
        raise BadPlugin(
            f"{kind} {name}: it returns no expression ({_describe_failure(failure)})"
        ) from None
    if not isinstance(expr, Expr):
        raise WrongType(f"{kind} {name}", expr, f"an expression in {variable.symbol}")
    others = {node.symbol for node in walk(expr) if isinstance(node, Var)} - {variable.symbol}
    if others:
        raise BadPlugin(f"{kind} {name}: {', '.join(sorted(others))} is not {variable.symbol}")
    return NamedFormula(kind, name, expr, "one's own")


def _build_entry(name: str, function: UserFunction, *, share: bool) -> Entry:
    try:
        first, *rest = inspect.signature(function).parameters.values() or (_NO_PARAMETER,)
    except (TypeError, ValueError):
        raise WrongType(f"measure {name}", function, "a function over a Matched") from None
    if first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        raise BadPlugin(f"measure {name}: its first parameter takes the matched run")
    cutoff_kind: CutoffKind = "none"
    defaults: dict[str, float] = {}
    arguments: list[str] = []
    for parameter in rest:
        if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise BadPlugin(f"measure {name}: {parameter} could be anything; name each parameter")
        if parameter.name == "k":
            if parameter.default not in (None, parameter.empty):
                allowed = "k is the cutoff after @; give it None, or no default"
                raise BadPlugin(f"measure {name}: {allowed}")
            cutoff_kind = "optional" if parameter.default is None else "needed"
            continue
        arguments.append(parameter.name)
        defaults |= _default_value(name, parameter)
    question = (inspect.getdoc(function) or "").split("\n", maxsplit=1)[0]
    return Entry(
        name=name,
        question=question or f"What is {name}?",
        definition=f"computed by {function.__module__}.{getattr(function, '__qualname__', name)}",
        function=_guard(name, function, share=share),
        arguments=tuple(arguments),
        defaults=defaults,
        normalised=share,
        bounded=share,
        cutoff_kind=cutoff_kind,
        cite=f"registered by {function.__module__}",
        registered=True,
    )


def _default_value(name: str, parameter: inspect.Parameter) -> dict[str, float]:
    """A number that may be chosen, with the function's own default."""
    symbol, default = parameter.name, parameter.default
    if symbol in _FROM_CONVENTION:
        if default not in (None, parameter.empty):
            raise BadPlugin(f"measure {name}: {symbol} comes from the convention, not {default!r}")
        return {}
    is_translated = {*translate_params({symbol: 1})} != {symbol}
    if is_translated or (symbol in SETTINGS and symbol not in PARAMETERS):
        raise BadPlugin(f"measure {name}: {symbol} has another meaning here; rename it")
    if not is_number(default):
        raise BadPlugin(f"measure {name}: parameter {symbol} needs a number as its default")
    number = to_float(default)
    if not isfinite(number):
        raise BadPlugin(f"measure {name}: parameter {symbol} needs a finite number as its default")
    param = PARAMETERS.setdefault(symbol, Param(symbol, "a custom number", default=number))
    try:
        return {symbol: param.check(number)}
    except GainfulError as refused:
        raise BadPlugin(f"measure {name}: {refused}; rename the parameter") from None


def _guard(name: str, function: UserFunction, *, share: bool) -> Callable[..., Any]:
    """The function; its exceptions and invalid results become errors of one line."""

    def call_measure(ranked: RankedRun, /, **settings: Any) -> Any:
        try:
            result = function(_protect(ranked), **settings)
        except GainfulError:
            raise
        except (Exception, SystemExit) as failure:
            message = f"measure {name} ({function.__module__}) failed: {_describe_failure(failure)}"
            raise BadPlugin(message) from failure
        if share:
            if not isinstance(result, tuple) or len(result) != 2:
                raise BadPlugin(f"measure {name}: not two arrays, but {type(result).__name__}")
            return tuple(_check_values(name, part, ranked) for part in result)
        return _check_values(name, result, ranked)

    return call_measure


def _protect(ranked: RankedRun) -> RankedRun:
    """A ranked run that cannot be written to: other measures look at it too."""
    read_only: dict[str, Any] = {"queries": tuple(ranked.queries)}
    for name in fields_dict(RankedRun):
        value = getattr(ranked, name)
        if isinstance(value, np.ndarray):
            read_only[name] = value.view()
            read_only[name].setflags(write=False)
    return evolve(ranked, **read_only)


def _check_values(name: str, result: object, ranked: RankedRun) -> Array:
    """One finite number for each query; what is masked is left out of the mean."""
    try:
        values: NDArray[Any] = np.ma.asarray(result) if np.ma.isMA(result) else np.asarray(result)
    except (TypeError, ValueError, OverflowError):
        values = np.array(None)
    if values.dtype.kind not in "biuf" and values.size:
        raise BadPlugin(f"measure {name}: {type(result).__name__} is not an array of numbers")
    if values.shape != (ranked.size,):
        wanted = f"one value for each query, ({ranked.size},)"
        raise BadPlugin(f"measure {name}: an array of shape {values.shape}, not {wanted}")
    values = values.astype(np.float64)
    not_finite = np.flatnonzero(~np.isfinite(np.ma.filled(values, 0.0)))
    if not_finite.size:
        query = ranked.queries[int(not_finite[0])]
        raise BadPlugin(
            f"measure {name}: {values[not_finite[0]]} for query {query!r}, not a number"
        )
    return values


def _describe_failure(failure: BaseException) -> str:
    return " ".join(f"{type(failure).__name__}: {failure}".split())


_GROUP = "gainful.measures"
_LOADED: dict[str, str] = {}  # what was loaded, and why it could not be ("" if it could)


def load_plugin(module: str) -> None:
    """Import a module, or run a file that ends in .py, that registers measures."""
    path = Path(module)
    is_file = path.suffix.lower() == ".py"
    if is_file and not path.is_file():
        raise BadPlugin(f"plug-in {module}: there is no such file")
    # Modules are looked for here too, as Python does and a command does not; but last, so that a
    # file beside the data cannot stand for a module of Python's own.
    folder = str(path.resolve().parent if is_file else Path.cwd())
    count_before = _count_names()
    already_imported = module in sys.modules
    sys.path.append(folder)
    try:
        with _wrap_errors(f"plug-in {module}"):
            if is_file:
                _run_file(path)
            else:
                import_module(module)
    finally:
        sys.path.remove(folder)
    if _count_names() == count_before and not already_imported:
        raise BadPlugin(f"plug-in {module}: it registers nothing; it has to call gainful.register")


def _count_names() -> int:
    return len(MEASURES) + len(GAINS) + len(DISCOUNTS)


def _run_file(path: Path) -> None:
    spec = spec_from_file_location(path.stem.replace(".", "_"), path)
    if spec is None or spec.loader is None:
        raise BadPlugin("it cannot be read as Python")
    spec.loader.exec_module(module_from_spec(spec))


def load_entry_points() -> list[str]:
    """Load what other packages offer, each once; says of those that fail why they do."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (slow, and rarely asked for)

    for point in entry_points(group=_GROUP):
        if point.value in _LOADED:
            continue
        try:
            with _wrap_errors(f"plug-in {point.name} ({point.value})"):
                loaded = point.load()
                if callable(loaded) and point.name not in MEASURES:
                    register(point.name, loaded)
            _LOADED[point.value] = ""
        except BadPlugin as failure:
            _LOADED[point.value] = str(failure)
    return [failure for failure in _LOADED.values() if failure]


@contextmanager
def _wrap_errors(plugin: str) -> Iterator[None]:
    try:
        yield
    except GainfulError as mistake:
        raise BadPlugin(f"{plugin}: {mistake}") from None
    except (Exception, SystemExit) as failure:  # noqa: BLE001
        raise BadPlugin(f"{plugin}: {_describe_failure(failure)}") from None
