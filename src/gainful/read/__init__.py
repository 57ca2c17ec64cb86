"""Room `read`: what the user has goes in, checked values come out."""

from gainful.read.ranking_matrix import Numbers, Rows, rows, single

__all__ = ["Numbers", "Rows", "rows", "single"]
