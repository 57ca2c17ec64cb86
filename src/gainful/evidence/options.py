"""Options that tests, intervals and gates share: the level, resamples, clusters, which test."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:  # it brings all tests
    from gainful.evidence.pairing import ClusterChoice


class LevelOptions(TypedDict, total=False):
    """The level of tests and intervals: see `PairOptions`."""

    alpha: float


class DrawingOptions(TypedDict, total=False):
    """How resamples are drawn: see `PairOptions`."""

    resamples: int | None
    seed: int


class ResamplingOptions(LevelOptions, DrawingOptions, total=False):
    """The level, and how resamples are drawn: see `PairOptions`."""


class TestOptions(ResamplingOptions, total=False):
    """A test, its level and its resamples: see `PairOptions`."""

    test: str | None


class ClusterOptions(TypedDict, total=False):
    """What is not independent: see `PairOptions`."""

    cluster: ClusterChoice | None


class PairOptions(TestOptions, ClusterOptions, total=False):
    """How the difference of two runs or systems is tested; all options are optional.

    Args:
        test: of runs randomisation (default), t, wilcoxon, sign, bootstrap, bca, or tukey for all
            pairs. Of studies permutation, of each pair by the sessions of these two systems;
            freedman-lane, of all pairs by a linear model; or tukey: the default depends on the
            design, and the result names it.
        correct: how p is corrected over a family: max-t (step-down; default of randomisation and
            freedman-lane), holm (default of other tests), bh, bonferroni, none. tukey corrects the
            pairs itself.
        alpha: level of significance; intervals have confidence 1 - alpha.
        resamples: number of resamples: 10000, or as many as holm needs for all comparisons.
        seed: random seed; the same seed gives the same numbers.
        cluster: clusters of queries or conversations that are not independent, such as turns of a
            conversation: a pattern with a group, "^(.+)_[0-9]+$"; a column of the judgments or a
            run; or {query: cluster}. Whole clusters are resampled.
    """

    correct: str | None
