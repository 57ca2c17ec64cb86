"""Moved to `gainful.measure.results_page`."""

from gainful.measure.results_page import describe_convention, list_footnotes

__all__ = ["describe_convention", "list_footnotes"]
