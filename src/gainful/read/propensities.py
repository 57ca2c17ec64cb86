"""Propensities that are known from elsewhere: a table of rank and propensity, a dict or a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from gainful.errors import BadInput, BadValue, WrongType
from gainful.read import named_columns
from gainful.read.column_names import TABLES
from gainful.read.query_columns import load_table
from gainful.text import quote
from gainful.types import Array, is_number, is_whole_number

AnyPropensities = str | PathLike[str] | Mapping[int, float] | Sequence[float]
_ALLOWED = "a number above 0, up to 1"
_TABLE = "columns rank and propensity, a row for each rank from 1 on"


def read_propensities(value: AnyPropensities) -> Array:
    """How likely each rank is looked at, from rank 1 on.

    Examples:
        >>> read_propensities({1: 1, 2: 0.5}).tolist()
        [1.0, 0.5]
    """
    if isinstance(value, (str, PathLike)):
        return _read_file(value)
    pairs: list[tuple[Any, Any]]
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, (Sequence, np.ndarray)):
        pairs = list(enumerate(list(value), 1))
    else:
        raise WrongType("propensity", value, "estimate, a file, {rank: propensity} or a list")
    for rank, propensity in pairs:
        if not is_whole_number(rank):
            raise BadValue("propensity", rank, "ranks 1, 2, 3 …")
        if not is_number(propensity) or not 0 < propensity <= 1:
            raise BadValue(f"propensity[{rank}]", propensity, _ALLOWED)
    return _order_ranks(
        [int(rank) for rank, _ in pairs], [float(p) for _, p in pairs], "propensity"
    )


def _read_file(path: str | PathLike[str]) -> Array:
    table = load_table(path, "propensity", _TABLE)
    rank = table.header.require(TABLES["run"]["rank"])
    column = table.header.require(TABLES["propensities"]["propensity"])
    ranks = named_columns.number_column(table, rank)
    values = named_columns.number_column(table, column)
    bad_ranks = ~((ranks >= 1) & (ranks == ranks.floor())).fill_null(value=False)
    bad_values = ~((values > 0) & (values <= 1)).fill_null(value=False)
    wrong = ((rank, bad_ranks, "ranks 1, 2, 3 …"), (column, bad_values, _ALLOWED))
    for name, bad, allowed in wrong:
        if bad.any():
            row = int(bad.arg_true()[0])
            problem = f"{name} {quote(table.frame[name][row])} is not valid"
            raise BadInput(table.locate(row), problem, allowed)
    return _order_ranks([int(rank) for rank in ranks], values.to_list(), table.name)


def _order_ranks(ranks: list[int], values: list[float], name: str) -> Array:
    if sorted(ranks) != list(range(1, len(ranks) + 1)) or not ranks:
        missing = min({*range(1, len(ranks) + 2)} - {*ranks})
        raise BadInput(name, f"there is no propensity for rank {missing}", _TABLE)
    return np.array([value for _, value in sorted(zip(ranks, values, strict=True))])
