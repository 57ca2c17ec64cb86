"""What a view of sessions answers, in a sentence or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import polars as pl

from gainful.match.session_groups import describe_judged, group_label
from gainful.measure.direction import Direction
from gainful.measure.leaders import ANSWER_DECIMALS, describe_leaders, find_leaders
from gainful.measure.sessions.last_queries import last_queries, lengths
from gainful.measure.sessions.reformulations import reformulations
from gainful.measure.sessions.session_values import SessionValues
from gainful.text import capitalise_first, count_noun, join_words, quote

_CHANCE_ADVICE = "gainful compare --sessions tells whether that is more than chance."


def describe_view(results: SessionValues, view: str, by: Sequence[str] = ()) -> str:
    """The question of a view answered."""
    return _ANSWERS[view](results, by)


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
