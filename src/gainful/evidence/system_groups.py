"""Which sessions are of which system, and what is one of them set against?"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from attrs import frozen

from gainful.errors import BadInput
from gainful.evidence.comparisons.compare import is_paired
from gainful.evidence.comparisons.comparison_answer import label_system
from gainful.evidence.comparisons.study import SYSTEM
from gainful.match.sessions import MatchedSessions
from gainful.measure.sessions.session_values import SessionValues
from gainful.read.several_systems import CONVERSATION
from gainful.text import quote
from gainful.types import Flags


@frozen(eq=False, kw_only=True)
class SystemGroups:
    """The sessions of each system, in the order in which systems are told."""

    results: SessionValues
    by: str | None  # the column that names the system; None where there is none
    flags: Mapping[str, Flags]  # by the name of the system: which sessions are its
    has_pairs: bool  # had all systems the same conversations?

    @property
    def names(self) -> list[str]:
        """The systems as the column names them."""
        return list(self.flags)

    @property
    def labels(self) -> list[str]:
        """What the systems are called in a sentence: system 2, but bm25."""
        kind = self.by or SYSTEM
        return [label_system(kind, name) for name in self.flags]

    @property
    def unit(self) -> str:
        """What has a value: a session, or a conversation that several systems had."""
        return CONVERSATION if self.has_pairs else "session"

    @property
    def sessions(self) -> MatchedSessions:
        """What was matched."""
        return self.results.matched_sessions

    @property
    def unit_names(self) -> pl.Series:
        """What each session is called, or the conversation that it is."""
        name = CONVERSATION if self.has_pairs else "session"
        return self.results.columns[name].alias("").cast(pl.String)


def group_systems(results: SessionValues, by: str | None = None) -> SystemGroups:
    """The sessions by system: those of a column, or all of them as one system.

    Args:
        results: of the sessions.
        by: the column that names the system; system, if there is such a column.
    """
    columns = results.columns
    column = SYSTEM if by is None and SYSTEM in columns.columns else by
    if column is None:
        flags = {keys.get("", results.name): flags for keys, flags in results.group_sessions(())}
        return SystemGroups(results=results, by=None, flags=flags, has_pairs=False)
    (name,) = results.group_names(column)
    systems = columns[name].alias("").cast(pl.String)
    if systems.null_count():
        session = columns["session"].filter(systems.is_null())[0]
        problem = f"session {quote(session)} has no {name}"
        raise BadInput(results.name, problem, f"a {name} for every session")
    has_pairs = name == SYSTEM and is_paired(results)
    names = systems.unique(maintain_order=True)
    return SystemGroups(
        results=results,
        by=name,
        flags={
            system: (systems == system).to_numpy()
            for system in (names if has_pairs else names.sort()).to_list()
        },
        has_pairs=has_pairs,
    )
