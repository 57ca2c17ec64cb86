"""`Resampling`: which test, at which level, with how many resamples from which seed."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from attrs import frozen

from gainful.defaults import ALPHA, RESAMPLES, SEED
from gainful.errors import BadValue, check_number, check_whole_number

Alternative = Literal["two-sided", "less", "greater"]
DEFAULT_LEVEL = 95.0  # of intervals, in per cent
_MIN_RESAMPLES = 99  # with fewer, no p could be as small as 0.01
MAX_RESAMPLES = 10_000_000


@frozen
class Resampling:
    """How evidence is weighed; the same `Resampling` and the same values give the same numbers.

    Examples:
        >>> Resampling(resamples=0)
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: resamples is 0; allowed: a whole number from 99 to 10000000
    """

    alpha: float = ALPHA
    resamples: int = RESAMPLES
    seed: int = SEED
    alternative: Alternative = "two-sided"

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot be; numbers of other makes, such as NumPy's, become plain ones."""
        allowed = "a number between 0 and 1, such as 0.05"
        check_number("alpha", self.alpha, allowed, lambda alpha: 0 < alpha < 1)
        check_whole_number("resamples", self.resamples, _MIN_RESAMPLES, MAX_RESAMPLES)
        check_whole_number("seed", self.seed, 0)
        if self.alternative not in get_args(Alternative):
            raise BadValue("alternative", self.alternative, ", ".join(get_args(Alternative)))
        for name, kind in (("alpha", float), ("resamples", int), ("seed", int)):
            object.__setattr__(self, name, kind(getattr(self, name)))

    @property
    def level(self) -> str:
        """The level of intervals in words, such as 95 %."""
        return f"{100 * (1 - self.alpha):g} %"

    def random_generator(self) -> np.random.Generator:
        """A fresh stream of chance: always the same one."""
        return np.random.Generator(np.random.PCG64(self.seed))
