"""Room `match`: judgments and runs go in, ranked gains and tie blocks come out."""

from gainful.match.matched import Matched
from gainful.match.rank_arrays import Listed, Placed, by_gain, place

__all__ = ["Listed", "Matched", "Placed", "by_gain", "place"]
