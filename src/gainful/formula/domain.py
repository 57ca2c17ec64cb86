"""Which numbers a parameter may take: checks them, and says so in words."""

from dataclasses import dataclass
from math import inf, isfinite

from gainful.errors import BadValue, WrongType
from gainful.types import is_number


@dataclass(frozen=True, slots=True)
class Domain:
    """An interval of numbers, open unless it is said to be closed.

    Examples:
        >>> Domain(1, 1000).describe("bq")
        '1 < bq < 1000'
        >>> Domain(0, 1, closed=True).describe("alpha")
        '0 ≤ alpha ≤ 1'
    """

    above: float = -inf
    below: float = inf
    closed: bool = False  # are both ends allowed?

    def describe(self, symbol: str) -> str:
        """The domain as a condition on the symbol."""
        if self.above == -inf and self.below == inf:
            return "any finite number"
        if self.below == inf:
            return f"{symbol} > {self.above:g}"
        sign = "≤" if self.closed else "<"
        return f"{self.above:g} {sign} {symbol} {sign} {self.below:g}"

    def check(self, symbol: str, value: object) -> float:
        """The value as a float, or an error naming symbol, value and domain."""
        allowed = self.describe(symbol)
        if not is_number(value):
            raise WrongType(symbol, value, f"a number, {allowed}")
        try:
            number = float(value)
        except OverflowError:
            number = inf
        inside = self.above < number < self.below
        at_end = self.closed and number in (self.above, self.below)
        if not (isfinite(number) and (inside or at_end)):
            raise BadValue(symbol, value, allowed)
        return number


ANY_NUMBER = Domain()
