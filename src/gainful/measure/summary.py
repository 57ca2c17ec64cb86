"""Values in a few lines, for a prompt or a notebook: of a run or of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gainful.measure.measured_values import MeasuredValues
from gainful.page.page import Page, Section
from gainful.page.table import Table


def summary_page(values: MeasuredValues[Any, Any], size: str, remarks: Sequence[str]) -> Page:
    """The means, under a line that says of what, above what one should know."""
    means = {name: values.format_value(name, mean) for name, mean in values.mean.items()}
    name_width = max(map(len, means), default=0)
    lines = [f"{name:<{name_width}}  {mean}" for name, mean in means.items()]
    table = Table(("measure", "mean"), list(means.items()), numeric=True, label_columns=1)
    headline = f"{values.TITLE} of {values.name}, {size}, like {values.convention.name}"
    return Page(
        sections=[
            Section(lines=(headline, *lines, *remarks), forms=("table",)),
            Section(headline, table, remarks, forms=("html",)),
        ]
    )
