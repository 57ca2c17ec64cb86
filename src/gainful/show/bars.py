"""Moved to `gainful.page.bars`."""

from gainful.page.bars import Fractions, bar_fractions, draw_bar

__all__ = ["Fractions", "bar_fractions", "draw_bar"]
