"""Room `match`: judgments and runs go in, ranked gains and tie blocks come out."""

from gainful.match.arrays import Listed, Placed, by_gain, place
from gainful.match.matched import Matched

__all__ = ["Listed", "Matched", "Placed", "by_gain", "place"]
