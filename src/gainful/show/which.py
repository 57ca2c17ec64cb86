"""Whose nDCG is this: the measures that fit, and the tools that compute them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from gainful.convention import CONVENTIONS
from gainful.measure import Formulation, Formulations
from gainful.show.table import Table


def format_answer(formulations: Formulations) -> str:
    """What was found, in words."""
    value, within = formulations.text, f"{Decimal(str(formulations.tolerance)):f}"
    if not formulations.matches:
        return f"Nothing gives {value} ± {within}; the nearest:"
    count = len(formulations.matches)
    subject = "one measure gives" if count == 1 else f"{count} measures give"
    return f"{subject} {value} ± {within}:".capitalize()


def build_table(formulations: Formulations) -> Table:
    """A line for each measure, the best known first."""
    rows = [
        (
            str(formulation.measure),
            f"{formulation.value:.6f}",
            ", ".join(map(_format_tool, formulation.tools)),
        )
        for formulation in _select_formulations(formulations)
    ]
    return Table(("measure", "value", "computed by"), rows)


def _format_tool(tool: str) -> str:
    decimals = CONVENTIONS[tool].decimals
    return tool if decimals is None else f"{tool} (rounds to {decimals} decimals)"


def to_dict(formulations: Formulations) -> dict[str, Any]:
    """The answer as data."""
    return {
        "value": float(formulations.text),
        "within": formulations.tolerance,
        "matches": [_formulation_to_dict(formulation) for formulation in formulations.matches],
        "nearest": [_formulation_to_dict(formulation) for formulation in formulations.nearest],
    }


def _select_formulations(formulations: Formulations) -> Sequence[Formulation]:
    return formulations.matches or formulations.nearest


def _formulation_to_dict(formulation: Formulation) -> dict[str, Any]:
    return {
        "measure": str(formulation.measure),
        "value": formulation.value,
        "tools": list(formulation.tools),
    }
