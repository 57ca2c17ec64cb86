"""Equal but for rounding: how near numbers are that were only added up in different orders.

One rule for all rooms: two numbers are the same if they differ by less than ROUNDING times their
size. Where a computation is shorter or longer than most, it takes one of the other two.
"""

ROUNDING = 1e-12  # of the size of the numbers, or of 1 where they are about that
FINE_ROUNDING = 1e-13  # between two ways to add up the same terms
COARSE_ROUNDING = 1e-9  # after long computations: of matrices, of bounds, of how values vary
ROUNDING_DECIMALS = 12  # to which numbers are rounded before they are put in order
