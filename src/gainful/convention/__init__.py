"""Room `convention`: a tool's name goes in, its settings come out."""

from gainful.convention.convention import (
    Convention,
    Duplicates,
    Empty,
    Extra,
    FirstRank,
    Fractional,
    Ideal,
    IdealDepth,
    Missing,
    Namesake,
    Negative,
    RecallPoints,
    Short,
    Ties,
    Unjudged,
)
from gainful.convention.settings import SETTINGS, Setting, SettingValue
from gainful.convention.tools import CONVENTIONS, GAINFUL, like

__all__ = [
    "CONVENTIONS",
    "GAINFUL",
    "SETTINGS",
    "Convention",
    "Duplicates",
    "Empty",
    "Extra",
    "FirstRank",
    "Fractional",
    "Ideal",
    "IdealDepth",
    "Missing",
    "Namesake",
    "Negative",
    "RecallPoints",
    "Setting",
    "SettingValue",
    "Short",
    "Ties",
    "Unjudged",
    "like",
]
