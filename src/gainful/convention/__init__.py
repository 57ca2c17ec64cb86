"""Room `convention`: a tool's name goes in, its habits come out."""

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
from gainful.convention.settings import HABITS, Habit, Setting
from gainful.convention.tools import CONVENTIONS, GAINFUL, like

__all__ = [
    "CONVENTIONS",
    "GAINFUL",
    "HABITS",
    "Convention",
    "Duplicates",
    "Empty",
    "Extra",
    "FirstRank",
    "Fractional",
    "Habit",
    "Ideal",
    "IdealDepth",
    "Missing",
    "Namesake",
    "Negative",
    "RecallPoints",
    "Setting",
    "Short",
    "Ties",
    "Unjudged",
    "like",
]
