"""All cells of all tables."""

from __future__ import annotations

from tools.error_rates import (
    clusters,
    families,
    groups,
    judges,
    margins,
    means,
    pairs,
    plans,
    studies,
)
from tools.error_rates.cell import Cell


def list_cells() -> list[Cell]:
    """Those of every table, one after the other."""
    modules = (pairs, means, margins, families, groups, clusters, studies, plans, judges)
    return [cell for module in modules for cell in module.list_cells()]
