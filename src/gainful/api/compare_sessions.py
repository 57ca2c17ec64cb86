"""Is one system really better than another, by the sessions of a study?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from gainful.api.session_options import EvaluationOptions, answer_session_options
from gainful.api.session_results import SessionResults
from gainful.api.sessions import evaluate
from gainful.convention.session import SessionConvention
from gainful.evidence.clusters import ClusterChoice
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.study import check_method, compare_session_results
from gainful.evidence.method import ComparisonOptions
from gainful.evidence.pairing import PairChoice
from gainful.evidence.statistics.correction import Family
from gainful.evidence.statistics.resampling import ALPHA, SEED
from gainful.measure.build_recipes import Measures
from gainful.measure.cost import Cost
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions
from gainful.read.several_systems import SYSTEM


@answer_session_options(EvaluationOptions)
def compare(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    baseline: str | None = None,
    test: str | None = None,
    correct: str | None = None,
    family: Family = "measure",
    pairs: PairChoice = "all",
    equivalent: float | Mapping[str, float] | None = None,
    alpha: float = ALPHA,
    resamples: int | None = None,
    seed: int = SEED,
    cluster: ClusterChoice | None = None,
    like: str | SessionConvention | None = None,
    cost: Cost | None = None,
    **options: Unpack[EvaluationOptions],
) -> Comparison:
    """Is one system really better than another, by the sessions of a study?

    Searchers' whole assignments (which system on which scenario) are exchanged, as chance could
    have dealt them, so that a Latin square stays one. More than two systems, each tried once by a
    searcher, are compared by a linear model whose residuals are permuted within searchers. Several
    systems that had the same conversations are paired by conversation, as runs are by query.

    Args:
        sessions: whatever `evaluate` takes; or what it returned.
        qrels: whatever `evaluate` takes.
        measures: whatever `evaluate` takes; systems are compared in each.
        by: the column that names the system.
        block: the columns whose effects are taken out: searcher and scenario, if they are there.
            The first says whose assignments are exchanged, the others what was done.
        baseline: the system that the others are set against; the first by name if none is named.
        test: permutation, of each pair by the sessions of these two systems; freedman-lane, of
            all pairs by a linear model; or tukey, of all systems at once. If none is named, the
            design chooses between the first two, and the result says which. Of systems that had
            the same conversations: one that `gainful.compare` has, randomisation by default.
        correct: how p is corrected over a family: max-t (of freedman-lane, default there), holm
            (default elsewhere), bh, bonferroni, none.
        family: "measure", the pairs of one measure are corrected together; or "all", those of all
            measures.
        pairs: compare all pairs of systems, or each with the baseline.
        equivalent: also ask whether systems are practically the same, within this margin, by the
            differences of searchers: of all measures, or {measure: margin} of some.
        alpha: from which p on a difference counts as significant.
        resamples: how many, where there are too many ways to look at them all: 10000, or as many
            as holm needs for so many comparisons.
        seed: which chance.
        cluster: of several systems: what conversations belong to that are not independent, such as
            those of a topic: a pattern with a group, or {conversation: cluster}.
        like: whose settings to follow.
        cost: what searching costs, as `evaluate` takes it.
        **options: how sessions are read, which count and what gains (`sessions.ReadingOptions`,
            `sessions.GainOptions`), and single settings, such as `duplicates="first"`.

    Returns:
        `Comparison`: the differences with blocks taken out, their intervals and p.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> compare(study.sessions, study.qrels, "sDCG@10", resamples=999)
        System 2 ...
    """
    weighing: ComparisonOptions = {
        "correct": correct,
        "family": family,
        "baseline": baseline,
        "pairs": pairs,
        "equivalent": equivalent,
        "alpha": alpha,
        "resamples": resamples,
        "seed": seed,
    }
    check_method(test, **weighing)
    results = sessions
    if not isinstance(results, SessionResults):
        results = evaluate(sessions, qrels, measures, like=like, cost=cost, **options)
    return compare_session_results(results, by, block, test, cluster, **weighing)
