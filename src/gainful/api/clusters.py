"""Which queries belong together: by a pattern of their ids, a column, or as a dict says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gainful.errors import BadValue
from gainful.evidence.clusters import (
    CLUSTER_CHOICES,
    ClusterChoice,
    Clusters,
    is_pattern,
    read_clusters,
)
from gainful.read.column_names import ColumnNames
from gainful.read.query_column import read_query_column


def find_clusters(
    cluster: ClusterChoice | None,
    inputs: Iterable[tuple[Any, str | None]],
    columns: ColumnNames | None = None,
) -> Clusters | None:
    """The clusters that were asked for; a column is that of the first input that has it.

    Args:
        cluster: a pattern with a group, the name of a column, {query: cluster}; or none.
        inputs: judgments and runs as they were given, each with the name of its format, if any.
        columns: how columns are called.
    """
    if cluster is None:
        return None
    if not isinstance(cluster, str) or is_pattern(cluster):
        return read_clusters(cluster)
    for value, format_name in inputs:
        by_query = read_query_column(value, cluster, format_name, columns)
        if by_query is not None:
            return Clusters(cluster, by_query.get)
    raise BadValue("cluster", cluster, CLUSTER_CHOICES)
