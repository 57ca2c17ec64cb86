"""Measures and formulas of one's own: registered by a program, or by a plug-in."""

from gainful.measure.plugins import load_entry_points, load_plugin
from gainful.measure.register import register

__all__ = ["load_entry_points", "load_plugin", "register"]
