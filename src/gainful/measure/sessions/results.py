"""The pages of sessions: means of groups, single sessions, lengths, vectors and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log10
from types import MappingProxyType
from typing import Any, Literal

import polars as pl
from attrs import evolve

from gainful.match.session_groups import describe_judged, group_label
from gainful.measure.entry import Direction
from gainful.measure.notes import describe_convention, name_convention
from gainful.measure.results import ANSWER_DECIMALS, describe_leaders, find_leaders
from gainful.measure.sessions.analysis import NonLast, last_queries, lengths, reformulations
from gainful.measure.sessions.session_values import SessionValues, per_cost
from gainful.page.page import Page, Section
from gainful.page.table import Table, column_bars
from gainful.text import capitalise_first, count_noun, join_words, quote


def list_footnotes(results: SessionValues, *, verbose: bool = False) -> list[str]:
    """One line of what was counted and whose convention (or all of it), and then the notes."""
    counts = results.counts
    parts = [count_noun(counts["sessions"], "session"), count_noun(counts["queries"], "query")]
    sessions = results.matched_sessions
    if verbose or sessions.observed or counts["judged"] < counts["results"]:
        parts.append(describe_judged(sessions))
    parts.append(describe_convention(results) if verbose else name_convention(results.convention))
    return [" · ".join(parts), *(f"Note: {note}" for note in results.notes)]


_CHANCE_ADVICE = "gainful compare --sessions tells whether that is more than chance."


def _describe_means(results: SessionValues, by: Sequence[str]) -> str:
    """How much sessions bring, or which group is best."""
    sessions, counts = results.matched_sessions, results.counts
    if sessions.observed and not counts["gained"]:
        return f"No session gained anything: {describe_judged(sessions)}."
    groups = results.groups(by) if by else []
    if len(groups) > 1:
        by_measure: dict[str, dict[str, float]] = {}
        for group in groups:
            label = _label(group, by)
            for measure, mean in group["mean"].items():
                if measure in results.costs:
                    continue
                by_measure.setdefault(measure, {})[label] = float("nan") if mean is None else mean
        leaders = f"{_describe_leaders(by_measure, results.directions)} " if by_measure else ""
        return f"{leaders}{_describe_cheapest(results, groups, by)}{_CHANCE_ADVICE}"
    measure, mean = next(iter(results.mean.items()))
    number = count_noun(counts["sessions"], "session")
    return f"The mean {measure} of {number} is {mean:.{ANSWER_DECIMALS}f}."


def _describe_cheapest(
    results: SessionValues, groups: Sequence[Mapping[str, Any]], by: Sequence[str]
) -> str:
    """Which groups cost least, where costs were asked for."""
    clauses = []
    for name in results.costs:
        costs = {_label(group, by): group["mean"][name] for group in groups}
        known = {label: cost for label, cost in costs.items() if cost is not None}
        cheapest = find_leaders(known, results.directions[name])
        if cheapest:
            verb = "costs" if len(cheapest) == 1 else "cost"
            who = capitalise_first(join_words(cheapest))
            clauses.append(f"{who} {verb} least ({known[cheapest[0]]:g}). ")
    return "".join(clauses)


def _describe_lengths(results: SessionValues, by: Sequence[str]) -> str:
    """How many queries a session has."""
    groups = lengths(results, by)
    if len(groups) > 1:
        means = {_label(group, by): group["mean"] for group in groups}
        return _describe_leaders({"queries per session": means})
    (group,) = groups
    used = [number for number, sessions in group["by_queries"].items() if sessions]
    spread = f", {used[0]} to {used[-1]}" if len(used) > 1 else ""
    return f"A session has {group['mean']:.1f} queries on average{spread}."


def _describe_last(results: SessionValues, by: Sequence[str]) -> str:
    """Do last queries gain more than those before them, down to the last rank?"""
    answer = last_queries(results, by=by)
    deepest = answer.vectors.filter(pl.col("rank") == pl.col("rank").max())
    clauses = []
    for group in deepest.partition_by(by) if by else [deepest]:
        means = dict(zip(group["which"], group["mean"], strict=True))
        last, before = means["last"], means["non_last"]
        if last is not None and before is not None:
            than = "more than" if last > before else "less than" if last < before else "as much as"
            values = f"{last:.{ANSWER_DECIMALS}f} and {before:.{ANSWER_DECIMALS}f} on average"
            label = f" of {_label(group.row(0, named=True), by)}" if by else ""
            clauses.append(f"last queries{label} gain {than} those before them ({values})")
    if not clauses:
        return "Every session has one query, so none stands before the last."
    text = "; ".join(clauses)
    return f"{text[0].upper()}{text[1:]}."


def _describe_best(results: SessionValues, by: Sequence[str]) -> str:
    """In how many sessions is the last query the best?"""
    shares = last_queries(results, by=by).shares.to_dicts()
    parts = [
        f"{100 * row['share']:.0f} %{f' ({_label(row, by)})' if by else ''}"
        for row in shares
        if row["share"] is not None
    ]
    if not parts:
        return "No session gained anything."
    return (
        f"Of the sessions that gained anything, the last query was the best in {', '.join(parts)}."
    )


def _describe_reformulations(results: SessionValues, _: Sequence[str]) -> str:
    """Did reformulations help, and which one most?"""
    changes = reformulations(results).queries.filter(pl.col("change").is_not_null())
    if not len(changes):
        return "Every session has one query: nothing was reformulated."
    helped = int((changes["change"] > 0).sum())
    total = count_noun(len(changes), "reformulation")
    best = changes.sort("change", descending=True, maintain_order=True).row(0, named=True)
    most = ""
    if helped:
        place = f"query {best['query']} of session {quote(best['session'])}"
        most = f", most of all {place} ({best['change']:+.{ANSWER_DECIMALS}f})"
    return f"{helped} of {total} gained more than the query before{most}."


def _describe_leaders(
    means_by_measure: Mapping[str, Mapping[str, float]],
    directions: Mapping[str, Direction] = MappingProxyType({}),
) -> str:
    """Which group is best; a label such as system 2 begins a sentence with a capital."""
    sentence = describe_leaders(means_by_measure, directions)
    for label in next(iter(means_by_measure.values())):
        if sentence.startswith(label):
            return capitalise_first(label) + sentence[len(label) :]
    return sentence


def _label(keys: Mapping[str, Any], by: Sequence[str]) -> str:
    return group_label({name: keys[name] for name in by})


_ANSWERS: Mapping[str, Callable[[SessionValues, Sequence[str]], str]] = {
    "groups": _describe_means,
    "per_session": _describe_means,
    "curve": _describe_means,
    "lengths": _describe_lengths,
    "last": _describe_last,
    "best_query": _describe_best,
    "reformulations": _describe_reformulations,
}


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
        answer=_ANSWERS[view](results, by),
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
