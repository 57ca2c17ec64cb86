"""Room `match`: gains and scores go in, every document's rank comes out."""

from gainful.match.arrays import Listed, Placed, place

__all__ = ["Listed", "Placed", "place"]
