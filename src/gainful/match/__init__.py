"""Room `match`: judgments and runs go in, ranked gains and tie blocks come out."""

from gainful.match.matched import Matched
from gainful.match.placed_gains import OrderedGains, PlacedGains, rank_gains

__all__ = ["Matched", "OrderedGains", "PlacedGains", "rank_gains"]
