"""Groups of sessions: by the columns that are the same for a whole session."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import polars as pl
from polars import selectors as cs

from gainful.errors import BadInput, BadValue, WrongType, check_name
from gainful.match.sessions import MatchedSessions
from gainful.read.column_names import SESSION_COLUMNS, normalise_name
from gainful.read.session_layout import SessionLayout, mark_changes
from gainful.read.sessions import UNGROUPABLE_COLUMNS
from gainful.text import quote
from gainful.types import Flags, Ranks

Group = tuple[dict[str, Any], Flags]  # its values by column, and which sessions belong to it
By = str | Sequence[str]
Keys = tuple[Any, ...]  # the values of the columns that a group is named by
RESERVED_COLUMNS = (  # names of columns that views print beside those of groups
    *("sessions", "queries", "mean", "n", "searching", "position", "which", "before", "change"),
    *("gain", "new", "repeated", "one_query", "gained_nothing", "last_is_best", "share"),
)
_NUMBER = "\0number"  # of a group, beside the user's columns


class SessionRows(Protocol):
    """Sessions with their rows, matched or not: what grouping needs."""

    @property
    def rows(self) -> pl.DataFrame:
        """A row for each result."""

    @property
    def layout(self) -> SessionLayout:
        """Where in the rows each session begins."""

    @property
    def not_fetched(self) -> Mapping[str, str]:
        """Columns that are not the same for a whole session and stayed in an engine."""


def count_sessions(sessions: MatchedSessions) -> dict[str, int]:
    """How many sessions, queries, results and judged results are there?

    Where gains are what searchers did, also how many results gained.
    """
    counts = {
        "sessions": sessions.size,
        "queries": int(sessions.query_counts.sum()),
        "results": int(sessions.retrieved.sum()),
        "judged": len(sessions.judged.query),
    }
    gained = {"judged": counts["results"], "gained": int((sessions.judged.grade > 0).sum())}
    return counts | (gained if sessions.gain_event else {})


def describe_judged(counts: Mapping[str, int], gain_event: str) -> str:
    """How many of the results were judged, or clicked or whatever else gains."""
    number = counts["gained" if gain_event else "judged"]
    return f"{number} of {counts['results']} results {gain_event or 'judged'}"


def session_columns(sessions: SessionRows) -> pl.DataFrame:
    """A row for each session: what it can be grouped by, and how many queries it has."""
    names = [name for name in sessions.rows.columns if name not in UNGROUPABLE_COLUMNS]
    heads = sessions.rows[["session", *names]][sessions.layout.session_starts]
    return heads.with_columns(queries=pl.Series(sessions.layout.queries_per_session))


def group_sessions(
    sessions: SessionRows, by: By, source: str, measures: Collection[str] = ()
) -> list[Group]:
    """Each group of sessions: its values, and which belong to it; all, if by nothing."""
    keys, number = number_groups(sessions, by, source, measures)
    names = [by] if isinstance(by, str) else by
    return [(dict(zip(names, key, strict=True)), number == place) for place, key in enumerate(keys)]


def number_groups(
    sessions: SessionRows, by: By, source: str, measures: Collection[str] = ()
) -> tuple[list[tuple[Any, ...]], Ranks]:
    """The values by which each group is named, and the number of each session's group."""
    names = check_group_columns(sessions, by, source, measures)
    if not names:
        return [()], np.zeros(len(sessions.layout.session_starts), dtype=np.intp)
    columns = session_columns(sessions)[names]
    keys = columns.unique().sort(pl.all(), nulls_last=True)
    number = columns.join(
        keys.with_row_index(_NUMBER),
        on=cs.by_name(names),
        how="left",
        maintain_order="left",
        nulls_equal=True,
    )[_NUMBER]
    return keys.rows(), number.to_numpy().astype(np.intp)


def check_group_columns(
    sessions: SessionRows, by: By, source: str, measures: Collection[str] = ()
) -> list[str]:
    """The columns to group by, each once, known, and the same for a whole session."""
    columns = [name for name in sessions.rows.columns if name not in UNGROUPABLE_COLUMNS]
    names = check_group_names(by, [*columns, *sessions.not_fetched], measures)
    for name in names:
        session = sessions.not_fetched.get(name)
        if session is None:
            session = next(iter(sessions.rows["session"][find_other_values(sessions, name)]), None)
        if session is not None:
            problem = f"session {quote(session)} has more than one {name}"
            raise BadInput(source, problem, "one for all rows of a session")
    return names


def find_other_values(sessions: SessionRows, name: str) -> list[int]:
    """The rows that have another value of a column than the row before in their session."""
    changed = mark_changes(sessions.rows[name].alias(""))
    changed[sessions.layout.session_starts] = False
    return np.flatnonzero(changed).tolist()


def check_group_names(by: By, columns: Collection[str], measures: Collection[str]) -> list[str]:
    """The columns to group by, each once and known."""
    if not isinstance(by, (str, Sequence)) or not all(isinstance(part, str) for part in by):
        raise WrongType("by", by, "the name of a column, or several")
    names = [by] if isinstance(by, str) else list(by)
    for name in names:
        spelled = normalise_name(name)
        roles = [role for role, column in SESSION_COLUMNS.items() if spelled in column.names]
        is_renamed = bool(roles) and roles[0] in columns and name not in columns
        hint = f"sessions cannot be grouped by {roles[0]}" if roles and not is_renamed else ""
        ubi_columns = {*SESSION_COLUMNS, "application"} - {"system"}
        if not hint and {"searcher"} <= {*columns} <= ubi_columns:
            hint = f"of UBI, --columns system=query_attributes.{name} (columns=)"
        check_name("column", name, roles if is_renamed else columns, hint)
        if names.count(name) > 1:
            raise BadValue("by", ", ".join(names), "each column once")
        if name in RESERVED_COLUMNS or name in measures:
            allowed = "a column of another name: the output has its own column of this name"
            raise BadValue("by", name, allowed)
    return names


def order_keys(keys: Keys) -> list[tuple[bool, str, Any]]:
    """By what groups are sorted: values of one kind together, and what is missing at the end."""
    return [
        (key is None, "" if key is None else type(key).__name__, 0 if key is None else key)
        for key in keys
    ]


def group_label(keys: Mapping[str, Any]) -> str:
    """What a group is called in a sentence: system 2, but bm25."""
    words = []
    for column, value in keys.items():
        named = isinstance(value, str) and not value.isdigit() and len(keys) == 1 and len(value) > 1
        words.append(str(value) if named else f"{column} {value}")
    return ", ".join(words)
