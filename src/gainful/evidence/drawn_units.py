"""What is drawn again where means of sessions are asked for their intervals?

Sessions of one searcher are not independent: what one of them says is partly what the others say.
So all of a searcher, or of whatever else sessions belong to, are drawn together.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import frozen

from gainful.text import pluralise
from gainful.types import Flags, Ranks


@frozen(eq=False)
class DrawnUnits:
    """What is drawn again: each session by itself, or all of them that belong together."""

    name: str  # session, conversation, searcher, cluster
    number: Ranks | None = None  # of each session's; None if each is drawn by itself

    @classmethod
    def from_labels(cls, labels: pl.Series, unit: str) -> DrawnUnits:
        """By searchers, or what else sessions belong to; by sessions, where each has its own.

        Examples:
            >>> DrawnUnits.from_labels(pl.Series("searcher", ["ann", "bo", "ann"]), "session")
            DrawnUnits(name='searcher', number=array([0, 1, 0]))
        """
        if labels.null_count() or labels.n_unique() == len(labels):
            return cls(unit)
        number = labels.alias("").cast(pl.String).rank("dense").to_numpy().astype(np.intp) - 1
        return cls(labels.name, number)

    def select(self, rows: Flags | Ranks) -> Ranks | None:
        """The numbers of what some sessions belong to, counted from 0 on without gaps."""
        if self.number is None:
            return None
        return np.unique(self.number[rows], return_inverse=True)[1].astype(np.intp)

    @property
    def words(self) -> str:
        """What they are called where they are drawn: sessions, or whole searchers."""
        return pluralise(self.name) if self.number is None else f"whole {pluralise(self.name)}"


def draw_searchers(columns: pl.DataFrame) -> DrawnUnits:
    """Searchers with all their sessions, where there are any; else each session by itself.

    Args:
        columns: a row for each session.
    """
    if "searcher" not in columns.columns:
        return DrawnUnits("session")
    return DrawnUnits.from_labels(columns["searcher"], "session")
