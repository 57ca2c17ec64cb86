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
    gain: NamedFormula
    discount: NamedFormula
    query_discount: NamedFormula
    convention: SessionConvention
    asked: Mapping[str, Any]  # what was set explicitly

    def setting(self, name: str) -> Any:
        """A parameter of the measure: what was asked for, or what it usually is."""
        usual = self.entry.usual.get(name)
        default = PARAMETERS[name].default if usual is None else usual
        return self.asked.get(name, default)
