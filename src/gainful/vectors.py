"""Vectors of gain by rank: added, averaged, normalised, as in the appendix of the 2008 paper.

Examples:
    >>> average([[1, 2], [3, 4]]).tolist()
    [2.0, 3.0]
"""

from gainful.measure.algebra import (
    add,
    average,
    average_of_normalised,
    normalise,
    normalised_average,
    scale,
)
from gainful.measure.arrays import compute_curve
from gainful.measure.formulas import query_discount
from gainful.text import show_public_names

__all__ = [
    "add",
    "average",
    "average_of_normalised",
    "compute_curve",
    "normalise",
    "normalised_average",
    "query_discount",
    "scale",
]

show_public_names(__name__)
