"""Is one system really better than another? Systems that had the same conversations.

A conversation is the unit: what its turns say is not independent, so that each system has one value
in each of them, and these are set against one another as values of runs by query are.
"""

from __future__ import annotations

from typing import Unpack

import polars as pl
from attrs import evolve

from gainful.errors import CannotCompare
from gainful.evidence.clusters import ClusterChoice, read_clusters
from gainful.evidence.comparisons.assemble_comparison import (
    ComparisonOptions,
    Systems,
    build_method,
)
from gainful.evidence.comparisons.compare_paired import Measured, compare_paired
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.pairing import PairedValues, pair_values
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.measure.sessions.footnotes import list_footnotes
from gainful.measure.sessions.session_values import SessionValues
from gainful.read.several_systems import CONVERSATION, SYSTEM

USUAL_TEST = "randomisation"


def is_paired(results: SessionValues) -> bool:
    """Had several systems the same conversations?"""
    return {CONVERSATION, SYSTEM} <= {*results.columns.columns}


def compare_conversations(
    results: SessionValues,
    test: str | None = None,
    cluster: ClusterChoice | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """The comparison of systems, paired by the conversations that all of them had.

    Args:
        results: of the sessions of several systems.
        test: randomisation (default), t, wilcoxon, sign, bootstrap, bca, or tukey.
        cluster: a pattern whose group names what a conversation belongs to, or a dict.
        **options: the baseline, the correction, the family, the pairs, the level, the resamples
            and the seed.
    """
    method = build_method(TEST_NAMES, test or USUAL_TEST, **options)
    names = results.columns[SYSTEM].unique(maintain_order=True).to_list()
    if len(names) < 2:
        raise CannotCompare(f"there is only the system {names[0]}: nothing to compare it with")
    measured = Measured.from_results(
        results, list_footnotes(results), list_footnotes(results, verbose=True)
    )
    return compare_paired(
        {measure: _pair_conversations(results, measure, names) for measure in results.values},
        Systems.from_method(names, method, SYSTEM),
        method,
        measured,
        None if cluster is None else read_clusters(cluster),
    )


def _pair_conversations(results: SessionValues, measure: str, names: list[str]) -> PairedValues:
    """The values of one measure: a row for each conversation, a column for each system."""
    labels = results.columns.select("session", SYSTEM, CONVERSATION)
    values = results.per_session.select("session", pl.col(measure).alias("value"))
    rows = labels.join(values, on="session", how="inner", maintain_order="left")
    rows = rows.filter(pl.col("value").is_not_null())
    by_system = [
        dict(rows.filter(pl.col(SYSTEM) == name).select(CONVERSATION, "value").iter_rows())
        for name in names
    ]
    return evolve(pair_values(by_system, measure), noun=CONVERSATION)
