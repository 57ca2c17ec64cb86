"""Formula → NumPy: the values that every result is made of."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gainful.formula.tree import Arithmetic, Compare, Const, Expr, Log, Param, Var, Where
from gainful.types import Array

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "pow": np.power,
    "max": np.maximum,
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


def to_numpy(node: Expr, values: Mapping[str, ArrayLike]) -> Array:
    """The value of an expression, elementwise; as IEEE 754 has it, without warnings.

    Examples:
        >>> from gainful.formula import Var, log
        >>> to_numpy(1 / log(2, Var("i", "rank") + 1), {"i": [1, 3, 7]}).round(4).tolist()
        [1.0, 0.5, 0.3333]
    """
    arrays = {symbol: np.asarray(value, dtype=np.float64) for symbol, value in values.items()}
    with np.errstate(all="ignore"):
        return np.asarray(_evaluate(node, arrays), dtype=np.float64)


def _evaluate(node: Expr, values: Mapping[str, Array]) -> Any:
    match node:
        case Const(value):
            return np.float64(value)
        case Var(symbol) | Param(symbol):
            return values[symbol]
        case Arithmetic(op, left, right):
            return _OPERATIONS[op](_evaluate(left, values), _evaluate(right, values))
        case Compare(op, left, right):  # a number, as in JavaScript: 1 + (g > 2) is 1 or 2
            return _OPERATIONS[op](_evaluate(left, values), _evaluate(right, values)) + 0.0
        case Log(base, argument):
            return np.log(_evaluate(argument, values)) / np.log(_evaluate(base, values))
        case Where(condition, yes, no):
            holds = _evaluate(condition, values) == 1
            return np.where(holds, _evaluate(yes, values), _evaluate(no, values))
        case _:
            raise TypeError(f"not a formula node: {node!r}")
