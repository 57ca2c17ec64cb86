"""The pages of sessions: means of groups, single sessions, lengths, vectors and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log10
from typing import Any, Literal

import polars as pl
from attrs import evolve

from gainful.measure.sessions.answers import describe_view
from gainful.measure.sessions.footnotes import list_footnotes
from gainful.measure.sessions.last_queries import NonLast, last_queries, lengths
from gainful.measure.sessions.reformulations import reformulations
from gainful.measure.sessions.session_values import SessionValues, per_cost
from gainful.page.page import Page, Section
from gainful.page.table import Table, column_bars

_COST = "cost"  # the head of the one column of costs
View = Literal["groups", "per_session", "lengths", "curve", "last", "best_query", "reformulations"]


def session_results_page(
    results: SessionValues,
    view: View = "groups",
    by: Sequence[str] = (),
    non_last: NonLast = "pooled",
    *,
    verbose: bool = False,
) -> Page:
    """One view of sessions: means of groups, single sessions, lengths, vectors and more."""
    table = (
        _build_last_query_table(results, by, non_last)
        if view == "last"
        else VIEWS[view](results, by)
    )

    def to_data() -> dict[str, Any]:
        extra = {} if view in ("groups", "per_session") else {view: table.to_dicts()}
        return results.to_dict(by) | extra

    return Page(
        answer=describe_view(results, view, by),
        sections=[Section(table=table)],
        notes=list_footnotes(results, verbose=verbose),
        rows=lambda: table,
        data=to_data,
        warnings=results.matched_sessions.notes,
    )


def _build_group_table(results: SessionValues, by: Sequence[str]) -> Table:
    """The mean of each group, or of all sessions; beside costs, gain per cost."""
    groups = results.groups(by) if by else [{"mean": results.mean, **results.counts}]
    keys = [[group[key] for key in by] if by else [results.name] for group in groups]
    labels = by or ("sessions of",)
    costs = results.costs
    names = [name for name in results.values if name not in costs]
    gains = [name for name in names if costs and not results.directions[name].is_lower]
    scales = {name: _choose_unit(results, groups, name) for name in gains}
    rows = [_group_row(results, *row, scales) for row in zip(groups, keys, strict=True)]
    heads = [_COST if len(costs) == 1 else name for name in costs]
    ratios = [f"{name} per {unit:g} cost" for name, unit in scales.items()]
    bounded = {
        at: results.recipes[name].entry.normalised for at, name in enumerate(names, len(labels) + 2)
    }
    return Table(
        (*labels, "sessions", "queries", *names, *heads, *ratios),
        rows,
        numeric=True,
        label_columns=len(labels),
        bars=column_bars(rows, bounded),
        expendable=("queries", "sessions"),
    )


def _group_row(
    results: SessionValues,
    group: Mapping[str, Any],
    keys: Sequence[Any],
    scales: Mapping[str, float],
) -> tuple[Any, ...]:
    """Counts, means, costs, and what is brought for what is spent."""
    means, costs = group["mean"], results.costs
    names = [name for name in means if name not in costs]
    values = [means[name] for name in (*names, *costs)]
    shares = per_cost(means, results.recipes) if costs else {}
    ratios = [None if (share := shares[name]) is None else share * scales[name] for name in scales]
    return (*keys, group["sessions"], group["queries"], *values, *ratios)


def _choose_unit(
    results: SessionValues, groups: Sequence[Mapping[str, Any]], measure: str
) -> float:
    """Per how much cost a gain is told, so that its decimals say something: a power of 10."""
    shares = [per_cost(group["mean"], results.recipes)[measure] for group in groups]
    largest = max((abs(share) for share in shares if share), default=1.0)
    return 10.0 ** max(0, ceil(-log10(largest)))


def _build_session_table(results: SessionValues, by: Sequence[str]) -> Table:
    """A row for each session."""
    columns = results.columns[["session", *results.group_names(by), "queries"]]
    values = results.per_session.drop("session")
    return Table.from_frame(pl.concat([columns, values], how="horizontal"), 1 + len(by))


def _build_length_table(results: SessionValues, by: Sequence[str]) -> Table:
    """How many sessions have 1, 2, 3 … queries: Table 2 of the paper."""
    groups = lengths(results, by)
    max_queries = max(max(group["by_queries"]) for group in groups)
    columns = (*by, "sessions", "queries", "mean", *(str(n) for n in range(1, max_queries + 1)))
    rows = [
        (
            *(group[key] for key in by),
            *(group["sessions"], group["queries"], group["mean"]),
            *(group["by_queries"].get(n, 0) for n in range(1, max_queries + 1)),
        )
        for group in groups
    ]
    return Table(columns, rows, numeric=True, label_columns=len(by))


_NEEDED_COLUMNS = ("which", "session", "before", "text", "query", "change")  # of a reformulation


def _build_reformulation_table(results: SessionValues, by: Sequence[str]) -> Table:
    """The reformulations that helped most, and those that helped least."""
    results.group_names(by)
    every_reformulation = reformulations(results)
    most = every_reformulation.most(by=by).filter(pl.col("change") > 0)
    least = every_reformulation.least(by=by).join(
        most.select("session", "query"), on=["session", "query"], how="anti"
    )
    both = pl.concat(
        frame.with_columns(which=pl.lit(which)).select("which", pl.exclude("which"))
        for which, frame in (("most", most), ("least", least))
    )
    text_columns = [name for name, kind in both.schema.items() if kind == pl.String]
    others = [name for name in both.columns if name not in text_columns]
    table = Table.from_frame(both[[*text_columns, *others]], len(text_columns))
    needed = (*_NEEDED_COLUMNS, *by)
    return evolve(table, expendable=[name for name in table.columns if name not in needed])


def _build_last_query_table(results: SessionValues, by: Sequence[str], non_last: NonLast) -> Table:
    """The last query against the others, rank by rank."""
    vectors = last_queries(results, by=by, non_last=non_last).vectors
    return Table.from_frame(vectors, len(by) + 1)


VIEWS: Mapping[str, Callable[[SessionValues, Sequence[str]], Table]] = {
    "groups": _build_group_table,
    "per_session": _build_session_table,
    "lengths": _build_length_table,
    "curve": lambda results, by: Table.from_frame(results.curve(by=by), len(by)),
    "best_query": lambda results, by: Table.from_frame(
        last_queries(results, by=by).shares, len(by)
    ),
    "reformulations": _build_reformulation_table,
}
