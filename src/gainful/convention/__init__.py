"""Room `convention`: a tool's name goes in, its settings come out."""

from gainful.convention.convention import SETTINGS, Convention, Setting
from gainful.convention.tools import CONVENTIONS, GAINFUL, like

__all__ = ["CONVENTIONS", "GAINFUL", "SETTINGS", "Convention", "Setting", "like"]
