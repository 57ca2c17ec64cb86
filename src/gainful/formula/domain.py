"""Which numbers a parameter may take: checks them, and says so in words."""

from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real

from gainful.errors import BadValue, WrongType


@dataclass(frozen=True, slots=True)
class Domain:
    """An open interval of numbers.

    Examples:
        >>> Domain(1, 1000).describe("bq")
        '1 < bq < 1000'
    """

    above: float = -inf
    below: float = inf

    def describe(self, symbol: str) -> str:
        """The domain as a condition on the symbol."""
        if self.above == -inf and self.below == inf:
            return "any finite number"
        if self.below == inf:
            return f"{symbol} > {self.above:g}"
        return f"{self.above:g} < {symbol} < {self.below:g}"

    def check(self, symbol: str, value: object) -> float:
        """The value as a float, or an error naming symbol, value and domain."""
        allowed = self.describe(symbol)
        if isinstance(value, bool) or not isinstance(value, Real):
            raise WrongType(symbol, value, f"a number, {allowed}")
        try:
            number = float(value)
        except OverflowError:
            number = inf
        if not (isfinite(number) and self.above < number < self.below):
            raise BadValue(symbol, value, allowed)
        return number


ANY = Domain()
