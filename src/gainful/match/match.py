"""Judgments and a run, in whatever form → `Matched`, by the engine that suits the run."""

from __future__ import annotations

from gainful.convention import Convention
from gainful.match import mapping, memory
from gainful.match.matched import Matched
from gainful.read.inputs import as_columns, as_nested
from gainful.read.values import Judgments, Nested, Run


def match(judgments: Judgments | Nested, run: Run | Nested, habits: Convention) -> Matched:
    """Where do the judged documents stand in a run?"""
    if isinstance(run, Nested):
        return mapping.matched(as_nested(judgments), run, score_bits=habits.score_bits)
    return memory.matched(
        as_columns(judgments), run, duplicates=habits.duplicates, score_bits=habits.score_bits
    )
