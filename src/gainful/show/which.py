"""Whose nDCG is this: the measures that fit, and the tools that compute them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from gainful.convention import CONVENTIONS
from gainful.measure import Answer, Match
from gainful.show.table import Table


def sentence(answer: Answer) -> str:
    """What was found, in words."""
    value, within = answer.printed, f"{Decimal(str(answer.within)):f}"
    if not answer.matches:
        return f"Nothing gives {value} ± {within}; the nearest:"
    count = len(answer.matches)
    found = "one measure gives" if count == 1 else f"{count} measures give"
    return f"{found} {value} ± {within}:".capitalize()


def table(answer: Answer) -> Table:
    """A line for each measure, the best known first."""
    rows = [
        (str(match.measure), f"{match.value:.6f}", ", ".join(map(_told, match.tools)))
        for match in _shown(answer)
    ]
    return Table(("measure", "value", "computed by"), rows)


def _told(tool: str) -> str:
    decimals = CONVENTIONS[tool].decimals
    return tool if decimals is None else f"{tool} (rounds to {decimals} decimals)"


def to_dict(answer: Answer) -> dict[str, Any]:
    """The answer as data."""
    return {
        "value": float(answer.printed),
        "within": answer.within,
        "matches": [_match(match) for match in answer.matches],
        "nearest": [_match(match) for match in answer.nearest],
    }


def _shown(answer: Answer) -> Sequence[Match]:
    return answer.matches or answer.nearest


def _match(match: Match) -> dict[str, Any]:
    return {"measure": str(match.measure), "value": match.value, "tools": list(match.tools)}
