"""A file of means and standard deviations: query measure mean deviation, a line each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from attrs import frozen

from gainful.errors import BadInput
from gainful.read.source import open_source
from gainful.text import leading_number, quote

_EXPECTED = "query measure mean standard-deviation"
_NO_SCORE = -1_000_000.0  # where there is no mean for a query and measure

Reference = tuple[str, float, float]  # measure, mean, standard deviation


@frozen
class ZScores:
    """The mean and the standard deviation of measures, by query."""

    by_query: dict[str, Sequence[Reference]]  # in the order of the measures' bytes

    def score(self, query: str, measure: str, value: float) -> float:
        """How far a value is from its mean, in standard deviations."""
        reference = self._find(query, measure)
        if reference is None:
            return _NO_SCORE
        _, mean, deviation = reference
        if deviation == 0:
            return 0.0 if value == mean else _NO_SCORE
        return (value - mean) / deviation

    def _find(self, query: str, measure: str) -> Reference | None:
        """What stands there; of several, the one that trec_eval's search comes to first."""
        references = self.by_query.get(query, ())
        names = [reference[0].encode() for reference in references]
        first = bisect_left(names, measure.encode())
        last = bisect_right(names, measure.encode()) - 1
        if first > last:
            return None
        start, end = 0, len(names)
        while True:
            middle = (start + end) // 2
            if middle < first:
                start = middle + 1
            elif middle > last:
                end = middle - 1
            else:
                return references[middle]


def read_zscores(path: str) -> ZScores:
    """Means and standard deviations from lines of query, measure, mean, deviation."""
    source = open_source(path)
    by_query: dict[str, list[Reference]] = {}
    text = source.read_bytes().decode("utf-8", "replace").removesuffix("\n")
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.encode().split()
        if len(fields) != 4:
            raise BadInput(f"{source.name}:{number}", f"{quote(line)} is not that", _EXPECTED)
        query, measure, mean_text, deviation_text = (field.decode() for field in fields)
        mean, deviation = leading_number(mean_text), leading_number(deviation_text)
        if mean is None or deviation is None:
            raise BadInput(f"{source.name}:{number}", f"{quote(line)} is not that", _EXPECTED)
        by_query.setdefault(query, []).append((measure, mean, deviation))
    return ZScores(
        {
            query: sorted(references, key=lambda reference: reference[0].encode())
            for query, references in by_query.items()
        }
    )
