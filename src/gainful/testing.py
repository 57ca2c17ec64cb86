"""Ranking quality as a test: fails when a run is not good enough, and says where to look.

Examples:
    >>> judged = {"1": {"a": 2, "b": 1}}
    >>> verdict = assert_ranking_quality(judged, {"1": ["a", "b"]}, floors={"nDCG@10": 0.9})
    >>> verdict.passed
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from gainful.api.keywords import answer_keywords
from gainful.convention import Convention
from gainful.text import answer_missing

if TYPE_CHECKING:  # they need polars: imported when first called
    from gainful.evidence.gates.verdict import Verdict
    from gainful.measure.build_recipes import EvaluationSettings, Measures
    from gainful.measure.measure import Measure
    from gainful.read.column_names import ColumnNames
    from gainful.read.inputs import AnyQrels, AnyRun

__all__ = ["assert_ranking_quality", "save_baseline"]


@answer_keywords
def assert_ranking_quality(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    floors: Mapping[str | Measure, float] | None = None,
    *,
    ceilings: Mapping[str | Measure, float] | None = None,
    baseline: str | PathLike[str] | None = None,
    max_drop: Mapping[str | Measure, float] | None = None,
    significant: float | None = None,
    no_worse_than: Mapping[str | Measure, float] | None = None,
    per_query: Mapping[str | Measure, tuple[float, int]] | None = None,
    alpha: float | None = None,
    cluster: str | Mapping[str, str] | None = None,
    measures: Measures | None = None,
    allow: str | Iterable[str] = (),
    test: str = "randomisation",
    seed: int | None = None,
    resamples: int | None = None,
    like: str | Convention | None = None,
    columns: ColumnNames | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Verdict:
    """Fail, as `assert` does, unless the run is good enough.

    Args:
        qrels: whatever `gainful.evaluate` takes.
        run: whatever `gainful.evaluate` takes; none, if the first tells both, as a RAG file does.
        floors: the least that the mean of each measure may be.
        ceilings: the most that the mean of each measure may be of which less is better.
        baseline: the file of an earlier run, which `save_baseline` wrote.
        max_drop: by how much each measure may become worse than in the baseline: drop, or rise
            where less is better.
        significant: the level at which no measure may be worse than the baseline (one-sided,
            Holm-corrected over the measures).
        no_worse_than: the margin of each measure: the run must be shown to be worse than the
            baseline by less (non-inferiority, by the one-sided limit of the change).
        per_query: of each measure (drop, count): at most so many queries may drop by more than
            that.
        alpha: the level of the limits of `no_worse_than`, and of the test for drift; 0.05.
        cluster: what queries belong to that are not independent, as `gainful.compare` takes it.
        measures: what to evaluate besides those that have a rule.
        allow: "convention", "judgments", "queries": compare although they are not the baseline's;
            "drift": let a significant decline through since the chain of baselines began.
        test: how `significant` tests; "randomisation" unless told otherwise.
        seed: where chance begins.
        resamples: how often it is drawn.
        like: the tool whose settings to follow.
        columns: how columns are called, such as {"query": "user", "doc": "item"}, if not usual.
        **settings: single settings, such as `ties="average"`.

    Returns:
        The `Verdict`, if the run passed.

    Raises:
        AssertionError: a rule is broken; the message is the verdict.
        GainfulError: something is wrong with what was given, so nothing is known of the run.

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
    from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED  # noqa: PLC0415

    verdict = gate(
        qrels,
        run,
        floors=floors,
        ceilings=ceilings,
        baseline=baseline,
        max_drop=max_drop,
        significant=significant,
        no_worse_than=no_worse_than,
        per_query=per_query,
        alpha=ALPHA if alpha is None else alpha,
        cluster=cluster,
        measures=measures,
        allow=allow,
        test=test,
        like=like,
        columns=columns,
        seed=SEED if seed is None else seed,
        resamples=RESAMPLES if resamples is None else resamples,
        **settings,
    )
    if not verdict.passed:
        raise AssertionError(verdict.to_text())
    return verdict


@answer_keywords
def save_baseline(
    qrels: AnyQrels,
    run: AnyRun,
    path: str | PathLike[str],
    measures: Measures | None = None,
    *,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> None:
    """Save what a run scores in a file that later runs are held against.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> judged = {"1": {"a": 2, "b": 1}}
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "baseline.json")
        ...     save_baseline(judged, {"1": ["a", "b"]}, path, "nDCG@10")
        ...     drop = {"nDCG@10": 0.01}
        ...     verdict = assert_ranking_quality(
        ...         judged, {"1": ["a", "b"]}, baseline=path, max_drop=drop
        ...     )
        >>> verdict.checks[0].message
        'nDCG@10 did not drop: from 1.0000 to 1.0000'
    """
    from gainful.api import gate  # noqa: PLC0415  (needs polars)

    gate.save_baseline(qrels, run, path, measures, like=like, **settings)


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # to a type checker every name would be there
    __getattr__ = answer_missing(__name__, __all__)
