"""`Direction`: is a higher or a lower value of a measure better, and the words for it."""

from __future__ import annotations

from typing import Literal

from attrs import frozen


@frozen
class Direction:
    """Which of two values is better; what the better and the worse of two systems are called."""

    better_is: Literal["higher", "lower"]
    better: str = "better"
    worse: str = "worse"

    @property
    def is_lower(self) -> bool:
        """Is less of it better?"""
        return self.better_is == "lower"

    @property
    def sign(self) -> float:
        """What a difference is multiplied by to be positive where it is for the better."""
        return -1.0 if self.is_lower else 1.0

    @property
    def best(self) -> str:
        """What the best value is."""
        return "lowest" if self.is_lower else "highest"

    @property
    def worst(self) -> str:
        """What the worst value is."""
        return "highest" if self.is_lower else "lowest"

    @property
    def decline_verb(self) -> str:
        """What a value did that became worse."""
        return "rose" if self.is_lower else "dropped"


HIGHER = Direction("higher")
LOWER = Direction("lower")
CHEAPER = Direction("lower", better="cheaper", worse="dearer")
