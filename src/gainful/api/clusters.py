"""Which queries belong together: by a pattern of their ids, a column, or as a dict says."""

from __future__ import annotations

from gainful.api.run_options import RunReading
from gainful.errors import BadValue
from gainful.evidence.pairing import (
    CLUSTER_CHOICES,
    ClusterChoice,
    Clusters,
    is_pattern,
    read_clusters,
)
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.query_columns import read_query_column


def find_clusters(
    cluster: ClusterChoice | None, reading: RunReading, qrels: AnyQrels, *runs: AnyRun
) -> Clusters | None:
    """The clusters that were asked for; a column is that of the first input that has it.

    Args:
        cluster: a pattern with a group, the name of a column, {query: cluster}; or none.
        reading: how judgments and runs are written.
        qrels: judgments as they were given.
        *runs: runs as they were given.
    """
    if cluster is None:
        return None
    if not isinstance(cluster, str) or is_pattern(cluster):
        return read_clusters(cluster)
    of_qrels, of_runs = reading.columns.choose_kind("qrels"), reading.columns.choose_kind("run")
    inputs = [(qrels, reading.qrels_format, of_qrels)]
    for value, format_name, columns in inputs + [
        (run, reading.run_format, of_runs) for run in runs
    ]:
        by_query = read_query_column(value, cluster, format_name, columns)
        if by_query is not None:
            return Clusters(cluster, by_query.get)
    raise BadValue("cluster", cluster, CLUSTER_CHOICES)
