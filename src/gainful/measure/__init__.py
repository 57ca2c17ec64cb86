"""Room `measure`: ranked gains go in, one value per query comes out."""

# Both register themselves: how a measure within a measure is read, and how one is shown in LaTeX.
from gainful.measure import language, latex

__all__ = ["language", "latex"]
