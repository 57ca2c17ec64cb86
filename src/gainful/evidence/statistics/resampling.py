"""`Resampling`: which test, at which level, with how many resamples from which seed."""

from __future__ import annotations

from typing import Any, Literal, get_args

import attrs
import numpy as np
from attrs import frozen

from gainful.errors import BadValue, WrongType
from gainful.types import is_number, is_whole_number

Alternative = Literal["two-sided", "less", "greater"]
ALPHA, RESAMPLES, SEED = 0.05, 10_000, 2008
DEFAULT_LEVEL = 95.0  # of intervals, in per cent
_MIN_RESAMPLES = 99  # with fewer, no p could be as small as 0.01
MAX_RESAMPLES = 10_000_000


def _check_level(_: object, field: attrs.Attribute[Any], value: Any) -> None:
    if not is_number(value):
        raise WrongType(field.name, value, "a number between 0 and 1")
    if not 0 < float(value) < 1:
        raise BadValue(field.name, value, "a number between 0 and 1, such as 0.05")


def _whole_number_between(least: int, most: int | None) -> Any:
    allowed = f"a whole number from {least} on" if most is None else f"{least} to {most}"

    def check(_: object, field: attrs.Attribute[Any], value: Any) -> None:
        if not is_whole_number(value):
            raise WrongType(field.name, value, allowed)
        if int(value) < least or (most is not None and int(value) > most):
            raise BadValue(field.name, value, allowed)

    return check


def _check_alternative(_: object, field: attrs.Attribute[Any], value: Any) -> None:
    if value not in get_args(Alternative):
        raise BadValue(field.name, value, ", ".join(get_args(Alternative)))


@frozen
class Resampling:
    """How evidence is weighed; the same `Resampling` and the same values give the same numbers.

    Examples:
        >>> Resampling(resamples=0)
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: resamples is 0; allowed: 99 to 10000000
    """

    alpha: float = attrs.field(default=ALPHA, validator=_check_level)
    resamples: int = attrs.field(
        default=RESAMPLES, validator=_whole_number_between(_MIN_RESAMPLES, MAX_RESAMPLES)
    )
    seed: int = attrs.field(default=SEED, validator=_whole_number_between(0, None))
    alternative: Alternative = attrs.field(default="two-sided", validator=_check_alternative)

    def __attrs_post_init__(self) -> None:
        """Numbers of other makes, such as NumPy's, become plain ones."""
        for name, kind in (("alpha", float), ("resamples", int), ("seed", int)):
            object.__setattr__(self, name, kind(getattr(self, name)))

    @property
    def level(self) -> str:
        """The level of intervals in words, such as 95 %."""
        return f"{100 * (1 - self.alpha):g} %"

    def random_generator(self) -> np.random.Generator:
        """A fresh stream of chance: always the same one."""
        return np.random.Generator(np.random.PCG64(self.seed))
