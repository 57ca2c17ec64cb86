"""`Recipe`: a measure with every choice made, of single rankings or of sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from attrs import frozen

from gainful.convention import Convention
from gainful.convention.session import SessionConvention
from gainful.convention.settings import Settings
from gainful.formula import NamedFormula
from gainful.measure.discount import DISCOUNTS, as_query_discount
from gainful.measure.entry import Direction, Entry
from gainful.measure.parameters import PARAMETERS

FORMULA_PARAMS = {"gain": "rel", "discount": "b", "query_discount": "bq"}  # and what each takes
NO_QUERY_DISCOUNT = as_query_discount(DISCOUNTS["none"])

AnyConvention = TypeVar("AnyConvention", bound=Settings)


@frozen(eq=False, kw_only=True)
class MeasureRecipe(Generic[AnyConvention]):
    """All that is needed to compute a measure."""

    entry: Entry
    label: str  # the measure as it is written
    params: tuple[tuple[str, Any], ...]  # what stands in its brackets
    cutoff: float | None  # what stands behind @
    k: int | None  # how many results of a ranking or query count; None for all
    queries: int | None = None  # how many queries of a session count; None for all
    gain: NamedFormula
    discount: NamedFormula
    query_discount: NamedFormula = NO_QUERY_DISCOUNT
    convention: AnyConvention
    explicit: Mapping[str, Any]  # what was set explicitly, in the measure or as an option
    of: Recipe | None = None  # the recipe of the measure that is asked of each query

    @property
    def direction(self) -> Direction:
        """Is more of it better, or less? Of a measure of queries it is as that one says."""
        return self.entry.direction if self.of is None else self.of.direction

    @property
    def depth(self) -> int | None:
        """How many documents the measure looks at; None for all of them."""
        return self.k if self.entry.cutoff_kind in ("optional", "needed") else None

    def function_arguments(self) -> dict[str, Any]:
        """What the function of the measure is called with, besides what it sees."""
        arguments = {name: self.setting(name) for name in self.entry.arguments}
        if self.entry.cutoff_kind == "none":
            return arguments
        return arguments | {"k": self.cutoff if self.entry.cutoff_kind == "recall" else self.k}

    def setting(self, name: str) -> Any:
        """A parameter of the measure: what was asked for, or what it usually is."""
        if name in FORMULA_PARAMS:
            return getattr(self, name)
        if name in self.convention.TABLE and name not in PARAMETERS:
            return getattr(self.convention, name)
        if name in self.explicit:
            return self.explicit[name]
        in_table = name in self.convention.TABLE and not self.entry.session
        if in_table and getattr(self.convention, name) is not None:
            return getattr(self.convention, name)  # that of sessions says rel of its gain alone
        number = PARAMETERS.get(name)
        return self.entry.defaults.get(name, None if number is None else number.default)


@frozen(eq=False, kw_only=True)
class Recipe(MeasureRecipe[Convention]):
    """All that is needed to compute a measure of single rankings."""


@frozen(eq=False, kw_only=True)
class SessionRecipe(MeasureRecipe[SessionConvention]):
    """All that is needed to compute a measure of sessions."""

    @property
    def can_pass_one(self) -> bool:
        """Can its value pass 1, though it is a share of an ideal?"""
        entry, convention = self.entry, self.convention
        if not entry.normalised:
            return False
        if "ideal" not in entry.params:
            return not entry.bounded
        if convention.normalise != "session" or convention.statistic in ("best", "last"):
            return False  # each query is divided by an ideal of its own
        return convention.can_pass_one

    @property
    def vector_can_pass_one(self) -> bool:
        """Can its vector pass 1? It goes over all queries, whichever of them is the value."""
        if not (self.entry.normalised and self.entry.has_vectors):
            return False
        return self.convention.normalise == "session" and self.convention.can_pass_one
