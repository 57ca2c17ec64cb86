"""Values summed over units that are flipped and drawn whole: queries, or clusters of them."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.types import Array, Flags, Ranks


@frozen(eq=False)
class UnitSums:
    """A row for each unit: the sum of its values in each column, and how many values that are.

    The mean of a column is over values, not over units: the sum of all sums by that of all sizes.
    """

    sums: Array
    sizes: Array

    @classmethod
    def from_values(
        cls, values: Array | UnitSums, unit: Ranks | None = None, number: int | None = None
    ) -> UnitSums:
        """The sums of each unit, by its number; without these each row is one.

        `number` is how many units there are, if some of them may have no value.

        Examples:
            >>> units = UnitSums.from_values(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]))
            >>> units.sums.tolist(), units.sizes.tolist()
            ([[5.0], [2.0]], [2.0, 1.0])
        """
        if isinstance(values, UnitSums):
            return values
        if unit is None:
            return cls(values, np.ones(len(values)))
        sizes = np.bincount(unit, minlength=number or 0).astype(np.float64)
        sums = np.zeros((len(sizes), values.shape[1]))
        np.add.at(sums, unit, values)
        return cls(sums, sizes)

    def select(self, columns: Flags | Ranks | slice) -> UnitSums:
        """Some of the columns."""
        return UnitSums(self.sums[:, columns], self.sizes)

    @property
    def number(self) -> int:
        """How many units there are."""
        return len(self.sizes)

    @property
    def is_clustered(self) -> bool:
        """Has a unit several values, or none?"""
        return bool((self.sizes != 1).any())

    @property
    def unit_means(self) -> Array:
        """The mean of each unit, in each column."""
        return np.asarray(self.sums / self.sizes[:, None])

    def means(self) -> Array:
        """The mean value of each column."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    def deviations(self) -> Array:
        """How far the sum of each unit is from what its size and the mean would give."""
        return np.asarray(self.sums - self.sizes[:, None] * self.means())

    def jackknife_means(self) -> Array:
        """The mean of each column without each of the units."""
        rest = (self.sizes.sum() - self.sizes)[:, None]
        return np.asarray(self.means() - self.deviations() / rest)

    def standard_errors(self) -> Array:
        """Of the mean of each column, units being independent: the cluster-robust ones.

        Of single values it is their standard deviation by the root of their number.
        """
        squares = (self.deviations() ** 2).sum(axis=0) * self.number / max(self.number - 1, 1)
        return np.asarray(np.sqrt(squares) / self.sizes.sum())
