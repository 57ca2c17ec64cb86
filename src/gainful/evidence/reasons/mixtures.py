"""What is scored under any mixture of two conventions, some causes being those of either.

A mixture is a number: bit i tells whose answers cause i has, 0 the first convention's, 1 the
second's. What is scored, the queries of a run or sessions, is the business of a `ScoreSource`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from attrs import define, field, frozen

from gainful.convention.settings import Settings
from gainful.evidence.reasons.causes import Cause
from gainful.measure.measure import Measure
from gainful.types import Array, slices

_BATCH_MIXTURES = 64  # mixtures whose values are held in memory together


@frozen(eq=False)
class Scores:
    """The value of each query or session, not a number where it does not count, and their mean."""

    values: Array
    mean: float


class Change(Protocol):
    """A query or session on both sides of a switch."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        ...


class ScoreSource(Protocol):
    """What is scored by conventions of its kind: the queries of a run, or sessions."""

    unit: ClassVar[str]  # query or session
    all_causes: ClassVar[Mapping[str, Cause]]  # that there are of them
    name: str  # of the run, or of the sessions
    measure: Measure
    units: Sequence[str]  # the names of all queries or sessions
    notes: Sequence[str]  # what one should know of the data

    def find_refusals(self) -> list[tuple[str, str]]:
        """The settings by which either side refuses the data, and what is to be said of it."""
        ...

    def score(self, conventions: Sequence[Any]) -> Iterator[Scores]:
        """The scores under each of these conventions, one after the other."""
        ...

    def sort_key(self, convention: Any) -> tuple[str, ...]:
        """Conventions that share work come next to each other, sorted by this."""
        ...

    def describe_change(
        self,
        row: int,
        conventions: tuple[Any, Any],
        values: tuple[float, float],
        labels: tuple[str, str],
    ) -> Change:
        """How one query or session comes by its value on both sides of a switch."""
        ...


@define(eq=False)
class Mixtures:
    """Two conventions, and all that lies between them."""

    source: ScoreSource
    sides: tuple[Settings, Settings]
    causes: tuple[Cause, ...]  # those that differ and can matter here
    _means: dict[int, float] = field(factory=dict, init=False)

    @property
    def all(self) -> int:
        """The mixture that is the second convention."""
        return (1 << len(self.causes)) - 1

    def convention(self, mixture: int) -> Settings:
        """The convention that a mixture is."""
        mine, theirs = self.sides
        switched = (cause for at, cause in enumerate(self.causes) if mixture >> at & 1)
        return mine.with_settings(
            **{name: getattr(theirs, name) for cause in switched for name in cause.settings}
        )

    def values(self, mixture: int) -> Array:
        """The value of each query or session, not a number where it does not count."""
        return next(self.source.score([self.convention(mixture)])).values

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        """The mean under each of these mixtures; that of nothing at all is taken as 0."""
        unique = list(dict.fromkeys(mixtures))
        conventions = {bits: self.convention(bits) for bits in unique if bits not in self._means}
        new = sorted(conventions, key=lambda bits: self.source.sort_key(conventions[bits]))
        for part in slices(len(new), _BATCH_MIXTURES):
            batch = new[part]
            all_scores = self.source.score([conventions[mixture] for mixture in batch])
            for mixture, scores in zip(batch, all_scores, strict=True):
                self._means[mixture] = 0.0 if np.isnan(scores.mean) else scores.mean
        return {mixture: self._means[mixture] for mixture in unique}

    def mean(self, mixture: int) -> float:
        """The mean under one mixture."""
        return self.means([mixture])[mixture]

    def find_largest_switch(self, bit: int) -> int:
        """The mixture, of those computed so far, whose mean changes most when this is switched."""
        candidates = [
            mixture for mixture in self._means if not mixture & bit and mixture | bit in self._means
        ]
        return max(
            candidates, key=lambda mixture: abs(self._means[mixture | bit] - self._means[mixture])
        )
