"""What recommenders choose from: the items of a catalogue, and who interacted with which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, WrongType
from gainful.read.column_names import DOC, QUERY
from gainful.read.frames import is_frame
from gainful.read.query_columns import load_table
from gainful.read.source import open_source
from gainful.read.trec_files import number_lines

AnyItems = str | PathLike[str] | Iterable[Any]


@frozen(eq=False)
class Items:
    """The catalogue, and how many users interacted with each item; None if unknown."""

    catalogue: frozenset[str] | None = None
    popularity: Mapping[str, int] | None = None
    users: int = 0


def read_items(items: AnyItems | None, interactions: Any | None) -> Items:
    """The catalogue and what is popular in it.

    Args:
        items: a file with an id in each line, a table with a column of items, or their ids.
        interactions: a table with a column of users and one of items; twice counts once.

    Examples:
        >>> seen = pl.DataFrame({"user": ["1", "2", "2"], "item": ["lamp", "lamp", "lamp"]})
        >>> read_items(["lamp", "desk"], seen).popularity
        {'lamp': 2}
    """
    catalogue = None if items is None else _read_catalogue(items)
    if interactions is None:
        return Items(catalogue)
    table = load_table(interactions, "interactions", "a file or a frame of users and items")
    user = table.header.require_column(QUERY, "user")
    item = table.header.require_column(DOC, "item")
    pairs = table.frame.select(pl.col(user).alias("user"), pl.col(item).alias("item"))
    pairs = pairs.cast(pl.String).drop_nulls().unique()
    if pairs.is_empty():
        raise BadInput(table.name, "it has no interactions", "a row for each user and item")
    counts = pairs.group_by("item", maintain_order=True).len()
    return Items(catalogue, dict(counts.iter_rows()), pairs["user"].n_unique())


def _read_catalogue(items: AnyItems) -> frozenset[str]:
    source = open_source(items) if isinstance(items, (str, PathLike)) else None
    if source is not None and source.suffix in ("", ".txt"):
        ids = number_lines(source, comments=False)["text"].str.strip_chars().to_list()
    elif source is not None or is_frame(items):
        table = load_table(items, "items", "a file, a frame, or ids")
        names = table.frame.columns
        column = names[0] if len(names) == 1 else table.header.require_column(DOC, "item")
        ids = table.frame[column].drop_nulls().cast(pl.String).to_list()
    elif isinstance(items, Iterable):
        ids = [str(item) for item in items if item is not None]
    else:
        raise WrongType("items", items, "a file, a frame, or ids")
    catalogue = frozenset(item for item in ids if item)
    if not catalogue:
        name = "items" if source is None else source.name
        raise BadInput(name, "it has no items", "an id in each line, or a column of items")
    return catalogue
