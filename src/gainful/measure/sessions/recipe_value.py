"""`SessionRecipe`: a session measure with every choice made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from gainful.convention.session import SessionConvention
from gainful.formula import NamedFormula
from gainful.measure.entry import Entry
from gainful.measure.parameters import PARAMETERS


@frozen(eq=False)
class SessionRecipe:
    """All that is needed to compute a measure of sessions."""

    entry: Entry
    label: str  # the measure as it is written
    k: int | None  # how many results of a query count; None for all
    queries: int | None  # how many queries of a session count; None for all
    gain: NamedFormula
    discount: NamedFormula
    query_discount: NamedFormula
    convention: SessionConvention
    explicit: Mapping[str, Any]  # what was set explicitly

    def setting(self, name: str) -> Any:
        """A parameter of the measure: what was asked for, or what it usually is."""
        if name in self.explicit:
            return self.explicit[name]
        usual = self.entry.defaults.get(name)
        return PARAMETERS[name].default if usual is None else usual

    @property
    def can_pass_one(self) -> bool:
        """Can its value pass 1, though it is a share of an ideal?"""
        if not self.entry.normalised:
            return False
        by_ideal = "ideal" in self.entry.params
        convention = self.convention
        if by_ideal and (
            convention.normalise == "query" or convention.statistic in ("best", "last")
        ):
            return False  # each query is divided by an ideal of its own
        return self.convention.can_pass_one if by_ideal else not self.entry.bounded
