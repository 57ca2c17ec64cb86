"""Ranking quality as a test: fails when a run is not good enough, and says where to look.

Examples:
    >>> judged = {"1": {"a": 2, "b": 1}}
    >>> verdict = assert_ranking_quality(judged, {"1": ["a", "b"]}, floors={"nDCG@10": 0.9})
    >>> verdict.passed
    True
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from gainful.api.keywords import answer_keywords
from gainful.text import show_public_names

if TYPE_CHECKING:  # they need polars: imported when first called
    from gainful.api.gate import GateOptions, save_baseline
    from gainful.evidence.gates.verdict import Verdict
    from gainful.measure.measure import Measure
    from gainful.read.inputs import AnyQrels, AnyRun

__all__ = ["assert_ranking_quality", "save_baseline"]


@answer_keywords
def assert_ranking_quality(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    floors: Mapping[str | Measure, float] | None = None,
    **options: Unpack[GateOptions],
) -> Verdict:
    """Fail, as `assert` does, unless the run is good enough.

    Args:
        qrels: whatever `gainful.evaluate` takes.
        run: whatever `gainful.evaluate` takes; leave it out if qrels contains both.
        floors: the lowest allowed mean of each measure.
        **options: further rules, the baseline, how files are read: all that `gainful.gate` takes.

    Returns:
        The `Verdict`, if the run passed.

    Raises:
        AssertionError: a rule is broken; the message is the verdict.
        GainfulError: the input is invalid, so nothing is known about the run.

    Examples:
        >>> judged = {"1": {"a": 1}, "2": {"b": 1}}
        >>> run = {"1": ["x", "a"], "2": ["b"]}
        >>> try:
        ...     assert_ranking_quality(judged, run, floors={"RR": 0.8})
        ... except AssertionError as failure:
        ...     print(str(failure).splitlines()[0])
        FAILED: RR 0.7500 is below its floor 0.8
    """
    __tracebackhide__ = True  # pytest shows the line that calls, not this one
    from gainful.api.gate import gate  # noqa: PLC0415  (needs polars)

    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    verdict = gate(qrels, run, floors, **given)
    if not verdict.passed:
        raise AssertionError(verdict.to_text())
    return verdict


show_public_names(__name__, save_baseline="gainful.api.gate:save_baseline")
