"""Whose nDCG is this? Every formulation that gives a value for a ranking."""

from gainful.measure.which import which

__all__ = ["which"]
