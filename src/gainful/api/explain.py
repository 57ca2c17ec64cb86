"""How does a ranking come by its nDCG?"""

from gainful.measure.explanation import explain

__all__ = ["explain"]
