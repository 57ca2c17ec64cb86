"""A file of means and standard deviations: query measure mean deviation, a line each."""

from __future__ import annotations

from gainful.errors import BadInput
from gainful.read.source import open_source
from gainful.text import quote

_EXPECTED = "query measure mean standard-deviation"


def read_zscores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and standard deviation by query and measure."""
    mean_and_deviation = {}
    source = open_source(path)
    for number, line in enumerate(
        source.read_bytes().decode("utf-8", "replace").split("\n"), start=1
    ):
        fields = line.split()
        if not fields:
            continue
        try:
            query, measure, mean, deviation = fields
            mean_and_deviation[query, measure] = float(mean), float(deviation)
        except ValueError:
            problem = f"{quote(line)} is not that"
            raise BadInput(f"{source.name}:{number}", problem, _EXPECTED) from None
    return mean_and_deviation
