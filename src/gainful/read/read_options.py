"""How sessions are read: one value that checks itself, of `gainful.sessions.ReadingOptions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any

from attrs import field, fields_dict, frozen

from gainful.errors import BadValue, WrongType
from gainful.read.column_names import USUAL_NAMES, ColumnMapping, read_column_names
from gainful.read.event_times import parse_duration
from gainful.read.session_events import EventWords
from gainful.read.session_layout import BadPolicy

AnyTopics = str | PathLike[str] | Mapping[str, str]


def _list_tools(tool: str | Sequence[str] | None) -> tuple[str, ...]:
    if not isinstance(tool, str | Sequence | None):
        raise WrongType("tool", tool, "the name of a tool, or several")
    return (tool,) if isinstance(tool, str) else tuple(tool or ())


def _parse_gap(gap: str | float | timedelta | None) -> timedelta | None:
    return None if gap is None else parse_duration(gap, "gap")


def _check_bad(bad: BadPolicy | None) -> BadPolicy | None:
    if bad not in (None, "error", "skip"):
        raise BadValue("bad", bad, "error or skip")
    return bad


@frozen
class ReadOptions:
    """What was asked of reading sessions; `sessions.ReadingOptions` tells what each means."""

    bad: BadPolicy | None = field(default=None, converter=_check_bad)
    ties: str | None = None
    topics: AnyTopics | None = None
    pages: str | None = None
    columns: ColumnMapping = field(default=USUAL_NAMES, converter=read_column_names)
    tool: tuple[str, ...] = field(default=(), converter=_list_tools)
    gap: timedelta | None = field(default=None, converter=_parse_gap)
    events: EventWords | None = None

    @classmethod
    def pick(cls, options: Mapping[str, Any]) -> ReadOptions:
        """Those among other options that say how sessions are read."""
        return cls(**{name: options[name] for name in fields_dict(cls) if name in options})

    @property
    def policy(self) -> BadPolicy:
        """What to do with malformed rows; by default they are refused."""
        return self.bad or "error"

    @property
    def asks_for_events(self) -> bool:
        """Is anything asked that only a log of events can answer?"""
        return self.gap is not None or self.events is not None

    def list_special(self) -> dict[str, Any]:
        """What was asked that not every format of sessions can answer."""
        names = ("ties", "pages", "columns", "tool", "gap", "events")
        named = {name: getattr(self, name) for name in names}
        named |= {"columns": dict(self.columns.names), "tool": [*self.tool]}
        return {name: value for name, value in named.items() if value or value == ""}


AS_USUAL = ReadOptions()
