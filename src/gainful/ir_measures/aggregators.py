"""How values of queries become one number in ir_measures: `MeanAgg`, `SumAgg`."""

from __future__ import annotations

from math import nan


class MeanAgg:
    """The mean of the values that were added."""

    def __init__(self, default: float = nan) -> None:
        """Take what the mean of nothing is."""
        self.sum = 0.0
        self.count = 0
        self.default = default

    def add(self, value: float) -> None:
        """Add the value of one query."""
        self.sum += value
        self.count += 1

    def result(self) -> float:
        """The mean of all values so far."""
        return self.sum / self.count if self.count else self.default


class SumAgg(MeanAgg):
    """The sum of the values that were added."""

    def result(self) -> float:
        """The sum of all values so far."""
        return self.sum
