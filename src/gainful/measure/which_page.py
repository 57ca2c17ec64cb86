"""The page of `which`: the measures that fit, and the tools that compute them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from gainful.convention import CONVENTIONS
from gainful.page.page import Page, Section
from gainful.page.table import Table

if TYPE_CHECKING:
    from gainful.measure.which import Formulation, Formulations


def which_page(formulations: Formulations) -> Page:
    """What fits, or the nearest if nothing does."""
    return Page(
        answer=format_answer(formulations),
        sections=[Section(table=build_table(formulations))],
        rows=lambda: _list_rows(formulations),
        data=formulations.to_dict,
    )


def _list_rows(formulations: Formulations) -> Table:
    rows = [
        (str(formulation.measure), formulation.value, " ".join(formulation.tools))
        for formulation in _select_formulations(formulations)
    ]
    return Table(("measure", "value", "tools"), rows)


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


def _select_formulations(formulations: Formulations) -> Sequence[Formulation]:
    return formulations.matches or formulations.nearest
