"""Which queries belong together: in clusters that are resampled whole, or in named groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
from attrs import evolve

from gainful.api.run_options import GroupChoice, RunReading, refuse_lone_queries
from gainful.errors import BadValue, NoColumn, WrongType
from gainful.evidence.pairing import CLUSTER_CHOICES, ClusterChoice, Clusters, read_clusters
from gainful.measure.values import Grouping
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels_columns
from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.read.query_columns import AnyQueries, read_attribute, read_query_column, read_texts
from gainful.read.sessions import CONVERSATION
from gainful.text import count_noun, name_way, quote

if TYPE_CHECKING:
    from gainful.measure.results import QueryResults
    from gainful.measure.sessions.results import SessionResults

_GROUP_CHOICES = "a column of the queries, qrels or a run, {query: group}, or a function of the id"
_LENGTHS = ((1, "0-1 words"), (3, "2-3 words"), (6, "4-6 words"))
_RELEVANT = ((0, "0 relevant"), (1, "1 relevant"), (9, "2-9 relevant"))


def find_clusters(
    cluster: ClusterChoice | None, reading: RunReading, qrels: AnyQrels, *runs: AnyRun
) -> Clusters | None:
    """The clusters that were asked for; a column is that of the first input that has it."""
    if cluster is None:
        return None
    if not isinstance(cluster, str) or "(" in cluster:  # a pattern has a group, a column has not
        return read_clusters(cluster)
    by_query = _find_column(cluster, reading, qrels, runs)
    if by_query is None:
        raise BadValue("cluster", cluster, CLUSTER_CHOICES)
    return Clusters(cluster, by_query.get)


def _find_column(
    column: str, reading: RunReading, qrels: AnyQrels, runs: Sequence[AnyRun]
) -> dict[str, str] | None:
    """What a column says of each query: that of the first input that has it."""
    of_qrels, of_runs = reading.columns.choose_kind("qrels"), reading.columns.choose_kind("run")
    inputs = [(qrels, reading.qrels_format, of_qrels)]
    inputs += [(run, reading.run_format, of_runs) for run in runs]
    labels = (read_query_column(value, column, form, names) for value, form, names in inputs)
    return next((by_query for by_query in labels if by_query is not None), None)


FindGroup = Callable[[str], Any]


def find_groups(
    reading: RunReading, qrels: AnyQrels, judgments: Qrels | NestedDict, runs: Sequence[AnyRun]
) -> tuple[str, FindGroup]:
    """What groups are called, and the group of a query.

    A column is that of the table of queries or, without one, of the first input that has it.
    """
    group, queries = reading.group, reading.queries
    if isinstance(group, str) and group == RELEVANT_DOCS:
        frame = as_qrels_columns(judgments).frame
        counts = frame.group_by("query").agg((pl.col("grade") > 0).sum()).iter_rows()
        sizes = {query: _name_size(count, _RELEVANT, "10+ relevant") for query, count in counts}
        return group, sizes.get
    if not isinstance(group, str) or queries is not None or group == TEXT_LENGTH:
        return _find_told_groups(group, queries)
    by_query = _find_column(group, reading, qrels, runs)
    if by_query is None:
        table = f"{_name_queries()}, a table of the queries that has it; or {_GROUP_CHOICES}"
        raise NoColumn("group", f"no column {quote(group)} in the input", table)
    return group, by_query.get


def _find_told_groups(
    group: GroupChoice | None, queries: AnyQueries | None
) -> tuple[str, FindGroup]:
    """The name of the groups, and the group of a query, from attributes of the queries alone."""
    if not isinstance(group, str):
        return name_grouping(group)
    if group == TEXT_LENGTH:
        if queries is None:
            allowed = f"a table of queries with their texts: {_name_queries()}"
            raise BadValue(name_way("--group", "group"), TEXT_LENGTH, allowed)
        counts = {query: len(text.split()) for query, text in read_texts(queries).items()}
        return group, {q: _name_size(n, _LENGTHS, "7+ words") for q, n in counts.items()}.get
    if queries is None:
        allowed = f"a table of the queries that has the column {group}: {_name_queries()}"
        raise BadValue(name_way("--queries", "queries"), None, allowed)
    return group, read_attribute(queries, group).get


def name_grouping(group: GroupChoice | None) -> tuple[str, FindGroup]:
    """What groups by a dict or a function are called, and the group of a query."""
    if isinstance(group, Mapping):
        return "group", {str(query): label for query, label in group.items()}.get
    if not callable(group):
        raise WrongType("group", group, _GROUP_CHOICES)
    name = getattr(group, "__name__", "")
    return name if name.isidentifier() else "group", group


def group_runs(
    results: Mapping[str, QueryResults], group: GroupChoice | None, queries: AnyQueries | None
) -> dict[str, QueryResults]:
    """Runs with the groups of their queries, from attributes of the queries alone."""
    if group is None:
        refuse_lone_queries(queries)
    named = _find_told_groups(group, queries)
    return {
        name: evolve(run, grouping=group_units(named, run.ids)) for name, run in results.items()
    }


def group_units(named: tuple[str, FindGroup], ids: Sequence[str]) -> Grouping:
    """The group of each query or session; it is an error if none has one."""
    name, find = named
    by_unit = {unit: find(unit) for unit in ids}
    labels = {
        unit: str(label).strip()
        for unit, label in by_unit.items()
        if label is not None and str(label == label) == "True" and str(label).strip()  # noqa: PLR0124
    }
    if ids and not labels:
        count = f"{count_noun(len(ids), 'id')}, such as {quote(ids[0])}"
        raise BadValue("group", name, f"a group for evaluated queries; none of {count}, has one")
    return Grouping(name, labels)


def _name_queries() -> str:
    return name_way("--queries FILE", "queries=")


def group_sessions(
    results: SessionResults, group: GroupChoice | None, queries: AnyQueries | None
) -> SessionResults:
    """Sessions that know their groups, which are a column of theirs then."""
    if group is None:
        refuse_lone_queries(queries)
    columns = results.columns
    names = columns[CONVERSATION if CONVERSATION in columns.columns else "session"].to_list()
    if not isinstance(group, str):
        name, find = name_grouping(group)
    elif queries is not None:
        name, find = group, read_attribute(queries, group, "session").get
    else:
        (name,) = results.group_names(group)
        find = dict(zip(names, columns[name].cast(pl.String), strict=True)).get
    by_name = group_units((name, find), names).labels
    by_session = {
        unit: by_name[own] for unit, own in zip(results.ids, names, strict=True) if own in by_name
    }
    rows = results.matched_sessions.rows
    if name not in rows.columns:
        labels = rows["session"].replace_strict(by_session, default=None, return_dtype=pl.String)
        rows = rows.with_columns(labels.alias(name))
    matched = evolve(results.matched_sessions, rows=rows)
    return evolve(results, matched_sessions=matched, grouping=Grouping(name, by_session))


def _name_size(number: int, sizes: Sequence[tuple[int, str]], above: str) -> str:
    return next((label for most, label in sizes if number <= most), above)


TEXT_LENGTH, RELEVANT_DOCS = "text_length", "relevant_docs"
