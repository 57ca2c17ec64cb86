"""The arrays that walk through the rooms."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ranks = NDArray[np.intp]  # whole numbers that count or point: ranks, positions, indices
