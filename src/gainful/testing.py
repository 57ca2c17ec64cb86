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
from typing import TYPE_CHECKING, Any, Unpack

from gainful.convention import Convention

if TYPE_CHECKING:  # they need polars: imported when first called
    from gainful.evidence.gates.verdict import Verdict
    from gainful.measure.evaluate import EvaluationSettings, Measures
    from gainful.measure.measure import Measure
    from gainful.measure.results import Results
    from gainful.read.inputs import AnyQrels, AnyRun
    from gainful.read.qrels_and_run import NestedDict, Qrels

__all__ = ["assert_ranking_quality", "save_baseline"]


def assert_ranking_quality(
    qrels: AnyQrels,
    run: AnyRun,
    *,
    floors: Mapping[str | Measure, float] | None = None,
    baseline: str | PathLike[str] | None = None,
    max_drop: Mapping[str | Measure, float] | None = None,
    significant: float | None = None,
    measures: Measures | None = None,
    allow: str | Iterable[str] = (),
    test: str = "randomisation",
    seed: int | None = None,
    resamples: int | None = None,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Verdict:
    """Fail, as `assert` does, unless the run is good enough.

    Args:
        judgments: a path, a dict or a frame, as in `gainful.evaluate`.
        run: the same.
        floors: the least that the mean of each measure may be.
        baseline: the file of an earlier run, which `save_baseline` wrote.
        max_drop: by how much each measure may drop from the baseline.
        significant: the level at which no measure may be worse than the baseline (one-sided,
            Holm-corrected over the measures).
        measures: what to evaluate besides those that have a rule.
        allow: "convention", "judgments" or both: compare although they are not the baseline's.
        test: how `significant` tests; "randomisation" unless told otherwise.
        seed: where chance begins.
        resamples: how often it is drawn.
        like: the tool whose habits to follow.
        habits: single habits, such as `ties="average"`.

    Returns:
        The `Verdict`, if the run passed.

    Raises:
        AssertionError: a rule is broken; the message is the verdict.
        GainfulError: something is wrong with what was given, so nothing is known of the run.

    Examples:
        >>> judged = {"1": {"a": 1}, "2": {"b": 1}}
        >>> found = {"1": ["x", "a"], "2": ["b"]}
        >>> try:
        ...     assert_ranking_quality(judged, found, floors={"RR": 0.8})
        ... except AssertionError as failure:
        ...     print(str(failure).splitlines()[0])
        FAILED: RR 0.7500 is below its floor 0.8
    """
    __tracebackhide__ = True  # pytest shows the line that calls, not this one
    from gainful.evidence.gates.baseline import read_baseline  # noqa: PLC0415  (needs polars)
    from gainful.evidence.gates.gate import gate  # noqa: PLC0415
    from gainful.evidence.gates.rules import Rules  # noqa: PLC0415
    from gainful.show.gate import to_text  # noqa: PLC0415

    sampling = {"seed": seed, "resamples": resamples}
    rules = Rules(
        floors=floors,
        max_drop=max_drop,
        significant=significant,
        test=test,
        allow=allow,
        **{name: value for name, value in sampling.items() if value is not None},
    )
    saved_baseline = None if baseline is None else read_baseline(baseline)
    wanted = rules.measures_to_evaluate(measures) or (
        None if saved_baseline is None else list(saved_baseline.measures)
    )
    parsed_qrels, results = _evaluate(qrels, run, wanted, like, settings)
    verdict = gate(results, rules, qrels=parsed_qrels, baseline=saved_baseline)
    if not verdict.passed:
        raise AssertionError(to_text(verdict))
    return verdict


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
    from gainful.evidence.gates.baseline import make_baseline  # noqa: PLC0415  (needs polars)
    from gainful.show.atomic_write import write_atomically  # noqa: PLC0415

    parsed_qrels, results = _evaluate(qrels, run, measures, like, settings)
    write_atomically(path, make_baseline(results, parsed_qrels).to_text())


def _evaluate(
    qrels: AnyQrels,
    run: AnyRun,
    measures: Measures | None,
    like: str | Convention | None,
    settings: Mapping[str, Any],
) -> tuple[Qrels | NestedDict, Results]:
    """The judgments, which are read once, and what the run scores by them."""
    from gainful.measure.evaluate import build_recipes, evaluate_run  # noqa: PLC0415  (needs polars)
    from gainful.read.inputs import as_qrels, as_run  # noqa: PLC0415

    convention, recipes = build_recipes(measures, like, settings)
    parsed_qrels = as_qrels(qrels)
    return parsed_qrels, evaluate_run(parsed_qrels, as_run(run), recipes, convention)
