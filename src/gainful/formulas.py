"""What gains and discounts of one's own are written with, beside `+ - * / **` and comparisons.

Examples:
    >>> from gainful import ndcg, register
    >>> register("halving", discount=lambda rank: 1 / maximum(1, log(2, rank)))
    >>> round(ndcg([1, 0, 1], discount="halving"), 4)  # (1 + 1/log2 3) / (1 + 1)
    0.8155
"""

from gainful.formula import log, maximum, where
from gainful.text import show_public_names

__all__ = ["log", "maximum", "where"]

show_public_names(__name__)
