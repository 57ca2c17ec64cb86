"""A file of means and standard deviations: query measure mean deviation, a line each."""

from __future__ import annotations

from gainful.errors import BadInput, shown
from gainful.read.source import opened

_EXPECTED = "query measure mean standard-deviation"


def zscores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and standard deviation by query and measure."""
    found = {}
    source = opened(path)
    for number, line in enumerate(source.content().decode("utf-8", "replace").split("\n"), start=1):
        fields = line.split()
        if not fields:
            continue
        try:
            query, measure, mean, deviation = fields
            found[query, measure] = float(mean), float(deviation)
        except ValueError:
            problem = f"{shown(line)} is not that"
            raise BadInput(f"{source.name}:{number}", problem, _EXPECTED) from None
    return found
